// SPDX-License-Identifier: Apache-2.0
#include "synth/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "commands.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/output_file.hpp"
#include "gossamer/util/words.hpp"
#include "python_script.hpp"
#include "synth_script.hpp"
#include "terminal.hpp"

namespace gossamer::cli {

namespace {

/// Exit status of the script when the time is over.
constexpr int kTimeOver = 3;

}  // namespace

void require_yosys(const std::string& what) {
  const char* const path = std::getenv("PATH");
  const auto folders = words_of(path == nullptr ? "" : path, ':');
  const bool found = std::any_of(folders.begin(), folders.end(), [](std::string_view folder) {
    return access(fmt::format("{}/yosys", folder).c_str(), X_OK) == 0;
  });
  if (!found) {
    throw InputError(fmt::format("{}: yosys is not installed; run scripts/setup tests", what));
  }
}

int measure(const Plan& plan, const MeasureOptions& options, nlohmann::ordered_json& result) {
  const std::vector<EmittedFile> files = emit_files(plan, "sv");
  const TemporaryFolder work = TemporaryFolder::make();
  write_files(files, work.path());
  const nlohmann::ordered_json script{{"command", options.command},
                                      {"width", options.width},
                                      {"seed", options.seed},
                                      {"liberty", options.libraries},
                                      {"folder", std::filesystem::current_path().string()},
                                      {"top", options.top},
                                      {"timeout", options.timeout},
                                      {"progress", static_cast<bool>(progress_bar())},
                                      {"target_ps", options.target_ps}};
  const int status = run_python(std::string(kSynthScript), {script.dump()}, work.path());
  if (status == 1) return kBadInput;
  if (status == kTimeOver) return kInfeasible;
  if (status != 0) throw std::runtime_error(fmt::format("{}: status {}", kPython, status));
  std::ifstream in(work.path() / "result.json");
  result = parse_json(std::string(std::istreambuf_iterator<char>(in), {}));
  return kDone;
}

}  // namespace gossamer::cli
