// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/operation_tables.h"

#ifdef SIMTLM_HAS_AVX2_OPERATIONS
#include <cpuid.h>
#endif

namespace simtlm::execution {

namespace on_baseline {
const operation_table& operations();
}
#ifdef SIMTLM_HAS_AVX2_OPERATIONS
namespace on_avx2 {
const operation_table& operations();
}

namespace {

/// clang 14 does not know this feature by name.
bool has_f16c() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

}  // namespace
#endif

const operation_table& operations_of_host() {
#ifdef SIMTLM_HAS_AVX2_OPERATIONS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && has_f16c())
        return on_avx2::operations();
#endif
    return on_baseline::operations();
}

}  // namespace simtlm::execution
