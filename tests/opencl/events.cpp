// SPDX-License-Identifier: Apache-2.0
// Events: order in and out of order, user events, callbacks, profiling, failures.
#include "tests/opencl/host.h"

#include <atomic>

namespace {

cl_int status_of(cl_event e) {
    cl_int s = 0;
    GOOD(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, nullptr));
    return s;
}

void orders_commands_by_events(const host& h) {
    cl_int r = 0;
    const cl_command_queue q = clCreateCommandQueue(
        h.context, h.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
        &r);
    GOOD(r);
    const cl_mem m = h.buffer(std::vector<int>(64, 0));
    const cl_event go = clCreateUserEvent(h.context, &r);
    GOOD(r);
    const int one = 1, two = 2;
    cl_event first = nullptr, second = nullptr;
    GOOD(clEnqueueFillBuffer(q, m, &one, 4, 0, 256, 1, &go, &first));
    GOOD(clEnqueueFillBuffer(q, m, &two, 4, 0, 128, 1, &first, &second));
    CHECK(status_of(first) > CL_COMPLETE);
    GOOD(clSetUserEventStatus(go, CL_COMPLETE));
    GIVES(CL_INVALID_OPERATION, clSetUserEventStatus(go, CL_COMPLETE));
    std::vector<int> v(64);
    GOOD(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 256, v.data(), 1, &second, nullptr));
    CHECK(v[0] == 2 && v[31] == 2 && v[32] == 1);
    CHECK(status_of(second) == CL_COMPLETE);
    // Behind a barrier nothing begins before what is in front of it.
    const int three = 3;
    GOOD(clEnqueueFillBuffer(q, m, &three, 4, 0, 256, 0, nullptr, nullptr));
    GOOD(clEnqueueBarrierWithWaitList(q, 0, nullptr, nullptr));
    GOOD(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 256, v.data(), 0, nullptr, nullptr));
    CHECK(v[63] == 3);
    GOOD(clFinish(q));
    for (const cl_event e : {go, first, second}) GOOD(clReleaseEvent(e));
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseCommandQueue(q));
}

void measures_simulated_time(const host& h) {
    const cl_program g = h.build("kernel void k(global int* p) { p[get_global_id(0)] += 1; }");
    const cl_kernel k = h.kernel(g, "k");
    const cl_mem m = h.buffer(std::vector<int>(256, 0));
    set(k, 0, m);
    const std::size_t n = 256;
    cl_event e = nullptr;
    GOOD(clEnqueueNDRangeKernel(h.queue, k, 1, nullptr, &n, nullptr, 0, nullptr, &e));
    GOOD(clWaitForEvents(1, &e));
    cl_ulong t[4] = {};
    for (cl_uint i = 0; i < 4; ++i)
        GOOD(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i],
                                     nullptr));
    // Without time, all of them are 0.
    CHECK(t[0] <= t[1] && t[1] <= t[2] && (t[2] < t[3] || t[3] == 0));
    cl_command_type type = 0;
    GOOD(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
    CHECK(type == CL_COMMAND_NDRANGE_KERNEL);
    GOOD(clReleaseEvent(e));
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
}

/// A program that asks until a command has ended, and never waits, comes to its end.
void goes_on_while_it_is_asked(const host& h) {
    const cl_program g = h.build("kernel void k(global int* p) { p[get_global_id(0)] += 1; }");
    const cl_kernel k = h.kernel(g, "k");
    const cl_mem m = h.buffer(std::vector<int>(256, 0));
    set(k, 0, m);
    const std::size_t n = 256;
    cl_event e = nullptr;
    for (int i = 0; i < 3; ++i) {
        if (e != nullptr) GOOD(clReleaseEvent(e));
        GOOD(clEnqueueNDRangeKernel(h.queue, k, 1, nullptr, &n, nullptr, 0, nullptr, &e));
    }
    while (status_of(e) > CL_COMPLETE) {
    }
    CHECK(status_of(e) == CL_COMPLETE);
    CHECK(h.read<int>(m, 256)[255] == 3);
    GOOD(clReleaseEvent(e));
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
}

std::atomic<int> calls{0};
std::atomic<int> last_status{99};
void CL_CALLBACK note(cl_event, cl_int status, void*) {
    ++calls;
    last_status = status;
}

void calls_back(const host& h) {
    cl_event e = nullptr;
    GOOD(clEnqueueMarkerWithWaitList(h.queue, 0, nullptr, &e));
    GOOD(clSetEventCallback(e, CL_COMPLETE, note, nullptr));
    GOOD(clFinish(h.queue));
    // The callback comes after the command, and something that comes after the callback is done.
    while (calls == 0) GOOD(clFinish(h.queue));
    CHECK(calls == 1 && last_status == CL_COMPLETE);
    GOOD(clReleaseEvent(e));
}

/// A program may release a user event that a command waits for, and set its status afterwards.
void sets_the_status_of_a_released_user_event(const host& h) {
    cl_int r = 0;
    const cl_event go = clCreateUserEvent(h.context, &r);
    GOOD(r);
    const cl_mem m = h.buffer(std::vector<int>{5});
    const int six = 6;
    GOOD(clEnqueueFillBuffer(h.queue, m, &six, 4, 0, 4, 1, &go, nullptr));
    GOOD(clReleaseEvent(go));
    GIVES(CL_INVALID_EVENT, clReleaseEvent(go));
    GOOD(clSetUserEventStatus(go, CL_COMPLETE));
    CHECK(h.read<int>(m, 1)[0] == 6);
    GIVES(CL_INVALID_EVENT, clSetUserEventStatus(go, CL_COMPLETE));
    GOOD(clReleaseMemObject(m));
}

void passes_failures_on(const host& h) {
    cl_int r = 0;
    const cl_event bad = clCreateUserEvent(h.context, &r);
    const cl_mem m = h.buffer(std::vector<int>{5});
    const int six = 6;
    cl_event e = nullptr;
    GOOD(clEnqueueFillBuffer(h.queue, m, &six, 4, 0, 4, 1, &bad, &e));
    GOOD(clSetUserEventStatus(bad, -42));
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &e));
    CHECK(status_of(bad) == -42);
    CHECK(status_of(e) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(h.read<int>(m, 1)[0] == 5);
    GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(h.queue, 1, nullptr, nullptr));
    GOOD(clReleaseEvent(e));
    GOOD(clReleaseEvent(bad));
    GOOD(clReleaseMemObject(m));
}

}  // namespace

int main() {
    {
        const host h;
        orders_commands_by_events(h);
        measures_simulated_time(h);
        goes_on_while_it_is_asked(h);
        calls_back(h);
        passes_failures_on(h);
        sets_the_status_of_a_released_user_event(h);
    }
    return passed("events");
}
