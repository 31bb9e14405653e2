// SPDX-License-Identifier: Apache-2.0
#include "modules/core/cta_slots.h"

#include <algorithm>
#include <systemc>
#include <utility>

namespace simtlm::core {

cta_slots::cta_slots(const sm_config& config)
    : config_(config),
      slots_(config.max_ctas),
      registers_used_(config.allocation.sub_core_register_files) {}

bool cta_slots::is_free(unsigned first_thread, unsigned count) const {
    return std::none_of(slots_.begin(), slots_.end(), [&](const slot& s) {
        return s.kernel != nullptr && first_thread < s.first_thread + s.padded_threads &&
               s.first_thread < first_thread + count;
    });
}

bool cta_slots::has_registers(const cta_needs& needs, unsigned first_thread) const {
    const unsigned warps = needs.warps(config_.warp_size), n = sub_cores();
    const std::uint64_t per_warp = needs.registers_per_warp(config_);
    for (unsigned i = 0; i < std::min(warps, n); ++i) {
        const unsigned sub_core = (first_thread / config_.warp_size + i) % n;
        if (registers_used_[sub_core] + (warps - i + n - 1) / n * per_warp >
            registers_per_sub_core())
            return false;
    }
    return true;
}

int cta_slots::free_threads(const cta_needs& needs, bool counting_registers) const {
    const unsigned count = needs.padded_threads(config_.warp_size);
    for (unsigned first = 0; first + count <= config_.max_threads; first += count)
        if (is_free(first, count) && (!counting_registers || has_registers(needs, first)))
            return static_cast<int>(first);
    return -1;
}

void cta_slots::count_registers(const cta_needs& needs, unsigned first_thread, bool add) {
    const std::uint64_t per_warp = needs.registers_per_warp(config_);
    for (unsigned i = 0; i < needs.warps(config_.warp_size); ++i) {
        std::uint64_t& used = registers_used_[(first_thread / config_.warp_size + i) % sub_cores()];
        used = add ? used + per_warp : used - per_warp;
    }
}

bool cta_slots::fits(const kernel_context& kernel, bool concurrent) const {
    if (!concurrent) return resident_ < kernel.ctas_per_sm;
    const unsigned barriers = config_.allocation.barriers;
    return kernel.ctas_per_sm > 0 && resident_ < config_.max_ctas &&
           shared_used_ + kernel.needs.allotted_shared(config_) <= config_.shared.bytes &&
           (barriers == 0 || barriers_used_ + kernel.needs.barriers <= barriers) &&
           free_threads(kernel.needs, true) >= 0;
}

unsigned cta_slots::find_capacity(const kernel_context& kernel, bool concurrent) const {
    if (!fits(kernel, concurrent)) return 0;
    if (!concurrent) return kernel.ctas_per_sm - resident_;
    const auto ratio = [](std::uint64_t free, std::uint64_t needed) {
        return needed == 0 ? ~std::uint64_t{0} : free / needed;
    };
    const cta_needs& needs = kernel.needs;
    const unsigned padded = needs.padded_threads(config_.warp_size);
    std::uint64_t by_threads = 0, warps = 0;
    for (unsigned first = 0; first + padded <= config_.max_threads; first += padded)
        by_threads += is_free(first, padded) ? 1 : 0;
    const std::uint64_t per_warp = needs.registers_per_warp(config_);
    for (const std::uint64_t used : registers_used_)
        warps += (registers_per_sub_core() - std::min(used, registers_per_sub_core())) /
                 std::max<std::uint64_t>(per_warp, 1);
    const std::uint64_t barriers = config_.allocation.barriers;
    return static_cast<unsigned>(std::min(
        {by_threads, std::uint64_t{config_.max_ctas - resident_},
         ratio(config_.shared.bytes - shared_used_, needs.allotted_shared(config_)),
         ratio(warps, needs.warps(config_.warp_size)),
         barriers == 0 ? ~std::uint64_t{0} : ratio(barriers - barriers_used_, needs.barriers)}));
}

unsigned cta_slots::allocate(kernel_context& kernel, std::unique_ptr<program::cta> block) {
    const auto free = std::find_if(slots_.begin(), slots_.end(),
                                   [](const slot& s) { return s.kernel == nullptr; });
    // If resources are not checked (-gpgpu_ignore_resources_limitation), there may be too few.
    int first_thread = free_threads(kernel.needs, true);
    if (first_thread < 0) first_thread = free_threads(kernel.needs, false);
    sc_assert(free != slots_.end() && first_thread >= 0);
    free->first_thread = static_cast<unsigned>(first_thread);
    free->kernel = &kernel;
    free->padded_threads = kernel.needs.padded_threads(config_.warp_size);
    free->threads_left = kernel.needs.threads;
    free->block = std::move(block);
    free->launches_dependents = false;
    ++resident_;
    asked_ = {};
    count_registers(kernel.needs, free->first_thread, true);
    shared_used_ += kernel.needs.allotted_shared(config_);
    barriers_used_ += kernel.needs.barriers;
    return static_cast<unsigned>(free - slots_.begin());
}

kernel_context& cta_slots::release(unsigned slot) {
    kernel_context& kernel = *std::exchange(slots_[slot].kernel, nullptr);
    --resident_;
    asked_ = {};
    count_registers(kernel.needs, slots_[slot].first_thread, false);
    shared_used_ -= kernel.needs.allotted_shared(config_);
    barriers_used_ -= kernel.needs.barriers;
    return kernel;
}

}  // namespace simtlm::core
