// SPDX-License-Identifier: Apache-2.0
// Opens libraries at run time, and prints how many GPUs each of them reports:
//   opener FILE...
// FILE is a CUDA driver or runtime, NVIDIA's management library, or a plugin (vendor_plugin.cpp).
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

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        int count = 0;
        const int error = count_devices(argv[i], &count);
        std::printf("%s: error %d, %d GPUs\n", argv[i], error, count);
    }
}
