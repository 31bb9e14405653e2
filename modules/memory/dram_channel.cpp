// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_channel.h"

#include "modules/cache/set_index.h"
#include "modules/support/error.h"

#include <algorithm>

namespace simtlm::memory {

namespace {

constexpr std::uint32_t none = dram_request_table::none;
constexpr std::uint64_t never = dram_refresh::never;
/// Entries of the return queue if -gpgpu_dram_return_queue_size is 0, as in GPGPU-Sim.
constexpr std::size_t default_return_queue = 1024;
/// Initial number of requests if the scheduler's queue is unlimited; the table grows on demand.
constexpr std::size_t usual_queue = 64;

std::size_t requests_expected(const dram_config& c) {
    return (c.scheduler_queue_size != 0 ? c.scheduler_queue_size : usual_queue) +
           (c.separate_write_queue ? c.write_queue_size : 0u) + c.timing.nbk + c.timing.CL + 2;
}

/// @return counters with an entry per bank, as the parts of a channel require
dram_statistics statistics_of(const dram_config& c) {
    dram_statistics s;
    s.banks.resize(c.timing.nbk);
    s.traffic.resize(c.timing.nbk);
    return s;
}

const dram_config& checked(const dram_config& c) {
    if (c.atom_bytes() == 0)
        throw support::user_error("-gpgpu_dram_burst_length",
                                  "a burst must move at least one byte");
    return c;
}

}  // namespace

std::unique_ptr<memory_channel> make_dram_channel(const memory_channel_parts& p) {
    return std::make_unique<dram_channel>(p.name, p.sequencer, p.config, p.mapping);
}

dram_channel::dram_channel(const sc_core::sc_module_name& name,
                           simulation::phase_sequencer& sequencer, const dram_config& config,
                           const address_mapping& mapping)
    : memory_channel(name, sequencer),
      port("port"),
      sequencer_(sequencer),
      config_(checked(config)),
      mapping_(mapping),
      process_("controller", sequencer, protocol::phase::dram_channel,
               simulation::on_edge<&dram_channel::cycle>(this)),
      statistics_(statistics_of(config)),
      requests_(requests_expected(config)),
      machines_(config, requests_),
      pipeline_(std::max(config.timing.CL, config.timing.WL) + 1),
      sampler_(config_, machines_, pipeline_, statistics_),
      bus_(config_, machines_, requests_, pipeline_, sampler_, statistics_),
      refresh_(config.timing, bus_),
      arbiter_(config.dual_bus_interface ? make_dual_bus_arbiter(bus_)
                                         : make_single_bus_arbiter(bus_, statistics_)),
      scheduler_(config.scheduler({config_, requests_, statistics_})),
      return_queue_(config.return_queue_size != 0 ? config.return_queue_size
                                                  : default_return_queue) {
    if (config.check_timing) {
        checker_ = std::make_unique<dram_timing_checker>(this->name(), config, true);
        bus_.observe(*checker_);
    }
    port.register_nb_transport_fw(this, &dram_channel::nb_transport_fw, 0);
    if (refresh_.due() != never) process_.wake();
}

// Requests and responses.

tlm::tlm_sync_enum dram_channel::nb_transport_fw(int, tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::BEGIN_REQ) {
        replay_past_refreshes();
        enqueue(payload);
        process_.wake();
        return port.accept_request(payload, phase, !scheduler_->full(payload.is_write()),
                                   config_.separate_write_queue && payload.is_write() ? 1 : 0);
    }
    if (phase == tlm::END_RESP) {
        sc_assert(&payload == return_queue_.front());
        port.response_ended();
        pop_reply();
        present();
        return tlm::TLM_COMPLETED;
    }
    SC_REPORT_ERROR("simtlm/dram", "phase of another protocol than the TLM-2.0 base protocol");
    return tlm::TLM_COMPLETED;
}

unsigned dram_channel::bank_index(const protocol::dram_location& where) const {
    const unsigned banks = config_.timing.nbk;
    switch (config_.bank_index) {
        case bank_indexing::bitwise_xor:
            return cache::bitwise_hash(where.row, where.bank, banks) % banks;
        case bank_indexing::ipoly:
            return cache::ipoly_hash(where.row, where.bank, banks) % banks;
        case bank_indexing::linear:
        case bank_indexing::custom:
            break;
    }
    return where.bank % banks;
}

void dram_channel::enqueue(tlm::tlm_generic_payload& payload) {
    const auto* e = protocol::find_extension(payload);
    const protocol::dram_location where =
        e != nullptr && e->located ? e->location : mapping_.decode(payload.get_address());
    const std::uint32_t number = requests_.take();
    dram_request& r = requests_[number];
    r = dram_request();
    r.payload = &payload;
    r.bank = static_cast<std::uint16_t>(bank_index(where));
    r.row = where.row;
    r.column = where.column;
    r.write = payload.is_write();
    r.bytes = e != nullptr ? e->data_bytes : payload.get_data_length();
    if (e != nullptr)
        r.type = e->type;
    else if (r.write)
        r.type = protocol::access_type::global_write;
    r.posted = e != nullptr && protocol::is_posted(e->type);
    r.arrived = sequencer_.cycle(protocol::core_clock);
    r.order = arrivals_++;
    // GPGPU-Sim's FIFO includes an arriving request in the queue length that it finds, FR-FCFS does
    // not.
    sampler_.arrived(r, where.bank, scheduler_->pending() + (scheduler_->by_row() ? 0u : 1u));
    ++in_channel_;
    scheduler_->add(number);
}

void dram_channel::pop_reply() {
    if (return_queue_.full()) process_.wake();
    return_queue_.pop();
    --in_channel_;
}

void dram_channel::present() {
    while (!port.response_pending() && !return_queue_.empty())
        if (port.respond(*return_queue_.front())) pop_reply();
}

// Action of a cycle.

void dram_channel::cycle() {
    const std::uint64_t now = process_.now();
    replay_refreshes(now);
    act(now);
    if (next_event_ == never || defers_refresh())
        process_.sleep();
    else
        process_.sleep_until(next_event_);
}

/// Whether the channel sleeps until its next request or until its counters are read: it is idle, so
/// that only refreshes are due, which replay_refreshes() performs at any later time. Observers are
/// notified in time.
bool dram_channel::defers_refresh() const {
    return in_channel_ == 0 && !bus_.is_observed() && !sequencer_.follows_blocks();
}

/// Performs the refreshes that were due up to the current edge, if its phase has passed.
void dram_channel::replay_past_refreshes() {
    const std::uint64_t now = process_.now();
    const bool passed = process_.sub_phase_has_passed(0);
    replay_refreshes(passed ? std::min(now + 1, sequencer_.edges(protocol::dram_clock)) : now);
}

/// Performs the refreshes that were due before a cycle.
void dram_channel::replay_refreshes(std::uint64_t until) {
    while (next_event_ < until) act(next_event_);
}

/// Acts in a cycle, and sets that of the next event.
void dram_channel::act(std::uint64_t now) {
    replay(now);
    if (!return_queue_.full()) {
        pipeline_.shift(1);
        if (pipeline_.ready()) move_data();
    }
    schedule(now);
    sampler_.begin_cycle(scheduler_->pending());
    sampler_.end_cycle(now, issue(now));

    for (const unsigned kind : {0u, 1u})
        if (const auto* const p = port.withheld(kind); p && !scheduler_->full(p->is_write()))
            port.end_request(kind);
    if (!pipeline_.empty()) protocol::prefetch(*requests_[pipeline_.front()].payload);
    slept_blocked_ = return_queue_.full();
    sampler_.rest(scheduler_->pending());
    next_event_ = next_event(now);
}

/// Accounts for the cycles in which the channel slept.
void dram_channel::replay(std::uint64_t until) {
    const std::uint64_t from = sampler_.counted_to();
    if (until <= from) return;
    if (!slept_blocked_) pipeline_.shift(until - from);
    sampler_.slept(until);
}

void dram_channel::move_data() {
    const std::uint32_t number = pipeline_.pop();
    dram_request& r = requests_[number];
    r.moved += config_.atom_bytes();
    if (r.moved >= r.bytes) finish(number);
}

void dram_channel::finish(std::uint32_t number) {
    tlm::tlm_generic_payload& payload = *requests_[number].payload;
    const bool posted = requests_[number].posted;
    requests_.give_back(number);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (!posted) {
        return_queue_.push(&payload);
        present();
        return;
    }
    --in_channel_;
    protocol::begin_response(port, payload);
}

/// Assigns at most one request to its bank.
void dram_channel::schedule(std::uint64_t now) {
    const std::uint64_t core_now = sequencer_.cycle(protocol::core_clock);
    const std::uint32_t number =
        scheduler_->choose(machines_.free() & ~refresh_.held(now), priority_, machines_.timing(),
                           core_now - kernel_start_);
    if (number == none) return;
    const dram_request& r = requests_[number];
    sampler_.bank_taken(r.bank, now);
    machines_.take(r.bank, number);
    if (scheduler_->by_row()) sampler_.scheduled(core_now - r.arrived);
}

issued_commands dram_channel::issue(std::uint64_t now) {
    if (refresh_.stops_channel(now)) return refresh_.issue(now);
    issued_commands done = arbiter_->issue(now, priority_);
    const bool bus_free = !done.row && (config_.dual_bus_interface || !done.column);
    if (now >= refresh_.due() && bus_free) done.row = refresh_.issue(now).row;
    return done;
}

/// @return the next cycle in which the state may change
std::uint64_t dram_channel::next_event(std::uint64_t now) const {
    const std::uint64_t next_cycle = now + 1;
    if (scheduler_->may_choose(machines_.free() & ~refresh_.held(now))) return next_cycle;
    if (next_cycle >= refresh_.due()) return next_cycle;
    std::uint64_t next = refresh_.due();
    const bool pipeline_full = pipeline_.full();
    if (!return_queue_.full() && !pipeline_.empty()) {
        if (pipeline_full) return next_cycle;
        next = std::min(next, now + pipeline_.remaining());
    }
    return machines_.next_command(next_cycle, next, !pipeline_full);
}

// Statistics.

const dram_statistics& dram_channel::statistics() {
    sequencer_.synchronize();
    const std::uint64_t edges = sequencer_.edges(protocol::dram_clock);
    replay_refreshes(edges);
    replay(edges);
    sampler_.count_free_banks(edges);
    return statistics_;
}

void dram_channel::begin_kernel() {
    kernel_start_ = sequencer_.cycle(protocol::core_clock);
}

}  // namespace simtlm::memory
