# SPDX-License-Identifier: Apache-2.0
# cmake -DFIND= -DSCRATCH= -P registered_systemc.cmake: checks that find_systemc.cmake (FIND) does not take a
# SystemC that is in the user's package registry only.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${SCRATCH})
file(WRITE ${SCRATCH}/systemc/SystemCLanguageConfig.cmake "message(FATAL_ERROR \"the registered SystemC was taken\")\n")
file(WRITE ${SCRATCH}/home/.cmake/packages/SystemCLanguage/entry "${SCRATCH}/systemc\n")
file(WRITE ${SCRATCH}/project/CMakeLists.txt
  "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\ninclude(${FIND})\n")
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env HOME=${SCRATCH}/home ${CMAKE_COMMAND} -S ${SCRATCH}/project -B ${SCRATCH}/build
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE said)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${said}")
endif()
