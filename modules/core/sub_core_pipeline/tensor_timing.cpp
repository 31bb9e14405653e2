// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/tensor_timing.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

tensor_cycles tensor_timing(const tensor_config& config, const program::matrix_shape& s) {
    tensor_cycles t;
    if (!s.known()) {
        t.latency = config.latency;
        t.initiation = config.latency / 2;
        return t;
    }
    const unsigned rate =
        s.fp32_accumulators && config.f32_rate != 0 ? config.f32_rate : config.rate;
    const std::uint64_t work = std::uint64_t{s.m} * s.n * s.k * s.operand_bits / (s.sparse ? 2 : 1);
    t.initiation = static_cast<unsigned>(std::max<std::uint64_t>((work + rate) / rate / 2, 1));
    const unsigned columns = std::max(1u, s.n / 8u);
    t.latency = std::max(t.initiation, t.initiation / columns +
                                           (s.fp32_accumulators ? config.f32_extra : config.extra));
    if (config.forward != 0 && t.initiation - 1 + config.forward < t.latency)
        t.forward = t.initiation - 1 + config.forward;
    return t;
}

}  // namespace simtlm::core::sub_core_pipeline
