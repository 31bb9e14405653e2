// SPDX-License-Identifier: Apache-2.0
// The GPU as a library that qbox's module factory loads for `moduletype = "simtlm_gpu"`.
#include <simtlm/qbox.h>

extern "C" void module_register();
void module_register() {
    GSC_MODULE_REGISTER_C(simtlm_gpu);
}
