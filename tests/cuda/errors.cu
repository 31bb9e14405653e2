// SPDX-License-Identifier: Apache-2.0
// Errors: what is refused at once, what sticks, what is not there.
#include "cuda_subset.h"

#include <cstring>

__global__ void write(int* p, int value) {
    *p = value;
}

int main() {
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

    write<<<1, 1>>>(p, 42);
    OK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    CHECK(host == 42);

    // An access outside of all allocations is told at the next call that waits, and sticks.
    write<<<1, 1>>>(p + 100000000, 1);
    CHECK(cudaDeviceSynchronize() == 700);
    CHECK(cudaMalloc(reinterpret_cast<void**>(&p), 4) == 700);
    CHECK(cudaGetLastError() == 700);
    std::puts("errors: passed");
}
