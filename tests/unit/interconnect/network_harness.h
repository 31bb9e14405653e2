// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/network.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/sockets.h"
#include "modules/simulation/phase_sequencer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

namespace simtlm::interconnect::test {

using payload = tlm::tlm_generic_payload;

/// Checks an assumption of the network's neighbours; fails the test in every build type.
inline void require(bool holds) {
    if (!holds) SC_REPORT_ERROR("/test", "the network broke the protocol");
}

/// A delivered packet. Cycles are those of the icnt clock.
struct arrival {
    std::uint64_t cycle;
    unsigned port;
    std::uint64_t tag;  ///< address of its transaction
};

/// Reproducible random decisions as a function of their subject.
struct dice {
    std::uint64_t seed = 1;
    static std::uint64_t mix(std::uint64_t x) {
        x += 0x9e3779b97f4a7c15ull;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
        return x ^ (x >> 31);
    }
    std::uint64_t roll(std::uint64_t a, std::uint64_t b, std::uint64_t what) const {
        return mix(mix(mix(seed * 1000 + what) + a) + b);
    }
};

/// Decision of a block next to the network about a packet in a cycle.
using decision = std::function<bool(unsigned port, std::uint64_t cycle)>;
inline bool always(unsigned, std::uint64_t) {
    return true;
}

/// Injects requests, takes at most one response per core cycle.
class cluster_model : public sc_core::sc_module {
public:
    protocol::initiator_socket<cluster_model> socket;
    std::deque<payload*> to_send;
    decision takes = always;
    decision sends = always;
    std::uint64_t sent = 0;
    std::uint64_t posted_done = 0;
    std::vector<arrival>* log = nullptr;
    protocol::transaction_pool* pool = nullptr;
    bool takes_at_once = false;
    network* net = nullptr;

    cluster_model(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                  unsigned port)
        : sc_module(name),
          socket("socket"),
          sequencer_(sequencer),
          port_(port),
          receive_("receive", sequencer, protocol::phase::core_receive,
                   simulation::on_edge<&cluster_model::receive>(this), true),
          inject_("inject", sequencer, protocol::phase::core_inject,
                  simulation::on_edge<&cluster_model::inject>(this), true) {
        socket.register_nb_transport_bw(this, &cluster_model::backward, 0);
    }
    bool held() const { return held_; }

private:
    tlm::tlm_sync_enum backward(int, payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase == tlm::END_REQ) {
            held_ = false;
            return tlm::TLM_ACCEPTED;
        }
        require(phase == tlm::BEGIN_RESP);
        if (protocol::is_posted(protocol::extension(p).type)) {
            ++posted_done;
            p.release();
            return tlm::TLM_COMPLETED;
        }
        if (takes_at_once) {
            finish(p);
            phase = tlm::END_RESP;
            return tlm::TLM_UPDATED;
        }
        require(presented_ == nullptr);
        presented_ = &p;
        return tlm::TLM_ACCEPTED;
    }
    void finish(payload& p) {
        log->push_back({sequencer_.cycle(protocol::icnt_clock), port_, p.get_address()});
        require(protocol::extension(p).cluster == port_);
        p.release();
    }
    void receive() {
        if (presented_ == nullptr || !takes(port_, sequencer_.cycle(protocol::icnt_clock))) return;
        payload& p = *std::exchange(presented_, nullptr);
        protocol::end_response(socket, p);
        finish(p);
    }
    void inject() {
        if (to_send.empty() || !sends(port_, sequencer_.cycle(protocol::icnt_clock))) return;
        if (held_) {
            net->count_stalls(requests, 1);
            return;
        }
        payload& p = *to_send.front();
        to_send.pop_front();
        ++sent;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        const auto answer = socket->nb_transport_fw(p, phase, delay);
        held_ = answer == tlm::TLM_ACCEPTED;
        require(held_ || (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ));
    }

    simulation::phase_sequencer& sequencer_;
    unsigned port_;
    payload* presented_ = nullptr;
    bool held_ = false;
    simulation::clocked_process receive_;
    simulation::clocked_process inject_;
};

/// Takes at most one request per l2 cycle and answers it after a fixed number of icnt cycles.
class memory_model : public sc_core::sc_module {
public:
    enum class style { pulls, takes_at_once, completes_early, responds_within_request };
    protocol::target_socket<memory_model> socket;
    decision takes = always;
    std::vector<arrival>* log = nullptr;
    std::uint64_t latency = 0;
    bool answers = true;
    style manners = style::pulls;
    network* net = nullptr;

    memory_model(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                 unsigned port)
        : sc_module(name),
          socket("socket"),
          sequencer_(sequencer),
          port_(port),
          pull_("pull", sequencer, protocol::phase::l2_slice,
                simulation::on_edge<&memory_model::pull>(this), true),
          reply_("reply", sequencer, protocol::phase::reply_inject,
                 simulation::on_edge<&memory_model::reply>(this), true) {
        socket.register_nb_transport_fw(this, &memory_model::forward, 0);
        socket.register_b_transport(this, &memory_model::blocking, 0);
        socket.register_transport_dbg(this, &memory_model::debug, 0);
    }

    unsigned blocking_calls = 0;
    unsigned debug_calls = 0;

private:
    void blocking(int, payload& p, sc_core::sc_time&) {
        ++blocking_calls;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    unsigned debug(int, payload& p) {
        ++debug_calls;
        return p.get_data_length();
    }
    struct pending {
        payload* p;
        std::uint64_t ready;
    };
    tlm::tlm_sync_enum forward(int, payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            require(held_);
            held_ = false;
            return tlm::TLM_COMPLETED;
        }
        require(phase == tlm::BEGIN_REQ && presented_ == nullptr);
        switch (manners) {
            case style::pulls:
                presented_ = &p;
                return tlm::TLM_ACCEPTED;
            case style::takes_at_once:
                accept(p);
                phase = tlm::END_REQ;
                return tlm::TLM_UPDATED;
            case style::completes_early:
                log->push_back(stamp(p));
                return tlm::TLM_COMPLETED;
            case style::responds_within_request:
                if (held_ || !work_.empty()) {  // it must not begin another response
                    presented_ = &p;
                    return tlm::TLM_ACCEPTED;
                }
                log->push_back(stamp(p));
                held_ = true;
                phase = tlm::BEGIN_RESP;
                return tlm::TLM_UPDATED;
        }
        return tlm::TLM_ACCEPTED;
    }
    arrival stamp(payload& p) const {
        return {sequencer_.cycle(protocol::icnt_clock), port_, p.get_address()};
    }
    void accept(payload& p) {
        log->push_back(stamp(p));
        if (protocol::is_posted(protocol::extension(p).type)) {
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay;
            const auto answer = socket->nb_transport_bw(p, phase, delay);
            require(answer == tlm::TLM_COMPLETED);
        } else if (answers) {
            work_.push_back({&p, sequencer_.cycle(protocol::icnt_clock) + latency});
        }
    }
    void pull() {
        if (presented_ == nullptr || !takes(port_, sequencer_.cycle(protocol::icnt_clock))) return;
        payload& p = *std::exchange(presented_, nullptr);
        protocol::end_request(socket, p);
        accept(p);
    }
    void reply() {
        if (work_.empty() || held_ || work_.front().ready > sequencer_.cycle(protocol::icnt_clock))
            return;
        payload& p = *work_.front().p;
        work_.pop_front();
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        const auto answer = socket->nb_transport_bw(p, phase, delay);
        held_ = answer == tlm::TLM_ACCEPTED;
        require(held_ || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP));
    }

    simulation::phase_sequencer& sequencer_;
    unsigned port_;
    payload* presented_ = nullptr;
    bool held_ = false;
    std::deque<pending> work_;
    simulation::clocked_process pull_;
    simulation::clocked_process reply_;
};

/// A network with a cluster at every cluster port and a memory at every memory port, all clocks at
/// 1 GHz and aligned by default.
class bench {
public:
    struct timing {
        double core_ns = 1.0;
        double icnt_ns = 1.0;
        double l2_ns = 1.0;
    };

    explicit bench(const interconnect_config& config,
                   const simulation::phase_sequencer::options& options = {})
        : bench(config, options, timing()) {}
    bench(const interconnect_config& config, const simulation::phase_sequencer::options& options,
          const timing& t)
        : sequencer(sc_core::sc_gen_unique_name("sequencer"), protocol::clock_domains,
                    protocol::phase_table(), options) {
        const double periods[] = {t.core_ns, t.icnt_ns, t.l2_ns, 1.0};
        for (unsigned d = 0; d < protocol::clock_domains; ++d) {
            clocks_.push_back(std::make_unique<sc_core::sc_clock>(
                sc_core::sc_gen_unique_name("clock"), periods[d], sc_core::SC_NS));
            sequencer.clock[d](*clocks_.back());
        }
        const unsigned memories = config.memories;
        net = make_network(sc_core::sc_gen_unique_name("net"), sequencer, config,
                           [memories](std::uint64_t a) { return unsigned(a / 256 % memories); });
        for (unsigned c = 0; c < config.clusters; ++c) {
            clusters.push_back(std::make_unique<cluster_model>(
                sc_core::sc_gen_unique_name("cluster"), sequencer, c));
            clusters.back()->log = &received;
            clusters.back()->net = net.get();
            clusters.back()->socket.bind(net->from_cluster[c]);
        }
        for (unsigned m = 0; m < config.memories; ++m) {
            memories_at.push_back(std::make_unique<memory_model>(
                sc_core::sc_gen_unique_name("memory"), sequencer, m));
            memories_at.back()->log = &served;
            memories_at.back()->net = net.get();
            net->to_memory[m].bind(memories_at.back()->socket);
        }
    }

    /// Queues a transaction at a cluster. Its tag identifies source, destination and number.
    payload& send(unsigned cluster, unsigned memory, bool write = false, unsigned bytes = 32,
                  protocol::access_type type = protocol::access_type::global_read) {
        const std::uint64_t address =
            (((number_++ << 8 | cluster) * net->to_memory.size()) + memory) * 256;
        payload& p = pool.acquire(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
                                  bytes, type);
        clusters[cluster]->to_send.push_back(&p);
        return p;
    }
    unsigned memory_of(std::uint64_t tag) const {
        return unsigned(tag / 256 % net->to_memory.size());
    }
    unsigned cluster_of(std::uint64_t tag) const {
        return unsigned(tag / 256 / net->to_memory.size() & 255);
    }
    std::uint64_t number_of(std::uint64_t tag) const {
        return tag / 256 / net->to_memory.size() >> 8;
    }
    void run(unsigned icnt_cycles) {
        for (unsigned i = 0; i < icnt_cycles; ++i) sc_core::sc_start(clocks_[1]->period());
    }
    /// Runs until nothing is left, up to a number of cycles; returns whether it is drained.
    bool drain(unsigned icnt_cycles) {
        for (unsigned i = 0; i < icnt_cycles; i += 16) {
            run(16);
            if (pool.outstanding() == 0 && !net->busy()) return true;
        }
        return false;
    }
    double report_value(const std::string& name) const {
        for (const auto& f : net->report_values())
            if (f.name == name) return f.value;
        return -1;
    }

    /// A load: every cluster sends a number of transactions to random memories, with a probability
    /// per cycle; clusters and memories take what is presented with a probability per cycle.
    struct load {
        std::uint64_t seed = 1;
        unsigned transactions = 100;  ///< per cluster
        unsigned send_permille = 500;
        unsigned cluster_takes_percent = 100;
        unsigned memory_takes_percent = 100;
        unsigned latency = 20;     ///< of the memories, icnt cycles
        bool hot_spot = false;     ///< a quarter of the traffic goes to memory 0
        bool mixed_sizes = false;  ///< 32 to 128 bytes instead of 32
    };
    void apply(const load& l) {
        const dice d{l.seed};
        const auto to = [&](unsigned c, unsigned i) {
            const auto m = unsigned(d.roll(c, i, 5) % net->to_memory.size());
            return l.hot_spot && d.roll(c, i, 4) % 4 == 0 ? 0u : m;
        };
        for (unsigned c = 0; c < clusters.size(); ++c) {
            clusters[c]->sends = [=](unsigned p, std::uint64_t t) {
                return d.roll(p, t, 1) % 1000 < l.send_permille;
            };
            clusters[c]->takes = [=](unsigned p, std::uint64_t t) {
                return d.roll(p, t, 2) % 100 < l.cluster_takes_percent;
            };
            for (unsigned i = 0; i < l.transactions; ++i)
                send(c, to(c, i), d.roll(c, i, 6) % 3 == 0,
                     l.mixed_sizes ? 32 * (1 + unsigned(d.roll(c, i, 7) % 4)) : 32);
        }
        for (auto& m : memories_at) {
            m->latency = l.latency;
            m->takes = [=](unsigned p, std::uint64_t t) {
                return d.roll(p, t, 3) % 100 < l.memory_takes_percent;
            };
        }
    }
    /// A fingerprint of all deliveries and their times. @param transactions  per cluster
    std::uint64_t fingerprint(unsigned transactions) const {
        std::uint64_t sum = 0;
        const auto add = [&](std::uint64_t kind, const arrival& a) {
            const std::uint64_t index = (number_of(a.tag) - 1) % transactions;
            sum += dice::mix(dice::mix(dice::mix(kind + 2 * a.cycle) + a.port) +
                             (std::uint64_t(cluster_of(a.tag)) << 32 | index));
        };
        for (const arrival& a : served) add(0, a);
        for (const arrival& a : received) add(1, a);
        return sum;
    }

    simulation::phase_sequencer sequencer;
    protocol::transaction_pool pool;
    std::unique_ptr<network> net;
    std::vector<std::unique_ptr<cluster_model>> clusters;
    std::vector<std::unique_ptr<memory_model>> memories_at;
    std::vector<arrival> served;    ///< requests in the order of delivery to memories
    std::vector<arrival> received;  ///< responses in the order of delivery to clusters

private:
    std::uint64_t number_ = 1;
    std::vector<std::unique_ptr<sc_core::sc_clock>> clocks_;
};

/// Expects that each request was served once at the right memory and answered once to the right
/// cluster, and that transactions of one cluster and memory kept their order in both directions
/// (`in_order`).
inline void expect_conserved(const bench& b, std::uint64_t transactions, bool in_order = true) {
    const auto check = [&](const std::vector<arrival>& log, bool at_memory) {
        std::map<std::pair<unsigned, unsigned>, std::uint64_t> last;
        std::map<std::uint64_t, unsigned> seen;
        for (const arrival& a : log) {
            const unsigned cluster = b.cluster_of(a.tag);
            const unsigned memory = b.memory_of(a.tag);
            EXPECT_EQ(a.port, at_memory ? memory : cluster);
            EXPECT_EQ(++seen[a.tag], 1u) << "a packet came out twice";
            std::uint64_t& before = last[{cluster, memory}];
            if (in_order) {
                EXPECT_LT(before, b.number_of(a.tag)) << "packets of one flow changed places";
            }
            before = b.number_of(a.tag);
        }
        EXPECT_EQ(seen.size(), transactions);
    };
    check(b.served, true);
    check(b.received, false);
    EXPECT_EQ(b.pool.outstanding(), 0u);
    EXPECT_FALSE(b.net->busy());
}

inline interconnect_config crossbar_of(unsigned clusters, unsigned memories) {
    interconnect_config c;
    c.kind = network_kind::crossbar;
    c.clusters = clusters;
    c.memories = memories;
    c.crossbar.quirk_packet_is_one_flit = true;
    c.crossbar.in_buffer_limit = 8;
    c.crossbar.out_buffer_limit = 8;
    return c;
}

inline interconnect_config perfect_of(unsigned clusters, unsigned memories) {
    interconnect_config c = crossbar_of(clusters, memories);
    c.kind = network_kind::perfect;
    return c;
}

/// Routers of GPGPU-Sim's TITAN X configuration; more keys replace or add options.
inline interconnect_config routers_of(unsigned clusters, unsigned memories,
                                      std::map<std::string, std::string> more = {}) {
    interconnect_config c = crossbar_of(clusters, memories);
    c.kind = network_kind::router;
    c.router.file = "test.icnt";
    c.router.values = {{"use_map", "0"},
                       {"flit_size", "40"},
                       {"topology", "fly"},
                       {"k", std::to_string(clusters + memories)},
                       {"n", "1"},
                       {"routing_function", "dest_tag"},
                       {"num_vcs", "1"},
                       {"vc_buf_size", "64"},
                       {"input_buffer_size", "256"},
                       {"ejection_buffer_size", "64"},
                       {"boundary_buffer_size", "64"},
                       {"vc_allocator", "islip"},
                       {"sw_allocator", "islip"},
                       {"credit_delay", "0"},
                       {"routing_delay", "0"},
                       {"internal_speedup", "2.0"},
                       {"sim_type", "gpgpusim"},
                       {"subnets", "2"}};
    const std::string last =
        more.count("num_vcs") != 0 ? std::to_string(std::stoi(more["num_vcs"]) - 1) : "0";
    for (const char* type : {"read_request", "write_request", "read_reply", "write_reply"}) {
        c.router.values[std::string(type) + "_begin_vc"] = "0";
        c.router.values[std::string(type) + "_end_vc"] = last;
    }
    for (const auto& [key, value] : more) c.router.values[key] = value;
    return c;
}

}  // namespace simtlm::interconnect::test
