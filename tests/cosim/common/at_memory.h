// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <systemc>
#include <tlm>
#include <unordered_map>

namespace platform_example {

/// An approximately timed memory controller that exercises its initiator: random latencies,
/// responses out of order between banks, END_REQ withheld while its queue is full, and every kind
/// of answer permitted by the base protocol, chosen at random.
template <unsigned BusWidth>
class at_memory : public sc_core::sc_module {
public:
    struct settings {
        sc_core::sc_time shortest{20, sc_core::SC_NS};
        sc_core::sc_time longest{200, sc_core::SC_NS};
        unsigned queue = 8;      ///< capacity for requests
        unsigned banks = 4;      ///< 1: responses in order
        bool capricious = true;  ///< all kinds of answers; false: always END_REQ immediately
        unsigned seed = 1;
    };
    struct counters {
        std::uint64_t reads = 0, writes = 0, withheld = 0, completed_early = 0, overtaken = 0;
    };

    tlm_utils::simple_target_socket<at_memory, BusWidth> socket;

    at_memory(const sc_core::sc_module_name& name, const settings& how)
        : sc_module(name), socket("socket"), how_(how), random_(how.seed) {
        socket.register_nb_transport_fw(this, &at_memory::nb_transport_fw);
        socket.register_transport_dbg(this, &at_memory::transport_dbg);
        sc_core::sc_spawn_options on_event;
        on_event.spawn_method();
        on_event.set_sensitivity(&event_);
        on_event.dont_initialize();
        sc_core::sc_spawn([this] { act(); }, "act", &on_event);
    }

    const counters& counted() const { return counters_; }
    bool idle() const { return inside_.empty() && pending_ == nullptr; }
    /// Number of bytes that differ from an unmodified memory.
    std::uint64_t bytes_changed() const {
        std::uint64_t n = 0;
        for (const auto& [line, data] : lines_)
            for (const unsigned char b : data) n += b != untouched;
        return n;
    }

private:
    static constexpr unsigned char untouched = 0xcd;
    using line_data = std::array<unsigned char, 64>;
    struct entry {
        tlm::tlm_generic_payload* payload;
        std::uint64_t bank;
        sc_core::sc_time ready;
    };

    bool chance(unsigned one_in) { return how_.capricious && random_() % one_in == 0; }
    sc_core::sc_time latency() {
        const std::uint64_t span = how_.longest.value() - how_.shortest.value();
        return how_.shortest + sc_core::sc_time::from_value(span == 0 ? 0 : random_() % (span + 1));
    }
    void later(const sc_core::sc_time& t) { event_.notify(t); }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::END_RESP) {
            responding_->release();
            responding_ = nullptr;
            later(delay + sc_core::sc_time(1, sc_core::SC_NS));
            return tlm::TLM_COMPLETED;
        }
        if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
        ++(p.is_write() ? counters_.writes : counters_.reads);
        if (chance(16)) {  // completed immediately, data after an annotated delay
            ++counters_.completed_early;
            execute(p);
            delay += how_.shortest;
            return tlm::TLM_COMPLETED;
        }
        p.acquire();
        pending_ = &p;
        if (inside_.size() >= how_.queue) {
            ++counters_.withheld;
            return tlm::TLM_ACCEPTED;
        }
        if (chance(2)) {  // END_REQ on the backward path
            later(sc_core::sc_time(3, sc_core::SC_NS));
            return tlm::TLM_ACCEPTED;
        }
        take();
        phase = tlm::END_REQ;
        if (chance(2)) delay += sc_core::sc_time(2, sc_core::SC_NS);
        return tlm::TLM_UPDATED;
    }

    void take() {
        const sc_core::sc_time ready = sc_core::sc_time_stamp() + latency();
        inside_.push_back({pending_, pending_->get_address() / 256 % how_.banks, ready});
        pending_ = nullptr;
        later(ready - sc_core::sc_time_stamp());
    }

    void act() {
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        if (pending_ != nullptr && inside_.size() < how_.queue) {
            tlm::tlm_generic_payload& p = *pending_;
            take();
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            socket->nb_transport_bw(p, phase, delay);
        }
        if (responding_ == nullptr) respond(now);
        sc_core::sc_time next = sc_core::sc_max_time();
        if (responding_ == nullptr)
            for (const entry& e : inside_) next = std::min(next, std::max(e.ready, now));
        if (next != sc_core::sc_max_time())
            later(std::max(next - now, sc_core::sc_time(1, sc_core::SC_NS)));
        else if (pending_ != nullptr && inside_.size() < how_.queue)
            later(sc_core::sc_time(1, sc_core::SC_NS));
    }

    void respond(const sc_core::sc_time& now) {
        std::size_t chosen = inside_.size();
        for (std::size_t i = 0; i < inside_.size(); ++i) {
            bool first_of_bank = true;
            for (std::size_t j = 0; j < i; ++j) first_of_bank &= inside_[j].bank != inside_[i].bank;
            if (first_of_bank && inside_[i].ready <= now &&
                (chosen == inside_.size() || inside_[i].ready < inside_[chosen].ready))
                chosen = i;
        }
        if (chosen == inside_.size()) return;
        counters_.overtaken += chosen != 0;
        tlm::tlm_generic_payload& p = *inside_[chosen].payload;
        inside_.erase(inside_.begin() + static_cast<std::ptrdiff_t>(chosen));
        execute(p);
        responding_ = &p;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay =
            chance(4) ? sc_core::sc_time(5, sc_core::SC_NS) : sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum answer = socket->nb_transport_bw(p, phase, delay);
        if (answer == tlm::TLM_COMPLETED ||
            (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
            responding_ = nullptr;
            p.release();
        }
    }

    line_data& line(std::uint64_t address) {
        const auto [place, made] = lines_.try_emplace(address / 64);
        if (made) place->second.fill(untouched);
        return place->second;
    }
    void execute(tlm::tlm_generic_payload& p) {
        const unsigned char* const enables = p.get_byte_enable_ptr();
        for (unsigned i = 0; i < p.get_data_length(); ++i) {
            if (enables != nullptr && enables[i % p.get_byte_enable_length()] != TLM_BYTE_ENABLED)
                continue;
            const std::uint64_t a = p.get_address() + i % p.get_streaming_width();
            unsigned char& there = line(a)[a % 64];
            if (p.is_write())
                there = p.get_data_ptr()[i];
            else
                p.get_data_ptr()[i] = there;
        }
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& p) {
        const tlm::tlm_response_status before = p.get_response_status();
        execute(p);
        p.set_response_status(before);
        return p.get_data_length();
    }

    const settings how_;
    std::mt19937_64 random_;
    std::unordered_map<std::uint64_t, line_data> lines_;
    tlm::tlm_generic_payload* pending_ = nullptr;     // END_REQ withheld
    tlm::tlm_generic_payload* responding_ = nullptr;  // BEGIN_RESP without END_RESP
    std::deque<entry> inside_;
    sc_core::sc_event event_;
    counters counters_;
};

}  // namespace platform_example
