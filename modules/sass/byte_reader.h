// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace simtlm::sass {

/// Reads consecutive little-endian values. Reading past the end returns zeros and sets an error
/// flag.
class byte_reader {
public:
    explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}

    template <class T>
    T take() {
        T v{};
        if (!need(sizeof v)) return v;
        std::memcpy(&v, bytes_.data() + at_, sizeof v);
        at_ += sizeof v;
        return v;
    }
    std::uint64_t take_uleb128() {
        std::uint64_t v = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto b = take<std::uint8_t>();
            if (shift < 64) v |= std::uint64_t{b & 0x7fu} << shift;
            if ((b & 0x80) == 0 || failed_) return v;
        }
    }
    std::int64_t take_sleb128() {
        std::uint64_t v = 0;
        for (unsigned shift = 0;;) {
            const auto b = take<std::uint8_t>();
            if (shift < 64) v |= std::uint64_t{b & 0x7fu} << shift;
            shift += 7;
            if ((b & 0x80) != 0 && !failed_) continue;
            if (shift < 64 && (b & 0x40) != 0) v |= ~std::uint64_t{0} << shift;
            return static_cast<std::int64_t>(v);
        }
    }
    /// Reads up to the next zero byte, which is consumed.
    std::string_view take_string() {
        const std::size_t end = bytes_.find('\0', at_);
        if (end == std::string_view::npos) {
            failed_ = true;
            at_ = bytes_.size();
            return {};
        }
        const std::string_view s = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return s;
    }
    std::string_view take_bytes(std::size_t n) {
        if (!need(n)) return {};
        const std::string_view s = bytes_.substr(at_, n);
        at_ += n;
        return s;
    }
    void skip(std::size_t n) { take_bytes(n); }

    std::size_t left() const { return bytes_.size() - at_; }
    bool done() const { return at_ == bytes_.size() || failed_; }
    bool failed() const { return failed_; }

private:
    bool need(std::size_t n) {
        if (left() >= n) return true;
        failed_ = true;
        at_ = bytes_.size();
        return false;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

}  // namespace simtlm::sass
