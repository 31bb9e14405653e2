// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/machine/machine_lowering.h"

// Modifiers that several floating-point instructions have in common.
namespace simtlm::execution {

/// The rounding of arithmetic: .RM, .RP, .RZ, or to nearest even.
inline ptx::rounding rounding_of(const machine_lowering& l) {
    using sass::modifier;
    return l.has(modifier::RM)   ? ptx::rounding::rm
           : l.has(modifier::RP) ? ptx::rounding::rp
           : l.has(modifier::RZ) ? ptx::rounding::rz
                                 : ptx::rounding::rn;
}

/// The rounding to an integer: .FLOOR, .CEIL, .TRUNC, or to nearest even.
inline ptx::rounding integer_rounding_of(const machine_lowering& l) {
    using sass::modifier;
    return l.has(modifier::FLOOR)   ? ptx::rounding::rmi
           : l.has(modifier::CEIL)  ? ptx::rounding::rpi
           : l.has(modifier::TRUNC) ? ptx::rounding::rzi
                                    : ptx::rounding::rni;
}

}  // namespace simtlm::execution
