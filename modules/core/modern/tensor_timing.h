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
    unsigned f32_rate = 0;    ///< the same for sums in FP32; 0: the same rate
    unsigned extra = 16;      ///< cycles of latency beyond the initiation interval
    unsigned f32_extra = 16;  ///< ... for sums in FP32
    unsigned latency = 32;    ///< of an instruction whose shape is not known, cycles
};

/// Cycles of a matrix instruction (after Huerta et al., section 5.5): its initiation interval is
/// m n k x operand bits / rate / 2, half of it if sparse. Its latency is that and the extra cycles
/// of the accumulators' type; a product of 16 columns is two of 8 in a row, and a dependent one
/// waits for the last of them only.
struct tensor_cycles {
    unsigned latency = 1;
    unsigned initiation = 1;
};
tensor_cycles tensor_timing(const tensor_config& config, std::string_view opcode);

}  // namespace simtlm::core::modern
