// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/process_end.h"

#include <dlfcn.h>

namespace simtlm::runtime {

void at_process_end(process_end_function act, void* object) {
    using registration = void (*)(process_end_function, void*);
    if (void* const found = dlsym(RTLD_DEFAULT, "simtlm_at_process_end"))
        reinterpret_cast<registration>(found)(act, object);
}

}  // namespace simtlm::runtime
