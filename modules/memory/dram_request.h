// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/access.h"

#include <cstdint>
#include <tlm>
#include <vector>

namespace simtlm::memory {

/// A request inside a DRAM channel.
struct dram_request {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    std::uint16_t bank = 0;
    bool write = false;
    bool posted = false;  ///< consumed without a response
    protocol::access_type type = protocol::access_type::global_read;
    std::uint32_t bytes = 0;      ///< to transfer
    std::uint32_t commanded = 0;  ///< bytes covered by column commands so far
    std::uint32_t moved = 0;      ///< bytes that have passed the data bus
    std::uint64_t arrived = 0;    ///< core cycle
    std::uint64_t order = 0;      ///< arrival number
    std::uint32_t next = 0;       ///< link in the scheduler's list
};

/// Table of requests by number; numbers are reused. Grows only if the queue is unlimited.
class dram_request_table {
public:
    static constexpr std::uint32_t none = 0xffffffffu;
    explicit dram_request_table(std::size_t capacity) { grow(capacity); }

    dram_request& operator[](std::uint32_t i) { return entries_[i]; }
    const dram_request& operator[](std::uint32_t i) const { return entries_[i]; }
    /// Allocates an entry, and releases it. @return its index
    std::uint32_t take() {
        if (free_ == none) grow(entries_.size());
        const std::uint32_t i = free_;
        free_ = entries_[i].next;
        return i;
    }
    void give_back(std::uint32_t i) {
        entries_[i].next = free_;
        free_ = i;
    }

private:
    void grow(std::size_t by) {
        const std::size_t first = entries_.size();
        entries_.resize(first + (by != 0 ? by : 16));
        for (std::size_t i = entries_.size(); i-- > first;) {
            entries_[i].next = free_;
            free_ = static_cast<std::uint32_t>(i);
        }
    }
    std::vector<dram_request> entries_;
    std::uint32_t free_ = none;
};

}  // namespace simtlm::memory
