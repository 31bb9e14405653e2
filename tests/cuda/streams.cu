// SPDX-License-Identifier: Apache-2.0
// Streams, events, callbacks, and several host threads.
#include "cuda_subset.h"

#include <atomic>
#include <thread>
#include <vector>

__global__ void add(int* data, int n, int what, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; i < n && r < rounds; ++r) data[i] += what;
}

static void count(void* p) {
    ++*static_cast<std::atomic<int>*>(p);
}
static void count_callback(cudaStream_t, cudaError_t e, void* p) {
    if (e == 0) ++*static_cast<std::atomic<int>*>(p);
}

static void work_of_a_thread(int number) {
    constexpr int n = 256;
    cudaStream_t s;
    OK(cudaStreamCreateWithFlags(&s, 1));
    int* data = nullptr;
    OK(cudaMalloc(reinterpret_cast<void**>(&data), n * sizeof(int)));
    OK(cudaMemsetAsync(data, 0, n * sizeof(int), s));
    for (int i = 0; i < 5; ++i) add<<<2, 128, 0, s>>>(data, n, number, 3);
    std::vector<int> result(n);
    OK(cudaMemcpyAsync(result.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    for (const int v : result) CHECK(v == 15 * number);
    OK(cudaFree(data));
    OK(cudaStreamDestroy(s));
}

int main() {
    constexpr int n = 512;
    int* data = nullptr;
    OK(cudaMalloc(reinterpret_cast<void**>(&data), n * sizeof(int)));
    OK(cudaMemset(data, 0, n * sizeof(int)));

    cudaStream_t a, b;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    cudaEvent_t begin, middle, end;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&middle));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(begin, a));
    add<<<4, 128, 0, a>>>(data, n, 1, 50);
    OK(cudaEventRecord(middle, a));
    OK(cudaStreamWaitEvent(b, middle, 0));
    add<<<4, 128, 0, b>>>(data, n, 2, 50);
    OK(cudaEventRecord(end, b));
    std::atomic<int> called{0};
    OK(cudaLaunchHostFunc(b, count, &called));
    OK(cudaStreamAddCallback(b, count_callback, &called, 0));
    OK(cudaEventSynchronize(end));
    float first = 0, both = 0;
    OK(cudaEventElapsedTime(&first, begin, middle));
    OK(cudaEventElapsedTime(&both, begin, end));
    CHECK(first > 0 && both > first);
    OK(cudaStreamSynchronize(b));
    CHECK(called == 2);
    OK(cudaStreamQuery(b));
    // The legacy default stream waits for the others, and they wait for it.
    add<<<4, 128, 0, a>>>(data, n, 1, 1);
    add<<<4, 128>>>(data, n, 1, 1);
    add<<<4, 128, 0, b>>>(data, n, 1, 1);
    std::vector<int> result(n);
    OK(cudaMemcpy(result.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (const int v : result) CHECK(v == 153);
    // Polling eventually succeeds.
    add<<<4, 128, 0, a>>>(data, n, 1, 10);
    OK(cudaEventRecord(end, a));
    while (cudaEventQuery(end) == 600) {
    }
    CHECK(cudaEventQuery(end) == 0);
    OK(cudaGetLastError());  // "not ready" is not recorded as an error

    std::vector<std::thread> threads;
    for (int i = 1; i <= 4; ++i) threads.emplace_back(work_of_a_thread, i);
    for (std::thread& t : threads) t.join();

    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    CHECK(cudaStreamSynchronize(a) == 400);
    std::puts("streams: passed");
}
