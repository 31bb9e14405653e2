// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/access.h"
#include "modules/support/counter_table.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::memory {

/// Counters of a DRAM channel, with the name under which GPGPU-Sim prints them in parentheses
/// (dram_t::print, print_dram_stats). Command clock cycles unless noted otherwise.
struct dram_statistics {
    // Commands.
    std::uint64_t cycles = 0;            ///< command clock cycles (n_cmd, total_CMD)
    std::uint64_t idle_cycles = 0;       ///< no command issued (n_nop)
    std::uint64_t active_cycles = 0;     ///< a request waits or a timing constraint is pending
                                         ///< (n_activity)
    std::uint64_t activates = 0;         ///< (n_act)
    std::uint64_t precharges = 0;        ///< (n_pre)
    std::uint64_t refreshes = 0;         ///< (n_ref)
    std::uint64_t requests = 0;          ///< (n_req)
    std::uint64_t reads = 0;             ///< column reads except allocate_reads (n_rd, Read)
    std::uint64_t allocate_reads = 0;    ///< for L2 write allocation (n_rd_L2_A, L2_Alloc)
    std::uint64_t writes = 0;            ///< column writes except write_backs (n_write, Write)
    std::uint64_t write_backs = 0;       ///< of dirty L2 sectors (n_wr_bk, L2_WB)
    std::uint64_t busy_data_cycles = 0;  ///< data bus, in command cycles (bwutil × n_cmd)

    // Buses.
    std::uint64_t command_cycles = 0;   ///< with a command (issued_total)
    std::uint64_t row_commands = 0;     ///< (issued_total_row)
    std::uint64_t column_commands = 0;  ///< (issued_total_col)
    std::uint64_t dual_commands = 0;    ///< cycles with both (issued_two)

    // Use of the bandwidth.
    std::uint64_t utilised = 0;          ///< data are transferred (util_bw)
    std::uint64_t wasted_column = 0;     ///< an open row waits (Wasted_Col)
    std::uint64_t wasted_row = 0;        ///< requests wait for rows (Wasted_Row)
    std::uint64_t unused = 0;            ///< no request waits (Idle)
    std::uint64_t limit_rcd = 0;         ///< bank-cycles: (RCDc_limit)
    std::uint64_t limit_rcd_write = 0;   ///< (RCDWRc_limit)
    std::uint64_t limit_wtr = 0;         ///< (WTRc_limit)
    std::uint64_t limit_wtr_alone = 0;   ///< (WTRc_limit_alone)
    std::uint64_t limit_rtw = 0;         ///< (RTWc_limit)
    std::uint64_t limit_rtw_alone = 0;   ///< (RTWc_limit_alone)
    std::uint64_t limit_ccdl = 0;        ///< (CCDLc_limit)
    std::uint64_t limit_ccdl_alone = 0;  ///< (CCDLc_limit_alone)
    std::uint64_t limit_pipeline = 0;    ///< data pipeline full (rwq)

    // Row locality, per scheduled request (FR-FCFS).
    std::uint64_t accesses = 0;        ///< (access_num)
    std::uint64_t read_accesses = 0;   ///< (read_num)
    std::uint64_t write_accesses = 0;  ///< (write_num)
    std::uint64_t row_hits = 0;        ///< Row_Buffer_Locality × access_num
    std::uint64_t row_hits_read = 0;   ///< Row_Buffer_Locality_read × read_num
    std::uint64_t row_hits_write = 0;  ///< Row_Buffer_Locality_write × write_num

    // Bank-level parallelism: sums over cycles, and the number of cycles with a non-zero summand.
    std::uint64_t banks_waiting = 0;         ///< (banks_1time)
    std::uint64_t waiting_cycles = 0;        ///< (banks_acess_total)
    std::uint64_t waiting_cycles_after = 0;  ///< (banks_acess_total_after)
    std::uint64_t banks_open = 0;            ///< request's row is open (banks_time_rw)
    std::uint64_t open_cycles = 0;           ///< (banks_access_rw_total)
    std::uint64_t banks_ready = 0;           ///< column command is legal (banks_time_ready)
    std::uint64_t ready_cycles = 0;          ///< (banks_access_ready_total)
    std::uint64_t open_groups = 0;           ///< (bkgrp_parallsim_rw)
    /// [n]: sum of the writing banks over the cycles in which n banks were open.
    std::array<std::uint64_t, 65> writing_of_open{};

    // Request queue: its length is sampled every cycle.
    std::uint64_t queue_sum = 0;       ///< (ave_mrqs)
    std::uint64_t queue_max = 0;       ///< (max_mrqs)
    std::uint64_t queue_max_push = 0;  ///< length found by an arriving request (mrqsmax)

    // Latency from arrival to the bank, core cycles (FR-FCFS).
    std::uint64_t latency_sum = 0;                  ///< (tot_mrq_latency)
    std::uint64_t latency_num = 0;                  ///< (tot_mrq_num)
    std::uint64_t latency_max = 0;                  ///< (maxmrqlatency)
    std::array<std::uint64_t, 32> latency_table{};  ///< by log2 (mrq_lat_table)

    // As seen by the power model (total_n_access, total_n_reads, total_n_writes).
    std::uint64_t scheduled_reads = 0;
    std::uint64_t scheduled_writes = 0;

    /// Counters of a bank. In parentheses: the name under which GPGPU-Sim prints them.
    struct bank {
        std::uint64_t reads = 0;  ///< column reads (bkN: <n>a)
        std::uint64_t idle = 0;   ///< cycles without a request (bkN: <n>i)
        std::uint64_t row_accesses = 0;
        std::uint64_t row_switches = 0;       ///< (num_activates of the row locality)
        std::uint64_t same_row_accesses = 0;  ///< current row
        std::uint64_t max_same_row = 0;       ///< (maximum concurrent accesses to same row)
        std::uint64_t max_row_service = 0;    ///< core cycles (maximum service time to same row)
        std::uint64_t row_service_since = 0;  ///< current row, core cycle of the kernel
    };
    std::vector<bank> banks;  ///< by bank after bank indexing

    /// By bank before bank indexing, in atoms (total dram reads, writes; access types).
    struct bank_traffic {
        std::uint64_t reads = 0;
        std::uint64_t writes = 0;
        std::array<std::uint64_t, protocol::access_type_count> by_type{};
    };
    std::vector<bank_traffic> traffic;

    /// bw_util
    double bandwidth_utilisation() const { return ratio(busy_data_cycles, cycles); }
    /// dram_eff
    double efficiency() const { return ratio(busy_data_cycles, active_cycles); }
    /// Row_Buffer_Locality
    double row_locality() const { return ratio(row_hits, accesses); }
    /// Bank_Level_Parallism
    double bank_parallelism() const { return ratio(banks_waiting, waiting_cycles); }
    /// Bank_Level_Parallism_Col
    double bank_parallelism_column() const { return ratio(banks_open, open_cycles); }
    /// Bank_Level_Parallism_Ready
    double bank_parallelism_ready() const { return ratio(banks_ready, ready_cycles); }
    /// GrpLevelPara
    double group_parallelism() const { return ratio(open_groups, open_cycles); }
    /// write_to_read_ratio_blp_rw_average
    double write_share() const {
        double sum = 0;
        for (unsigned n = 1; n < writing_of_open.size(); ++n)
            sum += static_cast<double>(writing_of_open[n]) / n;
        return open_cycles != 0 ? sum / static_cast<double>(open_cycles) : 0;
    }
    /// queue_avg
    double average_queue() const { return ratio(queue_sum, cycles); }

    static double ratio(std::uint64_t a, std::uint64_t b) {
        return b != 0 ? static_cast<double>(a) / static_cast<double>(b) : 0;
    }
};

/// Label of a counter: BANK.TYPE
inline std::string bank_access_label(unsigned cell) {
    return std::to_string(cell / protocol::access_type_count) + "." +
           protocol::access_type_name(
               static_cast<protocol::access_type>(cell % protocol::access_type_count));
}

inline constexpr support::counter<dram_statistics> dram_counters[] = {
    support::count<&dram_statistics::cycles>("cycles", "command cycles", "so far"),
    support::count<&dram_statistics::idle_cycles>("idle_cycles", "command cycles",
                                                  "no command was issued"),
    support::count<&dram_statistics::active_cycles>("active_cycles", "command cycles",
                                                    "requests or timings were pending"),
    support::count<&dram_statistics::activates>("activates", "commands", "rows opened"),
    support::count<&dram_statistics::precharges>("precharges", "commands", "rows closed"),
    support::count<&dram_statistics::refreshes>("refreshes", "commands", "refreshes"),
    support::count<&dram_statistics::requests>("requests", "requests", "taken"),
    support::count<&dram_statistics::reads>("reads", "commands",
                                            "column reads, but for write allocation"),
    support::count<&dram_statistics::allocate_reads>("allocate_reads", "commands",
                                                     "column reads for L2 write allocation"),
    support::count<&dram_statistics::writes>("writes", "commands",
                                             "column writes, but for write-backs"),
    support::count<&dram_statistics::write_backs>("write_backs", "commands",
                                                  "column writes of dirty L2 sectors"),
    support::count<&dram_statistics::busy_data_cycles>("busy_data_cycles", "command cycles",
                                                       "the data bus was in use"),
    support::count<&dram_statistics::command_cycles>("command_cycles", "command cycles",
                                                     "a command was issued"),
    support::count<&dram_statistics::row_commands>("row_commands", "commands",
                                                   "activates and precharges"),
    support::count<&dram_statistics::column_commands>("column_commands", "commands",
                                                      "reads and writes"),
    support::count<&dram_statistics::dual_commands>(
        "dual_commands", "command cycles", "a row and a column command were issued together"),
    support::count<&dram_statistics::utilised>("utilised", "command cycles", "data moved"),
    support::count<&dram_statistics::wasted_column>("wasted_column", "command cycles",
                                                    "a request to an open row waited"),
    support::count<&dram_statistics::wasted_row>("wasted_row", "command cycles",
                                                 "requests waited for rows"),
    support::count<&dram_statistics::unused>("unused", "command cycles", "nothing waited"),
    support::count<&dram_statistics::limit_rcd>("limit_rcd", "bank cycles",
                                                "a read waited for tRCD"),
    support::count<&dram_statistics::limit_rcd_write>("limit_rcd_write", "bank cycles",
                                                      "a write waited for tRCD"),
    support::count<&dram_statistics::limit_wtr>("limit_wtr", "bank cycles",
                                                "a read waited after a write"),
    support::count<&dram_statistics::limit_wtr_alone>(
        "limit_wtr_alone", "bank cycles", "a read waited after a write and for nothing else"),
    support::count<&dram_statistics::limit_rtw>("limit_rtw", "bank cycles",
                                                "a write waited after a read"),
    support::count<&dram_statistics::limit_rtw_alone>(
        "limit_rtw_alone", "bank cycles", "a write waited after a read and for nothing else"),
    support::count<&dram_statistics::limit_ccdl>("limit_ccdl", "bank cycles",
                                                 "a column command waited for its bank group"),
    support::count<&dram_statistics::limit_ccdl_alone>(
        "limit_ccdl_alone", "bank cycles",
        "a column command waited for its bank group and for nothing else"),
    support::count<&dram_statistics::limit_pipeline>(
        "limit_pipeline", "bank cycles", "a column command waited for the data pipeline"),
    support::count<&dram_statistics::accesses>("accesses", "requests", "scheduled"),
    support::count<&dram_statistics::read_accesses>("read_accesses", "requests", "reads scheduled"),
    support::count<&dram_statistics::write_accesses>("write_accesses", "requests",
                                                     "writes scheduled"),
    support::count<&dram_statistics::row_hits>("row_hits", "requests", "scheduled to an open row"),
    support::count<&dram_statistics::row_hits_read>("row_hits_read", "requests",
                                                    "reads scheduled to an open row"),
    support::count<&dram_statistics::row_hits_write>("row_hits_write", "requests",
                                                     "writes scheduled to an open row"),
    support::count<&dram_statistics::banks_waiting>("banks_waiting", "bank cycles",
                                                    "banks with a request"),
    support::count<&dram_statistics::waiting_cycles>("waiting_cycles", "command cycles",
                                                     "some bank had a request"),
    support::count<&dram_statistics::waiting_cycles_after>(
        "waiting_cycles_after", "command cycles",
        "some bank had a request after the first had left"),
    support::count<&dram_statistics::banks_open>("banks_open", "bank cycles",
                                                 "banks with a request and its row open"),
    support::count<&dram_statistics::open_cycles>("open_cycles", "command cycles",
                                                  "some bank had a request and its row open"),
    support::count<&dram_statistics::banks_ready>("banks_ready", "bank cycles",
                                                  "banks whose column command was legal"),
    support::count<&dram_statistics::ready_cycles>("ready_cycles", "command cycles",
                                                   "some bank's column command was legal"),
    support::count<&dram_statistics::open_groups>("open_groups", "bank group cycles",
                                                  "bank groups with a request and its row open"),
    support::count<&dram_statistics::writing_of_open>(
        "writing_of_open", "bank cycles",
        "writing banks, by number of banks with a request and its row open", support::number_label),
    support::count<&dram_statistics::queue_sum>("queue_sum", "requests x command cycles",
                                                "length of the request queue, summed over cycles"),
    support::maximum<&dram_statistics::queue_max>("queue_max", "requests",
                                                  "greatest length of the request queue"),
    support::maximum<&dram_statistics::queue_max_push>(
        "queue_max_push", "requests", "greatest length of the request queue that a request found"),
    support::count<&dram_statistics::latency_sum>("latency_sum", "core cycles",
                                                  "from arrival to the bank, summed over requests"),
    support::count<&dram_statistics::latency_num>("latency_num", "requests",
                                                  "that latency_sum is over"),
    support::maximum<&dram_statistics::latency_max>("latency_max", "core cycles",
                                                    "greatest time from arrival to the bank"),
    support::count<&dram_statistics::latency_table>("latency_table", "requests",
                                                    "from arrival to the bank, by 2^i core cycles",
                                                    support::number_label),
    support::count<&dram_statistics::scheduled_reads>("scheduled_reads", "requests",
                                                      "reads scheduled"),
    support::count<&dram_statistics::scheduled_writes>("scheduled_writes", "requests",
                                                       "writes scheduled"),
    support::count<&dram_statistics::banks, &dram_statistics::bank::reads>(
        "bank_reads", "commands", "column reads, by bank", support::number_label),
    support::count<&dram_statistics::banks, &dram_statistics::bank::idle>(
        "bank_idle", "command cycles", "without a request, by bank", support::number_label),
    support::count<&dram_statistics::banks, &dram_statistics::bank::row_accesses>(
        "bank_row_accesses", "requests", "scheduled, by bank", support::number_label),
    support::count<&dram_statistics::banks, &dram_statistics::bank::row_switches>(
        "bank_row_switches", "commands", "changes of row, by bank", support::number_label),
    support::state<&dram_statistics::banks, &dram_statistics::bank::same_row_accesses>(
        "bank_same_row_accesses", "requests", "to the open row so far, by bank",
        support::number_label),
    support::maximum<&dram_statistics::banks, &dram_statistics::bank::max_same_row>(
        "bank_max_same_row", "requests", "most that went to the same row in succession, by bank",
        support::number_label),
    support::maximum<&dram_statistics::banks, &dram_statistics::bank::max_row_service>(
        "bank_max_row_service", "core cycles", "longest time that a row was served, by bank",
        support::number_label),
    support::state<&dram_statistics::banks, &dram_statistics::bank::row_service_since>(
        "bank_row_service_since", "core cycle", "since when the open row is served, by bank",
        support::number_label),
    support::count<&dram_statistics::traffic, &dram_statistics::bank_traffic::reads>(
        "traffic_reads", "atoms", "read, by bank before bank indexing", support::number_label),
    support::count<&dram_statistics::traffic, &dram_statistics::bank_traffic::writes>(
        "traffic_writes", "atoms", "written, by bank before bank indexing", support::number_label),
    support::count<&dram_statistics::traffic, &dram_statistics::bank_traffic::by_type>(
        "traffic_by_type", "atoms", "by bank before bank indexing and access type",
        bank_access_label),
};
constexpr const auto& counters_of(const dram_statistics*) {
    return dram_counters;
}
static_assert(support::covers(dram_counters));

}  // namespace simtlm::memory
