# SPDX-License-Identifier: Apache-2.0
# SystemC by its own package, or by header and library where the distribution ships no CMake package
# (Debian 12 does not). Makes SystemC::systemc, or leaves it undefined. Also installed, for the
# package's own use.
if(NOT TARGET SystemC::systemc)
  find_package(SystemCLanguage CONFIG QUIET)
endif()
if(NOT TARGET SystemC::systemc)
  find_path(SYSTEMC_INCLUDE_DIR systemc)
  find_library(SYSTEMC_LIBRARY systemc)
  if(SYSTEMC_INCLUDE_DIR AND SYSTEMC_LIBRARY)
    add_library(SystemC::systemc UNKNOWN IMPORTED)
    set_target_properties(SystemC::systemc PROPERTIES
      IMPORTED_LOCATION "${SYSTEMC_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${SYSTEMC_INCLUDE_DIR}")
  endif()
endif()
