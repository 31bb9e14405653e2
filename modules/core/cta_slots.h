// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/occupancy.h"
#include "modules/program/kernel_source.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace simtlm::core {

/// A running kernel as seen by the SMs.
struct kernel_context {
    std::uint64_t launch = 0;  ///< launch number
    cta_needs needs;
    unsigned ctas_per_sm = 0;
    const program::kernel_descriptor* descriptor = nullptr;
    /// Whether the kernel on which this kernel depends, and which it may overlap, is still running.
    bool dependency_open = false;
    /// See program::kernel_source::issues_on_several_threads().
    bool issues_on_several_threads = false;
};

/// The hardware CTA slots of an SM, and the threads, registers and shared memory occupied by
/// resident CTAs (GPGPU-Sim manual: thread block distribution; occupancy).
///
/// A CTA occupies consecutive hardware threads, starting at a multiple of its padded size.
class cta_slots {
public:
    /// A slot, and the CTA that occupies it.
    struct slot {
        std::unique_ptr<program::cta> block;
        kernel_context* kernel = nullptr;  ///< nullptr: the slot is free
        unsigned threads_left = 0;         ///< of warps that have not exited
        unsigned first_thread = 0;
        unsigned padded_threads = 0;
        bool launches_dependents = false;  ///< has allowed dependent kernels to begin
        bool on_one_thread = false;        ///< suspends parallel regions
    };

    explicit cta_slots(const sm_config& config);

    unsigned resident() const { return resident_; }
    unsigned size() const { return static_cast<unsigned>(slots_.size()); }
    const slot& operator[](unsigned i) const { return slots_[i]; }
    slot& operator[](unsigned i) { return slots_[i]; }

    /// Whether another CTA of a kernel fits.
    /// @param concurrent  the SM may hold CTAs of several kernels
    bool fits(const kernel_context& kernel, bool concurrent) const;
    /// Number of additional CTAs of a kernel that fit.
    unsigned capacity_for(const kernel_context& kernel, bool concurrent) const {
        // Asked for every SM whenever a CTA is placed; most have not changed since.
        const capacity_query q{kernel.needs, kernel.ctas_per_sm, config_.shared.bytes, concurrent};
        if (!(q == asked_)) {
            capacity_ = find_capacity(kernel, concurrent);
            asked_ = q;
        }
        return capacity_;
    }
    /// Allocates the first free slot. @return its number @pre fits()
    unsigned allocate(kernel_context& kernel, std::unique_ptr<program::cta> block);
    /// A warp of a CTA has exited. @return whether it was the last one
    bool warp_exits(unsigned slot, unsigned threads) {
        return (slots_[slot].threads_left -= threads) == 0;
    }
    /// Frees a slot and its resources; slot::block remains until the slot is allocated again.
    /// @return the kernel of the CTA
    kernel_context& release(unsigned slot);

private:
    /// What the capacity depends on besides the occupied slots.
    struct capacity_query {
        cta_needs needs;
        unsigned ctas_per_sm = 0;
        std::uint64_t shared_bytes = 0;
        bool concurrent = false;
        bool operator==(const capacity_query& o) const {
            return needs == o.needs && ctas_per_sm == o.ctas_per_sm &&
                   shared_bytes == o.shared_bytes && concurrent == o.concurrent;
        }
    };
    unsigned find_capacity(const kernel_context& kernel, bool concurrent) const;
    bool is_free(unsigned first_thread, unsigned count) const;
    /// Whether the parts of the register file that serve these warps have room.
    bool has_registers(const cta_needs& needs, unsigned first_thread) const;
    /// The first hardware thread of a CTA; -1: there is no room.
    /// @param counting_registers  not only threads
    int free_threads(const cta_needs& needs, bool counting_registers) const;
    std::uint64_t registers_per_sub_core() const { return config_.registers / sub_cores(); }
    unsigned sub_cores() const { return config_.allocation.sub_core_register_files; }
    /// Adds the registers of a CTA to those in use, or subtracts them.
    void count_registers(const cta_needs& needs, unsigned first_thread, bool add);

    const sm_config& config_;
    std::vector<slot> slots_;
    unsigned resident_ = 0;
    std::vector<std::uint64_t> registers_used_;  ///< by register file of a sub-core
    std::uint64_t shared_used_ = 0;              // bytes
    std::uint64_t barriers_used_ = 0;
    mutable capacity_query asked_;   // last argument of capacity_for(), unless slots have changed
    mutable unsigned capacity_ = 0;  // its result
};

}  // namespace simtlm::core
