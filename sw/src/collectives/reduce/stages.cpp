// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "any_order.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/util/error.hpp"
#include "ring_stages.hpp"

namespace gossamer {

namespace {

/// The largest network of the search.
constexpr NodeId kMostStagesNodes = 256;
constexpr int kMostStagesDimensions = 3;
/// Types and timetables of a number of steps, and pairs of timetables, that are tried.
constexpr std::size_t kMostTypes = 2000;
constexpr std::size_t kMostTimetables = 6000;
constexpr std::size_t kMostTimetablePairs = 6000;
/// Timetables, about, of a round of the search that takes any type.
constexpr std::uint32_t kMostTimetablesOfRound = 200;
/// Rounds for each number of steps.
constexpr std::uint32_t kStagesEffort = 2000;
/// Links that a round checks on average. Each way to search ends when it has checked as many as all
/// rounds may.
constexpr std::uint64_t kLinksOfRound = 131072;

enum class StageKind : std::uint8_t { kToCores, kAlongLines, kFromCores };

/// A stage of a word: what all rings of one dimension do.
struct WordStage {
  StageKind kind = StageKind::kAlongLines;
  std::size_t dim = 0;
  /// Into the blocks of the dimension's side, a number of ring_forms().
  std::size_t form = 0;
};

/// A hop of a word whose blocks begin at node 0.
struct WordHop {
  /// From 1.
  std::uint32_t step = 1;
  NodeId from = 0;
  Port out_port = 0;
};

/// The stages of a word.
struct WordType {
  std::vector<WordStage> stages;
  /// Of each stage, and of all together.
  std::vector<std::uint32_t> steps;
  std::uint32_t length = 0;
  /// Hops by stage; their steps are counted from the stage's beginning.
  std::vector<std::vector<WordHop>> hops;
  std::size_t hop_count = 0;
};

/// A type with waiting times before its stages.
struct WordTimetable {
  std::uint32_t type = 0;
  /// By stage, the steps before it.
  std::vector<std::uint32_t> begins;
  std::vector<WordHop> hops;
};

/// Where and when a word is summed up.
struct Placement {
  std::uint32_t timetable = 0;
  /// Dimensions that are mirrored, as bits.
  std::uint32_t mirror = 0;
  /// The node at which its blocks begin.
  NodeId origin = 0;
};

/// A ring's blocks and their stages.
struct RingForm {
  explicit RingForm(const bounds::CoresForm& form)
      : blocks(form),
        to_cores(blocks.to_cores()),
        from_cores{blocks.from_cores(true), blocks.from_cores(false)},
        along_lines{blocks.along_lines(true), blocks.along_lines(false)} {}

  RingBlocks blocks;
  RingStage to_cores;
  /// In place, and mirrored: then the arrivals of a step are handled in the other order.
  std::array<RingStage, 2> from_cores;
  std::array<RingStage, 2> along_lines;
  /// Cores of two nodes.
  bool pairs = false;

  [[nodiscard]] const RingStage& stage(StageKind kind, bool is_mirrored = false) const {
    const std::size_t order = is_mirrored ? 1 : 0;
    return kind == StageKind::kToCores     ? to_cores
           : kind == StageKind::kFromCores ? from_cores[order]
                                           : along_lines[order];
  }
};

/// The forms of a ring: a number of blocks for each size of the largest block, and for each of them
/// cores of one node, and of two where the block's size is even.
std::vector<RingForm> ring_forms(std::uint32_t side) {
  std::vector<RingForm> forms;
  std::uint32_t last_size = 0;
  for (std::uint32_t blocks = 1; blocks <= side; ++blocks) {
    const std::uint32_t largest = (side + blocks - 1) / blocks;
    if (largest == last_size) continue;
    last_size = largest;
    bounds::CoresForm form;
    form.sizes.assign(blocks, side / blocks);
    std::fill_n(form.sizes.begin(), side % blocks, largest);
    form.reduce_steps = largest / 2;
    forms.emplace_back(form);
    if (std::none_of(form.sizes.begin(), form.sizes.end(),
                     [](std::uint32_t size) { return size % 2 == 0; })) {
      continue;
    }
    form.pairs = true;
    forms.emplace_back(form);
    forms.back().pairs = true;
  }
  return forms;
}

/// The network as words see it: the stages of every type, and mirrored and moved nodes.
class StagesNetwork {
 public:
  explicit StagesNetwork(const Topology& topology)
      : topology_(topology), d_(static_cast<std::size_t>(topology.dimensions())) {
    for (std::size_t dim = 0; dim < d_; ++dim) forms_.push_back(ring_forms(side(dim)));
    const NodeId nodes = topology.nodes();
    for (NodeId node = 0; node < nodes; ++node) at_.push_back(topology.coordinates(node));
    place_.resize(std::size_t{nodes} * nodes << d_);
    for (std::uint32_t mirror = 0; mirror < (1U << d_); ++mirror) {
      for (NodeId origin = 0; origin < nodes; ++origin) {
        for (NodeId node = 0; node < nodes; ++node) {
          Coordinates at{};
          for (std::size_t dim = 0; dim < d_; ++dim) {
            const std::uint32_t x =
                (mirror >> dim & 1U) != 0 ? side(dim) - at_[node][dim] : at_[node][dim];
            at[dim] = (x + at_[origin][dim]) % side(dim);
          }
          place_[index(mirror, origin) + node] = static_cast<std::uint16_t>(topology.node(at));
        }
      }
    }
  }

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] std::size_t dimensions() const { return d_; }
  [[nodiscard]] std::uint32_t mirrors() const { return 1U << d_; }
  [[nodiscard]] std::uint32_t side(std::size_t dim) const {
    return topology_.side(static_cast<int>(dim));
  }
  [[nodiscard]] const Coordinates& at(NodeId node) const { return at_[node]; }
  [[nodiscard]] const RingForm& form(const WordStage& stage) const {
    return forms_[stage.dim][stage.form];
  }

  /// By node of a word at node 0, the node of a placed one.
  [[nodiscard]] const std::uint16_t* places(std::uint32_t mirror, NodeId origin) const {
    return &place_[index(mirror, origin)];
  }
  [[nodiscard]] static Port mirrored(Port port, std::uint32_t mirror) {
    return (mirror >> (port / 2) & 1U) != 0 ? opposite(port) : port;
  }

  /// All types of at most `steps` steps, those with the fewest hops first.
  [[nodiscard]] std::vector<WordType> types(std::uint32_t steps) const {
    std::vector<WordType> found;
    std::vector<std::size_t> order(d_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      for (std::size_t cores = 0; cores <= d_; ++cores) {
        choose_forms(order, cores, {}, steps, found);
      }
    } while (std::next_permutation(order.begin(), order.end()));
    std::stable_sort(found.begin(), found.end(), [](const WordType& a, const WordType& b) {
      return a.hop_count < b.hop_count;
    });
    if (found.size() > kMostTypes) found.erase(found.begin() + kMostTypes, found.end());
    for (WordType& type : found) list_hops(type);
    return found;
  }

  /// Calls `act(line, ring node)` for each ring of a stage, `line` being the ring's node 0.
  /// `before` are the stages before it.
  void each_ring(std::span<const WordStage> before, std::size_t dim,
                 const std::function<void(Coordinates, std::uint32_t)>& act) const {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (at_[node][dim] != 0) continue;
      bool is_active = true;
      std::uint32_t shift = 0;
      for (const WordStage& stage : before) {
        if (stage.kind != StageKind::kToCores || stage.dim == dim) continue;
        const bool spread = std::any_of(before.begin(), before.end(), [&](const WordStage& other) {
          return other.kind == StageKind::kFromCores && other.dim == stage.dim;
        });
        if (spread) continue;
        const CoreNode core = form(stage).blocks.at(at_[node][stage.dim]);
        is_active = is_active && core != CoreNode::kNone;
        if (core == CoreNode::kRight) ++shift;
      }
      if (is_active) act(at_[node], shift);
    }
  }

  /// Nodes by which the blocks of a ring are shifted: half a block on the lines of right nodes.
  [[nodiscard]] std::uint32_t shift(const WordStage& stage, std::uint32_t right_nodes) const {
    if (stage.kind != StageKind::kAlongLines) return 0;
    return right_nodes * std::max(1U, form(stage).blocks.blocks().front().size / 2) %
           side(stage.dim);
  }

 private:
  [[nodiscard]] std::size_t index(std::uint32_t mirror, NodeId origin) const {
    return (std::size_t{mirror} * topology_.nodes() + origin) * topology_.nodes();
  }

  /// `order`: the dimensions; the first `cores` of them have cores.
  void choose_forms(const std::vector<std::size_t>& order, std::size_t cores,
                    std::vector<std::size_t> forms, std::uint32_t steps,
                    std::vector<WordType>& found) const {
    const std::size_t next = forms.size();
    if (next == d_) {
      add_type(order, cores, forms, false, steps, found);
      if (cores > 1) add_type(order, cores, forms, true, steps, found);
      return;
    }
    const auto& choices = forms_[order[next]];
    for (std::size_t form = 0; form < choices.size(); ++form) {
      // Cores do not matter to lines; a ring of two nodes has lines alone.
      if (next >= cores ? choices[form].pairs : side(order[next]) < 3) continue;
      forms.push_back(form);
      choose_forms(order, cores, forms, steps, found);
      forms.pop_back();
    }
  }

  void add_type(const std::vector<std::size_t>& order, std::size_t cores,
                const std::vector<std::size_t>& forms, bool reversed, std::uint32_t steps,
                std::vector<WordType>& found) const {
    WordType type;
    for (std::size_t i = 0; i < d_; ++i) {
      type.stages.push_back(
          {i < cores ? StageKind::kToCores : StageKind::kAlongLines, order[i], forms[i]});
    }
    for (std::size_t i = 0; i < cores; ++i) {
      const std::size_t from = reversed ? cores - 1 - i : i;
      type.stages.push_back({StageKind::kFromCores, order[from], forms[from]});
    }
    for (const WordStage& stage : type.stages) {
      type.steps.push_back(form(stage).stage(stage.kind).steps);
      type.length += type.steps.back();
    }
    if (type.length > steps) return;
    for (std::size_t i = 0; i < type.stages.size(); ++i) {
      const WordStage& stage = type.stages[i];
      const std::size_t of_ring = form(stage).stage(stage.kind).hops.size();
      each_ring(std::span(type.stages).first(i), stage.dim,
                [&](const Coordinates&, std::uint32_t) { type.hop_count += of_ring; });
    }
    found.push_back(std::move(type));
  }

  void list_hops(WordType& type) const {
    for (std::size_t i = 0; i < type.stages.size(); ++i) {
      const WordStage& stage = type.stages[i];
      std::vector<WordHop> hops;
      each_ring(std::span(type.stages).first(i), stage.dim,
                [&](Coordinates at, std::uint32_t right_nodes) {
                  const std::uint32_t beyond = shift(stage, right_nodes);
                  for (const RingHop& hop : form(stage).stage(stage.kind).hops) {
                    at[stage.dim] = (hop.from + beyond) % side(stage.dim);
                    hops.push_back({hop.step, topology_.node(at),
                                    make_port(static_cast<int>(stage.dim), hop.plus)});
                  }
                });
      type.hops.push_back(std::move(hops));
    }
  }

  const Topology& topology_;
  std::size_t d_;
  std::vector<Coordinates> at_;
  /// By dimension.
  std::vector<std::vector<RingForm>> forms_;
  std::vector<std::uint16_t> place_;
};

/// Links in use, by step.
class LinkUse {
 public:
  LinkUse(const StagesNetwork& network, std::uint32_t steps)
      : network_(network),
        ports_(static_cast<std::size_t>(network.topology().ports())),
        busy_((std::size_t{steps} + 1) * ports_ * network.topology().nodes(), false) {}

  /// Adds the number of links that were checked to `checked`.
  [[nodiscard]] bool fits(const WordTimetable& timetable, std::uint32_t mirror, NodeId origin,
                          std::uint64_t& checked) const {
    const std::uint16_t* const places = network_.places(mirror, origin);
    const auto blocked =
        std::find_if(timetable.hops.begin(), timetable.hops.end(),
                     [&](const WordHop& hop) { return busy_[index(hop, places, mirror)] != 0; });
    checked += static_cast<std::uint64_t>(blocked - timetable.hops.begin()) + 1;
    return blocked == timetable.hops.end();
  }
  void set(const WordTimetable& timetable, std::uint32_t mirror, NodeId origin, bool busy) {
    const std::uint16_t* const places = network_.places(mirror, origin);
    for (const WordHop& hop : timetable.hops) {
      busy_[index(hop, places, mirror)] = static_cast<std::uint8_t>(busy);
    }
  }

 private:
  [[nodiscard]] std::size_t index(const WordHop& hop, const std::uint16_t* places,
                                  std::uint32_t mirror) const {
    const Port port = StagesNetwork::mirrored(hop.out_port, mirror);
    return (hop.step * ports_ + port) * network_.topology().nodes() + places[hop.from];
  }

  const StagesNetwork& network_;
  std::size_t ports_;
  std::vector<std::uint8_t> busy_;
};

class StagesSearch {
 public:
  StagesSearch(const Topology& topology, const WordSearchOptions& options)
      : options_(options),
        effort_(options.effort.value_or(kStagesEffort)),
        words_(static_cast<std::uint32_t>(options.words)),
        network_(topology) {}

  /// Fills placements().
  std::uint32_t best(std::uint64_t lower_bound) {
    const std::uint64_t most = options_.most_steps.value_or(lower_bound + lower_bound / 2 + 2);
    for (std::uint64_t steps = lower_bound;; ++steps) {
      if (steps > most) {
        throw InfeasibleError(fmt::format(
            "stages: no plan of at most {} steps was found; nearest feasible: a larger --effort, "
            "or --algorithm forest",
            most));
      }
      if (search(static_cast<std::uint32_t>(steps))) return static_cast<std::uint32_t>(steps);
    }
  }

  [[nodiscard]] const StagesNetwork& network() const { return network_; }
  [[nodiscard]] const std::vector<Placement>& placements() const { return placements_; }
  [[nodiscard]] const WordType& type_of(const Placement& placement) const {
    return types_[timetables_[placement.timetable].type];
  }
  /// Steps before each stage of a placed word.
  [[nodiscard]] const std::vector<std::uint32_t>& begins(const Placement& placement) const {
    return timetables_[placement.timetable].begins;
  }

 private:
  bool search(std::uint32_t steps) {
    types_ = network_.types(steps);
    list_timetables(steps);
    if (timetables_.empty()) return false;
    random_.seed(static_cast<std::uint32_t>(options_.seed * 0x9e3779b1U));
    return by_pairs(steps) || by_first_fit(steps) || by_ruin(steps);
  }

  /// Types in order, and of each type those that wait least first.
  void list_timetables(std::uint32_t steps) {
    timetables_.clear();
    for (std::uint32_t waits = 0; waits < steps; ++waits) {
      for (std::uint32_t type = 0; type < types_.size(); ++type) {
        if (types_[type].length + waits > steps) continue;
        if (timetables_.size() >= kMostTimetables) break;
        add_timetables(type, waits, {});
      }
    }
    // The order of types first.
    std::stable_sort(
        timetables_.begin(), timetables_.end(),
        [](const WordTimetable& a, const WordTimetable& b) { return a.type < b.type; });
  }

  /// All ways to wait `left` more steps in all before the stages after `waited`.
  void add_timetables(std::uint32_t type, std::uint32_t left, std::vector<std::uint32_t> waited) {
    const WordType& stages = types_[type];
    if (waited.size() < stages.stages.size()) {
      for (std::uint32_t wait = 0; wait <= left; ++wait) {
        waited.push_back(wait);
        add_timetables(type, left - wait, waited);
        waited.pop_back();
      }
      return;
    }
    if (left != 0) return;
    WordTimetable timetable{type, {}, {}};
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < waited.size(); ++i) {
      before += waited[i];
      timetable.begins.push_back(before);
      for (WordHop hop : stages.hops[i]) {
        hop.step += before;
        timetable.hops.push_back(hop);
      }
      before += stages.steps[i];
    }
    timetables_.push_back(std::move(timetable));
  }

  /// Places a timetable wherever it fits, until `limit` words are placed.
  void fill(std::uint32_t timetable, std::size_t limit, LinkUse& links,
            std::vector<Placement>& placed) {
    const NodeId nodes = network_.topology().nodes();
    for (std::uint32_t mirror = 0; mirror < network_.mirrors(); ++mirror) {
      for (NodeId origin = 0; origin < nodes; ++origin) {
        while (placed.size() < limit &&
               links.fits(timetables_[timetable], mirror, origin, links_checked_)) {
          links.set(timetables_[timetable], mirror, origin, true);
          placed.push_back({timetable, mirror, origin});
        }
      }
    }
  }

  [[nodiscard]] bool is_spent() const { return links_checked_ > kLinksOfRound * effort_; }

  /// Words of one timetable alone, as fill() places them.
  std::size_t alone(std::uint32_t timetable, std::uint32_t steps) {
    std::optional<std::size_t>& count = alone_[timetable];
    if (!count) {
      LinkUse links(network_, steps);
      std::vector<Placement> placed;
      fill(timetable, words_, links, placed);
      count = placed.size();
    }
    return *count;
  }

  /// Two timetables together, those with the fewest hops first.
  bool by_pairs(std::uint32_t steps) {
    std::size_t tried = 0;
    const std::size_t count = timetables_.size();
    alone_.assign(count, std::nullopt);
    links_checked_ = 0;
    for (std::size_t sum = 0; sum < 2 * count - 1 && tried < kMostTimetablePairs; ++sum) {
      for (std::size_t x = sum < count ? 0 : sum - count + 1; x <= std::min(sum, count - 1); ++x) {
        report("pairs", steps, tried, kMostTimetablePairs);
        ++tried;
        if (is_spent()) return false;
        const auto first = static_cast<std::uint32_t>(x);
        const auto second = static_cast<std::uint32_t>(sum - x);
        const std::size_t others = alone(second, steps);
        if (alone(first, steps) + others < words_) continue;
        // Fewer of the first may leave room for more of the second.
        for (const std::size_t limit : {std::size_t{words_}, words_ - others}) {
          LinkUse links(network_, steps);
          std::vector<Placement> placed;
          fill(first, limit, links, placed);
          fill(second, words_, links, placed);
          if (placed.size() < words_) continue;
          placements_ = std::move(placed);
          return true;
        }
      }
    }
    return false;
  }

  /// Fills gaps in the order of `order`, with at most `limit` words for each first dimension.
  void first_fit(const std::vector<std::uint32_t>& order, std::size_t limit, LinkUse& links,
                 std::vector<Placement>& placed) {
    std::vector<std::size_t> count(network_.dimensions(), 0);
    for (const Placement& placement : placed) ++count[first_dimension(placement.timetable)];
    for (const std::uint32_t timetable : order) {
      std::size_t& used = count[first_dimension(timetable)];
      if (used >= limit) continue;
      if (is_spent()) return;
      const std::size_t before = placed.size();
      fill(timetable, std::min<std::size_t>(words_, before + limit - used), links, placed);
      used += placed.size() - before;
      if (placed.size() == words_) return;
    }
  }
  [[nodiscard]] std::size_t first_dimension(std::uint32_t timetable) const {
    return types_[timetables_[timetable].type].stages.front().dim;
  }

  bool by_first_fit(std::uint32_t steps) {
    std::vector<std::uint32_t> order(timetables_.size());
    std::iota(order.begin(), order.end(), 0U);
    placements_.clear();
    links_checked_ = 0;
    const std::size_t d = network_.dimensions();
    for (const std::size_t limit : {(words_ + d - 1) / d, std::size_t{words_}}) {
      LinkUse links(network_, steps);
      std::vector<Placement> placed;
      first_fit(order, limit, links, placed);
      if (placed.size() > placements_.size()) placements_ = std::move(placed);
      if (placements_.size() == words_) return true;
    }
    return false;
  }

  std::uint32_t below(std::size_t limit) {
    return static_cast<std::uint32_t>(random_() % std::max<std::size_t>(1, limit));
  }

  /// Removes words of the best placement at random, and fills the gaps in a random order.
  bool by_ruin(std::uint32_t steps) {
    links_checked_ = 0;
    for (std::uint32_t round = 0; round < effort_ && !is_spent(); ++round) {
      report("rounds", steps, round, effort_);
      std::vector<Placement> placed = placements_;
      for (std::size_t i = placed.size(); i > 1; --i) std::swap(placed[i - 1], placed[below(i)]);
      placed.resize(placed.size() -
                    std::min<std::size_t>(placed.size(), 1 + below((placed.size() + 1) / 2)));
      LinkUse links(network_, steps);
      for (const Placement& kept : placed) {
        links.set(timetables_[kept.timetable], kept.mirror, kept.origin, true);
      }
      first_fit(random_order(round), words_, links, placed);
      if (placed.size() >= placements_.size()) placements_ = std::move(placed);
      if (placements_.size() == words_) return true;
    }
    return false;
  }

  /// Timetables of a few random types, in every fourth round a few of all types, by their hops
  /// times a random factor.
  std::vector<std::uint32_t> random_order(std::uint32_t round) {
    const bool of_all = round % 4 == 3;
    std::vector<std::uint64_t> weight(types_.size(), 0);
    for (std::size_t type = 0; type < types_.size(); ++type) {
      weight[type] = types_[type].hop_count * (600 + below(800));
    }
    std::vector<bool> chosen(types_.size(), of_all);
    if (!of_all) {
      for (std::uint32_t i = 1 + below(6); i > 0; --i) chosen[below(types_.size())] = true;
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < timetables_.size(); ++i) {
      const bool taken = !of_all || below(timetables_.size()) < kMostTimetablesOfRound;
      if (taken && chosen[timetables_[i].type]) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return weight[timetables_[a].type] < weight[timetables_[b].type];
    });
    return order;
  }

  void report(std::string_view what, std::uint32_t steps, std::size_t done, std::size_t all) const {
    if (options_.progress && done % 64 == 0) {
      options_.progress(fmt::format("stages of {} steps, {}", steps, what), done, all);
    }
  }

  const WordSearchOptions& options_;
  std::uint32_t effort_;
  std::uint32_t words_;
  StagesNetwork network_;
  std::vector<WordType> types_;
  std::vector<WordTimetable> timetables_;
  /// By timetable.
  std::vector<std::optional<std::size_t>> alone_;
  std::uint64_t links_checked_ = 0;
  std::vector<Placement> placements_;
  std::mt19937 random_;
};

/// Writes the moves of all words.
class StagesWriter {
 public:
  StagesWriter(const StagesSearch& search, std::uint32_t words)
      : search_(search),
        network_(search.network()),
        nodes_(network_.topology().nodes()),
        stages_(2 * network_.dimensions()),
        builder_(nodes_, std::uint64_t{words} * stages_ * nodes_ * kHeldPerWord) {}

  TimetableProgram program(std::uint32_t words) {
    for (std::uint32_t word = 0; word < words; ++word) write(word);
    return builder_.program(network_.topology(), words, DeliveryRule::kMarked);
  }

 private:
  /// Contributions that a node's sum of a word has, by relative node.
  using Contributors = std::vector<bool>;

  [[nodiscard]] std::uint64_t held(std::uint32_t word, std::size_t stage, NodeId node,
                                   Held place) const {
    return ((std::uint64_t{word} * stages_ + stage) * nodes_ + node) * kHeldPerWord +
           static_cast<std::uint64_t>(place);
  }

  void write(std::uint32_t word) {
    const Placement& placement = search_.placements()[word];
    const WordType& type = search_.type_of(placement);
    const std::vector<std::uint32_t>& begins = search_.begins(placement);
    const std::uint16_t* const places = network_.places(placement.mirror, placement.origin);
    // By relative node, where its sum is.
    std::vector<std::uint64_t> sum(nodes_);
    for (NodeId node = 0; node < nodes_; ++node) {
      sum[node] = held(word, 0, node, Held::kSum);
      builder_.start_with(sum[node], word);
    }
    const std::vector<std::uint64_t> totals = count_totals(type);
    for (std::size_t i = 0; i < type.stages.size(); ++i) {
      const WordStage& stage = type.stages[i];
      const RingStage& ring =
          network_.form(stage).stage(stage.kind, (placement.mirror >> stage.dim & 1U) != 0);
      std::vector<std::uint64_t> after = sum;
      network_.each_ring(
          std::span(type.stages).first(i), stage.dim,
          [&](Coordinates at, std::uint32_t right_nodes) {
            const std::uint32_t side = network_.side(stage.dim);
            const std::uint32_t beyond = network_.shift(stage, right_nodes);
            const auto node_at = [&](std::uint32_t coordinate) {
              at[stage.dim] = (coordinate + beyond) % side;
              return network_.topology().node(at);
            };
            const auto content = [&](NodeId node, Held place) {
              return place == Held::kSum ? sum[node] : held(word, i, node, place);
            };
            for (const RingHop& hop : ring.hops) {
              const NodeId from = node_at(hop.from);
              const NodeId to = node_at(hop.plus ? hop.from + 1 : hop.from + side - 1);
              const Port port = StagesNetwork::mirrored(
                  make_port(static_cast<int>(stage.dim), hop.plus), placement.mirror);
              TimetableMove move = TimetableMove::across(network_.topology(), places[from], port);
              move.step = begins[i] + hop.step;
              move.from = content(from, hop.sent);
              move.to = content(to, hop.to);
              move.combines = hop.with == hop.to;
              if (!move.combines && hop.with != Held::kNothing) move.with = content(to, hop.with);
              move.delivers = hop.completes && totals[to] == i;
              builder_.add(move);
            }
            for (std::uint32_t x = 0; x < side; ++x) {
              if (ring.sum[x] == Held::kNothing) continue;
              const NodeId node = node_at(x);
              after[node] = content(node, ring.sum[x]);
            }
          });
      sum = std::move(after);
    }
  }

  /// By relative node, the stage in which it gets the total. Counts contributors: in each stage the
  /// sums of a ring's parts are disjoint.
  [[nodiscard]] std::vector<std::uint64_t> count_totals(const WordType& type) const {
    std::vector<std::uint64_t> count(nodes_, 1);
    std::vector<std::uint64_t> stage_of(nodes_, type.stages.size());
    for (std::size_t i = 0; i < type.stages.size(); ++i) {
      const WordStage& stage = type.stages[i];
      const RingForm& form = network_.form(stage);
      const std::uint32_t side = network_.side(stage.dim);
      std::vector<std::uint64_t> after = count;
      network_.each_ring(std::span(type.stages).first(i), stage.dim,
                         [&](Coordinates at, std::uint32_t) {
                           const auto node_at = [&](std::uint32_t coordinate) {
                             at[stage.dim] = coordinate % side;
                             return network_.topology().node(at);
                           };
                           std::uint64_t total = 0;
                           for (const RingBlocks::Block& block : form.blocks.blocks()) {
                             std::uint64_t of_block = 0;
                             if (stage.kind == StageKind::kFromCores) {
                               of_block = count[node_at(block.left)];
                             } else {
                               for (std::uint32_t x = 0; x < block.size; ++x) {
                                 of_block += count[node_at(block.start + x)];
                               }
                             }
                             total += of_block;
                             if (stage.kind != StageKind::kToCores) continue;
                             after[node_at(block.left)] = after[node_at(block.right)] = of_block;
                           }
                           if (stage.kind == StageKind::kToCores) return;
                           for (std::uint32_t x = 0; x < side; ++x) after[node_at(x)] = total;
                         });
      count = std::move(after);
      for (NodeId node = 0; node < nodes_; ++node) {
        if (count[node] == nodes_) stage_of[node] = std::min<std::uint64_t>(stage_of[node], i);
      }
    }
    return stage_of;
  }

  const StagesSearch& search_;
  const StagesNetwork& network_;
  NodeId nodes_;
  std::size_t stages_;
  TimetableBuilder builder_;
};

void check_stages(const Topology& topology, const WordSearchOptions& options) {
  if (!topology.is_torus() || !topology.is_healthy() || !topology.has_equal_links() ||
      topology.nodes() == 1) {
    throw InfeasibleError(
        "stages: requires a torus of two or more nodes without faults and with equal links; "
        "nearest feasible: --algorithm scheduled");
  }
  require_any_order("stages", options.operation, "forest");
  if (topology.nodes() > kMostStagesNodes || topology.dimensions() > kMostStagesDimensions) {
    throw InfeasibleError(fmt::format(
        "stages: a {} torus is too large to search, the limits are {} nodes and {} dimensions; "
        "nearest feasible: --algorithm forest",
        topology.dims_text(), kMostStagesNodes, kMostStagesDimensions));
  }
  const auto& sides = topology.sides();
  const std::uint64_t most =
      sides.size() * std::uint64_t{*std::max_element(sides.begin(), sides.end())};
  if (options.words > most) {
    throw InfeasibleError(
        fmt::format("stages: {} words exceed the {} of a search on these sides; nearest feasible: "
                    "--words {}, or --algorithm forest",
                    options.words, most, most));
  }
}

}  // namespace

Plan plan_stages(const Topology& topology, const WordSearchOptions& options) {
  check_stages(topology, options);
  const auto words = static_cast<std::uint32_t>(options.words);
  const Demand demand = Demand::combined(Destination::kEveryNode, options.operation, words);
  const std::uint64_t lower_bound = bounds::lower_bound(topology, demand);
  StagesSearch search(topology, options);
  const std::uint32_t steps = search.best(lower_bound);
  TimetableProgram program = StagesWriter(search, words).program(words);
  const std::uint32_t slots = program.slots();
  Plan plan{topology,
            "all-reduce",
            "stages",
            {{"words", std::int64_t{words}},
             {"seed", static_cast<std::int64_t>(options.seed)},
             {"effort", std::int64_t{options.effort.value_or(kStagesEffort)}}},
            demand,
            std::move(program),
            {}};
  plan.expected.analytic_steps = steps;
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = lower_bound;
  plan.expected.queue_depth = slots;
  return plan;
}

}  // namespace gossamer
