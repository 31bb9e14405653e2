// SPDX-License-Identifier: Apache-2.0
// Tensor maps for bulk tensor copies.
#include "platform/device/tensor_maps.h"

#include "runtimes/cuda/abi/call.h"

#include <algorithm>
#include <cstdint>

namespace simtlm::cuda {

namespace {

/// Tensor description common to all encodings.
device::tensor_map_request request(int type, unsigned rank, const void* address,
                                   const std::uint64_t* sizes, const std::uint64_t* strides,
                                   const std::uint32_t* steps, int interleave, int swizzle,
                                   int fill) {
    require_pointer(sizes);
    require_pointer(steps);
    require(rank <= 1 || strides != nullptr, status::invalid_value, "no strides");
    device::tensor_map_request what;
    what.type = type;
    what.dimensions = rank;
    what.address = reinterpret_cast<std::uintptr_t>(address);
    const unsigned count = std::min(rank, device::tensor_map_request::max_dimensions);
    std::copy_n(sizes, count, what.sizes.begin());
    std::copy_n(steps, count, what.steps.begin());
    if (count > 1) std::copy_n(strides, count - 1, what.strides.begin());
    what.interleave = interleave;
    what.swizzle = swizzle;
    what.fill = fill;
    return what;
}

}  // namespace

CALL(cuTensorMapEncodeTiled, session&, std::byte* to, int type, unsigned rank, void* address,
     const std::uint64_t* sizes, const std::uint64_t* strides, const std::uint32_t* box,
     const std::uint32_t* steps, int interleave, int swizzle, int, int fill) {
    require_pointer(box);
    device::tensor_map_request what =
        request(type, rank, address, sizes, strides, steps, interleave, swizzle, fill);
    std::copy_n(box, std::min(rank, device::tensor_map_request::max_dimensions), what.box.begin());
    device::encode_tensor_map(what, to);
}
CALL(cuTensorMapEncodeIm2col, session&, std::byte* to, int type, unsigned rank, void* address,
     const std::uint64_t* sizes, const std::uint64_t* strides, const int* lower, const int* upper,
     std::uint32_t channels, std::uint32_t pixels, const std::uint32_t* steps, int interleave,
     int swizzle, int, int fill) {
    require_pointer(lower, upper);
    device::tensor_map_request what =
        request(type, rank, address, sizes, strides, steps, interleave, swizzle, fill);
    const unsigned count = std::min(rank, device::tensor_map_request::max_dimensions);
    const unsigned corners = count > 2 ? count - 2 : 0;
    std::copy_n(lower, corners, what.lower.begin());
    std::copy_n(upper, corners, what.upper.begin());
    what.mode = device::tensor_map_request::access_mode::im2col;
    what.pixels = pixels;
    what.box[0] = channels;
    device::encode_tensor_map(what, to);
}
CALL(cuTensorMapEncodeIm2colWide, session& s, std::byte* to, int type, unsigned rank, void* address,
     const std::uint64_t* sizes, const std::uint64_t* strides, int lower, int upper,
     std::uint32_t channels, std::uint32_t pixels, const std::uint32_t* steps, int interleave,
     int mode, int swizzle, int, int fill) {
    using access_mode = device::tensor_map_request::access_mode;
    constexpr int along_w = 0, of_128 = 1;  // CUtensorMapIm2ColWideMode
    constexpr unsigned first_with_it = 100;
    require(s.config().capability() >= first_with_it, status::not_supported,
            "wide im2col modes need compute capability 10.0");
    require(mode == along_w || mode == of_128, status::invalid_value, "not a wide im2col mode");
    device::tensor_map_request what =
        request(type, rank, address, sizes, strides, steps, interleave, swizzle, fill);
    what.lower[0] = lower;
    what.upper[0] = upper;
    what.mode = mode == along_w ? access_mode::im2col_w : access_mode::im2col_w_128;
    what.pixels = pixels;
    what.box[0] = channels;
    device::encode_tensor_map(what, to);
}
CALL(cuTensorMapReplaceAddress, session&, std::byte* map, void* address) {
    device::replace_address(map, reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace simtlm::cuda
