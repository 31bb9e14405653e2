// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_channel.h"
#include "modules/memory/memory_partition.h"
#include "modules/protocol/phases.h"
#include "modules/simulation/clocked_process.h"

#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::memory::test {

/// Four clocks with the ratios of a V100.
struct clocks {
    sc_core::sc_clock core{"core", sc_core::sc_time(884, sc_core::SC_PS)};
    sc_core::sc_clock icnt{"icnt", sc_core::sc_time(884, sc_core::SC_PS)};
    sc_core::sc_clock l2{"l2", sc_core::sc_time(884, sc_core::SC_PS)};
    sc_core::sc_clock dram{"dram", sc_core::sc_time(1176, sc_core::SC_PS)};
    void bind(simulation::phase_sequencer& s) {
        s.clock[protocol::core_clock](core);
        s.clock[protocol::icnt_clock](icnt);
        s.clock[protocol::l2_clock](l2);
        s.clock[protocol::dram_clock](dram);
    }
};

inline void run_dram_cycles(unsigned n) {
    sc_core::sc_start(sc_core::sc_time(1176, sc_core::SC_PS) * n);
}

inline address_mapping_config volta_map(unsigned channels, unsigned subs) {
    address_mapping_config c;
    c.mapping = "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS";
    c.mask_mode = 1;
    c.channels = channels;
    c.sub_partitions_per_channel = subs;
    c.banks = 16;
    return c;
}

inline dram_config hbm() {
    dram_config c;
    c.timing = {16, 1, 3, 12, 28, 12, 40, 12, 2, 3, 10, 4, 2, 3, 0, 0, 0};
    c.scheduler_queue_size = 64;
    c.return_queue_size = 192;
    c.bus_width_bytes = 16;
    c.burst_length = 2;
    c.data_command_freq_ratio = 2;
    c.dual_bus_interface = true;
    c.bank_group_index = bank_group_indexing::low_bits;
    c.check_timing = true;
    return c;
}

/// A memory partition of a V100: two slices of L2, HBM.
inline partition_config volta_partition() {
    partition_config c;
    c.sub_partitions = 2;
    c.icnt_to_l2 = c.l2_to_dram = c.dram_to_l2 = c.l2_to_icnt = 64;
    c.rop_latency = 160;
    c.dram_latency = 100;
    c.l2.kind = cache::cache_kind::sector;
    c.l2.sets = 32;
    c.l2.line_bytes = 128;
    c.l2.ways = 24;
    c.l2.write = cache::write_policy::write_back;
    c.l2.allocation = cache::allocation_policy::on_miss;
    c.l2.write_allocate = cache::write_allocate_policy::lazy_fetch_on_read;
    c.l2.set_index = cache::set_index_function::linear;
    c.l2.mshr_entries = 192;
    c.l2.mshr_max_merge = 4;
    c.l2.miss_queue_size = 32;
    c.l2.data_port_bytes = 32;
    c.dram = hbm();
    return c;
}
inline dram_config gddr5x() {
    dram_config c = hbm();
    c.timing = {16, 2, 8, 16, 37, 16, 52, 16, 6, 7, 16, 4, 4, 3, 0, 0, 0};
    c.return_queue_size = 64;
    c.bus_width_bytes = 4;
    c.burst_length = 8;
    c.data_command_freq_ratio = 4;
    c.dual_bus_interface = false;
    return c;
}
inline dram_config gddr6() {
    dram_config c = hbm();
    c.timing = {16, 4, 12, 24, 55, 24, 78, 24, 8, 10, 24, 4, 6, 4, 0, 0, 0};
    c.bus_width_bytes = 2;
    c.burst_length = 16;
    c.data_command_freq_ratio = 4;
    c.dual_bus_interface = false;
    return c;
}
inline dram_config gddr3_fifo() {
    dram_config c;
    c.scheduler = make_fifo_scheduler;
    c.timing = {8, 2, 8, 12, 21, 13, 34, 9, 4, 5, 13, 1, 0, 0, 0, 0, 0};
    c.chips_per_channel = 2;
    c.check_timing = true;
    return c;
}

}  // namespace simtlm::memory::test
