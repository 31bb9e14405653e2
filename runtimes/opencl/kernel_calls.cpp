// SPDX-License-Identifier: Apache-2.0
// Kernels: arguments, queries, launches; native kernels.
#include "platform/device/kernel_limits.h"
#include "platform/device/validated_launch.h"
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/commands.h"
#include "runtimes/opencl/entry_points.h"
#include "runtimes/opencl/limits.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

using namespace simtlm::opencl;
namespace device = simtlm::device;

namespace {

using kind = argument_signature::kind;

const simtlm::execution::kernel_image& image_of(const _cl_kernel& k) {
    const auto* const i = k.program->built().code->find_kernel(k.name);
    require(i != nullptr, CL_INVALID_KERNEL);
    return *i;
}

std::shared_ptr<_cl_kernel> make_kernel(const std::shared_ptr<_cl_program>& p,
                                        const kernel_signature& signature) {
    auto k = std::make_shared<_cl_kernel>();
    k->program = p;
    k->name = signature.name;
    k->signature = signature;
    ++p->kernels;
    const auto& parameters = image_of(*k).parameters;
    require(parameters.size() == signature.arguments.size(), CL_INVALID_KERNEL_DEFINITION);
    k->arguments.resize(parameters.size());
    return k;
}

/// Maximum work-group size of a kernel, limited by its registers.
std::size_t largest_group(session& s, const _cl_kernel& k) {
    const std::size_t most = limits::of(s.config()).work_group;
    const auto& image = image_of(k);
    std::size_t n = most;
    while (n > 32 && device::resident_blocks(s.config(), image, static_cast<unsigned>(n), 0) == 0)
        n -= 32;
    return n;
}

}  // namespace

_cl_kernel::~_cl_kernel() {
    if (program) --program->kernels;
}

CL(cl_kernel, clCreateKernel)(cl_program handle, const char* name, cl_int* result) {
    return make("clCreateKernel", result, [&](session& s) {
        const auto p = s.programs.get(handle);
        require(name != nullptr, CL_INVALID_VALUE);
        const kernel_signature* const k = p->signature(name);
        require(k != nullptr, CL_INVALID_KERNEL_NAME, name);
        return s.all_kernels.add(make_kernel(p, *k));
    });
}

CL(cl_int, clCreateKernelsInProgram)
(cl_program handle, cl_uint room, cl_kernel* kernels, cl_uint* count) {
    return call("clCreateKernelsInProgram", [&](session& s) {
        const auto p = s.programs.get(handle);
        const auto& all = p->built().kernels;
        require(kernels == nullptr || room >= all.size(), CL_INVALID_VALUE);
        if (count != nullptr) *count = static_cast<cl_uint>(all.size());
        for (std::size_t i = 0; kernels != nullptr && i < all.size(); ++i)
            kernels[i] = s.all_kernels.add(make_kernel(p, all[i]));
    });
}

CL(cl_kernel, clCloneKernel)(cl_kernel handle, cl_int* result) {
    return make("clCloneKernel", result, [&](session& s) {
        const auto k = s.all_kernels.get(handle);
        const auto copy = make_kernel(k->program, k->signature);
        const std::lock_guard<std::mutex> lock(k->mutex);
        copy->arguments = k->arguments;
        return s.all_kernels.add(copy);
    });
}

CL(cl_int, clRetainKernel)(cl_kernel k) {
    return call("clRetainKernel", [&](session& s) { s.all_kernels.retain(k); });
}
CL(cl_int, clReleaseKernel)(cl_kernel k) {
    return call("clReleaseKernel", [&](session& s) { s.all_kernels.release(k); });
}

namespace {

/// Whether an image can be passed for an argument of an OpenCL C type; true for type names that are
/// not part of OpenCL C, which the program has defined.
bool fits(const _cl_mem& m, std::string_view type) {
    constexpr std::pair<std::string_view, cl_mem_object_type> types[] = {
        {"image1d_t", CL_MEM_OBJECT_IMAGE1D},
        {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
        {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER},
        {"image2d_t", CL_MEM_OBJECT_IMAGE2D},
        {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D},
        {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
        {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
        {"image3d_t", CL_MEM_OBJECT_IMAGE3D},
    };
    for (const auto& [name, object] : types)
        if (type == name) return m.type == object;
    return true;
}

}  // namespace

CL(cl_int, clSetKernelArg)(cl_kernel handle, cl_uint index, size_t size, const void* value) {
    return call("clSetKernelArg", [&](session& s) {
        const auto k = s.all_kernels.get(handle);
        require(index < k->arguments.size(), CL_INVALID_ARG_INDEX);
        const argument_signature& what = k->signature.arguments[index];
        _cl_kernel::argument a;
        a.set = true;
        switch (what.what) {
            case kind::local:
                require(value == nullptr, CL_INVALID_ARG_VALUE);
                require(size != 0, CL_INVALID_ARG_SIZE);
                a.local_bytes = size;
                break;
            case kind::sampler: {
                require(value != nullptr, CL_INVALID_SAMPLER);
                require(size == sizeof(cl_sampler), CL_INVALID_ARG_SIZE);
                a.sampler = s.samplers.get(*static_cast<const cl_sampler*>(value));
                break;
            }
            case kind::global:
            case kind::constant:
            case kind::image: {
                require(size == sizeof(cl_mem), CL_INVALID_ARG_SIZE);
                const cl_mem m = value != nullptr ? *static_cast<const cl_mem*>(value) : nullptr;
                require(m != nullptr || what.what != kind::image, CL_INVALID_MEM_OBJECT);
                if (m == nullptr) break;
                const auto memory = s.memory.get(m);
                a.is_memory = true;
                a.memory = memory;
                require(memory->is_image() == (what.what == kind::image), CL_INVALID_MEM_OBJECT,
                        "an image for a buffer, or a buffer for an image");
                require(fits(*memory, what.type), CL_INVALID_MEM_OBJECT,
                        "an image of another type than the argument's");
                const bool reads = what.access == CL_KERNEL_ARG_ACCESS_READ_ONLY;
                const bool writes = what.access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
                require(!(reads && (memory->flags & CL_MEM_WRITE_ONLY) != 0) &&
                            !(writes && (memory->flags & CL_MEM_READ_ONLY) != 0),
                        CL_INVALID_ARG_VALUE, "an image without this access");
                break;
            }
            default: {
                require(value != nullptr, CL_INVALID_ARG_VALUE);
                const auto& p = image_of(*k).parameters[index];
                require(size == p.size, CL_INVALID_ARG_SIZE);
                if (what.may_be_pointer && size == sizeof(cl_mem)) {
                    cl_mem m = nullptr;
                    std::memcpy(&m, value, sizeof m);
                    if (const auto memory = s.memory.find(m); memory && !memory->is_image()) {
                        a.is_memory = true;
                        a.memory = memory;
                        break;
                    }
                }
                const auto* const b = static_cast<const std::byte*>(value);
                a.value.assign(b, b + size);
            }
        }
        const std::lock_guard<std::mutex> lock(k->mutex);
        k->arguments[index] = std::move(a);
    });
}

CL(cl_int, clSetKernelArgSVMPointer)(cl_kernel handle, cl_uint index, const void* value) {
    return call("clSetKernelArgSVMPointer", [&](session& s) {
        const auto k = s.all_kernels.get(handle);
        require(index < k->arguments.size(), CL_INVALID_ARG_INDEX);
        const kind what = k->signature.arguments[index].what;
        require(what == kind::global || what == kind::constant, CL_INVALID_ARG_VALUE);
        _cl_kernel::argument a;
        a.set = true;
        const auto* const b = reinterpret_cast<const std::byte*>(&value);
        a.value.assign(b, b + sizeof value);
        const std::lock_guard<std::mutex> lock(k->mutex);
        k->arguments[index] = std::move(a);
    });
}

// All shared virtual memory is accessible to every kernel.
CL(cl_int, clSetKernelExecInfo)
(cl_kernel handle, cl_kernel_exec_info what, size_t size, const void* value) {
    return call("clSetKernelExecInfo", [&](session& s) {
        s.all_kernels.get(handle);
        switch (what) {
            case CL_KERNEL_EXEC_INFO_SVM_PTRS:
                // An empty list resets what was set before.
                require((value == nullptr) == (size == 0) && size % sizeof(void*) == 0,
                        CL_INVALID_VALUE);
                return;
            case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
                require(value != nullptr && size == sizeof(cl_bool), CL_INVALID_VALUE);
                require(*static_cast<const cl_bool*>(value) == CL_FALSE, CL_INVALID_OPERATION,
                        "fine-grained system memory is not supported");
                return;
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

CL(cl_int, clGetKernelInfo)
(cl_kernel handle, cl_kernel_info what, size_t room, void* to, size_t* size) {
    return call("clGetKernelInfo", [&](session& s) {
        const auto k = s.all_kernels.get(handle);
        const answer a(room, to, size);
        switch (what) {
            case CL_KERNEL_FUNCTION_NAME:
                return a.text(k->name);
            case CL_KERNEL_NUM_ARGS:
                return a.value(static_cast<cl_uint>(k->arguments.size()));
            case CL_KERNEL_REFERENCE_COUNT:
                return a.value<cl_uint>(k->references);
            case CL_KERNEL_CONTEXT:
                return a.value<cl_context>(k->program->context.get());
            case CL_KERNEL_PROGRAM:
                return a.value<cl_program>(k->program.get());
            case CL_KERNEL_ATTRIBUTES:
                return a.text(k->signature.attributes());
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

CL(cl_int, clGetKernelArgInfo)
(cl_kernel handle, cl_uint index, cl_kernel_arg_info what, size_t room, void* to, size_t* size) {
    return call("clGetKernelArgInfo", [&](session& s) {
        const auto k = s.all_kernels.get(handle);
        require(index < k->arguments.size(), CL_INVALID_ARG_INDEX);
        const argument_signature& g = k->signature.arguments[index];
        require(g.has_info, CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
                "only for programs from source, built with -cl-kernel-arg-info");
        const answer a(room, to, size);
        switch (what) {
            case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
                return a.value(g.address_space());
            case CL_KERNEL_ARG_ACCESS_QUALIFIER:
                return a.value(g.access);
            case CL_KERNEL_ARG_TYPE_QUALIFIER:
                return a.value(g.qualifiers);
            case CL_KERNEL_ARG_TYPE_NAME:
                return a.text(g.type);
            case CL_KERNEL_ARG_NAME:
                return a.text(g.name);
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

CL(cl_int, clGetKernelWorkGroupInfo)
(cl_kernel handle, cl_device_id d, cl_kernel_work_group_info what, size_t room, void* to,
 size_t* size) {
    return call("clGetKernelWorkGroupInfo", [&](session& s) {
        const auto k = s.all_kernels.get(handle);
        require(d != nullptr || k->program->devices.size() == 1, CL_INVALID_DEVICE);
        if (d != nullptr) {
            s.device(d);
            require(k->program->of(d).code != nullptr, CL_INVALID_DEVICE);
        }
        const answer a(room, to, size);
        switch (what) {
            case CL_KERNEL_WORK_GROUP_SIZE:
                return a.value(largest_group(s, *k));
            case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
                return a.bytes(k->signature.required_group.data(), 3 * sizeof(std::size_t));
            case CL_KERNEL_LOCAL_MEM_SIZE: {
                cl_ulong sum = image_of(*k).allocated_shared(0);
                const std::lock_guard<std::mutex> lock(k->mutex);
                for (const auto& one : k->arguments) sum += one.local_bytes;
                return a.value(sum);
            }
            case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
                return a.value<std::size_t>(32);
            case CL_KERNEL_PRIVATE_MEM_SIZE:
                return a.value<cl_ulong>(image_of(*k).local_bytes);
            case CL_KERNEL_GLOBAL_WORK_SIZE:
                throw error(CL_INVALID_VALUE, "only for custom devices and built-in kernels");
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

CL(cl_int, clGetKernelSubGroupInfo)
(cl_kernel handle, cl_device_id, cl_kernel_sub_group_info, size_t, const void*, size_t, void*,
 size_t*) {
    return call("clGetKernelSubGroupInfo", [&](session& s) {
        s.all_kernels.get(handle);
        throw error(CL_INVALID_OPERATION, "sub-groups are not supported");
    });
}

// ---- launches ----

namespace {

/// Packed arguments of a kernel, and objects to keep alive while it runs.
struct packed_arguments {
    std::vector<std::byte> bytes;
    std::uint32_t local_bytes = 0;
    std::vector<std::shared_ptr<const void>> keeps;
};

packed_arguments pack(_cl_kernel& k, const simtlm::execution::kernel_image& image) {
    packed_arguments p;
    p.bytes.resize(image.parameter_bytes);
    std::uint64_t local = image.static_shared;
    const std::lock_guard<std::mutex> lock(k.mutex);
    for (std::size_t i = 0; i < k.arguments.size(); ++i) {
        const _cl_kernel::argument& a = k.arguments[i];
        require(a.set, CL_INVALID_KERNEL_ARGS, "an argument is not set");
        const auto& parameter = image.parameters[i];
        std::uint64_t word = 0;
        const void* from = &word;
        std::size_t size = std::min<std::size_t>(sizeof word, parameter.size);
        if (!a.value.empty()) {
            from = a.value.data();
            size = std::min<std::size_t>(a.value.size(), parameter.size);
        } else if (a.is_memory) {
            const auto memory = a.memory.lock();
            require(memory != nullptr, CL_INVALID_MEM_OBJECT, "a released argument");
            word = memory->is_image() ? memory->descriptor : memory->address;
            p.keeps.push_back(memory);
        } else if (a.sampler) {
            word = a.sampler->flags();
        } else if (a.local_bytes != 0) {
            local = (local + local_alignment - 1) / local_alignment * local_alignment;
            word = local;
            local += a.local_bytes;
        }
        std::memcpy(p.bytes.data() + parameter.offset, from, size);
    }
    require(local <= 0x7fffffff, CL_OUT_OF_RESOURCES, "too much local memory");
    p.local_bytes = static_cast<std::uint32_t>(local - image.static_shared);
    return p;
}

/// Work-group size if the program does not specify one: a divisor in x of up to 256 work items,
/// extended in y and z.
std::array<std::size_t, 3> chosen_group(const std::array<std::size_t, 3>& global, cl_uint n,
                                        std::size_t most) {
    std::array<std::size_t, 3> g{1, 1, 1};
    std::size_t room = std::min<std::size_t>(most, 256);
    for (cl_uint d = 0; d < n; ++d) {
        std::size_t best = 1;
        const std::size_t top = d == 2 ? std::min<std::size_t>(room, 64) : room;
        for (std::size_t i = 1; i <= top; ++i)
            if (global[d] % i == 0) best = i;
        g[d] = best;
        room /= best;
    }
    return g;
}

struct launch_shape {
    std::array<std::size_t, 3> global{1, 1, 1}, group{1, 1, 1}, offset{};
};

launch_shape shape_of(session& s, const _cl_kernel& k, cl_uint dimensions, const size_t* offset,
                      const size_t* global, const size_t* local) {
    require(dimensions >= 1 && dimensions <= 3, CL_INVALID_WORK_DIMENSION);
    launch_shape l;
    for (cl_uint d = 0; d < dimensions; ++d) {
        // An empty launch is no error since OpenCL 2.1; missing sizes count as sizes of 0.
        l.global[d] = global == nullptr ? 0 : global[d];
        if (offset != nullptr) l.offset[d] = offset[d];
        require(l.offset[d] + l.global[d] >= l.offset[d], CL_INVALID_GLOBAL_OFFSET);
    }
    const auto& required = k.signature.required_group;
    // If no group size is given, that of the kernel's reqd_work_group_size is used.
    if (local == nullptr && required[0] != 0) local = required.data();
    if (local == nullptr) {
        if (l.global[0] != 0 && l.global[1] != 0 && l.global[2] != 0)
            l.group = chosen_group(l.global, dimensions, largest_group(s, k));
        return l;
    }
    // The total number of work items is checked before single dimensions, because programs test for
    // its error code.
    const std::size_t largest = largest_group(s, k);
    std::size_t items = 1;
    for (cl_uint d = 0; d < dimensions && items <= largest; ++d)
        items *= std::min(local[d], largest + 1);
    require(items <= largest, CL_INVALID_WORK_GROUP_SIZE, "too many work items in a group");
    const std::array<std::size_t, 3> most{1024, 1024, 64};
    for (cl_uint d = 0; d < dimensions; ++d) {
        l.group[d] = local[d];
        require(local[d] != 0, CL_INVALID_WORK_GROUP_SIZE, "a work-group without work items");
        require(local[d] <= most[d], CL_INVALID_WORK_ITEM_SIZE);
        require(l.global[d] % local[d] == 0, CL_INVALID_WORK_GROUP_SIZE,
                "the global size is not a multiple of the group size");
    }
    for (unsigned d = 0; d < 3; ++d)
        require(required[0] == 0 || l.group[d] == required[d], CL_INVALID_WORK_GROUP_SIZE,
                "not the group size that the kernel requires");
    return l;
}

void launch(session& s, const enqueue_request& r, const std::shared_ptr<_cl_kernel>& k,
            cl_uint dimensions, const launch_shape& l) {
    if (l.global[0] == 0 || l.global[1] == 0 || l.global[2] == 0)
        return enqueue(s, r, std::make_shared<device::task>(), false);
    device::launch_request q;
    q.module = k->program->load(r.queue->device);
    q.kernel = q.module->find_kernel(k->name);
    packed_arguments p = pack(*k, *q.kernel);
    std::array<std::uint32_t, 3> groups{};
    std::vector<std::uint32_t> environment(12);  // read by library/work_items.cl
    for (unsigned d = 0; d < 3; ++d) {
        const std::size_t n = l.global[d] / l.group[d];
        require(n <= (d == 0 ? 0x7fffffffu : 65535u), CL_INVALID_GLOBAL_WORK_SIZE,
                "more groups than a GPU supports: 2^31 - 1 in x, 65535 in y and z");
        groups[d] = static_cast<std::uint32_t>(n);
        environment[3 + d] = static_cast<std::uint32_t>(l.offset[d]);
        environment[9 + d] = static_cast<std::uint32_t>(l.offset[d] >> 32);
    }
    environment[8] = dimensions;
    q.grid = {groups[0], groups[1], groups[2]};
    q.block = {static_cast<unsigned>(l.group[0]), static_cast<unsigned>(l.group[1]),
               static_cast<unsigned>(l.group[2])};
    require(q.kernel->allocated_shared(p.local_bytes) <= device::max_shared_memory(s.config()),
            CL_OUT_OF_RESOURCES, "too much local memory");
    q.dynamic_shared = p.local_bytes;
    q.parameters = std::move(p.bytes);
    q.environment = std::move(environment);
    p.keeps.push_back(k->program);
    const auto keeps =
        std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(p.keeps));
    const device::validated_launch launch(s.config(), std::move(q));
    enqueue(s, r, launch.make_task(r.queue->device->number), false, keeps);
}

}  // namespace

CL(cl_int, clEnqueueNDRangeKernel)
(cl_command_queue queue, cl_kernel handle, cl_uint dimensions, const size_t* offset,
 const size_t* global, const size_t* local, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueNDRangeKernel", [&](session& s) {
        const auto r = enqueue_request::of(s, queue, CL_COMMAND_NDRANGE_KERNEL, count, list, event);
        const auto k = s.all_kernels.get(handle);
        require(k->program->context == r.queue->context, CL_INVALID_CONTEXT);
        launch(s, r, k, dimensions, shape_of(s, *k, dimensions, offset, global, local));
    });
}

CL(cl_int, clEnqueueTask)
(cl_command_queue queue, cl_kernel handle, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueTask", [&](session& s) {
        const auto r = enqueue_request::of(s, queue, CL_COMMAND_TASK, count, list, event);
        const auto k = s.all_kernels.get(handle);
        require(k->program->context == r.queue->context, CL_INVALID_CONTEXT);
        const std::size_t one = 1;
        launch(s, r, k, 1, shape_of(s, *k, 1, nullptr, &one, &one));
    });
}

CL(cl_int, clEnqueueNativeKernel)
(cl_command_queue queue, void(CL_CALLBACK* act)(void*), void* arguments, size_t bytes, cl_uint n,
 const cl_mem* objects, const void** places, cl_uint count, const cl_event* list, cl_event* event) {
    return call("clEnqueueNativeKernel", [&](session& s) {
        const auto r = enqueue_request::of(s, queue, CL_COMMAND_NATIVE_KERNEL, count, list, event);
        require(act != nullptr, CL_INVALID_VALUE);
        require((arguments == nullptr) == (bytes == 0) && (arguments != nullptr || n == 0) &&
                    (n == 0) == (objects == nullptr) && (n == 0) == (places == nullptr),
                CL_INVALID_VALUE);
        // Copies the arguments now and inserts pointers to memory objects.
        const auto* const from = static_cast<const std::byte*>(arguments);
        auto copy = std::make_shared<std::vector<std::byte>>(from, from + bytes);
        std::vector<std::shared_ptr<const void>> keeps;
        std::vector<std::pair<std::uint64_t, std::size_t>> written;
        for (cl_uint i = 0; i < n; ++i) {
            const auto m = s.memory.get(objects[i]);
            written.emplace_back(m->address, m->bytes);
            const auto at = static_cast<const std::byte*>(places[i]) - from;
            require(at >= 0 && static_cast<std::size_t>(at) + sizeof(void*) <= bytes,
                    CL_INVALID_VALUE, "a position outside of the arguments");
            std::memcpy(copy->data() + at, &m->address, sizeof m->address);
            keeps.push_back(m);
        }
        auto t = std::make_shared<device::task>();
        t->what = device::task::kind::host_call;
        for (const auto& [address, size] : written) t->accesses.push_back({address, size});
        t->effect = [&s, copy, act, bytes, written = std::move(written)] {
            act(bytes != 0 ? copy->data() : nullptr);
            for (const auto& [address, size] : written)
                s.gpus().memory().note_written(address, size);
        };
        enqueue(s, r, t, false,
                std::make_shared<std::vector<std::shared_ptr<const void>>>(std::move(keeps)));
    });
}
