// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "gossamer/util/error.hpp"
#include "models/library.hpp"

namespace gossamer::tb {

TEST_CASE("Every model is loaded, of this program's sources, and once") {
  std::istringstream names(GOSSAMER_MODELS);
  int count = 0;
  for (std::string name; std::getline(names, name, ' '); ++count) {
    CAPTURE(name);
    const void* const model = find_model(name);
    REQUIRE(model != nullptr);
    REQUIRE(find_model(name) == model);
  }
  REQUIRE(count == GOSSAMER_MODEL_COUNT);
}

TEST_CASE("an unknown model is an error that names the build log") {
  REQUIRE_THROWS_WITH(find_model("gsm_nothing"),
                      Catch::Contains("the RTL model gsm_nothing could not be compiled: see ") &&
                          Catch::EndsWith("/gsm_nothing.log"));
}

}  // namespace gossamer::tb
