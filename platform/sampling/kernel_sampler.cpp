// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/kernel_sampler.h"

#include "modules/support/display_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace simtlm::platform {

namespace {

/// Additional samples beyond one per cluster may use this share of the work even if the budget is
/// exhausted. The second constant applies to the first two of them, without which no error can be
/// estimated.
constexpr double extra_budget = 0.01, error_budget = 0.03;
// Work is measured in warp instructions. In host instructions, a report and a launch latency cost
// as much as 3,000 of them, and the construction of an SM as much as 500.
constexpr double cost_of_any_kernel = 3000, cost_of_an_sm = 500;
/// Maximum deviation due to clusters of unequal groups, as a share of the estimated cycles of the
/// run.
constexpr double cluster_budget = 0.02;
/// Similarity limit for launches of programs relative to that for traced kernels: with fewer active
/// threads the instruction mix changes, but cycles remain proportional to instructions.
constexpr double launch_tolerance = 2;
constexpr double sector = 32;  // bytes
constexpr double warp_size = 32;

/// Quantile of Student's t distribution, 95 %, two-sided.
double quantile(double degrees) {
    constexpr double table[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    const auto d = static_cast<std::size_t>(degrees);
    return d <= 10 ? table[std::max<std::size_t>(d, 1) - 1] : 1.96 + 2.6 / degrees;
}

double relative_difference(double a, double b) {
    const double larger = std::max(a, b);
    return larger > 0 ? std::abs(a - b) / larger : 0;
}

double warps_of(const kernel_traits& t) {
    return std::ceil(static_cast<double>(t.block.volume()) / warp_size);
}

/// Share of the instructions by which the two mixes differ.
double mix_difference(const kernel_traits& a, const kernel_traits& b) {
    double mix = 0;
    for (std::size_t c = 0; c < a.mix.size(); ++c) mix += std::abs(a.mix[c] - b.mix[c]) / 2;
    return mix;
}

/// Difference of launches with the same kernel, grid and block, independent of their instruction
/// counts.
double launch_difference(const kernel_traits& a, const kernel_traits& b) {
    return std::max(mix_difference(a, b), relative_difference(a.footprint, b.footprint));
}

/// The same for launches whose grids, and therefore amounts of work, may differ.
double stand_in_difference(const kernel_traits& a, const kernel_traits& b) {
    if (same_launch(a, b)) return launch_difference(a, b);
    return std::max(mix_difference(a, b), relative_difference(a.work(), b.work()));
}

/// Loads per warp; each may stall for memory.
double loads_of(const kernel_traits& t) {
    return t.mix[static_cast<std::size_t>(program::op_class::load)] * t.instructions / warps_of(t);
}

/// Largest relative difference in what two kernels with any names and grids execute.
double difference(const kernel_traits& a, const kernel_traits& b) {
    const double a_warps = warps_of(a), b_warps = warps_of(b);
    return std::max(
        {mix_difference(a, b),
         relative_difference(a.instructions / a_warps, b.instructions / b_warps),
         relative_difference(a.work(), b.work()),
         relative_difference(a.longest_warp, b.longest_warp),
         relative_difference(1 + loads_of(a), 1 + loads_of(b)),
         relative_difference(a_warps, b_warps),
         relative_difference(static_cast<double>(a.grid.volume()),
                             static_cast<double>(b.grid.volume())),
         relative_difference(a.footprint / a_warps + sector, b.footprint / b_warps + sector)});
}

}  // namespace

kernel_sampler::kernel_sampler(const sampling_options& how, double launch_cycles, double sms)
    : how_(how), launch_cycles_(launch_cycles), sms_(sms) {}

bool kernel_sampler::similar(const kernel_traits& a, const kernel_traits& b) const {
    if (!same_launch(a, b)) return false;
    // The offset of a warp's accesses within a sector is ignored.
    const bool same_memory = relative_difference(a.footprint, b.footprint) <= how_.similarity ||
                             std::abs(a.footprint - b.footprint) <= sector * warps_of(a);
    // If the CTAs of a kernel differ, the first ones are not representative, so recorded sizes are
    // compared too.
    return mix_difference(a, b) <= how_.similarity && same_memory &&
           (a.recorded == 0 || b.recorded == 0 ||
            relative_difference(a.recorded, b.recorded) <= how_.similarity) &&
           relative_difference(a.instructions, b.instructions) <= how_.similarity;
}

/// Similarity of executed launches. Instruction counts are ignored, since cycles are derived from
/// them.
bool kernel_sampler::similar_launch(const kernel_traits& a, const kernel_traits& b) const {
    return same_launch(a, b) && launch_difference(a, b) <= launch_tolerance * how_.similarity;
}

bool kernel_sampler::scale_with_grid(const kernel_traits& a, const kernel_traits& b) const {
    const double most = launch_tolerance * how_.similarity;
    const double memory =
        std::min(relative_difference(a.footprint, b.footprint),
                 relative_difference(a.footprint * static_cast<double>(a.grid.volume()),
                                     b.footprint * static_cast<double>(b.grid.volume())));
    return same_kernel(a, b) && mix_difference(a, b) <= most && memory <= most &&
           relative_difference(a.instructions, b.instructions) <= most;
}

std::size_t kernel_sampler::new_group(const kernel_traits& leader) {
    groups_.push_back({leader, {}, clusters_.size()});
    clusters_.push_back({{groups_.size() - 1}});
    by_name_[leader.name].push_back(groups_.size() - 1);
    return groups_.size() - 1;
}

void kernel_sampler::put(std::size_t kernel, std::size_t g) {
    entry& k = kernels_[kernel];
    k.group = g;
    k.place = groups_[g].members.size();
    groups_[g].members.push_back(kernel);
}

std::size_t kernel_sampler::add(const kernel_traits& traits) {
    const std::vector<std::size_t>& of_name = by_name_[traits.name];
    const auto g = std::find_if(of_name.begin(), of_name.end(), [&](std::size_t one) {
        return similar(groups_[one].leader, traits);
    });
    kernels_.emplace_back();
    put(kernels_.size() - 1, g != of_name.end() ? *g : new_group(traits));
    entry& k = kernels_.back();
    k.cold = k.place == 0;
    k.work = traits.work();
    k.bytes = traits.footprint * static_cast<double>(traits.grid.volume());
    return kernels_.size() - 1;
}

std::size_t kernel_sampler::add_unknown() {
    kernels_.emplace_back();
    return kernels_.size() - 1;
}

std::size_t kernel_sampler::assign(std::size_t kernel, const kernel_traits& traits, bool cold) {
    const std::vector<std::size_t>& of_name = by_name_[traits.name];
    const auto g = std::find_if(of_name.begin(), of_name.end(), [&](std::size_t one) {
        return similar_launch(groups_[one].leader, traits);
    });
    put(kernel, g != of_name.end() ? *g : new_group(traits));
    kernels_[kernel].cold = cold;
    return kernels_[kernel].group;
}

double kernel_sampler::cost(std::size_t k) const {
    return kernels_[k].work + cost_of_any_kernel;
}

/// Largest ratio of measured to estimated cycles after the launch latency; at least 1.
double kernel_sampler::underestimate() const {
    double most = 1;
    for (const entry& k : kernels_)
        if (k.known && k.group != no_group)
            most = std::max(most, (k.cycles + k.projected - launch_cycles_) /
                                      body_cycles(groups_[k.group].leader));
    return most;
}

/// Rough estimate of the core cycles after the launch latency: the serial execution time of a warp
/// or, if longer, the time at an issue rate of one instruction every two cycles per SM.
double kernel_sampler::body_cycles(const kernel_traits& t) const {
    constexpr double memory_round_trip = 500, per_instruction = 8, sm_cycles = 2;
    const double warps = warps_of(t);
    const double of_a_warp = std::max({t.longest_warp, t.instructions / warps,
                                       t.work() / warps / static_cast<double>(t.grid.volume())});
    return std::max(memory_round_trip + per_instruction * of_a_warp, sm_cycles * t.work() / sms_);
}

/// Merges groups in order of work saved per possible deviation of the run, as long as the total
/// deviation stays within the budget.
void kernel_sampler::form_clusters() {
    struct candidate {
        double cycles;  ///< possible deviation of all kernels of the first group
        double saved;   ///< work that need not be simulated
        std::size_t replaced, by;
    };
    double all = 0;
    for (const group& g : groups_)
        all += static_cast<double>(g.members.size()) * (launch_cycles_ + body_cycles(g.leader));
    double left = cluster_budget * all;
    std::vector<candidate> candidates;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        for (std::size_t h = 0; h < groups_.size(); ++h) {
            const kernel_traits &t = groups_[g].leader, &u = groups_[h].leader;
            if (g == h || t.instructions == 0 || u.instructions == 0) continue;  // unknown
            const double cycles = static_cast<double>(groups_[g].members.size()) *
                                  std::max(body_cycles(t), body_cycles(u)) * difference(t, u);
            if (cycles <= left) candidates.push_back({cycles, cost(groups_[g].members[0]), g, h});
        }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const candidate& a, const candidate& b) {
                         return a.cycles * b.saved < b.cycles * a.saved;
                     });
    for (const candidate& c : candidates) {
        // The replaced group must be alone in its cluster; the other one must be the simulated one
        // of its cluster.
        std::vector<std::size_t>& joins = clusters_[groups_[c.by].cluster].groups;
        std::vector<std::size_t>& alone = clusters_[groups_[c.replaced].cluster].groups;
        if (alone.size() != 1 || joins.front() != c.by || c.cycles > left) continue;
        left -= c.cycles;
        groups_[c.replaced].unlike = c.cycles;
        alone.clear();
        joins.push_back(c.replaced);
        groups_[c.replaced].cluster = groups_[c.by].cluster;
    }
    // Remove empty clusters.
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
    // Both the full run and the sampled run construct the GPU, so its cost is part of the budget.
    double all = cost_of_an_sm * sms_, used = all;
    for (std::size_t k = 0; k < kernels_.size(); ++k) all += cost(k);
    const auto take = [&](std::size_t k) {
        kernels_[k].chosen = true;
        used += cost(k);
    };
    /// An additional sample.
    struct candidate {
        /// Samples of the cluster before it: second samples of all clusters precede third ones.
        double samples;
        double worth;
        std::size_t kernel;
    };
    std::vector<candidate> more;
    std::vector<candidate> firsts;
    for (const cluster& c : clusters_) {
        const group& g = groups_[c.groups.front()];
        const std::size_t n = g.members.size();
        take(g.members[n > 1 ? 1 : 0]);
        if (n < 2) continue;
        const double cycles = launch_cycles_ + kernels_[g.members[0]].work;
        double rest = 0;
        for (const std::size_t member : c.groups)
            rest += static_cast<double>(groups_[member].members.size() - 1);
        double samples = 1;
        const auto worth = [&](double of_total, std::size_t k) {
            return candidate{samples, of_total * of_total / cost(k), k};
        };
        // Cold caches do not affect kernels without loads.
        firsts.push_back(worth(rest * loads_of(g.leader), g.members[0]));
        for (const std::size_t place : {n - 1, n / 2, n / 4}) {
            if (place < 2) continue;
            more.push_back(worth(rest * cycles * std::sqrt(1 / samples - 1 / (samples + 1)),
                                 g.members[place]));
            ++samples;
        }
    }
    for (std::vector<candidate>* const list : {&more, &firsts})
        std::stable_sort(list->begin(), list->end(), [](const candidate& a, const candidate& b) {
            return a.samples != b.samples ? a.samples < b.samples : a.worth > b.worth;
        });
    // Alternate with the first kernels of the groups, in order to estimate both the spread and the
    // effect of cold caches.
    for (std::size_t i = 0; i < firsts.size(); ++i)
        more.insert(more.begin() + static_cast<std::ptrdiff_t>(std::min(2 * i, more.size())),
                    firsts[i]);
    const double limit = std::max(how_.budget * all, used + extra_budget * all);
    const double limit_of_two = std::max(limit, used + error_budget * all);
    std::size_t taken = 0;
    for (const candidate& c : more) {
        const double most = taken < 2 ? limit_of_two : limit;
        if (kernels_[c.kernel].chosen || used + cost(c.kernel) > most) continue;
        take(c.kernel);
        ++taken;
    }
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

/// Calls `act` for all measured kernels of a cluster except cold ones.
template <class Act>
void kernel_sampler::for_each_repeated(const cluster& c, Act act) const {
    for (const std::size_t g : c.groups)
        for (const std::size_t member : groups_[g].members)
            if (const entry& k = kernels_[member]; k.known && !k.cold) act(k);
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
    if (s.n == 0) {  // fall back to a cold one
        for (const std::size_t g : c.groups)
            for (const std::size_t member : groups_[g].members)
                if (const entry& k = kernels_[member]; k.known && !s.any) {
                    s.any = true;
                    s.mean = k.cycles + k.projected;
                    s.instructions = k.instructions;
                }
        if (s.instructions != 0) s.slope = std::max(0.0, s.mean - launch_cycles_) / s.instructions;
        return s;
    }
    s.any = true;
    s.mean = sum / s.n;
    s.instructions = instructions / s.n;
    if (s.n > 1) s.variance = std::max(0.0, (squares - sum * s.mean) / (s.n - 1));
    if (s.instructions == 0) return s;
    fit(c, s);
    return s;
}

/// Fits cycles as a function of instructions: a regression line for three or more samples with
/// different instruction counts, otherwise a line through their mean and the cycles of an empty
/// kernel.
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
    // The error depends on the residuals of the fit.
    double residues = 0;
    each([&](double x, double y) { residues += (y - s.slope * x) * (y - s.slope * x); });
    s.variance = residues / degrees;
}

std::optional<double> kernel_sampler::first_excess(const std::vector<sample>& samples) const {
    double first = 0, others = 0;
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
        if (samples[c].n == 0) continue;
        for (const std::size_t g : clusters_[c].groups)
            for (const std::size_t member : groups_[g].members)
                if (const entry& k = kernels_[member]; k.known && k.cold) {
                    first += k.cycles + k.projected;
                    others += samples[c].mean;
                }
    }
    if (others == 0) return std::nullopt;
    return first / others - 1;
}

/// The simulated launches of other grids from which a group is interpolated, by number of
/// instructions; at least two points, or nullopt.
std::vector<kernel_sampler::point> kernel_sampler::other_grids(
    std::size_t g, const std::vector<sample>& samples) const {
    const group& own = groups_[g];
    std::vector<point> all;
    if (samples[own.cluster].any) return all;
    for (const std::size_t h : by_name_.at(own.leader.name)) {
        const sample& s = samples[groups_[h].cluster];
        if (s.any && s.instructions != 0 && scale_with_grid(own.leader, groups_[h].leader))
            all.push_back({s.instructions, s.mean});
    }
    std::stable_sort(all.begin(), all.end(), [](const point& a, const point& b) {
        return a.instructions < b.instructions;
    });
    // Grids with the same number of instructions form one point.
    std::vector<point> points;
    double n = 0;
    for (const point& p : all) {
        if (points.empty() || p.instructions != points.back().instructions) {
            points.push_back(p);
            n = 1;
            continue;
        }
        points.back().cycles += (p.cycles - points.back().cycles) / ++n;
    }
    return points.size() < 2 ? std::vector<point>() : points;
}

/// Interpolates linearly between the two neighbouring points; outside their range, extrapolates
/// from the nearest two.
double kernel_sampler::interpolated(const std::vector<point>& points, double instructions) const {
    const auto above =
        std::lower_bound(points.begin() + 1, points.end() - 1, instructions,
                         [](const point& p, double x) { return p.instructions < x; });
    const point &a = above[-1], &b = above[0];
    const double slope = (b.cycles - a.cycles) / (b.instructions - a.instructions);
    return std::max(launch_cycles_, a.cycles + slope * (instructions - a.instructions));
}

/// Estimates the error of interpolated launches by cross-validation: each inner point is
/// interpolated without using it, over twice the distance between points. Large launches have a
/// larger weight than small ones.
void kernel_sampler::estimate_spread(curve& c) const {
    double off = 0, bodies = 0;
    for (std::size_t i = 1; i + 1 < c.points.size(); ++i) {
        const point& p = c.points[i];
        const double body = p.cycles - launch_cycles_;
        const double by_others = interpolated({c.points[i - 1], c.points[i + 1]}, p.instructions);
        off += (by_others - p.cycles) * (by_others - p.cycles);
        bodies += body * body;
        ++c.degrees;
    }
    if (bodies > 0) c.spread = std::sqrt(off / bodies);
}

/// The cluster of the group itself or, if none of its launches has been simulated, the cluster with
/// the most similar launches of the same kernel; on request, only launches with the same grid are
/// considered.
std::size_t kernel_sampler::stand_in_of(std::size_t g, const std::vector<sample>& samples,
                                        bool same_grid) const {
    const group& own = groups_[g];
    if (samples[own.cluster].any) return own.cluster;
    std::size_t found = own.cluster;
    double least = 0;
    for (const std::size_t h : by_name_.at(own.leader.name)) {
        const group& other = groups_[h];
        if (!samples[other.cluster].any || !same_kernel(own.leader, other.leader)) continue;
        if (same_grid && !same_launch(own.leader, other.leader)) continue;
        const double d = stand_in_difference(own.leader, other.leader);
        if (found == own.cluster || d < least) {
            found = other.cluster;
            least = d;
        }
    }
    return found;
}

kernel_sampler::overview kernel_sampler::survey() const {
    overview o;
    double squares = 0;
    for (const cluster& c : clusters_) {
        o.samples.push_back(repeated(c));
        const sample& s = o.samples.back();
        if (s.n < 2 || s.mean == 0) continue;
        squares += s.variance / (s.mean * s.mean) * (s.n - 1);
        o.degrees += s.n - 1;
    }
    if (o.degrees > 0) o.spread = std::sqrt(squares / o.degrees);
    o.first_excess = first_excess(o.samples);
    double estimated = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const group& own = groups_[g];
        estimated += own.unlike;
        o.stand_in.push_back(stand_in_of(g, o.samples, true));
        o.curve_of.emplace_back();
        if (o.stand_in[g] == own.cluster && !o.samples[own.cluster].any) {
            if (std::vector<point> points = other_grids(g, o.samples); !points.empty()) {
                // Groups of the same kernel share a curve.
                const auto c = std::find_if(o.curves.begin(), o.curves.end(),
                                            [&](const curve& one) { return one.points == points; });
                o.curve_of[g] = static_cast<std::size_t>(c - o.curves.begin());
                if (c == o.curves.end()) {
                    o.curves.push_back({std::move(points)});
                    estimate_spread(o.curves.back());
                }
                continue;
            }
            o.stand_in[g] = stand_in_of(g, o.samples, false);
        }
        if (o.stand_in[g] == own.cluster) continue;
        const group& other = groups_[clusters_[o.stand_in[g]].groups.front()];
        o.unlike += static_cast<double>(own.members.size()) *
                    stand_in_difference(own.leader, other.leader) *
                    std::max(0.0, o.samples[o.stand_in[g]].mean - launch_cycles_);
    }
    if (estimated != 0) o.unlike += estimated * underestimate();
    if (o.spread != 0) return o;
    // There is no other launch with this grid; only launches with other grids are known.
    for (const curve& c : o.curves)
        if (c.spread > o.spread) {
            o.spread = c.spread;
            o.degrees = c.degrees;
        }
    return o;
}

double kernel_sampler::cycles_of(std::size_t number, const overview& seen) const {
    const entry& k = kernels_[number];
    if (k.known) return k.cycles + k.projected;
    if (k.group == no_group) return 0;
    if (const auto c = seen.curve_of[k.group])
        return interpolated(seen.curves[*c].points, k.instructions);
    const sample& s = seen.samples[seen.stand_in[k.group]];
    if (!s.any) return 0;
    double cycles = s.mean;
    if (k.instructions != 0 && s.instructions != 0)
        cycles = std::max(0.0, s.mean + s.slope * (k.instructions - s.instructions));
    return k.cold ? cycles * (1 + seen.first_excess.value_or(0)) : cycles;
}

projection kernel_sampler::result(const overview& seen) const {
    projection p;
    p.kernels = kernels_.size();
    p.groups = groups_.size();
    p.clusters = clusters_.size();
    double variance = 0, projected = 0;
    std::vector<double> bodies(seen.curves.size());  // interpolated cycles without launch latency
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
        const double cycles = cycles_of(k, seen);
        p.cycles += cycles;
        if (kernels_[k].known) {
            ++p.simulated;
            p.simulated_cycles += kernels_[k].cycles;
            if (kernels_[k].projected != 0) ++p.stopped;
        } else if (const std::size_t g = kernels_[k].group; g != no_group && seen.curve_of[g]) {
            bodies[*seen.curve_of[g]] += cycles - launch_cycles_;
        } else {
            projected += cycles;
        }
    }
    // Kernels estimated from the samples of a cluster.
    struct stratum {
        double members = 0, cold_missing = 0;
        std::vector<std::size_t> stopped;
    };
    std::vector<stratum> strata(clusters_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (seen.curve_of[g]) continue;
        for (const std::size_t member : groups_[g].members) {
            stratum& of = strata[seen.stand_in[g]];
            const entry& k = kernels_[member];
            if (!k.cold) ++of.members;
            if (k.cold && !k.known) ++of.cold_missing;
            if (k.uncertain != 0) of.stopped.push_back(member);
        }
    }
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
        const sample& s = seen.samples[c];
        const stratum& of = strata[c];
        const double missing = of.members - s.n, spread = seen.spread * s.mean;
        // Equal values in a small sample do not imply that all values are equal.
        const double own = s.n > 1 && s.variance > 0 ? s.variance : spread * spread;
        if (missing > 0 && s.n < 2 && seen.degrees == 0) return p;
        if (missing > 0) variance += of.members * missing * own / std::max(s.n, 1.0);
        variance += of.cold_missing * spread * spread;
        // A kernel stopped early represents all other kernels of its cluster.
        for (const std::size_t k : of.stopped) {
            const double all =
                kernels_[k].uncertain * (kernels_[k].cold ? 1 : of.members / std::max(s.n, 1.0));
            variance += all * all;
        }
    }
    // The cache hits of the other kernels lie between those of the samples, which have only their
    // own code and data, and those of first kernels.
    if (projected != 0 && !seen.first_excess) return p;
    double error = (seen.degrees > 0 ? quantile(seen.degrees) : 2) * std::sqrt(variance) +
                   std::abs(seen.first_excess.value_or(0)) * projected + seen.unlike;
    // Adjacent grids may all deviate in the same direction.
    for (std::size_t c = 0; c < bodies.size(); ++c) {
        if (bodies[c] > 0 && seen.curves[c].spread == 0) return p;
        error += quantile(seen.curves[c].degrees) * seen.curves[c].spread * bodies[c];
    }
    // Equal samples do not imply that there is no variation.
    if (error > 0 || p.simulated == p.kernels) p.error = error;
    return p;
}

std::string kernel_sampler::text() const {
    const overview seen = survey();
    const projection p = result(seen);
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
            sum += cycles_of(k, seen);
        }
        t += fmt::format("{:>8} {:>9} {:>12.0f} {:>14.0f}  {} grid ({},{},{})\n", g.members.size(),
                         n, sum / static_cast<double>(g.members.size()), sum,
                         support::printable(g.leader.name), g.leader.grid.x, g.leader.grid.y,
                         g.leader.grid.z);
    }
    return t;
}

std::string kernel_sampler::json() const {
    const overview seen = survey();
    const projection p = result(seen);
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
        if (one.group != no_group) {
            row["name"] = groups_[one.group].leader.name;
            row["group"] = one.group;
        }
        row["how"] = one.group == no_group ? "omitted"
                     : !one.known          ? "projected"
                     : one.projected != 0  ? "stopped"
                                           : "simulated";
        row["cycles"] = cycles_of(k, seen);
        if (one.known) row["simulated_cycles"] = one.cycles;
        j["kernels"].push_back(std::move(row));
    }
    return j.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace simtlm::platform
