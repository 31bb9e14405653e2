// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/exact_clock.h"

#include "modules/simulation/spawn.h"

#include <string>
#include <utility>

namespace simtlm::simulation {

/// Replaces the two processes of sc_clock, one per kind of edge, by one.
void computed_clock::before_end_of_elaboration() {
    const std::string name = std::string(basename()) + "_edge";
    spawn_method(sc_core::sc_gen_unique_name(name.c_str()), [this] { begin_edge(); },
                 {m_next_posedge_event});
    m_next_posedge_event.notify(sc_core::SC_ZERO_TIME);
}

/// The clock rises or falls in the update phase of this delta cycle.
void computed_clock::begin_edge() {
    if (m_cur_val && omits_falls_) {
        m_cur_val = false;  // as if it had fallen in time
        fall_ = next_edge();
    }
    m_new_val = !m_cur_val;
    request_update();
}

void computed_clock::update() {
    sc_clock::update();
    if (m_cur_val)
        rise_ = next_edge();
    else
        fall_ = next_edge();
    notify_at(m_cur_val && !omits_falls_ ? fall_ : rise_);
}

/// Moves the next rising edge after edges have been skipped.
void computed_clock::reschedule_rise() {
    if (!omits_falls_) return;  // the falling edge comes first
    m_next_posedge_event.cancel();
    notify_at(rise_);
}

/// Schedules the next edge.
void computed_clock::notify_at(std::uint64_t time) {
    m_next_posedge_event.notify(
        sc_core::sc_time::from_value(time - sc_core::sc_time_stamp().value()));
}

/// Models falling edges from now on.
void computed_clock::stop_omitting_falls() {
    if (!std::exchange(omits_falls_, false) || !m_cur_val) return;
    if (sc_core::sc_time_stamp().value() >= fall_) {
        m_cur_val = m_new_val = false;
        fall_ = next_edge();
        return;
    }
    m_next_posedge_event.cancel();
    notify_at(fall_);
}

const bool& computed_clock::read() const {
    const_cast<computed_clock*>(this)->stop_omitting_falls();
    return sc_clock::read();
}

const sc_core::sc_event& computed_clock::default_event() const {
    const_cast<computed_clock*>(this)->stop_omitting_falls();
    return sc_clock::default_event();
}

const sc_core::sc_event& computed_clock::value_changed_event() const {
    const_cast<computed_clock*>(this)->stop_omitting_falls();
    return sc_clock::value_changed_event();
}

const sc_core::sc_event& computed_clock::negedge_event() const {
    const_cast<computed_clock*>(this)->stop_omitting_falls();
    return sc_clock::negedge_event();
}

}  // namespace simtlm::simulation
