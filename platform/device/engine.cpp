// SPDX-License-Identifier: Apache-2.0
#include "platform/device/engine.h"

namespace simtlm::device {

engine::~engine() = default;

void attempt(task& t, const shared_state& state, const std::function<void()>& act) {
    try {
        act();
        t.outcome = status::success;
    } catch (const failure& e) {
        t.outcome = e.code();
        state.report_error(e.what());
    } catch (const std::exception& e) {
        t.outcome = status_of_fault(e);
        state.report_error(e.what());
    }
}

}  // namespace simtlm::device
