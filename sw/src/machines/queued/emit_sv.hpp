// SPDX-License-Identifier: Apache-2.0
/// Parts that all networks of queued plans (gsm_queued_node) share: the clock of their steps, the
/// prefix before the packets, and the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../emit/expected_run.hpp"
#include "../../emit/sv_text.hpp"
#include "gossamer/machines/queued/program.hpp"

namespace gossamer::emit_detail {

/// The cycles of a plan's steps: flits of its packets and of the messages of its prefix.
[[nodiscard]] StepClock clock_of(const QueuedProgram& program, const Demand& demand);

/// The prefix of a plan as gsm_queued_node is configured with it.
struct PrefixTables {
  /// Units: the plan's classes, and before them the round that deals packets to them, if any.
  std::size_t classes = 0;
  bool deals = false;
  /// Phases of a unit, and their steps.
  std::size_t phases = 0;
  std::uint64_t phase_steps = 0;
  /// By unit and phase, in the order of starts.
  std::vector<QueuedPhase> listed;
};
/// Throws InputError when the classes' phases differ.
[[nodiscard]] PrefixTables prefix_tables(const Plan& plan);

/// The shape of a network with `own_words` own words per node.
[[nodiscard]] FabricShape queued_shape(const Plan& plan, std::uint64_t own_words);

/// A packet on a link.
struct PacketSend {
  std::uint64_t step = 0;
  std::size_t link = 0;
  PacketId packet = 0;
};
/// The element side of tiles whose packets stay in memories (gsm_packet_streams).
struct PacketStreams {
  /// Own packets of a node, and bits of its flags.
  std::uint64_t own = 1;
  std::uint64_t flag_bits = 0;
  /// Arrivals that an in-port keeps.
  std::uint64_t kept = 1;
  /// Bits of a count of the prefix; 0: there is no prefix.
  std::uint64_t count_bits = 0;

  [[nodiscard]] std::uint64_t flag_words(std::uint64_t width) const {
    return (flag_bits + width - 1) / width;
  }
};
/// The most last arrivals of an in-port that contain all packets which the node still sends.
/// `sends` are in the order of their steps.
[[nodiscard]] std::uint64_t most_kept(const Topology& topology,
                                      const std::vector<PacketSend>& sends);
/// Gives a network streams: changes its shape, and adds constants and the nodes' coordinates.
void use_packet_streams(NetworkBuilder& network, const Plan& plan, const PacketStreams& streams,
                        FabricShape& shape);
/// A network of gsm_queued_node in a configuration.
[[nodiscard]] NetworkBuilder queued_network(const Plan& plan, std::string_view router);
/// Adds the prefix.
void tell_prefix(NetworkBuilder& network, const Plan& plan, const PrefixTables& prefix);
/// The directory, with the run that the testbench compares with.
[[nodiscard]] std::vector<EmittedFile> queued_files(NetworkBuilder& network, const Plan& plan,
                                                    const FabricShape& shape,
                                                    std::optional<std::string> expected);

/// The expected run of the prefix in a plan of packets, for the testbench, from cycle 1 on: a
/// message with any contents on each link in its step.
void add_prefix(const Plan& plan, ExpectedRun& run);

/// The network of a plan whose packets travel by class. `streams` as in emit_queued_sv().
[[nodiscard]] std::vector<EmittedFile> emit_classes(const Plan& plan, bool streams);
/// The same of an exchange or gather.
[[nodiscard]] std::vector<EmittedFile> emit_exchange(const Plan& plan, bool streams);

}  // namespace gossamer::emit_detail
