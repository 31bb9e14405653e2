// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/simulation_bench.h"

#include <benchmark/benchmark.h>

#include <systemc>

int sc_main(int argc, char* argv[]) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    // All simulated designs are elaborated before the first cycle of any of them.
    const auto rigs = simtlm::bench::register_simulations();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
