// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets. Most accesses of a warp are contiguous: the checks are
// then a few loops over lanes.
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/target_tables.h"
#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/race_stamps.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace {

/// An access of a warp with the data needed by its check.
struct checked_access {
    warp& w;
    const operation* op;  ///< of the access, for messages
    const operation* check;
    block_checks& checks;
    lane_mask lanes;
    std::uint32_t bytes;      ///< per lane
    bool contiguous = false;  ///< all lanes, at consecutive addresses
    address_lanes address;

    checked_access(warp& in, const operation* check_op, block_checks& with, lane_mask executing)
        : w(in),
          op(check_op + 1),
          check(check_op),
          checks(with),
          lanes(executing),
          bytes(access_detail::elements_of(check_op) * check_op->source[2]) {
        compute_addresses(w, check, lanes, address);
        std::uint64_t stride;
        contiguous = lanes == all_lanes && has_stride(address, stride) && stride == bytes;
    }

    bool has(std::uint32_t flag) const { return (check->source[1] & flag) != 0; }
};

/// The number of the operation, with flags of race_detector.
std::uint32_t operation_of(const checked_access& a) {
    return static_cast<std::uint32_t>(a.w.pc_of(a.op)) |
           (a.has(access_flags::strong) ? race_detector::strong : 0) |
           (a.has(access_flags::unordered_lanes) ? race_detector::unordered_lanes : 0);
}

/// The range that contains the addresses of all lanes.
struct extent {
    std::uint64_t first = 0, bytes = 0;
};
extent extent_of(const address_lanes& a) {
    std::uint64_t first = a[0], last = a[0];
    for (unsigned i = 1; i < warp_size; ++i) {
        first = std::min(first, a[i]);
        last = std::max(last, a[i]);
    }
    return {first, last - first};
}
constexpr std::uint64_t max_per_report = 4096;  ///< bytes; limit for checks of a whole warp at once

// ---- shared memory: races ----

/// Calls f(granule) for those of a lane; its offset is known to be inside.
template <class Function>
void for_granules(const race_detector& d, std::uint64_t offset, std::uint32_t bytes, Function f) {
    const unsigned shift = d.granule_shift();
    const auto last = static_cast<std::uint32_t>((offset + bytes - 1) >> shift);
    for (auto k = static_cast<std::uint32_t>(offset >> shift); k <= last; ++k) f(k);
}

/// Whether any of these granules has been written since the last barrier.
bool some_written(const race_stamps s, std::uint32_t first, std::uint32_t end) {
    std::uint32_t newest = 0;
    for (std::uint32_t k = first; k < end; ++k) newest = std::max(newest, s.written[k]);
    return newest >= s.ordered;
}

// A row: consecutive granules, one per lane of a warp.

race_stamps row_at(race_stamps s, std::uint32_t k) {
    s.written += k;
    s.written_by += k;
    s.read += k;
    s.read_by += k;
    s.readers += k;
    if (s.last_reads != nullptr) s.last_reads += k;
    return s;
}

bool suspicious_row(const race_stamps row, bool writes) {
    std::uint32_t any = 0;
    if (writes)
        for (unsigned i = 0; i < warp_size; ++i) any |= row.write_is_suspicious(i, i) ? 1 : 0;
    else
        for (unsigned i = 0; i < warp_size; ++i) any |= row.read_is_suspicious(i, i) ? 1 : 0;
    return any != 0;
}

void note_row(const race_stamps row, bool writes) {
    if (writes) {
        for (unsigned i = 0; i < warp_size; ++i) row.note_write(i, i);
        return;
    }
    for (unsigned i = 0; i < warp_size; ++i) row.note_read(i, i);
    if (row.last_reads != nullptr)
        for (unsigned i = 0; i < warp_size; ++i) row.note_last_read(i);
}

template <class Function>
void each_lane(lane_mask lanes, Function f) {
    if (lanes == all_lanes)
        for (unsigned i = 0; i < warp_size; ++i) f(i);
    else
        for_lanes(lanes, f);
}

/// Records writes of one granule per lane at arbitrary places. @return false: a detailed
/// examination is needed, nothing has been recorded
/// @param has_reads  the shadow state has reads since the last barrier
bool note_writes(const race_stamps s, lane_mask lanes, const race_detector::granule_lanes& granule,
                 bool has_reads) {
    std::uint32_t any = 0;
    if ((s.operation & race_detector::strong) != 0 &&
        (s.operation & race_detector::unordered_lanes) == 0) {
        each_lane(lanes,
                  [&](unsigned i) { any |= s.strong_write_is_suspicious(granule[i]) ? 1 : 0; });
        if (any == 0) each_lane(lanes, [&](unsigned i) { s.note_write(granule[i], i); });
        return any == 0;
    }
    if (has_reads)
        each_lane(lanes, [&](unsigned i) { any |= s.write_is_suspicious(granule[i], i) ? 1 : 0; });
    else
        each_lane(lanes, [&](unsigned i) { any |= s.read_is_suspicious(granule[i], i) ? 1 : 0; });
    if (any != 0) return false;
    each_lane(lanes, [&](unsigned i) { s.note_write(granule[i], i); });
    // Detects two lanes that write to the same place.
    each_lane(lanes, [&](unsigned i) { any |= s.written[granule[i]] ^ (s.first + i); });
    if (any != 0) each_lane(lanes, [&](unsigned i) { s.written[granule[i]] = 0; });
    return any == 0;
}

/// Whether two lanes store the same value.
bool stores_the_same(const checked_access& a, unsigned lane, unsigned other) {
    if (a.address[lane] != a.address[other]) return false;
    const unsigned bytes = a.has(access_flags::wide_registers) ? 8 : 4;
    for (unsigned e = 0; e < access_detail::elements_of(a.check); ++e) {
        const std::byte* const values = a.w.at(a.check->list[e]);
        if (std::memcmp(values + std::size_t{lane} * bytes, values + std::size_t{other} * bytes,
                        std::min(bytes, a.check->source[2])) != 0)
            return false;
    }
    return true;
}

race_detector::granule_lanes granules_of(const address_lanes& offset, unsigned shift) {
    race_detector::granule_lanes k;
    for (unsigned i = 0; i < warp_size; ++i) k[i] = static_cast<std::uint32_t>(offset[i] >> shift);
    return k;
}

void check_lane(const checked_access& a, std::uint32_t k, unsigned lane, std::uint32_t operation) {
    race_detector& d = *a.checks.races();
    const auto c = d.examine(k, a.w.index, lane, a.has(access_flags::writes), operation);
    if (c.found)
        a.checks.race(a.w, a.op, lane, k << d.granule_shift(), a.has(access_flags::writes), c);
}

void synchronise(const checked_access& a, lane_mask lanes, const address_lanes& offset) {
    race_detector& d = *a.checks.races();
    const bool releases =
        (a.has(access_flags::releases) || d.is_fenced(a.w.index)) && a.has(access_flags::writes);
    const bool acquires = a.has(access_flags::reads) && d.has_releases();
    if (!releases && !acquires) return;
    std::uint64_t before = ~std::uint64_t{0};
    for_lanes(lanes, [&](unsigned i) {
        if (offset[i] == before) return;
        before = offset[i];
        d.synchronise(a.w.index, static_cast<std::uint32_t>(before), acquires, releases);
    });
}

/// Lane by lane: first all are examined, then recorded, so that lanes of one instruction are
/// distinguished from those of earlier ones.
void check_races_by_lane(const checked_access& a, lane_mask lanes, const address_lanes& offset,
                         const race_stamps& s, std::uint32_t operation) {
    race_detector& d = *a.checks.races();
    const bool writes = a.has(access_flags::writes);
    bool clean = true;
    for_lanes(lanes, [&](unsigned i) {
        for_granules(d, offset[i], a.bytes, [&](std::uint32_t k) {
            const bool suspicious =
                writes ? s.write_is_suspicious(k, i) : s.read_is_suspicious(k, i);
            if (!suspicious) return;
            clean = false;
            check_lane(a, k, i, operation);
        });
    });
    for_lanes(lanes, [&](unsigned i) {
        for_granules(d, offset[i], a.bytes, [&](std::uint32_t k) {
            if (!writes) {
                s.note_read(k, i);
                if (s.last_reads != nullptr) s.note_last_read(k);
                return;
            }
            const bool plain = !a.has(access_flags::strong);
            if (clean && plain && s.written_by_warp(k) && s.writing_lane(k) != i &&
                !stores_the_same(a, i, s.writing_lane(k)))
                a.checks.race_of_lanes(a.w, a.op, i, s.writing_lane(k), k << d.granule_shift());
            s.note_write(k, i);
        });
    });
}

void check_races(const checked_access& a, lane_mask lanes, const address_lanes& offset) {
    race_detector& d = *a.checks.races();
    const bool is_strong = a.has(access_flags::strong);
    const std::uint32_t operation = operation_of(a);
    const race_stamps s(d, a.w.index, operation);
    const bool writes = a.has(access_flags::writes);
    record_queued_reads(d);
    const bool has_reads = d.has_reads();
    if (writes)
        d.begin_writes();
    else
        d.begin_reads();
    const unsigned shift = d.granule_shift();
    const bool one_granule = a.bytes == 1u << shift;
    const auto first = static_cast<std::uint32_t>(offset[0] >> shift);
    extent e;
    if (a.contiguous && one_granule && !suspicious_row(row_at(s, first), writes && has_reads))
        note_row(row_at(s, first), writes);
    else if (!writes && one_granule && (e = extent_of(offset)).bytes <= max_per_report &&
             !some_written(s, static_cast<std::uint32_t>(e.first >> shift),
                           static_cast<std::uint32_t>((e.first + e.bytes) >> shift) + 1))
        note_reads(s, lanes, granules_of(offset, shift));
    else if (!writes || !one_granule ||
             !note_writes(s, lanes, granules_of(offset, shift), has_reads))
        check_races_by_lane(a, lanes, offset, s, operation);
    if (is_strong) synchronise(a, lanes, offset);
}

// ---- unwritten memory ----

/// Whether a lane copies some written bytes and some unwritten ones: padding.
/// @param written  whether byte n of the access has been written
template <class Written>
bool copies_padding(const checked_access& a, Written written) {
    if (!a.has(access_flags::copies)) return false;
    for (std::uint32_t n = 0; n < a.bytes; ++n)
        if (written(n)) return true;
    return false;
}

/// @param report  called for a lane that reads unwritten memory
template <class Map, class Report>
void check_writes(const checked_access& a, Map& map, lane_mask lanes, const address_lanes& offset,
                  Report report) {
    if (a.contiguous) {
        const std::uint64_t all = std::uint64_t{a.bytes} * warp_size;
        const bool known = !a.has(access_flags::reads) || map.all(offset[0], all);
        if (known && a.has(access_flags::writes)) map.mark(offset[0], all);
        if (known) return;
    }
    if (!a.has(access_flags::writes)) {
        const extent e = extent_of(offset);
        if (e.bytes <= max_per_report && map.all(e.first, e.bytes + a.bytes)) return;
    } else if (!a.has(access_flags::reads)) {
        each_lane(lanes, [&](unsigned i) { map.mark(offset[i], a.bytes); });
        return;
    }
    for_lanes(lanes, [&](unsigned i) {
        if (a.has(access_flags::reads) && !map.all(offset[i], a.bytes) &&
            !copies_padding(a, [&](std::uint32_t n) { return map.all(offset[i] + n, 1); }))
            report(i);
        if (a.has(access_flags::writes)) map.mark(offset[i], a.bytes);
    });
}

void scan_local(const checked_access& a, lane_mask lanes, const address_lanes& offset) {
    written_map& map = *a.checks.local();
    const std::uint64_t base = a.w.index * std::uint64_t{a.w.local_bytes} * warp_size;
    std::uint64_t stride;
    if (lanes == all_lanes && a.bytes % 4 == 0 && has_stride(offset, stride) && stride == 0) {
        const std::uint64_t first = base + offset[0] * warp_size;
        const std::uint64_t all = std::uint64_t{a.bytes} * warp_size;
        const bool known = !a.has(access_flags::reads) || map.all(first, all);
        if (known && a.has(access_flags::writes)) map.mark(first, all);
        if (known) return;
    }
    for_lanes(lanes, [&](unsigned i) {
        const bool known =
            !a.has(access_flags::reads) ||
            for_local_words(base, i, offset[i], a.bytes,
                            [&](std::uint64_t at, std::uint32_t n) { return map.all(at, n); });
        const auto written = [&](std::uint32_t n) {
            return for_local_words(base, i, offset[i] + n, 1,
                                   [&](std::uint64_t at, std::uint32_t) { return map.all(at, 1); });
        };
        if (!known && !copies_padding(a, written))
            a.checks.unwritten_local(a.w, a.op, i, offset[i], a.bytes);
        if (a.has(access_flags::writes))
            for_local_words(base, i, offset[i], a.bytes, [&](std::uint64_t at, std::uint32_t n) {
                map.mark(at, n);
                return true;
            });
    });
}

// ---- fast path: reads of shared memory ----

using offset_lanes = race_detector::granule_lanes;

/// Offsets in shared memory. @return whether all are inside, and are offsets rather than generic
/// addresses
bool plain_offsets(const warp& w, const operation* check, lane_mask lanes, std::uint32_t bytes,
                   offset_lanes& to) {
    const std::uint32_t size = w.launch->shared_bytes();
    if (bytes > size || (check->detail & access_detail::frame_relative) != 0) return false;
    const auto base = static_cast<std::uint64_t>(check->immediate);
    std::uint64_t high = 0;
    if (check->source[0] == no_operand) {
        to.fill(static_cast<std::uint32_t>(base));
        high = base >> 32;
    } else if ((check->detail & access_detail::wide_address) != 0) {
        const auto* const from = lanes_at<std::uint64_t>(w, check->source[0]);
        for (unsigned i = 0; i < warp_size; ++i) {
            to[i] = static_cast<std::uint32_t>(from[i] + base);
            high |= from[i] + base;
        }
        high >>= 32;
    } else {
        const auto* const from = lanes_at<std::uint32_t>(w, check->source[0]);
        for (unsigned i = 0; i < warp_size; ++i) to[i] = from[i] + static_cast<std::uint32_t>(base);
    }
    if (high != 0) return false;
    if (lanes != all_lanes) {
        alignas(32) offset_lanes same;
        same.fill(to[static_cast<unsigned>(__builtin_ctz(lanes))]);
        blend(to.data(), same.data(), ~lanes);
    }
    std::uint32_t outside = 0;
    for (unsigned i = 0; i < warp_size; ++i) outside |= to[i] | (size - bytes - to[i]);
    return outside >> 31 == 0;
}

/// Most reads are of written bytes that no warp has written since the last barrier: they are queued
/// for comparison with later writes.
bool read_unchecked(warp& w, const operation* check, block_checks& checks, lane_mask lanes) {
    if ((check->source[1] & (access_flags::writes | access_flags::strong)) != 0) return false;
    const written_bytes* const unsure = checks.shared_is_written() ? nullptr : checks.shared();
    race_detector* const races = checks.races();
    if (races == nullptr && unsure == nullptr) return true;
    if (races != nullptr && !races->can_read_late()) return false;
    const std::uint32_t bytes = access_detail::elements_of(check) * check->source[2];
    alignas(32) offset_lanes offset;
    if (!plain_offsets(w, check, lanes, bytes, offset)) return false;
    if (unsure != nullptr && !unsure->all_of(offset, bytes)) return false;
    if (races == nullptr) return true;
    race_detector::late_read read;
    const unsigned shift = races->granule_shift();
    read.first = races->stamp_of(w.index);
    read.operation = static_cast<std::uint32_t>(w.pc_of(check + 1));
    read.lanes = lanes;
    read.granules = bytes >> shift;
    for (unsigned i = 0; i < warp_size; ++i)
        read.granule[i] = static_cast<std::uint16_t>(offset[i] >> shift);
    races->add_late_read(read);
    return true;
}

// ---- fast path: global memory of a whole warp ----

/// Whether all lanes access memory at consecutive addresses.
bool is_contiguous(const warp& w, const operation* check, lane_mask lanes, std::uint32_t bytes,
                   std::uint64_t& first) {
    constexpr std::uint32_t needed = access_detail::wide_address;
    if (lanes != all_lanes || check->source[0] == no_operand ||
        (check->detail & (needed | access_detail::frame_relative)) != needed)
        return false;
    const auto* const from = lanes_at<std::uint64_t>(w, check->source[0]);
    const std::uint64_t begin = from[0];
    std::uint64_t differs = 0;
    for (unsigned i = 0; i < warp_size; ++i) differs |= from[i] - begin - std::uint64_t{i} * bytes;
    first = begin + static_cast<std::uint64_t>(check->immediate);
    return differs == 0;
}

/// A warp that reads written memory, or writes, a contiguous range.
bool global_unchecked(warp& w, const operation* check, block_checks& checks, lane_mask lanes) {
    written_map* const map = checks.global();
    if (map == nullptr) return true;
    const std::uint32_t bytes = access_detail::elements_of(check) * check->source[2];
    const std::uint64_t all = std::uint64_t{bytes} * warp_size;
    std::uint64_t first;
    if (!is_contiguous(w, check, lanes, bytes, first)) return false;
    if (first >= map->size() || all > map->size() - first) return false;
    if ((check->source[1] & access_flags::reads) != 0 && !map->all(first, all)) return false;
    if ((check->source[1] & access_flags::writes) != 0) map->mark(first, all);
    return true;
}

// ---- by state space ----

/// The lanes whose bytes are inside a memory; the others are faults of their own, and get the
/// offset of a lane that is inside.
lane_mask inside(checked_access& a, lane_mask lanes, address_lanes& offset, std::uint64_t size) {
    if (a.bytes <= size) {
        std::uint64_t outside = 0;
        for (unsigned i = 0; i < warp_size; ++i)
            outside |= offset[i] | (size - a.bytes - offset[i]);
        if (outside >> 63 == 0) return lanes;
    }
    a.contiguous = false;
    lane_mask in = 0;
    for_lanes(lanes, [&](unsigned i) {
        in |= static_cast<lane_mask>(offset[i] < size && a.bytes <= size - offset[i]) << i;
    });
    if (in != 0) for_lanes(~in, [&](unsigned i) { offset[i] = offset[__builtin_ctz(in)]; });
    return in;
}

/// Subtracts the start of a window from the addresses inside of it; others are already offsets.
void subtract_window(const checked_access& a, device_address window, address_lanes& offset) {
    for (unsigned i = 0; i < warp_size; ++i)
        offset[i] = a.address[i] - (a.address[i] - window < address_windows::size ? window : 0);
}

void check_shared(checked_access& a, lane_mask lanes) {
    if (a.checks.races() == nullptr && a.checks.shared() == nullptr) return;
    alignas(64) address_lanes offset;
    subtract_window(a, address_windows::shared, offset);
    lanes = inside(a, lanes, offset, a.w.launch->shared_bytes());
    if (lanes == 0) return;
    if (a.checks.races() != nullptr) {
        if (a.checks.races()->has_remote_accesses())
            for_lanes(lanes, [&](unsigned i) {
                a.checks.compare_with_remote(a.w, a.op, i, offset[i], a.bytes,
                                             a.has(access_flags::writes), operation_of(a));
            });
        check_races(a, lanes, offset);
    }
    if (a.checks.shared() != nullptr && !a.checks.shared_is_written())
        check_writes(a, *a.checks.shared(), lanes, offset, [&](unsigned i) {
            a.checks.unwritten_shared(a.w, a.op, i, offset[i], a.bytes);
        });
}

void check_local(checked_access& a, lane_mask lanes) {
    if (a.checks.local() == nullptr) return;
    alignas(64) address_lanes offset;
    subtract_window(a, address_windows::local, offset);
    lanes = inside(a, lanes, offset, a.w.local_bytes);
    if (lanes != 0) scan_local(a, lanes, offset);
}

void check_global(checked_access& a, lane_mask lanes) {
    if (a.checks.global() == nullptr) return;
    alignas(64) address_lanes address;
    std::memcpy(address, a.address, sizeof address);
    lanes = inside(a, lanes, address, a.checks.global()->size());
    if (lanes == 0) return;
    check_writes(a, *a.checks.global(), lanes, address,
                 [&](unsigned i) { a.checks.unwritten_global(a.w, a.op, i, address[i], a.bytes); });
}

/// In a cluster: checks accesses to the memory of other CTAs, removes their lanes, and replaces
/// addresses of shared::cluster that are in the CTA's own memory.
void check_cta_cluster(checked_access& a, space where) {
    const lane_mask before = a.lanes;
    for_lanes(before, [&](unsigned i) {
        const auto at = a.checks.place_of(a.address[i], where == space::shared);
        if (!at.exists) return;
        if (at.rank != a.checks.rank()) {
            a.checks.check_remote(a.w, a.op, i, at, a.bytes, a.check->source[1]);
            a.lanes &= ~(lane_mask{1} << i);
            return;
        }
        const device_address own =
            where == space::shared ? at.offset : address_windows::shared + at.offset;
        a.contiguous &= own == a.address[i];
        a.address[i] = own;
    });
    a.contiguous &= a.lanes == before;
}

void check_generic(checked_access& a) {
    lane_mask shared = 0, local = 0, cluster = 0, param = 0;
    if (!address_windows::in_global(a.address[0]) || !a.contiguous)
        for_lanes(a.lanes, [&](unsigned i) {
            shared |= static_cast<lane_mask>(address_windows::in_shared(a.address[i])) << i;
            local |= static_cast<lane_mask>(address_windows::in_local(a.address[i])) << i;
            cluster |= static_cast<lane_mask>(address_windows::in_cluster(a.address[i])) << i;
            param |= static_cast<lane_mask>(address_windows::in_param(a.address[i])) << i;
        });
    const lane_mask global = a.lanes & ~(shared | local | cluster | param);
    a.contiguous &= shared == a.lanes || global == a.lanes;
    if (shared != 0) check_shared(a, shared);
    if (local != 0) check_local(a, local);
    if (global != 0) check_global(a, global);
}

}  // namespace

const operation* check_access(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    block_checks* const checks = w.block->checks();
    if (lanes == 0 || checks == nullptr) return op + 1;
    const space where = access_detail::space_of(op);
    if (checks->proxy() != nullptr) checks->check_proxy(w, op, lanes);
    if (where == space::shared && read_unchecked(w, op, *checks, lanes)) return op + 1;
    if (where == space::global && global_unchecked(w, op, *checks, lanes)) return op + 1;
    checked_access a(w, op, *checks, lanes);
    if (checks->in_cluster() && (where == space::shared || where == space::generic)) {
        check_cta_cluster(a, where);
        if (a.lanes == 0) return op + 1;
    }
    switch (where) {
        case space::shared:
            check_shared(a, a.lanes);
            break;
        case space::local:
            check_local(a, lanes);
            break;
        case space::global:
            check_global(a, lanes);
            break;
        case space::generic:
            check_generic(a);
            break;
        case space::param:
            break;
    }
    return op + 1;
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
