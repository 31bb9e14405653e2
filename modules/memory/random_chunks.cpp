// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/random_chunks.h"

namespace simtlm::memory {

namespace {

/// A well-mixed hash of a key (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t key) {
    key += 0x9e3779b97f4a7c15u;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

}  // namespace

random_chunks::random_chunks(unsigned sub_partitions) : sub_partitions_(sub_partitions) {
    // The state is initialised by Park and Miller's minimal standard generator; the first ten
    // rounds of the feedback generator are discarded.
    std::uint64_t seed = 1;
    for (std::uint32_t& s : state_) {
        s = static_cast<std::uint32_t>(seed);
        seed = seed * 16807 % 2147483647;
    }
    for (unsigned i = 0; i < 10 * degree; ++i) draw();
}

std::uint32_t random_chunks::draw() {
    state_[next_] += state_[(next_ + degree - separation) % degree];
    const std::uint32_t result = state_[next_] >> 1;
    next_ = (next_ + 1) % degree;
    return result;
}

void random_chunks::place(std::uint64_t chunk) {
    const auto [at, is_new] = places_.try_emplace(chunk);
    if (is_new) at->second = static_cast<std::uint16_t>(draw() % sub_partitions_);
}

std::uint32_t random_chunks::operator[](std::uint64_t chunk) const {
    const auto at = places_.find(chunk);
    return at != places_.end() ? at->second
                               : static_cast<std::uint32_t>(mix(chunk) % sub_partitions_);
}

}  // namespace simtlm::memory
