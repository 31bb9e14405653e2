// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"

#include <functional>
#include <utility>

namespace simtlm::protocol {

/// The functional effect of an atomic request on memory, in execution-driven simulation. A separate
/// ignorable extension: the target performs the effect when its response leaves; if the target does
/// not, the initiator does so when the response arrives. A pooled payload keeps the extension when
/// it is reused.
class atomic_effect : public tlm::tlm_extension<atomic_effect> {
public:
    /// Sets the effect of a payload's current transaction. @param action  called once, by perform()
    static void attach(tlm::tlm_generic_payload& p, std::function<void()> action) {
        auto* effect = p.get_extension<atomic_effect>();
        if (effect == nullptr) {
            effect = new atomic_effect;
            p.set_extension(effect);  // the payload owns it from here on
        }
        effect->action_ = std::move(action);
    }
    /// Performs the effect of a payload on the first call after attach(); later calls do nothing.
    /// @param p  the request of an atomic, or a part of one; other payloads are ignored
    static void perform(tlm::tlm_generic_payload& p) {
        const memory_extension& e = extension(p);
        if (!e.is_atomic) return;
        auto* effect = (is_part(p) ? *e.parent : p).get_extension<atomic_effect>();
        if (effect == nullptr) return;
        if (const auto action = std::exchange(effect->action_, nullptr)) action();
    }

    tlm::tlm_extension_base* clone() const override { return new atomic_effect(*this); }
    void copy_from(const tlm::tlm_extension_base& o) override {
        *this = static_cast<const atomic_effect&>(o);
    }

private:
    std::function<void()> action_;
};

}  // namespace simtlm::protocol
