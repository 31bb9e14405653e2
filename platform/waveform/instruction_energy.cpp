// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/instruction_energy.h"

namespace simtlm::platform {

namespace {

/// The counters of an instruction do not tell how often it was fetched: once per issue is assumed.
power::gpu_parameters fetched_once(power::gpu_parameters p) {
    p.perfect_instruction_cache = true;
    return p;
}

support::statistics listed(const core::core_statistics& sm, const cache::cache_statistics& data,
                           const cache::cache_statistics& texture,
                           const cache::cache_statistics& constant,
                           const cache::cache_statistics& l2, const memory::dram_statistics& dram) {
    support::statistics list;
    list.add("sm", "sm", sm);
    list.add("data", "l1d", data);
    list.add("texture", "l1t", texture);
    list.add("constant", "l1c", constant);
    list.add("l2", "l2", l2);
    list.add("dram", "dram", dram);
    return list;
}

}  // namespace

instruction_energy::instruction_energy(const power::energy_meter& meter, bool sub_cores)
    : meter_(meter),
      sub_cores_(sub_cores),
      list_(listed(sm_, data_, texture_, constant_, l2_, dram_)),
      reader_(list_, fetched_once(meter.parameters()), {}),
      no_further_(meter.table().terms.size()) {}

power::energies instruction_energy::of(const program::static_instruction& info,
                                       const instruction_counts& counts) {
    using protocol::access_type;
    sm_ = {};
    data_ = texture_ = constant_ = l2_ = {};
    dram_ = {};
    core::count_executions(sm_, info, counts.issues, counts.threads);
    sm_.shared_accesses = counts.shared_cycles;
    if (sub_cores_ && info.space == program::memory_space::shared)
        sm_.shared_accesses += counts.issues - counts.shared_issues;
    const bool writes = info.is_store && !info.is_load;
    const auto type =
        static_cast<unsigned>(writes ? access_type::global_write : access_type::global_read);
    cache::cache_statistics& l1 = info.space == program::memory_space::constant  ? constant_
                                  : info.space == program::memory_space::texture ? texture_
                                                                                 : data_;
    l1.outcomes[type] = counts.l1;
    l2_.outcomes[type] = counts.l2;
    const unsigned bytes = meter_.parameters().dram_access_bytes;
    (writes ? dram_.writes : dram_.reads) = counts.dram_bytes / bytes;
    power::activity_counts activity = reader_.read(0);
    activity[power::activity::idle_sms] = 0;
    power::energies e = power::event_energy(meter_.table(), activity, no_further_);
    power::scale(e, meter_.table(), meter_.now());
    return e;
}

}  // namespace simtlm::platform
