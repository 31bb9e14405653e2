# SPDX-License-Identifier: Apache-2.0
# Installed so that another project finds everything with find_package(simtlm).
include(CMakePackageConfigHelpers)
get_property(simtlm_targets GLOBAL PROPERTY SIMTLM_TARGETS)
install(TARGETS ${simtlm_targets} EXPORT simtlm_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS simtlm RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY modules platform DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/simtlm
  FILES_MATCHING PATTERN "*.h")
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/simtlm)
install(EXPORT simtlm_targets NAMESPACE simtlm:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/simtlm)
configure_package_config_file(cmake/simtlm-config.cmake.in simtlm-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/simtlm)
write_basic_package_version_file(simtlm-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/simtlm-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/simtlm-config-version.cmake
              cmake/dependencies.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/simtlm)
