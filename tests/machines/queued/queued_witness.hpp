// SPDX-License-Identifier: Apache-2.0
/// A witness of queued plans that shares nothing with the product: a simulator of single routers,
/// written from docs/spec/partial-collectives.md, that reads the plan document as plain JSON.
///
/// Every router uses only what messages have told it. Where a router is asked for something that it
/// has not been told, or two packets want one link, the witness is not content.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace gossamer::testing {

class QueuedWitness {
 public:
  explicit QueuedWitness(const nlohmann::json& plan)
      : program_(plan["program"]),
        to_(plan["demand"]["to"]),
        torus_(plan["topology"]["kind"] == "torus"),
        d_(static_cast<int>(plan["topology"]["dims"].size())),
        p_(plan["topology"]["dims"][0]),
        classes_(program_["classes"]),
        halves_(program_["halves"]) {
    n_ = 1;
    for (int i = 0; i < d_; ++i) n_ *= p_;
    const int parts = program_["class_rule"] == "split" ? classes_ * halves_ : halves_;
    const nlohmann::json& demand = plan["demand"];
    ids_ = demand["pieces"];
    packets_.assign(static_cast<std::size_t>(n_), 0);
    const bool whole = to_ == "counts" || to_ == "each-node" || to_ == "each-source";
    if (demand["from"] == "every" && to_ != "each-source" && to_ != "counts") {
      for (int& packets : packets_) packets = whole ? 1 : ids_ / parts;
    } else {
      for (const auto& row : demand["sources"]) {
        packets_[row[0]] = whole ? int{row[1]} : int{row[1]} / parts;
        if (row.size() > 2) targets_.push_back(row[2]);
      }
    }
    run();
  }

  /// Every packet is where the demand requires it, once, and all decisions used local knowledge.
  bool content = true;
  /// Why not, the first reason.
  std::string reason;
  /// The step of the last delivery; of prefix, packing and routing the last barrier.
  int steps = 0;
  int transfers = 0;
  int max_queue = 0;

 private:
  /// A packet, or a half of one, of a class.
  struct Item {
    int cls = 0;
    int rank = 0;
    int half = 0;
    int node = 0;
  };
  /// The knowledge of a router about one order of the nodes.
  struct Counts {
    bool started = false;
    int count = 0;
    std::vector<int> from_left;
    int before = 0;
    int total = -1;
    int line = 0;
    int up = 0;
    int down = 0;
  };

  void blame(const std::string& why) {
    if (content) reason = why;
    content = false;
  }
  int digit(int node, int dim) const {
    for (int i = 0; i < dim; ++i) node /= p_;
    return node % p_;
  }
  int with_digit(int node, int dim, int value) const {
    int stride = 1;
    for (int i = 0; i < dim; ++i) stride *= p_;
    return node + (value - digit(node, dim)) * stride;
  }
  /// The neighbour along a dimension, -1 beyond the end of a line.
  int neighbor(int node, int dim, int way, bool round) const {
    const int at = digit(node, dim) + way;
    if (at >= 0 && at < p_) return with_digit(node, dim, at);
    return round ? with_digit(node, dim, (at + p_) % p_) : -1;
  }
  /// The node's number when dimension c is the least significant digit.
  int order(int node, int c) const {
    int id = 0;
    for (int j = d_ - 1; j >= 0; --j) id = id * p_ + digit(node, (j + c) % d_);
    return id;
  }
  void use(int node, int dim, int way) {
    if (!links_.insert({node, dim, way}).second) blame("two packets on one link");
    ++transfers;
  }
  static bool flag(const nlohmann::json& phase, const char* name) {
    return phase.contains(name) && phase[name] == true;
  }
  static bool is_prefix(const nlohmann::json& phase) {
    const std::string kind = phase["kind"];
    return kind.rfind("prefix", 0) == 0 || kind == "line-sum";
  }
  static bool active(const nlohmann::json& phase, int step) {
    return step >= int{phase["start"]} && step < int{phase["start"]} + int{phase["length"]};
  }
  bool everybody() const {
    return std::all_of(packets_.begin(), packets_.end(), [](int k) { return k == 1; });
  }
  bool exchanges() const { return to_ == "each-node" || to_ == "each-source"; }

  void run() {
    run_prefix();
    if (to_ == "counts") {
      for (int c = 0; c < classes_; ++c) check_counts(c);
      steps = prefix_steps_;
      max_queue = 1;
      return;
    }
    transfers = 0;
    if (exchanges()) {
      run_exchange();
    } else {
      load();
      if (content) run_packets();
    }
  }

  // --- prefix -----------------------------------------------------------------------------------

  void run_prefix() {
    counts_.assign(static_cast<std::size_t>(classes_) + 1,
                   std::vector<Counts>(static_cast<std::size_t>(n_)));
    prefix_steps_ = 0;
    for (const auto& phase : program_["phases"]) {
      if (is_prefix(phase)) {
        prefix_steps_ = std::max(prefix_steps_, int{phase["start"]} + int{phase["length"]} - 1);
      }
    }
    for (int step = 1; step <= prefix_steps_; ++step) {
      links_.clear();
      for (const auto& phase : program_["phases"]) {
        if (is_prefix(phase) && active(phase, step)) prefix_step(phase, step);
      }
    }
  }
  /// The class of a node's packet, as the node knows it when the class is counted; -1: it does not.
  int dealt_class(int node) const {
    if (program_["class_rule"] == "digit-sum") {
      int sum = 0;
      for (int i = 0; i < d_; ++i) sum += digit(node, i);
      return sum % classes_;
    }
    const Counts& all = counts_.back()[static_cast<std::size_t>(node)];
    if (all.total < 0) return classes_ == 1 ? 0 : -1;
    return all.before % classes_;
  }
  bool deals() const { return to_ == "every" && program_["class_rule"] != "split" && !exchanges(); }
  void prefix_step(const nlohmann::json& phase, int step) {
    const int c = phase["class"];
    const int dim = phase["dimension"];
    const bool round = flag(phase, "class_round");
    auto& all = counts_[round ? counts_.size() - 1 : static_cast<std::size_t>(c)];
    for (int node = 0; node < n_; ++node) {
      Counts& at = all[static_cast<std::size_t>(node)];
      if (at.started) continue;
      at.started = true;
      at.count = packets_[static_cast<std::size_t>(node)];
      if (at.count != 0 && !round && deals()) {
        const int cls = dealt_class(node);
        if (cls < 0) blame("a class is counted before anybody knows its packets");
        if (cls != c) at.count = 0;
      }
      at.line = at.count;
      at.from_left.assign(static_cast<std::size_t>(d_), 0);
    }
    const int s = step - int{phase["start"]};
    const int level = (dim - c + d_) % d_;
    const auto lower_are_last = [&](int node) {
      for (int j = 0; j < level; ++j) {
        if (digit(node, (j + c) % d_) != p_ - 1) return false;
      }
      return true;
    };
    const std::string kind = phase["kind"];
    struct Message {
      int to;
      int way;
      int value;
      int total;
    };
    std::vector<Message> sent;
    const auto send = [&](int node, int way, int value, int total) {
      use(node, dim, way);
      sent.push_back({neighbor(node, dim, way, false), way, value, total});
    };
    for (int node = 0; node < n_; ++node) {
      Counts& at = all[static_cast<std::size_t>(node)];
      const int x = digit(node, dim);
      if (kind == "prefix-forward") {
        if (x == s && lower_are_last(node)) send(node, 1, at.count, -1);
      } else if (kind == "prefix-reverse") {
        if (x != p_ - 1 - s || !lower_are_last(node)) continue;
        if (s == 0) {
          // The end of the line: the top of the tree knows M, the others what was before the line.
          if (level == d_ - 1) at.total = at.count;
          at.line = at.before;
          at.before = at.line + at.from_left[static_cast<std::size_t>(level)];
        }
        send(node, -1, at.line, at.total);
      } else if (kind == "prefix-two-way") {
        if (s == 0) at.up = at.down = 0;
        if (x == s) send(node, 1, at.up + at.count, -1);
        if (x == p_ - 1 - s) send(node, -1, at.down + at.count, -1);
      } else {
        const int middle = p_ / 2;
        if (s < middle) {
          if (x == s) send(node, 1, at.count, -1);
          if (x == p_ - 1 - s && x > middle) send(node, -1, at.count, -1);
        } else {
          if (s == middle && x == middle) at.total = at.count;
          if (x == middle - (s - middle) && x > 0) send(node, -1, 0, at.total);
          if (x == middle + (s - middle) && x < p_ - 1) send(node, 1, 0, at.total);
        }
      }
    }
    for (const Message& message : sent) {
      Counts& at = all[static_cast<std::size_t>(message.to)];
      if (kind == "prefix-forward") {
        at.from_left[static_cast<std::size_t>(level)] = message.value;
        at.count += message.value;
      } else if (kind == "prefix-reverse") {
        at.line = message.value;
        at.before = message.value + at.from_left[static_cast<std::size_t>(level)];
        at.total = message.total;
      } else if (kind == "prefix-two-way") {
        (message.way > 0 ? at.up : at.down) = message.value;
      } else if (s < p_ / 2) {
        at.count += message.value;
      } else {
        at.total = message.total;
      }
    }
    if (kind == "prefix-two-way" && s == p_ - 2) {
      for (Counts& at : all) {
        at.before += at.up;
        at.count += at.up + at.down;
        at.total = at.count;
      }
    }
  }
  /// Compares every rank and every total with the truth.
  void check_counts(int c) {
    for (int node = 0; node < n_; ++node) {
      int before = 0;
      int total = 0;
      for (int other = 0; other < n_; ++other) {
        total += packets_[static_cast<std::size_t>(other)];
        if (order(other, c) < order(node, c)) before += packets_[static_cast<std::size_t>(other)];
      }
      const Counts& at = counts_[static_cast<std::size_t>(c)][static_cast<std::size_t>(node)];
      if (at.total != total) blame("a node has a wrong total");
      if (packets_[static_cast<std::size_t>(node)] != 0 && at.before != before) {
        blame("a node has a wrong rank");
      }
    }
  }

  // --- packing, routing, broadcasts
  // ----------------------------------------------------------------

  void load() {
    const bool split = program_["class_rule"] == "split";
    bool moves = false;
    for (int c = 0; c < classes_; ++c) {
      int phases = 0;
      for (const auto& phase : program_["phases"]) {
        if (is_prefix(phase) || phase["class"] != c) continue;
        ++phases;
        moves = moves || phase["kind"] != "broadcast";
      }
      const bool needs = moves || phases > 1;
      std::vector<int> nodes(static_cast<std::size_t>(n_));
      for (int node = 0; node < n_; ++node) nodes[static_cast<std::size_t>(node)] = node;
      std::sort(nodes.begin(), nodes.end(),
                [&](int a, int b) { return order(a, c) < order(b, c); });
      int place = 0;
      for (const int node : nodes) {
        const int packets = packets_[static_cast<std::size_t>(node)];
        if (packets == 0) continue;
        if (!split) {
          int cls = dealt_class(node);
          if (cls < 0 && program_["class_rule"] == "rank" && everybody()) cls = node % classes_;
          if (cls < 0) return blame("packets are not dealt to classes");
          if (cls != c) continue;
        }
        const Counts& at = counts_[static_cast<std::size_t>(c)][static_cast<std::size_t>(node)];
        int rank = place;
        if (at.total >= 0) {
          rank = at.before;
        } else if (needs && !everybody()) {
          return blame("a router does not know the rank of its packet");
        }
        for (int i = 0; i < packets; ++i) {
          for (int half = 0; half < halves_; ++half) items_.push_back({c, rank + i, half, node});
        }
        place += packets;
      }
    }
    held_.assign(static_cast<std::size_t>(n_), {});
  }

  int goal(const Item& item, const std::string& kind) {
    if (kind == "route") {
      if (item.rank >= static_cast<int>(targets_.size())) {
        blame("no target");
        return 0;
      }
      return targets_[static_cast<std::size_t>(item.rank)];
    }
    int node = 0;
    int id = item.rank;
    for (int j = 0; j < d_; ++j, id /= p_) node = with_digit(node, (j + item.cls) % d_, id % p_);
    if (id != 0) blame("a rank beyond all nodes");
    return node;
  }

  void run_packets() {
    int last = 0;
    for (const auto& phase : program_["phases"]) {
      if (!is_prefix(phase)) last = std::max(last, int{phase["start"]} + int{phase["length"]} - 1);
    }
    const bool to_all = to_ == "every";
    for (int step = 1; step <= last && content; ++step) {
      links_.clear();
      for (std::size_t i = 0; i < program_["phases"].size(); ++i) {
        const auto& phase = program_["phases"][i];
        if (is_prefix(phase) || !active(phase, step)) continue;
        if (phase["kind"] == "broadcast") {
          broadcast_step(i, phase, step);
        } else {
          move_step(phase, step);
        }
      }
    }
    if (!to_all) {
      steps = last;
      for (const Item& item : items_) {
        const int end = to_ == "target" ? goal(item, "route") : item.rank;
        if (item.node != end) blame("a packet ends elsewhere");
      }
      return;
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      for (const auto& held : held_) {
        if (held.count(static_cast<int>(i)) == 0) blame("a node lacks a packet");
      }
    }
  }

  void move_step(const nlohmann::json& phase, int step) {
    const int half = (step - int{phase["start"]}) % halves_;
    const int dim = phase["dimension"];
    std::map<std::pair<int, int>, int> waiting;
    struct Hop {
      Item* item;
      int to;
    };
    std::vector<Hop> hops;
    for (Item& item : items_) {
      if (item.cls != phase["class"]) continue;
      const int is = digit(item.node, dim);
      const int should = digit(goal(item, phase["kind"]), dim);
      if (is == should) continue;
      int way = should > is ? 1 : -1;
      if (flag(phase, "wrap")) way = (should - is + p_) % p_ <= p_ / 2 ? 1 : -1;
      if (half == 0) max_queue = std::max(max_queue, ++waiting[{item.node, way}]);
      if (item.half != half) continue;
      use(item.node, dim, way);
      hops.push_back({&item, neighbor(item.node, dim, way, flag(phase, "wrap"))});
    }
    for (const Hop& hop : hops) hop.item->node = hop.to;
  }

  /// Hops of the index-th own item of a node in a direction.
  int hops_of(const nlohmann::json& phase, const Item& item, int index, int way) const {
    const int minus = phase["hops"][0];
    const int plus = phase["hops"][1];
    if (halves_ == 2) return (item.half == 0) == (way > 0) ? (way > 0 ? plus : minus) : 0;
    const bool swap = flag(phase, "alternate") && index % 2 == 1;
    return (way > 0) != swap ? plus : minus;
  }

  void broadcast_step(std::size_t number, const nlohmann::json& phase, int step) {
    const int c = phase["class"];
    const int dim = phase["dimension"];
    const auto start = static_cast<int>(phase["start"]);
    auto& own = own_[number];
    auto& passing = passing_[number];
    if (step == start) {
      // The packet that a class starts to broadcast is at the node where packing left it.
      if (begun_.insert(c).second) {
        for (std::size_t i = 0; i < items_.size(); ++i) {
          if (items_[i].cls == c) {
            held_[static_cast<std::size_t>(items_[i].node)].insert(static_cast<int>(i));
          }
        }
      }
      own.assign(static_cast<std::size_t>(n_), {});
      passing.clear();
      for (int node = 0; node < n_; ++node) {
        std::vector<int> mine;
        for (const int i : held_[static_cast<std::size_t>(node)]) {
          if (items_[static_cast<std::size_t>(i)].cls == c) mine.push_back(i);
        }
        std::sort(mine.begin(), mine.end(), [&](int a, int b) {
          const Item& x = items_[static_cast<std::size_t>(a)];
          const Item& y = items_[static_cast<std::size_t>(b)];
          return std::tie(x.rank, x.half) < std::tie(y.rank, y.half);
        });
        for (const int way : {-1, 1}) {
          auto& queue = own[static_cast<std::size_t>(node)][way];
          for (std::size_t k = 0; k < mine.size(); ++k) {
            const int hops =
                hops_of(phase, items_[static_cast<std::size_t>(mine[k])], static_cast<int>(k), way);
            if (hops > 0) queue.emplace_back(mine[k], hops);
          }
          max_queue = std::max(max_queue, static_cast<int>(queue.size()));
        }
      }
    }
    std::map<std::pair<int, int>, std::pair<int, int>> arriving;
    for (int node = 0; node < n_; ++node) {
      for (const int way : {-1, 1}) {
        const int to = neighbor(node, dim, way, torus_);
        if (to < 0) continue;
        std::pair<int, int> item{-1, 0};
        auto& queue = own[static_cast<std::size_t>(node)][way];
        if (const auto came = passing.find({node, way}); came != passing.end()) {
          item = came->second;
        } else if (!queue.empty()) {
          item = queue.front();
          queue.pop_front();
        }
        if (item.first < 0) continue;
        use(node, dim, way);
        if (item.second > 1) arriving[{to, way}] = {item.first, item.second - 1};
        arrivals_.emplace_back(to, item.first);
      }
    }
    passing = arriving;
    for (const auto& [node, item] : arrivals_) {
      if (!held_[static_cast<std::size_t>(node)].insert(item).second) blame("a duplicate");
      steps = step;
    }
    arrivals_.clear();
  }

  // --- exchange and gather
  // --------------------------------------------------------------------------

  struct Personal {
    int origin;
    int destination;
    bool x_first;
  };

  void run_exchange() {
    const bool gather = to_ == "each-source";
    bool phase = false;
    for (const auto& candidate : program_["phases"]) {
      phase = phase || candidate["kind"] == "exchange";
    }
    if (!phase) return blame("nothing moves");
    for (int node = 0; node < n_; ++node) {
      const int row = counts_[0][static_cast<std::size_t>(node)].total;
      const int column = counts_[1][static_cast<std::size_t>(node)].total;
      int true_row = 0;
      int true_column = 0;
      for (int other = 0; other < n_; ++other) {
        if (digit(other, 1) == digit(node, 1))
          true_row += packets_[static_cast<std::size_t>(other)];
        if (digit(other, 0) == digit(node, 0)) {
          true_column += packets_[static_cast<std::size_t>(other)];
        }
      }
      if (row != true_row || column != true_column) blame("a node miscounts its row or column");
    }
    // By node, dimension, way: first legs, second legs.
    std::map<std::tuple<int, int, int>, std::array<std::deque<Personal>, 2>> queues;
    int waiting = 0;
    const auto put = [&](int node, const Personal& packet) {
      const int dx = digit(packet.destination, 0) - digit(node, 0);
      const int dy = digit(packet.destination, 1) - digit(node, 1);
      if (dx == 0 && dy == 0) return;
      const bool first = packet.x_first ? dx != 0 : dy != 0;
      const bool along_x = packet.x_first ? dx != 0 : dy == 0;
      queues[{node, along_x ? 0 : 1, (along_x ? dx : dy) > 0 ? 1 : -1}][first ? 0 : 1].push_back(
          packet);
      ++waiting;
    };
    const bool balanced = program_["rule"] == "balanced";
    const auto distance = [&](int a, int b) {
      return std::abs(digit(a, 0) - digit(b, 0)) + std::abs(digit(a, 1) - digit(b, 1));
    };
    for (int node = 0; node < n_; ++node) {
      std::vector<int> others;
      for (int other = 0; other < n_; ++other) {
        const int active = gather ? other : node;
        if (other != node && packets_[static_cast<std::size_t>(active)] != 0) {
          others.push_back(other);
        }
      }
      if (balanced && !gather) {
        std::stable_sort(others.begin(), others.end(),
                         [&](int a, int b) { return distance(node, a) > distance(node, b); });
      }
      for (const int other : others) {
        const int active = gather ? other : node;
        const int partner = gather ? node : other;
        const int r = counts_[0][static_cast<std::size_t>(active)].total;
        const int c = counts_[1][static_cast<std::size_t>(active)].total;
        bool x_first = gather ? r > c : r <= c;
        if (balanced && r == c) x_first = (digit(partner, 0) + digit(partner, 1)) % 2 == 0;
        put(node, {node, other, x_first});
      }
    }
    while (waiting != 0 && content) {
      ++steps;
      links_.clear();
      std::map<std::pair<int, int>, Personal> arrivals;
      for (auto& [port, legs] : queues) {
        const auto [node, dim, way] = port;
        max_queue = std::max(max_queue, static_cast<int>(legs[0].size() + legs[1].size()));
        auto& queue = legs[0].empty() ? legs[1] : legs[0];
        if (queue.empty()) continue;
        use(node, dim, way);
        // In-port: the one that faces back.
        arrivals.insert(
            {{neighbor(node, dim, way, false), 2 * dim + (way > 0 ? 0 : 1)}, queue.front()});
        queue.pop_front();
        --waiting;
      }
      for (const auto& [where, packet] : arrivals) put(where.first, packet);
    }
  }

  nlohmann::json program_;
  std::string to_;
  bool torus_;
  int d_;
  int p_;
  int n_ = 1;
  int classes_;
  int halves_;
  int ids_ = 1;
  /// Whole packets of each node.
  std::vector<int> packets_;
  std::vector<int> targets_;
  int prefix_steps_ = 0;
  /// By class, the round over all active nodes last; then by node.
  std::vector<std::vector<Counts>> counts_;
  std::set<std::tuple<int, int, int>> links_;
  std::vector<Item> items_;
  /// By node: the items that it has, from the start of their class's broadcasts on.
  std::vector<std::set<int>> held_;
  std::set<int> begun_;
  /// By phase: own items still to be sent, by node and way; what passes, by node and way.
  std::map<std::size_t, std::vector<std::map<int, std::deque<std::pair<int, int>>>>> own_;
  std::map<std::size_t, std::map<std::pair<int, int>, std::pair<int, int>>> passing_;
  std::vector<std::pair<int, int>> arrivals_;
};

}  // namespace gossamer::testing
