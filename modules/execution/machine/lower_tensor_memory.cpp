// SPDX-License-Identifier: Apache-2.0
// Lowering of the instructions of tensor memory and the tensor core of sm_100. Operations are those
// of the PTX instructions (tcgen05).
#include "modules/execution/machine/bulk_lowering.h"
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/operations/tensor_memory_operations.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <utility>

namespace simtlm::execution {

using arithmetic::product_kind;
using sass::modifier;
using sass::operand_kind;

namespace {

/// tmem[UR+offset]
lane_place tensor_place(const machine_lowering& l, const sass::operand& o) {
    return {l.register_row(o.uniform, true), o.signed_value(), in_space(space::generic)};
}

/// The number in the modifier .xN of LDTM and STTM.
unsigned repetitions(const machine_lowering& l) {
    unsigned n = 0;
    for (unsigned m = 0; m < l.modifier_count(); ++m) {
        const std::string_view text = l.modifier_at(m).text;
        if (text.front() == 'x') std::from_chars(text.data() + 1, text.data() + text.size(), n);
    }
    return n;
}

/// The shape of LDTM and STTM. Those of 32 bits in 16 lanes load or store half of the lanes of the
/// warp.
void set_shape(const machine_lowering& l, tensor_access& a) {
    a.registers = repetitions(l);
    constexpr unsigned half = warp_size / 2;
    if (l.has(modifier::_16dp64bit)) {
        a.lanes = tensor_lanes::s16x64b;
    } else if (l.has(modifier::_16dp128bit)) {
        a.lanes = tensor_lanes::s16x128b;
        a.registers *= 2;
    } else if (l.has(modifier::_16dp256bit)) {
        a.lanes = tensor_lanes::s16x256b;
        a.registers *= 4;
    } else if (l.has(modifier::_16dp32bit_t0_t15)) {
        a.lanes = tensor_lanes::s16x32bx2;
        a.last_lane = half - 1;
    } else if (l.has(modifier::_16dp32bit_t16_t31)) {
        a.lanes = tensor_lanes::s16x32bx2;
        a.first_lane = half;
    }
    a.halves = l.has(modifier::PACK16BIT) || l.has(modifier::EXPAND16BIT);
}

}  // namespace

/// LDTM, STTM.
bool lower_tensor_access(machine_lowering& l) {
    const bool loads = l.is(isa::opcode::LDTM), reduces = l.has(modifier::STAT);
    tensor_access a;
    a.at = tensor_place(l, l.at(reduces ? 2 : loads ? 1 : 0));
    set_shape(l, a);
    const sass::operand& first = l.at(loads && !reduces ? 0 : 1);
    std::vector<operand_ref> list;
    for (unsigned r = 0; r < a.registers; ++r)
        list.push_back(loads ? l.result_row(first, r) : l.following_register(first, r));
    if (reduces) {
        ptx::operation o =
            value_operation(ptx::opcode::tcgen05_ld_red, l.has(modifier::F32)   ? ptx::type::f32
                                                         : l.has(modifier::S32) ? ptx::type::s32
                                                                                : ptx::type::u32);
        const bool absolute = l.has(modifier::MAXABS) || l.has(modifier::MINABS);
        o.reduce = l.has(modifier::MIN) || l.has(modifier::MINABS) ? ptx::reduction::min
                                                                   : ptx::reduction::max;
        if (absolute) set(o, ptx::flag::magnitude);
        if (l.has(modifier::NaN)) set(o, ptx::flag::nan);
        a.reduce = tensor_reducer_of(o);
        list.push_back(l.result_row(l.at(0)));
    }
    const std::int64_t access = l.keep(std::make_shared<const tensor_access>(a));
    operation& op = l.emit(loads ? load_tensor_memory : store_tensor_memory);
    op.list = l.list_of(list);
    op.immediate = access;
    return true;
}

/// UTCCP
bool lower_copy_to_tensor_memory(machine_lowering& l) {
    struct shape {
        std::string_view name;
        unsigned rows, bytes;
        bool alternate;
    };
    constexpr shape shapes[] = {
        {"128dp256bit", 128, 32, false},          {"4dp256bit", 4, 32, false},
        {"128dp128bit", 128, 16, false},          {"2x64dp128bit_lw02_lw13", 64, 16, false},
        {"2x64dp128bit_lw01_lw23", 64, 16, true}, {"4x32dp128bit", 32, 16, false}};
    tensor_copy what;
    bool known = false;
    for (unsigned m = 0; m < l.modifier_count(); ++m)
        for (const shape& s : shapes)
            if (l.modifier_at(m).text == s.name) {
                what.rows = s.rows;
                what.bytes = s.bytes;
                what.alternate = s.alternate;
                known = true;
            }
    if (!known) return false;
    if (l.has(modifier::U4x16P64)) what.unpacked_bits = 4;
    if (l.has(modifier::U6x16P32)) what.unpacked_bits = 6;
    what.pair = l.has(modifier::_2CTA);
    what.to = tensor_place(l, l.at(0));
    what.descriptor = matrix_descriptor_row(l, l.at(1).index);
    const std::int64_t copy = l.keep(std::make_shared<const tensor_copy>(what));
    emit_for_one_lane(l, copy_to_tensor_memory).immediate = copy;
    return true;
}

/// UTCHMMA, UTCIMMA, UTCQMMA, UTCOMMA. Operands: A, B, D, metadata, instruction descriptor, scale
/// factors of A and B (two registers) or disabled lanes (four or eight) or the mask of zero columns
/// (two), the predicate that states whether D is added, scale-input-d.
bool lower_tensor_multiply(machine_lowering& l) {
    tensor_multiply what;
    what.shifts_a = l.has(modifier::ASHIFT);
    what.descriptor_completes = true;
    what.text.has_k96 = arithmetic::has_k96(l.architecture());
    what.text.pair = l.has(modifier::_2CTA);
    what.text.weight_stationary = l.has(modifier::WS);
    const sass::operand& a = l.at(0);
    if (a.kind == operand_kind::tensor_address)
        what.a = tensor_place(l, a);
    else
        what.a_descriptor = matrix_descriptor_row(l, a.index);
    what.b_descriptor = matrix_descriptor_row(l, l.at(1).index);
    what.d = tensor_place(l, l.at(2));
    what.metadata = tensor_place(l, l.at(3));
    what.instruction_descriptor = l.register_row(l.at(4).index, true);
    unsigned n = 5;
    const bool scaled = l.at(n).kind == operand_kind::tensor_address;
    what.text.kind = l.is(isa::opcode::UTCIMMA)   ? product_kind::i8
                     : l.is(isa::opcode::UTCOMMA) ? product_kind::mxf4nvf4
                     : l.is(isa::opcode::UTCHMMA) ? product_kind::f16
                     : scaled                     ? product_kind::mxf8f6f4
                                                  : product_kind::f8f6f4;
    if (l.is(isa::opcode::UTCOMMA)) what.text.scales = l.has(modifier::_4X) ? 4 : 2;
    if (scaled) {
        const std::uint8_t first = l.at(n++).uniform;
        sass::operand of_b;
        of_b.uniform = static_cast<std::uint8_t>(first + 1);
        what.a_scales = tensor_place(l, l.at(n - 1));
        what.b_scales = tensor_place(l, of_b);
    } else if (l.at(n).kind == operand_kind::uniform_reg) {
        const std::uint8_t first = l.at(n++).index;
        if (what.text.weight_stationary)
            what.zero_columns = l.double_source(uniform_register(first));
        else
            for (unsigned i = 0; i < (what.text.pair ? 8u : 4u); ++i)
                what.disabled.push_back(l.register_row(first + i, true));
    }
    what.adds = machine_frame::scratch_mask2;
    l.emit_predicate(predicate_logic_arguments::first, what.adds, {l.predicate_of(l.at(n++))},
                     false);
    if (n < l.operand_count()) what.scale = static_cast<unsigned>(l.at(n).value);
    const std::int64_t product = l.keep(std::make_shared<const tensor_multiply>(std::move(what)));
    emit_for_one_lane(l, multiply_tensors).immediate = product;
    return true;
}

/// UTCSHIFT
bool lower_tensor_shift(machine_lowering& l) {
    const tensor_shift what{tensor_place(l, l.at(0)), l.has(modifier::_2CTA)};
    const std::int64_t shift = l.keep(std::make_shared<const tensor_shift>(what));
    emit_for_one_lane(l, shift_tensor_rows).immediate = shift;
    return true;
}

/// UTCBAR
bool lower_tensor_commit(machine_lowering& l) {
    l.ignore(modifier::_2CTA);
    if (l.at(1).index != sass::uniform_urz) return false;
    bulk_copy what;
    what.barrier = cluster_place(l, l.at(0).uniform);
    what.has_barrier = true;
    if (l.has(modifier::MULTICAST)) what.ranks = l.register_row(l.at(2).index, true);
    emit_bulk(l, commit_tensor_work, std::move(what));
    return true;
}

/// UTCATOMSWS. FIND_AND_SET finds and takes units of 32 columns of tensor memory, AND releases
/// those whose bit is 0.
bool lower_tensor_units(machine_lowering& l) {
    if (!l.has(modifier::FIND_AND_SET)) {
        if (l.at(0).index != sass::uniform_urz) return false;
        const operand_ref kept = l.low_word(l.at(1));
        emit_for_one_lane(l, release_tensor_units).source[0] = kept;
        return true;
    }
    l.ignore(modifier::ALIGN);  // aligned units are found in either case
    const operand_ref units = l.low_word(l.at(2)), found = l.predicate_ref(l.at(0));
    operation& op = emit_for_one_lane(l, find_tensor_units);
    op.source[0] = units;
    op.immediate = l.has(modifier::_2CTA) ? 1 : 0;
    op.destination = l.result_row(l.at(1));
    op.destination2 = found != 0 ? found : operand_ref{machine_frame::no_predicate};
    return true;
}

/// UVIRTCOUNT: the CTA does not allocate any more.
bool lower_tensor_relinquish(machine_lowering& l) {
    l.ignore_operand(0);
    l.emit(relinquish_tensor_memory);
    return true;
}

}  // namespace simtlm::execution
