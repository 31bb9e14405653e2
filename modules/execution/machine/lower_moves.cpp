// SPDX-License-Identifier: Apache-2.0
// Lowering of moves, constants, special registers, and moves between registers, predicates and
// uniform registers.
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/special.h"
#include "modules/execution/state/thread_block.h"
#include "modules/sass/special_registers.h"

#include <optional>
#include <utility>

namespace simtlm::execution {

using sass::modifier;
using sass::operand_kind;
using sass::special_register;

/// MOV, UMOV.
bool lower_move(machine_lowering& l) {
    if (l.operand_count() == 2) {
        l.emit_copy(l.result_row(l.at(0)), l.low_word(l.at(1)));
        if (l.has(modifier::_64)) l.emit_copy(l.result_row(l.at(0), 1), l.high_word(l.at(1)));
        return true;
    }
    if (l.has(modifier::_64)) return false;
    // In the lanes of each quad that the mask selects.
    if (l.operand_count() > 3) return false;
    l.emit_words(machine_move_in_quads, {static_cast<lane_mask>(l.at(2).value)},
                 l.result_row(l.at(0)), {l.low_word(l.at(1))});
    return true;
}

// ---- constants ----

namespace {

/// LDC and LDCU with an index register.
/// @param first  of the words of LDCU.128 that are loaded
bool lower_indexed_constant(machine_lowering& l, unsigned first = 0) {
    const sass::operand& c = l.at(1);
    if (l.has(modifier::IL) || l.has(modifier::IS) || l.has(modifier::ISL) ||
        c.bank >= sass_image::banks)
        return false;
    indexed_constant_arguments d;  // the rest is set when all banks are known
    d.offset = static_cast<std::uint32_t>(c.value) + 4 * first;
    d.width = l.has(modifier::_64) || l.has(modifier::_128)  ? 64
              : l.has(modifier::U8) || l.has(modifier::S8)   ? 8
              : l.has(modifier::U16) || l.has(modifier::S16) ? 16
                                                             : 32;
    d.is_signed = l.has(modifier::S8) || l.has(modifier::S16);
    operation& op = l.emit(l.lanes().load_constant, d);
    op.source[0] = l.register_row(c.base, c.uniform_base);
    op.source[1] = c.bank;  // replaced by its position
    op.detail = static_cast<std::uint16_t>(static_cast<unsigned>(space::param)
                                           << access_detail::space_shift);
    op.destination = l.result_row(l.at(0), first);
    op.destination2 = l.result_row(l.at(0), first + 1);
    return true;
}

}  // namespace

/// LDC, ULDC, LDCU.
bool lower_load_constant(machine_lowering& l) {
    sass::operand c = l.at(1);
    if (c.has_base && c.base != (c.uniform_base ? sass::uniform_urz : sass::register_rz))
        return lower_indexed_constant(l) &&
               (!l.has(modifier::_128) || lower_indexed_constant(l, 2));
    c.has_base = false;
    constexpr std::pair<modifier, machine_row::kind> narrow[] = {
        {modifier::U8, machine_row::kind::bank_byte},
        {modifier::S8, machine_row::kind::bank_signed_byte},
        {modifier::U16, machine_row::kind::bank_half},
        {modifier::S16, machine_row::kind::bank_signed_half}};
    for (const auto& n : narrow)
        if (l.has(n.first)) {
            if (c.has_uniform || c.bank >= sass_image::banks) return false;
            l.emit_copy(l.result_row(l.at(0)),
                        l.row({n.second, c.bank, static_cast<std::uint32_t>(c.value & 0xffff)}));
            return true;
        }
    const unsigned words = l.has(modifier::_128) ? 4 : l.has(modifier::_64) ? 2 : 1;
    if (l.modifier_count() != 0 && words == 1) return false;
    for (unsigned n = 0; n < words; ++n, c.value += 4)
        l.emit_copy(l.result_row(l.at(0), n), l.low_word(c));
    return true;
}

// ---- special registers ----

namespace {

operand_ref shifted_sum(machine_lowering& l, operand_ref from, unsigned shift, operand_ref addend) {
    scaled_sum_arguments a;
    a.shift = shift;
    const operand_ref sum = l.scratch();
    l.emit_words(l.lanes().shift_add, a, sum, {from, addend, machine_frame::zero}, false);
    return sum;
}

/// %tid of all dimensions in one word: x, y and z in bits 15:0, 25:16 and 31:26.
operand_ref packed_thread_id(machine_lowering& l) {
    constexpr unsigned y_shift = 16, z_shift = 26;
    operand_ref sum = operand_ref_in(bank::thread, thread_layout::tid);
    for (unsigned n = 1; n < 3; ++n) {
        sum = shifted_sum(l, operand_ref_in(bank::thread, thread_layout::tid + 128 * n),
                          n == 1 ? y_shift : z_shift, sum);
    }
    return sum;
}

/// SR_VIRTID: the warp in bits 14:8; other fields are not modelled.
operand_ref virtual_id(machine_lowering& l) {
    constexpr unsigned warp_shift = 8;
    return shifted_sum(l, operand_ref_in(bank::thread, thread_layout::warpid), warp_shift,
                       machine_frame::zero);
}

/// Reads a special register of PTX.
operand_ref read_of_ptx(machine_lowering& l, ptx::special_register r) {
    const special_value v = special_register_value(r, 0);
    const operand_ref to = l.scratch();
    operation& op = l.emit(v.read, false);
    op.detail = v.detail;
    op.destination = to;
    return to;
}

/// A register that is different in the threads of a warp, which S2UR does not read.
std::optional<operand_ref> value_of_thread(machine_lowering& l, special_register which,
                                           unsigned index) {
    switch (which) {
        case special_register::tid_x:
        case special_register::tid_y:
        case special_register::tid_z:
            return operand_ref_in(bank::thread, thread_layout::tid + 128 * (index - 0x21u));
        case special_register::thread_id:
            return packed_thread_id(l);
        case special_register::virtual_id:
            return virtual_id(l);
        default:
            return std::nullopt;
    }
}

/// A register with the same value at any time; nullopt: it is none of these.
std::optional<operand_ref> constant_value(machine_lowering& l, special_register which,
                                          unsigned index) {
    const auto lane_row = [&](machine_row::kind k) { return l.row({k, 0, 0}); };
    const bool since_hopper = l.architecture() >= 90;
    switch (which) {
        case special_register::lane_id:
            return lane_row(machine_row::kind::lane_id);
        case special_register::lanemask_eq:
            return lane_row(machine_row::kind::mask_eq);
        case special_register::lanemask_lt:
            return lane_row(machine_row::kind::mask_lt);
        case special_register::lanemask_le:
            return lane_row(machine_row::kind::mask_le);
        case special_register::lanemask_gt:
            return lane_row(machine_row::kind::mask_gt);
        case special_register::lanemask_ge:
            return lane_row(machine_row::kind::mask_ge);
        case special_register::ctaid_x:
        case special_register::ctaid_y:
        case special_register::ctaid_z:
            return operand_ref_in(bank::block, block_layout::ctaid + 128 * (index - 0x25u));
        case special_register::virtual_smid:
            return operand_ref_in(bank::block, block_layout::smid);
        case special_register::cta_in_cluster:
            return operand_ref_in(bank::block, block_layout::cluster_ctarank);
        case special_register::shared_bytes:
            return operand_ref_in(bank::block, block_layout::total_size);
        case special_register::shared_window_high:
            if (!since_hopper) return std::nullopt;
            return l.number(sass_image::shared_window_high);
        case special_register::virtual_configuration: {
            // %nwarpid of sm_90; older compilers treat it as a constant.
            constexpr std::uint32_t warps = 64, warps_shift = 8;
            if (!since_hopper) return std::nullopt;
            return l.number(warps << warps_shift);
        }
        case special_register::local_memory_start:
            // Debug code compares its stack pointer with this value. Local memory begins at 0.
            return operand_ref{machine_frame::zero};
        default:
            return std::nullopt;
    }
}

/// The special register of PTX for a clock or timer. @param pair  both words
ptx::special_register clock_of(special_register which, bool pair) {
    using r = ptx::special_register;
    switch (which) {
        case special_register::clock_low:
            return pair ? r::clock64 : r::clock;
        case special_register::clock_high:
            return pair ? r::clock64 : r::clock_hi;
        case special_register::global_timer_low:
            return pair ? r::globaltimer : r::globaltimer_lo;
        default:
            return pair ? r::globaltimer : r::globaltimer_hi;
    }
}

}  // namespace

/// S2R, S2UR, CS2R, CS2UR.
bool lower_read_special_register(machine_lowering& l) {
    const auto which = static_cast<special_register>(l.at(1).index);
    const operand_ref to = l.result_row(l.at(0));
    const bool counter = l.is(isa::opcode::CS2R) || l.is(isa::opcode::CS2UR);
    const bool uniform = l.is(isa::opcode::S2UR) || l.is(isa::opcode::CS2UR);
    l.set_uniform(uniform);
    const bool pair = counter && !l.has(modifier::_32);
    // Performance counters read as zero, like PTX's %pm0 to %pm7.
    const bool counts =
        which >= special_register::counter_first && which <= special_register::counter_last;
    if (counts || which == special_register::zero || which == special_register::launch_version) {
        l.emit_copy(to, machine_frame::zero);
        if (pair) l.emit_copy(l.result_row(l.at(0), 1), machine_frame::zero);
        return true;
    }
    switch (which) {
        case special_register::clock_low:
        case special_register::clock_high:
        case special_register::global_timer_low:
        case special_register::global_timer_high: {
            const operand_ref value = read_of_ptx(l, clock_of(which, pair));
            if (l.is(isa::opcode::CS2UR)) {
                const operand_ref low = l.scratch(), high = l.scratch();
                if (pair)
                    l.emit_words(l.lanes().unpack, {}, low, {value}, false).destination2 = high;
                l.emit_words(machine_to_uniform, {}, to, {pair ? low : value});
                if (pair) l.emit_words(machine_to_uniform, {}, l.result_row(l.at(0), 1), {high});
                return true;
            }
            if (pair)
                l.to_pair(l.at(0), value);
            else
                l.emit_copy(to, value);
            return true;
        }
        case special_register::clock_coarse:
            l.emit_copy(to, read_of_ptx(l, ptx::special_register::clock));
            return !pair;
        default:
            break;
    }
    std::optional<operand_ref> from = constant_value(l, which, l.at(1).index);
    if (!from && !uniform) from = value_of_thread(l, which, l.at(1).index);
    if (!from || pair) return false;
    l.emit_copy(to, *from);
    return true;
}

// ---- predicates and uniform registers ----

namespace {
/// The byte of a register that holds predicates.
predicate_byte_arguments byte_of(const machine_lowering& l, const sass::operand& part) {
    predicate_byte_arguments a;
    a.first_bit = l.suffix_of(part) == ".B1" || l.has(modifier::B1)   ? 8
                  : l.suffix_of(part) == ".B2" || l.has(modifier::B2) ? 16
                  : l.suffix_of(part) == ".B3" || l.has(modifier::B3) ? 24
                                                                      : 0;
    return a;
}
}  // namespace

/// P2R, UP2UR.
bool lower_predicates_to_register(machine_lowering& l) {
    const operand_ref a = l.low_word(l.at(2)), mask = l.low_word(l.at(3));
    l.emit_words(machine_predicates_to_register, byte_of(l, l.at(0)), l.result_row(l.at(0)),
                 {a, mask});
    return true;
}

/// R2P, UR2UP.
bool lower_register_to_predicates(machine_lowering& l) {
    const operand_ref a = l.low_word(l.at(1)), mask = l.low_word(l.at(2));
    l.emit_words(machine_register_to_predicates, byte_of(l, l.at(1)), no_operand, {a, mask});
    return true;
}

/// R2UR. The predicate of the longer form marks lanes whose value differs from the uniform one:
/// tiles of cooperative groups use it as the guard of BRA.DIV and BRA.CONV.
bool lower_to_uniform(machine_lowering& l) {
    to_uniform_arguments d;
    unsigned n = 0;
    if (l.at(0).kind == operand_kind::predicate) {
        d.differs = l.predicate_ref(l.at(n++));
        d.keeps_set = l.has(modifier::OR);
    }
    l.emit_words(machine_to_uniform, d, l.result_row(l.at(n)), {l.low_word(l.at(n + 1))});
    return true;
}

/// RPCMOV: moves a half of the saved program counter.
bool lower_move_saved_counter(machine_lowering& l) {
    const bool writes = l.at(0).kind == operand_kind::text;
    const operand_ref saved = machine_frame::saved_counter + 128u * l.at(writes ? 0 : 1).index;
    const operand_ref from = writes ? l.low_word(l.at(1)) : saved;
    l.emit_copy(writes ? saved : l.result_row(l.at(0)), from);
    return true;
}

}  // namespace simtlm::execution
