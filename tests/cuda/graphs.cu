// SPDX-License-Identifier: Apache-2.0
// Graphs: captured, built node by node, changed, launched again.
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
    CHECK(cudaStreamEndCapture(a, &captured) == 1);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(built));
    std::puts("graphs: passed");
}
