// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "gossamer/util/error.hpp"
#include "gossamer/util/units.hpp"

namespace gossamer {
namespace {

TEST_CASE("bytes and hertz are read exactly, with their units", "[units]") {
  CHECK(parse_bytes("--bytes", "1") == 1);
  CHECK(parse_bytes("--bytes", "65536") == 65536);
  CHECK(parse_bytes("--bytes", "64KiB") == 65536);
  CHECK(parse_bytes("--bytes", "64 KiB") == 65536);
  CHECK(parse_bytes("--bytes", "64kiB") == 65536);
  CHECK(parse_bytes("--bytes", "64kB") == 64000);
  CHECK(parse_bytes("--bytes", "64KB") == 64000);
  CHECK(parse_bytes("--bytes", "1.5KiB") == 1536);
  CHECK(parse_bytes("--bytes", "0.001kB") == 1);
  CHECK(parse_bytes("--bytes", "3GiB") == 3221225472U);
  CHECK(parse_bytes("--bytes", "7B") == 7);
  CHECK(parse_hertz("--clock", "1GHz") == 1'000'000'000);
  CHECK(parse_hertz("--clock", "1.25GHz") == 1'250'000'000);
  CHECK(parse_hertz("--clock", "800MHz") == 800'000'000);
  CHECK(parse_hertz("--clock", "33.333kHz") == 33333);
  CHECK(parse_hertz("--clock", "50") == 50);
}

TEST_CASE("an invalid number of bytes is refused with the place", "[units]") {
  for (const char* text : {"", "KiB", "-1", "64Kib", "64 Kb", "1.5", "1.0001kB", "0", "0KiB", "1e3",
                           "64KiBs", "1..5KiB", "99999999999999999999", "99999999999GiB", "1GHz"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_bytes("--bytes", text), InputError);
    CHECK_THROWS_WITH(parse_bytes("--bytes", text), Catch::StartsWith("--bytes: "));
  }
  for (const char* text : {"0GHz", "1ghz", "1KiB", "1.5", "GHz"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_hertz("--clock", text), InputError);
  }
}

TEST_CASE("times, rates and sizes are printed with the prefix that suits", "[units]") {
  CHECK(with_prefix(64.512e-6, "s") == "64.51 us");
  CHECK(with_prefix(1e-9, "s") == "1 ns");
  CHECK(with_prefix(1.0159e9, "B/s") == "1.016 GB/s");
  CHECK(with_prefix(0, "s") == "0 s");
  CHECK(with_prefix(12, "s") == "12 s");
  CHECK(bytes_text(65536) == "64 KiB");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(100) == "100 B");
}

}  // namespace
}  // namespace gossamer
