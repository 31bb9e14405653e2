// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace simtlm::interconnect {

/// A set of ports of one switch, as a bit set: arbiters visit members in order at a cost
/// proportional to the number of members rather than ports.
class port_set {
public:
    static constexpr unsigned none = ~0u;

    /// @param ports  members are in the range 0 .. ports-1
    explicit port_set(unsigned ports = 0) : words_((ports + 63) / 64, 0) {}

    void insert(unsigned port) { words_[port / 64] |= bit(port); }
    void erase(unsigned port) { words_[port / 64] &= ~bit(port); }
    bool contains(unsigned port) const { return (words_[port / 64] & bit(port)) != 0; }
    void clear() {
        for (std::uint64_t& w : words_) w = 0;
    }
    bool empty() const {
        for (const std::uint64_t w : words_)
            if (w != 0) return false;
        return true;
    }

    /// The first member at or after a port, or none.
    unsigned at_or_after(unsigned port) const {
        std::size_t w = port / 64;
        if (w >= words_.size()) return none;
        std::uint64_t bits = words_[w] & (~std::uint64_t{0} << (port % 64));
        while (bits == 0) {
            if (++w == words_.size()) return none;
            bits = words_[w];
        }
        return static_cast<unsigned>(w) * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
    }
    /// The first member at or after a port, wrapping around to port 0, or none.
    unsigned at_or_after_cyclic(unsigned port) const {
        const unsigned found = at_or_after(port);
        return found != none || port == 0 ? found : at_or_after(0);
    }

    /// Calls f(port) for each member in ascending order; f may erase the current member and may
    /// insert any.
    template <class F>
    void for_each(F&& f) {
        for (unsigned p = at_or_after(0); p != none; p = at_or_after(p + 1)) f(p);
    }

private:
    static std::uint64_t bit(unsigned port) { return std::uint64_t{1} << (port % 64); }
    std::vector<std::uint64_t> words_;
};

}  // namespace simtlm::interconnect
