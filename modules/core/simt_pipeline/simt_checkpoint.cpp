// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/scheduling/greedy_then_oldest.h"
#include "modules/core/simt_pipeline/scheduling/loose_round_robin.h"
#include "modules/core/simt_pipeline/scheduling/strict_round_robin.h"
#include "modules/core/simt_pipeline/scheduling/two_level_active.h"
#include "modules/core/simt_pipeline/simt_sm.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"

namespace simtlm::core::simt_pipeline {

void scheduling_policy::checkpoint(support::archive& a) {
    if (a.resets()) return;
    throw support::user_error("-gpgpu_scheduler",
                              "this warp scheduler cannot be saved in a checkpoint",
                              "override scheduling_policy::checkpoint()");
}
void greedy_then_oldest::checkpoint(support::archive& a) {
    a(last_);
}
void loose_round_robin::checkpoint(support::archive& a) {
    a(last_, started_);
}
void strict_round_robin::checkpoint(support::archive& a) {
    a(choice_, last_, keeps_choice_);
}
void two_level_active::checkpoint(support::archive& a) {
    a(active_, pending_);
}

void operand_collector::checkpoint(support::archive& a) {
    for (pool& p : pools_) a(p.next_unit);
    for (entrance& e : entrances_) a(e.full);
    for (collector& c : units_) a(c.next);
    a(written_in_, written_, kept_, kept_by_, awaited_by_);
}

void front_end::checkpoint(support::archive& a) {
    a(last_);
}

void ldst_unit::checkpoint(support::archive& a) {
    a(next_client_, copies_, stall_);
}

void warp_scheduler::checkpoint(support::archive& a) {
    a(*policy_, not_before_, full_, pipe_of_head_, heads_for_);
    a.history(last_reason_, counted_to_);
}

bool simt_sm::pipeline_at_rest() const {
    return collector_.idle() && write_back_->idle() && ldst_->idle();
}

void simt_sm::checkpoint_pipeline(support::archive& a) {
    a(shared_, collector_, issue_);
    for (auto& of : units_) a(of->all());
    a(*ldst_);
    for (auto& s : schedulers_) a(*s);
    a(*front_end_);
}

}  // namespace simtlm::core::simt_pipeline
