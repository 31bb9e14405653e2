// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/unit_port.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/phases.h"
#include "modules/protocol/sockets.h"
#include "modules/simulation/clocked_process.h"

#include <cstdint>
#include <deque>
#include <random>
#include <systemc>
#include <vector>

namespace simtlm::cache {

/// An event seen by a rig, with its core cycle.
struct observation {
    enum kind : std::uint8_t {
        accepted,
        completed,
        refused,  // responses to BEGIN_REQ
        hit,
        ready,
        taken,  // responses to the unit
        sent,   // requests to memory
        filled,
        back_pressured,
        filled_late
    };
    std::uint64_t cycle;
    kind what;
    std::uint64_t address;
    bool operator==(const observation& o) const {
        return cycle == o.cycle && what == o.what && address == o.address;
    }
};

/// Test environment of an L1 cache: a unit that offers accesses in order (phase core_access) and
/// takes one completed miss per cycle (core_units), and a memory that answers one request per cycle
/// (core_units) after a latency. With stalls > 0, both stall at random with separate seeds.
class cache_rig : public sc_core::sc_module {
public:
    struct settings {
        std::uint64_t seed = 1;
        unsigned stalls = 0;  ///< percentage of opportunities that are skipped
        unsigned memory_latency = 10;
        unsigned width = 1;  ///< accesses offered per cycle
        bool shuffle_responses = false;
        bool split = false;  ///< memory answers 128 bytes in four chunks
        simulation::phase_sequencer::options order{};
    };

    simulation::phase_sequencer sequencer;
    protocol::transaction_pool pool;
    protocol::cache_port_initiator<cache_rig> unit{"unit"};
    protocol::target_socket<cache_rig> memory{"memory"};
    std::vector<observation> log;
    unsigned responses = 0;
    unsigned accesses = 0;
    bool network_full = false;  ///< no END_REQ while set

    cache_rig(const sc_core::sc_module_name& name, const settings& s)
        : sc_module(name),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table(), s.order),
          settings_(s),
          random_(s.seed),
          units_("units", sequencer, protocol::phase::core_units,
                 simulation::on_edge<&cache_rig::write_back_and_respond>(this), true),
          starts_("starts", sequencer, protocol::phase::core_access,
                  simulation::on_edge<&cache_rig::start_accesses>(this), true),
          network_("network", sequencer, protocol::phase::core_inject,
                   simulation::on_edge<&cache_rig::clear_line>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        unit.register_nb_transport_bw(this, &cache_rig::response, 0);
        memory.register_nb_transport_fw(this, &cache_rig::request, 0);
    }

    /// Offers an access, at the given cycle at the earliest.
    void offer(std::uint64_t cycle, bool write, std::uint64_t address, unsigned bytes,
               protocol::access_type type) {
        auto& p = pool.acquire(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
                               bytes, type);
        auto& x = protocol::extension(p);
        x.bytes.set(static_cast<unsigned>(address % 128), bytes);
        x.sectors = static_cast<std::uint8_t>(1u << (address / 32 % 4));
        offers_.push_back({cycle, &p});
    }
    void run(std::uint64_t cycles) {
        sc_core::sc_start(sc_core::sc_time(static_cast<double>(cycles), sc_core::SC_NS));
    }
    std::uint64_t now() const { return units_.now(); }
    bool quiet() const { return offers_.empty() && under_way_.empty() && waiting_ == nullptr; }

    /// The cycles of all events of a kind.
    std::vector<std::uint64_t> cycles_of(observation::kind k) const {
        std::vector<std::uint64_t> result;
        for (const auto& o : log)
            if (o.what == k) result.push_back(o.cycle);
        return result;
    }

private:
    struct offered {
        std::uint64_t cycle;
        tlm::tlm_generic_payload* payload;
    };
    struct request_under_way {
        std::uint64_t due;
        tlm::tlm_generic_payload* payload;
    };

    void note(observation::kind k, const tlm::tlm_generic_payload& p) {
        log.push_back({now(), k, p.get_address()});
    }
    bool moody() { return random_() % 100 < settings_.stalls; }

    void start_accesses() {
        for (unsigned i = 0; i < settings_.width && !offers_.empty(); ++i) {
            if (offers_.front().cycle > now() || moody()) return;
            auto& p = *offers_.front().payload;
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay;
            switch (unit->nb_transport_fw(p, phase, delay)) {
                case tlm::TLM_COMPLETED:
                    note(observation::completed, p);
                    ++responses;
                    p.release();
                    break;
                case tlm::TLM_ACCEPTED:
                    note(observation::accepted, p);
                    break;
                case tlm::TLM_UPDATED:
                    note(observation::refused, p);
                    if (phase != protocol::refused) SC_REPORT_ERROR("rig", "a strange answer");
                    return;
            }
            ++accesses;
            offers_.pop_front();
        }
    }

    tlm::tlm_sync_enum response(int, tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                sc_core::sc_time&) {
        if (protocol::extension(p).hit) {
            note(observation::hit, p);
            ++responses;
            p.release();
            return tlm::TLM_COMPLETED;
        }
        note(observation::ready, p);
        ready_ = &p;
        return tlm::TLM_ACCEPTED;
    }

    void write_back_and_respond() {
        sc_core::sc_time delay;
        if (ready_ != nullptr && !moody()) {
            auto& p = *ready_;
            ready_ = nullptr;
            note(observation::taken, p);
            tlm::tlm_phase phase = tlm::END_RESP;
            unit->nb_transport_fw(p, phase, delay);
            ++responses;
            p.release();
        }
        if (waiting_ != nullptr || under_way_.empty() || moody()) return;
        const std::size_t k = settings_.shuffle_responses ? random_() % under_way_.size() : 0;
        if (under_way_[k].due > now()) return;
        auto& p = *under_way_[k].payload;
        // A request that the network has not accepted is not answered.
        if (to_end_ != nullptr && (&p == to_end_ || protocol::extension(p).parent == to_end_))
            return;
        under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(k));
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        if (memory->nb_transport_bw(p, phase, delay) == tlm::TLM_COMPLETED) {
            note(observation::filled, p);
            let_go(p);
        } else {
            note(observation::back_pressured, p);
            waiting_ = &p;
        }
    }

    void let_go(tlm::tlm_generic_payload& p) {
        auto* parent = protocol::extension(p).parent;
        const bool part = parent != nullptr && p.get_data_length() == 32 && settings_.split;
        p.release();
        if (part) parent->release();
    }

    tlm::tlm_sync_enum request(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            if (&p != waiting_) SC_REPORT_ERROR("rig", "END_RESP for something else");
            note(observation::filled_late, p);
            waiting_ = nullptr;
            let_go(p);
            return tlm::TLM_COMPLETED;
        }
        if (to_end_ != nullptr) SC_REPORT_ERROR("rig", "BEGIN_REQ before END_REQ");
        note(observation::sent, p);
        if (protocol::is_posted(protocol::extension(p).type)) return tlm::TLM_COMPLETED;
        const std::uint64_t due = now() + settings_.memory_latency;
        if (settings_.split && p.get_data_length() == 128) {
            protocol::extension(p).pending_parts = 4;
            for (unsigned s = 0; s < 4; ++s) {
                auto& part = pool.acquire(p.get_command(), p.get_address() + 32 * s, 32,
                                          protocol::extension(p).type);
                protocol::extension(part).parent = &p;
                p.acquire();
                under_way_.push_back({due, &part});
            }
        } else {
            p.acquire();
            under_way_.push_back({due, &p});
        }
        if (!network_full && !moody()) {
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        }
        to_end_ = &p;
        p.acquire();
        return tlm::TLM_ACCEPTED;
    }

    void clear_line() {
        if (to_end_ == nullptr || network_full || moody()) return;
        auto& p = *to_end_;
        to_end_ = nullptr;
        protocol::end_request(memory, p);
        p.release();
    }

    settings settings_;
    std::mt19937_64 random_;
    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    std::deque<offered> offers_;
    tlm::tlm_generic_payload* ready_ = nullptr;
    tlm::tlm_generic_payload* waiting_ = nullptr;
    tlm::tlm_generic_payload* to_end_ = nullptr;
    std::deque<request_under_way> under_way_;
    simulation::clocked_process units_;
    simulation::clocked_process starts_;
    simulation::clocked_process network_;
};

/// A rig with its cache.
template <class Cache>
struct rigged {
    cache_rig rig;
    Cache cache;
    template <class... Config>
    explicit rigged(const char* name, const cache_rig::settings& s, const Config&... config)
        : rig(name, s), cache((std::string(name) + "_cache").c_str(), rig.sequencer, config...) {
        bind();
    }
    /// Tag for caches that create transactions of their own.
    struct with_pool {};
    template <class Config>
    rigged(with_pool, const char* name, const cache_rig::settings& s, const Config& config)
        : rig(name, s),
          cache((std::string(name) + "_cache").c_str(), rig.sequencer, config, rig.pool) {
        bind();
    }

private:
    void bind() {
        rig.unit.bind(cache.port);
        cache.memory.bind(rig.memory);
    }
};

}  // namespace simtlm::cache
