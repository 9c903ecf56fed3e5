# SPDX-License-Identifier: Apache-2.0
# Dependencies, and flags that every target of ours gets and nobody else's does.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(EXPAT REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET GLOBAL systemc)
find_package(verilator REQUIRED)

# Extras are built where their packages are, each behind an option that says so when they are not.
# gossamer_extra(OPTION WHAT NEEDS FOUND...): turns the option off unless everything is FOUND.
option(GOSSAMER_REQUIRE_ALL "Extras whose packages are missing are errors" OFF)
function(gossamer_extra option what needs)
  option(${option} "${what}, with ${needs}" ON)
  if(NOT ${option})
    return()
  endif()
  foreach(found IN LISTS ARGN)
    if(NOT ${found})
      if(GOSSAMER_REQUIRE_ALL)
        message(FATAL_ERROR "${what}: needs ${needs}")
      endif()
      message(STATUS "Without ${what}: needs ${needs} (scripts/setup tests)")
      set(${option} OFF PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

find_package(SQLite3 QUIET)
find_package(yaml-cpp QUIET)
gossamer_extra(GOSSAMER_SWEEP "gossamer sweep" "yaml-cpp and SQLite 3" SQLite3_FOUND yaml-cpp_FOUND)
find_package(MPI QUIET COMPONENTS C)
gossamer_extra(GOSSAMER_MPI "sweeps over several machines" "MPI" MPI_C_FOUND)
find_program(NODE node)
find_program(NPM npm)
gossamer_extra(GOSSAMER_VIEWER "gossamer view" "Node.js and npm" NODE NPM)
# scikit-build-core says for which Python; otherwise it is Debian's, as in the tests.
if(NOT SKBUILD)
  set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python to build the package for")
endif()
set(PYBIND11_FINDPYTHON ON)
find_package(Python QUIET COMPONENTS Interpreter Development.Module)
find_package(pybind11 QUIET)
gossamer_extra(GOSSAMER_PYTHON "the Python package" "pybind11 and Python's headers" Python_FOUND pybind11_FOUND)
if(GOSSAMER_TESTS)
  find_package(Catch2 2 QUIET)
  gossamer_extra(GOSSAMER_TESTS "the tests" "Catch2" Catch2_FOUND)
endif()
if(GOSSAMER_BENCH)
  find_package(benchmark QUIET)
  gossamer_extra(GOSSAMER_BENCH "the benchmarks" "Google Benchmark" benchmark_FOUND)
endif()

add_library(gossamer_warnings INTERFACE)
target_compile_options(gossamer_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wunused
  $<$<BOOL:${GOSSAMER_WERROR}>:-Werror>)

if(GOSSAMER_SANITIZE)
  # What is found ends the program, so that a test fails.
  add_compile_options(-fsanitize=${GOSSAMER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GOSSAMER_SANITIZE})
  # Verilator's runtime asks whether atomics lock; with sanitizers the compiler leaves that to a library.
  link_libraries(atomic)
endif()

# What a release compiles with -O1, so that a first build is short: what is no slower for it (planners' time
# goes into memory and a few searches, the rtl engine's into its models), and what runs for moments. What
# stands nowhere keeps CMake's -O3: topology, engines, SystemC. docs/performance.md has the figures.
set(GOSSAMER_OPTIMIZED_1 gossamer_plan gossamer_bounds gossamer_planners gossamer_foreign gossamer_requests
  gossamer_emit gossamer_tb gossamer gossamer_fst gossamer_verilated)

# gossamer_optimize(TARGET [LEVEL]): a Verilated model or a test to LEVEL; without, to 1 what stands above.
function(gossamer_optimize target)
  if(ARGN)
    set(level ${ARGN})
  elseif(target IN_LIST GOSSAMER_OPTIMIZED_1)
    set(level 1)
  else()
    return()
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
endfunction()

# GCC collects garbage whenever its heap has doubled, a twentieth of its time here. Without that the largest
# unit takes 0.7 GB, with it 0.6.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND PROJECT_IS_TOP_LEVEL)
  add_compile_options("SHELL:--param ggc-min-expand=10000" "SHELL:--param ggc-min-heapsize=4000000")
endif()

# gossamer_compile_together(TARGET [HEADER...]): what its sources include takes longer to compile than they
# do. So those of a directory become one translation unit, twelve at a time, of planners three, which are
# edited most (names in their unnamed namespaces then have to differ), and headers that nearly all include
# are compiled once: for all libraries, or with further ones for the target alone. The dev build compiles
# every file by itself.
option(GOSSAMER_COMPILE_TOGETHER "Compile several sources of a directory as one, and headers once" ON)
set(GOSSAMER_COMMON_HEADERS <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory> <numeric>
  <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <unordered_map> <variant> <vector>
  <fmt/format.h>)
function(gossamer_compile_together target)
  if(NOT GOSSAMER_COMPILE_TOGETHER)
    return()
  endif()
  set(most 12)
  if(target STREQUAL gossamer_planners)
    set(most 3)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH directory)
    list(APPEND of_${directory} ${source})
    list(LENGTH of_${directory} count)
    math(EXPR batch "(${count} - 1) / ${most}")
    string(MAKE_C_IDENTIFIER "${directory}_${batch}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(ARGN OR target STREQUAL gossamer_topology)
    target_precompile_headers(${target} PRIVATE ${GOSSAMER_COMMON_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM gossamer_topology)
  endif()
endfunction()
