// SPDX-License-Identifier: Apache-2.0
// PTX produced by NVIDIA's run-time compiler from CUDA C++, through the driver API. The argument is
// the compiler's library; the PTX targets the present GPU, as programs request it.
#include "driver_subset.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static const char* const source = R"(
template <class T>
__device__ T halved_sum(const T* p, int n) {
    T sum = 0;
    for (int i = 0; i < n; ++i) sum += p[i];
    return sum / 2;
}
extern "C" __global__ void sums(float* to, const float* from, int n) {
    __shared__ float rows[32];
    rows[threadIdx.x] = halved_sum(from + threadIdx.x * n, n);
    __syncthreads();
    to[threadIdx.x] = rows[31 - threadIdx.x];
}
)";

template <class F>
static F find(void* library, const char* name) {
    void* const f = dlsym(library, name);
    CHECK(f != nullptr);
    return reinterpret_cast<F>(f);
}

/// Compiles for compute capability 10 * major + minor.
/// @param as_ptx  request PTX; otherwise machine code, through the names that programs are linked
/// with
static std::vector<char> compiled(const char* compiler, int capability, bool as_ptx) {
    void* const opened = dlopen(compiler, RTLD_NOW | RTLD_GLOBAL);
    if (opened == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    CHECK(opened != nullptr);
    void* const library = as_ptx ? opened : RTLD_DEFAULT;
    const auto create =
        find<int (*)(void**, const char*, const char*, int, const char**, const char**)>(
            library, "nvrtcCreateProgram");
    const auto compile = find<int (*)(void*, int, const char**)>(library, "nvrtcCompileProgram");
    const auto size_of = find<int (*)(void*, std::size_t*)>(
        library, as_ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize");
    const auto text_of =
        find<int (*)(void*, char*)>(library, as_ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
    void* program = nullptr;
    CHECK(create(&program, source, "sums.cu", 0, nullptr, nullptr) == 0);
    const std::string target = std::string(as_ptx ? "--gpu-architecture=compute_" : "-arch=sm_") +
                               std::to_string(capability);
    const char* options[] = {target.c_str()};
    CHECK(compile(program, 1, options) == 0);
    std::size_t bytes = 0;
    CHECK(size_of(program, &bytes) == 0);
    std::vector<char> text(bytes);
    CHECK(text_of(program, text.data()) == 0);
    return text;
}

int main(int argc, char** argv) {
    CHECK(argc >= 2);
    int major = 0, minor = 0;
    void *context = nullptr, *module = nullptr, *sums = nullptr;
    CHECK(cuInit(0) == 0);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
    CHECK(cuDeviceGetAttribute(&major, 75, 0) == 0 && cuDeviceGetAttribute(&minor, 76, 0) == 0);
    const std::vector<char> ptx = compiled(argv[1], 10 * major + minor, true);
    // The result is not machine code but the same PTX.
    CHECK(compiled(argv[1], 10 * major + minor, false) == ptx);
    CHECK(cuModuleLoadDataEx(&module, ptx.data(), 0, nullptr, nullptr) == 0);
    CHECK(cuModuleGetFunction(&sums, module, "sums") == 0);
    constexpr int n = 8;
    std::vector<float> from(32 * n), back(32);
    for (int i = 0; i < 32 * n; ++i) from[static_cast<std::size_t>(i)] = static_cast<float>(i / n);
    std::uint64_t in = 0, out = 0;
    CHECK(cuMemAlloc_v2(&in, from.size() * 4) == 0 && cuMemAlloc_v2(&out, back.size() * 4) == 0);
    CHECK(cuMemcpyHtoD_v2(in, from.data(), from.size() * 4) == 0);
    int count = n;
    void* arguments[] = {&out, &in, &count};
    CHECK(cuLaunchKernel(sums, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == 0);
    CHECK(cuMemcpyDtoH_v2(back.data(), out, back.size() * 4) == 0);
    for (int i = 0; i < 32; ++i)
        CHECK(back[static_cast<std::size_t>(i)] == static_cast<float>((31 - i) * n) / 2);
    std::puts("nvrtc: passed");
}
