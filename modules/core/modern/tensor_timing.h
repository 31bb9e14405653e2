// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace simtlm::core::modern {

/// What a matrix instruction multiplies: D (m x n) = A (m x k) B (k x n) + C.
struct matrix_shape {
    unsigned m = 0, n = 0, k = 0;
    unsigned operand_bits = 16;  ///< of an element of A and B
    bool sparse = false;         ///< half of A's elements are there

    bool known() const { return m != 0; }
};

/// The shape that an opcode names: HMMA.16816.F32, IMMA.16832.S8.S8, DMMA.884, or as PTX has it,
/// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32. Not known when it names none.
matrix_shape shape_of(std::string_view opcode);

struct tensor_config {
    unsigned rate = 2048;     ///< m n k operand bits that a sub-core multiplies in 2 cycles
    unsigned f32_extra = 16;  ///< cycles more of HMMA.16816.F32 and HMMA.1688.F32
    unsigned latency = 32;    ///< of an instruction whose shape is not known, cycles
};

/// Cycles of a matrix instruction (Huerta et al., section 5.5): m n k x operand bits / rate, half
/// of it if sparse; its latency and its initiation interval are half of that.
struct tensor_cycles {
    unsigned latency = 1;
    unsigned initiation = 1;
};
tensor_cycles tensor_timing(const tensor_config& config, std::string_view opcode);

}  // namespace simtlm::core::modern
