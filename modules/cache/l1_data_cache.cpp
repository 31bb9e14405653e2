// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/l1_data_cache.h"

#include "modules/cache/request_packets.h"
#include "modules/protocol/describe.h"
#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::cache {

namespace {
constexpr std::uint64_t never = ~std::uint64_t{0};
constexpr unsigned max_waiting = 64;  // banks whose refused accesses need not be tried again
}  // namespace

l1_data_cache::l1_data_cache(const sc_core::sc_module_name& name,
                             simulation::phase_sequencer& sequencer, const config& cfg,
                             protocol::transaction_pool& pool)
    : sm_cache(name, sequencer,
               {protocol::phase::core_caches, simulation::on_edge<&l1_data_cache::cycle>(this)},
               cfg.cache, l1_level, pool),
      config_(cfg),
      bank_of_(cfg.bank_hash, cfg.banks, cfg.bank_interleaving) {
    for (unsigned b = 0; b < cfg.banks; ++b)
        banks_.push_back(std::make_unique<l1_bank>(fmt::format("bank{}", b).c_str(), cfg.latency));
    due_.assign(cfg.banks, never);
}

tlm::tlm_sync_enum l1_data_cache::access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) {
    const std::uint64_t now = process_.now();
    if (config_.latency == 0) {
        replay(now + 1);  // the port cycle of this cycle has already passed
        const access_result r = engine_.access(p, now);
        note_back_pressure();
        process_.wake();
        if (r.outcome == access_outcome::reservation_fail) {
            phase = protocol::refused;
            return tlm::TLM_UPDATED;
        }
        return r.finished ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    }
    const unsigned number = bank_of_(p.get_address());
    l1_bank& b = *banks_[number];
    if (b.conflict(now)) {
        ++bank_conflicts_;
        phase = protocol::refused;
        return tlm::TLM_UPDATED;
    }
    p.acquire();
    b.push(p, now);
    if (queued_++ == 0 || (refused_ != 0 && due_[number] == never))
        process_.wake_at(now + config_.latency);
    due_[number] = std::min(due_[number], now + config_.latency);
    return tlm::TLM_ACCEPTED;
}

void l1_data_cache::cycle() {
    const std::uint64_t now = process_.now();
    replay(now);
    const bool ports_free = engine_.data_port_free() && engine_.fill_port_free();
    const std::uint64_t changes = engine_.changes();
    if (memory.response_waiting()) memory.retry();
    send_misses();
    engine_.pass_cycle();
    next_cycle_ = now + 1;
    // What the look-ups read first is often not in the host's caches; fetched together, not one
    // after the other.
    for (std::size_t b = 0; b < due_.size(); ++b)
        if (now >= due_[b]) protocol::prefetch(banks_[b]->front());
    for (std::size_t b = 0; b < due_.size(); ++b)
        if (now >= due_[b]) look_up(b);
    if (ports_free && engine_.changes() == changes) process_.note_idle();
    note_back_pressure();
    rest();
}

void l1_data_cache::send_misses() {
    const std::uint64_t now = process_.now();
    if (now < sends_from_) return;
    request_packets packets(config_.packets_per_cycle, config_.requests_lines);
    while (!engine_.miss_queue_empty()) {
        const tlm::tlm_generic_payload& p = engine_.next_miss();
        if (!packets.add(p.get_address(), !p.is_write())) return;
        const unsigned more =
            config_.writes_sectors && protocol::extension(p).type == l1_level.write_back
                ? static_cast<unsigned>(__builtin_popcount(protocol::extension(p).sectors)) - 1
                : 0;
        if (!engine_.send(memory)) return;
        if (packets.take(more)) continue;
        // The other packets follow in the next cycles, the last of which has room for no others.
        const unsigned later = more - packets.left();
        sends_from_ = now + 1 + (later + config_.packets_per_cycle - 1) / config_.packets_per_cycle;
        return;
    }
}

void l1_data_cache::look_up(std::size_t bank) {
    l1_bank& b = *banks_[bank];
    tlm::tlm_generic_payload& p = b.front();
    if (engine_.fails_again(p, b.failed)) return;
    const access_result r = engine_.access(p, process_.now());
    if (r.outcome == access_outcome::reservation_fail) {
        b.failed = engine_.last_failure(p);
        return;
    }
    b.pop();
    due_[bank] = b.empty() ? never : b.front_due();
    if (!b.empty()) protocol::prefetch(b.front());
    --queued_;
    if (r.finished) port.complete(p);
    p.release();
}

void l1_data_cache::rest() {
    refused_ = 0;
    if (memory.response_waiting() || !engine_.fill_port_free() || !engine_.data_port_free()) return;
    if (!engine_.miss_queue_empty() && !memory.blocked()) return;
    if (queued_ == 0) {
        process_.sleep();
        return;
    }
    const std::uint64_t now = process_.now();
    const bool waits = !sequencer_.follows_blocks();  // waveforms show the refusals of each cycle
    std::uint64_t next = never;
    for (unsigned b = 0; b < due_.size(); ++b) {
        if (waits && due_[b] <= now && b < max_waiting &&
            engine_.waits_for_change(banks_[b]->failed))
            refused_ |= std::uint64_t{1} << b;
        else
            next = std::min(next, due_[b]);
    }
    if (next == never)
        process_.sleep();
    else
        process_.sleep_until(next);
}

void l1_data_cache::count_refusals(std::uint64_t cycles) {
    for (std::uint64_t left = refused_; left != 0; left &= left - 1) {
        const l1_bank& b = *banks_[static_cast<unsigned>(__builtin_ctzll(left))];
        engine_.count_refusals(b.front(), b.failed.reason, cycles);
    }
}

bool l1_data_cache::accept_response(tlm::tlm_generic_payload& response) {
    if (protocol::is_posted(protocol::extension(response).type)) {
        response.release();
        return true;
    }
    if (!response.is_write()) {
        if (!engine_.fill_port_free()) return false;
        engine_.fill(response, process_.now());
        port.present();
        changed();
        if (!engine_.fill_port_free()) process_.wake();
        return true;
    }
    tlm::tlm_generic_payload* const store = protocol::answered_request(response);
    if (store != nullptr) port.complete(*store);
    return true;
}

/// Consumes write-allocate reads: the unit waits for at most their store.
tlm::tlm_generic_payload* l1_data_cache::ready() {
    while (engine_.access_ready()) {
        tlm::tlm_generic_payload& p = engine_.ready_access();
        const protocol::memory_extension& x = protocol::extension(p);
        if (x.type != protocol::access_type::l1_write_allocate_read) return &p;
        tlm::tlm_generic_payload* const store = x.parent;
        engine_.next_access();
        changed();
        p.release();
        if (store != nullptr) {
            port.complete(*store);
            store->release();
        }
    }
    return nullptr;
}

void l1_data_cache::register_statistics(support::statistics& list) const {
    list.add(name(), "l1d", engine_.statistics());
    list.add(name(), "l1d", cache::bank_conflicts, bank_conflicts_);
    list.add(name(), "l1d", network_refusals, back_pressure_.counted());
}

std::string l1_data_cache::describe() const {
    if (idle()) return {};
    std::string text = fmt::format("  {}: {}", name(), engine_.describe());
    if (memory.blocked()) text += "; its last miss has not been taken (no END_REQ)";
    if (memory.response_waiting()) text += "; responses wait for the fill port";
    if (engine_.access_ready())
        text += "; the unit has not taken " + protocol::describe(engine_.ready_access());
    text += '\n';
    for (std::size_t i = 0; i < banks_.size(); ++i) {
        const l1_bank& b = *banks_[i];
        if (b.empty()) continue;
        text += fmt::format("  {} bank {}: {} accesses queued, first {}", name(), i, b.size(),
                            protocol::describe(b.front()));
        if (b.failed.changes != data_cache::never)
            text += fmt::format(", stalled: {}", fail_reason_name(b.failed.reason));
        text += '\n';
    }
    return text;
}

}  // namespace simtlm::cache
