// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/sampling/kernel_traits.h"
#include "platform/sampling/sampling_options.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace simtlm::platform {

/// Cycles of a complete run projected from a few kernels.
struct projection {
    double cycles = 0;  ///< core cycles of all kernels
    /// Half width of the 95 % confidence interval, cycles; nothing: unknown.
    std::optional<double> error;
    double simulated_cycles = 0;  ///< core cycles of the simulated kernels
    std::uint64_t kernels = 0, groups = 0, clusters = 0;
    std::uint64_t simulated = 0;  ///< number of simulated kernels, including those stopped early
    std::uint64_t stopped = 0;    ///< number of kernels stopped early
};

/// Sampled simulation of applications after Principal Kernel Analysis (Baddouh et al., MICRO 2021):
/// kernels with equal execution form a group, of which a few are simulated and represent the
/// others.
///
/// Kernels with the same name, grid, block, register count and shared memory size form one group if
/// their instructions per CTA, their instruction mix and the memory that they access differ by at
/// most a given fraction (sampling_options::similarity), or if the number of 32-byte sectors
/// accessed differs by at most one per warp. Groups are merged into a cluster, of which only one
/// group is simulated, if that saves work and has little effect: the sum, over all groups, of the
/// estimated cycles without launch latency times the difference of traits is at most 1/50 of the
/// run. The first launch of a group, which runs before its code and data are cached, belongs to one
/// stratum of its cluster, and the other launches to another. The error is that of stratified
/// sampling; a stratum with a single sample, or with equal samples, is assigned the relative
/// standard deviation of the other strata. The error also includes the effect of cold caches on all
/// projected launches, and the difference accepted when clusters were formed.
///
/// If no launch with a given grid was simulated, launches with that grid are interpolated between
/// those of other grids of the same kernel that execute the same instructions in each CTA. The
/// interpolation error is determined by cross-validation, leaving out one of the grids at a time.
class kernel_sampler {
public:
    /// @param launch_cycles  cycles of an empty kernel, core clock
    /// @param sms            number of SMs of the GPU; 0: groups are not clustered
    kernel_sampler(const sampling_options& how, double launch_cycles, double sms = 0);

    /// Adds the next kernel of the run. @return its number, from 0
    std::size_t add(const kernel_traits& traits);
    /// Chooses the kernels to simulate once all are known: the most informative first, within the
    /// work budget; at least one per cluster.
    void choose();
    /// Chooses every kernel.
    void choose_all() {
        for (entry& k : kernels_) k.chosen = true;
    }

    /// Adds the next kernel of a run about which nothing is known before execution. @return its
    /// number
    std::size_t add_unknown();
    /// Assigns an executed kernel to a group, in timing or functional mode. Instruction counts are
    /// not compared, since cycles are derived from them. @return the group
    /// @param cold  it is the first of its name, grid and block
    std::size_t assign(std::size_t kernel, const kernel_traits& traits, bool cold);

    bool simulated(std::size_t kernel) const { return kernels_[kernel].chosen; }
    /// Returns whether an earlier kernel of its group would have left its code and data in the L2.
    bool is_repeated(std::size_t kernel) const { return !kernels_[kernel].cold; }
    /// Whether launches are of the same kernel and execute the same work in each CTA, so that the
    /// cycles are a function of the number of CTAs. Compares the instruction mix, the instructions
    /// per CTA, and the memory per CTA or in total.
    bool scale_with_grid(const kernel_traits& a, const kernel_traits& b) const;
    /// Estimated bytes that kernels have accessed since the previous kernel of the same group.
    double bytes_since_last(std::size_t kernel) const;

    /// A kernel has been simulated. @param instructions  warp instructions; 0: unknown
    /// @param projected  core cycles that were not simulated because its rate was stable
    /// @param uncertain  standard deviation of `projected`
    void measured(std::size_t kernel, double cycles, double instructions, double projected = 0,
                  double uncertain = 0);
    /// A kernel has been executed in functional mode.
    void executed(std::size_t kernel, double instructions) {
        kernels_[kernel].instructions = instructions;
    }

    projection result() const { return result(survey()); }
    /// Core cycles of a kernel, measured or projected.
    double cycles_of(std::size_t kernel) const { return cycles_of(kernel, survey()); }
    /// Report: lines "name = value" and a table of the groups.
    std::string text() const;
    /// Report for every kernel as JSON.
    std::string json() const;

private:
    static constexpr std::size_t no_group = ~std::size_t{0};

    struct entry {
        std::size_t group = no_group;
        std::size_t place = 0;  ///< index within its group
        double work = 0, bytes = 0;
        bool cold = false;  ///< first of its group: finds caches without its code and data
        bool chosen = false, known = false;
        double cycles = 0, projected = 0, uncertain = 0;
        double instructions = 0;  ///< 0: unknown
    };
    struct group {
        kernel_traits leader;
        std::vector<std::size_t> members;
        std::size_t cluster = 0;
        double unlike = 0;  ///< possible deviation from the group that represents it, cycles
    };
    /// Groups that are represented by the samples of one of them.
    struct cluster {
        std::vector<std::size_t> groups;  ///< the simulated one first
    };
    /// Measurements of a cluster without its cold members.
    struct sample {
        double n = 0, mean = 0, variance = 0, instructions = 0;
        double slope = 0;  ///< cycles per instruction of deviation from the mean
        bool any = false;  ///< something has been measured, including cold members
    };
    struct point {
        double instructions, cycles;
        bool operator==(const point& o) const {
            return instructions == o.instructions && cycles == o.cycles;
        }
    };
    /// Simulated launches of one kernel with different grids.
    struct curve {
        std::vector<point> points;  ///< by instructions; at least two
        /// Error of an interpolated launch, relative to its cycles without launch latency; degrees
        /// == 0: unknown.
        double spread = 0, degrees = 0;
    };
    /// Measurements of all clusters.
    struct overview {
        std::vector<sample> samples;        ///< by cluster
        std::vector<std::size_t> stand_in;  ///< by group: the cluster used to estimate it
        double unlike = 0;                  ///< deviation accepted by substitution, cycles
        std::optional<double> first_excess;
        double spread = 0, degrees = 0;
        std::vector<curve> curves;
        std::vector<std::optional<std::size_t>>
            curve_of;  ///< by group: the curve used for interpolation
    };

    bool similar(const kernel_traits& a, const kernel_traits& b) const;
    bool similar_launch(const kernel_traits& a, const kernel_traits& b) const;
    std::size_t new_group(const kernel_traits& leader);
    void put(std::size_t kernel, std::size_t group);
    double body_cycles(const kernel_traits& t) const;
    double underestimate() const;
    void form_clusters();
    double cost(std::size_t k) const;
    template <class Act>
    void for_each_repeated(const cluster& c, Act act) const;
    sample repeated(const cluster& c) const;
    void fit(const cluster& c, sample& s) const;
    std::vector<point> other_grids(std::size_t group, const std::vector<sample>& samples) const;
    double interpolated(const std::vector<point>& points, double instructions) const;
    void estimate_spread(curve& c) const;
    std::size_t stand_in_of(std::size_t group, const std::vector<sample>& samples,
                            bool same_grid) const;
    overview survey() const;
    /// Effect of cold misses: relative increase in cycles of the first kernel of a group over the
    /// others; nothing if no group has measurements of both.
    std::optional<double> first_excess(const std::vector<sample>& samples) const;
    projection result(const overview& seen) const;
    double cycles_of(std::size_t kernel, const overview& seen) const;

    sampling_options how_;
    double launch_cycles_;
    double sms_;
    std::vector<entry> kernels_;
    std::vector<group> groups_;
    std::unordered_map<std::string, std::vector<std::size_t>> by_name_;  // groups by kernel name
    std::vector<cluster> clusters_;
};

}  // namespace simtlm::platform
