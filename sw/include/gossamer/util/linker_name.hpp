// SPDX-License-Identifier: Apache-2.0
/// Files of static libraries that no other file calls.
#pragma once

/// Gives the file a name by which the linker takes it from its library
/// (cmake/GossamerOptions.cmake: gossamer_linker_names). A file that only registers something would
/// be left out otherwise.
#define GOSSAMER_LINKER_NAME(name) /* NOLINT(cppcoreguidelines-macro-usage): defines a symbol */ \
  extern "C" {                                                                                   \
  extern const char name;                                                                        \
  const char name = 0;                                                                           \
  }
