// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu.h"

#include "modules/protocol/phases.h"

#include <fmt/format.h>

namespace simtlm::platform {

namespace {

kernel::phase_sequencer::options sequencer_options(const gpu_config& c) {
    kernel::phase_sequencer::options o;
    o.sleeping = !c.run.no_sleep;
    o.shuffle_seed = c.run.shuffle_seed.value_or(0);
    return o;
}

kernel_header_facts facts_of(const trace::kernel_header& h) {
    kernel_header_facts f;
    f.file = h.file;
    f.kernel = h.name;
    f.binary_version = h.binary_version;
    f.threads_per_block = h.block.volume();
    f.registers = h.registers;
    f.shared_memory = h.shared_memory;
    return f;
}

}  // namespace

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
    o.unknown_opcode_is_error = t.unknown_opcode_is_error;
    o.quirk_base_delta_swallow = t.quirk_base_delta_swallow;
    o.quirk_base_stride_gap = t.quirk_base_stride_gap;
    o.quirk_single_barrier = t.quirk_single_barrier;
    o.quirk_ldc_is_alu = t.quirk_ldc_is_alu;
    o.quirk_generic_windows = t.quirk_generic_windows;
    o.quirk_typed_width_is_word = t.quirk_typed_width_is_word;
    return o;
}

gpu::gpu(const sc_core::sc_module_name& name, gpu_config config)
    : sc_module(name),
      config_(std::move(config)),
      opcodes_(load_opcode_tables(config_)),
      sequencer_("sequencer", protocol::clock_domains, protocol::phase_table(),
                 sequencer_options(config_)),
      mapping_(config_.memory.mapping),
      memory_statistics_(config_.memory.channels, config_.memory.partition.dram.timing.nbk) {
    const std::array<std::pair<const char*, double>, 4> domains = {
        {{"core_clock", config_.clocks.core},
         {"icnt_clock", config_.clocks.network},
         {"l2_clock", config_.clocks.l2},
         {"dram_clock", config_.clocks.dram}}};
    for (unsigned d = 0; d < domains.size(); ++d) {
        clocks_.push_back(
            std::make_unique<kernel::exact_clock>(domains[d].first, domains[d].second));
        sequencer_.clock[d].bind(clocks_.back()->signal);
    }
    const memory::memory_config& m = config_.memory;
    for (unsigned c = 0; c < m.channels; ++c) {
        channels_.push_back(std::make_unique<memory::dram_channel>(
            fmt::format("dram{}", c).c_str(), sequencer_, m.partition.dram, mapping_));
        partitions_.push_back(std::make_unique<memory::memory_partition>(
            fmt::format("partition{}", c).c_str(), sequencer_, m.partition, mapping_, transactions_,
            memory_statistics_, c));
        partitions_.back()->memory.bind(channels_.back()->port);
    }
    network_ = interconnect::make_network("network", sequencer_, config_.network,
                                          [this](std::uint64_t address) -> unsigned {
                                              return mapping_.decode(address).sub_partition;
                                          });
    for (unsigned c = 0; c < m.channels; ++c)
        for (unsigned s = 0; s < m.partition.sub_partitions; ++s)
            network_->to_memory[c * m.partition.sub_partitions + s].bind(
                partitions_[c]->bank(s).port);
    std::vector<core::simt_cluster*> raw;
    for (unsigned c = 0; c < config_.cores.clusters; ++c) {
        clusters_.push_back(std::make_unique<core::simt_cluster>(
            fmt::format("cluster{}", c).c_str(), sequencer_, config_.cores, c, transactions_));
        clusters_.back()->network.bind(network_->from_cluster[c]);
        clusters_.back()->set_reply_observer(*this);
        raw.push_back(clusters_.back().get());
    }
    dispatch::command_processor::settings how;
    how.reader = reader_options_of(config_, opcodes_);
    how.lookahead = config_.traces.lookahead;
    how.override_shared_memory = config_.traces.override_shared_memory;
    how.override_registers = config_.traces.override_registers;
    dispatch::command_processor::hooks calls;
    if (m.warm_l2_on_copy)
        calls.copied_in = [this](std::uint64_t a, std::uint64_t n) { warm_l2(a, n); };
    calls.check = [this](const trace::kernel_header& h) {
        check_trace_fits(config_, facts_of(h));
    };
    if (m.flush_l2)
        calls.idle = [this] {
            for (auto& p : partitions_)
                for (unsigned s = 0; s < p->sub_partitions(); ++s) p->bank(s).flush();
        };
    commands_ = std::make_unique<dispatch::command_processor>(
        "command_processor", sequencer_, config_.dispatch, config_.cores, raw, std::move(how),
        std::move(calls));
}

gpu::~gpu() = default;

void gpu::warm_l2(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t now = core_cycles();
    for (std::uint64_t offset = 0; offset < bytes; offset += 32) {
        std::uint64_t a = address + offset;
        if (config_.memory.partition.quirk_memcpy_truncates) a = static_cast<std::uint32_t>(a);
        const unsigned sub = mapping_.decode(a).sub_partition;
        const unsigned per = config_.memory.partition.sub_partitions;
        partitions_[sub / per]->bank(sub % per).warm(a, now);
    }
}

std::string gpu::describe() const {
    std::string text;
    for (const auto& c : clusters_) {
        for (unsigned i = 0; i < c->sms(); ++i) text += c->core(i).describe();
        if (c->responses_queued() != 0)
            text += fmt::format("  {}: {} responses queued\n", c->name(), c->responses_queued());
    }
    for (const auto& p : partitions_)
        if (!p->idle()) text += fmt::format("  {} is not idle\n", p->name());
    if (network_->busy())
        text += fmt::format("  network: {} requests and {} replies inside\n",
                            network_->packets_inside(interconnect::requests),
                            network_->packets_inside(interconnect::replies));
    return text;
}

}  // namespace simtlm::platform
