// SPDX-License-Identifier: Apache-2.0
#include "platform/device/kernel_limits.h"
#include "runtimes/cuda/runtime_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace simtlm::cuda {

using device::memory_kind;
using execution::arithmetic::address_mode;
using execution::arithmetic::channel_kind;
using execution::arithmetic::filter_mode;
using execution::arithmetic::texel_format;

texel_format format_of(const channel_description& d) {
    const int bits[4] = {d.x, d.y, d.z, d.w};
    texel_format f;
    f.channels = 0;
    for (const int b : bits) {
        if (b == 0) break;
        require(b == bits[0], status::invalid_channel_descriptor, "channels have different widths");
        ++f.channels;
    }
    require(f.channels != 0 && f.channels != 3 && (d.x == 8 || d.x == 16 || d.x == 32) &&
                d.kind >= 0 && d.kind <= 2 && !(d.kind == 2 && d.x == 8),
            status::invalid_channel_descriptor, "unknown texel format");
    f.bits = static_cast<std::uint8_t>(d.x);
    f.kind = d.kind == 0   ? channel_kind::signed_integer
             : d.kind == 1 ? channel_kind::unsigned_integer
                           : channel_kind::floating;
    return f;
}

channel_description description_of(const texel_format& f) {
    channel_description d{};
    int* const bits[4] = {&d.x, &d.y, &d.z, &d.w};
    for (unsigned i = 0; i < f.channels; ++i) *bits[i] = f.bits;
    d.kind = f.kind == channel_kind::signed_integer     ? 0
             : f.kind == channel_kind::unsigned_integer ? 1
                                                        : 2;
    return d;
}

void finish(session& s, const device::task_ptr& t) {
    if (!t) return;
    const status outcome = status_of(s.work().wait(t));
    if (outcome != status::success) throw failure(outcome, "a GPU has failed");
    const status fault = status_of(s.work().fault(t->device));
    if (fault != status::success) throw failure(fault, "a GPU has failed");
}

void check_device(session& s, int device) {
    require(device >= 0 && static_cast<unsigned>(device) < s.gpus().devices(),
            status::invalid_device, "unknown device");
}

namespace {
/// Allocations made in contexts other than the primary ones, by their unique numbers.
struct owner_table {
    static owner_table& get() {
        static auto* const table = new owner_table;
        return *table;
    }
    std::mutex mutex;
    std::unordered_map<std::uint64_t, context*> owners;
};
}  // namespace

void* allocate(session& s, memory_kind kind, std::size_t bytes, unsigned flags) {
    refuse_during_capture(s);
    return allocate_in_stream(s, kind, bytes, flags);
}

void* allocate_in_stream(session& s, memory_kind kind, std::size_t bytes, unsigned flags) {
    if (bytes == 0) return nullptr;
    const std::uint64_t a = s.gpus().memory().allocate(kind, s.current_device(), bytes, flags);
    const auto& contexts = session::thread().contexts;
    if (!contexts.empty() && !contexts.back()->primary) {
        owner_table& table = owner_table::get();
        const std::lock_guard<std::mutex> lock(table.mutex);
        table.owners[s.gpus().memory().find(a)->id] = contexts.back();
    }
    return pointer_to(a);
}

context* context_of(session& s, const device::allocation& a) {
    owner_table& table = owner_table::get();
    const std::lock_guard<std::mutex> lock(table.mutex);
    const auto at = table.owners.find(a.id);
    return at != table.owners.end() && s.knows(at->second) ? at->second
                                                           : s.primary_context(a.device);
}

void check_pinned_flags(unsigned flags) {
    require(flags <= 7, status::invalid_value, "unknown flags of pinned memory");
}

void check_registration_flags(unsigned flags) {
    require(flags <= 15, status::invalid_value, "unknown flags of registered memory");
}

void check_managed(std::size_t bytes, unsigned flags) {
    require(bytes != 0 && (flags == 1 || flags == 2 || flags == 4), status::invalid_value,
            "no bytes, or unknown flags of managed memory");
}

void free_memory(session& s, void* p) {
    refuse_during_capture(s);
    if (p == nullptr) return;
    s.gpus().free(address_of(p));
}

block_copy linear_copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, int kind) {
    block_copy c;
    c.to = to;
    c.from = from;
    c.width = bytes;
    c.kind = kind;
    return c;
}

void copy(session& s, const block_copy& c, void* stream, bool asynchronous) {
    device::stream& where = s.stream(stream);
    if (!asynchronous) {
        refuse_implicit_dependency(s, where);
        refuse_during_capture(s);
    }
    const bool captured = capture_of(s, where) != nullptr;
    const auto t = enqueue(s, where, copy_operation(s, c, asynchronous && !captured));
    // A copy to pageable memory has completed when the call returns.
    const bool inside = c.kind == device_to_device;
    if (!asynchronous || (!captured && !inside && is_pageable(s, c.to))) finish(s, t);
}

void fill(session& s, std::uint64_t to, std::size_t pitch, unsigned value, unsigned element,
          std::size_t width, std::size_t height, void* stream) {
    enqueue(s, s.stream(stream),
            fill_operation(s, {pointer_to(to), pitch, value, element, width, height}));
}

device::array* make_array(session& s, const device::array_shape& shape, unsigned flags) {
    refuse_during_capture(s);
    require(shape.width != 0 && shape.width <= 131072 && shape.height <= 131072 &&
                shape.depth <= 16384 * 6,
            status::invalid_value, "an invalid array size");
    auto a = std::make_unique<device::array>();
    a->shape = shape;
    a->flags = flags;
    a->device = s.current_device();
    device::lay_out(*a);
    a->address = s.gpus().memory().allocate(memory_kind::device, a->device, a->bytes);
    device::array* const raw = s.add_array(std::move(a));
    for (unsigned l = 0; shape.levels > 1 && l < shape.levels; ++l)
        raw->level_views.push_back(
            s.add_array(std::make_unique<device::array>(device::level_of(*raw, l))));
    return raw;
}

device::array* level_of_array(session&, device::array& a, unsigned level) {
    if (a.level_views.empty() && level == 0) return &a;
    require(level < a.level_views.size(), status::invalid_value, "unknown mipmap level");
    return a.level_views[level];
}

namespace {

address_mode address_mode_of(int mode) {
    constexpr address_mode modes[] = {address_mode::wrap, address_mode::clamp, address_mode::mirror,
                                      address_mode::border};
    require(mode >= 0 && mode < 4, status::invalid_value, "unknown addressing mode");
    return modes[mode];
}

execution::arithmetic::sampler_state sampler_of(const texture_description& t) {
    execution::arithmetic::sampler_state s;
    for (unsigned i = 0; i < 3; ++i) s.address[i] = address_mode_of(t.address_mode[i]);
    s.filter = t.filter == 1 ? filter_mode::linear : filter_mode::point;
    s.mip_filter = t.mip_filter == 1 ? filter_mode::linear : filter_mode::point;
    s.normalised_coordinates = t.normalised_coordinates != 0;
    s.normalised_read = t.normalised_read == 1;
    s.srgb = t.srgb != 0;
    std::copy(std::begin(t.border), std::end(t.border), s.border.begin());
    s.lod_bias = t.mip_bias;
    s.min_lod = t.mip_minimum;
    s.max_lod = t.mip_maximum;
    return s;
}

}  // namespace

std::uint64_t make_texture(session& s, const resource_description& r, const texture_description* t,
                           const resource_view* v) {
    execution::texture_binding b;
    switch (r.type) {
        case 0:
        case 1: {
            const device::array& a = s.array(r.array);
            b.image = a.image;
            b.base = a.address;
            break;
        }
        case 2: {
            const texel_format f = format_of(r.linear.format);
            b.image = device::linear_image(f, r.linear.bytes / f.bytes(), 0, 0);
            b.base = address_of(r.linear.pointer);
            require(b.base % 512 == 0, status::invalid_value, "the texture is not aligned");
            break;
        }
        case 3:
            b.image = device::linear_image(format_of(r.pitched.format), r.pitched.width,
                                           r.pitched.height, r.pitched.pitch);
            b.base = address_of(r.pitched.pointer);
            break;
        default:
            throw failure(status::invalid_value, "not a resource for textures");
    }
    if (t != nullptr) {
        b.sampler = sampler_of(*t);
        require(t->filter == 0 || r.type != 2, status::invalid_value,
                "linear memory cannot be filtered");
    }
    const std::uint64_t handle = s.gpus().bind_texture(b);
    session::texture_object o{};
    o.resource = r;
    if (t != nullptr) o.texture = *t;
    if (v != nullptr) {
        o.view = *v;
        o.has_view = true;
    }
    const std::lock_guard<std::mutex> lock(s.textures_mutex);
    s.textures[handle] = o;
    return handle;
}

void remove_texture(session& s, std::uint64_t handle) {
    {
        const std::lock_guard<std::mutex> lock(s.textures_mutex);
        require(s.textures.erase(handle) != 0, status::invalid_value,
                "not a texture or surface object");
    }
    s.work().wait_all(s.current_device());
    s.gpus().release_texture(handle);
}

pointer_attributes attributes_of(session& s, const void* p) {
    pointer_attributes a{};
    a.device = -2;  // cudaInvalidDeviceId
    a.host_pointer = const_cast<void*>(p);
    const auto found = s.gpus().memory().find(address_of(p));
    if (!found) {
        if (!s.gpus().memory().is_device_memory(address_of(p))) return a;
        a.type = 2;
        a.device = static_cast<int>(s.current_device());
        a.device_pointer = const_cast<void*>(p);
        a.host_pointer = nullptr;
        return a;
    }
    a.device = static_cast<int>(found->device);
    a.device_pointer = const_cast<void*>(p);
    switch (found->kind) {
        case memory_kind::device:
        case memory_kind::mapped:
            a.type = 2;
            a.host_pointer = nullptr;
            break;
        case memory_kind::managed:
            a.type = 3;
            break;
        default:
            a.type = 1;
            break;
    }
    return a;
}

namespace {
std::atomic<int> device_cache_preference{0};
}

void set_cache_preference(int preference) {
    require(preference >= 0 && preference <= 3, status::invalid_value, "unknown preference");
    device_cache_preference = preference;
}
int cache_preference() {
    return device_cache_preference;
}

int carve_out_of(const function& f) {
    if (f.carve_out >= 0) return f.carve_out;
    // cudaFuncCachePreferNone, -Shared, -L1, -Equal
    constexpr int percent[] = {-1, 100, 0, 50};
    return percent[f.cache_preference != 0 ? f.cache_preference : cache_preference()];
}

std::uint64_t permitted_dynamic_shared(session& s, const function& f) {
    const std::uint64_t usual = device::usual_shared(s.config());
    const std::uint64_t rest = usual - std::min(usual, f.kernel->allocated_shared(0));
    return std::max(rest, static_cast<std::uint64_t>(std::max(f.max_dynamic_shared, 0)));
}

function_attributes attributes_of(session& s, function& f) {
    function_attributes a{};
    const execution::kernel_image& k = *f.kernel;
    a.max_threads = static_cast<int>(device::most_threads(s.config(), k));
    a.shared_bytes = k.allocated_shared(0);
    a.local_bytes = k.local_bytes;
    a.registers = static_cast<int>(k.registers);
    a.ptx_version = static_cast<int>(f.code->ptx_architecture());
    a.binary_version = static_cast<int>(s.config().gpu.binary_version());
    a.max_dynamic_shared = static_cast<int>(
        f.max_dynamic_shared >= 0 ? f.max_dynamic_shared : permitted_dynamic_shared(s, f));
    a.carve_out = f.carve_out;
    for (const execution::program_variable& v : f.code->image().variables())
        if (v.space == execution::program_variable::space_kind::constant)
            a.constant_bytes += v.bytes;
    return a;
}

more_function_attributes more_attributes_of(const function& f) {
    more_function_attributes a;
    const auto& need = f.kernel->required_cluster;
    a.cluster_must_be_set = need[0] != 0 ? 1 : 0;
    for (unsigned d = 0; d < 3; ++d)
        a.required_cluster[d] = need[0] != 0 ? static_cast<int>(need[d]) : f.required_cluster[d];
    a.cluster_policy = f.cluster_policy;
    a.non_portable_cluster = f.non_portable_cluster ? 1 : 0;
    return a;
}

void set_function_attribute(session& s, function& f, int attribute, int value) {
    const std::uint64_t most = device::most_shared(s.config());
    switch (attribute) {
        case 8:  // cudaFuncAttributeMaxDynamicSharedMemorySize
            require(
                value >= 0 && static_cast<unsigned>(value) + f.kernel->allocated_shared(0) <= most,
                status::invalid_value, "more shared memory than a block can have");
            f.max_dynamic_shared = value;
            break;
        case 9:  // cudaFuncAttributePreferredSharedMemoryCarveout
            require(value >= -1 && value <= 100, status::invalid_value, "no percentage");
            f.carve_out = value;
            break;
        case 11:  // cudaFuncAttributeRequiredClusterWidth, -Height, -Depth
        case 12:
        case 13:
            require(f.kernel->required_cluster[0] == 0, status::not_permitted,
                    "the code of the kernel determines its cluster");
            require(value >= 0, status::invalid_value, "a negative size");
            f.required_cluster[static_cast<std::size_t>(attribute - 11)] = value;
            break;
        case 14:  // cudaFuncAttributeNonPortableClusterSizeAllowed
            require(value == 0 || value == 1, status::invalid_value, "neither 0 nor 1");
            f.non_portable_cluster = value == 1;
            break;
        case 15:  // cudaFuncAttributeClusterSchedulingPolicyPreference
            require(value >= 0 && value <= 2, status::invalid_value, "unknown policy");
            f.cluster_policy = value;
            break;
        default:
            throw failure(status::invalid_value, "not an attribute that can be set");
    }
}

int resident_blocks(session& s, function& f, int block, std::size_t shared) {
    require(block > 0, status::invalid_value, "a block without threads");
    if (block > 1024 || shared > permitted_dynamic_shared(s, f)) return 0;
    const auto threads = static_cast<unsigned>(block);
    const execution::kernel_image& kernel =
        f.code->fitted(*f.kernel, threads, s.config().gpu.cores.sm);
    return static_cast<int>(
        device::resident_blocks(s.config(), kernel, threads, shared, carve_out_of(f)));
}

std::size_t available_dynamic_shared(session& s, function& f, int blocks, int block_size) {
    require(blocks > 0, status::invalid_value, "no blocks");
    require(resident_blocks(s, f, block_size, 0) >= blocks, status::invalid_value,
            "so many blocks do not fit an SM");
    return std::min(device::available_shared(s.config(), *f.kernel, static_cast<unsigned>(blocks),
                                             carve_out_of(f)),
                    permitted_dynamic_shared(s, f));
}

size3 permitted_cluster(const function& f, const size3& asked) {
    const auto& own = f.required_cluster;
    size3 c = asked;
    if (asked.x * asked.y * asked.z <= 1 && own[0] > 0 && own[1] > 0 && own[2] > 0)
        c = {static_cast<unsigned>(own[0]), static_cast<unsigned>(own[1]),
             static_cast<unsigned>(own[2])};
    const std::uint64_t size = std::uint64_t{c.x} * c.y * c.z;
    require(size <= portable_cluster || f.non_portable_cluster, status::invalid_cluster_size,
            "a cluster of more than 8 thread blocks is not permitted for the function "
            "(cudaFuncAttributeNonPortableClusterSizeAllowed)");
    return c;
}

int active_clusters(session& s, function& f, const size3& block, std::size_t shared,
                    const size3& asked) {
    const size3 c = permitted_cluster(f, asked);
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    require(threads > 0, status::invalid_value, "a block without threads");
    const unsigned size = device::cluster_size(*f.kernel, {c.x, c.y, c.z});
    if (threads > 1024 || shared > permitted_dynamic_shared(s, f)) return 0;
    const execution::kernel_image& kernel =
        f.code->fitted(*f.kernel, static_cast<unsigned>(threads), s.config().gpu.cores.sm);
    return static_cast<int>(device::active_clusters(
        s.config(), kernel, static_cast<unsigned>(threads), shared, size, carve_out_of(f)));
}

int largest_cluster_of(session& s, function& f, const size3& block, std::size_t shared) {
    const more_function_attributes a = more_attributes_of(f);
    if (a.required_cluster[0] > 0)
        return a.required_cluster[0] * a.required_cluster[1] * a.required_cluster[2];
    unsigned size = f.non_portable_cluster ? largest_cluster : portable_cluster;
    const unsigned most = f.kernel->max_cluster;
    while (size > 1 &&
           ((most != 0 && size > most) || active_clusters(s, f, block, shared, {size, 1, 1}) == 0))
        size /= 2;
    return static_cast<int>(size);
}

// ---- events and streams ----

void check_event_flags(unsigned flags) {
    constexpr unsigned no_timing = 2, between_processes = 4, all = 7;
    require(flags <= all && ((flags & between_processes) == 0 || (flags & no_timing) != 0),
            status::invalid_value, "unknown flags, or an event of several processes with timing");
}

void record_event(session& s, device::event& e, device::stream& stream) {
    {
        const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
        if (const auto c = valid_capture_of(s, stream)) {
            c->events[&e] = c->tails[&stream];
            s.captured_events[&e] = c;
            return;
        }
        s.captured_events.erase(&e);
    }
    enqueue(s, stream, record_operation(&e));
}

void wait_event(session& s, device::stream& stream, device::event& e) {
    {
        const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
        const auto at = s.captured_events.find(&e);
        if (at != s.captured_events.end()) {
            const auto c = at->second;
            const auto mine = valid_capture_of(s, stream);
            require(!c->invalid, status::capture_invalidated, "the capture is invalidated");
            if (mine && mine != c) {
                mine->invalid = true;
                invalidate(*c, status::capture_merge, "an event of a different capture");
            }
            std::vector<graph_node*>& tail = c->tails[&stream];
            for (graph_node* n : c->events[&e])
                if (std::find(tail.begin(), tail.end(), n) == tail.end()) tail.push_back(n);
            s.captures[&stream] = c;
            return;
        }
        if (const auto mine = valid_capture_of(s, stream))
            invalidate(*mine, status::capture_isolation,
                       "a captured stream cannot wait for an event outside of the capture");
        refuse_implicit_dependency(s, stream);
    }
    if (e.recorded) s.work().mark(stream, {e.recorded});
}

namespace {
/// Events that were recorded in a capture cannot be waited for.
void refuse_captured(session& s, const device::event& e) {
    const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
    const auto at = s.captured_events.find(&e);
    if (at != s.captured_events.end())
        invalidate(*at->second, status::captured_event, "a captured event");
}
}  // namespace

bool is_done(session& s, device::event& e) {
    refuse_captured(s, e);
    refuse_during_capture(s);
    return !e.recorded || s.work().poll(e.recorded);
}

void wait_for(session& s, device::event& e) {
    refuse_captured(s, e);
    finish(s, e.recorded);
}

float milliseconds(session& s, device::event& from, device::event& to) {
    require((from.flags & 2) == 0 && (to.flags & 2) == 0, status::invalid_handle,
            "an event without timing");
    require(from.recorded && to.recorded, status::invalid_handle, "the event was not recorded");
    require(s.work().poll(from.recorded) && s.work().poll(to.recorded), status::not_ready,
            "the event has not completed");
    return static_cast<float>((static_cast<double>(to.recorded->finished_at) -
                               static_cast<double>(from.recorded->finished_at)) *
                              1e-9);
}

void destroy_stream(session& s, device::stream& stream) {
    require(!stream.legacy, status::invalid_handle, "the default stream cannot be destroyed");
    const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
    s.captures.erase(&stream);
    s.work().destroy_stream(&stream);
}

void add_callback(session& s, device::stream& stream, void* handle,
                  void (*act)(void*, result, void*), void* data) {
    require(act != nullptr, status::invalid_value, "no function is given");
    if (const auto c = valid_capture_of(s, stream))
        invalidate(*c, status::capture_unsupported, "callbacks cannot be captured");
    refuse_implicit_dependency(s, stream);
    auto t = std::make_shared<device::task>();
    t->what = device::task::kind::host_call;
    t->even_after_fault = true;
    session* const here = &s;
    const unsigned on = stream.device;
    t->effect = [=] { act(handle, static_cast<result>(here->work().fault(on)), data); };
    s.work().submit(stream, t);
}

void begin_capture(session& s, device::stream& stream, int mode, std::shared_ptr<graph> into,
                   std::vector<graph_node*> after) {
    require(!stream.legacy, status::capture_unsupported,
            "the legacy default stream cannot be captured");
    require(mode >= 0 && mode <= 2, status::invalid_value, "unknown capture mode");
    const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
    require(!capture_of(s, stream), status::illegal_state, "the stream is being captured");
    static std::uint64_t last_id = 0;
    auto c = std::make_shared<capture>();
    c->what = into != nullptr ? std::move(into) : std::make_shared<graph>();
    c->origin = &stream;
    c->mode = mode;
    c->thread = std::this_thread::get_id();
    c->id = ++last_id;
    c->tails[&stream] = std::move(after);
    s.captures[&stream] = c;
}

std::shared_ptr<graph> end_capture(session& s, device::stream& stream) {
    const std::lock_guard<std::recursive_mutex> lock(s.graphs_mutex);
    const auto c = capture_of(s, stream);
    require(c != nullptr, status::illegal_state, "the stream is not being captured");
    require(c->origin == &stream, status::capture_unmatched, "the capture began in another stream");
    // All forked streams must have been joined.
    bool joined = true;
    const std::vector<graph_node*>& end = c->tails[&stream];
    for (const auto& [other, tail] : c->tails) {
        if (other == &stream) continue;
        for (graph_node* n : tail)
            joined &= !n->before.empty() || std::find(end.begin(), end.end(), n) != end.end();
    }
    for (auto i = s.captures.begin(); i != s.captures.end();)
        i = i->second == c ? s.captures.erase(i) : std::next(i);
    for (auto i = s.captured_events.begin(); i != s.captured_events.end();)
        i = i->second == c ? s.captured_events.erase(i) : std::next(i);
    require(!c->invalid, status::capture_invalidated, "the capture is invalidated");
    require(joined, status::capture_unjoined, "a stream was not joined to the capture");
    return c->what;
}

}  // namespace simtlm::cuda
