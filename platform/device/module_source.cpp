// SPDX-License-Identifier: Apache-2.0
#include "platform/device/module_source.h"

namespace simtlm::device {

namespace {

using execution::instruction_set;

bool runs_on(const code_candidate& c, unsigned architecture) {
    if (c.architecture > architecture) return false;
    return c.isa == instruction_set::ptx || c.architecture / 10 == architecture / 10;
}

const code_candidate* newest(const std::vector<code_candidate>& candidates, instruction_set isa,
                             unsigned architecture) {
    const code_candidate* best = nullptr;
    for (const code_candidate& c : candidates)
        if (c.isa == isa && runs_on(c, architecture) &&
            (best == nullptr || c.architecture > best->architecture))
            best = &c;
    return best;
}

}  // namespace

const code_candidate* choose_code(const std::vector<code_candidate>& candidates,
                                  unsigned architecture, code_preference preference) {
    if (preference == code_preference::ptx)
        return newest(candidates, instruction_set::ptx, architecture);
    const code_candidate* const machine = newest(candidates, instruction_set::sass, architecture);
    if (preference == code_preference::sass) return machine;
    if (machine != nullptr && machine->architecture == architecture) return machine;
    const code_candidate* const text = newest(candidates, instruction_set::ptx, architecture);
    return text != nullptr ? text : machine;
}

}  // namespace simtlm::device
