// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/launch_sampler.h"

#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/options/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace simtlm::platform {

namespace {

/// A grid need not be simulated if its number of CTAs is within this factor of that of a simulated
/// grid.
constexpr double covered_ratio = 2;
/// With samples of fewer grids, the relation between the grid and the cycles of a kernel is
/// unknown.
constexpr std::size_t fewest_grids = 2;

/// Family of the launches before the sampled part of the run.
constexpr std::size_t no_family = ~std::size_t{0};

}  // namespace

void launch_sampler::check(const option_values& values) {
    const sampling_options how = sampling_options::of(values);
    if (!how.any()) return;
    const char* const option = how.groups ? "--sample" : "--sample-stable";
    if (values.given("--sample-budget"))
        values.fail("--sample-budget",
                    "has no effect on programs, whose launches are not known in advance",
                    "omit it");
    for (const char* const choice :
         {"--kernels", "--kernel-ids", "--kernel-names", "--skip-kernels", "--max-kernels"})
        if (values.given(choice))
            values.fail(choice,
                        fmt::format("does not go with {}, which chooses launches itself", option),
                        "leave one of them out");
    if (how.stable && values.given("--record-trace"))
        values.fail("--record-trace", "does not go with --sample-stable, which simulates parts",
                    "leave one of them out");
    if (values.number("--gpus", 1, 64) > 1)
        values.fail("--gpus", fmt::format("does not go with {}", option), "leave one of them out");
}

bool launch_sampler::is_covered(const grid_samples& s, double ctas) const {
    if (s.irregular || s.simulated.size() < fewest_grids) return false;
    const auto above = s.simulated.lower_bound(ctas);
    return (above != s.simulated.end() && *above < covered_ratio * ctas) ||
           (above != s.simulated.begin() && ctas < covered_ratio * *std::prev(above));
}

bool launch_sampler::take(const kernel_traits& t) {
    sampler_.add_unknown();
    if (family_of_.size() + 1 < how_.from) {
        family_of_.push_back(no_family);
        return false;
    }
    const std::size_t family =
        families_.emplace(launch_identity(t), families_.size()).first->second;
    family_of_.push_back(family);
    latest_.resize(families_.size());
    grid_samples& other_grids = grids_[kernel_identity(t)];
    const auto ctas = static_cast<double>(t.grid.volume());
    if (!how_.groups) return true;
    const bool chosen = chooser_.choose(family, is_covered(other_grids, ctas), is_large(family));
    if (chosen) other_grids.simulated.insert(ctas);
    return chosen;
}

/// Assigns a launch to its group. @return its warp instructions
double launch_sampler::assign(std::uint64_t number, const kernel_traits& traits, bool simulated) {
    const std::size_t family = family_of_.at(number - 1);
    const std::size_t group = sampler_.assign(number - 1, traits, !latest_[family]);
    latest_[family] = traits;
    grid_samples& grids = grids_[kernel_identity(traits)];
    if (!grids.leader)
        grids.leader = traits;
    else if (!sampler_.scale_with_grid(*grids.leader, traits))
        grids.irregular = true;
    if (how_.groups) chooser_.observed(family, group, simulated);
    return traits.instructions * static_cast<double>(traits.grid.volume());
}

/// Whether a launch of the family has executed as many instructions as --sample-skip gives.
bool launch_sampler::is_large(std::size_t family) const {
    const std::optional<kernel_traits>& equal = latest_[family];
    return how_.skip != 0 && equal && equal->work() >= static_cast<double>(how_.skip);
}

bool launch_sampler::skip(std::uint64_t number) {
    const std::size_t family = family_of_.at(number - 1);
    if (family != no_family && !is_large(family)) return false;
    ++skipped_;
    if (family != no_family) executed(number, kernel_traits(*latest_[family]));
    return true;
}

void launch_sampler::executed(std::uint64_t number, const kernel_traits& traits) {
    sampler_.executed(number - 1, assign(number, traits, false));
}

void launch_sampler::attach(gpu& device) {
    if (!how_.stable) return;
    monitor_ = std::make_unique<rate_monitor>("rate_monitor", device, how_.spread);
    if (how_.skip != 0)
        monitor_->end_within_ctas(
            [this](std::uint64_t number, std::uint64_t ctas) { return work_of(number, ctas); });
}

/// Work of the first, a middle and the last CTA of a launch; nothing if one waits for other CTAs.
std::optional<rate_monitor::cta_work> launch_sampler::work_of(std::uint64_t number,
                                                              std::uint64_t ctas) const {
    const simulated_launch& launch = started_.at(number);
    rate_monitor::cta_work work;
    double sum = 0, squares = 0;
    constexpr double inspected = 3;
    for (const std::uint64_t cta : {std::uint64_t{0}, ctas / 2, ctas - 1}) {
        const std::optional<std::uint64_t> one = launch.instructions_of(cta);
        if (!one) return std::nullopt;
        const auto instructions = static_cast<double>(*one);
        sum += instructions;
        squares += instructions * instructions;
        work.longest = std::max(work.longest, instructions);
    }
    work.mean = sum / inspected;
    work.deviation = std::sqrt(std::max(0.0, squares / inspected - work.mean * work.mean));
    return work;
}

void launch_sampler::started(std::uint64_t number, simulated_launch launch) {
    started_.emplace(number, std::move(launch));
}

void launch_sampler::ended(const dispatch::finished_kernel& kernel) {
    const std::uint64_t begin = std::max(kernel.launched_at, end_);
    overlapped_ = overlapped_ || kernel.launched_at < end_;
    end_ = std::max(end_, kernel.end_cycle + 1);
    rate_monitor::remainder rest;
    if (monitor_) rest = monitor_->take(kernel.launch);
    const auto found = started_.find(kernel.list_number);
    const simulated_launch launch = std::move(found->second);
    started_.erase(found);
    if (rest.any() && how_.skip == 0) launch.execute_rest();
    kernel_traits traits = launch.executed();
    if (rest.any() && how_.skip != 0) ++skipped_;
    if (rest.work) {
        traits.instructions = rest.work->mean;
    } else if (rest.any() && how_.skip != 0) {
        // Its average per CTA counts only the CTAs that ran.
        const auto ctas = static_cast<double>(traits.grid.volume());
        traits.instructions *= ctas / (ctas - static_cast<double>(rest.ctas));
    }
    const double instructions = assign(kernel.list_number, traits, true);
    const std::uint64_t simulated = end_ - std::min(begin, end_);
    sampler_.measured(kernel.list_number - 1,
                      static_cast<double>(simulated - std::min(rest.ending_cycles, simulated)),
                      instructions, rest.cycles, rest.uncertain);
}

void launch_sampler::write() const {
    if (how_.json.empty()) return;
    support::output_file out(how_.json);
    out.write(sampler_.json());
    out.commit();
}

std::string launch_sampler::text() const {
    if (family_of_.empty()) return {};
    const std::string note =
        skipped_ == 0 ? ""
                      : fmt::format(
                            "skipped_kernels = {}\nsimtlm: note: {} launches were not completely "
                            "executed (--sample-skip): the program's results are not "
                            "valid\n",
                            skipped_, skipped_);
    return sampler_.text() + note +
           (overlapped_ ? "simtlm: note: kernels of several streams have run "
                          "concurrently; the sum of their cycles differs from the "
                          "duration of the run (-gpgpu_max_concurrent_kernel 1)\n"
                        : "");
}

std::string launch_sampler::summary() const {
    if (family_of_.empty()) return {};
    const projection p = sampler_.result();
    return fmt::format("simtlm: {} of {} kernels were simulated; projected: {:.0f} core cycles{}\n",
                       p.simulated, p.kernels, p.cycles,
                       p.error ? fmt::format(" +- {:.0f}", *p.error) : ", error unknown");
}

}  // namespace simtlm::platform
