// SPDX-License-Identifier: Apache-2.0
// Platforms and devices.
#include "runtimes/common/process_environment.h"
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/entry_points.h"
#include "runtimes/opencl/limits.h"

#include <fmt/format.h>

using namespace simtlm::opencl;
namespace device = simtlm::device;

namespace {

std::vector<cl_name_version> versions(const std::vector<std::string>& names, cl_version v) {
    std::vector<cl_name_version> all;
    for (const std::string& n : names) {
        cl_name_version one{};
        one.version = v;
        std::snprintf(one.name, sizeof one.name, "%s", n.c_str());
        all.push_back(one);
    }
    return all;
}

std::vector<std::string> device_extensions() {
    std::vector<std::string> all = compiler::extensions();
    all.emplace_back("cl_khr_icd");
    all.emplace_back("cl_khr_image2d_from_buffer");
    all.emplace_back("cl_khr_extended_versioning");
    all.emplace_back("cl_nv_device_attribute_query");
    return all;
}
const std::vector<std::string>& platform_extensions() {
    static const std::vector<std::string> all{"cl_khr_icd", "cl_khr_extended_versioning"};
    return all;
}

constexpr cl_version version_1 = CL_MAKE_VERSION(1, 0, 0);
constexpr cl_version version_1_1 = CL_MAKE_VERSION(1, 1, 0);
constexpr cl_version version_1_2 = CL_MAKE_VERSION(1, 2, 0);
constexpr cl_version version_3 = CL_MAKE_VERSION(3, 0, 0);

void check_platform(session& s, cl_platform_id p) {
    require(p == nullptr || p == &s.platform, CL_INVALID_PLATFORM, "not a platform");
}

/// A property that all devices have in common.
template <class T>
struct constant_property {
    cl_device_info what;
    T value;
};

/// Of the types cl_uint, cl_bool, cl_version and enumerations.
constexpr constant_property<cl_uint> constant_words[] = {
    {CL_DEVICE_VENDOR_ID, 0x53544c4d},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 0},
    {CL_DEVICE_ADDRESS_BITS, 64},
    {CL_DEVICE_IMAGE_SUPPORT, CL_TRUE},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1},
    {CL_DEVICE_MAX_SAMPLERS, 32},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 128},
    {CL_DEVICE_MAX_CONSTANT_ARGS, 9},
    {CL_DEVICE_LOCAL_MEM_TYPE, CL_LOCAL},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_FALSE},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE},
    {CL_DEVICE_ENDIAN_LITTLE, CL_TRUE},
    {CL_DEVICE_AVAILABLE, CL_TRUE},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 0},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, 0},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, 0},
    {CL_DEVICE_MAX_PIPE_ARGS, 0},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 0},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, 0},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, 0},
    {CL_DEVICE_PIPE_SUPPORT, CL_FALSE},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_FALSE},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_TRUE},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_TRUE},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0},
    {CL_DEVICE_NUMERIC_VERSION, version_3},
    {CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, version_1_2},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 0},
    {CL_DEVICE_REFERENCE_COUNT, 1},
    {CL_DEVICE_WARP_SIZE_NV, 32},
    {CL_DEVICE_GPU_OVERLAP_NV, CL_TRUE},
    {0x4007, 2},  // CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV
    {0x4009, 0},  // CL_DEVICE_PCI_SLOT_ID_NV
    {0x400a, 0},  // CL_DEVICE_PCI_DOMAIN_ID_NV
    {CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV, CL_FALSE},
    {CL_DEVICE_INTEGRATED_MEMORY_NV, CL_FALSE},
};

/// Of the types cl_ulong and size_t, bit fields and null pointers.
constexpr constant_property<cl_ulong> constant_double_words[] = {
    {CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 32},
    {CL_DEVICE_MAX_PARAMETER_SIZE, 4352},
    {CL_DEVICE_SINGLE_FP_CONFIG, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA |
                                     CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT},
    {CL_DEVICE_DOUBLE_FP_CONFIG, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                     CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA},
    {CL_DEVICE_HALF_FP_CONFIG, 0},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 64 << 10},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 1 << 30},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, 1 << 20},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1},
    {CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 0},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 0},
    {CL_DEVICE_SVM_CAPABILITIES,
     CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
         CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
         CL_DEVICE_ATOMIC_SCOPE_DEVICE},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
         CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM |
         CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20},
    {CL_DEVICE_PARENT_DEVICE, 0},
    {CL_DEVICE_PARTITION_PROPERTIES, 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 0},
};
static_assert(sizeof(std::size_t) == sizeof(cl_ulong) && sizeof(void*) == sizeof(cl_ulong));

constexpr constant_property<const char*> constant_texts[] = {
    {CL_DEVICE_BUILT_IN_KERNELS, ""},
    {CL_DEVICE_IL_VERSION, ""},
    {CL_DEVICE_VENDOR, "simtlm"},
    {CL_DEVICE_PROFILE, "FULL_PROFILE"},
    {CL_DEVICE_VERSION, "OpenCL 3.0 simtlm"},
    {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 simtlm"},
    // The format requires a date; no conformance test has been passed.
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "v0000-01-01-00"},
};

/// Answers a query of a constant property. @return false if it is none
bool constant_info(cl_device_info what, const answer& a) {
    for (const auto& p : constant_words)
        if (p.what == what) {
            a.value(p.value);
            return true;
        }
    for (const auto& p : constant_double_words)
        if (p.what == what) {
            a.value(p.value);
            return true;
        }
    for (const auto& p : constant_texts)
        if (p.what == what) {
            a.text(p.value);
            return true;
        }
    return false;
}

void device_info(session& s, cl_device_id handle, cl_device_info what, const answer& a) {
    const _cl_device_id& d = *s.device(handle);
    if (constant_info(what, a)) return;
    const device::system_config& c = s.config();
    const limits l = limits::of(c);
    switch (what) {
        case CL_DEVICE_MAX_COMPUTE_UNITS:
            return a.value<cl_uint>(c.gpu.sms());
        case CL_DEVICE_MAX_WORK_ITEM_SIZES:
            return a.list<std::size_t>({l.work_group, l.work_group, 64});
        case CL_DEVICE_MAX_WORK_GROUP_SIZE:
            return a.value(l.work_group);
        case CL_DEVICE_MAX_CLOCK_FREQUENCY:
            return a.value(static_cast<cl_uint>(c.gpu.clocks.core / 1e6 + 0.5));
        case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
            return a.value(static_cast<cl_ulong>(l.allocation));
        case CL_DEVICE_IMAGE2D_MAX_WIDTH:
        case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
            return a.value(l.image_2d);
        case CL_DEVICE_IMAGE3D_MAX_WIDTH:
        case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
        case CL_DEVICE_IMAGE3D_MAX_DEPTH:
            return a.value(l.image_3d);
        case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
            return a.value(l.image_buffer);
        case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
            return a.value(l.image_layers);
        case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
            return a.value(static_cast<cl_ulong>(l.l2_bytes));
        case CL_DEVICE_GLOBAL_MEM_SIZE:
            return a.value(static_cast<cl_ulong>(c.memory_bytes));
        case CL_DEVICE_LOCAL_MEM_SIZE:
            return a.value(static_cast<cl_ulong>(l.local));
        case CL_DEVICE_COMPILER_AVAILABLE:
        case CL_DEVICE_LINKER_AVAILABLE:
            return a.value<cl_bool>(s.kernels().missing().empty() ? CL_TRUE : CL_FALSE);
        case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        case CL_DEVICE_ILS_WITH_VERSION:
            return a.list(std::vector<cl_name_version>{});
        case CL_DEVICE_PLATFORM:
            return a.value<cl_platform_id>(&s.platform);
        case CL_DEVICE_NAME:
            return a.text(fmt::format("simtlm {}", c.name));
        case CL_DRIVER_VERSION:
            return a.text(simtlm::runtime::library_version());
        case CL_DEVICE_OPENCL_C_ALL_VERSIONS: {
            std::vector<cl_name_version> all;
            for (const cl_version v : {version_1, version_1_1, version_1_2, version_3})
                all.push_back(versions({"OpenCL C"}, v).front());
            return a.list(all);
        }
        case CL_DEVICE_OPENCL_C_FEATURES:
            return a.list(versions(compiler::features(), version_3));
        case CL_DEVICE_EXTENSIONS:
            return a.text(fmt::format("{}", fmt::join(device_extensions(), " ")));
        case CL_DEVICE_EXTENSIONS_WITH_VERSION:
            return a.list(versions(device_extensions(), version_1));
        case CL_DEVICE_PARTITION_TYPE:
            return a.bytes(nullptr, 0);
        case CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV:
            return a.value<cl_uint>(c.capability() / 10);
        case CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV:
            return a.value<cl_uint>(c.capability() % 10);
        case CL_DEVICE_REGISTERS_PER_BLOCK_NV:
            return a.value(static_cast<cl_uint>(c.gpu.cores.sm.registers_per_block));
        case 0x4008:                                // CL_DEVICE_PCI_BUS_ID_NV
            return a.value<cl_uint>(d.number + 1);  // as in CUDA
        default:
            throw error(CL_INVALID_VALUE,
                        fmt::format("device {}: unknown query {:#x}", d.number, what));
    }
}

}  // namespace

CL(cl_int, clGetPlatformIDs)(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
    return call("clGetPlatformIDs", [&](session& s) {
        require((platforms != nullptr || count != nullptr) && (platforms == nullptr || room != 0),
                CL_INVALID_VALUE);
        if (platforms != nullptr) platforms[0] = &s.platform;
        if (count != nullptr) *count = 1;
    });
}

CL(cl_int, clGetPlatformInfo)
(cl_platform_id p, cl_platform_info what, size_t room, void* to, size_t* size) {
    return call("clGetPlatformInfo", [&](session& s) {
        check_platform(s, p);
        const answer a(room, to, size);
        switch (what) {
            case CL_PLATFORM_PROFILE:
                return a.text("FULL_PROFILE");
            case CL_PLATFORM_VERSION:
                return a.text("OpenCL 3.0 simtlm");
            case CL_PLATFORM_NUMERIC_VERSION:
                return a.value(version_3);
            case CL_PLATFORM_NAME:
            case CL_PLATFORM_VENDOR:
                return a.text("simtlm");
            case CL_PLATFORM_EXTENSIONS:
                return a.text(fmt::format("{}", fmt::join(platform_extensions(), " ")));
            case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
                return a.list(versions(platform_extensions(), version_1));
            case CL_PLATFORM_ICD_SUFFIX_KHR:
                return a.text("SIMTLM");
            case CL_PLATFORM_HOST_TIMER_RESOLUTION:
                return a.value<cl_ulong>(0);  // clGetDeviceAndHostTimer is not supported
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

CL(cl_int, clGetDeviceIDs)
(cl_platform_id p, cl_device_type type, cl_uint room, cl_device_id* devices, cl_uint* count) {
    return call("clGetDeviceIDs", [&](session& s) {
        check_platform(s, p);
        require((devices != nullptr || count != nullptr) && (devices == nullptr || room != 0),
                CL_INVALID_VALUE);
        constexpr cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
                                         CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                                         CL_DEVICE_TYPE_CUSTOM;
        require(type == CL_DEVICE_TYPE_ALL || (type != 0 && (type & ~known) == 0),
                CL_INVALID_DEVICE_TYPE);
        const bool any = type == CL_DEVICE_TYPE_ALL ||
                         (type & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_GPU)) != 0;
        const bool only_first = type == CL_DEVICE_TYPE_DEFAULT;
        const std::size_t n = !any ? 0 : only_first ? 1 : s.devices.size();
        if (count != nullptr) *count = static_cast<cl_uint>(n);
        require(n != 0, CL_DEVICE_NOT_FOUND);
        for (std::size_t i = 0; devices != nullptr && i < n && i < room; ++i)
            devices[i] = s.devices[i].get();
    });
}

CL(cl_int, clGetDeviceInfo)
(cl_device_id d, cl_device_info what, size_t room, void* to, size_t* size) {
    return call("clGetDeviceInfo",
                [&](session& s) { device_info(s, d, what, answer(room, to, size)); });
}

// Devices cannot be partitioned: CL_DEVICE_PARTITION_PROPERTIES is empty.
CL(cl_int, clCreateSubDevices)
(cl_device_id d, const cl_device_partition_property* properties, cl_uint, cl_device_id*, cl_uint*) {
    return call("clCreateSubDevices", [&](session& s) {
        s.device(d);
        require(properties != nullptr, CL_INVALID_VALUE);
        throw error(CL_INVALID_VALUE, "this GPU cannot be partitioned into sub-devices");
    });
}
CL(cl_int, clRetainDevice)(cl_device_id d) {
    return call("clRetainDevice", [&](session& s) { s.device(d); });
}
CL(cl_int, clReleaseDevice)(cl_device_id d) {
    return call("clReleaseDevice", [&](session& s) { s.device(d); });
}
CL(cl_int, clSetDefaultDeviceCommandQueue)(cl_context c, cl_device_id d, cl_command_queue) {
    return call("clSetDefaultDeviceCommandQueue", [&](session& s) {
        s.contexts.get(c);
        s.device(d);
        throw error(CL_INVALID_OPERATION, "on-device queues are not supported");
    });
}
CL(cl_int, clUnloadCompiler)() {
    return CL_SUCCESS;
}
CL(cl_int, clUnloadPlatformCompiler)(cl_platform_id p) {
    return call("clUnloadPlatformCompiler", [&](session& s) {
        require(p != nullptr, CL_INVALID_PLATFORM);
        check_platform(s, p);
    });
}

// ---- contexts ----

namespace {

void check_properties(session& s, const cl_context_properties* list) {
    bool platform = false, synchronised = false;
    for (; list != nullptr && *list != 0; list += 2) {
        switch (*list) {
            case CL_CONTEXT_PLATFORM:
                require(!platform, CL_INVALID_PROPERTY, "a property is given twice");
                platform = true;
                require(reinterpret_cast<cl_platform_id>(list[1]) == &s.platform,
                        CL_INVALID_PLATFORM);
                break;
            case CL_CONTEXT_INTEROP_USER_SYNC:
                require(!synchronised, CL_INVALID_PROPERTY, "a property is given twice");
                synchronised = true;
                require(list[1] == CL_TRUE || list[1] == CL_FALSE, CL_INVALID_PROPERTY);
                break;
            default:
                throw error(CL_INVALID_PROPERTY, "an unknown context property");
        }
    }
}

cl_context make_context(session& s, const cl_context_properties* properties,
                        std::vector<cl_device_id> devices,
                        void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
                        void* data) {
    require(notify != nullptr || data == nullptr, CL_INVALID_VALUE);
    auto c = std::make_shared<_cl_context>();
    c->devices = std::move(devices);
    c->properties = copy_list(properties);
    c->notify = notify;
    c->notify_data = data;
    return s.contexts.add(std::move(c));
}

}  // namespace

_cl_context::~_cl_context() {
    for (auto i = destructors.rbegin(); i != destructors.rend(); ++i) i->call(this, i->data);
    if (session::is_over()) return;
    for (const auto& [p, bytes] : shared_virtual)
        session::get().gpus().memory().release(reinterpret_cast<std::uint64_t>(p));
}

bool _cl_context::has(cl_device_id d) const {
    return std::find(devices.begin(), devices.end(), d) != devices.end();
}

CL(cl_context, clCreateContext)
(const cl_context_properties* properties, cl_uint count, const cl_device_id* devices,
 void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data, cl_int* result) {
    return make("clCreateContext", result, [&](session& s) {
        check_properties(s, properties);
        require(devices != nullptr && count != 0, CL_INVALID_VALUE);
        std::vector<cl_device_id> all;
        for (cl_uint i = 0; i < count; ++i) {
            const cl_device_id d = s.device(devices[i]);
            if (std::find(all.begin(), all.end(), d) == all.end()) all.push_back(d);
        }
        return make_context(s, properties, std::move(all), notify, data);
    });
}

CL(cl_context, clCreateContextFromType)
(const cl_context_properties* properties, cl_device_type type,
 void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data, cl_int* result) {
    return make("clCreateContextFromType", result, [&](session& s) {
        check_properties(s, properties);
        cl_uint n = 0;
        const cl_int r = simtlm_clGetDeviceIDs(&s.platform, type, 0, nullptr, &n);
        require(r == CL_SUCCESS, r);
        std::vector<cl_device_id> all(n);
        simtlm_clGetDeviceIDs(&s.platform, type, n, all.data(), nullptr);
        return make_context(s, properties, std::move(all), notify, data);
    });
}

CL(cl_int, clRetainContext)(cl_context c) {
    return call("clRetainContext", [&](session& s) { s.contexts.retain(c); });
}
CL(cl_int, clReleaseContext)(cl_context c) {
    return call("clReleaseContext", [&](session& s) { s.contexts.release(c); });
}

CL(cl_int, clGetContextInfo)
(cl_context handle, cl_context_info what, size_t room, void* to, size_t* size) {
    return call("clGetContextInfo", [&](session& s) {
        const auto c = s.contexts.get(handle);
        const answer a(room, to, size);
        switch (what) {
            case CL_CONTEXT_REFERENCE_COUNT:
                return a.value<cl_uint>(c->references);
            case CL_CONTEXT_NUM_DEVICES:
                return a.value(static_cast<cl_uint>(c->devices.size()));
            case CL_CONTEXT_DEVICES:
                return a.list(c->devices);
            case CL_CONTEXT_PROPERTIES:
                return a.list(c->properties);
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

CL(cl_int, clSetContextDestructorCallback)
(cl_context handle, void(CL_CALLBACK* notify)(cl_context, void*), void* data) {
    return call("clSetContextDestructorCallback", [&](session& s) {
        const auto c = s.contexts.get(handle);
        require(notify != nullptr, CL_INVALID_VALUE);
        const std::lock_guard<std::mutex> lock(c->mutex);
        c->destructors.push_back({notify, data});
    });
}

// Optional since OpenCL 3.0: simulated time does not advance while the host computes, so there is
// no host timer that is synchronised with the device timer.
CL(cl_int, clGetDeviceAndHostTimer)(cl_device_id d, cl_ulong*, cl_ulong*) {
    return call("clGetDeviceAndHostTimer", [&](session& s) {
        s.device(d);
        throw error(CL_INVALID_OPERATION, "no timer of the host keeps pace with simulated time");
    });
}
CL(cl_int, clGetHostTimer)(cl_device_id d, cl_ulong*) {
    return call("clGetHostTimer", [&](session& s) {
        s.device(d);
        throw error(CL_INVALID_OPERATION, "no timer of the host keeps pace with simulated time");
    });
}
