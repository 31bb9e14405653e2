// SPDX-License-Identifier: Apache-2.0
// Launches, attributes of kernels and devices, textures.
#include "cuda_subset.h"

__global__ void sums(const int* from, int* to) {
    extern __shared__ int part[];
    part[threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) to[blockIdx.x] = part[0];
}

__global__ void fetch(unsigned long long texture, float* to, int width) {
    const int x = threadIdx.x, y = blockIdx.x;
    float r, g, b, a;
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                 : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
                 : "l"(texture), "f"(x + 0.5f), "f"(y + 0.5f));
    to[y * width + x] = r;
}

int main() {
    int devices = 0, sms = 0, device = -1;
    OK(cudaGetDeviceCount(&devices));
    CHECK(devices >= 1);
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    OK(cudaDeviceGetAttribute(&sms, 16, 0));
    CHECK(sms > 0);

    constexpr int blocks = 4, threads = 64;
    int host[blocks * threads], result[blocks];
    for (int i = 0; i < blocks * threads; ++i) host[i] = i;
    int *from = nullptr, *to = nullptr;
    OK(cudaMalloc(reinterpret_cast<void**>(&from), sizeof host));
    OK(cudaMalloc(reinterpret_cast<void**>(&to), sizeof result));
    OK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    const auto check = [&] {
        OK(cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost));
        for (int b = 0; b < blocks; ++b)
            CHECK(result[b] == threads * (2 * b * threads + threads - 1) / 2);
    };
    sums<<<blocks, threads, threads * sizeof(int)>>>(from, to);
    check();
    OK(cudaMemset(to, 0, sizeof result));
    void* arguments[] = {&from, &to};
    OK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&sums), blocks, threads,
                                   arguments, threads * sizeof(int), nullptr));
    check();

    cudaFuncAttributes a{};
    OK(cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(&sums)));
    CHECK(a.numRegs > 0 && a.maxThreadsPerBlock > 0);
    int resident = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, reinterpret_cast<const void*>(&sums), threads, 256));
    CHECK(resident > 0);

    constexpr int width = 8, height = 4;
    float picture[height][width];
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) picture[y][x] = 10.0f * y + x;
    const cudaChannelFormatDesc format{32, 0, 0, 0, 2};
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, width, height, 0));
    OK(cudaMemcpy2DToArray(array, 0, 0, picture, sizeof picture[0], sizeof picture[0], height,
                           cudaMemcpyHostToDevice));
    resource_desc resource{};
    resource.array = array;
    texture_desc how{};
    how.address[0] = how.address[1] = 1;
    unsigned long long texture = 0;
    OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    float* out = nullptr;
    OK(cudaMalloc(reinterpret_cast<void**>(&out), sizeof picture));
    fetch<<<height, width>>>(texture, out, width);
    float back[height][width];
    OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) CHECK(back[y][x] == picture[y][x]);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(array));
    std::puts("launches: passed");
}
