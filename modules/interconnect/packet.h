// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tlm>
#include <vector>

namespace simtlm::interconnect {

/// The two halves of a network: requests go from clusters to memories, replies come back.
enum subnet : unsigned { requests, replies, subnets };

/// A transaction in one half of a network.
struct packet {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint16_t source = 0;       ///< injection port of its subnet
    std::uint16_t destination = 0;  ///< ejection port of its subnet
    std::uint16_t flits = 1;        ///< buffer units it occupies
    std::uint8_t link_flits = 0;    ///< for which a request occupies the link of its GPC
    bool writes = false;  ///< whether it is a write; the payload belongs to another host thread
};

/// A first-in first-out queue that grows to its high-water mark: ports with large limits and little
/// traffic use only one or two cache lines. An empty queue starts at the beginning again.
template <class T>
class growing_fifo {
public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    T& front() { return storage_[first_]; }
    const T& front() const { return storage_[first_]; }

    void push(const T& value) {
        if (size_ == storage_.size()) grow();
        storage_[(first_ + size_) & (storage_.size() - 1)] = value;
        ++size_;
    }
    T pop() {
        const T value = storage_[first_];
        first_ = --size_ == 0 ? 0 : (first_ + 1) & (storage_.size() - 1);
        return value;
    }

private:
    void grow() {
        std::vector<T> larger(storage_.empty() ? 4 : storage_.size() * 2);
        for (std::size_t i = 0; i < size_; ++i)
            larger[i] = storage_[(first_ + i) & (storage_.size() - 1)];
        storage_.swap(larger);
        first_ = 0;
    }
    std::vector<T> storage_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace simtlm::interconnect
