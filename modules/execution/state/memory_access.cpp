// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/memory_access.h"

#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/block_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace simtlm::execution {

namespace {

[[noreturn]] void outside(warp& w, const operation* op, unsigned lane, const char* memory,
                          device_address a, std::uint32_t bytes, std::uint64_t size) {
    w.block->fail(w, op, lane,
                  fmt::format("access of {} bytes at {:#x} of {} memory, which has {} bytes", bytes,
                              a, memory, size));
}

mapped_range global_range(warp& w, const operation* op, unsigned lane, device_address a,
                          std::uint32_t bytes, bool writes) {
    device_memory& memory = w.launch->memory;
    allocation_hit& hit = w.worker->hits[static_cast<std::size_t>(op - w.code)];
    const device_memory::range* const r = memory.find(a);
    if (r == nullptr || bytes > r->end - a) {
        if (memory.is_mapped(a, bytes)) {
            if (writes) memory.note_stray_write();
            return {a, bytes, memory.host(a)};
        }
        w.block->fail(w, op, lane,
                      fmt::format("access of {} bytes at {:#x}, outside of all allocations: {}",
                                  bytes, a, memory.nearest(a)),
                      {}, fault_kind::outside_of_allocations);
    }
    hit = {r->begin, r->end};
    return {r->begin, r->end - r->begin, memory.host(r->begin)};
}

/// Shared memory of a CTA of the cluster. @param window  start of that of rank 0
mapped_range cluster_range(warp& w, const operation* op, unsigned lane, device_address a,
                           std::uint32_t bytes, device_address window) {
    const std::uint64_t rank = (a - window) / address_windows::cluster_stride;
    const device_address begin = window + rank * address_windows::cluster_stride;
    if (rank >= w.block->cluster().size()) names_no_rank(w, op, lane);
    thread_block* const owner = w.block->block_of_rank(static_cast<unsigned>(rank));
    if (owner == nullptr)
        w.block->fail(
            w, op, lane,
            fmt::format("access of {} bytes at {:#x} of shared memory: no thread block of "
                        "the cluster that runs has it",
                        bytes, a),
            "a thread block must not end while others use its shared memory");
    const std::uint64_t size = owner->shared_bytes();
    if (a - begin >= size || bytes > size - (a - begin))
        outside(w, op, lane, "shared", a - begin, bytes, size);
    return {begin, size, owner->shared()};
}

mapped_range shared_range(warp& w, const operation* op, unsigned lane, device_address a,
                          std::uint32_t bytes, device_address window) {
    constexpr device_address cluster = address_windows::cluster - address_windows::shared;
    if (a - window >= cluster) return cluster_range(w, op, lane, a, bytes, window + cluster);
    const std::uint64_t size = w.block->shared_bytes();
    if (a - window >= size || bytes > size - (a - window))
        outside(w, op, lane, "shared", a - window, bytes, size);
    return {window, size, w.block->shared()};
}

mapped_range param_range(warp& w, const operation* op, unsigned lane, device_address a,
                         std::uint32_t bytes, device_address window, bool writes) {
    const std::uint64_t size = w.launch->what.parameters.size();
    if (writes) w.block->fail(w, op, lane, "writes a parameter of the kernel");
    if (a - window >= size || bytes > size - (a - window))
        outside(w, op, lane, "parameter", a - window, bytes, size);
    return {window, size, const_cast<std::byte*>(w.launch->parameters())};
}

}  // namespace

mapped_range range_of(warp& w, const operation* op, unsigned lane, space s, device_address a,
                      std::uint32_t bytes, bool writes) {
    switch (s) {
        case space::generic:
            if (!address_windows::in_global(a)) {
                if (address_windows::in_shared(a) || address_windows::in_cluster(a))
                    return shared_range(w, op, lane, a, bytes, address_windows::shared);
                if (address_windows::in_param(a))
                    return param_range(w, op, lane, a, bytes, address_windows::param, writes);
            }
            return global_range(w, op, lane, a, bytes, writes);
        case space::shared:
            // Some programs use generic addresses here, which are equivalent on hardware.
            return shared_range(w, op, lane, a, bytes,
                                address_windows::in_shared(a) || address_windows::in_cluster(a)
                                    ? address_windows::shared
                                    : 0);
        case space::param:
            return param_range(w, op, lane, a, bytes,
                               address_windows::in_param(a) ? address_windows::param : 0, writes);
        case space::global:
        case space::local:
            break;
    }
    return global_range(w, op, lane, a, bytes, writes);
}

void misaligned(warp& w, const operation* op, unsigned lane, device_address a,
                std::uint32_t bytes) {
    w.block->fail(
        w, op, lane,
        fmt::format("address {:#x} is not a multiple of the {} bytes that are accessed", a, bytes),
        {}, fault_kind::misaligned);
}

void names_no_rank(warp& w, const operation* op, unsigned lane) {
    w.block->fail(w, op, lane, "names a rank that the cluster does not have");
}

void check_local(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                 std::uint32_t bytes) {
    if (offset >= w.local_bytes || bytes > w.local_bytes - offset)
        outside(w, op, lane, "local", offset, bytes, w.local_bytes);
}

void read_local(const warp& w, unsigned lane, std::uint64_t offset, void* to, std::uint32_t bytes) {
    auto* out = static_cast<std::byte*>(to);
    for (std::uint32_t n = 0; bytes != 0; out += n, offset += n, bytes -= n) {
        n = std::min(bytes, static_cast<std::uint32_t>(4 - offset % 4));
        std::memcpy(out, local_word(w, lane, offset & ~3ull) + offset % 4, n);
    }
}
void write_local(const warp& w, unsigned lane, std::uint64_t offset, const void* from,
                 std::uint32_t bytes) {
    const auto* in = static_cast<const std::byte*>(from);
    for (std::uint32_t n = 0; bytes != 0; in += n, offset += n, bytes -= n) {
        n = std::min(bytes, static_cast<std::uint32_t>(4 - offset % 4));
        std::memcpy(local_word(w, lane, offset & ~3ull) + offset % 4, in, n);
    }
}

void read_lane_bytes(warp& w, const operation* op, unsigned lane, device_address a, void* to,
                     std::uint32_t bytes) {
    if (address_windows::in_local(a)) {
        check_local(w, op, lane, a - address_windows::local, bytes);
        read_local(w, lane, a - address_windows::local, to, bytes);
        return;
    }
    std::memcpy(to, range_of(w, op, lane, space::generic, a, bytes, false).at(a), bytes);
}
void write_lane_bytes(warp& w, const operation* op, unsigned lane, device_address a,
                      const void* from, std::uint32_t bytes) {
    if (block_checks* const checks = w.block->checks()) checks->written(w, lane, a, bytes);
    if (address_windows::in_local(a)) {
        check_local(w, op, lane, a - address_windows::local, bytes);
        write_local(w, lane, a - address_windows::local, from, bytes);
        return;
    }
    std::memcpy(range_of(w, op, lane, space::generic, a, bytes, true).at(a), from, bytes);
}

std::string read_lane_string(warp& w, const operation* op, unsigned lane, device_address a,
                             std::size_t most) {
    std::string text;
    for (char c = 0; text.size() < most; text += c) {
        read_lane_bytes(w, op, lane, a + text.size(), &c, 1);
        if (c == 0) break;
    }
    return text;
}

}  // namespace simtlm::execution
