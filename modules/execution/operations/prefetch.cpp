// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/prefetch.h"

#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/launch.h"
#include "modules/execution/state/memory_access.h"

namespace simtlm::execution {

namespace {

constexpr device_address word_bytes = 4;

bool is_global(const device_memory& memory, device_address a) {
    return address_windows::in_global(a) && memory.is_mapped(a, word_bytes);
}

}  // namespace

const operation* prefetch_words(warp& w, const operation* op) {
    if (w.pending == nullptr) return op + 1;
    memory_request& r = *w.pending;
    r.op = op;
    r.lanes = 0;
    for (lane_mask m = w.lanes_of(op); m != 0; m &= m - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctz(m));
        const device_address a = lane_address(w, op->source[0], op->detail, op->immediate, i);
        const device_address word = a / word_bytes * word_bytes;
        if (!is_global(w.launch->memory, word)) continue;
        r.address[i] = word;
        r.lanes |= lane_mask{1} << i;
    }
    return op + 1;
}

}  // namespace simtlm::execution
