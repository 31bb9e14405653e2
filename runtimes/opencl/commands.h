// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/session.h"

#include <memory>
#include <vector>

namespace simtlm::opencl {

/// What every enqueueing call has: the queue, and the events it waits for and gives.
struct enqueue_request {
    std::shared_ptr<_cl_command_queue> queue;
    cl_command_type command = 0;
    std::vector<std::shared_ptr<_cl_event>> after;
    cl_event* event = nullptr;

    /// @throws error
    static enqueue_request of(session& s, cl_command_queue queue, cl_command_type command,
                              cl_uint count, const cl_event* list, cl_event* event);
};

/// Events of a wait list. @throws error  not valid, or of several contexts
std::vector<std::shared_ptr<_cl_event>> events_of(session& s, cl_uint count, const cl_event* list,
                                                  const _cl_context* context);

/// Puts a task into a queue. A command whose wait list has an event that has failed is not carried
/// out, and fails in turn.
/// @param blocking  waits until it is done
/// @param keeps     what must live until it is done
void enqueue(session& s, const enqueue_request& r, const device::task_ptr& task, bool blocking,
             std::shared_ptr<const void> keeps = nullptr);

/// A marker or barrier. @param everything  waits for all that was put into the queue before
void enqueue_marker(session& s, const enqueue_request& r, bool everything, bool barrier);

/// Waits for the calls that the program has asked for when an event has come.
void wait_for_callbacks(session& s, _cl_event& e);

/// Waits for what is in a queue, and for the callbacks of its events.
void finish(session& s, _cl_command_queue& q);

}  // namespace simtlm::opencl
