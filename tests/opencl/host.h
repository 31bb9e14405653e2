// SPDX-License-Identifier: Apache-2.0
// Shared by the OpenCL test programs: a device, a context, a queue, and checks.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

inline int failures = 0;

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                               \
        }                                                                             \
    } while (false)
/// Checks the result of a call.
#define GIVES(expected, call)                                                            \
    do {                                                                                 \
        const cl_int got_ = (call);                                                      \
        if (got_ != (expected)) {                                                        \
            std::printf("%s:%d: %s gives %d, not %s\n", __FILE__, __LINE__, #call, got_, \
                        #expected);                                                      \
            ++failures;                                                                  \
        }                                                                                \
    } while (false)
#define GOOD(call) GIVES(CL_SUCCESS, call)

struct host {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;

    explicit host(cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE) {
        GOOD(clGetPlatformIDs(1, &platform, nullptr));
        GOOD(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr));
        cl_int r = 0;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &r);
        GOOD(r);
        queue = clCreateCommandQueue(context, device, properties, &r);
        GOOD(r);
    }
    ~host() {
        GOOD(clReleaseCommandQueue(queue));
        GOOD(clReleaseContext(context));
    }
    host(const host&) = delete;
    host& operator=(const host&) = delete;

    std::string log(cl_program p) const {
        std::size_t n = 0;
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &n);
        std::string text(n, ' ');
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, n, text.data(), nullptr);
        return text.c_str();
    }
    cl_program build(const char* source, const char* options = "") const {
        cl_int r = 0;
        cl_program p = clCreateProgramWithSource(context, 1, &source, nullptr, &r);
        GOOD(r);
        r = clBuildProgram(p, 1, &device, options, nullptr, nullptr);
        GOOD(r);
        if (r != CL_SUCCESS) std::printf("%s\n", log(p).c_str());
        return p;
    }
    cl_kernel kernel(cl_program p, const char* name) const {
        cl_int r = 0;
        cl_kernel k = clCreateKernel(p, name, &r);
        GOOD(r);
        return k;
    }
    template <class T>
    cl_mem buffer(const std::vector<T>& v, cl_mem_flags flags = CL_MEM_READ_WRITE) const {
        cl_int r = 0;
        cl_mem m = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, v.size() * sizeof(T),
                                  const_cast<T*>(v.data()), &r);
        GOOD(r);
        return m;
    }
    template <class T>
    std::vector<T> read(cl_mem m, std::size_t n) const {
        std::vector<T> v(n);
        GOOD(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, n * sizeof(T), v.data(), 0, nullptr,
                                 nullptr));
        return v;
    }
    void run(cl_kernel k, std::size_t global, std::size_t local = 0) const {
        GOOD(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &global, local != 0 ? &local : nullptr, 0,
                                    nullptr, nullptr));
    }
};

template <class T>
void set(cl_kernel k, cl_uint index, const T& value) {
    GOOD(clSetKernelArg(k, index, sizeof(T), &value));
}

inline int passed(const char* name) {
    if (failures == 0) std::printf("%s: passed\n", name);
    return failures == 0 ? 0 : 1;
}
