// SPDX-License-Identifier: Apache-2.0
// The path from the SMs to DRAM, block by block: cost of a packet, an access, a request. The times
// include the neighbours of the blocks, which are kept minimal here.
#include "modules/interconnect/network.h"
#include "modules/memory/dram_channel.h"
#include "modules/memory/memory_sub_partition.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/phases.h"
#include "tests/bench/gated_clock.h"
#include "tests/bench/simulation_bench.h"
#include "tests/unit/memory/harness.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::bench {

namespace {

using payload = tlm::tlm_generic_payload;
using protocol::access_type;

/// A cheap pseudo-random number generator.
class dice {
public:
    std::uint32_t roll() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::uint32_t>(state_ >> 32);
    }

private:
    std::uint64_t state_ = 0x2545f4914f6cdd1dull;
};

/// Clusters that read from memories, both chosen at random, and memories that answer immediately.
class network_traffic : public sc_core::sc_module {
public:
    gated_clock clock{"clock"};

    /// @param permille  probability of a request, per cluster and cycle
    network_traffic(const sc_core::sc_module_name& name,
                    const interconnect::interconnect_config& config, unsigned permille)
        : sc_module(name),
          config_(config),
          threshold_(static_cast<std::uint32_t>(0xffffffffull * permille / 1000)),
          sequencer_("sequencer", protocol::clock_domains, protocol::phase_table()),
          net_(interconnect::make_network(
              "net", sequencer_, config,
              [this](std::uint64_t a) { return unsigned(a / 256 % config_.memories); })),
          clusters_("cluster", config.clusters),
          memories_("memory", config.memories),
          cluster_held_(config.clusters, false),
          memory_held_(config.memories, false),
          inject_("inject", sequencer_, protocol::phase::core_inject,
                  simulation::on_edge<&network_traffic::inject>(this), true),
          reply_("reply", sequencer_, protocol::phase::reply_inject,
                 simulation::on_edge<&network_traffic::reply>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer_.clock[d](clock.out);
        for (unsigned c = 0; c < config.clusters; ++c) {
            clusters_[c].register_nb_transport_bw(this, &network_traffic::at_cluster,
                                                  static_cast<int>(c));
            clusters_[c].bind(net_->from_cluster[c]);
        }
        for (unsigned m = 0; m < config.memories; ++m) {
            memories_[m].register_nb_transport_fw(this, &network_traffic::at_memory,
                                                  static_cast<int>(m));
            net_->to_memory[m].bind(memories_[m]);
        }
        answers_.resize(config.memories);
    }
    /// Number of packets injected into both halves.
    std::uint64_t done() const {
        return net_->packets_injected(interconnect::requests) +
               net_->packets_injected(interconnect::replies);
    }
    static bool sound() { return true; }

private:
    tlm::tlm_sync_enum at_cluster(int c, payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase == tlm::END_REQ) {
            cluster_held_[static_cast<unsigned>(c)] = false;
            return tlm::TLM_ACCEPTED;
        }
        p.release();
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    }
    tlm::tlm_sync_enum at_memory(int m, payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            memory_held_[static_cast<unsigned>(m)] = false;
            return tlm::TLM_COMPLETED;
        }
        answers_[static_cast<unsigned>(m)].push(&p);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void inject() {
        for (unsigned c = 0; c < config_.clusters; ++c) {
            if (dice_.roll() > threshold_ || cluster_held_[c]) continue;
            payload& p = pool_.acquire(tlm::TLM_READ_COMMAND,
                                       std::uint64_t{dice_.roll() % config_.memories} * 256, 32,
                                       access_type::global_read);
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay;
            cluster_held_[c] = clusters_[c]->nb_transport_fw(p, phase, delay) == tlm::TLM_ACCEPTED;
        }
    }
    void reply() {
        for (unsigned m = 0; m < config_.memories; ++m) {
            if (answers_[m].empty() || memory_held_[m]) continue;
            payload& p = *answers_[m].pop();
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay;
            memory_held_[m] = memories_[m]->nb_transport_bw(p, phase, delay) == tlm::TLM_ACCEPTED;
        }
    }

    const interconnect::interconnect_config config_;
    const std::uint32_t threshold_;
    protocol::transaction_pool pool_;
    simulation::phase_sequencer sequencer_;
    std::unique_ptr<interconnect::network> net_;
    sc_core::sc_vector<protocol::initiator_socket<network_traffic>> clusters_;
    sc_core::sc_vector<protocol::target_socket<network_traffic>> memories_;
    std::vector<bool> cluster_held_, memory_held_;
    std::vector<interconnect::growing_fifo<payload*>> answers_;
    dice dice_;
    simulation::clocked_process inject_, reply_;
};

/// Reads from one target, one per cycle while it accepts them; responses are taken immediately.
class reader : public sc_core::sc_module {
public:
    protocol::initiator_socket<reader> socket;

    /// @param bytes  addresses wrap around after this size
    reader(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
           protocol::phase phase, std::uint64_t bytes)
        : sc_module(name),
          socket("socket"),
          bytes_(bytes),
          process_("send", sequencer, phase, simulation::on_edge<&reader::send>(this), true) {
        socket.register_nb_transport_bw(this, &reader::backward, 0);
    }
    std::uint64_t answered() const { return answered_; }

private:
    tlm::tlm_sync_enum backward(int, payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase == tlm::END_REQ) {
            held_ = false;
            return tlm::TLM_ACCEPTED;
        }
        ++answered_;
        p.release();
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    }
    void send() {
        if (held_) return;
        payload& p = pool_.acquire(tlm::TLM_READ_COMMAND, address_, 32, access_type::global_read);
        address_ = (address_ + 32) % bytes_;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        held_ = socket->nb_transport_fw(p, phase, delay) == tlm::TLM_ACCEPTED;
    }

    const std::uint64_t bytes_;
    protocol::transaction_pool pool_;
    std::uint64_t address_ = 0;
    std::uint64_t answered_ = 0;
    bool held_ = false;
    simulation::clocked_process process_;
};

/// An L2 slice of a V100 that contains all data that are read.
class l2_hits : public sc_core::sc_module {
public:
    gated_clock clock{"clock"};

    explicit l2_hits(const sc_core::sc_module_name& name)
        : sc_module(name),
          sequencer_("sequencer", protocol::clock_domains, protocol::phase_table()),
          slice_("bank", sequencer_, one_slice(), mapping_, pool_, shared_, 0),
          reader_("reader", sequencer_, protocol::phase::network_transfer, footprint) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer_.clock[d](clock.out);
        reader_.socket.bind(slice_.port);
        for (std::uint64_t a = 0; a < footprint; a += 32) slice_.warm(a, 0);
    }
    std::uint64_t done() const { return reader_.answered(); }
    bool sound() { return slice_.cache_statistics()->misses == 0; }

private:
    static constexpr std::uint64_t footprint = 32 * 1024;
    static memory::partition_config one_slice() {
        memory::partition_config c = memory::test::volta_partition();
        c.sub_partitions = 1;
        return c;
    }
    memory::address_mapping mapping_{memory::test::volta_map(1, 1)};
    protocol::transaction_pool pool_;
    memory::memory_statistics shared_{1, 16};
    simulation::phase_sequencer sequencer_;
    memory::memory_sub_partition slice_;
    reader reader_;
};

/// A DRAM channel that is read sequentially.
class dram_stream : public sc_core::sc_module {
public:
    gated_clock clock{"clock"};

    explicit dram_stream(const sc_core::sc_module_name& name)
        : sc_module(name),
          sequencer_("sequencer", protocol::clock_domains, protocol::phase_table()),
          channel_("channel", sequencer_, hbm(), mapping_),
          reader_("reader", sequencer_, protocol::phase::dram_arbitrate, std::uint64_t{1} << 28) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer_.clock[d](clock.out);
        reader_.socket.bind(channel_.port);
    }
    std::uint64_t done() const { return reader_.answered(); }
    static bool sound() { return true; }

private:
    static memory::dram_config hbm() {
        memory::dram_config c = memory::test::hbm();
        c.check_timing = false;
        return c;
    }
    memory::address_mapping mapping_{memory::test::volta_map(1, 1)};
    simulation::phase_sequencer sequencer_;
    memory::dram_channel channel_;
    reader reader_;
};

/// Reports the time per operation, and the number of operations per cycle.
template <class Design>
void cost_of(const std::string& name, const std::string& thing, const std::string& things,
             Design& design) {
    benchmark::RegisterBenchmark(name.c_str(), [&design, thing, things](benchmark::State& state) {
        design.clock.run(batch);  // warms it up
        const std::uint64_t before = design.done();
        for (auto _ : state) design.clock.run(batch);
        const auto done = static_cast<double>(design.done() - before);
        if (done == 0 || !design.sound()) state.SkipWithError("did something else");
        using benchmark::Counter;
        state.counters["per_" + thing] = Counter(done, Counter::kIsRate | Counter::kInvert);
        state.counters[things + "/cycle"] =
            done / (static_cast<double>(state.iterations()) * batch);
    })->Unit(benchmark::kMicrosecond);
}

interconnect::interconnect_config volta_network(interconnect::network_kind kind) {
    interconnect::interconnect_config c;
    c.kind = kind;
    c.flit_bytes = 40;
    c.clusters = 80;
    c.memories = 64;
    c.crossbar.in_buffer_limit = c.crossbar.out_buffer_limit = 512;
    return c;
}

}  // namespace

void register_memory_simulations(std::vector<std::unique_ptr<sc_core::sc_module>>& designs) {
    const auto add = [&designs](auto design, const char* name, const char* thing,
                                const char* things) {
        cost_of(name, thing, things, *design);
        designs.push_back(std::move(design));
    };
    using interconnect::network_kind;
    const char* const crossbar = "thousand_cycles_of_crossbar_traffic";
    const char* const perfect = "thousand_cycles_of_the_same_traffic_without_contention";
    add(std::make_unique<network_traffic>(crossbar, volta_network(network_kind::crossbar), 200),
        crossbar, "packet", "packets");
    add(std::make_unique<network_traffic>(perfect, volta_network(network_kind::perfect), 200),
        perfect, "packet", "packets");
    add(std::make_unique<l2_hits>("l2"), "thousand_cycles_of_l2_hits", "access", "accesses");
    add(std::make_unique<dram_stream>("dram"), "thousand_cycles_of_a_dram_stream", "request",
        "requests");
}

}  // namespace simtlm::bench
