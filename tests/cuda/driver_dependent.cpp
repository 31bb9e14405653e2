// SPDX-License-Identifier: Apache-2.0
// The driver API: kernels that begin before the kernel before them in their stream has ended
// (programmatic dependent launch).
#include "driver_subset.h"

#include <cstring>
#include <initializer_list>

using address = std::uint64_t;

struct launch_attribute {
    int id;
    char padding[4];
    union {
        int value;
        void* event;
        char rest[64];
    };
};
struct launch_config {
    unsigned grid[3], block[3], shared;
    void* stream;
    launch_attribute* attributes;
    unsigned count;
};

// CUgraphEdgeData
struct edge {
    unsigned char from_port, to_port, type, reserved[5];
};

// CUDA_KERNEL_NODE_PARAMS_v2 and CUgraphNodeParams
struct kernel_node {
    void* function;
    unsigned grid[3], block[3], shared;
    void **values, **extra, *kernel, *context;
};
struct node_parameters {
    int kind, reserved[3];
    union {
        kernel_node kernel;
        char rest[232];
    };
    long long reserved2;
};
static_assert(sizeof(node_parameters) == 256);

extern "C" {
int cuGraphAddNode_v2(void**, void*, void* const*, const edge*, std::size_t, node_parameters*);
int cuGraphKernelNodeGetParams_v2(void*, kernel_node*);
int cuGraphDestroyNode(void*);
int cuLaunchKernelEx(const launch_config*, void*, void**, void**);
int cuGraphGetEdges_v2(void*, void**, void**, edge*, std::size_t*);
int cuGraphGetEdges(void*, void**, void**, std::size_t*);
int cuGraphAddDependencies_v2(void*, void* const*, void* const*, const edge*, std::size_t);
int cuGraphRemoveDependencies_v2(void*, void* const*, void* const*, const edge*, std::size_t);
int cuStreamUpdateCaptureDependencies_v2(void*, void**, const edge*, std::size_t, unsigned);
int cuStreamCreate(void**, unsigned);
int cuStreamSynchronize(void*);
int cuEventCreate(void**, unsigned);
int cuStreamWaitEvent(void*, void*, unsigned);
int cuStreamBeginCapture_v2(void*, int);
int cuStreamEndCapture(void*, void**);
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long);
int cuGraphLaunch(void*, void*);
int cuGraphExecDestroy(void*);
int cuGraphDestroy(void*);
int cuStreamGetCaptureInfo_v3(void*, int*, unsigned long long*, void**, void***, const edge**,
                              std::size_t*);
}

// Each kernel records when it begins, and when it has finished its work:
// primary optionally lets dependents begin at once, computes for a while and stores 42;
// secondary optionally waits, and stores the value that it reads.
static char kernels[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry primary(.param .u64 data, .param .u64 times, .param .u32 early) {
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [times]; ld.param.u32 %r1, [early];
    mov.u64 %d3, %globaltimer;
    st.global.u64 [%d2], %d3;
    setp.ne.u32 %p1, %r1, 0;
    @!%p1 bra COMPUTE;
    griddepcontrol.launch_dependents;
COMPUTE:
    mov.u32 %r2, 0;
LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 3000;
    @%p2 bra LOOP;
    mov.u32 %r3, 42;
    st.volatile.global.u32 [%d1], %r3;
    mov.u64 %d3, %globaltimer;
    st.global.u64 [%d2+8], %d3;
    ret;
}
.visible .entry secondary(.param .u64 data, .param .u64 times, .param .u32 waits) {
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [times]; ld.param.u32 %r1, [waits];
    mov.u64 %d3, %globaltimer;
    st.global.u64 [%d2], %d3;
    griddepcontrol.launch_dependents;
    setp.ne.u32 %p1, %r1, 0;
    @!%p1 bra FIND;
    griddepcontrol.wait;
FIND:
    ld.volatile.global.u32 %r2, [%d1];
    st.global.u32 [%d1+4], %r2;
    mov.u64 %d3, %globaltimer;
    st.global.u64 [%d2+8], %d3;
    ret;
}
)";

static void *primary = nullptr, *secondary = nullptr;
static void* stream = nullptr;  // of the launches
static address data = 0, times = 0;

/// @param programmatic  the kernel may begin before the end of the previous kernel
static void launch(void* kernel, unsigned place, unsigned argument, bool programmatic) {
    launch_attribute attribute{};
    attribute.id = 6;
    attribute.value = programmatic ? 1 : 0;
    launch_config c{{1, 1, 1}, {32, 1, 1}, 0, stream, &attribute, 1};
    address to = times + 16 * place;
    void* values[] = {&data, &to, &argument};
    CHECK(cuLaunchKernelEx(&c, kernel, values, nullptr) == 0);
}

struct outcome {
    unsigned stored[2];      // by primary, and as read by secondary
    std::uint64_t at[3][2];  // by launch: begin, end of its work
};
static outcome outcome_of_pair() {
    outcome o;
    CHECK(cuMemcpyDtoH_v2(o.stored, data, sizeof o.stored) == 0);
    CHECK(cuMemcpyDtoH_v2(o.at, times, sizeof o.at) == 0);
    CHECK(cuMemsetD32_v2(data, 0, 2) == 0);
    return o;
}

/// Launches a graph and waits for it.
static outcome run(void* graph) {
    void* executable = nullptr;
    CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0) == 0);
    CHECK(cuGraphLaunch(executable, stream) == 0 && cuStreamSynchronize(stream) == 0);
    CHECK(cuGraphExecDestroy(executable) == 0);
    return outcome_of_pair();
}

/// The only edge of a graph. @param from, to  receive its nodes
static edge only_edge(void* graph, void** from, void** to) {
    edge e{};
    std::size_t count = 0;
    CHECK(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count) == 0 && count == 1);
    CHECK(cuGraphGetEdges_v2(graph, from, to, &e, &count) == 0);
    return e;
}

/// Captures the two kernels, with the second launched as programmatically dependent or not.
static void* captured(bool programmatic) {
    void* graph = nullptr;
    constexpr int thread_local_mode = 1;
    CHECK(cuStreamBeginCapture_v2(stream, thread_local_mode) == 0);
    launch(primary, 0, 1, false);
    launch(secondary, 1, 1, programmatic);
    CHECK(cuStreamEndCapture(stream, &graph) == 0);
    return graph;
}

/// Graphs: captured launches, and edges set by the program.
static void test_graphs(bool timed) {
    constexpr int invalid_value = 1, lossy_query = 402;
    constexpr edge programmatic{1, 0, 1, {}};
    void *from = nullptr, *to = nullptr;
    std::size_t one = 1;
    const auto is_early = [timed](const outcome& o) {
        CHECK(o.stored[0] == 42 && o.stored[1] == 42);
        CHECK(!timed || o.at[1][1] > o.at[0][1]);
        return o.at[1][0] < o.at[0][1];
    };

    void* const plain = captured(false);
    const edge ordinary = only_edge(plain, &from, &to);
    CHECK(ordinary.from_port == 0 && ordinary.type == 0);
    CHECK(!is_early(run(plain)));
    CHECK(cuGraphGetEdges(plain, &from, &to, &one) == 0);

    // The launch attribute becomes an edge.
    void* const early = captured(true);
    const edge found = only_edge(early, &from, &to);
    CHECK(found.from_port == programmatic.from_port && found.type == programmatic.type);
    CHECK(is_early(run(early)) == timed);
    CHECK(cuGraphGetEdges(early, &from, &to, &one) == lossy_query);

    // The same edge, set by the program.
    only_edge(plain, &from, &to);
    CHECK(cuGraphRemoveDependencies_v2(plain, &from, &to, nullptr, 1) == 0);
    constexpr edge impossible[] = {
        {1, 0, 0, {}}, {0, 0, 1, {}}, {3, 0, 1, {}}, {1, 1, 1, {}}, {1, 0, 1, {1}}};
    for (const edge& e : impossible)
        CHECK(cuGraphAddDependencies_v2(plain, &from, &to, &e, 1) == invalid_value);
    CHECK(cuGraphAddDependencies_v2(plain, &from, &to, &programmatic, 1) == 0);
    CHECK(is_early(run(plain)) == timed);

    // Also with a new node in place of the dependent one.
    void* added = nullptr;
    node_parameters same{};
    CHECK(cuGraphKernelNodeGetParams_v2(to, &same.kernel) == 0);
    for (const edge& e : impossible)
        CHECK(cuGraphAddNode_v2(&added, plain, &from, &e, 1, &same) == invalid_value);
    CHECK(cuGraphAddNode_v2(&added, plain, &from, &programmatic, 1, &same) == 0);
    CHECK(cuGraphDestroyNode(to) == 0);
    CHECK(only_edge(plain, &from, &to).from_port == programmatic.from_port && to == added);
    CHECK(is_early(run(plain)) == timed);

    // And during a capture.
    void *graph = nullptr, **tail = nullptr;
    const edge* edges = nullptr;
    int state = 0;
    CHECK(cuStreamBeginCapture_v2(stream, 1) == 0);
    launch(primary, 0, 1, false);
    CHECK(cuStreamGetCaptureInfo_v3(stream, &state, nullptr, nullptr, &tail, &edges, &one) == 0);
    CHECK(state == 1 && one == 1 && edges[0].type == 0);
    void* node = tail[0];
    constexpr unsigned replaces = 1;
    CHECK(cuStreamUpdateCaptureDependencies_v2(stream, &node, &programmatic, 1, replaces) == 0);
    CHECK(cuStreamGetCaptureInfo_v3(stream, &state, nullptr, nullptr, &tail, &edges, &one) == 0);
    CHECK(one == 1 && tail[0] == node && edges[0].from_port == 1 && edges[0].type == 1);
    launch(secondary, 1, 1, false);
    CHECK(cuStreamEndCapture(stream, &graph) == 0);
    CHECK(is_early(run(graph)) == timed);
    for (void* const g : {plain, early, graph}) CHECK(cuGraphDestroy(g) == 0);
}

/// A kernel in another stream waits for an event that a launch attribute names.
static void test_events() {
    void *event = nullptr, *other = nullptr;
    CHECK(cuEventCreate(&event, 0) == 0 && cuStreamCreate(&other, 1) == 0);
    constexpr int programmatic_event = 7, launch_completion_event = 12;
    for (const int id : {programmatic_event, launch_completion_event}) {
        launch_attribute attribute{};
        attribute.id = id;
        attribute.event = event;
        unsigned argument = 0;
        const launch_config first{{1, 1, 1}, {32, 1, 1}, 0, stream, &attribute, 1};
        void* values[] = {&data, &times, &argument};
        CHECK(cuLaunchKernelEx(&first, primary, values, nullptr) == 0);
        CHECK(cuStreamWaitEvent(other, event, 0) == 0);
        void* const before = stream;
        stream = other;
        launch(secondary, 1, 0, false);
        stream = before;
        CHECK(cuStreamSynchronize(other) == 0);
        CHECK(outcome_of_pair().stored[1] == 42);
    }
}

int main(int, char** arguments) {
    void *context = nullptr, *module = nullptr;
    CHECK(cuInit(0) == 0);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
    CHECK(cuModuleLoadData(&module, kernels) == 0);
    CHECK(cuModuleGetFunction(&primary, module, "primary") == 0);
    CHECK(cuModuleGetFunction(&secondary, module, "secondary") == 0);
    CHECK(cuMemAlloc_v2(&data, 8) == 0 && cuMemAlloc_v2(&times, sizeof(outcome::at)) == 0);
    CHECK(cuMemsetD32_v2(data, 0, 2) == 0);
    const bool timed = std::strcmp(arguments[1], "timed") == 0;

    // It begins early, and reads the value after waiting for it.
    launch(primary, 0, 1, false);
    launch(secondary, 1, 1, true);
    const outcome early = outcome_of_pair();
    CHECK(early.stored[0] == 42 && early.stored[1] == 42);
    CHECK(!timed || early.at[1][0] < early.at[0][1]);
    CHECK(!timed || early.at[1][1] > early.at[0][1]);

    // The previous kernel does not let it begin early.
    launch(primary, 0, 0, false);
    launch(secondary, 1, 1, true);
    const outcome late = outcome_of_pair();
    CHECK(late.stored[1] == 42);
    CHECK(!timed || late.at[1][0] > late.at[0][1]);

    // It is not launched as programmatically dependent.
    launch(primary, 0, 1, false);
    launch(secondary, 1, 1, false);
    const outcome plain = outcome_of_pair();
    CHECK(plain.stored[1] == 42);
    CHECK(!timed || plain.at[1][0] > plain.at[0][1]);

    // It does not wait and therefore does not see the value stored by the previous kernel;
    // operations that follow in the stream do.
    launch(primary, 0, 1, false);
    launch(secondary, 1, 0, true);
    const outcome hasty = outcome_of_pair();
    CHECK(hasty.stored[0] == 42);
    CHECK(hasty.stored[1] == (timed ? 0 : 42));

    // The third waits for the second, which ends after the first although it does not wait.
    launch(primary, 0, 1, false);
    launch(secondary, 1, 0, true);
    launch(secondary, 2, 1, true);
    const outcome three = outcome_of_pair();
    CHECK(three.stored[1] == 42);
    CHECK(!timed || three.at[2][0] < three.at[0][1]);
    CHECK(!timed || three.at[2][1] > three.at[0][1]);

    CHECK(cuStreamCreate(&stream, 1) == 0);
    test_graphs(timed);
    test_events();

    std::printf("driver_dependent: passed\n");
    return 0;
}
