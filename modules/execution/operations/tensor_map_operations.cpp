// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/tensor_map_operations.h"

#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"
#include "modules/execution/state/tensor_map.h"
#include "modules/ptx/operation.h"

#include <optional>

namespace simtlm::execution {

namespace {

/// @return false: the value is not valid for the field
bool replace(tensor_map& m, ptx::mode field, unsigned d, std::uint64_t value) {
    using ptx::mode;
    switch (field) {
        case mode::map_address:
            m.address = value;
            return true;
        case mode::map_rank:  // the value is rank - 1
            m.rank = static_cast<std::uint8_t>(value + 1);
            return value < tensor_map::max_dimensions;
        case mode::map_box:
            m.box[d] = static_cast<std::uint16_t>(value);
            return value >= 1 && value <= 256;
        case mode::map_size:
            m.last[d] = static_cast<std::uint32_t>(value - 1);
            return value != 0;
        case mode::map_stride:
            if (d + 1 >= tensor_map::max_dimensions) return false;
            m.strides[d] = value;
            return true;
        case mode::map_step:
            m.step[d] = static_cast<std::uint8_t>(value);
            return value >= 1 && value <= 8;
        case mode::map_type: {
            // The numbers of types of less than a byte have not been found in a source.
            const auto type = tensor_map::element_of(value);
            m.type = type.value_or(m.type);
            return type && m.packed() == 1;
        }
        case mode::map_swizzle:
            m.swizzle = static_cast<tensor_map::swizzle_mode>(value);
            return value <= 3;
        case mode::map_atomicity:
            m.atomicity = static_cast<tensor_map::atom>(value);
            return value <= 3;
        case mode::map_fill:
            m.fills_with_nan = value == 1;
            return value <= 1;
        case mode::map_interleave:
            return value == 0;
        default:
            return false;
    }
}

}  // namespace

const operation* replace_tensor_map_field(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    alignas(64) address_lanes address;
    compute_addresses(w, op, lanes, address);
    const auto field = static_cast<ptx::mode>(op->list[0]);
    const unsigned d = op->list[1];
    const bool wide = op->list[2] == 64;
    for_lanes(lanes, [&](unsigned i) {
        if (address[i] % 64 != 0) misaligned(w, op, i, address[i], 64);
        std::byte* const at =
            range_of(w, op, i, access_detail::space_of(op), address[i], tensor_map::bytes, true)
                .at(address[i]);
        std::optional<tensor_map> m = tensor_map::decode(at);
        const std::uint64_t value = wide ? lanes_at<std::uint64_t>(w, op->source[1])[i]
                                         : lanes_at<std::uint32_t>(w, op->source[1])[i];
        if (!m) w.block->fail(w, op, i, "the tensor map is none");
        if (d >= tensor_map::max_dimensions || !replace(*m, field, d, value))
            w.block->fail(w, op, i, "a value that this field of a tensor map cannot have");
        m->encode(at);
    });
    return op + 1;
}

}  // namespace simtlm::execution
