// SPDX-License-Identifier: Apache-2.0
#include "modules/support/error.h"
#include "platform/config/readers.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace simtlm::platform {

namespace {

/// A quirk and the switch that enables it. A row without a switch does not compile.
struct quirk : quirk_info {
    constexpr quirk(const char* called, const char* does, bool& (*on)(gpu_config&))
        : quirk_info{called, does}, is_on(on) {}
    bool& (*is_on)(gpu_config&);
};

constexpr quirk table[] = {
    {"packet-is-one-flit", "the crossbar transfers a packet of any size as one flit",
     [](gpu_config& c) -> bool& { return c.network.crossbar.quirk_packet_is_one_flit; }},
    {"rz-is-a-register", "RZ causes dependences and bank conflicts like other registers",
     [](gpu_config& c) -> bool& { return c.traces.quirks.rz_is_a_register; }},
    {"ldgsts-global-half-only",
     "asynchronous copies read global memory but do not write shared memory",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.ldgsts_global_half_only; }},
    {"ldgsts-uses-l1", "asynchronous copies with the suffix .BYPASS read through the L1D",
     [](gpu_config& c) -> bool& { return c.traces.quirks.ldgsts_uses_l1; }},
    {"fetch-past-branches",
     "after a taken branch, the instruction fetch continues with the instructions after the branch "
     "instead of its target",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.fetch_past_branches; }},
    {"loads-stay-long",
     "two_level_active treats a loaded register as a pending long operation until an arithmetic "
     "instruction writes it",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.loads_stay_long; }},
    {"flush-few-l2",
     "-gpgpu_flush_l2_cache drops only dirty lines, and only in as many sub-partitions as there "
     "are channels",
     [](gpu_config& c) -> bool& { return c.memory.quirk_flush_few_l2; }},
    {"evictions-follow-misses",
     "a line that a write-back L1D evicts is sent to the sub-partition of the access that missed",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.evictions_follow_misses; }},
    {"rrr-begins-with-warp-0",
     "with -gpgpu_scheduler rrr, every scheduler of an SM starts with warp 0 until its first issue",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.rrr_begins_with_warp_0; }},
    {"two-level-rotates-twice",
     "two_level_active rotates the active warps once for each instruction that a warp issues in a "
     "cycle, based on the previous position of the warp",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.two_level_rotates_twice; }},
    {"sms-in-order",
     "SMs that share a network port run one after the other within a core cycle and see the buffer "
     "space that earlier ones have left, as do all SMs with random partition indexing; an SM with "
     "its own port also checks for space before it sends",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.sms_in_order; }},
    {"fetch-reads-one-texel",
     "a texture fetch with a linear filter accesses the cache at one texel per lane",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.fetch_reads_one_texel; }},
    {"coarse-allocation",
     "SMs allocate registers in units of four per thread from one pool and shared memory by the "
     "byte, and the driver reserves no shared memory",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.coarse_allocation; }},
    {"idle-sm-flushes-l1",
     "with -gpgpu_flush_l1_cache, an SM that has been empty loses the contents of its L1D before "
     "the "
     "next thread block of the same kernel",
     [](gpu_config& c) -> bool& { return c.cores.sm.quirks.idle_sm_flushes_l1; }},
    {"writes-wait",
     "with a separate write queue, writes wait until the queue reaches its high watermark even if "
     "no read is waiting",
     [](gpu_config& c) -> bool& { return c.memory.partition.dram.quirk_writes_wait; }},
    {"single-barrier", "every BAR instruction uses barrier 0 with all warps of the thread block",
     [](gpu_config& c) -> bool& { return c.traces.quirks.single_barrier; }},
    {"ldc-is-alu",
     "LDC is executed as an arithmetic instruction and does not access the constant cache",
     [](gpu_config& c) -> bool& { return c.traces.quirks.ldc_is_alu; }},
    {"base-delta-swallow",
     "the reader of address lists in base-delta format consumes one value too many",
     [](gpu_config& c) -> bool& { return c.traces.quirks.base_delta_swallow; }},
    {"base-stride-gap", "lanes after the first gap of a strided access have address 0",
     [](gpu_config& c) -> bool& { return c.traces.quirks.base_stride_gap; }},
    {"generic-windows",
     "for LD and ST, the shared memory window extends to local memory, which has 16 KB",
     [](gpu_config& c) -> bool& { return c.traces.quirks.generic_windows; }},
    {"typed-width-is-word", "suffixes such as .S8 or .F64 do not determine the access width",
     [](gpu_config& c) -> bool& { return c.traces.quirks.typed_width_is_word; }},
    {"serial-kernels",
     "kernels of different streams in a trace run one after the other unless an SM may hold "
     "several kernels",
     [](gpu_config& c) -> bool& { return c.dispatch.serial_kernels; }},
    {"rounded-clocks", "rounding errors determine the order of coincident clock edges",
     [](gpu_config& c) -> bool& { return c.clocks.quirk_rounded; }},
    {"ptx-names-give-banks",
     "the number in the name of a PTX register selects its bank, including predicates",
     [](gpu_config& c) -> bool& { return c.ptx.quirks.names_give_banks; }},
    {"ptx-vector-is-element", "a PTX vector access has the width of one element",
     [](gpu_config& c) -> bool& { return c.ptx.quirks.vector_is_one_element; }},
    {"ptx-missed-hazards",
     "a PTX atomic does not wait for its address register, and no instruction waits for the result "
     "of a vote or a video instruction",
     [](gpu_config& c) -> bool& { return c.ptx.quirks.missed_hazards; }},
    {"allocations-of-256-bytes", "cudaMalloc returns multiples of 256 bytes instead of 512",
     [](gpu_config& c) -> bool& { return c.ptx.quirks.allocations_of_256_bytes; }},
    {"symbol-copies-bypass-l2", "copies to and from symbols leave no data in the L2",
     [](gpu_config& c) -> bool& { return c.ptx.quirks.symbol_copies_bypass_l2; }},
    {"host-reads-warm-l2",
     "copies of programs from the GPU to the host leave the data that they read in the L2",
     [](gpu_config& c) -> bool& { return c.ptx.quirks.host_reads_warm_l2; }},
    {"lines-stay-reserved",
     "a read that merges into a miss can reserve a line that is never filled; a set full of such "
     "lines causes a deadlock",
     [](gpu_config& c) -> bool& { return c.caches.lines_stay_reserved; }},
    {"dirty-set-stalls",
     "an L1D set without clean lines stalls while the share of dirty lines is below "
     "-gpgpu_l1_cache_write_ratio",
     [](gpu_config& c) -> bool& { return c.caches.dirty_set_stalls; }},
    {"global-stores-stay",
     "with write policy L and lazy fetch, an L1D keeps global stores that miss until their line is "
     "replaced, as it does local ones, and global stores that hit invalidate their sector",
     [](gpu_config& c) -> bool& { return c.caches.global_stores_stay; }},
    {"hash-wraps",
     "with -gpgpu_memory_partition_indexing 2 and a number of channels that is not a power of two, "
     "some sub-partitions serve twice as many addresses as others",
     [](gpu_config& c) -> bool& { return c.quirk_hash_wraps; }},
    {"memcpy-truncates", "copies from the host warm the L2 at addresses truncated to 32 bits",
     [](gpu_config& c) -> bool& { return c.memory.partition.quirk_memcpy_truncates; }},
    {"power-merges-reduce-misses",
     "the power model subtracts accesses that join a pending miss of an L1D from the misses, which "
     "do not contain them",
     [](gpu_config& c) -> bool& { return c.power.quirk_merges_reduce_misses; }},
};

/// Switches outside of the four quirk structures: network, dispatch, clocks, address
/// mapping, power, and three in the memory system.
constexpr std::size_t single_switches = 8;
static_assert(std::size(table) == sizeof(core::core_quirks) + sizeof(trace::reader_quirks) +
                                      sizeof(ptx_quirks) + sizeof(cache::cache_quirks) +
                                      single_switches,
              "a switch of a quirk has no row, or one that another row has");

}  // namespace

const std::vector<quirk_info>& quirk_table() {
    static const std::vector<quirk_info> infos(std::begin(table), std::end(table));
    return infos;
}

void read_quirks(const option_values& v, gpu_config& config) {
    const std::string& compat = v.text("--compat");
    if (compat != "none" && compat != "accel-sim")
        v.fail("--compat", "unknown simulator for compatibility", "none or accel-sim");
    std::vector<std::string> names;
    for (const quirk& q : table) names.emplace_back(q.name);
    std::vector<bool> on(names.size(), compat == "accel-sim");
    for (const option_value& value : v.all("--quirk")) {
        const auto found = std::find(names.begin(), names.end(), value.text);
        if (found == names.end())
            throw support::user_error(value.origin.where(), "unknown quirk '" + value.text + "'",
                                      "did you mean " + nearest_name(value.text, names) + "?");
        on[static_cast<std::size_t>(found - names.begin())] = true;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!on[i]) continue;
        config.quirks.push_back(names[i]);
        table[i].is_on(config) = true;
    }
}

}  // namespace simtlm::platform
