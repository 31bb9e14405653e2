// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/kernel_sampler.h"

#include "modules/kernel/display_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace simtlm::platform {

namespace {

/// Samples beyond one a group may take so much of the work even if those have used the budget up:
/// without them there is no error to tell.
constexpr double extra_budget = 0.03;
constexpr double cost_of_any_kernel = 500;  // warp instructions: reports, launches

/// Student's t for 95 %, two-sided.
double quantile(double degrees) {
    constexpr double table[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    const auto d = static_cast<std::size_t>(degrees);
    return d <= 10 ? table[std::max<std::size_t>(d, 1) - 1] : 1.96 + 2.6 / degrees;
}

double relative_difference(double a, double b) {
    const double larger = std::max(a, b);
    return larger > 0 ? std::abs(a - b) / larger : 0;
}

bool same(const program::dim3& a, const program::dim3& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

}  // namespace

kernel_sampler::kernel_sampler(const sampling_options& how, double launch_cycles)
    : how_(how), launch_cycles_(launch_cycles) {}

bool kernel_sampler::similar(const kernel_traits& a, const kernel_traits& b) const {
    if (a.name != b.name || !same(a.grid, b.grid) || !same(a.block, b.block) ||
        a.shared_memory != b.shared_memory || a.registers != b.registers)
        return false;
    double mix = 0;  // share of the instructions that would have to be others
    for (std::size_t c = 0; c < a.mix.size(); ++c) mix += std::abs(a.mix[c] - b.mix[c]) / 2;
    return mix <= how_.similarity &&
           relative_difference(a.instructions, b.instructions) <= how_.similarity &&
           relative_difference(a.footprint, b.footprint) <= how_.similarity;
}

std::size_t kernel_sampler::add(const kernel_traits& traits) {
    std::size_t g = 0;
    while (g < groups_.size() && !similar(groups_[g].leader, traits)) ++g;
    if (g == groups_.size()) groups_.push_back({traits, {}});
    entry k;
    k.group = g;
    k.place = groups_[g].members.size();
    k.work = traits.work();
    k.bytes = traits.footprint * static_cast<double>(traits.grid.volume());
    groups_[g].members.push_back(kernels_.size());
    kernels_.push_back(k);
    return kernels_.size() - 1;
}

double kernel_sampler::cost(std::size_t k) const {
    return kernels_[k].work + cost_of_any_kernel;
}

void kernel_sampler::choose() {
    double all = 0, used = 0;
    for (std::size_t k = 0; k < kernels_.size(); ++k) all += cost(k);
    const auto take = [&](std::size_t k) {
        kernels_[k].chosen = true;
        used += cost(k);
    };
    /// More samples of a group, in the order in which they tell most.
    struct candidate {
        double worth;
        std::size_t kernel;
    };
    std::vector<candidate> more;
    std::vector<std::size_t> firsts;
    for (const group& g : groups_) {
        const std::size_t n = g.members.size();
        take(g.members[n > 1 ? 1 : 0]);
        if (n < 2) continue;
        const double cycles = launch_cycles_ + kernels_[g.members[0]].work;
        const auto rest = static_cast<double>(n - 1);
        const auto worth = [&](double of_total, std::size_t k) {
            return candidate{of_total * of_total / cost(k), k};
        };
        firsts.push_back(g.members[0]);
        double samples = 1;
        for (const std::size_t place : {n - 1, n / 2, n / 4}) {
            if (place < 2) continue;
            more.push_back(worth(rest * cycles * std::sqrt(1 / samples - 1 / (samples + 1)),
                                 g.members[place]));
            ++samples;
        }
    }
    std::stable_sort(more.begin(), more.end(),
                     [](const candidate& a, const candidate& b) { return a.worth > b.worth; });
    // In turns with the first kernels of groups, as the run has them: what a spread and what cold
    // caches make of the whole is to be known.
    for (std::size_t i = 0; i < firsts.size(); ++i)
        more.insert(more.begin() + static_cast<std::ptrdiff_t>(std::min(2 * i, more.size())),
                    {0, firsts[i]});
    const double limit = std::max(how_.budget * all, used + extra_budget * all);
    for (const candidate& c : more)
        if (!kernels_[c.kernel].chosen && used + cost(c.kernel) <= limit) take(c.kernel);
}

bool kernel_sampler::choose_now(std::size_t k) {
    // 1, 2, 5, 10, 21, 42, ...: bits of the number take turns, so that odd and even ones do.
    const std::size_t number = kernels_[k].place + 1, ones = number ^ number >> 1;
    kernels_[k].chosen = (ones & (ones + 1)) == 0;
    return kernels_[k].chosen;
}

double kernel_sampler::bytes_since_last(std::size_t k) const {
    const entry& one = kernels_[k];
    double bytes = 0;
    const std::size_t from = one.place == 0 ? 0 : groups_[one.group].members[one.place - 1];
    for (std::size_t i = from; i < k; ++i) bytes += kernels_[i].bytes;
    return bytes;
}

void kernel_sampler::measured(std::size_t k, double cycles, double instructions, double projected,
                              double uncertain) {
    entry& one = kernels_[k];
    one.known = true;
    one.cycles = cycles;
    one.instructions = instructions;
    one.projected = projected;
    one.uncertain = uncertain;
}

kernel_sampler::sample kernel_sampler::repeated(const group& g) const {
    sample s;
    double sum = 0, squares = 0, instructions = 0;
    for (std::size_t p = 1; p < g.members.size(); ++p) {
        const entry& k = kernels_[g.members[p]];
        if (!k.known) continue;
        const double c = k.cycles + k.projected;
        ++s.n;
        sum += c;
        squares += c * c;
        instructions += k.instructions;
    }
    if (s.n == 0) return s;
    s.mean = sum / s.n;
    s.instructions = instructions / s.n;
    if (s.n > 1) s.variance = std::max(0.0, (squares - sum * s.mean) / (s.n - 1));
    if (s.instructions == 0) return s;
    fit(g, s);
    return s;
}

/// How cycles follow from instructions: a line through the samples where there are three or more of
/// different instructions, else one through their mean and what a kernel takes that does nothing.
void kernel_sampler::fit(const group& g, sample& s) const {
    double across = 0, along = 0;
    const auto each = [&](auto&& act) {
        for (std::size_t p = 1; p < g.members.size(); ++p)
            if (const entry& k = kernels_[g.members[p]]; k.known)
                act(k.instructions - s.instructions, k.cycles + k.projected - s.mean);
    };
    each([&](double x, double y) {
        along += x * x;
        across += x * y;
    });
    s.slope = std::max(0.0, s.mean - launch_cycles_) / s.instructions;
    double degrees = s.n - 1;
    const double line = along > 0 ? across / along : 0;
    if (s.n >= 3 && line > 0 && line * s.instructions <= s.mean) {
        s.slope = line;
        degrees = s.n - 2;
    }
    if (s.n < 2) return;
    // What counts for the error is how far the samples are from that.
    double residues = 0;
    each([&](double x, double y) { residues += (y - s.slope * x) * (y - s.slope * x); });
    s.variance = residues / degrees;
}

std::optional<double> kernel_sampler::first_excess() const {
    double first = 0, others = 0;
    for (const group& g : groups_) {
        const entry& k = kernels_[g.members[0]];
        const sample s = repeated(g);
        if (!k.known || s.n == 0) continue;
        first += k.cycles + k.projected;
        others += s.mean;
    }
    if (others == 0) return std::nullopt;
    return first / others - 1;
}

std::pair<double, double> kernel_sampler::pooled_spread() const {
    double squares = 0, degrees = 0;
    for (const group& g : groups_) {
        const sample s = repeated(g);
        if (s.n < 2 || s.mean == 0) continue;
        squares += s.variance / (s.mean * s.mean) * (s.n - 1);
        degrees += s.n - 1;
    }
    return {degrees > 0 ? std::sqrt(squares / degrees) : 0, degrees};
}

double kernel_sampler::cycles_of(std::size_t number) const {
    const entry& k = kernels_[number];
    if (k.known) return k.cycles + k.projected;
    const group& g = groups_[k.group];
    const entry& first = kernels_[g.members[0]];
    sample s = repeated(g);
    if (s.n == 0) {  // only the first is known, or none is yet
        if (!first.known) return 0;
        s.mean = first.cycles + first.projected;
        s.instructions = first.instructions;
        if (s.instructions != 0) s.slope = std::max(0.0, s.mean - launch_cycles_) / s.instructions;
    }
    double cycles = s.mean;
    if (k.instructions != 0 && s.instructions != 0)
        cycles = std::max(0.0, s.mean + s.slope * (k.instructions - s.instructions));
    return k.place == 0 ? cycles * (1 + first_excess().value_or(0)) : cycles;
}

projection kernel_sampler::result() const {
    projection p;
    p.kernels = kernels_.size();
    p.groups = groups_.size();
    double variance = 0, projected = 0;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
        const double cycles = cycles_of(k);
        p.cycles += cycles;
        if (!kernels_[k].known) {
            projected += cycles;
            continue;
        }
        ++p.simulated;
        p.simulated_cycles += kernels_[k].cycles;
        if (kernels_[k].projected != 0) ++p.stopped;
    }
    const auto [spread, degrees] = pooled_spread();
    bool unknown = false;
    for (const group& g : groups_) {
        const sample s = repeated(g);
        const auto rest = static_cast<double>(g.members.size() - 1);
        const double missing = rest - s.n;
        const double mean = s.n != 0 ? s.mean : cycles_of(g.members[0]);
        const double own = s.n > 1 ? s.variance : spread * spread * mean * mean;
        if (missing > 0) variance += rest * missing * own / std::max(s.n, 1.0);
        if (!kernels_[g.members[0]].known) variance += spread * spread * mean * mean;
        unknown = unknown || ((missing > 0 && s.n < 2) && degrees == 0);
        // A kernel that was stopped stands for all others of its group.
        for (const std::size_t k : g.members) {
            const double of =
                kernels_[k].uncertain * (k == g.members[0] ? 1 : rest / std::max(s.n, 1.0));
            variance += of * of;
        }
    }
    if (unknown) return p;
    // What the others find in caches lies between what the samples found, all of their own code and
    // data, and what first kernels find.
    const auto excess = first_excess();
    if (projected != 0 && !excess) return p;
    p.error = (degrees > 0 ? quantile(degrees) : 2) * std::sqrt(variance) +
              std::abs(excess.value_or(0)) * projected;
    return p;
}

std::string kernel_sampler::text() const {
    const projection p = result();
    std::string t = fmt::format(
        "\nsimtlm: projection: {} of {} kernels were simulated ({} groups); the totals above are "
        "theirs\nsampled_kernels = {}\nsampled_kernels_stopped = {}\nsampled_groups = {}\n"
        "sampled_sim_cycle = {:.0f}\nprojected_tot_sim_cycle = {:.0f}\n",
        p.simulated, p.kernels, p.groups, p.simulated, p.stopped, p.groups, p.simulated_cycles,
        p.cycles);
    t += p.error ? fmt::format("projected_error_bound = {:.0f}\nprojected_error_share = {:.4f}\n",
                               *p.error, p.cycles > 0 ? *p.error / p.cycles : 0)
                 : "projected_error_bound = unknown\n";
    t += fmt::format("{:>8} {:>9} {:>12} {:>14}  kernel\n", "kernels", "simulated", "cycles each",
                     "cycles");
    for (const group& g : groups_) {
        std::size_t n = 0;
        double sum = 0;
        for (const std::size_t k : g.members) {
            if (kernels_[k].known) ++n;
            sum += cycles_of(k);
        }
        t += fmt::format("{:>8} {:>9} {:>12.0f} {:>14.0f}  {} grid ({},{},{})\n", g.members.size(),
                         n, sum / static_cast<double>(g.members.size()), sum,
                         kernel::printable(g.leader.name), g.leader.grid.x, g.leader.grid.y,
                         g.leader.grid.z);
    }
    return t;
}

std::string kernel_sampler::json() const {
    const projection p = result();
    nlohmann::ordered_json j;
    j["projected_tot_sim_cycle"] = p.cycles;
    if (p.error)
        j["projected_error_bound"] = *p.error;
    else
        j["projected_error_bound"] = nullptr;
    j["sampled_sim_cycle"] = p.simulated_cycles;
    j["sampled_kernels"] = p.simulated;
    j["sampled_kernels_stopped"] = p.stopped;
    j["sampled_groups"] = p.groups;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
        const entry& one = kernels_[k];
        nlohmann::ordered_json row;
        row["number"] = k + 1;
        row["name"] = groups_[one.group].leader.name;
        row["group"] = one.group;
        row["how"] = !one.known ? "projected" : one.projected != 0 ? "stopped" : "simulated";
        row["cycles"] = cycles_of(k);
        if (one.known) row["simulated_cycles"] = one.cycles;
        j["kernels"].push_back(std::move(row));
    }
    return j.dump(1) + "\n";
}

}  // namespace simtlm::platform
