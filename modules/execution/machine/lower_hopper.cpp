// SPDX-License-Identifier: Apache-2.0
// Lowering of the instructions added in sm_90: mbarriers, bulk copies, clusters, products of
// warpgroups. Operations are those of the PTX instructions.
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/operations/bulk_copy.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/cluster_operations.h"
#include "modules/execution/operations/control.h"
#include "modules/execution/operations/warpgroup_operations.h"

#include <charconv>
#include <memory>
#include <optional>
#include <utility>

namespace simtlm::execution {

using arithmetic::matrix_element;
using sass::operand_kind;

namespace {

constexpr std::uint16_t in_space(space s) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(s) << access_detail::space_shift);
}

sass::operand uniform_register(unsigned n) {
    sass::operand o;
    o.kind = operand_kind::uniform_reg;
    o.index = static_cast<std::uint8_t>(std::min<unsigned>(n, sass::uniform_urz));
    return o;
}

struct named_reduction {
    std::string_view name;
    ptx::reduction reduce;
};
constexpr named_reduction reductions[] = {
    {"ADD", ptx::reduction::add}, {"MIN", ptx::reduction::min}, {"MAX", ptx::reduction::max},
    {"INC", ptx::reduction::inc}, {"DEC", ptx::reduction::dec}, {"AND", ptx::reduction::and_},
    {"OR", ptx::reduction::or_},  {"XOR", ptx::reduction::xor_}};

ptx::reduction reduction_of(const sass::instruction& i) {
    for (const named_reduction& r : reductions)
        if (i.has(r.name)) return r.reduce;
    return ptx::reduction::none;
}

ptx::type element_type_of(const sass::instruction& i) {
    return i.has("S32")                  ? ptx::type::s32
           : i.has("U64") || i.has("64") ? ptx::type::u64
           : i.has("S64")                ? ptx::type::s64
           : i.has("F16")                ? ptx::type::f16
           : i.has("BF16")               ? ptx::type::bf16
           : i.has("F32")                ? ptx::type::f32
           : i.has("F64")                ? ptx::type::f64
                                         : ptx::type::u32;
}

}  // namespace

/// Converts a shared::cluster address of machine code, with the rank of a CTA in bits 24 and above,
/// to the 32-bit shared address used by operations.
slot machine_lowering::cluster_address(const operand& o) {
    machine_details& d = details();
    d.number = static_cast<std::uint32_t>(o.signed_value()) - image_.own_shared();
    const slot to = scratch();
    const bool uniform = o.has_uniform && o.uniform != sass::uniform_urz;
    emit_words(machine_cluster_address, &d, to,
               {register_row(o.base, false),
                uniform ? register_row(o.uniform, true) : machine_frame::zero},
               false);
    return to;
}

lane_place machine_lowering::cluster_place(unsigned uniform) {
    operand o;
    o.has_uniform = true;
    o.uniform = static_cast<std::uint8_t>(uniform);
    return {cluster_address(o), 0, in_space(space::shared)};
}

lane_place machine_lowering::uniform_place(unsigned first, space s) {
    return {double_source(uniform_register(first)), 0,
            static_cast<std::uint16_t>(in_space(s) | access_detail::wide_address)};
}

/// UIADD3.64: three pairs, with carries as for IADD3.
bool machine_lowering::lower_wide_add() {
    const auto is_predicate = [&](unsigned n) {
        return at(n).kind == operand_kind::predicate ||
               at(n).kind == operand_kind::uniform_predicate;
    };
    // As for a pair of IADD3: the carries of the low words are added to the high words.
    const bool extended = now_.has("X");
    machine_details& low = details();
    machine_details& high = details();
    low.extended = extended;
    high.extended = true;
    low.result[0] = high.predicate[0] = machine_frame::scratch_mask;
    low.result[1] = high.predicate[1] = machine_frame::scratch_mask2;
    unsigned n = 1;
    for (unsigned r = 0; is_predicate(n); ++n, ++r) result_predicate(high, r, at(n));
    slot low_words[3], high_words[3];
    for (unsigned i = 0; i < 3; ++i, ++n) {
        modifiers(low, i, at(n), false);
        if (at(n).negate || at(n).invert) high.flip[i] = ~0u;
        low_words[i] = low_word(at(n));
        high_words[i] = high_word(at(n));
    }
    if (extended) {
        source_predicate(low, 0, at(n));
        source_predicate(low, 1, at(n + 1));
    }
    const slot sum = scratch();
    operation& first = emit(lanes_.add3, &low, false);
    std::copy(low_words, low_words + 3, first.source);
    first.destination = sum;
    emit_copy(result_row(at(0)), sum);
    operation& second = emit(lanes_.add3, &high);
    std::copy(high_words, high_words + 3, second.source);
    second.destination = result_row(at(0), 1);
    return true;
}

/// ATOMS.ARRIVE and ARRIVES on sm_80 to sm_89.
bool machine_lowering::lower_early_arrival(const operand& address, bool result) {
    if (image_.architecture() >= 90 || !now_.has("64")) return false;
    const address_place p = place_of(address, space::shared);
    emit_mbarrier_note(p, access_flags::releases);
    operation& op = emit(arrive_at_early_mbarrier);
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.detail = p.detail;
    if (!result || at(0).index == sass::register_rz) return true;
    const slot before = op.destination = scratch();
    to_pair(at(0), before);
    return true;
}

/// SYNCS and ARRIVES.
bool machine_lowering::lower_mbarrier() {
    const std::string_view name = now_.opcode;
    if (name == "ARRIVES" && image_.architecture() < 90) return lower_early_arrival(at(0), false);
    if (name == "ARRIVES") {
        // Copies of the lane are complete when the next instruction executes.
        ptx::operation o;
        const bool counts = now_.has("ARVCNT");
        o.op = counts ? ptx::opcode::cp_async_mbarrier_arrive : ptx::opcode::mbarrier_complete_tx;
        if (counts) o.flags |= std::uint64_t{1} << static_cast<unsigned>(ptx::flag::noinc);
        const address_place p = place_of(at(0), space::shared);
        emit_mbarrier_note(p, access_flags::releases);
        operation& op = emit(mbarrier_handler(o));
        op.source[0] = p.source;
        op.immediate = p.offset;
        op.detail = p.detail;
        op.source[1] = counts ? no_slot : number(1);
        op.destination = no_slot;
        return true;
    }
    if (name != "SYNCS") return false;
    if (now_.has("CCTL")) {
        ptx::operation o;
        o.op = ptx::opcode::mbarrier_inval;
        const address_place p = place_of(at(0), space::shared);
        operation& op = emit(mbarrier_handler(o));
        op.source[0] = p.source;
        op.immediate = p.offset;
        op.detail = p.detail;
        op.source[1] = op.destination = no_slot;
        return true;
    }
    if (now_.has("EXCH")) {
        uniform_ = true;
        const slot value = double_source(at(2));
        const address_place p = place_of(at(1), space::shared);
        const slot old = scratch();
        emit_mbarrier_note(p, 0);
        operation& op = emit_for_one_lane(exchange_mbarrier);
        op.source[0] = p.source;
        op.immediate = p.offset;
        op.detail = p.detail;
        op.source[1] = value;
        op.destination = no_slot;
        if (at(0).index != sass::uniform_urz) {
            op.destination = old;
            machine_details& d = details();
            operation& split = emit(machine_spread_pair, &d, false);
            split.guard = machine_frame::scratch_mask;
            split.source[0] = old;
            split.destination = result_row(at(0));
            split.destination2 = result_row(at(0), 1);
        }
        return true;
    }
    if (now_.has("PHASECHK")) {
        constexpr std::uint32_t brief_wait = 500;  // ns
        // Stored in separate rows, because the warp may continue before the wait is retried.
        const address_place p = place_of(at(1), space::shared);
        const auto keep = [&](slot from, slot to) {
            operation& op = emit(lanes_.modify, &details(), false);
            op.source[0] = from;
            op.destination = to;
            return to;
        };
        const slot place = keep(p.source, machine_frame::wait_address);
        const slot phase = keep(low_word(at(2)), machine_frame::wait_phase);
        emit_mbarrier_note(p, access_flags::acquires);
        operation& op = emit(mbarrier_token_wait(now_.has("TRYWAIT")));
        op.source[0] = place;
        op.immediate = p.offset;
        op.detail = p.detail;
        op.source[1] = phase;
        // A time limit is compiled to a NANOSLEEP after the wait, and a second look.
        sass::instruction next;
        if (now_.has("TRYWAIT") && next_instruction(next) && next.opcode == "NANOSLEEP" &&
            next.has("SYNCS"))
            op.source[2] = number(brief_wait);
        const slot to = predicate_slot(at(0));
        op.destination = to == 0 ? machine_frame::no_predicate : to;
        return true;
    }
    if (!now_.has("ARRIVE")) return false;
    ptx::operation o;
    const bool drops = now_.has("OPTOUT");
    const slot operand_word = low_word(at(2));
    slot count = no_slot;
    o.op = drops ? ptx::opcode::mbarrier_arrive_drop : ptx::opcode::mbarrier_arrive;
    if (now_.has("ART0")) {
        count = operand_word;
    } else if (now_.has("A0T1") || now_.has("A0TR") || now_.has("A0TX")) {
        if (drops) return false;
        o.op =
            now_.has("A0TX") ? ptx::opcode::mbarrier_complete_tx : ptx::opcode::mbarrier_expect_tx;
        count = now_.has("A0T1") ? number(1) : operand_word;
    } else if (!now_.has("A1T0")) {
        o.flags |= std::uint64_t{1} << static_cast<unsigned>(ptx::flag::expect_tx);
        count = operand_word;
    }
    const bool result = at(0).index != sass::register_rz;
    const bool remote = now_.has("RED");
    if (remote && result) return false;
    if (result &&
        (o.op == ptx::opcode::mbarrier_expect_tx || o.op == ptx::opcode::mbarrier_complete_tx))
        return false;
    address_place p;
    if (remote) {
        p.source = cluster_address(at(1));
        p.detail = in_space(space::shared);
    } else {
        p = place_of(at(1), space::shared);
    }
    emit_mbarrier_note(p, access_flags::releases);
    const slot state = result ? scratch() : no_slot;
    operation& op = emit(mbarrier_handler(o));
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.detail = p.detail;
    op.source[1] = count;
    op.destination = state;
    op.counted = true;
    if (!result) return true;
    operation& split = emit(lanes_.unpack, &details());
    split.source[0] = state;
    split.destination = result_row(at(0));
    split.destination2 = result_row(at(0), 1);
    if (now_.has("TMASK")) {
        // TMASK: lanes that arrive together, whose arrivals one lane must still count. Here lanes
        // arrive one after the other, so that none remains.
        operation& none = emit(lanes_.modify, &details());
        none.source[0] = machine_frame::zero;
        none.destination = result_row(at(0));
    }
    return true;
}

/// Emits an operation that is executed by the first lane: uniform instructions execute once.
operation& machine_lowering::emit_for_one_lane(handler h) {
    machine_details& d = details();
    d.result[0] = machine_frame::scratch_mask;
    emit(machine_first_lane, &d).counted = true;
    operation& op = emit(h, nullptr, false);
    op.guard = machine_frame::scratch_mask;
    return op;
}

void machine_lowering::emit_bulk(handler h, bulk_copy what) {
    const auto kept = std::make_shared<const bulk_copy>(std::move(what));
    image_.attachments_.push_back(kept);
    emit_for_one_lane(h).immediate = reinterpret_cast<std::int64_t>(kept.get());
}

/// UBLK*, UTMA*, STAS, REDAS. Addresses, coordinates and mbarriers are in consecutive uniform
/// registers.
bool machine_lowering::lower_bulk() {
    const std::string_view name = now_.opcode;
    bulk_copy what;
    if (name == "STAS" || name == "REDAS") {
        if (now_.has("U8") || now_.has("S8") || now_.has("U16") || now_.has("S16")) return false;
        // The pair of the address: destination, and mbarrier.
        operand barrier = at(0);
        barrier.base = static_cast<std::uint8_t>(barrier.base + 1);
        barrier.value = 0;
        barrier.has_uniform = false;
        what.to = {cluster_address(at(0)), 0, in_space(space::shared)};
        what.barrier = {cluster_address(barrier), 0, in_space(space::shared)};
        what.has_barrier = true;
        what.element_bytes = 4;
        if (name == "REDAS") {
            const ptx::type t = element_type_of(now_);
            what.element_bytes = ptx::bytes_of(t);
            what.update = element_update_of(reduction_of(now_), t);
            if (what.update == nullptr) return false;
            what.values.push_back(what.element_bytes == 8 ? double_source(at(1)) : low_word(at(1)));
        }
        for (unsigned n = 0; name == "STAS" && n < access_bytes() / 4; ++n)
            what.values.push_back(at(1).index == sass::register_rz
                                      ? machine_frame::zero
                                      : register_row(at(1).index + n, false));
        const auto kept = std::make_shared<const bulk_copy>(std::move(what));
        image_.attachments_.push_back(kept);
        emit(store_asynchronously).immediate = reinterpret_cast<std::int64_t>(kept.get());
        return true;
    }
    if (name == "UTMACCTL" && now_.has("PF")) {
        what.map = uniform_place(at(0).uniform, space::generic);
        emit_bulk(prefetch_map, std::move(what));
        return true;
    }
    if (name == "UTMACMDFLUSH" || name == "UTMACCTL") {
        emit(nothing);
        return true;
    }
    if (name == "UBLKCP" || name == "UBLKRED" || name == "UBLKPF") {
        const bool prefetches = name == "UBLKPF";
        const operand& size = at(prefetches ? 1 : 2);
        machine_details& d = details();
        const slot bytes = scratch(), ranks = scratch();
        operation& split = emit(machine_bulk_size, &d, false);
        split.source[0] = register_row(size.index, true);
        split.destination = what.bytes = bytes;
        split.destination2 = ranks;
        if (prefetches) {
            what.from = uniform_place(at(0).uniform, space::global);
            emit_bulk(prefetch_bulk, std::move(what));
            return true;
        }
        const bool to_shared = now_.has("S") && now_.modifiers[0] == "S";
        const bool from_global = now_.modifiers[1] == "G";
        if (to_shared) {
            what.to = cluster_place(at(0).uniform);
            what.barrier = cluster_place(at(0).uniform + 1u);
            what.has_barrier = true;
        } else {
            what.to = uniform_place(at(0).uniform, space::global);
        }
        if (!to_shared && from_global) return false;
        what.from = from_global ? uniform_place(at(1).uniform, space::global)
                                : cluster_place(at(1).uniform);
        if (now_.has("MULTICAST")) what.ranks = ranks;
        if (name == "UBLKRED") {
            const ptx::type t = element_type_of(now_);
            what.update = element_update_of(reduction_of(now_), t);
            what.element_bytes = ptx::bytes_of(t);
            if (what.update == nullptr) return false;
        }
        emit_bulk(copy_bulk, std::move(what));
        return true;
    }
    const bool loads = name == "UTMALDG", stores = name == "UTMASTG", reduces = name == "UTMAREDG",
               prefetches = name == "UTMAPF";
    if (!loads && !stores && !reduces && !prefetches) return false;
    const bool columns = now_.has("IM2COL"), has_offsets = columns && (loads || prefetches);
    what.mode = columns ? tensor_mode::im2col : tensor_mode::tiled;
    unsigned dimensions = 0;
    for (const std::string_view d : {"1D", "2D", "3D", "4D", "5D"}) {
        ++dimensions;
        if (now_.has(d)) break;
    }
    const unsigned first = at(0).uniform, before = loads ? 2 : prefetches ? 0 : 1;
    // A prefetch of the box at the origin has URZ.
    const bool origin = prefetches && first == sass::uniform_urz;
    if (!origin && first + before + dimensions > sass::uniform_urz) return false;
    for (unsigned n = 0; n < dimensions; ++n)
        what.coordinates.push_back(register_row(first + before + n, true));
    what.map = uniform_place(at(1).uniform, space::generic);
    if (has_offsets) what.packed_offsets = register_row(at(2).index, true);
    if (loads) {
        what.to = cluster_place(first);
        what.barrier = cluster_place(first + 1);
        what.has_barrier = true;
        if (now_.has("MULTICAST")) {
            // Ranks are above the offsets.
            const slot bytes = scratch(), ranks = scratch();
            operation& split = emit(machine_bulk_size, &details(), false);
            split.source[0] = register_row(at(2).index, true);
            split.destination = bytes;
            split.destination2 = what.ranks = ranks;
        }
    } else if (!prefetches) {
        what.from = cluster_place(first);
        if (reduces) what.reduce = reduction_of(now_);
    }
    emit_bulk(loads        ? copy_box_to_shared
              : prefetches ? prefetch_box
                           : copy_box_to_global,
              std::move(what));
    return true;
}

/// UCGABAR_ARV, UCGABAR_WAIT, USETMAXREG, USETSHMSZ, RPCMOV; STSM.
bool machine_lowering::lower_cluster() {
    const std::string_view name = now_.opcode;
    if (name == "UCGABAR_ARV" || name == "UCGABAR_WAIT") {
        emit(name == "UCGABAR_ARV" ? arrive_at_cluster : wait_for_cluster);
        return true;
    }
    if (name == "USETMAXREG") {
        if (now_.has("TRY_ALLOC")) {
            // The allocation always succeeds.
            machine_details& d = details();
            constexpr std::uint32_t always = 0xff;
            d.number = always;
            if (at(0).kind == operand_kind::uniform_predicate) result_predicate(d, 0, at(0));
            emit(machine_logic_predicates, &d);
            return true;
        }
        emit(nothing);
        return true;
    }
    if (name == "USETSHMSZ") {
        // Releases shared memory before the CTA ends, which has no functional effect.
        emit(nothing);
        return true;
    }
    if (name == "RPCMOV") {
        const bool writes = at(0).kind == operand_kind::text;
        const slot saved = machine_frame::saved_counter + 128u * at(writes ? 0 : 1).index;
        const slot from = writes ? low_word(at(1)) : saved;
        operation& op = emit(lanes_.modify, &details());
        op.source[0] = from;
        op.destination = writes ? saved : result_row(at(0));
        return true;
    }
    if (name == "STSM") {
        std::vector<slot> slots;
        for (unsigned i = 0; i < matrices(); ++i)
            slots.push_back(at(1).index == sass::register_rz
                                ? machine_frame::zero
                                : register_row(at(1).index + i, false));
        emit_matrix_access(machine_store_matrices, at(0), slots);
        return true;
    }
    return false;
}

/// A descriptor of a matrix in shared memory, from two uniform registers.
slot machine_lowering::matrix_descriptor_row(unsigned first) {
    const slot low = register_row(first, true), high = register_row(first + 1, true);
    const slot to = scratch();
    machine_details& d = details();
    d.number = image_.own_shared() >> 4;
    emit_words(machine_matrix_descriptor, &d, to, {low, high}, false);
    return to;
}

/// HGMMA, QGMMA, IGMMA, BGMMA; WARPGROUP.
bool machine_lowering::lower_warpgroup() {
    const std::string_view name = now_.opcode;
    if (name == "WARPGROUP") {
        // The group for which .WAIT waits is not encoded; waiting for all groups has the same
        // results.
        if (now_.has("DEPBAR") || now_.has("WAIT"))
            emit(wait_for_warpgroup).immediate =
                now_.has("DEPBAR") ? static_cast<std::int64_t>(at(1).value) : 0;
        else
            emit(arrive_at_warpgroup);
        return now_.has("ARRIVE") || now_.has("DEPBAR") || now_.has("WAIT");
    }
    const bool halves = name == "HGMMA", bytes = name == "QGMMA", bits = name == "BGMMA";
    const bool integers = name == "IGMMA" || bits;
    if (!halves && !bytes && !integers) return false;
    const bool closes = at(now_.operand_count - 1u).kind == operand_kind::text;
    if (at(0).index == sass::register_rz) {
        // No result: closes a group.
        emit(closes ? commit_warpgroup : nothing);
        return true;
    }
    unsigned n = 1;
    const bool in_registers = at(1).kind == operand_kind::reg;
    if (in_registers) ++n;
    const operand& gdesc = at(n++);
    const operand& sums = at(n++);
    if (sums.index != at(0).index && sums.index != sass::register_rz) return false;
    const operand* adds = nullptr;
    if (at(n).kind == operand_kind::uniform_predicate) adds = &at(n++);

    arithmetic::warpgroup_description d;
    const std::string_view shape = now_.modifiers[now_.has("SP") ? 1 : 0];
    const std::size_t from = shape.find('x') + 1;
    std::from_chars(shape.data() + from, shape.data() + shape.size(), d.n);
    const auto element = [](std::string_view m) {
        return m == "E5M2"   ? matrix_element::e5m2
               : m == "E4M3" ? matrix_element::e4m3
               : m == "S8"   ? matrix_element::s8
                             : matrix_element::u8;
    };
    const unsigned types = now_.has("SP") ? 2 : 1;
    if (halves) {
        d.a = d.b = now_.has("BF16")   ? matrix_element::bf16
                    : now_.has("TF32") ? matrix_element::tf32
                                       : matrix_element::f16;
    } else if (bits) {
        d.a = d.b = matrix_element::b1;
    } else {
        const unsigned first = types + (bytes ? 1 : 0);
        d.a = element(now_.modifiers[first]);
        d.b = element(now_.modifiers[first + 1]);
    }
    d.d = integers          ? matrix_element::s32
          : now_.has("F16") ? matrix_element::f16
                            : matrix_element::f32;
    d.saturate = now_.has("SAT");
    const auto changed = [&](std::string_view how) {
        return gdesc.suffix.find(how) != std::string_view::npos;
    };
    d.negate_a = in_registers ? at(1).negate : changed("negA");
    d.negate_b = changed("negB");
    d.a_is_mn_major = changed("tnspA");
    d.b_is_mn_major = changed("tnspB");
    d.sparse = now_.has("SP");
    slot metadata = no_slot;
    if (d.sparse) {
        metadata = low_word(at(n++));
        if (halves) d.selector = static_cast<unsigned>(at(n++).value);
    }

    std::vector<slot> list;
    for (unsigned r = 0; r < d.registers(); ++r) list.push_back(result_row(at(0), r));
    if (in_registers)
        for (unsigned r = 0; r < 4; ++r)
            list.push_back(at(1).index == sass::register_rz ? machine_frame::zero
                                                            : register_row(at(1).index + r, false));
    const slot a = in_registers ? no_slot : matrix_descriptor_row(gdesc.index);
    const slot b = matrix_descriptor_row(gdesc.index + 2u);
    // Whether the product is added to the sums.
    slot mask = frame_layout::always;
    if (adds != nullptr || sums.index == sass::register_rz) {
        machine_details& p = details();
        if (adds != nullptr) source_predicate(p, 0, *adds);
        constexpr std::uint32_t first = 0xf0;
        p.number = sums.index == sass::register_rz ? 0 : first;
        mask = p.result[0] = machine_frame::scratch_mask;
        emit(machine_logic_predicates, &p, false);
    }
    const auto product = std::make_shared<const arithmetic::warpgroup_multiply>(d);
    image_.attachments_.push_back(product);
    emit(await_warpgroup);
    operation& op = emit(multiply_warpgroup);
    op.list = list_of(list);
    op.source[0] = a;
    op.source[1] = b;
    op.source[2] = mask;
    op.source[3] = metadata;
    op.immediate = reinterpret_cast<std::int64_t>(product.get());
    op.counted = true;
    if (closes) emit(commit_warpgroup);
    return true;
}

}  // namespace simtlm::execution
