// SPDX-License-Identifier: Apache-2.0
#include "gossamer/emit/emit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <system_error>

#include "../emit/sv_text.hpp"
#include "formats.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

constexpr auto kFormats = std::to_array<EmitFormat>({
    {"sv", "hardwired SystemVerilog network with package, testbench and Makefile"},
    {"sv-table", "the same with tables that can be loaded, and their $readmemh image"},
    {"sv-rule", "the same without tables: 2-D hamiltonian routers compute their pairing"},
    {"sv-rank", "sv of a reduction on cycles whose nodes find their ranks in a separate round"},
    {"sv-stream",
     "sv of timetables, relays and queued plans whose tiles exchange words with their elements "
     "over streams"},
    {"memh", "$readmemh images of the router tables"},
    {"csv",
     "one line per output port: feeds, switch step, own packets; broadcast: one per send; "
     "schedule: one per step and port"},
    {"json", "the same as a JSON document"},
    {"arrivals",
     "arrivals by node, input port and step: CSV, JSON, a $readmemh image and a package"},
    {"dot", "GraphViz: nodes and links, one colour for each closed stream or step"},
    {"graphml", "GraphML topology with link attributes, and routing.csv by in-port"},
    {"systemc", "SystemC module of the network with pins, testbench and Makefile"},
    {"fusesoc", "the files of sv and a FuseSoC core with lint, sim and synth targets"},
    {"msccl-xml", "the schedule as MSCCL XML, for runtimes of GPUs"},
    {"chakra-et", "the schedule as Chakra traces, with ASTRA-sim's configuration to run them"},
    {"astra-sim", "a workload as Chakra traces and custom collectives, to run in ASTRA-sim"},
    {"ranks",
     "JSON Lines for frameworks: node ids along each edge-disjoint Hamiltonian cycle, or along "
     "disjoint rings of --ring nodes"},
});

/// The format that builds the plan's own network.
constexpr std::string_view kBuilds = "sv";
/// The format of workloads (astra_sim_files in compare/workload.hpp), which no plan has.
constexpr std::string_view kWorkloadFormat = "astra-sim";
/// Formats of the network alone, which every plan has.
constexpr std::string_view kNetworkFormats = "ranks";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

/// Names that depend on the plan: modules, packages, classes, and the files of the same names. The
/// prefix gsm_ is replaced.
constexpr std::array<std::string_view, 10> kPlanNames{
    "gsm_plan_pkg", "gsm_tile",    "gsm_fabric",  "gsm_fabric_tb",    "gsm_fabric_expected",
    "gsm_plan",     "gsm_network", "gsm_routers", "gsm_network_main", "gsm_arrivals_pkg"};
constexpr std::string_view kLibraryPrefix = "gsm_";
/// The same of a composition's members: gsm_member0_tile.
constexpr std::string_view kMemberPrefix = "gsm_member";

bool is_plan_name(std::string_view word) {
  return word.starts_with(kMemberPrefix) ||
         std::find(kPlanNames.begin(), kPlanNames.end(), word) != kPlanNames.end();
}

/// `text` with all of kPlanNames beginning with `name` instead of gsm.
std::string renamed(std::string_view text, std::string_view name) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    std::string_view word = text.substr(at, std::max<std::size_t>(end - at, 1));
    at += word.size();
    if (is_plan_name(word)) {
      result += name;
      word.remove_prefix(kLibraryPrefix.size() - 1);
    }
    result += word;
  }
  return result;
}

/// Renames the plan's own files and their contents.
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
  /// Throws InputError when the directory is not writable.
  explicit PendingFiles(const std::filesystem::path& directory)
      : directory_(directory), pending_(directory / fmt::format(".part{}", getpid())) {
    std::error_code error;
    std::filesystem::create_directory(pending_.path(), error);
    if (error) throw InputError(fmt::format("{}: {}", directory.string(), error.message()));
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
    return pending_.path() / name;
  }

  const std::filesystem::path& directory_;
  TemporaryFolder pending_;
  std::vector<std::string> names_;
};

}  // namespace

std::span<const EmitFormat> emit_formats() { return kFormats; }

std::vector<std::string_view> formats_of(const Plan& plan) {
  std::vector<std::string_view> formats;
  for (const std::string_view format : words_of(plan.machine().info().formats)) {
    if (plan.machine().no_format(plan, format).empty()) formats.push_back(format);
  }
  for (const std::string_view format : words_of(kNetworkFormats)) formats.push_back(format);
  return formats;
}

std::string format_defect(const Plan& plan, std::string_view format) {
  const Machine& machine = plan.machine();
  return has_word(machine.info().formats, format)
             ? machine.no_format(plan, format)
             : fmt::format("does not support {} routers", machine.name());
}

void require_format(const Plan& plan, std::string_view format) {
  std::vector<std::string_view> known;
  for (const EmitFormat& each : kFormats) known.push_back(each.name);
  if (std::find(known.begin(), known.end(), format) == known.end()) {
    throw InputError(fmt::format("format: \"{}\" is unknown{}; there is {}", format,
                                 did_you_mean(format, known), joined(known, ", ")));
  }
  if (format == kWorkloadFormat) {
    throw InputError("format astra-sim: a workload is expected, and this is a plan; use chakra-et");
  }
  const std::vector<std::string_view> formats = formats_of(plan);
  if (std::find(formats.begin(), formats.end(), format) != formats.end()) return;
  const std::string message = fmt::format(
      "format {}: {} ({} {}){}", format, format_defect(plan, format), plan.algorithm,
      field_name(plan.collective), formats.empty() ? "" : "; use " + joined(formats, ", "));
  if (format == kBuilds) throw InfeasibleError(message);
  throw InputError(message);
}

std::vector<EmittedFile> emit_files(const Plan& plan, std::string_view format,
                                    const EmitOptions& options) {
  require_format(plan, format);
  if (options.ring && format != "ranks") {
    throw InputError(fmt::format("--ring: format {} has no rings; use ranks", format));
  }
  const auto made = [&] {
    if (format == "arrivals") return emit_detail::emit_arrivals(plan);
    if (format == "fusesoc")
      return emit_detail::emit_fusesoc(plan, plan.machine().emit(plan, "sv"));
    if (format == "msccl-xml") return emit_detail::emit_msccl(plan);
    if (format == "chakra-et") return emit_detail::emit_chakra(plan, options.chunk_bytes);
    if (format == "ranks") return emit_detail::emit_ranks(plan, options.ring);
    return plan.machine().emit(plan, format);
  };
  std::vector<EmittedFile> files;
  try {
    files = made();
  } catch (const InputError& error) {
    // The plan is valid, and its network cannot be built.
    if (format == kBuilds) throw InfeasibleError(error.what());
    throw;
  }
  if (!options.name.empty()) rename(files, options.name);
  return files;
}

std::vector<std::filesystem::path> write_files(const std::vector<EmittedFile>& files,
                                               const std::filesystem::path& directory) {
  if (directory == "-") throw InputError("--output: a folder is required, and - is not a folder");
  std::error_code error;
  // The outermost folder that is made for them.
  std::optional<TemporaryFolder> made;
  for (std::filesystem::path path = directory; !path.empty() && !std::filesystem::exists(path);
       path = path.parent_path()) {
    made.emplace(path);
  }
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError(fmt::format("{}: {}", directory.string(), error.message()));
  PendingFiles pending(directory);
  for (const EmittedFile& file : files) pending.write(file);
  auto paths = pending.publish();
  if (made) made->keep();
  return paths;
}

}  // namespace gossamer
