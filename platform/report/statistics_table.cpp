// SPDX-License-Identifier: Apache-2.0
#include "platform/report/statistics_table.h"

#include "platform/report/report.h"

#include <ostream>
#include <string>

namespace simtlm::platform {

namespace {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns whether `name` matches the pattern, in which each {...} is a placeholder for a word.
bool matches(std::string_view pattern, std::string_view name) {
    while (!pattern.empty()) {
        if (pattern.front() == '{') {
            const std::string_view rest = pattern.substr(pattern.find('}') + 1);
            std::size_t n = 0;
            while (n < name.size() && is_word(name[n])) ++n;
            for (; n != 0; --n)
                if (matches(rest, name.substr(n))) return true;
            return false;
        }
        if (name.empty() || name.front() != pattern.front()) return false;
        pattern.remove_prefix(1);
        name.remove_prefix(1);
    }
    return name.empty();
}

constexpr const char* run = "The kernel and the run";
constexpr const char* core_caches = "Caches of the SMs";
constexpr const char* instructions = "Instructions and memory accesses";
constexpr const char* stalls = "Stalls of the load/store unit";
constexpr const char* issue = "Issue";
constexpr const char* traffic = "Network traffic by type";
constexpr const char* latencies = "Memory latencies";
constexpr const char* accesses = "Accesses by channel and bank";
constexpr const char* channel =
    "A DRAM channel (only in the text report; in --stats-json below blocks)";
constexpr const char* channels = "DRAM, sum over all channels";
constexpr const char* l2 = "L2";
constexpr const char* crossbar = "Network: crossbar (-network_mode 2)";
constexpr const char* routers = "Network: routers (-network_mode 1)";
constexpr const char* cores = "Cores: additional statistics of simtlm";
constexpr const char* power = "Power and energy (-power_simulation_enabled)";
constexpr const char* clock = "Wall-clock time (only in the text report; differs from run to run)";

const std::vector<statistic_info> table = {
    {run, "kernel_name", "", "Name of the kernel that has finished."},
    {run, "kernel_launch_uid", "", "Number of the launch in this run, from 1."},
    {run, "kernel_stream_id", "", "CUDA stream of the launch."},
    {run, "kernel_list_number", "",
     "Position among all kernels of the command list, from 1, whether they run or not; not printed "
     "without a list."},
    {run, "kernel_id", "",
     "Number that the tracer assigned to the kernel (kernel id in the trace header); for programs, "
     "the number of the launch."},
    {run, "kernel_demangled_name", "", "Demangled name of the kernel, if its name is mangled."},
    {run, "gpu_sim_cycle", "core cycles",
     "Cycles since the previous report. For kernels that run one after the other, this is the "
     "duration of the kernel including its launch latency."},
    {run, "gpu_sim_insn", "thread instructions",
     "Instructions completed since the previous report; a warp instruction counts once for each "
     "active lane."},
    {run, "gpu_ipc", "thread instructions per core cycle",
     "gpu_sim_insn divided by gpu_sim_cycle."},
    {run, "gpu_tot_sim_cycle", "core cycles", "Cycles since the start of the run."},
    {run, "gpu_tot_sim_insn", "thread instructions",
     "Instructions completed since the start of the run."},
    {run, "gpu_tot_ipc", "thread instructions per core cycle",
     "gpu_tot_sim_insn divided by gpu_tot_sim_cycle."},
    {run, "gpu_tot_issued_cta", "thread blocks",
     "Thread blocks placed on SMs since the start of the run."},
    {run, "gpu_occupancy", "%",
     "Resident warps as a share of the warp slots of SMs that hold a thread block, since the "
     "previous report. (GPGPU-Sim prints it only with its power model.)"},
    {run, "gpu_tot_occupancy", "%", "As gpu_occupancy, since the start of the run."},
    {run, "max_total_param_size", "bytes",
     "Always 0, because traces do not contain kernel parameters. Printed for compatibility."},
    {run, "gpu_stall_dramfull", "L2 cycles",
     "Cycles in which a sub-partition could not accept a request from the network, summed over "
     "sub-partitions."},
    {run, "gpu_stall_icnt2sh", "network cycles",
     "Cycles in which a reply of a sub-partition waited for the network, summed over "
     "sub-partitions."},
    {run, "partiton_level_parallism", "requests per core cycle",
     "Requests accepted by sub-partitions per cycle, since the previous report."},
    {run, "partiton_level_parallism_total", "requests per core cycle",
     "As partiton_level_parallism, since the start of the run."},
    {run, "partiton_level_parallism_util", "requests per L2 cycle",
     "Requests accepted by sub-partitions per cycle with at least one request, since the previous "
     "report."},
    {run, "partiton_level_parallism_util_total", "requests per L2 cycle",
     "As partiton_level_parallism_util, since the start of the run."},
    {run, "L2_BW", "GB/s",
     "Bandwidth of L2 replies since the previous report, at 32 bytes per reply."},
    {run, "L2_BW_total", "GB/s", "As L2_BW, since the start of the run."},

    {core_caches, "{cache}_total_cache_accesses", "accesses",
     "Accesses of all L1I, L1D, L1C, L1T or L2 caches: hits, hits on outstanding misses, and "
     "misses, but not failed reservations."},
    {core_caches, "{cache}_total_cache_misses", "accesses",
     "Accesses that missed the line or the sector."},
    {core_caches, "{cache}_total_cache_miss_rate", "",
     "Misses divided by accesses; not printed without accesses."},
    {core_caches, "{cache}_total_cache_pending_hits", "accesses",
     "Accesses whose data had already been requested by an outstanding miss."},
    {core_caches, "{cache}_total_cache_reservation_fails", "attempts",
     "Accesses that could not start because a line, an MSHR or a queue entry was not available; "
     "each attempt counts."},
    {core_caches, "L1D_cache_core[{sm}]", "accesses",
     "Accesses, misses, pending hits and reservation failures of the L1D of one SM."},
    {core_caches, "L1D_cache_data_port_util", "",
     "Share of cycles in which the data port of the L1D transferred data."},
    {core_caches, "L1D_cache_fill_port_util", "",
     "Share of cycles in which the fill port of the L1D transferred data."},
    {core_caches, "total_dl1_misses", "accesses",
     "L1D_total_cache_misses with its name in GPGPU-Sim 3."},
    {core_caches, "total_dl1_accesses", "accesses",
     "L1D_total_cache_accesses with its name in GPGPU-Sim 3."},
    {core_caches, "total_dl1_miss_rate", "",
     "L1D_total_cache_miss_rate with its name in GPGPU-Sim 3; 0 without accesses."},
    {core_caches, "Total_core_cache_stats_breakdown[{type}][{outcome}]", "accesses",
     "Accesses of all caches of the SMs by type and outcome: HIT, HIT_RESERVED (outstanding miss), "
     "MISS, SECTOR_MISS (the line is present, the sector is not), RESERVATION_FAIL (failed "
     "attempts), MSHR_HIT (a miss merged with an outstanding one, counted additionally), "
     "TOTAL_ACCESS (HIT, HIT_RESERVED, MISS and SECTOR_MISS; not printed if 0)."},
    {core_caches, "Total_core_cache_fail_stats_breakdown[{type}][{reason}]", "attempts",
     "Failed attempts by the resource that was not available: LINE_ALLOC_FAIL (all lines of the "
     "set are reserved), MISS_QUEUE_FULL, MSHR_ENRTY_FAIL (no free entry), MSHR_MERGE_ENRTY_FAIL "
     "(the entry cannot merge more), MSHR_RW_PENDING (a read after a write); not printed if 0."},

    {instructions, "ctas_completed", "thread blocks",
     "Thread blocks finished since the start of the run."},
    {instructions, "warp_slot_issue[{slot}]", "warp instructions",
     "Instructions issued from a warp slot, summed over SMs. The text report lists the slots of "
     "the SM -gpgpu_warp_issue_shader below *warp_id issue ditsribution* (sic)."},
    {instructions, "gpgpu_n_tot_thrd_icount", "thread instructions",
     "Completed instructions; a warp instruction counts as 32 regardless of its mask."},
    {instructions, "gpgpu_n_tot_w_icount", "warp instructions", "Completed warp instructions."},
    {instructions, "gpgpu_n_stall_shd_mem", "core cycles",
     "Cycles in which a load/store unit could not start the access at the head of its queue, "
     "summed over SMs."},
    {instructions, "gpgpu_n_mem_read_local", "requests", "Local memory reads sent to the L2."},
    {instructions, "gpgpu_n_mem_write_local", "requests", "Local memory writes sent to the L2."},
    {instructions, "gpgpu_n_mem_read_global", "requests", "Global memory reads sent to the L2."},
    {instructions, "gpgpu_n_mem_write_global", "requests",
     "Global memory writes sent to the L2, including write-backs of the L1D."},
    {instructions, "gpgpu_n_mem_texture", "requests", "Texture reads sent to the L2."},
    {instructions, "gpgpu_n_mem_const", "requests", "Constant memory reads sent to the L2."},
    {instructions, "gpgpu_n_load_insn", "thread instructions",
     "Loads from global and local memory, by active lanes."},
    {instructions, "gpgpu_n_store_insn", "thread instructions",
     "Stores to global and local memory, by active lanes."},
    {instructions, "gpgpu_n_shmem_insn", "thread instructions",
     "Accesses to shared memory, by active lanes."},
    {instructions, "gpgpu_n_sstarr_insn", "thread instructions",
     "Always 0, because traces do not distinguish static arrays. Printed for compatibility."},
    {instructions, "gpgpu_n_tex_insn", "thread instructions", "Texture reads, by active lanes."},
    {instructions, "gpgpu_n_const_mem_insn", "thread instructions",
     "Loads from constant memory, by active lanes."},
    {instructions, "gpgpu_n_param_mem_insn", "thread instructions",
     "Always 0, because parameters are part of constant memory in traces. Printed for "
     "compatibility."},
    {instructions, "gpgpu_n_shmem_bkconflict", "core cycles",
     "Cycles lost to shared memory bank conflicts, summed over SMs."},
    {instructions, "gpgpu_n_l1cache_bkconflict", "attempts",
     "Accesses that could not start because their L1D bank was busy."},
    {instructions, "gpgpu_n_intrawarp_mshr_merge", "",
     "Always 0, as in GPGPU-Sim. Printed for compatibility."},
    {instructions, "gpgpu_n_cmem_portconflict", "core cycles",
     "Cycles lost because a warp read several constant addresses."},

    {stalls, "gpgpu_stall_shd_mem[c_mem][resource_stall]", "core cycles",
     "Cycles in which a constant access waited for the cache or its port."},
    {stalls, "gpgpu_stall_shd_mem[s_mem][bk_conf]", "core cycles",
     "Cycles in which a shared memory access waited for its banks."},
    {stalls, "gpgpu_stall_shd_mem[gl_mem][resource_stall]", "core cycles",
     "Cycles in which a global or local access waited for an L1D bank or another L1D resource."},
    {stalls, "gpgpu_stall_shd_mem[gl_mem][coal_stall]", "core cycles",
     "Cycles in which an instruction had more accesses than can start per cycle."},
    {stalls, "gpgpu_stall_shd_mem[gl_mem][data_port_stall]", "core cycles",
     "Cycles in which a global or local access waited for the data port of the L1D."},
    {stalls, "gpgpu_stall_shd_mem[gl_mem][icnt_stall]", "core cycles",
     "Cycles in which an access that bypasses the L1D waited for the request network (not printed "
     "by GPGPU-Sim)."},

    {issue, "gpu_reg_bank_conflict_stalls", "",
     "Always 0, as in GPGPU-Sim; see register_bank_conflicts. Printed for compatibility."},
    {issue, "warp_occ.Stall", "scheduler cycles",
     "Warp Occupancy Distribution: cycles in which an instruction was ready, but no pipeline "
     "accepted it, and issued instructions with an empty active mask."},
    {issue, "warp_occ.W0_Idle", "scheduler cycles",
     "Cycles in which no warp of the scheduler had a valid instruction."},
    {issue, "warp_occ.W0_Scoreboard", "scheduler cycles",
     "Cycles in which all valid instructions waited for operands."},
    {issue, "warp_occ.W{lanes}", "warp instructions",
     "Instructions issued with this number of active lanes."},
    {issue, "single_issue_nums.WS{scheduler}", "cycles",
     "Cycles in which the scheduler issued one instruction, summed over SMs."},
    {issue, "dual_issue_nums.WS{scheduler}", "cycles",
     "Cycles in which the scheduler issued two instructions, summed over SMs."},

    {traffic, "traffic_breakdown_coretomem[{type}]", "bytes",
     "Bytes of requests that entered the network, including headers, by access type; atomics are "
     "GLOBAL_ATOMIC. The text report also lists size:packets for each size. Not printed if 0."},
    {traffic, "traffic_breakdown_memtocore[{type}]", "bytes",
     "Bytes of replies that clusters received from the network, as traffic_breakdown_coretomem."},

    {latencies, "maxmflatency", "core cycles",
     "Longest time from the creation of a request to the arrival of its reply at the cluster."},
    {latencies, "max_icnt2mem_latency", "core cycles",
     "Longest time from the creation of a request to its acceptance by the sub-partition."},
    {latencies, "maxmrqlatency", "core cycles",
     "Longest time from the arrival of a request at its DRAM channel to its start at the bank."},
    {latencies, "max_icnt2sh_latency", "core cycles",
     "Longest time from the entry of a reply into the network to its arrival at the cluster."},
    {latencies, "averagemflatency", "core cycles",
     "Mean of the times of maxmflatency, rounded to an integer."},
    {latencies, "avg_icnt2mem_latency", "core cycles",
     "Mean of the times of max_icnt2mem_latency over the number of replies, rounded to an "
     "integer."},
    {latencies, "avg_mrq_latency", "core cycles",
     "Mean of the times of maxmrqlatency, rounded to an integer."},
    {latencies, "avg_icnt2sh_latency", "core cycles",
     "Mean of the times of max_icnt2sh_latency, rounded to an integer."},
    {latencies, "mrq_lat_table", "requests",
     "Histogram of the times of maxmrqlatency; entry i counts 2^i to 2^(i+1)-1 core cycles, entry "
     "0 also 0."},
    {latencies, "dq_lat_table", "requests", "Always 0, as in GPGPU-Sim."},
    {latencies, "mf_lat_table", "replies", "Histogram of the round-trip latencies (maxmflatency)."},
    {latencies, "icnt2mem_lat_table", "requests",
     "Histogram of the times of max_icnt2mem_latency."},
    {latencies, "icnt2sh_lat_table", "replies", "Histogram of the times of max_icnt2sh_latency."},
    {latencies, "mf_lat_pw_table", "reports",
     "Histogram of the mean round-trip latency between two reports."},

    {accesses, "maximum concurrent accesses to same row", "requests",
     "By channel and bank: maximum number of consecutive requests to the same row."},
    {accesses, "maximum service time to same row", "core cycles",
     "By channel and bank: longest time for which a row was served."},
    {accesses, "average row accesses per activate", "requests",
     "By channel and bank: requests per activated row."},
    {accesses, "average row locality", "requests", "Requests per activated row, over all banks."},
    {accesses, "number of total memory accesses made", "atoms",
     "By channel and bank: accesses in units of the smallest DRAM transfer."},
    {accesses, "total accesses", "atoms", "Sum of the number of total memory accesses made."},
    {accesses, "number of total read accesses", "atoms", "By channel and bank: read accesses."},
    {accesses, "total dram reads", "atoms", "Sum of the number of total read accesses."},
    {accesses, "number of total write accesses", "atoms", "By channel and bank: write accesses."},
    {accesses, "total dram writes", "atoms", "Sum of the number of total write accesses."},
    {accesses, "bank skew", "",
     "Accesses of the most used bank divided by those of the least used bank."},
    {accesses, "chip skew", "",
     "Accesses of the most used channel divided by those of the least used channel."},
    {accesses, "min_bank_accesses", "", "0: at least one bank was not used."},
    {accesses, "min_chip_accesses", "", "0: at least one channel was not used."},
    {accesses, "average mf latency per bank", "core cycles",
     "By channel and bank: mean round-trip latency of the requests to this bank."},
    {accesses, "maximum mf latency per bank", "core cycles",
     "By channel and bank: longest round-trip latency of the requests to this bank."},

    {channel, "n_cmd", "command cycles", "Cycles since the start of the run; also total_CMD."},
    {channel, "n_nop", "command cycles",
     "Cycles without a command. (In --stats-json, n_nop, n_act, n_pre, n_ref and n_req are those "
     "of the last channel, as scripts obtain from the text.)"},
    {channel, "n_act", "commands", "Activate commands."},
    {channel, "n_pre", "commands", "Precharge commands."},
    {channel, "n_ref", "commands", "Refresh commands; also n_ref_event."},
    {channel, "n_ref_event", "commands", "Refresh commands."},
    {channel, "n_req", "requests", "Requests accepted."},
    {channel, "n_rd", "commands", "Column reads, except for write allocation; also Read."},
    {channel, "n_rd_L2_A", "commands", "Column reads for L2 write allocation; also L2_Alloc."},
    {channel, "n_write", "commands", "Column writes, except write-backs; also Write."},
    {channel, "n_wr_bk", "commands", "Column writes of dirty L2 sectors; also L2_WB."},
    {channel, "bw_util", "", "Share of cycles in which the data bus was in use; also bwutil."},
    {channel, "n_activity", "command cycles",
     "Cycles in which requests or timing constraints were pending."},
    {channel, "Row_Buffer_Locality", "", "Share of requests that were scheduled to an open row."},
    {channel, "Row_Buffer_Locality_read", "",
     "Share of read requests that were scheduled to an open row."},
    {channel, "Row_Buffer_Locality_write", "",
     "Share of write requests that were scheduled to an open row."},
    {channel, "Bank_Level_Parallism", "banks",
     "Mean number of banks with a request, over cycles with at least one."},
    {channel, "Bank_Level_Parallism_Col", "banks",
     "Mean number of banks with a request to an open row, over cycles with at least one."},
    {channel, "Bank_Level_Parallism_Ready", "banks",
     "Mean number of banks whose column command could be issued, over cycles with at least one."},
    {channel, "write_to_read_ratio_blp_rw_average", "",
     "Share of writes among requests to open rows."},
    {channel, "GrpLevelPara", "bank groups",
     "Mean number of bank groups with a request to an open row, over cycles with at least one."},
    {channel, "bwutil", "", "Same as bw_util."},
    {channel, "total_CMD", "command cycles", "Cycles since the start of the run; same as n_cmd."},
    {channel, "util_bw", "command cycles", "Cycles in which data were transferred."},
    {channel, "Wasted_Col", "command cycles",
     "Cycles without data transfer in which a request to an open row waited."},
    {channel, "Wasted_Row", "command cycles",
     "Cycles without data transfer in which requests waited for rows."},
    {channel, "Idle", "command cycles", "Cycles in which no request waited."},
    {channel, "RCDc_limit", "bank cycles", "Cycles in which a read waited for tRCD."},
    {channel, "RCDWRc_limit", "bank cycles", "Cycles in which a write waited for tRCD."},
    {channel, "WTRc_limit", "bank cycles",
     "Cycles in which a read waited because of a preceding write."},
    {channel, "RTWc_limit", "bank cycles",
     "Cycles in which a write waited because of a preceding read."},
    {channel, "CCDLc_limit", "bank cycles",
     "Cycles in which a column command waited for its bank group."},
    {channel, "rwq", "bank cycles",
     "Cycles in which a column command waited for the data pipeline."},
    {channel, "{limit}_limit_alone", "bank cycles",
     "Cycles in which a command waited only for this constraint."},
    {channel, "Read", "commands", "Same as n_rd."},
    {channel, "Write", "commands", "Same as n_write."},
    {channel, "L2_Alloc", "commands", "Same as n_rd_L2_A."},
    {channel, "L2_WB", "commands", "Same as n_wr_bk."},
    {channel, "total_req", "commands", "All column commands."},
    {channel, "issued_total_row", "commands", "Row commands: activates and precharges."},
    {channel, "issued_total_col", "commands", "Column commands: reads and writes."},
    {channel, "Row_Bus_Util", "", "Row commands per cycle."},
    {channel, "CoL_Bus_Util", "", "Column commands per cycle."},
    {channel, "Either_Row_CoL_Bus_Util", "", "Share of cycles with a command."},
    {channel, "Issued_on_Two_Bus_Simul_Util", "",
     "Share of cycles with both a row and a column command."},
    {channel, "issued_two_Eff", "",
     "Cycles with both commands as a share of the cycles with a command."},
    {channel, "queue_avg", "requests", "Mean length of the request queue; also mrqq avg."},
    {channel, "max", "requests", "Maximum length of the request queue (mrqq)."},
    {channel, "avg", "requests", "Mean length of the request queue (mrqq)."},

    {channel, "dram_util_bins", "", "Always ten zeros, as in GPGPU-Sim."},
    {channel, "dram_eff_bins", "", "Always ten zeros, as in GPGPU-Sim."},

    {channels, "dram_cycles", "command cycles",
     "Cycles since the start of the run. All statistics of this section are sums over channels."},
    {channels, "dram_n_nop", "command cycles", "Cycles without a command."},
    {channels, "dram_n_act", "commands", "Activate commands."},
    {channels, "dram_n_pre", "commands", "Precharge commands."},
    {channels, "dram_n_ref", "commands", "Refresh commands."},
    {channels, "dram_n_req", "requests", "Requests accepted."},
    {channels, "dram_n_rd", "commands", "Column reads, except for write allocation."},
    {channels, "dram_n_rd_L2_A", "commands", "Column reads for L2 write allocation."},
    {channels, "dram_n_write", "commands", "Column writes, except write-backs."},
    {channels, "dram_n_wr_bk", "commands", "Column writes of dirty L2 sectors."},
    {channels, "dram_bw_util", "", "Share of cycles in which data buses were in use."},
    {channels, "dram_eff", "",
     "Cycles in which data buses were in use as a share of the cycles in which requests or timing "
     "constraints were pending (n_activity). In the section of a channel: of that channel."},
    {channels, "dram_row_locality", "", "Share of requests that were scheduled to an open row."},
    {channels, "dram_bank_parallelism", "banks",
     "Mean number of banks with a request, over cycles with at least one."},
    {channels, "dram_queue_avg", "requests", "Mean length of the request queues."},

    {l2, "L2_cache_bank[{bank}]", "accesses",
     "Accesses, misses, pending hits and reservation failures of the L2 of one sub-partition."},
    {l2, "L2_cache_stats_breakdown[{type}][{outcome}]", "accesses",
     "Accesses of the L2 by type and outcome, as in Total_core_cache_stats_breakdown. Totals are "
     "in {cache}_total_cache_accesses and the following rows."},
    {l2, "L2_cache_stats_fail_breakdown[{type}][{reason}]", "attempts",
     "Failed attempts by the resource that was not available, as in "
     "Total_core_cache_fail_stats_breakdown."},
    {l2, "L2_cache_data_port_util", "", "Share of cycles in which data ports transferred data."},
    {l2, "L2_cache_fill_port_util", "", "Share of cycles in which fill ports transferred data."},
    {l2, "L2_queue_avg[{queue}]", "entries",
     "Mean occupancy of a queue of a sub-partition: icnt_to_L2, L2_to_dram, dram_to_L2, "
     "L2_to_icnt."},
    {l2, "L2_queue_max[{queue}]", "entries", "Maximum occupancy of any of these queues."},

    {crossbar, "icnt_total_pkts_mem_to_simt", "packets", "Replies that entered the network."},
    {crossbar, "icnt_total_pkts_simt_to_mem", "packets", "Requests that entered the network."},
    {crossbar, "{half}_Network_injected_packets_num", "packets",
     "Packets that entered the request network (Req) or the reply network (Reply)."},
    {crossbar, "{half}_Network_cycles", "network cycles",
     "Network cycles since the start of the run."},
    {crossbar, "{half}_Network_injected_packets_per_cycle", "packets",
     "Packets that entered the network per network cycle."},
    {crossbar, "{half}_Network_conflicts_per_cycle", "packets",
     "Packets at the heads of inputs whose output was granted to another input, per network "
     "cycle."},
    {crossbar, "{half}_Network_conflicts_per_cycle_util", "packets",
     "As {half}_Network_conflicts_per_cycle, per cycle in which at least one packet waited."},
    {crossbar, "{half}_Bank_Level_Parallism", "packets",
     "Packets that crossed the network, per cycle in which at least one packet waited."},
    {crossbar, "{half}_Network_in_buffer_full_per_cycle", "refusals",
     "Failed checks for space in an input buffer, per network cycle. In the request network, "
     "caches and load/store units of the SMs check once per core cycle while they have a packet to "
     "send; in the reply network, sub-partitions do (the sum is gpu_stall_icnt2sh)."},
    {crossbar, "{half}_Network_in_buffer_avg_util", "packets or flits",
     "Mean occupancy of an input buffer."},
    {crossbar, "{half}_Network_out_buffer_full_per_cycle", "buffers",
     "Full output buffers per network cycle."},
    {crossbar, "{half}_Network_out_buffer_avg_util", "packets or flits",
     "Mean occupancy of an output buffer."},

    {routers, "{what} latency {statistic}", "network cycles",
     "Average, minimum and maximum latency: of a packet from the input buffer on (Packet), of a "
     "packet in the network (Network), and of a flit (Flit)."},
    {routers, "Fragmentation {statistic}", "network cycles",
     "Time between the first and the last flit of a packet beyond its length."},
    {routers, "{half}_Network_packet_lat_table", "packets",
     "Histogram of packet latencies; entry i counts 2^i to 2^(i+1)-1 network cycles, entry 0 also "
     "0."},
    {routers, "{half}_Network_flit_lat_table", "flits",
     "Histogram of flit latencies, as {half}_Network_packet_lat_table."},
    {routers, "{which} packet rate {statistic}", "packets per network cycle",
     "Packets that nodes sent (Injected) and received (Accepted): average, minimum and maximum "
     "over the nodes."},
    {routers, "{which} flit rate {statistic}", "flits per network cycle",
     "Flits that nodes sent (Injected) and received (Accepted): average, minimum and maximum over "
     "the nodes."},
    {routers, "{which} packet length average", "flits", "Mean length of packets."},
    {routers, "Hops average", "routers", "Mean number of routers that a packet passes."},
    {routers, "Total in-flight flits", "flits", "Flits in the network at the time of the report."},

    {cores, "warp_insn[{class}]", "warp instructions",
     "Completed instructions by class of the opcode table: alu, sp, int, dp, sfu, tensor, load, "
     "store, branch, call, ret, barrier, fence, exit, specialised units 1 to 8."},
    {cores, "core_cycles_busy", "core cycles",
     "Cycles with a resident thread block, summed over SMs."},
    {cores, "scheduler_cycles", "scheduler cycles",
     "core_cycles_busy times the number of schedulers per SM; the sum of "
     "scheduler_cycles[{reason}]."},
    {cores, "scheduler_cycles[{reason}]", "scheduler cycles",
     "Cycles by activity. issue: an instruction was issued; idle: no warp had a valid instruction; "
     "scoreboard: all valid instructions waited for operands; stall: an instruction was ready, but "
     "no pipeline accepted it."},
    {cores, "warp_cycles", "warps x core cycles",
     "Number of resident warps, summed over core cycles."},
    {cores, "unit_insn[{unit}]", "warp instructions",
     "Instructions dispatched to functional units, by kind of unit: sp, dp, int, sfu, tensor, "
     "spec1 to spec8, ldst."},
    {cores, "result_bus_conflicts", "attempts",
     "Instructions that were not dispatched because no write-back register would have been free."},
    {cores, "warp_insn_issued_without_lanes", "warp instructions",
     "Instructions issued with an empty active mask; included in warp_occ.Stall."},
    {cores, "warp_insn_decoded", "warp instructions",
     "Instructions that entered instruction buffers."},
    {cores, "warps_launched", "warps", "Warps that became resident."},
    {cores, "accesses_coalesced", "accesses",
     "Memory accesses of warp instructions after coalescing."},
    {cores, "shared_memory_cycles", "core cycles",
     "Cycles in which shared memory banks were accessed, summed over SMs."},
    {cores, "register_reads", "operands", "Operands read from register files."},
    {cores, "register_writes", "operands", "Operands written to register files."},
    {cores, "register_bank_conflicts", "operands",
     "Operands that had to wait for their register bank."},

    {power, "power_table", "",
     "Whether the energies of the GPU have been validated against measurements, or are estimated "
     "(only in the text report)."},
    {power, "gpu_power", "W", "Mean power since the previous report."},
    {power, "gpu_energy", "J", "Energy since the previous report."},
    {power, "gpu_energy_delay", "J s", "Energy since the previous report times its duration."},
    {power, "gpu_tot_power", "W", "Mean power since the start of the run."},
    {power, "gpu_core_clock", "MHz", "Mean core clock since the previous report."},
    {power, "gpu_tot_core_clock", "MHz", "Mean core clock since the start of the run."},
    {power, "gpu_temperature", "C", "Temperature of the die (--temperature, --cooling)."},
    {power, "gpu_tot_energy", "J", "Energy since the start of the run."},
    {power, "gpu_tot_energy_delay", "J s", "Energy since the start of the run times its duration."},
    {power, "gpu_power[{component}]", "W",
     "Mean power of a component since the previous report; see docs/power.md."},
    {clock, "gpgpu_simulation_time", "days, hours, minutes, seconds",
     "Wall-clock time since the program started."},
    {clock, "gpgpu_simulation_rate", "thread instructions/s, core cycles/s",
     "Simulation speed, in two lines."},
    {clock, "gpgpu_silicon_slowdown", "",
     "Core clock frequency divided by the simulated core cycles per second."},
    {clock, "gpu_total_sim_rate", "thread instructions/s",
     "Simulation speed in thread instructions per second."},
};

}  // namespace

const std::vector<statistic_info>& statistics_table() {
    return table;
}

const statistic_info* find_statistic(std::string_view name) {
    for (const statistic_info& s : table)
        if (matches(s.name, name)) return &s;
    return nullptr;
}

namespace {

/// Writes the counters of blocks, from the tables next to the structs that hold them.
void write_counters(std::ostream& out) {
    out << R"(
## Counters of blocks

`--stats-json` contains these counters for each block below `blocks`, by hierarchical name, and for each
kernel as sums over all blocks of a kind. The meaning continues the unit: a counter with the unit
*warp instructions* and the meaning *entered instruction buffers* counts warp instructions that entered
instruction buffers. *Combined by* gives the operation that combines the counters of several blocks. An
array has its nonzero elements, by name: lanes (`W32`), schedulers (`WS0`), access types, banks, or *i* for
values of 2^i to 2^(i+1)-1.
)";
    for (const support::counter_kind& kind : counter_kinds()) {
        out << "\n### " << kind.title << ": " << kind.kinds
            << "\n\n| name | unit | combined by | meaning |\n|---|---|---|---|\n";
        for (const support::counter_info* c : kind.counters)
            out << "| `" << c->name << "` | " << c->unit << " | " << support::adding_name(c->how)
                << " | " << c->meaning << " |\n";
    }
}

}  // namespace

void write_statistics_markdown(std::ostream& out) {
    out << R"(# Statistics

<!-- Generated by simtlm --help-statistics (platform/report/statistics_table.cpp); do not edit. -->

This page explains the statistics that simtlm prints to stdout after every kernel. They have the names and
the format of GPGPU-Sim, so that scripts for GPGPU-Sim and Accel-Sim can be used.

- `--stats-json FILE` contains the statistics as numbers below `total`, histograms below `histograms`, kernels
  below `kernels`, and counters of all blocks below `blocks`, with units and meanings below `counters`.
- `--stats-csv FILE` contains a row per kernel and a last row for the run; a column has the value printed after
  that kernel.

[statistics-files.md](statistics-files.md) describes these formats.

Values count from the start of the run unless stated otherwise, and are sums over all SMs, sub-partitions
or channels. A word in braces is a placeholder. A name with a dot denotes a value in a row of values of
the text report: `warp_occ.W0_Idle` is `W0_Idle:...` below *Warp Occupancy Distribution*.

Access types: GLOBAL_ACC_R, LOCAL_ACC_R, CONST_ACC_R, TEXTURE_ACC_R, GLOBAL_ACC_W, LOCAL_ACC_W,
L1_WRBK_ACC and L2_WRBK_ACC (write-backs), INST_ACC_R (instructions), L1_WR_ALLOC_R and
L2_WR_ALLOC_R (reads for write allocation).
)";
    const char* section = nullptr;
    for (const statistic_info& s : table) {
        if (section != s.section) {
            section = s.section;
            out << "\n## " << section << "\n\n| name | unit | meaning |\n|---|---|---|\n";
        }
        out << "| `" << s.name << "` | " << s.unit << " | " << s.meaning << " |\n";
    }
    write_counters(out);
}

}  // namespace simtlm::platform
