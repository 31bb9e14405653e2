// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/mshr_table.h"

#include <utility>

namespace simtlm::cache {

namespace {
constexpr std::size_t first_buckets = 64;  // four cache lines
}

mshr_table::mshr_table(unsigned entries, unsigned max_merge)
    : capacity_(entries), max_merge_(max_merge), buckets_(first_buckets, none), ready_(entries) {
    entries_.reserve(entries);
    nodes_.reserve(entries);
}

std::uint32_t mshr_table::add(std::uint32_t found, std::uint64_t address,
                              tlm::tlm_generic_payload& access) {
    std::uint32_t e = found;
    if (e == none) {
        e = free_;
        if (e == none) {
            e = static_cast<std::uint32_t>(entries_.size());
            entries_.emplace_back();
        } else {
            free_ = entries_[e].next;
        }
        mshr& s = entries_[e];
        s = mshr();
        s.address = address;
        if (++in_use_ > buckets_.size()) add_buckets();
        link(e);
    }
    std::uint32_t n = free_node_;
    if (n == none) {
        n = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
    } else {
        free_node_ = nodes_[n].next;
    }
    nodes_[n] = {&access, none};
    mshr& s = entries_[e];
    (s.first == none ? s.first : nodes_[s.last].next) = n;
    s.last = n;
    ++s.waiting;
    s.has_atomic |= std::uint32_t{protocol::extension(access).is_atomic};
    return e;
}

bool mshr_table::read_after_write(std::uint32_t entry) const {
    bool write_found = false;
    for (std::uint32_t n = entries_[entry].first; n != none; n = nodes_[n].next) {
        if (nodes_[n].access->is_write())
            write_found = true;
        else if (write_found)
            return true;
    }
    return false;
}

tlm::tlm_generic_payload& mshr_table::next_access() {
    const std::uint32_t e = ready_.front();
    mshr& s = entries_[e];
    const std::uint32_t n = s.first;
    tlm::tlm_generic_payload& access = *nodes_[n].access;
    s.first = nodes_[n].next;
    --s.waiting;
    nodes_[n].next = free_node_;
    free_node_ = n;
    if (s.first == none) {
        ready_.pop();
        erase(e);
    }
    return access;
}

void mshr_table::link(std::uint32_t e) {
    std::uint32_t& head = buckets_[bucket(entries_[e].address)];
    entries_[e].next = head;
    head = e;
}

/// Doubles the number of buckets.
void mshr_table::add_buckets() {
    const std::vector<std::uint32_t> fewer = std::move(buckets_);
    buckets_.assign(2 * fewer.size(), none);
    for (std::uint32_t e : fewer)
        while (e != none) {
            const std::uint32_t next = entries_[e].next;
            link(e);
            e = next;
        }
}

void mshr_table::erase(std::uint32_t e) {
    std::uint32_t* link = &buckets_[bucket(entries_[e].address)];
    while (*link != e) link = &entries_[*link].next;
    *link = entries_[e].next;
    entries_[e].next = free_;
    free_ = e;
    --in_use_;
}

}  // namespace simtlm::cache
