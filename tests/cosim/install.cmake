# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=<build folder> -DPREFIX=<folder> -P install.cmake: installs into an empty folder.
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
