// SPDX-License-Identifier: Apache-2.0
// The signals of an SM for waveforms: docs/waveforms.md lists them.
#include "modules/cache/cache_signals.h"
#include "modules/core/simt_pipeline/simt_sm.h"
#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace simtlm::core::simt_pipeline {

namespace {

constexpr unsigned on_core = 1u << protocol::core_clock;

/// Hierarchical names of blocks within another one.
std::vector<std::string> inside(const std::string& base, const std::vector<const char*>& blocks) {
    std::vector<std::string> names;
    for (const char* b : blocks) names.push_back(base + "." + b);
    return names;
}

}  // namespace

std::vector<std::string> simt_sm::sending_blocks() const {
    return inside(name(), {"ldst", "l1d", "l1i", "l1c", "l1t", "front_end"});
}

void simt_sm::register_signals(waveforms::signal_list& list, const std::string& network) {
    const std::string base = name();
    const std::string group = base.substr(base.find('.') + 1);
    list.group(group);
    list.changed_by(inside(base, {"front_end"}));
    register_occupancy(list);
    list.group(group + "/front end");
    register_front_end_signals(list, base + ".front_end");
    register_scheduler_signals(list, base, group + "/issue");
    list.group(group + "/operands and units");
    register_execution_signals(list, base);
    register_load_store_signals(list, base, group + "/memory", network);
}

void simt_sm::register_front_end_signals(waveforms::signal_list& list, const std::string& base) {
    const front_end::fetch_probe& p = front_end_->probe();
    list.changed_by({base, caches_->instruction.name()});
    const warp_table& w = warps_;
    list.events(base + ".fetch", 3, protocol::core_clock, [&p] { return p.fetches; });
    list.events(base + ".hit", 3, protocol::core_clock, [&p] { return p.hits; });
    list.events(base + ".miss", 3, protocol::core_clock, [&p] { return p.misses; });
    list.events(base + ".refused", 3, protocol::core_clock,
                [&p] { return p.reservation_failures; });
    list.level(base + ".warp", 6, on_core, waveforms::display::decimal,
               [&p, g = waveforms::has_grown()]() mutable {
                   return g(p.fetches) ? p.warp : waveforms::waveform::undriven;
               });
    list.level(base + ".pc", 32, on_core, waveforms::display::hexadecimal,
               [&p, g = waveforms::has_grown()]() mutable {
                   return g(p.fetches) ? p.pc : waveforms::waveform::undriven;
               });
    std::vector<std::string> decoding = {base, caches_->instruction.name()};
    for (unsigned i = 0; i < schedulers(); ++i) decoding.push_back(scheduler(i).name());
    list.changed_by(decoding);
    list.level(base + ".warps_fetching", 7, on_core, waveforms::display::level,
               [&w] { return static_cast<std::uint64_t>(__builtin_popcountll(w.fetching)); });
    list.level(base + ".warps_buffered", 7, on_core, waveforms::display::level,
               [&w] { return static_cast<std::uint64_t>(__builtin_popcountll(w.buffered)); });
}

void simt_sm::register_scheduler_signals(waveforms::signal_list& list, const std::string& base,
                                         const std::string& group) {
    waveforms::enumeration& opcodes = list.names(waveforms::value_names::opcode);
    waveforms::enumeration& states = list.names(waveforms::value_names::issue,
                                                {"?grey30?off", "?DarkGreen?issued", "?grey40?idle",
                                                 "?DarkRed?scoreboard", "?DarkOrange3?stall"});
    for (unsigned i = 0; i < schedulers(); ++i) {
        const warp_scheduler& s = scheduler(i);
        const warp_scheduler::issue_probe& p = s.probe();
        const std::string name = fmt::format("{}.scheduler{}", base, i);
        list.group(fmt::format("{}/scheduler {}", group, i));
        list.changed_by({name, base + ".front_end"});
        list.events(name + ".issued", 2, protocol::core_clock, [&p] { return p.count; });
        list.level(
            name + ".state", 3, on_core, waveforms::display::named,
            [this, &s]() -> std::uint64_t {
                const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
                if (!ran_in(now)) return 0;
                return 1 + static_cast<unsigned>(s.reason_in(now));
            },
            &states);
        list.level(name + ".warp", 6, on_core, waveforms::display::decimal,
                   [&p, g = waveforms::has_grown()]() mutable {
                       return g(p.count) ? p.warp : waveforms::waveform::undriven;
                   });
        list.level(name + ".pc", 32, on_core, waveforms::display::hexadecimal,
                   [&p, g = waveforms::has_grown()]() mutable {
                       return g(p.count) ? p.pc : waveforms::waveform::undriven;
                   });
        // The opcode's text is valid while its kernel exists, so it is read in the cycle of the
        // issue.
        list.level(
            name + ".opcode", 12, on_core, waveforms::display::named,
            [&opcodes, &p, g = waveforms::has_grown()]() mutable {
                return g(p.count) ? opcodes.value_of(p.opcode) : waveforms::waveform::undriven;
            },
            &opcodes);
    }
    list.group(group);
    std::vector<std::string> blocks = inside(base, {"front_end", "write_back", "ldst"});
    for (unsigned i = 0; i < schedulers(); ++i) blocks.push_back(scheduler(i).name());
    list.changed_by(blocks);
    const warp_table& w = warps_;
    list.level(base + ".scoreboard.registers", 12, on_core, waveforms::display::level, [this, &w] {
        std::uint64_t sum = 0;
        for (warp_mask m = w.resident; m != 0; m &= m - 1)
            sum += scoreboard_.pending(static_cast<unsigned>(__builtin_ctzll(m)));
        return sum;
    });
    const auto warps = [&](const char* name, const warp_mask& mask) {
        list.level(base + name, 7, on_core, waveforms::display::level,
                   [&mask] { return static_cast<std::uint64_t>(__builtin_popcountll(mask)); });
    };
    warps(".warps_at_barrier", w.at_barrier);
    warps(".warps_at_memory_barrier", w.at_memory_barrier);
    warps(".warps_at_atomic", w.at_atomic);
    warps(".warps_at_copy", w.at_copy);
}

void simt_sm::register_execution_signals(waveforms::signal_list& list, const std::string& base) {
    const operand_collector& c = collector_;
    const std::string collector = base + ".operand_collector";
    std::vector<std::string> blocks = inside(base, {"operand_collector", "dispatch", "ldst"});
    for (unsigned i = 0; i < schedulers(); ++i) blocks.push_back(scheduler(i).name());
    list.changed_by(blocks);
    list.level(collector + ".units", waveforms::bits_for(c.units()), on_core,
               waveforms::display::level, [&c] { return c.units_in_use(); });
    list.level(collector + ".units_complete", waveforms::bits_for(c.units()), on_core,
               waveforms::display::level, [&c] { return c.units_complete(); });
    for (unsigned p = 0; p < c.pipes(); ++p) {
        if (c.issued(p).width() == 0) continue;
        const pipeline_register& in = c.issued(p);
        const pipeline_register& out = c.ready(p);
        list.level(fmt::format("{}.id_oc_{}", collector, c.name_of(p)),
                   waveforms::bits_for(in.width()), on_core, waveforms::display::decimal,
                   [&in] { return in.count(); });
        list.level(fmt::format("{}.oc_ex_{}", collector, c.name_of(p)),
                   waveforms::bits_for(out.width()), on_core, waveforms::display::decimal,
                   [&out] { return out.count(); });
    }
    for (const auto& of : units_) {
        list.changed_by({of->name(), base + ".dispatch"});
        for (std::size_t k = 0; k < of->all().size(); ++k)
            list.level(of->name_of(k) + ".in_flight", 8, on_core, waveforms::display::level,
                       [&unit = of->all()[k]] { return unit.in_flight(); });
    }
}

void simt_sm::register_load_store_signals(waveforms::signal_list& list, const std::string& base,
                                          const std::string& group, const std::string& network) {
    const ldst_unit& l = *ldst_;
    waveforms::enumeration& opcodes = list.names(waveforms::value_names::opcode);
    waveforms::enumeration& stalls =
        list.names(waveforms::value_names::stall,
                   {"none", "bank_conflict", "network_full", "coalescing", "data_port"});
    list.group(group);
    list.changed_by(inside(base, {"ldst", "dispatch"}));
    list.level(base + ".ldst.warp", 6, on_core, waveforms::display::decimal,
               [&l]() -> std::uint64_t {
                   const warp_instruction* i = l.in_dispatch_register();
                   return i != nullptr ? i->warp : waveforms::waveform::undriven;
               });
    list.level(
        base + ".ldst.opcode", 12, on_core, waveforms::display::named,
        [&opcodes, &l]() -> std::uint64_t {
            const warp_instruction* i = l.in_dispatch_register();
            return i != nullptr ? opcodes.value_of(i->info->opcode) : waveforms::waveform::undriven;
        },
        &opcodes);
    list.level(base + ".ldst.accesses_left", 6, on_core, waveforms::display::decimal,
               [&l]() -> std::uint64_t {
                   const warp_instruction* i = l.in_dispatch_register();
                   return i != nullptr ? i->accesses.size() : 0;
               });
    list.level(
        base + ".ldst.stall", 3, on_core, waveforms::display::named,
        [&l]() -> std::uint64_t {
            return l.in_dispatch_register() != nullptr ? static_cast<std::uint64_t>(l.stall())
                                                       : waveforms::waveform::undriven;
        },
        &stalls);
    // Senders may be stalled, and blocks that move packets may make room.
    std::vector<std::string> around = sending_blocks();
    around.push_back(base.substr(0, base.rfind('.')));
    around.push_back(network);
    list.changed_by(around);
    list.level(base + ".port.blocked", 1, (1u << protocol::core_clock | 1u << protocol::icnt_clock),
               waveforms::display::bit, [this] { return port_.blocked(); });
    list.level(base + ".port.responses_queued", 8, on_core, waveforms::display::level,
               [this] { return port_.responses_queued(); });
    const auto cache_with_mshrs = [&](const std::string& name, const auto& engine) {
        list.changed_by({name, base + (name == base + ".l1i" ? ".front_end" : ".ldst")});
        list.group(group + "/" + name.substr(name.rfind('.') + 1));
        cache::register_signals(list, name, protocol::core_clock, engine.statistics());
        list.level(name + ".mshrs", waveforms::bits_for(engine.config().mshr_entries), on_core,
                   waveforms::display::level, [&engine] { return engine.mshrs().in_use(); });
        list.level(name + ".miss_queue", 8, on_core, waveforms::display::level,
                   [&engine] { return engine.misses_queued(); });
    };
    cache_with_mshrs(base + ".l1d", caches_->data.engine());
    cache_with_mshrs(base + ".l1i", caches_->instruction.engine());
    cache_with_mshrs(base + ".l1c", caches_->constant.engine());
    list.group(group + "/l1t");
    list.changed_by(inside(base, {"l1t", "ldst"}));
    cache::register_signals(list, base + ".l1t", protocol::core_clock,
                            caches_->texture.engine().statistics());
}

}  // namespace simtlm::core::simt_pipeline
