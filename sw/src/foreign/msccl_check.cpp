// SPDX-License-Identifier: Apache-2.0
/// The checks of section 4 of docs/spec/foreign-schedules.md, one function each, and the times of
/// section 5.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "gossamer/foreign/check.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::foreign {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
/// More steps a thread block than the runtimes take.
constexpr std::uint32_t kRuntimeSteps = 256;

std::string_view buffer_name(Buffer buffer) {
  constexpr std::array<std::string_view, 3> kNames{"input", "output", "scratch"};
  return kNames[static_cast<std::size_t>(buffer)];
}

/// A contribution: which rank's which input chunk.
constexpr std::uint64_t contribution(std::uint32_t rank, std::uint32_t offset) {
  return std::uint64_t{rank} << 32U | offset;
}

/// A multiset of contributions in ascending order, multiplicities saturating.
using Terms = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

/// What a location holds.
struct Value {
  enum class Kind : std::uint8_t {
    kNothing,
    /// Made of nothing somewhere; that was named there.
    kUndefined,
    kTerms,
  };
  Kind kind = Kind::kNothing;
  std::shared_ptr<const Terms> terms;
};

Value sum_of(const Value& a, const Value& b) {
  if (a.kind != Value::Kind::kTerms || b.kind != Value::Kind::kTerms) {
    return {Value::Kind::kUndefined, nullptr};
  }
  auto sum = std::make_shared<Terms>();
  sum->reserve(a.terms->size() + b.terms->size());
  auto x = a.terms->begin();
  auto y = b.terms->begin();
  const auto added = [](std::uint32_t m, std::uint32_t n) {
    return m > ~n ? ~std::uint32_t{0} : m + n;
  };
  while (x != a.terms->end() || y != b.terms->end()) {
    if (y == b.terms->end() || (x != a.terms->end() && x->first < y->first)) {
      sum->push_back(*x++);
    } else if (x == a.terms->end() || y->first < x->first) {
      sum->push_back(*y++);
    } else {
      sum->emplace_back(x->first, added(x->second, y->second));
      ++x;
      ++y;
    }
  }
  return {Value::Kind::kTerms, std::move(sum)};
}

/// The first of several defects: the one on the smallest line, by its kind among those of a line.
class First {
 public:
  template <typename Text>
  void offer(std::string_view kind, std::uint32_t line, Text text) {
    if (found_ &&
        std::tie(found_->line, found_->kind) <= std::make_tuple(line, std::string(kind))) {
      return;
    }
    found_ = Defect{std::string(kind), line, text()};
  }
  [[nodiscard]] const std::optional<Defect>& found() const { return found_; }

 private:
  std::optional<Defect> found_;
};

class MscclChecker {
 public:
  MscclChecker(const MscclSchedule& schedule, const CheckOptions& options)
      : schedule_(schedule),
        options_(options),
        ranks_(static_cast<std::uint32_t>(schedule.ranks.size())),
        root_(schedule.root.value_or(options.root)),
        steps_(static_cast<std::uint32_t>(schedule.steps.size())) {
    if (options.network && options.network->nodes() != ranks_) {
      throw InputError(fmt::format("the schedule has {} ranks, the network {} nodes", ranks_,
                                   options.network->nodes()));
    }
    if (root_ >= ranks_)
      throw InputError(fmt::format("--root: {} is outside 0..{}", root_, ranks_ - 1));
    std::uint64_t accesses = std::uint64_t{ranks_} * schedule.output_chunks();
    for (const MscclStep& step : schedule.steps) accesses += step.count;
    if (accesses > kMaxAccesses) {
      throw InputError(
          fmt::format("{} chunks are moved or put out in all, {} allowed", accesses, kMaxAccesses));
    }
    if (options.place) {
      places_ = {*options.place};
    } else {
      if (schedule.in_place) places_.push_back(Place::kIn);
      if (schedule.out_of_place) places_.push_back(Place::kOut);
    }
  }

  CheckResult check() {
    CheckResult result;
    result.format = "msccl-xml";
    result.name = schedule_.name;
    result.collective = schedule_.word;
    result.ranks = ranks_;
    result.chunks = schedule_.chunks;
    for (const Place place : places_)
      result.places.emplace_back(place == Place::kIn ? "in" : "out");
    result.defect = find_defect();
    if (result.defect) return result;
    measure(result);
    note(result);
    if (options_.wants_flow) result.flow = flow();
    return result;
  }

 private:
  std::optional<Defect> find_defect() {
    for (const Place place : places_) {
      if (auto defect = check_form(place)) return defect;
    }
    connect();
    if (auto defect = check_messages()) return defect;
    find_dependences();
    if (auto defect = check_progress()) return defect;
    for (const Place place : places_) {
      place_ = place;
      number_locations();
      if (auto defect = check_races()) return defect;
      if (auto defect = check_values()) return defect;
    }
    return std::nullopt;
  }

  // ---- check 1: what each element says

  std::optional<Defect> check_form(Place place) {
    First first;
    const std::array<std::uint32_t, 2> wanted{schedule_.input_chunks(), schedule_.output_chunks()};
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const MscclRank& declared = schedule_.ranks[rank];
      for (std::size_t buffer = 0; buffer < wanted.size(); ++buffer) {
        const std::uint32_t chunks = declared.chunks[buffer];
        if (chunks == 0 || chunks == wanted[buffer]) continue;
        first.offer("chunks", declared.line, [&] {
          return fmt::format("rank {} declares {} {} chunks, {} of {} chunks has {}", rank, chunks,
                             buffer_name(static_cast<Buffer>(buffer)), schedule_.word,
                             schedule_.chunks, wanted[buffer]);
        });
      }
      for (const MscclCopy& copy : declared.copies) {
        check_bounds(first, rank, copy.line, Buffer::kInput, copy.input, 1);
        check_bounds(first, rank, copy.line, Buffer::kOutput, copy.output, 1);
      }
    }
    for (const MscclStep& step : schedule_.steps) check_step(first, step, place);
    check_shared_connections(first);
    return first.found();
  }

  void check_bounds(First& first, std::uint32_t rank, std::uint32_t line, Buffer buffer,
                    std::int64_t offset, std::uint32_t count) const {
    const std::int64_t chunks = schedule_.ranks[rank].chunks[static_cast<std::size_t>(buffer)];
    if (offset >= 0 && offset + count <= chunks) return;
    first.offer("bounds", line, [&] {
      return chunks == 0 ? fmt::format("rank {} uses {} chunk {}, but declares no {} chunks", rank,
                                       buffer_name(buffer), offset, buffer_name(buffer))
                         : fmt::format("rank {} uses {} chunks {} to {}, but has 0 to {}", rank,
                                       buffer_name(buffer), offset, offset + count - 1, chunks - 1);
    });
  }

  void check_step(First& first, const MscclStep& step, Place place) const {
    const StepUse use = use_of(step.type);
    const MscclBlock& block = schedule_.blocks[step.block];
    if (use.reads_source) {
      check_bounds(first, block.rank, step.line, step.source_buffer, step.source, step.count);
    }
    if (use.writes_destination) {
      check_bounds(first, block.rank, step.line, step.destination_buffer, step.destination,
                   step.count);
      if (place == Place::kOut && step.destination_buffer == Buffer::kInput) {
        first.offer("input-written", step.line, [&] {
          return fmt::format("rank {} writes its input chunk {}, which an out-of-place call keeps",
                             block.rank, step.destination);
        });
      }
    }
    if (use.sends) check_peer(first, step, block, block.send, true);
    if (use.receives) check_peer(first, step, block, block.receive, false);
    if (step.depends_block < 0) return;
    const std::uint32_t target = find_block(block.rank, step.depends_block);
    if (target == kNone) {
      first.offer("dependence", step.line, [&] {
        return fmt::format("it waits for tb {} of rank {}, which there is not", step.depends_block,
                           block.rank);
      });
    } else if (static_cast<std::uint32_t>(step.depends_step) >= schedule_.blocks[target].size) {
      first.offer("dependence", step.line, [&] {
        return fmt::format("it waits for step {} of tb {} of rank {}, which has {} steps",
                           step.depends_step, step.depends_block, block.rank,
                           schedule_.blocks[target].size);
      });
    }
  }

  void check_peer(First& first, const MscclStep& step, const MscclBlock& block, std::int32_t peer,
                  bool sends) const {
    if (peer < 0) {
      first.offer("no-peer", step.line, [&] {
        return fmt::format("\"{}\" {}, but its tb has {}=\"-1\"", type_name(step.type),
                           sends ? "sends" : "receives", sends ? "send" : "recv");
      });
      return;
    }
    if (!options_.network) return;
    const auto other = static_cast<std::uint32_t>(peer);
    const std::uint32_t from = sends ? block.rank : other;
    const std::uint32_t to = sends ? other : block.rank;
    if (options_.network->width(node(from), node(to)) != 0) return;
    first.offer("no-link", step.line, [&] {
      return fmt::format("rank {} {} rank {}, but the network has no link from node {} to node {}",
                         block.rank, sends ? "sends to" : "receives from", other, node(from),
                         node(to));
    });
  }

  void check_shared_connections(First& first) const {
    // (rank, peer, channel, sends) to the first thread block that uses it so.
    std::map<std::tuple<std::uint32_t, std::int32_t, std::uint32_t, bool>, std::uint32_t> users;
    for (std::uint32_t index = 0; index < schedule_.blocks.size(); ++index) {
      const MscclBlock& block = schedule_.blocks[index];
      bool sends = false;
      bool receives = false;
      for (std::uint32_t i = 0; i < block.size; ++i) {
        const StepUse use = use_of(schedule_.steps[block.first_step + i].type);
        sends = sends || use.sends;
        receives = receives || use.receives;
      }
      for (const bool way : {true, false}) {
        if (!(way ? sends : receives)) continue;
        const std::int32_t peer = way ? block.send : block.receive;
        if (peer < 0) continue;
        const auto [user, is_new] =
            users.try_emplace({block.rank, peer, block.channel, way}, index);
        if (is_new) continue;
        first.offer("shared-connection", block.line, [&, user = user] {
          return fmt::format(
              "tb {} of rank {} {} rank {} on channel {} as tb {} does, so the order of messages "
              "is "
              "not defined",
              block.id, block.rank, way ? "sends to" : "receives from", peer, block.channel,
              schedule_.blocks[user->second].id);
        });
      }
    }
  }

  // ---- check 2: messages

  /// A queue of messages from one rank to another.
  struct Connection {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t channel = 0;
    std::vector<std::uint32_t> sends;
    std::vector<std::uint32_t> receives;
  };

  void connect() {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> numbers;
    const auto at = [&](std::uint32_t from, std::uint32_t to,
                        std::uint32_t channel) -> Connection& {
      const auto [entry, is_new] = numbers.try_emplace({from, to, channel}, connections_.size());
      if (is_new) connections_.push_back({from, to, channel, {}, {}});
      return connections_[entry->second];
    };
    for (std::uint32_t i = 0; i < steps_; ++i) {
      const MscclStep& step = schedule_.steps[i];
      const MscclBlock& block = schedule_.blocks[step.block];
      const StepUse use = use_of(step.type);
      if (use.sends) {
        at(block.rank, static_cast<std::uint32_t>(block.send), block.channel).sends.push_back(i);
      }
      if (use.receives) {
        at(static_cast<std::uint32_t>(block.receive), block.rank, block.channel)
            .receives.push_back(i);
      }
    }
  }

  std::optional<Defect> check_messages() {
    First first;
    message_.assign(steps_, kNone);
    for (const Connection& connection : connections_) {
      const std::string name = fmt::format("from rank {} to rank {} on channel {}", connection.from,
                                           connection.to, connection.channel);
      const std::size_t both = std::min(connection.sends.size(), connection.receives.size());
      for (std::size_t k = 0; k < both; ++k) {
        const std::uint32_t send = connection.sends[k];
        const std::uint32_t receive = connection.receives[k];
        message_[receive] = send;
        const MscclStep& sent = schedule_.steps[send];
        const MscclStep& received = schedule_.steps[receive];
        if (sent.count == received.count) continue;
        first.offer("count", received.line, [&] {
          return fmt::format("message {} {} is received as {} chunks, but sent as {} in line {}", k,
                             name, received.count, sent.count, sent.line);
        });
      }
      for (std::size_t k = both; k < connection.sends.size(); ++k) {
        first.offer("unreceived", schedule_.steps[connection.sends[k]].line, [&] {
          return fmt::format("message {} {} is never received ({} sends, {} receives)", k, name,
                             connection.sends.size(), connection.receives.size());
        });
      }
      for (std::size_t k = both; k < connection.receives.size(); ++k) {
        first.offer("unsent", schedule_.steps[connection.receives[k]].line, [&] {
          return fmt::format("message {} {} is never sent ({} sends, {} receives)", k, name,
                             connection.sends.size(), connection.receives.size());
        });
      }
    }
    return first.found();
  }

  // ---- check 3: progress

  /// The thread block of a rank by its id; kNone when there is none.
  [[nodiscard]] std::uint32_t find_block(std::uint32_t rank, std::int32_t id) const {
    if (block_numbers_.empty()) {
      for (std::uint32_t index = 0; index < schedule_.blocks.size(); ++index) {
        block_numbers_[contribution(schedule_.blocks[index].rank, schedule_.blocks[index].id)] =
            index;
      }
    }
    const auto found = block_numbers_.find(contribution(rank, static_cast<std::uint32_t>(id)));
    return found == block_numbers_.end() ? kNone : found->second;
  }

  /// For each step the one that raises the flag it waits for.
  void find_dependences() {
    // The next step of the same block, this one included, that raises a flag.
    std::vector<std::uint32_t> raises(steps_, kNone);
    for (std::uint32_t i = steps_; i-- > 0;) {
      const MscclStep& step = schedule_.steps[i];
      if (step.is_awaited && step.type != StepType::kNop) {
        raises[i] = i;
      } else if (i + 1 < steps_ && schedule_.steps[i + 1].block == step.block) {
        raises[i] = raises[i + 1];
      }
    }
    awaits_.assign(steps_, kNone);
    never_.assign(steps_, 0);
    for (std::uint32_t i = 0; i < steps_; ++i) {
      const MscclStep& step = schedule_.steps[i];
      if (step.depends_block < 0) continue;
      const MscclBlock& block =
          schedule_.blocks[find_block(schedule_.rank_of(step), step.depends_block)];
      const std::uint32_t named = block.first_step + static_cast<std::uint32_t>(step.depends_step);
      awaits_[i] = raises[named];
      if (awaits_[i] == kNone) never_[i] = 1;
      if (raises[named] != named) waits_past_ = true;
    }
  }

  [[nodiscard]] std::uint32_t predecessor(std::uint32_t step) const {
    return step > 0 && schedule_.steps[step - 1].block == schedule_.steps[step].block ? step - 1
                                                                                      : kNone;
  }

  /// Calls visit(step) for what `step` directly waits for.
  template <typename Visit>
  void each_wait(std::uint32_t step, Visit visit) const {
    for (const std::uint32_t other : {predecessor(step), awaits_[step], message_[step]}) {
      if (other != kNone) visit(other);
    }
  }

  /// The steps behind each step, by what each_wait says, and `extra(step, visit)` more.
  template <typename Extra>
  [[nodiscard]] std::vector<std::uint32_t> ordered(Extra extra) const {
    std::vector<std::uint32_t> waits(steps_, 0);
    std::vector<std::uint32_t> begin(steps_ + 1, 0);
    const auto all_waits = [&](std::uint32_t step, auto visit) {
      each_wait(step, visit);
      extra(step, visit);
    };
    for (std::uint32_t i = 0; i < steps_; ++i) {
      all_waits(i, [&](std::uint32_t other) {
        ++waits[i];
        ++begin[other + 1];
      });
    }
    for (std::uint32_t i = 0; i < steps_; ++i) begin[i + 1] += begin[i];
    std::vector<std::uint32_t> behind(begin.back());
    std::vector<std::uint32_t> fill(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < steps_; ++i) {
      all_waits(i, [&](std::uint32_t other) { behind[fill[other]++] = i; });
    }
    std::vector<std::uint32_t> order;
    order.reserve(steps_);
    for (std::uint32_t i = 0; i < steps_; ++i) {
      if (waits[i] == 0 && never_[i] == 0) order.push_back(i);
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
      for (std::uint32_t k = begin[order[at]]; k < begin[order[at] + 1]; ++k) {
        if (--waits[behind[k]] == 0 && never_[behind[k]] == 0) order.push_back(behind[k]);
      }
    }
    return order;
  }

  std::optional<Defect> check_progress() {
    order_ = ordered([](std::uint32_t, auto) {});
    if (order_.size() == steps_) return std::nullopt;
    std::vector<std::uint8_t> runs(steps_, 0);
    for (const std::uint32_t step : order_) runs[step] = 1;
    for (std::uint32_t i = 0; i < steps_; ++i) {
      const std::uint32_t before = predecessor(i);
      if (runs[i] != 0 || (before != kNone && runs[before] == 0)) continue;
      return Defect{"deadlock", schedule_.steps[i].line, waiting_text(i, runs)};
    }
    return std::nullopt;
  }

  /// Why a step never runs: the chain of waiting from it on, until it closes or ends.
  [[nodiscard]] std::string waiting_text(std::uint32_t step,
                                         const std::vector<std::uint8_t>& runs) const {
    constexpr int kMostLinks = 6;
    std::string text = fmt::format("rank {} never gets to this step", rank(step));
    std::vector<std::uint32_t> seen;
    for (int i = 0; i < kMostLinks; ++i) {
      seen.push_back(step);
      if (never_[step] != 0) {
        return text + fmt::format("{} for a flag that no step of tb {} from {} on raises",
                                  i == 0 ? ": it waits" : ", which waits",
                                  schedule_.steps[step].depends_block,
                                  schedule_.steps[step].depends_step);
      }
      std::uint32_t next = kNone;
      each_wait(step, [&](std::uint32_t other) {
        if (runs[other] == 0) next = other;
      });
      if (next == kNone) break;
      text += fmt::format("{} for {}line {} of rank {}", i == 0 ? ": it waits" : ", which waits",
                          next == message_[step] ? "the message of " : "", line(next), rank(next));
      if (std::find(seen.begin(), seen.end(), next) != seen.end()) return text + ", a cycle";
      step = next;
    }
    return text;
  }

  // ---- locations

  /// The memory cell of a location: in place several names stand for one.
  [[nodiscard]] std::uint64_t cell(std::uint32_t rank, Buffer buffer, std::uint32_t offset) const {
    auto area = static_cast<std::uint64_t>(buffer);
    if (place_ == Place::kIn && buffer != Buffer::kScratch) {
      area = 0;
      const std::uint32_t k = schedule_.chunks / ranks_;
      const bool shifted =
          (schedule_.collective == Collective::kAllGather && buffer == Buffer::kInput) ||
          (schedule_.collective == Collective::kReduceScatter && buffer == Buffer::kOutput);
      if (shifted) offset += rank * k;
    }
    return (std::uint64_t{rank} << 2U | area) << 32U | offset;
  }

  [[nodiscard]] std::uint32_t location(std::uint32_t rank, Buffer buffer,
                                       std::uint32_t offset) const {
    const auto found = locations_.find(cell(rank, buffer, offset));
    return found == locations_.end() ? kNone : found->second;
  }

  void number_locations() {
    locations_.clear();
    const auto add = [&](std::uint32_t rank, Buffer buffer, std::uint32_t offset) {
      locations_.try_emplace(cell(rank, buffer, offset),
                             static_cast<std::uint32_t>(locations_.size()));
    };
    for (const MscclStep& step : schedule_.steps) {
      const StepUse use = use_of(step.type);
      for (std::uint32_t j = 0; j < step.count; ++j) {
        if (use.reads_source) {
          add(schedule_.rank_of(step), step.source_buffer,
              static_cast<std::uint32_t>(step.source) + j);
        }
        if (use.writes_destination) {
          add(schedule_.rank_of(step), step.destination_buffer,
              static_cast<std::uint32_t>(step.destination) + j);
        }
      }
    }
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      for (const MscclCopy& copy : schedule_.ranks[r].copies) add(r, Buffer::kOutput, copy.output);
    }
  }

  // ---- check 4: races

  struct Access {
    std::uint32_t step = 0;
    bool writes = false;
  };

  /// The accesses of one location by one thread block, in its order.
  struct BlockAccesses {
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> writes;
  };

  std::optional<Defect> check_races() {
    // Blocks by rank.
    std::vector<std::vector<std::uint32_t>> blocks(ranks_);
    for (std::uint32_t index = 0; index < schedule_.blocks.size(); ++index) {
      blocks[schedule_.blocks[index].rank].push_back(index);
    }
    std::vector<std::uint32_t> lane(schedule_.blocks.size(), 0);
    std::pair<std::uint32_t, std::uint32_t> worst{kNone, kNone};
    std::uint32_t worst_location = kNone;
    std::vector<std::uint32_t> clocks;
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      const std::size_t lanes = blocks[r].size();
      if (lanes < 2) continue;
      for (std::size_t i = 0; i < lanes; ++i) lane[blocks[r][i]] = static_cast<std::uint32_t>(i);
      // clocks[step * lanes + i]: steps of the rank's i-th block that happen before the step.
      clocks.assign(std::size_t{steps_} * lanes, 0);
      for (const std::uint32_t step : order_) {
        std::uint32_t* own = clocks.data() + std::size_t{step} * lanes;
        each_wait(step, [&](std::uint32_t other) {
          const std::uint32_t* theirs = clocks.data() + std::size_t{other} * lanes;
          for (std::size_t i = 0; i < lanes; ++i) own[i] = std::max(own[i], theirs[i]);
          if (rank(other) == r) {
            const std::size_t i = lane[schedule_.steps[other].block];
            own[i] = std::max(own[i], index_in_block(other) + 1);
          }
        });
      }
      find_races(blocks[r], lane, clocks, worst, worst_location);
    }
    if (worst.first == kNone) return std::nullopt;
    const auto [later, earlier] = worst;
    return Defect{
        "race", line(later),
        fmt::format("it and line {} use {} of rank {} at once: nothing orders tb {} and tb "
                    "{} here, and one of them writes",
                    line(earlier), location_name(later, worst_location), rank(later),
                    schedule_.blocks[schedule_.steps[earlier].block].id,
                    schedule_.blocks[schedule_.steps[later].block].id)};
  }

  void find_races(const std::vector<std::uint32_t>& blocks, const std::vector<std::uint32_t>& lane,
                  const std::vector<std::uint32_t>& clocks,
                  std::pair<std::uint32_t, std::uint32_t>& worst,
                  std::uint32_t& worst_location) const {
    const std::size_t lanes = blocks.size();
    // By location, then by lane.
    std::unordered_map<std::uint32_t, std::map<std::uint32_t, BlockAccesses>> users;
    for (const std::uint32_t block : blocks) {
      for (std::uint32_t i = 0; i < schedule_.blocks[block].size; ++i) {
        const std::uint32_t step = schedule_.blocks[block].first_step + i;
        each_access(step, [&](std::uint32_t location, bool writes) {
          BlockAccesses& accesses = users[location][lane[block]];
          if (accesses.all.empty() || accesses.all.back() != step) accesses.all.push_back(step);
          if (writes && (accesses.writes.empty() || accesses.writes.back() != step)) {
            accesses.writes.push_back(step);
          }
        });
      }
    }
    for (const auto& [location, by_lane] : users) {
      for (const auto& [own_lane, own] : by_lane) {
        for (const std::uint32_t step : own.all) {
          if (worst.first != kNone && step > worst.first) break;
          const bool writes = std::binary_search(own.writes.begin(), own.writes.end(), step);
          for (const auto& [other_lane, other] : by_lane) {
            if (other_lane == own_lane) continue;
            // The first of the others that does not happen before this step ...
            const auto& theirs = writes ? other.all : other.writes;
            const std::uint32_t first_index = clocks[std::size_t{step} * lanes + other_lane];
            const std::uint32_t first_step =
                schedule_.blocks[blocks[other_lane]].first_step + first_index;
            const auto at = std::lower_bound(theirs.begin(), theirs.end(), first_step);
            // ... and stands before it in the file: the others of a pair come to it from there.
            if (at == theirs.end() || *at > step) continue;
            // ... and does not happen after it.
            if (clocks[std::size_t{*at} * lanes + own_lane] > index_in_block(step)) continue;
            const std::pair<std::uint32_t, std::uint32_t> pair{step, *at};
            if (pair < worst) {
              worst = pair;
              worst_location = location;
            }
          }
        }
      }
    }
  }

  /// Calls visit(location, writes) for what a step uses.
  template <typename Visit>
  void each_access(std::uint32_t index, Visit visit) const {
    const MscclStep& step = schedule_.steps[index];
    const StepUse use = use_of(step.type);
    for (std::uint32_t j = 0; j < step.count; ++j) {
      if (use.reads_source) {
        visit(
            location(rank(index), step.source_buffer, static_cast<std::uint32_t>(step.source) + j),
            false);
      }
      if (use.writes_destination) {
        visit(location(rank(index), step.destination_buffer,
                       static_cast<std::uint32_t>(step.destination) + j),
              true);
      }
    }
  }

  /// The name by which a step calls a location.
  [[nodiscard]] std::string location_name(std::uint32_t index, std::uint32_t wanted) const {
    const MscclStep& step = schedule_.steps[index];
    const StepUse use = use_of(step.type);
    for (std::uint32_t j = 0; j < step.count; ++j) {
      const auto source = static_cast<std::uint32_t>(step.source) + j;
      const auto destination = static_cast<std::uint32_t>(step.destination) + j;
      if (use.reads_source && location(rank(index), step.source_buffer, source) == wanted) {
        return fmt::format("{} chunk {}", buffer_name(step.source_buffer), source);
      }
      if (use.writes_destination &&
          location(rank(index), step.destination_buffer, destination) == wanted) {
        return fmt::format("{} chunk {}", buffer_name(step.destination_buffer), destination);
      }
    }
    return "a location";
  }

  // ---- checks 5 and 6: values

  std::optional<Defect> check_values() {
    values_.assign(locations_.size(), {});
    for (const auto& [key, at] : locations_) values_[at] = initial(key);
    writer_.assign(locations_.size(), kNone);
    sent_.assign(steps_, {});
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      for (const MscclCopy& copy : schedule_.ranks[r].copies) {
        values_[location(r, Buffer::kOutput, copy.output)] =
            initial(cell(r, Buffer::kInput, copy.input));
      }
    }
    First first;
    read_from_.assign(steps_, {});
    for (const std::uint32_t step : order_) run(step, first);
    if (first.found()) return first.found();
    return check_outputs();
  }

  /// What a memory cell holds from the start.
  [[nodiscard]] Value initial(std::uint64_t key) const {
    const auto r = static_cast<std::uint32_t>(key >> 34U);
    auto chunk = static_cast<std::uint32_t>(key);
    const bool is_input = (key >> 32U & 3U) == static_cast<std::uint64_t>(Buffer::kInput);
    if (!is_input || (schedule_.collective == Collective::kBroadcast && r != root_)) return {};
    if (place_ == Place::kIn && schedule_.collective == Collective::kAllGather) {
      if (chunk / schedule_.input_chunks() != r) return {};
      chunk %= schedule_.input_chunks();
    }
    return {Value::Kind::kTerms, std::make_shared<Terms>(Terms{{contribution(r, chunk), 1}})};
  }

  void run(std::uint32_t index, First& first) {
    const MscclStep& step = schedule_.steps[index];
    const StepUse use = use_of(step.type);
    const std::uint32_t r = rank(index);
    std::vector<Value> result(step.count);
    std::vector<std::uint32_t>& from = read_from_[index];
    const auto read = [&](Buffer buffer, std::int32_t offset) {
      const std::uint32_t at = location(r, buffer, static_cast<std::uint32_t>(offset));
      from.push_back(writer_[at]);
      if (values_[at].kind != Value::Kind::kNothing) return values_[at];
      first.offer("undefined", step.line, [&] {
        return fmt::format("rank {} reads {} chunk {}, which holds nothing", r, buffer_name(buffer),
                           offset);
      });
      return Value{Value::Kind::kUndefined, nullptr};
    };
    for (std::uint32_t j = 0; j < step.count; ++j) {
      const auto chunk = static_cast<std::int32_t>(j);
      Value value;
      bool any = false;
      const auto combine = [&](const Value& other) {
        value = any ? sum_of(value, other) : other;
        any = true;
      };
      if (use.receives) combine(sent_[message_[index]][j]);
      if (use.reads_destination) combine(read(step.destination_buffer, step.destination + chunk));
      if (use.reads_source) combine(read(step.source_buffer, step.source + chunk));
      result[j] = std::move(value);
    }
    if (use.writes_destination) {
      for (std::uint32_t j = 0; j < step.count; ++j) {
        const std::uint32_t at =
            location(r, step.destination_buffer, static_cast<std::uint32_t>(step.destination) + j);
        values_[at] = result[j];
        writer_[at] = index;
      }
    }
    if (use.receives) sent_[message_[index]] = {};
    if (use.sends) sent_[index] = std::move(result);
  }

  /// What output `q` of `rank` has to be; empty: anything.
  [[nodiscard]] std::optional<Terms> wanted(std::uint32_t rank, std::uint32_t q) const {
    const std::uint32_t k = std::max(1U, schedule_.chunks / ranks_);
    Terms terms;
    const auto all = [&](std::uint32_t chunk) {
      for (std::uint32_t u = 0; u < ranks_; ++u) terms.emplace_back(contribution(u, chunk), 1);
    };
    switch (schedule_.collective) {
      case Collective::kAllGather:
        terms = {{contribution(q / k, q % k), 1}};
        break;
      case Collective::kAllReduce:
        all(q);
        break;
      case Collective::kReduceScatter:
        all(rank * k + q);
        break;
      case Collective::kAllToAll:
        terms = {{contribution(q / k, rank * k + q % k), 1}};
        break;
      case Collective::kBroadcast:
        terms = {{contribution(root_, q), 1}};
        break;
      case Collective::kReduce:
        if (rank != root_) return std::nullopt;
        all(q);
        break;
    }
    return terms;
  }

  std::optional<Defect> check_outputs() const {
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      for (std::uint32_t q = 0; q < schedule_.output_chunks(); ++q) {
        const auto terms = wanted(r, q);
        if (!terms) break;
        const std::uint32_t at = location(r, Buffer::kOutput, q);
        const Value value = at == kNone ? initial(cell(r, Buffer::kOutput, q)) : values_[at];
        const std::uint32_t writer = at == kNone ? kNone : writer_[at];
        if (value.kind == Value::Kind::kTerms && *value.terms == *terms) continue;
        return wrong_output(r, q, value, writer, *terms);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Defect wrong_output(std::uint32_t r, std::uint32_t q, const Value& value,
                                    std::uint32_t writer, const Terms& terms) const {
    const std::uint32_t at = writer == kNone ? schedule_.ranks[r].line : line(writer);
    if (value.kind != Value::Kind::kTerms) {
      return {"unwritten", at, fmt::format("rank {}'s output {} is never written", r, q)};
    }
    const auto expected = [&](std::uint64_t term) {
      return std::binary_search(terms.begin(), terms.end(), std::pair{term, 1U},
                                [](const auto& a, const auto& b) { return a.first < b.first; });
    };
    for (const auto& [term, times] : *value.terms) {
      if (expected(term) && times == 1) continue;
      const std::string what = expected(term) ? fmt::format("{} times, once is right", times)
                                              : "which does not belong there";
      return {"extra", at,
              fmt::format("rank {}'s output {} holds input {} of rank {}, {}{}", r, q,
                          term & 0xffffffffU, term >> 32U, what, origin(writer))};
    }
    for (const auto& [term, times] : terms) {
      const auto found =
          std::lower_bound(value.terms->begin(), value.terms->end(), std::pair{term, 0U});
      if (found != value.terms->end() && found->first == term) continue;
      return {"missing", at,
              fmt::format("rank {}'s output {} lacks input {} of rank {}{}", r, q,
                          term & 0xffffffffU, term >> 32U, origin(writer))};
    }
    return {"missing", at, fmt::format("rank {}'s output {} is incomplete", r, q)};
  }

  /// ": it was last written in line 118, from what rank 2 sent in line 97, ..."
  [[nodiscard]] std::string origin(std::uint32_t writer) const {
    if (writer == kNone) return ": no step writes it";
    constexpr int kMostLinks = 5;
    std::string text = fmt::format(": it was last written in line {}", line(writer));
    for (int i = 0; i < kMostLinks; ++i) {
      if (message_[writer] != kNone) {
        writer = message_[writer];
        text += fmt::format(", from what rank {} sent in line {}", rank(writer), line(writer));
        if (message_[writer] != kNone) continue;
      }
      const auto& from = read_from_[writer];
      if (from.empty() || from.front() == kNone || from.front() == writer) break;
      writer = from.front();
      text += fmt::format(", which had it from line {}", line(writer));
    }
    return text;
  }

  // ---- section 5: times

  void measure(CheckResult& result) {
    std::vector<std::uint64_t> depth(steps_, 0);
    std::uint64_t deepest = 0;
    std::uint64_t moves = 0;
    for (const std::uint32_t step : order_) {
      each_wait(step, [&](std::uint32_t other) {
        const std::uint64_t hop = other == message_[step] ? 1 : 0;
        depth[step] = std::max(depth[step], depth[other] + hop);
      });
      deepest = std::max(deepest, depth[step]);
      if (use_of(schedule_.steps[step].type).sends) moves += schedule_.steps[step].count;
    }
    LinkGraph used(ranks_);
    for (const Connection& connection : connections_) {
      if (used.width(connection.from, connection.to) == 0) used.add(connection.from, connection.to);
    }
    result.depth = deepest;
    result.link_transfers = moves;
    result.links_used = used.links();
    result.steps = steps_taken(used);
    result.queue_slots = queue_slots();
    const bool divided = schedule_.collective == Collective::kAllGather ||
                         schedule_.collective == Collective::kReduceScatter ||
                         schedule_.collective == Collective::kAllToAll;
    const std::uint32_t chunks = divided ? schedule_.chunks / ranks_ : schedule_.chunks;
    result.lower_bound_steps =
        options_.network ? options_.network->lower_bound(schedule_.collective, chunks, node(root_))
                         : used.lower_bound(schedule_.collective, chunks, root_);
  }

  /// Every link moves one chunk a step: the greedy schedule of section 5.
  [[nodiscard]] std::uint64_t steps_taken(const LinkGraph& used) {
    struct Message {
      std::uint64_t ready = 0;
      std::uint32_t step = 0;
      bool operator>(const Message& other) const {
        return std::tie(ready, step) > std::tie(other.ready, other.step);
      }
    };
    struct Link {
      std::uint32_t width = 1;
      std::priority_queue<Message, std::vector<Message>, std::greater<>> waiting;
      /// Chunks of the first message that are still to move.
      std::uint32_t left = 0;
    };
    std::vector<Link> links;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    std::vector<std::uint32_t> waits(steps_, 0);
    std::vector<std::vector<std::uint32_t>> behind(steps_);
    std::vector<std::uint64_t> done(steps_, 0);
    for (std::uint32_t i = 0; i < steps_; ++i) {
      each_wait(i, [&](std::uint32_t other) {
        ++waits[i];
        behind[other].push_back(i);
      });
    }
    if (options_.wants_flow) number_chunks();
    std::vector<std::uint32_t> busy;
    // Instructions that have all they wait for; those that send nothing are done with that.
    std::vector<std::uint32_t> able;
    const auto release = [&](std::uint32_t step) {
      for (const std::uint32_t next : behind[step]) {
        done[next] = std::max(done[next], done[step]);
        if (--waits[next] == 0) able.push_back(next);
      }
    };
    const auto settle = [&] {
      while (!able.empty()) {
        const std::uint32_t step = able.back();
        able.pop_back();
        const MscclBlock& block = schedule_.blocks[schedule_.steps[step].block];
        if (!use_of(schedule_.steps[step].type).sends) {
          release(step);
          continue;
        }
        const auto to = static_cast<std::uint32_t>(block.send);
        const auto [entry, is_new] = numbers.try_emplace(contribution(block.rank, to),
                                                         static_cast<std::uint32_t>(links.size()));
        if (is_new) {
          Link link;
          link.width = options_.network ? options_.network->width(node(block.rank), node(to))
                                        : used.width(block.rank, to);
          links.push_back(std::move(link));
        }
        Link& link = links[entry->second];
        if (link.waiting.empty()) {
          busy.push_back(entry->second);
          link.left = schedule_.steps[step].count;
        }
        link.waiting.push({done[step], step});
        if (link.waiting.top().step == step) link.left = schedule_.steps[step].count;
      }
    };
    for (std::uint32_t i = 0; i < steps_; ++i) {
      if (waits[i] == 0) able.push_back(i);
    }
    settle();
    std::uint64_t now = 0;
    std::vector<std::uint32_t> finished;
    while (!busy.empty()) {
      ++now;
      finished.clear();
      for (const std::uint32_t number : busy) {
        Link& link = links[number];
        for (std::uint32_t room = link.width; room > 0 && !link.waiting.empty();) {
          const std::uint32_t moved = std::min(room, link.left);
          if (!chunk_moves_.empty()) {
            note_moves(link.waiting.top().step, link.left, moved, now, link.width - room);
          }
          room -= moved;
          link.left -= moved;
          if (link.left != 0) continue;
          finished.push_back(link.waiting.top().step);
          link.waiting.pop();
          if (!link.waiting.empty()) {
            link.left = schedule_.steps[link.waiting.top().step].count;
          }
        }
      }
      std::erase_if(busy, [&](std::uint32_t number) { return links[number].waiting.empty(); });
      for (const std::uint32_t step : finished) {
        done[step] = now;
        release(step);
      }
      settle();
    }
    return now;
  }

  // ---- section 6: what becomes of values

  /// When a chunk moved, and how many of its link's moved before it in that step.
  struct ChunkMove {
    std::uint32_t step = 0;
    std::uint32_t place = 0;
  };

  /// Makes room for the moves of all sends.
  void number_chunks() {
    first_chunk_.assign(steps_, 0);
    std::uint32_t chunks = 0;
    for (std::uint32_t i = 0; i < steps_; ++i) {
      first_chunk_[i] = chunks;
      if (use_of(schedule_.steps[i].type).sends) chunks += schedule_.steps[i].count;
    }
    chunk_moves_.assign(chunks, {});
  }

  /// The next `moved` chunks of a send, of which `left` had not moved, go in `step`.
  void note_moves(std::uint32_t send, std::uint32_t left, std::uint32_t moved, std::uint64_t step,
                  std::uint32_t place) {
    const std::uint32_t first = first_chunk_[send] + schedule_.steps[send].count - left;
    for (std::uint32_t i = 0; i < moved; ++i) {
      chunk_moves_[first + i] = {static_cast<std::uint32_t>(step), place + i};
    }
  }

  /// Runs the steps once more, by numbers of values, in the place that was claimed first.
  [[nodiscard]] Flow flow() {
    place_ = places_.front();
    number_locations();
    Flow flow;
    flow.collective = schedule_.collective;
    flow.ranks = ranks_;
    flow.chunks = schedule_.input_chunks();
    flow.root = root_;
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      for (std::uint32_t chunk = 0; chunk < flow.chunks; ++chunk) {
        flow.values.push_back({FlowValue::Kind::kOwn, r, chunk});
      }
    }
    const auto own = [&](std::uint64_t key) {
      const Value value = initial(key);
      if (value.kind != Value::Kind::kTerms) return kNone;
      const std::uint64_t term = value.terms->front().first;
      return static_cast<std::uint32_t>((term >> 32U) * flow.chunks + (term & 0xffffffffU));
    };
    std::vector<std::uint32_t> held(locations_.size(), kNone);
    for (const auto& [key, at] : locations_) held[at] = own(key);
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      for (const MscclCopy& copy : schedule_.ranks[r].copies) {
        held[location(r, Buffer::kOutput, copy.output)] = own(cell(r, Buffer::kInput, copy.input));
      }
    }
    // By chunk of a send: the value that it carries.
    std::vector<std::uint32_t> carried(chunk_moves_.size(), kNone);
    for (const std::uint32_t index : order_) flow_through(index, held, carried, flow);
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      for (std::uint32_t q = 0; q < schedule_.output_chunks(); ++q) {
        if (!wanted(r, q)) break;
        const std::uint32_t at = location(r, Buffer::kOutput, q);
        flow.outputs.push_back({r, at == kNone ? own(cell(r, Buffer::kOutput, q)) : held[at]});
      }
    }
    return flow;
  }

  void flow_through(std::uint32_t index, std::vector<std::uint32_t>& held,
                    std::vector<std::uint32_t>& carried, Flow& flow) const {
    const MscclStep& step = schedule_.steps[index];
    const StepUse use = use_of(step.type);
    const std::uint32_t r = rank(index);
    const auto add = [&flow](const FlowValue& value) {
      flow.values.push_back(value);
      return static_cast<std::uint32_t>(flow.values.size() - 1);
    };
    const auto at = [&](Buffer buffer, std::int32_t offset, std::uint32_t j) -> std::uint32_t& {
      return held[location(r, buffer, static_cast<std::uint32_t>(offset) + j)];
    };
    // All reads of a step come before its writes.
    std::vector<std::uint32_t> result(step.count, kNone);
    for (std::uint32_t j = 0; j < step.count; ++j) {
      const auto combine = [&](std::uint32_t other) {
        result[j] = result[j] == kNone ? other : add({FlowValue::Kind::kSum, r, result[j], other});
      };
      if (use.receives) {
        const std::uint32_t chunk = first_chunk_[message_[index]] + j;
        combine(add({FlowValue::Kind::kArrival, r, carried[chunk], 0, chunk_moves_[chunk].step,
                     chunk_moves_[chunk].place}));
      }
      if (use.reads_destination) combine(at(step.destination_buffer, step.destination, j));
      if (use.reads_source) combine(at(step.source_buffer, step.source, j));
    }
    for (std::uint32_t j = 0; j < step.count; ++j) {
      if (use.writes_destination) at(step.destination_buffer, step.destination, j) = result[j];
      if (use.sends) carried[first_chunk_[index] + j] = result[j];
    }
  }

  /// Least queue depth with which everything still runs.
  [[nodiscard]] std::uint64_t queue_slots() const {
    std::uint64_t longest = 0;
    for (const Connection& connection : connections_) {
      longest = std::max<std::uint64_t>(longest, connection.sends.size());
    }
    if (longest == 0) return 0;
    // Place of each send among those of its connection, and the receives there.
    std::vector<std::uint32_t> place(steps_, kNone);
    std::vector<const Connection*> of(steps_, nullptr);
    for (const Connection& connection : connections_) {
      for (std::uint32_t k = 0; k < connection.sends.size(); ++k) {
        place[connection.sends[k]] = k;
        of[connection.sends[k]] = &connection;
      }
    }
    std::uint64_t too_few = 0;
    std::uint64_t enough = longest;
    const auto runs_with = [&](std::uint64_t slots) {
      return ordered([&](std::uint32_t step, auto visit) {
               if (place[step] != kNone && place[step] >= slots) {
                 visit(of[step]->receives[place[step] - slots]);
               }
             }).size() == steps_;
    };
    while (enough - too_few > 1) {
      const std::uint64_t middle = (too_few + enough) / 2;
      (runs_with(middle) ? enough : too_few) = middle;
    }
    return enough;
  }

  void note(CheckResult& result) const {
    const auto longest =
        std::max_element(schedule_.blocks.begin(), schedule_.blocks.end(),
                         [](const MscclBlock& a, const MscclBlock& b) { return a.size < b.size; });
    if (longest != schedule_.blocks.end() && longest->size > kRuntimeSteps) {
      result.notes.push_back(fmt::format("a tb of {} steps (line {}): runtimes take up to {}",
                                         longest->size, longest->line, kRuntimeSteps));
    }
    if (schedule_.ids_have_gaps) {
      result.notes.emplace_back("tb ids are not 0, 1, 2, ...: runtimes refuse that");
    }
    for (std::uint32_t i = 0; i + 1 < steps_; ++i) {
      if (schedule_.steps[i].type == StepType::kNop && predecessor(i + 1) == i &&
          schedule_.steps[i + 1].depends_block < 0) {
        result.notes.push_back(fmt::format(
            "line {}: a nop before a step that waits for nothing itself: runtimes refuse that",
            line(i)));
        break;
      }
    }
    if (waits_past_) {
      result.notes.emplace_back(
          "some step waits for one that raises no flag (hasdep=\"0\"), and so "
          "for the next that does");
    }
    std::vector<std::uint32_t> used(ranks_, 0);
    for (const MscclStep& step : schedule_.steps) {
      const StepUse use = use_of(step.type);
      std::uint32_t& most = used[schedule_.rank_of(step)];
      if (use.reads_source && step.source_buffer == Buffer::kScratch) {
        most = std::max(most, static_cast<std::uint32_t>(step.source) + step.count);
      }
      if (use.writes_destination && step.destination_buffer == Buffer::kScratch) {
        most = std::max(most, static_cast<std::uint32_t>(step.destination) + step.count);
      }
    }
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      if (used[r] >= schedule_.ranks[r].chunks[2]) continue;
      result.notes.push_back(fmt::format("rank {} declares {} scratch chunks and uses {}", r,
                                         schedule_.ranks[r].chunks[2], used[r]));
      break;
    }
  }

  // ---- small ones

  [[nodiscard]] std::uint32_t node(std::uint32_t rank) const {
    return options_.node_of_rank.empty() ? rank : options_.node_of_rank[rank];
  }
  [[nodiscard]] std::uint32_t rank(std::uint32_t step) const {
    return schedule_.rank_of(schedule_.steps[step]);
  }
  [[nodiscard]] std::uint32_t line(std::uint32_t step) const { return schedule_.steps[step].line; }
  [[nodiscard]] std::uint32_t index_in_block(std::uint32_t step) const {
    return step - schedule_.blocks[schedule_.steps[step].block].first_step;
  }

  const MscclSchedule& schedule_;
  const CheckOptions& options_;
  std::uint32_t ranks_;
  std::uint32_t root_;
  std::uint32_t steps_;
  std::vector<Place> places_;
  /// The place that is being checked.
  Place place_ = Place::kOut;
  std::vector<Connection> connections_;
  /// By step: the send that its message comes from.
  std::vector<std::uint32_t> message_;
  /// (rank, id) to thread block; made when first asked.
  mutable std::unordered_map<std::uint64_t, std::uint32_t> block_numbers_;
  /// By step: the one whose flag it waits for, and whether there is none.
  std::vector<std::uint32_t> awaits_;
  std::vector<std::uint8_t> never_;
  bool waits_past_ = false;
  /// The steps in an order that respects happens-before.
  std::vector<std::uint32_t> order_;
  /// Memory cells that steps use.
  std::unordered_map<std::uint64_t, std::uint32_t> locations_;
  /// By location: what it holds, and the step that wrote it last.
  std::vector<Value> values_;
  std::vector<std::uint32_t> writer_;
  /// By send: its chunks, until they are received.
  std::vector<std::vector<Value>> sent_;
  /// By send: the number of its first chunk; and by that number, when each chunk moved.
  std::vector<std::uint32_t> first_chunk_;
  std::vector<ChunkMove> chunk_moves_;
  /// By step: the writers of what it read.
  std::vector<std::vector<std::uint32_t>> read_from_;
};

}  // namespace

CheckResult check(const MscclSchedule& schedule, const CheckOptions& options) {
  return MscclChecker(schedule, options).check();
}

}  // namespace gossamer::foreign
