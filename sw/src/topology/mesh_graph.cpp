// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/mesh_graph.hpp"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

/// A descriptor is some lines of text; more is something else.
constexpr std::size_t kLargestDescriptor = std::size_t{1} << 24U;

/// Messages within messages that a descriptor may have.
constexpr int kDeepest = 32;

/// Reads protobuf's text format: fields, messages in braces or angle brackets, lists in brackets.
class DescriptorReader {
 public:
  DescriptorReader(std::string_view text, std::string_view name) : text_(text), name_(name) {
    next();
  }

  Topology read() {
    fields(0, false);
    if (!token_.empty()) fail(fmt::format("\"{}\" closes nothing", token_));
    if (!found_) fail("there is no device_topology");
    return *found_;
  }

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

  /// The fields up to the end of a message; those of a device_topology are kept.
  void fields(int depth, bool device) {
    if (depth > kDeepest) fail(fmt::format("nested more than {} deep", kDeepest));
    std::vector<std::string_view> dims;
    std::vector<std::string_view> types;
    while (!token_.empty() && token_ != "}" && token_ != ">") {
      const std::string_view field = token_;
      const auto first = static_cast<unsigned char>(field.front());
      if (std::isalpha(first) == 0 && first != '_' && first != '[') {
        fail(fmt::format("\"{}\" is no field's name", field));
      }
      if (take("[")) {
        while (!token_.empty() && token_ != "]") next();
      }
      next();
      const bool colon = take(":");
      std::vector<std::string_view> values;
      if (colon && take("[")) {
        while (token_ != "]") {
          if (token_.empty()) fail("a list is not closed");
          value(field, depth, values);
          if (!take(",") && token_ != "]") fail(fmt::format("\"{}\" in a list", token_));
        }
        next();
      } else if (colon || token_ == "{" || token_ == "<") {
        value(field, depth, values);
      } else {
        fail(fmt::format("\"{}\" is followed by neither : nor {{", field));
      }
      if (!take(",")) take(";");
      if (device && field == "dims") dims.insert(dims.end(), values.begin(), values.end());
      if (device && field == "dim_types") types.insert(types.end(), values.begin(), values.end());
    }
    if (device) keep(dims, types);
  }

  void value(std::string_view field, int depth, std::vector<std::string_view>& values) {
    if (token_ == "{" || token_ == "<") {
      const std::string_view close = token_ == "{" ? "}" : ">";
      next();
      fields(depth + 1, field == "device_topology");
      if (!take(close)) fail(fmt::format("the message {} is not closed", field));
      return;
    }
    if (token_.empty()) fail(fmt::format("{} has no value", field));
    const char first = token_.front();
    if (std::isalnum(static_cast<unsigned char>(first)) == 0 && first != '"' && first != '\'' &&
        first != '_' && first != '-') {
      fail(fmt::format("\"{}\" is no value", token_));
    }
    values.push_back(token_);
    next();
  }

  void keep(const std::vector<std::string_view>& dims, const std::vector<std::string_view>& types) {
    std::vector<std::uint32_t> sides;
    for (const std::string_view dim : dims) {
      const auto side = whole_number(dim, std::numeric_limits<std::uint32_t>::max());
      if (!side) fail(fmt::format("device_topology: dims: \"{}\" is no whole number", dim));
      sides.push_back(static_cast<std::uint32_t>(*side));
    }
    if (types.size() > sides.size()) fail("device_topology: more dim_types than dims");
    std::uint32_t wrap = 0;
    for (std::size_t dim = 0; dim < types.size(); ++dim) {
      if (types[dim] != "RING" && types[dim] != "LINE") {
        fail(
            fmt::format("device_topology: dim_types: \"{}\" is neither RING nor LINE", types[dim]));
      }
      if (types[dim] == "RING") wrap |= 1U << dim;
    }
    try {
      const Topology topology = Topology::grid(sides, wrap);
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
};

}  // namespace

Topology mesh_graph_topology(std::string_view text, std::string_view name) {
  return DescriptorReader(text, name).read();
}

Topology read_mesh_graph(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(fmt::format("{}: is a directory", path.string()));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be opened for reading", path.string()));
  std::string text;
  for (char c = 0; file.get(c);) {
    text += c;
    if (text.size() > kLargestDescriptor) {
      throw InputError(
          fmt::format("{}: is larger than a mesh graph descriptor can be", path.string()));
    }
  }
  return mesh_graph_topology(text, path.string());
}

}  // namespace gossamer
