// SPDX-License-Identifier: Apache-2.0
// Functions that the calls of the runtime and of the driver share.
#pragma once

#include "runtimes/cuda/call.h"
#include "runtimes/cuda/graph.h"
#include "runtimes/cuda/runtime_lookup.h"

namespace simtlm::cuda {

/// Convert between pointers and device addresses, which are identical.
inline std::uint64_t address_of(const void* p) {
    return reinterpret_cast<std::uint64_t>(p);
}
inline void* pointer_to(std::uint64_t a) {
    return reinterpret_cast<void*>(a);
}

/// Convert texel formats. @throws failure  if there is no such format
execution::arithmetic::texel_format format_of(const channel_description& d);
channel_description description_of(const execution::arithmetic::texel_format& f);

/// Waits for a task submitted to a stream; no effect if it was captured.
void finish(session& s, const device::task_ptr& t);

/// Properties of a device for cudaGetDeviceProperties.
device_properties properties_of(session& s, int device);
/// Value for cudaDeviceGetAttribute and cuDeviceGetAttribute. @throws failure
int attribute_of(session& s, int attribute, int device);

/// @throws failure  if there is no such device
void check_device(session& s, int device);

// Functions shared by runtime and driver.

void* allocate(session& s, device::memory_kind kind, std::size_t bytes, unsigned flags);
/// The same in stream order (cudaMallocAsync), which is permitted during captures.
void* allocate_in_stream(session& s, device::memory_kind kind, std::size_t bytes, unsigned flags);
void free_memory(session& s, void* p);
/// The context in which memory was allocated.
context* context_of(session& s, const device::allocation& a);
/// The pool from which the memory at an address was allocated; nullptr if it is from none.
memory_pool* pool_of(session& s, std::uint64_t address);
/// A copy of contiguous bytes.
block_copy linear_copy(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                       int kind = by_address);
inline block_copy linear_copy(void* to, const void* from, std::size_t bytes, int kind) {
    return linear_copy(address_of(to), address_of(from), bytes, kind);
}
/// Copies in a stream; waits for completion unless asynchronous.
void copy(session& s, const block_copy& c, void* stream = nullptr, bool asynchronous = false);
/// Fills rows with a value of `element` bytes in a stream.
void fill(session& s, std::uint64_t to, std::size_t pitch, unsigned value, unsigned element,
          std::size_t width, std::size_t height, void* stream);
device::array* make_array(session& s, const device::array_shape& shape, unsigned flags);
device::array* level_of_array(session& s, device::array& a, unsigned level);
std::uint64_t make_texture(session& s, const resource_description& r, const texture_description* t,
                           const resource_view* v);
void remove_texture(session& s, std::uint64_t handle);
pointer_attributes attributes_of(session& s, const void* p);
function_attributes attributes_of(session& s, function& f);
more_function_attributes more_attributes_of(const function& f);
void set_function_attribute(session& s, function& f, int attribute, int value);
int resident_blocks(session& s, function& f, int block, std::size_t shared);
/// cudaDeviceSetCacheConfig
void set_cache_preference(int preference);
int cache_preference();
/// Preferred shared memory of an SM while a function runs, in percent; -1: no preference.
int carve_out_of(const function& f);
/// Dynamic shared memory with which a launch of a function is permitted, bytes.
std::uint64_t permitted_dynamic_shared(session& s, const function& f);
/// Dynamic shared memory with which so many blocks are resident on an SM, bytes.
std::size_t available_dynamic_shared(session& s, function& f, int blocks, int block_size);
constexpr unsigned portable_cluster = 8, largest_cluster = 16;  ///< thread blocks
/// Thread blocks per cluster that a launch of a function has. @throws failure  if not permitted
size3 permitted_cluster(const function& f, const size3& asked);
/// Thread blocks of the largest cluster with which a function can run.
int largest_cluster_of(session& s, function& f, const size3& block, std::size_t shared);
/// Maximum number of clusters resident on the GPU at the same time.
int active_clusters(session& s, function& f, const size3& block, std::size_t shared,
                    const size3& cluster);
/// Launch options requested by launch attributes.
launch_options options_of(const launch_attribute* attributes, unsigned count);
/// Records the events that launch attributes name, after the kernel. A device may record them
/// earlier: when all its blocks have begun or allow dependents.
void record_events_of(session& s, const launch_attribute* attributes, unsigned count,
                      device::stream& stream);
/// @throws failure  for unknown flags of an event, or for shared events with timing
void check_event_flags(unsigned flags);
/// @throws failure  for unknown flags of pinned (cudaHostAlloc), registered or managed memory
void check_pinned_flags(unsigned flags);
void check_registration_flags(unsigned flags);
void check_managed(std::size_t bytes, unsigned flags);
void record_event(session& s, device::event& e, device::stream& stream);
void wait_event(session& s, device::stream& stream, device::event& e);
bool is_done(session& s, device::event& e);
void wait_for(session& s, device::event& e);
float milliseconds(session& s, device::event& from, device::event& to);
void destroy_stream(session& s, device::stream& stream);
void add_callback(session& s, device::stream& stream, void* handle,
                  void (*call)(void*, result, void*), void* data);
std::shared_ptr<graph> end_capture(session& s, device::stream& stream);
/// @param into   an existing graph to capture into, or nullptr
/// @param after  nodes of it that the first operation depends on
void begin_capture(session& s, device::stream& stream, int mode,
                   std::shared_ptr<graph> into = nullptr, std::vector<graph_node*> after = {});

/// Names and descriptions of results.
const char* name_of(result r);
const char* text_of(result r);
/// CUDA_ERROR_...; nullptr for an unknown result.
const char* driver_name_of(result r);

constexpr int runtime_version = 13000;  ///< version of CUDA reported to programs

}  // namespace simtlm::cuda
