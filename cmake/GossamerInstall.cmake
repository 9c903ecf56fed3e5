# SPDX-License-Identifier: Apache-2.0
# Installed files, in four components that are four packages (GossamerPackages.cmake): `program`, `libraries` with
# headers and find_package(gossamer), `rtl`, and `module`, the Python package (python/CMakeLists.txt).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gossamer)

# The program, its pages and the schemas of its documents.
install(TARGETS gossamer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
get_property(models GLOBAL PROPERTY GOSSAMER_MODELS)
install(TARGETS ${models} LIBRARY DESTINATION ${gossamer_installed_models} COMPONENT program)
file(RELATIVE_PATH models_from_program /${CMAKE_INSTALL_BINDIR} /${gossamer_installed_models})
set_target_properties(gossamer PROPERTIES INSTALL_RPATH "$ORIGIN/${models_from_program}")
install(FILES ${gossamer_manual}/gossamer.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${gossamer_manual}/gossamer.bash RENAME gossamer
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${gossamer_manual}/_gossamer
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${gossamer_manual}/gossamer.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program
  PATTERN "*.schema.json" EXCLUDE)
file(GLOB schemas docs/*.schema.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/gossamer/schemas COMPONENT program)

# The libraries: the layers under one name, the SystemC library, and the engine of the Verilated RTL.
get_property(layers GLOBAL PROPERTY GOSSAMER_LAYERS)
list(TRANSFORM layers PREPEND gossamer_)
install(TARGETS ${layers} gossamer_machines gossamer_core EXPORT gossamer-core
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
install(TARGETS gossamer_systemc gossamer_systemc_dependency EXPORT gossamer-systemc
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
install(TARGETS gossamer_tb gossamer_rtl EXPORT gossamer-tb
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
install(DIRECTORY sw/include/gossamer ${CMAKE_BINARY_DIR}/sw/include/gossamer systemc/include/gossamer
    tb/include/gossamer
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libraries FILES_MATCHING PATTERN "*.hpp")
foreach(set IN ITEMS core systemc tb)
  install(EXPORT gossamer-${set} NAMESPACE gossamer:: DESTINATION ${package_dir} COMPONENT libraries)
endforeach()
configure_package_config_file(cmake/gossamer-config.cmake.in gossamer-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(gossamer-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gossamer-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/gossamer-config-version.cmake
  DESTINATION ${package_dir} COMPONENT libraries)
# For pkg-config: libraries come before their dependencies; linker names select files that only register something.
# The prefix is derived from the file's own location.
function(pkg_config_libraries result)
  foreach(target IN LISTS ARGN)
    get_target_property(names ${target} INTERFACE_LINK_OPTIONS)
    if(names)
      list(TRANSFORM names REPLACE "^LINKER:" "-Wl,")
      list(APPEND all ${names})
    endif()
  endforeach()
  list(TRANSFORM ARGN PREPEND "-l" OUTPUT_VARIABLE libraries)
  list(JOIN all " " all)
  list(JOIN libraries " " libraries)
  set(${result} "${all} ${libraries}" PARENT_SCOPE)
endfunction()
list(REVERSE layers)
pkg_config_libraries(GOSSAMER_CORE_LIBRARIES ${layers})
pkg_config_libraries(GOSSAMER_SYSTEMC_LIBRARIES gossamer_systemc)
file(RELATIVE_PATH GOSSAMER_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name IN ITEMS gossamer gossamer-systemc)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libraries)
endforeach()
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gossamer/examples COMPONENT libraries)
install(DIRECTORY systemc/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gossamer/examples/systemc
  COMPONENT libraries)

# The RTL, and its example.
install(DIRECTORY rtl/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gossamer/rtl COMPONENT rtl
  FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh" PATTERN "*.py" PATTERN "run"
  PATTERN emit EXCLUDE)
