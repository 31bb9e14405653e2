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

/// Cycles of a whole run out of those of a few kernels.
struct projection {
    double cycles = 0;            ///< core cycles of all kernels
    std::optional<double> error;  ///< half of the 95 % interval, cycles; nothing: not known
    double simulated_cycles = 0;  ///< of those that were simulated
    std::uint64_t kernels = 0, groups = 0, clusters = 0;
    std::uint64_t simulated = 0;  ///< kernels, whole or up to where their rate was stable
    std::uint64_t stopped = 0;    ///< of them, kernels that were stopped early
};

/// Whole applications by samples, after Principal Kernel Analysis (Baddouh et al., MICRO 2021):
/// kernels that execute the same are one group, of which a few are simulated and stand for the
/// others.
///
/// Kernels of one name, grid, block and demand of registers and shared memory are in one group as
/// long as their instructions per CTA, their mix of instructions and the memory that they touch
/// differ by no more than a share (sampling_options::similarity), or touch as many sectors of 32
/// bytes but for one of each warp. Groups form a cluster, of which one group is simulated, where
/// that saves work and is of little consequence: their cycles behind the launch latency,
/// estimated, times the difference of their traits are at most a fiftieth of the run in all. The
/// first of a group, which finds caches without its code and data, belongs to one stratum of its
/// cluster; the others to another. The error is that of stratified sampling, where a stratum with
/// one sample has the relative spread of those that have more; on top what cold caches would make
/// of all that is projected, and what was put up with where clusters were formed.
class kernel_sampler {
public:
    /// @param launch_cycles  what a kernel takes that does nothing, core cycles
    /// @param sms            of the GPU; 0: groups form no clusters
    kernel_sampler(const sampling_options& how, double launch_cycles, double sms = 0);

    /// The next kernel of the run. @return its number, from 0
    std::size_t add(const kernel_traits& traits);
    /// All kernels are known: chooses those that are simulated, the most telling first, as long as
    /// their work lies within the budget; at least one of each group.
    void choose();
    /// Each is simulated.
    void choose_all() {
        for (entry& k : kernels_) k.chosen = true;
    }

    /// The next kernel of a run of which nothing is known before it has run. @return its number
    std::size_t add_unknown();
    /// It has run, with or without time: what it has executed. Instructions are no criterion for
    /// its group, since its cycles follow from them. @return the group
    /// @param cold  it is the first of its name, grid and block
    std::size_t assign(std::size_t kernel, const kernel_traits& traits, bool cold);

    bool simulated(std::size_t kernel) const { return kernels_[kernel].chosen; }
    /// It is not the first of its group, so that it would have found its code and data in the L2.
    bool is_repeated(std::size_t kernel) const { return !kernels_[kernel].cold; }
    /// Bytes that kernels have touched since the one of its group before, estimated.
    double bytes_since_last(std::size_t kernel) const;

    /// A kernel has been simulated. @param instructions  warp instructions; 0: not known
    /// @param projected  core cycles of what it did not come to because its rate was stable, and
    /// @param uncertain  their standard deviation
    void measured(std::size_t kernel, double cycles, double instructions, double projected = 0,
                  double uncertain = 0);
    /// A kernel has been executed without time.
    void executed(std::size_t kernel, double instructions) {
        kernels_[kernel].instructions = instructions;
    }

    projection result() const { return result(look()); }
    /// The cycles of a kernel, measured or not.
    double cycles_of(std::size_t kernel) const { return cycles_of(kernel, look()); }
    /// Lines "name = value" and a table of the groups.
    std::string text() const;
    /// The same, kernel by kernel, as JSON.
    std::string json() const;

private:
    static constexpr std::size_t no_group = ~std::size_t{0};

    struct entry {
        std::size_t group = no_group;
        std::size_t place = 0;  ///< in its group
        double work = 0, bytes = 0;
        bool cold = false;  ///< the first of its group: finds caches without its code and data
        bool chosen = false, known = false;
        double cycles = 0, projected = 0, uncertain = 0;
        double instructions = 0;  ///< 0: not known
    };
    struct group {
        kernel_traits leader;
        std::vector<std::size_t> members;
        std::size_t cluster = 0;
        double unlike = 0;  ///< cycles that it may differ by from what stands for it in its cluster
    };
    /// Groups that samples of one of them stand for.
    struct cluster {
        std::vector<std::size_t> groups;  ///< first the one that is simulated
    };
    /// What has been measured of the members of a cluster but the cold ones.
    struct sample {
        double n = 0, mean = 0, variance = 0, instructions = 0;
        double slope = 0;  ///< cycles for each instruction more or less than their mean
        bool any = false;  ///< something has been measured, cold ones included
    };
    /// What has been measured of all clusters.
    struct overview {
        std::vector<sample> samples;        ///< by cluster
        std::vector<std::size_t> stand_in;  ///< by group: the cluster that stands for it
        double unlike = 0;                  ///< cycles: what is put up with by standing in
        std::optional<double> first_excess;
        double spread = 0, degrees = 0;
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
    std::size_t stand_in_of(std::size_t group, const std::vector<sample>& samples) const;
    overview look() const;
    /// Cold misses: how much longer the first of a group takes than the others, relative; nothing:
    /// no group has both.
    std::optional<double> first_excess(const std::vector<sample>& samples) const;
    projection result(const overview& seen) const;
    double cycles_of(std::size_t kernel, const overview& seen) const;

    sampling_options how_;
    double launch_cycles_;
    double sms_;
    std::vector<entry> kernels_;
    std::vector<group> groups_;
    std::unordered_map<std::string, std::vector<std::size_t>> by_name_;  // groups
    std::vector<cluster> clusters_;
};

}  // namespace simtlm::platform
