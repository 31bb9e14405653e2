// SPDX-License-Identifier: Apache-2.0
// Driver API: tensor maps, and launches of clusters. In timing mode, unsupported ones are rejected.
#include "driver_subset.h"

#include <cstring>

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
int cuLaunchKernelEx(const launch_config*, void*, void**, void**);
int cuOccupancyMaxActiveClusters(int*, void*, const launch_config*);
int cuTensorMapEncodeTiled(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*,
                           const std::uint32_t*, const std::uint32_t*, int, int, int, int);
int cuTensorMapEncodeIm2col(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*,
                            const int*, const int*, std::uint32_t, std::uint32_t,
                            const std::uint32_t*, int, int, int, int);
int cuTensorMapEncodeIm2colWide(void*, int, unsigned, void*, const std::uint64_t*,
                                const std::uint64_t*, int, int, std::uint32_t, std::uint32_t,
                                const std::uint32_t*, int, int, int, int, int);
int cuTensorMapReplaceAddress(void*, void*);
}

// Block 0 of each cluster of two loads a box of 8 x 4 words into both blocks; each stores it.
static char kernels[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry spread(.param .align 64 .b8 map[128], .param .u64 out) {
    .shared .align 128 .b8 box[128];
    .shared .align 8 .b64 bar;
    .reg .pred %p<4>; .reg .b16 %h<2>; .reg .b32 %r<12>; .reg .b64 %d<8>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, bar;
    mov.u32 %r3, box;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [%r2], 1;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.release;
    barrier.cluster.wait.acquire;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;
    mov.u32 %r4, %cluster_ctarank;
    setp.eq.and.u32 %p2, %r4, 0, %p1;
    mov.b64 %d1, map;
    cvta.param.u64 %d1, %d1;
    mov.u32 %r5, 2;
    mov.u32 %r6, %clusterid.x;
    mov.u16 %h1, 3;
    @%p2 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r3], [%d1, {%r5, %r6}], [%r2], %h1;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0;
    @!%p3 bra WAIT;
    shl.b32 %r7, %r1, 2;
    add.u32 %r7, %r7, %r3;
    ld.shared.u32 %r8, [%r7];
    ld.param.u64 %d2, [out];
    mov.u32 %r9, %ctaid.x;
    mad.lo.u32 %r9, %r9, 32, %r1;
    mul.wide.u32 %d3, %r9, 4;
    add.u64 %d2, %d2, %d3;
    st.global.u32 [%d2], %r8;
    ret;
}
.visible .entry columns(.param .align 64 .b8 map[128], .param .u64 out) {
    .shared .align 128 .b8 box[128];
    .shared .align 8 .b64 bar;
    .reg .pred %p<4>; .reg .b16 %h<2>; .reg .b32 %r<12>; .reg .b64 %d<8>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, bar;
    mov.u32 %r3, box;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [%r2], 1;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;
    mov.b64 %d1, map;
    cvta.param.u64 %d1, %d1;
    mov.u32 %r4, 0;
    mov.u32 %r5, 7;
    mov.u16 %h1, 1;
    @%p1 cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r3], [%d1, {%r4, %r5, %r4}], [%r2], {%h1};
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0;
    @!%p3 bra WAIT;
    mul.wide.u32 %d3, %r1, 4;
    shl.b32 %r7, %r1, 2;
    add.u32 %r7, %r7, %r3;
    ld.shared.u32 %r8, [%r7];
    ld.param.u64 %d2, [out];
    add.u64 %d2, %d2, %d3;
    st.global.u32 [%d2], %r8;
    ret;
}
)";

/// Columns of four pixels from two images of ten pixels with eight channels, as read by a filter of
/// three pixels with a margin of one: starting at its second pixel at position 7.
static void read_columns(void* module, address room, address out, bool timed) {
    void* columns = nullptr;
    CHECK(cuModuleGetFunction(&columns, module, "columns") == 0);
    constexpr unsigned channels = 8, width = 10, images = 2, pixels = 4;
    unsigned data[channels * width * images];
    for (unsigned i = 0; i < channels * width * images; ++i) data[i] = i;
    CHECK(cuMemcpyHtoD_v2(room, data, sizeof data) == 0);
    alignas(64) char map[128];
    const std::uint64_t sizes[] = {channels, width, images};
    const std::uint64_t strides[] = {channels * 4, width * channels * 4};
    const std::uint32_t steps[] = {1, 1, 1};
    const auto encode = [&](int lower, int upper, std::uint32_t count, unsigned rank) {
        return cuTensorMapEncodeIm2col(map, 2, rank, reinterpret_cast<void*>(room), sizes, strides,
                                       &lower, &upper, channels, count, steps, 0, 0, 0, 0);
    };
    CHECK(encode(-1, -1, 1025, 3) == 1);        // pixels
    CHECK(encode(-40000, -1, pixels, 3) == 1);  // corners have 16 bits
    CHECK(encode(-1, -1, pixels, 2) == 1);      // no dimension between channels and images
    // Modes of Blackwell.
    CHECK(cuTensorMapEncodeIm2colWide(map, 2, 3, reinterpret_cast<void*>(room), sizes, strides, -1,
                                      -1, channels, pixels, steps, 0, 0, 2, 0, 0) == 801);
    CHECK(encode(-1, -1, pixels, 3) == 0);
    if (timed) return;  // the small GPU has no engine for it
    void* values[] = {map, &out};
    CHECK(cuLaunchKernel(columns, 1, 1, 1, 32, 1, 1, 0, nullptr, values, nullptr) == 0);
    unsigned back[channels * pixels];
    CHECK(cuMemcpyDtoH_v2(back, out, sizeof back) == 0);
    // The bounding box ends at pixel 8: 7 + 1 and 8 + 1 are followed by the first two of the next
    // image.
    const unsigned places[pixels] = {8, 9, width, width + 1};
    for (unsigned i = 0; i < channels * pixels; ++i)
        CHECK(back[i] == places[i / channels] * channels + i % channels);
}

int main(int, char** arguments) {
    void *context = nullptr, *module = nullptr, *spread = nullptr;
    CHECK(cuInit(0) == 0);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
    CHECK(cuModuleLoadData(&module, kernels) == 0);
    CHECK(cuModuleGetFunction(&spread, module, "spread") == 0);

    constexpr unsigned columns = 16, rows = 8, blocks = 4;
    unsigned matrix[columns * rows];
    for (unsigned i = 0; i < columns * rows; ++i) matrix[i] = i;
    // At an address in which bit 21 is set.
    constexpr address bit = 1 << 21;
    address room = 0, out = 0;
    CHECK(cuMemAlloc_v2(&room, 4 * bit) == 0 && cuMemAlloc_v2(&out, blocks * 128) == 0);
    const address in = ((room + 2 * bit - 1) & ~(2 * bit - 1)) | bit;
    CHECK(cuMemcpyHtoD_v2(in, matrix, sizeof matrix) == 0);

    alignas(64) char map[128];
    const std::uint64_t sizes[] = {columns, rows}, strides[] = {columns * 4};
    std::uint32_t box[] = {8, 4};
    const std::uint32_t steps[] = {1, 1};
    const auto encode = [&](void* to, address at) {
        return cuTensorMapEncodeTiled(to, 2, 2, reinterpret_cast<void*>(at), sizes, strides, box,
                                      steps, 0, 0, 0, 0);
    };
    CHECK(encode(map, in + 8) == 1);  // misaligned address
    CHECK(encode(map + 8, in) == 1);  // misaligned map
    box[0] = 6;
    CHECK(encode(map, in) == 1);  // rows of 24 bytes are not a multiple of 16
    box[0] = 8;
    CHECK(encode(map, in + 16) == 0);
    CHECK(cuTensorMapReplaceAddress(map, reinterpret_cast<void*>(in)) == 0);
    // As in CUTLASS, which works around a driver that sets this bit incorrectly.
    std::uint64_t second;
    std::memcpy(&second, map + 8, sizeof second);
    second &= ~(std::uint64_t{1} << 21);
    std::memcpy(map + 8, &second, sizeof second);

    launch_attribute cluster{};
    cluster.id = 4;
    cluster.cluster[0] = 3;
    cluster.cluster[1] = cluster.cluster[2] = 1;
    const launch_config config = {{blocks, 1, 1}, {32, 1, 1}, 0, nullptr, &cluster, 1};
    void* values[] = {map, &out};
    // Four blocks are not a multiple of three.
    CHECK(cuLaunchKernelEx(&config, spread, values, nullptr) == 912);
    cluster.cluster[0] = 2;
    int clusters = 0;
    CHECK(cuOccupancyMaxActiveClusters(&clusters, spread, &config) == 0 && clusters > 0);
    const bool timed = std::strcmp(arguments[1], "timed") == 0;
    if (timed) {
        CHECK(cuLaunchKernelEx(&config, spread, values, nullptr) == 801);
    } else {
        CHECK(cuLaunchKernelEx(&config, spread, values, nullptr) == 0);
        unsigned back[blocks * 32];
        CHECK(cuMemcpyDtoH_v2(back, out, sizeof back) == 0);
        for (unsigned i = 0; i < blocks * 32; ++i)
            CHECK(back[i] == (i / 64 + i % 32 / 8) * columns + 2 + i % 8);
    }
    read_columns(module, room, out, timed);
    std::puts("driver_clusters: passed");
}
