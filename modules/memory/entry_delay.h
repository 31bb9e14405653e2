// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/growing_ring.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <tlm>

namespace simtlm::memory {

/// The delay of requests between the network and an L2 slice: an unbounded pipeline for each
/// latency, so that slower requests do not block others. One request leaves per cycle, the one that
/// is due first.
class entry_delay {
public:
    /// The additional delay of a request, by kind.
    enum way : unsigned { plain, atomic, far, far_atomic, far_copy, ways };
    /// A request in a pipeline, and when it is due.
    struct delayed {
        tlm::tlm_generic_payload* payload = nullptr;
        std::uint64_t ready = 0;  ///< core cycle
    };
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    entry_delay(unsigned least, unsigned atomic_more, unsigned far_more)
        : latency_{least, least + atomic_more, least + far_more, least + far_more + atomic_more,
                   least + far_more} {}

    void push(tlm::tlm_generic_payload& request, way by, std::uint64_t now) {
        pipeline_[by].push({&request, now + latency_[by]});
        ++size_;
        if (pipeline_[by].front().ready < next_) next_ = pipeline_[by].front().ready;
    }
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    /// Number of requests that cross from the other half of the GPU.
    std::size_t crossing() const {
        return pipeline_[far].size() + pipeline_[far_atomic].size() + pipeline_[far_copy].size();
    }
    /// Core cycle at which the first request is due, or never.
    std::uint64_t next() const { return next_; }
    /// The request that is due first. @pre !empty()
    const tlm::tlm_generic_payload& first() const {
        return *pipeline_[first_way()].front().payload;
    }
    /// @pre !empty()
    tlm::tlm_generic_payload& pop() {
        tlm::tlm_generic_payload& request = *pipeline_[first_way()].pop().payload;
        --size_;
        next_ = never;
        if (size_ != 0) next_ = pipeline_[first_way()].front().ready;
        return request;
    }

private:
    unsigned first_way() const {
        unsigned first = ways;
        for (unsigned w = 0; w < ways; ++w)
            if (!pipeline_[w].empty() &&
                (first == ways || pipeline_[w].front().ready < pipeline_[first].front().ready))
                first = w;
        return first;
    }

    std::array<unsigned, ways> latency_;
    std::array<growing_ring<delayed>, ways> pipeline_;
    std::size_t size_ = 0;
    std::uint64_t next_ = never;
};

}  // namespace simtlm::memory
