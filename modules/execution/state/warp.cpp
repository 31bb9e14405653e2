// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/warp.h"

#include "modules/execution/state/thread_block.h"

namespace simtlm::execution {

warp_control::~warp_control() = default;

std::uint64_t hash_words(std::uint64_t seed, const void* data, std::size_t bytes) {
    constexpr std::size_t chains = 4;  // parallel dependence chains for the processor
    std::uint64_t h[chains] = {seed};
    const auto add = [&](std::size_t k, std::uint64_t x) {
        h[k] = (h[k] ^ x) * 0x100000001b3 + (h[k] >> 29);
    };
    const auto* const words = static_cast<const std::uint64_t*>(data);
    const std::size_t count = bytes / sizeof *words;
    std::size_t i = 0;
    for (; i + chains <= count; i += chains)
        for (std::size_t k = 0; k < chains; ++k) add(k, words[i + k]);
    for (; i < count; ++i) add(0, words[i]);
    for (std::size_t k = 1; k < chains; ++k) add(0, h[k]);
    return h[0];
}

std::uint64_t warp::state() const {
    constexpr std::uint64_t seed = 0xcbf29ce484222325;
    const std::uint64_t position[] = {pc_of(next), active, control->state_of_callers(*this)};
    return hash_words(hash_words(seed, position, sizeof position),
                      banks[static_cast<unsigned>(bank::frame)], control->frame_bytes());
}

const operation* warp::end() {
    active = 0;
    block->warp_ended(*this);
    return stop(nullptr, warp_status::done);
}

}  // namespace simtlm::execution
