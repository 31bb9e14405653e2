# SPDX-License-Identifier: Apache-2.0
# Everything comes from the distribution.
include(cmake/find_systemc.cmake)
if(NOT TARGET SystemC::systemc)
  message(FATAL_ERROR "SystemC 2.3.4 or newer is needed (Debian: libsystemc-dev; "
    "one of your own: -DSIMTLM_SYSTEMC_ROOT=FOLDER)")
endif()
message(STATUS "SystemC ${SIMTLM_SYSTEMC_VERSION}")
# What is installed finds the libraries that it was linked with.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS iostreams program_options)
find_package(fmt REQUIRED)
find_library(SIMTLM_ZSTD zstd REQUIRED)  # no package file in Debian 12
find_library(SIMTLM_LZ4 lz4 REQUIRED)
find_library(SIMTLM_SQLITE sqlite3 REQUIRED)
find_package(nlohmann_json REQUIRED)
# simtlm-trace import. From version 22 on its package file names further libraries; Debian 12 has none.
find_package(Protobuf QUIET CONFIG)
if(NOT TARGET protobuf::libprotobuf-lite)
  find_package(Protobuf REQUIRED MODULE)
endif()
find_package(yaml-cpp REQUIRED)

find_path(XXHASH_INCLUDE_DIR xxhash.h)
find_library(XXHASH_LIBRARY xxhash)
if(NOT XXHASH_INCLUDE_DIR OR NOT XXHASH_LIBRARY)
  message(FATAL_ERROR "xxHash 0.8 or newer is needed (Debian: libxxhash-dev)")
endif()
add_library(xxhash::xxhash INTERFACE IMPORTED)
target_include_directories(xxhash::xxhash INTERFACE ${XXHASH_INCLUDE_DIR})
target_link_libraries(xxhash::xxhash INTERFACE ${XXHASH_LIBRARY})
