// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace simtlm::core {

class scheduling_policy;
struct scheduling_arguments;

/// A warp-scheduling policy by name, with its parameters: what -gpgpu_scheduler says, read once.
struct scheduling_choice {
    std::string name;
    std::vector<unsigned> parameters;
    /// Makes the policy; without it the built-in table is asked for the name.
    std::unique_ptr<scheduling_policy> (*make)(const scheduling_arguments&) = nullptr;

    /// "gto", "two_level_active:16:0:1". @throws kernel::user_error
    scheduling_choice(const std::string& text);  // also from a literal, as a configuration has it
    scheduling_choice(const char* text) : scheduling_choice(std::string(text)) {}

    friend bool operator==(const scheduling_choice& a, const scheduling_choice& b) {
        return a.name == b.name && a.parameters == b.parameters;
    }
};

}  // namespace simtlm::core
