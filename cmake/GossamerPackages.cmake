# SPDX-License-Identifier: Apache-2.0
# Debian packages by `cpack`, one for each component of GossamerInstall.cmake.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gossamer)
set(CPACK_PACKAGE_VENDOR Gossamer)
set(CPACK_PACKAGE_CONTACT "The Gossamer authors <noreply@gossamer.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program libraries rtl)
if(GOSSAMER_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL module)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME gossamer-noc)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"planner, prover and simulator of collective communication on networks-on-chip
 Plans all-gather, broadcast, reductions and other collectives for mesh and
 torus networks as tables that routers have wired in, proves them, runs them
 on a fast, a SystemC and an RTL engine, and writes them as SystemVerilog.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-gossamer, python3-matplotlib, iverilog, verilator")

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libgossamer-dev)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libdevel)
# The engine of the RTL loads the models of the program's package.
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_DEPENDS "libfmt-dev, libpugixml-dev, nlohmann-json3-dev, gossamer-noc (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_RECOMMENDS "libsystemc-dev, pkg-config")
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION
"libraries, headers and examples of gossamer
 Topologies, plans, planners, proofs, engines and emitters for C++20; routers
 and fabric for SystemC; static libraries, for CMake and pkg-config.")

set(CPACK_DEBIAN_RTL_PACKAGE_NAME gossamer-rtl)
set(CPACK_DEBIAN_RTL_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_RTL_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_RTL_DESCRIPTION
"SystemVerilog routers, tiles and fabric of gossamer
 The modules that emitted networks are made of, in the subset of the language
 that Verilator, Icarus Verilog and yosys share.")

set(CPACK_DEBIAN_MODULE_PACKAGE_NAME python3-gossamer)
set(CPACK_DEBIAN_MODULE_PACKAGE_SECTION python)
set(CPACK_DEBIAN_MODULE_PACKAGE_SHLIBDEPS ON)
# It is made for one version of Python.
math(EXPR next_python "${Python_VERSION_MINOR} + 1")
string(CONCAT CPACK_DEBIAN_MODULE_PACKAGE_DEPENDS "gossamer-noc (= ${PROJECT_VERSION}), "
  "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_python}), python3-distributed, python3-numpy, python3-tqdm, python3-yaml")
set(CPACK_DEBIAN_MODULE_DESCRIPTION
"gossamer for Python
 Plans, proofs, simulations and emitted files as functions of Python, and the
 command gossamer sweep, on the cores of a machine or on a cluster of
 dask.distributed.")

# Debian requires the licence of each package in its own place.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES debian/copyright COMPONENT ${component}
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
endforeach()
include(CPack)
