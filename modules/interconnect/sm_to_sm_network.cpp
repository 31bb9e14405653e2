// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/sm_to_sm_network.h"

#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::interconnect {

using protocol::sm_to_sm_message;

namespace {
constexpr std::uint64_t no_cycle = ~std::uint64_t{0};
}

sm_to_sm_network::sm_to_sm_network(const sc_core::sc_module_name& name,
                                   simulation::phase_sequencer& sequencer,
                                   const sm_to_sm_network_config& config, unsigned first_sm,
                                   unsigned sms)
    : clocked_module(name, sequencer),
      from_sm("from_sm", sms),
      config_(config),
      first_sm_(first_sm),
      process_("process", sequencer, protocol::phase::core_effects,
               simulation::on_edge<&sm_to_sm_network::cycle>(this), false, 2) {
    process_.select_sub_phase(1);
    ports_.reserve(sms);
    for (unsigned i = 0; i < sms; ++i) {
        ports_.emplace_back(config.requests);
        from_sm[i].register_nb_transport_fw(this, &sm_to_sm_network::take, static_cast<int>(i));
    }
}

/// Called in the phases of an SM, which only accesses its own port, or while messages are
/// delivered.
tlm::tlm_sync_enum sm_to_sm_network::take(int sm, sm_to_sm_message& m, tlm::tlm_phase& phase,
                                          sc_core::sc_time&) {
    port& p = ports_[static_cast<unsigned>(sm)];
    sc_assert(m.to >= first_sm_ && m.to - first_sm_ < ports_.size());
    const queued_message q{m, process_.now()};
    process_.wake();
    bool room = true;
    if (m.what == protocol::sm_to_sm_packet::bulk && m.bytes == 0) {
        p.pending_notifications.push(q);
    } else if (is_response(m.what)) {
        p.responses.push(q);
    } else {
        p.requests.push(q);
        room = !p.requests.full();
        p.withholds_end = !room;
    }
    if (!room) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

/// Transfer time of a message in ticks.
unsigned sm_to_sm_network::cost(const sm_to_sm_message& m) const {
    const unsigned lane = config_.lane_bytes;
    const unsigned data = (m.bytes + lane - 1) / lane * lane;
    return (data + config_.overhead[static_cast<unsigned>(m.what)]) * config_.sms_per_path;
}

/// Starts sending a message. @return false if the receiver's backlog is too large
bool sm_to_sm_network::start(unsigned sm, const queued_message& q, std::uint64_t now) {
    port& from = ports_[sm];
    const unsigned target = q.what.to - first_sm_;
    port& to = ports_[target];
    const std::uint64_t begin = std::max(from.send_free, now * ticks());
    const std::uint64_t reaches = begin + latency(sm, target) * ticks();
    if (to.receive_free > reaches + config_.backlog * ticks()) return false;
    const unsigned lasts = cost(q.what);
    from.send_free = begin + lasts;
    to.receive_free = std::max(to.receive_free, reaches) + lasts;
    sm_to_sm_message m = q.what;
    to.last_arrival = m.at = std::max(to.last_arrival, cycle_of(to.receive_free));
    to.arriving.push(m);
    --waiting_;
    ++flying_;
    ++statistics_.messages[static_cast<unsigned>(m.what)];
    statistics_.bytes += lasts / config_.sms_per_path;
    statistics_.waited += now - q.since;
    statistics_.busy += cycle_of(from.send_free) - cycle_of(begin);
    return true;
}

void sm_to_sm_network::deliver(unsigned sm, std::uint64_t now) {
    port& p = ports_[sm];
    while (!p.arriving.empty() && p.arriving.front().at <= now) {
        sm_to_sm_message m = p.arriving.pop();
        --flying_;
        protocol::begin_response(from_sm[sm], m);
    }
}

/// Sends notifications. @return the cycle in which to call it again
std::uint64_t sm_to_sm_network::send_notifications(unsigned sm, std::uint64_t now) {
    growing_fifo<queued_message>& pending_notifications = ports_[sm].pending_notifications;
    while (!pending_notifications.empty()) {
        if (pending_notifications.front().what.earliest > now)
            return pending_notifications.front().what.earliest;
        sm_to_sm_message m = pending_notifications.pop().what;
        const unsigned target = m.to - first_sm_;
        port& to = ports_[target];
        // After the messages that are already known to arrive.
        to.last_arrival = m.at = std::max(to.last_arrival, now + latency(sm, target));
        to.arriving.push(m);
        --waiting_;
        ++flying_;
        ++statistics_.messages[static_cast<unsigned>(m.what)];
    }
    return no_cycle;
}

/// Sends the messages for which an SM's lanes have time. @return the cycle in which to call it
/// again
std::uint64_t sm_to_sm_network::send(unsigned sm, std::uint64_t now) {
    port& p = ports_[sm];
    while (!p.requests.empty() || !p.responses.empty()) {
        if (p.send_free >= (now + 1) * ticks()) return p.send_free / ticks();
        const std::uint64_t request =
            p.requests.empty() ? no_cycle : std::max(p.requests.front().what.earliest, now);
        const std::uint64_t response =
            p.responses.empty() ? no_cycle : std::max(p.responses.front().what.earliest, now);
        if (std::min(request, response) > now) return std::min(request, response);
        const bool answers = response <= now && (request > now || !p.response_last);
        if (!start(sm, answers ? p.responses.front() : p.requests.front(), now)) {
            ++statistics_.congested;
            return now + 1;
        }
        p.response_last = answers;
        if (answers) {
            p.responses.pop();
            continue;
        }
        p.requests.pop();
        if (!p.withholds_end) continue;
        p.withholds_end = false;
        sm_to_sm_message none;
        protocol::end_request(from_sm[sm], none);
    }
    return no_cycle;
}

void sm_to_sm_network::cycle() {
    const std::uint64_t now = process_.now();
    const auto n = static_cast<unsigned>(ports_.size());
    for (unsigned i = 0; i < n; ++i) deliver(i, now);
    waiting_ = 0;
    for (unsigned i = 0; i < n; ++i) waiting_ += queued(i);
    std::uint64_t next = no_cycle;
    for (unsigned i = 0; i < n; ++i) {
        const auto sm = static_cast<unsigned>((i + now) % n);
        const std::uint64_t again = std::min(send_notifications(sm, now), send(sm, now));
        if (again != no_cycle) next = std::min(next, std::max(again, now + 1));
    }
    for (const port& p : ports_)
        if (!p.arriving.empty()) next = std::min(next, p.arriving.front().at);
    if (next == no_cycle)
        process_.sleep();
    else
        process_.sleep_until(next);
}

void sm_to_sm_network::register_signals(waveforms::signal_list& list) {
    using waveforms::display;
    constexpr unsigned on_core = 1u << protocol::core_clock;
    const std::string base = name();
    list.group(base.substr(base.find('.') + 1));
    list.changed_by({});
    list.level(base + ".under_way", 16, on_core, display::decimal, [this] { return flying_; });
    for (unsigned i = 0; i < sms(); ++i)
        list.level(fmt::format("{}.queued{}", base, i), 16, on_core, display::decimal,
                   [this, i] { return static_cast<std::uint64_t>(queued(i)); });
}

}  // namespace simtlm::interconnect
