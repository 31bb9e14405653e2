// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES  // enables sc_spawn; must precede SystemC headers

#include "platform/gpu/blocking_requester.h"

#include <utility>

namespace simtlm::platform {

namespace {
constexpr std::uint64_t line_bytes = 128;
constexpr std::uint64_t sector_bytes = 32;
}  // namespace

blocking_requester::blocking_requester(call transport, listener returned)
    : transport_(std::move(transport)), returned_(std::move(returned)) {}

blocking_requester::~blocking_requester() = default;

std::uint64_t blocking_requester::line_of(const tlm::tlm_generic_payload& p) {
    return p.get_address() / line_bytes;
}

std::uint8_t blocking_requester::sectors_of(const tlm::tlm_generic_payload& p) {
    const std::uint64_t first = p.get_address() % line_bytes / sector_bytes;
    const std::uint64_t last =
        (p.get_address() % line_bytes + p.get_data_length() - 1) / sector_bytes;
    return static_cast<std::uint8_t>(((2u << last) - 1u) & ~((1u << first) - 1u));
}

/// Returns whether the payload overlaps a call in progress or one of the first `before` waiting
/// requests.
bool blocking_requester::overlaps_another(const tlm::tlm_generic_payload& payload,
                                          std::size_t before) const {
    const auto found = under_way_.find(line_of(payload));
    if (found != under_way_.end() && (found->second & sectors_of(payload)) != 0) return true;
    for (std::size_t i = 0; i < before; ++i)
        if (line_of(*waiting_[i]) == line_of(payload) &&
            (sectors_of(*waiting_[i]) & sectors_of(payload)) != 0)
            return true;
    return false;
}

void blocking_requester::request(tlm::tlm_generic_payload& payload) {
    if (overlaps_another(payload, waiting_.size()))
        waiting_.push_back(&payload);
    else
        start(payload);
}

void blocking_requester::finished(const tlm::tlm_generic_payload& payload) {
    const auto line = under_way_.find(line_of(payload));
    line->second = static_cast<std::uint8_t>(line->second & ~sectors_of(payload));
    if (line->second == 0) under_way_.erase(line);
    for (std::size_t i = 0; i < waiting_.size();) {
        if (overlaps_another(*waiting_[i], i)) {
            ++i;
            continue;
        }
        tlm::tlm_generic_payload& next = *waiting_[i];
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        start(next);
    }
}

void blocking_requester::start(tlm::tlm_generic_payload& payload) {
    std::uint8_t& sectors = under_way_[line_of(payload)];
    sectors = static_cast<std::uint8_t>(sectors | sectors_of(payload));
    if (resting_.empty()) {
        workers_.push_back(std::make_unique<worker>());
        worker& w = *workers_.back();
        w.payload = &payload;
        sc_core::sc_spawn([this, &w] { work(w); });
        return;
    }
    worker& w = *resting_.back();
    resting_.pop_back();
    w.payload = &payload;
    w.start.notify(sc_core::SC_ZERO_TIME);
}

void blocking_requester::work(worker& w) {
    for (;;) {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        transport_(*w.payload, delay);
        returned_(*w.payload, delay);
        resting_.push_back(&w);
        sc_core::wait(w.start);
    }
}

}  // namespace simtlm::platform
