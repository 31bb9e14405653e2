// SPDX-License-Identifier: Apache-2.0
// Calls of OpenCL 1.0 and 1.1 that later versions replaced, as used by old programs.
#include "tests/opencl/host.h"

namespace {

void makes_images_by_deprecated_calls(const host& h) {
    const cl_image_format f{CL_R, CL_FLOAT};
    std::vector<float> data(4 * 3 * 2);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    cl_int r = 0;
    const cl_mem flat = clCreateImage2D(h.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &f, 4,
                                        3, 0, data.data(), &r);
    GOOD(r);
    const cl_mem solid = clCreateImage3D(h.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &f, 4,
                                         3, 2, 0, 0, data.data(), &r);
    GOOD(r);
    const std::size_t at[3] = {1, 2, 0}, deeper[3] = {1, 2, 1}, one[3] = {1, 1, 1};
    float v = 0;
    GOOD(clEnqueueReadImage(h.queue, flat, CL_TRUE, at, one, 0, 0, &v, 0, nullptr, nullptr));
    CHECK(v == 9);
    GOOD(clEnqueueReadImage(h.queue, solid, CL_TRUE, deeper, one, 0, 0, &v, 0, nullptr, nullptr));
    CHECK(v == 21);
    CHECK(clCreateImage2D(h.context, CL_MEM_READ_ONLY, &f, 0, 3, 0, nullptr, &r) == nullptr);
    GIVES(CL_INVALID_IMAGE_SIZE, r);
    GOOD(clReleaseMemObject(flat));
    GOOD(clReleaseMemObject(solid));
}

/// Markers, barriers and waits without lists order an out-of-order queue.
void orders_the_old_way(const host& h) {
    cl_int r = 0;
    const cl_command_queue q =
        clCreateCommandQueue(h.context, h.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &r);
    GOOD(r);
    const cl_program g = h.build(
        "kernel void step(global int* p, int add, int times) {"
        "*p = *p * times + add; }");
    const cl_kernel k = h.kernel(g, "step");
    const cl_mem m = h.buffer(std::vector<int>{1});
    set(k, 0, m);
    set(k, 1, 1);
    set(k, 2, 10);
    const cl_event go = clCreateUserEvent(h.context, &r);
    GOOD(clEnqueueWaitForEvents(q, 1, &go));
    GOOD(clEnqueueTask(q, k, 0, nullptr, nullptr));
    GOOD(clEnqueueBarrier(q));
    set(k, 1, 2);
    GOOD(clEnqueueTask(q, k, 0, nullptr, nullptr));
    cl_event marker = nullptr;
    GOOD(clEnqueueMarker(q, &marker));
    GIVES(CL_INVALID_VALUE, clEnqueueMarker(q, nullptr));
    GOOD(clSetUserEventStatus(go, CL_COMPLETE));
    GOOD(clWaitForEvents(1, &marker));
    CHECK(h.read<int>(m, 1)[0] == 112);
    cl_command_type type = 0;
    GOOD(clGetEventInfo(marker, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
    CHECK(type == CL_COMMAND_MARKER);
    for (const cl_event e : {go, marker}) GOOD(clReleaseEvent(e));
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
    GOOD(clReleaseCommandQueue(q));
}

void keeps_what_may_no_longer_change(const host& h) {
    GIVES(CL_INVALID_OPERATION,
          clSetCommandQueueProperty(h.queue, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, nullptr));
    GOOD(clUnloadCompiler());
    // It is loaded again when needed.
    GOOD(clReleaseProgram(h.build("kernel void after(global int* p) { *p = 3; }")));
}

}  // namespace

int main() {
    {
        const host h;
        makes_images_by_deprecated_calls(h);
        orders_the_old_way(h);
        keeps_what_may_no_longer_change(h);
    }
    return passed("deprecated");
}
