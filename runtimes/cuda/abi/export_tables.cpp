// SPDX-License-Identifier: Apache-2.0
// The undocumented part of the driver interface: tables of functions identified by UUID. NVIDIA's
// runtime requires them, whether it is linked into the program (nvcc -cudart static) or into one of
// NVIDIA's libraries. The meaning of the slots was published by the ZLUDA project and others.
#include "runtimes/cuda/abi/export_tables.h"

#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/abi/integrity_check.h"
#include "runtimes/cuda/device/device.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

using namespace simtlm::cuda;

extern "C" const any_function simtlm_rt_cuCtxGetCurrent, simtlm_rt_cuCtxGetId;

namespace {

using slot = const void*;

enum class table {
    runtime_interface,
    runtime_callbacks,
    tools_thread,
    tools_context,
    tools_module,
    matmul,
    context_storage,
    context_checks,
    integrity,
    count
};

constexpr const char* name_of_table(table t) {
    constexpr const char* names[] = {"CUDART_INTERFACE",
                                     "TOOLS_RUNTIME_CALLBACK_HOOKS",
                                     "TOOLS_TLS",
                                     "TOOLS_CONTEXT",
                                     "TOOLS_MODULE",
                                     "1734DC26",
                                     "CONTEXT_LOCAL_STORAGE",
                                     "CONTEXT_CHECKS",
                                     "INTEGRITY_CHECK"};
    static_assert(std::size(names) == static_cast<std::size_t>(table::count));
    return names[static_cast<std::size_t>(t)];
}

result refuse_slot(table t, std::size_t number) {
    // Never destroyed: the timeline keeps pointers to the names.
    static std::mutex mutex;
    static auto& names = *new std::map<std::pair<table, std::size_t>, std::string>;
    const char* name = nullptr;
    {
        const std::lock_guard lock(mutex);
        std::string& text = names[{t, number}];
        if (text.empty())
            text = "slot " + std::to_string(number) + " of export table " + name_of_table(t);
        name = text.c_str();
    }
    return driver_call(name,
                       [](session&) { refuse(status::not_supported, "its purpose is unknown"); });
}
/// Function for a slot of unknown meaning.
template <table Table, std::size_t Slot>
result unknown_slot() {
    return refuse_slot(Table, Slot);
}

template <class F>
slot slot_of(F* function) {
    return reinterpret_cast<slot>(function);
}

/// A table whose slots are all unknown. `HasLength`: slot 0 is the table's length in bytes.
template <table Table, std::size_t Slots, bool HasLength = true>
struct export_slots {
    slot slots[Slots];

    export_slots() { fill(std::make_index_sequence<Slots>()); }

private:
    template <std::size_t... Slot>
    void fill(std::index_sequence<Slot...>) {
        ((slots[Slot] = slot_of(&unknown_slot<Table, Slot>)), ...);
        if (HasLength) slots[0] = reinterpret_cast<slot>(sizeof slots);
    }
};

// ---- tables required by NVIDIA's runtime ----

result load_module(module** to, const void* wrapper) {
    return driver_call("cuModuleLoadData", [&](session& s) {
        require_pointer(to, wrapper);
        *to = s.modules.load(wrapper, "module", s.current_device());
    });
}
/// The last three arguments are null in all known runtimes.
result load_module_with_options(module** to, const void* wrapper, void*, void*, unsigned) {
    return load_module(to, wrapper);
}
result load_fat_binary(const void* header, module** to, void*, void*, unsigned) {
    return load_module(to, header);
}
result get_primary_context(context** to, int device) {
    return driver_call("CUDART_INTERFACE", [&](session& s) {
        require_pointer(to);
        check_device(s, device);
        *to = s.contexts.primary(static_cast<unsigned>(device));
    });
}
void runtime_ends(std::uint64_t) {}
/// There are no separate PTX compilers to load.
result load_compilers() {
    return 0;
}

/// Flags by which profilers request callbacks; none are set. The size in 32-bit words is the one
/// that the runtime expects.
template <std::size_t Words>
void get_flags(void** to, std::size_t* words) {
    static std::uint32_t flags[Words + 1];
    *to = flags;
    *words = Words;
}

// ---- contexts ----

result put_in_context(context* c, void* key, void* value, void (*at_end)(context*, void*, void*)) {
    return driver_call("CONTEXT_LOCAL_STORAGE", [&](session& s) {
        s.contexts.get_or_current(c).storage.set(key, {value, at_end});
    });
}
result remove_from_context(context* c, void* key) {
    return driver_call("CONTEXT_LOCAL_STORAGE",
                       [&](session& s) { s.contexts.get_or_current(c).storage.erase(key); });
}
/// A missing value is not a failure; it is reported at the first use of every library.
result get_from_context(void** to, context* c, void* key) {
    return call<library_kind::driver>(
        "CONTEXT_LOCAL_STORAGE", after_fault::allowed, [&](session& s) {
            require_pointer(to);
            if (c == nullptr && s.contexts.current() == nullptr) return status::invalid_context;
            const auto stored = s.contexts.get_or_current(c).storage.find(key);
            if (!stored) return status::invalid_handle;
            *to = stored->value;
            return status::success;
        });
}
result verify_context(context*, std::uint32_t* answer, const void**) {
    if (answer == nullptr) return driver_number(status::invalid_value);
    *answer = 0;
    return 0;
}
std::uint32_t check_driver() {
    return 0;
}
result get_device(context* c, int* to) {
    return driver_call("TOOLS_CONTEXT", [&](session& s) {
        require_pointer(to);
        *to = static_cast<int>(s.contexts.get_or_current(c).device);
    });
}
/// Resolves a stream handle in a context.
result resolve_stream(context*, void* handle, void** to, int per_thread) {
    return driver_call("TOOLS_CONTEXT", [&](session& s) {
        require_pointer(to);
        if (per_thread != 0) session::thread().per_thread_default = true;
        *to = &s.stream(handle);
    });
}
result get_stream_number(context*, const void* stream, std::uint64_t* to) {
    return driver_call("TOOLS_CONTEXT", [&](session& s) {
        require_pointer(to);
        *to = s.stream(const_cast<void*>(stream)).number;
    });
}

/// Calls `visit` for each kernel of a module. @return number of kernels
std::uint64_t for_each_function(context*, module* m, void (*visit)(void*, function*, std::uint64_t),
                                void* data) {
    std::uint64_t count = 0;
    driver_call("TOOLS_MODULE", [&](session& s) {
        require_pointer(m);
        for (const auto& k : m->code->image().kernels()) {
            visit(data, s.modules.function_in(m, k.name), 0);
            ++count;
        }
    });
    return count;
}

// ---- integrity check between runtime and driver ----

result check_integrity(unsigned version, std::uint64_t seconds, digest* to);

struct all_tables {
    export_slots<table::runtime_interface, 13> runtime_interface;
    export_slots<table::runtime_callbacks, 7> runtime_callbacks;
    export_slots<table::tools_thread, 4> tools_thread;
    export_slots<table::tools_context, 93> tools_context;
    export_slots<table::tools_module, 64> tools_module;
    /// cuBLASLt of CUDA 13 requires this table on Hopper, but works without its answers.
    export_slots<table::matmul, 64> matmul;
    export_slots<table::context_storage, 4, false> context_storage;
    export_slots<table::context_checks, 4> context_checks;
    export_slots<table::integrity, 3> integrity;

    all_tables() {
        slot* s = runtime_interface.slots;
        s[1] = slot_of(&load_module);
        s[2] = slot_of(&get_primary_context);
        s[6] = slot_of(&load_module_with_options);
        s[7] = slot_of(&runtime_ends);
        s[8] = slot_of(&load_fat_binary);
        s[12] = slot_of(&load_compilers);
        s = runtime_callbacks.slots;
        s[2] = slot_of(&get_flags<1024>);
        s[6] = slot_of(&get_flags<14>);
        tools_thread.slots[2] = slot_of(simtlm_rt_cuCtxGetCurrent);
        s = tools_context.slots;
        s[3] = slot_of(&get_device);
        s[4] = slot_of(simtlm_rt_cuCtxGetId);
        s[39] = slot_of(&get_stream_number);
        s[51] = slot_of(&resolve_stream);
        tools_module.slots[7] = slot_of(&for_each_function);
        s = context_storage.slots;
        s[0] = slot_of(&put_in_context);
        s[1] = slot_of(&remove_from_context);
        s[2] = slot_of(&get_from_context);
        context_checks.slots[2] = slot_of(&verify_context);
        context_checks.slots[3] = slot_of(&check_driver);
        integrity.slots[1] = slot_of(&check_integrity);
    }
};

const all_tables& tables() {
    static const all_tables all;
    return all;
}

result check_integrity(unsigned version, std::uint64_t seconds, digest* to) {
    return driver_call("INTEGRITY_CHECK", [&](session& s) {
        require_pointer(to);
        constexpr const char* variable = "SIMTLM_INTEGRITY_KEY";
        const char* const text = std::getenv(variable);
        if (text == nullptr)
            throw failure(status::not_supported,
                          std::string("NVIDIA's library requires the driver's key, which simtlm "
                                      "does not include: provide it in ") +
                              variable + " (docs/cuda.md, NVIDIA's libraries)");
        const std::optional<digest> key = read_integrity_key(text);
        if (!key.has_value())
            throw failure(status::not_supported,
                          std::string(variable) + " is not 32 hexadecimal digits");
        integrity_question q;
        q.driver_version = runtime_version;
        q.runtime_version = version;
        q.process = static_cast<unsigned>(::getpid());
        q.thread = static_cast<unsigned>(::pthread_self());
        q.runtime_table = tables().runtime_interface.slots;
        q.check_table = tables().integrity.slots;
        q.check_function = tables().integrity.slots[1];
        q.seconds = seconds;
        for (unsigned d = 0; d < s.gpus().devices(); ++d) {
            const device_properties p = properties_of(s, static_cast<int>(d));
            integrity_question::gpu g{};
            std::memcpy(g.uuid.data(), p.id.bytes, g.uuid.size());
            g.pci_domain = p.pci_domain;
            g.pci_bus = p.pci_bus;
            g.pci_device = p.pci_device;
            q.gpus.push_back(g);
        }
        *to = integrity_answer(q, *key);
    });
}

}  // namespace

namespace simtlm::cuda {

const void* export_table(const uuid& which) {
    struct entry {
        const char* id;  ///< the bytes of the UUID
        const slot* slots;
    };
    const all_tables& all = tables();
    const entry entries[] = {
        {"\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9",
         all.runtime_interface.slots},
        {"\xa0\x94\x79\x8c\x2e\x74\x2e\x74\x93\xf2\x08\x00\x20\x0c\x0a\x66",
         all.runtime_callbacks.slots},
        {"\x42\xd8\x5a\x81\x23\xf6\xcb\x47\x82\x98\xf6\xe7\x8a\x3a\xec\xdc",
         all.tools_thread.slots},
        {"\x21\x31\x8c\x60\x97\x14\x32\x48\x8c\xa6\x41\xff\x73\x24\xc8\xf2",
         all.tools_context.slots},
        {"\x6e\x16\x3f\xbe\xb9\x58\x44\x4d\x83\x5c\xe1\x82\xaf\xf1\x99\x1e",
         all.tools_module.slots},
        {"\x17\x34\xdc\x26\x80\x0d\x47\x45\x87\x26\xc0\xf1\xe7\xdd\x8b\xca", all.matmul.slots},
        {"\xc6\x93\x33\x6e\x11\x21\xdf\x11\xa8\xc3\x68\xf3\x55\xd8\x95\x93",
         all.context_storage.slots},
        {"\x26\x3e\x88\x60\x7c\xd2\x61\x43\x92\xf6\xbb\xd5\x00\x6d\xfa\x7e",
         all.context_checks.slots},
        {"\xd4\x08\x20\x55\xbd\xe6\x70\x4b\x8d\x34\xba\x12\x3c\x66\xe1\xf2", all.integrity.slots},
    };
    for (const entry& e : entries)
        if (std::memcmp(e.id, which.bytes, sizeof which.bytes) == 0) return e.slots;
    return nullptr;
}

}  // namespace simtlm::cuda
