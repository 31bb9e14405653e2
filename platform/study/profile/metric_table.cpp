// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/profile_metrics.h"

#include <iterator>

namespace simtlm::platform::study {

namespace {

constexpr auto counter_row = profile_metric::kind::counter;
constexpr auto total_row = profile_metric::kind::total;
constexpr auto value_row = profile_metric::kind::value;

constexpr metric_definition definition_table[] = {
    {"elapsed", "gpu.sms * cycles", "cycles of all SMs, whether they have a thread block or not"},
    {"schedulers", "sm.cycles * gpu.schedulers_per_sm",
     "scheduler cycles of SMs with a thread block"},
    {"wavefronts", "sm.shared_accesses + sm.l1_data_wavefronts",
     "cycles in which the data banks of L1 and shared memory are read"},
    {"atomic_sectors",
     "instruction.transactions.ATOM + instruction.transactions.ATOMG + "
     "instruction.transactions.RED",
     "accesses of atomics to global memory"},
    {"l1_reads",
     "l2.outcomes.GLOBAL_ACC_R.TOTAL + l2.outcomes.LOCAL_ACC_R.TOTAL + "
     "l2.outcomes.TEXTURE_ACC_R.TOTAL - (atomic_sectors | 0)",
     "reads of the L2 by the L1; without the profile of instructions with atomics"},
    {"l1_writes",
     "l2.outcomes.GLOBAL_ACC_W.TOTAL + l2.outcomes.LOCAL_ACC_W.TOTAL + "
     "l2.outcomes.L1_WRBK_ACC.TOTAL",
     "writes to the L2 by the L1"},
    {"other_reads", "l2.outcomes.INST_ACC_R.TOTAL + l2.outcomes.CONST_ACC_R.TOTAL",
     "reads of the L2 for instructions and constants"},
    {"dram_read", "(dram.reads + dram.allocate_reads) * gpu.dram_atom_bytes", "bytes"},
    {"dram_written", "(dram.writes + dram.write_backs) * gpu.dram_atom_bytes", "bytes"},
    {"dram_share", "100 * (dram_read + dram_written) / seconds / gpu.peaks.dram_bytes_per_second",
     "% of the peak"},
    {"l2_share", "100 * 32 * l2.accesses / seconds / gpu.peaks.l2_bytes_per_second",
     "% of the peak"},
    {"branches",
     "instruction.issues.BRA + instruction.issues.BRX + instruction.issues.JMP + "
     "instruction.issues.JMX",
     "branch instructions"}};

constexpr metric_gap gap_table[] = {
    {"*thread_inst_executed", "simtlm counts only lanes whose predicate is true"},
    {"*thread_inst_executed.*", "simtlm counts only lanes whose predicate is true"},
    {"*thread_inst_executed_per_inst_executed*",
     "simtlm counts only lanes whose predicate is true"},
    {"sm__throughput.*", "the busiest of many pipelines, not all of which simtlm counts"},
    {"sm__instruction_throughput*",
     "the busiest of many pipelines, not all of which simtlm counts"},
    {"*.pct_of_peak*", "simtlm has no peak for it"},
    {"*.pct", "simtlm has no peak for it"},
    {"*pcsamp*", "samples of the program counter: compare the stall reasons instead"},
    {"*.min", "simtlm has no values of single units by kernel"},
    {"*.max", "simtlm has no values of single units by kernel"},
    {"launch__occupancy_limit_*", "simtlm names the limit (occupancy_limits in the JSON)"},
    {"breakdown:*", "a part of another metric"},
    {"pmsampling:*", "a series over time, of which the CSV has no samples"},
    {"device__attribute_*", "a property of the GPU"},
    {"nvlink__*", "simtlm models one GPU"},
    {"pcie__*", "simtlm models one GPU"}};

constexpr metric_alias alias_table[] = {
    {"Duration", "", "gpu__time_duration.sum"},
    {"gpu__time_duration.avg", "", "gpu__time_duration.sum"},
    {"gpu__time_duration.max", "", "gpu__time_duration.sum"},
    {"gpu__time_duration", "", "gpu__time_duration.sum"},
    {"Elapsed Cycles", "", "gpc__cycles_elapsed.max"},
    {"SM Active Cycles", "", "sm__cycles_active.avg"},
    {"SM Frequency", "", "gpc__cycles_elapsed.avg.per_second"},
    {"DRAM Frequency", "", "dram__cycles_elapsed.avg.per_second"},
    {"Memory Frequency", "", "dram__cycles_elapsed.avg.per_second"},
    {"Compute (SM) Throughput", "", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SM Throughput", "", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SM [%]", "", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL SM", "", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory Throughput", "%", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory [%]", "", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL Memory", "", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory Throughput", "byte/second", "dram__bytes.sum.per_second"},
    {"DRAM Throughput", "", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL FB", "", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL DRAM", "", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L2 Cache Throughput", "", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL L2", "", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L1/TEX Cache Throughput", "", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"SOL L1/TEX Cache", "", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"SOL TEX", "", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"L1/TEX Hit Rate", "", "l1tex__t_sector_hit_rate.pct"},
    {"L1 Hit Rate", "", "l1tex__t_sector_hit_rate.pct"},
    {"L2 Hit Rate", "", "lts__t_sector_hit_rate.pct"},
    {"Executed Ipc Active", "", "sm__inst_executed.avg.per_cycle_active"},
    {"Executed Ipc Elapsed", "", "sm__inst_executed.avg.per_cycle_elapsed"},
    {"Issued Ipc Active", "", "sm__inst_issued.avg.per_cycle_active"},
    {"Issue Slots Busy", "", "sm__inst_issued.avg.pct_of_peak_sustained_active"},
    {"SM Busy", "", "sm__instruction_throughput.avg.pct_of_peak_sustained_active"},
    {"One or More Eligible", "", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"No Eligible", "", "smsp__issue_inst0.avg.pct_of_peak_sustained_active"},
    {"Issued Warp Per Scheduler", "", "smsp__issue_active.avg.per_cycle_active"},
    {"Active Warps Per Scheduler", "", "smsp__warps_active.avg.per_cycle_active"},
    {"Eligible Warps Per Scheduler", "", "smsp__warps_eligible.avg.per_cycle_active"},
    {"Warp Cycles Per Issued Instruction", "", "smsp__average_warp_latency_per_inst_issued.ratio"},
    {"Warp Cycles Per Executed Instruction", "",
     "smsp__average_warps_active_per_inst_executed.ratio"},
    {"Avg. Active Threads Per Warp", "", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"Avg. Not Predicated Off Threads Per Warp", "",
     "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
    {"Executed Instructions", "", "smsp__inst_executed.sum"},
    {"Issued Instructions", "", "smsp__inst_issued.sum"},
    {"Avg. Executed Instructions Per Scheduler", "", "smsp__inst_executed.avg"},
    {"Avg. Issued Instructions Per Scheduler", "", "smsp__inst_issued.avg"},
    {"Achieved Occupancy", "", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Achieved Active Warps Per SM", "", "sm__warps_active.avg.per_cycle_active"},
    {"Theoretical Occupancy", "", "sm__maximum_warps_per_active_cycle_pct"},
    {"Theoretical Active Warps per SM", "", "sm__maximum_warps_avg_per_active_cycle"},
    {"Branch Instructions", "", "smsp__inst_executed_op_branch.sum"},
    {"Branch Efficiency", "", "smsp__sass_average_branch_targets_threads_uniform.pct"},
    {"Avg. Divergent Branches", "", "smsp__sass_branch_targets_threads_divergent.avg"},
    {"Grid Size", "", "launch__grid_size"},
    {"Block Size", "", "launch__block_size"},
    {"Registers Per Thread", "", "launch__registers_per_thread"},
    {"Static Shared Memory Per Block", "", "launch__shared_mem_per_block_static"},
    {"Dynamic Shared Memory Per Block", "", "launch__shared_mem_per_block_dynamic"},
    {"Threads", "", "launch__thread_count"},
    {"Waves Per SM", "", "launch__waves_per_multiprocessor"},
    {"# SMs", "", "launch__sm_count"},
    {"fbpa__dram_read_bytes", "", "dram__bytes_read"},
    {"fbpa__dram_write_bytes", "", "dram__bytes_write"},
    {"fbpa__dram_read_sectors", "", "dram__sectors_read"},
    {"fbpa__dram_write_sectors", "", "dram__sectors_write"}};

constexpr profile_metric times_metrics[] = {
    {total_row, "gpu__time_duration.sum", "s", "cycles / clock", ""},
    {total_row,
     "gpc__cycles_elapsed.max gpc__cycles_elapsed.avg sm__cycles_elapsed.max "
     "sm__cycles_elapsed.avg smsp__cycles_elapsed.max smsp__cycles_elapsed.avg",
     "cycles", "cycles", ""},
    {counter_row, "sm__cycles_active", "cycles", "sm.cycles", ""},
    {value_row,
     "gpc__cycles_elapsed.avg.per_second sm__cycles_elapsed.avg.per_second "
     "smsp__cycles_elapsed.avg.per_second",
     "Hz", "gpu.clock_hz.core", "the time is compared at the profile's clock"},
    {value_row, "lts__cycles_elapsed.avg.per_second", "Hz", "gpu.clock_hz.l2", ""},
    {value_row, "dram__cycles_elapsed.avg.per_second", "Hz", "gpu.clock_hz.dram",
     "~of GDDR, profilers count another clock than presets"}};

constexpr profile_metric instructions_metrics[] = {
    {counter_row, "smsp__inst_executed", "instructions", "sm.warp_instructions", ""},
    {counter_row, "smsp__inst_issued", "instructions", "sm.issued_lanes", ""},
    {counter_row, "smsp__thread_inst_executed_pred_on", "instructions", "sm.thread_instructions",
     ""},
    {value_row, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "lanes",
     "sm.thread_instructions / sm.warp_instructions", ""},
    {counter_row, "smsp__inst_executed_pipe_fma", "instructions",
     "modern.unit_instructions.fma + modern.unit_instructions.fma_lite | "
     "unit_sp.instructions",
     ""},
    {counter_row, "smsp__inst_executed_pipe_alu", "instructions",
     "modern.unit_instructions.alu | unit_int.instructions", ""},
    {counter_row, "smsp__inst_executed_pipe_fp16", "instructions", "modern.unit_instructions.half",
     ""},
    {counter_row, "smsp__inst_executed_pipe_fp64", "instructions",
     "modern.unit_instructions.fp64 | unit_dp.instructions", ""},
    {counter_row, "smsp__inst_executed_pipe_xu", "instructions",
     "modern.unit_instructions.xu | unit_sfu.instructions", ""},
    {counter_row, "smsp__inst_executed_pipe_tensor", "instructions",
     "modern.unit_instructions.tensor | unit_tensor.instructions", ""},
    {counter_row, "smsp__inst_executed_pipe_uniform", "instructions",
     "modern.unit_instructions.uniform", ""},
    {counter_row, "smsp__inst_executed_pipe_cbu", "instructions", "modern.unit_instructions.branch",
     ""},
    {counter_row, "smsp__inst_executed_pipe_lsu", "instructions",
     "modern.unit_instructions.memory | sm.ldst_instructions", ""},
    {counter_row, "smsp__sass_thread_inst_executed_op_ffma_pred_on", "instructions",
     "instruction.threads.FFMA", ""},
    {counter_row, "smsp__sass_thread_inst_executed_op_fadd_pred_on", "instructions",
     "instruction.threads.FADD", ""},
    {counter_row, "smsp__sass_thread_inst_executed_op_fmul_pred_on", "instructions",
     "instruction.threads.FMUL", ""},
    {counter_row, "smsp__sass_thread_inst_executed_op_dfma_pred_on", "instructions",
     "instruction.threads.DFMA", ""},
    {counter_row, "smsp__sass_thread_inst_executed_op_dadd_pred_on", "instructions",
     "instruction.threads.DADD", ""},
    {counter_row, "smsp__sass_thread_inst_executed_op_dmul_pred_on", "instructions",
     "instruction.threads.DMUL", ""},
    {counter_row, "smsp__inst_executed_op_global_ld smsp__sass_inst_executed_op_global_ld",
     "instructions", "instruction.issues.LDG + instruction.issues.LD", ""},
    {counter_row, "smsp__inst_executed_op_global_st smsp__sass_inst_executed_op_global_st",
     "instructions", "instruction.issues.STG + instruction.issues.ST", ""},
    {counter_row, "smsp__inst_executed_op_local_ld smsp__sass_inst_executed_op_local_ld",
     "instructions", "instruction.issues.LDL", ""},
    {counter_row, "smsp__inst_executed_op_local_st smsp__sass_inst_executed_op_local_st",
     "instructions", "instruction.issues.STL", ""},
    {counter_row, "smsp__inst_executed_op_shared_ld smsp__sass_inst_executed_op_shared_ld",
     "instructions", "instruction.issues.LDS", ""},
    {counter_row, "smsp__inst_executed_op_shared_st smsp__sass_inst_executed_op_shared_st",
     "instructions", "instruction.issues.STS", ""},
    {counter_row, "smsp__inst_executed_op_ldsm smsp__sass_inst_executed_op_ldsm", "instructions",
     "instruction.issues.LDSM", ""},
    {counter_row, "smsp__inst_executed_op_branch", "instructions", "branches", ""},
    {counter_row, "smsp__sass_branch_targets_threads_divergent", "instructions",
     "instruction.divergences", ""},
    {value_row, "smsp__sass_average_branch_targets_threads_uniform.pct", "%",
     "100 * (1 - instruction.divergences / branches)", ""}};

constexpr profile_metric occupancy_metrics[] = {
    {counter_row, "smsp__issue_active", "cycles", "sm.issue_cycles", ""},
    {value_row,
     "smsp__issue_active.avg.pct_of_peak_sustained_active "
     "sm__inst_issued.avg.pct_of_peak_sustained_active",
     "%", "100 * sm.issued_lanes / schedulers", ""},
    {value_row, "smsp__issue_inst0.avg.pct_of_peak_sustained_active", "%",
     "100 * (1 - sm.issue_cycles / schedulers)", ""},
    {counter_row, "smsp__warps_active", "warp cycles", "sm.warp_cycles", ""},
    {counter_row, "smsp__warps_eligible", "warp cycles", "sm.issued_lanes + instruction.waits.none",
     ""},
    {value_row, "sm__warps_active.avg.pct_of_peak_sustained_active", "%",
     "100 * sm.warp_cycles / (sm.cycles * gpu.warps_per_sm)", ""},
    {value_row, "sm__maximum_warps_per_active_cycle_pct", "%",
     "100 * resident_warps / gpu.warps_per_sm", "not for grids smaller than the GPU"},
    {value_row, "sm__maximum_warps_avg_per_active_cycle", "warps", "resident_warps",
     "not for grids smaller than the GPU"},
    {value_row, "smsp__average_warp_latency_per_inst_issued.ratio", "warp cycles",
     "sm.warp_cycles / sm.issued_lanes", ""},
    {value_row, "smsp__average_warps_active_per_inst_executed.ratio", "warp cycles",
     "sm.warp_cycles / sm.warp_instructions", ""},
    {counter_row, "smsp__warps_launched", "warps", "sm.warps_launched", ""},
    {counter_row, "sm__ctas_launched", "blocks", "sm.ctas_launched", ""}};

constexpr profile_metric stalls_metrics[] = {
    {value_row, "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "warps",
     "instruction.awaited.memory / sm.issue_cycles",
     "results of accesses to memory other than shared memory"},
    {value_row, "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
     "warps", "instruction.awaited.shared / sm.issue_cycles",
     "~simtlm: only shared memory; elsewhere also special functions"},
    {value_row, "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "warps",
     "(instruction.waits.scoreboard + instruction.waits.memory - "
     "instruction.awaited.memory - instruction.awaited.shared) / sm.issue_cycles",
     "~all other results"},
    {value_row, "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "warps",
     "instruction.waits.barrier / sm.issue_cycles", ""},
    {value_row, "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", "warps",
     "(instruction.waits.memory_barrier + instruction.waits.atomics) / sm.issue_cycles", ""},
    {value_row,
     "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_branch_resolve_per_issue_active.ratio",
     "warps", "instruction.waits.instruction_fetch / sm.issue_cycles", ""},
    {value_row, "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", "warps",
     "instruction.waits.none / sm.issue_cycles", ""},
    {value_row, "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", "warps",
     "sm.issued_lanes / sm.issue_cycles", ""},
    {value_row,
     "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio + "
     "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
     "warps", "instruction.waits.pipeline / sm.issue_cycles",
     "simtlm does not tell the pipelines apart"},
    {value_row, "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio", "warps",
     "instruction.waits.exit / sm.issue_cycles", ""},
    {value_row, "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio", "warps",
     "instruction.waits.sleep / sm.issue_cycles", ""},
    {value_row, "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", "warps",
     "instruction.waits.asynchronous_engine / sm.issue_cycles", ""}};

constexpr profile_metric l1_metrics[] = {
    {counter_row, "l1tex__t_sectors", "sectors", "l1d.accesses + l1t.accesses", ""},
    {counter_row, "l1tex__t_sectors_lookup_hit", "sectors",
     "l1d.accesses + l1t.accesses - l1d.misses - l1t.misses", ""},
    {counter_row, "l1tex__t_sectors_lookup_miss", "sectors", "l1d.misses + l1t.misses", ""},
    {value_row, "l1tex__t_sector_hit_rate.pct", "%",
     "100 * (1 - (l1d.misses + l1t.misses) / (l1d.accesses + l1t.accesses))", ""},
    {counter_row, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "sectors",
     "l1d.outcomes.GLOBAL_ACC_R.TOTAL", ""},
    {counter_row, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit", "sectors",
     "l1d.outcomes.GLOBAL_ACC_R.HITS", ""},
    {counter_row, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss", "sectors",
     "l1d.outcomes.GLOBAL_ACC_R.MISSES", ""},
    {value_row, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%",
     "100 * l1d.outcomes.GLOBAL_ACC_R.HITS / l1d.outcomes.GLOBAL_ACC_R.TOTAL", ""},
    {counter_row, "l1tex__t_sectors_pipe_lsu_mem_global_op_st", "sectors",
     "l1d.outcomes.GLOBAL_ACC_W.TOTAL", ""},
    {counter_row, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld", "sectors",
     "l1d.outcomes.LOCAL_ACC_R.TOTAL", ""},
    {counter_row, "l1tex__t_sectors_pipe_lsu_mem_local_op_st", "sectors",
     "l1d.outcomes.LOCAL_ACC_W.TOTAL", ""},
    {counter_row, "l1tex__t_bytes", "bytes", "32 * (l1d.accesses + l1t.accesses)", ""},
    {counter_row, "l1tex__t_bytes_pipe_lsu_mem_global_op_ld", "bytes",
     "32 * l1d.outcomes.GLOBAL_ACC_R.TOTAL", ""},
    {counter_row, "l1tex__t_bytes_pipe_lsu_mem_global_op_st", "bytes",
     "32 * l1d.outcomes.GLOBAL_ACC_W.TOTAL", ""},
    {counter_row, "l1tex__t_requests_pipe_lsu_mem_global_op_ld", "requests",
     "instruction.memory_issues.LDG + instruction.memory_issues.LD", ""},
    {counter_row, "l1tex__t_requests_pipe_lsu_mem_global_op_st", "requests",
     "instruction.memory_issues.STG + instruction.memory_issues.ST", ""},
    {value_row, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sectors",
     "(instruction.transactions.LDG + instruction.transactions.LD) / "
     "(instruction.memory_issues.LDG + instruction.memory_issues.LD)",
     ""},
    {value_row, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "sectors",
     "(instruction.transactions.STG + instruction.transactions.ST) / "
     "(instruction.memory_issues.STG + instruction.memory_issues.ST)",
     ""},
    {counter_row, "l1tex__data_pipe_lsu_wavefronts", "cycles", "wavefronts",
     "~simtlm: without stores to global memory; SIMT pipeline: only shared memory"},
    {counter_row, "l1tex__data_pipe_lsu_wavefronts_mem_shared", "cycles", "sm.shared_accesses", ""},
    {counter_row, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", "cycles",
     "instruction.shared_cycles.LDS + instruction.shared_cycles.LDSM", ""},
    {counter_row, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", "cycles",
     "instruction.shared_cycles.STS", ""},
    {counter_row, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared", "cycles",
     "sm.shared_bank_conflicts", ""},
    {value_row, "l1tex__throughput.avg.pct_of_peak_sustained_active", "%",
     "100 * wavefronts / sm.cycles", "~simtlm: the data banks; elsewhere the busiest part"},
    {counter_row, "smsp__inst_executed_op_shared_atom", "instructions", "instruction.issues.ATOMS",
     ""}};

constexpr profile_metric l2_metrics[] = {
    {counter_row, "lts__t_sectors", "sectors", "l2.accesses", ""},
    {counter_row, "lts__t_sectors_lookup_hit", "sectors", "l2.accesses - l2.misses", ""},
    {counter_row, "lts__t_sectors_lookup_miss", "sectors", "l2.misses", ""},
    {value_row, "lts__t_sector_hit_rate.pct", "%", "100 * (1 - l2.misses / l2.accesses)", ""},
    {counter_row, "lts__t_bytes", "bytes", "32 * l2.accesses", ""},
    {counter_row, "lts__t_sectors_op_read", "sectors", "l1_reads + other_reads", ""},
    {counter_row, "lts__t_sectors_op_write", "sectors", "l1_writes", ""},
    {counter_row, "lts__t_sectors_srcunit_tex", "sectors",
     "l1_reads + l1_writes + (atomic_sectors | 0)", ""},
    {counter_row, "lts__t_sectors_srcunit_tex_op_read", "sectors", "l1_reads", ""},
    {counter_row, "lts__t_sectors_srcunit_tex_op_write", "sectors", "l1_writes", ""},
    {counter_row, "lts__t_sectors_srcunit_tex_lookup_hit", "sectors",
     "l2.outcomes.GLOBAL_ACC_R.HITS + l2.outcomes.LOCAL_ACC_R.HITS + "
     "l2.outcomes.TEXTURE_ACC_R.HITS + l2.outcomes.GLOBAL_ACC_W.HITS + "
     "l2.outcomes.LOCAL_ACC_W.HITS + l2.outcomes.L1_WRBK_ACC.HITS",
     ""},
    {counter_row, "lts__t_sectors_srcunit_tex_lookup_miss", "sectors",
     "l2.outcomes.GLOBAL_ACC_R.MISSES + l2.outcomes.LOCAL_ACC_R.MISSES + "
     "l2.outcomes.TEXTURE_ACC_R.MISSES + l2.outcomes.GLOBAL_ACC_W.MISSES + "
     "l2.outcomes.LOCAL_ACC_W.MISSES + l2.outcomes.L1_WRBK_ACC.MISSES",
     ""},
    {value_row,
     "lts__t_sectors.avg.pct_of_peak_sustained_elapsed "
     "lts__throughput.avg.pct_of_peak_sustained_elapsed",
     "%", "l2_share", "~simtlm: data; elsewhere the busiest part of the L2"}};

constexpr profile_metric dram_metrics[] = {
    {counter_row, "dram__bytes", "bytes", "dram_read + dram_written", ""},
    {counter_row, "dram__bytes_read", "bytes", "dram_read", ""},
    {counter_row, "dram__bytes_write", "bytes", "dram_written", ""},
    {counter_row, "dram__sectors", "sectors", "(dram_read + dram_written) / 32", ""},
    {counter_row, "dram__sectors_read", "sectors", "dram_read / 32", ""},
    {counter_row, "dram__sectors_write", "sectors", "dram_written / 32", ""},
    {value_row,
     "dram__throughput.avg.pct_of_peak_sustained_elapsed "
     "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed "
     "dram__bytes.sum.pct_of_peak_sustained_elapsed",
     "%", "dram_share", ""},
    {value_row, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%",
     "max(dram_share, max(l2_share, 100 * wavefronts / elapsed))",
     "~the busiest part: simtlm has fewer parts"}};

constexpr profile_metric atomics_metrics[] = {
    {counter_row, "smsp__inst_executed_op_global_atom smsp__sass_inst_executed_op_global_atom",
     "instructions", "instruction.issues.ATOM + instruction.issues.ATOMG", ""},
    {counter_row, "smsp__inst_executed_op_global_red smsp__sass_inst_executed_op_global_red",
     "instructions", "instruction.issues.RED", ""},
    {counter_row, "lts__t_sectors_op_atom", "sectors",
     "instruction.transactions.ATOM + instruction.transactions.ATOMG", ""},
    {counter_row, "lts__t_sectors_op_red", "sectors", "instruction.transactions.RED", ""}};

constexpr profile_metric launch_metrics[] = {
    {value_row, "launch__grid_size", "blocks", "ctas", ""},
    {value_row, "launch__block_size", "threads", "block_size", ""},
    {value_row, "launch__thread_count", "threads", "ctas * block_size", ""},
    {value_row, "launch__registers_per_thread", "registers", "registers", ""},
    {value_row, "launch__shared_mem_per_block_static + launch__shared_mem_per_block_dynamic",
     "bytes", "shared_memory", ""},
    {value_row, "launch__waves_per_multiprocessor", "waves",
     "ctas * warps_per_cta / (resident_warps * gpu.sms)", "not for grids smaller than the GPU"},
    {value_row, "launch__sm_count device__attribute_multiprocessor_count", "SMs", "gpu.sms", ""}};

constexpr metric_section section_table[] = {
    {"Time and clocks", {std::begin(times_metrics), std::end(times_metrics)}},
    {"Instructions", {std::begin(instructions_metrics), std::end(instructions_metrics)}},
    {"Issue, warps and occupancy", {std::begin(occupancy_metrics), std::end(occupancy_metrics)}},
    {"Stall reasons: warps per issued instruction",
     {std::begin(stalls_metrics), std::end(stalls_metrics)}},
    {"L1 and shared memory", {std::begin(l1_metrics), std::end(l1_metrics)}},
    {"L2", {std::begin(l2_metrics), std::end(l2_metrics)}},
    {"DRAM", {std::begin(dram_metrics), std::end(dram_metrics)}},
    {"Atomics of global memory", {std::begin(atomics_metrics), std::end(atomics_metrics)}},
    {"Launch", {std::begin(launch_metrics), std::end(launch_metrics)}},
};

}  // namespace

table_view<metric_definition> metric_definitions() {
    return {std::begin(definition_table), std::end(definition_table)};
}

table_view<metric_gap> metric_gaps() {
    return {std::begin(gap_table), std::end(gap_table)};
}

table_view<metric_alias> metric_aliases() {
    return {std::begin(alias_table), std::end(alias_table)};
}

table_view<metric_section> metric_sections() {
    return {std::begin(section_table), std::end(section_table)};
}

}  // namespace simtlm::platform::study
