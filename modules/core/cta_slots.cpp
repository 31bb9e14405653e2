// SPDX-License-Identifier: Apache-2.0
#include "modules/core/cta_slots.h"

#include <algorithm>
#include <systemc>
#include <utility>

namespace simtlm::core {

cta_slots::cta_slots(const sm_config& config) : config_(config), slots_(config.max_ctas) {}

bool cta_slots::is_free(unsigned first_thread, unsigned count) const {
    return std::none_of(slots_.begin(), slots_.end(), [&](const slot& s) {
        return s.kernel != nullptr && first_thread < s.first_thread + s.padded_threads &&
               s.first_thread < first_thread + count;
    });
}

int cta_slots::free_threads(unsigned count) const {
    for (unsigned first = 0; first + count <= config_.max_threads; first += count)
        if (is_free(first, count)) return static_cast<int>(first);
    return -1;
}

bool cta_slots::fits(const kernel_context& kernel, bool concurrent) const {
    if (!concurrent) return resident_ < kernel.ctas_per_sm;
    return kernel.ctas_per_sm > 0 && resident_ < config_.max_ctas &&
           shared_used_ + kernel.needs.shared_memory <= config_.shared.bytes &&
           registers_used_ + kernel.needs.allotted_registers(config_.warp_size) <=
               config_.registers &&
           free_threads(kernel.needs.padded_threads(config_.warp_size)) >= 0;
}

unsigned cta_slots::room_for(const kernel_context& kernel, bool concurrent) const {
    if (!fits(kernel, concurrent)) return 0;
    if (!concurrent) return kernel.ctas_per_sm - resident_;
    const auto ratio = [](std::uint64_t free, std::uint64_t needed) {
        return needed == 0 ? ~std::uint64_t{0} : free / needed;
    };
    const unsigned padded = kernel.needs.padded_threads(config_.warp_size);
    std::uint64_t by_threads = 0;
    for (unsigned first = 0; first + padded <= config_.max_threads; first += padded)
        by_threads += is_free(first, padded) ? 1 : 0;
    return static_cast<unsigned>(
        std::min({by_threads, std::uint64_t{config_.max_ctas - resident_},
                  ratio(config_.shared.bytes - shared_used_, kernel.needs.shared_memory),
                  ratio(config_.registers - registers_used_,
                        kernel.needs.allotted_registers(config_.warp_size))}));
}

unsigned cta_slots::allocate(kernel_context& kernel, std::unique_ptr<program::cta> block) {
    const auto free = std::find_if(slots_.begin(), slots_.end(),
                                   [](const slot& s) { return s.kernel == nullptr; });
    const unsigned padded = kernel.needs.padded_threads(config_.warp_size);
    const int first_thread = free_threads(padded);
    sc_assert(free != slots_.end() && first_thread >= 0);
    free->first_thread = static_cast<unsigned>(first_thread);
    free->kernel = &kernel;
    free->padded_threads = padded;
    free->threads_left = kernel.needs.threads;
    free->block = std::move(block);
    free->launches_dependents = false;
    ++resident_;
    registers_used_ += kernel.needs.allotted_registers(config_.warp_size);
    shared_used_ += kernel.needs.shared_memory;
    return static_cast<unsigned>(free - slots_.begin());
}

kernel_context& cta_slots::release(unsigned slot) {
    kernel_context& kernel = *std::exchange(slots_[slot].kernel, nullptr);
    --resident_;
    registers_used_ -= kernel.needs.allotted_registers(config_.warp_size);
    shared_used_ -= kernel.needs.shared_memory;
    return kernel;
}

}  // namespace simtlm::core
