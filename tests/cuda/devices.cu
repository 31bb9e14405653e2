// SPDX-License-Identifier: Apache-2.0
// Two GPUs, copies between them, and the time of the links. Run with --gpus 2 and
// --pcie-bandwidth 1 --pcie-latency 10 --nvlink-bandwidth 2; the argument "timed" selects timing
// mode.
#include "cuda_subset.h"

#include <cstring>

__global__ void fill(int* p, int value) {
    p[threadIdx.x] = value + threadIdx.x;
}
__global__ void add(int* to, const int* from) {
    to[threadIdx.x] += from[threadIdx.x];
}

/// Duration of a copy of 64 KiB in milliseconds.
static float time_of(void* to, const void* from, int kind) {
    cudaEvent_t begin, end;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(begin, nullptr));
    OK(cudaMemcpyAsync(to, from, 1 << 16, kind, nullptr));
    OK(cudaEventRecord(end, nullptr));
    OK(cudaEventSynchronize(end));
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, begin, end));
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
    return ms;
}

int main(int argc, char** argv) {
    int count = 0, can = 0, current = -1;
    OK(cudaGetDeviceCount(&count));
    CHECK(count == 2);
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    int* p[2];
    for (int d = 0; d < 2; ++d) {
        OK(cudaSetDevice(d));
        OK(cudaMalloc(reinterpret_cast<void**>(&p[d]), 1 << 20));
        fill<<<1, 32>>>(p[d], d * 1000);
        OK(cudaDeviceSynchronize());
    }
    cudaPointerAttributes about;
    OK(cudaPointerGetAttributes(&about, p[1]));
    CHECK(about.device == 1);
    OK(cudaSetDevice(0));
    OK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == 704);
    cudaGetLastError();
    add<<<1, 32>>>(p[0], p[1]);
    int back[32];
    OK(cudaMemcpy(back, p[0], sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) CHECK(back[i] == 1000 + 2 * i);
    OK(cudaMemcpyPeer(p[1], 1, p[0], 0, sizeof back));
    OK(cudaSetDevice(1));
    OK(cudaGetDevice(&current));
    CHECK(current == 1);
    add<<<1, 32>>>(p[1], p[1]);
    OK(cudaMemcpy(back, p[1], sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) CHECK(back[i] == 2000 + 4 * i);

    void* host = nullptr;
    OK(cudaMallocHost(&host, 1 << 20));
    const float in = time_of(p[1], host, cudaMemcpyHostToDevice);
    const float out = time_of(host, p[1], cudaMemcpyDeviceToHost);
    const float across = time_of(p[1], p[0], cudaMemcpyDeviceToDevice);
    if (argc > 1 && std::strcmp(argv[1], "timed") == 0) {
        // 1 GB/s and 10 us; 2 GB/s between GPUs.
        CHECK(in > 0.0755f && in < 0.0765f);
        CHECK(out > 0.0755f && out < 0.0765f);
        CHECK(across > 0.0327f && across < 0.0337f);
    }
    std::puts("devices: passed");
}
