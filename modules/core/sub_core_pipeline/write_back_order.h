// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::core::sub_core_pipeline {

/// Sub-phases of core_write_back in an SM with asynchronous engines. The engines change mbarriers
/// at which warps wait, so they act in this order; results of sub-cores, barriers and sleeping
/// warps are independent of each other.
enum write_back_order : unsigned {
    results,      ///< sub-cores, barriers, sleeping warps
    bulk_copies,  ///< copies that are complete signal their mbarriers
    mbarriers,    ///< retries waits
    warpgroups,
    tensor_core,
    write_back_sub_phases
};

}  // namespace simtlm::core::sub_core_pipeline
