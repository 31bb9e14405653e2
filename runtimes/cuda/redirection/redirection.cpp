// SPDX-License-Identifier: Apache-2.0
// Redirects every copy of NVIDIA's runtime and driver in a process to this project's libraries.
// `simtlm run` preloads this library. Before any other code of the process runs, and whenever
// objects have been loaded later but their constructors, which register code for GPUs, have not yet
// run, it looks for copies (vendor_entry_points.h) and overwrites the beginning of each entry point
// with a jump. This project's libraries are loaded by the first call.
#include "runtimes/cuda/redirection/own_folder.h"
#include "runtimes/cuda/redirection/vendor_entry_points.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::cuda {
namespace {

/// Where the calls of one entry point go; read by the code in stubs.S.
struct target {
    const void* function;  ///< initially code that calls simtlm_find_target()
    const char* library;
    const char* name;
};

}  // namespace
}  // namespace simtlm::cuda

extern "C" {
/// Calls simtlm_find_target() with the target in r11, then jumps to its result.
__attribute__((visibility("hidden"))) extern const char simtlm_first_call[];
__attribute__((visibility("hidden"))) const void* simtlm_find_target(simtlm::cuda::target* t) {
    const std::string path = simtlm::cuda::own_folder() + t->library;
    void* const library = dlopen(path.c_str(), RTLD_NOW);
    const void* const function = library != nullptr ? dlsym(library, t->name) : nullptr;
    if (function == nullptr) {
        std::fprintf(stderr, "simtlm: %s\n", dlerror());
        std::_Exit(2);
    }
    __atomic_store_n(&t->function, function, __ATOMIC_RELEASE);
    return function;
}
}

namespace simtlm::cuda {
namespace {

/// jmp *0(%rip), followed by the target address.
constexpr unsigned char far_jump[] = {0xff, 0x25, 0, 0, 0, 0};
constexpr std::size_t far_jump_bytes = sizeof far_jump + sizeof(std::uintptr_t);
/// mov $target,%r11; jmp *(%r11)
constexpr std::size_t stub_bytes = 16;

std::uintptr_t page_bytes() {
    return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
}

bool protect(std::uintptr_t at, std::size_t bytes, int how) {
    const std::uintptr_t first = at & ~(page_bytes() - 1);
    const std::uintptr_t end = (at + bytes + page_bytes() - 1) & ~(page_bytes() - 1);
    return mprotect(reinterpret_cast<void*>(first), end - first, how) == 0;
}

/// Writes a jump over the beginning of a function.
bool write_jump(std::uintptr_t at, const void* to) {
    if (!protect(at, far_jump_bytes, PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
    std::memcpy(reinterpret_cast<void*>(at), far_jump, sizeof far_jump);
    std::memcpy(reinterpret_cast<void*>(at + sizeof far_jump), &to, sizeof to);
    return protect(at, far_jump_bytes, PROT_READ | PROT_EXEC);
}

template <class T>
T* allocate(std::size_t count) {
    void* const p = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p != MAP_FAILED ? static_cast<T*>(p) : nullptr;
}

/// Redirects the entry points of one object; they remain redirected until it is unloaded.
bool redirect(const vendor_entry_points& found) {
    const std::size_t count = found.functions.size();
    auto* const targets = allocate<target>(count);
    auto* const stubs = allocate<unsigned char>(count * stub_bytes);
    if (targets == nullptr || stubs == nullptr) return false;
    for (std::size_t i = 0; i < count; ++i) {
        targets[i] = {simtlm_first_call, found.library, found.functions[i].name};
        const target* const t = &targets[i];
        unsigned char* const stub = stubs + i * stub_bytes;
        constexpr unsigned char load[] = {0x49, 0xbb}, jump[] = {0x41, 0xff, 0x23};
        std::memcpy(stub, load, sizeof load);
        std::memcpy(stub + sizeof load, &t, sizeof t);
        std::memcpy(stub + sizeof load + sizeof t, jump, sizeof jump);
    }
    if (mprotect(stubs, count * stub_bytes, PROT_READ | PROT_EXEC) != 0) return false;
    for (std::size_t i = 0; i < count; ++i)
        if (found.functions[i].room >= far_jump_bytes &&
            !write_jump(found.functions[i].address, stubs + i * stub_bytes))
            return false;
    return true;
}

/// The objects of the process that have been searched.
class searched_objects {
public:
    /// Searches the objects that are new since the last call.
    void update() {
        std::vector<std::pair<std::uintptr_t, std::string>> present;
        for (const link_map* m = _r_debug.r_map; m != nullptr; m = m->l_next) {
            const char* const file = m == _r_debug.r_map ? "/proc/self/exe" : m->l_name;
            present.emplace_back(m->l_addr, file);
            if (std::find(before_.begin(), before_.end(), present.back()) == before_.end())
                search(file, m->l_addr);
        }
        before_.swap(present);
    }

private:
    static void search(const char* file, std::uintptr_t base) {
        if (std::strncmp(file, own_folder().c_str(), own_folder().size()) == 0) return;
        const elf_object object(file, base);
        const vendor_entry_points found = find_vendor_entry_points(object);
        if (found.library != nullptr && !redirect(found)) {
            std::fprintf(stderr, "simtlm: NVIDIA's library in %s cannot be replaced: %s\n", file,
                         std::strerror(errno));
            std::_Exit(2);
        }
    }

    std::vector<std::pair<std::uintptr_t, std::string>> before_;
};

searched_objects* searched = nullptr;

/// Called by the dynamic loader in place of its function for debuggers, which is empty: when
/// objects are about to be added or removed, and again when all of them are in memory, before they
/// are relocated.
void loader_state_changed() {
    const int error = errno;
    if (_r_debug.r_state == r_debug::RT_CONSISTENT) searched->update();
    errno = error;
}

/// Whether the loader's function for debuggers consists of a return, with space up to the next one.
bool is_empty_function(std::uintptr_t at) {
    constexpr unsigned char branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const auto* code = reinterpret_cast<const unsigned char*>(at);
    if (std::memcmp(code, branch_target, sizeof branch_target) == 0) code += sizeof branch_target;
    constexpr unsigned char return_instruction = 0xc3;
    return at % 16 == 0 && *code == return_instruction;
}

/// Marked as DF_1_INITFIRST: runs before all other constructors of the process.
__attribute__((constructor)) void begin() {
    searched = new searched_objects;
    searched->update();
    if (is_empty_function(_r_debug.r_brk))
        write_jump(_r_debug.r_brk, reinterpret_cast<const void*>(&loader_state_changed));
}

}  // namespace
}  // namespace simtlm::cuda
