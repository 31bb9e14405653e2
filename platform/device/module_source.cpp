// SPDX-License-Identifier: Apache-2.0
#include "platform/device/module_source.h"

#include "modules/sass/fat_binary.h"

#include <tuple>

namespace simtlm::device {

using execution::instruction_set;

bool runs_on(const code_candidate& c, gpu_architecture gpu) {
    return c.isa == instruction_set::ptx
               ? sass::ptx_runs_on(c.architecture, c.suffix, gpu.ptx)
               : sass::machine_code_runs_on(c.architecture, c.suffix, gpu.machine_code);
}

namespace {

/// The newest form of a kind; of the same architecture, the one that is specific to it (sm_90a).
const code_candidate* newest(const std::vector<code_candidate>& candidates, instruction_set isa,
                             gpu_architecture gpu) {
    const auto rank = [](const code_candidate& c) {
        return std::make_tuple(c.architecture, c.suffix == 'a', c.suffix == 'f');
    };
    const code_candidate* best = nullptr;
    for (const code_candidate& c : candidates)
        if (c.isa == isa && runs_on(c, gpu) && (best == nullptr || rank(c) > rank(*best)))
            best = &c;
    return best;
}

}  // namespace

const code_candidate* choose_code(const std::vector<code_candidate>& candidates,
                                  gpu_architecture gpu, code_preference preference) {
    const code_candidate* machine = nullptr;
    if (preference != code_preference::ptx)
        machine = newest(candidates, instruction_set::sass, gpu);
    if (machine != nullptr || preference == code_preference::sass) return machine;
    return newest(candidates, instruction_set::ptx, gpu);
}

}  // namespace simtlm::device
