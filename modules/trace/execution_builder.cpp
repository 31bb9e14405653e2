// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/execution_builder.h"

#include "modules/support/error.h"

namespace simtlm::trace {

namespace {

constexpr std::uint64_t window_bytes = 1 << 24;  // of shared and of local memory, by hardware
constexpr std::uint64_t quirk_local_bytes = 1 << 14;

}  // namespace

std::size_t execution_builder::first_value(const block_trace& block, const place& where) {
    const std::size_t first = block.addresses.size();
    if (first > UINT32_MAX - 64) {
        throw support::user_error(where.where(), "too many addresses in one thread block");
    }
    return first;
}

void execution_builder::keep_addresses(program::dynamic_instruction& inst, recorded_mode mode,
                                       std::size_t first, block_trace& block) const {
    if (inst.active_mask == 0 || !inst.info->is_memory()) {
        block.addresses.resize(first);
        return;
    }
    inst.address_offset = static_cast<std::uint32_t>(first);
    inst.mode = program::address_mode::list;
    if (mode == recorded_mode::base_stride) {
        inst.mode = program::address_mode::base_stride;
        if (gap_quirk_) spread_stride(inst, block);
    }
}

/// Quirk: Accel-Sim assigns address 0 to lanes after the first gap of the mask.
void execution_builder::spread_stride(program::dynamic_instruction& inst, block_trace& block) {
    const std::uint32_t mask = inst.active_mask;
    if (mask == 0) return;
    const std::uint32_t run = mask >> __builtin_ctz(mask);
    if ((run & (run + 1)) == 0) return;  // no gap
    const unsigned before_gap = static_cast<unsigned>(__builtin_ctz(~run));
    const unsigned lanes = static_cast<unsigned>(__builtin_popcount(mask));
    std::uint64_t address = block.addresses[inst.address_offset];
    const std::uint64_t stride = block.addresses[inst.address_offset + 1];
    block.addresses.resize(inst.address_offset);
    for (unsigned i = 0; i < lanes; ++i, address += stride) {
        block.addresses.push_back(i < before_gap ? address : 0);
    }
    inst.mode = program::address_mode::list;
}

program::memory_space execution_builder::resolve_generic(const program::dynamic_instruction& inst,
                                                         const block_trace& block) const {
    const std::uint64_t shared = header_.shared_base;
    const std::uint64_t local = header_.local_base;
    if (shared == 0 || local == 0) return program::memory_space::shared;
    if (inst.mode == program::address_mode::none) return program::memory_space::global;
    const std::uint64_t a = block.addresses[inst.address_offset];
    const auto inside = [a](std::uint64_t base, std::uint64_t bytes) {
        return a >= base && a - base < bytes;
    };
    if (window_quirk_) {
        if (a >= shared && a < local) return program::memory_space::shared;
        if (inside(local, quirk_local_bytes)) return program::memory_space::local;
        return program::memory_space::global;
    }
    if (inside(shared, window_bytes)) return program::memory_space::shared;
    if (inside(local, window_bytes)) return program::memory_space::local;
    return program::memory_space::global;
}

}  // namespace simtlm::trace
