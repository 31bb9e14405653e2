// SPDX-License-Identifier: Apache-2.0
#include "modules/core/l1_caches.h"

#include "modules/protocol/phases.h"

namespace simtlm::core {

l1_caches::config l1_caches::from(const sm_config& sm) {
    config c;
    c.instruction.cache = sm.l1.instruction;
    c.instruction.type = protocol::access_type::instruction_read;
    c.instruction.perfect = sm.l1.perfect_instruction_and_constant;
    c.instruction.phase = protocol::phase::core_instruction_cache;
    c.instruction.send_at_access = c.instruction.always_fill = true;
    c.constant.cache = sm.l1.constant;
    c.constant.type = protocol::access_type::constant_read;
    c.constant.perfect = sm.l1.perfect_instruction_and_constant;
    c.constant.phase = protocol::phase::core_constant_cache;
    c.texture = sm.l1.texture;
    c.data.cache = sm.l1.data;
    c.data.banks = sm.ldst.l1_banks;
    c.data.bank_interleaving = sm.ldst.l1_banks_byte_interleaving;
    c.data.bank_hash = sm.ldst.l1_banks_hash;
    return c;
}

l1_caches::l1_caches(simulation::phase_sequencer& sequencer, const config& c,
                     protocol::transaction_pool& transactions)
    : instruction("l1i", sequencer, c.instruction),
      constant("l1c", sequencer, c.constant),
      texture("l1t", sequencer, c.texture),
      data("l1d", sequencer, c.data, transactions) {}

void l1_caches::connect(memory_port& port) {
    const auto connect_cache = [&](auto& cache, memory_source s) {
        cache.memory.bind(port.from[static_cast<unsigned>(s)]);
        port.set_back_pressure_counter(s, cache.back_pressure());
    };
    connect_cache(instruction, memory_source::l1i);
    connect_cache(constant, memory_source::l1c);
    connect_cache(texture, memory_source::l1t);
    connect_cache(data, memory_source::l1d);
}

bool l1_caches::idle() const {
    return instruction.idle() && constant.idle() && texture.idle() && data.idle();
}

const cache::cache_statistics& l1_caches::statistics_of(l1_cache which) {
    switch (which) {
        case l1_cache::instruction:
            return instruction.statistics();
        case l1_cache::data:
            return data.statistics();
        case l1_cache::constant:
            return constant.statistics();
        case l1_cache::texture:
            break;
    }
    return texture.statistics();
}

void l1_caches::register_statistics(support::statistics& list) const {
    instruction.register_statistics(list);
    data.register_statistics(list);
    constant.register_statistics(list);
    texture.register_statistics(list);
}

void l1_caches::update_counters() {
    instruction.statistics();
    data.statistics();
    constant.statistics();
}

void l1_caches::observe(cache::access_observer& observer) {
    data.observe(observer);
    constant.observe(observer);
    texture.observe(observer);
}

std::uint64_t l1_caches::back_pressure_cycles() {
    return instruction.back_pressure().up_to_date() + data.back_pressure().up_to_date() +
           constant.back_pressure().up_to_date() + texture.back_pressure().up_to_date();
}

void l1_caches::checkpoint(support::archive& a) {
    instruction.checkpoint(a);
    constant.checkpoint(a);
    texture.checkpoint(a);
    data.checkpoint(a);
}

}  // namespace simtlm::core
