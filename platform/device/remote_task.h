// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/texture_table.h"
#include "platform/device/module_source.h"
#include "platform/device/remote_link.h"
#include "platform/device/task.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

namespace simtlm::device {

/// Writes a task for the server. @param module  number of its module; 0: it launches no kernel
void write_task(payload_writer& out, const task& t, std::uint32_t module);

/// What the server must know to make a task of a message.
struct task_context {
    /// The module with a number; nullptr: there is none.
    std::function<std::shared_ptr<loaded_module>(std::uint32_t)> module;
    /// The task with a number that is in progress; nullptr: there is none.
    std::function<task_ptr(std::uint64_t)> task;
    /// Keeps a label for the time of the run.
    std::function<const char*(const std::string&)> label;
};
/// A task as received. @param has_effect  whether the client has something to do for it
/// @throws link_error
task_ptr read_task(payload_reader& in, const task_context& context, bool& has_effect);

/// Whether a copy or fill takes place in memory of GPUs only, so that the server performs it.
bool is_inside_gpus(const task& t);
/// Copies rows, or fills them with the pattern of the task.
/// @param moved  called for each part: destination, source (0: a fill) and bytes
void perform_inside_gpus(
    const task& t, const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& moved);

void write_module(payload_writer& out, const module_source& source);
/// @param is_fallback  of machine code  @throws link_error
module_source read_module(payload_reader& in, bool is_fallback = false);

void write_textures(payload_writer& out, const execution::texture_table& textures);
/// Replaces all bindings. @throws link_error
void read_textures(payload_reader& in, execution::texture_table& textures);
/// Removes textures and surfaces whose images are not in memory: a kernel that uses one fails.
void unbind_missing_images(execution::texture_table& textures,
                           const execution::device_memory& memory);

}  // namespace simtlm::device
