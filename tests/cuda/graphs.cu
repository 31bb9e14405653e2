// SPDX-License-Identifier: Apache-2.0
// Graphs: captured, built node by node, modified, launched repeatedly.
#include "cuda_subset.h"

__global__ void add(int* data, int n, int what) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += what;
}

int main() {
    constexpr int n = 128;
    int* data = nullptr;
    int host[n] = {};
    OK(cudaMalloc(reinterpret_cast<void**>(&data), sizeof host));
    OK(cudaMemset(data, 0, sizeof host));
    cudaStream_t a, b;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    cudaEvent_t fork, join;
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));

    OK(cudaStreamBeginCapture(a, 0));
    add<<<1, n, 0, a>>>(data, n, 1);
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    add<<<1, n, 0, b>>>(data, n, 10);
    OK(cudaEventRecord(join, b));
    OK(cudaStreamWaitEvent(a, join, 0));
    add<<<1, n, 0, a>>>(data, n, 100);
    cudaGraph_t captured;
    OK(cudaStreamEndCapture(a, &captured));
    std::size_t count = 0;
    OK(cudaGraphGetNodes(captured, nullptr, &count));
    CHECK(count == 3);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, captured, 0));
    for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(exec, a));
    OK(cudaStreamSynchronize(a));
    OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (const int v : host) CHECK(v == 333);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(captured));

    cudaGraph_t built;
    OK(cudaGraphCreate(&built, 0));
    int what = 5, size = n;
    void* arguments[] = {&data, &size, &what};
    cudaKernelNodeParams p{reinterpret_cast<void*>(&add), dim3(1), dim3(n), 0, arguments, nullptr};
    cudaGraphNode_t kernel, copy;
    OK(cudaGraphAddKernelNode(&kernel, built, nullptr, 0, &p));
    OK(cudaGraphAddMemcpyNode1D(&copy, built, &kernel, 1, host, data, sizeof host,
                                cudaMemcpyDeviceToHost));
    OK(cudaGraphInstantiate(&exec, built, 0));
    OK(cudaGraphLaunch(exec, a));
    OK(cudaStreamSynchronize(a));
    for (const int v : host) CHECK(v == 338);
    what = 1000;
    OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &p));
    OK(cudaGraphLaunch(exec, a));
    OK(cudaStreamSynchronize(a));
    for (const int v : host) CHECK(v == 1338);
    CHECK(cudaStreamEndCapture(a, &captured) == 401);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(built));
    // Memory allocated by a graph has the same address in every launch, and no other allocation
    // shares it.
    OK(cudaStreamBeginCapture(a, 0));
    int* own = nullptr;
    OK(cudaMallocAsync(reinterpret_cast<void**>(&own), sizeof host, a));
    OK(cudaMemsetAsync(own, 0, sizeof host, a));
    add<<<1, n, 0, a>>>(own, n, 7);
    OK(cudaMemcpyAsync(data, own, sizeof host, cudaMemcpyDeviceToDevice, a));
    OK(cudaFreeAsync(own, a));
    OK(cudaStreamEndCapture(a, &captured));
    OK(cudaGraphInstantiate(&exec, captured, 0));
    OK(cudaGraphDestroy(captured));
    const auto graph_memory = [] {
        unsigned long long used = 0;
        OK(cudaDeviceGetGraphMemAttribute(0, 0, &used));
        return used;
    };
    int* others[3] = {};
    for (int*& other : others) {
        OK(cudaMalloc(reinterpret_cast<void**>(&other), sizeof host));
        OK(cudaMemset(other, 1, sizeof host));
        CHECK(other != own);
        OK(cudaMemset(data, 0, sizeof host));
        OK(cudaGraphLaunch(exec, a));
        OK(cudaStreamSynchronize(a));
        OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
        for (const int v : host) CHECK(v == 7);
        OK(cudaMemcpy(host, other, sizeof host, cudaMemcpyDeviceToHost));
        for (const int v : host) CHECK(v == 0x01010101);
        CHECK(graph_memory() == 0);
    }
    OK(cudaGraphExecDestroy(exec));

    // Memory that the graph has not freed is freed by others, and allocated again by its next
    // launch.
    OK(cudaStreamBeginCapture(a, 0));
    OK(cudaMallocAsync(reinterpret_cast<void**>(&own), sizeof host, a));
    OK(cudaMemsetAsync(own, 0, sizeof host, a));
    OK(cudaStreamEndCapture(a, &captured));
    OK(cudaGraphInstantiate(&exec, captured, 0));
    OK(cudaGraphDestroy(captured));
    for (int launch = 0; launch < 4; ++launch) {
        OK(cudaGraphLaunch(exec, a));
        add<<<1, n, 0, a>>>(own, n, 9);
        OK(cudaMemcpyAsync(data, own, sizeof host, cudaMemcpyDeviceToDevice, a));
        if (launch % 2 == 0) {
            OK(cudaFreeAsync(own, a));
        } else {
            OK(cudaStreamSynchronize(a));
            CHECK(graph_memory() == sizeof host);
            OK(cudaFree(own));
            CHECK(cudaFree(own) == 1 && cudaGetLastError() == 1);
        }
        OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
        for (const int v : host) CHECK(v == 9);
        OK(cudaStreamSynchronize(a));
        CHECK(graph_memory() == 0);
    }
    OK(cudaGraphLaunch(exec, a));
    OK(cudaStreamSynchronize(a));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaFree(own));  // outlives its graph
    CHECK(cudaFree(own) == 1 && cudaGetLastError() == 1);

    std::puts("graphs: passed");
}
