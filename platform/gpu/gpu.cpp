// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/gpu.h"

#include "modules/core/multiprocessor.h"
#include "modules/execution/common/execution_error.h"
#include "modules/execution/state/device_memory.h"
#include "modules/protocol/phases.h"
#include "modules/simulation/spawn.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"
#include "modules/trace/executed_replay.h"
#include "platform/gpu/cta_cluster_fabric.h"
#include "platform/gpu/device_context.h"
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
    p.core_hertz = c.clocks.core;
    p.result_buses = c.power.result_buses;
    p.dram_access_bytes = c.memory.partition.dram.atom_bytes();
    p.lanes_gated = c.power.lanes_gated;
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

gpu::gpu(const sc_core::sc_module_name& name, gpu_config config)
    : sc_module(name),
      host("host"),
      clock("clock", protocol::clock_domains),
      reset("reset"),
      irq("irq"),
      host_memory("host_memory"),
      memory("memory", config.memory.channels),
      config_(std::move(config)),
      opcodes_(load_opcode_tables(config_)),
      sequencer_("sequencer", protocol::clock_domains, protocol::phase_table(),
                 sequencer_options(config_)),
      mapping_(config_.memory.mapping),
      memory_statistics_(config_.memory.channels, config_.memory.partition.dram.timing.nbk,
                         config_.run.threads),
      external_(config_.memory.channels),
      memory_effects_("memory_effects", sequencer_) {
    for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer_.clock[d].bind(clock[d]);
    if (config_.run.threads > 1) transactions_.share();
    if (config_.power.enabled)
        power_ = std::make_unique<power::energy_meter>(
            config_.power.table, power_parameters_of(config_), config_.power.volts);
    make_partitions();
    make_network();
    make_command_processor(make_clusters());
    context_ = std::make_unique<device_context>(config_);
    host_interface::settings how;
    how.latency = host_latency();
    how.cycle = sc_core::sc_time(1 / config_.clocks.core, sc_core::SC_SEC);
    how.sms = config_.sms();
    how.channels = config_.memory.channels;
    host_interface_ = std::make_unique<host_interface>(
        "host_interface", sequencer_, how, static_cast<host_device&>(*this), *context_,
        host_interface::pins{host, irq, reset, host_memory});
    host_interface_->clk(clock[protocol::core_clock]);
    memory_effects_.clk(clock[protocol::core_clock]);
    tracer_ = std::make_unique<gpu_tracer>(*this);
    sequencer_.set_tracer(*tracer_);
    simulation::spawn_method("notice_stop", [this] { note_stop(); },
                             {commands_->progress(), sequencer_.failed()});
}

void gpu::make_partitions() {
    const memory::memory_config& m = config_.memory;
    for (unsigned c = 0; c < m.channels; ++c) {
        const simulation::scheduling_partition_scope here(
            sequencer_, c, m.channels, simulation::scheduling_partition_size::large);
        partitions_.push_back(std::make_unique<memory::memory_partition>(
            fmt::format("partition{}", c).c_str(), sequencer_, m.partition, mapping_, transactions_,
            memory_statistics_, c));
        memory::memory_partition& made = *partitions_.back();
        made.clk(clock[protocol::dram_clock]);
        made.l2_clk(clock[protocol::l2_clock]);
        made.icnt_clk(clock[protocol::icnt_clock]);
        made.core_clk(clock[protocol::core_clock]);
    }
    std::vector<memory::copy_target*> slices;
    for (const auto& p : partitions_)
        for (unsigned s = 0; s < m.partition.sub_partitions; ++s)
            slices.push_back(&p->sub_partition(s));
    const bool place = mapping_.placed_at_first_use();
    host_copy_ = std::make_unique<memory::host_copy>(
        mapping_, std::move(slices),
        memory::host_copy::settings{m.partition.quirk_memcpy_truncates, place});
}

void gpu::set_stop_request(std::function<bool()> request) {
    stop_request_ = std::move(request);
    commands_->set_stop_request(stop_request_);
}

void gpu::make_network() {
    const memory::memory_config& m = config_.memory;
    network_ = interconnect::make_network(
        "network", sequencer_, config_.network,
        [this](std::uint64_t address) -> unsigned { return mapping_.sub_partition_of(address); });
    network_->clk(clock[protocol::icnt_clock]);
    for (unsigned c = 0; c < m.channels; ++c)
        for (unsigned s = 0; s < m.partition.sub_partitions; ++s)
            network_->to_memory[c * m.partition.sub_partitions + s].bind(
                partitions_[c]->sub_partition(s).port);
}

std::vector<core::simt_cluster*> gpu::make_clusters() {
    if (mapping_.placed_at_first_use()) {
        const core::simt_cluster_config& all = config_.cores;
        placement_ = std::make_unique<memory::address_placement>(
            "address_placement", sequencer_,
            memory::address_placement::order{all.clusters, all.sms_per_cluster, all.in_order()},
            mapping_);
        placement_->clk(clock[protocol::core_clock]);
        placement_->set_rotation(
            [this](unsigned c, unsigned s) { clusters_[c]->inject_from(s); },
            [this](unsigned c, std::uint64_t cycle) { return clusters_[c]->first_sm(cycle); });
    }
    std::vector<core::simt_cluster*> raw;
    for (unsigned c = 0; c < config_.cores.clusters; ++c) {
        const simulation::scheduling_partition_scope here(sequencer_, c, config_.cores.clusters);
        clusters_.push_back(std::make_unique<core::simt_cluster>(
            fmt::format("cluster{}", c).c_str(), sequencer_, config_.cores, c, transactions_));
        clusters_.back()->clk(clock[protocol::core_clock]);
        clusters_.back()->network.bind(network_->from_cluster[c]);
        clusters_.back()->set_reply_observer(*this);
        if (placement_) clusters_.back()->set_request_order(*placement_);
        for (unsigned i = 0; i < clusters_.back()->sms(); ++i)
            memory_effects_.add(clusters_.back()->core(i).deferred_effects());
        raw.push_back(clusters_.back().get());
    }
    fabric_ = cta_cluster_fabric::make(sequencer_, raw, clock[protocol::core_clock]);
    return raw;
}

void gpu::make_command_processor(std::vector<core::simt_cluster*> clusters) {
    dispatch::command_processor::hooks calls;
    calls.open =
        [this](const dispatch::host_command& c) -> std::unique_ptr<program::kernel_source> {
        auto recorded = std::make_unique<trace::kernel_trace>(
            c.file, reader_options_of(config_, opcodes_), config_.traces.lookahead);
        if (recorded->header().code)
            return std::make_unique<trace::executed_replay>(std::move(recorded));
        return recorded;
    };
    if (config_.memory.warm_l2_on_copy)
        calls.copied_in = [this](std::uint64_t a, std::uint64_t n) {
            host_copy_->copy(a, n, core_cycles(), stop_request_);
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
                memory::memory_sub_partition& l2 = partitions_[s / per]->sub_partition(s % per);
                m.quirk_flush_few_l2 ? l2.flush() : l2.invalidate();
            }
        };
    calls.launched = [this] {
        for (auto& c : channels_) c->begin_kernel();
    };
    calls.completed = [this](std::uint64_t tag) { host_interface_->completed(tag); };
    commands_ = std::make_unique<dispatch::command_processor>(
        "command_processor", sequencer_, config_.dispatch, config_.cores, std::move(clusters),
        std::move(calls));
}

void gpu::before_end_of_elaboration() {
    bindings_.bind(clock, sequencer_, config_);
    bindings_.bind(reset, irq);
    make_channels();
}

/// Creates built-in DRAM channels and bridges to external memories. Called when elaboration ends,
/// because the bindings of `memory` are known only then.
void gpu::make_channels() {
    for (unsigned c = 0; c < config_.memory.channels; ++c) {
        const simulation::scheduling_partition_scope here(
            sequencer_, c, config_.memory.channels, simulation::scheduling_partition_size::large);
        simulation::process_group& group = partitions_[c]->channel_group();
        group.open();
        channels_.push_back(make_channel(c));
        channels_.back()->clk(clock[protocol::dram_clock]);
        group.close();
        partitions_[c]->memory.bind(channels_[c]->target());
    }
    for (const auto& [channel, observer] : command_observers_)
        channels_[channel]->observe(*observer);
}

std::unique_ptr<memory::memory_channel> gpu::make_channel(unsigned number) {
    const memory::memory_config& m = config_.memory;
    const bool built_in = memory[number].bind_count() == 0;
    const std::string name = fmt::format("{}{}", built_in ? "dram" : "memory_bridge", number);
    const memory::memory_channel_parts parts{name.c_str(), sequencer_, m.partition.dram, mapping_,
                                             number};
    if (built_in) return m.channel ? m.channel(parts) : memory::make_dram_channel(parts);
    if (m.partition.simple_dram)
        SC_REPORT_ERROR("simtlm/gpu", "memory is bound, but -gpgpu_simple_dram_model replaces it");
    auto bridge =
        std::make_unique<memory_bridge>(parts.name, parts, memory[number], external_[number]);
    bridge->set_error_listener([this] { host_interface_->raise(host::error_code::memory_error); });
    bridge->set_contents([this](std::uint64_t address, unsigned bytes, unsigned char* to) {
        return context_->peek(address, bytes, to);
    });
    bridges_.push_back(bridge.get());
    return bridge;
}

void gpu::observe_commands(unsigned channel, memory::command_observer& observer) {
    if (channels_.empty())
        command_observers_.emplace_back(channel, &observer);
    else
        channels_[channel]->observe(observer);
}

/// Reports to the host that the command processor has stopped, since waiting commands will not
/// complete.
void gpu::note_stop() {
    if (!stopped()) return;
    const std::string& reason = commands_->stop_reason();
    std::string why = "the GPU has stopped: " + (reason.empty() ? "faulty input" : reason);
    host::error_code code = host::error_code::gpu_stopped;
    try {
        sequencer_.rethrow_failure();
    } catch (const execution::execution_error& e) {
        code = host::error_code::program_fault;
        why = e.what();
    } catch (const std::exception& e) {
        why = e.what();
    }
    host_interface_->device_stopped(code, why);
}

// ---- host interface ----

trace_set gpu::load_trace_set(const std::string& kernelslist) {
    trace_set set;
    trace::kernel_choice choice = config_.traces.choice;
    set.commands = trace::read_command_list(kernelslist, choice);
    if (choice.ctas && !config_.traces.choice.ctas)
        throw support::user_error(kernelslist, "chooses thread blocks with --ctas",
                                  "give that as an option of the GPU");
    const trace::reader_options options = reader_options_of(config_, opcodes_);
    for (const trace::command& c : set.commands) {
        if (c.what != trace::command::kind::kernel) continue;
        set.kernels.push_back(trace::kernel_trace(c.file, options, 0).header());
        check_trace_fits(config_, descriptor_of(set.kernels.back()));
    }
    std::size_t next = 0;
    for (const trace::command& c : set.commands) {
        if (c.what != trace::command::kind::kernel) continue;
        const unsigned number =
            host_interface_->add_kernel(c.file, c.where, set.kernels[next].stream);
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
        sequencer_.fail(std::current_exception());
    }
}

void gpu::set_external_memory(unsigned channel, const external_memory& how) {
    if (how.addresses == memory_addresses::dense && mapping_.placed_at_first_use())
        throw support::user_error("-gpgpu_memory_partition_indexing",
                                  "with random indexing (4), the location of an address is unknown "
                                  "before its first use, so a channel has no dense addresses",
                                  "use global addresses or another indexing");
    if (channel >= external_.size())
        throw support::user_error("set_external_memory",
                                  fmt::format("there is no channel {}", channel),
                                  fmt::format("the GPU has {}, numbered from 0", external_.size()));
    if (!channels_.empty())
        throw support::user_error("set_external_memory",
                                  "has no effect after elaboration, when the channels exist",
                                  "call it before sc_start()");
    external_[channel] = how;
}

void gpu::set_external_memory(const external_memory& how) {
    for (unsigned c = 0; c < config_.memory.channels; ++c) set_external_memory(c, how);
}

void gpu::set_memory_data(memory_data data) {
    for (external_memory& f : external_) f.data = data;
}

void gpu::set_print(std::function<void(std::string_view)> print) {
    context_->set_print(std::move(print));
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
    if (sc_core::sc_report_handler::get_verbosity_level() >= sc_core::SC_HIGH)
        SC_REPORT_INFO_VERB("simtlm/command",
                            (std::string(name()) + ": " + text_of(command)).c_str(),
                            sc_core::SC_HIGH);
    commands_->submit(command);
    commands_->proceed();
}

bool gpu::stopped() const {
    return commands_->stopped() || sequencer_.has_failed();
}

bool gpu::quiet() const {
    if (network_->busy()) return false;
    for (const auto& c : clusters_)
        if (c->busy()) return false;
    for (const auto& p : partitions_)
        if (!p->idle()) return false;
    return true;
}

bool gpu::at_rest() const {
    if (!quiet() || !network_->at_rest() || !commands_->at_rest()) return false;
    for (const auto& c : clusters_)
        if (!c->at_rest()) return false;
    return true;
}

void gpu::checkpoint(support::archive& a) {
    if (!sequencer_.has_own_clocks())
        throw support::user_error("checkpoint", "external clocks cannot be saved");
    a.block("clocks");
    std::array<std::uint64_t, protocol::clock_domains> edges{};
    for (unsigned d = 0; d < edges.size(); ++d) edges[d] = sequencer_.edges(d);
    auto saved = edges;
    a(saved);
    if (saved != edges) throw std::logic_error("clocks differ from those of the checkpoint");
    mapping_.checkpoint(a);
    a.block("memory");
    a(memory_statistics_);
    for (const auto& p : partitions_) p->checkpoint(a);
    for (const auto& c : channels_) c->checkpoint(a);
    network_->checkpoint(a);
    for (const auto& c : clusters_) c->checkpoint(a);
    commands_->checkpoint(a);
    if (a.restores()) sequencer_.wake_all();
}

void gpu::clear() {
    for (auto& c : clusters_)
        for (unsigned i = 0; i < c->sms(); ++i) c->core(i).invalidate_l1();
    for (auto& p : partitions_)
        for (unsigned s = 0; s < p->sub_partitions(); ++s) p->sub_partition(s).invalidate();
}

std::uint64_t gpu::count(host::counter c) const {
    using host::counter;
    std::uint64_t sum = 0;
    const auto over_sms = [&](auto value_of) {
        for (const auto& k : clusters_)
            for (unsigned i = 0; i < k->sms(); ++i) sum += value_of(k->core(i).counted());
    };
    const auto over_l2 = [&](auto value_of) {
        for (const auto& p : partitions_)
            for (unsigned s = 0; s < p->sub_partitions(); ++s)
                if (const auto* e = std::as_const(*p).sub_partition(s).engine(); e != nullptr)
                    sum += value_of(e->statistics());
    };
    const auto over_channels = [&](auto value_of) {
        for (const auto& channel : channels_) sum += value_of(channel->counted());
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
            return commands_->kernels_done();
        case counter::ctas_done:
            return commands_->ctas().ctas_completed();
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
            for (const memory_bridge* b : bridges_) sum += b->errors();
            break;
    }
    return sum;
}

gpu::~gpu() = default;

void gpu::trace(sc_core::sc_trace_file* file) const {
    tracer_->trace(*file, *this);
}

void gpu::end_of_elaboration() {
    tracer_->elaborated();
}

std::string gpu::describe() {
    std::string text;
    for (const auto& c : clusters_) {
        for (unsigned i = 0; i < c->sms(); ++i) text += c->core(i).describe();
        if (c->responses_queued() != 0)
            text += fmt::format("  {}: {} responses queued\n", c->name(), c->responses_queued());
    }
    text += network_->describe();
    if (fabric_)
        for (const auto& n : fabric_->networks())
            if (n->messages() != 0)
                text += fmt::format("  {}: {} messages between SMs\n", n->name(), n->messages());
    for (const auto& p : partitions_) text += p->describe();
    for (const auto& c : channels_)
        if (!c->idle())
            text += fmt::format("  {}: {} requests inside, {} of them served and not taken back\n",
                                c->name(), c->requests_inside(), c->replies_queued());
    return text;
}

}  // namespace simtlm::platform
