// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace simtlm::execution {

/// Tracks which bytes of a memory have been written, with one bit each. Allocates only touched
/// parts. Several host threads may mark concurrently.
class written_map {
public:
    /// Initially nothing is marked. @throws support::user_error  if address space is exhausted
    explicit written_map(std::uint64_t bytes);
    ~written_map();
    written_map(const written_map&) = delete;
    written_map& operator=(const written_map&) = delete;

    std::uint64_t size() const { return size_; }

    /// Marks bytes as written.
    void mark(std::uint64_t first, std::uint64_t count) {
        for_words(first, count, [](std::uint64_t* word, std::uint64_t mask) {
            if ((__atomic_load_n(word, __ATOMIC_RELAXED) & mask) == mask) return true;
            if (mask == ~std::uint64_t{0})
                __atomic_store_n(word, mask, __ATOMIC_RELAXED);
            else
                __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
            return true;
        });
    }
    /// Clears the marks.
    void clear(std::uint64_t first, std::uint64_t count);
    void clear_all();
    /// Whether all these bytes have been written.
    bool all(std::uint64_t first, std::uint64_t count) const {
        bool written = true;
        for_words(first, count, [&](std::uint64_t* word, std::uint64_t mask) {
            return written = (__atomic_load_n(word, __ATOMIC_RELAXED) & mask) == mask;
        });
        return written;
    }
    /// Copies the marks of one range to another.
    void copy(std::uint64_t to, std::uint64_t from, std::uint64_t count);

private:
    /// Calls f(word, mask) for words of 64 bits, as long as it returns true.
    template <class Function>
    void for_words(std::uint64_t first, std::uint64_t count, Function&& f) const {
        while (count != 0) {
            const std::uint64_t shift = first % 64;
            const std::uint64_t n = std::min<std::uint64_t>(64 - shift, count);
            const std::uint64_t ones = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
            if (!f(words_ + first / 64, ones << shift)) return;
            first += n;
            count -= n;
        }
    }

    std::uint64_t size_;
    std::size_t mapped_;
    std::uint64_t* words_;
};

/// The same for a small memory of one host thread: one byte per byte, so that scattered lanes are
/// cheap.
class written_bytes {
public:
    explicit written_bytes(std::size_t bytes) : written_(bytes, 0) {}

    std::size_t size() const { return written_.size(); }
    void clear_all() { std::fill(written_.begin(), written_.end(), std::uint8_t{0}); }
    void mark(std::uint64_t first, std::uint64_t count) {
        if (count == sizeof ones)
            std::memcpy(&written_[first], &ones, sizeof ones);
        else
            std::memset(&written_[first], 1, count);
    }
    bool all(std::uint64_t first, std::uint64_t count) const {
        if (count == sizeof ones) return std::memcmp(&written_[first], &ones, sizeof ones) == 0;
        return std::memchr(&written_[first], 0, count) == nullptr;
    }

    /// Whether `count` bytes starting at each of several places have been written.
    template <class Places>
    bool all_of(const Places& first, std::uint32_t count) const {
        if (count == sizeof ones) {
            std::uint32_t both = ones;
            for (const std::uint32_t at : first) {
                std::uint32_t word;
                std::memcpy(&word, &written_[at], sizeof word);
                both &= word;
            }
            return both == ones;
        }
        bool written = true;
        for (const std::uint32_t at : first) written = written && all(at, count);
        return written;
    }

private:
    static constexpr std::uint32_t ones = 0x0101'0101;
    std::vector<std::uint8_t> written_;
};

}  // namespace simtlm::execution
