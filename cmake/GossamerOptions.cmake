# SPDX-License-Identifier: Apache-2.0
# Dependencies, and flags for the targets of this project only.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pugixml REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Protobuf REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET GLOBAL systemc)
# Verilator's own find_package() compiles three programs for results that this project does not need, which takes
# 1.5 s.
find_program(VERILATOR_BIN verilator_bin REQUIRED)
execute_process(COMMAND ${VERILATOR_BIN} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# Extras are built if their packages are installed. Each has an option, which reports missing packages.
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

find_program(NODE node)
find_program(NPM npm)
gossamer_extra(GOSSAMER_VIEWER "gossamer view" "Node.js and npm" NODE NPM)
# scikit-build-core selects the Python version; otherwise it is Debian's, as in the tests.
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
  # An error found ends the program, so that the test fails.
  add_compile_options(-fsanitize=${GOSSAMER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(GOSSAMER_SANITIZE MATCHES address)
    # AddressSanitizer finds accesses through null pointers and beyond objects, and this project casts pointers
    # only to bytes. Repeating these checks for every access would take a quarter of the compiler's and of the
    # tests' time.
    add_compile_options(-fno-sanitize=null,alignment,object-size)
  endif()
  add_link_options(-fsanitize=${GOSSAMER_SANITIZE})
  # Verilator's runtime queries whether atomics are lock-free; with sanitizers the compiler calls a library for
  # this.
  link_libraries(atomic)
endif()

# gossamer_linker_names(TARGET NAME...): programs that link the static library include its files with these names
# (gossamer/util/linker_name.hpp), although no code calls their functions.
function(gossamer_linker_names target)
  list(TRANSFORM ARGN PREPEND LINKER:--undefined= OUTPUT_VARIABLE options)
  target_link_options(${target} INTERFACE ${options})
endfunction()

# gossamer_optimize(TARGET LEVEL): a release compiles it with -OLEVEL. The project's targets use 1 to keep a first
# build short, without points-to analysis, which would take a twentieth of that time. gossamer_hot(TARGET
# SOURCE...) adds sources that use 3, since their speed is measured (docs/performance.md) and lower levels are
# slower. Their loops are aligned, so that speed does not depend on code linked before them (a fifth for the fast
# engine). Other planners spend their time in memory and a few searches, the rtl engine in its models.
function(gossamer_optimize target level)
  set(gcc_1 -fno-tree-pta)
  set(gcc_3 -falign-functions=64 -falign-loops=32)
  # For a shared library (the Python module) GCC may inline functions only if they cannot be replaced at load time.
  # Without this flag it takes a tenth more time.
  target_compile_options(${target} PRIVATE
    "$<$<CONFIG:Release>:-O${level};$<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition;${gcc_${level}}>>")
endfunction()
function(gossamer_hot target)
  set(hot ${target}_hot)
  add_library(${hot} OBJECT ${ARGN})
  get_target_property(libraries ${target} LINK_LIBRARIES)
  target_link_libraries(${hot} PRIVATE ${libraries})
  target_include_directories(${hot} PRIVATE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
  gossamer_optimize(${hot} 3)
  gossamer_compile_together(${hot})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${hot}>)
endfunction()

# GCC collects garbage whenever its heap has doubled, which takes up to a quarter of its time here. Without garbage
# collection the largest unit takes 0.7 GB, with it 0.6 GB.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND PROJECT_IS_TOP_LEVEL)
  add_compile_options("SHELL:--param ggc-min-expand=10000" "SHELL:--param ggc-min-heapsize=4000000")
endif()

# gossamer_compile_together(TARGET): the included headers take longer to compile than the sources. So up to 30
# sources become one translation unit (12 for planners, which are edited most), and common headers are precompiled.
# Names in unnamed namespaces of one unit must therefore differ. nlohmann's header is not precompiled, since it
# instantiates its parser in every unit that includes it. The headers are compiled with the level of the lowest
# layer's hot sources, since GCC 12 crashes if they were compiled with a lower level than a source. The dev build
# compiles every file separately.
option(GOSSAMER_COMPILE_TOGETHER "Compile several sources as one, and headers once" ON)
set(GOSSAMER_COMMON_HEADERS <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory> <numeric>
  <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <unordered_map> <variant> <vector>
  <fmt/format.h>)
function(gossamer_compile_together target)
  if(NOT GOSSAMER_COMPILE_TOGETHER)
    return()
  endif()
  set(most 30)
  if(target STREQUAL gossamer_collectives)
    set(most 12)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR units "(${count} + ${most} - 1) / ${most}")
  set(index 0)
  foreach(source IN LISTS sources)
    math(EXPR unit "${index} * ${units} / ${count}")
    # Each machine's engine and device register themselves with objects of the same name.
    if(source MATCHES "/(engine|tlm_engine|device)\\.cpp$")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    else()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
    endif()
    math(EXPR index "${index} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(target STREQUAL gossamer_topology_hot)
    target_precompile_headers(${target} PRIVATE ${GOSSAMER_COMMON_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM gossamer_topology_hot)
  endif()
endfunction()
