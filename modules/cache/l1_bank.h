// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/data_cache.h"
#include "modules/support/ring_buffer.h"

#include <cstdint>
#include <systemc>

namespace simtlm::cache {

/// A bank of an L1 data cache: the pipeline in front of the tags (the L1 latency queue of the
/// GPGPU-Sim manual), with one access per stage. It accepts one access per cycle while its first
/// stage is free. An access stays in the last stage, with later ones closing up after it, until
/// its look-up succeeds.
class l1_bank : public sc_core::sc_module {
public:
    /// An access in the pipeline.
    struct queued_access {
        tlm::tlm_generic_payload* payload;
        std::uint64_t entered;  ///< core cycle
    };

    /// @param latency  number of stages, i.e. core cycles from the access to its look-up
    l1_bank(const sc_core::sc_module_name& name, unsigned latency)
        : sc_module(name), latency_(latency), pipeline_(latency) {}
    const char* kind() const override { return "l1_bank"; }

    bool empty() const { return pipeline_.empty(); }
    std::size_t size() const { return pipeline_.size(); }
    /// Whether the first stage is occupied in a core cycle: by an access of this cycle, or because
    /// the pipeline is full.
    bool conflict(std::uint64_t now) const { return pipeline_.full() || last_entered_ == now; }
    /// @pre !conflict(now)
    void push(tlm::tlm_generic_payload& access, std::uint64_t now) {
        pipeline_.push({&access, now});
        last_entered_ = now;
    }
    /// The access that entered first. @pre !empty()
    tlm::tlm_generic_payload& front() const { return *pipeline_.front().payload; }
    /// The core cycle in which the front access reaches the tags. @pre !empty()
    std::uint64_t front_due() const { return pipeline_.front().entered + latency_; }
    void pop() {
        failed = {};
        pipeline_.pop();
    }

private:
    std::uint64_t latency_;
    alignas(64) support::ring_buffer<queued_access> pipeline_;
    std::uint64_t last_entered_ = ~std::uint64_t{0};  // core cycle

public:
    /// Failure of the last look-up of front(), if any.
    data_cache::reservation_failure failed;
};

}  // namespace simtlm::cache
