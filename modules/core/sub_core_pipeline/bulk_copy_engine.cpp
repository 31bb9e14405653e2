// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/bulk_copy_engine.h"

#include "modules/core/sub_core_pipeline/write_back_order.h"
#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::core::sub_core_pipeline {

using kind = program::bulk_transfer::kind;
using protocol::access_type;
using protocol::extension;

namespace {
constexpr std::uint32_t line_bytes = 128, sector_bytes = 32;
constexpr std::uint32_t tensor_map_bytes = 128;
}  // namespace

bulk_copy_engine::bulk_copy_engine(const sc_core::sc_module_name& name,
                                   simulation::phase_sequencer& sequencer,
                                   const bulk_copy_config& config, const blocks& sm)
    : sc_module(name),
      memory("memory", *this),
      config_(config),
      sm_(sm),
      groups_(sm.warps.warp.size()),
      finish_process_("finish", sequencer, protocol::phase::core_write_back,
                      simulation::on_edge<&bulk_copy_engine::finish>(this), false,
                      write_back_sub_phases),
      act_process_("act", sequencer, protocol::phase::core_access,
                   simulation::on_edge<&bulk_copy_engine::act>(this), false, 2) {
    finish_process_.select_sub_phase(write_back_order::bulk_copies);
    act_process_.select_sub_phase(1);  // the memory unit has priority for the port
}

bulk_copy_engine::~bulk_copy_engine() = default;

bulk_copy_engine::transfer& bulk_copy_engine::take() {
    if (free_.empty()) {
        all_.push_back(std::make_unique<transfer>());
        all_.back()->number = static_cast<std::uint32_t>(all_.size() - 1);
        free_.push_back(all_.back().get());
    }
    transfer& t = *free_.back();
    free_.pop_back();
    return t;
}

// ---- issue -------------------------------------------------------------------------------------

void bulk_copy_engine::start(unsigned warp, std::vector<program::bulk_transfer> transfers,
                             std::uint64_t now) {
    warp_groups& groups = groups_[warp];
    for (program::bulk_transfer& what : transfers) {
        transfer& t = take();
        const std::uint32_t number = t.number;
        t = transfer();
        t.number = number;
        t.what = std::move(what);
        t.warp = static_cast<std::uint16_t>(warp);
        t.group = groups.first + static_cast<std::uint32_t>(groups.of.size() - 1);
        t.ready_at = now + config_.issue_cycles;
        if (in_group(t)) {
            ++groups.of.back().reading;
            ++groups.of.back().in_flight;
        }
        ++sm_.warps.warp[warp].transfers;
        ++sm_.statistics.bulk_copies;
        sm_.statistics.bulk_bytes += t.what.bytes;
        commands_.push_back(&t);
        if (!act_process_.awake()) act_process_.wake_at(t.ready_at);
    }
}

void bulk_copy_engine::commit(unsigned warp) {
    warp_groups& g = groups_[warp];
    // Completed groups need no record.
    std::size_t done = 0;
    while (done < g.of.size() && g.of[done].in_flight == 0 && done + 1 < g.of.size()) ++done;
    g.of.erase(g.of.begin(), g.of.begin() + static_cast<std::ptrdiff_t>(done));
    g.first += static_cast<std::uint32_t>(done);
    g.of.emplace_back();
}

bool bulk_copy_engine::passes(const warp_groups& g) {
    for (std::size_t i = 0; i < g.of.size() && g.first + i < g.wait_below; ++i)
        if ((g.read_only ? g.of[i].reading : g.of[i].in_flight) != 0) return false;
    return true;
}

bool bulk_copy_engine::wait(unsigned warp, unsigned groups, bool read_only) {
    warp_groups& g = groups_[warp];
    const auto open = g.first + static_cast<std::uint32_t>(g.of.size() - 1);
    g.wait_below = open - std::min<std::uint32_t>(open, groups);
    g.read_only = read_only;
    g.waits = !passes(g);
    return g.waits;
}

void bulk_copy_engine::release_waiting(unsigned warp) {
    warp_groups& g = groups_[warp];
    if (!g.waits || !passes(g)) return;
    g.waits = false;
    sm_.warps.stops_waiting(sm_.warps.at_engine, warp);
}

// ---- front end and requests --------------------------------------------------------------------

bool bulk_copy_engine::has_map(std::uint64_t address) {
    const auto found = std::find(maps_.begin(), maps_.end(), address);
    if (found == maps_.end()) return false;
    std::rotate(found, found + 1, maps_.end());
    return true;
}

void bulk_copy_engine::process_command(std::uint64_t now) {
    if (commands_.empty() || commands_.front()->ready_at > now || front_end_free_at_ > now) return;
    transfer& t = *commands_.front();
    if (t.what.tensor_map != 0 && !has_map(t.what.tensor_map)) {
        const bool asked_for =
            std::any_of(generating_.begin(), generating_.end(), [&t](const transfer* before) {
                return before->awaits_map && before->what.tensor_map == t.what.tensor_map;
            });
        if (!asked_for && (memory.blocked() || sm_.port.blocked())) return;
        t.awaits_map = true;
        if (!asked_for) {
            ++sm_.statistics.tensor_map_misses;
            ask_for_map(t);
        }
    }
    commands_.pop_front();
    t.begun = now;
    if (!t.awaits_map) schedule_first_request(t, now);
    front_end_free_at_ = now + config_.command_cycles;
    generating_.push_back(&t);
}

void bulk_copy_engine::schedule_first_request(transfer& t, std::uint64_t now) const {
    t.requests_at = now + (t.what.tensor_map != 0 ? config_.tensor_cycles : 0);
}

void bulk_copy_engine::generate(std::uint64_t now) {
    if (generating_.empty()) return;
    transfer& t = *generating_.front();
    if (t.awaits_map) {
        const bool may_send =
            !memory.blocked() && !sm_.port.blocked() && requests_ < config_.requests_in_flight;
        if (has_to_ask_for_map(t) && may_send) ask_for_map(t);
        return;
    }
    if (t.requests_at > now) return;
    if (t.range < t.what.ranges.size()) {
        if (next_request_at_ > now) return;
        if (memory.blocked() || sm_.port.blocked() || requests_ >= config_.requests_in_flight)
            return;
        const program::memory_range& r = t.what.ranges[t.range];
        const std::uint64_t address = r.address + t.offset;
        const auto to_line_end = static_cast<std::uint32_t>(line_bytes - address % line_bytes);
        const std::uint32_t bytes = std::min(r.bytes - t.offset, to_line_end);
        t.offset += bytes;
        if (t.offset == r.bytes) {
            ++t.range;
            t.offset = 0;
        }
        send(t, address, bytes, false);
        next_request_at_ = now + config_.request_interval;
    }
    if (t.range < t.what.ranges.size()) return;
    t.generated = true;
    generating_.pop_front();
    if (in_group(t)) {
        warp_groups& g = groups_[t.warp];
        --g.of[t.group - g.first].reading;
        release_waiting(t.warp);
    }
    complete_if_done(t);
}

/// A map is aligned to 64 bytes, so it may span two lines, which are requested one after the other.
void bulk_copy_engine::ask_for_map(transfer& t) {
    const std::uint64_t address = t.what.tensor_map + t.map_asked_for;
    const std::uint32_t bytes =
        std::min(tensor_map_bytes - t.map_asked_for,
                 static_cast<std::uint32_t>(line_bytes - address % line_bytes));
    t.map_asked_for += bytes;
    ++t.map_requests;
    send(t, address, bytes, true);
}

bool bulk_copy_engine::has_to_ask_for_map(const transfer& t) {
    return t.map_asked_for != 0 && t.map_asked_for < tensor_map_bytes;
}

void bulk_copy_engine::send(transfer& t, std::uint64_t address, std::uint32_t bytes, bool is_map) {
    const bool writes = t.what.what == kind::store && !is_map;
    const bool atomic = t.what.what == kind::reduction && !is_map;
    const auto offset = static_cast<unsigned>(address % line_bytes);
    const std::uint64_t first_sector = address / sector_bytes * sector_bytes;
    const std::uint64_t end = (address + bytes + sector_bytes - 1) / sector_bytes * sector_bytes;
    tlm::tlm_generic_payload& p =
        sm_.transactions.acquire(writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                 first_sector, static_cast<unsigned>(end - first_sector),
                                 writes ? access_type::global_write : access_type::global_read);
    protocol::memory_extension& e = extension(p);
    e.bypass_l1 = true;
    e.is_atomic = atomic;
    for (std::uint64_t a = first_sector; a < end; a += sector_bytes)
        e.sectors = static_cast<std::uint8_t>(e.sectors | 1u << (a % line_bytes / sector_bytes));
    e.bytes.set(offset, bytes);
    e.lanes = 1;
    e.warp = t.warp;
    sm_.identity.tag(e);
    e.owner = t.number;
    e.when.created = protocol::hop_times::stamp(act_process_.now());
    ++t.outstanding;
    ++requests_;
    ++sm_.statistics.bulk_requests;
    memory.try_send(p);
}

/// The next cycle in which the engine can make progress without external input; the largest value
/// if there is none.
std::uint64_t bulk_copy_engine::next_action(std::uint64_t now) const {
    std::uint64_t next = ~std::uint64_t{0};
    if (!commands_.empty()) next = std::max(commands_.front()->ready_at, front_end_free_at_);
    if (!generating_.empty()) {
        const transfer& t = *generating_.front();
        const bool can_send = !memory.blocked() && requests_ < config_.requests_in_flight;
        const bool sends = t.range < t.what.ranges.size();  // not a box outside of its tensor
        if (has_to_ask_for_map(t) && can_send)
            next = now;
        else if (!t.awaits_map && (can_send || !sends))
            next = std::min(next, std::max(t.requests_at, sends ? next_request_at_ : 0));
    }
    return std::max(next, now + 1);
}

void bulk_copy_engine::act() {
    const std::uint64_t now = act_process_.now();
    process_command(now);
    generate(now);
    const std::uint64_t next = next_action(now);
    if (next == ~std::uint64_t{0})
        act_process_.sleep();
    else
        act_process_.sleep_until(next);
}

// ---- replies -----------------------------------------------------------------------------------

bool bulk_copy_engine::accept_response(tlm::tlm_generic_payload& p) {
    tlm::tlm_generic_payload* const whole = protocol::answered_request(p);
    if (whole == nullptr) return true;
    transfer& t = *all_[extension(*whole).owner];
    const bool is_map = t.map_requests != 0;  // requests for the copy follow those for its map
    whole->release();
    --requests_;
    --t.outstanding;
    act_process_.wake();
    if (is_map && --t.map_requests == 0 && !has_to_ask_for_map(t)) {
        for (transfer* const waiting : generating_) {
            if (waiting->what.tensor_map != t.what.tensor_map || !waiting->awaits_map) continue;
            waiting->awaits_map = false;
            schedule_first_request(*waiting, act_process_.now());
        }
        if (maps_.size() == config_.tensor_maps) maps_.erase(maps_.begin());
        maps_.push_back(t.what.tensor_map);
    }
    complete_if_done(t);
    return true;
}

void bulk_copy_engine::complete_if_done(transfer& t) {
    if (!t.generated || t.outstanding != 0) return;
    const std::uint64_t at = act_process_.now() + config_.arrival_cycles;
    completions_.push_back({at, &t});
    finish_process_.wake_at(completions_.front().at);
}

void bulk_copy_engine::finish() {
    const std::uint64_t now = finish_process_.now();
    while (!completions_.empty() && completions_.front().at <= now) {
        transfer& t = *completions_.front().what;
        completions_.pop_front();
        if (watcher_ != nullptr)
            watcher_->copy_ended(sm_number_, t.warp, t.what,
                                 {t.ready_at - config_.issue_cycles, t.begun, now});
        warp_state& warp = sm_.warps.warp[t.warp];
        if (in_group(t)) {
            warp_groups& g = groups_[t.warp];
            --g.of[t.group - g.first].in_flight;
            release_waiting(t.warp);
        } else {
            sm_.sm.transfer_arrived(t.warp, t.what);
        }
        --warp.transfers;
        sm_.warps.may_leave(t.warp);
        free_.push_back(&t);
    }
    if (completions_.empty())
        finish_process_.sleep();
    else
        finish_process_.sleep_until(completions_.front().at);
}

std::string bulk_copy_engine::why_waiting(unsigned warp) const {
    const warp_groups& g = groups_[warp];
    if (!g.waits) return {};
    std::uint32_t left = 0;
    for (std::size_t i = 0; i < g.of.size() && g.first + i < g.wait_below; ++i)
        left += g.read_only ? g.of[i].reading : g.of[i].in_flight;
    return fmt::format("bulk groups: {} copies {}", left,
                       g.read_only ? "have yet to read shared memory" : "are not complete");
}

}  // namespace simtlm::core::sub_core_pipeline
