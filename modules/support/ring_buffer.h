// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace simtlm::support {

/// A first-in first-out queue of fixed capacity, less than 2^32, whose storage is allocated once,
/// at elaboration. An empty queue starts at the beginning of its storage again, so that a long
/// queue with few entries uses few cache lines.
template <class T>
class ring_buffer {
public:
    /// @param capacity  entries; 0 makes a queue that is always full and always empty
    explicit ring_buffer(std::size_t capacity = 0) { reset(capacity); }

    /// Empties the queue and changes its capacity.
    void reset(std::size_t capacity) {
        std::size_t entries = 1;
        while (entries < capacity) entries *= 2;
        storage_.reset(new T[entries]);  // elements of trivial type stay uninitialized until used
        mask_ = static_cast<std::uint32_t>(entries - 1);
        capacity_ = static_cast<std::uint32_t>(capacity);
        clear();
    }
    void clear() { first_ = size_ = 0; }

    bool empty() const { return size_ == 0; }
    bool full() const { return size_ >= capacity_; }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    std::size_t room() const { return capacity_ - size_; }

    T& front() { return storage_[first_]; }
    const T& front() const { return storage_[first_]; }
    T& back() { return (*this)[size_ - 1]; }
    /// i-th entry from the front.
    T& operator[](std::size_t i) { return storage_[(first_ + i) & mask_]; }
    const T& operator[](std::size_t i) const { return storage_[(first_ + i) & mask_]; }

    void push(T value) {
        storage_[(first_ + size_) & mask_] = std::move(value);
        ++size_;
    }
    T pop() {
        T value = std::move(storage_[first_]);
        first_ = --size_ == 0 ? 0 : (first_ + 1) & mask_;
        return value;
    }

private:
    std::unique_ptr<T[]> storage_;
    std::uint32_t mask_ = 0;
    std::uint32_t capacity_ = 0;
    std::uint32_t first_ = 0;
    std::uint32_t size_ = 0;
};

}  // namespace simtlm::support
