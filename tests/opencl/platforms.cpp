// SPDX-License-Identifier: Apache-2.0
// Platforms, devices, contexts, queues.
#include "tests/opencl/host.h"

#include <CL/cl_gl.h>

namespace {

template <class T>
T info(cl_device_id d, cl_device_info what) {
    T v{};
    GOOD(clGetDeviceInfo(d, what, sizeof v, &v, nullptr));
    return v;
}

std::string text(cl_device_id d, cl_device_info what) {
    std::size_t n = 0;
    GOOD(clGetDeviceInfo(d, what, 0, nullptr, &n));
    std::string t(n, ' ');
    GOOD(clGetDeviceInfo(d, what, n, t.data(), nullptr));
    return t.c_str();
}

void describes_a_gpu(const host& h) {
    CHECK(info<cl_device_type>(h.device, CL_DEVICE_TYPE) == CL_DEVICE_TYPE_GPU);
    CHECK(text(h.device, CL_DEVICE_VERSION).find("OpenCL 3.0") == 0);
    CHECK(text(h.device, CL_DEVICE_OPENCL_C_VERSION).find("OpenCL C 1.2") == 0);
    CHECK(text(h.device, CL_DEVICE_PROFILE) == "FULL_PROFILE");
    CHECK(text(h.device, CL_DEVICE_EXTENSIONS).find("cl_khr_fp64") != std::string::npos);
    CHECK(info<cl_uint>(h.device, CL_DEVICE_MAX_COMPUTE_UNITS) >= 1);
    CHECK(info<cl_ulong>(h.device, CL_DEVICE_LOCAL_MEM_SIZE) >= 32 << 10);
    CHECK(info<cl_ulong>(h.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) <=
          info<cl_ulong>(h.device, CL_DEVICE_GLOBAL_MEM_SIZE));
    CHECK(info<cl_platform_id>(h.device, CL_DEVICE_PLATFORM) == h.platform);
    GIVES(CL_INVALID_VALUE, clGetDeviceInfo(h.device, 0x9999, 0, nullptr, nullptr));
    cl_uint v = 0;
    GIVES(CL_INVALID_VALUE, clGetDeviceInfo(h.device, CL_DEVICE_VENDOR_ID, 1, &v, nullptr));
    GIVES(CL_INVALID_DEVICE, clGetDeviceInfo(nullptr, CL_DEVICE_VENDOR_ID, 4, &v, nullptr));
    // Required of every device by OpenCL 3.0.
    std::size_t n = 0;
    for (const cl_device_info what :
         {CL_DEVICE_NUMERIC_VERSION, CL_DEVICE_EXTENSIONS_WITH_VERSION, CL_DEVICE_ILS_WITH_VERSION,
          CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
          CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
          CL_DEVICE_OPENCL_C_ALL_VERSIONS, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
          CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
          CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_DEVICE_OPENCL_C_FEATURES,
          CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, CL_DEVICE_PIPE_SUPPORT,
          CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED})
        GOOD(clGetDeviceInfo(h.device, what, 0, nullptr, &n));
}

void refuses_what_there_is_not(const host& h) {
    cl_device_id d = nullptr;
    GIVES(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(h.platform, CL_DEVICE_TYPE_CPU, 1, &d, nullptr));
    GIVES(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(h.platform, 0, 1, &d, nullptr));
    const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    GIVES(CL_INVALID_VALUE, clCreateSubDevices(h.device, parts, 1, &d, nullptr));
    cl_int r = 0;
    const cl_context_properties sync = CL_CONTEXT_INTEROP_USER_SYNC;
    // A loader looks for the platform.
    const cl_context_properties platform = CL_CONTEXT_PLATFORM,
                                own = reinterpret_cast<cl_context_properties>(h.platform);
    const cl_context_properties wrong[][7] = {{platform, own, 0x1234, 0, 0},
                                              {platform, own, sync, -1, 0},
                                              {platform, own, sync, CL_FALSE, sync, CL_FALSE, 0}};
    for (const auto& properties : wrong) {
        CHECK(clCreateContext(properties, 1, &h.device, nullptr, nullptr, &r) == nullptr);
        GIVES(CL_INVALID_PROPERTY, r);
        CHECK(clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, nullptr, nullptr, &r) ==
              nullptr);
        GIVES(CL_INVALID_PROPERTY, r);
    }
    CHECK(clCreateCommandQueue(h.context, h.device, 0x100, &r) == nullptr);
    GIVES(CL_INVALID_VALUE, r);
    CHECK(clCreatePipe(h.context, 0, 4, 4, nullptr, &r) == nullptr);
    GIVES(CL_INVALID_OPERATION, r);
    GIVES(CL_INVALID_CONTEXT, clRetainContext(nullptr));
    GIVES(CL_INVALID_COMMAND_QUEUE, clFinish(nullptr));
}

/// Programs link with the entry points of extensions that the device does not support.
void exports_what_loaders_export(const host& h) {
    cl_int r = 0;
    CHECK(clCreateFromGLBuffer(h.context, CL_MEM_READ_WRITE, 1, &r) == nullptr);
    GIVES(CL_INVALID_CONTEXT, r);
    CHECK(clCreateFromGLTexture2D(h.context, CL_MEM_READ_WRITE, 0x0de1, 0, 1, &r) == nullptr);
    GIVES(CL_INVALID_CONTEXT, r);
    const cl_mem m = clCreateBuffer(h.context, CL_MEM_READ_WRITE, 16, nullptr, &r);
    GOOD(r);
    GIVES(CL_INVALID_CONTEXT, clEnqueueAcquireGLObjects(h.queue, 1, &m, 0, nullptr, nullptr));
    GIVES(CL_INVALID_GL_OBJECT, clGetGLObjectInfo(m, nullptr, nullptr));
    GOOD(clReleaseMemObject(m));
}

void counts_references(const host& h) {
    const auto count = [&] {
        cl_uint n = 0;
        GOOD(clGetContextInfo(h.context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, nullptr));
        return n;
    };
    CHECK(count() == 1);
    GOOD(clRetainContext(h.context));
    CHECK(count() == 2);
    GOOD(clReleaseContext(h.context));
    CHECK(count() == 1);
}

void CL_CALLBACK note(cl_context, void* p) {
    ++*static_cast<int*>(p);
}

void reports_destroyed_contexts(const host& h) {
    int called = 0;
    cl_int r = 0;
    const cl_context_properties list[] = {CL_CONTEXT_PLATFORM,
                                          reinterpret_cast<cl_context_properties>(h.platform), 0};
    cl_context c = clCreateContextFromType(list, CL_DEVICE_TYPE_GPU, nullptr, nullptr, &r);
    GOOD(r);
    GOOD(clSetContextDestructorCallback(c, note, &called));
    std::size_t n = 0;
    GOOD(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, 0, nullptr, &n));
    CHECK(n == sizeof list);
    GOOD(clReleaseContext(c));
    CHECK(called == 1);
}

}  // namespace

int main() {
    {
        const host h;
        describes_a_gpu(h);
        refuses_what_there_is_not(h);
        exports_what_loaders_export(h);
        counts_references(h);
        reports_destroyed_contexts(h);
    }
    return passed("platforms");
}
