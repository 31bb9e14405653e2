# SPDX-License-Identifier: Apache-2.0
# SystemC by its own package, or by header and library where the distribution ships no CMake package
# (Debian 12 does not). Makes SystemC::systemc, or leaves it undefined, and sets
# SIMTLM_SYSTEMC_VERSION and SIMTLM_SYSTEMC_PREFIX, where it was found (empty: in a usual place). Also
# installed, for the package's own use.
#
# SIMTLM_SYSTEMC_ROOT is where to look, and nowhere else; empty: in the usual places, without the
# package registry of CMake.
set(SIMTLM_SYSTEMC_ROOT "" CACHE PATH "Where SystemC is installed (empty: in the usual places)")
set(simtlm_systemc_where "")
if(SIMTLM_SYSTEMC_ROOT)
  set(simtlm_systemc_where PATHS ${SIMTLM_SYSTEMC_ROOT} NO_DEFAULT_PATH)
endif()
if(NOT TARGET SystemC::systemc)
  # Not what a build tree of the user's has registered: it would replace the distribution's.
  find_package(SystemCLanguage CONFIG QUIET NO_CMAKE_PACKAGE_REGISTRY
    NO_CMAKE_SYSTEM_PACKAGE_REGISTRY ${simtlm_systemc_where})
endif()
if(NOT TARGET SystemC::systemc)
  find_path(SYSTEMC_INCLUDE_DIR systemc PATH_SUFFIXES include ${simtlm_systemc_where})
  find_library(SYSTEMC_LIBRARY systemc PATH_SUFFIXES lib lib-linux64 ${simtlm_systemc_where})
  if(SYSTEMC_INCLUDE_DIR AND SYSTEMC_LIBRARY)
    add_library(SystemC::systemc UNKNOWN IMPORTED)
    set_target_properties(SystemC::systemc PROPERTIES
      IMPORTED_LOCATION "${SYSTEMC_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${SYSTEMC_INCLUDE_DIR}")
  endif()
endif()
if(TARGET SystemC::systemc)
  get_target_property(simtlm_systemc_includes SystemC::systemc INTERFACE_INCLUDE_DIRECTORIES)
  set(SIMTLM_SYSTEMC_VERSION "")
  set(SIMTLM_SYSTEMC_PREFIX "")
  foreach(folder IN LISTS simtlm_systemc_includes)
    if(EXISTS ${folder}/sysc/kernel/sc_ver.h)
      file(STRINGS ${folder}/sysc/kernel/sc_ver.h lines REGEX "define +SC_VERSION_(MAJOR|MINOR|PATCH)")
      string(REGEX REPLACE "[^0-9;]" "" lines "${lines}")
      list(JOIN lines "." SIMTLM_SYSTEMC_VERSION)
      cmake_path(GET folder PARENT_PATH SIMTLM_SYSTEMC_PREFIX)
      if(SIMTLM_SYSTEMC_PREFIX IN_LIST CMAKE_SYSTEM_PREFIX_PATH)
        set(SIMTLM_SYSTEMC_PREFIX "")
      endif()
      break()
    endif()
  endforeach()
endif()
