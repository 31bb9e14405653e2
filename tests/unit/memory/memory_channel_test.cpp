// SPDX-License-Identifier: Apache-2.0
// Follows the recipes "A DRAM scheduler" and "A memory channel" of docs/extending.md.
#include "tests/unit/memory/partition_rig.h"

#include <gtest/gtest.h>

#include <deque>

namespace simtlm::memory {
namespace {

/// A new scheduler: last come, first served.
class newest_first : public dram_scheduler {
public:
    explicit newest_first(const dram_scheduler_parts& p)
        : requests_(p.requests), places_(p.config.scheduler_queue_size) {}
    void add(std::uint32_t request) override { waiting_.push_back(request); }
    std::uint32_t choose(std::uint64_t free, unsigned&, const dram_timing_state&,
                         std::uint64_t) override {
        for (std::size_t i = waiting_.size(); i-- > 0;)
            if ((free >> requests_[waiting_[i]].bank & 1u) != 0) {
                const std::uint32_t chosen = waiting_[i];
                waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
                return chosen;
            }
        return dram_request_table::none;
    }
    bool may_choose(std::uint64_t free) const override { return free != 0 && !waiting_.empty(); }
    unsigned pending() const override { return static_cast<unsigned>(waiting_.size()); }
    bool full(bool) const override { return waiting_.size() >= places_; }
    bool by_row() const override { return true; }

private:
    dram_request_table& requests_;
    std::size_t places_;
    std::vector<std::uint32_t> waiting_;
};

std::unique_ptr<dram_scheduler> make_newest_first(const dram_scheduler_parts& parts) {
    return std::make_unique<newest_first>(parts);
}

/// A new channel: every request takes fifty cycles, without a limit on concurrency.
class fixed_latency : public memory_channel {
public:
    protocol::target_socket<fixed_latency> port;

    fixed_latency(const sc_core::sc_module_name& name, const memory_channel_parts& p)
        : memory_channel(name, p.sequencer),
          port("port"),
          process_("controller", p.sequencer, protocol::phase::dram_channel,
                   simulation::on_edge<&fixed_latency::cycle>(this)) {
        port.register_nb_transport_fw(this, &fixed_latency::fw, 0);
        statistics_.banks.resize(p.config.timing.nbk);
        statistics_.traffic.resize(p.config.timing.nbk);
    }
    socket& target() override { return port; }
    const dram_statistics& statistics() override { return statistics_; }
    const dram_statistics& counted() const override { return statistics_; }
    std::uint64_t requests_inside() const override { return inside_.size(); }

private:
    tlm::tlm_sync_enum fw(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                          sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            presented_ = false;
            inside_.pop_front();
            process_.wake();
            return tlm::TLM_COMPLETED;
        }
        ++(p.is_write() ? statistics_.scheduled_writes : statistics_.scheduled_reads);
        inside_.push_back({&p, process_.now() + 50});
        process_.wake();
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void cycle() {
        if (presented_ || inside_.empty()) return process_.sleep();
        if (process_.now() < inside_.front().ready)
            return process_.sleep_until(inside_.front().ready);
        presented_ = true;
        tlm::tlm_generic_payload& p = *inside_.front().payload;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        if (port->nb_transport_bw(p, phase, delay) != tlm::TLM_COMPLETED) return;
        presented_ = false;
        inside_.pop_front();
    }

    struct request {
        tlm::tlm_generic_payload* payload;
        std::uint64_t ready;
    };
    simulation::clocked_process process_;
    dram_statistics statistics_;
    std::deque<request> inside_;
    bool presented_ = false;
};

/// Random traffic is served completely, with the same result asleep, awake and in another process
/// order.
void serves_random_traffic(const memory_config& c) {
    test::clocks clk;
    test::partition_rig a("a", c), b("b", c, test::awake()), d("d", c, test::shuffled());
    for (test::partition_rig* r : {&a, &b, &d}) {
        clk.bind(r->sequencer);
        test::fill_random(*r, 2000, 2000);
    }
    test::run_core_cycles(100000);
    for (test::partition_rig* r : {&a, &b, &d}) test::expect_clean(*r, 2000);
    EXPECT_GT(a.channel->counted().scheduled_reads, 500u);
    EXPECT_EQ(test::report_values(a), test::report_values(b));
    EXPECT_EQ(test::report_values(a), test::report_values(d));
}

TEST(Recipe, ADramSchedulerIsOneClassAndItsMaker) {
    memory_config c;
    c.partition = test::volta_partition();
    c.partition.dram.scheduler = make_newest_first;
    serves_random_traffic(c);
}

TEST(Recipe, AMemoryChannelIsOneClassAndItsMaker) {
    memory_config c;
    c.partition = test::volta_partition();
    c.channel = [](const memory_channel_parts& p) -> std::unique_ptr<memory_channel> {
        return std::make_unique<fixed_latency>(p.name, p);
    };
    serves_random_traffic(c);
}

TEST(Recipe, TheSchedulersOfTheOptionAreInItsOrder) {
    ASSERT_EQ(dram_schedulers().size(), 2u);
    EXPECT_STREQ(dram_schedulers()[0].name, "FIFO");
    EXPECT_EQ(dram_schedulers()[1].make, make_fr_fcfs_scheduler);
}

}  // namespace
}  // namespace simtlm::memory
