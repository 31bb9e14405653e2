// SPDX-License-Identifier: Apache-2.0
// Fills.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/memory/memory.h"

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

CALL(cudaMemset, session& s, void* to, int value, std::size_t bytes) {
    fill_bytes(s, to, bytes, value, bytes, 1, nullptr);
}
CALL(cudaMemsetAsync, session& s, void* to, int value, std::size_t bytes, void* stream) {
    fill_bytes(s, to, bytes, value, bytes, 1, stream);
}
CALL(cudaMemset2D, session& s, void* to, std::size_t pitch, int value, std::size_t width,
     std::size_t height) {
    fill_bytes(s, to, pitch, value, width, height, nullptr);
}
CALL(cudaMemset2DAsync, session& s, void* to, std::size_t pitch, int value, std::size_t width,
     std::size_t height, void* stream) {
    fill_bytes(s, to, pitch, value, width, height, stream);
}
CALL(cudaMemset3D, session& s, pitched_pointer to, int value, extent size) {
    fill_planes(s, to, value, size, nullptr);
}
CALL(cudaMemset3DAsync, session& s, pitched_pointer to, int value, extent size, void* stream) {
    fill_planes(s, to, value, size, stream);
}
CALL(cuMemsetD8, session& s, std::uint64_t to, unsigned char value, std::size_t count) {
    fill(s, to, count, value, 1, count, 1, nullptr);
}
CALL(cuMemsetD16, session& s, std::uint64_t to, unsigned short value, std::size_t count) {
    fill(s, to, count * 2, value, 2, count, 1, nullptr);
}
CALL(cuMemsetD32, session& s, std::uint64_t to, unsigned value, std::size_t count) {
    fill(s, to, count * 4, value, 4, count, 1, nullptr);
}
CALL(cuMemsetD8Async, session& s, std::uint64_t to, unsigned char value, std::size_t count,
     void* stream) {
    fill(s, to, count, value, 1, count, 1, stream);
}
CALL(cuMemsetD32Async, session& s, std::uint64_t to, unsigned value, std::size_t count,
     void* stream) {
    fill(s, to, count * 4, value, 4, count, 1, stream);
}
CALL(cuMemsetD16Async, session& s, std::uint64_t to, unsigned short value, std::size_t count,
     void* stream) {
    fill(s, to, count * 2, value, 2, count, 1, stream);
}
CALL(cuMemsetD2D8, session& s, std::uint64_t to, std::size_t pitch, unsigned char value,
     std::size_t width, std::size_t height) {
    fill(s, to, pitch, value, 1, width, height, nullptr);
}
CALL(cuMemsetD2D8Async, session& s, std::uint64_t to, std::size_t pitch, unsigned char value,
     std::size_t width, std::size_t height, void* stream) {
    fill(s, to, pitch, value, 1, width, height, stream);
}
CALL(cuMemsetD2D16, session& s, std::uint64_t to, std::size_t pitch, unsigned short value,
     std::size_t width, std::size_t height) {
    fill(s, to, pitch, value, 2, width, height, nullptr);
}
CALL(cuMemsetD2D16Async, session& s, std::uint64_t to, std::size_t pitch, unsigned short value,
     std::size_t width, std::size_t height, void* stream) {
    fill(s, to, pitch, value, 2, width, height, stream);
}
CALL(cuMemsetD2D32, session& s, std::uint64_t to, std::size_t pitch, unsigned value,
     std::size_t width, std::size_t height) {
    fill(s, to, pitch, value, 4, width, height, nullptr);
}
CALL(cuMemsetD2D32Async, session& s, std::uint64_t to, std::size_t pitch, unsigned value,
     std::size_t width, std::size_t height, void* stream) {
    fill(s, to, pitch, value, 4, width, height, stream);
}

}  // namespace simtlm::cuda
