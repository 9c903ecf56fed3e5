// SPDX-License-Identifier: Apache-2.0
/// Of which sources a model is: for library.cpp, which compares it with its own.
#include "model_key.hpp"

extern "C" {
[[gnu::visibility("default")]] extern const char* const gossamer_model_key;
const char* const gossamer_model_key = kModelKey;
}
