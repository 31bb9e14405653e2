// SPDX-License-Identifier: Apache-2.0
// Driver API: modules, the linker of PTX, and libraries.
#include "runtimes/cuda/driver_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

using namespace simtlm::cuda;

namespace {

std::string read_file(const char* path) {
    std::ifstream in(path == nullptr ? "" : path, std::ios::binary);
    std::ostringstream text;
    require(in && (text << in.rdbuf()), status::file_not_found, "the file cannot be read");
    return text.str();
}

}  // namespace

// ---- modules ----

RUNTIME(cuModuleLoadData)(module** to, const void* code) {
    return driver_call("cuModuleLoadData", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        *to = s.load_module(code, "module", s.current_device());
    });
}
RUNTIME(cuModuleLoadFatBinary)(module** to, const void* code) {
    return simtlm_rt_cuModuleLoadData(to, code);
}
RUNTIME(cuModuleLoad)(module** to, const char* path) {
    return driver_call("cuModuleLoad", [&](session& s) {
        require_pointer(to);
        *to = s.load_module(read_file(path).c_str(), path, s.current_device());
    });
}
RUNTIME(cuModuleUnload)(module* m) {
    return driver_call("cuModuleUnload", [&](session& s) {
        s.work().wait_all(s.current_device());
        s.unload_module(m);
    });
}
RUNTIME(cuModuleGetFunction)(function** to, module* m, const char* name) {
    return driver_call("cuModuleGetFunction", [&](session& s) {
        require_pointer(to);
        *to = s.function_in(m, name);
    });
}
RUNTIME(cuModuleGetGlobal)(std::uint64_t* to, std::size_t* bytes, module* m, const char* name) {
    return driver_call("cuModuleGetGlobal", [&](session& s) {
        const auto v = s.variable_in(m, name);
        if (to != nullptr) *to = v.first;
        if (bytes != nullptr) *bytes = v.second;
    });
}

// ---- linking, of PTX ----

namespace {
/// Logs that the program requests from a compilation: parallel arrays of CUjit_option and values.
/// The value of a size is the capacity on input and the number of bytes written on output.
struct compilation_log {
    unsigned count = 0;
    const int* options = nullptr;
    void** values = nullptr;

    void** value_of(int option) const {
        for (unsigned i = 0; i < count; ++i)
            if (options[i] == option) return &values[i];
        return nullptr;
    }
    void write(int buffer, const std::string& text) const {
        void** const to = value_of(buffer);
        void** const size = value_of(buffer + 1);
        if (to == nullptr || *to == nullptr || size == nullptr) return;
        const auto room = reinterpret_cast<std::uintptr_t>(*size) & 0xffffffff;
        const std::size_t bytes = std::min<std::size_t>(room, text.size() + 1);
        if (bytes == 0) return;
        std::memcpy(*to, text.c_str(), bytes);
        static_cast<char*>(*to)[bytes - 1] = 0;
        *size = reinterpret_cast<void*>(bytes - 1);
    }
    /// Writes all requested logs. Compilation takes no simulated time. @param fault  empty: none
    void write_all(const std::string& fault) const {
        constexpr int wall_time = 2, information = 3, errors = 5;
        const float none = 0;
        if (void** const time = value_of(wall_time)) std::memcpy(time, &none, sizeof none);
        write(information, "");
        write(errors, fault);
    }
};

/// Executes what may fail because of the program's PTX, and writes the log.
template <class Act>
void with_log(const compilation_log& log, Act&& act) {
    try {
        act();
    } catch (const simtlm::kernel::user_error& e) {
        log.write_all(e.what());
        throw;
    }
    log.write_all({});
}

struct linker {
    std::vector<simtlm::device::module_source> inputs;
    std::string text;  ///< valid after completion
    std::vector<int> options;
    void** values = nullptr;  ///< array of the program; read and written
};
}  // namespace

RUNTIME(cuModuleLoadDataEx)
(module** to, const void* code, unsigned count, const int* options, void** values) {
    return driver_call("cuModuleLoadDataEx", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        with_log({count, options, values},
                 [&] { *to = s.load_module(code, "module", s.current_device()); });
    });
}
RUNTIME(cuLinkCreate)(unsigned count, const int* options, void** values, linker** to) {
    return driver_call("cuLinkCreate", [&](session&) {
        require_pointer(to);
        auto fresh = std::make_unique<linker>();
        if (count != 0) fresh->options.assign(options, options + count);
        fresh->values = values;
        *to = fresh.release();
    });
}
RUNTIME(cuLinkAddData)
(linker* l, int type, void* data, std::size_t bytes, const char* name, unsigned, void*, void**) {
    return driver_call("cuLinkAddData", [&](session& s) {
        require_pointer(l);
        require_pointer(data);
        constexpr int cubin = 0, ptx = 1, fat_binary = 2;
        require(
            type == cubin || type == ptx || type == fat_binary, status::not_supported,
            "only PTX, cubins and fat binaries can be linked; no objects, libraries or bitcode");
        simtlm::device::module_source input;
        if (type == ptx) {
            input.code.assign(static_cast<const char*>(data), bytes);
            input.code.resize(std::min(input.code.find('\0'), input.code.size()));
        } else if (type == cubin) {
            require(s.config().code != simtlm::device::code_preference::ptx,
                    status::no_binary_for_gpu,
                    "a cubin is machine code, which requires --code auto or sass");
            input.isa = simtlm::execution::instruction_set::sass;
            input.code.assign(static_cast<const char*>(data), bytes);
        } else {
            input = module_in(data, s.config().capability(), simtlm::device::code_preference::ptx,
                              "linked");
        }
        input.name = name != nullptr ? name : fmt::format("piece {}", l->inputs.size() + 1);
        l->inputs.push_back(std::move(input));
    });
}
RUNTIME(cuLinkAddFile)
(linker* l, int type, const char* path, unsigned count, void* options, void** values) {
    std::string text;
    const result r = driver_call("cuLinkAddFile", [&](session&) { text = read_file(path); });
    return r != 0 ? r
                  : simtlm_rt_cuLinkAddData(l, type, text.data(), text.size(), path, count, options,
                                            values);
}
/// The linker's output is PTX, as accepted by cuModuleLoadData.
RUNTIME(cuLinkComplete)(linker* l, void** to, std::size_t* bytes) {
    return driver_call("cuLinkComplete", [&](session&) {
        require_pointer(l);
        require(!l->inputs.empty(), status::invalid_value, "nothing to link");
        const auto count = static_cast<unsigned>(l->options.size());
        with_log({count, l->options.data(), l->values},
                 [&] { l->text = link(l->inputs, "linked").code; });
        if (to != nullptr) *to = l->text.data();
        if (bytes != nullptr) *bytes = l->text.size() + 1;
    });
}
RUNTIME(cuLinkDestroy)(linker* l) {
    delete l;
    return 0;
}

// ---- libraries ----

RUNTIME(cuLibraryLoadData)
(library** to, const void* code, void*, void**, unsigned, void*, void**, unsigned) {
    return driver_call("cuLibraryLoadData", [&](session& s) {
        require_pointer(to);
        require_pointer(code);
        library* const l = session::add_library(nullptr, "library");
        l->source = module_in(code, s.config().capability(), s.config().code, l->name);
        l->read = true;
        *to = l;
    });
}
RUNTIME(cuLibraryUnload)(library* l) {
    return driver_call("cuLibraryUnload", [&](session& s) {
        s.work().wait_all(s.current_device());
        s.remove_library(l);
    });
}
RUNTIME(cuLibraryGetKernel)(kernel** to, library* l, const char* name) {
    return driver_call("cuLibraryGetKernel", [&](session& s) {
        require_pointer(to);
        require(s.module_of(*l, s.current_device()).find(name) != nullptr, status::not_found,
                "unknown kernel");
        *to = session::kernel_in(*l, name);
    });
}
RUNTIME(cuLibraryGetModule)(module** to, library* l) {
    return driver_call("cuLibraryGetModule", [&](session& s) {
        require_pointer(to);
        *to = &s.module_of(*l, s.current_device());
    });
}
RUNTIME(cuLibraryGetGlobal)(std::uint64_t* to, std::size_t* bytes, library* l, const char* name) {
    return driver_call("cuLibraryGetGlobal", [&](session& s) {
        const auto v = s.module_of(*l, s.current_device()).code->find_variable(name);
        require(v.first != 0, status::not_found, "unknown variable");
        if (to != nullptr) *to = v.first;
        if (bytes != nullptr) *bytes = v.second;
    });
}
RUNTIME(cuKernelGetFunction)(function** to, kernel* k) {
    return driver_call("cuKernelGetFunction", [&](session& s) {
        require_pointer(to);
        *to = s.function_of(k);
    });
}
