// SPDX-License-Identifier: Apache-2.0
#include "platform/device/kernel_families.h"

namespace simtlm::device {

kernel_families::kernel_families(shared_state& state, simulated_gpus& gpus,
                                 kernel_launcher& launcher, run_log& log,
                                 std::vector<task_ptr>& completed)
    : state_(state), gpus_(gpus), launcher_(launcher), log_(log), completed_(completed) {}

void kernel_families::launch(const task_ptr& t, const std::shared_ptr<child_kernels>& parent) {
    kernel_launcher::result launched;
    attempt(*t, state_, [&] {
        if (!t->effect) {
            launched = launcher_.launch(t, parent ? parent->depth() + 1 : 0);
            return;
        }
        const memory_space::access_scope access_scope(state_.memory, true);
        t->effect();
        launched.has_ended = true;
    });
    if (t->outcome != status::success) {
        log_.kernel_failed();
        if (!parent) return completed_.push_back(t);
        parent->root()->outcome = t->outcome;
        return parent->abandon(t);
    }
    if (parent || launched.launches)
        families_[t] = std::make_shared<child_kernels>(t, parent, launched.launches);
    if (launched.has_ended) grid_ended(t);
}

void kernel_families::launch_children(const std::shared_ptr<child_kernels>& parent,
                                      const std::vector<task_ptr>& children) {
    for (const task_ptr& child : children) launch(child, parent);
}

void kernel_families::grid_ended(const task_ptr& t) {
    const auto at = families_.find(t);
    if (at == families_.end()) return complete(t);
    std::shared_ptr<child_kernels> family = at->second;
    launch_children(family, family->grid_ended());
    while (family && family->completed()) {
        const task_ptr ended = family->kernel();
        // It may have completed when its last child was launched.
        if (families_.erase(ended) == 0) return;
        const std::shared_ptr<child_kernels> parent = family->parent();
        if (!parent) return complete(ended);
        launch_children(parent, parent->child_ended(ended));
        family = parent;
    }
}

void kernel_families::complete(const task_ptr& t) {
    t->finished_at = gpus_.now();
    completed_.push_back(t);
}

const task_ptr& kernel_families::root_of(const task_ptr& t) const {
    const auto family = families_.find(t);
    return family == families_.end() ? t : family->second->root();
}

}  // namespace simtlm::device
