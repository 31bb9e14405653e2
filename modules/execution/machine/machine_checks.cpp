// SPDX-License-Identifier: Apache-2.0
// Operations that check for errors in a program, and those of the log, in machine code loaded with
// checks.
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/log_instruction.h"

#include <algorithm>

namespace simtlm::execution {

using sass::modifier;
using sass::operand_kind;

namespace {

/// Number of instructions for which loaded registers are tracked (is_copied).
constexpr std::size_t copies_within = 64;

/// Instructions that transfer control or suspend are logged before they execute.
constexpr isa::opcode control_opcodes[] = {
    isa::opcode::BRA,       isa::opcode::BRX,       isa::opcode::BRXU,        isa::opcode::JMP,
    isa::opcode::CALL,      isa::opcode::RET,       isa::opcode::EXIT,        isa::opcode::BSYNC,
    isa::opcode::WARPSYNC,  isa::opcode::NANOSLEEP, isa::opcode::BPT,         isa::opcode::YIELD,
    isa::opcode::WARPGROUP, isa::opcode::BAR,       isa::opcode::UCGABAR_WAIT};

bool is_store(const sass::instruction& i) {
    return i.opcode == isa::opcode::STG || i.opcode == isa::opcode::ST ||
           i.opcode == isa::opcode::STS || i.opcode == isa::opcode::STL;
}

/// Whether an operand may read registers in a range, conservatively: pairs except for data of a
/// store.
bool reads_between(const sass::operand& o, unsigned first, unsigned end) {
    unsigned from = sass::register_rz;
    if (o.kind == operand_kind::reg ||
        (o.kind == operand_kind::relative_register && !o.has_uniform))
        from = o.index;
    if (o.kind == operand_kind::address || (o.kind == operand_kind::constant && o.has_base))
        from = o.base;
    return from != sass::register_rz && from < end && from + 2 > first;
}

}  // namespace

bool machine_lowering::needs_check(const address_place& p) const {
    const check_options& checks = image_.checks();
    if (!checks.instruments()) return false;
    switch (static_cast<space>(p.detail >> access_detail::space_shift & 7)) {
        case space::shared:
        case space::generic:
            return true;
        case space::global:
        case space::local:
            return checks.init;
        case space::param:
            return false;
    }
    return false;
}

/// Emits the check before a load, a store or an atomic, which is emitted next. @param guard  of the
/// access; no_operand: that of the instruction
void machine_lowering::emit_access_check(const address_place& p, unsigned element_bytes,
                                         const std::vector<operand_ref>& stored,
                                         std::uint32_t flags, operand_ref guard) {
    if (!needs_check(p)) return;
    if (now_.has(modifier::STRONG)) flags |= access_flags::strong;
    if (flags == access_flags::reads && is_copied()) flags |= access_flags::copies;
    if (element_bytes > 4) flags |= access_flags::wide_registers;
    const auto s = static_cast<space>(p.detail >> access_detail::space_shift & 7);
    if (s == space::shared || s == space::generic) note_shared_access(element_bytes);
    operand_ref* const list = list_of(stored);
    operation& op = emit(handlers_.check_access);
    op.detail = static_cast<std::uint16_t>(stored.size() | p.detail);
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.source[1] = flags;
    op.source[2] = element_bytes;
    op.list = list;
    if (guard == no_operand) return;
    op.guard = guard;
    op.guard_flip = 0;
}

void machine_lowering::note_shared_access(unsigned element_bytes) {
    image_.smallest_shared_access_ =
        std::min(image_.smallest_shared_access_, std::max(element_bytes, 1u));
}

/// Emits the check before LDSM, STSM and LDGSTS, which is the next operation.
void machine_lowering::emit_segment_check(segment_access kind) {
    if (!image_.checks().instruments()) return;
    note_shared_access(2);
    emit(check_segments).immediate = static_cast<std::int64_t>(kind);
}

/// Emits the check before an operation on an mbarrier. @param flags  access_flags
void machine_lowering::emit_mbarrier_note(const address_place& p, std::uint32_t flags) {
    if (!needs_check(p)) return;
    operation& op = emit(note_mbarrier);
    op.detail = p.detail;
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.source[1] = flags;
}

/// Emits notes before instructions that order accesses without accessing memory: fences, and the
/// code of __syncwarp, which is a NOP if the compiler knows that all lanes are converged.
void machine_lowering::emit_order_notes() {
    if (!image_.checks().races) return;
    if (now_.opcode == isa::opcode::MEMBAR) emit(note_fence);
    if (now_.opcode == isa::opcode::FENCE && now_.has(modifier::ASYNC)) emit(note_proxy_fence);
    if (now_.opcode == isa::opcode::UTMACMDFLUSH) emit(note_bulk_commit);
    // The same instruction waits for groups of LDGSTS.
    if (now_.opcode == isa::opcode::DEPBAR && now_.has(modifier::LE))
        emit(note_bulk_wait).immediate = static_cast<std::int64_t>(at(1).value);
    if (now_.opcode == isa::opcode::WARPSYNC || now_.opcode == isa::opcode::NOP)
        emit(note_warp_sync);
}

/// Whether the value loaded by an instruction is only stored before control is transferred:
/// compilers copy the padding of structures together with adjacent members.
bool machine_lowering::is_copied() const {
    if (!image_.checks().init || at(0).kind != operand_kind::reg) return false;
    const unsigned first = at(0).index, end = first + std::max(access_bytes() / 4, 1u);
    if (first == sass::register_rz) return false;
    bool stored = false;
    const std::size_t number = now_.address / sass::instruction_bytes;
    const std::size_t last = std::min<std::size_t>(f_.instructions(), number + copies_within);
    for (std::size_t n = number + 1; n < last; ++n) {
        sass::instruction i;
        if (!sass::decode(image_.word_of(index_, n), image_.architecture(),
                          n * sass::instruction_bytes, i))
            return false;
        const bool stores = is_store(i) && i.operand_count > 1;
        for (unsigned k = 0; k < i.operand_count; ++k) {
            const sass::operand& o = i.operands[k];
            const bool is_result = k == 0 && o.kind == operand_kind::reg && !stores;
            if (is_result && o.index == first && i.guard == sass::predicate_true) return stored;
            if (is_result || !reads_between(o, first, end)) continue;
            if (!stores || k != 1) return false;
            stored = true;
        }
        if (std::find(std::begin(control_opcodes), std::end(control_opcodes), i.opcode) !=
            std::end(control_opcodes))
            return stored;
    }
    return false;
}

// ---- the log ----

bool machine_lowering::is_logged_before() const {
    if (std::find(std::begin(control_opcodes), std::end(control_opcodes), now_.opcode) !=
        std::end(control_opcodes))
        return true;
    if (now_.opcode == isa::opcode::SYNCS && now_.has(modifier::PHASECHK)) return true;
    if (now_.guard == sass::predicate_true) return false;
    // The executing lanes would be unknown after the instruction.
    if (now_.opcode == isa::opcode::R2P) return true;
    return std::any_of(now_.operands.begin(), now_.operands.begin() + now_.operand_count,
                       [&](const operand& o) {
                           return (o.kind == operand_kind::predicate ||
                                   o.kind == operand_kind::uniform_predicate) &&
                                  o.index == now_.guard;
                       });
}

void machine_lowering::emit_log() {
    if (image_.checks().log) emit(log_instruction).counted = false;
}

}  // namespace simtlm::execution
