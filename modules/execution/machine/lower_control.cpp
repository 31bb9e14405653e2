// SPDX-License-Identifier: Apache-2.0
// Lowering of branches, calls, convergence barriers, and instructions without a functional effect.
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/runtime.h"
#include "modules/execution/ptx/control.h"

#include <algorithm>
#include <string>

namespace simtlm::execution {

using sass::modifier;
using sass::operand_kind;

namespace {

/// The source predicate with which an instruction of control flow may begin, and the number of its
/// first operand after it.
struct control_operands {
    control_arguments a;
    unsigned n = 0;

    explicit control_operands(const machine_lowering& l) {
        if (l.operand_count() == 0 || (l.at(0).kind != operand_kind::predicate &&
                                       l.at(0).kind != operand_kind::uniform_predicate))
            return;
        a.condition = l.predicate_of(l.at(n++));
    }
};

/// A branch to the target in an operand.
bool lower_direct_branch(machine_lowering& l, const control_operands& c) {
    if (l.has(modifier::INC) || l.has(modifier::DEC)) return false;
    const sass::operand& to = l.at(c.n);
    if (to.kind != operand_kind::target || !l.set_target(to.value)) return false;
    l.emit(l.has(modifier::ANY) ? machine_branch_any : machine_branch, c.a);
    return true;
}

/// BRA.DIV: taken by warps whose executing lanes differ from those named; BRA.CONV: taken if they
/// are equal.
bool lower_divergent_branch(machine_lowering& l, const control_operands& c) {
    unsigned n = c.n;
    operand_ref mask = no_operand;
    divergent_branch_arguments a{c.a, l.has(modifier::CONV), {}};
    if (l.at(n).kind != operand_kind::target) {
        a.expected = l.integer_modifiers(l.at(n));
        mask = l.low_word(l.at(n++));
    }
    if (!l.set_target(l.at(n).value)) return false;
    l.emit(machine_branch_divergent, a).source[1] = mask;
    return true;
}

/// A branch to a register plus an offset.
/// @param relative_to_next  the offset counts from the next instruction
bool lower_register_branch(machine_lowering& l, const control_operands& c, bool relative_to_next) {
    const sass::operand& to = l.at(c.n);
    const std::uint64_t origin = relative_to_next ? l.now().address + sass::instruction_bytes : 0;
    operand_ref* const table = l.instruction_table();
    const operand_ref offset = l.register_row(to.index, to.has_uniform);
    operation& op =
        l.emit(machine_branch_register, {c.a, static_cast<std::uint32_t>(to.value + origin),
                                         static_cast<std::uint32_t>(l.instructions())});
    op.source[0] = offset;
    op.list = table;
    return true;
}

/// Emits the runtime functions that a call through an address may reach. Arguments are in registers
/// from R4 on, those of 64 bits in an even register and the next one.
void emit_runtime_functions(machine_lowering& l) {
    for (const runtime_signature& f : runtime_functions) {
        std::vector<operand_ref> list;
        unsigned next = 4, arguments = 0;
        const auto add = [&](unsigned bytes, unsigned index) {
            for (unsigned word = 1; word < std::max(bytes / 4, 2u); ++word)
                l.register_row(index + word, false);
            list.insert(list.end(),
                        {runtime_argument::rows, l.register_row(index, false), operand_ref{bytes}});
        };
        for (const unsigned bytes : f.arguments) {
            if (bytes == 0) break;
            if (bytes == 8) next += next & 1;
            add(bytes, next);
            next += bytes / 4;
            ++arguments;
        }
        if (f.result != 0) add(f.result, 4);
        operation& function = l.emit(runtime_function(std::string(f.name)), false);
        function.list = l.list_of(list);
        function.detail = static_cast<std::uint16_t>(arguments);
        function.immediate = f.result != 0 ? 1 : 0;
    }
    for (const texture_function& f : l.texture_functions()) l.emit_gradient_fetch(f);
}

/// A call or return through a 64-bit address. The operation is followed by one for each runtime
/// function.
bool lower_absolute_branch(machine_lowering& l, const control_operands& c, bool calls) {
    const sass::operand& o = l.at(c.n);
    operand_ref low = machine_frame::zero, high = machine_frame::zero;
    if (o.kind == operand_kind::target) {
        low = l.number(static_cast<std::uint32_t>(o.value));
        high = l.number(static_cast<std::uint32_t>(o.value >> 32));
    } else {
        low = l.register_row(o.index, false);
        high = l.register_row(o.index + 1u, false);
        if (o.value != 0) {
            const operand_ref more = l.number(static_cast<std::uint32_t>(o.value));
            const operand_ref more_high = l.number(static_cast<std::uint32_t>(o.value >> 32));
            const operand_ref sum = l.scratch();
            l.emit_words(l.lanes().address, sum, {low, high, more, more_high}, false);
            low = l.scratch();
            high = l.scratch();
            l.emit_words(l.lanes().unpack, {}, low, {sum}, false).destination2 = high;
        }
    }
    const bool pointer = o.kind != operand_kind::target;
    l.note_call(calls && pointer);
    if (calls && (pointer || o.value >= sass_image::code_window)) l.note_recursion(false);
    const std::size_t functions =
        calls ? runtime_functions.size() + l.texture_functions().size() : 0;
    l.emit_words(machine_call, {c.a, static_cast<std::uint32_t>(functions)}, no_operand,
                 {low, high})
        .counted = true;
    if (calls) emit_runtime_functions(l);
    return true;
}

/// Whether the instructions between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE contain BAR.RED. Its
/// result is in different registers in different collective sections of a function, unlike that of
/// all others, so that every lane has to execute its own section; the barrier lets lanes arrive
/// separately.
bool has_barrier_before_end_of_collective(const machine_lowering& l) {
    sass::instruction i;
    for (unsigned n = 1; l.next_instruction(i, n) && i.opcode != isa::opcode::ENDCOLLECTIVE; ++n)
        if (i.opcode == isa::opcode::BAR) return true;
    return false;
}

}  // namespace

// ---- branches and calls ----

bool lower_branch(machine_lowering& l) {
    const control_operands c(l);
    return l.has(modifier::DIV) || l.has(modifier::CONV) ? lower_divergent_branch(l, c)
                                                         : lower_direct_branch(l, c);
}

/// A call differs from a branch only by the return address, which the code itself sets: ptxas also
/// leaves loops by CALL.REL.NOINC.
bool lower_call(machine_lowering& l) {
    const control_operands c(l);
    if (l.has(modifier::ABS)) return lower_absolute_branch(l, c, true);
    if (!l.has(modifier::REL)) return false;
    if (l.at(c.n).kind == operand_kind::target) {
        // At least one call of a recursion is a backward branch.
        if (l.at(c.n).value <= l.now().address) l.note_recursion(true);
        return lower_direct_branch(l, c);
    }
    l.note_call(true);
    l.note_recursion(false);
    return lower_register_branch(l, c, false);
}

bool lower_return_(machine_lowering& l) {
    const control_operands c(l);
    if (l.has(modifier::ABS)) return lower_absolute_branch(l, c, false);
    return l.has(modifier::REL) && lower_register_branch(l, c, false);
}

/// BRX, BRXU.
bool lower_indexed_branch(machine_lowering& l) {
    return lower_register_branch(l, control_operands(l), true);
}

bool lower_exit(machine_lowering& l) {
    l.emit(machine_exit, control_operands(l).a);
    return true;
}

bool lower_code_address(machine_lowering& l) {
    const std::uint64_t offset = l.operand_count() > 1 ? l.at(1).value : l.now().address;
    const device_address a = l.code_address(offset);
    for (unsigned half = 0; half < 2; ++half)
        l.emit_copy(l.result_row(l.at(0), half),
                    l.number(static_cast<std::uint32_t>(half == 0 ? a : a >> 32)));
    return true;
}

// ---- convergence barriers ----

bool lower_begin_convergence(machine_lowering& l) {
    const control_operands c(l);
    l.ignore_operand(c.n + 1);  // where the lanes converge
    l.emit(machine_set_barrier, c.a).destination = l.convergence_barrier(l.at(c.n));
    l.note_convergence_start();
    return true;
}

bool lower_end_convergence(machine_lowering& l) {
    const control_operands c(l);
    l.emit(machine_wait_barrier, {c.a, l.at(c.n).index});
    return true;
}

bool lower_leave_convergence(machine_lowering& l) {
    const control_operands c(l);
    l.emit(machine_break_barrier, c.a).destination = l.convergence_barrier(l.at(c.n));
    return true;
}

/// BMOV: moves a convergence barrier, or the mask of active lanes, from or to a register or
/// barrier.
bool lower_move_convergence(machine_lowering& l) {
    constexpr unsigned barriers = 16;
    control_operands{l};
    if (l.operand_count() == 2 && l.suffix_of(l.at(0)) == "MACTIVE") {
        if (l.at(1).index >= barriers) return false;
        l.emit(machine_set_active, {l.has(modifier::PQUAD)}).source[0] =
            l.convergence_barrier(l.at(1));
        return true;
    }
    if (l.operand_count() == 2 && l.suffix_of(l.at(1)) == "MACTIVE") {
        if (l.at(0).index >= barriers) return false;
        l.emit(machine_keep_active).destination = l.convergence_barrier(l.at(0));
        return true;
    }
    if (!l.has(modifier::_32)) return false;
    const auto is_barrier = [](const sass::operand& o) {
        return o.kind == operand_kind::convergence_barrier;
    };
    const bool reads = is_barrier(l.at(1)), writes = is_barrier(l.at(0));
    for (unsigned n = 0; n < 2; ++n)
        if (is_barrier(l.at(n)) && l.at(n).index >= barriers) return false;
    operand_ref value = no_operand;
    if (reads) {
        const bool dropped = !writes && l.at(0).index == sass::register_rz;
        value = writes ? l.scratch() : dropped ? no_operand : l.result_row(l.at(0));
        l.emit_words(machine_read_barrier, {l.has(modifier::CLEAR)}, value,
                     {l.convergence_barrier(l.at(1))});
    } else {
        value = l.low_word(l.at(1));
    }
    if (writes) l.emit_words(machine_write_barrier, l.convergence_barrier(l.at(0)), {value});
    return true;
}

// ---- warps ----

bool lower_warp_sync(machine_lowering& l) {
    const control_operands c(l);
    unsigned n = c.n;
    // Up to ENDCOLLECTIVE and BSYNC, lanes of .COLLECTIVE are separate, like those of .EXCLUSIVE.
    const bool collective = l.has(modifier::COLLECTIVE);
    const bool one_section = collective && !has_barrier_before_end_of_collective(l);
    const operand_ref mask = l.has(modifier::ALL) ? l.number(~0u) : l.low_word(l.at(n++));
    if (collective && (l.at(n).kind != operand_kind::target || !l.set_target(l.at(n).value)))
        return false;
    l.emit(machine_warp_sync, {c.a, collective || l.has(modifier::EXCLUSIVE), one_section})
        .source[1] = mask;
    return true;
}

bool lower_end_collective(machine_lowering& l) {
    l.emit(machine_end_collective, control_operands(l).a);
    return true;
}

// ---- others ----

/// Instructions that order, wait or count, which has no functional effect here.
bool lower_nothing(machine_lowering& l) {
    l.ignore_modifiers();
    l.emit(nothing);
    return true;
}

bool lower_sleep(machine_lowering& l) {
    l.ignore(modifier::WARP);
    const control_operands c(l);
    // .SYNCS ends when the mbarrier of the wait before it completes its phase; that wait has
    // already suspended the warp.
    const bool sleeps = c.n < l.operand_count() && !l.has(modifier::SYNCS);
    l.ignore_operand(c.n);
    const operand_ref time = sleeps ? l.low_word(l.at(c.n)) : no_operand;
    l.emit(give_way).source[0] = time;
    return true;
}

bool lower_yield(machine_lowering& l) {
    l.emit(machine_yield, control_operands(l).a);
    return true;
}

/// BPT. A breakpoint ends the program, too.
bool lower_trap(machine_lowering& l) {
    l.ignore_modifiers();
    l.emit(trap);
    return true;
}

}  // namespace simtlm::execution
