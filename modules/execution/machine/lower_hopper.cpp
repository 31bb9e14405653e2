// SPDX-License-Identifier: Apache-2.0
// Lowering of the instructions added in sm_90: mbarriers, bulk copies, clusters, products of
// warpgroups. Operations are those of the PTX instructions.
#include "modules/execution/machine/bulk_lowering.h"
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/operations/bulk_copy.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/cluster_operations.h"
#include "modules/execution/operations/warpgroup_operations.h"
#include "modules/execution/ptx/control.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

namespace simtlm::execution {

using arithmetic::matrix_element;
using sass::modifier;
using sass::operand_kind;
using address_place = machine_lowering::address_place;

namespace {

ptx::reduction reduction_of(const machine_lowering& l) {
    constexpr std::pair<modifier, ptx::reduction> reductions[] = {
        {modifier::ADD, ptx::reduction::add}, {modifier::MIN, ptx::reduction::min},
        {modifier::MAX, ptx::reduction::max}, {modifier::INC, ptx::reduction::inc},
        {modifier::DEC, ptx::reduction::dec}, {modifier::AND, ptx::reduction::and_},
        {modifier::OR, ptx::reduction::or_},  {modifier::XOR, ptx::reduction::xor_}};
    for (const auto& r : reductions)
        if (l.has(r.first)) return r.second;
    return ptx::reduction::none;
}

ptx::type element_type_of(const machine_lowering& l) {
    return l.has(modifier::S32)                           ? ptx::type::s32
           : l.has(modifier::U64) || l.has(modifier::_64) ? ptx::type::u64
           : l.has(modifier::S64)                         ? ptx::type::s64
           : l.has(modifier::F16)                         ? ptx::type::f16
           : l.has(modifier::BF16)                        ? ptx::type::bf16
           : l.has(modifier::F32)                         ? ptx::type::f32
           : l.has(modifier::F64)                         ? ptx::type::f64
                                                          : ptx::type::u32;
}

/// A 64-bit address in a pair of uniform registers.
lane_place uniform_place(machine_lowering& l, unsigned first, space s) {
    return {l.double_source(uniform_register(first)), 0,
            static_cast<std::uint16_t>(in_space(s) | access_detail::wide_address)};
}

void set_place(operation& op, const address_place& p) {
    op.detail = p.detail;
    op.source[0] = p.source;
    op.immediate = p.offset;
}

/// Emits an operation on the mbarrier at an address.
/// @param count  row of the count, or no_operand @param state  row of the result, or no_operand
operation& emit_on_mbarrier(machine_lowering& l, const ptx::operation& o, const address_place& p,
                            operand_ref count, operand_ref state) {
    operation& op = l.emit(mbarrier_handler(o));
    set_place(op, p);
    op.source[1] = count;
    op.destination = state;
    return op;
}

}  // namespace

sass::operand uniform_register(unsigned n) {
    sass::operand o;
    o.kind = operand_kind::uniform_reg;
    o.index = static_cast<std::uint8_t>(std::min<unsigned>(n, sass::uniform_urz));
    return o;
}

lane_place cluster_place(machine_lowering& l, unsigned uniform) {
    sass::operand o;
    o.has_uniform = true;
    o.uniform = static_cast<std::uint8_t>(uniform);
    return {l.cluster_address(o), 0, in_space(space::shared)};
}

operand_ref matrix_descriptor_row(machine_lowering& l, unsigned first) {
    const operand_ref low = l.register_row(first, true), high = l.register_row(first + 1, true);
    const operand_ref to = l.scratch();
    l.emit_words(machine_matrix_descriptor, {l.image().own_shared() >> 4}, to, {low, high}, false);
    return to;
}

operation& emit_for_one_lane(machine_lowering& l, handler h) {
    l.emit(machine_first_lane, {machine_frame::scratch_mask}).counted = true;
    operation& op = l.emit(h, false);
    op.guard = machine_frame::scratch_mask;
    return op;
}

void emit_bulk(machine_lowering& l, handler h, bulk_copy what) {
    const std::int64_t kept = l.keep(std::make_shared<const bulk_copy>(std::move(what)));
    emit_for_one_lane(l, h).immediate = kept;
}

operand_ref machine_lowering::cluster_address(const operand& o) {
    const cluster_address_arguments a{static_cast<std::uint32_t>(o.signed_value()) -
                                      image_.own_shared()};
    const operand_ref to = scratch();
    const bool uniform = o.has_uniform && o.uniform != sass::uniform_urz;
    emit_words(machine_cluster_address, a, to,
               {register_row(o.base, false),
                uniform ? register_row(o.uniform, true) : operand_ref{machine_frame::zero}},
               false);
    return to;
}

// ---- mbarriers ----

bool lower_early_arrival(machine_lowering& l, const sass::operand& address, bool result) {
    constexpr unsigned first_with_syncs = 90;
    if (l.architecture() >= first_with_syncs || !l.has(modifier::_64)) return false;
    const address_place p = l.place_of(address, space::shared);
    l.emit_mbarrier_note(p, access_flags::releases);
    operation& op = l.emit(arrive_at_early_mbarrier);
    set_place(op, p);
    if (!result || l.at(0).index == sass::register_rz) return true;
    const operand_ref before = op.destination = l.scratch();
    l.to_pair(l.at(0), before);
    return true;
}

/// ARRIVES: signals when the copies of the lane are complete, which they are when the next
/// instruction executes.
bool lower_mbarrier_arrive_of_copies(machine_lowering& l) {
    constexpr unsigned first_with_syncs = 90;
    if (l.architecture() < first_with_syncs) return lower_early_arrival(l, l.at(0), false);
    l.ignore(modifier::_64);
    ptx::operation o;
    const bool counts = l.has(modifier::ARVCNT);
    o.op = counts ? ptx::opcode::cp_async_mbarrier_arrive : ptx::opcode::mbarrier_complete_tx;
    if (counts) set(o, ptx::flag::noinc);
    const address_place p = l.place_of(l.at(0), space::shared);
    l.emit_mbarrier_note(p, access_flags::releases);
    emit_on_mbarrier(l, o, p, counts ? no_operand : l.number(1), no_operand);
    return true;
}

namespace {

/// SYNCS.CCTL: invalidates an mbarrier.
bool lower_mbarrier_invalidation(machine_lowering& l) {
    l.ignore(modifier::IV);
    ptx::operation o;
    o.op = ptx::opcode::mbarrier_inval;
    emit_on_mbarrier(l, o, l.place_of(l.at(0), space::shared), no_operand, no_operand);
    return true;
}

/// SYNCS.EXCH: initialises an mbarrier.
bool lower_mbarrier_exchange(machine_lowering& l) {
    l.set_uniform(true);
    const operand_ref value = l.double_source(l.at(2));
    const address_place p = l.place_of(l.at(1), space::shared);
    const operand_ref old = l.scratch();
    l.emit_mbarrier_note(p, 0);
    operation& op = emit_for_one_lane(l, exchange_mbarrier);
    set_place(op, p);
    op.source[1] = value;
    op.destination = no_operand;
    if (l.at(0).index == sass::uniform_urz) return true;
    op.destination = old;
    operation& split = l.emit(machine_spread_pair, false);
    split.guard = machine_frame::scratch_mask;
    split.source[0] = old;
    split.destination = l.result_row(l.at(0));
    split.destination2 = l.result_row(l.at(0), 1);
    return true;
}

/// Whether a SYNCS.PHASECHK.TRYWAIT is not in a loop that only waits (mbarrier_time_limit).
bool has_time_limit(machine_lowering& l) {
    sass::instruction next;
    if (!l.next_instruction(next)) return false;
    const bool loops = next.opcode == isa::opcode::BRA && !next.guard_uniform &&
                       next.guard != sass::predicate_true && next.guard == l.at(0).index;
    return !loops;
}

/// SYNCS.PHASECHK: waits for a phase of an mbarrier. Address and phase are stored in separate rows,
/// because the warp may continue before the wait is retried.
bool lower_mbarrier_wait(machine_lowering& l) {
    const address_place p = l.place_of(l.at(1), space::shared);
    const auto keep = [&](operand_ref from, operand_ref to) {
        l.emit_copy(to, from, false);
        return to;
    };
    const operand_ref place = keep(p.source, machine_frame::wait_address);
    const operand_ref phase = keep(l.low_word(l.at(2)), machine_frame::wait_phase);
    l.emit_mbarrier_note(p, access_flags::acquires);
    const bool may_suspend = l.has(modifier::TRYWAIT);
    operation& op = l.emit(mbarrier_token_wait(may_suspend));
    set_place(op, p);
    op.source[0] = place;
    op.source[1] = phase;
    if (may_suspend && has_time_limit(l)) op.source[2] = l.number(mbarrier_time_limit);
    const operand_ref to = l.predicate_ref(l.at(0));
    op.destination = to == 0 ? operand_ref{machine_frame::no_predicate} : to;
    return true;
}

/// SYNCS.ARRIVE: what arrives at an mbarrier, and the row of its count.
/// @return false if it is not supported
bool set_arrival(machine_lowering& l, ptx::operation& o, operand_ref& count) {
    const bool drops = l.has(modifier::OPTOUT);
    const operand_ref operand_word = l.low_word(l.at(2));
    o.op = drops ? ptx::opcode::mbarrier_arrive_drop : ptx::opcode::mbarrier_arrive;
    if (l.has(modifier::ART0)) {
        count = operand_word;
    } else if (l.has(modifier::A0T1) || l.has(modifier::A0TR) || l.has(modifier::A0TX)) {
        if (drops) return false;
        o.op = l.has(modifier::A0TX) ? ptx::opcode::mbarrier_complete_tx
                                     : ptx::opcode::mbarrier_expect_tx;
        count = l.has(modifier::A0T1) ? l.number(1) : operand_word;
    } else if (!l.has(modifier::A1T0)) {
        set(o, ptx::flag::expect_tx);
        count = operand_word;
    }
    return true;
}

/// SYNCS.ARRIVE.
bool lower_mbarrier_arrival(machine_lowering& l) {
    ptx::operation o;
    operand_ref count = no_operand;
    if (!set_arrival(l, o, count)) return false;
    const bool result = l.at(0).index != sass::register_rz, remote = l.has(modifier::RED);
    const bool has_state =
        o.op != ptx::opcode::mbarrier_expect_tx && o.op != ptx::opcode::mbarrier_complete_tx;
    if (result && (remote || !has_state)) return false;
    address_place p;
    if (remote) {
        p.source = l.cluster_address(l.at(1));
        p.detail = in_space(space::shared);
    } else {
        p = l.place_of(l.at(1), space::shared);
    }
    l.emit_mbarrier_note(p, access_flags::releases);
    const operand_ref state = result ? l.scratch() : no_operand;
    emit_on_mbarrier(l, o, p, count, state).counted = true;
    if (!result) return true;
    l.to_pair(l.at(0), state);
    // TMASK: lanes that arrive together, whose arrivals one lane must still count. Here lanes
    // arrive one after the other, so that none remains.
    if (l.has(modifier::TMASK)) l.emit_copy(l.result_row(l.at(0)), machine_frame::zero);
    return true;
}

}  // namespace

/// SYNCS.
bool lower_mbarrier(machine_lowering& l) {
    // CCTL.IVALL: mbarriers have been written by stores. There is no copy of them here.
    if (l.has(modifier::IVALL)) return lower_nothing(l);
    if (l.has(modifier::CCTL)) return lower_mbarrier_invalidation(l);
    if (l.has(modifier::EXCH)) return lower_mbarrier_exchange(l);
    if (l.has(modifier::PHASECHK)) return lower_mbarrier_wait(l);
    return l.has(modifier::ARRIVE) && lower_mbarrier_arrival(l);
}

// ---- bulk copies ----
// Addresses, coordinates and mbarriers are in consecutive uniform registers.

/// STAS, REDAS: stores to shared memory of the cluster that signal an mbarrier.
bool lower_remote_store(machine_lowering& l) {
    for (const modifier narrow : {modifier::U8, modifier::S8, modifier::U16, modifier::S16})
        if (l.has(narrow)) return false;
    bulk_copy what;
    // The pair of the address: destination, and mbarrier.
    sass::operand barrier = l.at(0);
    barrier.base = static_cast<std::uint8_t>(barrier.base + 1);
    barrier.value = 0;
    barrier.has_uniform = false;
    what.to = {l.cluster_address(l.at(0)), 0, in_space(space::shared)};
    what.barrier = {l.cluster_address(barrier), 0, in_space(space::shared)};
    what.has_barrier = true;
    what.element_bytes = 4;
    if (l.is(isa::opcode::REDAS)) {
        const ptx::type t = element_type_of(l);
        what.element_bytes = ptx::bytes_of(t);
        what.update = element_update_of(reduction_of(l), t);
        if (what.update == nullptr) return false;
        what.values.push_back(what.element_bytes == 8 ? l.double_source(l.at(1))
                                                      : l.low_word(l.at(1)));
    } else {
        for (unsigned n = 0; n < l.access_bytes() / 4; ++n)
            what.values.push_back(l.following_register(l.at(1), n));
    }
    const std::int64_t kept = l.keep(std::make_shared<const bulk_copy>(std::move(what)));
    l.emit(store_asynchronously).immediate = kept;
    return true;
}

/// UTMACCTL.
bool lower_tensor_map_cache(machine_lowering& l) {
    if (!l.has(modifier::PF)) return lower_nothing(l);
    bulk_copy what;
    what.map = uniform_place(l, l.at(0).uniform, space::generic);
    emit_bulk(l, prefetch_map, std::move(what));
    return true;
}

namespace {
/// Decodes the word of a uniform register that holds a size and the CTAs of a multicast.
/// @return the row of the CTAs
operand_ref split_size(machine_lowering& l, unsigned uniform, operand_ref& bytes) {
    bytes = l.scratch();
    const operand_ref ranks = l.scratch();
    operation& split = l.emit(machine_bulk_size, false);
    split.source[0] = l.register_row(uniform, true);
    split.destination = bytes;
    split.destination2 = ranks;
    return ranks;
}
}  // namespace

/// UBLKCP, UBLKRED, UBLKPF.
bool lower_bulk_copy(machine_lowering& l) {
    l.ignore_memory_order();
    const bool prefetches = l.is(isa::opcode::UBLKPF);
    bulk_copy what;
    const operand_ref ranks = split_size(l, l.at(prefetches ? 1 : 2).index, what.bytes);
    if (prefetches) {
        what.from = uniform_place(l, l.at(0).uniform, space::global);
        emit_bulk(l, prefetch_bulk, std::move(what));
        return true;
    }
    const bool to_shared = l.modifier_at(0) == modifier::S;
    const bool from_global = l.modifier_at(1) == modifier::G;
    if (!to_shared && from_global) return false;
    if (to_shared) {
        what.to = cluster_place(l, l.at(0).uniform);
        what.barrier = cluster_place(l, l.at(0).uniform + 1u);
        what.has_barrier = true;
    } else {
        what.to = uniform_place(l, l.at(0).uniform, space::global);
    }
    what.from = from_global ? uniform_place(l, l.at(1).uniform, space::global)
                            : cluster_place(l, l.at(1).uniform);
    if (l.has(modifier::MULTICAST)) what.ranks = ranks;
    if (l.has(modifier::CPMASK)) what.byte_mask = ranks;
    if (l.is(isa::opcode::UBLKRED)) {
        const ptx::type t = element_type_of(l);
        what.update = element_update_of(reduction_of(l), t);
        what.element_bytes = ptx::bytes_of(t);
        if (what.update == nullptr) return false;
    }
    emit_bulk(l, copy_bulk, std::move(what));
    return true;
}

namespace {
tensor_map::access_mode access_mode_of(const machine_lowering& l) {
    using access_mode = tensor_map::access_mode;
    return l.has(modifier::IM2COL)        ? access_mode::im2col
           : l.has(modifier::IM2COL_W)    ? access_mode::im2col_w
           : l.has(modifier::IM2COL_W128) ? access_mode::im2col_w_128
                                          : access_mode::tiled;
}
}  // namespace

/// UTMALDG, UTMASTG, UTMAREDG, UTMAPF.
bool lower_tensor_copy(machine_lowering& l) {
    const bool loads = l.is(isa::opcode::UTMALDG), reduces = l.is(isa::opcode::UTMAREDG);
    const bool prefetches = l.is(isa::opcode::UTMAPF);
    constexpr unsigned of_four_rows = 5;  // a column and the rows
    bulk_copy what;
    what.mode = access_mode_of(l);
    const bool columns = what.mode != tensor_map::access_mode::tiled;
    unsigned dimensions = 0;
    for (const modifier d :
         {modifier::_1D, modifier::_2D, modifier::_3D, modifier::_4D, modifier::_5D}) {
        ++dimensions;
        if (l.has(d)) break;
    }
    what.gathers = l.has(modifier::GATHER4) || l.has(modifier::SCATTER4);
    if (what.gathers) dimensions = of_four_rows;
    const unsigned first = l.at(0).uniform, before = loads ? 2 : prefetches ? 0 : 1;
    // A prefetch of the box at the origin has URZ.
    const bool origin = prefetches && first == sass::uniform_urz;
    if (!origin && first + before + dimensions > machine_frame::uniform_rows) return false;
    for (unsigned n = 0; n < dimensions; ++n)
        what.coordinates.push_back(l.register_row(first + before + n, true));
    what.map = uniform_place(l, l.at(1).uniform, space::generic);
    if (columns && (loads || prefetches)) what.packed_offsets = l.register_row(l.at(2).index, true);
    if (loads) {
        what.to = cluster_place(l, first);
        what.barrier = cluster_place(l, first + 1);
        what.has_barrier = true;
        what.of_pair = l.has(modifier::_2CTA);
        // Ranks are above the offsets.
        operand_ref bytes = no_operand;
        if (l.has(modifier::MULTICAST)) what.ranks = split_size(l, l.at(2).index, bytes);
    } else if (!prefetches) {
        what.from = cluster_place(l, first);
        if (reduces) what.reduce = reduction_of(l);
    }
    emit_bulk(l,
              loads        ? copy_box_to_shared
              : prefetches ? prefetch_box
                           : copy_box_to_global,
              std::move(what));
    return true;
}

/// UMEMSETS: st.bulk, of zeros only. The size is in units of 8 bytes.
bool lower_bulk_store(machine_lowering& l) {
    if (l.at(1).index != sass::uniform_urz) return false;
    bulk_copy what;
    const address_place p = l.place_of(l.at(0), space::shared);
    what.to = {p.source, p.offset, p.detail};
    what.bytes = l.low_word(l.at(2));
    what.element_bytes = 8;
    emit_bulk(l, clear_bulk, std::move(what));
    return true;
}

/// UGETNEXTWORKID: clusterlaunchcontrol.try_cancel. Addresses of the response and of the mbarrier.
bool lower_cancellation(machine_lowering& l) {
    bulk_copy what;
    what.to = cluster_place(l, l.at(0).uniform);
    what.barrier = cluster_place(l, l.at(0).uniform + 1u);
    what.has_barrier = true;
    what.to_all = l.has(modifier::BROADCAST);
    emit_bulk(l, cancel_launch, std::move(what));
    return true;
}

// ---- clusters ----

/// UCGABAR_ARV.
bool lower_cluster_arrive(machine_lowering& l) {
    l.emit(arrive_at_cluster);
    return true;
}

/// UCGABAR_WAIT.
bool lower_cluster_wait(machine_lowering& l) {
    l.emit(wait_for_cluster);
    return true;
}

/// USETMAXREG. An allocation always succeeds.
bool lower_register_reallocation(machine_lowering& l) {
    if (!l.has(modifier::TRY_ALLOC)) return lower_nothing(l);
    l.ignore_operand(1);
    const bool reports = l.at(0).kind == operand_kind::uniform_predicate;
    l.emit_predicate(predicate_logic_arguments::always, reports ? l.predicate_ref(l.at(0)) : 0);
    return true;
}

// ---- products of warpgroups ----

/// WARPGROUP. The group for which .WAIT waits is not encoded; waiting for all groups has the same
/// results.
bool lower_warpgroup_control(machine_lowering& l) {
    const bool waits_for_some = l.has(modifier::DEPBAR);
    l.ignore_operand(0);  // the scoreboard of warpgroup products
    l.ignore(modifier::LE);
    if (waits_for_some || l.has(modifier::WAIT)) {
        l.emit(wait_for_warpgroup).immediate =
            waits_for_some ? static_cast<std::int64_t>(l.at(1).value) : 0;
        return true;
    }
    l.emit(arrive_at_warpgroup);
    return l.has(modifier::ARRIVE);
}

namespace {

/// Types of A, B and D of a product.
void set_types(const machine_lowering& l, arithmetic::warpgroup_description& d) {
    const auto element = [](modifier m) {
        return m == modifier::E5M2   ? matrix_element::e5m2
               : m == modifier::E4M3 ? matrix_element::e4m3
               : m == modifier::S8   ? matrix_element::s8
                                     : matrix_element::u8;
    };
    const bool bytes = l.is(isa::opcode::QGMMA), bits = l.is(isa::opcode::BGMMA);
    if (l.is(isa::opcode::HGMMA)) {
        d.a = d.b = l.has(modifier::BF16)   ? matrix_element::bf16
                    : l.has(modifier::TF32) ? matrix_element::tf32
                                            : matrix_element::f16;
    } else if (bits) {
        d.a = d.b = matrix_element::b1;
    } else {
        // After the shape; of 8-bit floats, after the type of the sums, too.
        const unsigned first = (d.sparse ? 2 : 1) + (bytes ? 1 : 0);
        d.a = element(l.modifier_at(first).id);
        d.b = element(l.modifier_at(first + 1).id);
    }
    d.d = bits || l.is(isa::opcode::IGMMA) ? matrix_element::s32
          : l.has(modifier::F16)           ? matrix_element::f16
                                           : matrix_element::f32;
}

/// The mask of the lanes in which a product is added to the sums.
/// @param adds  the predicate that determines it, or nullptr @param sums  RZ: there are none
operand_ref accumulation_mask(machine_lowering& l, const sass::operand* adds,
                              const sass::operand& sums) {
    const bool none = sums.index == sass::register_rz;
    if (adds == nullptr && !none) return frame_layout::always;
    l.emit_predicate(none ? predicate_logic_arguments::never : predicate_logic_arguments::first,
                     machine_frame::scratch_mask,
                     {adds != nullptr ? l.predicate_of(*adds) : source_predicate{}}, false);
    return machine_frame::scratch_mask;
}

}  // namespace

/// HGMMA, QGMMA, IGMMA, BGMMA.
bool lower_warpgroup_multiply(machine_lowering& l) {
    const bool closes = l.at(l.operand_count() - 1u).kind == operand_kind::text;
    if (l.at(0).index == sass::register_rz) {
        // No result: closes a group.
        l.emit(closes ? commit_warpgroup : nothing);
        return true;
    }
    const bool in_registers = l.at(1).kind == operand_kind::reg;
    unsigned n = in_registers ? 2 : 1;
    const sass::operand& gdesc = l.at(n++);
    const sass::operand& sums = l.at(n++);
    if (sums.index != l.at(0).index && sums.index != sass::register_rz) return false;
    const sass::operand* adds = nullptr;
    if (l.at(n).kind == operand_kind::uniform_predicate) adds = &l.at(n++);

    arithmetic::warpgroup_description d;
    d.sparse = l.has(modifier::SP);
    const std::string_view shape = l.modifier_at(d.sparse ? 1 : 0).text;
    const std::size_t from = shape.find('x') + 1;
    std::from_chars(shape.data() + from, shape.data() + shape.size(), d.n);
    set_types(l, d);
    // The only operation on bits.
    l.ignore(modifier::AND);
    l.ignore(modifier::POPC);
    l.reads_sign(l.at(1));
    d.saturate = l.has(modifier::SAT);
    const auto changed = [&](std::string_view how) {
        return l.suffix_of(gdesc).find(how) != std::string_view::npos;
    };
    d.negate_a = in_registers ? l.at(1).negate : changed("negA");
    d.negate_b = changed("negB");
    d.a_is_mn_major = changed("tnspA");
    d.b_is_mn_major = changed("tnspB");
    operand_ref metadata = no_operand;
    if (d.sparse) {
        metadata = l.low_word(l.at(n++));
        if (l.is(isa::opcode::HGMMA)) d.selector = static_cast<unsigned>(l.at(n++).value);
    }

    std::vector<operand_ref> list;
    for (unsigned r = 0; r < d.registers(); ++r) list.push_back(l.result_row(l.at(0), r));
    if (in_registers)
        for (unsigned r = 0; r < 4; ++r) list.push_back(l.following_register(l.at(1), r));
    const operand_ref a = in_registers ? no_operand : matrix_descriptor_row(l, gdesc.index);
    const operand_ref b = matrix_descriptor_row(l, gdesc.index + 2u);
    const operand_ref mask = accumulation_mask(l, adds, sums);
    const std::int64_t product = l.keep(std::make_shared<const arithmetic::warpgroup_multiply>(d));
    l.emit(await_warpgroup);
    operation& op = l.emit(multiply_warpgroup);
    op.list = l.list_of(list);
    op.source[0] = a;
    op.source[1] = b;
    op.source[2] = mask;
    op.source[3] = metadata;
    op.immediate = product;
    op.counted = true;
    if (closes) l.emit(commit_warpgroup);
    return true;
}

}  // namespace simtlm::execution
