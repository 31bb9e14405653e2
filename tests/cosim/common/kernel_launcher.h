// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <simtlm/modules/core/simt_pipeline/simt_sm.h>
#include <simtlm/simtlm.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace platform_example {

/// Launches one kernel of a trace on one SM: at most one thread block per cycle of `clk`, like the
/// GPU, as soon as the SM has room.
class kernel_launcher : public simtlm::simulation::clocked_module,
                        private simtlm::core::cta_listener {
public:
    /// @param settings  of the SM
    kernel_launcher(const sc_core::sc_module_name& name,
                    simtlm::simulation::phase_sequencer& sequencer,
                    const simtlm::gpu_config& config, const simtlm::core::sm_config& settings,
                    simtlm::core::simt_pipeline::simt_sm& sm, const std::string& trace)
        : clocked_module(name, sequencer, simtlm::protocol::core_clock),
          sm_(sm),
          opcodes_(simtlm::platform::load_opcode_tables(config)),
          trace_(trace, simtlm::platform::reader_options_of(config, opcodes_)),
          header_(trace_.header()),
          process_("place", sequencer, simtlm::protocol::phase::core_dispatch_ctas,
                   simtlm::simulation::on_edge<&kernel_launcher::place>(this), true) {
        sm.set_listener(*this);
        kernel_.descriptor = &header_;
        kernel_.launch = 1;
        kernel_.needs = {header_.threads_per_block(), header_.registers, header_.shared_memory};
        kernel_.ctas_per_sm =
            simtlm::core::occupancy_of(settings, kernel_.needs, header_.grid.volume(), 1).ctas;
        sm.configure_l1(simtlm::core::l1_split_of(settings, kernel_.needs, kernel_.ctas_per_sm));
        left_ = header_.grid.volume();
        running_ = left_;
    }

    bool finished() const { return running_ == 0; }
    /// The core cycle in which the last thread block ended.
    std::uint64_t cycles() const { return end_; }

private:
    void place() {
        if (left_ == 0) return process_.sleep();
        if (!sm_.can_launch(kernel_, false)) return;
        --left_;
        sm_.launch(kernel_, trace_.next_block());
    }
    void cta_completed(unsigned, simtlm::core::kernel_context&,
                       std::unique_ptr<simtlm::program::cta> done) override {
        trace_.recycle(std::move(done));
        if (--running_ == 0) end_ = process_.now();
    }

    simtlm::core::simt_pipeline::simt_sm& sm_;
    simtlm::isa::opcode_tables opcodes_;
    simtlm::trace::kernel_trace trace_;
    simtlm::trace::kernel_header header_;
    simtlm::core::kernel_context kernel_;
    simtlm::simulation::clocked_process process_;
    std::uint64_t left_ = 0, running_ = 0, end_ = 0;
};

}  // namespace platform_example
