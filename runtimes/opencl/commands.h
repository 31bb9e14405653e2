// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/session.h"

#include <memory>
#include <vector>

namespace simtlm::opencl {

/// Common parameters of an enqueueing call: the queue, the wait list and the event to return.
struct enqueue_request {
    std::shared_ptr<_cl_command_queue> queue;
    cl_command_type command = 0;
    std::vector<std::shared_ptr<_cl_event>> after;
    cl_event* event = nullptr;

    /// @throws error
    static enqueue_request of(session& s, cl_command_queue queue, cl_command_type command,
                              cl_uint count, const cl_event* list, cl_event* event);
};

/// Events of a wait list. @throws error  for invalid events, or events of several contexts
std::vector<std::shared_ptr<_cl_event>> events_of(session& s, cl_uint count, const cl_event* list,
                                                  const _cl_context* context);

/// Appends a task to a queue. A command whose wait list contains a failed event is not executed and
/// fails too.
/// @param blocking  wait until it is done
/// @param keeps     objects to keep alive until it is done
void enqueue(session& s, const enqueue_request& r, const device::task_ptr& task, bool blocking,
             std::shared_ptr<const void> keeps = nullptr);

/// Appends a marker or barrier. @param everything  it waits for all earlier work of the queue
void enqueue_marker(session& s, const enqueue_request& r, bool everything, bool barrier);

/// Waits for the callbacks registered for an event.
void wait_for_callbacks(session& s, _cl_event& e);

/// Waits for the work of a queue, and for the callbacks of its events.
void finish(session& s, _cl_command_queue& q);

}  // namespace simtlm::opencl
