# SPDX-License-Identifier: Apache-2.0
# Installs the build into an empty prefix, builds the consumer against it and runs it.
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
if(NOT output MATCHES "proved 10 steps")
  message(FATAL_ERROR "unexpected output: ${output}")
endif()
run(${WORK}/prefix/bin/gossamer --version)

foreach(file IN ITEMS share/man/man1/gossamer.1 share/bash-completion/completions/gossamer
    share/zsh/site-functions/_gossamer share/fish/vendor_completions.d/gossamer.fish)
  file(READ ${WORK}/prefix/${file} text)
  if(NOT text MATCHES "verify")
    message(FATAL_ERROR "${file} does not tell of the commands")
  endif()
endforeach()
