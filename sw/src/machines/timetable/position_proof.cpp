// SPDX-License-Identifier: Apache-2.0
#include "position_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rows.hpp"

namespace gossamer {

namespace {

/// Places in the blocks times slots that are looked at for max_queue.
constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 22U;

constexpr std::string_view kOtherWord = "it names another word";

/// Coordinates first, first + 1, .. of `count` contributors, as displacements modulo the side.
struct Span {
  std::uint32_t first = 0;
  std::uint32_t count = 1;

  bool operator==(const Span&) const = default;
};

/// A part of the sum of an own word, by the contributors that it has once each.
struct BoxedSum {
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  /// The own word, as the node that holds it numbers it.
  std::uint32_t word = kEmpty;
  std::array<Span, kMaxDimensions> box{};

  [[nodiscard]] bool empty() const { return word == kEmpty; }
};

std::vector<std::uint32_t> sides_of(const Topology& topology) {
  std::vector<std::uint32_t> sides;
  for (const int dim : rotated_dimensions(topology)) sides.push_back(topology.side(dim));
  return sides;
}

/// Executes all rows of one router per class on boxes.
class PositionWalk {
 public:
  PositionWalk(const Plan& plan, const TimetableProgram& program)
      : topology_(plan.topology),
        demand_(plan.demand),
        program_(program),
        rows_(program),
        sides_(sides_of(topology_)),
        d_(static_cast<std::uint32_t>(sides_.size())),
        dimension_(static_cast<std::size_t>(topology_.dimensions()), 0),
        has_parities_(!program.parity_roms().empty()),
        classes_(has_parities_ ? std::uint32_t{1} << d_ : 1),
        slots_(std::size_t{classes_} * program.slots()),
        links_(std::size_t{classes_} * static_cast<std::size_t>(program.ports())),
        done_(std::size_t{classes_} * program.own(), 0),
        writers_(slots_.size()) {
    const std::vector<int> dimensions = rotated_dimensions(topology_);
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
      dimension_[static_cast<std::size_t>(dimensions[k])] = static_cast<std::uint32_t>(k);
    }
  }

  Verdict run() {
    const std::uint64_t last = program_.steps();
    for (std::uint64_t step = 1; step <= last && problem_.empty(); ++step) {
      std::fill(links_.begin(), links_.end(), BoxedSum{});
      for (std::uint32_t at = 0; at < classes_; ++at) send(at, step);
      for (std::uint32_t at = 0; at < classes_; ++at) receive(at, step);
    }
    Verdict verdict;
    verdict.method = "positions";
    verdict.steps = completed();
    verdict.complete = problem_.empty();
    if (verdict.complete && verdict.steps != last) {
      problem_ = fmt::format("step {}: rows remain after all pieces have been delivered", last);
    }
    if (!problem_.empty()) {
      verdict.problems.push_back(problem_);
      verdict.link_conflicts.reset();
      verdict.max_queue.reset();
      return verdict;
    }
    verdict.link_transfers = transfers_;
    verdict.duplicates = 0;
    verdict.max_queue = max_queue();
    return verdict;
  }

 private:
  [[nodiscard]] std::uint32_t rom_of(std::uint32_t at) const {
    return has_parities_ ? program_.parity_roms()[at] : 0;
  }
  [[nodiscard]] BoxedSum& slot(std::uint32_t at, std::uint32_t number) {
    return slots_[std::size_t{at} * program_.slots() + number];
  }
  [[nodiscard]] BoxedSum& link(std::uint32_t at, Port port) {
    return links_[std::size_t{at} * static_cast<std::size_t>(program_.ports()) + port];
  }

  /// The step in which the last word is delivered; empty if one is not.
  [[nodiscard]] std::optional<std::uint64_t> completed() {
    std::uint64_t steps = 0;
    for (std::uint32_t at = 0; at < classes_ && problem_.empty(); ++at) {
      for (std::uint32_t own = 0; own < program_.own(); ++own) {
        if (nodes_with(at, own) == 0) continue;
        const std::uint64_t done = done_[std::size_t{at} * program_.own() + own];
        if (done == 0) {
          problem_ = fmt::format("class {} never receives own word {}", at, own);
          return std::nullopt;
        }
        steps = std::max(steps, done);
      }
    }
    if (!problem_.empty()) return std::nullopt;
    return steps;
  }

  /// Nodes of a class that have an own word.
  [[nodiscard]] std::uint64_t nodes_with(std::uint32_t at, std::uint32_t own) const {
    return gossamer::nodes_with(program_, topology_, demand_, at, own);
  }
  /// The row is executed by exactly those nodes that have the word.
  [[nodiscard]] bool names(std::uint32_t named, std::uint32_t word) const {
    return named == word || (named == kAnyWord && demand_.pieces == program_.own());
  }

  [[nodiscard]] BoxedSum content(std::uint32_t at, WordSource source) {
    if (source.is_slot()) return slot(at, source.index());
    return {source.index(), {}};
  }

  void send(std::uint32_t at, std::uint64_t step) {
    rows_.for_each_send(rom_of(at), step, [&](const SendRow& row, std::uint64_t) {
      const BoxedSum sent = content(at, row.source);
      BoxedSum& out = link(at, row.port);
      if (sent.empty()) return fail(at, step, "out", row.port, "it reads an empty slot");
      if (!names(row.word, sent.word)) return fail(at, step, "out", row.port, kOtherWord);
      if (!out.empty()) return fail(at, step, "out", row.port, "a row already uses the port");
      out = sent;
      transfers_ += nodes_with(at, sent.word);
    });
  }

  /// The arrival at an input port, as the receiver sees it.
  [[nodiscard]] BoxedSum arrival(std::uint32_t at, Port port) {
    const std::uint32_t dim = dimension_[static_cast<std::size_t>(dimension_of(port))];
    const std::uint32_t from = has_parities_ ? at ^ (std::uint32_t{1} << dim) : at;
    BoxedSum came = link(from, opposite(port));
    if (came.empty()) return came;
    // An arrival at the port of the negative direction comes from a coordinate that is 1 less.
    const bool from_below = !is_positive(port);
    const std::uint32_t side = sides_[dim];
    Span& span = came.box[dim];
    // All coordinates begin at 0.
    if (span.count != side) span.first = (span.first + (from_below ? side - 1 : 1)) % side;
    if (came.word % d_ == dim) {
      const std::uint32_t shift = from_below ? program_.rotation - 1 : 1;
      came.word = dim + d_ * ((came.word / d_ + shift) % program_.rotation);
    }
    return came;
  }

  void receive(std::uint32_t at, std::uint64_t step) {
    std::vector<std::uint32_t> replaced;
    rows_.for_each_arrival(rom_of(at), step, [&](const ArrivalRow& row, std::uint64_t) {
      BoxedSum result = arrival(at, row.port);
      const auto wrong = [&](std::string_view what) { fail(at, step, "in", row.port, what); };
      if (result.empty()) return wrong("nothing arrives");
      if (!names(row.word, result.word)) return wrong(kOtherWord);
      if (!row.with.none() && !add(result, content(at, row.with))) {
        return wrong("the sums are of different words, share contributors, or are not neighbours");
      }
      if (row.slot != ArrivalRow::kNoSlot) {
        if (row.with != WordSource::slot(row.slot)) {
          if (std::ranges::find(replaced, row.slot) != replaced.end()) {
            return wrong("its slot is already written in this step");
          }
          replaced.push_back(row.slot);
        }
        slot(at, row.slot) = result;
        auto& writers = writers_[std::size_t{at} * program_.slots() + row.slot];
        if (std::ranges::find(writers, result.word) == writers.end()) {
          writers.push_back(result.word);
        }
      }
      if (!row.delivers) return;
      if (!is_whole(result)) return wrong("a word is delivered without all contributions");
      std::uint64_t& done = done_[std::size_t{at} * program_.own() + result.word];
      if (done != 0) return wrong("a word is delivered again");
      done = step;
    });
  }

  /// Two boxes that share no contributor, and are one together. False if they are not.
  [[nodiscard]] bool add(BoxedSum& sum, const BoxedSum& with) const {
    if (with.word != sum.word) return false;
    std::optional<std::uint32_t> apart;
    for (std::uint32_t dim = 0; dim < d_; ++dim) {
      if (sum.box[dim] == with.box[dim]) continue;
      if (apart) return false;
      apart = dim;
    }
    if (!apart) return false;
    const std::uint32_t side = sides_[*apart];
    Span& span = sum.box[*apart];
    const Span& other = with.box[*apart];
    const bool before = (span.first + span.count) % side == other.first;
    const bool after = (other.first + other.count) % side == span.first;
    if ((!before && !after) || span.count + other.count > side) return false;
    span = {before ? span.first : other.first, span.count + other.count};
    // All coordinates, whichever comes first.
    if (span.count == side) span.first = 0;
    return true;
  }

  [[nodiscard]] bool is_whole(const BoxedSum& sum) const {
    for (std::uint32_t dim = 0; dim < d_; ++dim) {
      if (sum.box[dim].count != sides_[dim]) return false;
    }
    return true;
  }

  void fail(std::uint32_t at, std::uint64_t step, std::string_view side, Port port,
            std::string_view what) {
    if (!problem_.empty()) return;
    problem_ =
        fmt::format("class {}, step {}, {}-port {}: {}", at, step, side, port_name(port), what);
  }

  /// The most slots that a node ever writes. They depend on its place in the blocks.
  [[nodiscard]] std::optional<std::uint64_t> max_queue() const {
    const bool all_alike = demand_.pieces == program_.own();
    std::uint64_t places = 1;
    for (std::uint32_t dim = 0; dim < d_ && !all_alike; ++dim) {
      places *= period(dim);
      if (places * program_.slots() > kMostPlaces) return std::nullopt;
    }
    std::uint64_t most = 0;
    for (std::uint64_t place = 0; place < places; ++place) {
      Coordinates at{};
      std::uint64_t rest = place;
      std::uint32_t parities = 0;
      for (std::uint32_t dim = 0; dim < d_ && !all_alike; ++dim) {
        at[dim] = static_cast<std::uint32_t>(rest % period(dim));
        rest /= period(dim);
        parities |= at[dim] % 2 << dim;
      }
      for (std::uint32_t of = 0; of < classes_; ++of) {
        if (!all_alike && has_parities_ && of != parities) continue;
        most = std::max(most, filled(of, at, all_alike));
      }
    }
    return most;
  }
  /// Coordinates after which places, and parities, recur.
  [[nodiscard]] std::uint64_t period(std::uint32_t dim) const {
    const std::uint64_t rotation = program_.rotation;
    const bool twice = has_parities_ && rotation % 2 != 0;
    return std::min<std::uint64_t>(twice ? 2 * rotation : rotation, sides_[dim]);
  }
  [[nodiscard]] std::uint64_t filled(std::uint32_t of, const Coordinates& at, bool all) const {
    std::uint64_t count = 0;
    for (std::uint32_t slot = 0; slot < program_.slots(); ++slot) {
      const auto& writers = writers_[std::size_t{of} * program_.slots() + slot];
      const bool is_filled = std::ranges::any_of(writers, [&](std::uint32_t own) {
        const std::uint32_t dim = own % d_;
        const std::uint64_t word =
            dim + std::uint64_t{d_} * ((own / d_ + at[dim]) % program_.rotation);
        return all || word < demand_.pieces;
      });
      if (is_filled) ++count;
    }
    return count;
  }

  const Topology& topology_;
  const Demand& demand_;
  const TimetableProgram& program_;
  ProgramRows rows_;
  /// Sides of the dimensions with links.
  std::vector<std::uint32_t> sides_;
  std::uint32_t d_;
  /// By dimension of the topology, the index in sides_.
  std::vector<std::uint32_t> dimension_;
  bool has_parities_;
  std::uint32_t classes_;
  /// By class and slot.
  std::vector<BoxedSum> slots_;
  /// By class and output port, in this step.
  std::vector<BoxedSum> links_;
  /// By class and own word: the step of its delivery.
  std::vector<std::uint64_t> done_;
  /// By class and slot: the own words that it has held.
  std::vector<std::vector<std::uint32_t>> writers_;
  std::uint64_t transfers_ = 0;
  /// The first one.
  std::string problem_;
};

}  // namespace

std::optional<Verdict> prove_by_position(const Plan& plan, const TimetableProgram& program) {
  const Topology& topology = plan.topology;
  const bool is_for_all = plan.demand.combines() && plan.demand.to == Destination::kEveryNode &&
                          plan.demand.from == Origin::kEveryNode && !plan.demand.needs_one_order();
  const bool in_classes = program.one_rom() || !program.parity_roms().empty();
  if (program.rotation == 0 || !is_for_all || !in_classes || !topology.routers_are_alike() ||
      program.delivery() != DeliveryRule::kMarked) {
    return std::nullopt;
  }
  const auto fits = [&](std::uint32_t side) { return side >= 3 && side % program.rotation == 0; };
  if (!std::ranges::all_of(sides_of(topology), fits)) return std::nullopt;
  for (NodeWalk walk(topology); walk.node() == 0; walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      if (walk.neighbor(port) != kNoNode && topology.period(0, port) != 1) return std::nullopt;
    }
  }
  return PositionWalk(plan, program).run();
}

}  // namespace gossamer
