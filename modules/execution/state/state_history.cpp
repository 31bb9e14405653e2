// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/state_history.h"

#include <cstring>

namespace simtlm::execution {

void state_history::add(const warp& w, std::uint32_t round, std::uint64_t quantum) {
    if (round_ != round) *this = {};
    round_ = round;
    if (repeated_) return;
    const auto state = [&] { return w.state() * 31 + quantum; };
    if (w.next == next_ && state() == state_) {
        repeated_ = true;
    } else if (++executed_ == limit_) {
        next_ = w.next;
        state_ = state();
        executed_ = 0;
        limit_ *= 2;
    }
}

void memory_copy::clear() {
    from_.clear();
    bytes_.clear();
}

void memory_copy::add(const std::byte* from, std::size_t bytes) {
    if (bytes == 0) return;
    from_.emplace_back(from, bytes);
    bytes_.insert(bytes_.end(), from, from + bytes);
}

bool memory_copy::differs() const {
    const std::byte* copy = bytes_.data();
    for (const auto& [from, bytes] : from_) {
        if (std::memcmp(copy, from, bytes) != 0) return true;
        copy += bytes;
    }
    return false;
}

}  // namespace simtlm::execution
