# SPDX-License-Identifier: Apache-2.0
# cpack: simtlm_VERSION_ARCH.deb, what is needed to simulate, and simtlm-dev_VERSION_ARCH.deb, what is
# needed to build upon it; python3-simtlm_VERSION_ARCH.deb, if the Python package was built.
set(CPACK_PACKAGE_NAME simtlm)
set(CPACK_PACKAGE_CONTACT "The simtlm maintainers <simtlm@localhost>" CACHE STRING
  "Maintainer of the packages, as Name <address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-level GPU simulator that is a SystemC/TLM-2.0 model")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME simtlm)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
  "Replays instruction traces of GPU kernels, or executes PTX and unmodified CUDA
programs, on models of NVIDIA GPUs made of SystemC modules; prints statistics.")
# What the programs and libraries are linked with, by dpkg-shlibdeps.
find_program(SIMTLM_SHLIBDEPS dpkg-shlibdeps)
if(SIMTLM_SHLIBDEPS)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
  # The CUDA libraries are linked with each other.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib/simtlm)
endif()
set(CPACK_COMPONENTS_ALL runtime development)
if(TARGET simtlm_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-simtlm)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "simtlm (= ${PROJECT_VERSION}), python3, python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas, python3-matplotlib")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ${CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS})
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION
    "The GPUs of simtlm in Python: runs, sweeps, statistics as arrays and frames.")
endif()
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "python3")
# OpenCL programs are compiled while they run.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "clang-14, libclc-14, opencl-c-headers, ocl-icd-libopencl1")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME simtlm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "simtlm (= ${PROJECT_VERSION}), libsystemc-dev, libboost-iostreams-dev, libfmt-dev, libzstd-dev, liblz4-dev, libsqlite3-dev")
# The debugger's prompt, where it was built in.
if(SIMTLM_LIBEDIT AND SIMTLM_LIBEDIT_INCLUDE)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libedit-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
  "Headers, static libraries and the CMake package of simtlm: a GPU for a SystemC
virtual platform, or single blocks of one.")
include(CPack)
cpack_add_component(runtime REQUIRED)
cpack_add_component(development DEPENDS runtime)
if(TARGET simtlm_python)
  cpack_add_component(python DEPENDS runtime)
endif()
