// SPDX-License-Identifier: Apache-2.0
// Lowering of texture fetches and surface accesses to those of PTX. The registers of their operands
// were determined by compiling PTX with each of its texture instructions.
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/texture_operations.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace simtlm::execution {

using arithmetic::texture_geometry;
using sass::modifier;
using sass::operand_kind;

namespace {

/// Geometry of a texture, and number of coordinate registers, including the layer.
struct named_geometry {
    std::string_view name;
    texture_geometry geometry;
    unsigned coordinates;
    bool layered;
};
constexpr named_geometry geometries[] = {
    {"1D", texture_geometry::one, 1, false},
    {"2D", texture_geometry::two, 2, false},
    {"3D", texture_geometry::three, 3, false},
    {"CUBE", texture_geometry::cube, 3, false},
    {"ARRAY_1D", texture_geometry::layered_one, 2, true},
    {"ARRAY_2D", texture_geometry::layered_two, 3, true},
    {"ARRAY_CUBE", texture_geometry::layered_cube, 4, true},
    // Surfaces.
    {"1D_BUFFER", texture_geometry::one, 1, false},
    {"1D_ARRAY", texture_geometry::layered_one, 2, true},
    {"2D_ARRAY", texture_geometry::layered_two, 3, true},
};

const named_geometry* geometry_called(std::string_view name) {
    for (const named_geometry& g : geometries)
        if (g.name == name) return &g;
    return nullptr;
}

bool has_any(const machine_lowering& l, std::initializer_list<modifier> modifiers) {
    for (const modifier m : modifiers)
        if (l.has(m)) return true;
    return false;
}

/// The n-th register after another.
sass::operand following_register(const sass::operand& first, unsigned n) {
    sass::operand o = first;
    if (o.index != sass::register_rz) o.index = static_cast<std::uint8_t>(o.index + n);
    return o;
}

/// The component that TLD4 gathers.
unsigned gathered_component(const machine_lowering& l) {
    const modifier name = l.modifier_at(l.modifier_at(0) == modifier::SCR ? 1 : 0).id;
    return name == modifier::G ? 1 : name == modifier::B ? 2 : name == modifier::A ? 3 : 0;
}

/// Converts a handle to 64 bits, of which instructions have the low 32.
operand_ref handle_row(machine_lowering& l, operand_ref low) {
    const operand_ref to = l.scratch();
    operation& op = l.emit(l.lanes().pack, {}, false);
    op.source[0] = low;
    op.source[1] = machine_frame::zero;
    op.destination = to;
    return to;
}

/// The handle in operands `n` and `n` + 1: bank and word of a constant, or a uniform register.
std::optional<operand_ref> bound_handle(machine_lowering& l, unsigned n) {
    if (n + 1 >= l.operand_count()) return std::nullopt;
    const sass::operand& first = l.at(n);
    const sass::operand& second = l.at(n + 1);
    if (first.kind == operand_kind::uniform_reg && second.kind == operand_kind::uniform_reg &&
        second.index == sass::uniform_urz)
        return handle_row(l, l.register_row(first.index, true));
    if (second.kind != operand_kind::integer) return std::nullopt;
    if (first.kind == operand_kind::uniform_reg && second.value == 0)
        return handle_row(l, l.register_row(first.index, true));
    if (first.kind == operand_kind::integer && first.value < sass_image::banks)
        return handle_row(
            l, l.row({machine_row::kind::bank_word, static_cast<std::uint32_t>(first.value),
                      static_cast<std::uint32_t>(second.value) * 4}));
    return std::nullopt;
}

/// The register after the coordinates of TXD: the lower half holds the layer, the upper half the
/// offsets.
operand_ref layer_row(machine_lowering& l, const sass::operand& o) {
    const operand_ref to = l.scratch();
    l.emit_modified({0xffff}, to, l.low_word(o), false);
    return to;
}

/// The operands of a fetch. After an optional predicate: the second pair of results, the first
/// pair, registers A and B, location of the handle, geometry of the texture, requested components.
struct fetch_operands {
    unsigned first = 0;  ///< number of the first operand after the predicate
    sass::operand a, b;
    bool handle_in_register = false;
    std::optional<operand_ref> handle;
    const named_geometry* geometry = nullptr;
    unsigned components = 15;
    bool level = false, offsets = false;  ///< are given in registers

    const sass::operand& results(const machine_lowering& l, bool second) const {
        return l.at(first + (second ? 0 : 1));
    }
    /// Reads the operands. @return false if they are not supported
    bool read(machine_lowering& l);
};

bool fetch_operands::read(machine_lowering& l) {
    first = l.at(0).kind == operand_kind::predicate ? 1 : 0;
    for (unsigned n = 0; n < 2; ++n) l.ignore_operand(first + n);  // if few results are requested
    a = l.at(first + 2);
    b = l.at(first + 3);
    unsigned next = first + 4;
    if (b.kind != operand_kind::reg) {
        b = {};
        b.kind = operand_kind::reg;
        b.index = sass::register_rz;
        --next;
    }
    handle_in_register = l.at(next).kind == operand_kind::text;
    l.ignore(modifier::B);  // the same
    if (!handle_in_register) {
        handle = bound_handle(l, next);
        if (!handle) return false;
        next += 2;
    }
    geometry = geometry_called(l.suffix_of(l.at(next)));
    if (next + 1 < l.operand_count()) components = static_cast<unsigned>(l.at(next + 1).value);
    level = l.has(modifier::LL);
    offsets = l.has(modifier::AOFFI);
    return geometry != nullptr;
}

/// TXD. A: handle, coordinates, layer. B: derivatives in x and y, alternating.
void set_gradient_values(machine_lowering& l, fetch_operands& f, texture_description& d) {
    unsigned from = 0;
    if (f.handle_in_register) f.handle = handle_row(l, l.low_word(following_register(f.a, from++)));
    const unsigned plain = f.geometry->coordinates - (f.geometry->layered ? 1 : 0);
    const sass::operand last = following_register(f.a, from + plain);
    if (f.geometry->layered)
        d.coordinates.push_back(f.offsets ? layer_row(l, last) : l.low_word(last));
    if (f.offsets) {
        d.packed_offsets = l.low_word(last);
        d.offset_shift = 16;
    }
    for (unsigned n = 0; n < plain; ++n) {
        d.coordinates.push_back(l.low_word(following_register(f.a, from + n)));
        d.dx.push_back(l.low_word(following_register(f.b, 2 * n)));
        d.dy.push_back(l.low_word(following_register(f.b, 2 * n + 1)));
    }
    d.has_gradient = true;
}

/// Coordinates, then handle, level and offsets. .SCR: the values are split evenly between A and B,
/// A having the larger part, at most a pair. @return false if there are too many
bool set_values(machine_lowering& l, fetch_operands& f, texture_description& d) {
    const unsigned coordinates = f.geometry->coordinates, handles = f.handle_in_register ? 1 : 0;
    const unsigned count = coordinates + handles + (f.level ? 1 : 0) + (f.offsets ? 1 : 0);
    const bool split = l.has(modifier::SCR);
    if (split && count > 4) return false;
    const unsigned in_a = !split ? coordinates : count < 3 ? 1 : 2;
    std::vector<operand_ref> values;
    for (unsigned n = 0; n < count; ++n)
        values.push_back(
            l.low_word(n < in_a ? following_register(f.a, n) : following_register(f.b, n - in_a)));
    d.coordinates.assign(values.begin(), values.begin() + coordinates);
    if (f.handle_in_register) f.handle = handle_row(l, values[coordinates]);
    if (f.level) {
        d.has_level = true;
        d.level = values[coordinates + handles];
    }
    if (f.offsets) d.packed_offsets = values.back();
    return true;
}

/// The registers of the requested components: one for each, or one for two halves.
void set_results(machine_lowering& l, const fetch_operands& f, bool halves,
                 texture_description& d) {
    unsigned given = 0;
    for (unsigned c = 0; c < 4; ++c) {
        const bool requested = (f.components >> c & 1) != 0;
        if (halves && requested) {
            if (given % 2 == 0) d.results.push_back(l.result_row(f.results(l, given != 0)));
            d.paired.push_back(c);
        } else if (!halves) {
            d.results.push_back(requested ? l.result_row(f.results(l, given >= 2), given & 1)
                                          : no_operand);
        }
        given += requested ? 1 : 0;
    }
    if (halves) d.result_form = texture_description::form::pair_of_halves;
}

constexpr auto global_detail =
    static_cast<std::uint16_t>(static_cast<unsigned>(space::global) << access_detail::space_shift);

}  // namespace

/// TEX, TLD, TLD4, TXD.
bool lower_texture_fetch(machine_lowering& l) {
    if (has_any(l, {modifier::DC, modifier::MS, modifier::PTP, modifier::LB, modifier::LC,
                    modifier::FDV}))
        return false;
    const bool halves = l.has(modifier::F16), lowest = l.has(modifier::LZ);
    if (halves && !l.has(modifier::RN)) return false;
    l.ignore_memory_order();
    fetch_operands f;
    if (!f.read(l)) return false;
    // .CL clamps to the existing levels; without it, the result of an access to a missing level is
    // undefined.
    const bool loads = l.is(isa::opcode::TLD);
    if (loads && f.level != l.has(modifier::CL)) return false;
    if (loads && !f.level && !lowest) return false;
    auto d = std::make_shared<texture_description>();
    d->geometry = f.geometry->geometry;
    d->integer_coordinates = loads;
    d->gathers = l.is(isa::opcode::TLD4);
    d->has_quad_gradient = l.is(isa::opcode::TEX) && !f.level && !lowest;
    if (d->gathers) {
        d->component = gathered_component(l);
        d->offset_stride = 8;
        d->offset_bits = 6;
    }
    if (l.is(isa::opcode::TXD))
        set_gradient_values(l, f, *d);
    else if (!set_values(l, f, *d))
        return false;
    d->texture = *f.handle;
    set_results(l, f, halves, *d);
    if (f.first != 0) {
        // A predicate for lanes whose texels are not resident; all texels are resident.
        l.emit_predicate(predicate_logic_arguments::never, l.predicate_ref(l.at(0)));
    }
    operation& op = l.emit(l.handlers().fetch_texture);
    op.detail = global_detail;
    op.immediate = l.keep(std::shared_ptr<const texture_description>(d));
    return true;
}

/// TXQ. Operands: second pair of results, first pair of results, register, query, location of the
/// handle, components. The register holds the level, or the handle and the level.
bool lower_texture_query(machine_lowering& l) {
    for (unsigned n = 0; n < 2; ++n) l.ignore_operand(n);  // results, if few are requested
    if (l.suffix_of(l.at(3)) != "TEX_HEADER_DIMENSION") return false;
    const bool in_register = l.has(modifier::B);
    sass::operand level = l.at(2);
    std::optional<operand_ref> handle;
    unsigned next = 4;
    if (in_register) {
        handle = handle_row(l, l.low_word(level));
        level = following_register(level, 1);
    } else {
        handle = bound_handle(l, next);
        if (!handle) return false;
        next += 2;
    }
    const unsigned components =
        next < l.operand_count() ? static_cast<unsigned>(l.at(next).value) : 15;
    // The results may overwrite the register.
    const operand_ref kept = l.scratch();
    l.emit_copy(kept, l.low_word(level), false);
    constexpr ptx::mode queries[] = {ptx::mode::width, ptx::mode::height, ptx::mode::depth,
                                     ptx::mode::num_mipmap_levels};
    unsigned given = 0;
    for (unsigned c = 0; c < std::size(queries); ++c) {
        if ((components >> c & 1) == 0) continue;
        auto d = std::make_shared<texture_description>();
        d->query = queries[c];
        d->texture = *handle;
        d->has_level = true;
        d->level = kept;
        d->results.push_back(l.result_row(given < 2 ? l.at(1) : l.at(0), given & 1));
        ++given;
        l.emit(query_texture).immediate = l.keep(std::shared_ptr<const texture_description>(d));
    }
    return given != 0;
}

namespace {

/// Components of an access in the format of the surface.
unsigned components_of_surface(const machine_lowering& l) {
    return l.has(modifier::R) ? 1 : l.has(modifier::RG) ? 2 : 4;
}
/// Words of an access to unformatted data.
unsigned words_of_surface(const machine_lowering& l) {
    return l.has(modifier::_64) ? 2 : l.has(modifier::_128) ? 4 : 1;
}

/// SURED. @return false if the reduction is not supported
bool set_surface_reduction(const machine_lowering& l, texture_description& d) {
    constexpr std::pair<modifier, ptx::reduction> reductions[] = {
        {modifier::ADD, ptx::reduction::add},
        {modifier::MIN, ptx::reduction::min},
        {modifier::MAX, ptx::reduction::max},
        {modifier::AND, ptx::reduction::and_},
        {modifier::OR, ptx::reduction::or_}};
    for (const auto& r : reductions)
        if (l.has(r.first)) d.reduce = r.second;
    if (d.reduce == ptx::reduction::none || has_any(l, {modifier::F32, modifier::F16x2}))
        return false;
    d.reduces_signed = l.has(modifier::S32) || l.has(modifier::S64);
    d.element_bytes = has_any(l, {modifier::U64, modifier::S64, modifier::SD64}) ? 8 : 4;
    d.elements = 1;
    return true;
}

}  // namespace

/// SULD, SUST, SURED. Operands: destination register, coordinate registers, source register,
/// location of the handle.
bool lower_surface_access(machine_lowering& l) {
    l.ignore_memory_order();
    const bool loads = l.is(isa::opcode::SULD), reduces = l.is(isa::opcode::SURED);
    const bool formatted = reduces ? !l.has(modifier::BA) : l.has(modifier::P);
    if (!formatted && !l.has(modifier::BA)) return false;
    if (has_any(l, {modifier::S8, modifier::S16})) return false;
    const unsigned place = loads ? 1 : 0, data = loads ? 0 : 1;
    if (l.operand_count() < 3 || l.at(place).kind != operand_kind::address ||
        l.at(data).kind != operand_kind::reg)
        return false;
    const named_geometry* g = nullptr;
    for (unsigned m = 0; g == nullptr && m < l.modifier_count(); ++m)
        g = geometry_called(l.modifier_at(m).text);
    if (g == nullptr) return false;

    auto d = std::make_shared<texture_description>();
    d->geometry = g->geometry;
    d->formatted = formatted;
    d->element_bytes = l.has(modifier::U8) ? 1 : l.has(modifier::U16) ? 2 : 4;
    d->elements = formatted ? components_of_surface(l) : words_of_surface(l);
    if (reduces && !set_surface_reduction(l, *d)) return false;
    d->clamp = l.has(modifier::IGN)    ? arithmetic::surface_clamp::zero
               : l.has(modifier::TRAP) ? arithmetic::surface_clamp::trap
                                       : arithmetic::surface_clamp::clamp;
    const std::optional<operand_ref> handle =
        l.at(2).kind == operand_kind::reg ? handle_row(l, l.low_word(l.at(2))) : bound_handle(l, 2);
    if (!handle) return false;
    d->texture = *handle;
    // The layer is the last coordinate, but the first one of the operation.
    sass::operand base;
    base.kind = operand_kind::reg;
    base.index = l.at(place).base;
    const unsigned plain = g->coordinates - (g->layered ? 1 : 0);
    if (g->layered) d->coordinates.push_back(l.low_word(following_register(base, plain)));
    for (unsigned n = 0; n < plain; ++n)
        d->coordinates.push_back(l.low_word(following_register(base, n)));
    if (d->element_bytes == 8) d->results.push_back(l.double_source(l.at(data)));
    for (unsigned n = 0; n < d->elements && d->element_bytes != 8; ++n)
        d->results.push_back(loads ? l.result_row(l.at(data), n)
                                   : l.low_word(following_register(l.at(data), n)));
    operation& op = l.emit(reduces ? reduce_surface : loads ? load_surface : store_surface);
    op.detail = global_detail;
    op.immediate = l.keep(std::shared_ptr<const texture_description>(d));
    return true;
}

namespace {

/// A call of a texture_function: its arguments on the stack are copied to rows before the fetch.
struct gradient_fetch {
    texture_description description;
    operation fetch;
    operand_ref stack = no_operand;  ///< R1
    operand_ref handle = no_operand, handle_low = no_operand;
    operand_ref resident = no_operand;  ///< R4
    std::vector<operand_ref>
        from_stack;  ///< rows for the words from `stack` on; no_operand: skipped
};

const operation* fetch_with_gradient(warp& w, const operation* op) {
    const auto& g = *reinterpret_cast<const gradient_fetch*>(op->immediate);
    const lane_mask lanes = w.lanes_of(op);
    const auto* const stack = lanes_at<std::uint32_t>(w, g.stack);
    for_lanes(lanes, [&](unsigned lane) {
        for (std::size_t n = 0; n < g.from_stack.size(); ++n) {
            if (g.from_stack[n] == no_operand) continue;
            const std::uint64_t offset = std::uint64_t{stack[lane]} + 4 * n;
            check_local(w, op, lane, offset, 4);
            std::uint32_t word = 0;
            read_local(w, lane, offset, &word, sizeof word);
            lanes_at<std::uint32_t>(w, g.from_stack[n])[lane] = word;
        }
        lanes_at<std::uint64_t>(w, g.handle)[lane] = lanes_at<std::uint32_t>(w, g.handle_low)[lane];
    });
    // The timing model knows the instruction as a call, which accesses no memory.
    memory_request* const pending = std::exchange(w.pending, nullptr);
    g.fetch.execute(w, &g.fetch);
    w.pending = pending;
    for_lanes(lanes, [&](unsigned lane) { lanes_at<std::uint32_t>(w, g.resident)[lane] = 1; });
    return op + 1;
}

}  // namespace

/// Emits the operation of a texture_function, for a call.
void machine_lowering::emit_gradient_fetch(const texture_function& f) {
    constexpr unsigned stack_pointer = 1, first_argument = 4, coordinates = 8, first_dx = 12,
                       first_result = 5, dimensions = 3, words_of_stack = 8;
    auto g = std::make_shared<gradient_fetch>();
    texture_description& d = g->description;
    d.geometry = f.geometry;
    d.has_gradient = true;
    for (unsigned n = 0; n < dimensions + (f.layered ? 1 : 0); ++n)
        d.coordinates.push_back(register_row(coordinates + n, false));
    g->from_stack.assign(f.offsets ? words_of_stack : dimensions, no_operand);
    for (unsigned n = 0; n < dimensions; ++n) {
        d.dx.push_back(register_row(first_dx + n, false));
        // A double row for two words.
        if (n % 2 == 0) scratch();
        g->from_stack[n] = scratch_row(scratch_used_ - 1) + 128 * (n % 2);
        d.dy.push_back(g->from_stack[n]);
    }
    for (unsigned n = 0; f.offsets && n < dimensions; ++n) {
        if (n % 2 == 0) scratch();
        g->from_stack[4 + n] = scratch_row(scratch_used_ - 1) + 128 * (n % 2);
        d.offsets.push_back(g->from_stack[4 + n]);
    }
    g->stack = register_row(stack_pointer, false);
    g->handle_low = register_row(first_argument, false);
    g->resident = register_row(first_argument, false);
    g->handle = d.texture = scratch();
    for (unsigned n = 0; n < (f.halves ? 2 : 4); ++n)
        d.results.push_back(register_row(first_result + n, false));
    if (f.halves) {
        d.result_form = texture_description::form::pair_of_halves;
        d.paired = {0, 1, 2, 3};
    }
    scratch_used_ = 0;
    image_.attachments_.push_back(g);
    operation& op = emit(fetch_with_gradient, false);
    op.immediate = reinterpret_cast<std::int64_t>(g.get());
    g->fetch.execute = handlers_.fetch_texture;
    g->fetch.instruction = op.instruction;
    g->fetch.immediate = reinterpret_cast<std::int64_t>(&g->description);
    g->fetch.detail = global_detail;
}

}  // namespace simtlm::execution
