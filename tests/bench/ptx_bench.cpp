// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/control_flow.h"
#include "modules/ptx/parser.h"
#include "modules/ptx/resources.h"

#include <benchmark/benchmark.h>

#include <string>

namespace {

using namespace simtlm;

/// Kernels similar to compiler output: address arithmetic, loads, branches, a call.
std::string generated(unsigned kernels, unsigned groups) {
    std::string text =
        ".version 7.8\n.target sm_70\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n";
    for (unsigned k = 0; k < kernels; ++k) {
        const std::string name = "_Z6kernelPfS_i_" + std::to_string(k);
        text += ".visible .entry " + name + "(\n\t.param .u64 " + name +
                "_param_0,\n\t.param .u32 " + name +
                "_param_1\n)\n{\n\t.reg .pred \t%p<100>;\n\t.reg .f32 \t%f<1000>;\n"
                "\t.reg .b32 \t%r<1000>;\n\t.reg .b64 \t%rd<1000>;\n\n\tld.param.u64 \t%rd1, [" +
                name + "_param_0];\n\tcvta.to.global.u64 \t%rd2, %rd1;\n\tmov.u32 \t%r1, %tid.x;\n";
        for (unsigned g = 1; g <= groups; ++g) {
            const std::string n = std::to_string(g % 900 + 2);
            const std::string label = "$L__BB" + std::to_string(k) + "_" + std::to_string(g);
            text += "\tmad.lo.s32 \t%r" + n + ", %r1, 40, %r" + n + ";\n\tmul.wide.s32 \t%rd" + n +
                    ", %r" + n + ", 4;\n\tadd.s64 \t%rd3, %rd2, %rd" + n +
                    ";\n\tld.global.v2.f32 \t{%f1, %f" + n + "}, [%rd3+8];\n\tfma.rn.f32 \t%f" + n +
                    ", %f1, %f" + n + ", 0f3F800000;\n\tsetp.ge.s32 \t%p1, %r" + n +
                    ", 1023;\n\t@%p1 bra \t" + label + ";\n\tst.global.f32 \t[%rd3], %f" + n +
                    ";\n\n" + label + ":\n";
        }
        text += "\tbar.sync \t0;\n\tret;\n\n}\n";
    }
    return text;
}

void parses(benchmark::State& state) {
    const std::string text = generated(20, 500);
    for (auto _ : state) benchmark::DoNotOptimize(ptx::parse(text, "bench.ptx").functions.size());
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(parses)->Name("ptx/parse")->Unit(benchmark::kMillisecond);

void estimates(benchmark::State& state) {
    const ptx::module m = ptx::parse(generated(1, 500), "bench.ptx");
    const ptx::function& entry = m.functions.back();
    for (auto _ : state) benchmark::DoNotOptimize(ptx::estimate_resources(m, entry).registers);
}
BENCHMARK(estimates)->Name("ptx/resources")->Unit(benchmark::kMicrosecond);

}  // namespace
