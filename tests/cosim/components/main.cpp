// SPDX-License-Identifier: Apache-2.0
// Blocks of a GPU as separate components of a platform: an L1 data cache, an SM, L2 slices in their
// memory partitions and DRAM channels, each bound to clocks of the platform. A load unit of the
// platform reads through the L1, the SM runs a kernel of a trace, and a SystemC trace file records
// their counters.
#include "expect.h"
#include "kernel_launcher.h"

#include <simtlm/modules/cache/l1_data_cache.h>
#include <simtlm/modules/memory/dram_channel.h>
#include <simtlm/modules/memory/memory_partition.h>
#include <simtlm/modules/protocol/phases.h>
#include <simtlm/simtlm.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace platform_example;
using namespace simtlm;

expectations expect;

/// A unit in front of an L1: loads sectors one at a time, each after the previous one has been
/// taken. It acts on edges of `clk`, in the phase in which units start their accesses.
class load_unit : public simulation::clocked_module {
public:
    protocol::cache_port_initiator<load_unit> cache{"cache"};
    unsigned loads = 0, refusals = 0, outstanding = 0;

    load_unit(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
              protocol::transaction_pool& pool, std::uint64_t bytes, unsigned passes)
        : clocked_module(name, sequencer, protocol::core_clock),
          pool_(pool),
          bytes_(bytes),
          end_(bytes * passes),
          process_("load", sequencer, protocol::phase::core_access,
                   simulation::on_edge<&load_unit::load>(this), true) {
        cache.register_nb_transport_bw(this, &load_unit::respond, 0);
    }
    bool finished() const { return next_ == end_ && outstanding == 0; }

private:
    void load() {
        if (next_ == end_ && waiting_ == nullptr) return process_.sleep();
        if (waiting_ == nullptr) {
            const std::uint64_t address = next_ % bytes_;
            waiting_ = &pool_.acquire(tlm::TLM_READ_COMMAND, address, 32,
                                      protocol::access_type::global_read);
            protocol::memory_extension& e = protocol::extension(*waiting_);
            e.bytes.set(static_cast<unsigned>(address % 128), 32);
            e.sectors = static_cast<std::uint8_t>(1u << address % 128 / 32);
            next_ += 32;
        }
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        switch (cache->nb_transport_fw(*waiting_, phase, delay)) {
            case tlm::TLM_UPDATED:  // back-pressure: retry in the next cycle
                ++refusals;
                return;
            case tlm::TLM_COMPLETED:  // the data are available: a hit in a cache without latency
                ++loads;
                waiting_->release();
                break;
            case tlm::TLM_ACCEPTED:  // the data arrive with BEGIN_RESP
                ++outstanding;
                break;
        }
        waiting_ = nullptr;
    }
    tlm::tlm_sync_enum respond(int, tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                               sc_core::sc_time&) {
        --outstanding;
        ++loads;
        p.release();
        return tlm::TLM_COMPLETED;  // taken immediately
    }

    protocol::transaction_pool& pool_;
    const std::uint64_t bytes_, end_;
    std::uint64_t next_ = 0;
    tlm::tlm_generic_payload* waiting_ = nullptr;
    simulation::clocked_process process_;
};

int run(const std::string& traces) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
    const gpu_config config = configure({"--preset", "TINY", "--any-binary-version"}, CONFIGS);
    const core::sm_config& sm = config.cores.sm;
    memory::memory_config hierarchy = config.memory;
    hierarchy.mapping.channels = 1;
    hierarchy.mapping.sub_partitions_per_channel = hierarchy.partition.sub_partitions = 1;

    sc_core::sc_clock core("core", 1, sc_core::SC_NS), l2("l2", 2, sc_core::SC_NS),
        dram("dram", 3, sc_core::SC_NS);
    simulation::phase_sequencer sequencer("sequencer", protocol::clock_domains,
                                          protocol::phase_table());
    sequencer.clock[protocol::core_clock](core);
    sequencer.clock[protocol::icnt_clock](l2);
    sequencer.clock[protocol::l2_clock](l2);
    sequencer.clock[protocol::dram_clock](dram);

    protocol::transaction_pool pool;
    const memory::address_mapping mapping(hierarchy.mapping);
    memory::memory_statistics shared(1, hierarchy.partition.dram.timing.nbk);

    constexpr std::uint64_t bytes = 4096;
    load_unit unit("unit", sequencer, pool, bytes, 2);
    cache::l1_data_cache::config l1_config;
    l1_config.cache = sm.l1.data;
    l1_config.latency = 20;
    cache::l1_data_cache l1("l1", sequencer, l1_config, pool);
    memory::memory_partition partition("partition", sequencer, hierarchy.partition, mapping, pool,
                                       shared, 0);
    memory::memory_sub_partition& slice = partition.sub_partition(0);
    memory::dram_channel channel("channel", sequencer, hierarchy.partition.dram, mapping);

    // The same behind an SM, with an L2 slice and a DRAM channel of its own.
    memory::memory_statistics shared_2(1, hierarchy.partition.dram.timing.nbk);
    protocol::transaction_pool sm_pool;
    core::simt_pipeline::simt_sm block("sm", sequencer, sm, core::sm_identity{}, sm_pool);
    kernel_launcher launcher("launcher", sequencer, config, sm, block,
                             traces + "/reduction/kernel-1.traceg.xz");
    memory::memory_partition partition_2("partition_2", sequencer, hierarchy.partition, mapping,
                                         sm_pool, shared_2, 0);
    memory::memory_sub_partition& slice_2 = partition_2.sub_partition(0);
    memory::dram_channel channel_2("channel_2", sequencer, hierarchy.partition.dram, mapping);

    unit.clk(core);
    l1.clk(core);
    partition.clk(dram);
    partition.l2_clk(l2);
    partition.icnt_clk(l2);
    partition.core_clk(core);
    channel.clk(dram);
    launcher.clk(core);
    block.clk(core);
    partition_2.clk(dram);
    partition_2.l2_clk(l2);
    partition_2.icnt_clk(l2);
    partition_2.core_clk(core);
    channel_2.clk(dram);
    unit.cache.bind(l1.port);
    l1.memory.bind(slice.port);
    partition.memory.bind(channel.target());
    block.memory.bind(slice_2.port);
    partition_2.memory.bind(channel_2.target());

    sc_core::sc_trace_file* const file = sc_core::sc_create_vcd_trace_file("components");
    // Otherwise the time resolution is used, with a message.
    file->set_time_unit(1, sc_core::SC_PS);
    sc_core::sc_trace(file, core, "core");
    sc_core::sc_trace(file, unit.outstanding, "unit.outstanding");
    sc_core::sc_trace(file, block.statistics().warp_instructions, "sm.warp_instructions");
    sc_core::sc_trace(file, slice.counted().requests, "l2.requests");
    sc_core::sc_trace(file, channel.counted().requests, "dram.requests");
    sc_core::sc_start(50, sc_core::SC_US);
    sc_core::sc_close_vcd_trace_file(file);

    constexpr unsigned sectors = bytes / 32;
    const cache::cache_statistics& counted = l1.statistics();
    std::cout << "  L1D " << counted.accesses << " accesses, " << counted.misses << " misses; L2 "
              << slice.statistics().requests << " requests; DRAM " << channel.statistics().requests
              << " requests; unit " << unit.refusals << " refusals\n";
    expect(unit.finished() && unit.loads == 2 * sectors, "every load has its data");
    expect(pool.outstanding() == 0, "no transaction is left over");
    expect(l1.clock_domains() == 1u << protocol::core_clock, "the L1D acts on the core clock");
    expect(slice.statistics().requests == sectors, "the second pass hits in the L1D");
    expect(channel.statistics().requests == sectors, "the L2 slice has fetched each sector once");
    std::cout << "  SM " << launcher.cycles() << " cycles, " << block.statistics().warp_instructions
              << " warp instructions; L2 " << slice_2.statistics().requests << " requests\n";
    expect(launcher.finished(), "the SM runs its kernel to the end");
    // One is kept for reuse.
    expect(sm_pool.outstanding() <= 1, "no transaction of the SM is left over");
    expect(slice_2.statistics().requests > 0 && channel_2.statistics().requests > 0,
           "the SM's requests reach its L2 slice and DRAM channel");
    std::ifstream trace("components.vcd");
    const std::string text{std::istreambuf_iterator<char>(trace), {}};
    for (const char* line :
         {"1 ps", "module unit", " outstanding ", "module l2", "module sm", "module dram"})
        expect(text.find(line) != std::string::npos, "the trace file has its unit and signals");
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run(argc > 1 ? argv[1] : "traces");
}
