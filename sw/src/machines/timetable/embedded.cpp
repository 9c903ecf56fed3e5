// SPDX-License-Identifier: Apache-2.0
#include "embedded.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Several copies of the guest, a guest step of which takes a frame. Each port has one more slot,
/// for words that pass. Rows of arrivals say what is delivered, since words that pass are not.
class FramedRows {
 public:
  FramedRows(const TimetableProgram& guest, const Embedding& embedding)
      : guest_(guest), embedding_(embedding), roms_(embedding.host.nodes()) {}

  TimetableProgram program() {
    for (NodeWalk walk(embedding_.guest); !walk.done(); walk.next()) {
      for (const SendRow& row : guest_.roms()[guest_.rom_of(walk.node())].sends) {
        const NodeId to = walk.neighbor(row.port);
        if (to == kNoNode) continue;
        for (std::size_t copy = 0; copy < embedding_.copies(); ++copy) {
          add(row, embedding_.node(copy, walk.node()), embedding_.link(walk.node(), row.port),
              arrival_of(to, row));
        }
      }
    }
    TimetableProgram host(embedding_.host.nodes(), embedding_.host.ports(), guest_.own(),
                          DeliveryRule::kMarked);
    host.relative = guest_.relative;
    const auto in_order = [](const auto& a, const auto& b) {
      return std::tie(a.step, a.port) < std::tie(b.step, b.port);
    };
    for (NodeId node = 0; node < roms_.size(); ++node) {
      std::sort(roms_[node].sends.begin(), roms_[node].sends.end(), in_order);
      std::sort(roms_[node].arrivals.begin(), roms_[node].arrivals.end(), in_order);
      host.assign(node, host.intern(std::move(roms_[node])));
    }
    return host;
  }

 private:
  /// The treatment of what a row sends to a guest node.
  [[nodiscard]] ArrivalRow arrival_of(NodeId to, const SendRow& sent) const {
    ArrivalRow row;
    row.step = sent.step;
    row.port = opposite(sent.port);
    const std::vector<ArrivalRow>& rows = guest_.roms()[guest_.rom_of(to)].arrivals;
    const auto found = std::find_if(rows.begin(), rows.end(), [&row](const ArrivalRow& each) {
      return each.step == row.step && each.port == row.port;
    });
    if (found != rows.end()) row = *found;
    if (guest_.delivery() == DeliveryRule::kAll) row.delivers = true;
    if (guest_.delivery() == DeliveryRule::kUnstored) {
      row.delivers = row.slot == ArrivalRow::kNoSlot;
    }
    return row;
  }

  void add(SendRow send, NodeId node, const EmbeddedLink& link, ArrivalRow arrival) {
    send.step = (send.step - 1) * embedding_.frame + link.leaves + 1;
    send.port = link.port;
    arrival.port = opposite(link.port);
    for (std::uint32_t hop = 1; hop < link.hops; ++hop) {
      roms_[node].sends.push_back(send);
      node = embedding_.host.neighbor(node, link.port);
      ArrivalRow passes;
      passes.step = send.step++;
      passes.port = arrival.port;
      passes.slot = guest_.slots() + link.port;
      roms_[node].arrivals.push_back(passes);
      send.source = WordSource::slot(passes.slot);
    }
    roms_[node].sends.push_back(send);
    arrival.step = send.step;
    roms_[embedding_.host.neighbor(node, link.port)].arrivals.push_back(arrival);
  }

  const TimetableProgram& guest_;
  const Embedding& embedding_;
  /// By host node.
  std::vector<TimetableRom> roms_;
};

}  // namespace

EmbeddedProgram embedded_timetable(const TimetableProgram& guest, const Embedding& embedding) {
  if (embedding.frame > 1) {
    if (!embedding.arrives_together() || guest.repeats() || guest.rotation != 0 ||
        guest.has_packets() || guest.adder_cycles != 0 || guest.flits != 1) {
      throw InfeasibleError(
          "timetables with repeating rows, packets of several words or late sums, or bent links, "
          "cannot be embedded in frames");
    }
    return {FramedRows(guest, embedding).program(), 0};
  }
  if (embedding.copies() != 1) throw InfeasibleError("timetables are embedded once");
  // All nodes map a port of the guest in the same way.
  std::vector<Port> ports(static_cast<std::size_t>(guest.ports()));
  for (NodeWalk walk(embedding.guest); !walk.done(); walk.next()) {
    for (const Port port : all_ports(guest.ports())) {
      if (walk.neighbor(port) != kNoNode) ports[port] = embedding.link(walk.node(), port).port;
    }
  }
  // Arrivals of one step are handled in the order of their ports, and with some demands own words
  // are numbered by position.
  for (NodeId node = 0; node < embedding.guest.nodes(); ++node) {
    if (embedding.nodes[node] != node)
      throw InfeasibleError("timetables cannot be moved to other nodes");
  }
  TimetableProgram host(embedding.host.nodes(), embedding.host.ports(), guest.own(),
                        guest.delivery(), guest.repetition());
  host.relative = guest.relative;
  host.rotation = guest.rotation;
  host.flits = guest.flits;
  host.adder_cycles = guest.adder_cycles;
  host.step_cycles = guest.step_cycles;
  for (TimetableRom rom : guest.roms()) {
    for (SendRow& row : rom.sends) row.port = ports[row.port];
    for (ArrivalRow& row : rom.arrivals) row.port = ports[row.port];
    host.intern(std::move(rom));
  }
  if (const auto classes = guest.parity_roms(); !classes.empty()) {
    host.assign_by_parity(embedding.host, {classes.begin(), classes.end()});
    return {std::move(host), 0};
  }
  for (NodeId node = 0; !guest.one_rom() && node < embedding.guest.nodes(); ++node) {
    host.assign(embedding.nodes[node], guest.rom_of(node));
  }
  return {std::move(host), 0};
}

}  // namespace gossamer
