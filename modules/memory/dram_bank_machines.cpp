// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_bank_machines.h"

#include <algorithm>

namespace simtlm::memory {

dram_bank_machines::dram_bank_machines(const dram_config& config,
                                       const dram_request_table& requests)
    : requests_(requests),
      timing_(config),
      request_(config.timing.nbk, none),
      all_(config.timing.nbk == 64 ? ~std::uint64_t{0} : bit(config.timing.nbk) - 1) {}

void dram_bank_machines::take(unsigned b, std::uint32_t request) {
    request_[b] = request;
    busy_ |= bit(b);
    find_next_command(b);
}

void dram_bank_machines::release(unsigned b) {
    request_[b] = none;
    busy_ &= ~bit(b);
    find_next_command(b);
}

void dram_bank_machines::activate(unsigned b, std::uint32_t row, std::uint64_t now) {
    timing_.activate(b, row, now);
    find_next_command(b);
}

void dram_bank_machines::precharge(unsigned b, std::uint64_t now) {
    timing_.precharge(b, now);
    find_next_command(b);
}

void dram_bank_machines::find_next_command(unsigned b) {
    open_read_ &= ~bit(b);
    open_write_ &= ~bit(b);
    if ((busy_ & bit(b)) == 0 || !timing_.active(b)) return;
    const dram_request& r = requests_[request_[b]];
    if (r.row == timing_.row(b)) (r.write ? open_write_ : open_read_) |= bit(b);
}

std::uint64_t dram_bank_machines::ready_columns(std::uint64_t now) const {
    if (now < timing_.column_any() || open() == 0) return 0;
    std::uint64_t ready = 0;
    if (now >= timing_.read_any())
        for (std::uint64_t m = open_read_; m != 0; m &= m - 1) {
            const auto b = static_cast<unsigned>(__builtin_ctzll(m));
            if (now >= timing_.read_at(b)) ready |= bit(b);
        }
    if (now >= timing_.write_any())
        for (std::uint64_t m = open_write_; m != 0; m &= m - 1) {
            const auto b = static_cast<unsigned>(__builtin_ctzll(m));
            if (now >= timing_.write_at(b)) ready |= bit(b);
        }
    return ready;
}

std::uint64_t dram_bank_machines::ready_rows(std::uint64_t now) const {
    std::uint64_t ready = 0;
    for (std::uint64_t m = busy_ & ~open(); m != 0; m &= m - 1) {
        const auto b = static_cast<unsigned>(__builtin_ctzll(m));
        const std::uint64_t at =
            timing_.active(b) ? timing_.precharge_at(b) : timing_.activate_at(b);
        if (now >= at) ready |= bit(b);
    }
    return ready;
}

std::uint64_t dram_bank_machines::next_command(std::uint64_t earliest, std::uint64_t latest,
                                               bool columns) const {
    std::uint64_t next = latest;
    for (std::uint64_t m = busy_; m != 0 && next > earliest; m &= m - 1) {
        const auto b = static_cast<unsigned>(__builtin_ctzll(m));
        if ((open() & bit(b)) == 0)
            next = std::min(next,
                            timing_.active(b) ? timing_.precharge_at(b) : timing_.activate_at(b));
        else if (columns)
            next = std::min(next,
                            (open_read_ & bit(b)) != 0 ? timing_.read_at(b) : timing_.write_at(b));
    }
    return std::max(next, earliest);
}

}  // namespace simtlm::memory
