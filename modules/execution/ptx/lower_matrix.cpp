// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/matrix_operations.h"
#include "modules/execution/operations/warpgroup_operations.h"
#include "modules/execution/ptx/function_lowering.h"

namespace simtlm::execution {

using arithmetic::matrix_element;
using arithmetic::matrix_layout;
using arithmetic::matrix_operand;
using ptx::opcode;

namespace {

matrix_element element_of(ptx::type t) {
    switch (t) {
        case ptx::type::bf16:
            return matrix_element::bf16;
        case ptx::type::tf32:
            return matrix_element::tf32;
        case ptx::type::f32:
            return matrix_element::f32;
        case ptx::type::f64:
            return matrix_element::f64;
        case ptx::type::e4m3:
            return matrix_element::e4m3;
        case ptx::type::e5m2:
            return matrix_element::e5m2;
        case ptx::type::e3m2:
            return matrix_element::e3m2;
        case ptx::type::e2m3:
            return matrix_element::e2m3;
        case ptx::type::e2m1:
            return matrix_element::e2m1;
        case ptx::type::s8:
            return matrix_element::s8;
        case ptx::type::u8:
            return matrix_element::u8;
        case ptx::type::s4:
            return matrix_element::s4;
        case ptx::type::u4:
            return matrix_element::u4;
        case ptx::type::b1:
            return matrix_element::b1;
        case ptx::type::s32:
            return matrix_element::s32;
        default:
            return matrix_element::f16;
    }
}

bool is_known(ptx::type t) {
    return t == ptx::type::f16 || element_of(t) != matrix_element::f16;
}

matrix_layout layout_of(ptx::layout l, matrix_layout otherwise) {
    if (l == ptx::layout::none) return otherwise;
    return l == ptx::layout::row ? matrix_layout::row : matrix_layout::column;
}

arithmetic::matrix_shape shape_of(const ptx::operation& o) {
    return {o.shape.m, o.shape.n, o.shape.k};
}

arithmetic::tensor_core_sum sum_of(unsigned architecture, ptx::type a) {
    // Hopper multiplies 8-bit floats of mma as 16-bit floats.
    if (architecture == 89 && (a == ptx::type::e4m3 || a == ptx::type::e5m2))
        return arithmetic::fp8_sum;
    if (architecture < 75) return arithmetic::volta_sum;
    if (architecture < 80) return arithmetic::turing_sum;
    if (architecture >= 90) return arithmetic::hopper_sum;
    return a == ptx::type::tf32 ? arithmetic::ampere_tf32_sum : arithmetic::ampere_sum;
}

arithmetic::rounding rounding_of(ptx::rounding r) {
    switch (r) {
        case ptx::rounding::rz:
            return arithmetic::rounding::zero;
        case ptx::rounding::rm:
            return arithmetic::rounding::down;
        case ptx::rounding::rp:
            return arithmetic::rounding::up;
        default:
            return arithmetic::rounding::nearest;
    }
}

arithmetic::matrix_description description_of(const ptx::operation& o, unsigned architecture) {
    arithmetic::matrix_description d;
    d.shape = shape_of(o);
    // wmma.mma of f16 may specify the types of D and C only.
    const bool two_types = o.type_count == 2;
    d.d = element_of(o.types[0]);
    d.a = two_types ? matrix_element::f16 : element_of(o.types[1]);
    d.b = two_types ? matrix_element::f16 : element_of(o.types[2]);
    d.c = element_of(two_types ? o.types[1] : o.types[3]);
    d.a_layout = layout_of(o.layout_a, matrix_layout::row);
    d.b_layout = layout_of(o.layout_b, matrix_layout::column);
    d.wmma = o.op == opcode::wmma_mma;
    d.saturate = o.has(ptx::flag::satfinite);
    d.bit_and = o.reduce == ptx::reduction::and_;
    d.sparse = o.op == opcode::mma_sp;
    d.f64_rounding = rounding_of(o.round);
    d.sum = sum_of(architecture, two_types ? ptx::type::f16 : o.types[1]);
    using ptx::mode;
    if (o.variant == mode::kind_f8f6f4 || o.variant == mode::kind_mxf8f6f4) {
        // Numbers of four bits are in bits 2 to 5 of a byte: they are those of e2m3.
        for (matrix_element* const e : {&d.a, &d.b})
            if (*e == matrix_element::e2m1) *e = matrix_element::e2m3;
    }
    if (o.variant != mode::none && o.variant != mode::kind_f8f6f4) {
        const unsigned default_scales = o.variant == mode::kind_mxf8f6f4 ? 1 : 2;
        d.scaling.block = o.shape.k / (o.count != 0 ? o.count : default_scales);
        d.scaling.ue4m3 = o.has(ptx::flag::ue4m3);
    }
    if (!d.wmma) return d;
    // Volta and Turing have instructions for 4 and 8 products only; for tf32, ptxas uses one for 4
    // products from sm_80 on.
    if (d.a == matrix_element::f16 && architecture < 80) d.step = architecture < 75 ? 4 : 8;
    if (d.a == matrix_element::tf32) d.sum.products = 4;
    return d;
}

matrix_rows rows_of(const ptx::operation& o) {
    const bool bytes = o.shape.m == 16;
    if (o.variant == ptx::mode::packed_4)
        return bytes ? matrix_rows::bytes_packed4 : matrix_rows::packed4;
    if (o.variant == ptx::mode::packed_6)
        return bytes ? matrix_rows::bytes_packed6 : matrix_rows::packed6;
    if (bytes) return matrix_rows::bytes;
    return o.has(ptx::flag::trans) ? matrix_rows::transposed : matrix_rows::plain;
}

}  // namespace

void function_lowering::lower_multiply(const ptx::operation& o) {
    arithmetic::matrix_description d = description_of(o, module_.gpu_architecture());
    if (d.sparse) d.selector = static_cast<unsigned>(operand(5).value);
    const auto product = std::make_shared<const arithmetic::matrix_multiply>(d);
    const bool wide = d.d == matrix_element::f64;
    const unsigned width = wide ? 64 : 32;
    std::vector<operand_ref> list;
    for (const ptx::operand* e : elements_of(operand(0)))
        list.push_back(destination(*e, width, false));
    for (unsigned n = 1; n < 4; ++n)
        for (const ptx::operand* e : elements_of(operand(n))) list.push_back(source(*e, width));
    const operand_ref metadata = d.sparse ? source(*elements_of(operand(4))[0], 32) : no_operand;
    operand_ref scales[2] = {no_operand, no_operand};
    const unsigned first_scale = d.sparse ? 6 : 4;
    for (unsigned n = 0; n < 2 && d.scaling.block != 0; ++n) {
        scales[n] = source(*elements_of(operand(first_scale + 2 * n))[0], 32);
        for (const ptx::operand* e : elements_of(operand(first_scale + 1 + 2 * n)))
            list.push_back(source(*e, 16));
    }
    operation& op = emit(multiply_matrices);
    op.list = list_of(list);
    op.source[0] = metadata;
    op.source[1] = scales[0];
    op.source[2] = scales[1];
    op.immediate = attach(product);
}

void function_lowering::lower_fragment(const ptx::operation& o) {
    const bool loads = o.op == opcode::wmma_load;
    const matrix_operand which = o.part_of == ptx::fragment::a   ? matrix_operand::a
                                 : o.part_of == ptx::fragment::b ? matrix_operand::b
                                                                 : matrix_operand::c;
    const matrix_element element = element_of(o.first_type());
    const matrix_layout layout = layout_of(o.layout_a, matrix_layout::row);
    auto access = std::make_shared<fragment_access>(
        arithmetic::wmma_fragment(shape_of(o), which, element, layout), layout);
    access->is_wide = element == matrix_element::f64;
    if (element == matrix_element::b1) access->packed = 32;
    const unsigned rows = which == matrix_operand::b ? o.shape.k : o.shape.m;
    const unsigned columns = which == matrix_operand::a ? o.shape.k : o.shape.n;
    access->default_stride = access->layout == matrix_layout::row ? columns : rows;
    const unsigned width = access->is_wide ? 64 : 32;
    std::vector<operand_ref> list;
    for (const ptx::operand* e : elements_of(operand(loads ? 0 : 1)))
        list.push_back(loads ? destination(*e, width, false) : source(*e, width));
    const operand_ref stride = has_operand(2) ? source(operand(2), 32) : no_operand;
    const memory_place p = place_of(operand(loads ? 1 : 0), o);
    emit_segment_check(p, loads ? segment_access::load_fragment : segment_access::store_fragment);
    operation& op = emit(loads ? load_fragment : store_fragment);
    op.list = list_of(list);
    set_place(op, p);
    op.source[1] = stride;
    op.source[2] = static_cast<operand_ref>(p.immediate);
    op.immediate = attach(std::move(access));
}

/// Operands: D, A (a descriptor or four registers), descriptor of B, for .sp metadata and selector,
/// scale-d; then imm-scale-a, imm-scale-b, and for 16-bit types imm-trans-a if A has a descriptor,
/// imm-trans-b.
bool function_lowering::lower_warpgroup_multiply(const ptx::operation& o) {
    const bool in_registers = operand(1).kind == operand_kind::vector;
    const bool sparse = o.op == opcode::wgmma_mma_async_sp;
    const unsigned scale_d = sparse ? 5 : 3;
    const auto value = [&](unsigned n) {
        return has_operand(scale_d + n) ? operand(scale_d + n).value : 0;
    };
    arithmetic::warpgroup_description d;
    d.n = o.shape.n;
    d.d = element_of(o.types[0]);
    d.a = element_of(o.types[1]);
    d.b = element_of(o.types[2]);
    d.negate_a = value(1) < 0;
    d.negate_b = value(2) < 0;
    d.a_is_mn_major = !in_registers && value(3) != 0;
    d.b_is_mn_major = value(in_registers ? 3 : 4) != 0;
    d.sparse = sparse;
    if (sparse) d.selector = static_cast<unsigned>(operand(4).value);
    d.saturate = o.has(ptx::flag::satfinite);
    std::vector<operand_ref> list;
    for (const ptx::operand* e : elements_of(operand(0)))
        list.push_back(destination(*e, 32, false));
    operand_ref a = no_operand;
    if (in_registers) {
        if (operand(1).count != 4) return false;
        for (const ptx::operand* e : elements_of(operand(1))) {
            if (!has_width(*e, 32)) return false;
            list.push_back(source(*e, 32));
        }
    } else {
        if (!has_width(operand(1), 64)) return false;
        a = source(operand(1), 64);
    }
    const operand_ref b = source(operand(2), 64);
    const operand_ref metadata = sparse ? source(operand(3), 32) : no_operand;
    const operand_ref adds = mask_source(operand(scale_d));
    emit(await_warpgroup, false);
    operation& op = emit(multiply_warpgroup);
    op.list = list_of(list);
    op.source[0] = a;
    op.source[1] = b;
    op.source[2] = adds;
    op.source[3] = metadata;
    op.immediate = attach(std::make_shared<const arithmetic::warpgroup_multiply>(d));
    return true;
}

bool function_lowering::lower_matrix(const ptx::operation& o) {
    switch (o.op) {
        case opcode::wgmma_mma_async:
        case opcode::wgmma_mma_async_sp:
            gather_warp();
            return lower_warpgroup_multiply(o);
        case opcode::mma:
        case opcode::mma_sp:
        case opcode::wmma_mma:
            for (unsigned i = 0; i < o.type_count; ++i)
                if (!is_known(o.types[i])) return false;
            gather_warp();
            lower_multiply(o);
            return true;
        case opcode::wmma_load:
        case opcode::wmma_store:
            gather_warp();
            lower_fragment(o);
            return true;
        case opcode::ldmatrix:
        case opcode::stmatrix: {
            gather_warp();
            const bool loads = o.op == opcode::ldmatrix;
            std::vector<operand_ref> list;
            for (const ptx::operand* e : elements_of(operand(loads ? 0 : 1)))
                list.push_back(loads ? destination(*e, 32, false) : source(*e, 32));
            const memory_place p = place_of(operand(loads ? 1 : 0), o);
            emit_segment_check(
                p, loads ? segment_access::load_matrices : segment_access::store_matrices);
            operation& op = emit(loads ? load_matrices : store_matrices);
            set_place(op, p);
            op.destination2 = static_cast<operand_ref>(list.size());
            op.source[3] = static_cast<operand_ref>(rows_of(o));
            op.list = list_of(list);
            return true;
        }
        case opcode::movmatrix: {
            gather_warp();
            const operand_ref from = source(operand(1), 32);
            const operand_ref to = destination(operand(0), 32, false);
            operation& op = emit(transpose_matrix);
            op.destination = to;
            op.source[0] = from;
            return true;
        }
        default:
            return false;
    }
}

}  // namespace simtlm::execution
