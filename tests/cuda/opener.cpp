// SPDX-License-Identifier: Apache-2.0
// Opens libraries at run time, and prints how many GPUs each of them reports:
//   opener FILE...
// FILE is a CUDA driver or runtime, NVIDIA's management library, or a plugin (vendor_plugin.cpp).
// Of cuBLAS it prints the version.
#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>

namespace {

template <class F>
F* find(void* library, const char* name) {
    return reinterpret_cast<F*>(dlsym(library, name));
}

/// @return the error of the library; -1: it cannot be opened, -2: it has none of the functions
int count_devices(const char* file, int* count) {
    void* const library = dlopen(file, RTLD_NOW);
    if (library == nullptr) return -1;
    if (auto* const init = find<int(unsigned)>(library, "cuInit"))
        if (const int r = init(0); r != 0) return r;
    if (auto* const init = find<int()>(library, "nvmlInit_v2"))
        if (const int r = init(); r != 0) return r;
    for (const char* const name :
         {"cuDeviceGetCount", "cudaGetDeviceCount", "nvmlDeviceGetCount_v2", "count_devices"})
        if (auto* const get = find<int(int*)>(library, name)) return get(count);
    return -2;
}

/// @return whether the file is a cuBLAS that answers without a handle, as simtlm's own does
bool print_version_of_blas(const char* file) {
    void* const library = dlopen(file, RTLD_NOW);
    if (library == nullptr) return false;
    auto* const get = find<int(void*, int*)>(library, "cublasGetVersion_v2");
    int version = 0;
    if (get == nullptr || get(nullptr, &version) != 0) return false;
    std::printf("%s: cuBLAS %d\n", file, version);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (print_version_of_blas(argv[i])) continue;
        int count = 0;
        const int error = count_devices(argv[i], &count);
        std::printf("%s: error %d, %d GPUs\n", argv[i], error, count);
    }
}
