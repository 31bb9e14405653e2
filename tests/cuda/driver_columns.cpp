// SPDX-License-Identifier: Apache-2.0
// Driver API: tensor maps of Blackwell: wide im2col modes, and swizzles of large chunks.
#include "driver_subset.h"

using address = std::uint64_t;

extern "C" {
int cuTensorMapEncodeTiled(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*,
                           const std::uint32_t*, const std::uint32_t*, int, int, int, int);
int cuTensorMapEncodeIm2colWide(void*, int, unsigned, void*, const std::uint64_t*,
                                const std::uint64_t*, int, int, std::uint32_t, std::uint32_t,
                                const std::uint32_t*, int, int, int, int, int);
}

// Four pixels of 16 words from position 7 + 1, and two further ones.
static char kernels[] = R"(.version 8.6
.target sm_100
.address_size 64
.visible .entry columns(.param .align 64 .b8 map[128], .param .u64 out) {
    .shared .align 1024 .b8 box[384];
    .shared .align 8 .b64 bar;
    .reg .pred %p<4>; .reg .b16 %h<3>; .reg .b32 %r<12>; .reg .b64 %d<8>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, bar;
    mov.u32 %r3, box;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared.b64 [%r2], 1;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 384;
    mov.b64 %d1, map;
    cvta.param.u64 %d1, %d1;
    mov.u32 %r4, 0;
    mov.u32 %r5, 7;
    mov.u16 %h1, 2;
    mov.u16 %h2, 1;
    @%p1 cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%r3], [%d1, {%r4, %r5, %r4}], [%r2], {%h1, %h2};
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

constexpr unsigned channels = 16, width = 10, images = 2, pixels = 4, halo = 2;
constexpr int rejected = 1, not_supported = 801;

static void encode_swizzles(void* map, address room) {
    const std::uint64_t sizes[] = {256, 8}, strides[] = {512};
    const std::uint32_t steps[] = {1, 1};
    const auto encode = [&](int type, std::uint32_t row, int swizzle) {
        const std::uint32_t box[] = {row, 4};
        return cuTensorMapEncodeTiled(map, type, 2, reinterpret_cast<void*>(room), sizes, strides,
                                      box, steps, 0, swizzle, 0, 0);
    };
    constexpr int words = 2, four_bits = 14, six_bits = 15, chunks_32 = 4, flipped = 5,
                  chunks_64 = 6;
    for (const int swizzle : {chunks_32, flipped, chunks_64}) {
        CHECK(encode(words, 32, swizzle) == 0);
        CHECK(encode(words, 64, swizzle) == rejected);  // more than 128 bytes
    }
    CHECK(encode(words, 32, chunks_64 + 1) == rejected);
    CHECK(encode(four_bits, 128, flipped) == rejected);
    CHECK(encode(four_bits, 128, chunks_64) == rejected);
    CHECK(encode(six_bits, 128, flipped) == rejected);
    CHECK(encode(six_bits, 128, chunks_64) == 0);
}

int main() {
    void *context = nullptr, *module = nullptr, *columns = nullptr;
    CHECK(cuInit(0) == 0);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
    CHECK(cuModuleLoadData(&module, kernels) == 0);
    CHECK(cuModuleGetFunction(&columns, module, "columns") == 0);

    unsigned data[channels * width * images];
    for (unsigned i = 0; i < channels * width * images; ++i) data[i] = i;
    address room = 0, out = 0;
    CHECK(cuMemAlloc_v2(&room, sizeof data) == 0 && cuMemAlloc_v2(&out, 384) == 0);
    CHECK(cuMemcpyHtoD_v2(room, data, sizeof data) == 0);
    alignas(64) char map[128];
    const std::uint64_t sizes[] = {channels, width, images};
    const std::uint64_t strides[] = {channels * 4, width * channels * 4};
    const std::uint32_t steps[] = {1, 1, 1};
    constexpr int along_w = 0, of_128 = 1, rows_64 = 2;
    const auto encode = [&](int mode, int swizzle, int lower, int upper, std::uint32_t count,
                            unsigned rank = 3, int interleave = 0) {
        return cuTensorMapEncodeIm2colWide(map, 2, rank, reinterpret_cast<void*>(room), sizes,
                                           strides, lower, upper, channels, count, steps,
                                           interleave, mode, swizzle, 0, 0);
    };
    for (const int swizzle : {0, 1, 5, 6})  // neither 64 nor 128 bytes, or other chunks
        CHECK(encode(along_w, swizzle, -1, -1, pixels) == rejected);
    for (const int swizzle : {rows_64, 3, 4}) CHECK(encode(along_w, swizzle, -1, -1, pixels) == 0);
    CHECK(encode(2, rows_64, -1, -1, pixels) == rejected);
    CHECK(encode(along_w, rows_64, -1, -1, 1025) == rejected);
    CHECK(encode(of_128, rows_64, -1, -1, 1025) == 0);  // the number of pixels is ignored
    CHECK(encode(along_w, rows_64, -32768, 32767, pixels) == 0);
    CHECK(encode(along_w, rows_64, -32769, -1, pixels) == rejected);
    CHECK(encode(along_w, rows_64, -1, -11, pixels) == rejected);  // a box without pixels
    CHECK(encode(along_w, rows_64, -1, -1, pixels, 2) == rejected);
    CHECK(encode(along_w, rows_64, -1, -1, pixels, 3, 1) == not_supported);
    CHECK(encode(along_w, rows_64, -1, -1, pixels) == 0);

    void* values[] = {map, &out};
    constexpr unsigned words = channels * (pixels + halo);
    CHECK(cuLaunchKernel(columns, 1, 1, 1, words, 1, 1, 0, nullptr, values, nullptr) == 0);
    unsigned back[words];
    CHECK(cuMemcpyDtoH_v2(back, out, sizeof back) == 0);
    // The bounding box ends at pixel 8: 7 + 1 and 8 + 1 are followed by those of the next image.
    const unsigned places[pixels + halo] = {8, 9, width, width + 1, width + 2, width + 3};
    for (unsigned i = 0; i < words; ++i) {
        const unsigned chunk = i / 4 ^ i / 32 % 4;  // of 16 bytes, by the number of the line
        CHECK(back[chunk * 4 + i % 4] == places[i / channels] * channels + i % channels);
    }
    encode_swizzles(map, room);
    std::puts("driver_columns: passed");
}
