// SPDX-License-Identifier: Apache-2.0
// Tensor memory and tcgen05.mma (sm_100a).
#include "modules/execution/operations/tensor_memory_operations.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/ptx/function_lowering.h"

#include <memory>
#include <utility>

namespace simtlm::execution {

using arithmetic::product_kind;
using ptx::opcode;

namespace {

product_kind product_kind_of(ptx::mode m) {
    switch (m) {
        case ptx::mode::kind_tf32:
            return product_kind::tf32;
        case ptx::mode::kind_f8f6f4:
            return product_kind::f8f6f4;
        case ptx::mode::kind_i8:
            return product_kind::i8;
        case ptx::mode::kind_mxf8f6f4:
            return product_kind::mxf8f6f4;
        case ptx::mode::kind_mxf4:
            return product_kind::mxf4;
        case ptx::mode::kind_mxf4nvf4:
            return product_kind::mxf4nvf4;
        default:
            return product_kind::f16;
    }
}

tensor_lanes tensor_lanes_of(ptx::mode m) {
    switch (m) {
        case ptx::mode::lanes_16x64b:
            return tensor_lanes::s16x64b;
        case ptx::mode::lanes_16x128b:
            return tensor_lanes::s16x128b;
        case ptx::mode::lanes_16x256b:
            return tensor_lanes::s16x256b;
        case ptx::mode::lanes_16x32bx2:
            return tensor_lanes::s16x32bx2;
        default:
            return tensor_lanes::s32x32b;
    }
}

}  // namespace

lane_place function_lowering::tensor_place_of(unsigned n) {
    return lane_place_of(operand(n), ptx::state_space::generic);
}

void function_lowering::lower_tensor_access(const ptx::operation& o) {
    const bool reduces = o.op == opcode::tcgen05_ld_red;
    const bool loads = reduces || o.op == opcode::tcgen05_ld;
    const unsigned place = reduces ? 2 : loads ? 1 : 0;
    tensor_access a;
    a.at = tensor_place_of(place);
    a.lanes = tensor_lanes_of(o.variant);
    a.halves = o.has(ptx::flag::halves);
    if (has_operand(place + 1)) a.split = static_cast<unsigned>(operand(place + 1).value);
    std::vector<operand_ref> list;
    for (const ptx::operand* e : elements_of(operand(loads ? 0 : 2)))
        list.push_back(loads ? destination(*e, 32, false) : source(*e, 32));
    a.registers = static_cast<unsigned>(list.size());
    if (reduces) {
        a.reduce = tensor_reducer_of(o);
        list.push_back(destination(operand(1), 32, false));
    }
    operation& op = emit(loads ? load_tensor_memory : store_tensor_memory);
    op.list = list_of(list);
    op.immediate = attach(std::make_shared<const tensor_access>(a));
}

bool function_lowering::lower_tensor_copy_in(const ptx::operation& o) {
    tensor_copy what;
    if (o.variant == ptx::mode::packed_4) what.unpacked_bits = 4;
    if (o.variant == ptx::mode::packed_6) what.unpacked_bits = 6;
    const auto shape = static_cast<ptx::cp_shape>(o.count);
    what.rows = shape == ptx::cp_shape::s4x256b    ? 4
                : shape == ptx::cp_shape::s32x128b ? 32
                : shape == ptx::cp_shape::s64x128b ? 64
                                                   : 128;
    const bool wide = shape == ptx::cp_shape::s128x256b || shape == ptx::cp_shape::s4x256b;
    what.bytes = wide ? 32 : 16;
    what.pair = o.has(ptx::flag::cta_pair);
    what.alternate = o.has(ptx::flag::warps_01_23);
    what.to = tensor_place_of(0);
    what.descriptor = source(operand(1), 64);
    emit(copy_to_tensor_memory).immediate = attach(std::make_shared<const tensor_copy>(what));
    return true;
}

/// Operands: D, A, B, metadata, instruction descriptor, scale factors of A and B, disabled lanes,
/// enable-input-d, scale-input-d or mask of zero columns.
bool function_lowering::lower_tensor_multiply(const ptx::operation& o) {
    tensor_multiply what;
    what.shifts_a = o.has(ptx::flag::a_shift);
    what.text.kind = product_kind_of(o.variant);
    what.text.pair = o.has(ptx::flag::cta_pair);
    what.text.weight_stationary = o.has(ptx::flag::weight_stationary);
    what.text.sparse = o.has(ptx::flag::sparse);
    what.text.scales = o.count;
    what.text.has_k96 = arithmetic::has_k96(module_.gpu_architecture());
    const bool scaled = has_operand(5);
    if (scaled && what.text.scales == 0 && what.text.kind == product_kind::mxf4nvf4)
        what.text.scales = 2;  // .block32
    what.d = tensor_place_of(0);
    if (operand(1).kind == operand_kind::reg || operand(1).kind == operand_kind::immediate) {
        if (!has_width(operand(1), 64)) return false;
        what.a_descriptor = source(operand(1), 64);
    } else {
        what.a = tensor_place_of(1);
    }
    if (what.shifts_a && what.a_descriptor != no_operand) return false;
    what.b_descriptor = source(operand(2), 64);
    if (what.text.sparse) what.metadata = tensor_place_of(3);
    what.instruction_descriptor = source(operand(4), 32);
    if (scaled) {
        what.a_scales = tensor_place_of(5);
        what.b_scales = tensor_place_of(6);
    }
    if (has_operand(7)) {
        for (const ptx::operand* e : elements_of(operand(7))) {
            if (!has_width(*e, 32)) return false;
            what.disabled.push_back(source(*e, 32));
        }
        if (what.disabled.size() != (what.text.pair ? 8u : 4u)) return false;
    }
    what.adds = mask_source(operand(8));
    if (has_operand(9) && what.text.weight_stationary)
        what.zero_columns = source(operand(9), 64);
    else if (has_operand(9))
        what.scale = static_cast<unsigned>(operand(9).value);
    emit(multiply_tensors).immediate =
        attach(std::make_shared<const tensor_multiply>(std::move(what)));
    return true;
}

bool function_lowering::lower_tensor_memory(const ptx::operation& o) {
    switch (o.op) {
        case opcode::tcgen05_alloc: {
            gather_warp();
            const operand_ref columns = source(operand(1), 32);
            ptx::operation shared = o;
            shared.space = ptx::state_space::shared;
            const memory_place p =
                place_of(operand(0), o.space == ptx::state_space::shared ? shared : o);
            operation& op = emit(allocate_tensor_memory);
            set_place(op, p);
            op.source[1] = columns;
            return true;
        }
        case opcode::tcgen05_dealloc: {
            gather_warp();
            const operand_ref address = source(operand(0), 32), columns = source(operand(1), 32);
            operation& op = emit(free_tensor_memory);
            op.source[0] = address;
            op.source[1] = columns;
            return true;
        }
        case opcode::tcgen05_relinquish:
            emit(relinquish_tensor_memory);
            return true;
        case opcode::tcgen05_ld:
        case opcode::tcgen05_ld_red:
        case opcode::tcgen05_st:
            gather_warp();
            lower_tensor_access(o);
            return true;
        case opcode::tcgen05_cp:
            return lower_tensor_copy_in(o);
        case opcode::tcgen05_shift: {
            const tensor_shift what{tensor_place_of(0), o.has(ptx::flag::cta_pair)};
            emit(shift_tensor_rows).immediate = attach(std::make_shared<const tensor_shift>(what));
            return true;
        }
        case opcode::tcgen05_commit: {
            bulk_copy what;
            set_barrier(what, 0);
            set_ranks(what, o, 1);
            emit_bulk(commit_tensor_work, std::move(what));
            return true;
        }
        case opcode::tcgen05_mma:
            return lower_tensor_multiply(o);
        case opcode::tcgen05_wait_ld:
        case opcode::tcgen05_wait_st:
        case opcode::tcgen05_fence_before:
        case opcode::tcgen05_fence_after:
            // Tensor memory is accessed when the instruction executes.
            emit(nothing);
            return true;
        default:
            return false;
    }
}

}  // namespace simtlm::execution
