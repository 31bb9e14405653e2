# SPDX-License-Identifier: Apache-2.0
# cmake -DPREFIX= -DPROJECT= -DSCRATCH= -DVERSION= -P other_systemc.cmake: checks that a project that
# finds the package in PREFIX and another version of SystemC gets an error with both versions.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${SCRATCH})
set(root ${SCRATCH}/systemc)
file(WRITE ${root}/include/systemc "")
file(WRITE ${root}/include/sysc/kernel/sc_ver.h
  "#define SC_VERSION_MAJOR 1\n#define SC_VERSION_MINOR 2\n#define SC_VERSION_PATCH 3\n")
file(WRITE ${root}/lib/libsystemc.a "")
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${PROJECT} -B ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${PREFIX}
          -DSIMTLM_SYSTEMC_ROOT=${root}
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE said)
string(REGEX REPLACE "[ \n]+" " " said "${said}")
if(result EQUAL 0)
  message(FATAL_ERROR "a package built with another SystemC was taken")
endif()
foreach(expected "built with SystemC ${VERSION}" "'1.2.3'" "SIMTLM_SYSTEMC_ROOT")
  string(FIND "${said}" "${expected}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "not told \"${expected}\":\n${said}")
  endif()
endforeach()
