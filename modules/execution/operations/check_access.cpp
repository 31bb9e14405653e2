// SPDX-License-Identifier: Apache-2.0
// Compiled for several instruction sets. Most accesses of a warp lie side by side: then the checks
// are a few loops over lanes.
#include "modules/execution/checking/block_checks.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/lane_addresses.h"
#include "modules/execution/operations/target_tables.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace {

using stamp = race_detector::stamp;

/// An access of a warp, as its check sees it.
struct checked_access {
    warp& w;
    const operation* op;  ///< of the access, for messages
    const operation* check;
    block_checks& checks;
    lane_mask lanes;
    std::uint32_t bytes;        ///< of a lane
    bool side_by_side = false;  ///< all lanes, each next to the one before
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
        side_by_side = lanes == all_lanes && has_stride(address, stride) && stride == bytes;
    }

    bool has(std::uint32_t flag) const { return (check->source[1] & flag) != 0; }
};

/// The addresses of all lanes lie within `bytes` from the first.
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
constexpr std::uint64_t most_at_once = 4096;  ///< bytes that are looked at for a whole warp

// ---- shared memory: races ----

/// Calls f(granule) for those of a lane; its offset has been found to lie inside.
template <class Function>
void for_granules(const race_detector& d, std::uint64_t offset, std::uint32_t bytes, Function f) {
    const unsigned shift = d.granule_shift();
    const auto last = static_cast<std::uint32_t>((offset + bytes - 1) >> shift);
    for (auto k = static_cast<std::uint32_t>(offset >> shift); k <= last; ++k) f(k);
}

/// Compares and notes stamps of one warp. A copy of it in a loop's function lets the compiler keep
/// all of it in registers.
struct stamps {
    stamp* __restrict written;
    std::uint32_t* __restrict written_by;
    stamp* __restrict read;
    std::uint32_t* __restrict read_by;
    std::uint32_t* __restrict readers;
    std::uint32_t* last_reads;
    stamp ordered;
    stamp first;  ///< of lane 0
    std::uint32_t bit;
    std::uint32_t operation;

    stamps(race_detector& d, unsigned warp, std::uint32_t op) {
        const race_detector::shadow s = d.shadow_of(warp);
        written = s.written;
        written_by = s.written_by;
        read = s.read;
        read_by = s.read_by;
        readers = s.readers;
        last_reads = s.last_reads;
        ordered = d.ordered();
        first = d.stamp_of(warp);
        bit = 1u << warp;
        operation = op;
    }

    /// Whether a closer look is needed: somebody else has written since the last barrier ...
    bool read_is_suspicious(std::uint32_t k, unsigned lane) const {
        const stamp w = written[k];
        const bool by_others = ((w ^ (first + lane)) & race_detector::thread_mask) != 0;
        return (w >= ordered) & by_others;
    }
    /// ... or has read.
    bool write_is_suspicious(std::uint32_t k, unsigned lane) const {
        constexpr stamp who = race_detector::thread_mask | race_detector::many_lanes;
        const stamp r = read[k];
        const bool by_others = (((r ^ (first + lane)) & who) != 0) | (readers[k] != bit);
        return read_is_suspicious(k, lane) | ((r >= ordered) & by_others);
    }
    void note_read(std::uint32_t k, unsigned lane) const {
        constexpr stamp lanes = warp_size - 1;
        const stamp mine = first + lane;
        const stamp r = read[k];
        const stamp differs = r ^ mine;
        const stamp many =
            (differs & lanes) != 0 ? race_detector::many_lanes : r & race_detector::many_lanes;
        const bool same_warp = (differs & ~(lanes | race_detector::many_lanes)) == 0;
        readers[k] = (r < ordered ? 0 : readers[k]) | bit;
        read[k] = mine | (same_warp ? many : 0);
        read_by[k] = operation;
    }
    void note_last_read(std::uint32_t k) const {
        last_reads[k] = first >> race_detector::clock_shift;
    }
    void note_write(std::uint32_t k, unsigned lane) const {
        written[k] = first + lane;
        written_by[k] = operation;
    }
    /// A lane of the same warp has written it since the warp's clock last ticked.
    bool written_by_warp(std::uint32_t k) const {
        return (written[k] ^ first) < warp_size && written_by[k] == operation;
    }
    unsigned writing_lane(std::uint32_t k) const { return written[k] % warp_size; }
};

/// Whether somebody has written some of these granules since the last barrier.
bool some_written(const stamps s, std::uint32_t first, std::uint32_t end) {
    std::uint32_t newest = 0;
    for (std::uint32_t k = first; k < end; ++k) newest = std::max(newest, s.written[k]);
    return newest >= s.ordered;
}

// A row: granule after granule, one for each lane of a warp.

stamps row_at(stamps s, std::uint32_t k) {
    s.written += k;
    s.written_by += k;
    s.read += k;
    s.read_by += k;
    s.readers += k;
    if (s.last_reads != nullptr) s.last_reads += k;
    return s;
}

bool suspicious_row(const stamps row, bool writes) {
    std::uint32_t any = 0;
    if (writes)
        for (unsigned i = 0; i < warp_size; ++i) any |= row.write_is_suspicious(i, i) ? 1 : 0;
    else
        for (unsigned i = 0; i < warp_size; ++i) any |= row.read_is_suspicious(i, i) ? 1 : 0;
    return any != 0;
}

void note_row(const stamps row, bool writes) {
    if (writes) {
        for (unsigned i = 0; i < warp_size; ++i) row.note_write(i, i);
        return;
    }
    for (unsigned i = 0; i < warp_size; ++i) row.note_read(i, i);
    if (row.last_reads != nullptr)
        for (unsigned i = 0; i < warp_size; ++i) row.note_last_read(i);
}

/// Lanes of a warp that stand for all 32: the others read what one of them reads.
lane_mask representatives(const address_lanes& a) {
    constexpr std::pair<unsigned, lane_mask> halves[] = {
        {16, 0x0000'ffff}, {8, 0x00ff'00ff}, {4, 0x0f0f'0f0f}, {2, 0x3333'3333}, {1, 0x5555'5555}};
    lane_mask lanes = all_lanes;
    for (const auto& [distance, mask] : halves) {
        std::uint64_t differs = 0;
        for (unsigned i = 0; i < warp_size; ++i) differs |= a[i] ^ a[i ^ distance];
        if (differs == 0) lanes &= mask;
    }
    return lanes;
}

/// Reads of a granule per lane that nobody else has written.
void note_reads(const stamps s, lane_mask lanes, const address_lanes& offset, unsigned shift) {
    const lane_mask some = lanes == all_lanes ? representatives(offset) : lanes;
    const stamp several = some == lanes ? 0 : race_detector::many_lanes;
    for_lanes(some, [&](unsigned i) {
        const auto k = static_cast<std::uint32_t>(offset[i] >> shift);
        s.note_read(k, i);
        s.read[k] |= several;
    });
    if (s.last_reads != nullptr)
        for_lanes(some, [&](unsigned i) {
            s.note_last_read(static_cast<std::uint32_t>(offset[i] >> shift));
        });
}

/// Whether two lanes store the same.
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

void look_closely(const checked_access& a, std::uint32_t k, unsigned lane,
                  std::uint32_t operation) {
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

/// Lane by lane: first all are looked at, then noted, so that lanes of one instruction are told
/// from those of earlier ones.
void look_for_races_by_lane(const checked_access& a, lane_mask lanes, const address_lanes& offset,
                            const stamps& s, std::uint32_t operation) {
    race_detector& d = *a.checks.races();
    const bool writes = a.has(access_flags::writes);
    bool clean = true;
    for_lanes(lanes, [&](unsigned i) {
        for_granules(d, offset[i], a.bytes, [&](std::uint32_t k) {
            const bool look = writes ? s.write_is_suspicious(k, i) : s.read_is_suspicious(k, i);
            if (!look) return;
            clean = false;
            look_closely(a, k, i, operation);
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

void look_for_races(const checked_access& a, lane_mask lanes, const address_lanes& offset) {
    race_detector& d = *a.checks.races();
    const bool is_strong = a.has(access_flags::strong);
    const std::uint32_t operation =
        static_cast<std::uint32_t>(a.w.pc_of(a.op)) | (is_strong ? race_detector::strong : 0);
    const stamps s(d, a.w.index, operation);
    const bool writes = a.has(access_flags::writes);
    const unsigned shift = d.granule_shift();
    const bool one_granule = a.bytes == 1u << shift;
    const auto first = static_cast<std::uint32_t>(offset[0] >> shift);
    extent e;
    if (a.side_by_side && one_granule && !suspicious_row(row_at(s, first), writes))
        note_row(row_at(s, first), writes);
    else if (!writes && one_granule && (e = extent_of(offset)).bytes <= most_at_once &&
             !some_written(s, static_cast<std::uint32_t>(e.first >> shift),
                           static_cast<std::uint32_t>((e.first + e.bytes) >> shift) + 1))
        note_reads(s, lanes, offset, shift);
    else
        look_for_races_by_lane(a, lanes, offset, s, operation);
    if (is_strong) synchronise(a, lanes, offset);
}

// ---- what has been written ----

/// @param tell  what to do with a lane that reads what nothing has written
template <class Tell>
void look_at_writes(const checked_access& a, written_map& map, lane_mask lanes,
                    const address_lanes& offset, Tell tell) {
    if (a.side_by_side) {
        const std::uint64_t all = std::uint64_t{a.bytes} * warp_size;
        const bool known = !a.has(access_flags::reads) || map.all(offset[0], all);
        if (known && a.has(access_flags::writes)) map.mark(offset[0], all);
        if (known) return;
    }
    if (!a.has(access_flags::writes)) {
        const extent e = extent_of(offset);
        if (e.bytes <= most_at_once && map.all(e.first, e.bytes + a.bytes)) return;
    }
    for_lanes(lanes, [&](unsigned i) {
        if (a.has(access_flags::reads) && !map.all(offset[i], a.bytes)) tell(i);
        if (a.has(access_flags::writes)) map.mark(offset[i], a.bytes);
    });
}

void look_at_local(const checked_access& a, lane_mask lanes, const address_lanes& offset) {
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
        if (!known) a.checks.unwritten_local(a.w, a.op, i, offset[i], a.bytes);
        if (a.has(access_flags::writes))
            for_local_words(base, i, offset[i], a.bytes, [&](std::uint64_t at, std::uint32_t n) {
                map.mark(at, n);
                return true;
            });
    });
}

// ---- by memory ----

/// The lanes whose bytes lie inside a memory; the others are faults of their own, and their offsets
/// become those of one that does.
lane_mask inside(checked_access& a, lane_mask lanes, address_lanes& offset, std::uint64_t size) {
    const std::uint64_t last = offset[warp_size - 1];
    if (a.side_by_side && offset[0] <= last && last < size && a.bytes <= size - last) return lanes;
    a.side_by_side = false;
    lane_mask in = 0;
    for_lanes(lanes, [&](unsigned i) {
        in |= static_cast<lane_mask>(offset[i] < size && a.bytes <= size - offset[i]) << i;
    });
    if (in != 0) for_lanes(~in, [&](unsigned i) { offset[i] = offset[__builtin_ctz(in)]; });
    return in;
}

/// Offsets in a window that some addresses lie in, others are offsets already.
void subtract_window(const checked_access& a, device_address window, address_lanes& offset) {
    for (unsigned i = 0; i < warp_size; ++i)
        offset[i] = a.address[i] - (a.address[i] - window < address_windows::size ? window : 0);
}

void check_shared(checked_access& a, lane_mask lanes) {
    if (a.checks.races() == nullptr && a.checks.shared() == nullptr) return;
    alignas(64) address_lanes offset;
    subtract_window(a, address_windows::shared, offset);
    lanes = inside(a, lanes, offset, a.w.block->shared_bytes());
    if (lanes == 0) return;
    if (a.checks.races() != nullptr) look_for_races(a, lanes, offset);
    if (a.checks.shared() != nullptr)
        look_at_writes(a, *a.checks.shared(), lanes, offset, [&](unsigned i) {
            a.checks.unwritten_shared(a.w, a.op, i, offset[i], a.bytes);
        });
}

void check_local(checked_access& a, lane_mask lanes) {
    if (a.checks.local() == nullptr) return;
    alignas(64) address_lanes offset;
    subtract_window(a, address_windows::local, offset);
    lanes = inside(a, lanes, offset, a.w.local_bytes);
    if (lanes != 0) look_at_local(a, lanes, offset);
}

void check_global(checked_access& a, lane_mask lanes) {
    if (a.checks.global() == nullptr) return;
    alignas(64) address_lanes address;
    std::memcpy(address, a.address, sizeof address);
    lanes = inside(a, lanes, address, a.checks.global()->size());
    if (lanes == 0) return;
    look_at_writes(a, *a.checks.global(), lanes, address, [&](unsigned i) {
        a.checks.unwritten_global(a.w, a.op, i, address[i], a.bytes);
    });
}

void check_generic(checked_access& a) {
    lane_mask shared = 0, local = 0, param = 0;
    if (a.address[0] < address_windows::end || !a.side_by_side)
        for_lanes(a.lanes, [&](unsigned i) {
            shared |= static_cast<lane_mask>(address_windows::in_shared(a.address[i])) << i;
            local |= static_cast<lane_mask>(address_windows::in_local(a.address[i])) << i;
            param |= static_cast<lane_mask>(address_windows::in_param(a.address[i])) << i;
        });
    const lane_mask global = a.lanes & ~(shared | local | param);
    a.side_by_side &= shared == a.lanes || global == a.lanes;
    if (shared != 0) check_shared(a, shared);
    if (local != 0) check_local(a, local);
    if (global != 0) check_global(a, global);
}

}  // namespace

const operation* check_access(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    block_checks* const checks = w.block->checks();
    if (lanes == 0 || checks == nullptr) return op + 1;
    checked_access a(w, op, *checks, lanes);
    switch (access_detail::space_of(op)) {
        case space::shared:
            check_shared(a, lanes);
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
