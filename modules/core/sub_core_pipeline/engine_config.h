// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::core::sub_core_pipeline {

/// The bulk copy engine of an SM (Hopper's Tensor Memory Accelerator). Core cycles.
struct bulk_copy_config {
    unsigned issue_cycles = 32;         ///< from the issue of a copy until the front end has it
    unsigned command_cycles = 54;       ///< between two copies that the front end takes
    unsigned tensor_cycles = 0;         ///< until a tensor copy generates its first address
    unsigned request_interval = 1;      ///< cycles between two data requests
    unsigned arrival_cycles = 18;       ///< from the last reply until the mbarrier is notified
    unsigned commands = 64;             ///< copies that wait for the front end
    unsigned requests_in_flight = 384;  ///< of 128 bytes
    unsigned tensor_maps = 32;          ///< entries of the cache of tensor maps
};

/// Operations on mbarriers in shared memory. Core cycles.
struct mbarrier_config {
    unsigned arrive_cycles = 29;  ///< from issue until the mbarrier is updated
    unsigned time_limit = 1024;   ///< of waits with issue_effects::has_time_limit; arbitrary
    unsigned wait_cycles = 32;    ///< from issue, or the end of a phase, until the result is
                                  ///< available
};

/// Matrix products of warpgroups (wgmma), which use the tensor cores of all four sub-cores.
struct warpgroup_config {
    unsigned rate = 32768;        ///< m n k operand bits per cycle
    unsigned shared_bytes = 128;  ///< operand bytes that shared memory delivers per cycle
    unsigned issue_cycles = 17;   ///< from the last of the four issues until the product begins
    unsigned shared_tail = 66;    ///< from the end of a product until its sums are written
    unsigned register_tail = 64;  ///< the same, with A in registers
    unsigned min_cycles = 13;     ///< minimum for a product with A in registers
    /// Products of an SM that may have been issued and not finished on the tensor cores, when one
    /// with A in shared memory or in registers issues; 0: any number.
    unsigned shared_queue = 0, register_queue = 0;
    /// A product reads its accumulators, and A if it is held in registers, through the read ports
    /// of the register files: one register per cycle and sub-core.
    bool register_reads = false;
};

/// The fifth-generation tensor core and its tensor memory (tcgen05, sm_100). Core cycles.
struct tensor_core_config {
    bool present = false;
    unsigned columns_per_cycle = 2;   ///< of D, in tensor memory, per product
    unsigned shared_bytes = 128;      ///< operand bytes that shared memory delivers per cycle
    unsigned issue_cycles = 17;       ///< from issue until a product reads its first operand
    unsigned tail_cycles = 50;        ///< from its last column until commits are signalled
    unsigned pair_cycles = 34;        ///< more if two CTAs multiply
    unsigned folded_pair_cycles = 8;  ///< more if halves of their D share columns
    unsigned scaled_cycles = 3;       ///< more with scale factors
    unsigned allocate_cycles = 253;   ///< tcgen05.alloc
    unsigned access_cycles = 16;      ///< tcgen05.ld and st: latency in addition to a cycle per
                                      ///< register
    unsigned copy_cycles = 168;       ///< tcgen05.cp: latency
    unsigned copy_interval = 70;      ///< between two of them
    unsigned shift_interval = 12;     ///< between two tcgen05.shift
    unsigned shift_cycles = 62;       ///< tcgen05.shift: latency in addition to the interval
};

/// The engines of an SM that work asynchronously to its warps (sm_90 and later).
struct engine_config {
    bool present = false;
    bulk_copy_config bulk;
    mbarrier_config mbarrier;
    warpgroup_config warpgroup;
    tensor_core_config tensor_core;
};

}  // namespace simtlm::core::sub_core_pipeline
