// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/redirection/vendor_entry_points.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

namespace simtlm::cuda {

namespace {

/// A function that the replacing libraries export.
struct known_function {
    std::string_view name;
    unsigned libraries;  ///< as in entry_points.def
};

constexpr known_function functions[] = {
#define ENTRY(libraries, name) {#name, libraries},
#define ALIAS(libraries, name, function) {#name, libraries},
#define THREAD(libraries, name, function) {#name, libraries},
#define SHARED(libraries, name, function, called) {#name, libraries},
#define SHARED_THREAD(libraries, name, function, called) {#name, libraries},
#define MISSING(libraries, name) {#name, libraries},
#include "runtimes/cuda/abi/entry_points.def"
};

/// The functions of some libraries in sorted order. An array instead of a map, because it is built
/// in every process.
class known_functions {
public:
    explicit known_functions(unsigned libraries) {
        std::copy_if(std::begin(functions), std::end(functions), std::back_inserter(sorted_),
                     [&](const known_function& f) { return (f.libraries & libraries) != 0; });
        std::sort(sorted_.begin(), sorted_.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
    }
    const known_function* find(std::string_view name) const {
        const auto at =
            std::lower_bound(sorted_.begin(), sorted_.end(), name,
                             [](const auto& f, std::string_view n) { return f.name < n; });
        return at != sorted_.end() && at->name == name ? &*at : nullptr;
    }

private:
    std::vector<known_function> sorted_;
};

/// Bytes from the beginning of a function to that of the next one, including padding.
std::uint64_t room_of(std::uintptr_t function, std::uint64_t bytes,
                      const std::vector<std::uintptr_t>& starts) {
    const auto next = std::upper_bound(starts.begin(), starts.end(), function);
    const bool listed = next != starts.begin() && *(next - 1) == function;
    return listed && next != starts.end() ? std::max<std::uint64_t>(*next - function, bytes)
                                          : bytes;
}

/// Entry points by symbol table. @param anchor  a function that every copy contains
vendor_entry_points by_symbols(const elf_object& object, const char* anchor,
                               const known_functions& known) {
    vendor_entry_points found;
    const std::vector<elf_object::symbol> symbols = object.functions(anchor);
    if (symbols.empty()) return found;
    const std::vector<std::uintptr_t> starts = object.function_starts();
    for (const elf_object::symbol& s : symbols)
        if (const known_function* const k = known.find(s.name); k != nullptr)
            found.functions.push_back(
                {k->name.data(), s.address, room_of(s.address, s.bytes, starts)});
    return found;
}

bool has(const vendor_entry_points& found, std::string_view name) {
    return std::any_of(found.functions.begin(), found.functions.end(),
                       [&](const auto& f) { return f.name == name; });
}

const char* file_of(unsigned library) {
    return std::find_if(std::begin(libraries), std::end(libraries),
                        [&](const replacing_library& l) { return l.bit == library; })
        ->file;
}

/// The library with the interface of the CUDA version of a copy of the runtime.
unsigned runtime_of(const vendor_entry_points& found) {
    constexpr unsigned cuda_11 = 1, cuda_12 = 2, cuda_13 = 4;
    if (has(found, "cudaGetDeviceProperties_v2")) return cuda_12;
    return has(found, "cudaMemGetDefaultMemPool") || has(found, "__cudaGetKernel") ? cuda_13
                                                                                   : cuda_11;
}

// ---- stripped objects ----

template <class T>
T at(std::uintptr_t address) {
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
}

/// Calls `visit(instruction, target)` for each instruction of the code that loads the address of a
/// constant: lea register,[rip + offset], or with fixed addresses mov register,address.
template <class Visit>
void for_each_reference(const std::vector<elf_object::range>& code, Visit visit) {
    constexpr std::size_t longest = 7;
    for (const elf_object::range& r : code) {
        if (r.end - r.begin < longest) continue;
        for (std::uintptr_t i = r.begin; i <= r.end - longest; ++i) {
            const auto first = at<std::uint8_t>(i), second = at<std::uint8_t>(i + 1);
            if ((first & 0xfb) == 0x48 && second == 0x8d && (at<std::uint8_t>(i + 2) & 0xc7) == 5)
                visit(i,
                      i + 7 + static_cast<std::uintptr_t>(std::intptr_t{at<std::int32_t>(i + 3)}));
            else if ((first & 0xf8) == 0xb8)
                visit(i, std::uintptr_t{at<std::uint32_t>(i + 1)});
        }
    }
}

/// The strings in an object's constants that are names of functions of the runtime, by address.
std::vector<std::pair<std::uintptr_t, const known_function*>> names_in(
    const std::vector<elf_object::range>& constants, const known_functions& known) {
    std::vector<std::pair<std::uintptr_t, const known_function*>> names;
    for (const elf_object::range& r : constants) {
        const std::string_view all(reinterpret_cast<const char*>(r.begin), r.end - r.begin);
        for (std::size_t i = all.find("cuda"); i != all.npos; i = all.find("cuda", i + 1)) {
            std::size_t first = i;
            while (first > 0 && all[first - 1] == '_') --first;
            const std::size_t end = all.find('\0', i);
            if (first == 0 || all[first - 1] != '\0' || end == all.npos) continue;
            if (const known_function* const k = known.find(all.substr(first, end - first)))
                names.emplace_back(r.begin + first, k);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// The functions that a program calls with the address of a descriptor of fat binaries.
std::vector<std::uintptr_t> called_with_binaries(const std::vector<elf_object::range>& code,
                                                 elf_object::range descriptors) {
    constexpr std::uintptr_t descriptor_bytes = 24, reach = 24, call_bytes = 5;
    std::vector<std::uintptr_t> functions;
    for_each_reference(code, [&](std::uintptr_t instruction, std::uintptr_t target) {
        if (!descriptors.contains(target) || (target - descriptors.begin) % descriptor_bytes != 0)
            return;
        for (std::uintptr_t i = instruction + call_bytes; i < instruction + reach; ++i) {
            if (at<std::uint8_t>(i) != 0xe8) continue;
            const std::uintptr_t callee =
                i + call_bytes +
                static_cast<std::uintptr_t>(std::intptr_t{at<std::int32_t>(i + 1)});
            if (std::any_of(code.begin(), code.end(),
                            [&](const auto& r) { return r.contains(callee); })) {
                functions.push_back(callee);
                return;
            }
        }
    });
    return functions;
}

/// Functions that the code generated by nvcc calls, in the order of the runtime of CUDA 12 and 13.
/// They do not refer to their names, except for __cudaInitModule.
constexpr const char* generated_calls[] = {
    "__cudaRegisterFatBinary",   "__cudaRegisterFatBinaryEnd", "__cudaUnregisterFatBinary",
    "__cudaRegisterVar",         "__cudaRegisterManagedVar",   "__cudaRegisterHostVar",
    "__cudaRegisterFunction",    "__cudaInitModule",           "__cudaPushCallConfiguration",
    "__cudaPopCallConfiguration"};
constexpr std::size_t init_module = 7;
constexpr const char* generated_calls_13[] = {"__cudaGetKernel", "__cudaLaunchKernel",
                                              "__cudaLaunchKernel_ptsz"};

/// Libraries of the CUDA toolkit, which contain a runtime and are stripped.
bool is_of_toolkit(std::string_view soname) {
    for (const std::string_view name :
         {"libcublas", "libcudnn", "libcufft", "libcurand", "libcusolver", "libcusparse", "libnpp",
          "libnvjpeg", "libcudss", "libcutensor", "libcusparseLt"})
        if (soname.substr(0, name.size()) == name) return true;
    return false;
}

/// Entry points of a stripped object. All or none: a copy of which only a part was replaced would
/// initialise itself when the rest is called.
vendor_entry_points by_names(const elf_object& object, const known_functions& known) {
    const elf_object::range descriptors = object.section(".nvFatBinSegment");
    if (descriptors.begin == descriptors.end || is_of_toolkit(object.soname())) return {};
    const auto names = names_in(object.constants(), known);
    const std::vector<std::uintptr_t> starts = object.function_starts();
    if (names.empty() || starts.empty()) return {};
    const std::vector<elf_object::range> code = object.code();

    // Which function refers to which name.
    struct reference {
        std::uintptr_t name;
        std::size_t function;  ///< index in starts
        const known_function* what;
        bool operator<(const reference& o) const {
            return std::tie(name, function) < std::tie(o.name, o.function);
        }
    };
    std::vector<reference> references;
    for_each_reference(code, [&](std::uintptr_t instruction, std::uintptr_t target) {
        const auto name = std::lower_bound(
            names.begin(), names.end(), target,
            [](const auto& n, std::uintptr_t address) { return n.first < address; });
        if (name == names.end() || name->first != target) return;
        const auto next = std::upper_bound(starts.begin(), starts.end(), instruction);
        if (next != starts.begin())
            references.push_back(
                {target, static_cast<std::size_t>(next - 1 - starts.begin()), name->second});
    });
    std::sort(references.begin(), references.end());

    // The registration of code is the beginning of the runtime. Functions before it belong to the
    // program, which may use these names, too.
    const auto registrations = called_with_binaries(code, descriptors);
    const auto anchor = std::find_if(references.begin(), references.end(), [&](const auto& r) {
        return r.what->name == generated_calls[init_module] && r.function >= init_module &&
               std::count(registrations.begin(), registrations.end(),
                          starts[r.function - init_module]) != 0;
    });
    if (anchor == references.end()) return {};
    const std::size_t init_module_at = anchor->function;
    std::size_t index = init_module_at - init_module;
    if (starts.size() - index < std::size(generated_calls) + std::size(generated_calls_13))
        return {};

    vendor_entry_points found;
    const auto add = [&](const char* name, std::size_t i) {
        const std::uintptr_t end = i + 1 < starts.size() ? starts[i + 1] : starts[i];
        found.functions.push_back({name, starts[i], end - starts[i]});
    };
    references.erase(std::remove_if(references.begin(), references.end(),
                                    [&](const auto& r) { return r.function < index; }),
                     references.end());
    for (auto r = references.begin(); r != references.end();) {
        const auto next = std::find_if(r, references.end(),
                                       [&](const reference& o) { return o.name != r->name; });
        if (r->function == (next - 1)->function && r->function != init_module_at)
            add(r->what->name.data(), r->function);
        r = next;
    }
    for (const char* const name : generated_calls) add(name, index++);
    const unsigned library = runtime_of(found);
    found.library = file_of(library);
    if (library == libraries[2].bit)  // CUDA 13
        for (const char* const name : generated_calls_13) add(name, index++);
    return found;
}

}  // namespace

vendor_entry_points find_vendor_entry_points(const elf_object& object) {
    const known_functions runtime(runtime_libraries);
    vendor_entry_points found = by_symbols(object, "__cudaRegisterFatBinary", runtime);
    if (!found.functions.empty()) {
        found.library = file_of(runtime_of(found));
        return found;
    }
    constexpr std::pair<unsigned, const char*> anchors[] = {{driver_library, "cuGetProcAddress"},
                                                            {management_library, "nvmlInit_v2"}};
    for (const auto& [library, anchor] : anchors) {
        found = by_symbols(object, anchor, known_functions(library));
        if (found.functions.empty()) continue;
        found.library = file_of(library);
        return found;
    }
    return by_names(object, runtime);
}

}  // namespace simtlm::cuda
