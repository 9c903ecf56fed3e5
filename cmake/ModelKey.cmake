# SPDX-License-Identifier: Apache-2.0
# Writes a header with the hash of files and flags: -D SOURCES=FILE;... -D FLAGS=TEXT -D OUTPUT=HEADER.
set(text "${FLAGS}")
foreach(source IN LISTS SOURCES)
  file(SHA256 ${source} hash)
  string(APPEND text "\n${hash}")
endforeach()
string(SHA256 key "${text}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "inline constexpr char kModelKey[] = \"${key}\";\n")
