// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/machine_description.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/atomic.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/control.h"
#include "modules/execution/operations/prefetch.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace simtlm::execution {

using sass::operand_kind;

unsigned machine_lowering::access_bytes() const {
    return now_.has("U8") || now_.has("S8")     ? 1
           : now_.has("U16") || now_.has("S16") ? 2
           : now_.has("64")                     ? 8
           : now_.has("128")                    ? 16
                                                : 4;
}

machine_lowering::address_place machine_lowering::place_of(const operand& o, space s) {
    address_place p;
    p.offset = o.signed_value();
    p.detail = static_cast<std::uint16_t>(static_cast<unsigned>(s) << access_detail::space_shift);
    const bool uniform = o.has_uniform && o.uniform != sass::uniform_urz;
    if (s == space::shared) p.offset -= image_.own_shared();
    if (s == space::shared || s == space::local) {
        const unsigned scale = o.suffix == ".X4"    ? 2
                               : o.suffix == ".X8"  ? 3
                               : o.suffix == ".X16" ? 4
                                                    : 0;
        // Shared addresses of Hopper have the rank of the CTA in its cluster in bits 24 and above.
        const bool ranked = s == space::shared && image_.architecture() >= 90 &&
                            (o.base != sass::register_rz || uniform);
        if (scale == 0 && !uniform && !ranked) {
            p.source = register_row(o.base, false);
            return p;
        }
        machine_details& d = details();
        d.number = scale;
        if (ranked) {
            d.number2 = static_cast<std::uint32_t>(o.signed_value());
            d.keep[0] = 0xffffff;
            p.offset -= o.signed_value();
        }
        p.source = scratch();
        emit_words(lanes_.shared_address, &d, p.source,
                   {register_row(o.base, false),
                    uniform ? register_row(o.uniform, true) : machine_frame::zero},
                   false);
        return p;
    }
    // 64-bit addresses: a pair of registers, or with .U32 one register and a uniform pair.
    p.detail |= access_detail::wide_address;
    const bool has_high = o.base != sass::register_rz && o.suffix != ".U32";
    p.source = scratch();
    const bool window_high = s == space::generic && image_.architecture() >= 90;
    machine_details& d = details();
    d.number = sass_image::shared_window_high;
    d.number2 = image_.own_shared();
    emit_words(window_high ? lanes_.generic_address : lanes_.address, &d, p.source,
               {register_row(o.base, false),
                has_high ? register_row(o.base + 1u, false) : machine_frame::zero,
                uniform ? register_row(o.uniform, true) : machine_frame::zero,
                uniform ? register_row(o.uniform + 1u, true) : machine_frame::zero},
               false);
    return p;
}

bool machine_lowering::lower_memory() {
    const std::string_view name = now_.opcode;
    if (name == "QSPC") {
        if (at(1).index != sass::register_rz || !now_.has("E")) return false;
        const address_place p = place_of(at(2), space::generic);
        machine_details& d = details();
        d.number = static_cast<std::uint32_t>(p.offset);
        d.width = now_.has("S") ? 0 : now_.has("L") ? 1 : now_.has("D") ? 3 : 2;
        result_predicate(d, 0, at(0));
        emit(machine_query_space, &d).source[0] = p.source;
        return true;
    }
    if (is_prefetch(now_)) {
        const address_place p = place_of(at(now_.operand_count - 1u), space::generic);
        operation& op = emit(prefetch_words);
        op.detail = p.detail;
        op.source[0] = p.source;
        op.immediate = p.offset;
        return true;
    }
    const bool loads = name == "LDG" || name == "LD" || name == "LDS" || name == "LDL";
    const bool stores = name == "STG" || name == "ST" || name == "STS" || name == "STL";
    if (name == "FENCE" || name == "ACQBULK" || name == "PREEXIT" || name == "MEMBAR" ||
        name == "ERRBAR" || name == "CCTL" || name == "CGAERRBAR") {
        emit(nothing);
        return true;
    }
    if (!loads && !stores) return false;
    const space s = name == "LDG" || name == "STG"   ? space::global
                    : name == "LDS" || name == "STS" ? space::shared
                    : name == "LDL" || name == "STL" ? space::local
                                                     : space::generic;
    if (s != space::shared && s != space::local && !now_.has("E")) return false;
    // A load whose trailing predicate is false returns zeros.
    const bool or_zero = loads && now_.operand_count == 3 && at(0).kind == operand_kind::reg &&
                         at(2).kind == operand_kind::predicate;
    if (now_.has("ZD") || (now_.operand_count != 2 && !or_zero)) return false;
    const unsigned bytes = access_bytes();
    const operand& value = loads ? at(0) : at(1);
    const operand& address = loads ? at(1) : at(0);
    element_format format;
    format.memory_bytes = std::min(bytes, 4u);
    format.register_bytes = 4;
    format.sign_extends = now_.has("S8") || now_.has("S16");
    std::vector<slot> slots;
    for (unsigned i = 0; i < std::max(bytes / 4, 1u); ++i) {
        if (loads)
            slots.push_back(value.index == sass::register_rz ? machine_frame::discard
                                                             : result_row(value, i));
        else
            slots.push_back(value.index == sass::register_rz
                                ? machine_frame::zero
                                : register_row(value.index + i, false));
    }
    const address_place p = place_of(address, s);
    if (or_zero) {
        for (const slot to : slots) {
            machine_details& d = details();
            source_predicate(d, 0, at(2));
            emit_words(lanes_.select, &d, to, {to, machine_frame::zero});
        }
        machine_details& d = details();
        source_predicate(d, 0, at(2));
        if (now_.guard != sass::predicate_true)
            d.predicate[1] = machine_frame::predicates + 4u * now_.guard;
        d.predicate_flip[1] = now_.guard_negated ? all_lanes : 0;
        constexpr std::uint32_t both = 0xc0;
        d.number = both;
        d.result[0] = machine_frame::scratch_mask2;
        emit(machine_logic_predicates, &d, false);
    }
    emit_access_check(p, format.memory_bytes, slots,
                      loads ? access_flags::reads : access_flags::writes,
                      or_zero ? machine_frame::scratch_mask2 : no_slot);
    operation& op = emit(loads ? handlers_.load(format) : handlers_.store(format));
    if (or_zero) {
        op.guard = machine_frame::scratch_mask2;
        op.guard_flip = 0;
    }
    op.detail = static_cast<std::uint16_t>(slots.size() | p.detail);
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.list = list_of(slots);
    return true;
}

namespace {
/// Types of atomics of more than one word, since Hopper.
struct vector_type {
    std::string_view name;
    ptx::type element;
    unsigned elements;
};
constexpr vector_type vector_types[] = {
    {"F16x4", ptx::type::f16x2, 2},   {"F16x8", ptx::type::f16x2, 4},
    {"BF16x4", ptx::type::bf16x2, 2}, {"BF16x8", ptx::type::bf16x2, 4},
    {"F32x2", ptx::type::f32, 2},     {"F32x4", ptx::type::f32, 4}};
}  // namespace

/// ATOMG and REDG of vectors. A predicate result tells that the memory's unit can execute it.
bool machine_lowering::lower_vector_atomic(ptx::reduction r, ptx::type element, unsigned elements,
                                           bool reduces) {
    const handler h = vector_atomic_handler(r, element);
    if (h == nullptr || !now_.has("E")) return false;
    unsigned n = 0;
    const operand* result = nullptr;
    if (!reduces) {
        if (at(0).kind == operand_kind::predicate && predicate_slot(at(n++)) != 0) return false;
        result = &at(n++);
    }
    const operand& value = at(n + 1);
    std::vector<slot> slots;
    for (unsigned e = 0; e < elements; ++e)
        slots.push_back(value.index == sass::register_rz ? machine_frame::zero
                                                         : register_row(value.index + e, false));
    const address_place p = place_of(at(n), space::generic);
    emit_access_check(p, 4, slots,
                      access_flags::reads | access_flags::writes | access_flags::strong);
    for (unsigned e = 0; e < elements; ++e)
        slots.push_back(result == nullptr || result->index == sass::register_rz
                            ? no_slot
                            : result_row(*result, e));
    operation& op = emit(h);
    op.detail = static_cast<std::uint16_t>(elements | p.detail);
    if (now_.has("SYS")) op.detail |= access_detail::of_the_system;
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.list = list_of(slots);
    return true;
}

bool machine_lowering::lower_atomic() {
    using ptx::reduction;
    using ptx::type;
    const std::string_view name = now_.opcode;
    const bool reduces = name == "RED" || name == "REDG";
    const bool shared = name == "ATOMS";
    if (!reduces && !shared && name != "ATOM" && name != "ATOMG") return false;
    if (shared && now_.has("ARRIVE")) return lower_early_arrival(at(1), true);
    constexpr std::pair<std::string_view, reduction> names[] = {
        {"ADD", reduction::add}, {"MIN", reduction::min},  {"MAX", reduction::max},
        {"INC", reduction::inc}, {"DEC", reduction::dec},  {"AND", reduction::and_},
        {"OR", reduction::or_},  {"XOR", reduction::xor_}, {"EXCH", reduction::exch},
        {"CAS", reduction::cas}};
    reduction r = reduction::none;
    for (const auto& n : names)
        if (now_.has(n.first)) r = n.second;
    type t = now_.has("F32")      ? type::f32
             : now_.has("F64")    ? type::f64
             : now_.has("F16x2")  ? type::f16x2
             : now_.has("BF16x2") ? type::bf16x2
             : now_.has("128")    ? type::b128
             : now_.has("S64")    ? type::s64
             : now_.has("64")     ? type::u64
             : now_.has("S32")    ? type::s32
                                  : type::u32;
    for (const vector_type& v : vector_types)
        if (now_.has(v.name)) return lower_vector_atomic(r, v.element, v.elements, reduces);
    // CAST.SPIN attempts an exchange, and returns whether it succeeded.
    const bool spin = now_.has("CAST");
    if (spin) r = reduction::cas;
    // ATOMS.POPC.INC counts the lanes.
    const bool counts = now_.has("POPC");
    if (counts) {
        if (at(0).index != sass::register_rz) return false;
        r = reduction::add;
        t = type::u32;
    }
    const handler h = atomic_handler(r, t, shared);
    if (r == reduction::none || h == nullptr) return false;
    const bool widest = t == type::b128;
    const bool wide = ptx::width_of(t) == 64;
    unsigned n = 0;
    const operand* result = nullptr;
    slot done = 0;
    if (!reduces) {
        if (at(0).kind == operand_kind::predicate) done = predicate_slot(at(n++));
        result = &at(n++);
    }
    const operand& address = at(n++);
    if (!shared && !now_.has("E")) return false;
    const auto value_of = [&](const operand& o) {
        return widest ? quad_source(o) : wide ? double_source(o) : low_word(o);
    };
    const slot b = counts ? number(1) : value_of(at(n));
    const slot c = r == reduction::cas ? value_of(at(n + 1)) : no_slot;
    const address_place p = place_of(address, shared ? space::shared : space::generic);
    const bool keeps = result != nullptr && result->index != sass::register_rz;
    const bool moved = keeps && (wide || widest || spin);
    const slot to = !keeps ? no_slot : moved ? scratch() : result_row(*result);
    // 128 bits take two double rows, one after the other.
    if (moved && widest) scratch();
    slot guard = no_slot;
    if (done != 0) {
        // Whether the memory's unit can execute such an atomic at that address: always true here.
        machine_details& kept = details();
        if (now_.guard != sass::predicate_true &&
            done == machine_frame::predicates + 4u * now_.guard) {
            kept.predicate[0] = done;
            kept.predicate_flip[0] = now_.guard_negated ? all_lanes : 0;
            constexpr std::uint32_t first = 0xf0;
            kept.number = first;
            guard = kept.result[0] = machine_frame::scratch_mask2;
            emit(machine_logic_predicates, &kept, false);
        }
        machine_details& d = details();
        constexpr std::uint32_t always = 0xff;
        d.number = always;
        d.result[0] = done;
        emit(machine_logic_predicates, &d);
    }
    emit_access_check(p, ptx::width_of(t) / 8, {b},
                      access_flags::reads | access_flags::writes | access_flags::strong, guard);
    if (moved) {
        machine_details& d = details();
        d.width = widest ? 128 : wide ? 64 : 32;
        d.extended = spin;
        if (widest && result->index + 3u >= sass::register_rz) return false;
        operation& pair = emit(machine_atomic_result, &d);
        pair.destination = result_row(*result);
        pair.destination2 = wide ? result_row(*result, 1) : no_slot;
        // The rows of registers are contiguous.
        if (widest) result_row(*result, 3);
    }
    operation& op = emit(h);
    if (guard != no_slot) {
        op.guard = guard;
        op.guard_flip = 0;
    }
    op.detail = static_cast<std::uint16_t>(1 | p.detail);
    if (now_.has("SYS")) op.detail |= access_detail::of_the_system;
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.source[1] = b;
    op.source[2] = c;
    op.destination = to;
    return true;
}

}  // namespace simtlm::execution
