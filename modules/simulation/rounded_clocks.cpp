// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/rounded_clocks.h"

#include <algorithm>

namespace simtlm::simulation {

class rounded_clocks::clock : public computed_clock {
public:
    clock(const char* name, rounded_clocks& all, std::size_t number)
        : computed_clock(name, all.ticks(all.periods_[number]), all.middle(0)),
          all_(all),
          number_(number) {}

    /// Number of the step of the last rising edge that was returned; later steps are still needed.
    std::uint64_t position() const { return step_; }

    std::uint64_t rising_edge(std::uint64_t k, std::uint64_t limit) const override {
        std::uint64_t step = step_;
        while (--k != 0 && all_.at(step).time < limit) step = following(step);
        return std::min(all_.at(step).time, limit);
    }

private:
    std::uint64_t next_edge() override {
        falling_ = !falling_;
        if (falling_) return all_.middle(step_);
        step_ = following(step_);
        all_.drop();
        return all_.at(step_).time;
    }
    std::uint64_t skip_before(std::uint64_t time) override {
        std::uint64_t skipped = 0;
        for (; all_.at(step_).time < time; ++skipped) step_ = following(step_);
        if (skipped != 0) all_.drop();
        return skipped;
    }
    /// @return the next step at which this clock rises
    std::uint64_t following(std::uint64_t step) const {
        do ++step;
        while ((all_.at(step).rising >> number_ & 1u) == 0);
        return step;
    }

    rounded_clocks& all_;
    std::size_t number_;
    std::uint64_t step_ = 0;  // of the last rising edge that was returned
    bool falling_ = true;     // whether the last edge that was returned was a falling one
};

rounded_clocks::rounded_clocks(const std::vector<member>& members)
    : resolution_(sc_core::sc_get_time_resolution().to_seconds()), sums_(members.size()) {
    for (const member& m : members) periods_.push_back(1 / m.frequency);
    for (std::size_t c = 0; c < members.size(); ++c)
        clocks_.push_back(std::make_unique<clock>(members[c].name, *this, c));
}

rounded_clocks::~rounded_clocks() = default;

computed_clock& rounded_clocks::operator[](std::size_t c) {
    return *clocks_[c];
}

std::uint64_t rounded_clocks::ticks(double seconds) const {
    return static_cast<std::uint64_t>(seconds / resolution_ + 0.5);
}

const rounded_clocks::step& rounded_clocks::at(std::uint64_t number) {
    while (number - first_ >= steps_.size()) add_step();
    return steps_[number - first_];
}

std::uint64_t rounded_clocks::middle(std::uint64_t number) {
    const std::uint64_t begin = at(number).time;
    return begin + (at(number + 1).time - begin) / 2;
}

void rounded_clocks::add_step() {
    const double now = *std::min_element(sums_.begin(), sums_.end());
    step s{steps_.empty() ? 0 : std::max(steps_.back().time + 2, ticks(now)), 0};
    for (std::size_t c = 0; c < sums_.size(); ++c) {
        if (sums_[c] != now) continue;
        s.rising |= std::uint32_t{1} << c;
        sums_[c] += periods_[c];
    }
    steps_.push_back(s);
}

void rounded_clocks::drop() {
    std::uint64_t needed = clocks_.front()->position();
    for (const auto& c : clocks_) needed = std::min(needed, c->position());
    for (; first_ < needed; ++first_) steps_.pop_front();
}

}  // namespace simtlm::simulation
