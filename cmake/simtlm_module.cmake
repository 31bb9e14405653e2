# SPDX-License-Identifier: Apache-2.0
# simtlm_module(NAME SOURCES a.cpp b.cpp DEPENDS other...)
# One static library per folder of the house, exported as simtlm::NAME. Headers are included by
# their path from the top of the tree: #include "modules/core/sm.h".
option(SIMTLM_QUICK_BUILD
  "Precompile headers, and optimise lightly what runs once a program (presets release and ci)" OFF)
find_program(SIMTLM_CCACHE ccache)
if(SIMTLM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT SIMTLM_PROFILE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SIMTLM_CCACHE}")
  if(SIMTLM_QUICK_BUILD)
    # ccache takes the contents of a precompiled header into account, but caches what includes one
    # only where it may overlook macros of the command line and __TIME__, which our headers do not use.
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${SIMTLM_CCACHE})
  endif()
endif()

# There are some 180 executables and libraries, and mold links each in a tenth of the time.
# Compilers before GCC 12.1 do not know it. mold 1.10 of Debian 12 can let the region that is
# protected after relocation begin before the first writable page, which the loader refuses.
if(SIMTLM_QUICK_BUILD)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=mold SIMTLM_LINKS_WITH_MOLD)
  if(SIMTLM_LINKS_WITH_MOLD)
    add_link_options(-fuse-ld=mold -Wl,-z,norelro)
  endif()
endif()

# simtlm_precompile(TARGET [HEADERS LIBRARY]): precompiled headers where SIMTLM_QUICK_BUILD asks for
# them, those of the library simtlm_headers unless told otherwise. No source may depend on them: the
# preset dev builds without.
function(simtlm_precompile target)
  cmake_parse_arguments(arg "" "HEADERS" "" ${ARGN})
  if(NOT SIMTLM_QUICK_BUILD)
    return()
  endif()
  if(NOT arg_HEADERS)
    set(arg_HEADERS simtlm_headers)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${arg_HEADERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # for ccache
  endif()
endfunction()

# simtlm_light(TARGET): for sources that run once a program or once a kernel (readers of options,
# reports, calls of host programs): lightly optimised, and compiled in half the time. -Og takes three
# quarters of the time of -O1, and makes smaller code once it inlines what is called once.
set(simtlm_light_options -O1)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(simtlm_light_options -Og -finline-functions-called-once -DXXH_NO_INLINE_HINTS=1)
endif()
function(simtlm_light target)
  if(SIMTLM_QUICK_BUILD)
    target_compile_options(${target} PRIVATE
      "$<$<CONFIG:Release>:${simtlm_light_options}>" -fPIC)  # as the headers are
    simtlm_precompile(${target} HEADERS simtlm_light_headers)
  endif()
endfunction()

set(CMAKE_CXX_EXTENSIONS OFF)
if(SIMTLM_SANITIZE)
  add_compile_options(-fsanitize=${SIMTLM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${SIMTLM_SANITIZE})
endif()
add_library(simtlm_settings INTERFACE)
add_library(simtlm::settings ALIAS simtlm_settings)
target_compile_features(simtlm_settings INTERFACE cxx_std_17)

# Flags of our own sources; consumers of the installed libraries do not inherit them.
add_library(simtlm_private_settings INTERFACE)
target_compile_options(simtlm_private_settings INTERFACE
  # Compiled with others, a source may see a global name of theirs, and is none of the compiler's main
  # files: the preset dev has these warnings whole.
  -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual $<$<BOOL:${SIMTLM_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:GNU>:-Wshadow$<$<BOOL:${CMAKE_UNITY_BUILD}>:=local>>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
  # Position-independent code is inlined within a source all the same: nobody replaces our functions.
  -fno-semantic-interposition $<$<BOOL:${SIMTLM_ARCH}>:-march=${SIMTLM_ARCH}>
  # What modules/execution/arithmetic asks for, everywhere: precompiled headers serve one set of flags.
  $<$<BOOL:${SIMTLM_QUICK_BUILD}>:-ffp-contract=off> $<$<BOOL:${SIMTLM_QUICK_BUILD}>:-fno-math-errno>
  $<$<BOOL:${SIMTLM_QUICK_BUILD}>:-fno-trapping-math>)
# GCC optimises what includes a precompiled header as that was compiled, whatever the options say:
# one of them for each level.
if(SIMTLM_QUICK_BUILD)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's garbage collector marks a precompiled header each time, and frees little: that is an eighth
    # of the compile time for a tenth of the memory. It begins at 1 GiB (given in KiB) then.
    target_compile_options(simtlm_private_settings INTERFACE "SHELL:--param ggc-min-heapsize=1048576")
  endif()
  foreach(headers simtlm_headers simtlm_light_headers)
    add_library(${headers} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
    target_link_libraries(${headers} PRIVATE simtlm_settings simtlm_private_settings SystemC::systemc)
    target_compile_options(${headers} PRIVATE -fPIC $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    target_precompile_headers(${headers} PRIVATE <algorithm> <array> <cstdint> <deque> <functional>
      <map> <memory> <mutex> <optional> <set> <string> <string_view> <systemc> <thread> <tlm>
      <unordered_map> <utility> <vector>)
  endforeach()
  target_compile_options(simtlm_light_headers PRIVATE
    "$<$<CONFIG:Release>:${simtlm_light_options}>")
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
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set_property(GLOBAL PROPERTY SIMTLM_TARGETS simtlm_settings)

# The presets release, ci, asan and tsan compile several sources at a time (CMAKE_UNITY_BUILD), at
# most SIMTLM_TOGETHER of one folder; of those that are lightly optimised, for which reading headers is
# half the work, of any folders. COLD: those of the sources, by file or folder, that are compiled
# by simtlm_light(), LIGHT: all of them but HOT ones. ALONE: sources that cannot be compiled with others; NO_HEADERS: nor
# with precompiled headers.
set(SIMTLM_TOGETHER 32 CACHE STRING "Sources of a folder that a unity build compiles at a time")
function(simtlm_together target)
  cmake_parse_arguments(arg "ANY_FOLDER" "" "" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    set(folder in_any)
    if(NOT arg_ANY_FOLDER)
      cmake_path(GET source PARENT_PATH folder)
      string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    endif()
    math(EXPR nth "${count_${folder}} + 0")
    math(EXPR count_${folder} "${nth} + 1")
    math(EXPR group "${nth} / ${SIMTLM_TOGETHER}")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()

function(simtlm_module name)
  cmake_parse_arguments(arg "LIGHT" "" "SOURCES;COLD;HOT;DEPENDS;PRIVATE_DEPENDS;ALONE;NO_HEADERS" ${ARGN})
  set(targets simtlm_${name})
  set(sources)
  set(cold)
  set(hot)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(GET source PARENT_PATH folder)
    if(source IN_LIST arg_COLD OR (folder AND folder IN_LIST arg_COLD))
      list(APPEND cold ${source})
    elseif(source IN_LIST arg_HOT)
      list(APPEND hot ${source})
    else()
      list(APPEND sources ${source})
    endif()
  endforeach()
  add_library(simtlm_${name} STATIC ${sources})
  add_library(simtlm::${name} ALIAS simtlm_${name})
  set_property(GLOBAL APPEND PROPERTY SIMTLM_TARGETS simtlm_${name})
  set_target_properties(simtlm_${name} PROPERTIES EXPORT_NAME ${name})
  if(arg_LIGHT)
    simtlm_together(simtlm_${name} ANY_FOLDER ${sources})
  else()
    simtlm_together(simtlm_${name} ${sources})
  endif()
  if(cold)
    list(APPEND targets simtlm_${name}_cold)
    add_library(simtlm_${name}_cold OBJECT ${cold})
    simtlm_light(simtlm_${name}_cold)
    target_sources(simtlm_${name} PRIVATE $<TARGET_OBJECTS:simtlm_${name}_cold>)
    simtlm_together(simtlm_${name}_cold ANY_FOLDER ${cold})
  endif()
  if(hot)
    list(APPEND targets simtlm_${name}_hot)
    add_library(simtlm_${name}_hot OBJECT ${hot})
    simtlm_precompile(simtlm_${name}_hot)
    target_sources(simtlm_${name} PRIVATE $<TARGET_OBJECTS:simtlm_${name}_hot>)
    simtlm_together(simtlm_${name}_hot ${hot})
  endif()
  foreach(target IN LISTS targets)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target}
      PUBLIC simtlm_settings ${arg_DEPENDS}
      PRIVATE $<BUILD_INTERFACE:simtlm_private_settings> ${arg_PRIVATE_DEPENDS})
  endforeach()
  if(arg_LIGHT)
    simtlm_light(simtlm_${name})
  else()
    simtlm_precompile(simtlm_${name})
  endif()
  set_property(SOURCE ${arg_ALONE} ${arg_NO_HEADERS} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  set_property(SOURCE ${arg_NO_HEADERS} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# simtlm_test(NAME SOURCES... DEPENDS... [PREFIX p] [LONG] [ALONE s...]): one GoogleTest executable, each
# test run in a process of its own, because a SystemC simulation cannot be started twice in one process.
# Quick builds register one test of CTest for the executable, which forks a process for each of its
# tests; other builds, and those marked LONG, whose tests are to run side by side, one for each test.
# CTest starts tests of a high COST first, so that no long one remains at the end.
# PREFIX tells tests of the same sources, built another way, apart. ALONE: sources with local names that
# others of the executable have too, which a unity build (SIMTLM_UNITY_TESTS) compiles by themselves.
function(simtlm_test name)
  cmake_parse_arguments(arg "LONG" "TIMEOUT;PREFIX" "SOURCES;DEPENDS;ALONE" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES
    UNITY_BUILD "${SIMTLM_UNITY_TESTS}" UNITY_BUILD_BATCH_SIZE 6)
  set_property(SOURCE ${arg_ALONE} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name} PRIVATE simtlm_private_settings ${arg_DEPENDS} simtlm_test_main)
  simtlm_precompile(${name} HEADERS simtlm_test_headers)
  if(SIMTLM_QUICK_BUILD AND NOT arg_LONG)
    add_test(NAME ${name} COMMAND ${name} --fork-each-test=${arg_TIMEOUT})
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 COST 20)
  else()
    gtest_discover_tests(${name} TEST_PREFIX "${arg_PREFIX}" PROPERTIES TIMEOUT ${arg_TIMEOUT} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
