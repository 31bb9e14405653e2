// SPDX-License-Identifier: Apache-2.0
// The signals of an SM with sub-cores for waveforms: docs/waveforms.md lists them.
#include "modules/cache/cache_signals.h"
#include "modules/core/sub_core_pipeline/sub_core_sm.h"
#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

namespace {
constexpr unsigned on_core = 1u << protocol::core_clock;
}

std::vector<std::string> sub_core_sm::sending_blocks() const {
    std::vector<std::string> blocks;
    for (const char* b : {"memory_unit", "l1d", "l1i", "l1c", "l1t", "instruction_link"})
        blocks.push_back(std::string(name()) + "." + b);
    return blocks;
}

void sub_core_sm::register_signals(waveforms::signal_list& list, const std::string&) {
    using waveforms::display;
    const std::string base = name();
    const std::string group = base.substr(base.find('.') + 1);
    list.group(group);
    list.changed_by({});
    register_occupancy(list);
    std::vector<std::string> reasons;
    for (unsigned r = 0; r < stall_reasons; ++r) reasons.push_back(stall_reason_label(r));
    for (const auto& s : sub_cores_) {
        const std::string sub = s->name();
        if (!list.wants(sub)) continue;
        list.group(group + "/" + s->basename());
        list.changed_by({});
        const issue_stage::issue_probe& p = s->probe();
        const auto with_issue = [&](const char* what, unsigned width, display shown, auto read) {
            list.level(sub + "." + what, width, on_core, shown,
                       [&p, read, grown = waveforms::has_grown()]() mutable -> std::uint64_t {
                           return grown(p.count) ? static_cast<std::uint64_t>(read(p))
                                                 : waveforms::waveform::undriven;
                       });
        };
        list.events(sub + ".issue", 1, protocol::core_clock, [&p] { return p.count; });
        with_issue("warp", 6, display::decimal, [](const auto& i) { return i.warp; });
        with_issue("pc", 32, display::hexadecimal, [](const auto& i) { return i.pc; });
        with_issue("stall", 6, display::decimal, [](const auto& i) { return i.stall; });
        with_issue("wait_mask", 6, display::hexadecimal, [](const auto& i) { return i.wait_mask; });
        list.level(
            sub + ".reason", waveforms::bits_for(stall_reasons - 1), on_core, display::named,
            [&p] { return static_cast<std::uint64_t>(p.reason); },
            &list.names(waveforms::value_names::stall_reason, reasons));
        for (unsigned w = s->number(); w < config_.max_warps; w += config_.schedulers) {
            const std::string warp = fmt::format("{}.warp{}", sub, w);
            if (!list.wants(warp)) continue;
            list.group(fmt::format("{}/{}/warp {}", group, s->basename(), w));
            list.level(warp + ".buffered", 3, on_core, display::decimal,
                       [c = s.get(), w] { return c->buffered(w); });
            list.level(warp + ".stall", 6, on_core, display::decimal,
                       [c = s.get(), w] { return c->stall_left(w); });
            for (unsigned b = 0; b < dependence_counters::count; ++b)
                list.level(fmt::format("{}.sb{}", warp, b), 6, on_core, display::decimal,
                           [c = s.get(), w, b] { return c->counters(w).value(b); });
        }
    }
    if (timing_.engines.present) {
        list.group(group + "/engines");
        list.changed_by({});
        const std::string copies = bulk_copies_->name(), products = warpgroups_->name();
        list.level(copies + ".queued", 7, on_core, display::decimal,
                   [this] { return bulk_copies_->commands_queued(); });
        list.level(copies + ".in_flight", 8, on_core, display::decimal,
                   [this] { return bulk_copies_->in_flight(); });
        list.level(copies + ".requests", 9, on_core, display::decimal,
                   [this] { return bulk_copies_->requests_in_flight(); });
        list.level(std::string(mbarriers_->name()) + ".waiting", 7, on_core, display::decimal,
                   [this] { return mbarriers_->waiting(); });
        list.level(products + ".busy", 1, on_core, display::decimal, [this] {
            return warpgroups_->busy_in(sequencer_.cycle(protocol::core_clock)) ? 1u : 0u;
        });
        list.events(products + ".begun", 4, protocol::core_clock,
                    [this] { return warpgroups_->begun(); });
    }
    if (cta_clusters_) {
        const std::string unit = cta_clusters_->name();
        list.group(group + "/cluster");
        list.changed_by({});
        list.level(unit + ".at_barrier", 7, on_core, display::decimal,
                   [this] { return cta_clusters_->warps_at_barrier(); });
        list.level(unit + ".accesses", 10, on_core, display::decimal,
                   [this] { return cta_clusters_->accesses_in_flight(); });
    }
    list.group(group + "/memory");
    list.changed_by({caches_->data.name()});
    cache::register_signals(list, std::string(name()) + ".l1d", protocol::core_clock,
                            caches_->data.engine().statistics());
}

}  // namespace simtlm::core::sub_core_pipeline
