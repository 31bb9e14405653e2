// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::protocol {

/// The four clock domains of the GPU.
enum clock_domain : unsigned { core_clock, icnt_clock, l2_clock, dram_clock, clock_domains };

}  // namespace simtlm::protocol
