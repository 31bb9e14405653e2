// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/hardware_addresses.h"

namespace simtlm::execution {

hardware_addresses::hardware_addresses(const device_memory& m) {
    constexpr std::uint64_t page = 4096;
    const device_memory::config own_place;
    const device_address own_end = (own_place.heap_base + m.capacity() + page - 1) & ~(page - 1);
    distance_ = m.end() - own_end;
    begin_ = own_place.static_base + distance_;
    size_ = m.end() - begin_;
}

void hardware_addresses::replace_all(program::lane_addresses& addresses) const {
    for (unsigned word = 0; word < addresses.words; ++word)
        for (std::uint32_t m = addresses.lanes; m != 0; m &= m - 1) {
            std::uint64_t& a = addresses.address[word][static_cast<unsigned>(__builtin_ctz(m))];
            a = of(a);
        }
}

void hardware_addresses::replace(std::vector<program::bulk_transfer>& transfers) const {
    if (distance_ == 0) return;
    for (program::bulk_transfer& t : transfers) {
        t.tensor_map = of(t.tensor_map);
        for (program::memory_range& r : t.ranges) r.address = of(r.address);
    }
}

}  // namespace simtlm::execution
