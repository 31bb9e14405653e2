# SPDX-License-Identifier: Apache-2.0
# Everything comes from the distribution.
include(cmake/find_systemc.cmake)
if(NOT TARGET SystemC::systemc)
  message(FATAL_ERROR "SystemC 2.3.4 or newer is needed (Debian: libsystemc-dev)")
endif()
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS iostreams program_options)
find_package(fmt REQUIRED)
find_library(SIMTLM_ZSTD zstd REQUIRED)  # no package file in Debian 12
find_package(nlohmann_json REQUIRED)
