// SPDX-License-Identifier: Apache-2.0
// Copies of contiguous bytes, and of variables of modules.
#include "runtimes/cuda/device/device.h"
#include "runtimes/cuda/memory/stream_calls.h"
#include "runtimes/cuda/stream/stream.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace simtlm::cuda {

block_copy linear_copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, int kind) {
    block_copy c;
    c.to = to;
    c.from = from;
    c.width = bytes;
    c.kind = kind;
    return c;
}

void copy(session& s, const block_copy& c, const submission& how) {
    device::stream& where = s.stream(how.stream);
    if (!how.asynchronous) {
        refuse_implicit_dependency(s, where);
        refuse_during_capture(s);
    }
    const bool captured = s.captures.of(where) != nullptr;
    const auto t = enqueue(s, where, copy_operation(s, c, how.asynchronous && !captured));
    // A copy to pageable memory has completed when the call returns.
    const bool inside = c.kind == device_to_device;
    if (!how.asynchronous || (!captured && !inside && is_pageable(s, c.to))) finish(s, t);
}

namespace {

std::pair<std::uint64_t, std::uint64_t> part_of(session& s, const void* symbol, std::size_t offset,
                                                std::size_t bytes) {
    const auto v = s.modules.variable(symbol);
    require(offset <= v.second && bytes <= v.second - offset, status::invalid_value,
            "a copy exceeds a variable");
    return {v.first + offset, bytes};
}

block_copy to_symbol(session& s, const void* symbol, const void* from, std::size_t bytes,
                     std::size_t offset, int kind) {
    block_copy c =
        linear_copy(pointer_to(part_of(s, symbol, offset, bytes).first), from, bytes, kind);
    c.symbol = true;
    return c;
}

block_copy from_symbol(session& s, void* to, const void* symbol, std::size_t bytes,
                       std::size_t offset, int kind) {
    block_copy c =
        linear_copy(to, pointer_to(part_of(s, symbol, offset, bytes).first), bytes, kind);
    c.symbol = true;
    return c;
}

}  // namespace

STREAM_CALLS(cudaMemcpy, session& s, const submission& how, void* to, const void* from,
             std::size_t bytes, int kind) {
    copy(s, linear_copy(to, from, bytes, kind), how);
}
CALL(cudaMemcpyBatchAsync, session& s, void* const* to, const void* const* from,
     const std::size_t* bytes, std::size_t count, const void* attributes,
     const std::size_t* first_of_attributes, std::size_t attribute_count, void* stream) {
    require(count != 0 && to != nullptr && from != nullptr && bytes != nullptr,
            status::invalid_value, "no copies");
    require(attributes != nullptr && first_of_attributes != nullptr && attribute_count != 0 &&
                attribute_count <= count && first_of_attributes[0] == 0,
            status::invalid_value, "copies without attributes");
    require(!s.stream(stream).legacy, status::invalid_value,
            "not permitted in the legacy default stream");
    for (std::size_t i = 0; i < count; ++i)
        copy(s, linear_copy(to[i], from[i], bytes[i], by_address), {stream, true});
}
CALL_AS(cudaMemcpyBatchAsync_v12, "cudaMemcpyBatchAsync", session& s, void* const* to,
        const void* const* from, const std::size_t* bytes, std::size_t count,
        const void* attributes, const std::size_t* first_of_attributes, std::size_t attribute_count,
        std::size_t* failed, void* stream) {
    try {
        cudaMemcpyBatchAsync_call::run(s, to, from, bytes, count, attributes, first_of_attributes,
                                       attribute_count, stream);
    } catch (const std::exception&) {
        if (failed != nullptr) *failed = ~std::size_t{0};  // the failing index is not reported
        throw;
    }
}
STREAM_CALLS(cudaMemcpyPeer, session& s, const submission& how, void* to, int to_device,
             const void* from, int from_device, std::size_t bytes) {
    check_device(s, to_device);
    check_device(s, from_device);
    copy(s, linear_copy(to, from, bytes, by_address), how);
}
STREAM_CALLS(cudaMemcpyToSymbol, session& s, const submission& how, const void* symbol,
             const void* from, std::size_t bytes, std::size_t offset, int kind) {
    copy(s, to_symbol(s, symbol, from, bytes, offset, kind), how);
}
STREAM_CALLS(cudaMemcpyFromSymbol, session& s, const submission& how, void* to, const void* symbol,
             std::size_t bytes, std::size_t offset, int kind) {
    copy(s, from_symbol(s, to, symbol, bytes, offset, kind), how);
}
STREAM_CALLS(cuMemcpy, session& s, const submission& how, std::uint64_t to, std::uint64_t from,
             std::size_t bytes) {
    copy(s, linear_copy(to, from, bytes, by_address), how);
}
STREAM_CALLS(cuMemcpyHtoD, session& s, const submission& how, std::uint64_t to, const void* from,
             std::size_t bytes) {
    copy(s, linear_copy(to, address_of(from), bytes, host_to_device), how);
}
STREAM_CALLS(cuMemcpyDtoH, session& s, const submission& how, void* to, std::uint64_t from,
             std::size_t bytes) {
    copy(s, linear_copy(address_of(to), from, bytes, device_to_host), how);
}
STREAM_CALLS(cuMemcpyDtoD, session& s, const submission& how, std::uint64_t to, std::uint64_t from,
             std::size_t bytes) {
    copy(s, linear_copy(to, from, bytes, device_to_device), how);
}

}  // namespace simtlm::cuda
