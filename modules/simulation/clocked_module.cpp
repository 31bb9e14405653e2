// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/clocked_module.h"

#include <string>

namespace simtlm::simulation {

sc_core::sc_in<bool>* clocked_module::input_around(const sc_core::sc_object& of, unsigned domain) {
    for (auto* o = of.get_parent_object(); o != nullptr; o = o->get_parent_object())
        if (auto* const block = dynamic_cast<clocked_module*>(o))
            for (const clock_input& i : block->inputs_)
                if (i.domain == domain) return i.port;
    return nullptr;
}

void clocked_module::before_end_of_elaboration() {
    for (const clock_input& i : inputs_) {
        if (i.port->bind_count() != 0) continue;
        sc_core::sc_in<bool>* const around = input_around(*this, i.domain);
        i.port->bind(around != nullptr ? *around : clocked_by_.clock[i.domain]);
    }
}

unsigned clocked_module::clock_domains() const {
    unsigned all = 0;
    for (const clock_input& i : inputs_) {
        const unsigned driven = clocked_by_.domains_of(*i.port);
        if (driven == 0)
            SC_REPORT_ERROR("simtlm/clock", (std::string(i.port->name()) +
                                             " is bound to no clock of " + clocked_by_.name())
                                                .c_str());
        all |= driven;
    }
    return all;
}

void clocked_module::trace(sc_core::sc_trace_file* file) const {
    if (block_tracer* const tracer = clocked_by_.tracer())
        tracer->trace(*file, *this);
    else
        SC_REPORT_WARNING(
            "simtlm/trace",
            (std::string(name()) + " belongs to no GPU, whose signals are known").c_str());
}

}  // namespace simtlm::simulation
