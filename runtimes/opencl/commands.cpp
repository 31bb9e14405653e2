// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/commands.h"

#include <algorithm>

namespace simtlm::opencl {

std::vector<std::shared_ptr<_cl_event>> events_of(session& s, cl_uint count, const cl_event* list,
                                                  const _cl_context* context) {
    require((count == 0) == (list == nullptr), CL_INVALID_EVENT_WAIT_LIST);
    std::vector<std::shared_ptr<_cl_event>> all;
    for (cl_uint i = 0; i < count; ++i) {
        std::shared_ptr<_cl_event> e;
        try {
            e = s.events.get(list[i]);
        } catch (const error&) {
            throw error(context != nullptr ? CL_INVALID_EVENT_WAIT_LIST : CL_INVALID_EVENT,
                        "an invalid event");
        }
        require(context == nullptr || e->context.get() == context, CL_INVALID_CONTEXT,
                "an event of a different context");
        all.push_back(std::move(e));
    }
    return all;
}

enqueue_request enqueue_request::of(session& s, cl_command_queue handle, cl_command_type command,
                                    cl_uint count, const cl_event* list, cl_event* event) {
    enqueue_request r;
    r.queue = s.queues.get(handle);
    r.command = command;
    r.after = events_of(s, count, list, r.queue->context.get());
    r.event = event;
    return r;
}

namespace {

std::shared_ptr<_cl_event> make_event(const enqueue_request& r, const device::task_ptr& t) {
    auto e = std::make_shared<_cl_event>();
    e->context = r.queue->context;
    e->queue = r.queue;
    e->command = r.command;
    e->task = t;
    return e;
}

void drop_ended(session& s, _cl_command_queue& q) {
    q.open.erase(std::remove_if(q.open.begin(), q.open.end(),
                                [&](const device::task_ptr& t) { return s.work().is_done(t); }),
                 q.open.end());
}

/// @param everything  wait for all earlier work of the queue
/// @param barrier     later work waits for it
void submit(session& s, const enqueue_request& r, const device::task_ptr& t,
            const std::shared_ptr<_cl_event::state>& how, bool everything, bool barrier) {
    std::vector<device::task_ptr> after;
    std::vector<std::shared_ptr<_cl_event::state>> before;
    for (const auto& e : r.after) {
        after.push_back(e->task);
        before.push_back(e->how);
    }
    if (!before.empty())
        t->skip = [before, how] {
            for (const auto& b : before)
                if (b->failed != 0) how->failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            return how->failed != 0;
        };
    _cl_command_queue& q = *r.queue;
    const std::lock_guard<std::mutex> lock(q.mutex);
    if (q.in_order()) return s.work().submit(*q.stream, t, after);
    drop_ended(s, q);
    if (everything) after.insert(after.end(), q.open.begin(), q.open.end());
    if (q.barrier) after.push_back(q.barrier);
    t->device = q.device->number;
    t->stream = q.stream->number;
    s.work().submit_after(t, after);
    q.open.push_back(t);
    if (barrier) q.barrier = t;
}

}  // namespace

void enqueue(session& s, const enqueue_request& r, const device::task_ptr& t, bool blocking,
             std::shared_ptr<const void> keeps) {
    t->keeps = std::move(keeps);
    const auto e = make_event(r, t);
    submit(s, r, t, e->how, false, false);
    if (r.event != nullptr) *r.event = s.events.add(e);
    if (!blocking) return;
    s.work().wait(t);
    const cl_int status = e->status();
    require(status >= 0,
            status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? status : CL_OUT_OF_RESOURCES,
            "the command has failed");
}

void enqueue_marker(session& s, const enqueue_request& r, bool everything, bool barrier) {
    auto t = std::make_shared<device::task>();
    t->even_after_fault = true;
    t->label = barrier ? "barrier" : "marker";
    const auto e = make_event(r, t);
    submit(s, r, t, e->how, everything, barrier);
    if (r.event != nullptr) *r.event = s.events.add(e);
}

void wait_for_callbacks(session& s, _cl_event& e) {
    if (s.work().in_engine_thread()) return;
    std::vector<device::task_ptr> calls;
    {
        const std::lock_guard<std::mutex> lock(e.how->mutex);
        calls = e.how->callbacks;
    }
    for (const device::task_ptr& t : calls) s.work().wait(t);
}

void finish(session& s, _cl_command_queue& q) {
    std::vector<device::task_ptr> open;
    {
        const std::lock_guard<std::mutex> lock(q.mutex);
        open = q.open;
    }
    if (q.in_order())
        s.work().wait(*q.stream);
    else
        for (const device::task_ptr& t : open) s.work().wait(t);
    std::vector<device::task_ptr> calls;
    {
        const std::lock_guard<std::mutex> lock(q.mutex);
        calls.swap(q.callbacks);
    }
    for (const device::task_ptr& t : calls) s.work().wait(t);
    std::fflush(stdout);
    const device::status fault = s.work().fault(q.device->number);
    require(fault == device::status::success, code_of(fault), "a GPU has failed");
}

}  // namespace simtlm::opencl
