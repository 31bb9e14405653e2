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
constexpr double cost_of_any_kernel = 3000;  // warp instructions: its report, its launch latency
/// Of the estimated cycles of the run: what clusters of unlike groups may make it differ by.
constexpr double cluster_budget = 0.01;
constexpr double sector = 32;  // bytes
constexpr double warp_size = 32;

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

double warps_of(const kernel_traits& t) {
    return std::ceil(static_cast<double>(t.block.volume()) / warp_size);
}

/// Share of the instructions that would have to be others for the mixes to be the same.
double mix_difference(const kernel_traits& a, const kernel_traits& b) {
    double mix = 0;
    for (std::size_t c = 0; c < a.mix.size(); ++c) mix += std::abs(a.mix[c] - b.mix[c]) / 2;
    return mix;
}

/// The greatest relative difference of what two kernels of any names and grids execute.
double difference(const kernel_traits& a, const kernel_traits& b) {
    const double a_warps = warps_of(a), b_warps = warps_of(b);
    return std::max(
        {mix_difference(a, b),
         relative_difference(a.instructions / a_warps, b.instructions / b_warps),
         relative_difference(a_warps, b_warps),
         relative_difference(static_cast<double>(a.grid.volume()),
                             static_cast<double>(b.grid.volume())),
         relative_difference(a.footprint / a_warps + sector, b.footprint / b_warps + sector)});
}

}  // namespace

kernel_sampler::kernel_sampler(const sampling_options& how, double launch_cycles, double sms)
    : how_(how), launch_cycles_(launch_cycles), sms_(sms) {}

bool kernel_sampler::similar(const kernel_traits& a, const kernel_traits& b) const {
    if (a.name != b.name || !same(a.grid, b.grid) || !same(a.block, b.block) ||
        a.shared_memory != b.shared_memory || a.registers != b.registers)
        return false;
    // Where a warp's accesses begin in a sector is no difference.
    const bool same_memory = relative_difference(a.footprint, b.footprint) <= how_.similarity ||
                             std::abs(a.footprint - b.footprint) <= sector * warps_of(a);
    return mix_difference(a, b) <= how_.similarity && same_memory &&
           relative_difference(a.instructions, b.instructions) <= how_.similarity;
}

std::size_t kernel_sampler::add(const kernel_traits& traits) {
    std::size_t g = 0;
    while (g < groups_.size() && !similar(groups_[g].leader, traits)) ++g;
    if (g == groups_.size()) {
        groups_.push_back({traits, {}, clusters_.size()});
        clusters_.push_back({{g}});
    }
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

/// Core cycles behind the launch latency, roughly: what the instructions of a warp take one behind
/// the other, or, if that is longer, what they take when every SM issues one in two cycles.
double kernel_sampler::body_cycles(const kernel_traits& t) const {
    constexpr double memory_round_trip = 500, per_instruction = 8, sm_cycles = 2;
    return std::max(memory_round_trip + per_instruction * t.instructions / warps_of(t),
                    sm_cycles * t.work() / sms_);
}

/// Joins the groups whose joining makes the least difference, as long as that is little in all.
void kernel_sampler::form_clusters() {
    struct candidate {
        double cycles;  // by which a kernel of the smaller group may differ, times its kernels
        std::size_t smaller, larger;
    };
    std::vector<candidate> candidates;
    double all = 0;
    const auto kernels = [&](std::size_t g) { return groups_[g].members.size(); };
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const kernel_traits& t = groups_[g].leader;
        all += static_cast<double>(kernels(g)) * (launch_cycles_ + body_cycles(t));
        for (std::size_t h = 0; h < g; ++h) {
            const kernel_traits& u = groups_[h].leader;
            if (t.instructions == 0 || u.instructions == 0) continue;  // nothing is known
            const bool swap = kernels(h) < kernels(g);
            const double cycles = std::max(body_cycles(t), body_cycles(u)) * difference(t, u);
            candidates.push_back({cycles * static_cast<double>(std::min(kernels(g), kernels(h))),
                                  swap ? h : g, swap ? g : h});
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const candidate& a, const candidate& b) { return a.cycles < b.cycles; });
    double left = cluster_budget * all;
    for (const candidate& c : candidates) {
        // Both are on their own, or the larger stands for others already.
        std::vector<std::size_t>& joins = clusters_[groups_[c.larger].cluster].groups;
        std::vector<std::size_t>& alone = clusters_[groups_[c.smaller].cluster].groups;
        if (alone.size() != 1 || joins.front() != c.larger || c.cycles > left) continue;
        left -= c.cycles;
        groups_[c.smaller].unlike = c.cycles;
        alone.clear();
        joins.push_back(c.smaller);
        groups_[c.smaller].cluster = groups_[c.larger].cluster;
    }
    // What has become empty goes.
    std::vector<cluster> whole;
    for (cluster& c : clusters_) {
        if (c.groups.empty()) continue;
        for (const std::size_t g : c.groups) groups_[g].cluster = whole.size();
        whole.push_back(std::move(c));
    }
    clusters_ = std::move(whole);
}

void kernel_sampler::choose() {
    if (sms_ != 0) form_clusters();
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
    for (const cluster& c : clusters_) {
        const group& g = groups_[c.groups.front()];
        const std::size_t n = g.members.size();
        take(g.members[n > 1 ? 1 : 0]);
        if (n < 2) continue;
        const double cycles = launch_cycles_ + kernels_[g.members[0]].work;
        double rest = 0;
        for (const std::size_t member : c.groups)
            rest += static_cast<double>(groups_[member].members.size() - 1);
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

/// All of a cluster that have been measured, but the first ones of groups.
template <class Act>
void kernel_sampler::for_each_repeated(const cluster& c, Act act) const {
    for (const std::size_t g : c.groups)
        for (std::size_t p = 1; p < groups_[g].members.size(); ++p)
            if (const entry& k = kernels_[groups_[g].members[p]]; k.known) act(k);
}

kernel_sampler::sample kernel_sampler::repeated(const cluster& c) const {
    sample s;
    double sum = 0, squares = 0, instructions = 0;
    for_each_repeated(c, [&](const entry& k) {
        const double cycles = k.cycles + k.projected;
        ++s.n;
        sum += cycles;
        squares += cycles * cycles;
        instructions += k.instructions;
    });
    if (s.n == 0) return s;
    s.mean = sum / s.n;
    s.instructions = instructions / s.n;
    if (s.n > 1) s.variance = std::max(0.0, (squares - sum * s.mean) / (s.n - 1));
    if (s.instructions == 0) return s;
    fit(c, s);
    return s;
}

/// How cycles follow from instructions: a line through the samples where there are three or more of
/// different instructions, else one through their mean and what a kernel takes that does nothing.
void kernel_sampler::fit(const cluster& c, sample& s) const {
    double across = 0, along = 0;
    const auto each = [&](auto&& act) {
        for_each_repeated(c, [&](const entry& k) {
            act(k.instructions - s.instructions, k.cycles + k.projected - s.mean);
        });
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
    for (const cluster& c : clusters_) {
        const sample s = repeated(c);
        if (s.n == 0) continue;
        for (const std::size_t g : c.groups) {
            const entry& k = kernels_[groups_[g].members[0]];
            if (!k.known) continue;
            first += k.cycles + k.projected;
            others += s.mean;
        }
    }
    if (others == 0) return std::nullopt;
    return first / others - 1;
}

std::pair<double, double> kernel_sampler::pooled_spread() const {
    double squares = 0, degrees = 0;
    for (const cluster& c : clusters_) {
        const sample s = repeated(c);
        if (s.n < 2 || s.mean == 0) continue;
        squares += s.variance / (s.mean * s.mean) * (s.n - 1);
        degrees += s.n - 1;
    }
    return {degrees > 0 ? std::sqrt(squares / degrees) : 0, degrees};
}

double kernel_sampler::cycles_of(std::size_t number) const {
    const entry& k = kernels_[number];
    if (k.known) return k.cycles + k.projected;
    const cluster& c = clusters_[groups_[k.group].cluster];
    sample s = repeated(c);
    if (s.n == 0) {  // only a first one is known, or none is yet
        const entry* first = nullptr;
        for (const std::size_t g : c.groups)
            if (const entry& one = kernels_[groups_[g].members[0]]; one.known && first == nullptr)
                first = &one;
        if (first == nullptr) return 0;
        s.mean = first->cycles + first->projected;
        s.instructions = first->instructions;
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
    p.clusters = clusters_.size();
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
    double unlike = 0;
    for (const cluster& c : clusters_) {
        const sample s = repeated(c);
        double members = 0, firsts_missing = 0, mean = s.mean;
        for (const std::size_t g : c.groups) {
            const group& of = groups_[g];
            members += static_cast<double>(of.members.size() - 1);
            unlike += of.unlike;
            if (!kernels_[of.members[0]].known) ++firsts_missing;
            if (s.n == 0 && mean == 0) mean = cycles_of(of.members[0]);
        }
        const double missing = members - s.n;
        const double own = s.n > 1 ? s.variance : spread * spread * mean * mean;
        if (missing > 0) variance += members * missing * own / std::max(s.n, 1.0);
        variance += firsts_missing * spread * spread * mean * mean;
        unknown = unknown || ((missing > 0 && s.n < 2) && degrees == 0);
        // A kernel that was stopped stands for all others of its cluster.
        for (const std::size_t g : c.groups)
            for (const std::size_t k : groups_[g].members) {
                const double of = kernels_[k].uncertain *
                                  (kernels_[k].place == 0 ? 1 : members / std::max(s.n, 1.0));
                variance += of * of;
            }
    }
    if (unknown) return p;
    // What the others find in caches lies between what the samples found, all of their own code and
    // data, and what first kernels find.
    const auto excess = first_excess();
    if (projected != 0 && !excess) return p;
    p.error = (degrees > 0 ? quantile(degrees) : 2) * std::sqrt(variance) +
              std::abs(excess.value_or(0)) * projected + unlike;
    return p;
}

std::string kernel_sampler::text() const {
    const projection p = result();
    std::string t = fmt::format(
        "\nsimtlm: projection: {} of {} kernels were simulated ({} groups); the totals above are "
        "theirs\nsampled_kernels = {}\nsampled_kernels_stopped = {}\nsampled_groups = {}\n"
        "sampled_clusters = {}\nsampled_sim_cycle = {:.0f}\nprojected_tot_sim_cycle = {:.0f}\n",
        p.simulated, p.kernels, p.groups, p.simulated, p.stopped, p.groups, p.clusters,
        p.simulated_cycles, p.cycles);
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
    j["sampled_clusters"] = p.clusters;
    for (const group& g : groups_) {
        const kernel_traits& t = g.leader;
        nlohmann::ordered_json row;
        row["name"] = t.name;
        row["grid"] = {t.grid.x, t.grid.y, t.grid.z};
        row["block"] = {t.block.x, t.block.y, t.block.z};
        row["kernels"] = g.members.size();
        row["cluster"] = g.cluster;
        if (t.instructions != 0) {
            row["warp_instructions_per_cta"] = t.instructions;
            row["bytes_per_cta"] = t.footprint;
        }
        j["groups"].push_back(std::move(row));
    }
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
