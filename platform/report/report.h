// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/power/energy_meter.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/statistics.h"
#include "platform/gpu/gpu.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::platform {

/// A value of the report, under the name printed by GPGPU-Sim. Values that GPGPU-Sim prints in a
/// row without individual names are called ROW.COLUMN (warp_occ.W0_Idle).
struct report_value {
    std::string name;
    double value = 0;
    bool whole = true;  ///< value is an integer
};

/// A histogram, or a row of values by channel and bank.
struct value_row {
    std::string name;
    std::vector<std::uint64_t> values;
};

/// The kernel a report is about.
struct report_subject {
    std::string name;
    std::string demangled;          ///< name as in the source code
    std::uint64_t list_number = 0;  ///< position in the command list, from 1; 0: no list
    std::uint64_t id = 0;           ///< kernel number assigned by the tracer
    std::uint64_t launch = 0;       ///< launch number, from 1
    std::uint64_t stream = 0;
};

/// All statistics of the GPU: as text in the format of GPGPU-Sim, and as values. Values are
/// cumulative from the start of the simulation, except gpu_sim_*, gpu_ipc, gpu_occupancy, L2_BW and
/// partiton_level_parallism[_util], which cover the time since the previous report.
struct report {
    std::string text;
    std::vector<report_value> report_values;
    std::vector<value_row> rows;

    /// Value of a statistic; 0 if not in the report. @throws support::user_error  if unknown
    double value(const std::string& name) const;
};

/// The lines about host time that GPGPU-Sim prints after a report, the only ones that differ
/// between runs.
/// @param seconds     host time since the start; times below a millisecond count as one
/// @param core_hertz  core clock frequency of the simulated GPU
std::string host_time_text(const report& r, double seconds, double core_hertz);

/// Makes reports of a GPU. Call between steps of its sequencer, and after it has been built.
class reporter {
public:
    explicit reporter(gpu& device) : device_(device) {}

    /// @param subject  nullptr: the report does not belong to a kernel
    /// @return valid until the next report is made
    const report& make(const report_subject* subject);
    /// The report made last; empty before the first.
    const report& last() const { return last_; }

    /// Saves or restores the counts at the last report.
    void checkpoint(support::archive& a);

private:
    /// Counts at the previous report.
    struct counted {
        std::uint64_t cycles = 0;
        std::uint64_t instructions = 0;
        std::uint64_t requests = 0, replies = 0, request_cycles = 0;  // of the memory partitions
        // Resident warps and warp slots, summed over cycles.
        std::uint64_t warp_cycles = 0, warp_slots = 0;
        power::energy_statistics energy{};
    };

    gpu& device_;
    counted before_;
    report last_;
};

/// The counters of all kinds of blocks, for docs/statistics.md.
std::vector<support::counter_kind> counter_kinds();

/// Lists the counters of every block under its hierarchical name. The entries are valid during the
/// lifetime of the GPU; call update_counters() before reading their values.
void list_statistics(gpu& device, support::statistics& list);
/// Makes sleeping blocks account for the cycles they have slept through. Call between steps.
void update_counters(gpu& device);
/// Reports to the network how often its neighbours found it full. Call between steps.
void count_network_refusals(gpu& device);

}  // namespace simtlm::platform
