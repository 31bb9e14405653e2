// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

namespace simtlm::core::sub_core_pipeline {

/// Parameters of the tensor core of a sub-core.
struct tensor_config {
    unsigned rate = 2048;     ///< m n k operand bits that a sub-core processes in 2 cycles
    unsigned f32_rate = 0;    ///< the same for FP32 accumulators; 0: same as rate
    unsigned extra = 16;      ///< latency beyond the initiation interval, cycles
    unsigned f32_extra = 16;  ///< the same for FP32 accumulators
    unsigned latency = 32;    ///< of an instruction of unknown shape, cycles
    unsigned forward = 0;     ///< cycles from the last one of the initiation interval until a
                              ///< product that accumulates on the result may issue (1: products
                              ///< follow each other without a gap); 0: when it is written
};

/// Timing of a matrix instruction in cycles (after Huerta et al., section 5.5): the initiation
/// interval is m n k x operand bits / rate / 2, half of that if sparse. The latency is the
/// initiation interval plus the extra cycles of the accumulators' type. A product of 16 columns
/// consists of two of 8 columns in sequence, and a dependent product only waits for the last of
/// them.
struct tensor_cycles {
    unsigned latency = 1;
    unsigned initiation = 1;
    unsigned forward = 0;  ///< from issue until the next product may accumulate on the result; 0:
                           ///< when the result is written
};
/// The timing of a matrix instruction of this shape.
tensor_cycles tensor_timing(const tensor_config& config, const program::matrix_shape& s);

}  // namespace simtlm::core::sub_core_pipeline
