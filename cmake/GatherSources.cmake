# SPDX-License-Identifier: Apache-2.0
# Writes a source that includes all others of a directory: -D DIRECTORY=... -D OUTPUT=NAME.
file(GLOB sources RELATIVE ${DIRECTORY} ${DIRECTORY}/*.cpp)
list(SORT sources)
list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n")
string(CONCAT text ${sources})
file(WRITE ${DIRECTORY}/${OUTPUT} "${text}")
