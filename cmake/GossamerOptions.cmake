# SPDX-License-Identifier: Apache-2.0
# Dependencies, and flags that every target of ours gets and nobody else's does.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET GLOBAL systemc)
find_package(verilator REQUIRED)

add_library(gossamer_warnings INTERFACE)
target_compile_options(gossamer_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wunused
  $<$<BOOL:${GOSSAMER_WERROR}>:-Werror>)

if(GOSSAMER_SANITIZE)
  add_compile_options(-fsanitize=${GOSSAMER_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GOSSAMER_SANITIZE})
endif()
