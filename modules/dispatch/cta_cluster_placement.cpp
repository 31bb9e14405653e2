// SPDX-License-Identifier: Apache-2.0
#include "modules/dispatch/cta_cluster_placement.h"

#include "modules/support/error.h"

#include <fmt/format.h>

namespace simtlm::dispatch {

void check_cta_cluster(const program::kernel_descriptor& kernel,
                       const core::kernel_context& context, unsigned size,
                       const core::multiprocessor& sm) {
    if (sm.gpcs() == nullptr)
        throw support::user_error(
            kernel.origin,
            fmt::format("launching {}: clusters of thread blocks cannot be timed on this core",
                        kernel.name),
            "--core sub-core and compute capability 9.0, or without time: -gpgpu_ptx_sim_mode 1");
    unsigned sms = 0;
    for (const core::gpc& g : sm.gpcs()->gpcs) sms += static_cast<unsigned>(g.sms.size());
    if (core::active_cta_clusters(*sm.cta_clusters(), sms, context.ctas_per_sm, size) == 0)
        throw support::user_error(
            kernel.origin,
            fmt::format(
                "launching {}: no GPC has room for a cluster of {} thread blocks; an SM has "
                "for {}",
                kernel.name, size, context.ctas_per_sm),
            "smaller clusters or thread blocks, or larger GPCs: -gpgpu_gpc_sms");
}

std::vector<core::multiprocessor*> sms_for_cta_cluster(const core::gpc& gpc,
                                                       const core::kernel_context& kernel,
                                                       unsigned size, bool concurrent) {
    struct candidate {
        core::multiprocessor* sm;
        unsigned ctas;  // resident ones and those to be placed
        unsigned room;
    };
    std::vector<candidate> candidates;
    unsigned room = 0;
    for (core::multiprocessor* const sm : gpc.sms) {
        if (!concurrent && sm->busy() && sm->kernel() != &kernel) continue;
        candidates.push_back({sm, sm->resident_ctas(), sm->capacity_for(kernel, concurrent)});
        room += candidates.back().room;
    }
    std::vector<core::multiprocessor*> places;
    if (room < size) return places;
    while (places.size() < size) {
        candidate* best = nullptr;
        for (candidate& c : candidates)
            if (c.room != 0 && (best == nullptr || c.ctas < best->ctas)) best = &c;
        --best->room;
        ++best->ctas;
        places.push_back(best->sm);
    }
    return places;
}

}  // namespace simtlm::dispatch
