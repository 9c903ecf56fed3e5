# SPDX-License-Identifier: Apache-2.0
# Install the program, the libraries with their headers, and a package for find_package(gossamer).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS gossamer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
get_property(layers GLOBAL PROPERTY GOSSAMER_LAYERS)
list(TRANSFORM layers PREPEND gossamer_)
install(TARGETS ${layers} gossamer_core EXPORT gossamer-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS gossamer_systemc gossamer_systemc_dependency EXPORT gossamer-systemc-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY sw/include/gossamer ${CMAKE_BINARY_DIR}/sw/include/gossamer
    systemc/include/gossamer
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY rtl/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gossamer/rtl
  FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh")
install(EXPORT gossamer-targets NAMESPACE gossamer::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gossamer)
install(EXPORT gossamer-systemc-targets NAMESPACE gossamer::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gossamer)
configure_package_config_file(cmake/gossamer-config.cmake.in gossamer-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gossamer)
write_basic_package_version_file(gossamer-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gossamer-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/gossamer-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gossamer)
