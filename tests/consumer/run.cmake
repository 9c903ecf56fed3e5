# SPDX-License-Identifier: Apache-2.0
# Installs the build into an empty prefix, and uses it as others would: CMake, pkg-config, the program.
file(REMOVE_RECURSE ${WORK})
# run(COMMAND...): has to succeed; run_failing: has to fail. Both leave `output`.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(run_failing)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0)
    message(FATAL_ERROR "succeeded: ${ARGN}\n${output}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "unexpected output, \"${text}\" is missing:\n${output}")
  endif()
endfunction()

set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
file(GLOB_RECURSE libraries ${prefix}/lib*/libgossamer_systemc.a)
cmake_path(GET libraries PARENT_PATH libdir)

# CMake: every target that the pages name, and the examples as they are installed.
set(configure ${CMAKE_COMMAND} -G Ninja -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${configure} -S ${SOURCE} -B ${WORK}/build -DEXAMPLES=${prefix}/share/gossamer/examples)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/plan ${WORK}/out)
expect("hamiltonian: all-gather in 24 steps, proved by hamiltonian cycles; nobody can do it in less than 24")
run(${WORK}/build/observer)
expect("hamiltonian +8 steps:( 100%)+
ring +15 steps:( 25%)+
")
run(${WORK}/build/planner)
expect("5x4 mesh: 10 steps, proved by")
expect("user:comb +1 +18 ")
expect("comb: needs two dimensions and an even number of rows; nearest feasible: 5x6")
run(${WORK}/build/router)
expect("12 steps, complete; [0-9]+ words driven; the trace is the fast engine's")
run(${WORK}/build/processing_element)
run(${WORK}/build/cxx17)
expect("64 busy links")
run(${WORK}/build/engines)
expect("fast: 10 steps.*systemc: 10 steps.*rtl: 10 steps")

# What find_package says when something is missing: which, and the package that has it.
foreach(case IN ITEMS "systemc rtl|component \"rtl\" is unknown; there is core, systemc, tb"
    "systemc|gossamer::systemc needs SystemC, which pkg-config does not find [(]Debian: libsystemc-dev[)]")
  string(REPLACE "|" ";" case "${case}")
  list(GET case 0 components)
  list(GET case 1 message)
  file(WRITE ${WORK}/missing/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(missing CXX)
find_package(gossamer REQUIRED COMPONENTS ${components})\n")
  run_failing(${CMAKE_COMMAND} -E env PKG_CONFIG_LIBDIR=${WORK}/nowhere ${configure} -S ${WORK}/missing
    -B ${WORK}/missing/build)
  expect("${message}")
endforeach()

# pkg-config, with the compiler alone.
set(pkg_config ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${libdir}/pkgconfig pkg-config)
foreach(pair IN ITEMS gossamer/observer gossamer-systemc/router)
  cmake_path(GET pair PARENT_PATH package)
  cmake_path(GET pair FILENAME name)
  run(${pkg_config} --cflags --libs ${package})
  string(STRIP "${output}" flags)
  separate_arguments(flags)
  run(c++ -std=c++20 ${prefix}/share/gossamer/examples/${name}/main.cpp -o ${WORK}/${name} ${flags})
  run(${WORK}/${name})
endforeach()

run(${prefix}/bin/gossamer --version)
foreach(file IN ITEMS share/gossamer/rtl/gsm_router.sv share/gossamer/schemas/plan.schema.json
    share/gossamer/rtl/examples/elastic/bench.py share/doc/gossamer/LICENSE
    share/doc/gossamer/quickstart.md share/doc/gossamer/commands/plan.md)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
foreach(file IN ITEMS share/man/man1/gossamer.1 share/bash-completion/completions/gossamer
    share/zsh/site-functions/_gossamer share/fish/vendor_completions.d/gossamer.fish)
  file(READ ${prefix}/${file} text)
  if(NOT text MATCHES "verify")
    message(FATAL_ERROR "${file} does not tell of the commands")
  endif()
endforeach()
# Nothing of this machine in what is installed.
file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.pc)
foreach(text IN LISTS texts)
  file(READ ${text} content)
  if(content MATCHES "${BUILD}" OR content MATCHES "${ROOT}/")
    message(FATAL_ERROR "${text} names the directory that it was built in")
  endif()
endforeach()
