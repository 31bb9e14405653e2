// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_source.h"

#include <cstdint>
#include <vector>

namespace simtlm::core::test {

/// A CTA whose warps have a fixed instruction sequence.
struct recorded_cta : program::cta {
    struct path {
        std::vector<program::dynamic_instruction> instructions;
        std::vector<std::uint64_t> addresses;
    };
    std::vector<path> paths;  ///< by warp

    program::warp_code warp(unsigned w) override {
        if (w >= paths.size()) return {};
        const std::vector<program::dynamic_instruction>& code = paths[w].instructions;
        return {{code.data(), code.data() + code.size()}, paths[w].addresses.data(), nullptr};
    }
};

}  // namespace simtlm::core::test
