// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/constant_pool.h"

#include <cstring>

namespace simtlm::execution {

namespace {
constexpr unsigned kind_mask = 0, kind_word = 1, kind_double = 2;
constexpr unsigned lane_values = 6;
}  // namespace

constant_pool::constant_pool() : bytes_(lane_values * 128) {}

operand_ref constant_pool::add(unsigned kind, std::uint64_t value, std::uint32_t bytes) {
    const auto [at, is_new] =
        known_.try_emplace({kind, value}, operand_ref_in(bank::constants, bytes_));
    if (is_new) {
        entries_.push_back({kind, value, bytes_});
        bytes_ += bytes;
    }
    return at->second;
}

// A mask occupies as much space as a word, for alignment.
operand_ref constant_pool::mask(lane_mask m) {
    return add(kind_mask, m, 128);
}
operand_ref constant_pool::word(std::uint32_t value) {
    return add(kind_word, value, 128);
}
operand_ref constant_pool::double_word(std::uint64_t value) {
    return add(kind_double, value, 256);
}

lane_buffer constant_pool::build() const {
    auto data = make_lane_buffer(bytes_);
    const auto put = [&](std::uint32_t offset, auto value) {
        std::memcpy(data.get() + offset, &value, sizeof value);
    };
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        const lane_mask mine = lane_mask{1} << lane;
        const lane_mask below = mine - 1;
        const std::uint32_t by_value[lane_values] = {lane,  mine,   below | mine,
                                                     below, ~below, ~(below | mine)};
        for (unsigned v = 0; v < lane_values; ++v) put(v * 128 + lane * 4, by_value[v]);
    }
    for (const entry& e : entries_)
        for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
            if (e.kind == kind_double)
                put(e.offset + lane * 8, e.value);
            else if (e.kind == kind_word || lane == 0)
                put(e.offset + lane * 4, static_cast<std::uint32_t>(e.value));
        }
    return data;
}

}  // namespace simtlm::execution
