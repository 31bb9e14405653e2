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

/// Whether `name` is the pattern with a word in place of each {...}.
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
constexpr const char* channel = "A DRAM channel (text only; --stats-json has them below blocks)";
constexpr const char* channels = "DRAM, all channels together";
constexpr const char* l2 = "L2";
constexpr const char* crossbar = "Network: crossbar (-network_mode 2)";
constexpr const char* routers = "Network: routers (-network_mode 1)";
constexpr const char* cores = "Cores, beyond GPGPU-Sim";
constexpr const char* clock = "Wall clock (text only; the only lines that differ from run to run)";

const std::vector<statistic_info> table = {
    {run, "kernel_name", "", "Name of the kernel that has ended."},
    {run, "kernel_launch_uid", "", "Number of its launch, from 1."},
    {run, "kernel_stream_id", "", "CUDA stream it was launched in."},
    {run, "kernel_list_number", "",
     "Its place among the kernels of the command list, from 1, whichever of them run; not printed "
     "without a list."},
    {run, "kernel_id", "",
     "The tracer's number of the kernel (kernel id in its header); of programs, the launch's."},
    {run, "kernel_demangled_name", "", "The name as the source has it, where it is mangled."},
    {run, "gpu_sim_cycle", "core cycles",
     "Since the report before; for kernels that run one after the other, what the kernel took, its "
     "launch latency included."},
    {run, "gpu_sim_insn", "thread instructions",
     "Completed since the report before, a warp instruction counted once for each active lane."},
    {run, "gpu_ipc", "thread instructions per core cycle", "gpu_sim_insn over gpu_sim_cycle."},
    {run, "gpu_tot_sim_cycle", "core cycles", "Since the start."},
    {run, "gpu_tot_sim_insn", "thread instructions", "Completed since the start."},
    {run, "gpu_tot_ipc", "thread instructions per core cycle",
     "gpu_tot_sim_insn over gpu_tot_sim_cycle."},
    {run, "gpu_tot_issued_cta", "thread blocks", "Placed on SMs since the start."},
    {run, "gpu_occupancy", "%",
     "Resident warps over warp slots of the SMs that hold a thread block, since the report before. "
     "(Its home simulator has it only with its power model.)"},
    {run, "gpu_tot_occupancy", "%", "The same since the start."},
    {run, "max_total_param_size", "bytes",
     "Always 0: traces hold no kernel parameters. Printed for scripts."},
    {run, "gpu_stall_dramfull", "L2 cycles",
     "A sub-partition could not take the request offered to it, summed over sub-partitions."},
    {run, "gpu_stall_icnt2sh", "network cycles",
     "A sub-partition's reply waited for the network, summed over sub-partitions."},
    {run, "partiton_level_parallism", "requests per core cycle",
     "Requests that sub-partitions took since the report before."},
    {run, "partiton_level_parallism_total", "requests per core cycle", "The same since the start."},
    {run, "partiton_level_parallism_util", "requests per L2 cycle",
     "The same since the report before, over the cycles in which there were any."},
    {run, "partiton_level_parallism_util_total", "requests per L2 cycle",
     "The same since the start."},
    {run, "L2_BW", "GB/s", "Replies of the L2 since the report before, at 32 bytes each."},
    {run, "L2_BW_total", "GB/s", "The same since the start."},

    {core_caches, "{cache}_total_cache_accesses", "accesses",
     "Accesses of all L1I, L1D, L1C, L1T or L2 caches that were not put off: hits, hits on data "
     "under way, misses."},
    {core_caches, "{cache}_total_cache_misses", "accesses",
     "Of them those that found neither line nor sector, or the line without the sector."},
    {core_caches, "{cache}_total_cache_miss_rate", "",
     "Misses over accesses; left out without any."},
    {core_caches, "{cache}_total_cache_pending_hits", "accesses",
     "Of the accesses those whose data were already under way."},
    {core_caches, "{cache}_total_cache_reservation_fails", "attempts",
     "Accesses put off because a line, an MSHR or a queue entry was missing; each attempt counts."},
    {core_caches, "L1D_cache_core[{sm}]", "accesses",
     "Accesses, misses, pending hits and reservation fails of one SM's L1D."},
    {core_caches, "L1D_cache_data_port_util", "",
     "Share of the cycles in which the L1D's data port was moving data."},
    {core_caches, "L1D_cache_fill_port_util", "",
     "Share of the cycles in which the L1D's fill port was moving data."},
    {core_caches, "total_dl1_misses", "accesses",
     "L1D_total_cache_misses under the name of GPGPU-Sim 3."},
    {core_caches, "total_dl1_accesses", "accesses", "Likewise L1D_total_cache_accesses."},
    {core_caches, "total_dl1_miss_rate", "", "Likewise L1D_total_cache_miss_rate; 0 without any."},
    {core_caches, "Total_core_cache_stats_breakdown[{type}][{outcome}]", "accesses",
     "Accesses of all caches of the SMs by type and outcome: HIT, HIT_RESERVED (data under way), "
     "MISS, SECTOR_MISS (the line is there, the sector is not), RESERVATION_FAIL (put off; "
     "attempts), MSHR_HIT (counted besides: a miss merged with one under way), TOTAL_ACCESS (HIT, "
     "HIT_RESERVED, MISS and SECTOR_MISS; left out when 0)."},
    {core_caches, "Total_core_cache_fail_stats_breakdown[{type}][{reason}]", "attempts",
     "Attempts that were put off, by what was missing: LINE_ALLOC_FAIL (every line of the set is "
     "reserved), MISS_QUEUE_FULL, MSHR_ENRTY_FAIL (no free entry), MSHR_MERGE_ENRTY_FAIL (the "
     "entry "
     "takes no more), MSHR_RW_PENDING (a read behind a write); left out when 0."},

    {instructions, "ctas_completed", "thread blocks", "Ended since the start."},
    {instructions, "warp_slot_issue[{slot}]", "warp instructions",
     "Issued from a warp slot, summed over SMs. The text has, below *warp_id issue ditsribution* "
     "(sic), the slots of the SM that -gpgpu_warp_issue_shader names."},
    {instructions, "gpgpu_n_tot_thrd_icount", "thread instructions",
     "Completed, a warp instruction counted as 32 whatever its mask."},
    {instructions, "gpgpu_n_tot_w_icount", "warp instructions", "Completed."},
    {instructions, "gpgpu_n_stall_shd_mem", "core cycles",
     "A load/store unit could not start the access at its head, summed over SMs."},
    {instructions, "gpgpu_n_mem_read_local", "requests", "Reads of local memory sent to the L2."},
    {instructions, "gpgpu_n_mem_write_local", "requests", "Writes of local memory sent to the L2."},
    {instructions, "gpgpu_n_mem_read_global", "requests", "Reads of global memory sent to the L2."},
    {instructions, "gpgpu_n_mem_write_global", "requests",
     "Writes of global memory sent to the L2, write-backs of the L1D included."},
    {instructions, "gpgpu_n_mem_texture", "requests", "Texture reads sent to the L2."},
    {instructions, "gpgpu_n_mem_const", "requests", "Reads of constant memory sent to the L2."},
    {instructions, "gpgpu_n_load_insn", "thread instructions",
     "Loads of global and local memory, by active lanes."},
    {instructions, "gpgpu_n_store_insn", "thread instructions",
     "Stores to global and local memory, by active lanes."},
    {instructions, "gpgpu_n_shmem_insn", "thread instructions",
     "Accesses to shared memory, by active lanes."},
    {instructions, "gpgpu_n_sstarr_insn", "thread instructions",
     "Always 0: traces know no static arrays of their own. Printed for scripts."},
    {instructions, "gpgpu_n_tex_insn", "thread instructions", "Texture reads, by active lanes."},
    {instructions, "gpgpu_n_const_mem_insn", "thread instructions",
     "Loads of constant memory, by active lanes."},
    {instructions, "gpgpu_n_param_mem_insn", "thread instructions",
     "Always 0: traces show parameters as constant memory. Printed for scripts."},
    {instructions, "gpgpu_n_shmem_bkconflict", "core cycles",
     "Lost to shared memory bank conflicts, summed over SMs."},
    {instructions, "gpgpu_n_l1cache_bkconflict", "attempts",
     "Accesses that found their L1D bank taken."},
    {instructions, "gpgpu_n_intrawarp_mshr_merge", "",
     "Always 0, as in its home simulator. Printed for scripts."},
    {instructions, "gpgpu_n_cmem_portconflict", "core cycles",
     "Lost because a warp read several constant addresses."},

    {stalls, "gpgpu_stall_shd_mem[c_mem][resource_stall]", "core cycles",
     "A constant access waited for the cache or its port."},
    {stalls, "gpgpu_stall_shd_mem[s_mem][bk_conf]", "core cycles",
     "A shared memory access waited for its banks."},
    {stalls, "gpgpu_stall_shd_mem[gl_mem][resource_stall]", "core cycles",
     "A global or local access waited for an L1D bank or another resource of the L1D."},
    {stalls, "gpgpu_stall_shd_mem[gl_mem][coal_stall]", "core cycles",
     "An instruction had more accesses than start in a cycle."},
    {stalls, "gpgpu_stall_shd_mem[gl_mem][data_port_stall]", "core cycles",
     "A global or local access waited for the L1D's data port."},
    {stalls, "gpgpu_stall_shd_mem[gl_mem][icnt_stall]", "core cycles",
     "An access past the L1D waited for the request network (not printed by GPGPU-Sim)."},

    {issue, "gpu_reg_bank_conflict_stalls", "",
     "Always 0, as in its home simulator; see register_bank_conflicts. Printed for scripts."},
    {issue, "warp_occ.Stall", "scheduler cycles",
     "Warp Occupancy Distribution: an instruction was ready, but the pipeline took none; and "
     "instructions issued that no lane executes."},
    {issue, "warp_occ.W0_Idle", "scheduler cycles",
     "No warp of the scheduler had a valid instruction."},
    {issue, "warp_occ.W0_Scoreboard", "scheduler cycles",
     "All valid instructions waited for operands."},
    {issue, "warp_occ.W{lanes}", "warp instructions", "Issued with so many active lanes."},
    {issue, "single_issue_nums.WS{scheduler}", "cycles",
     "The scheduler issued one instruction, summed over SMs."},
    {issue, "dual_issue_nums.WS{scheduler}", "cycles",
     "The scheduler issued two instructions, summed over SMs."},

    {traffic, "traffic_breakdown_coretomem[{type}]", "bytes",
     "Requests that entered the network, headers included, by access type; atomic operations are "
     "GLOBAL_ATOMIC. The text also has size:packets for each size. Left out without any."},
    {traffic, "traffic_breakdown_memtocore[{type}]", "bytes",
     "The same of the replies that clusters took from the network."},

    {latencies, "maxmflatency", "core cycles",
     "Longest time from the making of a request to its reply at the cluster."},
    {latencies, "max_icnt2mem_latency", "core cycles",
     "Longest time from the making of a request to its taking by the sub-partition."},
    {latencies, "maxmrqlatency", "core cycles",
     "Longest time from a request's arrival at its channel to its bank."},
    {latencies, "max_icnt2sh_latency", "core cycles",
     "Longest time from a reply's entry into the network to its cluster."},
    {latencies, "averagemflatency", "core cycles", "Mean of the first; whole number."},
    {latencies, "avg_icnt2mem_latency", "core cycles",
     "Mean of the second, over the number of replies; whole number."},
    {latencies, "avg_mrq_latency", "core cycles", "Mean of the third; whole number."},
    {latencies, "avg_icnt2sh_latency", "core cycles", "Mean of the fourth; whole number."},
    {latencies, "mrq_lat_table", "requests",
     "Histogram of the time to the bank; entry i counts 2^i to 2^(i+1)-1 core cycles, entry 0 also "
     "0."},
    {latencies, "dq_lat_table", "requests", "Always 0, as in its home simulator."},
    {latencies, "mf_lat_table", "replies", "Histogram of round trips."},
    {latencies, "icnt2mem_lat_table", "requests", "Histogram of the way there."},
    {latencies, "icnt2sh_lat_table", "replies", "Histogram of the way back."},
    {latencies, "mf_lat_pw_table", "reports",
     "Histogram of the mean round trip between two reports."},

    {accesses, "maximum concurrent accesses to same row", "requests",
     "By channel and bank: most requests in a row that went to the same row."},
    {accesses, "maximum service time to same row", "core cycles",
     "By channel and bank: longest time a row was served."},
    {accesses, "average row accesses per activate", "requests",
     "By channel and bank: requests per change of row."},
    {accesses, "average row locality", "requests", "The same over all banks."},
    {accesses, "number of total memory accesses made", "atoms",
     "By channel and bank: accesses of the smallest size that DRAM moves."},
    {accesses, "total accesses", "atoms", "Their sum."},
    {accesses, "number of total read accesses", "atoms", "By channel and bank."},
    {accesses, "total dram reads", "atoms", "Their sum."},
    {accesses, "number of total write accesses", "atoms", "By channel and bank."},
    {accesses, "total dram writes", "atoms", "Their sum."},
    {accesses, "bank skew", "", "Accesses of the most over those of the least used bank."},
    {accesses, "chip skew", "", "Accesses of the most over those of the least used channel."},
    {accesses, "min_bank_accesses", "", "0: some bank was not used at all."},
    {accesses, "min_chip_accesses", "", "0: some channel was not used at all."},
    {accesses, "average mf latency per bank", "core cycles",
     "By channel and bank: mean round trip of the requests that belong there."},
    {accesses, "maximum mf latency per bank", "core cycles", "The longest of them."},

    {channel, "n_cmd", "command cycles", "So far; also total_CMD."},
    {channel, "n_nop", "command cycles",
     "No command was issued. (Under this name --stats-json has the last channel's, as scripts that "
     "read the text do; likewise n_act, n_pre, n_ref, n_req.)"},
    {channel, "n_act", "commands", "Rows opened."},
    {channel, "n_pre", "commands", "Rows closed."},
    {channel, "n_ref", "commands", "Refreshes; also n_ref_event."},
    {channel, "n_ref_event", "commands", "Refreshes."},
    {channel, "n_req", "requests", "Taken."},
    {channel, "n_rd", "commands", "Column reads, but for write allocation; also Read."},
    {channel, "n_rd_L2_A", "commands", "Column reads for L2 write allocation; also L2_Alloc."},
    {channel, "n_write", "commands", "Column writes, but for write-backs; also Write."},
    {channel, "n_wr_bk", "commands", "Column writes of dirty L2 sectors; also L2_WB."},
    {channel, "bw_util", "", "Share of all cycles in which the data bus was in use; also bwutil."},
    {channel, "n_activity", "command cycles", "Requests or timings were pending."},
    {channel, "Row_Buffer_Locality", "",
     "Share of the requests that were scheduled to an open row."},
    {channel, "Row_Buffer_Locality_read", "", "The same for reads."},
    {channel, "Row_Buffer_Locality_write", "", "The same for writes."},
    {channel, "Bank_Level_Parallism", "banks", "With a request, while there were any."},
    {channel, "Bank_Level_Parallism_Col", "banks", "With a request to an open row, while any."},
    {channel, "Bank_Level_Parallism_Ready", "banks",
     "Whose column command was legal, while there were any."},
    {channel, "write_to_read_ratio_blp_rw_average", "",
     "Share of writes among the requests to open rows."},
    {channel, "GrpLevelPara", "bank groups",
     "With a request to an open row, while there were any."},
    {channel, "bwutil", "", "bw_util again."},
    {channel, "total_CMD", "command cycles", "So far."},
    {channel, "util_bw", "command cycles", "Data moved."},
    {channel, "Wasted_Col", "command cycles",
     "No data moved, and a request to an open row waited."},
    {channel, "Wasted_Row", "command cycles", "No data moved, and requests waited for rows."},
    {channel, "Idle", "command cycles", "Nothing waited."},
    {channel, "RCDc_limit", "bank cycles", "A read waited for tRCD."},
    {channel, "RCDWRc_limit", "bank cycles", "A write waited for tRCD."},
    {channel, "WTRc_limit", "bank cycles", "A read waited after a write."},
    {channel, "RTWc_limit", "bank cycles", "A write waited after a read."},
    {channel, "CCDLc_limit", "bank cycles", "A column command waited for its bank group."},
    {channel, "rwq", "bank cycles", "A column command waited for the data pipeline."},
    {channel, "{limit}_limit_alone", "bank cycles", "Waited for that alone."},
    {channel, "Read", "commands", "n_rd again."},
    {channel, "Write", "commands", "n_write again."},
    {channel, "L2_Alloc", "commands", "n_rd_L2_A again."},
    {channel, "L2_WB", "commands", "n_wr_bk again."},
    {channel, "total_req", "commands", "All column commands."},
    {channel, "issued_total_row", "commands", "Activates and precharges."},
    {channel, "issued_total_col", "commands", "Reads and writes."},
    {channel, "Row_Bus_Util", "", "Row commands per cycle."},
    {channel, "CoL_Bus_Util", "", "Column commands per cycle."},
    {channel, "Either_Row_CoL_Bus_Util", "", "Share of the cycles with a command."},
    {channel, "Issued_on_Two_Bus_Simul_Util", "",
     "Share of the cycles with a row and a column command."},
    {channel, "issued_two_Eff", "", "Their share of the cycles with a command."},
    {channel, "queue_avg", "requests", "Mean length of the request queue; also mrqq avg."},
    {channel, "max", "requests", "Greatest length of the request queue (mrqq)."},
    {channel, "avg", "requests", "Mean length of the request queue (mrqq)."},

    {channel, "dram_util_bins", "", "Always ten times 0, as in its home simulator."},
    {channel, "dram_eff_bins", "", "Likewise."},

    {channels, "dram_cycles", "command cycles", "Summed over channels, as the rest."},
    {channels, "dram_n_nop", "command cycles", "No command was issued."},
    {channels, "dram_n_act", "commands", "Rows opened."},
    {channels, "dram_n_pre", "commands", "Rows closed."},
    {channels, "dram_n_ref", "commands", "Refreshes."},
    {channels, "dram_n_req", "requests", "Taken."},
    {channels, "dram_n_rd", "commands", "Column reads, but for write allocation."},
    {channels, "dram_n_rd_L2_A", "commands", "Column reads for L2 write allocation."},
    {channels, "dram_n_write", "commands", "Column writes, but for write-backs."},
    {channels, "dram_n_wr_bk", "commands", "Column writes of dirty L2 sectors."},
    {channels, "dram_bw_util", "", "Share of all cycles in which data buses were in use."},
    {channels, "dram_eff", "",
     "The same of the cycles in which requests or timings were pending (n_activity). Within a "
     "channel's paragraph: of that channel."},
    {channels, "dram_row_locality", "", "Share of the requests scheduled to an open row."},
    {channels, "dram_bank_parallelism", "banks", "With a request, while there were any."},
    {channels, "dram_queue_avg", "requests", "Mean length of the request queues."},

    {l2, "L2_cache_bank[{bank}]", "accesses",
     "Accesses, misses, pending hits and reservation fails of one sub-partition's L2."},
    {l2, "L2_cache_stats_breakdown[{type}][{outcome}]", "accesses",
     "Accesses of the L2 by type and outcome, as above. Totals are in the rows {cache}_total_... "
     "above."},
    {l2, "L2_cache_stats_fail_breakdown[{type}][{reason}]", "attempts",
     "Attempts that were put off, by what was missing, as above."},
    {l2, "L2_cache_data_port_util", "", "Share of the cycles in which data ports moved data."},
    {l2, "L2_cache_fill_port_util", "", "Share of the cycles in which fill ports moved data."},
    {l2, "L2_queue_avg[{queue}]", "entries",
     "Mean occupancy of a sub-partition's queue: icnt_to_L2, L2_to_dram, dram_to_L2, L2_to_icnt."},
    {l2, "L2_queue_max[{queue}]", "entries", "Most that any of them held."},

    {crossbar, "icnt_total_pkts_mem_to_simt", "packets", "Replies that entered the network."},
    {crossbar, "icnt_total_pkts_simt_to_mem", "packets", "Requests that entered the network."},
    {crossbar, "{half}_Network_injected_packets_num", "packets",
     "That entered the half for requests (Req) or replies (Reply)."},
    {crossbar, "{half}_Network_cycles", "network cycles", "Since the start."},
    {crossbar, "{half}_Network_injected_packets_per_cycle", "packets", "Per network cycle."},
    {crossbar, "{half}_Network_conflicts_per_cycle", "packets",
     "At the heads of inputs that wanted an output another one got, per network cycle."},
    {crossbar, "{half}_Network_conflicts_per_cycle_util", "packets",
     "The same per cycle in which any packet waited."},
    {crossbar, "{half}_Bank_Level_Parallism", "packets",
     "That crossed, per cycle in which any packet waited."},
    {crossbar, "{half}_Network_in_buffer_full_per_cycle", "refusals",
     "Questions for room in an input buffer that were answered no, per network cycle: by the SMs' "
     "caches and load/store units (Req), which ask once per core cycle while they have something "
     "to "
     "send, and by the sub-partitions (Reply; the sum is gpu_stall_icnt2sh)."},
    {crossbar, "{half}_Network_in_buffer_avg_util", "packets or flits",
     "Mean occupancy of an input buffer."},
    {crossbar, "{half}_Network_out_buffer_full_per_cycle", "buffers",
     "Full output buffers, per network cycle."},
    {crossbar, "{half}_Network_out_buffer_avg_util", "packets or flits",
     "Mean occupancy of an output buffer."},

    {routers, "{what} latency {statistic}", "network cycles",
     "Average, minimum and maximum time of a packet from the input buffer, of a packet in the "
     "network, of a flit."},
    {routers, "Fragmentation {statistic}", "network cycles",
     "Time between a packet's first and last flit beyond its length."},
    {routers, "{half}_Network_packet_lat_table", "packets",
     "Histogram of packet latencies; entry i counts 2^i to 2^(i+1)-1 network cycles, entry 0 also "
     "0."},
    {routers, "{half}_Network_flit_lat_table", "flits", "The same of flits."},
    {routers, "{which} packet rate {statistic}", "packets per network cycle",
     "That nodes sent (Injected) and received (Accepted): average, minimum, maximum of the nodes."},
    {routers, "{which} flit rate {statistic}", "flits per network cycle", "The same in flits."},
    {routers, "{which} packet length average", "flits", "Mean length of packets."},
    {routers, "Hops average", "routers", "Passed by a packet."},
    {routers, "Total in-flight flits", "flits", "Inside the network now."},

    {cores, "warp_insn[{class}]", "warp instructions",
     "Completed, by class of the opcode table: alu, sp, int, dp, sfu, tensor, load, store, branch, "
     "call, ret, barrier, fence, exit, specialised units 1 to 8."},
    {cores, "core_cycles_busy", "core cycles", "With a thread block resident, summed over SMs."},
    {cores, "scheduler_cycles", "scheduler cycles",
     "core_cycles_busy times the schedulers of an SM. The four rows below add up to it."},
    {cores, "scheduler_cycles[{reason}]", "scheduler cycles",
     "issue: something was issued; idle: no warp had a valid instruction; scoreboard: all valid "
     "instructions waited for operands; stall: an instruction was ready, but the pipeline took "
     "none."},
    {cores, "warp_cycles", "warps x core cycles", "Resident warps, summed over core cycles."},
    {cores, "unit_insn[{unit}]", "warp instructions",
     "Dispatched to the functional units of a kind: sp, dp, int, sfu, tensor, spec1 to spec8, "
     "ldst."},
    {cores, "result_bus_conflicts", "attempts",
     "Instructions that were not dispatched because no write-back register would have been free."},
    {cores, "warp_insn_issued_without_lanes", "warp instructions",
     "Issued with an empty mask; within warp_occ.Stall."},
    {cores, "warp_insn_decoded", "warp instructions", "That entered instruction buffers."},
    {cores, "warps_launched", "warps", "That became resident."},
    {cores, "accesses_coalesced", "accesses", "That warp instructions came down to."},
    {cores, "shared_memory_cycles", "core cycles",
     "Shared memory banks were accessed, summed over SMs."},
    {cores, "register_reads", "operands", "Read from register files."},
    {cores, "register_writes", "operands", "Written to register files."},
    {cores, "register_bank_conflicts", "operands", "That had to wait for their register bank."},

    {clock, "gpgpu_simulation_time", "days, hours, minutes, seconds", "Since the program started."},
    {clock, "gpgpu_simulation_rate", "thread instructions/s, core cycles/s", "Two lines."},
    {clock, "gpgpu_silicon_slowdown", "", "The core clock over the simulated cycles per second."},
    {clock, "gpu_total_sim_rate", "thread instructions/s", "Again."},
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

/// The counters of blocks, from the tables beside the structs that hold them.
void write_counters(std::ostream& out) {
    out << R"(
## Counters of blocks

What `--stats-json` has below `blocks`, by hierarchical name, and as sums over all blocks of a kind
below each kernel. *adds up* says how the counters of several blocks become one. An array shows the
cells that are not 0, by name: lanes (`W32`), schedulers (`WS0`), access types, banks, or *i* for
values of 2^i to 2^(i+1)-1.
)";
    for (const counter_kind& kind : counter_kinds()) {
        out << "\n### " << kind.title << ": " << kind.kinds
            << "\n\n| name | unit | adds up | meaning |\n|---|---|---|---|\n";
        for (const kernel::counter_info* c : kind.counters)
            out << "| `" << c->name << "` | " << c->unit << " | " << kernel::adding_name(c->how)
                << " | " << c->meaning << " |\n";
    }
}

}  // namespace

void write_statistics_markdown(std::ostream& out) {
    out << R"(# Statistics

<!-- Generated by simtlm --help-statistics (platform/report/statistics_table.cpp); do not edit. -->

After every kernel the statistics are printed on stdout, under the names and in the format of
GPGPU-Sim, so that scripts for it and for Accel-Sim keep working. `--stats-json FILE` has them as
numbers below `total`, the latency histograms below `histograms`, a line per kernel below `kernels`,
and the counters of every block by hierarchy below `blocks` (units and meanings: `counters`).
`--stats-csv FILE` has a row per kernel and a last one for the run; a column holds the value that
was printed after that kernel.

Values count from the start of the run, but for those said to count since the report before. Sums go
over all SMs, sub-partitions or channels. A word in braces stands for several. Names with a dot are
those of figures that the text has in a row: `warp_occ.W0_Idle` is `W0_Idle:...` below *Warp
Occupancy Distribution*.

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
