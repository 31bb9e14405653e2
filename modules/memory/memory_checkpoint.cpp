// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/address_mapping.h"
#include "modules/memory/dram_channel.h"
#include "modules/memory/memory_partition.h"
#include "modules/memory/memory_statistics.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace simtlm::memory {

void dram_timing_state::checkpoint(support::archive& a) {
    for (bank& b : bank_)
        a(b.read, b.write, b.restored, b.activate, b.precharged, b.write_to_precharge,
          b.read_to_precharge, b.row, b.active);
    for (bank_group& g : group_) a(g.column, g.precharge);
    a(column_any_, read_any_, write_any_, activate_any_, quiet_at_);
}

void dram_bank_machines::checkpoint(support::archive& a) {
    a(timing_);  // no bank is serving a request
}

void dram_sampler::checkpoint(support::archive& a) {
    a(free_since_, counted_to_, pending_);
}

void dram_timing_checker::checkpoint(support::archive& a) {
    const auto each = [&a](moment& m) { a(m.cycle, m.happened); };
    for (bank_history& b : banks_) {
        for (moment* m : {&b.activate, &b.precharge, &b.read, &b.write, &b.refresh}) each(*m);
        a(b.open, b.row);
    }
    for (group_history& g : groups_)
        for (moment* m : {&g.column, &g.read}) each(*m);
    for (moment* m : {&activate_, &read_, &write_, &column_, &refresh_, &row_bus_, &data_})
        each(*m);
    a.history(violations_, commands_);
}

void dram_scheduler::checkpoint(support::archive& a) {
    if (a.resets()) return;
    throw support::user_error("-gpgpu_dram_scheduler",
                              "this DRAM scheduler cannot be saved in a checkpoint",
                              "override dram_scheduler::checkpoint()");
}

void memory_channel::checkpoint(support::archive& a) {
    if (a.resets()) return;
    throw support::user_error(name(), "the state of this memory cannot be saved in a checkpoint",
                              "override memory_channel::checkpoint()");
}

void dram_channel::checkpoint(support::archive& a) {
    if (!a.restores() || a.resets()) replay_refreshes(sequencer_.edges(protocol::dram_clock));
    if (!a.block(name(), 3)) return;
    a(machines_, pipeline_, bus_, *scheduler_, priority_, arrivals_, kernel_start_, slept_blocked_);
    a.history(sampler_);
    if (!a.resets()) a(refresh_);  // continues while the channel is idle
    if (a.restores()) next_event_ = refresh_.due();
    if (checker_) a(*checker_);
}

void memory_sub_partition::checkpoint(support::archive& a, bool with_lines) {
    if (a.block(name(), 5)) {
        a(copies_, memcpy_offset_, atomic_unit_free_);
        a.history(stalled_, stalled_since_, accounted_);
    }
    if (!engine_ || !with_lines) return;
    engine_->checkpoint(a, std::string(name()) + ".l2", core_now(), [this](std::uint64_t address) {
        return mapping_.partition_address(address);
    });
}

void memory_sub_partition::insert(std::vector<cache::tag_array::saved_line> lines) {
    if (!engine_) return;
    engine_->insert(
        std::move(lines),
        [this](std::uint64_t address) { return mapping_.partition_address(address); }, core_now());
}

void memory_partition::checkpoint(support::archive& a, bool with_lines) {
    if (a.block(name(), 2)) checkpoint_arbiter(a);
    for (const auto& s : sub_partitions_) s->checkpoint(a, with_lines);
}

void memory_partition::checkpoint_arbiter(support::archive& a) {
    std::uint64_t next_request = next_request_.value();
    a(response_order_, next_request, private_credit_, shared_credit_, last_borrower_);
    next_request_ = sc_core::sc_time::from_value(next_request);
}

void memory_statistics::checkpoint(support::archive& a) {
    gather();
    std::uint64_t last_request_cycle = last_request_cycle_;
    a(open_.sum, open_.num, last_request_cycle);
    last_request_cycle_ = last_request_cycle;
}

void random_chunks::checkpoint(support::archive& a) {
    std::vector<std::pair<std::uint64_t, std::uint16_t>> places(places_.begin(), places_.end());
    std::sort(places.begin(), places.end());
    a(state_, next_, places);
    places_.clear();
    places_.insert(places.begin(), places.end());
}

void address_mapping::checkpoint(support::archive& a) {
    if (a.block(block_name, 2)) a(chunks_);
}

}  // namespace simtlm::memory
