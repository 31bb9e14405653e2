// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/phase_sequencer.h"

#include <vector>

namespace simtlm::protocol {

/// The four clock domains of the GPU.
enum clock_domain : unsigned { core_clock, icnt_clock, l2_clock, dram_clock, clock_domains };

/// The phases of a step, in order. Phases of domains that have no edge in a step are left out.
enum phase_id : unsigned {
    core_receive,      ///< core: a cluster hands a response to its SM, takes one from the network
    reply_inject,      ///< icnt: sub-partitions put replies into the reply network
    dram_return,       ///< dram: partitions take finished requests from their channel
    dram_channel,      ///< dram: channels schedule and issue commands
    dram_arbitrate,    ///< dram: partitions choose a sub-partition's request for their channel
    l2_bank,           ///< l2: sub-partitions take a request from the network, access the L2
    network_transfer,  ///< icnt: networks move packets
    core_write_back,   ///< core: EX_WB registers into the register file
    core_units,        ///< core: functional units complete; the LD/ST unit writes back, responds
    core_instruction_cache,  ///< core: L1 caches advance, one after the other, since they share
    core_texture_cache,      ///<       the SM's port to memory
    core_constant_cache,
    core_caches,    ///< core: the L1D
    core_access,    ///< core: the LD/ST unit starts accesses
    core_dispatch,  ///< core: collected instructions into the functional units
    core_operands,  ///< core: operand collector
    core_issue,     ///< core: warp schedulers, the one whose turn is first
    core_issue_1,   ///<       second (only where schedulers share pipeline registers)
    core_issue_2,
    core_issue_3,
    core_issue_rest,
    core_front_end,      ///< core: decode and fetch
    core_place,          ///< core: memory is placed at its first use (random partition indexing)
    core_inject,         ///< core: clusters put requests into the request network
    core_dispatch_ctas,  ///< core: CTAs to SMs, kernel launch, the GPU's cycle count
    phase_count
};

/// The phase table that every phase_sequencer of a GPU is made with.
std::vector<kernel::phase> phase_table();

}  // namespace simtlm::protocol
