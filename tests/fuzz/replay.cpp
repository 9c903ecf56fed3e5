// SPDX-License-Identifier: Apache-2.0
/// FUZZER DIRECTORY...: passes every file to the fuzzer once, in builds without libFuzzer.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

#include "fuzz.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      std::cout << path.filename().string() << std::endl;
      const std::string text = gossamer::testing::file_text(path);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      ++files;
    }
  }
  return files == 0 ? 1 : 0;
}
