// SPDX-License-Identifier: Apache-2.0
// Objects behind OpenCL handles. Sizes are in bytes unless stated otherwise.
#pragma once

#include "platform/device/system.h"
#include "runtimes/opencl/kernel_signature.h"
#include "runtimes/opencl/registry.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

/// The only platform.
struct _cl_platform_id : simtlm::opencl::object {};

/// A simulated GPU.
struct _cl_device_id : simtlm::opencl::object {
    unsigned number = 0;  ///< GPU number
};

/// A context: a set of devices and what is shared between them.
struct _cl_context : simtlm::opencl::object {
    std::vector<cl_device_id> devices;
    std::vector<cl_context_properties> properties;
    void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*) = nullptr;
    void* notify_data = nullptr;
    struct destructor {
        void(CL_CALLBACK* call)(cl_context, void*);
        void* data;
    };
    std::vector<destructor> destructors;
    /// Allocations of clSVMAlloc; protected by a mutex.
    std::map<void*, std::size_t> shared_virtual;
    std::mutex mutex;

    ~_cl_context();
    unsigned first_device() const { return devices.front()->number; }
    bool has(cl_device_id d) const;
    /// Returns whether [p, p + bytes) lies within one allocation of clSVMAlloc.
    bool is_shared_virtual(const void* p, std::size_t bytes);
};

/// A command queue, executed as a stream of its device.
struct _cl_command_queue : simtlm::opencl::object {
    std::shared_ptr<_cl_context> context;
    cl_device_id device = nullptr;
    cl_command_queue_properties properties = 0;
    std::vector<cl_queue_properties> list;  ///< as given by the program
    bool has_list = false;
    simtlm::device::stream* stream = nullptr;
    std::mutex mutex;
    // For out-of-order queues: unfinished tasks and the last barrier.
    std::vector<simtlm::device::task_ptr> open;
    simtlm::device::task_ptr barrier;
    std::vector<simtlm::device::task_ptr> callbacks;  ///< of the events of the queue

    ~_cl_command_queue();
    bool in_order() const { return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0; }
};

/// A buffer, an image, or a part of one.
struct _cl_mem : simtlm::opencl::object {
    std::shared_ptr<_cl_context> context;
    cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    cl_mem_flags flags = 0;
    std::vector<cl_mem_properties> properties;
    std::shared_ptr<_cl_mem> parent;  ///< for a sub-buffer, or an image created from a buffer
    std::size_t offset = 0;           ///< in the parent
    std::size_t bytes = 0;
    std::uint64_t address = 0;  ///< device address
    bool owns_memory = false;
    std::byte* host_pointer = nullptr;  ///< CL_MEM_USE_HOST_PTR

    // For images.
    cl_image_format format{};
    cl_image_desc shape{};                         ///< as given by the program
    std::size_t width = 0, height = 1, depth = 1;  ///< elements
    std::size_t layers = 0;                        ///< 0: not an array
    std::size_t element = 1;
    std::size_t row_pitch = 0, slice_pitch = 0;            ///< in device memory
    std::size_t host_row_pitch = 0, host_slice_pitch = 0;  ///< in the host's view
    std::uint64_t descriptor = 0;  ///< device address of the descriptor for kernels

    /// Regions mapped by the host, by pointer.
    struct mapping {
        std::array<std::size_t, 3> origin{}, region{};  ///< for buffers: bytes in x
        cl_map_flags flags = 0;
    };
    std::multimap<void*, mapping> mappings;
    std::unique_ptr<std::byte[]> shadow;  ///< storage of mapped regions
    std::size_t shadow_bytes = 0;
    struct destructor {
        void(CL_CALLBACK* call)(cl_mem, void*);
        void* data;
    };
    std::vector<destructor> destructors;
    std::mutex mutex;  ///< protects mappings, shadow, destructors

    ~_cl_mem();
    bool is_image() const { return type != CL_MEM_OBJECT_BUFFER && type != CL_MEM_OBJECT_PIPE; }
    std::size_t slices() const { return layers != 0 ? layers : depth; }
    /// Host address of the object when it is mapped.
    std::byte* host_view();
};

/// A sampler.
struct _cl_sampler : simtlm::opencl::object {
    std::shared_ptr<_cl_context> context;
    cl_bool normalised = CL_TRUE;
    cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
    std::vector<cl_sampler_properties> properties;

    /// Sampler flags read by kernels.
    std::uint64_t flags() const;
};

/// A program: its source or binary, and a build for each device.
struct _cl_program : simtlm::opencl::object {
    enum class origin { source, intermediate, binary, built_in };

    /// State of the build for a device.
    struct build {
        cl_build_status status = CL_BUILD_NONE;
        cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
        std::string options, log;
        std::string object;  ///< LLVM bitcode, after compilation or library creation
        std::string ptx;     ///< after linking
        std::vector<simtlm::opencl::kernel_signature> kernels;
        std::shared_ptr<simtlm::device::loaded_module> code;
    };

    std::shared_ptr<_cl_context> context;
    origin from = origin::source;
    std::string source;
    std::vector<cl_device_id> devices;
    std::map<cl_device_id, build> builds;
    std::atomic<unsigned> kernels{0};  ///< number of attached kernels
    std::mutex mutex;

    build& of(cl_device_id d);
    /// The build of the first device that has code. @throws error  if there is none
    build& built();
    const simtlm::opencl::kernel_signature* signature(const std::string& name);
    /// Loads the code onto a device. @throws error
    std::shared_ptr<simtlm::device::loaded_module> load(cl_device_id d);
};

/// A kernel of a program with its current arguments.
struct _cl_kernel : simtlm::opencl::object {
    /// The value of an argument, as set by clSetKernelArg.
    struct argument {
        bool set = false;
        std::vector<std::byte> value;
        bool is_memory = false;
        std::weak_ptr<_cl_mem> memory;  ///< arguments do not retain memory objects
        std::shared_ptr<_cl_sampler> sampler;
        std::size_t local_bytes = 0;
    };

    std::shared_ptr<_cl_program> program;
    std::string name;
    simtlm::opencl::kernel_signature signature;
    std::vector<argument> arguments;
    std::mutex mutex;

    _cl_kernel() = default;
    ~_cl_kernel();
};

/// An event of a command, or a user event.
struct _cl_event : simtlm::opencl::object {
    /// Outcome of the command, which outlives the event.
    struct state {
        std::atomic<cl_int> failed{0};  ///< a negative status; 0: no failure
        std::atomic<bool> user_set{false};
        std::vector<simtlm::device::task_ptr> callbacks;
        std::mutex mutex;  ///< protects the callbacks
    };

    std::shared_ptr<_cl_context> context;
    std::shared_ptr<_cl_command_queue> queue;  ///< empty for a user event
    cl_command_type command = 0;
    std::shared_ptr<state> how = std::make_shared<state>();
    simtlm::device::task_ptr task;

    /// CL_QUEUED to CL_COMPLETE, or an error code.
    cl_int status() const;
};
