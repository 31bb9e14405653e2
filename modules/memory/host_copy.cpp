// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/host_copy.h"

#include <algorithm>

namespace simtlm::memory {

namespace {

constexpr std::uint64_t sector = cache::sector_bytes;
constexpr std::uint64_t line = sector * cache::sectors_per_line;
constexpr std::uint64_t largest_block = 16 << 20;
constexpr std::uint64_t sectors_between_stop_checks = 1 << 16;

}  // namespace

host_copy::host_copy(address_mapping& mapping, std::vector<copy_target*> slices, settings how)
    : mapping_(mapping), slices_(std::move(slices)), how_(how) {}

bool host_copy::walk(std::uint64_t from, std::uint64_t to, std::uint64_t now,
                     const std::function<bool()>& stop) {
    for (std::uint64_t a = from; a < to; a += sector) {
        if (walked_++ % sectors_between_stop_checks == 0 && stop && stop()) return false;
        const std::uint64_t address = truncated(a);
        if (how_.place) mapping_.place(address);
        slices_[mapping_.sub_partition_of(address)]->warm(address, now);
    }
    return true;
}

void host_copy::copy(std::uint64_t address, std::uint64_t bytes, std::uint64_t now,
                     const std::function<bool()>& stop) {
    // In steps of a sector from the first address, whatever its alignment.
    const std::uint64_t last = ~std::uint64_t{0} - line;
    const std::uint64_t end = bytes > last - std::min(address, last) ? last : address + bytes;
    std::uint64_t at = address;
    // The middle of a copy is skipped after two rounds, if more than two are left; each of them
    // fills the L2 at least once.
    if (end - address > 4 * l2_bytes()) find_blocks();
    if (blocks_.bytes != 0) {
        // A number of blocks after which every set has replaced its lines an integral number of
        // times.
        const std::uint64_t round = blocks_.bytes * slices_[0]->tags()->ways();
        const std::uint64_t whole = (address + blocks_.bytes - 1) / blocks_.bytes * blocks_.bytes;
        const std::uint64_t head = whole + address % sector + 2 * round;
        if (head < end && end - head > 2 * round) {
            if (!walk(at, head, now, stop)) return;
            at = head;
            if (holds_only(address, head)) at += skip((end - head) / round - 1) * round;
        }
    }
    walk(at, end, now, stop);
}

/// The capacity of all slices.
std::uint64_t host_copy::l2_bytes() const {
    std::uint64_t lines = 0;
    for (const copy_target* s : slices_)
        if (const cache::tag_array* const t = s->tags())
            lines += std::uint64_t{t->sets()} * t->ways();
    return lines * line;
}

/// Counts the lines that a block puts into each set of each slice.
/// @returns false if a line is spread over several slices
bool host_copy::count(std::uint64_t first, std::uint64_t bytes,
                      std::vector<std::uint32_t>& lines) const {
    std::vector<std::size_t> base;
    std::size_t sets = 0;
    for (const copy_target* s : slices_) {
        base.push_back(sets);
        sets += s->tags()->sets();
    }
    lines.assign(sets, 0);
    for (std::uint64_t a = first; a < first + bytes; a += line) {
        const unsigned slice = mapping_.sub_partition_of(a);
        for (unsigned s = 1; s < cache::sectors_per_line; ++s)
            if (mapping_.sub_partition_of(a + s * sector) != slice) return false;
        const std::uint64_t index = mapping_.partition_address(a);
        ++lines[base[slice] + slices_[slice]->tags()->set_of(index)];
    }
    return true;
}

/// Whether all blocks fill the sets equally. If the number of channels is a power of two, the whole
/// mapping is linear over GF(2), and one even block proves it for all. Otherwise the effect of the
/// channel hashes is checked for some blocks.
bool host_copy::same_everywhere(std::uint64_t bytes,
                                const std::vector<std::uint32_t>& lines) const {
    if (std::any_of(lines.begin(), lines.end(), [&](auto n) { return n == 0; })) return false;
    if (!mapping_.divides())
        return std::all_of(lines.begin(), lines.end(), [&](auto n) { return n == lines[0]; });
    std::vector<std::uint32_t> others;
    for (const std::uint64_t n : {1u, 2u, 3u, 7u, 30u, 1000u, 77777u, 123456u})
        if (!count(n * bytes, bytes, others) || others != lines) return false;
    return true;
}

void host_copy::find_blocks() {
    if (searched_) return;
    searched_ = true;
    if (how_.place || slices_.empty()) return;
    for (const copy_target* s : slices_)
        if (s->tags() == nullptr || !s->tags()->replaces_round_robin() ||
            s->tags()->ways() != slices_[0]->tags()->ways())
            return;
    // Truncated addresses wrap around within a block unless its size divides 2^32.
    if (how_.truncate && mapping_.divides()) return;
    std::uint64_t bytes = mapping_.divides() ? line * mapping_.channels() : line;
    std::vector<std::uint32_t> lines;
    for (; bytes <= largest_block; bytes *= 2) {
        if (bytes / line < slices_.size() * slices_[0]->tags()->sets()) continue;
        if (!count(0, bytes, lines)) return;
        if (!same_everywhere(bytes, lines)) continue;
        blocks_.bytes = bytes;
        auto next = lines.begin();
        for (const copy_target* s : slices_) {
            std::uint64_t sum = 0;
            for (unsigned set = 0; set < s->tags()->sets(); ++set) sum += *next++;
            blocks_.sectors.push_back(sum * cache::sectors_per_line);
        }
        return;
    }
}

/// Counts rounds of a copy without performing them. @returns their number
std::uint64_t host_copy::skip(std::uint64_t rounds) {
    for (std::size_t s = 0; s < slices_.size(); ++s)
        slices_[s]->skip(rounds * slices_[0]->tags()->ways() * blocks_.sectors[s]);
    return rounds;
}

/// Whether all lines are part of a copy, and clean or modified as it leaves them: its further lines
/// will all miss and replace them in cyclic order.
bool host_copy::holds_only(std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t first = from / line * line;
    const auto within = [&](std::uint64_t tag) { return truncated(tag - first) < to - first; };
    return std::all_of(slices_.begin(), slices_.end(), [&](const copy_target* s) {
        return s->tags()->all_clean(within, how_.modifies);
    });
}

}  // namespace simtlm::memory
