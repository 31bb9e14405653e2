// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"

#include <functional>
#include <utility>

namespace simtlm::protocol {

/// What the request of an atomic does to memory, for requests of programs that are executed. An
/// ignorable extension of its own: the target performs it when its response leaves; if it does not,
/// the initiator does when the response arrives. A payload keeps the extension when
/// it is used again.
class atomic_effect : public tlm::tlm_extension<atomic_effect> {
public:
    /// Arms the payload's effect. @param action  what perform() does, once
    static void attach(tlm::tlm_generic_payload& p, std::function<void()> action) {
        auto* effect = p.get_extension<atomic_effect>();
        if (effect == nullptr) {
            effect = new atomic_effect;
            p.set_extension(effect);  // which owns it from now on
        }
        effect->action_ = std::move(action);
    }
    /// The first call for an armed payload performs its effect; others do nothing.
    /// @param p  an atomic's request, or a part of one
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
