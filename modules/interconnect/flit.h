// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/packet.h"
#include "modules/interconnect/router_settings.h"
#include "modules/interconnect/topology.h"

#include <cstdint>
#include <vector>

namespace simtlm::interconnect {

/// A packet in a network of routers: the data that its flits share. Times in icnt cycles.
struct traveller {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t destination = 0;  ///< node
    std::uint16_t flits = 1;
    std::uint16_t hops = 0;  ///< routers passed by its tail
    vc_range vcs;            ///< virtual channels of its type
    std::uint8_t ring_class = 0;
    bool tie = false;
    std::uint64_t created = 0;     ///< when it entered the queue of its node
    std::uint64_t injected = 0;    ///< when its head left the node
    std::uint64_t head_taken = 0;  ///< when its head arrived
};

/// A flit of a packet.
struct flit {
    traveller* packet = nullptr;
    std::uint64_t injected = 0;  ///< icnt cycle
    std::uint16_t vc = 0;
    bool head = false;
    bool tail = false;
};

/// State of the virtual channels of a downstream buffer as known to the sender: which are in use by
/// a packet, and how many flits their buffers hold, according to the returned credits.
class credit_counter {
public:
    explicit credit_counter(const router_settings& s)
        : limit_(s.vc_buffer), wait_for_tail_(s.wait_for_tail_credit), held_(s.vcs, 0) {}

    /// Whether no packet uses a virtual channel.
    bool available(unsigned vc) const { return (in_use_ >> vc & 1u) == 0; }
    std::uint64_t available() const { return ~in_use_; }
    bool full(unsigned vc) const { return held_[vc] >= limit_; }
    /// Allocates a virtual channel to a packet.
    void take(unsigned vc) {
        in_use_ |= bit(vc);
        tail_sent_ &= ~bit(vc);
    }
    /// A flit has been sent. @param tail  it is the last one of its packet
    void send(unsigned vc, bool tail) {
        ++held_[vc];
        if (!tail) return;
        tail_sent_ |= bit(vc);
        if (!wait_for_tail_) in_use_ &= ~bit(vc);
    }
    /// Receives one credit for each virtual channel in a set.
    void receive(std::uint64_t vcs) {
        for (; vcs != 0; vcs &= vcs - 1) {
            const auto vc = static_cast<unsigned>(__builtin_ctzll(vcs));
            --held_[vc];
            if (wait_for_tail_ && held_[vc] == 0 && (tail_sent_ & bit(vc)) != 0)
                in_use_ &= ~bit(vc);
        }
    }

private:
    static std::uint64_t bit(unsigned vc) { return std::uint64_t{1} << vc; }
    unsigned limit_;
    bool wait_for_tail_;
    std::uint64_t in_use_ = 0;
    std::uint64_t tail_sent_ = 0;
    std::vector<unsigned> held_;
};

/// All flits and credits in flight on channels, by cycle of arrival. A flit sent in cycle t through
/// a channel of latency d arrives in cycle t + d + 1, because the channel registers its input.
class channel_wheel {
public:
    /// A flit in a channel, and its destination.
    struct flit_arrival {
        endpoint to;
        flit what;
    };
    /// Credits in a channel: one for every virtual channel of a mask.
    struct credit_arrival {
        endpoint to;
        std::uint64_t vcs;
    };
    /// Arrivals in one cycle.
    struct bucket {
        std::vector<flit_arrival> flits;
        std::vector<credit_arrival> credits;
    };
    static constexpr unsigned max_latency = 2;

    /// Sends a flit in an icnt cycle.
    void send(std::uint64_t now, const endpoint& to, const flit& f) {
        at(now + to.latency + 1).flits.push_back({to, f});
        ++under_way_;
    }
    /// Returns a credit for every virtual channel of a mask.
    void send_credit(std::uint64_t now, const endpoint& to, std::uint64_t vcs) {
        at(now + to.latency + 1).credits.push_back({to, vcs});
        ++under_way_;
    }
    bucket& arrivals(std::uint64_t now) { return at(now); }
    /// Removes the arrivals of a cycle.
    void clear(std::uint64_t now) {
        bucket& b = at(now);
        under_way_ -= b.flits.size() + b.credits.size();
        b.flits.clear();
        b.credits.clear();
    }
    bool empty() const { return under_way_ == 0; }

private:
    bucket& at(std::uint64_t cycle) { return buckets_[cycle % 4]; }
    bucket buckets_[4];
    std::uint64_t under_way_ = 0;
};
static_assert(channel_wheel::max_latency + 1 < 4, "a bucket must not be written while it is read");

}  // namespace simtlm::interconnect
