// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/session.h"

#include "modules/host_threads/signal_shield.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "runtimes/common/process_session.h"
#include "runtimes/cuda/status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace simtlm::cuda {

namespace {

/// Objects that programs register before main(), looked up by address.
struct registry {
    std::mutex mutex;
    std::vector<std::unique_ptr<library>> libraries;
    std::unordered_map<const void*, kernel*> by_host;
    std::unordered_set<const void*> kernels;
    std::unordered_map<const void*, registered_symbol> symbols;
};

/// Never destroyed: programs unregister after all other destructors.
registry& registered() {
    static registry* const r = new registry;
    return *r;
}

runtime::process_session<session> the_session([](session&) {});

std::string text_of_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()))
        throw failure(status::file_not_found, path + " cannot be read");
    return text.str();
}

}  // namespace

namespace {
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

void context_storage::put(void* key, item i) {
    const std::lock_guard<std::mutex> lock(mutex_);
    items_[key] = i;
}

void context_storage::remove(void* key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    items_.erase(key);
}

bool context_storage::get(void* key, void** to) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = items_.find(key);
    if (at == items_.end()) return false;
    *to = at->second.value;
    return true;
}

void context_storage::end(context* owner) {
    std::map<void*, item> gone;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        gone.swap(items_);
    }
    for (const auto& [key, i] : gone)
        if (i.at_end != nullptr) i.at_end(owner, key, i.value);
}

bool session::is_running() {
    return the_session.is_running();
}

session& session::get() {
    return the_session.get(
        [] { return new session; },
        [](runtime::absence a, const std::string& why) {
            throw failure(
                a == runtime::absence::ended ? status::unloading : status::not_initialised, why);
        });
}

bool session::is_over() {
    return the_session.is_over();
}

thread_state& session::thread() {
    static thread_local thread_state state;
    return state;
}

session::session() : host_session(reinterpret_cast<const void*>(&registered)) {
    addresses_ = std::make_unique<virtual_memory>(gpus().memory());
    for (unsigned d = 0; d < gpus().devices(); ++d) {
        pools_.push_back(std::make_unique<memory_pool>());
        pools_.back()->device = d;
        pools_.back()->is_default = true;
        contexts_.push_back(std::make_unique<context>());
        contexts_.back()->device = d;
        contexts_.back()->primary = true;
        contexts_.back()->number = ++contexts_made_;
    }
}

// ---- code ----

library* session::add_library(const void* code, const std::string& name) {
    registry& r = registered();
    auto l = std::make_unique<library>();
    l->code = code;
    l->name = name;
    const std::lock_guard<std::mutex> lock(r.mutex);
    r.libraries.push_back(std::move(l));
    return r.libraries.back().get();
}

void session::remove_library(library* l) {
    registry& r = registered();
    const std::lock_guard<std::mutex> lock(r.mutex);
    for (auto& [name, k] : l->kernels) r.kernels.erase(k.get());
    const auto at = std::find_if(r.libraries.begin(), r.libraries.end(),
                                 [&](const auto& other) { return other.get() == l; });
    if (at == r.libraries.end()) throw failure(status::invalid_handle, "not a library");
    for (auto& m : (*at)->modules)
        if (m) m->code.reset();
    r.libraries.erase(at);
}

/// Reads the code of a library for the simulated GPUs.
void session::read(library& l) {
    if (l.read) return;
    l.source = module_in(l.code, config().architecture(), config().code, l.name);
    save_ptx(l.source);
    l.read = true;
}

void session::save_ptx(device::module_source& s) {
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
    if (!options().flag("-save_embedded_ptx") && !options().flag("-keep")) return;
    if (s.isa != execution::instruction_set::ptx) return;
    const std::string path = fmt::format("_{}.ptx", number);
    // Do not overwrite input files of the run or read-only files.
    std::error_code ignored;
    bool is_input = std::filesystem::equivalent(path, "/proc/self/exe", ignored);
    for (const std::string& f : options().files())
        is_input = is_input || std::filesystem::equivalent(path, f, ignored);
    try {
        if (is_input) throw simtlm::support::user_error(path, "is an input of the run");
        const simtlm::host_threads::signal_shield shield;
        simtlm::support::output_file out(path);
        out.write(s.code);
        out.commit();
    } catch (const simtlm::support::user_error& e) {
        gpus().log().result_lost(e.what());
    }
}

module& session::module_of(library& l, unsigned d) {
    const std::lock_guard<std::mutex> lock(l.mutex);
    read(l);
    l.modules.resize(std::max<std::size_t>(l.modules.size(), gpus().devices()));
    auto& m = l.modules[d];
    if (!m) {
        auto fresh = std::make_unique<module>();
        fresh->device = d;
        fresh->code = gpus().load(l.source);
        m = std::move(fresh);
        const std::lock_guard<std::mutex> mine(mutex_);
        for (const library::managed_variable& v : l.managed)
            if (*v.host == nullptr || d == 0)
                *v.host = reinterpret_cast<void*>(m->code->find_variable(v.name).first);
    }
    return *m;
}

module* session::load_module(const void* code, const std::string& name, unsigned d) {
    device::module_source source = module_in(code, config().architecture(), config().code, name);
    auto m = std::make_unique<module>();
    m->device = d;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        save_ptx(source);
    }
    m->code = gpus().load(source);
    module* const raw = m.get();
    const std::lock_guard<std::mutex> lock(mutex_);
    modules_[raw] = std::move(m);
    return raw;
}

void session::unload_module(module* m) {
    std::unique_ptr<module> gone;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = modules_.find(m);
    if (at == modules_.end()) throw failure(status::invalid_handle, "not a module");
    for (auto& [name, f] : m->functions) functions_.erase(f.get());
    gone = std::move(at->second);
    modules_.erase(at);
}

function* session::function_in(module* m, const std::string& name) {
    require_module(m);
    function* const f = m->find(name);
    if (f == nullptr)
        throw failure(status::not_found, fmt::format("the module has no kernel {}", name));
    const std::lock_guard<std::mutex> lock(mutex_);
    functions_.insert(f);
    return f;
}

std::pair<std::uint64_t, std::uint64_t> session::variable_in(module* m, const std::string& name) {
    require_module(m);
    const auto found = m->code->find_variable(name);
    if (found.first == 0)
        throw failure(status::not_found, fmt::format("the module has no variable {}", name));
    return found;
}

kernel* session::kernel_in(library& l, const std::string& name) {
    registry& r = registered();
    const std::lock_guard<std::mutex> lock(r.mutex);
    auto& k = l.kernels[name];
    if (!k) {
        k = std::make_unique<kernel>();
        k->owner = &l;
        k->name = name;
        r.kernels.insert(k.get());
    }
    return k.get();
}

void session::register_kernel(library* l, const void* host, const std::string& name) {
    kernel* const k = kernel_in(*l, name);
    registry& r = registered();
    const std::lock_guard<std::mutex> lock(r.mutex);
    r.by_host[host] = k;
}

void session::register_symbol(const void* host, registered_symbol s) {
    registry& r = registered();
    const std::lock_guard<std::mutex> lock(r.mutex);
    r.symbols[host] = std::move(s);
}

kernel* session::kernel_of(const void* host) {
    registry& r = registered();
    const std::lock_guard<std::mutex> lock(r.mutex);
    const auto at = r.by_host.find(host);
    if (at != r.by_host.end()) return at->second;
    if (r.kernels.count(host) != 0) return static_cast<kernel*>(const_cast<void*>(host));
    return nullptr;
}

function* session::function_of(const void* handle, unsigned d) {
    kernel* const k = kernel_of(handle);
    if (k == nullptr) {
        // A function of a module, as returned by the driver API.
        auto* const f = static_cast<function*>(const_cast<void*>(handle));
        const std::lock_guard<std::mutex> lock(mutex_);
        if (f != nullptr && functions_.count(f) != 0) return f;
        throw failure(status::invalid_device_function, "not a kernel");
    }
    function* const f = module_of(*k->owner, d).find(k->name);
    if (f == nullptr)
        throw failure(status::invalid_device_function,
                      fmt::format("{} has no kernel {}", k->owner->name, k->name));
    const std::lock_guard<std::mutex> lock(mutex_);
    functions_.insert(f);
    return f;
}

registered_symbol session::symbol(const void* host) {
    registry& r = registered();
    const std::lock_guard<std::mutex> lock(r.mutex);
    const auto at = r.symbols.find(host);
    if (at == r.symbols.end()) throw failure(status::invalid_symbol, "not a variable of a GPU");
    return at->second;
}

std::pair<std::uint64_t, std::uint64_t> session::variable(const void* host) {
    const registered_symbol s = symbol(host);
    const auto found = module_of(*s.owner, current_device()).code->find_variable(s.name);
    if (found.first == 0)
        throw failure(status::invalid_symbol,
                      fmt::format("{} has no variable {}", s.owner->name, s.name));
    return found;
}

std::uint64_t session::reference_handle(const void* host) {
    return variable(host).first;
}

// ---- handles ----

device::stream& session::stream(void* handle) {
    thread_state& t = thread();
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    if (number == 2 || (number == 0 && t.per_thread_default)) {
        device::stream*& own = t.own_stream[t.device];
        if (own == nullptr) own = work().create_stream(t.device, true, 0, 0);
        return *own;
    }
    if (number <= 1) return work().legacy(t.device);
    auto* const s = static_cast<device::stream*>(handle);
    if (!work().knows(s)) throw failure(status::invalid_handle, "not a stream");
    return *s;
}

device::stream* session::create_stream(bool blocking, int priority, unsigned flags) {
    return work().create_stream(current_device(), blocking, std::clamp(priority, -5, 0), flags);
}

device::event* session::create_event(unsigned flags) {
    auto e = std::make_unique<device::event>();
    e->device = current_device();
    e->flags = flags;
    device::event* const raw = e.get();
    const std::lock_guard<std::mutex> lock(mutex_);
    events_[raw] = std::move(e);
    return raw;
}

device::event& session::event(void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = events_.find(handle);
    if (at == events_.end()) throw failure(status::invalid_handle, "not an event");
    return *at->second;
}

void session::destroy_event(device::event* e) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (events_.erase(e) == 0) throw failure(status::invalid_handle, "not an event");
}

device::array& session::array(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = arrays_.find(handle);
    if (at == arrays_.end()) throw failure(status::invalid_handle, "not an array");
    return *at->second;
}

device::array* session::add_array(std::unique_ptr<device::array> a) {
    device::array* const raw = a.get();
    const std::lock_guard<std::mutex> lock(mutex_);
    arrays_[raw] = std::move(a);
    return raw;
}

void session::remove_array(device::array* a) {
    std::vector<device::array*> views = a->level_views;
    if (a->owns) gpus().free(a->address);
    const std::lock_guard<std::mutex> lock(mutex_);
    for (device::array* v : views) arrays_.erase(v);
    arrays_.erase(a);
}

bool session::knows(const context* c) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::any_of(contexts_.begin(), contexts_.end(),
                       [&](const auto& other) { return other.get() == c; });
}

context* session::add_context(unsigned d, unsigned flags) {
    auto c = std::make_unique<context>();
    c->device = d;
    c->flags = flags;
    const std::lock_guard<std::mutex> lock(mutex_);
    c->number = ++contexts_made_;
    contexts_.push_back(std::move(c));
    return contexts_.back().get();
}

context* session::current_context() {
    thread_state& t = thread();
    if (t.contexts.empty() && t.uses_runtime) t.contexts.push_back(primary_context(t.device));
    return t.contexts.empty() ? nullptr : t.contexts.back();
}

void session::remove_context(context* c) {
    if (knows(c) && !c->primary) c->storage.end(c);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = std::find_if(contexts_.begin(), contexts_.end(),
                                 [&](const auto& other) { return other.get() == c; });
    if (at == contexts_.end() || c->primary)
        throw failure(status::invalid_context, "not a context that can be destroyed");
    contexts_.erase(at);
}

void session::reset_device(unsigned d) {
    work().wait_all(d);
    primary_context(d)->storage.end(primary_context(d));
    {
        registry& r = registered();
        const std::lock_guard<std::mutex> lock(r.mutex);
        for (auto& l : r.libraries)
            if (d < l->modules.size()) l->modules[d].reset();
    }
    gpus().memory().release_all(d);
    work().clear_fault(d);
}

namespace {

/// Called at the end of the process, after the program's own code.
__attribute__((destructor)) void end_session() {
    the_session.end_of_process();
}

}  // namespace

}  // namespace simtlm::cuda
