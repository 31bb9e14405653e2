// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_scheduler.h"
#include "modules/support/ring_buffer.h"

namespace simtlm::memory {

namespace {

class fifo_scheduler : public dram_scheduler {
public:
    explicit fifo_scheduler(dram_request_table& requests) : requests_(requests) {}

    void add(std::uint32_t request) override { queue_.push(request); }
    std::uint32_t choose(std::uint64_t free, unsigned&, const dram_timing_state&,
                         std::uint64_t) override {
        return may_choose(free) ? queue_.pop() : dram_request_table::none;
    }
    bool may_choose(std::uint64_t free) const override {
        return !queue_.empty() && (free >> requests_[queue_.front()].bank & 1u) != 0;
    }
    unsigned pending() const override { return static_cast<unsigned>(queue_.size()); }
    bool full(bool) const override { return queue_.full(); }
    bool by_row() const override { return false; }
    void checkpoint(support::archive&) override {}

private:
    dram_request_table& requests_;
    support::ring_buffer<std::uint32_t> queue_{2};
};

}  // namespace

std::unique_ptr<dram_scheduler> make_fifo_scheduler(const dram_scheduler_parts& parts) {
    return std::make_unique<fifo_scheduler>(parts.requests);
}

}  // namespace simtlm::memory
