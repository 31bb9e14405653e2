// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/register_file.h"

namespace simtlm::core::sub_core_pipeline {

void register_file::advance_reads(std::uint64_t now) {
    const std::uint64_t passed = now - reads_from_;
    if (passed == 0) return;
    for (unsigned b = 0; b < config_.banks; ++b)
        for (std::uint64_t& port : read_[b]) port = passed < horizon ? port >> passed : 0;
    reads_from_ = now;
}

bool register_file::allocate(const reads& wanted, unsigned window, std::uint64_t now,
                             std::uint64_t tensor) {
    if (config_.read_ports == 0) return true;
    advance_reads(now);
    for (std::uint64_t left = tensor; left != 0; left &= left - 1) {
        const auto k = static_cast<unsigned>(__builtin_ctzll(left));
        read_[(now + k) % config_.banks][0] |= std::uint64_t{1} << k;
    }
    const std::uint64_t cycles = ((std::uint64_t{1} << window) - 1) << 1;  // starting with the next
                                                                           // cycle
    std::array<std::array<std::uint64_t, max_ports>, max_banks> taken = read_;
    for (unsigned b = 0; b < config_.banks; ++b) {
        unsigned left = wanted[b];
        for (unsigned p = 0; p < config_.read_ports && left != 0; ++p)
            for (std::uint64_t free = cycles & ~taken[b][p]; free != 0 && left != 0;
                 free &= free - 1, --left)
                taken[b][p] |= free & -free;
        if (left != 0) return false;
    }
    read_ = taken;
    return true;
}

void register_file::advance_writes(std::uint64_t at) {
    if (at <= writes_to_) return;
    if (at - writes_to_ >= horizon) {
        fixed_writes_.fill(0);
    } else {
        for (std::uint64_t c = writes_to_ + 1; c <= at; ++c)
            for (std::uint64_t& bank : fixed_writes_) bank &= ~bit(c);
    }
    writes_to_ = at;
}

std::uint64_t register_file::write_variable(unsigned bank, std::uint64_t at) {
    while (at <= writes_to_ && (fixed_writes_[bank] & bit(at)) != 0) ++at;
    return at;
}

}  // namespace simtlm::core::sub_core_pipeline
