// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/interconnect/packet.h"
#include "modules/interconnect/port_set.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <vector>

namespace simtlm::interconnect {

/// The links between the inputs of a crossbar and the switch. Several inputs share a link: the SMs
/// of a GPC send their requests over one, whose width limits them together. On a V100 the stores of
/// the 14 SMs of a GPC are 2.3 times as fast as those of one (Jin et al., Uncovering Real GPU NoC
/// Characteristics, MICRO 2024).
///
/// A link transfers a number of flits per icnt cycle, and serves its inputs in turn, a packet each.
/// The last packet of a cycle may exceed the number, at the expense of the next cycles.
class input_links {
public:
    /// @param link_of_input    link of every input, numbered from 0
    /// @param width            of each link, in thousandths of a flit per icnt cycle
    input_links(const std::vector<unsigned>& link_of_input, unsigned width);

    /// A packet has entered the buffer of an input. @param flits  that it occupies the link with
    void push(unsigned input, unsigned flits);
    /// Transfers packets for one icnt cycle. @param transferred  called with the input of each
    template <class Function>
    void advance(std::uint64_t cycle, Function transferred) {
        busy_.for_each([&](unsigned number) {
            link& l = links_[number];
            refill(l, cycle);
            while (l.credit > 0 && !l.waiting.empty()) transferred(serve(l));
            if (l.waiting.empty()) busy_.erase(number);
        });
    }
    /// Number of inputs with packets that have not been transferred.
    unsigned waiting() const { return waiting_; }
    /// Saves or restores the state that persists across kernels, of idle links.
    void checkpoint(support::archive& a);

private:
    struct link {
        port_set waiting;          ///< inputs with a packet
        unsigned next = 0;         ///< input with the highest priority
        std::int64_t credit = 0;   ///< thousandths of flits that may be sent; negative after more
        std::uint64_t filled = 0;  ///< first icnt cycle that has not added to the credit
    };

    void refill(link& l, std::uint64_t cycle);
    unsigned serve(link& l);

    unsigned width_;
    std::vector<unsigned> link_of_input_;
    std::vector<growing_fifo<std::uint8_t>> queues_;  // by input: flits of each packet
    std::vector<link> links_;
    port_set busy_;  // links with packets
    unsigned waiting_ = 0;
};

}  // namespace simtlm::interconnect
