// SPDX-License-Identifier: Apache-2.0
#include "modules/core/coalescer.h"

#include <algorithm>

namespace simtlm::core {

namespace {

constexpr std::uint64_t line = 128;

/// @return the access of a segment, which is inserted in address order if it is new
memory_access& access_of(std::vector<memory_access>& list, std::size_t first,
                         std::uint64_t segment) {
    // Addresses usually increase with the lane, so search from the end.
    std::size_t i = list.size();
    while (i > first && list[i - 1].address > segment) --i;
    if (i > first && list[i - 1].address == segment) return list[i - 1];
    memory_access fresh;
    fresh.address = segment;
    return *list.insert(list.begin() + static_cast<std::ptrdiff_t>(i), fresh);
}

void add_bytes(memory_access& a, std::uint64_t address, unsigned bytes, unsigned lane) {
    a.lanes |= 1u << lane;
    const unsigned offset = static_cast<unsigned>(address % line);
    a.sectors = static_cast<std::uint8_t>(a.sectors | 1u << (offset / 32));
    a.bytes.set(offset, std::min<unsigned>(bytes, line - offset));
}

/// Consecutive bytes of a segment requested by consecutive lanes, the most common case, which are
/// added to the access together.
class byte_run {
public:
    /// @return whether the bytes continue or begin the run, and are within the segment
    bool add(std::uint64_t address, unsigned bytes, std::uint64_t segment, unsigned lane) {
        const std::uint64_t offset = address & (segment - 1);
        if (bytes == 0 || offset + bytes > segment) return false;
        if (end_ != begin_ && (address != end_ || offset == 0)) return false;
        if (end_ == begin_) begin_ = address;
        end_ = address + bytes;
        lanes_ |= 1u << lane;
        sectors_ |= 1u << address % line / 32;
        return true;
    }
    void append_to(std::vector<memory_access>& list, std::size_t first, std::uint64_t segment) {
        if (begin_ == end_) return;
        memory_access& a = access_of(list, first, begin_ & ~(segment - 1));
        a.lanes |= lanes_;
        a.sectors = static_cast<std::uint8_t>(a.sectors | sectors_);
        a.bytes.set(static_cast<unsigned>(begin_ % line), static_cast<unsigned>(end_ - begin_));
    }

private:
    std::uint64_t begin_ = 0, end_ = 0;
    std::uint32_t lanes_ = 0;
    unsigned sectors_ = 0;
};

/// Whether lanes request consecutive elements that are aligned to their size, the most common case;
/// no element crosses a segment.
bool are_consecutive(const std::uint64_t* address, unsigned lanes, unsigned bytes,
                     std::uint64_t segment) {
    const std::uint64_t begin = address[0];
    if (begin == 0 || bytes == 0 || segment % bytes != 0 || begin % bytes != 0) return false;
    if (address[lanes - 1] != begin + std::uint64_t{lanes - 1} * bytes) return false;
    if (begin + std::uint64_t{lanes} * bytes < begin) return false;  // wraps around
    std::uint64_t differences = 0;
    for (unsigned lane = 0; lane < lanes; ++lane)
        differences |= address[lane] ^ (begin + std::uint64_t{lane} * bytes);
    return differences == 0;
}

/// Adds the accesses of consecutive lanes, segment by segment.
/// @param base   the first lane
/// @param bytes  of each lane; divides a segment
void gather_consecutive(std::vector<memory_access>& list, std::uint64_t begin, unsigned base,
                        unsigned lanes, unsigned bytes, std::uint64_t segment) {
    for (unsigned lane = 0; lane < lanes;) {
        const std::uint64_t address = begin + std::uint64_t{lane} * bytes;
        const auto offset = static_cast<unsigned>(address % line);
        const auto left = static_cast<unsigned>(segment - address % segment) / bytes;
        const unsigned count = std::min(left, lanes - lane);
        memory_access a;
        a.address = address & ~(segment - 1);
        a.lanes = (count < 32 ? (1u << count) - 1 : ~0u) << (base + lane);
        const unsigned last_sector = (offset + count * bytes - 1) / 32;
        a.sectors = static_cast<std::uint8_t>((2u << last_sector) - (1u << offset / 32));
        a.bytes.set(offset, count * bytes);
        list.push_back(a);
        lane += count;
    }
}

/// Reduces a segment to the half, or the quarter, that is used.
void shrink(memory_access& a, unsigned segment) {
    unsigned size = segment;
    const unsigned first = segment == 32 ? 0 : static_cast<unsigned>(a.address % line / 32);
    unsigned used = a.sectors >> first;
    while (size > 32) {
        const unsigned half = size / 64;  // number of sectors in a half
        const unsigned low = used & ((1u << half) - 1);
        const unsigned high = used >> half & ((1u << half) - 1);
        if (low != 0 && high != 0) break;
        size /= 2;
        if (low == 0) a.address += size;
        used = low != 0 ? low : high;
    }
    a.size = static_cast<std::uint16_t>(size);
}

}  // namespace

unsigned coalescer::segment_bytes(const warp_instruction& inst) const {
    const unsigned arch = config_.ldst.coalesce_arch;
    bool sectors = arch >= 40;
    if (arch >= 20 && arch < 39)
        sectors = config_.ldst.global_skips_l1 ||
                  inst.info->cache_op == program::cache_operator::cache_global;
    switch (inst.data_size) {
        case 1:
            return 32;
        case 2:
            return sectors ? 32 : 64;
        default:
            return sectors ? 32 : 128;
    }
}

void coalescer::coalesce(warp_instruction& inst, const lane_addresses& lanes) const {
    switch (inst.space) {
        case program::memory_space::constant:
            gather_lines(inst, lanes, 1, config_.l1.constant.line_bytes);
            return;
        case program::memory_space::texture:
            gather_lines(inst, lanes, config_.quirks.fetch_reads_one_texel ? 1 : lanes.words,
                         config_.l1.texture.atom_bytes());
            return;
        default:
            break;
    }
    if (inst.info->is_atomic)
        gather_atomics(inst, lanes);
    else
        gather(inst, lanes, inst.data_size);
}

void coalescer::gather(warp_instruction& inst, const lane_addresses& lanes, unsigned bytes) const {
    const std::uint64_t segment = segment_bytes(inst);
    const unsigned part = config_.warp_size / config_.shared.warp_parts;
    for (unsigned base = 0; base < config_.warp_size; base += part) {
        const std::size_t first = inst.accesses.size();
        std::uint32_t group = lanes.lanes >> base;
        if (part < 32) group &= (1u << part) - 1;
        byte_run run;
        const bool all = group == (part < 32 ? (1u << part) - 1 : ~0u);
        if (all && lanes.words == 1 &&
            are_consecutive(&lanes.address[0][base], part, bytes, segment)) {
            gather_consecutive(inst.accesses, lanes.address[0][base], base, part, bytes, segment);
            group = 0;
        }
        for (; group != 0; group &= group - 1) {
            const unsigned lane = base + static_cast<unsigned>(__builtin_ctz(group));
            for (unsigned w = 0; w < lanes.words; ++w) {
                const std::uint64_t address = lanes.address[w][lane];
                if (address == 0) break;  // a lane without an address
                if (run.add(address, bytes, segment, lane)) continue;
                run.append_to(inst.accesses, first, segment);
                run = byte_run();
                if (run.add(address, bytes, segment, lane)) continue;
                add_bytes(access_of(inst.accesses, first, address & ~(segment - 1)), address, bytes,
                          lane);
                const std::uint64_t last = address + bytes - 1;
                if ((last & ~(segment - 1)) == (address & ~(segment - 1))) continue;
                add_bytes(access_of(inst.accesses, first, last & ~(segment - 1)), last, bytes,
                          lane);
            }
        }
        run.append_to(inst.accesses, first, segment);
        for (std::size_t i = first; i < inst.accesses.size(); ++i)
            shrink(inst.accesses[i], static_cast<unsigned>(segment));
    }
}

void coalescer::gather_atomics(warp_instruction& inst, const lane_addresses& lanes) const {
    const std::uint64_t segment = segment_bytes(inst);
    const unsigned part = config_.warp_size / config_.shared.warp_parts;
    const unsigned bytes = inst.data_size;
    for (unsigned base = 0; base < config_.warp_size; base += part) {
        const std::size_t first = inst.accesses.size();
        std::uint32_t group = lanes.lanes >> base;
        if (part < 32) group &= (1u << part) - 1;
        for (; group != 0; group &= group - 1) {
            const unsigned lane = base + static_cast<unsigned>(__builtin_ctz(group));
            const std::uint64_t address = lanes.address[0][lane];
            const std::uint64_t where = address & ~(segment - 1);
            const unsigned offset = static_cast<unsigned>(address % line);
            // Finds the first access of the segment that does not touch these bytes yet.
            std::size_t i = first;
            while (i < inst.accesses.size() && inst.accesses[i].address < where) ++i;
            memory_access* found = nullptr;
            for (; i < inst.accesses.size() && inst.accesses[i].address == where; ++i) {
                bool taken = false;
                for (unsigned b = offset; b < offset + bytes && b < line; ++b)
                    taken |= inst.accesses[i].bytes.test(b);
                if (!taken) {
                    found = &inst.accesses[i];
                    break;
                }
            }
            if (found == nullptr) {
                memory_access fresh;
                fresh.address = where;
                found = &*inst.accesses.insert(
                    inst.accesses.begin() + static_cast<std::ptrdiff_t>(i), fresh);
            }
            add_bytes(*found, address, bytes, lane);
        }
        for (std::size_t i = first; i < inst.accesses.size(); ++i)
            shrink(inst.accesses[i], static_cast<unsigned>(segment));
    }
}

void coalescer::gather_lines(warp_instruction& inst, const lane_addresses& lanes, unsigned words,
                             unsigned bytes) const {
    for (std::uint32_t m = lanes.lanes; m != 0; m &= m - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
        for (unsigned w = 0; w < words; ++w) {
            const std::uint64_t address = lanes.address[w][lane];
            // A lane that fetches only the border of a texture.
            if (address == 0 && inst.space == program::memory_space::texture) break;
            memory_access& a = access_of(inst.accesses, 0, address & ~std::uint64_t{bytes - 1});
            a.size = static_cast<std::uint16_t>(bytes);
            add_bytes(a, address, inst.data_size, lane);
        }
    }
    // The whole line is fetched.
    if (bytes != cache::sector_bytes)
        for (memory_access& a : inst.accesses) a.sectors = 0;
}

}  // namespace simtlm::core
