// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/ptx/function_lowering.h"

#include <algorithm>

namespace simtlm::execution {

using ptx::opcode;

bool function_lowering::lower_asynchronous(const ptx::operation& o) {
    switch (o.op) {
        case opcode::cp_async:
            lower_asynchronous_copy(o);
            return true;
        case opcode::cp_async_commit_group:
        case opcode::cp_async_wait_group:
        case opcode::cp_async_wait_all:
            emit(nothing);
            return true;
        case opcode::cp_async_mbarrier_arrive:
        case opcode::mbarrier_init:
        case opcode::mbarrier_inval:
        case opcode::mbarrier_expect_tx:
        case opcode::mbarrier_complete_tx:
            lower_mbarrier(o, 0, 0);
            return true;
        case opcode::mbarrier_arrive:
        case opcode::mbarrier_arrive_drop:
            lower_mbarrier(o, 64, 1);
            return true;
        case opcode::mbarrier_test_wait:
        case opcode::mbarrier_try_wait:
            lower_mbarrier(o, 1, 1);
            return true;
        case opcode::mbarrier_pending_count: {
            const operand_ref state = source(operand(1), 64);
            const operand_ref to = destination(operand(0), 32, false);
            operation& op = emit(mbarrier_handler(o));
            op.destination = to;
            op.source[1] = state;
            return true;
        }
        default:
            return false;
    }
}

bool function_lowering::branches_on_result() const {
    std::vector<std::uint32_t> derived{operand(0).index};
    const auto is_derived = [&](std::uint32_t index) {
        return std::find(derived.begin(), derived.end(), index) != derived.end();
    };
    for (const ptx::instruction* i = now_ + 1; i < f_.code.data() + f_.code.size(); ++i) {
        const opcode op = m_.operation_of(*i).op;
        if (op == opcode::bra) return is_derived(i->guard);
        if (ptx::record_of(op).order != ptx::memory_order::none) return false;
        bool reads = is_derived(i->guard);
        for (unsigned n = i->result_count; n < i->operand_count; ++n)
            reads = reads || (f_.operand_of(*i, n).kind == operand_kind::reg &&
                              is_derived(f_.operand_of(*i, n).index));
        for (unsigned n = 0; reads && n < i->result_count; ++n)
            if (f_.operand_of(*i, n).kind == operand_kind::reg)
                derived.push_back(f_.operand_of(*i, n).index);
    }
    return false;
}

/// @param result   width of the result in bits; 0: none
/// @param address  position of the address
void function_lowering::lower_mbarrier(const ptx::operation& o, unsigned result, unsigned address) {
    const handler h = mbarrier_handler(o);
    if (h == nullptr) {
        emit(nothing);
        return;
    }
    const bool waits = result == 1;
    const unsigned width = waits && !o.has(ptx::flag::parity) ? 64 : 32;
    const operand_ref value =
        has_operand(address + 1) ? source(operand(address + 1), width) : no_operand;
    operand_ref limit = no_operand;
    if (waits && has_operand(address + 2))
        limit = source(operand(address + 2), 32);
    else if (o.op == opcode::mbarrier_try_wait && !branches_on_result())
        limit = constant(mbarrier_time_limit, 32);
    operand_ref to = no_operand;
    if (result != 0 && (waits || operand(0).kind == operand_kind::reg))
        to = destination(operand(0), result, false);
    const memory_place p = place_of(operand(address), o);
    emit_mbarrier_note(o, p);
    operation& op = emit(h);
    set_place(op, p);
    op.destination = to;
    op.source[1] = value;
    op.source[2] = limit;
}

void function_lowering::lower_asynchronous_copy(const ptx::operation& o) {
    ptx::operation shared = o, global = o;
    shared.space = ptx::state_space::shared;
    global.space = ptx::state_space::global;
    operand_ref bytes = no_operand, ignored = no_operand;
    if (has_operand(3)) {
        const ptx::operand& last = operand(3);
        const bool is_mask = last.kind == operand_kind::reg && register_width(last.index) == 1;
        (is_mask ? ignored : bytes) = is_mask ? mask_source(last) : source(last, 32);
    }
    const memory_place to = place_of(operand(0), shared);
    const memory_place from = place_of(operand(1), global);
    const auto immediate = static_cast<std::uint64_t>(from.immediate);
    const operand_ref* const list =
        list_of({static_cast<operand_ref>(immediate), static_cast<operand_ref>(immediate >> 32),
                 from.detail, from.source, static_cast<operand_ref>(operand(2).value), 0});
    emit_segment_check(to, segment_access::copy);
    operation& op = emit(copy_asynchronously);
    set_place(op, to);
    op.list = list;
    op.source[1] = bytes;
    op.source[2] = ignored;
}

}  // namespace simtlm::execution
