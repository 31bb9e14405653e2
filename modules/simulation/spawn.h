// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <systemc>
#include <variant>
#include <vector>

namespace simtlm::simulation {

/// An object to which a process is sensitive: an event, an edge of a port, or any change of a port.
class trigger {
public:
    trigger(const sc_core::sc_event& e) : what_(&e) {}
    trigger(sc_core::sc_event_finder& edge) : what_(&edge) {}
    trigger(sc_core::sc_port_base& port) : what_(&port) {}

    using source =
        std::variant<const sc_core::sc_event*, sc_core::sc_event_finder*, sc_core::sc_port_base*>;
    const source& what() const { return what_; }

private:
    source what_;
};

/// Whether a process also runs once at the start of simulation.
enum class first_run { when_triggered, at_start };

/// Creates a method process of the module under construction, which runs an action whenever one of
/// its triggers occurs. Used instead of SC_METHOD, which needs a type name in SystemC 2 that
/// SystemC 3 does not use.
void spawn_method(const char* name, std::function<void()> action,
                  const std::vector<trigger>& triggers, first_run when = first_run::when_triggered);

/// Creates a thread process of the module under construction, which runs an action once, from the
/// start of simulation. Used instead of SC_THREAD.
void spawn_thread(const char* name, std::function<void()> action);

}  // namespace simtlm::simulation
