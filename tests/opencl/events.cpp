// SPDX-License-Identifier: Apache-2.0
// Events: order in and out of order, user events, callbacks, profiling, failures.
#include "tests/opencl/host.h"

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <utility>

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
    // After a barrier, no command starts before the earlier ones are complete.
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
    CHECK(t[0] <= t[1] && t[1] <= t[2] && t[2] < t[3]);
    cl_command_type type = 0;
    GOOD(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
    CHECK(type == CL_COMMAND_NDRANGE_KERNEL);
    GOOD(clReleaseEvent(e));
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(g));
}

/// Simulated times of a command in ns: [queued, submitted, started, ended].
std::array<cl_ulong, 4> times_of(cl_event e) {
    std::array<cl_ulong, 4> t{};
    for (cl_uint i = 0; i < 4; ++i)
        GOOD(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i],
                                     nullptr));
    return t;
}

/// Cost category of commands that move data.
enum class cost { nothing, link, fill, copy };

enum class time_model {
    functional,  ///< each command that moves data takes 1 ns
    no_copies,   ///< copies take no time
    link,        ///< --pcie-bandwidth is 12 GB/s and the latency 1 us
};

/// Every command that moves data takes the time of the medium that it uses: the link to the host,
/// or the DRAM of the GPU.
void measures_transfers(const host& h, time_model model) {
    const bool link = model == time_model::link;
    // The first of all commands: its event times must not be 0, which stands for a missing time.
    {
        cl_event e = nullptr;
        const cl_mem m = h.buffer(std::vector<int>{1});
        const int two = 2;
        GOOD(clEnqueueWriteBuffer(h.queue, m, CL_TRUE, 0, 4, &two, 0, nullptr, &e));
        for (const cl_ulong t : times_of(e)) CHECK(t != 0);
        GOOD(clReleaseEvent(e));
        GOOD(clReleaseMemObject(m));
    }

    constexpr std::size_t side = 256, bytes = side * side * 4;
    const std::size_t origin[3] = {}, area[3] = {side, side, 1}, rectangle[3] = {side * 4, side, 1};
    const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
    std::vector<int> data(side * side, 7);
    const cl_mem a = h.buffer(data), b = h.buffer(data);
    cl_image_desc d{};
    d.image_type = CL_MEM_OBJECT_IMAGE2D;
    d.image_width = d.image_height = side;
    cl_int r = 0;
    const cl_mem image = clCreateImage(h.context, CL_MEM_READ_WRITE, &format, &d, nullptr, &r);
    GOOD(r);
    const cl_mem other = clCreateImage(h.context, CL_MEM_READ_WRITE, &format, &d, nullptr, &r);
    GOOD(r);
    const cl_command_queue q = h.queue;
    void* const shared = clSVMAlloc(h.context, CL_MEM_READ_WRITE, 2 * bytes, 0);
    auto* const second = static_cast<std::byte*>(shared) + bytes;
    std::vector<std::pair<cl_event, cost>> all;
    const auto next = [&](cost c) { return &all.emplace_back(nullptr, c).first; };
    all.reserve(64);

    GOOD(clEnqueueWriteBuffer(q, a, CL_FALSE, 0, bytes, data.data(), 0, nullptr, next(cost::link)));
    GOOD(clEnqueueReadBuffer(q, a, CL_FALSE, 0, bytes, data.data(), 0, nullptr, next(cost::link)));
    GOOD(clEnqueueWriteBufferRect(q, a, CL_FALSE, origin, origin, rectangle, 0, 0, 0, 0,
                                  data.data(), 0, nullptr, next(cost::link)));
    GOOD(clEnqueueReadBufferRect(q, a, CL_FALSE, origin, origin, rectangle, 0, 0, 0, 0, data.data(),
                                 0, nullptr, next(cost::link)));
    GOOD(clEnqueueWriteImage(q, image, CL_FALSE, origin, area, 0, 0, data.data(), 0, nullptr,
                             next(cost::link)));
    GOOD(clEnqueueReadImage(q, image, CL_FALSE, origin, area, 0, 0, data.data(), 0, nullptr,
                            next(cost::link)));
    GOOD(clEnqueueCopyBuffer(q, a, b, 0, 0, bytes, 0, nullptr, next(cost::copy)));
    GOOD(clEnqueueCopyBufferRect(q, a, b, origin, origin, rectangle, 0, 0, 0, 0, 0, nullptr,
                                 next(cost::copy)));
    GOOD(clEnqueueCopyImage(q, image, other, origin, origin, area, 0, nullptr, next(cost::copy)));
    GOOD(clEnqueueCopyImageToBuffer(q, image, a, origin, area, 0, 0, nullptr, next(cost::copy)));
    GOOD(clEnqueueCopyBufferToImage(q, a, image, 0, origin, area, 0, nullptr, next(cost::copy)));
    const cl_uint color[4] = {1, 2, 3, 4};
    GOOD(clEnqueueFillBuffer(q, a, color, sizeof color, 0, bytes, 0, nullptr, next(cost::fill)));
    GOOD(clEnqueueFillImage(q, image, color, origin, area, 0, nullptr, next(cost::fill)));
    GOOD(clEnqueueSVMMemcpy(q, CL_FALSE, shared, second, bytes, 0, nullptr, next(cost::copy)));
    GOOD(clEnqueueSVMMemFill(q, shared, color, sizeof color, bytes, 0, nullptr, next(cost::fill)));
    void* const mapped = clEnqueueMapBuffer(q, a, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                            nullptr, next(cost::link), &r);
    GOOD(r);
    GOOD(clEnqueueUnmapMemObject(q, a, mapped, 0, nullptr, next(cost::link)));
    void* const invalidated = clEnqueueMapBuffer(q, a, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                                 bytes, 0, nullptr, next(cost::nothing), &r);
    GOOD(r);
    GOOD(clEnqueueUnmapMemObject(q, a, invalidated, 0, nullptr, next(cost::link)));
    std::size_t row = 0;
    void* const pixels = clEnqueueMapImage(q, image, CL_FALSE, CL_MAP_READ, origin, area, &row,
                                           nullptr, 0, nullptr, next(cost::link), &r);
    GOOD(r);
    // Data that the host has only read are not copied back.
    GOOD(clEnqueueUnmapMemObject(q, image, pixels, 0, nullptr, next(cost::nothing)));
    GOOD(clEnqueueMigrateMemObjects(q, 1, &a, 0, 0, nullptr, next(cost::nothing)));
    GOOD(clEnqueueMarkerWithWaitList(q, 0, nullptr, next(cost::nothing)));
    GOOD(clEnqueueBarrierWithWaitList(q, 0, nullptr, next(cost::nothing)));
    GOOD(clFinish(q));

    // Begin and end are rounded to whole nanoseconds.
    const auto is_about = [](cl_ulong x, double ns) {
        return std::abs(static_cast<double>(x) - ns) <= 3;
    };
    cl_ulong before = 0;
    std::vector<cl_ulong> fills, copies;
    for (const auto& [e, c] : all) {
        const auto t = times_of(e);
        CHECK(t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3]);
        CHECK(t[2] >= before);  // the queue is in order
        before = t[3];
        const cl_ulong took = t[3] - t[2];
        if (c == cost::fill) fills.push_back(took);
        if (c == cost::copy) copies.push_back(took);
        if (c == cost::nothing || model == time_model::no_copies) CHECK(took == 0);
        if (c != cost::nothing && model == time_model::functional) CHECK(took == 1);
        if (link && c == cost::link) CHECK(is_about(took, 1000 + bytes / 12.0));
        GOOD(clReleaseEvent(e));
    }
    // Copies read and write; fills only write.
    if (link) CHECK(fills.front() > 100);
    const auto fill = static_cast<double>(fills.front());
    for (const cl_ulong f : fills) CHECK(is_about(f, fill));
    for (const cl_ulong c : copies) CHECK(!link || is_about(c, 2 * fill));
    clSVMFree(h.context, shared);
    for (const cl_mem m : {a, b, image, other}) GOOD(clReleaseMemObject(m));
}

/// A program that polls the status of a command without waiting terminates.
void runs_while_polled(const host& h) {
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
    // The callback is called after the command, and work that follows the callback is done.
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

/// @param arguments  the timing model of the run: "functional", "link"; otherwise copies take no
/// time
int main(int count, char** arguments) {
    {
        const std::string model = count > 1 ? arguments[1] : "";
        const host h;
        measures_transfers(h, model == "link"         ? time_model::link
                              : model == "functional" ? time_model::functional
                                                      : time_model::no_copies);
        orders_commands_by_events(h);
        measures_simulated_time(h);
        runs_while_polled(h);
        calls_back(h);
        passes_failures_on(h);
        sets_the_status_of_a_released_user_event(h);
    }
    return passed("events");
}
