// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_timing_state.h"

#include "modules/support/error.h"

namespace simtlm::memory {

namespace {
unsigned minus(unsigned a, unsigned b) {
    return a > b ? a - b : 0u;
}
}  // namespace

derived_timing::derived_timing(const dram_config& c) {
    const dram_timing& t = c.timing;
    burst = c.burst_length / std::max(1u, c.data_command_freq_ratio);
    tRCD_write = minus(t.tRCD, t.WL + 1);
    tRTW = c.eliminate_rw_turnaround ? 0 : minus(t.CL + burst + 2, t.WL);
    tWTR = c.eliminate_rw_turnaround ? 0 : t.WL + burst + t.tCDLR;
    tWTP = t.WL + burst + t.tWR;
    tRTP = burst;
}

dram_timing_state::dram_timing_state(const dram_config& config)
    : timing_(config.timing), derived_(config) {
    const unsigned groups = timing_.nbkgrp;
    const char* option = "-gpgpu_dram_timing_opt";
    if (timing_.nbk == 0 || timing_.nbk > 64)
        throw support::user_error(option, "nbk must be 1 .. 64");
    if (groups == 0 || (groups & (groups - 1)) != 0 || timing_.nbk % groups != 0)
        throw support::user_error(option, "nbkgrp must be a power of two that divides nbk");
    bank_.resize(timing_.nbk);
    group_.resize(groups);
    unsigned shift = 0;
    while ((timing_.nbk / groups) >> (shift + 1) != 0) ++shift;
    for (unsigned b = 0; b < timing_.nbk; ++b) {
        const unsigned g = config.bank_group_index == bank_group_indexing::high_bits
                               ? std::min(b >> shift, groups - 1)
                               : b & (groups - 1);
        bank_[b].group = static_cast<std::uint16_t>(g);
    }
}

void dram_timing_state::activate(unsigned b, std::uint32_t row, std::uint64_t now) {
    bank& k = bank_[b];
    k.row = row;
    k.active = true;
    activate_any_ = after(now, timing_.tRRD);
    k.read = after(now, timing_.tRCD);
    k.write = after(now, derived_.tRCD_write);
    k.restored = after(now, timing_.tRAS);
    k.activate = after(now, timing_.tRC);
}

void dram_timing_state::precharge(unsigned b, std::uint64_t now) {
    bank_[b].active = false;
    bank_[b].precharged = after(now, timing_.tRP);
}

void dram_timing_state::read(unsigned b, std::uint64_t now) {
    bank& k = bank_[b];
    column_any_ = after(now, timing_.tCCD);
    write_any_ = after(now, derived_.tRTW);
    group_[k.group].column = now + timing_.tCCDL;
    k.read_to_precharge = now + derived_.tRTP;
    group_[k.group].precharge = now + timing_.tRTPL;
}

void dram_timing_state::write(unsigned b, std::uint64_t now) {
    bank& k = bank_[b];
    column_any_ = after(now, timing_.tCCD);
    read_any_ = after(now, derived_.tWTR);
    group_[k.group].column = now + timing_.tCCDL;
    k.write_to_precharge = now + derived_.tWTP;
}

void dram_timing_state::refresh(std::uint64_t now) {
    for (bank& k : bank_) k.precharged = after(now, timing_.tRFC);
}

std::uint64_t dram_timing_state::refresh_at() const {
    std::uint64_t at = 0;
    for (const bank& k : bank_) at = std::max(at, k.precharged);
    return at;
}

}  // namespace simtlm::memory
