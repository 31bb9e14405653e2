// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/instruction_link.h"

#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

namespace {

/// Tag of a request, by which its reply is assigned to a generation. Beyond the numbers of the
/// profile of instructions: a fetch is not an access of an instruction.
std::uint32_t tag_of(unsigned generation) {
    return generation | 0x8000'0000u;
}

}  // namespace

instruction_link::instruction_link(const sc_core::sc_module_name& name,
                                   simulation::phase_sequencer& sequencer,
                                   const sub_core_config& config, unsigned sub_cores, client& l0s,
                                   const requester_identity& identity,
                                   protocol::transaction_pool& transactions)
    : sc_module(name),
      l1i("l1i"),
      config_(config),
      sub_cores_(sub_cores),
      l0s_(l0s),
      identity_(identity),
      transactions_(transactions),
      process_("process", sequencer, protocol::phase::core_dispatch,
               simulation::on_edge<&instruction_link::cycle>(this)) {
    l1i.register_nb_transport_bw(this, &instruction_link::respond, 0);
}

instruction_link::~instruction_link() {
    if (spare_ != nullptr) spare_->release();
}

void instruction_link::flush() {
    ++generation_;
    requests_.clear();
    replies_.clear();
}

void instruction_link::reply(const message& m, std::uint64_t now) {
    message r = m;
    r.at = now + config_.l1i_reply_latency;
    if (!replies_.empty()) r.at = std::max(r.at, replies_.back().at + 1);
    replies_.push_back(r);
}

tlm::tlm_sync_enum instruction_link::respond(int, tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                             sc_core::sc_time&) {
    const protocol::memory_extension& e = protocol::extension(p);
    --awaited_;
    // A line for a kernel that has ended in the meantime is discarded; it is requested again if
    // needed.
    if (e.profiled == tag_of(generation_))
        reply({0, p.get_address(), e.warp, generation_}, process_.now());
    p.release();
    process_.wake();
    return tlm::TLM_COMPLETED;
}

void instruction_link::access(std::uint64_t now) {
    const message& m = requests_.front();
    if (spare_ == nullptr)
        spare_ = &transactions_.acquire(tlm::TLM_READ_COMMAND, m.line, config_.l0i.line_bytes,
                                        protocol::access_type::instruction_read);
    tlm::tlm_generic_payload& p = *spare_;
    p.set_address(m.line);
    protocol::memory_extension& e = protocol::extension(p);
    e.data_bytes = static_cast<std::uint16_t>(config_.l0i.line_bytes);
    e.warp = static_cast<std::uint16_t>(m.sub_core);
    e.profiled = tag_of(generation_);
    identity_.tag(e);
    e.when.created = protocol::hop_times::stamp(now);
    e.located = false;
    identity_.touches(m.line, protocol::request_order::by_fetch);
    switch (protocol::begin_request(l1i, p)) {
        case tlm::TLM_COMPLETED:
            reply(m, now);
            break;
        case tlm::TLM_ACCEPTED:
            ++awaited_;
            spare_ = nullptr;
            break;
        default:
            return;  // a reservation failure: retried
    }
    requests_.pop_front();
}

void instruction_link::cycle() {
    const std::uint64_t now = process_.now();
    for (unsigned k = 0; k < sub_cores_; ++k) {
        const unsigned s = (first_ + k) % sub_cores_;
        if (!l0s_.has_request(s)) continue;
        requests_.push_back(
            {now + config_.l1i_request_latency, l0s_.take_request(s), s, generation_});
        first_ = (s + 1) % sub_cores_;
        break;
    }
    if (!requests_.empty() && requests_.front().at <= now) access(now);
    if (!replies_.empty() && replies_.front().at <= now) {
        const message r = replies_.front();
        replies_.pop_front();
        l0s_.line_arrived(r.sub_core, r.line);
    }
    bool asked = false;
    for (unsigned s = 0; s < sub_cores_; ++s) asked |= l0s_.has_request(s);
    if (asked) return;
    std::uint64_t next = ~std::uint64_t{0};
    if (!requests_.empty()) next = requests_.front().at;
    if (!replies_.empty()) next = std::min(next, replies_.front().at);
    if (next == ~std::uint64_t{0})
        process_.sleep();
    else
        process_.sleep_until(next);
}

}  // namespace simtlm::core::sub_core_pipeline
