// SPDX-License-Identifier: Apache-2.0
// Queries of every object, reference counts, extension functions, timers, and unsupported features
// of this device.
#include "tests/opencl/host.h"

#include <CL/cl_icd.h>

namespace {

/// The value of a query; checks that the returned size is that of its type.
template <class T, class Call, class Object, class What>
T get(Call call, Object o, What what) {
    T v{};
    std::size_t n = 0;
    GOOD(call(o, what, sizeof v, &v, &n));
    CHECK(n == sizeof v);
    GIVES(CL_INVALID_VALUE, call(o, what, sizeof v - 1, &v, nullptr));
    return v;
}

void platforms(const host& h) {
    const auto text = [&](cl_platform_info what) {
        std::size_t n = 0;
        GOOD(clGetPlatformInfo(h.platform, what, 0, nullptr, &n));
        std::string t(n, ' ');
        GOOD(clGetPlatformInfo(h.platform, what, n, t.data(), nullptr));
        return std::string(t.c_str());
    };
    CHECK(text(CL_PLATFORM_PROFILE) == "FULL_PROFILE");
    CHECK(text(CL_PLATFORM_VERSION).find("OpenCL 3.0 ") == 0);
    CHECK(text(CL_PLATFORM_NAME) == "simtlm");
    CHECK(text(CL_PLATFORM_EXTENSIONS).find("cl_khr_icd") != std::string::npos);
    GIVES(CL_INVALID_VALUE, clGetPlatformInfo(h.platform, 0x1, 0, nullptr, nullptr));
    cl_uint n = 0;
    GOOD(clGetPlatformIDs(0, nullptr, &n));
    CHECK(n == 1);
    GIVES(CL_INVALID_VALUE, clGetPlatformIDs(0, nullptr, nullptr));
    GOOD(clRetainDevice(h.device));  // reference counts do not apply to a root device
    GOOD(clReleaseDevice(h.device));
    CHECK(get<cl_uint>(clGetDeviceInfo, h.device, CL_DEVICE_REFERENCE_COUNT) == 1);
    GOOD(clUnloadPlatformCompiler(h.platform));
}

void queues(const host& h) {
    CHECK(get<cl_context>(clGetCommandQueueInfo, h.queue, CL_QUEUE_CONTEXT) == h.context);
    CHECK(get<cl_device_id>(clGetCommandQueueInfo, h.queue, CL_QUEUE_DEVICE) == h.device);
    CHECK(get<cl_command_queue_properties>(clGetCommandQueueInfo, h.queue, CL_QUEUE_PROPERTIES) ==
          CL_QUEUE_PROFILING_ENABLE);
    GOOD(clRetainCommandQueue(h.queue));
    CHECK(get<cl_uint>(clGetCommandQueueInfo, h.queue, CL_QUEUE_REFERENCE_COUNT) == 2);
    GOOD(clReleaseCommandQueue(h.queue));
    CHECK(get<cl_uint>(clGetCommandQueueInfo, h.queue, CL_QUEUE_REFERENCE_COUNT) == 1);
    // The size is defined only for on-device queues.
    cl_uint size = 0;
    GIVES(CL_INVALID_COMMAND_QUEUE,
          clGetCommandQueueInfo(h.queue, CL_QUEUE_SIZE, sizeof size, &size, nullptr));
    cl_int r = 0;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                        0};
    const cl_command_queue q = clCreateCommandQueueWithProperties(h.context, h.device, list, &r);
    GOOD(r);
    std::size_t n = 0;
    GOOD(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, 0, nullptr, &n));
    CHECK(n == sizeof list);
    GOOD(clFlush(q));
    GIVES(CL_INVALID_COMMAND_QUEUE, clFlush(nullptr));
    GOOD(clReleaseCommandQueue(q));
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    CHECK(clCreateCommandQueueWithProperties(h.context, h.device, on_device, &r) == nullptr);
    GIVES(CL_INVALID_QUEUE_PROPERTIES, r);
    GIVES(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(h.context, h.device, h.queue));
}

void memory(const host& h) {
    cl_int r = 0;
    const cl_mem m =
        clCreateBufferWithProperties(h.context, nullptr, CL_MEM_READ_ONLY, 128, nullptr, &r);
    GOOD(r);
    CHECK(get<std::size_t>(clGetMemObjectInfo, m, CL_MEM_SIZE) == 128);
    CHECK(get<cl_mem_flags>(clGetMemObjectInfo, m, CL_MEM_FLAGS) == CL_MEM_READ_ONLY);
    CHECK(get<cl_mem_object_type>(clGetMemObjectInfo, m, CL_MEM_TYPE) == CL_MEM_OBJECT_BUFFER);
    CHECK(get<cl_bool>(clGetMemObjectInfo, m, CL_MEM_USES_SVM_POINTER) == CL_FALSE);
    GOOD(clRetainMemObject(m));
    CHECK(get<cl_uint>(clGetMemObjectInfo, m, CL_MEM_REFERENCE_COUNT) == 2);
    GOOD(clReleaseMemObject(m));
    void* p = clEnqueueMapBuffer(h.queue, m, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, &r);
    CHECK(get<cl_uint>(clGetMemObjectInfo, m, CL_MEM_MAP_COUNT) == 1);
    GOOD(clEnqueueUnmapMemObject(h.queue, m, p, 0, nullptr, nullptr));
    GOOD(clFinish(h.queue));
    CHECK(get<cl_uint>(clGetMemObjectInfo, m, CL_MEM_MAP_COUNT) == 0);
    GIVES(CL_INVALID_MEM_OBJECT, clGetImageInfo(m, CL_IMAGE_WIDTH, 0, nullptr, nullptr));
    GIVES(CL_INVALID_MEM_OBJECT, clGetPipeInfo(m, CL_PIPE_PACKET_SIZE, 0, nullptr, nullptr));
    GOOD(clReleaseMemObject(m));

    cl_image_desc d{};
    d.image_type = CL_MEM_OBJECT_IMAGE2D;
    d.image_width = d.image_height = 4;
    const cl_image_format f{CL_RGBA, CL_FLOAT};
    const cl_mem i =
        clCreateImageWithProperties(h.context, nullptr, CL_MEM_READ_WRITE, &f, &d, nullptr, &r);
    GOOD(r);
    CHECK(get<std::size_t>(clGetImageInfo, i, CL_IMAGE_ELEMENT_SIZE) == 16);
    GOOD(clReleaseMemObject(i));
}

void samplers(const host& h) {
    cl_int r = 0;
    const cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE,
                                          CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    const cl_sampler s = clCreateSamplerWithProperties(h.context, list, &r);
    GOOD(r);
    CHECK(get<cl_bool>(clGetSamplerInfo, s, CL_SAMPLER_NORMALIZED_COORDS) == CL_FALSE);
    CHECK(get<cl_filter_mode>(clGetSamplerInfo, s, CL_SAMPLER_FILTER_MODE) == CL_FILTER_LINEAR);
    // Unspecified properties default to clamp.
    CHECK(get<cl_addressing_mode>(clGetSamplerInfo, s, CL_SAMPLER_ADDRESSING_MODE) ==
          CL_ADDRESS_CLAMP);
    CHECK(get<cl_context>(clGetSamplerInfo, s, CL_SAMPLER_CONTEXT) == h.context);
    GOOD(clRetainSampler(s));
    CHECK(get<cl_uint>(clGetSamplerInfo, s, CL_SAMPLER_REFERENCE_COUNT) == 2);
    GOOD(clReleaseSampler(s));
    GOOD(clReleaseSampler(s));
    GIVES(CL_INVALID_SAMPLER, clReleaseSampler(s));
    CHECK(clCreateSampler(h.context, CL_FALSE, 0x1, CL_FILTER_NEAREST, &r) == nullptr);
    GIVES(CL_INVALID_VALUE, r);
}

void programs_and_kernels(const host& h) {
    const cl_program g = h.build(
        "kernel void one(global int* p) { *p = 1; }"
        "kernel void two(global int* p) { *p = 2; }");
    GOOD(clRetainProgram(g));
    CHECK(get<cl_uint>(clGetProgramInfo, g, CL_PROGRAM_REFERENCE_COUNT) == 2);
    GOOD(clReleaseProgram(g));
    CHECK(get<std::size_t>(clGetProgramInfo, g, CL_PROGRAM_NUM_KERNELS) == 2);
    CHECK(get<cl_context>(clGetProgramInfo, g, CL_PROGRAM_CONTEXT) == h.context);
    char names[16] = {};
    GOOD(clGetProgramInfo(g, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, nullptr));
    CHECK(std::string(names) == "one;two");
    cl_uint n = 0;
    cl_kernel all[2] = {};
    GOOD(clCreateKernelsInProgram(g, 2, all, &n));
    CHECK(n == 2);
    const cl_kernel k = all[0];
    CHECK(get<cl_uint>(clGetKernelInfo, k, CL_KERNEL_NUM_ARGS) == 1);
    CHECK(get<cl_program>(clGetKernelInfo, k, CL_KERNEL_PROGRAM) == g);
    GOOD(clRetainKernel(k));
    CHECK(get<cl_uint>(clGetKernelInfo, k, CL_KERNEL_REFERENCE_COUNT) == 2);
    GOOD(clReleaseKernel(k));
    std::size_t size = 0;
    GOOD(clGetKernelWorkGroupInfo(k, h.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                  nullptr));
    CHECK(size >= 32 && size <= 1024);
    GOOD(clGetKernelWorkGroupInfo(k, nullptr, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                  sizeof size, &size, nullptr));
    CHECK(size == 32);
    GIVES(CL_INVALID_OPERATION,
          clGetKernelSubGroupInfo(k, h.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0, nullptr,
                                  0, nullptr, nullptr));
    for (const cl_kernel each : all) GOOD(clReleaseKernel(each));

    // Unsupported features of later versions.
    cl_int r = 0;
    CHECK(clCreateProgramWithBuiltInKernels(h.context, 1, &h.device, "none", &r) == nullptr);
    GIVES(CL_INVALID_VALUE, r);
    CHECK(clCreateProgramWithIL(h.context, "\3\2\43\7", 4, &r) == nullptr);
    GIVES(CL_INVALID_OPERATION, r);
    GIVES(CL_INVALID_OPERATION, clSetProgramReleaseCallback(
                                    g, [](cl_program, void*) {}, nullptr));
    const int v = 0;
    GIVES(CL_INVALID_OPERATION, clSetProgramSpecializationConstant(g, 0, sizeof v, &v));
    GOOD(clReleaseProgram(g));
}

void events(const host& h) {
    cl_int r = 0;
    const cl_event e = clCreateUserEvent(h.context, &r);
    GOOD(r);
    GOOD(clRetainEvent(e));
    CHECK(get<cl_uint>(clGetEventInfo, e, CL_EVENT_REFERENCE_COUNT) == 2);
    GOOD(clReleaseEvent(e));
    CHECK(get<cl_command_type>(clGetEventInfo, e, CL_EVENT_COMMAND_TYPE) == CL_COMMAND_USER);
    CHECK(get<cl_command_queue>(clGetEventInfo, e, CL_EVENT_COMMAND_QUEUE) == nullptr);
    cl_ulong t = 0;
    GIVES(CL_PROFILING_INFO_NOT_AVAILABLE,
          clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof t, &t, nullptr));
    GOOD(clSetUserEventStatus(e, CL_COMPLETE));
    GOOD(clReleaseEvent(e));
}

/// Host time and simulated time have no fixed ratio, so the platform offers no timers.
void timers(const host& h) {
    CHECK(get<cl_ulong>(clGetPlatformInfo, h.platform, CL_PLATFORM_HOST_TIMER_RESOLUTION) == 0);
    cl_ulong device = 0, host_time = 0;
    GIVES(CL_INVALID_OPERATION, clGetDeviceAndHostTimer(h.device, &device, &host_time));
    GIVES(CL_INVALID_OPERATION, clGetHostTimer(h.device, &host_time));
    GIVES(CL_INVALID_DEVICE, clGetHostTimer(nullptr, &host_time));
}

void finds_extension_functions(const host& h) {
    CHECK(clGetExtensionFunctionAddressForPlatform(h.platform, "clIcdGetPlatformIDsKHR") !=
          nullptr);
    CHECK(clGetExtensionFunctionAddressForPlatform(h.platform, "clNoSuchFunction") == nullptr);
    CHECK(clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR") != nullptr);
}

/// A handle released by the program stays valid while another object retains its object: programs
/// query the context of a queue, and the program of a kernel.
void keeps_what_other_objects_hold(const host& h) {
    cl_int r = 0;
    const cl_context c = clCreateContext(nullptr, 1, &h.device, nullptr, nullptr, &r);
    GOOD(r);
    const cl_command_queue q = clCreateCommandQueue(c, h.device, CL_QUEUE_PROFILING_ENABLE, &r);
    GOOD(r);
    const char* const source = "kernel void store(global int* p) { *p = 7; }";
    const cl_program p =
        clCreateProgramWithSource(c, 1, const_cast<const char**>(&source), nullptr, &r);
    GOOD(clBuildProgram(p, 1, &h.device, "", nullptr, nullptr));
    const cl_kernel k = clCreateKernel(p, "store", &r);
    GOOD(r);
    GOOD(clReleaseContext(c));
    GOOD(clReleaseProgram(p));
    GIVES(CL_INVALID_CONTEXT, clReleaseContext(c));
    GIVES(CL_INVALID_PROGRAM, clReleaseProgram(p));

    cl_context of_queue = nullptr;
    GOOD(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, nullptr));
    CHECK(of_queue == c);
    GOOD(clRetainContext(of_queue));
    const cl_mem m = clCreateBuffer(of_queue, 0, 1024, nullptr, &r);
    GOOD(r);
    cl_program of_kernel = nullptr;
    GOOD(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof of_kernel, &of_kernel, nullptr));
    std::size_t size = 0;
    GOOD(clGetProgramInfo(of_kernel, CL_PROGRAM_SOURCE, 0, nullptr, &size));
    CHECK(size == std::strlen(source) + 1);

    const cl_buffer_region region{0, 512};
    const cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &r);
    GOOD(r);
    set(k, 0, part);
    cl_event e = nullptr;
    GOOD(clEnqueueTask(q, k, 0, nullptr, &e));
    GOOD(clReleaseMemObject(m));
    cl_mem whole = nullptr;
    GOOD(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, nullptr));
    GOOD(clGetMemObjectInfo(whole, CL_MEM_SIZE, sizeof size, &size, nullptr));
    CHECK(size == 1024);

    GOOD(clReleaseCommandQueue(q));
    cl_command_queue of_event = nullptr;
    GOOD(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof of_event, &of_event, nullptr));
    CHECK(of_event == q);
    int value = 0;
    GOOD(clEnqueueReadBuffer(of_event, part, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
    CHECK(value == 7);

    GOOD(clReleaseKernel(k));
    GIVES(CL_INVALID_PROGRAM, clRetainProgram(p));
    GOOD(clReleaseEvent(e));
    GIVES(CL_INVALID_COMMAND_QUEUE, clFinish(q));
    GOOD(clReleaseMemObject(part));
    GIVES(CL_INVALID_MEM_OBJECT, clRetainMemObject(m));
    GOOD(clReleaseContext(c));
    GIVES(CL_INVALID_CONTEXT, clRetainContext(c));
}

}  // namespace

int main() {
    {
        const host h;
        platforms(h);
        queues(h);
        memory(h);
        samplers(h);
        programs_and_kernels(h);
        events(h);
        timers(h);
        finds_extension_functions(h);
        keeps_what_other_objects_hold(h);
    }
    return passed("queries");
}
