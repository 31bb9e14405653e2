# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=<build folder> -DNINJA=<program> -P install_builds.cmake: checks that the target built
# before installation includes every installed library and program.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${NINJA} -C ${BUILD} -t query simtlm_package
  OUTPUT_VARIABLE inputs COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\n *" ";" inputs "${inputs}")
file(STRINGS ${BUILD}/cmake_install.cmake installed REGEX "file\\(INSTALL .*TYPE (STATIC_LIBRARY|EXECUTABLE)")
set(count 0)
foreach(line IN LISTS installed)
  string(REGEX MATCHALL "FILES \"[^\"]*\"" files "${line}")
  foreach(file IN LISTS files)
    string(REGEX REPLACE "FILES \"(.*)\"" "\\1" file "${file}")
    file(RELATIVE_PATH relative ${BUILD} ${file})
    if(NOT relative IN_LIST inputs)
      message(FATAL_ERROR "${relative} is installed, and simtlm_package does not build it")
    endif()
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()
if(count LESS 10)
  message(FATAL_ERROR "only ${count} installed files were found in cmake_install.cmake")
endif()
