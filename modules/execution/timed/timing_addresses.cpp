// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/timed/timing_addresses.h"

#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/operations/matrix_operations.h"
#include "modules/execution/operations/texture_operations.h"
#include "modules/execution/state/memory_access.h"

#include <algorithm>

namespace simtlm::execution {

namespace {

using program::memory_space;

std::uint64_t address_of(const warp& w, const operation* op, unsigned lane, std::uint64_t offset) {
    if ((op->detail & access_detail::frame_relative) != 0) offset += w.local_base;
    if (op->source[0] == no_operand) return offset;
    if ((op->detail & access_detail::wide_address) != 0)
        return reinterpret_cast<const std::uint64_t*>(w.at(op->source[0]))[lane] + offset;
    return reinterpret_cast<const std::uint32_t*>(w.at(op->source[0]))[lane] +
           static_cast<std::uint32_t>(offset);
}

template <class Function>
void for_lanes(lane_mask m, Function f) {
    for (; m != 0; m &= m - 1) f(static_cast<unsigned>(__builtin_ctz(m)));
}

struct placed_address {
    memory_space space;
    device_address address;
};

/// Resolves a generic address to a space and an address in it.
placed_address placed(device_address a) {
    if (address_windows::in_shared(a)) return {memory_space::shared, a - address_windows::shared};
    if (address_windows::in_cluster(a))
        return {memory_space::shared,
                (a - address_windows::cluster) % address_windows::cluster_stride};
    if (address_windows::in_local(a)) return {memory_space::local, a - address_windows::local};
    if (address_windows::in_param(a)) return {memory_space::constant, a - address_windows::param};
    return {memory_space::global, a};
}

/// The space that an instruction addresses: of asynchronous copies that of their source.
space addressed_space(const operation* op) {
    return op->execute == copy_asynchronously ? access_detail::space_in(op->list[2])
                                              : access_detail::space_of(op);
}

/// The space of all addresses is that of the first one. Addresses of lanes in another space are
/// unchanged.
void resolve_space(const operation* op, program::issue_effects& effects,
                   program::lane_addresses& addresses) {
    const space s = addressed_space(op);
    if (addresses.lanes == 0) {
        if (effects.space == memory_space::generic) effects.space = memory_space::global;
        return;
    }
    const auto first = static_cast<unsigned>(__builtin_ctz(addresses.lanes));
    if (s == space::generic)
        effects.space = placed(addresses.address[0][first]).space;
    else if (s == space::shared)
        effects.space = memory_space::shared;
    else if (s == space::local)
        effects.space = memory_space::local;
    else if (s == space::param)
        effects.space = memory_space::constant;
    else if (effects.space == memory_space::generic)
        effects.space = memory_space::global;
    for (unsigned word = 0; word < addresses.words; ++word)
        for_lanes(addresses.lanes, [&](unsigned lane) {
            std::uint64_t& a = addresses.address[word][lane];
            if (s == space::shared) {
                a = address_windows::offset_in_block(a);
                return;
            }
            if (address_windows::in_global(a)) return;
            const placed_address p = placed(a);
            if (s != space::generic || p.space == effects.space) a = p.address;
        });
}

/// Rows of matrices, 16 bytes each, read by a lane.
void note_matrix_rows(const warp& w, const operation* op, program::lane_addresses& addresses) {
    addresses.words = std::min(op->destination2, program::lane_addresses::max_words);
    for (unsigned r = 0; r < addresses.words; ++r)
        for_lanes(addresses.lanes, [&](unsigned lane) {
            const unsigned row = r * 8 + lane / 4;
            addresses.address[r][lane] =
                address_of(w, op, row, static_cast<std::uint64_t>(op->immediate)) + lane % 4 * 4;
        });
}

/// The first element of every register of a fragment.
void note_fragment(const warp& w, const operation* op, program::lane_addresses& addresses) {
    const auto& access = *reinterpret_cast<const fragment_access*>(op->immediate);
    const auto& fragment = access.fragment;
    addresses.words = std::min(fragment.registers(), program::lane_addresses::max_words);
    for_lanes(addresses.lanes, [&](unsigned lane) {
        const std::uint64_t base = address_of(w, op, lane, op->source[2]);
        const std::uint64_t stride =
            op->source[1] == no_operand
                ? access.default_stride
                : reinterpret_cast<const std::uint32_t*>(w.at(op->source[1]))[lane];
        for (unsigned r = 0; r < addresses.words; ++r) {
            const auto place = fragment.place(lane, r * fragment.per_register());
            const std::size_t index =
                arithmetic::matrix_offset(place, access.layout, stride / access.packed);
            addresses.address[r][lane] = base + index * fragment.bits() / 8;
        }
    });
}

}  // namespace

void note_addresses(const warp& w, const operation* op,
                    const program::dynamic_instruction& instruction,
                    program::issue_effects& effects, program::lane_addresses& addresses) {
    addresses.lanes = 0;
    addresses.words = 1;
    if (!instruction.info->is_memory()) return;
    addresses.lanes = effects.active_mask;
    if (op->execute == load_matrices) {
        note_matrix_rows(w, op, addresses);
    } else if (op->execute == load_fragment || op->execute == store_fragment) {
        note_fragment(w, op, addresses);
    } else {
        // A kernel parameter, the same for all lanes; other accesses leave a request.
        for_lanes(addresses.lanes, [&](unsigned lane) {
            addresses.address[0][lane] = static_cast<std::uint64_t>(op->immediate);
        });
        if (access_detail::space_of(op) == space::param) effects.space = memory_space::constant;
        return;
    }
    resolve_space(op, effects, addresses);
}

void note_request(const timed_request& r, program::issue_effects& effects,
                  program::lane_addresses& addresses) {
    addresses.lanes = r.lanes;
    addresses.words = r.words;
    for_lanes(r.lanes, [&](unsigned lane) { addresses.address[0][lane] = r.address[lane]; });
    for (unsigned word = 1; word < r.words; ++word)
        for_lanes(r.lanes,
                  [&](unsigned lane) { addresses.address[word][lane] = r.more[word - 1][lane]; });
    // Lanes outside of a surface access no memory; the SM must not wait for their atomics.
    if (r.op->execute == reduce_surface) {
        for_lanes(r.lanes, [&](unsigned lane) {
            if (r.address[lane] == 0) addresses.lanes &= ~(lane_mask{1} << lane);
        });
        effects.active_mask = addresses.lanes;
    }
    resolve_space(r.op, effects, addresses);
}

lane_mask split_off_shared_lanes(const memory_request& r, program::issue_effects& effects,
                                 program::lane_addresses& addresses) {
    if (addressed_space(r.op) != space::generic) return 0;
    lane_mask shared = 0;
    for_lanes(r.lanes, [&](unsigned lane) {
        if (placed(r.address[lane]).space == memory_space::shared) shared |= lane_mask{1} << lane;
    });
    if (shared == 0 || shared == r.lanes) return 0;
    effects.space = memory_space::global;
    effects.active_mask &= ~shared;
    addresses.lanes = r.lanes & ~shared;
    for_lanes(addresses.lanes,
              [&](unsigned lane) { addresses.address[0][lane] = r.address[lane]; });
    return shared;
}

}  // namespace simtlm::execution
