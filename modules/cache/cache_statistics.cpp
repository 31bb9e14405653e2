// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/cache_statistics.h"

namespace simtlm::cache {

void cache_statistics::register_with(kernel::statistics& list, const std::string& name,
                                     std::initializer_list<protocol::access_type> types) const {
    list.add(name + ".accesses", "accesses", "hits, reserved hits and misses", &accesses);
    list.add(name + ".misses", "accesses", "misses of the line or of the sector", &misses);
    list.add(name + ".pending_hits", "accesses", "hits on data that were on their way",
             &pending_hits);
    list.add(name + ".reservation_fails", "attempts", "accesses put off for want of a resource",
             &reservation_fails);
    list.add(name + ".data_port_busy", "cycles", "the data port was moving data", &data_port_busy);
    list.add(name + ".fill_port_busy", "cycles", "the fill port was moving data", &fill_port_busy);
    for (const protocol::access_type t : types)
        for (unsigned o = 0; o < access_outcome_count; ++o)
            list.add(name + "." + protocol::access_type_name(t) + "." +
                         access_outcome_name(static_cast<access_outcome>(o)),
                     "accesses", "accesses of this type with this outcome",
                     &outcomes[static_cast<unsigned>(t)][o]);
}

cache_statistics& operator+=(cache_statistics& sum, const cache_statistics& other) {
    for (unsigned t = 0; t < protocol::access_type_count; ++t) {
        for (unsigned o = 0; o < access_outcome_count; ++o)
            sum.outcomes[t][o] += other.outcomes[t][o];
        for (unsigned r = 0; r < fail_reason_count; ++r) sum.fails[t][r] += other.fails[t][r];
    }
    sum.accesses += other.accesses;
    sum.misses += other.misses;
    sum.pending_hits += other.pending_hits;
    sum.reservation_fails += other.reservation_fails;
    sum.port_cycles += other.port_cycles;
    sum.data_port_busy += other.data_port_busy;
    sum.fill_port_busy += other.fill_port_busy;
    return sum;
}

}  // namespace simtlm::cache
