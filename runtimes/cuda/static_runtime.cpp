// SPDX-License-Identifier: Apache-2.0
// Programs that are statically linked with NVIDIA's runtime (nvcc's default, -cudart static) do not
// load libcudart. `simtlm run` preloads this library: before the code of the program runs, it finds
// the runtime's functions in the program's symbol table and overwrites the beginning of each with a
// jump to this project's implementation. A stripped program has no symbol table and is not changed.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// The file of the executable.
class mapped_executable {
public:
    mapped_executable() {
        const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        struct stat about;
        if (fstat(file, &about) == 0 && about.st_size > 0) {
            bytes_ = static_cast<std::size_t>(about.st_size);
            void* const p = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
            if (p != MAP_FAILED) data_ = static_cast<const char*>(p);
        }
        close(file);
    }
    ~mapped_executable() {
        if (data_ != nullptr) munmap(const_cast<char*>(data_), bytes_);
    }
    mapped_executable(const mapped_executable&) = delete;
    mapped_executable& operator=(const mapped_executable&) = delete;

    struct symbol {
        std::string name;
        std::uint64_t address;
        std::uint64_t bytes;
    };

    /// Functions whose names begin with a prefix of CUDA.
    std::vector<symbol> cuda_functions() const {
        std::vector<symbol> found;
        if (data_ == nullptr || bytes_ < sizeof(Elf64_Ehdr) ||
            std::memcmp(data_, ELFMAG, SELFMAG) != 0)
            return found;
        const auto* const header = at<Elf64_Ehdr>(0);
        if (!inside(header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr)))
            return found;
        const auto* const sections = at<Elf64_Shdr>(header->e_shoff);
        for (unsigned i = 0; i < header->e_shnum; ++i) {
            if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum ||
                !inside(sections[i].sh_offset, sections[i].sh_size))
                continue;
            const Elf64_Shdr& names = sections[sections[i].sh_link];
            if (!inside(names.sh_offset, names.sh_size)) continue;
            const auto* const all = at<Elf64_Sym>(sections[i].sh_offset);
            for (std::size_t n = 0; n < sections[i].sh_size / sizeof(Elf64_Sym); ++n) {
                const Elf64_Sym& s = all[n];
                if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_value == 0 ||
                    s.st_name >= names.sh_size)
                    continue;
                const char* const name = data_ + names.sh_offset + s.st_name;
                if (std::strncmp(name, "cuda", 4) == 0 || std::strncmp(name, "__cuda", 6) == 0)
                    found.push_back({name, s.st_value, s.st_size});
            }
        }
        return found;
    }
    bool is_movable() const { return at<Elf64_Ehdr>(0)->e_type == ET_DYN; }

private:
    template <class T>
    const T* at(std::uint64_t offset) const {
        return reinterpret_cast<const T*>(data_ + offset);
    }
    bool inside(std::uint64_t offset, std::uint64_t bytes) const {
        return offset <= bytes_ && bytes <= bytes_ - offset;
    }

    const char* data_ = nullptr;
    std::size_t bytes_ = 0;
};

std::uintptr_t load_address() {
    std::uintptr_t base = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            *static_cast<std::uintptr_t*>(to) = info->dlpi_addr;
            return 1;  // the executable is the first entry
        },
        &base);
    return base;
}

/// Size of jmp *0(%rip) followed by the target address.
constexpr std::size_t jump_bytes = 14;

bool write_jump(std::uintptr_t at, const void* to) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = at & ~(page - 1);
    const std::uintptr_t end = (at + jump_bytes + page - 1) & ~(page - 1);
    if (mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_WRITE | PROT_EXEC) !=
        0)
        return false;
    const unsigned char jump[6] = {0xff, 0x25, 0, 0, 0, 0};
    std::memcpy(reinterpret_cast<void*>(at), jump, sizeof jump);
    std::memcpy(reinterpret_cast<void*>(at + sizeof jump), &to, sizeof to);
    mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_EXEC);
    return true;
}

std::string own_folder() {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0) return {};
    const std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/') + 1);
}

/// The library that implements the interface of the runtime in the program.
const char* library_for(const std::vector<mapped_executable::symbol>& functions) {
    const auto has = [&](const char* name) {
        return std::any_of(functions.begin(), functions.end(),
                           [&](const auto& s) { return s.name == name; });
    };
    if (has("cudaGetDeviceProperties_v2")) return "libcudart.so.12";
    if (has("cudaMemGetDefaultMemPool") || has("__cudaGetKernel")) return "libcudart.so.13";
    return "libcudart.so.11.0";
}

void redirect(const mapped_executable& program,
              const std::vector<mapped_executable::symbol>& functions) {
    const std::string path = own_folder() + library_for(functions);
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        std::fprintf(stderr, "simtlm: %s\n", dlerror());
        std::_Exit(2);
    }
    const std::uintptr_t base = program.is_movable() ? load_address() : 0;
    for (const auto& f : functions) {
        const void* const ours = f.bytes >= jump_bytes ? dlsym(library, f.name.c_str()) : nullptr;
        if (ours != nullptr && !write_jump(base + f.address, ours)) {
            std::fprintf(stderr, "simtlm: the program's CUDA runtime cannot be replaced: %s\n",
                         std::strerror(errno));
            std::_Exit(2);
        }
    }
}

/// Runs before the program's own constructors, which register its code.
__attribute__((constructor)) void begin() {
    const mapped_executable program;
    const auto functions = program.cuda_functions();
    const bool carries_runtime = std::any_of(functions.begin(), functions.end(), [](const auto& f) {
        return f.name == "__cudaRegisterFatBinary";
    });
    if (carries_runtime) redirect(program, functions);
}

}  // namespace
