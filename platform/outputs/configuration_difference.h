// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/archive.h"
#include "platform/config/config.h"
#include "platform/options/options.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::platform {

/// What an option means for a checkpoint.
enum class checkpoint_role : std::uint8_t {
    none,      ///< neither the saved state nor the rest of the run depends on it
    workload,  ///< defines what is run: must be the same in any case
    gpu,       ///< describes the GPU
};
checkpoint_role checkpoint_role_of(const option_info& option);

/// The value of an option as saved in a checkpoint.
std::string checkpoint_text_of(const option_values& options, const option_info& option);
/// A value of an option as messages print it: "" if it is empty.
std::string quoted(const std::string& value);
/// What several options decide together, and blocks depend on: clocks and address mapping.
std::map<std::string, std::string> design_of(const gpu_config& config);

/// How the configuration of a run that resumes a checkpoint differs from the saved one, and which
/// blocks depend on the difference.
///
/// A block depends on the groups of options that configure it, and on the clocks in whose cycles
/// its state is expressed; a memory partition and a DRAM channel also on the address mapping. One
/// table lists this for each kind of block.
class configuration_difference {
public:
    /// An option that differs.
    struct change {
        std::string name, saved, here;
        option_group group;
        checkpoint_role role;
        bool has_effect;  ///< with the pipelines and networks of both runs
    };

    configuration_difference() = default;
    /// @param saved, saved_design  of the checkpoint @param config  of this run
    configuration_difference(const std::map<std::string, std::string>& saved,
                             const std::map<std::string, std::string>& saved_design,
                             const option_values& options, const gpu_config& config);

    /// The options that differ, in the order of the option table.
    const std::vector<change>& changes() const { return changes_; }
    /// Why a block cannot take over its state unchanged; empty: it can.
    /// @param block  below the GPU: "partition3.bank0"
    std::string reason(std::string_view block) const;

private:
    std::vector<change> changes_;
    std::map<std::string, std::string> designs_;  // those that differ, and how
};

/// Where a run with another configuration begins, for its outputs.
struct resumption {
    /// What has become of the blocks of a kind.
    struct blocks {
        using outcome = support::archive::transfer::outcome;
        std::string kind;  ///< name below the GPU, without numbers: partition.bank.l2
        outcome what = outcome::restored;
        unsigned count = 0;
        std::string why;  ///< of the first that is not restored unchanged
    };
    std::string file;
    std::uint64_t kernels = 0;      ///< completed in the saved run
    std::uint64_t core_cycles = 0;  ///< of the saved run, at the checkpoint
    std::uint64_t placed = 0;       ///< thread blocks of the next kernel that are not run again
    std::vector<configuration_difference::change> options;
    std::vector<blocks> of_blocks;

    /// The name of what has been done with a block: "restored".
    static const char* name_of(blocks::outcome what);
    /// Notes for the user, a line each. At most ten options are named.
    std::vector<std::string> notes() const;
};

/// Sums up what has been done with the blocks of a GPU, by kind and outcome.
/// @param gpu  name of the GPU
std::vector<resumption::blocks> summary_of(
    const std::map<std::string, support::archive::transfer>& transfers, const std::string& gpu);

}  // namespace simtlm::platform
