// SPDX-License-Identifier: Apache-2.0
// All kinds of memory, copies and fills.
#include "cuda_subset.h"

#include <vector>

__device__ int variable[4];
__constant__ int factor;

__global__ void scale(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] * factor + variable[i % 4];
}

static void launch(int* data, int n) {
    scale<<<(n + 63) / 64, 64>>>(data, n);
    OK(cudaGetLastError());
}

int main() {
    constexpr int n = 1000;
    const int three = 3, offsets[4] = {1, 2, 3, 4};
    OK(cudaMemcpyToSymbol(static_cast<const void*>(&factor), &three, sizeof three, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbol(static_cast<const void*>(variable), offsets, sizeof offsets, 0, cudaMemcpyHostToDevice));
    int back[4] = {};
    OK(cudaMemcpyFromSymbol(back, static_cast<const void*>(variable), 8, 8, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 3 && back[1] == 4);
    CHECK(cudaMemcpyToSymbol(static_cast<const void*>(variable), offsets, 16, 4, cudaMemcpyHostToDevice) == 1);
    CHECK(cudaGetLastError() == 1);

    std::vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = i;
    const auto expect = [&](const int* p) {
        for (int i = 0; i < n; ++i) CHECK(p[i] == i * 3 + offsets[i % 4]);
    };
    const auto fill = [&](int* p) {
        for (int i = 0; i < n; ++i) p[i] = i;
    };

    int* device = nullptr;
    OK(cudaMalloc(reinterpret_cast<void**>(&device), n * sizeof(int)));
    OK(cudaMemcpy(device, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    launch(device, n);
    std::vector<int> result(n);
    OK(cudaMemcpy(result.data(), device, n * sizeof(int), cudaMemcpyDefault));
    expect(result.data());

    int* managed = nullptr;
    OK(cudaMallocManaged(reinterpret_cast<void**>(&managed), n * sizeof(int), 1));
    fill(managed);
    launch(managed, n);
    OK(cudaDeviceSynchronize());
    expect(managed);

    int* pinned = nullptr;
    OK(cudaHostAlloc(reinterpret_cast<void**>(&pinned), n * sizeof(int), 2));
    fill(pinned);
    launch(pinned, n);
    OK(cudaDeviceSynchronize());
    expect(pinned);

    fill(host.data());
    OK(cudaHostRegister(host.data(), n * sizeof(int), 0));
    launch(host.data(), n);
    OK(cudaDeviceSynchronize());
    expect(host.data());
    CHECK(cudaHostRegister(host.data(), n * sizeof(int), 0) == 712);
    OK(cudaHostUnregister(host.data()));
    CHECK(cudaHostUnregister(host.data()) == 713);

    cudaPointerAttributes a{};
    OK(cudaPointerGetAttributes(&a, device + 5));
    CHECK(a.type == 2 && a.device == 0);
    OK(cudaPointerGetAttributes(&a, managed));
    CHECK(a.type == 3);
    OK(cudaPointerGetAttributes(&a, pinned));
    CHECK(a.type == 1);
    OK(cudaPointerGetAttributes(&a, &three));
    CHECK(a.type == 0);

    char* pitched = nullptr;
    std::size_t pitch = 0;
    OK(cudaMallocPitch(reinterpret_cast<void**>(&pitched), &pitch, 100, 7));
    CHECK(pitch >= 100);
    OK(cudaMemset2D(pitched, pitch, 0x5a, 100, 7));
    std::vector<char> picture(100 * 7);
    OK(cudaMemcpy2D(picture.data(), 100, pitched, pitch, 100, 7, cudaMemcpyDeviceToHost));
    for (const char c : picture) CHECK(c == 0x5a);

    std::size_t before = 0, after = 0, total = 0;
    OK(cudaMemGetInfo(&before, &total));
    void* large = nullptr;
    OK(cudaMalloc(&large, 64 << 20));
    OK(cudaMemGetInfo(&after, &total));
    CHECK(before - after == 64 << 20);
    OK(cudaFree(large));
    CHECK(cudaFree(large) == 1);
    CHECK(cudaMalloc(&large, total + 1) == 2);

    void* pooled = nullptr;
    OK(cudaMallocAsync(&pooled, 4096, nullptr));
    OK(cudaMemsetAsync(pooled, 1, 4096, nullptr));
    OK(cudaFreeAsync(pooled, nullptr));
    OK(cudaDeviceSynchronize());

    OK(cudaFree(device));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(pitched));
    std::puts("memory: passed");
}
