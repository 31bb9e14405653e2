# SPDX-License-Identifier: Apache-2.0
# simtlm_module(NAME SOURCES a.cpp b.cpp DEPENDS other...)
# One static library per folder of the house, exported as simtlm::NAME. Headers are included by
# their path from the top of the tree: #include "modules/core/sm.h".
find_program(SIMTLM_CCACHE ccache)
if(SIMTLM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT SIMTLM_PROFILE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SIMTLM_CCACHE}")
endif()

add_library(simtlm_settings INTERFACE)
add_library(simtlm::settings ALIAS simtlm_settings)
target_compile_features(simtlm_settings INTERFACE cxx_std_17)

# Flags of our own sources; consumers of the installed libraries do not inherit them.
add_library(simtlm_private_settings INTERFACE)
target_compile_options(simtlm_private_settings INTERFACE
  # Compiled with others, a source may see a global name of theirs: locals are compared with locals.
  -Wall -Wextra -Wshadow$<$<BOOL:${CMAKE_UNITY_BUILD}>:=local> -Wnon-virtual-dtor -Woverloaded-virtual $<$<BOOL:${SIMTLM_WERROR}>:-Werror>
  # Position-independent code is inlined within a source all the same: nobody replaces our functions.
  -fno-semantic-interposition $<$<BOOL:${SIMTLM_ARCH}>:-march=${SIMTLM_ARCH}>)
if(SIMTLM_SANITIZE)
  add_compile_options(-fsanitize=${SIMTLM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${SIMTLM_SANITIZE})
endif()
if(SIMTLM_PROFILE STREQUAL "train")
  add_compile_options(-fprofile-generate -fprofile-update=single)
  add_link_options(-fprofile-generate)
elseif(SIMTLM_PROFILE STREQUAL "use")
  # Sources that the training runs never reached have no profile, and keep the usual optimisation.
  add_compile_options(-fprofile-use -fprofile-partial-training -Wno-missing-profile)
elseif(SIMTLM_PROFILE)
  message(FATAL_ERROR "SIMTLM_PROFILE is '${SIMTLM_PROFILE}'; use train, use, or nothing")
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set_property(GLOBAL PROPERTY SIMTLM_TARGETS simtlm_settings)

# The presets asan and tsan compile several sources at a time (CMAKE_UNITY_BUILD), at most
# SIMTLM_TOGETHER of one folder: most of the time of a source goes into SystemC's headers. ALONE: sources
# that cannot be, or had better not be, compiled with others. NOT_TOGETHER: all of them.
set(SIMTLM_TOGETHER 12 CACHE STRING "Sources of a folder that a unity build compiles at a time")
function(simtlm_module name)
  cmake_parse_arguments(arg "NOT_TOGETHER" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS;ALONE" ${ARGN})
  add_library(simtlm_${name} STATIC ${arg_SOURCES})
  add_library(simtlm::${name} ALIAS simtlm_${name})
  set_target_properties(simtlm_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(simtlm_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/simtlm>)
  target_link_libraries(simtlm_${name}
    PUBLIC simtlm_settings ${arg_DEPENDS}
    PRIVATE $<BUILD_INTERFACE:simtlm_private_settings> ${arg_PRIVATE_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY SIMTLM_TARGETS simtlm_${name})
  set_target_properties(simtlm_${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(arg_NOT_TOGETHER)
    set_target_properties(simtlm_${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  foreach(source IN LISTS arg_SOURCES)
    if(source IN_LIST arg_ALONE)
      set_property(SOURCE ${source} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    math(EXPR nth "${count_${folder}} + 0")
    math(EXPR count_${folder} "${nth} + 1")
    math(EXPR group "${nth} / ${SIMTLM_TOGETHER}")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()

# simtlm_test(NAME SOURCES... DEPENDS... [PREFIX p]): one GoogleTest executable, each test run in a
# process of its own, because a SystemC simulation cannot be started twice in one process. PREFIX
# tells tests of the same sources, built another way, apart.
function(simtlm_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;PREFIX" "SOURCES;DEPENDS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE simtlm_private_settings ${arg_DEPENDS} simtlm_test_main)
  gtest_discover_tests(${name} TEST_PREFIX "${arg_PREFIX}" PROPERTIES TIMEOUT ${arg_TIMEOUT} DISCOVERY_TIMEOUT 60)
endfunction()
