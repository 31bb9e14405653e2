// SPDX-License-Identifier: Apache-2.0
// Binary interface between CUDA programs and the runtime and driver libraries, as far as it is
// implemented: sizes and member order of what is passed. The names are specific to this project;
// the values are those of CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simtlm::cuda {

/// cudaError_t or CUresult: runtime_number() or driver_number() of a cuda::status.
using result = int;

/// dim3
struct size3 {
    unsigned x = 1, y = 1, z = 1;
};

/// cudaMemcpyKind
enum copy_kind : int { host_to_host, host_to_device, device_to_host, device_to_device, by_address };

/// cudaChannelFormatDesc
struct channel_description {
    int x, y, z, w;  ///< bits
    int kind;        ///< 0 signed, 1 unsigned, 2 float, 3 none
};

/// cudaExtent; width in bytes, or in elements of an array
struct extent {
    std::size_t width, height, depth;
};
/// cudaPos
struct position {
    std::size_t x, y, z;
};
/// cudaPitchedPtr; pitch in bytes
struct pitched_pointer {
    void* pointer;
    std::size_t pitch, width, height;
};

/// cudaMemcpy3DParms
struct copy_3d {
    void* from_array;
    position from_position;
    pitched_pointer from_pointer;
    void* to_array;
    position to_position;
    pitched_pointer to_pointer;
    extent size;
    int kind;
};
/// cudaMemcpy3DPeerParms
struct copy_3d_peer {
    void* from_array;
    position from_position;
    pitched_pointer from_pointer;
    int from_device;
    void* to_array;
    position to_position;
    pitched_pointer to_pointer;
    int to_device;
    extent size;
};

/// cudaMemsetParams, CUDA_MEMSET_NODE_PARAMS
struct fill_parameters {
    void* to;
    std::size_t pitch;
    unsigned value, element_size;
    std::size_t width, height;
};

/// cudaKernelNodeParams
struct kernel_parameters {
    void* function;
    size3 grid, block;
    unsigned shared;
    void** arguments;
    void** extra;
};

/// cudaHostNodeParams
struct host_parameters {
    void (*call)(void*);
    void* data;
};

/// cudaLaunchAttributeID: those that have an effect; the others are hints, or describe streams.
enum class launch_attribute_id : int {
    cooperative = 2,
    cluster_dimension = 4,
    /// The kernel may begin before the previous kernel of its stream has ended.
    programmatic_stream_serialization = 6,
    programmatic_event = 7,        ///< an event that is recorded, here when the kernel has ended
    launch_completion_event = 12,  ///< the same
    preferred_carve_out = 14,      ///< shared memory of an SM, in percent of the most
};
/// cudaLaunchAttribute
struct launch_attribute {
    launch_attribute_id id;
    char padding[4];
    union {
        char bytes[64];
        int cooperative;
        int priority;
        int programmatic;
        unsigned carve_out;
        void* event;
        size3 cluster;
    };
};
/// cudaLaunchConfig_t
struct launch_configuration {
    size3 grid, block;
    std::size_t shared;
    void* stream;
    launch_attribute* attributes;
    unsigned attribute_count;
};
/// cudaLaunchParams
struct launch_parameters {
    void* function;
    size3 grid, block;
    void** arguments;
    std::size_t shared;
    void* stream;
};

/// cudaResourceDesc
struct resource_description {
    int type;  ///< 0 array, 1 mipmapped array, 2 linear, 3 pitched
    union {
        void* array;
        struct {
            void* pointer;
            channel_description format;
            std::size_t bytes;
        } linear;
        struct {
            void* pointer;
            channel_description format;
            std::size_t width, height, pitch;
        } pitched;
    };
};
/// cudaTextureDesc
struct texture_description {
    int address_mode[3];  ///< wrap, clamp, mirror, border
    int filter;           ///< point, linear
    int normalised_read;
    int srgb;
    float border[4];
    int normalised_coordinates;
    unsigned anisotropy;
    int mip_filter;
    float mip_bias, mip_minimum, mip_maximum;
    int no_trilinear_optimisation;
};
/// cudaResourceViewDesc
struct resource_view {
    int format;
    std::size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
};
/// textureReference
struct texture_reference {
    int normalised_coordinates;
    int filter;
    int address_mode[3];
    channel_description format;
    int srgb;
    unsigned anisotropy;
    int mip_filter;
    float mip_bias, mip_minimum, mip_maximum;
    int no_trilinear_optimisation;
    int reserved[14];
};
/// surfaceReference
struct surface_reference {
    channel_description format;
};

/// cudaPointerAttributes
struct pointer_attributes {
    int type;  ///< 0 none, 1 host, 2 device, 3 managed
    int device;
    void* device_pointer;
    void* host_pointer;
};

/// cudaFuncAttributes
struct function_attributes {
    std::size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared,
        carve_out;
};

/// Members that CUDA 12 and later append.
struct more_function_attributes {
    int cluster_must_be_set = 0, required_cluster[3] = {}, cluster_policy = 0,
        non_portable_cluster = 0, reserved[16] = {};
};

/// __fatBinC_Wrapper_t
struct fat_binary_wrapper {
    static constexpr unsigned magic_number = 0x466243b1;
    /// Version of a wrapper whose last member is a list of fat binaries, terminated by nullptr.
    static constexpr unsigned of_several = 2;
    unsigned magic, version;
    const void* data;
    void* file_or_binaries;
};

/// CUuuid
struct uuid {
    unsigned char bytes[16];
};

/// cudaDeviceProp as of CUDA 11. CUDA 12 appends members, CUDA 13 removes some.
struct device_properties {
    char name[256];
    uuid id;
    char luid[8];
    unsigned luid_mask;
    std::size_t global_bytes, shared_per_block;
    int registers_per_block, warp_size;
    std::size_t pitch;
    int max_threads, max_block[3], max_grid[3], clock_khz;
    std::size_t constant_bytes;
    int major, minor;
    std::size_t texture_alignment, texture_pitch_alignment;
    int overlap, multiprocessors, timeout, integrated, maps_host_memory, compute_mode;
    int texture_1d, texture_1d_mipmap, texture_1d_linear, texture_2d[2], texture_2d_mipmap[2],
        texture_2d_linear[3], texture_2d_gather[2], texture_3d[3], texture_3d_other[3],
        texture_cube, texture_1d_layered[2], texture_2d_layered[3], texture_cube_layered[2];
    int surface_1d, surface_2d[2], surface_3d[3], surface_1d_layered[2], surface_2d_layered[3],
        surface_cube, surface_cube_layered[2];
    std::size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, copy_engines,
        unified_addresses, memory_clock_khz, memory_bus_bits, l2_bytes, l2_persisting_bytes,
        threads_per_multiprocessor, stream_priorities, global_l1, local_l1;
    std::size_t shared_per_multiprocessor;
    int registers_per_multiprocessor, managed_memory, multi_gpu_board, board_group, host_atomics,
        double_ratio, pageable_access, concurrent_managed, preemption, host_pointer_registered,
        cooperative, cooperative_several;
    std::size_t shared_per_block_optin;
    int pageable_host_tables, direct_managed, blocks_per_multiprocessor, window_bytes;
    std::size_t reserved_shared;
};

/// Members that CUDA 12 and later append.
struct more_device_properties {
    int host_register = 1, sparse_arrays = 0, host_register_read_only = 0, timeline_semaphores = 0,
        memory_pools = 1, rdma = 0;
    unsigned rdma_flush = 0;
    int rdma_order = 0;
    unsigned pool_handles = 0;
    int deferred_arrays = 0, ipc_events = 0, clusters = 0, unified_functions = 1;
};

}  // namespace simtlm::cuda
