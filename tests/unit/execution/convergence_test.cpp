// SPDX-License-Identifier: Apache-2.0
// Convergence barriers compared with GPUs: the active masks in traces of an H100 and an A100,
// instruction by instruction. The lanes that take a branch are read from the trace; machine_control
// determines which lanes execute next, and which of them together.
#include "modules/execution/machine/machine_control.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/state/program_image.h"
#include "modules/execution/state/warp.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace simtlm::execution {
namespace {

constexpr std::uint64_t instruction_bytes = 16;

/// A control-flow instruction.
struct control_instruction {
    std::string opcode;
    std::uint64_t target = 0;
};
/// An instruction that a warp executed, and the lanes whose guard was true.
struct recorded_instruction {
    std::uint64_t pc;
    lane_mask lanes;
};
struct recorded_warp {
    unsigned found;  ///< number of warps in the trace with the same sequence
    std::vector<recorded_instruction> instructions;
};
struct recorded_program {
    std::string name;
    std::map<std::uint64_t, control_instruction> controls;
    std::vector<recorded_warp> warps;
};

std::vector<recorded_program> read_programs(const std::string& path) {
    std::ifstream file(path);
    std::vector<recorded_program> programs;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (first == "program") {
            programs.emplace_back();
            words >> programs.back().name;
        } else if (first == "at") {
            std::uint64_t pc = 0;
            control_instruction c;
            words >> std::hex >> pc >> c.opcode >> c.target;
            programs.back().controls[pc] = c;
        } else if (first == "warp") {
            unsigned found = 0;
            words >> found;
            programs.back().warps.push_back({found, {}});
        } else if (!first.empty() && first.front() != '#') {
            std::uint64_t pc = std::stoull(first, nullptr, 16);
            unsigned count = 0;
            lane_mask lanes = 0;
            words >> count >> std::hex >> lanes;
            for (; count-- != 0; pc += instruction_bytes)
                programs.back().warps.back().instructions.push_back({pc, lanes});
        }
    }
    return programs;
}

/// Executes only control flow: one operation per instruction, of which only the position matters.
class control_flow {
public:
    control_flow(const recorded_program& program, lane_mask members) : program_(program) {
        for (const auto& c : program.controls) {
            if (c.second.opcode == "BSSY") barriers_.emplace(c.second.target, barriers_.size());
            last_ = std::max({last_, c.first, c.second.target});
        }
        for (const recorded_warp& warp : program.warps)
            for (const recorded_instruction& i : warp.instructions) last_ = std::max(last_, i.pc);
        code_.resize(last_ / instruction_bytes + 2);
        worker_.counts.resize(code_.size());
        w_.code = code_.data();
        w_.worker = &worker_;
        w_.members = w_.active = members;
        kernel_image kernel;
        kernel.frame_bytes = machine_frame::bytes(0);
        kernel.convergence_barriers = 16;
        control_.start(w_, kernel);
        now_ = code_.data();
    }
    control_flow(const control_flow&) = delete;
    control_flow& operator=(const control_flow&) = delete;

    std::uint64_t pc() const {
        return static_cast<std::uint64_t>(now_ - code_.data()) * instruction_bytes;
    }
    lane_mask active() const { return w_.active; }
    lane_mask live() const { return control_.live_lanes(); }
    std::size_t barriers() const { return barriers_.size(); }

    /// Executes the instruction at pc(). @param lanes  lanes whose guard is true
    void execute(lane_mask lanes) {
        w_.quantum = 1000;
        const operation* const next = now_ + 1;
        const auto found = program_.controls.find(pc());
        if (found == program_.controls.end()) {
            now_ = next;
            return;
        }
        const control_instruction& c = found->second;
        if (c.opcode == "BRA" || c.opcode == "CALL") {
            now_ = control_.branch(w_, lanes, &code_[c.target / instruction_bytes], next);
        } else if (c.opcode == "EXIT") {
            if (lanes != 0) now_ = lanes == live() ? nullptr : control_.exit(w_, lanes, next);
            if (lanes == 0) now_ = next;
        } else if (c.opcode == "BSSY") {
            control_.begin_barrier(w_, lanes, machine_frame::barriers + 128 * barrier(c.target));
            now_ = next;
        } else if (c.opcode == "BSYNC") {
            now_ = control_.wait(w_, lanes, barrier(pc() + instruction_bytes), next);
        } else {
            now_ = control_.wait_for(w_, lanes, all_lanes,
                                     machine_control::barrier_match::any_instruction, next);
        }
    }
    bool ended() const { return now_ == nullptr; }

private:
    unsigned barrier(std::uint64_t after) const {
        return static_cast<unsigned>(barriers_.at(after));
    }

    const recorded_program& program_;
    std::map<std::uint64_t, std::size_t> barriers_;  ///< by the position after BSYNC
    std::uint64_t last_ = 0;
    std::vector<operation> code_;
    worker_state worker_;
    machine_control control_;
    warp w_;
    const operation* now_ = nullptr;
};

/// The first difference; empty if there is none.
std::string difference(const recorded_program& program, const recorded_warp& recorded) {
    control_flow model(program, recorded.instructions.front().lanes);
    if (model.barriers() > 16) return "more barriers than there are";
    unsigned n = 0;
    for (const recorded_instruction& i : recorded.instructions) {
        if (model.ended()) return fmt::format("instruction {}: the model has ended", n);
        if (i.pc != model.pc() || (i.lanes & ~model.active()) != 0)
            return fmt::format(
                "instruction {}: {:#06x} of lanes {:08x}, the model {:#06x} of {:08x}", n, i.pc,
                i.lanes, model.pc(), model.active());
        // An instruction without a guard shows all active lanes; for others, they are unknown.
        if (program.controls.count(i.pc) != 0 && program.controls.at(i.pc).opcode == "BSSY" &&
            i.lanes != model.active())
            return fmt::format("instruction {}: BSSY of lanes {:08x}, the model's are {:08x}", n,
                               i.lanes, model.active());
        model.execute(i.lanes);
        ++n;
    }
    return model.ended() ? "" : "the model has not ended";
}

TEST(ConvergenceBarriers, ReproduceTheActiveMasksOfRecordedWarps) {
    std::map<std::string, unsigned> reproduced;
    for (const recorded_program& program :
         read_programs(SIMTLM_CONVERGENCE_DATA "/active_masks.txt")) {
        const std::string name =
            program.name.substr(0, program.name.find_last_not_of("_0123456789") + 1);
        for (const recorded_warp& warp : program.warps) {
            const std::string differs = difference(program, warp);
            EXPECT_EQ(differs, "") << program.name;
            if (differs.empty()) reproduced[name] += warp.found;
        }
    }
    // In the second trace, those whose branches have no predicate except their guard.
    EXPECT_EQ(reproduced["btree_hopper"], 64u);
    EXPECT_EQ(reproduced["nn_onestep_ampere"], 1120u);
}

TEST(ConvergenceBarriers, ReportLanesThatExecutedAnotherMask) {
    std::vector<recorded_program> programs =
        read_programs(SIMTLM_CONVERGENCE_DATA "/active_masks.txt");
    ASSERT_FALSE(programs.empty());
    recorded_warp warp = programs[0].warps.at(0);
    for (recorded_instruction& i : warp.instructions)
        if (programs[0].controls.count(i.pc) != 0 &&
            programs[0].controls.at(i.pc).opcode == "BSYNC") {
            i.lanes = ~i.lanes;
            break;
        }
    EXPECT_NE(difference(programs[0], warp), "");
}

}  // namespace
}  // namespace simtlm::execution
