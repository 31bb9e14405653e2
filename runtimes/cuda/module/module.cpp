// SPDX-License-Identifier: Apache-2.0
// Modules, libraries, and the code that programs register.
#include "runtimes/cuda/module/module.h"

#include "modules/host_threads/signal_shield.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "runtimes/cuda/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

namespace simtlm::cuda {

namespace {

std::string text_of_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()))
        throw failure(status::file_not_found, path + " cannot be read");
    return text.str();
}

void require_module(const module* m) {
    if (m == nullptr) throw failure(status::invalid_handle, "not a module");
}

}  // namespace

function* module::find(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex);
    auto& f = functions[name];
    if (f) return f.get();
    const execution::kernel_image* const k = code->find_kernel(name);
    if (k == nullptr) {
        functions.erase(name);
        return nullptr;
    }
    f = std::make_unique<function>();
    f->owner = this;
    f->code = code;
    f->kernel = k;
    f->device = device;
    return f.get();
}

code_registry& code_registry::get() {
    static auto* const registry = new code_registry;
    return *registry;
}

library* code_registry::add(const void* code, const std::string& name) {
    auto l = std::make_unique<library>();
    l->code = code;
    l->name = name;
    library* const handle = l.get();
    const std::lock_guard<std::mutex> lock(mutex_);
    libraries_[handle] = std::move(l);
    return handle;
}

void code_registry::remove(library* l) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = libraries_.find(l);
    if (at == libraries_.end()) throw failure(status::invalid_handle, "not a library");
    for (auto& [name, k] : l->kernels) kernels_.erase(k.get());
    for (auto& m : l->modules)
        if (m) m->code.reset();
    libraries_.erase(at);
}

kernel* code_registry::kernel_in(library& l, const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& k = l.kernels[name];
    if (!k) {
        k = std::make_unique<kernel>();
        k->owner = &l;
        k->name = name;
        kernels_.insert(k.get());
    }
    return k.get();
}

void code_registry::register_kernel(library* l, const void* host, const std::string& name) {
    kernel* const k = kernel_in(*l, name);
    const std::lock_guard<std::mutex> lock(mutex_);
    by_host_[host] = k;
}

void code_registry::register_symbol(const void* host, registered_symbol s) {
    const std::lock_guard<std::mutex> lock(mutex_);
    symbols_[host] = std::move(s);
}

kernel* code_registry::kernel_of(const void* host) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = by_host_.find(host);
    if (at != by_host_.end()) return at->second;
    if (kernels_.count(host) != 0) return static_cast<kernel*>(const_cast<void*>(host));
    return nullptr;
}

registered_symbol code_registry::symbol(const void* host) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = symbols_.find(host);
    if (at == symbols_.end()) throw failure(status::invalid_symbol, "not a variable of a GPU");
    return at->second;
}

void code_registry::reset(unsigned device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [handle, l] : libraries_)
        if (device < l->modules.size()) l->modules[device].reset();
}

module_table::module_table(session& s)
    : session_(s),
      compiler_(s.config().ptxas, s.config().gpu.binary_version(), runtime::server_address()) {}

void module_table::save_ptx(device::module_source& s) {
    const std::lock_guard<std::mutex> lock(save_mutex_);
    const unsigned number = ++saved_;
    if (const char* const file = std::getenv("PTX_SIM_USE_PTX_FILE"); file != nullptr) {
        const char* const named = std::getenv("PTX_SIM_KERNELFILE");
        const std::string path =
            named != nullptr ? named : fmt::format("_{}.ptx", file[0] != 0 ? file : "1");
        s.isa = execution::instruction_set::ptx;
        s.code = text_of_file(path);
        s.name = path;
        return;
    }
    if (!session_.options().flag("-save_embedded_ptx") && !session_.options().flag("-keep")) return;
    if (s.isa != execution::instruction_set::ptx) return;
    const std::string path = fmt::format("_{}.ptx", number);
    // Do not overwrite input files of the run or read-only files.
    std::error_code ignored;
    bool is_input = std::filesystem::equivalent(path, "/proc/self/exe", ignored);
    for (const std::string& f : session_.options().files())
        is_input = is_input || std::filesystem::equivalent(path, f, ignored);
    try {
        if (is_input) throw simtlm::support::user_error(path, "is an input of the run");
        const simtlm::host_threads::signal_shield shield;
        simtlm::support::output_file out(path);
        out.write(s.code);
        out.commit();
    } catch (const simtlm::support::user_error& e) {
        session_.gpus().log().result_lost(e.what());
    }
}

std::shared_ptr<device::loaded_module> module_table::load_compiled(device::module_source& s) {
    device::system& gpus = session_.gpus();
    ptx_compiler::outcome done;
    if (gpus.config().code == device::code_preference::automatic) done = compiler_.compile(s);
    auto m = gpus.load(s);
    if (!done.compiler.empty()) gpus.log().add_input({"compiler of PTX", done.compiler});
    if (!done.compiler.empty() && m->ptx_version() != 0)
        done.note =
            "the PTX of " + s.name +
            " is executed as it is, because some instruction of the machine code made of it "
            "is not supported";
    if (!done.note.empty()) gpus.log().note("note", done.note);
    return m;
}

module& module_table::of(library& l, unsigned d) {
    const std::lock_guard<std::mutex> lock(l.mutex);
    device::system& gpus = session_.gpus();
    if (!l.read) {
        l.source = module_in(l.code, gpus.config().architecture(), gpus.config().code, l.name);
        save_ptx(l.source);
        l.read = true;
    }
    l.modules.resize(std::max<std::size_t>(l.modules.size(), gpus.devices()));
    auto& m = l.modules[d];
    if (!m) {
        auto fresh = std::make_unique<module>();
        fresh->device = d;
        fresh->code = load_compiled(l.source);
        m = std::move(fresh);
        for (const library::managed_variable& v : l.managed) {
            const auto [address, bytes] = m->code->find_variable(v.name);
            if (address != 0) gpus.memory().expose(address, bytes);
            if (*v.host == nullptr || d == 0) *v.host = reinterpret_cast<void*>(address);
        }
    }
    return *m;
}

module* module_table::load(const void* code, const std::string& name, unsigned d) {
    device::system& gpus = session_.gpus();
    device::module_source source =
        module_in(code, gpus.config().architecture(), gpus.config().code, name);
    auto m = std::make_unique<module>();
    m->device = d;
    save_ptx(source);
    m->code = load_compiled(source);
    return modules_.insert(std::move(m));
}

void module_table::unload(module* m) {
    const auto gone = modules_.erase(m);
    for (auto& [name, f] : gone->functions) functions_.erase(f.get());
}

function* module_table::function_in(module* m, const std::string& name) {
    require_module(m);
    function* const f = m->find(name);
    if (f == nullptr)
        throw failure(status::not_found, fmt::format("the module has no kernel {}", name));
    functions_.set(f, f);
    return f;
}

function* module_table::function_of(const void* handle, unsigned d) {
    kernel* const k = code_registry::get().kernel_of(handle);
    if (k == nullptr) {
        // A function of a module, as returned by the driver API.
        const auto known = functions_.find(handle);
        if (known && handle != nullptr) return *known;
        throw failure(status::invalid_device_function, "not a kernel");
    }
    function* const f = of(*k->owner, d).find(k->name);
    if (f == nullptr)
        throw failure(status::invalid_device_function,
                      fmt::format("{} has no kernel {}", k->owner->name, k->name));
    functions_.set(f, f);
    return f;
}

function* module_table::function_of(const void* handle) {
    return function_of(handle, session_.current_device());
}

std::pair<std::uint64_t, std::uint64_t> module_table::variable_in(module* m,
                                                                  const std::string& name) {
    require_module(m);
    const auto found = m->code->find_variable(name);
    if (found.first == 0)
        throw failure(status::not_found, fmt::format("the module has no variable {}", name));
    return found;
}

std::pair<std::uint64_t, std::uint64_t> module_table::variable(const void* host) {
    const registered_symbol s = code_registry::get().symbol(host);
    const auto found = of(*s.owner, session_.current_device()).code->find_variable(s.name);
    if (found.first == 0)
        throw failure(status::invalid_symbol,
                      fmt::format("{} has no variable {}", s.owner->name, s.name));
    return found;
}

}  // namespace simtlm::cuda
