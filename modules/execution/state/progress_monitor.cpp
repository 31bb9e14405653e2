// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/progress_monitor.h"

#include <algorithm>

namespace simtlm::execution {

void progress_monitor::leave(const participant& p) {
    participants_.erase(std::find(participants_.begin(), participants_.end(), &p));
}

void progress_monitor::begin(activity what, std::uint64_t cycle, std::uint64_t cycles) {
    ++round_;
    round_ends_ = cycle + cycles;
    begun_ = what;
    activity_.store(what, std::memory_order_relaxed);
}

bool progress_monitor::all_stuck() const {
    bool resident = false;
    for (const participant* const p : participants_) {
        resident |= p->is_resident();
        if (!p->is_stuck(round_)) return false;
    }
    return resident;
}

void progress_monitor::check(std::uint64_t cycle, std::uint64_t window,
                             std::chrono::milliseconds host_timeout) {
    constexpr unsigned pause = 15;  // times the length of the round before
    if (cycle < round_ends_ || window == 0) return;
    if (now() != begun_) {  // something has changed
        length_ = window;
        stuck_rounds_ = 0;
        return begin(activity::listening, cycle, window);
    }
    if (now() == activity::off) return begin(activity::listening, cycle, window);
    if (now() == activity::listening) {
        length_ = std::max(length_, window);
        return begin(activity::comparing, cycle, length_);
    }
    if (!all_stuck()) {
        stuck_rounds_ = 0;
        length_ *= 2;
        return begin(activity::off, cycle, length_ / 2 * pause);
    }
    // Accesses that were in flight may have ended in the first round.
    const auto time = std::chrono::steady_clock::now();
    if (++stuck_rounds_ == 1) stuck_since_ = time;
    if (stuck_rounds_ > 1 && time - stuck_since_ >= host_timeout)
        for (const participant* const p : participants_)
            if (p->is_resident()) p->report();
    begin(activity::comparing, cycle, length_);
}

}  // namespace simtlm::execution
