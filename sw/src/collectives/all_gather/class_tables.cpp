// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/class_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "feed_table.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

/// "5x5" or "3,1".
std::vector<std::uint32_t> parse_numbers(std::string_view text, char separator) {
  auto numbers = whole_numbers(text, separator);
  if (!numbers) throw std::logic_error("table library: not a list of numbers");
  return *std::move(numbers);
}

/// The library's entry for the sides in any order.
const LibraryTable* find_entry(const Topology& topology) {
  if (!topology.is_torus()) return nullptr;
  std::vector<std::uint32_t> wanted = topology.sides();
  std::sort(wanted.begin(), wanted.end());
  for (const LibraryTable& entry : one_packet_library()) {
    std::vector<std::uint32_t> sides = parse_numbers(entry.dims, 'x');
    std::sort(sides.begin(), sides.end());
    if (sides == wanted) return &entry;
  }
  return nullptr;
}

/// The table with its dimensions in the order of `sides`, which holds the same numbers.
ClassTable reordered(const ClassTable& table, const std::vector<std::uint32_t>& sides) {
  const std::size_t d = sides.size();
  // from[k]: the table's dimension that becomes dimension k.
  std::vector<std::size_t> from(d);
  std::vector<bool> used(d, false);
  for (std::size_t k = 0; k < d; ++k) {
    std::size_t j = 0;
    while (used[j] || table.sides[j] != sides[k]) ++j;
    used[j] = true;
    from[k] = j;
  }
  std::vector<std::size_t> to(d);
  for (std::size_t k = 0; k < d; ++k) to[from[k]] = k;
  ClassTable result{sides, std::vector<std::uint32_t>(d), table.classes, table.in_ports};
  for (std::size_t k = 0; k < d; ++k) result.rule[k] = table.rule[from[k]];
  for (std::size_t c = 0; c < table.classes; ++c) {
    for (std::size_t p = 0; p < 2 * d; ++p) {
      const Port in_port = table.in_ports[c * 2 * d + 2 * from[p / 2] + p % 2];
      result.in_ports[c * 2 * d + p] =
          make_port(static_cast<int>(to[in_port / 2U]), is_positive(in_port));
    }
  }
  return result;
}

Plan table_plan(const Topology& topology, const ClassTable& table, std::uint32_t k,
                std::uint64_t steps_of_one) {
  FeedTable feeds(topology, k);
  const auto ports = static_cast<std::size_t>(topology.ports());
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const std::size_t first = table.class_of(walk.coordinates()) * ports;
    for (std::size_t p = 0; p < ports; ++p) {
      feeds.set(walk.node(), static_cast<Port>(p), {table.in_ports[first + p], false});
    }
  }
  Plan plan = feed_plan(topology, "tables", std::move(feeds), k, k * steps_of_one);
  plan.parameters["rule"] = joined(table.rule, ",");
  plan.parameters["classes"] = std::int64_t{table.classes};
  return plan;
}

/// A rule to search over.
struct Rule {
  std::vector<std::uint32_t> factors;
  std::uint32_t classes;
};

/// All rules that close around the torus, with every class in use, one of each pair a and -a.
std::vector<Rule> closing_rules(const Topology& topology, std::uint32_t most_classes) {
  std::vector<Rule> rules;
  const auto d = static_cast<std::size_t>(topology.dimensions());
  for (std::uint32_t q = 2; q <= most_classes; ++q) {
    std::vector<std::uint32_t> a(d, 0);
    for (;;) {
      std::size_t k = 0;
      while (k < d && ++a[k] == q) a[k++] = 0;
      if (k == d) break;
      std::uint32_t common = q;
      bool closes = true;
      for (k = 0; k < d; ++k) {
        common = std::gcd(common, a[k]);
        closes = closes && std::uint64_t{a[k]} * topology.side(static_cast<int>(k)) % q == 0;
      }
      const auto leading =
          std::find_if(a.begin(), a.end(), [](auto factor) { return factor != 0; });
      if (closes && common == 1 && 2 * *leading <= q) rules.push_back({a, q});
    }
  }
  return rules;
}

/// One annealing run over the tables of one rule.
class Annealing {
 public:
  Annealing(const Topology& topology, const Rule& rule, std::uint64_t steps, Random& random)
      : steps_(steps),
        random_(random),
        ports_(static_cast<std::uint32_t>(topology.ports())),
        table_{topology.sides(), rule.factors, rule.classes, {}},
        class_of_(topology.nodes()),
        neighbor_(topology.link_slots()),
        seen_(topology.nodes(), 0) {
    std::vector<bool> represented(rule.classes, false);
    const bool closes = table_.closes();
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      const std::uint32_t c = table_.class_of(walk.coordinates());
      class_of_[walk.node()] = c;
      if (!closes || !represented[c]) judges_.push_back(walk.node());
      represented[c] = true;
      for (std::uint32_t p = 0; p < ports_; ++p) {
        neighbor_[walk.node() * ports_ + p] = walk.neighbor(static_cast<Port>(p));
      }
    }
    table_.in_ports.resize(std::size_t{rule.classes} * ports_);
    for (std::size_t i = 0; i < table_.in_ports.size(); ++i) {
      table_.in_ports[i] = other_than(static_cast<Port>(i % ports_));
    }
    missing_ = count_missing();
  }

  /// Up to `moves` moves, hot to cold; ends at the first table without a missing pair, or when
  /// `time_is_over`, which is polled from time to time, returns true.
  std::uint64_t run(std::uint64_t moves, const std::function<bool(std::uint64_t)>& time_is_over) {
    constexpr double kHot = 3.0;
    constexpr double kCold = 0.25;
    constexpr std::uint64_t kMovesBetweenLooks = 256;
    ClassTable best = table_;
    std::uint64_t fewest = missing_;
    std::uint64_t move = 0;
    for (; move < moves && missing_ != 0; ++move) {
      if (move % kMovesBetweenLooks == 0 && time_is_over(move)) break;
      const double temperature =
          kHot * std::pow(kCold / kHot, static_cast<double>(move) / static_cast<double>(moves));
      const std::uint32_t i = random_.below(static_cast<std::uint32_t>(table_.in_ports.size()));
      const Port before = table_.in_ports[i];
      table_.in_ports[i] = other_than(static_cast<Port>(i % ports_));
      if (table_.in_ports[i] == before) continue;
      const std::uint64_t missing = count_missing();
      if (missing > missing_ &&
          random_.unit() >= std::exp(-static_cast<double>(missing - missing_) / temperature)) {
        table_.in_ports[i] = before;
        continue;
      }
      missing_ = missing;
      if (missing_ < fewest) {
        fewest = missing_;
        best = table_;
      }
    }
    table_ = std::move(best);
    missing_ = fewest;
    return move;
  }

  /// The step in which the found table is complete: the target or an earlier one.
  std::uint64_t completion() {
    for (std::uint64_t step = steps_; step > 1; --step) {
      steps_ = step - 1;
      if (count_missing() != 0) return step;
    }
    return 1;
  }

  [[nodiscard]] const ClassTable& table() const { return table_; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }

 private:
  /// A random in-port for an out-port; never the same port, which would send everything back.
  Port other_than(Port port) {
    const std::uint32_t choice = random_.below(ports_ - 1);
    return static_cast<Port>(choice < port ? choice : choice + 1);
  }

  /// Pairs that the judging nodes lack: their arrivals are on the links into their input ports.
  std::uint64_t count_missing() {
    std::uint64_t missing = 0;
    for (const NodeId judge : judges_) {
      ++stamp_;
      seen_[judge] = stamp_;
      std::uint64_t known = 1;
      for (std::uint32_t in = 0; in < ports_; ++in) {
        NodeId at = judge;
        std::uint32_t port = in;
        for (std::uint64_t step = 1;; ++step) {
          at = neighbor_[at * ports_ + port];
          if (seen_[at] != stamp_) {
            seen_[at] = stamp_;
            ++known;
          }
          if (step == steps_) break;
          port = table_.in_ports[class_of_[at] * ports_ + (port ^ 1U)];
        }
      }
      missing += seen_.size() - known;
    }
    return missing;
  }

  std::uint64_t steps_;
  Random& random_;
  std::uint32_t ports_;
  ClassTable table_;
  std::vector<std::uint32_t> class_of_;
  std::vector<NodeId> neighbor_;
  /// One node a class, or all.
  std::vector<NodeId> judges_;
  /// The stamp of the judge that saw the node's packet last.
  std::vector<std::uint64_t> seen_;
  std::uint64_t stamp_ = 0;
  std::uint64_t missing_ = 0;
};

}  // namespace

std::uint32_t ClassTable::class_of(const Coordinates& at) const {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < rule.size(); ++k) sum += std::uint64_t{rule[k]} * at[k];
  return static_cast<std::uint32_t>(sum % classes);
}

bool ClassTable::closes() const {
  for (std::size_t k = 0; k < rule.size(); ++k) {
    if (std::uint64_t{rule[k]} * sides[k] % classes != 0) return false;
  }
  return true;
}

std::string ClassTable::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < in_ports.size(); ++i) {
    if (i != 0 && i % (2 * sides.size()) == 0) text += ' ';
    text += kDigits[in_ports[i]];
  }
  return text;
}

ClassTable parse_table(const LibraryTable& entry) {
  ClassTable table{
      parse_numbers(entry.dims, 'x'), parse_numbers(entry.rule, ','), entry.classes, {}};
  for (const char digit : entry.table) {
    if (digit == ' ') continue;
    table.in_ports.push_back(static_cast<Port>(digit <= '9' ? digit - '0' : digit - 'a' + 10));
  }
  const std::size_t ports = 2 * table.sides.size();
  if (table.rule.size() != table.sides.size() || table.in_ports.size() != table.classes * ports ||
      std::any_of(table.in_ports.begin(), table.in_ports.end(),
                  [&](Port port) { return port >= ports; })) {
    throw std::logic_error(fmt::format("table library: the entry for {} is damaged", entry.dims));
  }
  return table;
}

std::optional<std::uint64_t> library_steps(const Topology& topology,
                                           std::uint64_t packets_per_node) {
  const LibraryTable* entry = find_entry(topology);
  if (entry == nullptr) return std::nullopt;
  return packets_per_node * entry->steps;
}

Plan plan_tables(const Topology& topology, const TablesOptions& options) {
  if (const LibraryTable* entry = find_entry(topology)) {
    Plan plan = table_plan(topology, reordered(parse_table(*entry), topology.sides()),
                           options.packets_per_node, entry->steps);
    plan.parameters["provenance"] = std::string(entry->provenance);
    return plan;
  }
  // The nearest: sides of the same number, least total change, both ascending.
  std::vector<std::uint32_t> wanted = topology.sides();
  std::sort(wanted.begin(), wanted.end());
  std::string_view nearest;
  std::uint64_t least = ~std::uint64_t{0};
  for (const LibraryTable& entry : one_packet_library()) {
    std::vector<std::uint32_t> sides = parse_numbers(entry.dims, 'x');
    if (sides.size() != wanted.size()) continue;
    std::sort(sides.begin(), sides.end());
    std::uint64_t change = 0;
    for (std::size_t k = 0; k < sides.size(); ++k) {
      change += std::max(sides[k], wanted[k]) - std::min(sides[k], wanted[k]);
    }
    if (change < least) {
      least = change;
      nearest = entry.dims;
    }
  }
  throw InfeasibleError(fmt::format(
      "tables: the library has no table for {} {}; nearest feasible: {}",
      with_article(topology.dims_text()), topology.kind(),
      nearest.empty() ? std::string("--algorithm auto") : fmt::format("torus {}", nearest)));
}

OnePacketFinding search_one_packet(const Topology& topology, const OnePacketSearch& options) {
  if (!topology.is_torus()) {
    throw InfeasibleError(
        "search one-packet: supports tori only; nearest feasible: --topology torus");
  }
  if (!topology.is_healthy()) {
    throw InfeasibleError(
        "search one-packet: does not support faults; nearest feasible: a torus without faults");
  }
  if (std::ranges::min(topology.sides()) == 1) {
    throw InfeasibleError(
        "search one-packet: does not support sides of 1; nearest feasible: the same torus without "
        "them");
  }
  std::vector<Rule> rules;
  if (!options.rule.empty() || options.classes != 0) {
    if (options.rule.size() != topology.sides().size() || options.classes == 0 ||
        options.classes > topology.nodes()) {
      throw InputError(fmt::format("rule: {} factors and 1 to {} classes are expected",
                                   topology.dimensions(), topology.nodes()));
    }
    rules.push_back({options.rule, options.classes});
  } else {
    rules = closing_rules(topology, options.most_classes);
    if (rules.empty()) {
      throw InfeasibleError(
          fmt::format("search one-packet: no rule with up to {} classes closes around {}; nearest "
                      "feasible: {} classes",
                      options.most_classes, topology.dims_text(),
                      *std::min_element(topology.sides().begin(), topology.sides().end())));
    }
  }
  OnePacketFinding finding;
  finding.target_steps = options.target_steps.value_or(bounds::gossip_lower_bound(topology, 1) + 1);
  if (const auto bound = bounds::gossip_lower_bound(topology, 1); finding.target_steps < bound) {
    throw InfeasibleError(fmt::format(
        "search one-packet: no plan ends in {}: the lower bound of {} {} is {}; nearest "
        "feasible: --steps {}",
        counted(finding.target_steps, "step"), with_article(topology.dims_text()), topology.kind(),
        bound, bound));
  }

  // Short runs first, then longer ones: an easy rule shows soon, a hard one gets its time.
  std::uint64_t slice = 20'000;
  const auto began = std::chrono::steady_clock::now();
  Random random(options.seed);
  bool over = false;
  const auto time_is_over = [&](std::uint64_t more) {
    if (options.progress) {
      options.progress("search: annealing", finding.iterations + more, options.iterations);
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
    over = (options.seconds > 0 && spent.count() > options.seconds) ||
           (options.interrupted && options.interrupted());
    return over;
  };
  bool first = true;
  while (finding.iterations < options.iterations && !over) {
    for (const Rule& rule : rules) {
      if (finding.iterations >= options.iterations || over) break;
      Annealing annealing(topology, rule, finding.target_steps, random);
      finding.iterations +=
          1 + annealing.run(std::min(slice, options.iterations - finding.iterations), time_is_over);
      if (!first && annealing.missing() >= finding.missing) continue;
      first = false;
      finding.table = annealing.table();
      finding.missing = annealing.missing();
      finding.provenance =
          fmt::format("annealing, rule {} mod {}, seed {}, {} moves", joined(rule.factors, ","),
                      rule.classes, options.seed, finding.iterations);
      if (finding.missing != 0) continue;
      finding.plan = table_plan(topology, finding.table, 1, annealing.completion());
      finding.plan->parameters["provenance"] = finding.provenance;
      return finding;
    }
    slice += slice / 2;
  }
  return finding;
}

}  // namespace gossamer
