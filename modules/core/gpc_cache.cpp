// SPDX-License-Identifier: Apache-2.0
#include "modules/core/gpc_cache.h"

#include "modules/protocol/describe.h"
#include "modules/protocol/phases.h"
#include "modules/support/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace simtlm::core {

gpc_cache::gpc_cache(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                     const gpc_cache_config& config, unsigned first_cluster, unsigned clusters)
    : clocked_module(name, sequencer),
      from_cluster("from_cluster", clusters),
      network("network", *this),
      config_(config),
      first_cluster_(first_cluster),
      engine_(config.cache),
      waiting_(clusters),
      process_("process", sequencer, protocol::phase::core_effects,
               simulation::on_edge<&gpc_cache::cycle>(this)) {
    for (unsigned c = 0; c < clusters; ++c) {
        from_cluster[c].register_nb_transport_fw(this, &gpc_cache::request, static_cast<int>(c));
        waiting_[c].requests.reset(config.requests_of_cluster);
        waiting_[c].responses.reset(config.requests_of_cluster);
    }
}

tlm::tlm_sync_enum gpc_cache::request(int cluster, tlm::tlm_generic_payload& p,
                                      tlm::tlm_phase& phase, sc_core::sc_time&) {
    const auto c = static_cast<unsigned>(cluster);
    if (phase == tlm::END_RESP) {
        from_cluster[c].response_ended();
        if (!waiting_[c].responses.empty()) process_.wake();
        return tlm::TLM_COMPLETED;
    }
    waiting_[c].requests.push({&p, process_.now() + config_.latency});
    process_.wake();
    return from_cluster[c].accept_request(p, phase, true);
}

/// Accounts for the cycles before a core cycle in which the cache slept.
void gpc_cache::replay(std::uint64_t now) {
    if (now <= next_cycle_) return;
    engine_.skip(now - next_cycle_);
    next_cycle_ = now;
}

void gpc_cache::cycle() {
    const std::uint64_t now = process_.now();
    replay(now);
    if (network.response_waiting()) network.retry();
    engine_.send(network);
    look_up(now);
    if (engine_.access_ready()) {
        tlm::tlm_generic_payload& p = engine_.next_access();
        answer(p);
        p.release();  // the L1 cache that waits for it keeps its own reference
    }
    engine_.pass_cycle();
    next_cycle_ = now + 1;
    respond();
    rest(now);
}

/// Performs the access of the next cluster whose request is due. An access without a free MSHR, or
/// whose set has no free line, waits.
void gpc_cache::look_up(std::uint64_t now) {
    const auto n = static_cast<unsigned>(waiting_.size());
    for (unsigned k = 0; k < n; ++k) {
        const unsigned c = (next_ + k) % n;
        auto& requests = waiting_[c].requests;
        if (requests.empty() || requests.front().due > now) continue;
        next_ = (c + 1) % n;
        tlm::tlm_generic_payload& p = *requests.front().request;
        const cache::access_result r = engine_.access(p, now);
        if (r.outcome == cache::access_outcome::reservation_fail) return;
        requests.pop();
        if (r.outcome == cache::access_outcome::hit) answer(p);
        return;
    }
}

/// Queues the response to an access.
void gpc_cache::answer(tlm::tlm_generic_payload& p) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    const unsigned cluster = protocol::extension(p).sm / config_.sms_per_cluster;
    waiting_[cluster - first_cluster_].responses.push(&p);
}

/// Offers a response to every cluster that has accepted the previous one.
void gpc_cache::respond() {
    for (unsigned c = 0; c < waiting_.size(); ++c) {
        auto& responses = waiting_[c].responses;
        while (!responses.empty() && !from_cluster[c].response_pending())
            from_cluster[c].respond(*responses.pop());
    }
}

/// Sleeps until a request is due, unless there is other work.
void gpc_cache::rest(std::uint64_t now) {
    if ((!engine_.miss_queue_empty() && !network.blocked()) || engine_.access_ready() ||
        network.response_waiting() || !engine_.fill_port_free())
        return;
    std::uint64_t due = std::numeric_limits<std::uint64_t>::max();
    for (const waiting& w : waiting_)
        if (!w.requests.empty()) due = std::min(due, w.requests.front().due);
    if (due == std::numeric_limits<std::uint64_t>::max())
        process_.sleep();
    else if (due > now + 1)
        process_.sleep_until(due);
}

bool gpc_cache::accept_response(tlm::tlm_generic_payload& response) {
    if (!engine_.fill_port_free()) return false;
    const bool part = protocol::is_part(response);  // evaluated before the payload may be released
    engine_.fill(response, process_.now());
    if (part) response.release();
    process_.wake();
    return true;
}

bool gpc_cache::busy() const {
    return engine_.busy() || network.response_waiting() ||
           std::any_of(waiting_.begin(), waiting_.end(), [](const waiting& w) {
               return !w.requests.empty() || !w.responses.empty();
           });
}

const cache::cache_statistics& gpc_cache::statistics() {
    replay(process_.now() + 1);
    return engine_.statistics();
}

std::string gpc_cache::describe() const {
    std::string text;
    for (unsigned c = 0; c < waiting_.size(); ++c) {
        const waiting& w = waiting_[c];
        if (w.requests.empty() && w.responses.empty()) continue;
        text += fmt::format("  {}: {} requests and {} responses of {}\n", name(), w.requests.size(),
                            w.responses.size(), from_cluster[c].name());
    }
    if (engine_.busy()) text += fmt::format("  {}: {}\n", name(), engine_.describe());
    if (network.blocked())
        text += fmt::format("  {}: the network has not taken {}\n", name(),
                            protocol::describe(network.unanswered()));
    return text;
}

void gpc_cache::checkpoint(support::archive& a) {
    const auto itself = [](std::uint64_t address) { return address; };
    if (engine_.checkpoint(a, name(), process_.now(), itself)) a(next_);
    a.history(next_cycle_);
}

}  // namespace simtlm::core
