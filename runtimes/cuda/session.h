// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"
#include "runtimes/common/host_session.h"
#include "runtimes/cuda/abi.h"
#include "runtimes/cuda/fat_binary.h"
#include "runtimes/cuda/virtual_memory.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace simtlm::cuda {

class graph;
class graph_node;
struct capture;
struct module;

/// A kernel of a module: CUfunction, cudaFunction_t.
struct function {
    module* owner = nullptr;
    std::shared_ptr<device::loaded_module> code;
    const execution::kernel_image* kernel = nullptr;
    unsigned device = 0;
    int max_dynamic_shared = -1;  ///< as set by the program; -1: the default
    int carve_out = -1;
    int cache_preference = 0;  ///< cudaFuncCache; 0: that of the device
    bool non_portable_cluster = false;
    int cluster_policy = 0;  ///< cudaClusterSchedulingPolicy, a hint
    /// Thread blocks per cluster as set by the program; x = 0: not set.
    std::array<int, 3> required_cluster{};
    /// Launch state of the API before CUDA 4: cuFuncSetBlockShape, cuParamSetv, ...
    struct {
        size3 block;
        unsigned shared = 0;
        std::vector<std::byte> arguments;
    } set;
};

/// A module loaded on one device: CUmodule.
struct module {
    unsigned device = 0;
    std::shared_ptr<device::loaded_module> code;
    std::map<std::string, std::unique_ptr<function>> functions;
    std::mutex mutex;

    /// @throws failure  if there is no kernel of this name
    function* find(const std::string& name);
};

/// A module for all devices, loaded on first use on each: CUlibrary, or a fat binary of the
/// program.
struct library {
    std::string name;
    device::module_source source;  ///< valid once `read` is set
    const void* code = nullptr;    ///< passed by the program; parsed on demand
    bool read = false;
    std::vector<std::unique_ptr<module>> modules;  ///< by device
    /// A managed variable: where the program stores its address, and its name.
    struct managed_variable {
        void** host;
        std::string name;
    };
    std::vector<managed_variable> managed;
    std::map<std::string, std::unique_ptr<struct kernel>> kernels;
    std::mutex mutex;
};

/// A kernel of a library, independent of the device: CUkernel, cudaKernel_t.
struct kernel {
    library* owner = nullptr;
    std::string name;
};

/// A variable or texture of the program, identified by its host address.
struct registered_symbol {
    library* owner = nullptr;
    std::string name;
    std::size_t bytes = 0;
    bool normalised_read = false;  ///< for textures
};

/// A memory pool: CUmemoryPool.
struct memory_pool {
    unsigned device = 0;
    std::uint64_t threshold = 0, used = 0, used_high = 0;
    int reuse[3] = {1, 1, 1};
    bool is_default = false;
};

struct context;

/// Values that NVIDIA's libraries store in a context under their own keys (CONTEXT_LOCAL_STORAGE).
class context_storage {
public:
    /// A stored value and the callback at the end of the context.
    struct item {
        void* value;
        void (*at_end)(context*, void* key, void* value);  ///< nullptr: no callback
    };
    void put(void* key, item i);
    void remove(void* key);
    /// @return false if there is no value
    bool get(void* key, void** to);
    /// Notifies the libraries that their context ends, and removes their values.
    void end(context* owner);

private:
    std::mutex mutex_;
    std::map<void*, item> items_;
};

/// A context of the driver API. Each device has one primary context.
struct context {
    unsigned device = 0;
    bool primary = false;
    unsigned references = 0;
    unsigned flags = 0;
    unsigned number = 0;  ///< from 1, never reused
    context_storage storage;
};

/// State of a host thread.
struct thread_state {
    result last_error = 0;
    unsigned device = 0;
    bool per_thread_default = false;  ///< in this call, stream 0 means the per-thread stream
    /// The function of the driver that this call of the runtime implements; nullptr: none.
    const char* called_as = nullptr;
    bool uses_runtime = false;  ///< the thread has called the runtime, so a context is current
    int capture_mode = 0;
    /// Launch configuration pushed by <<<>>>.
    struct configuration {
        size3 grid, block;
        std::size_t shared;
        void* stream;
    };
    std::vector<configuration> configurations;
    std::vector<context*> contexts;
    device::stream* own_stream[64] = {};
};

/// State shared by the CUDA libraries of a process. Created by the first call.
class session : public runtime::host_session {
public:
    /// The session of this process. @throws support::user_error  for a faulty configuration
    static session& get();
    /// Returns whether get() has created a session that has not ended.
    static bool is_running();
    static thread_state& thread();
    /// Returns whether a session existed and has ended.
    static bool is_over();

    unsigned current_device() const { return thread().device; }

    // ---- code; static functions may be called before main(), without a session ----
    static library* add_library(const void* code, const std::string& name);
    void remove_library(library* l);
    /// The library's module on a device, loaded if necessary. @throws failure
    module& module_of(library& l, unsigned device);
    module* load_module(const void* code, const std::string& name, unsigned device);
    void unload_module(module* m);
    /// @throws failure  for an unknown module, function or variable
    function* function_in(module* m, const std::string& name);
    std::pair<std::uint64_t, std::uint64_t> variable_in(module* m, const std::string& name);

    static void register_kernel(library* l, const void* host, const std::string& name);
    static void register_symbol(const void* host, registered_symbol s);
    static kernel* kernel_in(library& l, const std::string& name);
    /// Resolves a kernel handle: the address of a host function, a kernel or a function.
    /// @throws failure
    function* function_of(const void* handle, unsigned device);
    function* function_of(const void* handle) { return function_of(handle, current_device()); }
    kernel* kernel_of(const void* host);
    registered_symbol symbol(const void* host);
    /// Address and size of a variable in bytes. @throws failure
    std::pair<std::uint64_t, std::uint64_t> variable(const void* host);
    /// Handle that textures are bound to for a texture or surface of the program.
    std::uint64_t reference_handle(const void* host);

    // ---- handles ----
    /// Streams by handle: 0 and 1 are the legacy default stream, 2 is the per-thread stream.
    device::stream& stream(void* handle);
    device::stream* create_stream(bool blocking, int priority, unsigned flags);
    device::event* create_event(unsigned flags);
    device::event& event(void* handle);
    void destroy_event(device::event* e);
    device::array& array(const void* handle);
    device::array* add_array(std::unique_ptr<device::array> a);
    void remove_array(device::array* a);
    memory_pool& default_pool(unsigned device) { return *pools_[device]; }
    context* primary_context(unsigned device) { return contexts_[device].get(); }
    bool knows(const context* c);
    /// The current context of the calling thread: that of the driver API, or the primary one if the
    /// thread has called the runtime; otherwise nullptr.
    context* current_context();
    context* add_context(unsigned device, unsigned flags);
    void remove_context(context* c);

    /// The descriptions that a texture or surface object was created from.
    struct texture_object {
        resource_description resource;
        texture_description texture;
        resource_view view;
        bool has_view = false;
    };
    std::map<std::uint64_t, texture_object> textures;  ///< protected by textures_mutex
    std::mutex textures_mutex;

    /// Captures in progress, by stream and by event.
    std::unordered_map<const device::stream*, std::shared_ptr<capture>> captures;
    std::unordered_map<const device::event*, std::shared_ptr<capture>> captured_events;
    std::recursive_mutex graphs_mutex;  ///< protects the members above and all graphs

    virtual_memory& addresses() { return *addresses_; }

    std::atomic<bool> peers[64][64] = {};
    unsigned device_flags = 0;

    void reset_device(unsigned device);

private:
    session();
    void read(library& l);
    /// Saves the PTX to a file or replaces it, if options or the environment request that.
    void save_ptx(device::module_source& s);

    std::unique_ptr<virtual_memory> addresses_;
    std::mutex mutex_;
    std::unordered_set<const void*> functions_;
    std::unordered_map<const void*, std::unique_ptr<module>> modules_;
    std::unordered_map<const void*, std::unique_ptr<device::event>> events_;
    std::unordered_map<const void*, std::unique_ptr<device::array>> arrays_;
    std::vector<std::unique_ptr<memory_pool>> pools_;
    std::vector<std::unique_ptr<context>> contexts_;
    unsigned contexts_made_ = 0;
    unsigned saved_ = 0;
};

}  // namespace simtlm::cuda
