// SPDX-License-Identifier: Apache-2.0
#include "platform/device/launch_selection.h"

#include "modules/execution/timed/executed_kernel.h"
#include "platform/device/launch_traits.h"
#include "platform/device/run_log.h"
#include "platform/sampling/launch_sampler.h"

namespace simtlm::device {

void launch_selection::attach(platform::gpu& device) {
    if (sampler_ != nullptr) sampler_->attach(device);
}

bool launch_selection::takes_all() const {
    return sampler_ == nullptr && !chosen_.needs_headers() && !chosen_.skip && !chosen_.most &&
           !chosen_.ctas;
}

bool launch_selection::takes(const execution::launch& l) {
    if (sampler_ != nullptr) return sampler_->take(traits_of(l));
    trace::kernel_header header;
    header.name = l.kernel->name;
    header.id = static_cast<std::uint32_t>(l.grid_id);
    return selector_.take(header);
}

void launch_selection::executed(const execution::launch& l, const execution::execution_summary& s,
                                const code& c) {
    if (sampler_ != nullptr) sampler_->executed(l.grid_id, traits_of(l, s, *c));
}

void launch_selection::started(const std::shared_ptr<execution::executed_kernel>& kernel,
                               const execution::launch& l, const code& c) {
    if (sampler_ == nullptr) return;
    const auto execute_rest = [this, kernel] {
        const memory_space::access_scope access_scope(state_.memory, true);
        execution::functional_options how;
        how.give_up = &state_.give_up;
        kernel->execute_rest(how);
    };
    sampler_->started(
        l.grid_id, {execute_rest, [kernel, l, c] { return traits_of(l, kernel->executed(), *c); }});
}

void launch_selection::ended(const dispatch::finished_kernel& kernel) {
    if (sampler_ != nullptr) sampler_->ended(kernel);
}

void launch_selection::finish(run_log& log) {
    if (sampler_ == nullptr) return;
    log.projected(sampler_->text(), sampler_->summary());
    try {
        sampler_->write();
    } catch (const support::output_error& e) {
        log.result_lost(e.what());
    }
}

}  // namespace simtlm::device
