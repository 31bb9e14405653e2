// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/gpu_signals.h"

#include "modules/cache/cache_signals.h"
#include "modules/memory/dram_timing_state.h"
#include "modules/waveforms/waveform.h"
#include "platform/gpu/cta_cluster_fabric.h"
#include "platform/gpu/gpu_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::platform {

namespace {

using protocol::core_clock;
using protocol::dram_clock;
using protocol::icnt_clock;
using protocol::l2_clock;
using waveforms::bits_for;
using waveforms::waveform;

constexpr unsigned on(unsigned domain) {
    return 1u << domain;
}
constexpr unsigned core_or_icnt = on(core_clock) | on(icnt_clock);
constexpr unsigned l2_or_dram = on(l2_clock) | on(dram_clock);

}  // namespace

/// Observes the commands of a DRAM channel: keeps those of the current cycle and derives the bank
/// states.
class gpu_signals::bank_watch : public memory::command_observer {
public:
    enum state : std::uint8_t { idle, activating, open, reading, writing, precharging, refreshing };

    bank_watch(const memory::dram_config& config, const simulation::phase_sequencer& sequencer)
        : timing_(config.timing),
          burst_(memory::derived_timing(config).burst),
          longest_(std::max({timing_.tRCD, timing_.tRP, timing_.tRFC, timing_.tRFCSB, burst_})),
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
    /// The command issued in this cycle, or nullptr.
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
            case memory::dram_command::refresh_bank:
                return since < timing_.tRFCSB ? refreshing : idle;
            case memory::dram_command::read:
                return since < burst_ ? reading : open;
            case memory::dram_command::write:
                return since < burst_ ? writing : open;
        }
        return idle;
    }
    /// Returns whether a bank state may still change without another command.
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
            banks_[b] = {true, kind, cycle,
                         kind != memory::dram_command::precharge &&
                             kind != memory::dram_command::refresh_bank,
                         row};
    }

    memory::dram_timing timing_;
    unsigned burst_;
    unsigned longest_;  // longest time for a command to take effect, DRAM cycles
    std::uint64_t settled_ = 0;
    const simulation::phase_sequencer& sequencer_;
    std::vector<bank> banks_;
    issued row_, column_;
};

gpu_signals::gpu_signals(gpu& device, waveforms::signal_list& list) : list_(list) {
    row_command_ =
        &list_.names(waveforms::value_names::row_command, {"activate", "precharge", "refresh"});
    column_command_ = &list_.names(waveforms::value_names::column_command,
                                   {"?DarkGreen?read", "?DarkOrange3?write"});
    bank_state_ =
        &list_.names(waveforms::value_names::bank_state,
                     {"?grey30?idle", "?DarkBlue?activating", "?grey40?open", "?DarkGreen?read",
                      "?DarkOrange3?write", "?purple4?precharging", "?DarkRed?refreshing"});

    for (unsigned c = 0; c < device.clusters().size(); ++c)
        add_cluster(device, *device.clusters()[c], c);
    const std::string network = std::string(device.name()) + ".network";
    if (list_.wants(network)) {
        interconnect::network& n = device.network();
        list_.group("network");
        list_.changed_by({});
        list_.level(network + ".requests_inside", 16, core_or_icnt, display::level,
                    [&n] { return n.packets_inside(interconnect::requests); });
        list_.level(network + ".replies_inside", 16, core_or_icnt, display::level,
                    [&n] { return n.packets_inside(interconnect::replies); });
        for (unsigned c = 0; c < device.clusters().size(); ++c)
            add_network_port(device, fmt::format("{}.cluster{}", network, c), c, true);
        for (unsigned m = 0; m < device.config().sub_partitions(); ++m)
            add_network_port(device, fmt::format("{}.memory{}", network, m), m, false);
    }
    if (const cta_cluster_fabric* const fabric = device.fabric())
        for (const auto& n : fabric->networks())
            if (list_.wants(n->name())) n->register_signals(list_);
    for (unsigned p = 0; p < device.partitions().size(); ++p) add_partition(device, p);
    if (power::energy_meter* const meter = device.power()) add_power(device, *meter);
}

gpu_signals::~gpu_signals() = default;

// ---- power ----

/// Signals of the power model show the last window that has ended.
void gpu_signals::add_power(gpu& device, power::energy_meter& meter) {
    const std::string base = std::string(device.name()) + ".power";
    list_.group("power");
    // Changes at the end of a window, after the steps of which all blocks may be asleep.
    list_.changed_by({device.registers().name()}, [&meter, shown = std::uint64_t{0}]() mutable {
        return std::exchange(shown, meter.last().to) != meter.last().to;
    });
    if (list_.wants(base)) {
        list_.real(base + ".total", on(core_clock), [&meter] { return meter.last().watts(); });
        for (unsigned g = 0; g < power::component_groups; ++g) {
            const auto group = static_cast<power::component_group>(g);
            list_.real(fmt::format("{}.{}", base, power::group_name(group)), on(core_clock),
                       [&meter, group] { return meter.last().watts(group); });
        }
        list_.real(base + ".core_clock_mhz", on(core_clock),
                   [&meter] { return meter.last().at.hertz * 1e-6; });
        if (meter.now().volts > 0)
            list_.real(base + ".volts", on(core_clock), [&meter] { return meter.last().at.volts; });
        if (meter.now().celsius)
            list_.real(base + ".celsius", on(core_clock),
                       [&meter] { return meter.last().at.celsius.value_or(0); });
        list_.group("power/components");
        for (unsigned c = 0; c < power::components; ++c) {
            const auto part = static_cast<power::component>(c);
            list_.real(fmt::format("{}.components.{}", base, power::component_name(part)),
                       on(core_clock), [&meter, part] { return meter.last().watts(part); });
        }
    }
    list_.group("power/blocks");
    for (const auto& c : device.clusters())
        for (unsigned i = 0; i < c->sms(); ++i)
            add_part_power(meter, std::string(c->core(i).name()) + ".power", c->core(i).name());
    add_part_power(meter, std::string(device.network().name()) + ".power", device.network().name());
    for (unsigned p = 0; p < device.partitions().size(); ++p) {
        const std::string name = device.partitions()[p]->name();
        add_part_power(meter, name + ".power", name);
        add_part_power(meter, name + ".dram.power", fmt::format("{}.dram{}", device.name(), p));
    }
}

/// Adds the power of the events of a block and those below it.
void gpu_signals::add_part_power(power::energy_meter& meter, const std::string& name,
                                 const std::string& block) {
    if (!list_.wants(name)) return;
    list_.real(name, on(core_clock),
               [&meter, part = meter.follow(block)] { return meter.part_watts(part); });
}

// ---- clusters and SMs ----

void gpu_signals::add_cluster(gpu& device, core::simt_cluster& cluster, unsigned number) {
    const std::string base = cluster.name();
    if (!list_.wants(base)) return;
    for (unsigned i = 0; i < cluster.sms(); ++i)
        if (list_.wants(cluster.core(i).name()))
            cluster.core(i).register_signals(list_, device.network().name());
    list_.group(fmt::format("cluster{}", number));
    std::vector<std::string> blocks = {base, device.network().name()};
    for (unsigned i = 0; i < cluster.sms(); ++i)
        for (std::string& b : cluster.core(i).sending_blocks()) blocks.push_back(std::move(b));
    list_.changed_by(blocks);
    list_.level(base + ".requests_queued", 8, on(core_clock), display::level,
                [&cluster] { return cluster.requests_queued(); });
    list_.level(base + ".request_blocked", 1, core_or_icnt, display::bit,
                [&cluster] { return cluster.request_blocked(); });
    list_.level(base + ".responses_queued", 8, on(core_clock), display::level,
                [&cluster] { return cluster.responses_queued(); });
}

// ---- network ----

void gpu_signals::add_network_port(gpu& device, const std::string& base, unsigned port,
                                   bool of_cluster) {
    using interconnect::replies;
    using interconnect::requests;
    if (!list_.wants(base)) return;
    const interconnect::network& n = device.network();
    const interconnect::subnet in = of_cluster ? requests : replies;
    const interconnect::subnet out = of_cluster ? replies : requests;
    list_.changed_by({});
    list_.group(fmt::format("network/{} {}", of_cluster ? "cluster" : "memory", port));
    list_.events(base + (of_cluster ? ".request_in" : ".reply_in"), 2,
                 of_cluster ? core_clock : icnt_clock,
                 [&n, in, port] { return n.packets_in(in, port); });
    list_.level(base + (of_cluster ? ".request_blocked" : ".reply_blocked"), 1, core_or_icnt,
                display::bit, [&n, in, port] { return n.injection_blocked(in, port); });
    list_.events(base + (of_cluster ? ".reply_out" : ".request_out"), 2,
                 of_cluster ? core_clock : l2_clock,
                 [&n, out, port] { return n.packets_out(out, port); });
    list_.level(base + (of_cluster ? ".reply_waits" : ".request_waits"), 1,
                core_or_icnt | on(l2_clock), display::bit,
                [&n, out, port] { return n.ejection_waits(out, port); });
}

// ---- memory partitions ----

void gpu_signals::add_partition(gpu& device, unsigned number) {
    const memory::memory_partition& p = *device.partitions()[number];
    const std::string base = p.name();
    if (!list_.wants(base)) return;
    const std::string group = fmt::format("partition{}", number);
    for (unsigned s = 0; s < p.sub_partitions(); ++s) {
        list_.group(fmt::format("{}/L2 bank {}", group, s));
        add_l2(device, p.sub_partition(s), p.sub_partition(s).name());
    }
    list_.group(group + "/DRAM");
    // With an external memory there is no block with this name, and an absent block counts as
    // active.
    list_.changed_by({base, fmt::format("{}.dram{}", device.name(), number)});
    list_.level(base + ".requests_delayed", 10, l2_or_dram, display::level,
                [&p] { return p.requests_delayed(); });
    list_.level(base + ".in_channel", 10, on(dram_clock), display::level,
                [&p] { return p.in_channel(); });
    if (list_.wants(base + ".dram")) add_dram(device, number, base + ".dram", group + "/DRAM");
}

void gpu_signals::add_l2(gpu& device, const memory::memory_sub_partition& sub,
                         const std::string& base) {
    const memory::partition_config& c = device.config().memory.partition;
    const unsigned l2_or_icnt = on(l2_clock) | on(icnt_clock);
    list_.changed_by({base, base.substr(0, base.rfind('.')), device.network().name()});
    list_.level(base + ".delayed", 12, on(l2_clock), display::level,
                [&sub] { return sub.requests_delayed(); });
    if (c.far_latency != 0)
        list_.level(base + ".crossing", 12, on(l2_clock), display::level,
                    [&sub] { return sub.requests_crossing(); });
    list_.level(base + ".icnt_to_l2", bits_for(c.icnt_to_l2), on(l2_clock), display::level,
                [&sub] { return sub.requests_queued(); });
    list_.level(base + ".l2_to_dram", bits_for(c.l2_to_dram), l2_or_dram, display::level,
                [&sub] { return sub.to_memory.size(); });
    list_.level(base + ".dram_to_l2", bits_for(c.dram_to_l2), l2_or_dram, display::level,
                [&sub] { return sub.from_memory.size(); });
    list_.level(base + ".l2_to_icnt", bits_for(c.l2_to_icnt), l2_or_icnt, display::level,
                [&sub] { return sub.replies_queued(); });
    list_.level(base + ".request_waits", 1, l2_or_icnt, display::bit,
                [&sub] { return sub.request_waits(); });
    list_.level(base + ".reply_blocked", 1, l2_or_icnt, display::bit,
                [&sub] { return sub.reply_blocked(); });
    if (const cache::data_cache* engine = sub.engine()) {
        cache::register_signals(list_, base, l2_clock, engine->statistics());
        list_.level(base + ".mshrs", bits_for(engine->config().mshr_entries), on(l2_clock),
                    display::level, [engine] { return engine->mshrs().in_use(); });
        list_.level(base + ".miss_queue", 8, on(l2_clock), display::level,
                    [engine] { return engine->misses_queued(); });
    }
}

void gpu_signals::add_dram(gpu& device, unsigned channel, const std::string& base,
                           const std::string& group) {
    const memory::dram_config& config = device.config().memory.partition.dram;
    watches_.push_back(std::make_unique<bank_watch>(config, device.sequencer()));
    device.observe_commands(channel, *watches_.back());
    const bank_watch& w = *watches_.back();
    list_.changed_by(
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
    list_.level(base + ".row_command", 2, on(dram_clock), display::named,
                of_row([](const issued& i) {
                    return i.what == memory::dram_command::activate    ? 0u
                           : i.what == memory::dram_command::precharge ? 1u
                                                                       : 2u;
                }),
                row_command_);
    list_.level(base + ".row_bank", bank_bits, on(dram_clock), display::decimal,
                of_row([](const issued& i) { return i.bank; }));
    list_.level(base + ".row", 20, on(dram_clock), display::hexadecimal,
                of_row([](const issued& i) { return i.row; }));
    list_.level(
        base + ".column_command", 2, on(dram_clock), display::named,
        of_column([](const issued& i) { return i.what == memory::dram_command::read ? 0u : 1u; }),
        column_command_);
    list_.level(base + ".column_bank", bank_bits, on(dram_clock), display::decimal,
                of_column([](const issued& i) { return i.bank; }));
    list_.level(base + ".column_row", 20, on(dram_clock), display::hexadecimal,
                of_column([](const issued& i) { return i.row; }));
    list_.level(base + ".column", 16, on(dram_clock), display::hexadecimal,
                of_column([](const issued& i) { return i.column; }));
    list_.level(base + ".requests", 10, on(dram_clock), display::level,
                [&device, channel] { return device.channels()[channel]->requests_inside(); });
    list_.level(base + ".replies_queued", 10, on(dram_clock), display::level,
                [&device, channel] { return device.channels()[channel]->replies_queued(); });
    for (unsigned b = 0; b < banks; ++b) {
        list_.group(fmt::format("{}/bank {}", group, b));
        list_.level(
            fmt::format("{}.bank{}.state", base, b), 3, on(dram_clock), display::named,
            [&w, b]() -> std::uint64_t { return w.state_of(b); }, bank_state_);
        list_.level(fmt::format("{}.bank{}.row", base, b), 20, on(dram_clock), display::hexadecimal,
                    [&w, b] { return w.open_row(b); });
    }
}

}  // namespace simtlm::platform
