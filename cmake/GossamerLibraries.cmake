# SPDX-License-Identifier: Apache-2.0
# The list of this project's libraries, for the tests of the layers and for docs/library.md.

# gossamer_describe(NAME ABOUT FOLDER...): the target gossamer_NAME, or NAME, has its sources below these
# folders of the source tree.
function(gossamer_describe name about)
  set_property(GLOBAL APPEND PROPERTY GOSSAMER_DESCRIBED ${name})
  set_property(GLOBAL PROPERTY GOSSAMER_ABOUT_${name} "${about}")
  set_property(GLOBAL PROPERTY GOSSAMER_FOLDERS_${name} ${ARGN})
endfunction()

# gossamer_write_libraries(FILE): a JSON array of {name, about, folders, links}, in the order of their
# descriptions. Targets link the project's libraries by the names in this list.
function(gossamer_write_libraries file)
  get_property(names GLOBAL PROPERTY GOSSAMER_DESCRIBED)
  set(rows "")
  foreach(name IN LISTS names)
    get_property(about GLOBAL PROPERTY GOSSAMER_ABOUT_${name})
    get_property(folders GLOBAL PROPERTY GOSSAMER_FOLDERS_${name})
    set(target ${name})
    if(TARGET gossamer_${name})
      set(target gossamer_${name})
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL INTERFACE_LIBRARY)
      get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    else()
      get_target_property(links ${target} LINK_LIBRARIES)
    endif()
    list(FILTER links EXCLUDE REGEX "^\\$|gossamer_warnings|^-|_hot$|^$|^pybind11::|_verilated$")
    list(TRANSFORM links REPLACE "^gossamer_systemc_dependency$" "SystemC")
    list(TRANSFORM links REPLACE "^(PkgConfig::|gossamer(_|::)|pugixml::|fmt::|nlohmann_json::|CLI11::)" "")
    list(REMOVE_DUPLICATES links)
    foreach(list IN ITEMS folders links)
      list(JOIN ${list} "\", \"" ${list})
      string(REGEX REPLACE "(.+)" "\"\\1\"" ${list} "${${list}}")
    endforeach()
    list(APPEND rows "{\"name\": \"${name}\", \"about\": \"${about}\", \"folders\": [${folders}], \"links\": [${links}]}")
  endforeach()
  list(JOIN rows ",\n" rows)
  file(CONFIGURE OUTPUT ${file} CONTENT "[${rows}]\n" @ONLY)
endfunction()
