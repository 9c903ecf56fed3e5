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
    {"graph_descriptors", "name type instances channels"},
    {"instances", "mesh graph"},
    {"top_level_instance", "mesh graph"},
    {"mesh", "mesh_descriptor mesh_id"},
    {"graph", "graph_descriptor graph_id mesh graph"},
    {"pinnings", "logical_fabric_node_id physical_asic_position"},
    {"logical_fabric_node_id", "mesh_id chip_id"},
    {"physical_asic_position", "tray_id asic_location"},
};
constexpr std::string_view kRepeated =
    "mesh_descriptors graph_descriptors instances pinnings dims dim_types";

/// Members of the format without an equivalent in our networks.
struct Unsupported {
  std::string_view member;
  std::string_view cause;
};
constexpr Unsupported kUnsupported[] = {
    {"express_connections", "only the links of a grid are supported"},
    {"connections", "links between meshes are not supported; a network is one mesh"},
    {"graph_topology", "links between meshes are not supported; a network is one mesh"},
    {"device_id", "a single device of a mesh is not supported"},
};

const Message* message_named(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kMessages), std::end(kMessages),
                                         [&](const Message& each) { return each.name == name; });
  return found == std::end(kMessages) ? nullptr : found;
}

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
    return *found_;
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
    for (const auto& [member, cause] : kUnsupported) {
      if (field == member) fail(fmt::format("{}: {}", field, cause));
    }
    if (!has_word(message.members, field)) {
      fail(fmt::format("{}\"{}\" is not supported; there is {}",
                       message.name.empty() ? "" : fmt::format("{}: ", message.name), field,
                       joined(words_of(message.members), ", ")));
    }
    if (found.find(field) == found.end()) return;
    if (field == "instances") {
      fail("instances: a second one; machines of several meshes are not supported");
    }
    if (!has_word(kRepeated, field)) fail(fmt::format("{} is given twice", field));
  }

  void value(std::string_view field, int depth, std::vector<std::string_view>& values) {
    const Message* const message = message_named(field);
    if (token_ == "{" || token_ == "<") {
      if (message == nullptr) fail(fmt::format("{} is a value, not a message", field));
      const std::string_view close = token_ == "{" ? "}" : ">";
      next();
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
    } else if (message.name == "mesh_descriptors" || message.name.empty()) {
      meshes_.insert(only("name"));
      if (shape_) add_mesh(*shape_);
      shape_.reset();
    }
    // A graph's channels are those of the links between its meshes.
    if (message.name == "mesh_descriptors" || message.name == "graph_descriptors")
      channels_.reset();
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
