// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/system.h"
#include "runtimes/cuda/abi/abi.h"
#include "runtimes/cuda/handle_table.h"
#include "runtimes/cuda/module/fat_binary.h"
#include "runtimes/cuda/module/ptx_compiler.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace simtlm::cuda {

class session;
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

struct module_reference;  // of a texture or surface: texture/references.cpp

/// A module loaded on one device: CUmodule.
struct module {
    unsigned device = 0;
    std::shared_ptr<device::loaded_module> code;
    std::map<std::string, std::unique_ptr<function>> functions;
    std::map<std::string, std::shared_ptr<module_reference>> references;
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

/// The code and variables that programs register before main(), without a session, and the
/// libraries that they load.
class code_registry {
public:
    /// That of the process. Never destroyed: programs unregister after all other destructors.
    static code_registry& get();

    library* add(const void* code, const std::string& name);
    /// @throws failure  for an unknown library
    void remove(library* l);
    kernel* kernel_in(library& l, const std::string& name);
    void register_kernel(library* l, const void* host, const std::string& name);
    void register_symbol(const void* host, registered_symbol s);
    /// @param host  the address of a host function, or a kernel. @return nullptr for others
    kernel* kernel_of(const void* host);
    /// @throws failure  for an unknown variable
    registered_symbol symbol(const void* host);
    /// Unloads all libraries from a device.
    void reset(unsigned device);

private:
    std::mutex mutex_;
    std::unordered_map<const void*, std::unique_ptr<library>> libraries_;
    std::unordered_map<const void*, kernel*> by_host_;
    std::unordered_set<const void*> kernels_;
    std::unordered_map<const void*, registered_symbol> symbols_;
};

/// The modules of the process and the functions in them. Functions throw a failure for an unknown
/// module, function or variable, and if code cannot be loaded.
class module_table {
public:
    explicit module_table(session& s);

    module* load(const void* code, const std::string& name, unsigned device);
    void unload(module* m);
    /// The library's module on a device, loaded if necessary.
    module& of(library& l, unsigned device);
    function* function_in(module* m, const std::string& name);
    /// Resolves a kernel handle: the address of a host function, a kernel or a function.
    function* function_of(const void* handle, unsigned device);
    function* function_of(const void* handle);
    /// Address and size in bytes of a variable of a module, or of one by its host address.
    std::pair<std::uint64_t, std::uint64_t> variable_in(module* m, const std::string& name);
    std::pair<std::uint64_t, std::uint64_t> variable(const void* host);

private:
    /// Saves the PTX to a file or replaces it, if options or the environment request that.
    void save_ptx(device::module_source& s);
    /// Loads a module on a GPU, with its PTX compiled if a compiler is available.
    std::shared_ptr<device::loaded_module> load_compiled(device::module_source& s);

    session& session_;
    ptx_compiler compiler_;
    handle_table<module> modules_{status::invalid_handle, "not a module"};
    value_table<const void*, function*> functions_;
    std::mutex save_mutex_;
    unsigned saved_ = 0;
};

}  // namespace simtlm::cuda
