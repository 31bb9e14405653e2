// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/opcode_tables.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/trace_writer.h"
#include "tests/unit/trace/temporary_folder.h"

#include <benchmark/benchmark.h>

namespace {

using namespace simtlm;

/// A kernel with blocks of eight warps, half of whose instructions are loads with a list of
/// addresses.
std::string generated(unsigned blocks, unsigned pairs) {
    std::string text =
        "-kernel name = k\n-kernel id = 1\n-grid dim = (" + std::to_string(blocks) +
        ",1,1)\n-block dim = (256,1,1)\n-shmem = 0\n-nregs = 32\n-binary version = 70\n"
        "-cuda stream id = 0\n-shmem base_addr = 0x00007f0001000000\n"
        "-local mem base_addr = 0x00007f0003000000\n-nvbit version = 1.5\n"
        "-accelsim tracer version = 3\n\n#traces\n\n";
    for (unsigned b = 0; b < blocks; ++b) {
        text += "#BEGIN_TB\n\nthread block = " + std::to_string(b) + ",0,0\n";
        for (unsigned w = 0; w < 8; ++w) {
            text +=
                "\nwarp = " + std::to_string(w) + "\ninsts = " + std::to_string(2 * pairs) + "\n";
            for (unsigned i = 0; i < pairs; ++i)
                text += "0100 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f58000" +
                        std::to_string(10000 + i) + " 4\n0110 ffffffff 1 R5 FFMA 3 R4 R5 R6 0\n";
        }
        text += "\n#END_TB\n\n";
    }
    return text;
}

constexpr unsigned blocks = 64, pairs = 100;

void read_all(benchmark::State& state, const std::string& file) {
    const isa::opcode_tables opcodes = isa::opcode_tables::builtin();
    trace::reader_options options;
    options.opcodes = &opcodes;
    for (auto _ : state) {
        trace::kernel_trace t(file, options, 0);
        while (auto block = t.next_block()) {
            benchmark::DoNotOptimize(block->instructions.data());
            t.recycle(std::move(block));
        }
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * blocks * 8 * 2 * pairs);
}

void parse_a_trace(benchmark::State& state) {
    const test::temporary_folder folder;
    const std::string text = generated(blocks, pairs);
    read_all(state, folder.write("k.traceg", text));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(parse_a_trace)->Unit(benchmark::kMillisecond);

/// The same trace in binary form.
void read_a_binary_trace(benchmark::State& state) {
    const test::temporary_folder folder;
    const auto source =
        trace::open_recorded_trace(folder.write("k.traceg", generated(blocks, pairs)));
    const std::uint64_t bytes = trace::write_binary_trace(*source, folder.path("k.simtlm")).bytes;
    read_all(state, folder.path("k.simtlm"));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
}
BENCHMARK(read_a_binary_trace)->Unit(benchmark::kMillisecond);

}  // namespace
