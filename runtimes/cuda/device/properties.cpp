// SPDX-License-Identifier: Apache-2.0
// Properties and attributes of devices.
#include "platform/device/kernel_limits.h"
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/device/device.h"

#include <cstddef>
#include <cstdio>
#include <cstring>

namespace simtlm::cuda {

namespace {

int kilohertz(double hertz) {
    return static_cast<int>(hertz / 1e3 + 0.5);
}

/// Size of the L2 of the whole GPU, bytes.
int l2_bytes(const platform::gpu_config& g) {
    return static_cast<int>(g.memory.partition.l2.bytes() * g.sub_partitions());
}

}  // namespace

device_properties properties_of(session& s, int device) {
    check_device(s, device);
    const platform::gpu_config& g = s.config().gpu;
    const core::sm_config& sm = g.cores.sm;
    device_properties p{};
    std::snprintf(p.name, sizeof p.name, "simtlm %s", s.config().name.c_str());
    std::snprintf(reinterpret_cast<char*>(p.id.bytes), sizeof p.id.bytes, "simtlm-gpu-%d", device);
    p.global_bytes = s.config().memory_bytes;
    p.shared_per_block = device::usual_shared(s.config());
    p.registers_per_block = static_cast<int>(sm.registers_per_block);
    p.warp_size = 32;
    p.pitch = 0x7fffffff;
    p.max_threads = 1024;
    p.max_block[0] = p.max_block[1] = 1024;
    p.max_block[2] = 64;
    p.max_grid[0] = 0x7fffffff;
    p.max_grid[1] = p.max_grid[2] = 65535;
    p.clock_khz = kilohertz(g.clocks.core);
    p.constant_bytes = 65536;
    p.major = static_cast<int>(g.compute_capability_major);
    p.minor = static_cast<int>(g.compute_capability_minor);
    p.texture_alignment = 512;
    p.texture_pitch_alignment = 32;
    p.overlap = 1;
    p.multiprocessors = static_cast<int>(g.sms());
    p.maps_host_memory = 1;
    p.texture_1d = 131072;
    p.texture_1d_mipmap = 32768;
    p.texture_1d_linear = 1 << 28;
    for (int* const size : {p.texture_2d, p.texture_2d_linear}) size[0] = 131072, size[1] = 65536;
    p.texture_2d_linear[2] = 2097120;
    for (int* const size : {p.texture_2d_mipmap, p.texture_2d_gather}) size[0] = size[1] = 32768;
    for (int* const size : {p.texture_3d, p.surface_3d}) size[0] = size[1] = size[2] = 16384;
    p.texture_3d_other[0] = p.texture_3d_other[1] = 8192;
    p.texture_3d_other[2] = 32768;
    p.texture_cube = p.surface_cube = 32768;
    for (int* const size : {p.texture_1d_layered, p.surface_1d_layered})
        size[0] = 32768, size[1] = 2048;
    for (int* const size : {p.texture_2d_layered, p.surface_2d_layered})
        size[0] = size[1] = 32768, size[2] = 2048;
    for (int* const size : {p.texture_cube_layered, p.surface_cube_layered})
        size[0] = 32768, size[1] = 2046;
    p.surface_1d = 32768;
    p.surface_2d[0] = 131072;
    p.surface_2d[1] = 65536;
    p.surface_alignment = 512;
    p.concurrent_kernels = g.dispatch.max_concurrent_kernels > 1 ? 1 : 0;
    p.pci_bus = device + 1;
    p.copy_engines = 2;
    p.unified_addresses = 1;
    p.memory_clock_khz = kilohertz(g.clocks.dram);
    p.memory_bus_bits =
        static_cast<int>(g.memory.channels * g.memory.partition.dram.bus_width_bytes *
                         g.memory.partition.dram.chips_per_channel * 8);
    p.l2_bytes = l2_bytes(g);
    p.threads_per_multiprocessor = static_cast<int>(sm.max_threads);
    p.stream_priorities = p.global_l1 = p.local_l1 = 1;
    p.shared_per_multiprocessor = sm.shared.bytes;
    p.registers_per_multiprocessor = static_cast<int>(sm.registers);
    p.managed_memory = 1;
    p.board_group = device;
    p.double_ratio = 2;
    p.preemption = p.host_pointer_registered = 1;
    p.concurrent_managed = s.gpus().is_remote() ? 0 : 1;
    p.cooperative = 1;
    p.shared_per_block_optin = device::max_shared_memory(s.config());
    p.reserved_shared = sm.allocation.reserved_shared;
    p.blocks_per_multiprocessor = static_cast<int>(sm.max_ctas);
    return p;
}

/// Returns whether the GPU has thread block clusters: sm_90 and later.
bool has_clusters(session& s) {
    return s.config().capability() >= 90;
}

CALL(cudaDeviceGetAttribute, session& s, int* to, int attribute, int device) {
    require_pointer(to);
    const device_properties p = properties_of(s, device);
    const auto number = [](std::size_t n) { return static_cast<int>(n); };
    // clang-format off
    const int values[] = {
        /*   0 */ 0, p.max_threads, p.max_block[0], p.max_block[1], p.max_block[2],
                  p.max_grid[0], p.max_grid[1], p.max_grid[2], number(p.shared_per_block), number(p.constant_bytes),
        /*  10 */ p.warp_size, number(p.pitch), p.registers_per_block, p.clock_khz, number(p.texture_alignment),
                  p.overlap, p.multiprocessors, p.timeout, p.integrated, p.maps_host_memory,
        /*  20 */ p.compute_mode, p.texture_1d, p.texture_2d[0], p.texture_2d[1], p.texture_3d[0],
                  p.texture_3d[1], p.texture_3d[2], p.texture_2d_layered[0], p.texture_2d_layered[1], p.texture_2d_layered[2],
        /*  30 */ number(p.surface_alignment), p.concurrent_kernels, p.ecc, p.pci_bus, p.pci_device,
                  p.tcc, p.memory_clock_khz, p.memory_bus_bits, p.l2_bytes, p.threads_per_multiprocessor,
        /*  40 */ p.copy_engines, p.unified_addresses, p.texture_1d_layered[0], p.texture_1d_layered[1], 1,
                  p.texture_2d_gather[0], p.texture_2d_gather[1], p.texture_3d_other[0], p.texture_3d_other[1], p.texture_3d_other[2],
        /*  50 */ p.pci_domain, number(p.texture_pitch_alignment), p.texture_cube, p.texture_cube_layered[0], p.texture_cube_layered[1],
                  p.surface_1d, p.surface_2d[0], p.surface_2d[1], p.surface_3d[0], p.surface_3d[1],
        /*  60 */ p.surface_3d[2], p.surface_1d_layered[0], p.surface_1d_layered[1], p.surface_2d_layered[0], p.surface_2d_layered[1],
                  p.surface_2d_layered[2], p.surface_cube, p.surface_cube_layered[0], p.surface_cube_layered[1], p.texture_1d_linear,
        /*  70 */ p.texture_2d_linear[0], p.texture_2d_linear[1], p.texture_2d_linear[2], p.texture_2d_mipmap[0], p.texture_2d_mipmap[1],
                  p.major, p.minor, p.texture_1d_mipmap, p.stream_priorities, p.global_l1,
        /*  80 */ p.local_l1, number(p.shared_per_multiprocessor), p.registers_per_multiprocessor, p.managed_memory, p.multi_gpu_board,
                  p.board_group, 0, p.double_ratio, p.pageable_access, p.concurrent_managed,
        /*  90 */ p.preemption, p.host_pointer_registered,
                  1, 1, 1,  // operations of streams on memory; so are 122 and 123
                  p.cooperative, 0, number(p.shared_per_block_optin), 0, 1 /* registration of host memory */,
        /* 100 */ 0, 0, s.gpus().is_remote() ? 0 : 1 /* virtual memory management */, 0, 0, 0, p.blocks_per_multiprocessor, 0, 0, 0,
        /* 110 */ 0, number(p.reserved_shared), 0, 0, 0, 1 /* memory pools */, 0, 0, 0, 0,
        /* 120 */ has_clusters(s) ? 1 : 0, 0, 1, 1};
    // clang-format on
    require(attribute > 0 && attribute < 160, status::invalid_value, "no attribute");
    *to = attribute < static_cast<int>(std::size(values)) ? values[attribute] : 0;
}

CALL_AS(cudaGetDeviceProperties_v11, "cudaGetDeviceProperties", session& s, device_properties* to,
        int device) {
    require_pointer(to);
    *to = properties_of(s, device);
}
CALL_AS(cudaGetDeviceProperties_v12, "cudaGetDeviceProperties", session& s, device_properties* to,
        int device) {
    require_pointer(to);
    // The structure of CUDA 12 has 1032 bytes.
    std::memset(static_cast<void*>(to), 0, 1032);
    *to = properties_of(s, device);
    more_device_properties more;
    more.clusters = has_clusters(s) ? 1 : 0;
    std::memcpy(reinterpret_cast<char*>(&to->reserved_shared) + sizeof(std::size_t), &more,
                sizeof more);
}

namespace {}  // namespace

/// CUDA 13 has removed some members of the structure.
CALL_AS(cudaGetDeviceProperties_v13, "cudaGetDeviceProperties", session& s, void* to, int device) {
    require_pointer(to);
    const device_properties p = properties_of(s, device);
    std::memset(to, 0, 1008);
    std::size_t at = 0;
    const auto keep = [&](const auto* first, const void* end) {
        constexpr std::size_t alignment = alignof(std::remove_pointer_t<decltype(first)>);
        at = (at + alignment - 1) / alignment * alignment;
        const auto bytes = static_cast<std::size_t>(static_cast<const char*>(end) -
                                                    reinterpret_cast<const char*>(first));
        std::memcpy(static_cast<char*>(to) + at, first, bytes);
        at += bytes;
    };
    keep(&p.name, &p.clock_khz);
    keep(&p.constant_bytes, &p.overlap);
    keep(&p.overlap + 1, &p.timeout);
    keep(&p.timeout + 1, &p.compute_mode);
    keep(&p.compute_mode + 1, &p.texture_1d_linear);
    keep(&p.texture_1d_linear + 1, &p.surface_cube_layered + 1);
    keep(&p.surface_alignment, &p.memory_clock_khz);
    keep(&p.memory_clock_khz + 1, &p.local_l1 + 1);
    keep(&p.shared_per_multiprocessor, &p.double_ratio);
    keep(&p.double_ratio + 1, &p.cooperative_several);
    keep(&p.shared_per_block_optin, &p.window_bytes + 1);
    keep(&p.reserved_shared, &p + 1);
    const more_device_properties more;
    keep(&more, &more + 1);
}

namespace {

/// CUdevprop
struct old_properties {
    int max_threads, max_block[3], max_grid[3], shared_per_block, constant_bytes, warp_size, pitch,
        registers_per_block, clock_khz, texture_alignment;
};

}  // namespace

CALL(cuDeviceGetProperties, session& s, old_properties* to, int device) {
    require_pointer(to);
    const device_properties p = properties_of(s, device);
    *to = {p.max_threads,
           {p.max_block[0], p.max_block[1], p.max_block[2]},
           {p.max_grid[0], p.max_grid[1], p.max_grid[2]},
           static_cast<int>(p.shared_per_block),
           static_cast<int>(p.constant_bytes),
           p.warp_size,
           static_cast<int>(p.pitch),
           p.registers_per_block,
           p.clock_khz,
           static_cast<int>(p.texture_alignment)};
}

}  // namespace simtlm::cuda
