// SPDX-License-Identifier: Apache-2.0
/// chakra_of_xml FILE CHUNK_BYTES: the Chakra trace of rank 0 of an MSCCL schedule, on standard
/// output.
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "gossamer/foreign/export.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    std::ifstream in(argv[1], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const gossamer::foreign::MscclSchedule schedule = gossamer::foreign::read_msccl(text, argv[1]);
    const std::vector<std::uint32_t> ring{static_cast<std::uint32_t>(schedule.ranks.size())};
    const auto files = gossamer::foreign::chakra_files(schedule, gossamer::Topology::torus(ring),
                                                       std::strtoull(argv[2], nullptr, 10));
    std::cout << files.front().contents;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
