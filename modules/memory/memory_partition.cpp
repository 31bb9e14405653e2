// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/memory_partition.h"

#include "modules/protocol/describe.h"

#include <fmt/format.h>

#include <string>

namespace simtlm::memory {

namespace {

/// Credits in addition to the private one of every sub-partition.
unsigned shared_credits(const partition_config& c, unsigned no_limit) {
    const dram_config& d = c.dram;
    if (d.scheduler_queue_size == 0 || d.return_queue_size == 0) return no_limit;
    const unsigned places = d.scheduler_queue_size + d.return_queue_size +
                            (d.separate_write_queue ? d.write_queue_size : 0u);
    const unsigned reserved = c.sub_partitions - 1;
    return places > reserved ? places - reserved : no_limit;
}

}  // namespace

memory_partition::memory_partition(const sc_core::sc_module_name& name,
                                   simulation::phase_sequencer& sequencer,
                                   const partition_config& config, const address_mapping& mapping,
                                   protocol::transaction_pool& pool, memory_statistics& shared,
                                   unsigned number)
    : clocked_module(name, sequencer, protocol::dram_clock),
      l2_clk("l2_clk"),
      icnt_clk("icnt_clk"),
      core_clk("core_clk"),
      memory("memory"),
      sequencer_(sequencer),
      config_(config),
      reply_group_("cycle", sequencer, static_cast<unsigned>(protocol::phase_scope::replies)),
      dram_group_(reply_group_, static_cast<unsigned>(protocol::phase_scope::dram)),
      l2_group_(reply_group_, static_cast<unsigned>(protocol::phase_scope::l2)),
      return_process_("dram_return", sequencer, protocol::phase::dram_return,
                      simulation::on_edge<&memory_partition::return_cycle>(this)),
      arbitrate_process_("arbiter", sequencer, protocol::phase::dram_arbitrate,
                         simulation::on_edge<&memory_partition::arbitrate_cycle>(this)),
      latency_timer_("latency_timer", sequencer,
                     config.simple_dram ? return_process_ : arbitrate_process_),
      first_(number * config.sub_partitions),
      private_credit_(config.sub_partitions, 0),
      shared_limit_(shared_credits(config, no_limit)),
      last_borrower_(config.sub_partitions - 1) {
    add_clock(l2_clk, protocol::l2_clock);
    add_clock(icnt_clk, protocol::icnt_clock);
    add_clock(core_clk, protocol::core_clock);
    memory.register_nb_transport_bw(this, &memory_partition::nb_transport_bw, 0);
    for (unsigned i = 0; i < config.sub_partitions; ++i) {
        const std::string child = "bank" + std::to_string(i);
        sub_partitions_.push_back(std::make_unique<memory_sub_partition>(
            child.c_str(), sequencer, config, mapping, pool, shared, first_ + i));
        sub_partitions_[i]->clk(l2_clk);
        sub_partitions_[i]->icnt_clk(icnt_clk);
        sub_partitions_[i]->core_clk(core_clk);
        sub_partitions_[i]->to_memory.set_reader(arbitrate_process_);
        sub_partitions_[i]->from_memory.set_writer(return_process_);
    }
    responses_.reserve(16);
    reply_group_.close();
    dram_group_.close();
    l2_group_.close();
}

unsigned memory_partition::local_of(const tlm::tlm_generic_payload& payload) const {
    return protocol::extension(payload).location.sub_partition - first_;
}

void memory_partition::take_shared_credit(unsigned local) {
    ++(private_credit_[local] < 1 ? private_credit_[local] : shared_credit_);
    last_borrower_ = local;
}

void memory_partition::return_credit(unsigned local) {
    --(private_credit_[local] > 0 ? private_credit_[local] : shared_credit_);
}

// Responses from the channel.

tlm::tlm_sync_enum memory_partition::nb_transport_bw(int, tlm::tlm_generic_payload& payload,
                                                     tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
        end_of_request(payload, delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::BEGIN_RESP) {
        end_of_request(payload, sc_core::SC_ZERO_TIME);
        if (protocol::is_posted(protocol::extension(payload).type)) {
            consume(payload);
            return tlm::TLM_COMPLETED;
        }
        accept(payload, delay, true);
        return tlm::TLM_ACCEPTED;
    }
    SC_REPORT_ERROR("simtlm/partition", "phase of another protocol than the base protocol");
    return tlm::TLM_COMPLETED;
}

/// Handles END_REQ, explicit or implied.
void memory_partition::end_of_request(tlm::tlm_generic_payload& payload,
                                      const sc_core::sc_time& delay) {
    for (auto*& p : unanswered_)
        if (p == &payload) {
            p = nullptr;
            if (delay != sc_core::SC_ZERO_TIME)
                next_request_ = return_process_.local_time() + delay;
            arbitrate_process_.wake();
        }
}

void memory_partition::accept(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay,
                              bool withholds_end) {
    responses_.push_back(
        {&payload, return_process_.local_time() + delay, response_order_++, withholds_end});
    return_process_.wake();
}

/// A posted write has been performed in memory.
void memory_partition::consume(tlm::tlm_generic_payload& payload) {
    const unsigned local = local_of(payload);
    --in_channel_;
    return_credit(local);
    sub_partitions_[local]->consumed(payload);
}

bool memory_partition::deliver(tlm::tlm_generic_payload& payload) {
    const unsigned local = local_of(payload);
    if (sub_partitions_[local]->from_memory.full()) return false;
    protocol::extension(payload).when.from_dram =
        protocol::hop_times::stamp(sequencer_.cycle(protocol::core_clock));
    sub_partitions_[local]->from_memory.push(&payload);
    sub_partitions_[local]->prefetch_fill(payload);
    return_credit(local);
    return true;
}

void memory_partition::return_cycle() {
    if (config_.simple_dram) return return_simple();
    if (responses_.empty()) return return_process_.sleep();
    // The earliest response whose time has come; the built-in channel has at most one here.
    const sc_core::sc_time now = return_process_.local_time();
    std::size_t chosen = responses_.size();
    for (std::size_t i = 0; i < responses_.size(); ++i) {
        const response& r = responses_[i];
        if (r.at > now) continue;
        if (chosen == responses_.size() || r.at < responses_[chosen].at ||
            (r.at == responses_[chosen].at && r.order < responses_[chosen].order))
            chosen = i;
    }
    if (chosen == responses_.size()) return;
    const response r = responses_[chosen];
    const bool posted = protocol::is_posted(protocol::extension(*r.payload).type);
    if (posted)
        consume(*r.payload);
    else if (!deliver(*r.payload))
        return;  // stays first until the queue has room
    else
        --in_channel_;
    responses_.erase(responses_.begin() + static_cast<std::ptrdiff_t>(chosen));
    if (r.withholds_end) protocol::end_response(memory, *r.payload);
    if (responses_.empty()) return_process_.sleep();
}

/// -gpgpu_simple_dram_model: requests are complete after the latency.
void memory_partition::return_simple() {
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    if (latency_.empty()) return return_process_.sleep();
    if (now < latency_.front().ready) {
        if (latency_.front().ready >= now + core_timer::worth_sleeping) {
            latency_timer_.set(latency_.front().ready);
            return_process_.sleep();
        }
        return;
    }
    tlm::tlm_generic_payload& payload = *latency_.front().payload;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (protocol::is_posted(protocol::extension(payload).type)) {
        latency_.pop();
        ++in_channel_;  // decremented by consume()
        consume(payload);
    } else if (deliver(payload)) {
        latency_.pop();
    }
}

// Requests to the channel.

bool memory_partition::channel_full(const tlm::tlm_generic_payload& next) const {
    // Accesses the payload only if necessary, because it is not in the host's caches.
    if (unanswered_[0] != nullptr || unanswered_[1] != nullptr) {
        if (!config_.dram.separate_write_queue || unanswered_[next.is_write() ? 1 : 0] != nullptr)
            return true;
    }
    return next_request_ != sc_core::SC_ZERO_TIME && next_request_ > return_process_.local_time();
}

void memory_partition::arbitrate_cycle() {
    arbitrate();
    const std::uint64_t now = sequencer_.cycle(protocol::core_clock);
    if (!config_.simple_dram && !latency_.empty() && now >= latency_.front().ready &&
        !channel_full(*latency_.front().payload))
        send(*latency_.pop().payload);
    if (!latency_.empty() && latency_.front().ready <= now + 1)
        // After a long wait it is not in the host's caches.
        protocol::prefetch(*latency_.front().payload);

    // If the channel is full, nothing happens until END_REQ.
    if (!config_.dram.separate_write_queue && unanswered_[0] != nullptr)
        return arbitrate_process_.sleep();
    for (const auto& s : sub_partitions_)
        if (!s->to_memory.empty()) return;
    if (config_.simple_dram || latency_.empty()) return arbitrate_process_.sleep();
    if (latency_.front().ready >= now + core_timer::worth_sleeping) {
        latency_timer_.set(latency_.front().ready);
        arbitrate_process_.sleep();
    }
}

/// Moves at most one request per cycle from a sub-partition into the latency queue.
void memory_partition::arbitrate() {
    const unsigned n = sub_partitions();
    unsigned local = last_borrower_;
    for (unsigned i = 0; i < n; ++i) {
        local = local + 1 == n ? 0 : local + 1;
        memory_sub_partition& s = *sub_partitions_[local];
        if (s.to_memory.empty() || s.from_memory.full() || !has_credit(local)) continue;
        if (channel_full(*s.to_memory.front())) return;
        const std::uint64_t ready = sequencer_.cycle(protocol::core_clock) + config_.dram_latency;
        tlm::tlm_generic_payload& request = *s.to_memory.pop();
        latency_.push({&request, ready});
        if (observer_ != nullptr) observer_->request_sent(request);
        take_shared_credit(local);
        if (config_.simple_dram) return_process_.wake();
        return;
    }
}

void memory_partition::send(tlm::tlm_generic_payload& payload) {
    const bool write = payload.is_write();
    auto*& unanswered = unanswered_[config_.dram.separate_write_queue && write ? 1 : 0];
    unanswered = &payload;
    ++in_channel_;
    protocol::extension(payload).when.at_dram =
        protocol::hop_times::stamp(sequencer_.cycle(protocol::core_clock));
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const auto answer = memory->nb_transport_fw(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED) {
        end_of_request(payload, sc_core::SC_ZERO_TIME);
        accept(payload, delay, false);
    } else if (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
        end_of_request(payload, sc_core::SC_ZERO_TIME);
        accept(payload, delay, true);
    } else if (answer == tlm::TLM_UPDATED) {
        end_of_request(payload, delay);
    }
}

bool memory_partition::idle() const {
    if (!latency_.empty() || in_channel_ != 0 || !responses_.empty()) return false;
    for (const auto& s : sub_partitions_)
        if (!s->idle()) return false;
    return true;
}

std::string memory_partition::describe() {
    std::string text;
    for (const auto& s : sub_partitions_) text += s->describe();
    const auto add = [&](const std::string& what) {
        text += fmt::format("  {}: {}\n", name(), what);
    };
    if (!latency_.empty())
        add(fmt::format("{} requests on their way to the channel, first {}", latency_.size(),
                        protocol::describe(*latency_.front().payload)));
    if (in_channel_ != 0) add(fmt::format("{} requests in the channel", in_channel_));
    for (const tlm::tlm_generic_payload* p : unanswered_)
        if (p != nullptr) add("the channel has not taken " + protocol::describe(*p));
    for (unsigned i = 0; i < sub_partitions(); ++i)
        if (!sub_partitions_[i]->to_memory.empty() && !has_credit(i))
            add(fmt::format("sub-partition {} has as many requests under way as it may", i));
    if (!responses_.empty())
        add(fmt::format("{} responses wait for room in dram_to_L2, first {}", responses_.size(),
                        protocol::describe(*responses_.front().payload)));
    return text;
}

}  // namespace simtlm::memory
