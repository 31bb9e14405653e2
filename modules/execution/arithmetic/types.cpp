// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/types.h"

#include "modules/execution/arithmetic/bit_field.h"
#include "modules/execution/arithmetic/ieee.h"

namespace simtlm::execution::arithmetic {

static_assert(f32::infinity == 0x7f800000 && f32::one == 0x3f800000);
static_assert(f64::infinity == 0x7ff0000000000000 && f64::one == 0x3ff0000000000000);
static_assert(f16::infinity == 0x7c00 && f16::one == 0x3c00 && f16::largest_finite == 0x7bff);
static_assert(bf16::infinity == 0x7f80 && bf16::one == 0x3f80);
static_assert(e5m2::infinity == 0x7c && e5m2::one == 0x3c);
static_assert(e4m3::largest_finite == 0x7e && e4m3::one == 0x38);

}  // namespace simtlm::execution::arithmetic
