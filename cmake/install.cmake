# SPDX-License-Identifier: Apache-2.0
# Installed so that another project finds everything with find_package(simtlm).
include(CMakePackageConfigHelpers)
set(SIMTLM_CONFIG_INSTALL_DIR ${CMAKE_INSTALL_DATADIR}/simtlm/configs)
set(simtlm_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/simtlm)
get_property(simtlm_targets GLOBAL PROPERTY SIMTLM_TARGETS)
# `cmake --install` after a build of single targets: what is missing is built first, so that nothing
# is installed by halves.
get_property(packaged GLOBAL PROPERTY SIMTLM_PACKAGED)
set(simtlm_programs simtlm simtlm-diff simtlm-merge simtlm-report simtlm-sass simtlm-sweep
  simtlm-trace)
add_custom_target(simtlm_package DEPENDS ${simtlm_programs} ${packaged})
foreach(target IN LISTS simtlm_targets)
  get_target_property(kind ${target} TYPE)
  if(NOT kind STREQUAL INTERFACE_LIBRARY)
    add_dependencies(simtlm_package ${target})
  endif()
endforeach()
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target simtlm_package COMMAND_ERROR_IS_FATAL ANY)"
  ALL_COMPONENTS)
install(TARGETS ${simtlm_targets} EXPORT simtlm_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS ${simtlm_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
set(simtlm_public_headers ${PROJECT_BINARY_DIR}/public_headers)
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" -DSOURCE=${PROJECT_SOURCE_DIR} -DTO=${simtlm_public_headers} -P ${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT development)
install(DIRECTORY ${simtlm_public_headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY configs/ DESTINATION ${SIMTLM_CONFIG_INSTALL_DIR} COMPONENT runtime)
# Samples to begin with, the scripts that need no build tree, pages and manual pages.
install(DIRECTORY traces programs DESTINATION ${CMAKE_INSTALL_DATADIR}/simtlm COMPONENT runtime)
install(PROGRAMS scripts/benchmark scripts/import-accel-sim scripts/compare-programs scripts/compare-reference
  scripts/measure-gpu scripts/simtlm-calibrate
  DESTINATION ${CMAKE_INSTALL_DATADIR}/simtlm/scripts COMPONENT runtime)
install(FILES scripts/simtlm_runs.py scripts/reference_cases.py scripts/gpu_benchmarks.py scripts/calibration.py
  scripts/calibration_parameters.py scripts/calibration_report.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/simtlm/scripts COMPONENT runtime)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES README.md CHANGELOG.md packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT runtime)
foreach(page IN LISTS simtlm_programs)
  set(SIMTLM_MAN_DATE 2026-11-23)
  configure_file(packaging/man/${page}.1.in ${PROJECT_BINARY_DIR}/man/${page}.1 @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/man/${page}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT runtime)
endforeach()
install(EXPORT simtlm_targets NAMESPACE simtlm:: DESTINATION ${simtlm_package_dir}
  COMPONENT development)
configure_package_config_file(cmake/simtlm-config.cmake.in simtlm-config.cmake
  INSTALL_DESTINATION ${simtlm_package_dir}
  PATH_VARS SIMTLM_CONFIG_INSTALL_DIR)
write_basic_package_version_file(simtlm-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/simtlm-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/simtlm-config-version.cmake
              cmake/find_systemc.cmake
  DESTINATION ${simtlm_package_dir} COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/package.cmake)
endif()
