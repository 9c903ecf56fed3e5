// SPDX-License-Identifier: Apache-2.0
#include "gossamer/foreign/file.hpp"

#include <fmt/format.h>

#include "gossamer/util/error.hpp"

namespace gossamer::foreign {

std::string schedule_format(std::string_view text, const std::string& name) {
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  if (at != std::string_view::npos && text[at] == '<') return "msccl-xml";
  if (at != std::string_view::npos && text[at] == '{') {
    constexpr std::string_view kOurs = R"("format": "gossamer-plan")";
    if (text.substr(at, 80).find(kOurs) != std::string_view::npos) {
      throw InputError(
          fmt::format("{}:1: this is a Gossamer plan (use gossamer verify); MSCCL XML or TE-CCL "
                      "JSON is expected",
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
