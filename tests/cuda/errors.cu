// SPDX-License-Identifier: Apache-2.0
// Errors: immediate ones, sticky ones, and missing objects.
#include "cuda_subset.h"

#include <cstring>

__global__ void write(int* p, int value) {
    *p = value;
}

int main(int arguments, char** argument) {
    int* p = nullptr;
    OK(cudaMalloc(reinterpret_cast<void**>(&p), 4));
    CHECK(cudaMalloc(nullptr, 4) == 1);
    CHECK(cudaPeekAtLastError() == 1);
    CHECK(cudaGetLastError() == 1);
    CHECK(cudaGetLastError() == 0);
    CHECK(std::strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress") == 0);
    CHECK(std::strcmp(cudaGetErrorString(0), "no error") == 0);

    write<<<1, 2000>>>(p, 1);
    CHECK(cudaGetLastError() == 9);
    write<<<0, 32>>>(p, 1);
    CHECK(cudaGetLastError() == 9);
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(&std::puts), 1, 1, nullptr, 0, nullptr) ==
          98);
    cudaGetLastError();
    CHECK(cudaMemcpy(p, p, 4, 17) == 21);
    int host = 0;
    CHECK(cudaMemcpy(&host, p, 8, cudaMemcpyDeviceToHost) == 1);
    CHECK(cudaSetDevice(99) == 101);
    void* imported = nullptr;
    CHECK(cudaImportExternalMemory(&imported, nullptr) == 801);
    cudaGetLastError();

    // Sizes that exceed 64 bits or the available memory.
    const size_t all = ~static_cast<size_t>(0), half = all / 2 + 1;
    void* none = &host;
    size_t pitch = 7;
    CHECK(cudaMallocPitch(&none, &pitch, all, 1) == 2 && pitch == 7);
    CHECK(cudaMallocPitch(&none, &pitch, half, 2) == 2 && pitch == 7);
    CHECK(cudaMemset2D(p, half, 0, 1, 3) == 1);
    CHECK(cudaMemset2D(p, 0, 0, 4, all) == 1);
    CHECK(cudaMemset2D(p, 4, 0, 4, half) == 1);
    CHECK(cudaMemcpy2D(p, half, p, half, 1, 3, cudaMemcpyDeviceToDevice) == 1);
    CHECK(cudaDeviceSetLimit(0, static_cast<size_t>(1) << 40) == 1);
    CHECK(cudaMemcpyPeer(p, 0, p, 5, 4) == 101);
    CHECK(cudaMemcpyPeer(p, 5, p, 0, 4) == 101);
    cudaGetLastError();

    write<<<1, 1>>>(p, 42);
    OK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 42);

    // An access outside of all allocations is reported by the next synchronising call, and is
    // sticky.
    write<<<1, 1>>>(p + 100000000, 1);
    CHECK(cudaDeviceSynchronize() == 700);
    CHECK(cudaMalloc(reinterpret_cast<void**>(&p), 4) == 700);
    CHECK(cudaGetLastError() == 700);
    CHECK(cudaPeekAtLastError() == 700);
    CHECK(cudaGetLastError() == 700);

    // A reset clears the fault and frees everything; in timing mode, where the simulation has ended
    // with the fault, it fails, and so do all other calls.
    if (arguments > 1 && std::strcmp(argument[arguments - 1], "timed") == 0) {
        CHECK(cudaDeviceReset() == 700);
        CHECK(cudaMalloc(reinterpret_cast<void**>(&p), 4) == 700);
        CHECK(cudaPeekAtLastError() == 700);
        std::puts("errors: passed");
        return 0;
    }
    OK(cudaDeviceReset());
    CHECK(cudaPeekAtLastError() == 0);
    OK(cudaMalloc(reinterpret_cast<void**>(&p), 4));
    write<<<1, 1>>>(p, 43);
    OK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 43);
    std::puts("errors: passed");
}
