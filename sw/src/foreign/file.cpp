// SPDX-License-Identifier: Apache-2.0
#include "gossamer/foreign/file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "gossamer/util/error.hpp"

namespace gossamer::foreign {

std::string read_schedule_text(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(fmt::format("{}: is a directory", path));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(fmt::format("{}: cannot be opened for reading", path));
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string schedule_format(std::string_view text, const std::string& name) {
  std::size_t at = text.find_first_not_of(" \t\r\n");
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) at = text.find_first_not_of(" \t\r\n", 3);
  if (at != std::string_view::npos && text[at] == '<') return "msccl-xml";
  if (at != std::string_view::npos && text[at] == '{') {
    constexpr std::string_view kOurs = R"("format": "gossamer-plan")";
    if (text.substr(at, 80).find(kOurs) != std::string_view::npos) {
      throw InputError(fmt::format(
          "{}:1: a plan of gossamer's own, which gossamer verify checks; MSCCL XML or TE-CCL JSON "
          "is expected",
          name));
    }
    return "te-ccl";
  }
  throw InputError(fmt::format(
      "{}:1: neither MSCCL XML nor TE-CCL JSON: it begins with neither < nor {{", name));
}

ConvertedFile convert_file(std::string_view text, const std::string& name,
                           const Topology& topology) {
  CheckOptions options;
  options.network = LinkGraph::of(topology);
  options.wants_flow = true;
  ConvertedFile file;
  file.result = schedule_format(text, name) == "msccl-xml" ? check(read_msccl(text, name), options)
                                                           : check(read_teccl(text, name), options);
  if (file.result.flow) {
    file.conversion = convert(*file.result.flow, topology, {});
  } else {
    file.conversion.reason = file.result.no_flow;
  }
  return file;
}

}  // namespace gossamer::foreign
