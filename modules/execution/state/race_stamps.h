// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/race_detector.h"
#include "modules/execution/state/lanes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

// Comparison and recording of accesses to shared memory. Compiled for several instruction sets,
// like lanes.h.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

/// Compares and records the stamps of one warp. A copy in a loop's function lets the compiler keep
/// all of it in registers.
struct race_stamps {
    using stamp = race_detector::stamp;

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

    race_stamps(race_detector& d, unsigned warp, std::uint32_t op) {
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

    /// Whether a detailed examination is needed: another warp has written since the last barrier,
    /// or another lane of this warp since its clock has advanced ...
    bool read_is_suspicious(std::uint32_t k, unsigned lane) const {
        constexpr stamp warp_bits = race_detector::thread_mask & ~stamp{warp_size - 1};
        const stamp w = written[k];
        const bool by_others = ((w ^ (first + lane)) & race_detector::thread_mask) != 0;
        const bool by_us_before = (((w ^ first) & warp_bits) == 0) & (w < first);
        return (w >= ordered) & by_others & !by_us_before;
    }
    /// ... or has read.
    bool write_is_suspicious(std::uint32_t k, unsigned lane) const {
        constexpr stamp who = race_detector::thread_mask | race_detector::many_lanes;
        const stamp r = read[k];
        const bool by_others = (((r ^ (first + lane)) & who) != 0) | (readers[k] != bit);
        return read_is_suspicious(k, lane) | ((r >= ordered) & by_others);
    }
    /// The same for strong accesses, which do not race with each other.
    bool strong_write_is_suspicious(std::uint32_t k) const {
        const bool written_plainly =
            (written[k] >= ordered) & ((written_by[k] & race_detector::strong) == 0);
        const bool read_plainly =
            (read[k] >= ordered) & ((read_by[k] & race_detector::strong) == 0);
        return written_plainly | read_plainly;
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
    /// Whether a lane of the same warp has written it since the warp's clock last advanced.
    bool written_by_warp(std::uint32_t k) const {
        return (written[k] ^ first) < warp_size && written_by[k] == operation;
    }
    unsigned writing_lane(std::uint32_t k) const { return written[k] % warp_size; }
};

/// Lanes of a warp that are representative of all 32: the other lanes read the same granules.
inline lane_mask representatives(const race_detector::granule_lanes& a) {
    constexpr std::pair<unsigned, lane_mask> halves[] = {
        {16, 0x0000'ffff}, {8, 0x00ff'00ff}, {4, 0x0f0f'0f0f}, {2, 0x3333'3333}, {1, 0x5555'5555}};
    lane_mask lanes = all_lanes;
    for (const auto& [distance, mask] : halves) {
        std::uint32_t differs = 0;
        for (unsigned i = 0; i < warp_size; ++i) differs |= a[i] ^ a[i ^ distance];
        if (differs == 0) lanes &= mask;
    }
    return lanes;
}

/// Records reads of one granule per lane that no other warp has written.
inline void note_reads(const race_stamps s, lane_mask lanes,
                       const race_detector::granule_lanes& granule) {
    const lane_mask some = lanes == all_lanes ? representatives(granule) : lanes;
    const race_detector::stamp several = some == lanes ? 0 : race_detector::many_lanes;
    for_lanes(some, [&](unsigned i) {
        s.note_read(granule[i], i);
        s.read[granule[i]] |= several;
    });
    if (s.last_reads != nullptr) for_lanes(some, [&](unsigned i) { s.note_last_read(granule[i]); });
}

/// Records the queued reads in the shadow state.
inline void record_queued_reads(race_detector& d) {
    if (d.has_late_reads()) d.begin_reads();
    d.take_late_reads([&](const race_detector::late_read& late) {
        race_stamps s(d, (late.first & race_detector::thread_mask) / warp_size, late.operation);
        s.first = late.first;
        race_detector::granule_lanes granule;
        std::copy(late.granule.begin(), late.granule.end(), granule.begin());
        for (unsigned n = 0; n < late.granules; ++n) {
            note_reads(s, late.lanes, granule);
            for (std::uint32_t& k : granule) ++k;
        }
    });
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
