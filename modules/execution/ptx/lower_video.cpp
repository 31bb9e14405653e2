// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/video.h"
#include "modules/execution/operations/video_operations.h"
#include "modules/execution/ptx/function_lowering.h"

namespace simtlm::execution {

using arithmetic::video_operation;
using ptx::opcode;

namespace {

bool is_s32(ptx::type t) {
    return t == ptx::type::s32;
}

arithmetic::part part_of(const ptx::selector& s) {
    if (s.unit == 8) return static_cast<arithmetic::part>(s.lanes[0]);
    if (s.unit == 16) return s.lanes[0] == 0 ? arithmetic::part::h0 : arithmetic::part::h1;
    return arithmetic::part::word;
}

arithmetic::comparison comparison_of(ptx::comparison c) {
    switch (c) {
        case ptx::comparison::ne:
            return arithmetic::comparison::ne;
        case ptx::comparison::lt:
        case ptx::comparison::lo:
            return arithmetic::comparison::lt;
        case ptx::comparison::le:
        case ptx::comparison::ls:
            return arithmetic::comparison::le;
        case ptx::comparison::gt:
        case ptx::comparison::hi:
            return arithmetic::comparison::gt;
        case ptx::comparison::ge:
        case ptx::comparison::hs:
            return arithmetic::comparison::ge;
        default:
            return arithmetic::comparison::eq;
    }
}

struct known_video {
    opcode op;
    video_operation what;
    unsigned lanes;  ///< 1: scalar
};
constexpr known_video all_video[] = {
    {opcode::vadd, video_operation::add, 1},
    {opcode::vsub, video_operation::subtract, 1},
    {opcode::vabsdiff, video_operation::absolute_difference, 1},
    {opcode::vmin, video_operation::minimum, 1},
    {opcode::vmax, video_operation::maximum, 1},
    {opcode::vshl, video_operation::shift_left, 1},
    {opcode::vshr, video_operation::shift_right, 1},
    {opcode::vset, video_operation::compare, 1},
    {opcode::vadd2, video_operation::add, 2},
    {opcode::vsub2, video_operation::subtract, 2},
    {opcode::vavrg2, video_operation::average, 2},
    {opcode::vabsdiff2, video_operation::absolute_difference, 2},
    {opcode::vmin2, video_operation::minimum, 2},
    {opcode::vmax2, video_operation::maximum, 2},
    {opcode::vset2, video_operation::compare, 2},
    {opcode::vadd4, video_operation::add, 4},
    {opcode::vsub4, video_operation::subtract, 4},
    {opcode::vavrg4, video_operation::average, 4},
    {opcode::vabsdiff4, video_operation::absolute_difference, 4},
    {opcode::vmin4, video_operation::minimum, 4},
    {opcode::vmax4, video_operation::maximum, 4},
    {opcode::vset4, video_operation::compare, 4},
};

arithmetic::scalar_video scalar_of(const ptx::operation& o, video_operation what) {
    arithmetic::scalar_video v;
    v.operation = what;
    const bool compares = what == video_operation::compare;
    // vset has no result type.
    v.destination_signed = !compares && is_s32(o.types[0]);
    v.a_signed = is_s32(o.types[compares ? 0 : 1]);
    v.b_signed = is_s32(o.types[compares ? 1 : 2]);
    v.compare = comparison_of(o.compare);
    v.shift = o.has(ptx::flag::wrap) ? arithmetic::shift_mode::wrap : arithmetic::shift_mode::clamp;
    v.saturate = o.has(ptx::flag::sat);
    if (o.reduce == ptx::reduction::add) v.secondary = arithmetic::secondary_operation::add;
    if (o.reduce == ptx::reduction::min) v.secondary = arithmetic::secondary_operation::minimum;
    if (o.reduce == ptx::reduction::max) v.secondary = arithmetic::secondary_operation::maximum;
    return v;
}

void set_elements(std::array<std::uint8_t, 4>& to, const ptx::selector& s) {
    for (unsigned i = 0; i < s.count && i < 4; ++i) to[i] = s.lanes[i];
}

arithmetic::simd_video simd_of(const ptx::operation& o, video_operation what, unsigned lanes) {
    arithmetic::simd_video v;
    v.operation = what;
    v.lanes = lanes;
    const bool compares = what == video_operation::compare;
    v.destination_signed = !compares && is_s32(o.types[0]);
    v.a_signed = is_s32(o.types[compares ? 0 : 1]);
    v.b_signed = is_s32(o.types[compares ? 1 : 2]);
    v.compare = comparison_of(o.compare);
    v.saturate = o.has(ptx::flag::sat);
    v.accumulate = o.reduce == ptx::reduction::add;
    v.mask = lanes == 2 ? 3 : 0xf;
    if (lanes == 2) {
        v.a_elements = {0, 1, 0, 0};
        v.b_elements = {2, 3, 0, 0};
    }
    return v;
}

}  // namespace

bool function_lowering::lower_video(const ptx::operation& o) {
    if (o.op == opcode::vmad) {
        auto v = std::make_shared<arithmetic::video_mad>();
        v->a_signed = is_s32(o.types[1]);
        v->b_signed = is_s32(o.types[2]);
        v->saturate = o.has(ptx::flag::sat);
        v->plus_one = o.has(ptx::flag::po);
        v->shift = o.count;
        v->negate_product = operand(1).negated != operand(2).negated;
        v->negate_c = operand(3).negated;
        v->a = part_of(operand(1).select);
        v->b = part_of(operand(2).select);
        emit_video(video_multiply_add, std::move(v));
        return true;
    }
    for (const known_video& k : all_video) {
        if (k.op != o.op) continue;
        if (k.lanes == 1) {
            auto v = std::make_shared<arithmetic::scalar_video>(scalar_of(o, k.what));
            v->destination = part_of(operand(0).select);
            v->a = part_of(operand(1).select);
            v->b = part_of(operand(2).select);
            emit_video(scalar_video_operation, std::move(v));
            return true;
        }
        auto v = std::make_shared<arithmetic::simd_video>(simd_of(o, k.what, k.lanes));
        set_elements(v->a_elements, operand(1).select);
        set_elements(v->b_elements, operand(2).select);
        if (operand(0).select.count != 0) {
            v->mask = 0;
            for (unsigned i = 0; i < operand(0).select.count; ++i)
                v->mask |= static_cast<std::uint8_t>(1u << operand(0).select.lanes[i]);
        }
        emit_video(simd_video_operation, std::move(v));
        return true;
    }
    return false;
}

void function_lowering::emit_video(handler h, std::shared_ptr<const void> what) {
    const operand_ref a = source(operand(1), 32);
    const operand_ref b = source(operand(2), 32);
    const operand_ref c = has_operand(3) ? source(operand(3), 32) : constant(0, 32);
    const operand_ref to = destination(operand(0), 32, false);
    operation& op = emit(h);
    op.destination = to;
    op.source[0] = a;
    op.source[1] = b;
    op.source[2] = c;
    op.immediate = attach(std::move(what));
}

}  // namespace simtlm::execution
