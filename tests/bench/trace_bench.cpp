// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/opcode_tables.h"
#include "modules/trace/kernel_trace.h"
#include "tests/unit/trace/temporary_folder.h"

#include <benchmark/benchmark.h>

namespace {

using namespace simtlm;

/// A kernel of blocks of eight warps, half of whose instructions are loads of a list of addresses.
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

void parse_a_trace(benchmark::State& state) {
    constexpr unsigned blocks = 64, pairs = 100;
    const test::temporary_folder folder;
    const std::string text = generated(blocks, pairs);
    const std::string file = folder.write("k.traceg", text);
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
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * blocks * 8 * 2 * pairs);
}
BENCHMARK(parse_a_trace)->Unit(benchmark::kMillisecond);

}  // namespace
