// SPDX-License-Identifier: Apache-2.0
// Command queues, events, markers and barriers.
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/commands.h"
#include "runtimes/opencl/entry_points.h"

using namespace simtlm::opencl;
namespace device = simtlm::device;

// ---- queues ----

_cl_command_queue::~_cl_command_queue() {
    if (stream != nullptr && !session::is_over()) session::get().work().destroy_stream(stream);
}

namespace {

cl_command_queue make_queue(session& s, cl_context context, cl_device_id d,
                            cl_command_queue_properties properties,
                            const cl_queue_properties* list) {
    const auto c = s.contexts.get(context);
    s.device(d);
    require(c->has(d), CL_INVALID_DEVICE, "a device that does not belong to the context");
    constexpr cl_command_queue_properties on_device =
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    constexpr cl_command_queue_properties known =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    require((properties & ~(known | on_device)) == 0, CL_INVALID_VALUE);
    require((properties & on_device) == 0, CL_INVALID_QUEUE_PROPERTIES,
            "on-device queues are not supported");
    auto q = std::make_shared<_cl_command_queue>();
    q->context = c;
    q->device = d;
    q->properties = properties;
    q->list = copy_list(list);
    q->has_list = list != nullptr;
    q->stream = s.work().create_stream(d->number, false, 0, 0);
    return s.queues.add(std::move(q));
}

}  // namespace

CL(cl_command_queue, clCreateCommandQueue)
(cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int* result) {
    return make("clCreateCommandQueue", result,
                [&](session& s) { return make_queue(s, c, d, properties, nullptr); });
}

CL(cl_command_queue, clCreateCommandQueueWithProperties)
(cl_context c, cl_device_id d, const cl_queue_properties* list, cl_int* result) {
    return make("clCreateCommandQueueWithProperties", result, [&](session& s) {
        s.contexts.get(c);
        cl_command_queue_properties properties = 0;
        for (const cl_queue_properties* p = list; p != nullptr && *p != 0; p += 2) {
            if (p[0] == CL_QUEUE_PROPERTIES)
                properties = p[1];
            else
                require(p[0] == CL_QUEUE_SIZE, CL_INVALID_VALUE, "an unknown property");
            require(p[0] != CL_QUEUE_SIZE, CL_INVALID_QUEUE_PROPERTIES);
        }
        return make_queue(s, c, d, properties, list);
    });
}

CL(cl_int, clRetainCommandQueue)(cl_command_queue q) {
    return call("clRetainCommandQueue", [&](session& s) { s.queues.retain(q); });
}
CL(cl_int, clReleaseCommandQueue)(cl_command_queue q) {
    return call("clReleaseCommandQueue", [&](session& s) { s.queues.release(q); });
}

CL(cl_int, clGetCommandQueueInfo)
(cl_command_queue handle, cl_command_queue_info what, size_t room, void* to, size_t* size) {
    return call("clGetCommandQueueInfo", [&](session& s) {
        const auto q = s.queues.get(handle);
        const answer a(room, to, size);
        switch (what) {
            case CL_QUEUE_CONTEXT:
                return a.value<cl_context>(q->context.get());
            case CL_QUEUE_DEVICE:
                return a.value(q->device);
            case CL_QUEUE_REFERENCE_COUNT:
                return a.value<cl_uint>(q->references);
            case CL_QUEUE_PROPERTIES:
                return a.value(q->properties);
            case CL_QUEUE_PROPERTIES_ARRAY:
                return a.list(q->list);
            case CL_QUEUE_DEVICE_DEFAULT:
                return a.value<cl_command_queue>(nullptr);
            case CL_QUEUE_SIZE:
                throw error(CL_INVALID_COMMAND_QUEUE, "not an on-device queue");
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

CL(cl_int, clSetCommandQueueProperty)
(cl_command_queue q, cl_command_queue_properties, cl_bool, cl_command_queue_properties*) {
    return call("clSetCommandQueueProperty", [&](session& s) {
        s.queues.get(q);
        throw error(CL_INVALID_OPERATION, "queue properties cannot be changed since OpenCL 1.1");
    });
}

CL(cl_int, clFlush)(cl_command_queue q) {
    return call("clFlush", [&](session& s) { s.queues.get(q); });
}
CL(cl_int, clFinish)(cl_command_queue q) {
    return call("clFinish", [&](session& s) { finish(s, *s.queues.get(q)); });
}

CL(cl_int, clEnqueueMarker)(cl_command_queue q, cl_event* event) {
    return call("clEnqueueMarker", [&](session& s) {
        s.queues.get(q);
        require(event != nullptr, CL_INVALID_VALUE);
        enqueue_marker(s, enqueue_request::of(s, q, CL_COMMAND_MARKER, 0, nullptr, event), true,
                       false);
    });
}
CL(cl_int, clEnqueueMarkerWithWaitList)
(cl_command_queue q, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueMarkerWithWaitList", [&](session& s) {
        enqueue_marker(s, enqueue_request::of(s, q, CL_COMMAND_MARKER, count, list, event),
                       count == 0, false);
    });
}
CL(cl_int, clEnqueueBarrier)(cl_command_queue q) {
    return call("clEnqueueBarrier", [&](session& s) {
        enqueue_marker(s, enqueue_request::of(s, q, CL_COMMAND_BARRIER, 0, nullptr, nullptr), true,
                       true);
    });
}
CL(cl_int, clEnqueueBarrierWithWaitList)
(cl_command_queue q, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueBarrierWithWaitList", [&](session& s) {
        enqueue_marker(s, enqueue_request::of(s, q, CL_COMMAND_BARRIER, count, list, event),
                       count == 0, true);
    });
}
CL(cl_int, clEnqueueWaitForEvents)(cl_command_queue q, cl_uint count, const cl_event* list) {
    return call("clEnqueueWaitForEvents", [&](session& s) {
        const auto queue = s.queues.get(q);
        require(count != 0 && list != nullptr, CL_INVALID_VALUE);
        events_of(s, count, list, nullptr);
        enqueue_marker(s, enqueue_request::of(s, q, CL_COMMAND_BARRIER, count, list, nullptr),
                       false, true);
    });
}

// ---- events ----

cl_int _cl_event::status() const {
    session& s = session::get();
    if (!queue) {
        if (!how->user_set) return CL_SUBMITTED;
        return how->failed != 0 ? how->failed.load() : CL_COMPLETE;
    }
    if (!s.work().is_done(task)) {
        if (task->started_at != 0) return CL_RUNNING;
        return CL_SUBMITTED;
    }
    if (how->failed != 0) return how->failed;
    return task->outcome == device::status::success ? CL_COMPLETE : code_of(task->outcome);
}

CL(cl_event, clCreateUserEvent)(cl_context context, cl_int* result) {
    return make("clCreateUserEvent", result, [&](session& s) {
        const auto c = s.contexts.get(context);
        auto e = std::make_shared<_cl_event>();
        e->context = c;
        e->command = CL_COMMAND_USER;
        e->task = std::make_shared<device::task>();
        e->task->device = c->first_device();
        e->task->even_after_fault = true;
        s.work().submit_held(e->task);
        s.unset_user_events.add(e);
        return s.events.add(std::move(e));
    });
}

CL(cl_int, clSetUserEventStatus)(cl_event handle, cl_int status) {
    return call("clSetUserEventStatus", [&](session& s) {
        const auto unset = s.unset_user_events.find(handle);
        const auto e = unset ? unset : s.events.get(handle);
        require(!e->queue, CL_INVALID_EVENT, "not a user event");
        require(status <= 0, CL_INVALID_VALUE);
        require(!e->how->user_set.exchange(true), CL_INVALID_OPERATION,
                "the status is already set");
        s.unset_user_events.remove(handle);
        e->how->failed = status;
        s.work().release(e->task);
        // Callbacks have been called, and waiting commands have started, before the call returns.
        if (!s.work().in_engine_thread()) s.work().wait(e->task);
        wait_for_callbacks(s, *e);
    });
}

CL(cl_int, clWaitForEvents)(cl_uint count, const cl_event* list) {
    return call("clWaitForEvents", [&](session& s) {
        require(count != 0 && list != nullptr, CL_INVALID_VALUE);
        const auto all = events_of(s, count, list, nullptr);
        for (const auto& e : all) require(e->context == all.front()->context, CL_INVALID_CONTEXT);
        for (const auto& e : all) s.work().wait(e->task);
        for (const auto& e : all) wait_for_callbacks(s, *e);
        std::fflush(stdout);
        for (const auto& e : all)
            require(e->status() >= 0, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                    "an event has failed");
    });
}

CL(cl_int, clRetainEvent)(cl_event e) {
    return call("clRetainEvent", [&](session& s) { s.events.retain(e); });
}
CL(cl_int, clReleaseEvent)(cl_event e) {
    return call("clReleaseEvent", [&](session& s) { s.events.release(e); });
}

CL(cl_int, clGetEventInfo)
(cl_event handle, cl_event_info what, size_t room, void* to, size_t* size) {
    return call("clGetEventInfo", [&](session& s) {
        const auto e = s.events.get(handle);
        const answer a(room, to, size);
        switch (what) {
            case CL_EVENT_COMMAND_QUEUE:
                return a.value<cl_command_queue>(e->queue.get());
            case CL_EVENT_CONTEXT:
                return a.value<cl_context>(e->context.get());
            case CL_EVENT_COMMAND_TYPE:
                return a.value(e->command);
            case CL_EVENT_REFERENCE_COUNT:
                return a.value<cl_uint>(e->references);
            case CL_EVENT_COMMAND_EXECUTION_STATUS:
                // Ensure progress of a program that polls the status.
                if (e->queue && !s.work().in_engine_thread()) s.work().poll(e->task);
                return a.value(e->status());
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

namespace {

/// The device timer in ns at a simulated time in ps. It starts at 1 because profiling tools
/// interpret a time of 0 as missing.
constexpr cl_ulong device_timer(std::uint64_t ps) {
    return ps / 1000 + 1;
}

}  // namespace

CL(cl_int, clGetEventProfilingInfo)
(cl_event handle, cl_profiling_info what, size_t room, void* to, size_t* size) {
    return call("clGetEventProfilingInfo", [&](session& s) {
        const auto e = s.events.get(handle);
        require(e->queue && (e->queue->properties & CL_QUEUE_PROFILING_ENABLE) != 0 &&
                    s.work().is_done(e->task) && e->how->failed == 0,
                CL_PROFILING_INFO_NOT_AVAILABLE);
        const answer a(room, to, size);
        switch (what) {
            case CL_PROFILING_COMMAND_QUEUED:
            case CL_PROFILING_COMMAND_SUBMIT:
                return a.value(device_timer(e->task->submitted_at));
            case CL_PROFILING_COMMAND_START:
                return a.value(device_timer(std::max(e->task->started_at, e->task->submitted_at)));
            case CL_PROFILING_COMMAND_END:
            case CL_PROFILING_COMMAND_COMPLETE:
                return a.value(device_timer(std::max(e->task->finished_at, e->task->submitted_at)));
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

CL(cl_int, clSetEventCallback)
(cl_event handle, cl_int type, void(CL_CALLBACK* notify)(cl_event, cl_int, void*), void* data) {
    return call("clSetEventCallback", [&](session& s) {
        const auto e = s.events.get(handle);
        require(notify != nullptr &&
                    (type == CL_COMPLETE || type == CL_SUBMITTED || type == CL_RUNNING),
                CL_INVALID_VALUE);
        auto t = std::make_shared<device::task>();
        t->what = device::task::kind::host_call;
        t->device = e->task->device;
        t->even_after_fault = true;
        t->effect = [e, type, notify, data] {
            const cl_int status = e->status();
            notify(e.get(), status < 0 ? status : type, data);
        };
        t->keeps = e;
        // A queued command is submitted immediately.
        const bool later = type != CL_SUBMITTED;
        s.work().submit_after(t, later ? std::vector{e->task} : std::vector<device::task_ptr>{});
        const std::lock_guard<std::mutex> lock(e->how->mutex);
        e->how->callbacks.push_back(t);
        if (!e->queue) return;
        const std::lock_guard<std::mutex> queue_lock(e->queue->mutex);
        e->queue->callbacks.push_back(t);
    });
}
