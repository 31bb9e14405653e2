// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/texture_operations.h"
#include "modules/execution/ptx/function_lowering.h"

namespace simtlm::execution {

using arithmetic::texture_geometry;
using ptx::opcode;

namespace {

texture_geometry geometry_of(ptx::geometry g) {
    switch (g) {
        case ptx::geometry::d1:
            return texture_geometry::one;
        case ptx::geometry::d3:
            return texture_geometry::three;
        case ptx::geometry::a1d:
            return texture_geometry::layered_one;
        case ptx::geometry::a2d:
            return texture_geometry::layered_two;
        case ptx::geometry::cube:
            return texture_geometry::cube;
        case ptx::geometry::acube:
            return texture_geometry::layered_cube;
        default:
            return texture_geometry::two;
    }
}

unsigned component_of(ptx::mode m) {
    switch (m) {
        case ptx::mode::tex_g:
            return 1;
        case ptx::mode::tex_b:
            return 2;
        case ptx::mode::tex_a:
            return 3;
        default:
            return 0;
    }
}

arithmetic::surface_clamp clamp_of(ptx::bounds b) {
    switch (b) {
        case ptx::bounds::clamp:
            return arithmetic::surface_clamp::clamp;
        case ptx::bounds::zero:
            return arithmetic::surface_clamp::zero;
        default:
            return arithmetic::surface_clamp::trap;
    }
}

/// The operand of a fetch that holds the texel offsets; it is followed by the reference value of
/// depth comparisons.
unsigned offset_operand(const ptx::operation& o) {
    return o.op == opcode::tld4 ? 5 : 8;
}
/// Width of the texel offsets of tld4 in bits; those of tex have four bits.
constexpr unsigned gather_offset_bits = 6;

}  // namespace

std::vector<operand_ref> function_lowering::words_of(const ptx::operand& o) {
    std::vector<operand_ref> refs;
    if (o.kind == operand_kind::none) return refs;
    for (const ptx::operand* e : elements_of(o))
        if (e->kind != operand_kind::sink) refs.push_back(source(*e, 32));
    return refs;
}

/// The handle of a texture or surface: address of a reference, or a register.
operand_ref function_lowering::handle_of(const ptx::operand& o) {
    ptx::operand value = o;
    if (value.kind == operand_kind::address_variable) value.kind = operand_kind::variable;
    if (value.kind == operand_kind::address_register) value.kind = operand_kind::reg;
    return source(value, 64);
}

void function_lowering::lower_fetch(const ptx::operation& o) {
    auto d = std::make_shared<texture_description>();
    d->geometry = geometry_of(o.texture);
    d->gathers = o.op == opcode::tld4;
    d->component = component_of(o.variant);
    d->integer_coordinates = o.types[1] == ptx::type::s32;
    d->texture = handle_of(operand(2));
    if (has_operand(3)) d->sampler = handle_of(operand(3));
    d->coordinates = words_of(operand(4));
    if (!d->gathers && o.has(ptx::flag::level) && has_operand(5)) {
        d->has_level = true;
        d->level = source(operand(5), 32);
    }
    if (!d->gathers && o.has(ptx::flag::grad) && has_operand(6) && has_operand(7)) {
        d->has_gradient = true;
        d->dx = words_of(operand(6));
        d->dy = words_of(operand(7));
    }
    const unsigned offset = offset_operand(o);
    if (has_operand(offset)) {
        d->offsets = words_of(operand(offset));
        if (d->gathers) d->offset_bits = gather_offset_bits;
    }
    if (has_operand(1) && operand(1).kind == operand_kind::reg)
        d->predicate = image_.registers[operand(1).index];
    const unsigned width = o.first_type() == ptx::type::f16 ? 16 : 32;
    for (const ptx::operand* e : elements_of(operand(0)))
        d->results.push_back(e->kind == operand_kind::sink ? no_operand
                                                           : destination(*e, width, false));
    if (width == 16) d->result_form = texture_description::form::half;
    if (o.first_type() == ptx::type::f16x2) {
        d->result_form = texture_description::form::pair_of_halves;
        d->paired = {0, 1, 2, 3};
    }
    operation& op = emit(handlers_.fetch_texture);
    op.detail = static_cast<std::uint16_t>(static_cast<unsigned>(space::global)
                                           << access_detail::space_shift);
    op.immediate = attach(std::move(d));
}

void function_lowering::lower_surface(const ptx::operation& o) {
    auto d = std::make_shared<texture_description>();
    const unsigned surface = o.op == opcode::suld ? 1 : 0;
    d->geometry = geometry_of(o.texture);
    d->formatted = o.has(ptx::flag::formatted);
    d->element_bytes = ptx::bytes_of(o.first_type());
    d->elements = o.vector;
    d->clamp = clamp_of(o.surface_bounds);
    d->reduce = o.reduce;
    d->reduces_signed = ptx::class_of(o.first_type()) == ptx::type_class::signed_integer;
    d->texture = handle_of(operand(surface));
    d->coordinates = words_of(operand(surface + 1));
    const unsigned width = d->element_bytes == 8 ? 64 : 32;
    for (const ptx::operand* e : elements_of(operand(surface == 1 ? 0 : 2)))
        d->results.push_back(surface == 1 ? destination(*e, width, false) : source(*e, width));
    operation& op = emit(o.op == opcode::suld   ? load_surface
                         : o.op == opcode::sust ? store_surface
                                                : reduce_surface);
    op.detail = static_cast<std::uint16_t>(static_cast<unsigned>(space::global)
                                           << access_detail::space_shift);
    op.immediate = attach(std::move(d));
}

bool function_lowering::lower_texture(const ptx::operation& o) {
    switch (o.op) {
        case opcode::tex:
        case opcode::tld4:
            if (o.texture == ptx::geometry::d2ms || o.texture == ptx::geometry::a2dms ||
                has_operand(offset_operand(o) + 1))
                return false;
            lower_fetch(o);
            return true;
        case opcode::suld:
        case opcode::sust:
        case opcode::sured:
            lower_surface(o);
            return true;
        case opcode::txq:
        case opcode::suq: {
            auto d = std::make_shared<texture_description>();
            d->query = o.variant;
            d->texture = handle_of(operand(1));
            if (o.has(ptx::flag::level) && has_operand(2)) {
                d->has_level = true;
                d->level = source(operand(2), 32);
            }
            d->results.push_back(destination(operand(0), 32, false));
            emit(query_texture).immediate = attach(std::move(d));
            return true;
        }
        default:
            return false;
    }
}

}  // namespace simtlm::execution
