// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/phase_sequencer.h"

#include "modules/kernel/clocked_process.h"

#include <algorithm>
#include <random>

namespace simtlm::kernel {

phase_sequencer::phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                                 std::vector<phase> phases, const options& opts)
    : sc_module(name), clock("clock", domains), options_(opts), domains_(domains) {
    using SC_CURRENT_USER_MODULE = phase_sequencer;
    sc_assert(domains <= max_domains);
    slots_.reserve(phases.size());
    for (const phase& p : phases) {
        slot s;
        s.what = p;
        slots_.push_back(std::move(s));
    }
    for (unsigned set = 0; set < order_.size(); ++set)
        for (unsigned i = 0; i < slots_.size(); ++i)
            if ((set >> slots_[i].what.domain & 1u) != 0)
                order_[set].push_back(static_cast<std::uint16_t>(i));
    for (auto& w : wheel_) w.resize(wheel_size);
    activity_.activations.assign(slots_.size(), 0);
    SC_METHOD(on_edge);
    for (unsigned d = 0; d < domains; ++d) sensitive << clock[d].pos();
    dont_initialize();
    SC_METHOD(step);
    sensitive << step_event_;
    dont_initialize();
}

unsigned phase_sequencer::join(clocked_process& p, unsigned phase_index) {
    slot& s = slots_.at(phase_index);
    s.members.push_back(&p);
    if (s.awake_bits.size() * 64 < s.members.size()) s.awake_bits.push_back(0);
    return static_cast<unsigned>(s.members.size() - 1);
}

void phase_sequencer::end_of_elaboration() {
    if (options_.shuffle_seed == 0) return;
    std::mt19937_64 random(options_.shuffle_seed);
    for (unsigned k = 0; k < slots_.size(); ++k) {
        slot& s = slots_[k];
        std::vector<clocked_process*> awake;
        for (unsigned i = 0; i < s.members.size(); ++i)
            if ((s.awake_bits[i / 64] >> (i % 64) & 1u) != 0) awake.push_back(s.members[i]);
        std::shuffle(s.members.begin(), s.members.end(), random);
        std::fill(s.awake_bits.begin(), s.awake_bits.end(), 0);
        for (unsigned i = 0; i < s.members.size(); ++i)
            s.members[i]->index_[k - s.members[i]->first_phase_] = i;
        for (const clocked_process* p : awake) {
            const unsigned i = p->index_[k - p->first_phase_];
            s.awake_bits[i / 64] |= std::uint64_t{1} << (i % 64);
        }
    }
}

void phase_sequencer::on_edge() {
    for (unsigned d = 0; d < domains_; ++d)
        if (clock[d].posedge()) pending_ |= 1u << d;
    if (!stepping_ && !failure_) step_event_.notify();
}

void phase_sequencer::expire_timers(unsigned domain) {
    auto& bucket = wheel_[domain][cycle_[domain] % wheel_size];
    std::size_t kept = 0;
    for (const timer& t : bucket) {
        if (t.at <= cycle_[domain])
            t.who->wake();
        else
            bucket[kept++] = t;
    }
    bucket.resize(kept);
}

void phase_sequencer::set_timer(clocked_process& p, unsigned domain, std::uint64_t at) {
    wheel_[domain][at % wheel_size].push_back({at, &p});
}

bool phase_sequencer::start_next_phase() {
    const auto& order = order_[current_];
    for (; position_ < order.size(); ++position_) {
        slot& s = slots_[order[position_]];
        if (s.awake == 0) continue;
        visiting_ = order[position_];
        ++activity_.deltas;
        activity_.activations[order[position_]] += s.awake;
        for (std::size_t w = 0; w < s.awake_bits.size(); ++w)
            for (std::uint64_t bits = s.awake_bits[w]; bits != 0; bits &= bits - 1)
                s.members[w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))]->edge_.notify();
        ++position_;
        return true;
    }
    return false;
}

void phase_sequencer::fail(std::exception_ptr why) {
    if (failure_) return;
    failure_ = std::move(why);
    failed_.notify(sc_core::SC_ZERO_TIME);
}

void phase_sequencer::finish_step() {
    for (step_observer* o : observers_) o->step_ended(last_);
}

void phase_sequencer::step() {
    if (!stepping_) {
        if (last_ != 0) {
            if (!observers_.empty()) finish_step();
            for (unsigned d = 0; d < domains_; ++d) cycle_[d] += last_ >> d & 1u;
        }
        if (!observers_.empty()) step_time_ = sc_core::sc_time_stamp();
        current_ = pending_;
        pending_ = 0;
        position_ = 0;
        visiting_ = 0;
        stepping_ = true;
        ++activity_.steps;
        for (unsigned d = 0; d < domains_; ++d)
            if ((current_ >> d & 1u) != 0) {
                ++activity_.edges[d];
                expire_timers(d);
            }
    }
    if (start_next_phase()) {
        step_event_.notify(sc_core::SC_ZERO_TIME);
        return;
    }
    stepping_ = false;
    last_ = current_;
    if (pending_ != 0) step_event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace simtlm::kernel
