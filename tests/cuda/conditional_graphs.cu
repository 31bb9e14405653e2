// SPDX-License-Identifier: Apache-2.0
// Conditional nodes of graphs, generic node creation, captures into a graph.
#include "cuda_subset.h"

#include <cstring>

typedef unsigned long long handle_t;
extern "C" __device__ void cudaGraphSetConditional(handle_t handle, unsigned value);

/// cudaGraphNodeParams, as far as it is used here.
struct node_parameters {
    int type;
    int reserved[3];
    union {
        long long all[29];
        struct {
            const void* function;
            unsigned grid[3], block[3], shared;
            void** arguments;
            void** extra;
        } kernel;
        cudaGraph_t child;
        struct {
            handle_t handle;
            int type;
            unsigned size;
            cudaGraph_t* graphs;
        } conditional;
    };
    long long reserved_2;
};
enum { kernel_node = 0, child_node = 4, conditional_node = 13 };
enum { if_else, loop, choice };

extern "C" {
cudaError_t cudaGraphAddNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, const void*,
                             size_t, node_parameters*);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t, node_parameters*);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, node_parameters*);
cudaError_t cudaGraphConditionalHandleCreate(handle_t*, cudaGraph_t, unsigned, unsigned);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t, cudaGraph_t, const cudaGraphNode_t*,
                                          const void*, size_t, int);
}

__global__ void add(int* to, int value) {
    *to += value;
}
__global__ void set(handle_t handle, const int* value) {
    cudaGraphSetConditional(handle, *value);
}
__global__ void count_to(handle_t handle, int* value, int end) {
    *value += 1;
    cudaGraphSetConditional(handle, *value < end);
}

static cudaGraphNode_t node(cudaGraph_t g, const void* kernel, void** arguments,
                            cudaGraphNode_t after = nullptr) {
    node_parameters p;
    std::memset(&p, 0, sizeof p);
    p.type = kernel_node;
    p.kernel = {kernel, {1, 1, 1}, {1, 1, 1}, 0, arguments, nullptr};
    cudaGraphNode_t n;
    OK(cudaGraphAddNode(&n, g, &after, nullptr, after != nullptr ? 1 : 0, &p));
    return n;
}

static cudaGraphNode_t conditional(cudaGraph_t g, handle_t handle, int type, unsigned size,
                                   cudaGraphNode_t after, cudaGraph_t* bodies) {
    node_parameters p;
    std::memset(&p, 0, sizeof p);
    p.type = conditional_node;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaGraphNode_t n;
    OK(cudaGraphAddNode(&n, g, &after, nullptr, after != nullptr ? 1 : 0, &p));
    for (unsigned i = 0; i < size; ++i) bodies[i] = p.conditional.graphs[i];
    return n;
}

int main() {
    // Condition, sum of if, counter, sum of the loop, selector, sum of the choice.
    int* v = nullptr;
    OK(cudaMallocManaged(reinterpret_cast<void**>(&v), 8 * sizeof(int), 1));
    for (int i = 0; i < 8; ++i) v[i] = 0;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaGraph_t g, bodies[3];
    OK(cudaGraphCreate(&g, 0));

    handle_t chosen, again, which;
    OK(cudaGraphConditionalHandleCreate(&chosen, g, 0, 0));
    OK(cudaGraphConditionalHandleCreate(&again, g, 1, 1));
    OK(cudaGraphConditionalHandleCreate(&which, g, 0, 0));

    int *p0 = v, *p1 = v + 1, *p2 = v + 2, *p3 = v + 3, *p4 = v + 4, *p5 = v + 5;
    void* set_if[] = {&chosen, &p0};
    cudaGraphNode_t last = node(g, reinterpret_cast<const void*>(&set), set_if);
    last = conditional(g, chosen, if_else, 2, last, bodies);
    int one = 1, thousand = 1000;
    void *add_one[] = {&p1, &one}, *add_thousand[] = {&p1, &thousand};
    node(bodies[0], reinterpret_cast<const void*>(&add), add_one);
    node(bodies[1], reinterpret_cast<const void*>(&add), add_thousand);

    // A loop with two kernels, the second of which is captured.
    last = conditional(g, again, loop, 1, last, bodies);
    int end = 5, ten = 10;
    void* counts[] = {&again, &p2, &end};
    cudaGraphNode_t in_loop = node(bodies[0], reinterpret_cast<const void*>(&count_to), counts);
    OK(cudaStreamBeginCaptureToGraph(stream, bodies[0], &in_loop, nullptr, 1, 2));
    add<<<1, 1, 0, stream>>>(p3, ten);
    OK(cudaStreamEndCapture(stream, nullptr));

    OK(cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, 2));
    cudaGraph_t captured;
    OK(cudaStreamEndCapture(stream, &captured));
    CHECK(captured == bodies[0]);

    void* set_which[] = {&which, &p4};
    last = node(g, reinterpret_cast<const void*>(&set), set_which, last);
    last = conditional(g, which, choice, 3, last, bodies);
    int values[] = {7, 70, 700};
    cudaGraphNode_t first_choice = nullptr;
    for (int i = 0; i < 3; ++i) {
        void* adds[] = {&p5, &values[i]};
        cudaGraphNode_t n = node(bodies[i], reinterpret_cast<const void*>(&add), adds);
        if (i == 0) first_choice = n;
    }
    int* p6 = v + 6;
    void* after_all[] = {&p6, &one};
    node(g, reinterpret_cast<const void*>(&add), after_all, last);

    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, g, 0));
    const auto run = [&](int condition, int choice_of) {
        v[0] = condition;
        v[4] = choice_of;
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaStreamSynchronize(stream));
    };
    run(0, 2);
    CHECK(v[1] == 1000 && v[2] == 5 && v[3] == 50 && v[5] == 700 && v[6] == 1);
    run(3, 0);  // the loop's body runs once: its value is 1 at every launch
    CHECK(v[1] == 1001 && v[2] == 6 && v[3] == 60 && v[5] == 707 && v[6] == 2);
    run(0, 3);  // there is no fourth graph
    CHECK(v[1] == 2001 && v[2] == 7 && v[5] == 707 && v[6] == 3);

    // A node of a graph inside a node of the executable graph.
    int eight = 8;
    void* other[] = {&p5, &eight};
    node_parameters p;
    std::memset(&p, 0, sizeof p);
    p.type = kernel_node;
    p.kernel = {reinterpret_cast<const void*>(&add), {1, 1, 1}, {1, 1, 1}, 0, other, nullptr};
    OK(cudaGraphExecNodeSetParams(exec, first_choice, &p));
    run(0, 0);
    CHECK(v[5] == 715);

    handle_t none = 0x1234;
    std::memset(&p, 0, sizeof p);
    p.type = conditional_node;
    p.conditional.handle = none;
    p.conditional.size = 1;
    cudaGraphNode_t n;
    CHECK(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p) == 1);
    p.conditional.handle = again;
    p.conditional.type = loop;
    p.conditional.size = 2;
    CHECK(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p) == 1);

    // Graphs inside a graph.
    cudaGraph_t parent;
    OK(cudaGraphCreate(&parent, 0));
    std::memset(&p, 0, sizeof p);
    p.type = child_node;
    p.child = g;
    OK(cudaGraphAddNode(&n, parent, nullptr, nullptr, 0, &p));
    OK(cudaGraphInstantiate(&exec, parent, 0));
    run(1, 1);
    CHECK(v[5] == 785 && v[6] == 5);
    std::puts("conditional_graphs: passed");
}
