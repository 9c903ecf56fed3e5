// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/mesh_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gossamer/util/error.hpp"
#include "gossamer/util/input_file.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

/// A descriptor is some lines of text; more is something else.
constexpr std::size_t kLargestDescriptor = std::size_t{1} << 24U;

/// Messages within messages that a descriptor may have.
constexpr int kDeepest = 32;

/// The messages of the format with their members, by the names of the fields that hold them. Chips,
/// hosts, trays and policies change no link, so they are checked and not used.
struct Message {
  std::string_view name;
  std::string_view members;
};
constexpr Message kMessages[] = {
    {"", "mesh_descriptors graph_descriptors top_level_instance pinnings device_topology"},
    {"mesh_descriptors", "name arch device_topology host_topology channels"},
    {"device_topology", "dims dim_types"},
    {"host_topology", "dims"},
    {"channels", "count policy"},
    {"graph_descriptors", "name type instances channels connections"},
    {"connections", "nodes channels directional assign_z_direction"},
    {"nodes", "mesh graph"},
    {"instances", "mesh graph"},
    {"top_level_instance", "mesh graph"},
    {"mesh", "mesh_descriptor mesh_id device_id"},
    {"graph", "graph_descriptor graph_id mesh graph"},
    {"pinnings", "logical_fabric_node_id physical_asic_position"},
    {"logical_fabric_node_id", "mesh_id chip_id"},
    {"physical_asic_position", "tray_id asic_location"},
};
constexpr std::string_view kRepeated =
    "mesh_descriptors graph_descriptors instances connections nodes pinnings dims dim_types";

/// Members of the format without an equivalent in our networks.
struct Unsupported {
  std::string_view member;
  std::string_view cause;
};
constexpr Unsupported kUnsupported[] = {
    {"express_connections", "only the links of a grid are supported"},
    {"graph_topology", "it does not say which chips are linked; connections with device_id do"},
};

const Message* message_named(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kMessages), std::end(kMessages),
                                         [&](const Message& each) { return each.name == name; });
  return found == std::end(kMessages) ? nullptr : found;
}

/// A chip of a mesh, or the mesh itself.
struct MeshRef {
  std::string_view descriptor;
  std::uint32_t mesh = 0;
  std::optional<std::uint32_t> device;
};

/// Links between two chips of different meshes.
struct Connection {
  std::vector<MeshRef> ends;
  std::uint64_t channels = 0;
  bool directional = false;
  std::size_t line = 0;
};

/// The meshes of a machine, and the links between them.
struct MeshGraph {
  std::string_view name;
  std::vector<MeshRef> meshes;
  std::vector<Connection> connections;
  std::size_t line = 0;
};

/// A machine whose meshes form a grid, as one network: every mesh is a chiplet.
class GridOfMeshes {
 public:
  /// Throws InputError, with `file` and the line, where meshes and connections form no grid.
  GridOfMeshes(std::string_view file, const MeshGraph& graph, const Topology& mesh,
               std::uint64_t channels)
      : file_(file), graph_(graph), mesh_(mesh), channels_(channels) {
    const auto meshes = static_cast<std::uint32_t>(graph.meshes.size());
    for (std::uint32_t i = 0; i < meshes; ++i) number_.emplace(graph.meshes[i].mesh, i);
    if (number_.size() != meshes) fail(graph.line, "instances: two meshes have the same mesh_id");
    next_.assign(axes(), std::vector<std::uint32_t>(meshes, kNone));
    before_ = next_;
    links_.assign(axes(), {});
    rates_.assign(axes(), 0);
    for (const Connection& connection : graph.connections) add(connection);
    place();
    check_links();
  }

  [[nodiscard]] Topology network() const {
    std::vector<std::uint32_t> sides = mesh_.sides();
    std::uint32_t wrap = 0;
    LinkRateTexts rates;
    rates.chiplets = mesh_.dims_text();
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      sides[axis] *= counts_[axis];
      const bool wraps = counts_[axis] > 1 ? wraps_[axis] : mesh_.wraps(static_cast<int>(axis));
      if (wraps) wrap |= 1U << axis;
      if (counts_[axis] == 1) continue;
      const std::string port = port_name(static_cast<Port>(2 * axis));
      append_format(rates.die_link_rate, "{}{}={}/{}", rates.die_link_rate.empty() ? "" : ",",
                    port.substr(0, port.size() - 1), rates_[axis], channels_);
    }
    return with_link_rates(Topology::grid(sides, wrap), rates);
  }

  /// "mesh 0 at 0,0; mesh 1 at 1,0": where the meshes lie in the grid of meshes.
  [[nodiscard]] std::string places() const {
    std::string text;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      append_format(text, "{}mesh {} at ", i == 0 ? "" : "; ", graph_.meshes[order_[i]].mesh);
      std::size_t rest = i;
      for (std::size_t axis = 0; axis < axes(); ++axis) {
        append_format(text, "{}{}", axis == 0 ? "" : ",", rest % counts_[axis]);
        rest /= counts_[axis];
      }
    }
    return text;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[noreturn]] void fail(std::size_t line, const std::string& cause) const {
    throw InputError(fmt::format("{}: line {}: {}", file_, line, cause));
  }
  [[nodiscard]] std::size_t axes() const { return mesh_.sides().size(); }

  /// Coordinates of a device; the last dimension counts fastest.
  [[nodiscard]] std::vector<std::uint32_t> coordinates(std::uint32_t device) const {
    std::vector<std::uint32_t> at(axes());
    for (std::size_t axis = axes(); axis-- > 0;) {
      at[axis] = device % mesh_.sides()[axis];
      device /= mesh_.sides()[axis];
    }
    return at;
  }

  [[nodiscard]] std::uint32_t number_of(const Connection& connection, const MeshRef& end) const {
    const auto found = number_.find(end.mesh);
    if (found == number_.end() || graph_.meshes[found->second].descriptor != end.descriptor) {
      fail(connection.line, fmt::format("connections: mesh {} of {} is no instance of the graph",
                                        end.mesh, end.descriptor));
    }
    if (!end.device) {
      fail(connection.line,
           "connections: without device_id it is not known which chips of the meshes are linked");
    }
    if (*end.device >= mesh_.nodes()) {
      fail(connection.line, fmt::format("connections: device_id {} is outside 0..{}", *end.device,
                                        mesh_.nodes() - 1));
    }
    return found->second;
  }

  void add(const Connection& connection) {
    if (connection.ends.size() != 2) {
      fail(connection.line,
           fmt::format("connections: two nodes are expected, not {}", connection.ends.size()));
    }
    if (connection.directional) {
      fail(connection.line, "connections: links of one direction are not supported");
    }
    std::uint32_t lower = number_of(connection, connection.ends[0]);
    std::uint32_t upper = number_of(connection, connection.ends[1]);
    if (lower == upper) fail(connection.line, "connections: both chips are of the same mesh");
    std::vector<std::uint32_t> from = coordinates(*connection.ends[0].device);
    std::vector<std::uint32_t> to = coordinates(*connection.ends[1].device);
    // The axis on which one chip is the last of its mesh and the other one the first. A side of 1
    // has both ends in one chip: the first node is then the lower one.
    std::optional<std::size_t> along;
    bool whole = true;
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      const std::uint32_t last = mesh_.sides()[axis] - 1;
      if (from[axis] == to[axis] && (last != 0 || along)) continue;
      const bool ends =
          (from[axis] == last && to[axis] == 0) || (to[axis] == last && from[axis] == 0);
      if (along && mesh_.sides()[*along] > 1) whole = false;
      if (!ends) whole = false;
      along = axis;
    }
    if (!along || !whole) {
      fail(connection.line,
           "connections: the chips are not opposite each other at the borders of their meshes");
    }
    if (from[*along] != mesh_.sides()[*along] - 1) {
      std::swap(lower, upper);
      from.swap(to);
    }
    const auto link = [&](std::vector<std::uint32_t>& table, std::uint32_t mesh,
                          std::uint32_t neighbor) {
      if (table[mesh] != kNone && table[mesh] != neighbor) {
        fail(connection.line, fmt::format("connections: mesh {} has two neighbours on one side",
                                          graph_.meshes[mesh].mesh));
      }
      table[mesh] = neighbor;
    };
    link(next_[*along], lower, upper);
    link(before_[*along], upper, lower);
    from[*along] = 0;
    if (!links_[*along].emplace(lower, from).second) {
      fail(connection.line, "connections: the same chips are linked twice");
    }
    if (rates_[*along] == 0) rates_[*along] = connection.channels;
    if (rates_[*along] != connection.channels) {
      fail(connection.line, fmt::format("connections: {} channels, others of the same axis have {}",
                                        connection.channels, rates_[*along]));
    }
  }

  /// The grid, beginning at its first mesh. Around a ring, any mesh is the first one.
  void place() {
    std::uint32_t first = 0;
    wraps_.assign(axes(), true);
    counts_.assign(axes(), 1);
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      std::uint32_t steps = 0;
      while (before_[axis][first] != kNone && steps < graph_.meshes.size()) {
        first = before_[axis][first];
        ++steps;
      }
    }
    order_ = {first};
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      std::uint32_t at = first;
      std::vector<std::uint32_t> steps;
      while (next_[axis][at] != kNone && next_[axis][at] != first &&
             steps.size() < graph_.meshes.size()) {
        at = next_[axis][at];
        steps.push_back(at);
      }
      wraps_[axis] = next_[axis][at] == first;
      counts_[axis] = static_cast<std::uint32_t>(steps.size()) + 1;
      const std::size_t below = order_.size();
      for (std::uint32_t i = 1; i < counts_[axis]; ++i) {
        for (std::size_t j = 0; j < below; ++j) {
          const std::uint32_t previous = order_[order_.size() - below];
          if (next_[axis][previous] == kNone) no_grid();
          order_.push_back(next_[axis][previous]);
          if (order_.size() > graph_.meshes.size()) no_grid();
        }
      }
    }
    std::vector<std::uint32_t> all = order_;
    std::sort(all.begin(), all.end());
    if (all.size() != graph_.meshes.size() ||
        std::adjacent_find(all.begin(), all.end()) != all.end()) {
      no_grid();
    }
  }

  [[noreturn]] void no_grid() const {
    fail(graph_.line,
         "connections: the meshes form no grid, in which every mesh has its neighbours");
  }

  /// Every two neighbours in the grid are linked by all chips between them, and no others are.
  void check_links() const {
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      if (counts_[axis] > 1 && mesh_.wraps(static_cast<int>(axis))) {
        fail(graph_.line, "device_topology: RING on an axis that continues in another mesh");
      }
      const std::size_t chips = mesh_.nodes() / mesh_.sides()[axis];
      std::size_t expected = 0;
      std::size_t stride = 1;
      for (std::size_t below = 0; below < axis; ++below) stride *= counts_[below];
      for (std::size_t i = 0; i < order_.size(); ++i) {
        const std::size_t at = i / stride % counts_[axis];
        const bool last = at + 1 == counts_[axis];
        const std::uint32_t neighbor = next_[axis][order_[i]];
        if (counts_[axis] == 1 || (last && !wraps_[axis])) {
          if (neighbor != kNone) no_grid();
          continue;
        }
        if (neighbor != order_[last ? i - at * stride : i + stride]) no_grid();
        expected += chips;
      }
      if (links_[axis].size() != expected) {
        fail(
            graph_.line,
            fmt::format("connections: {} links between meshes along axis {}, a grid of them has {}",
                        links_[axis].size(), axis, expected));
      }
    }
  }

  std::string_view file_;
  const MeshGraph& graph_;
  const Topology& mesh_;
  std::uint64_t channels_;
  /// mesh_id to the number of the instance.
  std::map<std::uint32_t, std::uint32_t> number_;
  /// By axis, then instance: its neighbours in both directions.
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::vector<std::uint32_t>> before_;
  /// By axis: the lower mesh, and the other coordinates of the chip, of each link.
  std::vector<std::set<std::pair<std::uint32_t, std::vector<std::uint32_t>>>> links_;
  /// By axis: channels of a link between meshes.
  std::vector<std::uint64_t> rates_;
  std::vector<std::uint32_t> counts_;
  std::vector<bool> wraps_;
  /// Instances by their place in the grid, axis 0 fastest.
  std::vector<std::uint32_t> order_;
};

/// Reads protobuf's text format: fields, messages in braces or angle brackets, lists in brackets.
class DescriptorReader {
 public:
  DescriptorReader(std::string_view text, std::string_view name) : text_(text), name_(name) {
    next();
  }

  Topology read() {
    fields(0, kMessages[0]);
    if (!token_.empty()) fail(fmt::format("\"{}\" closes nothing", token_));
    if (!found_) fail("there is no device_topology");
    for (const auto& [mesh, line] : used_) {
      if (meshes_.find(mesh) != meshes_.end()) continue;
      line_ = line;
      fail(fmt::format("there is no mesh_descriptors with the name {}", mesh));
    }
    return whole_machine();
  }
  /// One line for the user about rings of two chips; may be empty.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  [[noreturn]] void fail(const std::string& cause) const {
    throw InputError(fmt::format("{}: line {}: {}", name_, line_, cause));
  }

  /// The next token: a name or number, a text in quotes with them, or one character.
  void next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        break;
      } else {
        if (c == '\n') ++line_;
        ++at_;
      }
    }
    const std::size_t begin = at_;
    if (at_ == text_.size()) {
      token_ = {};
      return;
    }
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ||
             c == '+';
    };
    const char first = text_[at_++];
    if (first == '"' || first == '\'') {
      while (at_ < text_.size() && text_[at_] != first && text_[at_] != '\n') {
        at_ += text_[at_] == '\\' ? 2U : 1U;
      }
      if (at_ >= text_.size() || text_[at_] != first) fail("a text is not closed");
      ++at_;
    } else if (is_word(first)) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    }
    token_ = text_.substr(begin, at_ - begin);
  }
  bool take(std::string_view token) {
    if (token_ != token) return false;
    next();
    return true;
  }

  /// The values of one field.
  struct Values {
    std::vector<std::string_view> list;
    std::size_t line = 0;
  };
  using Found = std::map<std::string_view, Values>;

  /// The fields up to the end of a message.
  void fields(int depth, const Message& message) {
    if (depth > kDeepest) fail(fmt::format("nested more than {} deep", kDeepest));
    Found found;
    while (!token_.empty() && token_ != "}" && token_ != ">") {
      const std::string_view field = token_;
      check_member(field, message, found);
      Values& values = found[field];
      values.line = line_;
      next();
      const bool colon = take(":");
      if (colon && take("[")) {
        while (token_ != "]") {
          if (token_.empty()) fail("a list is not closed");
          value(field, depth, values.list);
          if (!take(",") && token_ != "]") fail(fmt::format("\"{}\" in a list", token_));
        }
        next();
      } else if (colon || token_ == "{" || token_ == "<") {
        value(field, depth, values.list);
      } else {
        fail(fmt::format("\"{}\" is followed by neither : nor {{", field));
      }
      if (!take(",")) take(";");
    }
    keep(message, found);
  }

  void check_member(std::string_view field, const Message& message, const Found& found) const {
    const auto first = static_cast<unsigned char>(field.front());
    if (std::isalpha(first) == 0 && first != '_') {
      fail(fmt::format("\"{}\" is no field's name", field));
    }
    if (field == "device_id" && !in_connection_) {
      fail("device_id: a single device of a mesh is not supported");
    }
    for (const auto& [member, cause] : kUnsupported) {
      if (field == member) fail(fmt::format("{}: {}", field, cause));
    }
    if (!has_word(message.members, field)) {
      fail(fmt::format("{}\"{}\" is not supported; there is {}",
                       message.name.empty() ? "" : fmt::format("{}: ", message.name), field,
                       joined(words_of(message.members), ", ")));
    }
    if (found.find(field) == found.end()) return;
    if (!has_word(kRepeated, field)) fail(fmt::format("{} is given twice", field));
  }

  void value(std::string_view field, int depth, std::vector<std::string_view>& values) {
    const Message* const message = message_named(field);
    if (token_ == "{" || token_ == "<") {
      if (message == nullptr) fail(fmt::format("{} is a value, not a message", field));
      const std::string_view close = token_ == "{" ? "}" : ">";
      next();
      if (field == "connections") in_connection_ = true;
      fields(depth + 1, *message);
      if (!take(close)) fail(fmt::format("the message {} is not closed", field));
      return;
    }
    if (token_.empty()) fail(fmt::format("{} has no value", field));
    if (message != nullptr) fail(fmt::format("{}: {{ is expected, not \"{}\"", field, token_));
    const char first = token_.front();
    if (std::isalnum(static_cast<unsigned char>(first)) == 0 && first != '"' && first != '\'' &&
        first != '_' && first != '-') {
      fail(fmt::format("\"{}\" is no value", token_));
    }
    values.push_back(token_);
    next();
  }

  /// The end of a message.
  void keep(const Message& message, const Found& found) {
    const auto only = [&found](std::string_view field) {
      const auto at = found.find(field);
      return at == found.end() || at->second.list.empty() ? std::string_view()
                                                          : at->second.list.front();
    };
    if (message.name == "device_topology") {
      shape_ = shape_of(found);
    } else if (message.name == "channels") {
      channels_ = whole_number(only("count"), std::numeric_limits<std::uint32_t>::max());
      if (!channels_ || *channels_ == 0) fail("channels: count: a number from 1 on is expected");
    } else if (message.name == "mesh") {
      const auto at = found.find("mesh_descriptor");
      if (at != found.end()) used_.emplace(only("mesh_descriptor"), at->second.line);
      mesh_ref_ = {only("mesh_descriptor"), number("mesh", "mesh_id", only("mesh_id")).value_or(0),
                   number("mesh", "device_id", only("device_id"))};
      is_mesh_ = true;
    } else if (message.name == "graph") {
      graph_ref_ = only("graph_descriptor");
      is_mesh_ = false;
    } else if (message.name == "nodes" || message.name == "instances") {
      if (!is_mesh_) fail(fmt::format("{}: graphs of graphs are not supported", message.name));
      (message.name == "nodes" ? connection_.ends : graph_.meshes).push_back(mesh_ref_);
    } else if (message.name == "connections") {
      if (!channels_) fail("connections: channels are missing");
      connection_.channels = *channels_;
      connection_.directional = only("directional") == "true";
      connection_.line = line_;
      graph_.connections.push_back(std::exchange(connection_, {}));
      in_connection_ = false;
      channels_.reset();
    } else if (message.name == "top_level_instance") {
      top_graph_ = is_mesh_ ? std::string_view() : graph_ref_;
    } else if (message.name == "mesh_descriptors" || message.name.empty()) {
      meshes_.insert(only("name"));
      if (shape_) add_mesh(*shape_);
      shape_.reset();
    }
    // A graph's channels are those of the links between its meshes.
    if (message.name == "mesh_descriptors") mesh_channels_.emplace(channels_.value_or(0));
    if (message.name == "graph_descriptors") {
      graph_.name = only("name");
      graph_.line = line_;
      graphs_.push_back(std::exchange(graph_, {}));
    }
    if (message.name == "mesh_descriptors" || message.name == "graph_descriptors")
      channels_.reset();
  }

  /// A field with a whole number; empty without it.
  [[nodiscard]] std::optional<std::uint32_t> number(std::string_view message,
                                                    std::string_view field,
                                                    std::string_view text) const {
    if (text.empty()) return std::nullopt;
    const auto value = whole_number(text, std::numeric_limits<std::uint32_t>::max());
    if (!value) fail(fmt::format("{}: {}: \"{}\" is not a whole number", message, field, text));
    return static_cast<std::uint32_t>(*value);
  }

  /// The mesh, or the grid of meshes of the graph at the top.
  [[nodiscard]] Topology whole_machine() {
    const MeshGraph* used = nullptr;
    for (const MeshGraph& graph : graphs_) {
      if (top_graph_.empty() ? graph.meshes.size() > 1 : graph.name == top_graph_) used = &graph;
    }
    if (used == nullptr || used->meshes.size() < 2) {
      if (used != nullptr && !used->connections.empty()) {
        line_ = used->connections.front().line;
        fail("connections: the graph has one mesh");
      }
      return *found_;
    }
    line_ = used->line;
    if (used->connections.empty()) fail("instances: several meshes without connections");
    if (mesh_channels_.size() != 1 || mesh_channels_.contains(0)) {
      fail("channels: machines of several meshes need the channels of their meshes, all the same");
    }
    try {
      const GridOfMeshes grid(name_, *used, *found_, *mesh_channels_.begin());
      Topology network = grid.network();
      append_format(note_, "{}{}: {}", note_.empty() ? "" : "; ", name_, grid.places());
      return network;
    } catch (const InputError& error) {
      const std::string cause = error.what();
      if (cause.starts_with(name_)) throw;
      fail("connections: " + cause);
    }
  }

  struct Shape {
    std::vector<std::uint32_t> sides;
    std::uint32_t wrap = 0;
  };

  [[nodiscard]] Shape shape_of(const Found& found) const {
    Shape shape;
    if (const auto dims = found.find("dims"); dims != found.end()) {
      for (const std::string_view dim : dims->second.list) {
        const auto side = whole_number(dim, std::numeric_limits<std::uint32_t>::max());
        if (!side) fail(fmt::format("device_topology: dims: \"{}\" is not a whole number", dim));
        shape.sides.push_back(static_cast<std::uint32_t>(*side));
      }
    }
    const auto types = found.find("dim_types");
    if (types == found.end()) return shape;
    const auto& list = types->second.list;
    for (std::size_t dim = 0; dim < list.size(); ++dim) {
      if (list[dim] != "RING" && list[dim] != "LINE") {
        fail(fmt::format("device_topology: dim_types: \"{}\" is neither RING nor LINE", list[dim]));
      }
      if (list[dim] == "RING") shape.wrap |= 1U << (dim % 32);
    }
    if (list.size() != shape.sides.size()) {
      fail(fmt::format("device_topology: {} dim_types for {} dims; one per dimension is expected",
                       list.size(), shape.sides.size()));
    }
    return shape;
  }

  /// A RING on a side of 2 leads to the same neighbour in both directions. `channels` is the number
  /// of links to a neighbour, so there are two links only where it is above 1.
  void add_mesh(Shape shape) {
    std::string rings;
    for (std::size_t dim = 0;
         dim < shape.sides.size() && dim < static_cast<std::size_t>(kMaxDimensions); ++dim) {
      const std::uint32_t bit = 1U << dim;
      if (shape.sides[dim] != 2 || (shape.wrap & bit) == 0) continue;
      const std::string port = port_name(static_cast<Port>(2 * dim));
      append_format(rings, "{}{}", rings.empty() ? "" : ", ", port.substr(0, port.size() - 1));
      if (channels_ == 1) shape.wrap &= ~bit;
    }
    if (!rings.empty()) {
      note_ = channels_ == 1 ? fmt::format(
                                   "{}: RING on a side of 2 ({}) with one channel is planned "
                                   "as LINE: one link between each pair of chips",
                                   name_, rings)
                             : fmt::format(
                                   "{}: RING on a side of 2 ({}): the plan relies on two "
                                   "parallel links between each pair of chips",
                                   name_, rings);
    }
    try {
      const Topology topology = Topology::grid(shape.sides, shape.wrap);
      if (found_ && *found_ != topology) fail("the file describes meshes of different shapes");
      found_ = topology;
    } catch (const InputError& error) {
      const std::string cause = error.what();
      if (cause.starts_with(name_)) throw;
      fail("device_topology: " + cause);
    }
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::string_view token_;
  std::optional<Topology> found_;
  std::string note_;
  /// Of the mesh that is being read.
  std::optional<Shape> shape_;
  std::optional<std::uint64_t> channels_;
  /// Names of meshes, and the line where each is used first.
  std::set<std::string_view> meshes_;
  std::map<std::string_view, std::size_t> used_;
  /// The last mesh and graph that were named, and which of them was the last one.
  MeshRef mesh_ref_;
  std::string_view graph_ref_;
  bool is_mesh_ = false;
  bool in_connection_ = false;
  Connection connection_;
  MeshGraph graph_;
  std::vector<MeshGraph> graphs_;
  /// The graph of the top-level instance; empty if it is a mesh.
  std::string_view top_graph_;
  /// Different numbers of links to a neighbour in the meshes.
  std::set<std::uint64_t> mesh_channels_;
};

}  // namespace

Topology mesh_graph_topology(std::string_view text, std::string_view name, std::string* note) {
  DescriptorReader reader(text, name);
  Topology topology = reader.read();
  if (note != nullptr) *note = reader.note();
  return topology;
}

Topology read_mesh_graph(const std::filesystem::path& path, std::string* note) {
  InputFile file(path.string());
  return mesh_graph_topology(file.text(kLargestDescriptor), file.name(), note);
}

}  // namespace gossamer
