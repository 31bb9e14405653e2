// SPDX-License-Identifier: Apache-2.0
#include "platform/study/sweep_plan.h"
#include "tests/fuzz/targets/fuzz_input.h"

/// A specification of simtlm-sweep.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace simtlm;
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::allow_user_error([&] {
        platform::study::parse_sweep(text, "/fuzz.yaml", "/simtlm",
                                     {"gpu_tot_ipc", "{cache}_misses"});
    });
    return 0;
}
