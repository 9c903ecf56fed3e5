// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gossamer/util/words.hpp"

namespace gossamer {
namespace {

TEST_CASE("numbers and articles in sentences", "[words]") {
  CHECK(counted(0, "link") == "0 links");
  CHECK(counted(1, "link") == "1 link");
  CHECK(counted(2, "link") == "2 links");
  for (const char* sides : {"8x8", "80x2", "11x3", "18x4", "11000x2", "800"}) {
    CHECK(with_article(sides) == std::string("an ") + sides);
  }
  for (const char* sides : {"4x8", "16x8", "110x2", "1x8", "181x2"}) {
    CHECK(with_article(sides) == std::string("a ") + sides);
  }
}

}  // namespace
}  // namespace gossamer
