// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/operation_tables.h"

namespace simtlm::execution {

namespace on_baseline {
const operation_table& operations();
}
#ifdef SIMTLM_HAS_AVX2_OPERATIONS
namespace on_avx2 {
const operation_table& operations();
}
#endif

const operation_table& operations_of_host() {
#ifdef SIMTLM_HAS_AVX2_OPERATIONS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c"))
        return on_avx2::operations();
#endif
    return on_baseline::operations();
}

}  // namespace simtlm::execution
