// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/read_only_engine.h"

namespace simtlm::cache {

access_result read_only_engine::access(tlm::tlm_generic_payload& p, std::uint64_t now) {
    const tag_array::lookup found = probe(p);
    access_result r;
    switch (found.outcome) {
        case access_outcome::hit:
            tags_.access(found, p.get_address(), sector_of(p), static_cast<std::uint32_t>(now));
            r.outcome = access_outcome::hit;
            r.finished = true;
            break;
        case access_outcome::reservation_fail:
            fail(p, fail_reason::line_alloc);
            break;
        default:
            if (miss_queue_full(0)) {
                fail(p, fail_reason::miss_queue);
                break;
            }
            if (const read_request sent = read(p, found, now); sent.sent) {
                r.outcome = access_outcome::miss;
                r.read_sent = !sent.merged;
            }
    }
    r.counted = booked_outcome(found.outcome, r.outcome);
    book(p, r.counted);
    return r;
}

}  // namespace simtlm::cache
