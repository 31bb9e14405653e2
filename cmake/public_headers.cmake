# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DTO= -P public_headers.cmake: copies the public headers into TO/simtlm, where users
# include them as <simtlm/...>: simtlm.h, simtlm_registers.h, cci.h, scp.h, qbox.h and vcml.h, and modules/ and
# platform/ with what they include. Within the source tree, headers are named from its top folder.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${TO}/simtlm)
file(GLOB_RECURSE headers RELATIVE ${SOURCE} ${SOURCE}/modules/*.h ${SOURCE}/platform/*.h)
list(FILTER headers EXCLUDE REGEX "report_writer\\.h$|^platform/study/|^modules/trace_import/")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "^platform/([a-z_]+\\.h)$" "\\1" to ${header})
  file(READ ${SOURCE}/${header} text)
  string(REGEX REPLACE "(#include )\"platform/([a-z_]+\\.h)\"" "\\1<simtlm/\\2>" text "${text}")
  string(REGEX REPLACE "(#include )\"((modules|platform)/[^\"]*)\"" "\\1<simtlm/\\2>" text "${text}")
  file(CONFIGURE OUTPUT ${TO}/simtlm/${to} CONTENT "@text@" @ONLY)
endforeach()
