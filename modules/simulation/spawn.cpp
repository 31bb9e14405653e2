// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES  // required for sc_spawn, before systemc is included

#include "modules/simulation/spawn.h"

#include <utility>

namespace simtlm::simulation {

void spawn_method(const char* name, std::function<void()> action,
                  const std::vector<trigger>& triggers, first_run when) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    for (const trigger& t : triggers)
        std::visit([&](auto* source) { options.set_sensitivity(source); }, t.what());
    if (when == first_run::when_triggered) options.dont_initialize();
    sc_core::sc_spawn(std::move(action), name, &options);
}

void spawn_thread(const char* name, std::function<void()> action) {
    sc_core::sc_spawn(std::move(action), name);
}

}  // namespace simtlm::simulation
