// SPDX-License-Identifier: Apache-2.0
// Runtime API: devices, errors, versions.
#include "platform/device/kernel_limits.h"
#include "runtimes/cuda/runtime_api.h"

#include <algorithm>
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

constexpr const char* bus_format = "0000:%02x:00.0";

}  // namespace

device_properties properties_of(session& s, int device) {
    check_device(s, device);
    const platform::gpu_config& g = s.config().gpu;
    const core::sm_config& sm = g.cores.sm;
    device_properties p{};
    std::snprintf(p.name, sizeof p.name, "simtlm %s", s.config().name.c_str());
    std::snprintf(reinterpret_cast<char*>(p.id.bytes), sizeof p.id.bytes, "simtlm-gpu-%d", device);
    p.global_bytes = s.config().memory_bytes;
    p.shared_per_block = simtlm::device::usual_shared(s.config());
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
    p.shared_per_block_optin = simtlm::device::most_shared(s.config());
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

}  // namespace simtlm::cuda

using namespace simtlm::cuda;

CALL(cudaGetDeviceCount, session& s, int* count) {
    require_pointer(count);
    *count = static_cast<int>(s.gpus().devices());
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
CALL(cudaChooseDevice, session&, int* device, const void*) {
    require_pointer(device);
    *device = 0;
}
CALL(cudaSetDevice, session& s, int device) {
    check_device(s, device);
    session::thread().device = static_cast<unsigned>(device);
    // The driver API continues with the primary context of the device.
    auto& contexts = session::thread().contexts;
    if (!contexts.empty()) contexts.pop_back();
    contexts.push_back(s.primary_context(static_cast<unsigned>(device)));
}
CALL(cudaInitDevice, session& s, int device, unsigned, unsigned) {
    check_device(s, device);
}
CALL(cudaGetDevice, session& s, int* device) {
    require_pointer(device);
    *device = static_cast<int>(s.current_device());
}
CALL(cudaSetValidDevices, session&, int*, int) {}
CALL(cudaSetDeviceFlags, session& s, unsigned flags) {
    s.device_flags = flags;
}
CALL(cudaGetDeviceFlags, session& s, unsigned* flags) {
    require_pointer(flags);
    *flags = s.device_flags | 8;  // cudaDeviceMapHost
}
CALL(cudaDeviceSynchronize, session& s) {
    refuse_waiting_for_captured_device(s, s.current_device());
    const status r = status_of(s.work().wait_all(s.current_device()));
    if (r != status::success) throw failure(r, "a GPU has failed");
}
FUNCTION(result, cudaDeviceReset, void) {
    return call<library_kind::runtime>("cudaDeviceReset", after_fault::allowed, [&](session& s) {
        s.reset_device(s.current_device());
        session::thread().last_error = 0;
        return status_of(s.work().fault(s.current_device()));  // the sticky error
    });
}
namespace {
/// Limits that have no effect on the simulation, by cudaLimit: the buffer of printf, the depth and
/// number of launches by kernels, the granularity of fetches and the persisting lines of the L2.
std::atomic<std::size_t> stored_limits[] = {{0}, {1 << 20}, {0}, {2}, {2048}, {64}, {0}};
constexpr std::size_t largest_stack = std::size_t{512} << 10;  ///< local memory per thread
}  // namespace
CALL(cudaDeviceSetLimit, session& s, int limit, std::size_t value) {
    require(limit >= 0 && limit <= 6, status::invalid_value, "no limit");
    // The stack is in the local memory window of a thread; the heap is in device memory.
    require(limit != 0 || value <= largest_stack, status::invalid_value,
            "a stack of more than 512 KiB");
    require(limit != 2 || value <= s.gpus().memory().capacity(), status::out_of_memory,
            "a heap larger than device memory");
    if (limit == 0) s.gpus().state().stack_limit = value;
    if (limit == 2) s.gpus().state().heap_limit = value;
    stored_limits[limit] = value;
}
CALL(cudaDeviceGetLimit, session& s, std::size_t* value, int limit) {
    require_pointer(value);
    const std::size_t values[] = {
        s.gpus().state().stack_limit, stored_limits[1], s.gpus().state().heap_limit,
        stored_limits[3], stored_limits[4], stored_limits[5], stored_limits[6],
        // Limits of shared memory with graphics, which is not modelled: CU_LIMIT_SHMEM_SIZE,
        // CU_LIMIT_CIG_ENABLED, CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED.
        0, 0, 0};
    require(limit >= 0 && limit <= 9, status::invalid_value, "no limit");
    *value = values[limit];
}
CALL(cudaDeviceGetTexture1DLinearMaxWidth, session&, std::size_t* width,
     const channel_description* d, int) {
    require_pointer(width, d);
    *width = (std::size_t{1} << 28) / format_of(*d).bytes();
}

namespace {
std::atomic<int> bank_size{0};
}

CALL(cudaDeviceGetCacheConfig, session&, int* to) {
    value_at(to) = cache_preference();
}
CALL(cudaDeviceSetCacheConfig, session&, int value) {
    set_cache_preference(value);
}
CALL(cudaDeviceGetSharedMemConfig, session&, int* to) {
    value_at(to) = bank_size == 0 ? 1 : bank_size.load();
}
CALL(cudaDeviceSetSharedMemConfig, session&, int value) {
    bank_size = value;
}
CALL(cudaDeviceGetStreamPriorityRange, session&, int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
}
CALL(cudaDeviceGetPCIBusId, session& s, char* to, int bytes, int device) {
    check_device(s, device);
    require(to != nullptr && bytes > 12, status::invalid_value,
            "the buffer is too small for the name");
    std::snprintf(to, static_cast<std::size_t>(bytes), bus_format, device + 1);
}
CALL(cudaDeviceGetByPCIBusId, session& s, int* device, const char* id) {
    require_pointer(device, id);
    // [domain]:[bus]:[device].[function], without the domain or the function, hexadecimal
    unsigned domain = 0, bus = 0, slot = 0, part = 0;
    int read = 0;
    const auto matches = [&](int fields, int expected) {
        return fields == expected && id[read] == '\0';
    };
    const bool valid =
        matches(std::sscanf(id, "%x:%x:%x.%x%n", &domain, &bus, &slot, &part, &read), 4) ||
        (part = 0, matches(std::sscanf(id, "%x:%x:%x%n", &domain, &bus, &slot, &read), 3)) ||
        (domain = 0, matches(std::sscanf(id, "%x:%x.%x%n", &bus, &slot, &part, &read), 3));
    require(valid, status::invalid_value, "not a PCI bus identifier");
    require(domain == 0 && bus >= 1 && bus <= s.gpus().devices() && slot == 0 && part == 0,
            status::invalid_device, "unknown device");
    *device = static_cast<int>(bus - 1);
}
CALL(cudaDeviceCanAccessPeer, session& s, int* can, int device, int peer) {
    require_pointer(can);
    check_device(s, device);
    check_device(s, peer);
    *can = device != peer ? 1 : 0;
}
CALL(cudaDeviceEnablePeerAccess, session& s, int peer, unsigned) {
    check_device(s, peer);
    require(static_cast<unsigned>(peer) != s.current_device(), status::invalid_device,
            "a device cannot be its own peer");
    require(!s.peers[s.current_device()][peer].exchange(true), status::peer_access_already_enabled,
            "access is already enabled");
}
CALL(cudaDeviceDisablePeerAccess, session& s, int peer) {
    check_device(s, peer);
    require(s.peers[s.current_device()][peer].exchange(false), status::peer_access_not_enabled,
            "access is not enabled");
}
CALL(cudaDeviceGetP2PAttribute, session& s, int* value, int attribute, int from, int to) {
    require_pointer(value);
    check_device(s, from);
    check_device(s, to);
    require(from != to, status::invalid_device, "a device cannot be its own peer");
    *value = attribute == 1 ? 0 : 1;
}
CALL(cudaCtxResetPersistingL2Cache, session&) {}
CALL(cudaDeviceFlushGPUDirectRDMAWrites, session&, int, int) {}

// ---- errors: callable in any state ----

namespace {
/// The last error of the thread or, after a fault of the device, that fault, which only a reset
/// clears.
result last_error_or_fault() {
    const result last = session::thread().last_error;
    if (!session::is_running()) return last;
    try {
        session& s = session::get();
        s.gpus().log().errors_seen();
        return last != 0 ? last : runtime_number(status_of(s.work().fault(s.current_device())));
    } catch (const failure& f) {  // a forked process
        return last != 0 ? last : runtime_number(f.code());
    }
}
}  // namespace
FUNCTION(result, cudaGetLastError, void) {
    const result r = last_error_or_fault();
    session::thread().last_error = 0;
    return r;
}
FUNCTION(result, cudaPeekAtLastError, void) {
    return last_error_or_fault();
}
FUNCTION(const char*, cudaGetErrorName, result r) {
    return name_of(r);
}
FUNCTION(const char*, cudaGetErrorString, result r) {
    return text_of(r);
}
static result give_version(int* to, int version) {
    if (to == nullptr) return 1;
    *to = version;
    return 0;
}
FUNCTION(result, cudaDriverGetVersion, int* to) {
    return give_version(to, runtime_version);
}
FUNCTION(result, cudaRuntimeGetVersion_v11, int* to) {
    return give_version(to, 11080);
}
FUNCTION(result, cudaRuntimeGetVersion_v12, int* to) {
    return give_version(to, 12090);
}
FUNCTION(result, cudaRuntimeGetVersion_v13, int* to) {
    return give_version(to, 13000);
}
CALL(cudaProfilerStart, session&) {}
CALL(cudaProfilerStop, session&) {}
CALL(cudaProfilerInitialize, session&, const char*, const char*, int) {}
