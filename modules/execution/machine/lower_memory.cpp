// SPDX-License-Identifier: Apache-2.0
// Lowering of loads, stores, atomics, asynchronous copies and cache control.
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_description.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/operations/atomic.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/prefetch.h"
#include "modules/execution/ptx/control.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace simtlm::execution {

using sass::modifier;
using sass::operand_kind;
using address_place = machine_lowering::address_place;

unsigned machine_lowering::access_bytes() const {
    return has(modifier::U8) || has(modifier::S8)     ? 1
           : has(modifier::U16) || has(modifier::S16) ? 2
           : has(modifier::_64)                       ? 8
           : has(modifier::_128)                      ? 16
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
        const bool ranked =
            s == space::shared && architecture() >= 90 && (o.base != sass::register_rz || uniform);
        if (scale == 0 && !uniform && !ranked) {
            p.source = register_row(o.base, false);
            return p;
        }
        shared_address_arguments a;
        a.scale = scale;
        if (ranked) {
            a.offset = static_cast<std::uint32_t>(o.signed_value());
            a.offset_bits = 0xffffff;
            p.offset -= o.signed_value();
        }
        p.source = scratch();
        emit_words(lanes_.shared_address, a, p.source,
                   {register_row(o.base, false),
                    uniform ? register_row(o.uniform, true) : machine_frame::zero},
                   false);
        return p;
    }
    // 64-bit addresses: a pair of registers, or with .U32 one register and a uniform pair.
    p.detail |= access_detail::wide_address;
    const bool has_high = o.base != sass::register_rz && o.suffix != ".U32";
    p.source = scratch();
    const bool window_high = s == space::generic && architecture() >= 90;
    const auto rows = {
        register_row(o.base, false),
        has_high ? register_row(o.base + 1u, false) : operand_ref{machine_frame::zero},
        uniform ? register_row(o.uniform, true) : operand_ref{machine_frame::zero},
        uniform ? register_row(o.uniform + 1u, true) : operand_ref{machine_frame::zero}};
    if (window_high)
        emit_words(lanes_.generic_address, {sass_image::shared_window_high, image_.own_shared()},
                   p.source, rows, false);
    else
        emit_words(lanes_.address, p.source, rows, false);
    return p;
}

namespace {

void set_place(operation& op, const address_place& p) {
    op.detail = p.detail;
    op.source[0] = p.source;
    op.immediate = p.offset;
}

/// The rows of registers from an operand on, as sources.
std::vector<operand_ref> source_rows(const machine_lowering& l, const sass::operand& o,
                                     unsigned count) {
    std::vector<operand_ref> rows;
    for (unsigned n = 0; n < count; ++n) rows.push_back(l.following_register(o, n));
    return rows;
}

/// Whether a 64-bit address is used; others are not supported.
bool has_wide_address(const machine_lowering& l) {
    return l.has(modifier::E);
}

/// The space of LDG, LDS, LDL, STG, ...; LD and ST: generic.
space space_of(isa::opcode o) {
    switch (o) {
        case isa::opcode::LDG:
        case isa::opcode::STG:
            return space::global;
        case isa::opcode::LDS:
        case isa::opcode::STS:
            return space::shared;
        case isa::opcode::LDL:
        case isa::opcode::STL:
            return space::local;
        default:
            return space::generic;
    }
}

/// Whether an access of LD*, ST* has a supported form of address. @param s  its space
bool is_supported_access(const machine_lowering& l, space s) {
    return s == space::shared || s == space::local || has_wide_address(l);
}

element_format element_format_of(const machine_lowering& l) {
    element_format format;
    format.memory_bytes = std::min(l.access_bytes(), 4u);
    format.register_bytes = 4;
    format.sign_extends = l.has(modifier::S8) || l.has(modifier::S16);
    return format;
}

/// Emits the access of a load or store.
operation& emit_access(machine_lowering& l, handler h, const address_place& p,
                       const std::vector<operand_ref>& refs) {
    operation& op = l.emit(h);
    set_place(op, p);
    op.detail = static_cast<std::uint16_t>(refs.size() | p.detail);
    op.list = l.list_of(refs);
    return op;
}

}  // namespace

bool lower_query_space(machine_lowering& l) {
    if (l.at(1).index != sass::register_rz || !has_wide_address(l)) return false;
    const address_place p = l.place_of(l.at(2), space::generic);
    using kind = space_query_arguments::kind;
    const kind queried = l.has(modifier::S)   ? kind::shared
                         : l.has(modifier::L) ? kind::local
                         : l.has(modifier::D) ? kind::cluster_shared
                                              : kind::global;
    l.emit_words(machine_query_space,
                 {queried, static_cast<std::uint32_t>(p.offset), l.predicate_ref(l.at(0))},
                 no_operand, {p.source});
    return true;
}

/// CCTL: only prefetches have an effect.
bool lower_cache_control(machine_lowering& l) {
    l.ignore_modifiers();
    if (!is_prefetch(l.now())) return lower_nothing(l);
    const address_place p = l.place_of(l.at(l.operand_count() - 1u), space::generic);
    set_place(l.emit(prefetch_words), p);
    return true;
}

// ---- loads and stores ----

namespace {

/// LDG of 256 bits: the first registers for each half, and a mask of the words that are loaded, one
/// register after the other.
bool lower_block_load(machine_lowering& l) {
    const auto loaded = static_cast<unsigned>(l.at(3).value | l.at(4).value << 7);
    std::vector<operand_ref> refs;
    unsigned next[2] = {};
    for (unsigned n = 0; n < 8; ++n) {
        const bool used = (loaded >> n & 1) != 0;
        refs.push_back(used ? l.result_row(l.at(n / 4), next[n / 4]++)
                            : operand_ref{machine_frame::discard});
    }
    const address_place p = l.place_of(l.at(2), space::global);
    l.emit_access_check(p, 4, refs, access_flags::reads);
    emit_access(l, l.handlers().load(element_format_of(l)), p, refs);
    return true;
}

/// STG of 256 bits.
bool lower_block_store(machine_lowering& l) {
    std::vector<operand_ref> refs = source_rows(l, l.at(1), 4);
    for (const operand_ref r : source_rows(l, l.at(2), 4)) refs.push_back(r);
    const address_place p = l.place_of(l.at(0), space::global);
    l.emit_access_check(p, 4, refs, access_flags::writes);
    emit_access(l, l.handlers().store(element_format_of(l)), p, refs);
    return true;
}

}  // namespace

bool lower_load(machine_lowering& l) {
    l.ignore_memory_order();
    if (l.has(modifier::_256)) return lower_block_load(l);
    const space s = space_of(l.now().opcode);
    // A load whose trailing predicate is false returns zeros.
    const bool or_zero = l.operand_count() == 3 && l.at(0).kind == operand_kind::reg &&
                         l.at(2).kind == operand_kind::predicate;
    if (!is_supported_access(l, s) || l.has(modifier::ZD) || (l.operand_count() != 2 && !or_zero))
        return false;
    const element_format format = element_format_of(l);
    std::vector<operand_ref> refs;
    for (unsigned i = 0; i < std::max(l.access_bytes() / 4, 1u); ++i)
        refs.push_back(l.at(0).index == sass::register_rz ? operand_ref{machine_frame::discard}
                                                          : l.result_row(l.at(0), i));
    const address_place p = l.place_of(l.at(1), s);
    operand_ref guard = no_operand;
    if (or_zero) {
        const source_predicate loaded = l.predicate_of(l.at(2));
        for (const operand_ref to : refs) l.emit_selection(loaded, to, to, machine_frame::zero);
        guard = machine_frame::scratch_mask2;
        l.emit_predicate(predicate_logic_arguments::first_and_second, guard, {loaded, l.guard()},
                         false);
    }
    l.emit_access_check(p, format.memory_bytes, refs, access_flags::reads, guard);
    operation& op = emit_access(l, l.handlers().load(format), p, refs);
    if (or_zero) {
        op.guard = guard;
        op.guard_flip = 0;
    }
    return true;
}

bool lower_store(machine_lowering& l) {
    l.ignore_memory_order();
    if (l.has(modifier::_256)) return lower_block_store(l);
    const space s = space_of(l.now().opcode);
    if (!is_supported_access(l, s) || l.has(modifier::ZD) || l.operand_count() != 2) return false;
    const element_format format = element_format_of(l);
    const std::vector<operand_ref> refs =
        source_rows(l, l.at(1), std::max(l.access_bytes() / 4, 1u));
    const address_place p = l.place_of(l.at(0), s);
    l.emit_access_check(p, format.memory_bytes, refs, access_flags::writes);
    emit_access(l, l.handlers().store(format), p, refs);
    return true;
}

/// LDGSTS: copies from global to shared memory; lanes whose predicate is false write zeros.
bool lower_copy_to_shared(machine_lowering& l) {
    l.ignore_memory_order();
    if (l.at(0).kind != operand_kind::address || l.at(1).kind != operand_kind::address ||
        !has_wide_address(l))
        return false;
    operand_ref ignored = no_operand;
    if (l.operand_count() > 2) {
        ignored = machine_frame::scratch_mask2;
        l.emit_predicate(predicate_logic_arguments::not_first, ignored, {l.predicate_of(l.at(2))},
                         false);
    }
    const address_place to = l.place_of(l.at(0), space::shared);
    const address_place from = l.place_of(l.at(1), space::global);
    l.emit_segment_check(segment_access::copy);
    operation& op = l.emit(copy_asynchronously);
    set_place(op, to);
    op.source[2] = ignored;
    const auto offset = static_cast<std::uint64_t>(from.offset);
    op.list =
        l.list_of({static_cast<operand_ref>(offset), static_cast<operand_ref>(offset >> 32),
                   from.detail, from.source, l.access_bytes(), l.has(modifier::ZFILL) ? 1u : 0u});
    return true;
}

// ---- atomics ----

namespace {

ptx::reduction reduction_of(const machine_lowering& l) {
    using ptx::reduction;
    // CAST.SPIN attempts an exchange, and returns whether it succeeded.
    if (l.has(modifier::CAST)) return reduction::cas;
    constexpr std::pair<modifier, reduction> names[] = {
        {modifier::ADD, reduction::add},   {modifier::MIN, reduction::min},
        {modifier::MAX, reduction::max},   {modifier::INC, reduction::inc},
        {modifier::DEC, reduction::dec},   {modifier::AND, reduction::and_},
        {modifier::OR, reduction::or_},    {modifier::XOR, reduction::xor_},
        {modifier::EXCH, reduction::exch}, {modifier::CAS, reduction::cas}};
    reduction r = reduction::none;
    for (const auto& n : names)
        if (l.has(n.first)) r = n.second;
    return r;
}

ptx::type atomic_type_of(const machine_lowering& l) {
    using ptx::type;
    l.ignore(modifier::_32);  // the default
    return l.has(modifier::F32)      ? type::f32
           : l.has(modifier::F64)    ? type::f64
           : l.has(modifier::F16x2)  ? type::f16x2
           : l.has(modifier::BF16x2) ? type::bf16x2
           : l.has(modifier::_128)   ? type::b128
           : l.has(modifier::S64)    ? type::s64
           : l.has(modifier::_64)    ? type::u64
           : l.has(modifier::S32)    ? type::s32
                                     : type::u32;
}

/// Types of atomics of more than one word, since Hopper.
struct vector_type {
    modifier name;
    ptx::type element;
    unsigned elements;
};
constexpr vector_type vector_types[] = {
    {modifier::F16x4, ptx::type::f16x2, 2},   {modifier::F16x8, ptx::type::f16x2, 4},
    {modifier::BF16x4, ptx::type::bf16x2, 2}, {modifier::BF16x8, ptx::type::bf16x2, 4},
    {modifier::F32x2, ptx::type::f32, 2},     {modifier::F32x4, ptx::type::f32, 4}};

/// RED and REDG have no result.
bool has_result(const machine_lowering& l) {
    return !l.is(isa::opcode::RED) && !l.is(isa::opcode::REDG);
}

constexpr std::uint32_t atomic_access =
    access_flags::reads | access_flags::writes | access_flags::strong;

/// ATOMG and REDG of vectors. A predicate result is set if the memory's unit can execute it.
bool lower_vector_atomic(machine_lowering& l, const vector_type& type) {
    const handler h = vector_atomic_handler(reduction_of(l), type.element);
    if (h == nullptr || !has_wide_address(l)) return false;
    unsigned n = 0;
    const sass::operand* result = nullptr;
    if (has_result(l)) {
        if (l.at(0).kind == operand_kind::predicate && l.predicate_ref(l.at(n++)) != 0)
            return false;
        result = &l.at(n++);
    }
    std::vector<operand_ref> refs = source_rows(l, l.at(n + 1), type.elements);
    const address_place p = l.place_of(l.at(n), space::generic);
    l.emit_access_check(p, 4, refs, atomic_access);
    for (unsigned e = 0; e < type.elements; ++e)
        refs.push_back(result == nullptr || result->index == sass::register_rz
                           ? no_operand
                           : l.result_row(*result, e));
    operation& op = l.emit(h);
    set_place(op, p);
    op.detail = static_cast<std::uint16_t>(type.elements | p.detail);
    if (l.has(modifier::SYS)) op.detail |= access_detail::of_the_system;
    op.list = l.list_of(refs);
    return true;
}

/// Sets the predicate of whether the memory's unit can execute an atomic at its address,
/// which is always true here. @return a copy of the guard, if it is the same predicate, or
/// no_operand
operand_ref set_executable(machine_lowering& l, operand_ref done) {
    operand_ref guard = no_operand;
    if (done == l.guard().mask) {
        guard = machine_frame::scratch_mask2;
        l.emit_predicate(predicate_logic_arguments::first, guard, {l.guard()}, false);
    }
    l.emit_predicate(predicate_logic_arguments::always, done);
    return guard;
}

/// Emits the operation before an atomic whose result is not a word that memory held.
/// @param spin  CAST.SPIN @return false if the result does not fit into the registers
bool emit_result_form(machine_lowering& l, const sass::operand& result, unsigned bits, bool spin) {
    constexpr unsigned widest = 128;
    if (bits == widest && result.index + 3u >= sass::register_rz) return false;
    operation& pair = l.emit(machine_atomic_result, {bits, spin});
    pair.destination = l.result_row(result);
    pair.destination2 = bits == 64 ? l.result_row(result, 1) : no_operand;
    // The rows of registers are contiguous.
    if (bits == widest) l.result_row(result, 3);
    return true;
}

/// ATOMS.CAST.SPIN of Blackwell: sets a predicate if the exchange has succeeded.
bool lower_spin(machine_lowering& l) {
    const bool wide = l.has(modifier::_64);
    const handler h =
        atomic_handler(ptx::reduction::cas, wide ? ptx::type::u64 : ptx::type::u32, true);
    const auto value_of = [&](const sass::operand& o) {
        return wide ? l.double_source(o) : l.low_word(o);
    };
    const operand_ref b = value_of(l.at(2)), c = value_of(l.at(3));
    const address_place p = l.place_of(l.at(1), space::shared);
    const operand_ref flag = l.scratch(), held = l.scratch();
    l.emit_access_check(p, wide ? 8 : 4, {b}, atomic_access);
    operation& pair = l.emit(machine_atomic_result, {wide ? 64u : 32u, true});
    pair.destination = flag;
    pair.destination2 = wide ? flag + 128 : no_operand;
    operation& op = l.emit(h);
    set_place(op, p);
    op.detail = static_cast<std::uint16_t>(1 | p.detail);
    op.source[1] = b;
    op.source[2] = c;
    op.destination = held;
    comparison_arguments succeeded;
    succeeded.holds_if = comparison_arguments::less | comparison_arguments::greater;
    succeeded.outcome.result = l.predicate_ref(l.at(0));
    l.emit_words(l.lanes().compare, succeeded, no_operand, {flag, machine_frame::zero});
    return true;
}

bool lower_atomic_in(machine_lowering& l, space s) {
    l.ignore_memory_order();
    const bool shared = s == space::shared;
    for (const vector_type& v : vector_types)
        if (l.has(v.name)) return lower_vector_atomic(l, v);
    ptx::reduction r = reduction_of(l);
    ptx::type t = atomic_type_of(l);
    const bool spin = l.has(modifier::CAST);
    // ATOMS.POPC.INC counts the lanes.
    const bool counts = l.has(modifier::POPC);
    if (counts) {
        if (l.at(0).index != sass::register_rz) return false;
        r = ptx::reduction::add;
        t = ptx::type::u32;
    }
    const handler h = atomic_handler(r, t, shared);
    if (r == ptx::reduction::none || h == nullptr || !(shared || has_wide_address(l))) return false;
    const unsigned bits = std::max(ptx::width_of(t), 32u);
    unsigned n = 0;
    const sass::operand* result = nullptr;
    operand_ref done = 0;
    if (has_result(l)) {
        if (l.at(0).kind == operand_kind::predicate) done = l.predicate_ref(l.at(n++));
        result = &l.at(n++);
    }
    const sass::operand& address = l.at(n++);
    const auto value_of = [&](const sass::operand& o) {
        return bits == 128 ? l.quad_source(o) : bits == 64 ? l.double_source(o) : l.low_word(o);
    };
    const operand_ref b = counts ? l.number(1) : value_of(l.at(n));
    const operand_ref c = r == ptx::reduction::cas ? value_of(l.at(n + 1)) : no_operand;
    const address_place p = l.place_of(address, s);
    const bool keeps = result != nullptr && result->index != sass::register_rz;
    const bool moved = keeps && (bits > 32 || spin);
    const operand_ref to = !keeps ? no_operand : moved ? l.scratch() : l.result_row(*result);
    // 128 bits take two double rows, one after the other.
    if (moved && bits == 128) l.scratch();
    const operand_ref guard = done != 0 ? set_executable(l, done) : no_operand;
    l.emit_access_check(p, ptx::width_of(t) / 8, {b}, atomic_access, guard);
    if (moved && !emit_result_form(l, *result, bits, spin)) return false;
    operation& op = l.emit(h);
    if (guard != no_operand) {
        op.guard = guard;
        op.guard_flip = 0;
    }
    set_place(op, p);
    op.detail = static_cast<std::uint16_t>(1 | p.detail);
    if (l.has(modifier::SYS)) op.detail |= access_detail::of_the_system;
    op.source[1] = b;
    op.source[2] = c;
    op.destination = to;
    return true;
}

}  // namespace

/// ATOM, ATOMG, RED, REDG.
bool lower_atomic(machine_lowering& l) {
    return lower_atomic_in(l, space::generic);
}

/// ATOMS.
bool lower_shared_atomic(machine_lowering& l) {
    if (l.has(modifier::ARRIVE)) return lower_early_arrival(l, l.at(1), true);
    if (l.has(modifier::CAST) && l.at(0).kind == operand_kind::predicate) return lower_spin(l);
    return lower_atomic_in(l, space::shared);
}

}  // namespace simtlm::execution
