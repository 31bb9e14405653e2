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

/// A kernel as hosts name it: CUfunction, cudaFunction_t.
struct function {
    module* owner = nullptr;
    std::shared_ptr<device::loaded_module> code;
    const execution::kernel_image* kernel = nullptr;
    unsigned device = 0;
    int max_dynamic_shared = -1;  ///< as set; -1: the default
    int carve_out = -1;
    int cache_preference = 0;
    /// What launches in the way of CUDA 3 have set: cuFuncSetBlockShape, cuParamSetv, ...
    struct {
        size3 block;
        unsigned shared = 0;
        std::vector<std::byte> arguments;
    } set;
};

/// A loaded module of one device: CUmodule.
struct module {
    unsigned device = 0;
    std::shared_ptr<device::loaded_module> code;
    std::map<std::string, std::unique_ptr<function>> functions;
    std::mutex mutex;

    /// @throws failure  there is none of that name
    function* find(const std::string& name);
};

/// A module for all devices, loaded where it is first used: CUlibrary, and what a fat binary of the
/// program becomes.
struct library {
    std::string name;
    device::module_source source;  ///< once read
    const void* code = nullptr;    ///< of the program; read when it is needed
    bool read = false;
    std::vector<std::unique_ptr<module>> modules;  ///< by device
    struct managed_variable {
        void** host;
        std::string name;
    };
    std::vector<managed_variable> managed;
    std::map<std::string, std::unique_ptr<struct kernel>> kernels;
    std::mutex mutex;
};

/// A kernel of a library, on whatever device it is launched: CUkernel, cudaKernel_t.
struct kernel {
    library* owner = nullptr;
    std::string name;
};

/// A variable or a texture of the program, by its address in the host program.
struct registered_symbol {
    library* owner = nullptr;
    std::string name;
    std::size_t bytes = 0;
    bool normalised_read = false;  ///< textures
};

/// A pool that memory comes from: CUmemoryPool.
struct memory_pool {
    unsigned device = 0;
    std::uint64_t threshold = 0, used = 0, used_high = 0;
    int reuse[3] = {1, 1, 1};
    bool is_default = false;
};

struct context;

/// What libraries keep in a context, by a key of theirs (CONTEXT_LOCAL_STORAGE).
class context_storage {
public:
    struct item {
        void* value;
        void (*at_end)(context*, void* key, void* value);  ///< nullptr: nothing is done
    };
    void put(void* key, item i);
    void remove(void* key);
    /// @return false: there is nothing
    bool get(void* key, void** to);
    /// Tells the libraries that their context ends, and forgets what they kept.
    void end(context* owner);

private:
    std::mutex mutex_;
    std::map<void*, item> items_;
};

/// What the driver API calls a context. One per device is the primary one.
struct context {
    unsigned device = 0;
    bool primary = false;
    unsigned references = 0;
    unsigned flags = 0;
    unsigned number = 0;  ///< 1 and up, never used again
    context_storage storage;
};

/// What a host thread is in the middle of.
struct thread_state {
    result last_error = 0;
    unsigned device = 0;
    bool per_thread_default = false;  ///< stream 0 means the thread's own, in this call
    bool through_driver = false;      ///< this call of the runtime's is one of the driver API
    bool uses_runtime = false;        ///< has called the runtime: a context is current
    int capture_mode = 0;
    struct configuration {
        size3 grid, block;
        std::size_t shared;
        void* stream;
    };
    std::vector<configuration> configurations;
    std::vector<context*> contexts;
    device::stream* own_stream[64] = {};
};

/// Everything that the CUDA libraries of a process share. Made at the first call.
class session : public runtime::host_session {
public:
    /// The one of this process. @throws kernel::user_error  the configuration is at fault
    static session& get();
    /// get() has made one, and it has not ended.
    static bool is_running();
    static thread_state& thread();
    /// There has been one, and it has ended.
    static bool is_over();

    unsigned current_device() const { return thread().device; }

    // ---- code; what is static may come before main(), when there is no session yet ----
    static library* add_library(const void* code, const std::string& name);
    void remove_library(library* l);
    /// The library's module on a device. @throws failure
    module& module_of(library& l, unsigned device);
    module* load_module(const void* code, const std::string& name, unsigned device);
    void unload_module(module* m);
    /// @throws failure  no such module, function or variable
    function* function_in(module* m, const std::string& name);
    std::pair<std::uint64_t, std::uint64_t> variable_in(module* m, const std::string& name);

    static void register_kernel(library* l, const void* host, const std::string& name);
    static void register_symbol(const void* host, registered_symbol s);
    static kernel* kernel_in(library& l, const std::string& name);
    /// What a handle for a kernel is: the address of a host function, a kernel or a function.
    /// @throws failure
    function* function_of(const void* handle, unsigned device);
    function* function_of(const void* handle) { return function_of(handle, current_device()); }
    kernel* kernel_of(const void* host);
    registered_symbol symbol(const void* host);
    /// Address and bytes of a variable. @throws failure
    std::pair<std::uint64_t, std::uint64_t> variable(const void* host);
    /// The value that textures are bound to for a texture or surface of the program.
    std::uint64_t reference_handle(const void* host);

    // ---- handles ----
    /// Streams by handle: 0 and 1 the legacy default stream, 2 the thread's own.
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
    /// The context of the calling thread: that of the driver API, or the primary one where the
    /// thread has called the runtime. nullptr: none
    context* current_context();
    context* add_context(unsigned device, unsigned flags);
    void remove_context(context* c);

    struct texture_object {
        resource_description resource;
        texture_description texture;
        resource_view view;
        bool has_view = false;
    };
    std::map<std::uint64_t, texture_object> textures;  ///< guarded by textures_mutex
    std::mutex textures_mutex;

    /// Streams that are being captured.
    std::unordered_map<const device::stream*, std::shared_ptr<capture>> captures;
    std::unordered_map<const device::event*, std::shared_ptr<capture>> captured_events;
    std::recursive_mutex graphs_mutex;  ///< guards these, and all graphs

    virtual_memory& addresses() { return *addresses_; }

    std::atomic<bool> peers[64][64] = {};
    unsigned device_flags = 0;

    void reset_device(unsigned device);

private:
    session();
    void read(library& l);
    /// Keeps the PTX, or replaces it, where options or the environment ask for that.
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
