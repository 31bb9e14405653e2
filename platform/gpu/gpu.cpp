// SPDX-License-Identifier: Apache-2.0
#include "modules/core/multiprocessor.h"
#include "modules/execution/common/execution_error.h"
#include "modules/execution/state/device_memory.h"
#include "modules/power/energy_meter.h"
#include "modules/protocol/phases.h"
#include "modules/simulation/spawn.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"
#include "modules/trace/executed_replay.h"
#include "platform/gpu/cta_cluster_fabric.h"
#include "platform/gpu/default_bindings.h"
#include "platform/gpu/device_context.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/gpu/signal_trace.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace simtlm::platform {

namespace {

simulation::phase_sequencer::options sequencer_options(const gpu_config& c) {
    simulation::phase_sequencer::options o;
    o.sleeping = !c.run.no_sleep;
    o.shuffle_seed = c.run.shuffle_seed.value_or(0);
    o.clocked_threads = c.run.block_processes;
    o.host_threads = c.run.threads;
    o.groups_a_thread = c.run.sms_a_thread;
    return o;
}

}  // namespace

power::gpu_parameters power_parameters_of(const gpu_config& c) {
    power::gpu_parameters p;
    p.sms = c.sms();
    p.result_buses = c.power.result_buses;
    p.dram_access_bytes = c.memory.partition.dram.atom_bytes();
    p.lanes_gated = c.power.lanes_gated;
    p.perfect_instruction_cache = c.cores.sm.l1.perfect_instruction_and_constant;
    p.quirk_merges_reduce_misses = c.power.quirk_merges_reduce_misses;
    return p;
}

kernel_header_descriptor descriptor_of(const program::kernel_descriptor& h) {
    kernel_header_descriptor f;
    f.file = h.origin;
    f.kernel = h.name;
    f.binary_version = h.binary_version;
    f.threads_per_block = h.block.volume();
    f.registers = h.registers;
    f.shared_memory = h.shared_memory;
    return f;
}

isa::opcode_tables load_opcode_tables(const gpu_config& config) {
    isa::opcode_tables tables = isa::opcode_tables::builtin();
    for (const std::string& file : config.traces.opcode_tables) tables.load(file);
    return tables;
}

trace::reader_options reader_options_of(const gpu_config& config,
                                        const isa::opcode_tables& opcodes) {
    const trace_config& t = config.traces;
    trace::reader_options o;
    o.opcodes = &opcodes;
    o.latencies = t.latencies;
    o.share_paths = true;
    o.validate = t.validate;
    o.unknown_opcode_is_error = t.unknown_opcode_is_error;
    o.shared_memory = t.override_shared_memory;
    o.registers = t.override_registers;
    if (t.choice.ctas) o.ctas = *t.choice.ctas;
    o.quirks = t.quirks;
    o.assign_controls = config.ptx.controls_of != 0;
    return o;
}

gpu::parts::parts(const gpu_config& config)
    : opcodes(load_opcode_tables(config)),
      sequencer("sequencer", protocol::clock_domains, protocol::phase_table(),
                sequencer_options(config)),
      mapping(config.memory.mapping),
      memory_statistics(config.memory.channels, config.memory.partition.dram.timing.nbk,
                        config.run.threads),
      external(config.memory.channels),
      memory_effects("memory_effects", sequencer) {}

gpu::gpu(const sc_core::sc_module_name& name, gpu_config config)
    : sc_module(name),
      host("host"),
      clock("clock", protocol::clock_domains),
      reset("reset"),
      irq("irq"),
      host_memory("host_memory"),
      memory("memory", config.memory.channels),
      config_(std::move(config)),
      parts_(std::make_unique<parts>(config_)) {
    for (unsigned d = 0; d < protocol::clock_domains; ++d)
        parts_->sequencer.clock[d].bind(clock[d]);
    if (config_.run.threads > 1) parts_->transactions.share();
    if (config_.power.enabled)
        parts_->power =
            std::make_unique<power::energy_meter>(config_.power.table, power_parameters_of(config_),
                                                  config_.power.at, config_.power.cooling);
    make_partitions();
    make_network();
    make_command_processor(make_clusters());
    parts_->context = std::make_unique<device_context>(config_);
    parts_->context->set_fault([this](std::exception_ptr fault) {
        if (!parts_->host_interface->resetting()) parts_->sequencer.fail(std::move(fault));
    });
    host_interface::settings how;
    how.latency = host_latency();
    how.cycle = sc_core::sc_time(1 / config_.clocks.core, sc_core::SC_SEC);
    if (config_.dispatch.deadlock_detect) how.reset_timeout = config_.dispatch.deadlock_window;
    how.sms = config_.sms();
    how.channels = config_.memory.channels;
    parts_->host_interface = std::make_unique<host_interface>(
        "host_interface", parts_->sequencer, how, static_cast<host_device&>(*this),
        *parts_->context, host_interface::pins{host, irq, reset, host_memory});
    parts_->host_interface->clk(clock[protocol::core_clock]);
    parts_->memory_effects.clk(clock[protocol::core_clock]);
    parts_->tracer = std::make_unique<gpu_tracer>(*this);
    parts_->sequencer.set_tracer(*parts_->tracer);
    simulation::spawn_method("notice_stop", [this] { note_stop(); },
                             {parts_->commands->progress(), parts_->sequencer.failed()});
}

void gpu::make_partitions() {
    const memory::memory_config& m = config_.memory;
    for (unsigned c = 0; c < m.channels; ++c) {
        const simulation::scheduling_partition_scope here(
            parts_->sequencer, c, m.channels, simulation::scheduling_partition_size::large);
        parts_->partitions.push_back(std::make_unique<memory::memory_partition>(
            fmt::format("partition{}", c).c_str(), parts_->sequencer, m.partition, parts_->mapping,
            parts_->transactions, parts_->memory_statistics, c));
        memory::memory_partition& made = *parts_->partitions.back();
        made.clk(clock[protocol::dram_clock]);
        made.l2_clk(clock[protocol::l2_clock]);
        made.icnt_clk(clock[protocol::icnt_clock]);
        made.core_clk(clock[protocol::core_clock]);
    }
    std::vector<memory::copy_target*> slices;
    for (const auto& p : parts_->partitions)
        for (unsigned s = 0; s < m.partition.sub_partitions; ++s)
            slices.push_back(&p->sub_partition(s));
    const bool place = parts_->mapping.placed_at_first_use();
    parts_->host_copy = std::make_unique<memory::host_copy>(
        parts_->mapping, std::move(slices),
        memory::host_copy::settings{m.partition.quirk_memcpy_truncates, place,
                                    m.partition.copies_modify});
}

void gpu::set_stop_request(std::function<bool()> request) {
    parts_->stop_request = std::move(request);
    parts_->commands->set_stop_request(parts_->stop_request);
}

void gpu::make_network() {
    const memory::memory_config& m = config_.memory;
    parts_->network = interconnect::make_network(
        "network", parts_->sequencer, config_.network, [this](std::uint64_t address) -> unsigned {
            return parts_->mapping.sub_partition_of(address);
        });
    parts_->network->clk(clock[protocol::icnt_clock]);
    for (unsigned c = 0; c < m.channels; ++c)
        for (unsigned s = 0; s < m.partition.sub_partitions; ++s)
            parts_->network->to_memory[c * m.partition.sub_partitions + s].bind(
                parts_->partitions[c]->sub_partition(s).port);
}

/// @pre the clusters have been made
void gpu::make_gpc_caches() {
    const core::gpc_cache_config& config = config_.cores.gpc_cache;
    unsigned cluster = 0;
    for (unsigned g = 0; g < config.caches(); ++g) {
        const unsigned first = cluster, size = config.clusters_of_gpc[g];
        parts_->gpc_caches.push_back(std::make_unique<core::gpc_cache>(
            fmt::format("gpc_cache{}", g).c_str(), parts_->sequencer, config, first, size));
        core::gpc_cache& made = *parts_->gpc_caches.back();
        made.clk(clock[protocol::core_clock]);
        made.network.bind(parts_->network->from_cluster[config_.cores.clusters + g]);
        for (; cluster < first + size; ++cluster)
            parts_->clusters[cluster]->gpc_cache->bind(made.from_cluster[cluster - first]);
    }
}

std::vector<core::simt_cluster*> gpu::make_clusters() {
    if (parts_->mapping.placed_at_first_use()) {
        const core::simt_cluster_config& all = config_.cores;
        parts_->placement = std::make_unique<memory::address_placement>(
            "address_placement", parts_->sequencer,
            memory::address_placement::order{all.clusters, all.sms_per_cluster, all.in_order()},
            parts_->mapping);
        parts_->placement->clk(clock[protocol::core_clock]);
        parts_->placement->set_rotation(
            [this](unsigned c, unsigned s) { parts_->clusters[c]->inject_from(s); },
            [this](unsigned c, std::uint64_t cycle) {
                return parts_->clusters[c]->first_sm(cycle);
            });
    }
    std::vector<core::simt_cluster*> raw;
    for (unsigned c = 0; c < config_.cores.clusters; ++c) {
        const simulation::scheduling_partition_scope here(parts_->sequencer, c,
                                                          config_.cores.clusters);
        parts_->clusters.push_back(std::make_unique<core::simt_cluster>(
            fmt::format("cluster{}", c).c_str(), parts_->sequencer, config_.cores, c,
            parts_->transactions));
        parts_->clusters.back()->clk(clock[protocol::core_clock]);
        parts_->clusters.back()->network.bind(parts_->network->from_cluster[c]);
        parts_->clusters.back()->set_reply_observer(*this);
        if (parts_->placement) parts_->clusters.back()->set_request_order(*parts_->placement);
        for (unsigned i = 0; i < parts_->clusters.back()->sms(); ++i)
            parts_->memory_effects.add(parts_->clusters.back()->core(i).deferred_effects());
        raw.push_back(parts_->clusters.back().get());
    }
    make_gpc_caches();
    parts_->fabric = cta_cluster_fabric::make(parts_->sequencer, raw, clock[protocol::core_clock]);
    return raw;
}

void gpu::make_command_processor(std::vector<core::simt_cluster*> clusters) {
    dispatch::command_processor::hooks calls;
    calls.open =
        [this](const dispatch::host_command& c) -> std::unique_ptr<program::kernel_source> {
        auto recorded = std::make_unique<trace::kernel_trace>(
            c.file, reader_options_of(config_, parts_->opcodes), config_.traces.lookahead);
        if (recorded->header().code)
            return std::make_unique<trace::executed_replay>(std::move(recorded));
        return recorded;
    };
    if (config_.memory.warm_l2_on_copy)
        calls.copied_in = [this](std::uint64_t a, std::uint64_t n) {
            parts_->host_copy->copy(a, n, parts_->sequencer.edges(protocol::core_clock),
                                    parts_->stop_request);
        };
    calls.check = [this](const program::kernel_descriptor& h) {
        check_trace_fits(config_, descriptor_of(h));
    };
    if (config_.memory.flush_l2)
        calls.idle = [this] {
            const memory::memory_config& m = config_.memory;
            const unsigned per = m.partition.sub_partitions;
            const unsigned count = m.quirk_flush_few_l2 ? m.channels : m.channels * per;
            for (unsigned s = 0; s < count; ++s) {
                memory::memory_sub_partition& l2 =
                    parts_->partitions[s / per]->sub_partition(s % per);
                m.quirk_flush_few_l2 ? l2.flush() : l2.invalidate();
            }
        };
    calls.launched = [this] {
        for (auto& c : parts_->channels) c->begin_kernel();
    };
    calls.completed = [this](std::uint64_t tag) { parts_->host_interface->completed(tag); };
    parts_->commands = std::make_unique<dispatch::command_processor>(
        "command_processor", parts_->sequencer, config_.dispatch, config_.cores,
        std::move(clusters), std::move(calls));
}

void gpu::before_end_of_elaboration() {
    parts_->bindings.bind(clock, parts_->sequencer, config_);
    parts_->bindings.bind(reset, irq);
    if (config_.power.limit) {
        if (!parts_->bindings.may_change_clocks())
            throw support::user_error("--power-limit",
                                      "the clocks of the GPU are bound from outside",
                                      "omit the option, or leave the clocks unbound");
        parts_->clock_control = std::make_unique<clock_controller>(
            *parts_->power, config_, parts_->bindings, parts_->sequencer);
    }
    make_channels();
}

/// Creates built-in DRAM channels and bridges to external memories. Called when elaboration ends,
/// because the bindings of `memory` are known only then.
void gpu::make_channels() {
    for (unsigned c = 0; c < config_.memory.channels; ++c) {
        const simulation::scheduling_partition_scope here(
            parts_->sequencer, c, config_.memory.channels,
            simulation::scheduling_partition_size::large);
        simulation::process_group& group = parts_->partitions[c]->channel_group();
        group.open();
        parts_->channels.push_back(make_channel(c));
        parts_->channels.back()->clk(clock[protocol::dram_clock]);
        group.close();
        parts_->partitions[c]->memory.bind(parts_->channels[c]->target());
    }
    for (const auto& [channel, observer] : parts_->command_observers)
        parts_->channels[channel]->observe(*observer);
}

std::unique_ptr<memory::memory_channel> gpu::make_channel(unsigned number) {
    const memory::memory_config& m = config_.memory;
    const bool built_in = memory[number].bind_count() == 0;
    const std::string name = fmt::format("{}{}", built_in ? "dram" : "memory_bridge", number);
    const memory::memory_channel_parts parts{name.c_str(), parts_->sequencer, m.partition.dram,
                                             parts_->mapping, number};
    if (built_in) return m.channel ? m.channel(parts) : memory::make_dram_channel(parts);
    if (m.partition.simple_dram)
        SC_REPORT_ERROR("simtlm/gpu", "memory is bound, but -gpgpu_simple_dram_model replaces it");
    auto bridge = std::make_unique<memory_bridge>(parts.name, parts, memory[number],
                                                  parts_->external[number]);
    bridge->set_error_listener(
        [this] { parts_->host_interface->raise(host::error_code::memory_error); });
    bridge->set_contents([this](std::uint64_t address, unsigned bytes, unsigned char* to) {
        return parts_->context->peek(address, bytes, to);
    });
    parts_->bridges.push_back(bridge.get());
    return bridge;
}

void gpu::observe_commands(unsigned channel, memory::command_observer& observer) {
    if (parts_->channels.empty())
        parts_->command_observers.emplace_back(channel, &observer);
    else
        parts_->channels[channel]->observe(observer);
}

/// Reports to the host that the command processor has stopped, since waiting commands will not
/// complete.
void gpu::note_stop() {
    if (!stopped()) return;
    const std::string& reason = parts_->commands->stop_reason();
    std::string why = "the GPU has stopped: " + (reason.empty() ? "faulty input" : reason);
    host::error_code code = host::error_code::gpu_stopped;
    try {
        parts_->sequencer.rethrow_failure();
    } catch (const execution::execution_error& e) {
        code = host::error_code::program_fault;
        why = e.what();
    } catch (const std::exception& e) {
        why = e.what();
    }
    parts_->host_interface->device_stopped(code, why);
}

// ---- host interface ----

trace_set gpu::load_trace_set(const std::string& kernelslist) {
    trace_set set;
    trace::kernel_choice choice = config_.traces.choice;
    set.commands = trace::read_command_list(kernelslist, choice);
    if (choice.ctas && !config_.traces.choice.ctas)
        throw support::user_error(kernelslist, "chooses thread blocks with --ctas",
                                  "give that as an option of the GPU");
    const trace::reader_options options = reader_options_of(config_, parts_->opcodes);
    for (const trace::command& c : set.commands) {
        if (c.what != trace::command::kind::kernel) continue;
        set.kernels.push_back(trace::kernel_trace(c.file, options, 0).header());
        check_trace_fits(config_, descriptor_of(set.kernels.back()));
    }
    std::size_t next = 0;
    for (const trace::command& c : set.commands) {
        if (c.what != trace::command::kind::kernel) continue;
        const unsigned number =
            parts_->host_interface->add_kernel(c.file, c.where, set.kernels[next].stream);
        if (next++ == 0) set.first_kernel = number;
    }
    return set;
}

sc_core::sc_time gpu::host_latency() const {
    constexpr double cycles = 4;
    return sc_core::sc_time(cycles / config_.clocks.core, sc_core::SC_SEC);
}

void gpu::check_progress(execution::device_memory& memory, std::chrono::milliseconds host_timeout) {
    if (!config_.dispatch.deadlock_detect) return;
    try {
        memory.progress().check(core_cycles(), config_.dispatch.deadlock_window, host_timeout);
    } catch (...) {
        parts_->sequencer.fail(std::current_exception());
    }
}

void gpu::set_external_memory(unsigned channel, const external_memory& how) {
    if (how.addresses == memory_addresses::dense && parts_->mapping.placed_at_first_use())
        throw support::user_error("-gpgpu_memory_partition_indexing",
                                  "with random indexing (4), the location of an address is unknown "
                                  "before its first use, so a channel has no dense addresses",
                                  "use global addresses or another indexing");
    if (channel >= parts_->external.size())
        throw support::user_error(
            "set_external_memory", fmt::format("there is no channel {}", channel),
            fmt::format("the GPU has {}, numbered from 0", parts_->external.size()));
    if (!parts_->channels.empty())
        throw support::user_error("set_external_memory",
                                  "has no effect after elaboration, when the channels exist",
                                  "call it before sc_start()");
    parts_->external[channel] = how;
}

void gpu::set_external_memory(const external_memory& how) {
    for (unsigned c = 0; c < config_.memory.channels; ++c) set_external_memory(c, how);
}

void gpu::set_memory_data(memory_data data) {
    for (external_memory& f : parts_->external) f.data = data;
}

void gpu::set_print(std::function<void(std::string_view)> print) {
    parts_->context->set_print(std::move(print));
}

void gpu::set_log(std::function<void(const std::string&)> log) {
    parts_->log = std::move(log);
}

namespace {

/// A command for messages: "launch of vecadd", "copy of 1024 bytes to 0x7f0000000000".
std::string text_of(const dispatch::host_command& c) {
    using kind = dispatch::host_command::kind;
    switch (c.what) {
        case kind::launch:
            return "launch of " + (c.kernel ? c.kernel->descriptor().name : c.file);
        case kind::copy_in:
            return fmt::format("copy of {} bytes to {:#x}", c.bytes, c.address);
        case kind::copy_out:
            return fmt::format("copy of {} bytes from {:#x}", c.bytes, c.address);
        case kind::fill:
            return fmt::format("fill of {} bytes at {:#x}", c.bytes, c.address);
        case kind::synchronize:
            return "synchronisation";
        case kind::event:
            return "event";
    }
    return {};
}

}  // namespace

void gpu::execute(const dispatch::host_command& command) {
    if (parts_->log)
        parts_->log(text_of(command));
    else if (sc_core::sc_report_handler::get_verbosity_level() >= sc_core::SC_HIGH)
        SC_REPORT_INFO_VERB("simtlm/command",
                            (std::string(name()) + ": " + text_of(command)).c_str(),
                            sc_core::SC_HIGH);
    if (parts_->initial_state.empty() && parts_->commands->ctas().ctas_issued() == 0 && drained()) {
        auto a = support::archive::for_reset();
        initial_state(a);
        parts_->initial_state = a.take();
    }
    parts_->commands->submit(command);
    parts_->commands->proceed();
}

/// Saves or restores the state of the blocks before the first command, for a reset. Blocks of the
/// user without checkpoint() keep their state.
void gpu::initial_state(support::archive& a) {
    parts_->mapping.checkpoint(a);
    for (const auto& p : parts_->partitions) p->checkpoint(a);
    for (const auto& c : parts_->channels) c->checkpoint(a);
    parts_->network->checkpoint(a);
    for (const auto& c : parts_->gpc_caches) c->checkpoint(a);
    for (const auto& c : parts_->clusters) c->checkpoint(a);
    if (parts_->fabric) parts_->fabric->checkpoint(a);
    parts_->commands->ctas().checkpoint(a);
}

std::string gpu::obstacle_to_reset() const {
    if (parts_->sequencer.has_own_clocks()) return "its clocks are gated";
    return parts_->sequencer.interrupted() ? "the failure has interrupted a block" : "";
}

void gpu::resume() {
    parts_->sequencer.resume();
}

std::string gpu::reset_timed_out() {
    parts_->commands->stop("a reset does not end");
    return describe();
}

bool gpu::stopped() const {
    return parts_->commands->stopped() || parts_->sequencer.has_failed();
}

bool gpu::quiet() const {
    if (parts_->network->busy()) return false;
    for (const auto& c : parts_->gpc_caches)
        if (c->busy()) return false;
    for (const auto& c : parts_->clusters)
        if (c->busy()) return false;
    for (const auto& p : parts_->partitions)
        if (!p->idle()) return false;
    return true;
}

bool gpu::at_rest() const {
    return parts_->commands->at_rest() && drained();
}

bool gpu::drained() const {
    if (!quiet() || !parts_->network->at_rest()) return false;
    if (parts_->fabric && !parts_->fabric->idle()) return false;
    for (const auto& c : parts_->clusters)
        if (!c->at_rest()) return false;
    return true;
}

namespace {

/// The number of L2 slices, whose lines other configurations distribute anew.
struct l2_slices {
    static constexpr const char* name = "l2_slices";
    unsigned channels = 0, per_channel = 0;
    void checkpoint(support::archive& a) { a(channels, per_channel); }
};

l2_slices l2_slices_of(const gpu_config& config) {
    return {config.memory.channels, config.memory.partition.sub_partitions};
}

}  // namespace

void gpu::checkpoint(support::archive& a) {
    if (!parts_->sequencer.has_own_clocks())
        throw support::user_error("checkpoint", "external clocks cannot be saved");
    a.block("clocks");
    std::array<std::uint64_t, protocol::clock_domains> edges{};
    for (unsigned d = 0; d < edges.size(); ++d) edges[d] = parts_->sequencer.edges(d);
    auto saved = edges;
    a(saved);
    if (saved != edges) throw std::logic_error("clocks differ from those of the checkpoint");
    a.block("memory");
    a(parts_->memory_statistics);
    l2_slices slices = l2_slices_of(config_);
    a.block(l2_slices::name);
    a(slices);
    checkpoint_blocks(a);
    parts_->commands->checkpoint(a);
    if (a.restores()) parts_->sequencer.wake_all();
}

void gpu::checkpoint_blocks(support::archive& a) {
    parts_->mapping.checkpoint(a);
    const bool same_slices = a.unchanged();
    for (const auto& p : parts_->partitions) p->checkpoint(a, same_slices);
    if (!same_slices) distribute_l2_lines(a);
    for (const auto& c : parts_->channels) c->checkpoint(a);
    parts_->network->checkpoint(a);
    for (const auto& c : parts_->gpc_caches) c->checkpoint(a);
    for (const auto& c : parts_->clusters) c->checkpoint(a);
}

void gpu::transfer(support::archive& a) {
    // The kernels first: they set the share of the L1D in the on-chip memory.
    const std::uint64_t elapsed = parts_->commands->transfer(a);
    checkpoint_blocks(a);
    parts_->counted_from = parts_->sequencer.edges(protocol::core_clock) - elapsed;
    parts_->sequencer.wake_all();
}

/// Inserts the lines of all slices of the L2 into the slices to which their addresses are mapped.
void gpu::distribute_l2_lines(support::archive& a) {
    using cache::tag_array;
    l2_slices saved;
    if (!a.portable_block(l2_slices::name)) return;
    a(saved);
    memory::address_mapping& mapping = parts_->mapping;
    std::vector<std::vector<tag_array::saved_line>> lines(mapping.sub_partitions());
    const auto distribute = [&](const tag_array::saved_line& line) {
        for (unsigned s = 0; s < cache::sectors_per_line; ++s) {
            if ((line.present >> s & 1u) == 0) continue;
            const std::uint64_t address = line.tag + std::uint64_t{s} * cache::sector_bytes;
            if (mapping.placed_at_first_use()) mapping.place(address);
            auto& slice = lines[mapping.sub_partition_of(address)];
            if (slice.empty() || slice.back().tag != line.tag || slice.back().age != line.age) {
                slice.push_back(line);
                slice.back().present = 0;
            }
            slice.back().present |= static_cast<std::uint8_t>(1u << s);
        }
    };
    for (unsigned p = 0; p < saved.channels; ++p)
        for (unsigned s = 0; s < saved.per_channel; ++s) {
            const std::string of = fmt::format("{}.partition{}.bank{}.l2", name(), p, s);
            if (!a.portable_block(of, cache::tag_block_version)) continue;
            for (const auto& line : tag_array::saved_lines(a)) distribute(line);
            a.note_reinserted(of);
        }
    const unsigned per = config_.memory.partition.sub_partitions;
    for (unsigned s = 0; s < lines.size(); ++s)
        parts_->partitions[s / per]->sub_partition(s % per).insert(std::move(lines[s]));
}

void gpu::clear() {
    if (!parts_->initial_state.empty()) {
        auto a = support::archive::for_reset(parts_->initial_state);
        initial_state(a);
        a.finish();
        parts_->sequencer.wake_all();
        return;
    }
    for (auto& c : parts_->clusters)
        for (unsigned i = 0; i < c->sms(); ++i) c->core(i).invalidate_l1();
    for (auto& c : parts_->gpc_caches) c->invalidate();
    for (auto& p : parts_->partitions)
        for (unsigned s = 0; s < p->sub_partitions(); ++s) p->sub_partition(s).invalidate();
}

std::uint64_t gpu::count(host::counter c) const {
    using host::counter;
    std::uint64_t sum = 0;
    const auto over_sms = [&](auto value_of) {
        for (const auto& k : parts_->clusters)
            for (unsigned i = 0; i < k->sms(); ++i) sum += value_of(k->core(i).counted());
    };
    const auto over_l2 = [&](auto value_of) {
        for (const auto& p : parts_->partitions)
            for (unsigned s = 0; s < p->sub_partitions(); ++s)
                if (const auto* e = std::as_const(*p).sub_partition(s).engine(); e != nullptr)
                    sum += value_of(e->statistics());
    };
    const auto over_channels = [&](auto value_of) {
        for (const auto& channel : parts_->channels) sum += value_of(channel->counted());
    };
    switch (c) {
        case counter::core_cycles:
            return core_cycles();
        case counter::thread_instructions:
            over_sms([](const auto& s) { return s.thread_instructions; });
            break;
        case counter::warp_instructions:
            over_sms([](const auto& s) { return s.warp_instructions; });
            break;
        case counter::kernels_done:
            return parts_->commands->kernels_done();
        case counter::ctas_done:
            return parts_->commands->ctas().ctas_completed();
        case counter::l2_accesses:
            over_l2([](const auto& s) { return s.accesses; });
            break;
        case counter::l2_hits:
            over_l2([](const auto& s) { return s.accesses - s.misses; });
            break;
        case counter::l2_misses:
            over_l2([](const auto& s) { return s.misses; });
            break;
        case counter::memory_reads:
            over_channels([](const auto& s) { return s.scheduled_reads; });
            break;
        case counter::memory_writes:
            over_channels([](const auto& s) { return s.scheduled_writes; });
            break;
        case counter::memory_errors:
            for (const memory_bridge* b : parts_->bridges) sum += b->errors();
            break;
    }
    return sum;
}

gpu::~gpu() = default;

dispatch::command_processor& gpu::commands() {
    return *parts_->commands;
}
simulation::phase_sequencer& gpu::sequencer() {
    return parts_->sequencer;
}
double gpu::core_hertz(std::uint64_t from, std::uint64_t to) const {
    return parts_->power ? parts_->power->clock().mean_hertz(from, to) : config_.clocks.core;
}
std::uint64_t gpu::core_cycles() const {
    return parts_->sequencer.edges(protocol::core_clock) - parts_->counted_from;
}
std::uint64_t gpu::counted_from() const {
    return parts_->counted_from;
}
const std::vector<std::unique_ptr<core::simt_cluster>>& gpu::clusters() const {
    return parts_->clusters;
}
const cta_cluster_fabric* gpu::fabric() const {
    return parts_->fabric.get();
}
const std::vector<std::unique_ptr<core::gpc_cache>>& gpu::gpc_caches() const {
    return parts_->gpc_caches;
}
const std::vector<std::unique_ptr<memory::memory_partition>>& gpu::partitions() const {
    return parts_->partitions;
}
const std::vector<std::unique_ptr<memory::memory_channel>>& gpu::channels() const {
    return parts_->channels;
}
interconnect::network& gpu::network() {
    return *parts_->network;
}
power::energy_meter* gpu::power() {
    return parts_->power.get();
}
memory::memory_statistics& gpu::memory_statistics() {
    parts_->memory_statistics.gather();
    return parts_->memory_statistics;
}
const memory::memory_statistics& gpu::memory_statistics() const {
    parts_->memory_statistics.gather();
    return parts_->memory_statistics;
}
const memory::address_mapping& gpu::mapping() const {
    return parts_->mapping;
}
const host_interface& gpu::registers() const {
    return *parts_->host_interface;
}
const protocol::transaction_pool& gpu::transactions() const {
    return parts_->transactions;
}
void gpu::gate_idle_clocks(std::function<std::uint64_t()> limit) {
    parts_->bindings.gate_idle_clocks(std::move(limit));
}
void gpu::decouple_dram() {
    parts_->bindings.decouple_dram();
}
void gpu::reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t core_now) {
    parts_->memory_statistics.reply_received(reply, core_now);
}
void gpu::abort() {
    parts_->commands->abort();
    for (const auto& c : parts_->clusters)
        for (unsigned i = 0; i < c->sms(); ++i) c->core(i).end_ctas();
    parts_->commands->restart();
}

void gpu::trace(sc_core::sc_trace_file* file) const {
    parts_->tracer->trace(*file, *this);
}

void gpu::end_of_elaboration() {
    parts_->tracer->elaborated();
}

std::string gpu::describe() {
    std::string text;
    for (const auto& c : parts_->clusters) {
        for (unsigned i = 0; i < c->sms(); ++i) text += c->core(i).describe();
        if (c->responses_queued() != 0)
            text += fmt::format("  {}: {} responses queued\n", c->name(), c->responses_queued());
    }
    for (const auto& c : parts_->gpc_caches) text += c->describe();
    text += parts_->network->describe();
    if (parts_->fabric)
        for (const auto& n : parts_->fabric->networks())
            if (n->messages() != 0)
                text += fmt::format("  {}: {} messages between SMs\n", n->name(), n->messages());
    for (const auto& p : parts_->partitions) text += p->describe();
    for (const auto& c : parts_->channels)
        if (!c->idle())
            text += fmt::format("  {}: {} requests inside, {} of them served and not taken back\n",
                                c->name(), c->requests_inside(), c->replies_queued());
    return text;
}

}  // namespace simtlm::platform
