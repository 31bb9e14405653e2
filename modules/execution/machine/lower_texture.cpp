// SPDX-License-Identifier: Apache-2.0
// Lowering of texture fetches and surface accesses to those of PTX. The registers of their operands
// were determined by compiling PTX with each of its texture instructions.
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/memory_access.h"
#include "modules/execution/operations/lanes.h"
#include "modules/execution/operations/texture_operations.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace simtlm::execution {

using arithmetic::texture_geometry;
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

bool has_any(const sass::instruction& i, std::initializer_list<std::string_view> modifiers) {
    for (const std::string_view m : modifiers)
        if (i.has(m)) return true;
    return false;
}

/// The n-th register after another.
sass::operand register_behind(const sass::operand& first, unsigned n) {
    sass::operand o = first;
    if (o.index != sass::register_rz) o.index = static_cast<std::uint8_t>(o.index + n);
    return o;
}

/// The component that TLD4 gathers.
unsigned gathered_component(const sass::instruction& i) {
    const unsigned first = i.modifiers[0] == "SCR" ? 1 : 0;
    const std::string_view name = i.modifiers[first];
    return name == "G" ? 1 : name == "B" ? 2 : name == "A" ? 3 : 0;
}

}  // namespace

/// Converts a handle to 64 bits, of which instructions have the low 32.
slot machine_lowering::handle_row(slot low) {
    const slot to = scratch();
    operation& op = emit(lanes_.pack, &details(), false);
    op.source[0] = low;
    op.source[1] = machine_frame::zero;
    op.destination = to;
    return to;
}

/// The handle in operands `n` and `n` + 1: bank and word of a constant, or a uniform register.
std::optional<slot> machine_lowering::bound_handle(unsigned n) {
    if (n + 1 >= now_.operand_count) return std::nullopt;
    const operand& first = at(n);
    const operand& second = at(n + 1);
    if (second.kind != operand_kind::integer) return std::nullopt;
    if (first.kind == operand_kind::uniform_reg && second.value == 0)
        return handle_row(register_row(first.index, true));
    if (first.kind == operand_kind::integer && first.value < sass_image::banks)
        return handle_row(
            row({machine_row::kind::bank_word, static_cast<std::uint32_t>(first.value),
                 static_cast<std::uint32_t>(second.value) * 4}));
    return std::nullopt;
}

/// The register after the coordinates of TXD: the lower half holds the layer, the upper half the
/// offsets.
slot machine_lowering::layer_row(const operand& o) {
    machine_details& d = details();
    d.keep[0] = 0xffff;
    const slot to = scratch();
    operation& op = emit(lanes_.modify, &d, false);
    op.source[0] = low_word(o);
    op.destination = to;
    return to;
}

/// TEX, TLD, TLD4, TXD. Operands: the second pair of results, the first pair, registers A and B,
/// location of the handle, geometry of the texture, requested components.
bool machine_lowering::lower_fetch() {
    const std::string_view name = now_.opcode;
    if (has_any(now_, {"DC", "MS", "PTP", "LB", "LC", "FDV"})) return false;
    const bool halves = now_.has("F16");
    if (halves && !now_.has("RN")) return false;
    // A predicate for lanes whose texels are not resident; all texels are resident.
    const unsigned first_operand = at(0).kind == operand_kind::predicate ? 1 : 0;
    const operand& results2 = at(first_operand);
    const operand& results = at(first_operand + 1);
    const operand& a = at(first_operand + 2);
    operand b = at(first_operand + 3);
    unsigned next = first_operand + 4;
    if (b.kind != operand_kind::reg) {
        b = {};
        b.kind = operand_kind::reg;
        b.index = sass::register_rz;
        --next;
    }
    std::optional<slot> handle;
    const bool in_register = at(next).kind == operand_kind::text;
    if (!in_register) {
        handle = bound_handle(next);
        if (!handle) return false;
        next += 2;
    }
    const named_geometry* const g = geometry_called(at(next).suffix);
    if (g == nullptr) return false;
    const unsigned components =
        next + 1 < now_.operand_count ? static_cast<unsigned>(at(next + 1).value) : 15;
    const bool gradient = name == "TXD", gathers = name == "TLD4";
    // .CL clamps to the existing levels; without it, the result of an access to a missing level is
    // undefined.
    const bool level = now_.has("LL"), offsets = now_.has("AOFFI");
    if (name == "TLD" && level != now_.has("CL")) return false;
    if (name == "TLD" && !level && !now_.has("LZ")) return false;

    auto d = std::make_shared<texture_description>();
    d->geometry = g->geometry;
    d->integer_coordinates = name == "TLD";
    d->gathers = gathers;
    if (gathers) d->component = gathered_component(now_);
    d->has_quad_gradient = name == "TEX" && !level && !now_.has("LZ");
    if (gathers) {
        d->offset_stride = 8;
        d->offset_bits = 6;
    }
    std::vector<slot> values;  // coordinates, then handle and level
    if (gradient) {
        // A: handle, coordinates, layer. B: derivatives in x and y, alternating.
        unsigned from = 0;
        if (in_register) handle = handle_row(low_word(register_behind(a, from++)));
        const unsigned plain = g->coordinates - (g->layered ? 1 : 0);
        const operand last = register_behind(a, from + plain);
        if (g->layered) d->coordinates.push_back(offsets ? layer_row(last) : low_word(last));
        if (offsets) {
            d->packed_offsets = low_word(last);
            d->offset_shift = 16;
        }
        for (unsigned n = 0; n < plain; ++n) {
            d->coordinates.push_back(low_word(register_behind(a, from + n)));
            d->dx.push_back(low_word(register_behind(b, 2 * n)));
            d->dy.push_back(low_word(register_behind(b, 2 * n + 1)));
        }
        d->has_gradient = true;
    } else {
        // .SCR: the values are split evenly between A and B, A having the larger part, at most a
        // pair.
        const unsigned count =
            g->coordinates + (in_register ? 1 : 0) + (level ? 1 : 0) + (offsets ? 1 : 0);
        const unsigned first = !now_.has("SCR") ? g->coordinates : count < 3 ? 1 : 2;
        if (now_.has("SCR") && count > 4) return false;
        for (unsigned n = 0; n < count; ++n)
            values.push_back(
                low_word(n < first ? register_behind(a, n) : register_behind(b, n - first)));
        d->coordinates.assign(values.begin(), values.begin() + g->coordinates);
        if (in_register) handle = handle_row(values[g->coordinates]);
        if (level) {
            d->has_level = true;
            d->level = values[g->coordinates + (in_register ? 1 : 0)];
        }
        if (offsets) d->packed_offsets = values.back();
    }
    d->texture = *handle;
    unsigned given = 0;
    for (unsigned c = 0; c < 4; ++c) {
        const bool requested = (components >> c & 1) != 0;
        if (halves && requested) {
            // Two components in each of both registers.
            if (given % 2 == 0) d->results.push_back(result_row(given == 0 ? results : results2));
            d->paired.push_back(c);
        } else if (!halves) {
            d->results.push_back(requested ? result_row(given < 2 ? results : results2, given & 1)
                                           : no_slot);
        }
        given += requested ? 1 : 0;
    }
    if (halves) d->result_form = texture_description::form::pair_of_halves;
    if (first_operand != 0) {
        machine_details& none = details();
        result_predicate(none, 0, at(0));
        emit(machine_logic_predicates, &none);
    }
    image_.attachments_.push_back(d);
    operation& op = emit(handlers_.fetch_texture);
    op.detail = static_cast<std::uint16_t>(static_cast<unsigned>(space::global)
                                           << access_detail::space_shift);
    op.immediate = reinterpret_cast<std::int64_t>(d.get());
    return true;
}

/// TXQ. Operands: second pair of results, first pair of results, register, query, location of the
/// handle, components. The register holds the level, or the handle and the level.
bool machine_lowering::lower_texture_query() {
    if (at(3).suffix != "TEX_HEADER_DIMENSION") return false;
    const bool in_register = now_.has("B");
    operand level = at(2);
    std::optional<slot> handle;
    unsigned next = 4;
    if (in_register) {
        handle = handle_row(low_word(level));
        level = register_behind(level, 1);
    } else {
        handle = bound_handle(next);
        if (!handle) return false;
        next += 2;
    }
    const unsigned components =
        next < now_.operand_count ? static_cast<unsigned>(at(next).value) : 15;
    // The results may overwrite the register.
    const slot kept = scratch();
    operation& keep = emit(lanes_.copy, nullptr, false);
    keep.source[0] = low_word(level);
    keep.destination = kept;
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
        d->results.push_back(result_row(given < 2 ? at(1) : at(0), given & 1));
        ++given;
        image_.attachments_.push_back(d);
        emit(query_texture).immediate = reinterpret_cast<std::int64_t>(d.get());
    }
    return given != 0;
}

/// SULD, SUST, SURED. Operands: destination register, coordinate registers, source register,
/// location of the handle.
bool machine_lowering::lower_surface() {
    const bool loads = now_.opcode == "SULD", reduces = now_.opcode == "SURED";
    const bool formatted = reduces ? !now_.has("BA") : now_.has("P");
    if (!formatted && !now_.has("BA")) return false;
    if (has_any(now_, {"S8", "S16"})) return false;
    const unsigned place = loads ? 1 : 0, data = loads ? 0 : 1;
    if (now_.operand_count < 3 || at(place).kind != operand_kind::address ||
        at(data).kind != operand_kind::reg)
        return false;
    const named_geometry* g = nullptr;
    for (unsigned m = 0; g == nullptr && m < now_.modifier_count; ++m)
        g = geometry_called(now_.modifiers[m]);
    if (g == nullptr) return false;

    auto d = std::make_shared<texture_description>();
    d->geometry = g->geometry;
    d->formatted = formatted;
    d->element_bytes = now_.has("U8") ? 1 : now_.has("U16") ? 2 : 4;
    d->elements = formatted ? (now_.has("R")    ? 1
                               : now_.has("RG") ? 2
                                                : 4)
                            : (now_.has("64")    ? 2
                               : now_.has("128") ? 4
                                                 : 1);
    if (reduces) {
        constexpr std::pair<std::string_view, ptx::reduction> reductions[] = {
            {"ADD", ptx::reduction::add},
            {"MIN", ptx::reduction::min},
            {"MAX", ptx::reduction::max},
            {"AND", ptx::reduction::and_},
            {"OR", ptx::reduction::or_}};
        for (const auto& r : reductions)
            if (now_.has(r.first)) d->reduce = r.second;
        if (d->reduce == ptx::reduction::none || has_any(now_, {"F32", "F16x2"})) return false;
        d->reduces_signed = now_.has("S32") || now_.has("S64");
        d->element_bytes = has_any(now_, {"U64", "S64", "SD64"}) ? 8 : 4;
        d->elements = 1;
    }
    d->clamp = now_.has("IGN")    ? arithmetic::surface_clamp::zero
               : now_.has("TRAP") ? arithmetic::surface_clamp::trap
                                  : arithmetic::surface_clamp::clamp;
    if (at(2).kind == operand_kind::reg) {
        d->texture = handle_row(low_word(at(2)));
    } else {
        const std::optional<slot> handle = bound_handle(2);
        if (!handle) return false;
        d->texture = *handle;
    }
    // The layer is the last coordinate, but the first one of the operation.
    operand base;
    base.kind = operand_kind::reg;
    base.index = at(place).base;
    const unsigned plain = g->coordinates - (g->layered ? 1 : 0);
    if (g->layered) d->coordinates.push_back(low_word(register_behind(base, plain)));
    for (unsigned n = 0; n < plain; ++n)
        d->coordinates.push_back(low_word(register_behind(base, n)));
    if (d->element_bytes == 8) d->results.push_back(double_source(at(data)));
    for (unsigned n = 0; n < d->elements && d->element_bytes != 8; ++n)
        d->results.push_back(loads ? result_row(at(data), n)
                                   : low_word(register_behind(at(data), n)));
    image_.attachments_.push_back(d);
    operation& op = emit(reduces ? reduce_surface : loads ? load_surface : store_surface);
    op.detail = static_cast<std::uint16_t>(static_cast<unsigned>(space::global)
                                           << access_detail::space_shift);
    op.immediate = reinterpret_cast<std::int64_t>(d.get());
    return true;
}

namespace {

/// A call of a texture_function: its arguments on the stack are copied to rows before the fetch.
struct gradient_fetch {
    texture_description description;
    operation fetch;
    slot stack = no_slot;  ///< R1
    slot handle = no_slot, handle_low = no_slot;
    slot resident = no_slot;       ///< R4
    std::vector<slot> from_stack;  ///< rows for the words from `stack` on; no_slot: skipped
};

const operation* fetch_with_gradient(warp& w, const operation* op) {
    const auto& g = *reinterpret_cast<const gradient_fetch*>(op->immediate);
    const lane_mask lanes = w.lanes_of(op);
    const auto* const stack = lanes_at<std::uint32_t>(w, g.stack);
    for_lanes(lanes, [&](unsigned lane) {
        for (std::size_t n = 0; n < g.from_stack.size(); ++n) {
            if (g.from_stack[n] == no_slot) continue;
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
    g->from_stack.assign(f.offsets ? words_of_stack : dimensions, no_slot);
    for (unsigned n = 0; n < dimensions; ++n) {
        d.dx.push_back(register_row(first_dx + n, false));
        // A double row for two words.
        if (n % 2 == 0) scratch();
        g->from_stack[n] = machine_frame_scratch(scratch_used_ - 1) + 128 * (n % 2);
        d.dy.push_back(g->from_stack[n]);
    }
    for (unsigned n = 0; f.offsets && n < dimensions; ++n) {
        if (n % 2 == 0) scratch();
        g->from_stack[4 + n] = machine_frame_scratch(scratch_used_ - 1) + 128 * (n % 2);
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
    operation& op = emit(fetch_with_gradient, nullptr, false);
    op.immediate = reinterpret_cast<std::int64_t>(g.get());
    g->fetch.execute = handlers_.fetch_texture;
    g->fetch.instruction = op.instruction;
    g->fetch.immediate = reinterpret_cast<std::int64_t>(&g->description);
    g->fetch.detail = static_cast<std::uint16_t>(static_cast<unsigned>(space::global)
                                                 << access_detail::space_shift);
}

bool machine_lowering::lower_texture() {
    const std::string_view name = now_.opcode;
    if (name == "TEX" || name == "TLD" || name == "TLD4" || name == "TXD") return lower_fetch();
    if (name == "TXQ") return lower_texture_query();
    if (name == "SULD" || name == "SUST" || name == "SURED") return lower_surface();
    return false;
}

}  // namespace simtlm::execution
