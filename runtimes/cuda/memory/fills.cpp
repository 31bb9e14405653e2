// SPDX-License-Identifier: Apache-2.0
// Fills.
#include "runtimes/cuda/memory/stream_calls.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::cuda {

void fill(session& s, std::uint64_t to, std::size_t pitch, unsigned value, unsigned element,
          std::size_t width, std::size_t height, void* stream) {
    enqueue(s, s.stream(stream),
            fill_operation(s, {pointer_to(to), pitch, value, element, width, height}));
}

namespace {

void fill_bytes(session& s, void* to, std::size_t pitch, int value, std::size_t width,
                std::size_t height, void* stream) {
    fill(s, address_of(to), pitch, static_cast<unsigned>(value), 1, width, height, stream);
}

void fill_planes(session& s, const pitched_pointer& to, int value, const extent& size,
                 void* stream) {
    if (size.width == 0 || size.height == 0 || size.depth == 0) return;
    require(size.depth == 1 || to.height >= size.height, status::invalid_value,
            "planes overlap: their height is less than that of the filled area");
    const std::uint64_t plane = checked_product(to.pitch, to.height);
    s.gpus().check_range(
        address_of(to.pointer),
        checked_sum(checked_product(plane, size.depth - 1),
                    checked_sum(checked_product(to.pitch, size.height - 1), size.width)));
    for (std::size_t z = 0; z < size.depth; ++z)
        fill_bytes(s, static_cast<char*>(to.pointer) + z * to.pitch * to.height, to.pitch, value,
                   size.width, size.height, stream);
}

}  // namespace

STREAM_CALLS(cudaMemset, session& s, const submission& how, void* to, int value,
             std::size_t bytes) {
    fill_bytes(s, to, bytes, value, bytes, 1, how.stream);
}
STREAM_CALLS(cudaMemset2D, session& s, const submission& how, void* to, std::size_t pitch,
             int value, std::size_t width, std::size_t height) {
    fill_bytes(s, to, pitch, value, width, height, how.stream);
}
STREAM_CALLS(cudaMemset3D, session& s, const submission& how, pitched_pointer to, int value,
             extent size) {
    fill_planes(s, to, value, size, how.stream);
}
STREAM_CALLS(cuMemsetD8, session& s, const submission& how, std::uint64_t to, unsigned char value,
             std::size_t count) {
    fill(s, to, count, value, 1, count, 1, how.stream);
}
STREAM_CALLS(cuMemsetD16, session& s, const submission& how, std::uint64_t to, unsigned short value,
             std::size_t count) {
    fill(s, to, count * 2, value, 2, count, 1, how.stream);
}
STREAM_CALLS(cuMemsetD32, session& s, const submission& how, std::uint64_t to, unsigned value,
             std::size_t count) {
    fill(s, to, count * 4, value, 4, count, 1, how.stream);
}
STREAM_CALLS(cuMemsetD2D8, session& s, const submission& how, std::uint64_t to, std::size_t pitch,
             unsigned char value, std::size_t width, std::size_t height) {
    fill(s, to, pitch, value, 1, width, height, how.stream);
}
STREAM_CALLS(cuMemsetD2D16, session& s, const submission& how, std::uint64_t to, std::size_t pitch,
             unsigned short value, std::size_t width, std::size_t height) {
    fill(s, to, pitch, value, 2, width, height, how.stream);
}
STREAM_CALLS(cuMemsetD2D32, session& s, const submission& how, std::uint64_t to, std::size_t pitch,
             unsigned value, std::size_t width, std::size_t height) {
    fill(s, to, pitch, value, 4, width, height, how.stream);
}

}  // namespace simtlm::cuda
