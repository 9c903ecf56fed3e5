// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gossamer/util/text.hpp"
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

TEST_CASE("a whole number is a text of digits only", "[words]") {
  CHECK(whole_number("0") == 0);
  CHECK(whole_number("007") == 7);
  CHECK(whole_number("18446744073709551615") == 18446744073709551615U);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "18446744073709551616"}) {
    CHECK_FALSE(whole_number(text));
  }
  CHECK(whole_number("16", 16) == 16);
  CHECK_FALSE(whole_number("17", 16));
}

TEST_CASE("whole numbers are read between separators", "[words]") {
  using Numbers = std::vector<std::uint32_t>;
  CHECK(whole_numbers("4", 'x') == Numbers{4});
  CHECK(whole_numbers("16x8x4294967295", 'x') == Numbers{16, 8, 4294967295U});
  for (const char* text : {"", "x", "4x", "x4", "4xx4", "4,4", "4x4294967296", "4x-4"}) {
    CHECK_FALSE(whole_numbers(text, 'x'));
  }
}

}  // namespace
}  // namespace gossamer
