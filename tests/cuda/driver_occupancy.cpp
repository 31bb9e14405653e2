// SPDX-License-Identifier: Apache-2.0
// Driver API: occupancy as the API reports it and as blocks are resident, launch bounds, limits of
// clusters. Runs on GPUs of several compute capabilities.
#include "driver_subset.h"

#include <algorithm>
#include <cstring>
#include <vector>

using address = std::uint64_t;

struct launch_attribute {
    int id;
    char padding[4];
    unsigned cluster[3];
    char rest[52];
};
struct launch_config {
    unsigned grid[3], block[3], shared;
    void* stream;
    launch_attribute* attributes;
    unsigned count;
};

extern "C" {
int cuFuncGetAttribute(int*, int, void*);
int cuFuncSetAttribute(void*, int, int);
int cuLaunchKernelEx(const launch_config*, void*, void**, void**);
int cuOccupancyMaxActiveClusters(int*, void*, const launch_config*);
int cuOccupancyMaxPotentialClusterSize(int*, void*, const launch_config*);
int cuOccupancyMaxPotentialBlockSize(int*, int*, void*, std::size_t (*)(int), std::size_t, int);
int cuOccupancyAvailableDynamicSMemPerBlock(std::size_t*, void*, int, int);
}

// `occupied`: each block counts the blocks on its SM, and waits.
static char kernels[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry occupied(.param .u64 out, .param .u32 turns) {
    .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    mov.u32 %r2, %smid;
    ld.param.u64 %d1, [out];
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d1, %d1, %d2;
    atom.global.add.u32 %r3, [%d1], 1;
    add.u32 %r3, %r3, 1;
    red.global.max.u32 [%d1+1024], %r3;
    ld.param.u32 %r4, [turns];
LOOP:
    sub.u32 %r4, %r4, 1;
    setp.ne.u32 %p2, %r4, 0;
    @%p2 bra LOOP;
    red.global.add.u32 [%d1], 0xffffffff;
DONE:
    ret;
}
.visible .entry bounded(.param .u64 out) .maxntid 64, 1, 1
{
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [out];
    red.global.add.u32 [%d1], 1;
    ret;
}
.visible .entry shaped(.param .u64 out) .reqntid 32, 2, 1
{
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [out];
    red.global.add.u32 [%d1], 1;
    ret;
}
)";

static char cluster_kernels[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry any(.param .u64 out)
{
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [out];
    red.global.add.u32 [%d1], 1;
    ret;
}
.visible .entry at_most_4(.param .u64 out) .maxclusterrank 4
{
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [out];
    red.global.add.u32 [%d1], 1;
    ret;
}
.visible .entry pair(.param .u64 out) .explicitcluster .reqnctapercluster 2, 1, 1
{
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [out];
    red.global.add.u32 [%d1], 1;
    ret;
}
.visible .entry grid_of_clusters(.param .u64 out) .blocksareclusters .reqntid 32, 2, 1 .reqnctapercluster 2, 1, 1
{
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [out];
    red.global.add.u32 [%d1], 1;
    ret;
}
)";

static address out;
static bool timed;
static int capability;

static void* function(void* module, const char* name) {
    void* f = nullptr;
    OK(cuModuleGetFunction(&f, module, name));
    return f;
}
static int attribute_of(int which) {
    int value = -1;
    OK(cuDeviceGetAttribute(&value, which, 0));
    return value;
}
static int of_function(void* f, int which) {
    int value = -1;
    OK(cuFuncGetAttribute(&value, which, f));
    return value;
}

/// Threads that have run.
static unsigned counted() {
    OK(cuCtxSynchronize());
    unsigned n = 0;
    OK(cuMemcpyDtoH_v2(&n, out, 4));
    OK(cuMemsetD32_v2(out, 0, 1));
    return n;
}

/// Largest number of blocks that were resident on an SM at a time, which the API reports, too.
static int resident(void* occupied, int shared, int threads) {
    if (shared > 48 << 10) OK(cuFuncSetAttribute(occupied, 8, shared));
    int predicted = -1;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&predicted, occupied, threads, shared));
    if (!timed) return predicted;
    OK(cuMemsetD32_v2(out, 0, 512));
    unsigned turns = 400;
    void* arguments[] = {&out, &turns};
    const unsigned blocks = static_cast<unsigned>(attribute_of(16) * (predicted + 1) * 2);
    OK(cuLaunchKernel(occupied, blocks, 1, 1, static_cast<unsigned>(threads), 1, 1,
                      static_cast<unsigned>(shared), nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    std::vector<unsigned> counts(512);
    OK(cuMemcpyDtoH_v2(counts.data(), out, 2048));
    OK(cuMemsetD32_v2(out, 0, 512));
    const auto most = static_cast<int>(*std::max_element(counts.begin() + 256, counts.end()));
    if (most != predicted) std::fprintf(stderr, "%d resident blocks, %d told\n", most, predicted);
    CHECK(most == predicted);
    return predicted;
}

static void test_resident_blocks(void* occupied) {
    struct expectation {
        int capability, shared, threads, blocks;
    };
    static const expectation all[] = {
        {80, 32768, 128, 4}, {80, 16384, 128, 9}, {80, 0, 32, 32},     {80, 166912, 64, 1},
        {86, 8192, 64, 11},  {86, 0, 32, 16},     {86, 0, 512, 3},     {86, 101376, 64, 1},
        {89, 16384, 64, 5},  {89, 0, 32, 24},     {90, 32768, 128, 6}, {90, 232448, 64, 1},
        {75, 16384, 64, 4},  {75, 0, 32, 16},     {75, 65536, 64, 1},  {70, 0, 32, 32},
        {70, 32768, 64, 3},  {70, 98304, 64, 1},
    };
    for (const expectation& e : all)
        if (e.capability == capability) {
            const int blocks = resident(occupied, e.shared, e.threads);
            if (blocks != e.blocks)
                std::fprintf(stderr, "%d bytes, %d threads: %d blocks\n", e.shared, e.threads,
                             blocks);
            CHECK(blocks == e.blocks);
        }
}

static void test_shared_memory(void* occupied) {
    const int reserved = capability >= 80 ? 1024 : 0;
    CHECK(attribute_of(111) == reserved);
    const int most = attribute_of(97);
    CHECK(most == attribute_of(81) - reserved);
    CHECK(attribute_of(8) == 48 << 10);
    CHECK(cuFuncSetAttribute(occupied, 8, most + 1) == 1);
    OK(cuFuncSetAttribute(occupied, 8, most));
    CHECK(of_function(occupied, 8) == most);
    int blocks = -1;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, occupied, 64,
                                                   static_cast<std::size_t>(most) + 1));
    CHECK(blocks == 0);
    // The largest size with which three blocks are resident.
    std::size_t bytes = 0;
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, occupied, 3, 64));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, occupied, 64, bytes));
    CHECK(blocks == 3);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, occupied, 64, bytes + 1));
    CHECK(blocks == 2);
    // Without shared memory for the blocks, the smallest carve-out limits them.
    OK(cuFuncSetAttribute(occupied, 9, 0));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, occupied, 64, 4096));
    CHECK(blocks == (capability == 75 ? 8 : capability == 70 ? 2 : 1));
    OK(cuFuncSetAttribute(occupied, 9, -1));
    void* arguments[] = {&out, &blocks};
    CHECK(cuLaunchKernel(occupied, 1, 1, 1, 64, 1, 1, static_cast<unsigned>(most) + 1, nullptr,
                         arguments, nullptr) == 1);
}

static int launch(void* f, unsigned threads_x, unsigned threads_y = 1) {
    void* arguments[] = {&out};
    return cuLaunchKernel(f, 1, 1, 1, threads_x, threads_y, 1, 0, nullptr, arguments, nullptr);
}

static void test_bounds(void* bounded, void* shaped) {
    CHECK(of_function(bounded, 0) == 64);
    CHECK(of_function(shaped, 0) == 64);
    int blocks = -1, grid = 0, block = 0;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
    CHECK(blocks == 0);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 64, 0));
    CHECK(blocks > 0);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, bounded, nullptr, 0, 0));
    CHECK(block == 64 && grid == blocks * attribute_of(16));
    CHECK(launch(bounded, 128) == 1);
    CHECK(launch(bounded, 65) == 1);
    CHECK(launch(bounded, 8, 9) == 1);
    CHECK(counted() == 0);
    OK(launch(bounded, 8, 8));
    CHECK(counted() == 64);
    CHECK(launch(shaped, 64) == 1);
    CHECK(launch(shaped, 32) == 1);
    CHECK(counted() == 0);
    OK(launch(shaped, 32, 2));
    CHECK(counted() == 64);
}

static int launch_clusters(void* f, unsigned blocks, unsigned cluster, unsigned threads = 32) {
    launch_attribute a{};
    a.id = 4;
    a.cluster[0] = cluster;
    a.cluster[1] = a.cluster[2] = 1;
    const launch_config c{{blocks, 1, 1}, {threads, 1, 1}, 0, nullptr, &a, cluster != 0 ? 1u : 0u};
    void* arguments[] = {&out};
    return cuLaunchKernelEx(&c, f, arguments, nullptr);
}

static void test_clusters() {
    void* module = nullptr;
    OK(cuModuleLoadData(&module, cluster_kernels));
    void* const any = function(module, "any");
    void* const at_most_4 = function(module, "at_most_4");
    void* const pair = function(module, "pair");
    constexpr int wrong_size = 912;
    launch_attribute a{};
    a.id = 4;
    a.cluster[0] = 16;
    a.cluster[1] = a.cluster[2] = 1;
    launch_config c{{16, 1, 1}, {32, 1, 1}, 0, nullptr, &a, 1};
    int n = -1;

    OK(launch_clusters(any, 16, 8));
    CHECK(counted() == 16 * 32);
    CHECK(launch_clusters(any, 16, 16) == wrong_size);
    CHECK(cuOccupancyMaxActiveClusters(&n, any, &c) == wrong_size);
    OK(cuOccupancyMaxPotentialClusterSize(&n, any, &c));
    CHECK(n == 8);
    CHECK(of_function(any, 14) == 0);
    OK(cuFuncSetAttribute(any, 14, 1));
    CHECK(of_function(any, 14) == 1);
    OK(launch_clusters(any, 16, 16));
    CHECK(counted() == 16 * 32);
    OK(cuOccupancyMaxActiveClusters(&n, any, &c));
    CHECK(n > 0);
    OK(cuOccupancyMaxPotentialClusterSize(&n, any, &c));
    CHECK(n == 16);

    CHECK(launch_clusters(at_most_4, 16, 8) == wrong_size);
    CHECK(counted() == 0);
    OK(launch_clusters(at_most_4, 16, 4));
    CHECK(counted() == 16 * 32);
    OK(cuOccupancyMaxPotentialClusterSize(&n, at_most_4, &c));
    CHECK(n == 4);

    CHECK(of_function(pair, 10) == 1 && of_function(pair, 11) == 2 && of_function(pair, 12) == 1);
    CHECK(cuFuncSetAttribute(pair, 11, 4) == 800);
    OK(cuOccupancyMaxPotentialClusterSize(&n, pair, &c));
    CHECK(n == 2);
    CHECK(launch_clusters(pair, 16, 4) == wrong_size);
    OK(launch_clusters(pair, 16, 0));
    CHECK(counted() == 16 * 32);

    // The program may demand a size, too.
    CHECK(of_function(any, 11) == 0);
    for (const int which : {11, 12, 13}) OK(cuFuncSetAttribute(any, which, which == 11 ? 2 : 1));
    CHECK(launch_clusters(any, 15, 0) == wrong_size);
    OK(launch_clusters(any, 14, 0));
    CHECK(counted() == 14 * 32);

    // A grid in clusters of two blocks, whose size only the kernel gives.
    void* const grid_of_clusters = function(module, "grid_of_clusters");
    OK(launch_clusters(grid_of_clusters, 3, 0, 1));
    CHECK(counted() == 3 * 2 * 64);
    CHECK(launch_clusters(grid_of_clusters, 3, 0, 64) == 1);
}

int main(int, char** argv) {
    int n = 0;
    while (argv[n + 1] != nullptr) ++n;
    timed = std::strcmp(argv[n], "timed") == 0;
    void *context = nullptr, *module = nullptr;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, kernels));
    OK(cuMemAlloc_v2(&out, 4096));
    OK(cuMemsetD32_v2(out, 0, 1024));
    capability = attribute_of(75) * 10 + attribute_of(76);
    void* const occupied = function(module, "occupied");
    test_bounds(function(module, "bounded"), function(module, "shaped"));
    test_resident_blocks(occupied);
    test_shared_memory(occupied);
    if (capability >= 90) test_clusters();
    std::printf("driver_occupancy: passed\n");
}
