// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/waveform_catalogue.h"

#include "modules/memory/dram_timing_state.h"
#include "platform/gpu/gpu.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::platform {

namespace {

using kernel::waveform;
using protocol::core_clock;
using protocol::dram_clock;
using protocol::icnt_clock;
using protocol::l2_clock;

constexpr unsigned on(unsigned domain) {
    return 1u << domain;
}
constexpr unsigned core_or_icnt = on(core_clock) | on(icnt_clock);
constexpr unsigned l2_or_dram = on(l2_clock) | on(dram_clock);

/// Bits for the values 0 .. most.
unsigned bits_for(std::uint64_t most) {
    return most == 0 ? 1 : 64 - static_cast<unsigned>(__builtin_clzll(most));
}

/// Of an SM: those that send requests, and those that hold warps or instructions.
const std::vector<const char*> sending_blocks = {"ldst", "l1d", "l1i", "l1c", "l1t", "front_end"};

/// Names of blocks within another one.
std::vector<std::string> inside(const std::string& base, const std::vector<const char*>& blocks) {
    std::vector<std::string> names;
    for (const char* b : blocks) names.push_back(base + "." + b);
    return names;
}

/// Whether a counter has grown since the last question: the reader of what comes with an event. The
/// first question is answered no: what came with earlier events may be gone.
struct grown {
    bool asked = false;
    std::uint64_t last = 0;
    bool operator()(std::uint64_t count) {
        const bool yes = asked && count != last;
        asked = true;
        last = count;
        return yes;
    }
};

}  // namespace

/// Follows the commands of a DRAM channel: those of the current cycle, and what they make of the
/// banks.
class waveform_catalogue::bank_watch : public memory::command_observer {
public:
    enum state : std::uint8_t { idle, activating, open, reading, writing, precharging, refreshing };

    bank_watch(const memory::dram_config& config, const kernel::phase_sequencer& sequencer)
        : timing_(config.timing),
          burst_(memory::derived_timing(config).burst),
          longest_(std::max({timing_.tRCD, timing_.tRP, timing_.tRFC, burst_})),
          sequencer_(sequencer),
          banks_(config.timing.nbk) {}

    struct issued {
        bool any = false;
        std::uint64_t cycle = 0;
        memory::dram_command what{};
        unsigned bank = 0;
        std::uint32_t row = 0;
        std::uint32_t column = 0;
    };
    std::uint64_t now() const { return sequencer_.cycle(dram_clock); }
    /// The command of this cycle, or nullptr.
    const issued* row_command() const { return current(row_); }
    const issued* column_command() const { return current(column_); }

    state state_of(unsigned b) const {
        const bank& k = banks_[b];
        if (!k.touched) return idle;
        const std::uint64_t since = now() - k.at;
        switch (k.last) {
            case memory::dram_command::activate:
                return since < timing_.tRCD ? activating : open;
            case memory::dram_command::precharge:
                return since < timing_.tRP ? precharging : idle;
            case memory::dram_command::refresh:
                return since < timing_.tRFC ? refreshing : idle;
            case memory::dram_command::read:
                return since < burst_ ? reading : open;
            case memory::dram_command::write:
                return since < burst_ ? writing : open;
        }
        return idle;
    }
    /// Whether what the banks show may still change without a command.
    bool moving() const { return now() <= settled_; }
    std::uint64_t open_row(unsigned b) const {
        return banks_[b].active ? banks_[b].row : waveform::undriven;
    }

private:
    struct bank {
        bool touched = false;
        memory::dram_command last{};
        std::uint64_t at = 0;
        bool active = false;
        std::uint32_t row = 0;
    };

    const issued* current(const issued& i) const {
        return i.any && i.cycle == now() ? &i : nullptr;
    }
    void command(std::uint64_t cycle, memory::dram_command kind, unsigned b, std::uint32_t row,
                 std::uint32_t column) override {
        const bool is_column =
            kind == memory::dram_command::read || kind == memory::dram_command::write;
        settled_ = cycle + longest_ + 1;
        (is_column ? column_ : row_) = {true, cycle, kind, b, row, column};
        if (kind == memory::dram_command::refresh)
            for (bank& k : banks_) k = {true, kind, cycle, false, 0};
        else
            banks_[b] = {true, kind, cycle, kind != memory::dram_command::precharge, row};
    }

    memory::dram_timing timing_;
    unsigned burst_;
    unsigned longest_;  // time that a command takes to show its effect
    std::uint64_t settled_ = 0;
    const kernel::phase_sequencer& sequencer_;
    std::vector<bank> banks_;
    issued row_, column_;
};

waveform_catalogue::waveform_catalogue(gpu& device, kernel::waveform& wave) : wave_(wave) {
    opcode_ = &make_enumeration("opcode");
    issue_state_ = &make_enumeration("issue", {"?grey30?off", "?DarkGreen?issued", "?grey40?idle",
                                               "?DarkRed?scoreboard", "?DarkOrange3?stall"});
    stall_ = &make_enumeration(
        "stall", {"none", "bank_conflict", "network_full", "coalescing", "data_port"});
    row_command_ = &make_enumeration("row_command", {"activate", "precharge", "refresh"});
    column_command_ =
        &make_enumeration("column_command", {"?DarkGreen?read", "?DarkOrange3?write"});
    bank_state_ = &make_enumeration(
        "bank_state", {"?grey30?idle", "?DarkBlue?activating", "?grey40?open", "?DarkGreen?read",
                       "?DarkOrange3?write", "?purple4?precharging", "?DarkRed?refreshing"});

    add_clocks(device);
    for (unsigned c = 0; c < device.clusters().size(); ++c)
        add_cluster(device, *device.clusters()[c], c);
    const std::string network = std::string(device.name()) + ".network";
    if (wave_.wants(network)) {
        interconnect::network& n = device.network();
        group_ = "network";
        changed_by({});
        level(network + ".requests_inside", 16, core_or_icnt, display::level,
              [&n] { return n.packets_inside(interconnect::requests); });
        level(network + ".replies_inside", 16, core_or_icnt, display::level,
              [&n] { return n.packets_inside(interconnect::replies); });
        for (unsigned c = 0; c < device.clusters().size(); ++c)
            add_network_port(device, fmt::format("{}.cluster{}", network, c), c, true);
        for (unsigned m = 0; m < device.config().sub_partitions(); ++m)
            add_network_port(device, fmt::format("{}.memory{}", network, m), m, false);
    }
    for (unsigned p = 0; p < device.partitions().size(); ++p) add_partition(device, p);
}

waveform_catalogue::~waveform_catalogue() = default;

kernel::enumeration& waveform_catalogue::make_enumeration(const std::string& name,
                                                          std::vector<std::string> names) {
    enumerations_.push_back(std::make_unique<kernel::enumeration>(name, std::move(names)));
    return *enumerations_.back();
}

void waveform_catalogue::add(waveform::signal s, display shown) {
    const std::size_t index = wave_.signals();
    s.group = activity_;
    if (wave_.add(std::move(s))) entries_.push_back({index, group_, shown});
}

void waveform_catalogue::level(const std::string& name, unsigned width, unsigned domains,
                               display shown, reader read, kernel::enumeration* names) {
    waveform::signal s;
    s.name = name;
    s.width = width;
    s.domains = domains;
    s.read = std::move(read);
    s.names = names;
    add(std::move(s), shown);
}

void waveform_catalogue::events(const std::string& name, unsigned width, unsigned domain,
                                reader read) {
    waveform::signal s;
    s.name = name;
    s.width = width;
    s.what = waveform::kind::counter;
    s.domains = on(domain);
    s.read = std::move(read);
    add(std::move(s), width == 1 ? display::bit : display::decimal);
}

void waveform_catalogue::add_clocks(gpu& device) {
    const std::string base = std::string(device.name()) + ".clocks.";
    const clock_config& f = device.config().clocks;
    const std::pair<const char*, double> clocks[] = {
        {"core", f.core}, {"icnt", f.network}, {"l2", f.l2}, {"dram", f.dram}};
    for (unsigned d = 0; d < protocol::clock_domains; ++d) {
        clocks_.push_back(base + clocks[d].first);
        wave_.add_clock(d, clocks_.back(),
                        sc_core::sc_time(1.0 / clocks[d].second, sc_core::SC_SEC));
    }
}

void waveform_catalogue::add_cache(const std::string& base, unsigned domain,
                                   const cache::cache_statistics& s) {
    events(base + ".access", 4, domain, [&s] { return s.accesses; });
    events(base + ".hit", 4, domain, [&s] { return s.accesses - s.misses - s.pending_hits; });
    events(base + ".pending_hit", 4, domain, [&s] { return s.pending_hits; });
    events(base + ".miss", 4, domain, [&s] { return s.misses; });
    events(base + ".fail", 4, domain, [&s] { return s.reservation_fails; });
}

// ---- clusters and SMs

void waveform_catalogue::add_cluster(gpu& device, core::simt_cluster& cluster, unsigned number) {
    const std::string base = cluster.name();
    if (!wave_.wants(base)) return;
    for (unsigned i = 0; i < cluster.sms(); ++i)
        if (wave_.wants(cluster.core(i).name())) add_sm(device, cluster.core(i));
    group_ = fmt::format("cluster{}", number);
    std::vector<std::string> blocks = {base, device.network().name()};
    for (unsigned i = 0; i < cluster.sms(); ++i)
        for (std::string& b : inside(cluster.core(i).name(), sending_blocks))
            blocks.push_back(std::move(b));
    changed_by(blocks);
    level(base + ".requests_queued", 8, on(core_clock), display::level,
          [&cluster] { return cluster.requests_queued(); });
    level(base + ".request_blocked", 1, core_or_icnt, display::bit,
          [&cluster] { return cluster.request_blocked(); });
    level(base + ".responses_queued", 8, on(core_clock), display::level,
          [&cluster] { return cluster.responses_queued(); });
}

void waveform_catalogue::add_sm(gpu& device, core::sm& sm) {
    const std::string base = sm.name();
    const std::string group = base.substr(base.find('.') + 1);
    group_ = group;
    changed_by(inside(base, {"front_end"}));
    level(base + ".ctas", 6, on(core_clock), display::decimal,
          [&sm] { return sm.resident_ctas(); });
    level(base + ".warps", 7, on(core_clock), display::decimal,
          [&sm] { return static_cast<std::uint64_t>(__builtin_popcountll(sm.warps().resident)); });
    group_ = group + "/front end";
    add_front_end(sm, base + ".front_end");
    group_ = group + "/issue";
    add_schedulers(device, sm, base);
    group_ = group + "/operands and units";
    add_execution(sm, base);
    group_ = group + "/memory";
    add_load_store(sm, base, device.network().name());
}

void waveform_catalogue::add_front_end(core::sm& sm, const std::string& base) {
    const core::front_end::fetch_probe& p = sm.fetch().probe();
    changed_by({base, sm.l1i().name()});
    const core::warp_table& w = sm.warps();
    events(base + ".fetch", 3, core_clock, [&p] { return p.fetches; });
    events(base + ".hit", 3, core_clock, [&p] { return p.hits; });
    events(base + ".miss", 3, core_clock, [&p] { return p.misses; });
    events(base + ".refused", 3, core_clock, [&p] { return p.reservation_failures; });
    level(base + ".warp", 6, on(core_clock), display::decimal,
          [&p, g = grown()]() mutable { return g(p.fetches) ? p.warp : waveform::undriven; });
    level(base + ".pc", 32, on(core_clock), display::hexadecimal,
          [&p, g = grown()]() mutable { return g(p.fetches) ? p.pc : waveform::undriven; });
    std::vector<std::string> decoding = {base, sm.l1i().name()};
    for (unsigned i = 0; i < sm.schedulers(); ++i) decoding.push_back(sm.scheduler(i).name());
    changed_by(decoding);
    level(base + ".warps_fetching", 7, on(core_clock), display::level,
          [&w] { return static_cast<std::uint64_t>(__builtin_popcountll(w.fetching)); });
    level(base + ".warps_buffered", 7, on(core_clock), display::level,
          [&w] { return static_cast<std::uint64_t>(__builtin_popcountll(w.buffered)); });
}

void waveform_catalogue::add_schedulers(gpu& device, core::sm& sm, const std::string& base) {
    const kernel::phase_sequencer& sequencer = device.sequencer();
    const std::string group = group_;
    for (unsigned i = 0; i < sm.schedulers(); ++i) {
        const core::warp_scheduler& s = sm.scheduler(i);
        const core::warp_scheduler::issue_probe& p = s.probe();
        const std::string name = fmt::format("{}.scheduler{}", base, i);
        group_ = fmt::format("{}/scheduler {}", group, i);
        changed_by({name, base + ".front_end"});
        events(name + ".issued", 2, core_clock, [&p] { return p.count; });
        level(
            name + ".state", 3, on(core_clock), display::named,
            [&sm, &s, &sequencer]() -> std::uint64_t {
                const std::uint64_t now = sequencer.cycle(core_clock);
                if (!sm.ran_in(now)) return 0;
                return 1 + static_cast<unsigned>(s.reason_in(now));
            },
            issue_state_);
        level(name + ".warp", 6, on(core_clock), display::decimal,
              [&p, g = grown()]() mutable { return g(p.count) ? p.warp : waveform::undriven; });
        level(name + ".pc", 32, on(core_clock), display::hexadecimal,
              [&p, g = grown()]() mutable { return g(p.count) ? p.pc : waveform::undriven; });
        // The opcode's text lives as long as its kernel: it is read in the cycle of the issue.
        level(
            name + ".opcode", 12, on(core_clock), display::named,
            [this, &p, g = grown()]() mutable {
                return g(p.count) ? opcode_->value_of(p.opcode) : waveform::undriven;
            },
            opcode_);
    }
    group_ = group;
    std::vector<std::string> blocks = inside(base, {"front_end", "write_back", "ldst"});
    for (unsigned i = 0; i < sm.schedulers(); ++i) blocks.push_back(sm.scheduler(i).name());
    changed_by(blocks);
    const core::warp_table& w = sm.warps();
    level(base + ".scoreboard.registers", 12, on(core_clock), display::level, [&sm, &w] {
        std::uint64_t sum = 0;
        for (core::warp_mask m = w.resident; m != 0; m &= m - 1)
            sum += sm.scores().pending(static_cast<unsigned>(__builtin_ctzll(m)));
        return sum;
    });
    const auto warps = [&](const char* name, const core::warp_mask& mask) {
        level(base + name, 7, on(core_clock), display::level,
              [&mask] { return static_cast<std::uint64_t>(__builtin_popcountll(mask)); });
    };
    warps(".warps_at_barrier", w.at_barrier);
    warps(".warps_at_memory_barrier", w.at_memory_barrier);
    warps(".warps_at_atomic", w.at_atomic);
    warps(".warps_at_copy", w.at_copy);
}

void waveform_catalogue::add_execution(core::sm& sm, const std::string& base) {
    const core::operand_collector& c = sm.collector();
    const std::string collector = base + ".operand_collector";
    std::vector<std::string> blocks = inside(base, {"operand_collector", "dispatch", "ldst"});
    for (unsigned i = 0; i < sm.schedulers(); ++i) blocks.push_back(sm.scheduler(i).name());
    changed_by(blocks);
    level(collector + ".units", bits_for(c.units()), on(core_clock), display::level,
          [&c] { return c.units_in_use(); });
    level(collector + ".units_complete", bits_for(c.units()), on(core_clock), display::level,
          [&c] { return c.units_complete(); });
    for (unsigned p = 0; p < c.pipes(); ++p) {
        if (c.issued(p).width() == 0) continue;
        const core::pipeline_register& in = c.issued(p);
        const core::pipeline_register& out = c.ready(p);
        level(fmt::format("{}.id_oc_{}", collector, c.name_of(p)), bits_for(in.width()),
              on(core_clock), display::decimal, [&in] { return in.count(); });
        level(fmt::format("{}.oc_ex_{}", collector, c.name_of(p)), bits_for(out.width()),
              on(core_clock), display::decimal, [&out] { return out.count(); });
    }
    for (const auto& u : sm.units()) {
        const core::functional_unit& unit = *u;
        changed_by({unit.name(), base + ".dispatch"});
        level(std::string(unit.name()) + ".in_flight", 8, on(core_clock), display::level,
              [&unit] { return unit.in_flight(); });
    }
}

void waveform_catalogue::add_load_store(core::sm& sm, const std::string& base,
                                        const std::string& network) {
    const core::ldst_unit& l = sm.ldst();
    changed_by(inside(base, {"ldst", "dispatch"}));
    level(base + ".ldst.warp", 6, on(core_clock), display::decimal, [&l]() -> std::uint64_t {
        const core::warp_instruction* i = l.in_dispatch_register();
        return i != nullptr ? i->warp : waveform::undriven;
    });
    level(
        base + ".ldst.opcode", 12, on(core_clock), display::named,
        [this, &l]() -> std::uint64_t {
            const core::warp_instruction* i = l.in_dispatch_register();
            return i != nullptr ? opcode_->value_of(i->info->opcode) : waveform::undriven;
        },
        opcode_);
    level(base + ".ldst.accesses_left", 6, on(core_clock), display::decimal,
          [&l]() -> std::uint64_t {
              const core::warp_instruction* i = l.in_dispatch_register();
              return i != nullptr ? i->accesses.size() : 0;
          });
    level(
        base + ".ldst.stall", 3, on(core_clock), display::named,
        [&l]() -> std::uint64_t {
            return l.in_dispatch_register() != nullptr ? static_cast<std::uint64_t>(l.stall())
                                                       : waveform::undriven;
        },
        stall_);
    // Whoever sends may be refused, and whatever moves packets may free the way.
    std::vector<std::string> around = inside(base, sending_blocks);
    around.push_back(base.substr(0, base.rfind('.')));
    around.push_back(network);
    changed_by(around);
    level(base + ".port.blocked", 1, core_or_icnt, display::bit,
          [&sm] { return sm.port().blocked(); });
    level(base + ".port.responses_queued", 8, on(core_clock), display::level,
          [&sm] { return sm.port().responses_queued(); });
    const std::string group = group_;
    const auto cache_with_mshrs = [&](const std::string& name, const auto& engine) {
        changed_by({name, base + (name == base + ".l1i" ? ".front_end" : ".ldst")});
        group_ = group + "/" + name.substr(name.rfind('.') + 1);
        add_cache(name, core_clock, engine.statistics());
        level(name + ".mshrs", bits_for(engine.config().mshr_entries), on(core_clock),
              display::level, [&engine] { return engine.mshrs().in_use(); });
        level(name + ".miss_queue", 8, on(core_clock), display::level,
              [&engine] { return engine.misses_queued(); });
    };
    if (sm.l1d() != nullptr) cache_with_mshrs(base + ".l1d", sm.l1d()->engine());
    cache_with_mshrs(base + ".l1i", sm.l1i().engine());
    cache_with_mshrs(base + ".l1c", sm.l1c().engine());
    group_ = group + "/l1t";
    changed_by(inside(base, {"l1t", "ldst"}));
    add_cache(base + ".l1t", core_clock, sm.l1t().engine().statistics());
}

// ---- network

void waveform_catalogue::add_network_port(gpu& device, const std::string& base, unsigned port,
                                          bool of_cluster) {
    using interconnect::replies;
    using interconnect::requests;
    if (!wave_.wants(base)) return;
    const interconnect::network& n = device.network();
    const interconnect::subnet in = of_cluster ? requests : replies;
    const interconnect::subnet out = of_cluster ? replies : requests;
    changed_by({});
    group_ = fmt::format("network/{} {}", of_cluster ? "cluster" : "memory", port);
    events(base + (of_cluster ? ".request_in" : ".reply_in"), 2,
           of_cluster ? core_clock : icnt_clock, [&n, in, port] { return n.packets_in(in, port); });
    level(base + (of_cluster ? ".request_blocked" : ".reply_blocked"), 1, core_or_icnt,
          display::bit, [&n, in, port] { return n.injection_blocked(in, port); });
    events(base + (of_cluster ? ".reply_out" : ".request_out"), 2,
           of_cluster ? core_clock : l2_clock,
           [&n, out, port] { return n.packets_out(out, port); });
    level(base + (of_cluster ? ".reply_waits" : ".request_waits"), 1, core_or_icnt | on(l2_clock),
          display::bit, [&n, out, port] { return n.ejection_waits(out, port); });
}

// ---- memory partitions

void waveform_catalogue::add_partition(gpu& device, unsigned number) {
    const memory::memory_partition& p = *device.partitions()[number];
    const std::string base = p.name();
    if (!wave_.wants(base)) return;
    const std::string group = fmt::format("partition{}", number);
    for (unsigned s = 0; s < p.sub_partitions(); ++s) {
        group_ = fmt::format("{}/L2 bank {}", group, s);
        add_l2(device, p.sub_partition(s), p.sub_partition(s).name());
    }
    group_ = group + "/DRAM";
    // Where an external memory serves the channel there is no block of this name, and what is not
    // there counts as active.
    changed_by({base, fmt::format("{}.dram{}", device.name(), number)});
    level(base + ".requests_delayed", 10, l2_or_dram, display::level,
          [&p] { return p.requests_delayed(); });
    level(base + ".in_channel", 10, on(dram_clock), display::level,
          [&p] { return p.in_channel(); });
    if (wave_.wants(base + ".dram")) add_dram(device, number, base + ".dram");
}

void waveform_catalogue::add_l2(gpu& device, const memory::memory_sub_partition& sub,
                                const std::string& base) {
    const memory::partition_config& c = device.config().memory.partition;
    const unsigned l2_or_icnt = on(l2_clock) | on(icnt_clock);
    changed_by({base, base.substr(0, base.rfind('.')), device.network().name()});
    level(base + ".delayed", 12, on(l2_clock), display::level,
          [&sub] { return sub.requests_delayed(); });
    level(base + ".icnt_to_l2", bits_for(c.icnt_to_l2), on(l2_clock), display::level,
          [&sub] { return sub.requests_queued(); });
    level(base + ".l2_to_dram", bits_for(c.l2_to_dram), l2_or_dram, display::level,
          [&sub] { return sub.to_memory.size(); });
    level(base + ".dram_to_l2", bits_for(c.dram_to_l2), l2_or_dram, display::level,
          [&sub] { return sub.from_memory.size(); });
    level(base + ".l2_to_icnt", bits_for(c.l2_to_icnt), l2_or_icnt, display::level,
          [&sub] { return sub.replies_queued(); });
    level(base + ".request_waits", 1, l2_or_icnt, display::bit,
          [&sub] { return sub.request_waits(); });
    level(base + ".reply_blocked", 1, l2_or_icnt, display::bit,
          [&sub] { return sub.reply_blocked(); });
    if (const cache::data_cache* engine = sub.engine()) {
        add_cache(base, l2_clock, engine->statistics());
        level(base + ".mshrs", bits_for(engine->config().mshr_entries), on(l2_clock),
              display::level, [engine] { return engine->mshrs().in_use(); });
        level(base + ".miss_queue", 8, on(l2_clock), display::level,
              [engine] { return engine->misses_queued(); });
    }
}

void waveform_catalogue::add_dram(gpu& device, unsigned channel, const std::string& base) {
    const memory::dram_config& config = device.config().memory.partition.dram;
    watches_.push_back(std::make_unique<bank_watch>(config, device.sequencer()));
    device.observe_commands(channel, *watches_.back());
    const bank_watch& w = *watches_.back();
    changed_by(
        {fmt::format("{}.dram{}", device.name(), channel), device.partitions()[channel]->name()},
        [&w] { return w.moving(); });
    const unsigned banks = config.timing.nbk;
    const auto of_row = [&w](auto field) {
        return [&w, field]() -> std::uint64_t {
            const bank_watch::issued* i = w.row_command();
            return i != nullptr ? field(*i) : waveform::undriven;
        };
    };
    const auto of_column = [&w](auto field) {
        return [&w, field]() -> std::uint64_t {
            const bank_watch::issued* i = w.column_command();
            return i != nullptr ? field(*i) : waveform::undriven;
        };
    };
    using issued = bank_watch::issued;
    const unsigned bank_bits = bits_for(banks - 1);
    level(base + ".row_command", 2, on(dram_clock), display::named, of_row([](const issued& i) {
              return i.what == memory::dram_command::activate    ? 0u
                     : i.what == memory::dram_command::precharge ? 1u
                                                                 : 2u;
          }),
          row_command_);
    level(base + ".row_bank", bank_bits, on(dram_clock), display::decimal,
          of_row([](const issued& i) { return i.bank; }));
    level(base + ".row", 20, on(dram_clock), display::hexadecimal,
          of_row([](const issued& i) { return i.row; }));
    level(base + ".column_command", 2, on(dram_clock), display::named,
          of_column([](const issued& i) { return i.what == memory::dram_command::read ? 0u : 1u; }),
          column_command_);
    level(base + ".column_bank", bank_bits, on(dram_clock), display::decimal,
          of_column([](const issued& i) { return i.bank; }));
    level(base + ".column_row", 20, on(dram_clock), display::hexadecimal,
          of_column([](const issued& i) { return i.row; }));
    level(base + ".column", 16, on(dram_clock), display::hexadecimal,
          of_column([](const issued& i) { return i.column; }));
    level(base + ".requests", 10, on(dram_clock), display::level,
          [&device, channel] { return device.channels()[channel]->requests_inside(); });
    level(base + ".replies_queued", 10, on(dram_clock), display::level,
          [&device, channel] { return device.channels()[channel]->replies_queued(); });
    const std::string group = group_;
    for (unsigned b = 0; b < banks; ++b) {
        group_ = fmt::format("{}/bank {}", group, b);
        level(
            fmt::format("{}.bank{}.state", base, b), 3, on(dram_clock), display::named,
            [&w, b]() -> std::uint64_t { return w.state_of(b); }, bank_state_);
        level(fmt::format("{}.bank{}.row", base, b), 20, on(dram_clock), display::hexadecimal,
              [&w, b] { return w.open_row(b); });
    }
}

}  // namespace simtlm::platform
