// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_sampler.h"

#include "modules/memory/log2_bucket.h"

#include <algorithm>

namespace simtlm::memory {

namespace {

/// Number of cycles in [from, to) before `end`.
std::uint64_t cycles_before(std::uint64_t end, std::uint64_t from, std::uint64_t to) {
    return std::clamp(end, from, to) - from;
}
/// Number of cycles in [from, to) and in [start, end).
std::uint64_t cycles_between(std::uint64_t start, std::uint64_t end, std::uint64_t from,
                             std::uint64_t to) {
    return cycles_before(end, std::clamp(start, from, to), to);
}

unsigned ones(std::uint64_t mask) {
    return static_cast<unsigned>(__builtin_popcountll(mask));
}

}  // namespace

dram_sampler::dram_sampler(const dram_config& config, const dram_bank_machines& machines,
                           const dram_data_pipeline& pipeline, dram_statistics& statistics)
    : config_(config),
      machines_(machines),
      pipeline_(pipeline),
      s_(statistics),
      group_mask_(machines.timing().groups(), 0),
      free_since_(machines.banks(), 0) {
    for (unsigned b = 0; b < machines.banks(); ++b)
        group_mask_[machines.timing().group_of(b)] |= dram_bank_machines::bit(b);
}

// Cycles.

void dram_sampler::begin_cycle(unsigned pending) {
    s_.queue_sum += pending;
    s_.queue_max = std::max<std::uint64_t>(s_.queue_max, pending);
    sample_banks(1);
}

void dram_sampler::end_cycle(std::uint64_t now, issued_commands issued) {
    ++s_.cycles;
    if (issued.row || issued.column) {
        ++s_.active_cycles;
        ++s_.command_cycles;
        s_.row_commands += issued.row ? 1u : 0u;
        s_.column_commands += issued.column ? 1u : 0u;
        s_.dual_commands += issued.row && issued.column ? 1u : 0u;
    } else {
        ++s_.idle_cycles;
        if (machines_.busy() != 0 || now < machines_.timing().quiet_at()) ++s_.active_cycles;
    }
    if (machines_.busy() != 0) ++s_.waiting_cycles_after;
    sample_limits(now, now + 1, issued.column);
    counted_to_ = now + 1;
}

void dram_sampler::slept(std::uint64_t until) {
    const std::uint64_t from = counted_to_;
    const std::uint64_t cycles = until - from;
    counted_to_ = until;
    s_.cycles += cycles;
    s_.idle_cycles += cycles;
    s_.active_cycles +=
        machines_.busy() != 0 ? cycles : cycles_before(machines_.timing().quiet_at(), from, until);
    s_.queue_sum += pending_ * cycles;
    s_.queue_max = std::max<std::uint64_t>(s_.queue_max, pending_);
    sample_banks(cycles);
    if (machines_.busy() != 0) s_.waiting_cycles_after += cycles;
    sample_limits(from, until, false);
}

void dram_sampler::sample_banks(std::uint64_t cycles) {
    if (machines_.busy() == 0) return;
    s_.banks_waiting += cycles * ones(machines_.busy());
    s_.waiting_cycles += cycles;
    const std::uint64_t open = machines_.open();
    if (open == 0) return;
    s_.banks_open += cycles * ones(open);
    s_.open_cycles += cycles;
    s_.writing_of_open[ones(open)] += cycles * ones(machines_.open_write());
    unsigned groups = 0;
    for (const std::uint64_t mask : group_mask_) groups += (mask & open) != 0 ? 1u : 0u;
    s_.open_groups += cycles * groups;
}

void dram_sampler::sample_limits(std::uint64_t from, std::uint64_t to, bool column_issued) {
    if (column_issued) {
        s_.utilised += to - from;
        return;
    }
    const std::uint64_t moving = cycles_before(machines_.timing().column_any(), from, to);
    s_.utilised += moving;
    from += moving;
    if (from == to) return;
    if (machines_.busy() == 0) {
        s_.unused += to - from;
        return;
    }
    if (machines_.open() == 0) {
        s_.wasted_row += to - from;
        return;
    }
    s_.wasted_column += to - from;
    for (std::uint64_t m = machines_.open(); m != 0; m &= m - 1)
        sample_limits_of(static_cast<unsigned>(__builtin_ctzll(m)), from, to);
    if (pipeline_.full()) s_.limit_pipeline += ones(machines_.open()) * (to - from);
}

/// Counts the constraints that delay the column command of a bank.
void dram_sampler::sample_limits_of(unsigned b, std::uint64_t from, std::uint64_t to) {
    const dram_timing_state& t = machines_.timing();
    const bool write = (machines_.open_write() & dram_bank_machines::bit(b)) != 0;
    const std::uint64_t activated = write ? t.activated_write(b) : t.activated_read(b);
    const std::uint64_t turned = write ? t.write_any() : t.read_any();
    const std::uint64_t group = t.column_of_group(b);
    (write ? s_.limit_rcd_write : s_.limit_rcd) += cycles_before(activated, from, to);
    (write ? s_.limit_rtw : s_.limit_wtr) += cycles_before(turned, from, to);
    s_.limit_ccdl += cycles_before(group, from, to);
    s_.limit_ccdl_alone += cycles_between(turned, group, from, to);
    (write ? s_.limit_rtw_alone : s_.limit_wtr_alone) += cycles_between(group, turned, from, to);
}

// Requests and banks.

void dram_sampler::arrived(const dram_request& r, unsigned decoded_bank, unsigned queued) {
    s_.queue_max_push = std::max<std::uint64_t>(s_.queue_max_push, queued);
    ++s_.requests;
    ++(r.write ? s_.scheduled_writes : s_.scheduled_reads);
    const std::uint64_t atoms = config_.atoms_of(r.bytes);
    auto& traffic = s_.traffic[decoded_bank % machines_.banks()];
    (r.write ? traffic.writes : traffic.reads) += atoms;
    traffic.by_type[static_cast<unsigned>(r.type)] += atoms;
}

void dram_sampler::scheduled(std::uint64_t latency) {
    s_.latency_sum += latency;
    ++s_.latency_num;
    ++s_.latency_table[log2_bucket(latency)];
    s_.latency_max = std::max(s_.latency_max, latency);
}

void dram_sampler::bank_taken(unsigned b, std::uint64_t now) {
    s_.banks[b].idle += now - free_since_[b];
}

void dram_sampler::count_free_banks(std::uint64_t until) {
    for (unsigned b = 0; b < machines_.banks(); ++b) {
        if ((machines_.busy() & dram_bank_machines::bit(b)) != 0 || free_since_[b] >= until)
            continue;
        s_.banks[b].idle += until - free_since_[b];
        free_since_[b] = until;
    }
}

}  // namespace simtlm::memory
