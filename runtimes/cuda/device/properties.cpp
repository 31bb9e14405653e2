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
    p.concurrent_managed = p.preemption = p.host_pointer_registered = 1;
    p.cooperative = 1;
    p.shared_per_block_optin = device::most_shared(s.config());
    p.reserved_shared = sm.allocation.reserved_shared;
    p.blocks_per_multiprocessor = static_cast<int>(sm.max_ctas);
    return p;
}

/// Returns whether the GPU has thread block clusters: sm_90 and later.
bool has_clusters(session& s) {
    return s.config().capability() >= 90;
}

int attribute_of(session& s, int attribute, int device) {
    const device_properties p = properties_of(s, device);
    switch (attribute) {
        case 1:
            return p.max_threads;
        case 2:
        case 3:
        case 4:
            return p.max_block[attribute - 2];
        case 5:
        case 6:
        case 7:
            return p.max_grid[attribute - 5];
        case 8:
            return static_cast<int>(p.shared_per_block);
        case 9:
            return static_cast<int>(p.constant_bytes);
        case 10:
            return p.warp_size;
        case 11:
            return static_cast<int>(p.pitch);
        case 12:
            return p.registers_per_block;
        case 13:
            return p.clock_khz;
        case 14:
            return static_cast<int>(p.texture_alignment);
        case 15:
            return p.overlap;
        case 16:
            return p.multiprocessors;
        case 17:
            return p.timeout;
        case 18:
            return p.integrated;
        case 19:
            return p.maps_host_memory;
        case 20:
            return p.compute_mode;
        case 21:
            return p.texture_1d;
        case 22:
        case 23:
            return p.texture_2d[attribute - 22];
        case 24:
        case 25:
        case 26:
            return p.texture_3d[attribute - 24];
        case 27:
        case 28:
        case 29:
            return p.texture_2d_layered[attribute - 27];
        case 30:
            return static_cast<int>(p.surface_alignment);
        case 31:
            return p.concurrent_kernels;
        case 32:
            return p.ecc;
        case 33:
            return p.pci_bus;
        case 34:
            return p.pci_device;
        case 35:
            return p.tcc;
        case 36:
            return p.memory_clock_khz;
        case 37:
            return p.memory_bus_bits;
        case 38:
            return p.l2_bytes;
        case 39:
            return p.threads_per_multiprocessor;
        case 40:
            return p.copy_engines;
        case 41:
            return p.unified_addresses;
        case 42:
        case 43:
            return p.texture_1d_layered[attribute - 42];
        case 44:
            return 1;
        case 45:
        case 46:
            return p.texture_2d_gather[attribute - 45];
        case 47:
        case 48:
        case 49:
            return p.texture_3d_other[attribute - 47];
        case 50:
            return p.pci_domain;
        case 51:
            return static_cast<int>(p.texture_pitch_alignment);
        case 52:
            return p.texture_cube;
        case 53:
        case 54:
            return p.texture_cube_layered[attribute - 53];
        case 55:
            return p.surface_1d;
        case 56:
        case 57:
            return p.surface_2d[attribute - 56];
        case 58:
        case 59:
        case 60:
            return p.surface_3d[attribute - 58];
        case 61:
        case 62:
            return p.surface_1d_layered[attribute - 61];
        case 63:
        case 64:
        case 65:
            return p.surface_2d_layered[attribute - 63];
        case 66:
            return p.surface_cube;
        case 67:
        case 68:
            return p.surface_cube_layered[attribute - 67];
        case 69:
            return p.texture_1d_linear;
        case 70:
        case 71:
        case 72:
            return p.texture_2d_linear[attribute - 70];
        case 73:
        case 74:
            return p.texture_2d_mipmap[attribute - 73];
        case 75:
            return p.major;
        case 76:
            return p.minor;
        case 77:
            return p.texture_1d_mipmap;
        case 78:
            return p.stream_priorities;
        case 79:
            return p.global_l1;
        case 80:
            return p.local_l1;
        case 81:
            return static_cast<int>(p.shared_per_multiprocessor);
        case 82:
            return p.registers_per_multiprocessor;
        case 83:
            return p.managed_memory;
        case 84:
            return p.multi_gpu_board;
        case 85:
            return p.board_group;
        case 87:
            return p.double_ratio;
        case 88:
            return p.pageable_access;
        case 89:
            return p.concurrent_managed;
        case 90:
            return p.preemption;
        case 91:
            return p.host_pointer_registered;
        case 92:
        case 93:
        case 94:
        case 122:
        case 123:
            return 1;  // stream memory operations
        case 95:
            return p.cooperative;
        case 97:
            return static_cast<int>(p.shared_per_block_optin);
        case 99:
            return 1;  // registration of host memory
        case 102:
            return 1;  // virtual memory management
        case 106:
            return p.blocks_per_multiprocessor;
        case 111:
            return static_cast<int>(p.reserved_shared);
        case 115:
            return 1;  // memory pools
        case 120:
            return has_clusters(s) ? 1 : 0;
        default:
            require(attribute > 0 && attribute < 160, status::invalid_value, "no attribute");
            return 0;
    }
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

namespace {

/// Packs the members of the structure that CUDA 13 has kept.
class packer {
public:
    packer(void* to, const device_properties& from)
        : to_(static_cast<char*>(to)), from_(reinterpret_cast<const char*>(&from)) {}

    /// Copies everything since the last removed member up to a removed member.
    template <class T>
    void skip(const T& member, std::size_t bytes = sizeof(T)) {
        const auto at = static_cast<std::size_t>(reinterpret_cast<const char*>(&member) - from_);
        append(at);
        done_ = at + bytes;
    }
    /// Realigns to eight bytes for 8-byte members.
    void align() { at_ = (at_ + 7) & ~std::size_t{7}; }
    void append(std::size_t until) {
        std::memcpy(to_ + at_, from_ + done_, until - done_);
        at_ += until - done_;
        done_ = until;
    }
    void add(const void* p, std::size_t bytes) {
        std::memcpy(to_ + at_, p, bytes);
        at_ += bytes;
    }
    void jump_to(const void* member) {
        done_ = static_cast<std::size_t>(static_cast<const char*>(member) - from_);
    }

private:
    char* to_;
    const char* from_;
    std::size_t at_ = 0, done_ = 0;
};

}  // namespace

CALL_AS(cudaGetDeviceProperties_v13, "cudaGetDeviceProperties", session& s, void* to, int device) {
    require_pointer(to);
    const device_properties p = properties_of(s, device);
    std::memset(to, 0, 1008);
    packer k(to, p);
    k.skip(p.clock_khz, 0);
    k.jump_to(&p.constant_bytes);
    k.align();
    k.skip(p.overlap);
    k.skip(p.timeout);
    k.skip(p.compute_mode);
    k.skip(p.texture_1d_linear);
    k.append(static_cast<std::size_t>(reinterpret_cast<const char*>(&p.surface_cube_layered) -
                                      reinterpret_cast<const char*>(&p)) +
             sizeof p.surface_cube_layered);
    k.jump_to(&p.surface_alignment);
    k.align();
    k.skip(p.memory_clock_khz);
    k.append(static_cast<std::size_t>(reinterpret_cast<const char*>(&p.local_l1) -
                                      reinterpret_cast<const char*>(&p)) +
             sizeof p.local_l1);
    k.jump_to(&p.shared_per_multiprocessor);
    k.align();
    k.skip(p.double_ratio);
    k.skip(p.cooperative_several);
    k.jump_to(&p.shared_per_block_optin);
    k.align();
    k.append(static_cast<std::size_t>(reinterpret_cast<const char*>(&p.window_bytes) -
                                      reinterpret_cast<const char*>(&p)) +
             sizeof p.window_bytes);
    k.jump_to(&p.reserved_shared);
    k.align();
    k.append(sizeof p);
    const more_device_properties more;
    k.add(&more, sizeof more);
}
CALL(cudaDeviceGetAttribute, session& s, int* to, int attribute, int device) {
    require_pointer(to);
    *to = attribute_of(s, attribute, device);
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
