// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/spawn.h"

#include <systemc>

namespace simtlm::bench {

/// A clock of 1 ns that ticks on request.
class gated_clock : public sc_core::sc_module {
public:
    sc_core::sc_signal<bool> out{"out"};

    explicit gated_clock(const sc_core::sc_module_name& name) : sc_module(name) {
        simulation::spawn_thread("tick", [this] { tick(); });
    }
    void run(unsigned cycles) {
        left_ = cycles;
        go_.notify(sc_core::SC_ZERO_TIME);
        sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS);
    }

private:
    void tick() {
        for (;;) {
            wait(go_);
            for (; left_ != 0; --left_) {
                out.write(true);
                wait(0.4, sc_core::SC_NS);
                out.write(false);
                if (left_ > 1) wait(0.6, sc_core::SC_NS);
            }
        }
    }
    unsigned left_ = 0;
    sc_core::sc_event go_;
};

constexpr unsigned batch = 1000;  // cycles per iteration of a benchmark

}  // namespace simtlm::bench
