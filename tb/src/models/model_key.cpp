// SPDX-License-Identifier: Apache-2.0
/// Identifies the sources of a model; library.cpp compares it with its own key.
#include "model_key.hpp"

extern "C" {
[[gnu::visibility("default")]] extern const char* const gossamer_model_key;
const char* const gossamer_model_key = kModelKey;
}
