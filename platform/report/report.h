// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/statistics.h"
#include "platform/gpu/gpu.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::platform {

/// One figure of the report, under the name that GPGPU-Sim prints. Figures that GPGPU-Sim prints
/// in a row without names of their own are called ROW.COLUMN (warp_occ.W0_Idle).
struct figure {
    std::string name;
    double value = 0;
    bool whole = true;  ///< an integer
};

/// A histogram, or a row of figures by channel and bank.
struct figure_row {
    std::string name;
    std::vector<std::uint64_t> values;
};

/// The kernel a report is about.
struct report_subject {
    std::string name;
    std::string demangled;          ///< the name as its source has it
    std::uint64_t list_number = 0;  ///< place among the kernels of the list, from 1; 0: no list
    std::uint64_t id = 0;           ///< the tracer's number
    std::uint64_t launch = 0;       ///< number of the launch, from 1
    std::uint64_t stream = 0;
};

/// Everything the GPU has counted: as text in the spelling and order of GPGPU-Sim, and as figures.
/// Figures count from the start of the simulation, but gpu_sim_*, gpu_ipc, gpu_occupancy, L2_BW and
/// partiton_level_parallism[_util], which count from the report before.
struct report {
    std::string text;
    std::vector<figure> figures;
    std::vector<figure_row> rows;

    /// The value under a name; 0 when it is not in the report.
    double value(const std::string& name) const;
};

/// What GPGPU-Sim prints of host time behind a report: the only lines that differ from run to run.
/// @param seconds     of host time since the start; times below a millisecond count as one
/// @param core_hertz  what the simulated GPU runs at
std::string host_time_text(const report& r, double seconds, double core_hertz);

/// Makes reports of a GPU. Ask between steps of its sequencer, and not while it is being built.
class reporter {
public:
    explicit reporter(gpu& device) : device_(device) {}

    /// @param subject  nullptr: of no kernel
    report make(const report_subject* subject);

    /// What had been counted at the last report.
    void checkpoint(kernel::archive& a);

private:
    /// What had been counted when the report before was made.
    struct counted {
        std::uint64_t cycles = 0;
        std::uint64_t instructions = 0;
        std::uint64_t requests = 0, replies = 0, request_cycles = 0;  // of the partitions
        std::uint64_t warp_cycles = 0, warp_slots = 0;                // resident, and room for them
    };

    gpu& device_;
    counted before_;
};

/// The counters that blocks of a kind have (kernel::statistics::block::kind).
struct counter_kind {
    const char* kinds;  ///< names; {word} stands for one of several
    const char* title;
    std::vector<const kernel::counter_info*> counters;
};
/// All kinds, for docs/statistics.md.
const std::vector<counter_kind>& counter_kinds();

/// Lists the counters of every block under its hierarchical name. The entries stay valid as long
/// as the GPU; bring_up_to_date() before their values are read.
void list_statistics(gpu& device, kernel::statistics& list);
/// Sleeping blocks count what they have slept through. Between steps.
void bring_up_to_date(gpu& device);
/// Tells the network how often its neighbours have found it full. Between steps.
void count_network_refusals(gpu& device);

}  // namespace simtlm::platform
