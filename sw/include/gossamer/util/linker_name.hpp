// SPDX-License-Identifier: Apache-2.0
/// A symbol for files of static libraries that no other file refers to.
#pragma once

/// Defines a symbol because of which the linker includes the file (cmake/GossamerOptions.cmake:
/// gossamer_linker_names). Without it the linker would leave out a file that only registers
/// something.
#define GOSSAMER_LINKER_NAME(name) /* NOLINT(cppcoreguidelines-macro-usage): defines a symbol */ \
  extern "C" {                                                                                   \
  extern const char name;                                                                        \
  const char name = 0;                                                                           \
  }
