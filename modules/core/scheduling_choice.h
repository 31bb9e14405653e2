// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace simtlm::core {

namespace simt_pipeline {
class scheduling_policy;
struct scheduling_arguments;
}  // namespace simt_pipeline

/// A warp-scheduling policy and its parameters, parsed from -gpgpu_scheduler.
struct scheduling_choice {
    std::string name;
    std::vector<unsigned> parameters;
    /// Creates the policy; nullptr: looks up the name in the built-in table.
    std::unique_ptr<simt_pipeline::scheduling_policy> (*make)(
        const simt_pipeline::scheduling_arguments&) = nullptr;

    /// "gto", "two_level_active:16:0:1". @throws support::user_error
    scheduling_choice(const std::string& text);  // implicit, so that a configuration can use a
                                                 // literal
    scheduling_choice(const char* text) : scheduling_choice(std::string(text)) {}

    friend bool operator==(const scheduling_choice& a, const scheduling_choice& b) {
        return a.name == b.name && a.parameters == b.parameters;
    }
};

}  // namespace simtlm::core
