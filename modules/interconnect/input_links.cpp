// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/input_links.h"

#include "modules/support/archive.h"

#include <algorithm>

namespace simtlm::interconnect {

namespace {
unsigned links_of(const std::vector<unsigned>& link_of_input) {
    return link_of_input.empty()
               ? 0
               : 1 + *std::max_element(link_of_input.begin(), link_of_input.end());
}
}  // namespace

input_links::input_links(const std::vector<unsigned>& link_of_input, unsigned width)
    : width_(width),
      link_of_input_(link_of_input),
      queues_(link_of_input.size()),
      busy_(links_of(link_of_input)) {
    links_.resize(links_of(link_of_input));
    for (link& l : links_) l.waiting = port_set(static_cast<unsigned>(link_of_input.size()));
}

void input_links::push(unsigned input, unsigned flits) {
    if (queues_[input].empty()) {
        const unsigned number = link_of_input_[input];
        links_[number].waiting.insert(input);
        busy_.insert(number);
        ++waiting_;
    }
    queues_[input].push(static_cast<std::uint8_t>(flits));
}

/// Adds the flits of all cycles up to this one. An idle link saves at most those of a cycle.
void input_links::refill(link& l, std::uint64_t cycle) {
    const std::int64_t width = width_;
    const auto cycles =
        static_cast<std::int64_t>(std::min<std::uint64_t>(cycle + 1 - l.filled, 1u << 16));
    l.credit = std::min(l.credit + cycles * width, width);
    l.filled = cycle + 1;
}

/// Transfers a packet of the input with the priority. @return the input
unsigned input_links::serve(link& l) {
    const unsigned input = l.waiting.at_or_after_cyclic(l.next);
    l.next = input + 1;
    l.credit -= std::int64_t{1000} * queues_[input].pop();
    if (queues_[input].empty()) {
        l.waiting.erase(input);
        --waiting_;
    }
    return input;
}

void input_links::checkpoint(support::archive& a) {
    for (link& l : links_) a(l.next, l.credit, l.filled);
}

}  // namespace simtlm::interconnect
