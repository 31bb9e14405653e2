// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/ring_buffer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace simtlm::memory {

/// An unbounded first-in first-out queue for delays (one entry or more per cycle of latency):
/// doubles its storage when full, and never shrinks.
template <class T>
class growing_ring {
public:
    explicit growing_ring(std::size_t expected = 64) : entries_(expected) {}

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    T& front() { return entries_.front(); }
    const T& front() const { return entries_.front(); }
    void push(T value) {
        if (entries_.full()) grow();
        entries_.push(std::move(value));
    }
    T pop() { return entries_.pop(); }

private:
    void grow() {
        support::ring_buffer<T> larger(std::max<std::size_t>(16, 2 * entries_.capacity()));
        while (!entries_.empty()) larger.push(entries_.pop());
        entries_ = std::move(larger);
    }
    support::ring_buffer<T> entries_;
};

}  // namespace simtlm::memory
