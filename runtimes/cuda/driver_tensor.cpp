// SPDX-License-Identifier: Apache-2.0
// The driver API: tensor maps of bulk tensor copies.
#include "platform/device/tensor_maps.h"
#include "runtimes/cuda/driver_api.h"

#include <algorithm>

using namespace simtlm::cuda;
namespace device = simtlm::device;

RUNTIME(cuTensorMapEncodeTiled)
(void* to, int type, unsigned rank, void* address, const std::uint64_t* sizes,
 const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps, int interleave,
 int swizzle, int, int fill) {
    return driver_call("cuTensorMapEncodeTiled", [&](session&) {
        require_pointer(sizes);
        require_pointer(box);
        require_pointer(steps);
        require(rank <= 1 || strides != nullptr, status::invalid_value, "no strides");
        device::tensor_map_request what;
        what.type = type;
        what.dimensions = rank;
        what.address = reinterpret_cast<std::uintptr_t>(address);
        const unsigned count = std::min(rank, device::tensor_map_request::most_dimensions);
        std::copy_n(sizes, count, what.sizes.begin());
        std::copy_n(box, count, what.box.begin());
        std::copy_n(steps, count, what.steps.begin());
        if (count > 1) std::copy_n(strides, count - 1, what.strides.begin());
        what.interleave = interleave;
        what.swizzle = swizzle;
        what.fill = fill;
        device::encode_tensor_map(what, to);
    });
}

RUNTIME(cuTensorMapReplaceAddress)(void* map, void* address) {
    return driver_call("cuTensorMapReplaceAddress", [&](session&) {
        device::replace_address(map, reinterpret_cast<std::uintptr_t>(address));
    });
}
