// SPDX-License-Identifier: Apache-2.0
// cuLink* with machine code: cubins, libraries, fat binaries, and PTX with cubins. The linked code
// must leave the same memory as the PTX of the whole program.
#include "driver_subset.h"

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

extern "C" int cuLinkAddFile_v2(void*, int, const char*, unsigned, const int*, void**);
extern "C" int cuModuleGetGlobal_v2(std::uint64_t*, std::size_t*, void*, const char*);

namespace {

constexpr int cubin = 0, ptx = 1, fat_binary = 2, object = 3, library = 4;
constexpr unsigned lanes = 32;
using words = std::array<unsigned, 2 * lanes>;

std::string folder;

std::string path_of(const std::string& name) {
    return folder + "/" + name;
}
std::string contents(const std::string& name) {
    std::ifstream in(path_of(name), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    CHECK(!text.str().empty());
    return text.str();
}

/// A linker whose errors are logged.
struct linker {
    char errors[2000];
    int options[2] = {5, 6};
    void* values[2];
    void* state = nullptr;

    linker() {
        std::memset(errors, 'x', sizeof errors);
        values[0] = errors;
        values[1] = reinterpret_cast<void*>(sizeof errors);
        CHECK(cuLinkCreate_v2(2, options, values, &state) == 0);
    }
    ~linker() { CHECK(cuLinkDestroy(state) == 0); }
    linker(const linker&) = delete;
    linker& operator=(const linker&) = delete;

    int add(int type, std::string bytes, const char* name) {
        values[1] = reinterpret_cast<void*>(sizeof errors);
        return cuLinkAddData_v2(state, type, bytes.data(), bytes.size(), name, 0, nullptr, nullptr);
    }
    int complete(void** module) {
        values[1] = reinterpret_cast<void*>(sizeof errors);
        void* image = nullptr;
        std::size_t bytes = 0;
        const int r = cuLinkComplete(state, &image, &bytes);
        if (r == 0) CHECK(bytes > 100 && cuModuleLoadData(module, image) == 0);
        return r;
    }
    bool logged(const char* text) const { return std::strstr(errors, text) != nullptr; }
};

words run(void* module, const char* name, unsigned shared) {
    void* function = nullptr;
    CHECK(cuModuleGetFunction(&function, module, name) == 0);
    std::uint64_t a = 0, o = 0;
    std::vector<unsigned> given(2 * lanes);
    for (unsigned i = 0; i < given.size(); ++i) given[i] = (i * 2654435761u) >> 7;
    words found{};
    CHECK(cuMemAlloc_v2(&a, sizeof found) == 0 && cuMemAlloc_v2(&o, sizeof found) == 0);
    CHECK(cuMemcpyHtoD_v2(a, given.data(), sizeof found) == 0);
    CHECK(cuMemsetD32_v2(o, 0, found.size()) == 0);
    int n = 3;
    void* parameters[] = {&a, &o, &n};
    CHECK(cuLaunchKernel(function, 1, 1, 1, lanes, 1, 1, shared, nullptr, parameters, nullptr) ==
          0);
    CHECK(cuMemcpyDtoH_v2(found.data(), o, sizeof found) == 0);
    CHECK(cuMemFree_v2(a) == 0 && cuMemFree_v2(o) == 0);
    return found;
}

struct results {
    words parts, dynamic;
    bool operator==(const results& r) const { return parts == r.parts && dynamic == r.dynamic; }
};
results results_of(void* module) {
    return {run(module, "parts", 0), run(module, "dynamic_parts", lanes * sizeof(unsigned))};
}

template <class T>
void append(std::string& to, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof bytes);
}

/// A fat binary with one cubin, not compressed.
std::string packed(const std::string& code, unsigned architecture) {
    std::string entry;
    append<std::uint16_t>(entry, 2);
    append<std::uint16_t>(entry, 0x101);
    append<std::uint32_t>(entry, 64);
    append<std::uint64_t>(entry, code.size());
    append<std::uint32_t>(entry, 0);
    append<std::uint64_t>(entry, 0);
    append<std::uint32_t>(entry, architecture);
    entry.resize(64);
    std::string all;
    append<std::uint32_t>(all, 0xba55ed50);
    append<std::uint16_t>(all, 1);
    append<std::uint16_t>(all, 16);
    append<std::uint64_t>(all, entry.size() + code.size());
    return all + entry + code;
}

/// A library of files.
std::string archive(const std::vector<std::string>& members) {
    std::string all = "!<arch>\n";
    for (std::size_t i = 0; i < members.size(); ++i) {
        std::string header = "member" + std::to_string(i) + ".o/";
        header.resize(48, ' ');
        header += std::to_string(members[i].size());
        header.resize(58, ' ');
        all += header + "`\n" + members[i];
        if (all.size() % 2 != 0) all += '\n';
    }
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    CHECK(argc > 1);
    folder = argv[1];
    void* context = nullptr;
    CHECK(cuInit(0) == 0 && cuDevicePrimaryCtxRetain(&context, 0) == 0);
    CHECK(cuCtxSetCurrent(context) == 0);
    const std::string kernels = contents("parts_kernels.sm_90.cubin");
    const std::string functions = contents("parts_functions.sm_90.cubin");

    void* module = nullptr;
    CHECK(cuModuleLoadData(&module, contents("parts.ptx").c_str()) == 0);
    const results expected = results_of(module);
    {
        linker l;
        CHECK(l.add(cubin, kernels, "kernels") == 0 && l.add(cubin, functions, "functions") == 0);
        CHECK(l.complete(&module) == 0 && l.errors[0] == 0);
        CHECK(results_of(module) == expected);
        std::uint64_t address = 0;
        std::size_t bytes = 0;
        CHECK(cuModuleGetGlobal_v2(&address, &bytes, module, "numbers") == 0 && bytes == 36);
        CHECK(cuModuleGetGlobal_v2(&address, &bytes, module, "factors") == 0 && bytes == 32);
    }
    {
        // Of a library, members that are needed: not the second one, which has the same symbols.
        linker l;
        CHECK(cuLinkAddFile_v2(l.state, cubin, path_of("parts_kernels.sm_90.cubin").c_str(), 0,
                               nullptr, nullptr) == 0);
        CHECK(l.add(library, archive({functions, functions, kernels}), "library.a") == 0);
        CHECK(l.complete(&module) == 0 && results_of(module) == expected);
    }
    {
        linker l;
        CHECK(l.add(fat_binary, packed(functions, 90), "functions") == 0);
        CHECK(l.add(cubin, kernels, "kernels") == 0);
        CHECK(l.complete(&module) == 0 && results_of(module) == expected);
    }
    {
        // PTX and a cubin: by the toolkit's library, if there is one.
        linker l;
        CHECK(l.add(cubin, kernels, "kernels") == 0);
        CHECK(l.add(ptx, contents("parts_functions.ptx"), "functions") == 0);
        const int r = l.complete(&module);
        CHECK(r == 801 ? l.logged("libnvJitLink") : r == 0 && results_of(module) == expected);
    }
    {
        linker l;
        CHECK(l.add(cubin, kernels, "kernels") == 0 && l.complete(&module) == 300);
        CHECK(l.logged("error   : Undefined reference to 'numbers' in 'kernels'\n"));
        CHECK(!l.logged("vprintf"));
    }
    {
        linker l;
        CHECK(l.add(cubin, functions, "first") == 0 && l.add(cubin, functions, "second") == 300);
        CHECK(
            l.logged("error   : Multiple definition of 'counter' in 'second', first defined in "
                     "'first'\n"));
        CHECK(!l.logged("weak_sum_of"));
    }
    {
        linker l;
        CHECK(l.add(cubin, contents("parts_functions.sm_75.cubin"), "older") == 209);
        CHECK(l.logged("Input file 'older' arch does not match target 'sm_90'"));
        CHECK(l.add(cubin, "no cubin, but a text", "text") == 200 && l.logged("no cubin"));
        CHECK(l.add(object, "no object, but a text", "text") == 200);
        CHECK(l.add(5, "bitcode", "bitcode") == 801);
        CHECK(l.add(cubin, kernels.substr(0, kernels.size() / 2), "half") == 200);
    }
    std::puts("driver_linking: passed");
    return 0;
}
