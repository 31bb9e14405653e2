// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/clocked_process.h"

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::simulation {

/// How the processes of a rig are run. The results must not depend on it.
enum class way { called, threads, grouped };
inline const char* name_of(way w) {
    return w == way::called ? "Called" : w == way::threads ? "Threads" : "Grouped";
}

/// A sequencer with one clock per domain.
class sequencer_rig : public sc_core::sc_module {
public:
    phase_sequencer sequencer;

    /// @param periods  of the domains, picoseconds
    /// @param how      how processes are run; grouped: processes in phases of the first domain form
    ///                 one group, until one of another domain is created
    sequencer_rig(const sc_core::sc_module_name& name, const std::vector<unsigned>& periods,
                  std::vector<phase> phases, const phase_sequencer::options& options = {},
                  way how = way::called)
        : sc_module(name),
          sequencer("sequencer", static_cast<unsigned>(periods.size()),
                    marked(std::move(phases), how), with_threads(options, how)),
          periods_(periods) {
        if (how == way::grouped) group_ = std::make_unique<process_group>("cycle", sequencer, 1);
        for (std::size_t d = 0; d < periods.size(); ++d) {
            clocks_.push_back(
                std::make_unique<sc_core::sc_clock>(("clock" + std::to_string(d)).c_str(),
                                                    sc_core::sc_time(periods[d], sc_core::SC_PS)));
            sequencer.clock[d](*clocks_.back());
        }
    }
    /// Runs until just before a cycle of the first domain, counted from the start.
    void run_to(std::uint64_t cycle) {
        if (group_) group_->close();
        const sc_core::sc_time end(static_cast<double>(cycle * periods_[0]) - 1, sc_core::SC_PS);
        sc_core::sc_start(end - sc_core::sc_time_stamp());
    }

private:
    static std::vector<phase> marked(std::vector<phase> phases, way how) {
        for (phase& p : phases) {
            if (p.domain != 0) break;
            if (how == way::grouped) p.group_kind = 1;
        }
        return phases;
    }
    static phase_sequencer::options with_threads(phase_sequencer::options o, way how) {
        o.clocked_threads |= how == way::threads;
        return o;
    }
    std::vector<unsigned> periods_;
    std::vector<std::unique_ptr<sc_core::sc_clock>> clocks_;
    std::unique_ptr<process_group> group_;
};

/// A process that records when it runs, and then calls the test's function.
class recorder : public sc_core::sc_module {
public:
    std::vector<std::uint64_t> cycles;  ///< cycles of its own domain
    std::function<void(recorder&)> then;
    clocked_process process;

    recorder(const sc_core::sc_module_name& name, phase_sequencer& sequencer, unsigned phase_index,
             bool awake = true, unsigned phases = 1)
        : sc_module(name),
          process("process", sequencer, phase_index, on_edge<&recorder::cycle>(this), awake,
                  phases) {}

private:
    void cycle() {
        cycles.push_back(process.now());
        if (then) then(*this);
    }
};

}  // namespace simtlm::simulation
