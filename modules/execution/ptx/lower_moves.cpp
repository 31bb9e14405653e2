// SPDX-License-Identifier: Apache-2.0
// mov with vectors, conversion of addresses between spaces.
#include "modules/execution/operations/address_test.h"
#include "modules/execution/operations/moves.h"
#include "modules/execution/ptx/function_lowering.h"

namespace simtlm::execution {

std::vector<const ptx::operand*> function_lowering::elements_of(const ptx::operand& o) const {
    std::vector<const ptx::operand*> elements;
    if (o.kind != operand_kind::vector) return {&o};
    for (unsigned i = 0; i < o.count; ++i) elements.push_back(&f_.element_of(o, i));
    return elements;
}

bool function_lowering::lower_mov(const ptx::operation& o) {
    const bool from_vector = operand(1).kind == operand_kind::vector;
    const bool to_vector = operand(0).kind == operand_kind::vector;
    const unsigned width = ptx::width_of(o.first_type());
    if (from_vector && to_vector) {
        const auto from = elements_of(operand(1));
        const auto to = elements_of(operand(0));
        std::vector<operand_ref> sources;
        for (const ptx::operand* e : from) {  // copied first: {x, y} may be moved to {y, x}
            const operand_ref value = source(*e, width);
            sources.push_back(temporary(width));
            convert(sources.back(), width, value, width, false);
        }
        for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) {
            const operand_ref s = destination(*to[i], width, false);
            operation& op = emit(width > 32 ? move64 : move32, i == 0);
            op.destination = s;
            op.source[0] = sources[i];
        }
        return true;
    }
    if (from_vector)
        lower_pack(o);
    else if (to_vector)
        lower_unpack(o);
    else if (width == 128)
        for (const std::uint32_t half : {0u, 256u}) {
            if (operand(1).kind != operand_kind::reg || operand(0).kind != operand_kind::reg)
                return false;
            operation& op = emit(move64, half == 0);
            op.destination = image_.registers[operand(0).index] + half;
            op.source[0] = image_.registers[operand(1).index] + half;
        }
    else
        return lower_elementwise(o);
    return true;
}

/// mov.b64 d, {a, b}
void function_lowering::lower_pack(const ptx::operation& o) {
    const auto elements = elements_of(operand(1));
    const unsigned width = ptx::width_of(o.first_type());
    const unsigned each = width / static_cast<unsigned>(elements.size());
    std::vector<operand_ref> refs;
    for (const ptx::operand* e : elements) refs.push_back(source(*e, each));
    const operand_ref to = destination(operand(0), std::min(width, 64u), false);
    if (width == 128) {  // separate halves
        const std::size_t per_half = refs.size() / 2;
        for (unsigned half = 0; half < 2; ++half) {
            const std::vector<operand_ref> part(
                refs.begin() + static_cast<std::ptrdiff_t>(half * per_half),
                refs.begin() + static_cast<std::ptrdiff_t>((half + 1) * per_half));
            operation& op = emit(per_half == 1 ? move64 : pack_double, half == 0);
            op.source[0] = part[0];
            op.list = list_of(part);
            op.detail = static_cast<std::uint16_t>(each);
            op.immediate = static_cast<std::int64_t>(per_half);
            op.destination = to + 256 * half;
        }
        return;
    }
    operation& op = emit(width > 32 ? pack_double : pack_word);
    op.destination = to;
    op.list = list_of(refs);
    op.detail = static_cast<std::uint16_t>(each);
    op.immediate = static_cast<std::int64_t>(refs.size());
}

/// mov.b64 {a, b}, d
void function_lowering::lower_unpack(const ptx::operation& o) {
    const auto elements = elements_of(operand(0));
    const unsigned width = ptx::width_of(o.first_type());
    const unsigned each = width / static_cast<unsigned>(elements.size());
    const operand_ref from = source(operand(1), std::min(width, 64u));
    std::vector<operand_ref> refs;
    for (const ptx::operand* e : elements)
        refs.push_back(e->kind == operand_kind::reg ? destination(*e, each, false) : no_operand);
    const unsigned halves = width == 128 ? 2 : 1;
    const std::size_t per_half = refs.size() / halves;
    for (unsigned half = 0; half < halves; ++half) {
        const std::vector<operand_ref> part(
            refs.begin() + static_cast<std::ptrdiff_t>(half * per_half),
            refs.begin() + static_cast<std::ptrdiff_t>((half + 1) * per_half));
        if (each == 64) {
            if (part[0] == no_operand) continue;
            operation& op = emit(move64, half == 0);
            op.destination = part[0];
            op.source[0] = from + 256 * half;
            continue;
        }
        operation& op = emit(width > 32 ? unpack_double : unpack_word, half == 0);
        op.source[0] = from + 256 * half;
        op.list = list_of(part);
        op.detail = static_cast<std::uint16_t>(each);
        op.immediate = static_cast<std::int64_t>(per_half);
    }
}

namespace {
/// Start of a state space in the generic address space.
device_address window_of(ptx::state_space s, bool in_entry) {
    switch (s) {
        case ptx::state_space::shared:
            return address_windows::shared;
        case ptx::state_space::local:
            return address_windows::local;
        case ptx::state_space::param:
            return in_entry ? address_windows::param : address_windows::local;
        default:
            return 0;
    }
}
}  // namespace

bool function_lowering::lower_address_conversion(const ptx::operation& o) {
    if (o.op == ptx::opcode::isspacep) {
        const operand_ref a = source(operand(1), 64);
        const operand_ref to = destination(operand(0), 1, false);
        operation& op = emit(test_address_space);
        op.destination = to;
        op.source[0] = a;
        op.detail = static_cast<std::uint16_t>(static_cast<unsigned>(o.space) |
                                               static_cast<unsigned>(o.window) << 8);
        return true;
    }
    const unsigned width = ptx::width_of(o.first_type());
    const operand_ref a = source(operand(1), width);
    const operand_ref to = destination(operand(0), width, false);
    const device_address window = window_of(o.space, f_.entry);
    const operand_ref by = constant(o.has(ptx::flag::to) ? -window : window, width);
    operation& op = emit(width > 32 ? add64 : add32);
    op.destination = to;
    op.source[0] = a;
    op.source[1] = by;
    if (window == 0) op.execute = width > 32 ? move64 : move32;
    return true;
}

}  // namespace simtlm::execution
