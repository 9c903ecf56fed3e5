# SPDX-License-Identifier: Apache-2.0
# Dependencies, and flags that every target of ours gets and nobody else's does.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pugixml REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET GLOBAL systemc)
# Verilator's own find_package() compiles three programs to learn what nobody here asks for: a second and a half.
find_program(VERILATOR_BIN verilator_bin REQUIRED)
execute_process(COMMAND ${VERILATOR_BIN} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

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
  if(GOSSAMER_SANITIZE MATCHES address)
    # It finds who touches what a null pointer names, or what lies beyond an object, and no pointer here is cast
    # but to bytes: checks of every access again take a quarter of the compiler's and of the tests' time.
    add_compile_options(-fno-sanitize=null,alignment,object-size)
  endif()
  add_link_options(-fsanitize=${GOSSAMER_SANITIZE})
  # Verilator's runtime asks whether atomics lock; with sanitizers the compiler leaves that to a library.
  link_libraries(atomic)
endif()

# gossamer_linker_names(TARGET NAME...): what links the static library takes the files of it that have these
# names (gossamer/util/linker_name.hpp), although no code calls their functions.
function(gossamer_linker_names target)
  list(TRANSFORM ARGN PREPEND LINKER:--undefined= OUTPUT_VARIABLE options)
  target_link_options(${target} INTERFACE ${options})
endfunction()

# gossamer_optimize(TARGET LEVEL): a release compiles it with -OLEVEL. Ours take 1, so that a first build is
# short, without the search for what pointers may point to, a twentieth of that. gossamer_hot(TARGET SOURCE...)
# adds sources that take 3, since what they do is measured (docs/performance.md) and slower with less, and whose
# loops lie where they do not depend on what was linked before them (a fifth for the fast engine). Other planners'
# time goes into memory and a few searches, the rtl engine's into its models.
function(gossamer_optimize target level)
  set(gcc_1 -fno-tree-pta)
  set(gcc_3 -falign-functions=64 -falign-loops=32)
  # GCC may not inline what it compiles for a shared library, Python's, unless told that nobody puts functions in the
  # place of ours: a tenth of its own time.
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

# GCC collects garbage whenever its heap has doubled, up to a quarter of its time here. Without that the largest
# unit takes 0.7 GB, with it 0.6.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND PROJECT_IS_TOP_LEVEL)
  add_compile_options("SHELL:--param ggc-min-expand=10000" "SHELL:--param ggc-min-heapsize=4000000")
endif()

# gossamer_compile_together(TARGET): what its sources include takes longer to compile than they do. So up to
# 30 of them become one translation unit, of planners 12, which are edited most (names in their unnamed
# namespaces then have to differ), and headers that nearly all include are compiled once. nlohmann's is not
# among them: whoever includes it instantiates its parser. The headers are those of the lowest layer's hot
# sources, since GCC 12 breaks off where they were compiled with a lower level than a source. The dev build
# compiles every file by itself.
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
    # Each machine's engine and device register themselves by objects of one name.
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
