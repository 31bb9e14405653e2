// SPDX-License-Identifier: Apache-2.0
// Replays of traces in the form of the tracer of Huerta et al. (MICRO 2025), after simtlm-trace
// import.
#include "modules/execution/machine/machine_description.h"
#include "modules/sass/cubin.h"
#include "modules/sass/decoder.h"
#include "modules/trace/command_list.h"
#include "modules/trace/recorded_trace.h"
#include "tests/system/simulator.h"
#include "tests/unit/trace_import/protobuf_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstdlib>

namespace simtlm::test {
namespace {

using testing::HasSubstr;

/// A recording of machine code in the form of the other tracer: the functions of the cubin, and the
/// executions of a text trace that simtlm has recorded.
class converted_recording {
public:
    /// @param folder  of the recording
    converted_recording(const std::string& cubin, const std::string& folder)
        : source_(read_file(cubin), cubin),
          trace_(trace::open_recorded_trace(folder + "/kernel-1.traceg")) {
        for (const trace::command& c : trace::read_command_list(folder + "/kernelslist.g"))
            if (c.what == trace::command::kind::copy_host_to_device)
                to_.add_copy(0, c.address, c.bytes);
        const trace::kernel_header& h = trace_->header();
        std::vector<execution::function_extent> extents;
        for (const sass::cubin_function& f : source_.functions())
            extents.push_back({f.is_kernel, f.code.size()});
        base_ = execution::place_functions(extents);
        for (std::size_t n = 0; n < source_.functions().size(); ++n) {
            const sass::cubin_function& f = source_.functions()[n];
            if (f.is_kernel && f.name != h.name) continue;  // the tracer has only what is executed
            if (f.is_kernel) kernel_ = id_of(n);
            to_.add_function(id_of(n), std::string(f.name), source_.architecture(), lines_of(f));
        }
        auto& k = to_.add_launch(static_cast<int>(h.id), kernel_, h.name, 1, 1);
        protobuf_folder::set(*k.mutable_grid(), static_cast<int>(h.grid.x),
                             static_cast<int>(h.grid.y), static_cast<int>(h.grid.z));
        protobuf_folder::set(*k.mutable_block(), static_cast<int>(h.block.x),
                             static_cast<int>(h.block.y), static_cast<int>(h.block.z));
        k.set_registers(static_cast<int>(h.registers));
        k.set_shared_bytes(static_cast<int>(h.shared_memory));
        k.set_shared_base(static_cast<std::int64_t>(h.shared_base));
        k.set_local_base(static_cast<std::int64_t>(h.local_base));
        trace::recorded_block block;
        while (trace_->next(block)) convert(block);
    }
    void write(const std::string& folder) const { to_.write(folder); }

private:
    static int id_of(std::size_t function) { return static_cast<int>(function) + 1; }

    std::vector<protobuf_line> lines_of(const sass::cubin_function& f) const {
        std::vector<protobuf_line> lines;
        for (std::size_t n = 0; n < f.instructions(); ++n) {
            sass::instruction i;
            sass::decode(f.word(n), source_.architecture(), n * sass::instruction_bytes, i);
            lines.push_back({sass::full_opcode(i), {}, f.word(n)});
        }
        return lines;
    }

    /// The function of a program counter, and the offset in it.
    std::pair<int, std::uint32_t> place_of(std::uint64_t pc) const {
        for (std::size_t n = 0; n < base_.size(); ++n) {
            const sass::cubin_function& f = source_.functions()[n];
            if (f.is_kernel ? f.name != trace_->header().name
                            : pc < base_[n] || pc >= base_[n] + f.code.size())
                continue;
            if (pc - base_[n] < f.code.size())
                return {id_of(n), static_cast<std::uint32_t>(pc - base_[n])};
        }
        ADD_FAILURE() << "no function at " << pc;
        return {0, 0};
    }

    void convert(const trace::recorded_block& from) {
        auto& block =
            to_.block(static_cast<int>(trace_->header().id), static_cast<int>(from.index.x),
                      static_cast<int>(from.index.y), static_cast<int>(from.index.z));
        for (std::size_t w = 0; w < from.warps.size(); ++w)
            for (std::uint64_t n = 0; n < from.warps[w].count; ++n) {
                const auto& e = from.executions[from.warps[w].first + n];
                const auto [function, pc] = place_of(trace_->instructions()[e.instruction].pc);
                auto& i = protobuf_folder::execute(block, static_cast<int>(w), function, pc,
                                                   0xffffffff, e.mask);
                add_addresses(i, e, from.values.data() + e.first);
            }
    }

    /// Alternates between the three forms of addresses where possible.
    void add_addresses(trace_import::messages::instruction& i,
                       const trace::recorded_block::execution& e, const std::uint64_t* values) {
        const std::size_t lanes = std::bitset<32>(e.mask).count();
        if (e.mode == trace::recorded_mode::none || lanes == 0) return;
        const bool strided = e.mode == trace::recorded_mode::base_stride;
        const auto address = [&](std::size_t n) {
            return strided ? values[0] + n * values[1] : values[n];
        };
        const unsigned form = forms_++ % 3;
        if (strided && form == 0)
            return protobuf_folder::add_stride(i, values[0], static_cast<int>(values[1]));
        std::vector<std::uint64_t> list;
        std::vector<std::int64_t> distances;
        for (std::size_t n = 0; n < lanes; ++n) list.push_back(address(n));
        for (std::size_t n = 1; n < lanes; ++n)
            distances.push_back(static_cast<std::int64_t>(list[n] - list[n - 1]));
        if (form == 1)
            protobuf_folder::add_list(i, list);
        else
            protobuf_folder::add_distances(i, list[0], distances);
    }

    sass::cubin source_;
    std::unique_ptr<trace::recorded_trace> trace_;
    std::vector<std::uint64_t> base_;
    int kernel_ = 0;
    unsigned forms_ = 0;
    protobuf_folder to_;
};

/// A kernel of the machine code of other tests, and a GPU that has its architecture.
struct recorded_program {
    const char* preset;
    const char* file;
    const char* kernel;
    const char* input;
    unsigned blocks, threads;
};
void PrintTo(const recorded_program& p, std::ostream* to) {
    *to << p.kernel << " on " << p.preset;
}

class ImportedRecording : public testing::TestWithParam<recorded_program> {};

TEST_P(ImportedRecording, ReplaysInTheCyclesOfTheRecordingOnBothPipelines) {
    const recorded_program& p = GetParam();
    const scratch_folder folder;
    const std::string cubin = SIMTLM_MACHINE_CODE "/" + std::string(p.file);
    const std::string launch =
        folder.write("run.launch", fmt::format("buffer a {} random 9\nbuffer o u32 8192 zero\n"
                                               "launch {} grid {} block {} args a o s32:1024\n",
                                               p.input, p.kernel, p.blocks, p.threads));
    const outcome run =
        simulate({"--preset", p.preset, "--any-binary-version", "--cubin", cubin, "--launch",
                  launch, "--record-trace", folder.path("own"), "--record-form", "text"});
    ASSERT_EQ(run.code, 0) << run.err;
    converted_recording(cubin, folder.path("own")).write(folder.path("other"));
    const outcome import = trace_tool({"import", folder.path("other"), folder.path("imported")});
    ASSERT_EQ(import.code, 0) << import.err;
    EXPECT_EQ(import.err, "");
    EXPECT_EQ(trace_tool({"check", folder.path("imported")}).code, 0);
    for (const char* const core : {"modern", "classic"}) {
        const auto replay = [&](const char* from) {
            return simulate({"--preset", p.preset, "--any-binary-version", "--core", core, "-trace",
                             folder.path(from), "--stats-json",
                             folder.path(std::string(from) + ".json")});
        };
        const outcome own = replay("own"), imported = replay("imported");
        ASSERT_EQ(own.code, 0) << own.err;
        ASSERT_EQ(imported.code, 0) << imported.err;
        EXPECT_EQ(imported.report(), own.report())
            << core << ": " << first_difference(imported.report(), own.report());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, ImportedRecording,
    testing::Values(
        recorded_program{"RTX2080TI", "kernels.sm_75.cubin", "flts", "f32 256", 2, 128},
        recorded_program{"RTX2080TI", "linked.sm_75.cubin", "linked", "u32 2048", 1, 32},
        recorded_program{"A100", "kernels.sm_80.cubin", "ctl", "u32 1024", 4, 256},
        recorded_program{"A100", "kernels.sm_80.cubin", "dbls", "f64 256", 2, 128},
        recorded_program{"RTX3080", "kernels.sm_86.cubin", "warp", "u32 1024", 4, 256},
        recorded_program{"H100_PCIE", "kernels.sm_90.cubin", "flts", "f32 256", 2, 128}),
    [](const auto& p) { return fmt::format("{}_{}", p.param.kernel, p.param.preset); });

/// A warp that executes FADD `count` times, with a stall count.
protobuf_folder chain(int count, unsigned stall, bool has_words = true) {
    protobuf_folder trace;
    std::vector<protobuf_line> lines;
    const std::uint64_t high = 0x000fe00000000000 | std::uint64_t{stall} << 41;
    for (int n = 0; n < count; ++n)
        lines.push_back({"FADD",
                         {"R13", "R15", "R15"},
                         sass::instruction_word{0x0000000f0f0d7221, high},
                         true});
    lines.push_back({"EXIT", {}, sass::instruction_word{0x000000000000794d, 0x000fea0003800000}});
    if (!has_words)
        for (protobuf_line& line : lines) line.word.reset();
    trace.add_function(1, "chain", 80, lines);
    trace.add_launch(1, 1, "chain", 1, 32);
    for (std::size_t n = 0; n < lines.size(); ++n)
        protobuf_folder::execute(trace.block(1, 0), 0, 1, static_cast<std::uint32_t>(16 * n));
    return trace;
}

TEST(ImportedTrace, IssuesWithItsStallCountsInTheSubCorePipeline) {
    const auto cycles = [](int count, unsigned stall) {
        const scratch_folder folder;
        chain(count, stall).write(folder.path("other"));
        EXPECT_EQ(trace_tool({"import", folder.path("other"), folder.path("t")}).err, "");
        const outcome o = simulate({"--preset", "A100", "-trace", folder.path("t")});
        EXPECT_EQ(o.code, 0) << o.err;
        return std::atoi(o.values()["gpu_sim_cycle"].c_str());
    };
    constexpr int count = 6;  // in one line of the instruction cache
    EXPECT_EQ(cycles(count, 11) - cycles(count, 4), (11 - 4) * count);
}

TEST(ImportedTrace, ReplaysWithoutMachineCode) {
    const scratch_folder folder;
    chain(6, 4, false).write(folder.path("other"));
    const outcome import = trace_tool({"import", folder.path("other"), folder.path("t")});
    EXPECT_EQ(import.code, 0);
    EXPECT_THAT(import.err, HasSubstr("simtlm-trace: warning: kernel chain executes functions"));
    EXPECT_THAT(import.out, HasSubstr("1 kernels, 1 thread blocks, 7 warp instructions\n"));
    for (const char* const preset : {"A100", "TINY"}) {
        const outcome o =
            simulate({"--preset", preset, "--any-binary-version", "-trace", folder.path("t")});
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_EQ(o.values()["gpu_sim_insn"], "224");
    }
}

TEST(ImportedTrace, IsRecommendedWhenTheOriginalIsRejected) {
    const scratch_folder folder;
    chain(1, 4).write(folder.path("other"));
    for (const char* const name : {"other", "other/dynamic_trace.pb", "other/kernelslist.g"}) {
        const outcome o = simulate(on_tiny(folder.path(name)));
        EXPECT_EQ(o.code, 2);
        ASSERT_EQ(o.error_lines().size(), 1u) << o.err;
        EXPECT_THAT(o.error_lines()[0], HasSubstr("simtlm-trace import " + folder.path("other")));
    }
    EXPECT_THAT(trace_tool({"check", folder.path("other")}).err, HasSubstr("simtlm-trace import"));
}

TEST(ImportedTrace, IsRejectedInOneLineWithoutLeavingFiles) {
    const scratch_folder folder;
    protobuf_folder trace = chain(1, 4);
    trace.blocks.clear();
    trace.write(folder.path("other"));
    const outcome o = trace_tool({"import", folder.path("other"), folder.path("t")});
    EXPECT_EQ(o.code, 2);
    ASSERT_EQ(o.error_lines().size(), 1u) << o.err;
    EXPECT_THAT(o.err, HasSubstr(protobuf_folder::block_file(1, 0) + ": is missing"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path("t")));
    const outcome operands = trace_tool({"import", folder.path("other")});
    EXPECT_EQ(operands.code, 2);
    EXPECT_THAT(operands.err, HasSubstr("import takes a trace and a folder"));
}

}  // namespace
}  // namespace simtlm::test
