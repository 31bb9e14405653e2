// SPDX-License-Identifier: Apache-2.0
#include "modules/core/memory_request.h"

#include "modules/protocol/atomic_effect.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/request_order.h"

namespace simtlm::core {

using program::memory_space;
using protocol::access_type;

namespace {

constexpr unsigned line_bytes = 128;

access_type type_of(const warp_instruction& inst) {
    const bool store = inst.info->is_store;
    switch (inst.space) {
        case memory_space::constant:
            return access_type::constant_read;
        case memory_space::texture:
            return access_type::texture_read;
        case memory_space::local:
            return store ? access_type::local_write : access_type::local_read;
        default:
            return store ? access_type::global_write : access_type::global_read;
    }
}

}  // namespace

tlm::tlm_generic_payload& memory_request_factory::make(warp_instruction& inst,
                                                       std::uint64_t now) const {
    const memory_access& a = inst.accesses.back();
    tlm::tlm_generic_payload& p =
        transactions.acquire(inst.info->is_store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                             a.address, a.size, type_of(inst));
    protocol::memory_extension& e = protocol::extension(p);
    e.is_atomic = inst.info->is_atomic;
    e.bypass_l1 = inst.bypass_l1;
    e.is_prefetch = inst.info->cache_op == program::cache_operator::prefetch_l2;
    e.l2_block = protocol::l2_block_code(inst.info->l2_block);
    e.last_use = inst.space == memory_space::local &&
                 inst.info->cache_op == program::cache_operator::last_use;
    e.sectors = a.sectors;
    e.bytes = a.bytes;
    if (const std::size_t left = inst.accesses.size(); left > 1) {
        const std::uint64_t next = inst.accesses[left - 2].address;
        e.shares_header = a.address / line_bytes == next / line_bytes;
        e.shares_flit = a.address / protocol::link_flit_bytes == next / protocol::link_flit_bytes;
    }
    e.lanes = static_cast<std::uint8_t>(__builtin_popcount(a.lanes));
    e.warp = inst.warp;
    if (program::warp_executor* const warp = warps.warp[inst.warp].executor;
        e.is_atomic && warp != nullptr)
        protocol::atomic_effect::attach(p,
                                        [warp, lanes = a.lanes] { warp->perform_atomic(lanes); });
    identity.tag(e);
    e.owner = inst.number;
    e.profiled = inst.note.number;
    e.when.created = protocol::hop_times::stamp(now);
    const bool unordered =
        inst.bypass_l1 || (inst.space == memory_space::constant && perfect_constant_cache);
    if (!unordered) identity.touches(a.address, protocol::request_order::by_ldst);
    return p;
}

}  // namespace simtlm::core
