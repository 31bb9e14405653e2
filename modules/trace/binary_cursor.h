// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/error.h"
#include "modules/trace/binary_format.h"
#include "modules/trace/place.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace simtlm::trace {

/// Reads numbers from a section of a binary trace; never reads beyond its end.
class binary_cursor final : public place {
public:
    /// @param file   name for messages; must outlive this object
    /// @param begin  start of the whole file
    binary_cursor(const std::string& file, const unsigned char* begin, std::uint64_t from,
                  std::uint64_t to)
        : file_(&file), begin_(begin), p_(begin + from), end_(begin + to) {}
    binary_cursor() = default;

    bool at_end() const { return p_ == end_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }
    const unsigned char* position() const { return p_; }

    /// Read a byte, four bytes, or a number of variable length (7 bits per byte, least significant
    /// first). @throws support::user_error if the data end early
    unsigned byte() {
        if (p_ == end_) fail("a part of it is cut short");
        return *p_++;
    }
    std::uint32_t word() {
        if (left() < 4) fail("a part of it is cut short");
        std::uint32_t value = 0;
        std::memcpy(&value, p_, 4);
        p_ += 4;
        return value;
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint64_t b = byte();
            if (shift == 63 && b > 1) break;
            value |= (b & 0x7f) << shift;
            if (b < 0x80) return value;
        }
        fail("a number of more than 64 bits");
    }
    std::uint64_t signed_number() { return unfolded(number()); }
    /// Reads a number that must not be larger than `most`.
    std::uint64_t number_up_to(std::uint64_t most, const char* what) {
        const std::uint64_t value = number();
        if (value > most) fail(std::string(what) + " is " + std::to_string(value));
        return value;
    }
    const unsigned char* bytes(std::size_t n) {
        if (left() < n) fail("a part of it is cut short");
        return std::exchange(p_, p_ + n);
    }

    std::string where() const override { return *file_ + ":byte " + std::to_string(p_ - begin_); }
    [[noreturn]] void fail(const std::string& what) const {
        throw support::user_error(where(), "damaged binary trace: " + what,
                                  "convert the trace again");
    }

private:
    const std::string* file_ = nullptr;
    const unsigned char* begin_ = nullptr;
    const unsigned char* p_ = nullptr;
    const unsigned char* end_ = nullptr;
};

}  // namespace simtlm::trace
