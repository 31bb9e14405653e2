// SPDX-License-Identifier: Apache-2.0
// Operations that check for errors in a program, in modules loaded with checks.
#include "modules/execution/operations/checks.h"
#include "modules/execution/ptx/function_lowering.h"
#include "modules/ptx/register_uses.h"
#include "modules/ptx/unwritten_registers.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace simtlm::execution {

using ptx::opcode;
using ptx::operand_kind;

namespace {

std::uint32_t order_flags(const ptx::operation& o) {
    using ptx::semantics;
    switch (o.order) {
        case semantics::none:
        case semantics::weak:
            return 0;
        case semantics::acquire:
            return access_flags::strong | access_flags::acquires;
        case semantics::release:
            return access_flags::strong | access_flags::releases;
        case semantics::acq_rel:
        case semantics::sc:
            return access_flags::strong | access_flags::acquires | access_flags::releases;
        case semantics::volatile_:
            return access_flags::strong | access_flags::unordered_lanes;
        default:
            return access_flags::strong;
    }
}

}  // namespace

bool function_lowering::needs_check(const memory_place& p) const {
    const check_options& checks = module_.checks();
    if (!checks.instruments() || p.kernel_parameter) return false;
    switch (static_cast<space>(p.detail >> access_detail::space_shift & 7)) {
        case space::shared:
        case space::generic:
            return true;
        case space::global:
            return checks.init && (p.detail & access_detail::read_only) == 0;
        case space::local:
            return checks.init;
        case space::param:
            return false;
    }
    return false;
}

/// Emits the check before a load, a store or an atomic.
void function_lowering::emit_access_check(const ptx::operation& o, const memory_place& p,
                                          unsigned element_bytes,
                                          const std::vector<operand_ref>& stored) {
    // Parameters of device functions are copied between frames.
    if (!needs_check(p) || o.space == ptx::state_space::param) return;
    const bool atomic = o.op == opcode::atom || o.op == opcode::red;
    std::uint32_t flags = order_flags(o);
    if (o.op != opcode::st) flags |= access_flags::reads;
    if (o.op == opcode::st || atomic) flags |= access_flags::writes;
    if (atomic) flags |= access_flags::strong;
    if (o.op == opcode::ld && is_copied()) flags |= access_flags::copies;
    if (element_bytes > 4) flags |= access_flags::wide_registers;
    const auto s = static_cast<space>(p.detail >> access_detail::space_shift & 7);
    if (s == space::shared || s == space::generic) module_.note_shared_access(element_bytes);
    const operand_ref* const list = list_of(stored);
    operation& op = emit(handlers_.check_access, false);
    op.detail = static_cast<std::uint16_t>(stored.size());
    set_place(op, p);
    op.source[1] = flags;
    op.source[2] = element_bytes;
    op.list = list;
}

/// Finds the registers that the function uses for more than storing them, or never stores.
void function_lowering::find_used_registers() {
    if (!module_.checks().init) return;
    std::vector<bool> used, stored;
    const auto note = [](std::vector<bool>& in) {
        return [&in](std::uint32_t r) {
            if (r >= in.size()) in.resize(r + 1, false);
            in[r] = true;
        };
    };
    const ptx::instruction* const before = now_;
    for (const ptx::instruction& i : f_.code) {
        now_ = &i;
        const ptx::operation& o = m_.operation_of(i);
        if (i.guard != ptx::no_index) note(used)(i.guard);
        for (unsigned n = 0; n < i.operand_count; ++n) {
            const bool address = operand(n).kind == operand_kind::address_register;
            if (!address && o.op == opcode::st && n == 1)
                ptx::for_registers(f_, operand(n), note(stored));
            else if (address || n >= i.result_count)
                ptx::for_registers(f_, operand(n), note(used));
        }
    }
    now_ = before;
    used_registers_ = std::move(used);
    used_registers_.resize(std::max(used_registers_.size(), stored.size()), false);
    for (std::size_t r = 0; r < used_registers_.size(); ++r)
        if (r >= stored.size() || !stored[r]) used_registers_[r] = true;
}

/// Whether the value loaded by an instruction is only stored: compilers copy the padding of
/// structures together with adjacent members.
bool function_lowering::is_copied() const {
    bool used = false;
    ptx::for_registers(f_, operand(0), [&](std::uint32_t r) {
        used |= r >= used_registers_.size() || used_registers_[r];
    });
    return !used;
}

/// Emits the check before wmma.load, wmma.store, ldmatrix, cp.async.
void function_lowering::emit_segment_check(const memory_place& p, segment_access kind) {
    if (!needs_check(p)) return;
    module_.note_shared_access(2);
    emit(check_segments, false).immediate = static_cast<std::int64_t>(kind);
}

/// Emits the check before an operation on an mbarrier.
void function_lowering::emit_mbarrier_note(const ptx::operation& o, const memory_place& p) {
    if (!needs_check(p)) return;
    const bool waits = o.op == opcode::mbarrier_test_wait || o.op == opcode::mbarrier_try_wait;
    const bool arrives = o.op == opcode::mbarrier_arrive || o.op == opcode::mbarrier_arrive_drop ||
                         o.op == opcode::cp_async_mbarrier_arrive;
    operation& op = emit(note_mbarrier, false);
    set_place(op, p);
    op.source[1] = (waits ? access_flags::acquires : 0) | (arrives ? access_flags::releases : 0);
}

// ---- the log ----

/// Whether an instruction transfers control or suspends, and is therefore logged before it
/// executes.
bool function_lowering::changes_control(const ptx::operation& o) {
    switch (o.op) {
        case opcode::bra:
        case opcode::brx_idx:
        case opcode::call:
        case opcode::ret:
        case opcode::exit:
        case opcode::trap:
        case opcode::bar_sync:
        case opcode::bar_red:
        case opcode::nanosleep:
        case opcode::mbarrier_try_wait:
            return true;
        default:
            return false;
    }
}

/// Whether the executing lanes would be unknown after the instruction.
bool function_lowering::writes_its_guard() const {
    bool writes = false;
    for (unsigned n = 0; n < now_->result_count; ++n)
        ptx::for_registers(f_, operand(n), [&](std::uint32_t r) { writes |= r == now_->guard; });
    return writes;
}

// ---- registers ----

/// Finds the registers that may be read before they are written, and assigns each a mask in the
/// frame with the lanes that have written it.
void function_lowering::find_unwritten_registers() {
    if (!module_.checks().init) return;
    const ptx::unwritten_registers found = ptx::find_unwritten_registers(f_, flow_);
    may_read_unwritten_ = found.may_read;
    std::uint32_t at = frame_bytes_;
    for (const std::uint32_t r : found.registers) {
        written_lanes_[r] = at;
        at += sizeof(lane_mask);
    }
    frame_bytes_ = (at + 255) / 256 * 256;
}

void function_lowering::emit_register_check(std::uint32_t r, bool guarded) {
    const auto mask = written_lanes_.find(r);
    if (mask == written_lanes_.end()) return;
    operation& op = emit(check_register, false);
    op.source[0] = mask->second;
    op.immediate = r;
    if (guarded) return;
    op.guard = frame_layout::always;
    op.guard_flip = 0;
}

/// Emits checks of the registers that an instruction reads. Copies are not checked, because
/// compilers copy unused values.
void function_lowering::emit_register_checks(const ptx::operation& o) {
    const auto index = static_cast<std::size_t>(now_ - f_.code.data());
    if (written_lanes_.empty() || !may_read_unwritten_[index]) return;
    if (now_->guard != ptx::no_index) emit_register_check(now_->guard, false);
    const bool passes = o.op == opcode::st && o.space == ptx::state_space::param;
    if (o.op == opcode::mov || o.op == opcode::call || passes) return;
    for (unsigned n = now_->result_count; n < now_->operand_count; ++n)
        ptx::for_registers(f_, operand(n), [&](std::uint32_t r) { emit_register_check(r, true); });
}

void function_lowering::emit_register_marks() {
    if (written_lanes_.empty()) return;
    for (unsigned n = 0; n < now_->result_count; ++n) {
        if (operand(n).kind == operand_kind::address_register) continue;
        ptx::for_registers(f_, operand(n), [&](std::uint32_t r) {
            const auto mask = written_lanes_.find(r);
            if (mask != written_lanes_.end()) emit(mark_register, false).destination = mask->second;
        });
    }
}

}  // namespace simtlm::execution
