// SPDX-License-Identifier: Apache-2.0
// Operations of streams and graphs.
#include "modules/support/error.h"
#include "platform/device/sparse_memory.h"
#include "platform/device/validated_launch.h"
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/function/function.h"
#include "runtimes/cuda/memory/memory.h"
#include "runtimes/cuda/session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::cuda {

namespace {

using device::copy_direction;

std::uint64_t address(const void* p) {
    return reinterpret_cast<std::uint64_t>(p);
}

copy_direction direction_of(session& s, const block_copy& c) {
    require(c.kind >= host_to_host && c.kind <= by_address, status::invalid_copy_direction,
            "unknown copy direction");
    const copy_direction found = s.gpus().direction_of(c.to, c.from);
    const bool wants_device_source = c.kind == device_to_host || c.kind == device_to_device;
    const bool wants_device_target = c.kind == host_to_device || c.kind == device_to_device;
    require(!wants_device_source || !is_pageable(s, c.from), status::invalid_value,
            "the source is not GPU memory");
    require(!wants_device_target || !is_pageable(s, c.to), status::invalid_value,
            "the destination is not GPU memory");
    return found;
}

std::uint64_t reach(std::uint64_t pitch, std::uint64_t slice, const block_copy& c) {
    return checked_sum(
        checked_sum(checked_product(slice, c.depth - 1), checked_product(pitch, c.height - 1)),
        c.width);
}

void move(session& s, const block_copy& c) {
    device::memory_space& memory = s.gpus().memory();
    for (std::uint64_t z = 0; z < c.depth; ++z)
        for (std::uint64_t y = 0; y < c.height; ++y) {
            const std::uint64_t to = c.to + z * c.to_slice + y * c.to_pitch;
            const std::uint64_t from = c.from + z * c.from_slice + y * c.from_pitch;
            device::copy_sparsely(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from),
                                  c.width);
            memory.note_copied(to, from, c.width);
        }
}

/// Performs a copy in stream order.
void carry_out(session& s, const block_copy& c) {
    move(s, c);
    if (device::inspection* const inspector = s.gpus().state().inspector; inspector != nullptr)
        inspector->debug().copied(c.to, c.width * c.height * c.depth);
}

/// Merges contiguous rows into one row.
block_copy joined(block_copy c) {
    checked_product(checked_product(c.width, c.height), c.depth);
    if (c.height > 1 && c.to_pitch == c.width && c.from_pitch == c.width &&
        (c.depth <= 1 ||
         (c.to_slice == c.width * c.height && c.from_slice == c.width * c.height))) {
        c.width *= c.height * c.depth;
        c.height = c.depth = 1;
    }
    return c;
}

device::task_ptr task_of(session& s, const block_copy& c, copy_direction direction) {
    auto t = s.gpus().make_copy(c.to, c.from, 0, direction);
    t->bytes = c.width * c.height * c.depth;
    device::memory_rows& rows = t->l2_rows;
    const bool reads = direction == copy_direction::to_host;
    rows.width = c.width;
    rows.pitch = reads ? c.from_pitch : c.to_pitch;
    rows.height = c.height;
    rows.slice = reads ? c.from_slice : c.to_slice;
    rows.depth = c.depth;
    if (c.symbol && s.gpus().config().gpu.ptx.quirks.symbol_copies_bypass_l2) rows = {};
    if (reads) t->to_host = {c.to, c.width, c.to_pitch, c.height, c.to_slice, c.depth};
    t->note_places({c.to, c.width, c.to_pitch, c.height, c.to_slice, c.depth},
                   {c.from, c.width, c.from_pitch, c.height, c.from_slice, c.depth});
    t->effect = [&s, c] { carry_out(s, c); };
    return t;
}

}  // namespace

bool is_pageable(session& s, std::uint64_t a) {
    return !s.gpus().memory().find(a) && !s.gpus().memory().is_device_memory(a);
}

operation copy_operation(session& s, const block_copy& what, bool stage) {
    operation o;
    o.kind = node_kind::copy;
    const block_copy c = joined(what);
    if (c.width == 0 || c.height == 0 || c.depth == 0) {
        o.make = [](session&) { return std::make_shared<device::task>(); };
        return o;
    }
    require(c.to != 0 && c.from != 0, status::invalid_value,
            "a copy without source or destination");
    const copy_direction direction = direction_of(s, c);
    s.gpus().check_range(c.to, reach(c.to_pitch, c.to_slice, c));
    s.gpus().check_range(c.from, reach(c.from_pitch, c.from_slice, c));
    if (stage && is_pageable(s, c.from)) {
        block_copy packed = c;
        const std::shared_ptr<void> copy = device::zeroed_memory(c.width * c.height * c.depth);
        packed.to = address(copy.get());
        packed.to_pitch = c.width;
        packed.to_slice = c.width * c.height;
        move(s, packed);
        packed.from = packed.to;
        packed.from_pitch = packed.to_pitch;
        packed.from_slice = packed.to_slice;
        packed.to = c.to;
        packed.to_pitch = c.to_pitch;
        packed.to_slice = c.to_slice;
        o.make = [packed, copy, direction](session& here) {
            auto t = task_of(here, packed, direction);
            t->effect = [&here, packed, copy] { carry_out(here, packed); };
            return t;
        };
        return o;
    }
    o.make = [c, direction](session& here) { return task_of(here, c, direction); };
    return o;
}

block_copy block_of(session& s, const copy_3d& w) {
    block_copy c;
    std::uint64_t element = 1;
    if (w.from_array != nullptr) element = s.array(w.from_array).shape.element_bytes();
    if (w.to_array != nullptr) element = s.array(w.to_array).shape.element_bytes();
    c.kind = w.kind;
    c.width = checked_product(w.size.width, element);
    c.height = std::max<std::uint64_t>(w.size.height, 1);
    c.depth = std::max<std::uint64_t>(w.size.depth, 1);
    if (w.size.width == 0 || w.size.height == 0 || w.size.depth == 0) c.width = 0;
    const auto side = [&](void* array_handle, const position& at, const pitched_pointer& p,
                          std::uint64_t& base, std::uint64_t& pitch, std::uint64_t& slice) {
        std::uint64_t x = at.x;
        if (array_handle != nullptr) {
            const device::array& a = s.array(array_handle);
            require(checked_sum(at.x, w.size.width) <= a.shape.width &&
                        checked_sum(at.y, c.height) <= a.shape.rows() &&
                        checked_sum(at.z, c.depth) <= a.shape.slices(),
                    status::invalid_value, "a copy exceeds an array");
            base = a.address;
            pitch = a.row_pitch();
            slice = a.slice_pitch();
            x *= a.shape.element_bytes();
        } else {
            base = address(p.pointer);
            pitch = p.pitch;
            slice = checked_product(p.pitch, std::max<std::uint64_t>(p.height, 1));
            require(c.height == 1 || pitch >= c.width, status::invalid_pitch,
                    "rows overlap: the pitch is less than the width");
        }
        base += x + at.y * pitch + at.z * slice;
    };
    side(w.from_array, w.from_position, w.from_pointer, c.from, c.from_pitch, c.from_slice);
    side(w.to_array, w.to_position, w.to_pointer, c.to, c.to_pitch, c.to_slice);
    return c;
}

operation copy_operation(session& s, const copy_3d& w) {
    operation o = copy_operation(s, block_of(s, w), false);
    o.copy = w;
    return o;
}

operation fill_operation(session& s, const fill_parameters& w) {
    require(w.element_size == 1 || w.element_size == 2 || w.element_size == 4,
            status::invalid_value, "only elements of 1, 2 or 4 bytes can be filled");
    operation o;
    o.kind = node_kind::fill;
    o.fill = w;
    if (w.width != 0 && w.height != 0)
        s.gpus().make_fill(address(w.to), w.pitch, w.value, w.element_size, w.width, w.height);
    o.make = [w](session& here) {
        if (w.width == 0 || w.height == 0) return std::make_shared<device::task>();
        return here.gpus().make_fill(address(w.to), w.pitch, w.value, w.element_size, w.width,
                                     w.height);
    };
    return o;
}

namespace {

/// Arguments of a launch packed in the layout of the kernel parameters.
std::vector<std::byte> pack(const execution::kernel_image& k, const kernel_parameters& p) {
    std::vector<std::byte> to(k.parameter_bytes);
    if (p.arguments != nullptr) {
        for (std::size_t i = 0; i < k.parameters.size(); ++i) {
            const execution::kernel_parameter& one = k.parameters[i];
            require_pointer(p.arguments[i]);
            std::memcpy(to.data() + one.offset, p.arguments[i], one.size);
        }
        return to;
    }
    // CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    for (void** e = p.extra; e != nullptr && *e != nullptr; e += 2) {
        const auto what = reinterpret_cast<std::uintptr_t>(*e);
        if (what == 1) buffer = e[1];
        if (what == 2) bytes = *static_cast<std::size_t*>(e[1]);
    }
    require(buffer != nullptr || k.parameter_bytes == 0, status::invalid_value,
            "a kernel without its arguments");
    if (buffer != nullptr) std::memcpy(to.data(), buffer, std::min(bytes, to.size()));
    return to;
}

program::dim3 size_of(const size3& s) {
    return {s.x, s.y, s.z};
}

}  // namespace

operation kernel_operation(session& s, function* f, const kernel_parameters& w,
                           const launch_options& how) {
    device::launch_request r;
    r.module = f->code;
    r.kernel = f->kernel;
    r.grid = size_of(w.grid);
    r.block = size_of(w.block);
    r.dynamic_shared = w.shared;
    r.cooperative = how.cooperative;
    r.programmatic = how.programmatic;
    r.carve_out = how.carve_out >= 0 ? how.carve_out : carve_out_of(s, *f);
    r.cluster = size_of(permitted_cluster(*f, how.cluster));
    r.parameters = pack(*f->kernel, w);
    require(w.shared <= permitted_dynamic_shared(s, *f), status::invalid_value,
            "more dynamic shared memory than permitted for the function "
            "(cudaFuncAttributeMaxDynamicSharedMemorySize)");
    operation o;
    o.kind = node_kind::kernel;
    o.programmatic = how.programmatic;
    o.kernel = w;
    o.parameters = r.parameters;
    for (const execution::kernel_parameter& p : f->kernel->parameters)
        o.parameter_addresses.push_back(reinterpret_cast<void*>(std::uintptr_t{p.offset}));
    o.make = [launch = device::validated_launch(s.config(), std::move(r)),
              on = f->device](session&) { return launch.make_task(on); };
    return o;
}

operation launch_operation(session& s, const void* handle, unsigned device,
                           const kernel_parameters& w, const launch_options& how, bool unseen) {
    try {
        operation o = kernel_operation(s, s.modules.function_of(handle, device), w, how);
        o.kernel.function = const_cast<void*>(handle);
        return o;
    } catch (const simtlm::support::user_error& e) {
        switch (status_of(e)) {
            case status::no_binary_for_gpu:
            case status::invalid_image:
            case status::invalid_ptx:
            case status::not_supported:
            case status::unknown:
                s.gpus().log().launch_refused(unseen);
                break;
            default:  // an invalid argument of the program
                break;
        }
        throw;
    }
}

operation host_operation(const host_parameters& w) {
    require(w.call != nullptr, status::invalid_value, "no function is given");
    operation o;
    o.kind = node_kind::host;
    o.host = w;
    o.make = [w](session&) {
        auto t = std::make_shared<device::task>();
        t->what = device::task::kind::host_call;
        t->label = "host function";
        t->effect = [w] { w.call(w.data); };
        return t;
    };
    return o;
}

operation allocation_operation(session& s, unsigned device, std::uint64_t bytes) {
    operation o;
    o.kind = node_kind::allocate;
    o.address = s.gpus().memory().allocate_for_graph(device, bytes);
    o.bytes = bytes;
    device::memory_space* const memory = &s.gpus().memory();
    const std::uint64_t at = o.address;
    o.keeps =
        std::shared_ptr<const void>(memory, [memory, at](const void*) { memory->abandon(at); });
    o.make = [memory, at](session&) {
        auto t = std::make_shared<device::task>();
        t->what = device::task::kind::host_call;
        t->label = "allocation";
        t->effect = [memory, at] { memory->revive(at); };
        return t;
    };
    return o;
}

operation release_operation(std::uint64_t address) {
    operation o;
    o.kind = node_kind::release;
    o.address = address;
    o.make = [address](session& here) {
        auto t = std::make_shared<device::task>();
        t->what = device::task::kind::host_call;
        device::memory_space* const memory = &here.gpus().memory();
        t->effect = [memory, address] { memory->release(address); };
        return t;
    };
    return o;
}

condition make_condition(session& s, std::uint32_t initial, bool is_initialised) {
    condition c;
    device::memory_space* const memory = &s.gpus().memory();
    const std::uint64_t at =
        memory->allocate(device::memory_kind::host, s.current_device(), sizeof(std::uint32_t));
    c.handle = at;
    c.initial = initial;
    c.is_initialised = is_initialised;
    c.keeps =
        std::shared_ptr<const void>(memory, [memory, at](const void*) { memory->release(at); });
    return c;
}

operation conditional_operation(std::uint64_t handle, conditional::form what, unsigned graphs) {
    require(what >= conditional::form::if_else && what <= conditional::form::choice,
            status::invalid_value, "unknown type of conditional node");
    const unsigned most = what == conditional::form::if_else ? 2
                          : what == conditional::form::loop  ? 1
                                                             : ~0u;
    require(graphs >= 1 && graphs <= most, status::invalid_value,
            "too many graphs for a conditional node of this type");
    operation o;
    o.kind = node_kind::conditional;
    o.condition = std::make_shared<conditional>();
    o.condition->what = what;
    o.condition->handle = handle;
    for (unsigned i = 0; i < graphs; ++i) {
        o.condition->bodies.push_back(std::make_shared<graph>());
        o.condition->handed_out.push_back(o.condition->bodies.back().get());
    }
    return o;
}

operation record_operation(device::event* e) {
    operation o;
    o.kind = node_kind::record_event;
    o.event = e;
    o.make = [e](session&) {
        auto t = std::make_shared<device::task>();
        t->even_after_fault = true;
        t->label = "event";
        e->recorded = t;
        return t;
    };
    return o;
}

}  // namespace simtlm::cuda
