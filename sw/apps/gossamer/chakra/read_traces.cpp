// SPDX-License-Identifier: Apache-2.0
#include "chakra/read_traces.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "execution_trace.pb.h"
#include "gossamer/plan/groups.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/util/checked.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"

namespace gossamer::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTraceBytes = std::size_t{1} << 30U;
constexpr std::size_t kShownNameBytes = 40;
constexpr std::uint64_t kPicosecondsPerMicrosecond = 1'000'000;
/// The name that counts in a directory with traces of several names: ASTRA-sim's examples and
/// `emit --format astra-sim` use it.
constexpr std::string_view kUsualName = "workload";

/// Types of nodes, by number.
constexpr std::array<std::string_view, 11> kTypes{"INVALID", "METADATA",  "MEM_LOAD",  "MEM_STORE",
                                                  "COMP",    "COMM_SEND", "COMM_RECV", "COMM_COLL",
                                                  "STORAGE", "BATCH",     "CHECKPOINT"};
constexpr int kComputation = 4;
constexpr int kCollective = 7;

constexpr std::string_view kBarrier = "barrier";
struct CollectiveType {
  std::string_view chakra;
  /// Empty: not supported.
  std::string_view collective;
};
/// By number.
constexpr std::array<CollectiveType, 10> kCollectives{{{"ALL_REDUCE", "all-reduce"},
                                                       {"REDUCE", "reduce"},
                                                       {"ALL_GATHER", "gossip"},
                                                       {"GATHER", {}},
                                                       {"SCATTER", {}},
                                                       {"BROADCAST", "broadcast"},
                                                       {"ALL_TO_ALL", "all-to-all"},
                                                       {"REDUCE_SCATTER", "reduce-scatter"},
                                                       {"REDUCE_SCATTER_BLOCK", {}},
                                                       {"BARRIER", kBarrier}}};

/// A node of one rank's trace, as far as it matters here.
struct TraceStep {
  std::uint64_t id = 0;
  std::string name;
  std::uint64_t micros = 0;
  /// Empty for computations.
  std::string collective;
  std::uint64_t bytes = 0;
  /// Sorted, without repetition.
  std::vector<std::uint64_t> after;
  /// Communicator group; empty: all nodes.
  std::string group;

  /// Names and groups differ from rank to rank.
  [[nodiscard]] bool does_the_same(const TraceStep& other) const {
    return id == other.id && micros == other.micros && collective == other.collective &&
           bytes == other.bytes && after == other.after;
  }
};

/// The value of an attribute as a whole number; empty for others and below 0.
std::optional<std::uint64_t> number_of(const chakra::Attribute& attribute) {
  const auto positive = [](std::int64_t value) {
    return value < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(value));
  };
  switch (attribute.value_case()) {
    case chakra::Attribute::kSigned32:
      return positive(attribute.signed_32());
    case chakra::Attribute::kSigned64:
      return positive(attribute.signed_64());
    case chakra::Attribute::kUnsigned32:
      return attribute.unsigned_32();
    case chakra::Attribute::kUnsigned64:
      return attribute.unsigned_64();
    default:
      return std::nullopt;
  }
}

/// "3 (gather)".
std::string named_node(std::uint64_t id, const std::string& name) {
  return name.empty() ? std::to_string(id)
                      : fmt::format("{} ({})", id, name.substr(0, kShownNameBytes));
}

/// Reads the trace of one rank.
class TraceReader {
 public:
  TraceReader(std::string file, const std::string& bytes) : file_(std::move(file)), bytes_(bytes) {}

  /// Sorted by id.
  std::vector<TraceStep> read() {
    chakra::Header header;
    parse(header, "header");
    std::vector<TraceStep> steps;
    while (at_ < bytes_.size()) {
      chakra::Node node;
      parse(node, "node");
      place_ = fmt::format("node {}", named_node(node.id(), node.name()));
      steps.push_back(step_of(node));
      place_ = "after " + place_;
    }
    std::sort(steps.begin(), steps.end(),
              [](const TraceStep& a, const TraceStep& b) { return a.id < b.id; });
    const auto twice =
        std::adjacent_find(steps.begin(), steps.end(),
                           [](const TraceStep& a, const TraceStep& b) { return a.id == b.id; });
    if (twice != steps.end()) {
      refuse_node(*twice, "two nodes of the trace have this id");
    }
    return steps;
  }

  [[noreturn]] void refuse_node(const TraceStep& step, const std::string& cause) const {
    throw InputError(fmt::format("{}: node {}: {}", file_, named_node(step.id, step.name), cause));
  }

 private:
  [[noreturn]] void refuse(const std::string& cause) const {
    throw InputError(place_.empty() ? fmt::format("{}: {}", file_, cause)
                                    : fmt::format("{}: {}: {}", file_, place_, cause));
  }

  /// The message at `at_`, after its length.
  template <typename Message>
  void parse(Message& message, std::string_view what) {
    const auto left = static_cast<int>(bytes_.size() - at_);
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes_.data()) + at_;
    google::protobuf::io::CodedInputStream stream(begin, left);
    std::uint32_t size = 0;
    if (!stream.ReadVarint32(&size)) {
      refuse(fmt::format("the trace is truncated at byte {}, in the length of a {}", at_, what));
    }
    const int head = stream.CurrentPosition();
    if (size > static_cast<std::uint32_t>(left - head)) {
      refuse(
          fmt::format("the trace is truncated: a {} of {} bytes begins at byte {}, and {} are left",
                      what, size, at_, left - head));
    }
    if (!message.ParseFromArray(begin + head, static_cast<int>(size))) {
      refuse(fmt::format("byte {}: not a {} of a Chakra trace", at_, what));
    }
    at_ += static_cast<std::size_t>(head) + size;
  }

  TraceStep step_of(const chakra::Node& node) const {
    TraceStep step;
    step.id = node.id();
    step.name = node.name();
    step.after.assign(node.data_dependencies().begin(), node.data_dependencies().end());
    step.after.insert(step.after.end(), node.control_dependencies().begin(),
                      node.control_dependencies().end());
    std::sort(step.after.begin(), step.after.end());
    step.after.erase(std::unique(step.after.begin(), step.after.end()), step.after.end());
    if (node.type() == kComputation) {
      step.micros = node.duration_micros();
      if (step.micros == 0) refuse("a computation requires duration_micros, and it has none");
    } else if (node.type() == kCollective) {
      read_collective(node, step);
    } else {
      const auto type = static_cast<std::size_t>(node.type());
      refuse(fmt::format(
          "type {} is not supported; supported: COMP, COMM_COLL",
          type < kTypes.size() ? std::string(kTypes.at(type)) : std::to_string(node.type())));
    }
    return step;
  }

  void read_collective(const chakra::Node& node, TraceStep& step) const {
    const auto type = required(node, "comm_type");
    const CollectiveType known = type < kCollectives.size()
                                     ? kCollectives.at(static_cast<std::size_t>(type))
                                     : CollectiveType{};
    if (known.collective.empty()) {
      std::vector<std::string_view> names;
      for (const CollectiveType& each : kCollectives) {
        if (!each.collective.empty()) names.push_back(each.chakra);
      }
      refuse(fmt::format("comm_type {} is not supported; supported: {}",
                         known.chakra.empty() ? std::to_string(type) : std::string(known.chakra),
                         joined(names, ", ")));
    }
    step.collective = known.collective;
    step.bytes = step.collective == kBarrier ? 1 : required(node, "comm_size");
    if (step.bytes == 0 || step.bytes > kMaxMessageBytes) {
      refuse(fmt::format("comm_size: {} bytes; 1 to {} are expected", step.bytes,
                         bytes_text(kMaxMessageBytes)));
    }
    if (const auto* const group = attribute_of(node, "pg_name")) {
      const auto number = number_of(*group);
      step.group = number ? std::to_string(*number) : group->text();
      // As in ASTRA-sim.
      if (step.group == "0") step.group.clear();
    }
  }

  static const chakra::Attribute* attribute_of(const chakra::Node& node, std::string_view name) {
    for (const chakra::Attribute& attribute : node.attributes()) {
      if (attribute.name() == name) return &attribute;
    }
    return nullptr;
  }

  [[nodiscard]] std::uint64_t required(const chakra::Node& node, std::string_view name) const {
    const auto* const attribute = attribute_of(node, name);
    if (attribute == nullptr)
      refuse(fmt::format("a collective requires {}, and it has none", name));
    const auto number = number_of(*attribute);
    if (!number) refuse(fmt::format("{}: a whole number is expected", name));
    return *number;
  }

  std::string file_;
  const std::string& bytes_;
  std::size_t at_ = 0;
  /// For messages: the node that is read, or the last one.
  std::string place_;
};

/// The communicator groups of NAME.json, as groups of the network.
class Communicators {
 public:
  Communicators(const fs::path& file, const Topology& topology)
      : file_(file.string()), topology_(topology) {
    std::error_code error;
    if (!fs::exists(file, error)) return;
    const auto json = nlohmann::json::parse(InputFile(file_).text(kMostTraceBytes), nullptr, false);
    if (!json.is_object()) refuse("an object of communicator groups is expected");
    for (const auto& [name, ranks] : json.items()) read(name, ranks);
  }

  /// The groups of the communicator that has this name at the node `rank`. `cause` becomes the
  /// reason for a null result.
  [[nodiscard]] const Groups* groups_of(const std::string& name, NodeId rank,
                                        std::string& cause) const {
    const auto found = communicators_.find(name);
    if (found == communicators_.end()) {
      cause =
          fmt::format("communicator group {} is not in {}", name.substr(0, kShownNameBytes), file_);
      return nullptr;
    }
    const auto& [layout, group] = found->second;
    if (layouts_[layout].second.group(rank) != group) {
      cause =
          fmt::format("communicator group {} of {} does not contain node {}", name, file_, rank);
      return nullptr;
    }
    return &layouts_[layout].first;
  }

 private:
  [[noreturn]] void refuse(const std::string& cause) const {
    throw InputError(fmt::format("{}: {}", file_, cause));
  }

  void read(const std::string& name, const nlohmann::json& ranks) {
    const std::string place = fmt::format("group {}", name.substr(0, kShownNameBytes));
    if (!ranks.is_array() || ranks.empty()) refuse(place + ": a list of ranks is expected");
    std::vector<NodeId> nodes;
    for (const auto& rank : ranks) {
      if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() >= topology_.nodes()) {
        refuse(fmt::format("{}: ranks from 0 to {} are expected", place, topology_.nodes() - 1));
      }
      nodes.push_back(rank.get<NodeId>());
    }
    std::sort(nodes.begin(), nodes.end());
    const Groups groups = box_of(nodes);
    const std::string defect = group_defect(topology_, groups);
    auto layout = std::find_if(layouts_.begin(), layouts_.end(),
                               [&](const auto& known) { return known.first == groups; });
    if (defect.empty() && layout == layouts_.end()) {
      layouts_.emplace_back(groups, GroupLayout(topology_, groups));
      layout = std::prev(layouts_.end());
    }
    if (!defect.empty() || !is_group(layout->second, nodes)) {
      refuse(fmt::format("{}: its nodes are no group of the {} {} (docs/groups.md){}", place,
                         topology_.dims_text(), topology_.kind(),
                         defect.empty() ? "" : ": " + defect));
    }
    communicators_.emplace(name, std::pair(static_cast<std::size_t>(layout - layouts_.begin()),
                                           layout->second.group(nodes.front())));
  }

  /// Members and their distances along each dimension, if the nodes are a group.
  [[nodiscard]] Groups box_of(const std::vector<NodeId>& nodes) const {
    Groups groups;
    for (int dim = 0; dim < topology_.dimensions(); ++dim) {
      std::set<std::uint32_t> places;
      for (const NodeId node : nodes) {
        places.insert(topology_.coordinates(node)[static_cast<std::size_t>(dim)]);
      }
      groups.shape.push_back(static_cast<std::uint32_t>(places.size()));
      groups.stride.push_back(places.size() == 1 ? 1
                                                 : *std::next(places.begin()) - *places.begin());
    }
    return groups;
  }

  static bool is_group(const GroupLayout& layout, const std::vector<NodeId>& nodes) {
    if (nodes.size() != layout.members()) return false;
    std::vector<NodeId> members;
    for (NodeId rank = 0; rank < layout.members(); ++rank) {
      members.push_back(layout.node(layout.group(nodes.front()), rank));
    }
    std::sort(members.begin(), members.end());
    return members == nodes;
  }

  std::string file_;
  const Topology& topology_;
  std::vector<std::pair<Groups, GroupLayout>> layouts_;
  /// By name, the index of its layout, and the group there.
  std::unordered_map<std::string, std::pair<std::size_t, NodeId>> communicators_;
};

class DirectoryReader {
 public:
  DirectoryReader(const std::string& directory, const Topology& topology)
      : directory_(directory),
        topology_(topology),
        name_(trace_name()),
        communicators_(directory_ / (name_ + ".json"), topology) {}

  Workload read() {
    std::string previous;
    for (NodeId rank = 0; rank < topology_.nodes(); ++rank) {
      std::string bytes = InputFile(file_of(rank)).text(kMostTraceBytes);
      // Most nodes have the same trace, or differ in their groups only.
      if (rank == 0 || bytes != previous) steps_ = checked(rank, bytes);
      previous = std::move(bytes);
      if (rank == 0) first_ = steps_;
      find_groups(rank);
    }
    return workload();
  }

 private:
  [[noreturn]] void refuse(const std::string& cause) const {
    throw InputError(fmt::format("{}: {}", directory_.string(), cause));
  }

  [[nodiscard]] std::string file_of(NodeId rank) const {
    return (directory_ / fmt::format("{}.{}.et", name_, rank)).string();
  }

  /// NAME of the files NAME.RANK.et, one per node.
  [[nodiscard]] std::string trace_name() const {
    std::map<std::string, std::uint64_t> traces;
    std::error_code error;
    for (fs::directory_iterator at(directory_, error), end; !error && at != end;
         at.increment(error)) {
      const fs::path file = at->path().filename();
      if (file.extension() != ".et") continue;
      const fs::path stem = file.stem();
      if (!stem.has_extension() || !whole_number(stem.extension().string().substr(1))) continue;
      ++traces[stem.stem().string()];
    }
    if (error) refuse(error.message());
    if (traces.empty()) refuse("no traces; files NAME.RANK.et are expected, one per node");
    const auto usual = traces.find(std::string(kUsualName));
    if (usual == traces.end() && traces.size() > 1) {
      refuse(fmt::format("traces of several names: {}, {}; one is expected, or {}",
                         traces.begin()->first, std::next(traces.begin())->first, kUsualName));
    }
    const auto& [name, count] = usual == traces.end() ? *traces.begin() : *usual;
    if (count != topology_.nodes()) {
      refuse(fmt::format("{}.0.et, ...: {} traces for the {} nodes of the {} {}", name, count,
                         topology_.nodes(), topology_.dims_text(), topology_.kind()));
    }
    return name;
  }

  /// The steps of a rank, which are those of rank 0.
  [[nodiscard]] std::vector<TraceStep> checked(NodeId rank, const std::string& bytes) const {
    TraceReader reader(file_of(rank), bytes);
    std::vector<TraceStep> steps = reader.read();
    if (rank == 0) {
      check_dependencies(reader, steps);
      return steps;
    }
    for (std::size_t i = 0; i < std::max(steps.size(), first_.size()); ++i) {
      if (i < steps.size() && i < first_.size() && steps[i].does_the_same(first_[i])) continue;
      const bool missing = i == steps.size() || (i < first_.size() && first_[i].id < steps[i].id);
      reader.refuse_node(missing ? first_[i] : steps[i],
                         fmt::format("it differs from {}; all nodes run the same steps",
                                     fs::path(file_of(0)).filename().string()));
    }
    return steps;
  }

  static void check_dependencies(const TraceReader& reader, const std::vector<TraceStep>& steps) {
    if (steps.empty()) return;
    for (const TraceStep& step : steps) {
      for (const std::uint64_t before : step.after) {
        if (!index_of(steps, before)) {
          reader.refuse_node(
              step, fmt::format("it depends on node {}, which the trace does not have", before));
        }
      }
    }
  }

  static std::optional<std::size_t> index_of(const std::vector<TraceStep>& steps,
                                             std::uint64_t id) {
    const auto found =
        std::lower_bound(steps.begin(), steps.end(), id,
                         [](const TraceStep& step, std::uint64_t one) { return step.id < one; });
    if (found == steps.end() || found->id != id) return std::nullopt;
    return static_cast<std::size_t>(found - steps.begin());
  }

  /// The groups of each collective, as the trace of `rank` has them.
  void find_groups(NodeId rank) {
    if (rank == 0) groups_.resize(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const TraceStep& step = steps_[i];
      if (step.collective.empty()) continue;
      std::string cause;
      const Groups* groups = nullptr;
      if (!step.group.empty()) groups = communicators_.groups_of(step.group, rank, cause);
      if (cause.empty() && rank > 0 && groups_[i] != groups) {
        cause = "its group has another shape than that of node 0";
      }
      if (!cause.empty()) {
        throw InputError(
            fmt::format("{}: node {}: {}", file_of(rank), named_node(step.id, step.name), cause));
      }
      groups_[i] = groups;
    }
  }

  [[nodiscard]] Workload workload() const {
    Workload workload;
    workload.name = directory_.filename().string();
    if (workload.name.empty()) workload.name = directory_.parent_path().filename().string();
    if (first_.empty()) throw InputError(fmt::format("{}: the trace has no nodes", file_of(0)));
    for (std::size_t i = 0; i < first_.size(); ++i) {
      const TraceStep& read = first_[i];
      WorkloadStep step;
      step.name = read.name.empty() ? fmt::format("node {}", read.id) : read.name;
      step.place = fmt::format("{}: node {}", file_of(0), named_node(read.id, read.name));
      for (const std::uint64_t before : read.after) {
        step.after.push_back(*index_of(first_, before));
      }
      if (read.collective.empty()) {
        const auto picoseconds = product(read.micros, kPicosecondsPerMicrosecond);
        if (!picoseconds) throw InputError(step.place + ": duration_micros: too long");
        step.picoseconds = *picoseconds;
      } else {
        step.collective = collective_of(read, groups_[i]);
      }
      workload.steps.push_back(std::move(step));
    }
    return workload;
  }

  [[nodiscard]] WorkloadCollective collective_of(const TraceStep& read,
                                                 const Groups* groups) const {
    WorkloadCollective collective;
    collective.collective = read.collective;
    collective.bytes = read.bytes;
    if (groups != nullptr && groups->members() < topology_.nodes()) {
      collective.groups = joined(groups->shape, "x");
      if (groups->longest_stride() > 1) collective.group_stride = joined(groups->stride, "x");
    }
    return collective;
  }

  fs::path directory_;
  const Topology& topology_;
  std::string name_;
  Communicators communicators_;
  /// Of rank 0, and of the rank that is read.
  std::vector<TraceStep> first_;
  std::vector<TraceStep> steps_;
  /// By step; null: all nodes.
  std::vector<const Groups*> groups_;
};

}  // namespace

Workload read_traces(const std::string& directory, const Topology& topology) {
  return DirectoryReader(directory, topology).read();
}

}  // namespace gossamer::cli
