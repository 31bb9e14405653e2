// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/opcode_timing.h"

#include "platform/gpu/gpu_blocks.h"

namespace simtlm::platform {

namespace {

execution::opcode_timing::entry entry_of(const operation_timing& t) {
    return {static_cast<std::uint16_t>(t.latency),
            static_cast<std::uint16_t>(t.initiation_interval)};
}

execution::opcode_timing opcode_timing_of(const ptx_timing& p) {
    execution::opcode_timing t;
    for (std::size_t i = 0; i < t.integer.size(); ++i) t.integer[i] = entry_of(p.integer[i]);
    for (std::size_t i = 0; i < t.single.size(); ++i) {
        t.single[i] = entry_of(p.single_precision[i]);
        t.double_precision[i] = entry_of(p.double_precision[i]);
    }
    t.special_function = entry_of(p.special);
    t.tensor = entry_of(p.tensor);
    t.controls_of = p.controls_of;
    t.asynchronous_engines = p.asynchronous_engines;
    t.tensor_memory = p.tensor_memory;
    t.quirk.names_give_banks = p.quirks.names_give_banks;
    t.quirk.vector_is_one_element = p.quirks.vector_is_one_element;
    t.quirk.missed_hazards = p.quirks.missed_hazards;
    return t;
}

}  // namespace

execution::instruction_timing instruction_timing_of(const gpu_config& config) {
    execution::instruction_timing t;
    t.ptx = opcode_timing_of(config.ptx);
    t.machine_code.latencies = config.traces.latencies;
    t.machine_code.quirks = config.traces.quirks;
    t.opcodes = std::make_shared<const isa::opcode_tables>(load_opcode_tables(config));
    return t;
}

}  // namespace simtlm::platform
