// SPDX-License-Identifier: Apache-2.0
/// Files of static libraries without a symbol that other files use.
#pragma once

/// Gives the file a symbol by which the linker takes it from its library
/// (cmake/GossamerOptions.cmake: gossamer_linker_names). Without it the linker would leave out a
/// file that only registers something.
#define GOSSAMER_LINKER_NAME(name) /* NOLINT(cppcoreguidelines-macro-usage): defines a symbol */ \
  extern "C" {                                                                                   \
  extern const char name;                                                                        \
  const char name = 0;                                                                           \
  }
