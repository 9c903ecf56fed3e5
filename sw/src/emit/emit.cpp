// SPDX-License-Identifier: Apache-2.0
#include "gossamer/emit/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

#include "formats.hpp"
#include "gossamer/plan/discipline.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

/// An emitter that does not ask what a packet weighs.
template <std::vector<EmittedFile> (*Emit)(const Plan&)>
std::vector<EmittedFile> weightless(const Plan& plan, std::uint64_t) {
  return Emit(plan);
}

struct Emitter {
  EmitFormat format;
  std::vector<EmittedFile> (*emit)(const Plan&, std::uint64_t chunk_bytes);
};

constexpr std::array<Emitter, 14> kEmitters{{
    {{"sv", "hardwired SystemVerilog network with package, testbench and Makefile"},
     weightless<emit_detail::emit_sv>},
    {{"sv-table", "the same with tables that can be loaded, and their $readmemh image"},
     weightless<emit_detail::emit_sv_table>},
    {{"sv-rule", "the same without tables: 2-D hamiltonian routers compute their pairing"},
     weightless<emit_detail::emit_sv_rule>},
    {{"sv-rank",
      "sv of a reduction on cycles whose nodes learn their ranks in a round of their own"},
     weightless<emit_detail::emit_sv_rank>},
    {{"memh", "$readmemh images of the router tables"}, weightless<emit_detail::emit_memh>},
    {{"csv",
      "one line an out-port: feeds, switch step, own packets; of a broadcast, one a send; of a "
      "schedule, one a step and port"},
     weightless<emit_detail::emit_csv>},
    {{"json", "the same as a JSON document"}, weightless<emit_detail::emit_json>},
    {{"arrivals", "what comes in by node, in-port and step: CSV, JSON and a $readmemh image"},
     weightless<emit_detail::emit_arrivals>},
    {{"dot", "GraphViz: nodes and links, one colour for each closed stream or step"},
     weightless<emit_detail::emit_dot>},
    {{"graphml", "GraphML topology with link attributes, and routing.csv by in-port"},
     weightless<emit_detail::emit_graphml>},
    {{"systemc", "SystemC header with the network and its tables, testbench and Makefile"},
     weightless<emit_detail::emit_systemc>},
    {{"fusesoc", "the files of sv and a FuseSoC core with lint, sim and synth targets"},
     weightless<emit_detail::emit_fusesoc>},
    {{"msccl-xml", "the schedule as MSCCL XML, for runtimes of GPUs"},
     weightless<emit_detail::emit_msccl>},
    {{"chakra-et", "the schedule as Chakra traces, with what ASTRA-sim needs to run them"},
     emit_detail::emit_chakra},
}};

constexpr auto kFormats = [] {
  std::array<EmitFormat, kEmitters.size()> formats{};
  for (std::size_t i = 0; i < formats.size(); ++i) formats[i] = kEmitters[i].format;
  return formats;
}();

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

/// What depends on the plan: modules, packages, classes, and the files that are called like them.
/// The prefix gsm_ is replaced.
constexpr std::array<std::string_view, 9> kPlanNames{
    "gsm_plan_pkg", "gsm_tile",    "gsm_fabric",  "gsm_fabric_tb",   "gsm_fabric_expected",
    "gsm_plan",     "gsm_network", "gsm_routers", "gsm_network_main"};
constexpr std::string_view kLibraryPrefix = "gsm_";

/// `text` with all of kPlanNames beginning with `name` in place of gsm.
std::string renamed(std::string_view text, std::string_view name) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    std::string_view word = text.substr(at, std::max<std::size_t>(end - at, 1));
    at += word.size();
    if (std::find(kPlanNames.begin(), kPlanNames.end(), word) != kPlanNames.end()) {
      result += name;
      word.remove_prefix(kLibraryPrefix.size() - 1);
    }
    result += word;
  }
  return result;
}

/// Gives the plan's own files and what is in them the name.
void rename(std::vector<EmittedFile>& files, std::string_view name) {
  if (!is_letter(name.front()) || !std::all_of(name.begin(), name.end(), is_word)) {
    throw InputError(
        fmt::format("--name {}: a letter, then letters, digits and underscores", name));
  }
  for (EmittedFile& file : files) {
    const std::string own_name = renamed(file.name, name);
    const bool embedded = emit_detail::is_embedded(file);
    if (embedded && own_name == file.name) continue;
    file.contents = renamed(file.contents, name);
    file.name = own_name != file.name ? own_name : fmt::format("{}_{}", name, file.name);
  }
}

/// Files under temporary names, removed unless they were published.
class PendingFiles {
 public:
  explicit PendingFiles(const std::filesystem::path& directory) : directory_(directory) {}
  PendingFiles(const PendingFiles&) = delete;
  PendingFiles& operator=(const PendingFiles&) = delete;
  ~PendingFiles() {
    std::error_code ignored;
    for (const std::string& name : names_) std::filesystem::remove(pending(name), ignored);
  }

  void write(const EmittedFile& file) {
    names_.push_back(file.name);
    const std::filesystem::path path = pending(file.name);
    std::ofstream out(path, std::ios::binary);
    out.write(file.contents.data(), static_cast<std::streamsize>(file.contents.size()));
    out.close();
    if (!out) throw InputError(fmt::format("{}: cannot be written", path.string()));
  }

  [[nodiscard]] std::vector<std::filesystem::path> publish() {
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names_) {
      paths.push_back(directory_ / name);
      std::error_code error;
      std::filesystem::rename(pending(name), paths.back(), error);
      if (error) {
        throw InputError(fmt::format("{}: {}", paths.back().string(), error.message()));
      }
    }
    return paths;
  }

 private:
  [[nodiscard]] std::filesystem::path pending(const std::string& name) const {
    return directory_ / ("." + name + ".partial");
  }

  const std::filesystem::path& directory_;
  std::vector<std::string> names_;
};

}  // namespace

namespace emit_detail {

PortProgram hardware_program(const Plan& plan, const NodeWalk& at, Port out_port) {
  const auto* streams = std::get_if<StreamProgram>(&plan.program);
  const std::uint32_t frame = frame_of(plan);
  if (streams == nullptr || at.neighbor(static_cast<Port>(out_port / frame)) == kNoNode) return {};
  PortProgram program = streams->at(at.node(), out_port);
  for (const Port in_port : all_ports(streams->ports())) {
    if (at.sender(static_cast<Port>(in_port / frame)) != kNoNode) continue;
    program.feed.erase(in_port);
    program.early_feed.erase(in_port);
  }
  return program;
}

std::string comment_text(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    // A backslash at the end of a line would continue the comment, a quote end a label.
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f) c = ' ';
  }
  return text;
}

std::size_t longest_preload(const StreamProgram& program) {
  std::size_t longest = 1;
  for (const PortProgram& entry : program.dictionary()) {
    longest = std::max(longest, entry.preload.size());
  }
  return longest;
}

}  // namespace emit_detail

std::span<const EmitFormat> emit_formats() { return kFormats; }

std::vector<EmittedFile> emit_files(const Plan& plan, std::string_view format,
                                    std::string_view name, std::uint64_t chunk_bytes) {
  std::vector<std::string_view> known;
  for (const Emitter& emitter : kEmitters) {
    if (emitter.format.name == format) {
      require_format(plan, format);
      std::vector<EmittedFile> files = emitter.emit(plan, chunk_bytes);
      if (!name.empty()) rename(files, name);
      return files;
    }
    known.push_back(emitter.format.name);
  }
  throw InputError(fmt::format("format: \"{}\" is unknown{}; there is {}", format,
                               did_you_mean(format, known), joined(known, ", ")));
}

std::vector<std::filesystem::path> write_files(const std::vector<EmittedFile>& files,
                                               const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError(fmt::format("{}: {}", directory.string(), error.message()));
  PendingFiles pending(directory);
  for (const EmittedFile& file : files) pending.write(file);
  return pending.publish();
}

}  // namespace gossamer
