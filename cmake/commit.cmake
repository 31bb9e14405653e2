# SPDX-License-Identifier: Apache-2.0
# Writes FILE, a source that tells the commit checked out in SOURCE, if it would change.
find_package(Git QUIET)
set(commit unknown)
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --abbrev=12 --dirty=+
                          --exclude=*
    OUTPUT_VARIABLE described RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(commit ${described})
  endif()
endif()
string(REPLACE "+" "_modified" accelsim_commit "${commit}")
file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/version.h"

namespace simtlm::platform {

const char* commit() {
    return "@commit@";
}

const char* accelsim_build() {
    return "accelsim-commit-@accelsim_commit@_simtlm";
}

}  // namespace simtlm::platform
]])
