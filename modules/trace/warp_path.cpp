// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/warp_path.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace simtlm::trace {

namespace {

using program::address_mode;
using program::dynamic_instruction;

bool fits(std::int64_t v) {
    return v >= std::numeric_limits<std::int32_t>::min() &&
           v <= std::numeric_limits<std::int32_t>::max();
}

void mix(std::uint64_t& hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
}

bool same(const dynamic_instruction& a, const dynamic_instruction& b) {
    return a.info == b.info && a.active_mask == b.active_mask && a.mode == b.mode &&
           a.space == b.space && a.address_offset == b.address_offset;
}

bool same(const warp_path& a, const warp_path& b) {
    return a.deltas == b.deltas && a.instructions.size() == b.instructions.size() &&
           std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                      [](const auto& x, const auto& y) { return same(x, y); });
}

/// Number of deltas of an instruction of a path.
std::size_t deltas_of(const dynamic_instruction& i) {
    switch (i.mode) {
        case address_mode::based_stride:
            return 1;
        case address_mode::based_list:
            return static_cast<std::size_t>(__builtin_popcount(i.active_mask));
        default:
            return 0;
    }
}

}  // namespace

/// Appends the distances of addresses from the first one.
/// @return false, and nothing is appended, if a distance does not fit in 32 bits
bool path_table::add_deltas(const std::uint64_t* addresses, std::size_t n, std::uint64_t& hash) {
    std::vector<std::int32_t>& all = scratch_.deltas;
    const std::size_t first = all.size();
    all.resize(first + n);
    std::int32_t* const deltas = all.data() + first;
    std::uint64_t beyond = 0;  // non-zero: a distance, offset by half the range, does not fit in 32
                               // bits
    for (std::size_t k = 0; k < n; ++k) {
        const std::uint64_t delta = addresses[k] - addresses[0];
        deltas[k] = static_cast<std::int32_t>(delta);
        beyond |= delta + 0x80000000u;
    }
    if (beyond >> 32 != 0) {
        all.resize(first);
        return false;
    }
    for (std::size_t k = 0; k + 1 < n; k += 2) {
        std::uint64_t two = 0;
        std::memcpy(&two, deltas + k, sizeof two);
        mix(hash, two);
    }
    if (n % 2 != 0) mix(hash, static_cast<std::uint32_t>(deltas[n - 1]));
    return true;
}

std::shared_ptr<const warp_path> path_table::share(
    const std::vector<dynamic_instruction>& instructions,
    const std::vector<std::uint64_t>& addresses, std::vector<std::uint64_t>& own) {
    scratch_.instructions.assign(instructions.begin(), instructions.end());
    scratch_.deltas.clear();
    const std::size_t first_own = own.size();
    std::uint64_t hash = instructions.size();
    for (dynamic_instruction& i : scratch_.instructions) {
        mix(hash, reinterpret_cast<std::uintptr_t>(i.info));
        mix(hash, i.active_mask);
        const std::uint64_t* a = addresses.data() + i.address_offset;
        i.address_offset = static_cast<std::uint32_t>(own.size() - first_own);
        if (i.mode == address_mode::base_stride) {
            const auto stride = static_cast<std::int64_t>(a[1]);
            own.push_back(a[0]);
            if (fits(stride)) {
                i.mode = address_mode::based_stride;
                scratch_.deltas.push_back(static_cast<std::int32_t>(stride));
                mix(hash, a[1]);
            } else {
                own.push_back(a[1]);
            }
        } else if (i.mode == address_mode::details) {
            own.insert(own.end(), a, a + *a + 1);
            mix(hash, *a);
        } else if (i.mode == address_mode::list) {
            const auto lanes = static_cast<std::size_t>(__builtin_popcount(i.active_mask));
            const std::uint64_t base = lanes > 0 ? a[0] : 0;
            if (lanes > 0 && add_deltas(a, lanes, hash)) {
                i.mode = address_mode::based_list;
                own.push_back(base);
            } else {
                own.insert(own.end(), a, a + lanes);
            }
        }
    }
    const auto range = paths_.equal_range(hash);
    for (auto it = range.first; it != range.second; ++it)
        if (auto known = it->second.lock(); known && same(*known, scratch_)) return known;

    auto made = std::make_shared<warp_path>();
    made->instructions = scratch_.instructions;
    made->deltas = scratch_.deltas;
    const std::int32_t* next = made->deltas.data();
    for (dynamic_instruction& i : made->instructions) {
        i.deltas = next;
        next += deltas_of(i);
    }
    if (paths_.size() >= purge_at_) purge();
    paths_.emplace(hash, made);
    return made;
}

void path_table::purge() {
    for (auto it = paths_.begin(); it != paths_.end();)
        it = it->second.expired() ? paths_.erase(it) : std::next(it);
    purge_at_ = std::max<std::size_t>(256, paths_.size() * 2);
}

}  // namespace simtlm::trace
