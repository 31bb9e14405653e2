// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async and stmatrix: sm_90.
#include "tests/unit/execution/machine.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace simtlm::execution {
namespace {

using testing::HasSubstr;

enum class layout { k_major, mn_major };

/// A matrix product, and the layout of its matrices in shared memory.
struct product {
    unsigned n = 64;
    std::string d = "f32", a = "f16", b = "f16";
    unsigned bits = 16;    ///< size of the elements of A and B
    unsigned swizzle = 0;  ///< 0, 32, 64 or 128 bytes
    layout a_layout = layout::k_major, b_layout = layout::k_major;
    bool a_in_registers = false;
    int scale_a = 1, scale_b = 1;
    bool adds = true;
    bool sparse = false;
    unsigned selector = 0;

    /// Columns of A as stored, and of the dense A.
    unsigned stored_k() const { return 256 / bits; }
    unsigned k() const { return sparse ? 2 * stored_k() : stored_k(); }
    bool integers() const { return d == "s32"; }
    /// For single bits, an element here is a word, as in registers and memory.
    bool single_bits() const { return a == "b1"; }
    bool scaled() const { return !integers(); }
    bool transposable() const { return bits == 16; }
};

/// Small integers in the formats of tensor cores, so that every sum is exact.
std::uint32_t encode(const std::string& type, int value) {
    if (type == "b1") return static_cast<std::uint32_t>(value);
    if (type == "s8" || type == "u8") return static_cast<std::uint8_t>(value);
    if (value == 0) return 0;
    const std::uint32_t sign = value < 0 ? 1 : 0;
    int exponent = 0;
    const double fraction = std::frexp(std::abs(value), &exponent) * 2;  // 1 <= fraction < 2
    const auto bits = [&](unsigned exponent_bits, unsigned mantissa_bits) {
        const int bias = (1 << (exponent_bits - 1)) - 1;
        return sign << (exponent_bits + mantissa_bits) |
               static_cast<std::uint32_t>(exponent - 1 + bias) << mantissa_bits |
               static_cast<std::uint32_t>((fraction - 1) * (1 << mantissa_bits));
    };
    if (type == "f16") return bits(5, 10);
    if (type == "bf16") return bits(8, 7);
    if (type == "e4m3") return bits(4, 3);
    if (type == "e5m2") return bits(5, 2);
    return bits(8, 23);  // tf32, f32
}

double decode_d(const std::string& type, std::uint32_t bits) {
    if (type == "s32") return static_cast<std::int32_t>(bits);
    if (type == "f32") {
        float f;
        std::memcpy(&f, &bits, 4);
        return f;
    }
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = exponent == 0 ? (bits & 1023) / 1024.0 : 1 + (bits & 1023) / 1024.0;
    return std::ldexp(fraction, std::max(exponent, 1) - 15) * ((bits & 0x8000) != 0 ? -1 : 1);
}

/// A matrix in shared memory in CUTLASS's canonical layouts for Hopper; first: offset of the first
/// byte.
struct placed {
    unsigned first, leading, stride, swizzle;

    std::uint64_t descriptor() const {
        const std::uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
        return first >> 4 | std::uint64_t{leading >> 4} << 16 | std::uint64_t{stride >> 4} << 32 |
               mode << 62;
    }
    unsigned swizzled(unsigned at) const {
        const unsigned line = at / 128;
        switch (swizzle) {
            case 128:
                return at ^ line % 8 * 16;
            case 64:
                return at ^ line % 4 * 16;
            case 32:
                return at ^ line % 2 * 16;
            default:
                return at;
        }
    }
};

/// Offset in bytes of the element (row or column mn, k).
unsigned offset_of(const product& p, const placed& m, layout l, unsigned mn, unsigned k) {
    const unsigned bytes = p.bits / 8;
    if (l == layout::k_major) {
        if (m.swizzle == 0)  // core matrices of 8 rows of 16 bytes
            return mn / 8 * m.stride + k * bytes / 16 * m.leading + mn % 8 * 16 + k * bytes % 16;
        return mn / 8 * m.stride + mn % 8 * m.swizzle + k * bytes;
    }
    if (m.swizzle == 0) return mn / 8 * m.stride + k / 8 * m.leading + k % 8 * 16 + mn % 8 * 2;
    const unsigned span = m.swizzle / 2;
    return mn / span * m.leading + k / 8 * m.stride + k % 8 * m.swizzle + mn % span * 2;
}

placed place_matrix(const product& p, layout l, unsigned first, unsigned mn, unsigned k) {
    const unsigned chunks = k * p.bits / 8 / 16;  // chunks of 16 bytes along k
    if (l == layout::k_major)
        return p.swizzle == 0 ? placed{first, 128, 128 * chunks, 0}
                              : placed{first, 16, 8 * p.swizzle, p.swizzle};
    if (p.swizzle == 0) return {first, 128 * (mn / 8), 128, 0};
    // k in groups of 8 rows of a span; spans are separated by all of them.
    return {first, k * p.swizzle, 8 * p.swizzle, p.swizzle};
}

std::string registers(const char* name, unsigned first, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
        text += (i == 0 ? "%" : ", %") + std::string(name) + std::to_string(first + i);
    return text + "}";
}

/// Runs a product on random small integers and compares every element of D.
void expect_right(const product& p) {
    SCOPED_TRACE(p.d + " " + p.a + " " + p.b + " n" + std::to_string(p.n) + " swizzle " +
                 std::to_string(p.swizzle));
    const unsigned k = p.k(), stored = p.stored_k(), each = p.bits / 8;
    const int most = p.bits == 8 ? 3 : 7;
    std::mt19937 random(p.n * 131 + p.swizzle);
    const auto draw = [&] {
        if (p.single_bits()) return static_cast<int>(random());
        const int low = p.a == "u8" || p.b == "u8" ? 0 : -most;
        return static_cast<int>(random() % static_cast<unsigned>(most - low + 1)) + low;
    };
    std::vector<int> a(64 * k), b(k * p.n), c(64 * p.n);
    for (int& x : a) x = draw();
    // For a sparse A: two columns of every four (one of every two for tf32), selected by metadata.
    std::vector<std::uint32_t> metadata(128);
    std::vector<int> packed(64 * stored);
    for (unsigned row = 0; row < 64; ++row)
        for (unsigned i = 0; i < stored; ++i) packed[row * stored + i] = a[row * k + i];
    if (p.sparse) {
        const unsigned per_group = p.bits == 32 ? 1 : 2, groups = stored / per_group;
        const std::vector<int> values = packed;
        std::fill(a.begin(), a.end(), 0);
        for (unsigned row = 0; row < 64; ++row)
            for (unsigned g = 0; g < groups; ++g) {
                const unsigned first = random() % (per_group == 1 ? 2 : 3);
                const unsigned second = first + 1 + random() % (3 - std::min(first, 2u));
                const unsigned code =
                    per_group == 1 ? (first == 0 ? 4 : 14) : first | std::min(second, 3u) << 2;
                if (per_group == 1) {
                    a[row * k + g * 2 + first] = values[row * stored + g];
                } else {
                    a[row * k + g * 4 + first] = values[row * stored + g * 2];
                    a[row * k + g * 4 + std::min(second, 3u)] = values[row * stored + g * 2 + 1];
                }
                // A lane holds the codes of 16 columns, in the upper half those of row + 8. With 8
                // bits it holds those of 32 columns, and the next one those of row + 8.
                const unsigned lower = row % 16 / 8;
                const unsigned lane =
                    row % 8 * 4 + (p.bits == 8 ? g / 8 * 2 + lower : p.selector * 2 + g / 4);
                metadata[row / 16 * 32 + lane] |=
                    code << (p.bits == 8 ? g % 8 * 4 : lower * 16 + g % 4 * 4);
            }
    }
    for (int& x : b) x = draw();
    for (int& x : c) x = draw();

    const placed in_a = place_matrix(p, p.a_layout, 0, 64, stored);
    const placed in_b = place_matrix(p, p.b_layout, 16384, p.n, k);
    std::vector<std::byte> shared(65536);
    const auto put = [&](const placed& m, layout l, unsigned mn, unsigned kk, std::uint32_t bits) {
        std::memcpy(&shared[m.swizzled(m.first + offset_of(p, m, l, mn, kk))], &bits, each);
    };
    for (unsigned i = 0; i < 64; ++i)
        for (unsigned kk = 0; kk < stored; ++kk)
            put(in_a, p.a_layout, i, kk, encode(p.a, packed[i * stored + kk]));
    for (unsigned j = 0; j < p.n; ++j)
        for (unsigned kk = 0; kk < k; ++kk)
            put(in_b, p.b_layout, j, kk, encode(p.b, b[kk * p.n + j]));

    const bool halves = p.d == "f16";
    const unsigned results = p.n / (halves ? 4 : 2);
    // Accumulators and A of a thread, in register layout.
    std::vector<std::uint32_t> d_in(std::size_t{128} * results), a_in(128 * 5);
    const auto row_of = [](unsigned t) { return t / 32 * 16 + t % 32 / 4; };
    for (unsigned t = 0; t < 128; ++t) {
        for (unsigned r = 0; r < results; ++r) {
            const unsigned group = halves ? r : r / 2;
            const unsigned row = row_of(t) + group % 2 * 8, column = group / 2 * 8 + t % 4 * 2;
            const auto value = [&](unsigned e) {
                const int x = c[row * p.n + column + e];
                return p.integers() ? static_cast<std::uint32_t>(x) : encode(p.d, x);
            };
            d_in[r * 128 + t] = halves ? value(0) | value(1) << 16 : value(r % 2);
        }
        const unsigned per = 32 / p.bits;
        for (unsigned r = 0; r < 4; ++r)
            for (unsigned e = 0; e < per; ++e)
                a_in[r * 128 + t] |=
                    encode(p.a,
                           packed[(row_of(t) + r % 2 * 8) * stored + (r / 2 * 4 + t % 4) * per + e])
                    << e * p.bits;
    }

    std::copy(metadata.begin(), metadata.end(), a_in.begin() + 512);
    std::string code =
        ".visible .entry k(.param .u64 image, .param .u64 d, .param .u64 a)\n{\n"
        ".shared .align 1024 .b8 tile[65536];\n"
        ".reg .pred %p<4>; .reg .b32 %r<200>; .reg .b64 %rd<8>;\n"
        "mov.u32 %r150, %tid.x; ld.param.u64 %rd1, [image];\n"
        "mul.wide.u32 %rd2, %r150, 4; add.u64 %rd1, %rd1, %rd2;\n"
        "mov.u32 %r151, tile; shl.b32 %r152, %r150, 2; add.u32 %r151, %r151, %r152;\n"
        "mov.u32 %r153, 0;\n"
        "LOOP: ld.global.u32 %r154, [%rd1]; st.shared.u32 [%r151], %r154;\n"
        "add.u64 %rd1, %rd1, 512; add.u32 %r151, %r151, 512;\n"
        "add.u32 %r153, %r153, 512; setp.lt.u32 %p1, %r153, 65536; @%p1 bra LOOP;\n"
        "bar.sync 0; fence.proxy.async; wgmma.fence.sync.aligned;\n"
        "ld.param.u64 %rd3, [d]; add.u64 %rd3, %rd3, %rd2;\n"
        "ld.param.u64 %rd4, [a]; add.u64 %rd4, %rd4, %rd2;\n";
    for (unsigned r = 0; r < results; ++r)
        code +=
            "ld.global.u32 %r" + std::to_string(r) + ", [%rd3+" + std::to_string(r * 512) + "];\n";
    for (unsigned r = 0; r < 5; ++r)
        code += "ld.global.u32 %r" + std::to_string(190 + r) + ", [%rd4+" +
                std::to_string(r * 512) + "];\n";
    code += "mov.u64 %rd5, " + std::to_string(in_a.descriptor()) + "; mov.u64 %rd6, " +
            std::to_string(in_b.descriptor()) + ";\n";
    code += "setp.ne.u32 %p2, " + std::string(p.adds ? "1" : "0") + ", 0;\n";
    code += "wgmma.mma_async" + std::string(p.sparse ? ".sp" : "") + ".sync.aligned.m64n" +
            std::to_string(p.n) + "k" + std::to_string(p.single_bits() ? 32 * k : k) + "." + p.d +
            "." + p.a + "." + p.b + (p.single_bits() ? ".and.popc " : " ") +
            registers("r", 0, results) + ", " +
            (p.a_in_registers ? registers("r", 190, 4) : "%rd5") + ", %rd6" +
            (p.sparse ? ", %r194, " + std::to_string(p.selector) : std::string()) + ", %p2";
    if (p.scaled()) code += ", " + std::to_string(p.scale_a) + ", " + std::to_string(p.scale_b);
    if (p.transposable() && !p.a_in_registers)
        code += p.a_layout == layout::mn_major ? ", 1" : ", 0";
    if (p.transposable()) code += p.b_layout == layout::mn_major ? ", 1" : ", 0";
    code += ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
    for (unsigned r = 0; r < results; ++r)
        code +=
            "st.global.u32 [%rd3+" + std::to_string(r * 512) + "], %r" + std::to_string(r) + ";\n";
    machine m(code + "ret;\n}\n", ".version 8.0\n.target sm_90a\n.address_size 64\n");
    const auto d = m.buffer(d_in);
    m.run("k", {1, 1, 1}, {128, 1, 1}, m.buffer(shared), d, m.buffer(a_in));

    const auto out = m.read<std::uint32_t>(d, d_in.size());
    unsigned wrong = 0;
    for (unsigned t = 0; t < 128; ++t)
        for (unsigned r = 0; r < results; ++r)
            for (unsigned e = 0; e < (halves ? 2u : 1u); ++e) {
                const unsigned group = halves ? r : r / 2;
                const unsigned row = row_of(t) + group % 2 * 8;
                const unsigned column = group / 2 * 8 + t % 4 * 2 + (halves ? e : r % 2);
                double sum = p.adds ? c[row * p.n + column] : 0;
                for (unsigned kk = 0; kk < k; ++kk)
                    sum += p.single_bits()
                               ? __builtin_popcount(static_cast<unsigned>(a[row * k + kk]) &
                                                    static_cast<unsigned>(b[kk * p.n + column]))
                               : static_cast<double>(p.scale_a * p.scale_b) * a[row * k + kk] *
                                     b[kk * p.n + column];
                const std::uint32_t bits = out[r * 128 + t];
                const double got = decode_d(p.d, halves ? bits >> 16 * e & 0xffff : bits);
                if (got == sum || ++wrong > 3) continue;
                ADD_FAILURE() << "row " << row << ", column " << column << ": " << got
                              << " instead of " << sum;
            }
}

TEST(Warpgroup, MultipliesMatricesOfEverySwizzle) {
    for (const unsigned swizzle : {0u, 32u, 64u, 128u})
        for (const layout a : {layout::k_major, layout::mn_major})
            for (const layout b : {layout::k_major, layout::mn_major}) {
                product p;
                p.swizzle = swizzle;
                p.a_layout = a;
                p.b_layout = b;
                expect_right(p);
            }
}

TEST(Warpgroup, MultipliesAnyNumberOfColumns) {
    for (unsigned n = 8; n <= 256; n += 8) {
        product p;
        p.n = n;
        p.swizzle = 128;
        p.adds = n % 16 == 0;
        expect_right(p);
    }
}

TEST(Warpgroup, MultipliesAnyNumberOfColumnsOfIntegersAndBits) {
    for (const unsigned n : {8u, 16u, 24u, 32u, 48u, 64u, 80u, 96u, 112u, 128u, 144u, 160u, 176u,
                             192u, 208u, 224u, 240u, 256u}) {
        product p;
        p.n = n;
        p.d = "s32";
        p.a = p.b = "s8";
        p.bits = 8;
        p.swizzle = 64;
        expect_right(p);
        p.a = p.b = "b1";
        p.bits = 32;
        expect_right(p);
    }
}

TEST(Warpgroup, ReadsOperandAFromRegisters) {
    for (const char* const type : {"f16", "bf16"}) {
        product p;
        p.a = p.b = type;
        p.a_in_registers = true;
        p.b_layout = layout::mn_major;
        p.swizzle = 64;
        expect_right(p);
    }
}

TEST(Warpgroup, MultipliesEveryType) {
    const auto of = [](const char* d, const char* a, const char* b, unsigned bits) {
        product p;
        p.d = d;
        p.a = a;
        p.b = b;
        p.bits = bits;
        p.swizzle = 32;
        return p;
    };
    expect_right(of("f16", "f16", "f16", 16));
    expect_right(of("f32", "tf32", "tf32", 32));
    expect_right(of("f32", "e4m3", "e5m2", 8));
    expect_right(of("f16", "e5m2", "e4m3", 8));
    expect_right(of("s32", "s8", "s8", 8));
    expect_right(of("s32", "u8", "u8", 8));
    product bits = of("s32", "b1", "b1", 32);
    expect_right(bits);
    bits.a_in_registers = true;
    bits.n = 24;
    expect_right(bits);
    product registers = of("f32", "e4m3", "e4m3", 8);
    registers.a_in_registers = true;
    expect_right(registers);
    registers = of("f32", "tf32", "tf32", 32);
    registers.a_in_registers = true;
    expect_right(registers);
}

TEST(Warpgroup, MultipliesEveryPairOfTypesOfBothOperandsInEverySwizzle) {
    struct pair {
        const char *d, *a, *b;
        unsigned bits;
    };
    const std::vector<pair> pairs = {
        {"f32", "f16", "f16", 16},   {"f16", "f16", "f16", 16},  {"f32", "bf16", "bf16", 16},
        {"f32", "tf32", "tf32", 32}, {"f32", "e4m3", "e4m3", 8}, {"f32", "e4m3", "e5m2", 8},
        {"f32", "e5m2", "e4m3", 8},  {"f32", "e5m2", "e5m2", 8}, {"f16", "e4m3", "e4m3", 8},
        {"f16", "e4m3", "e5m2", 8},  {"f16", "e5m2", "e4m3", 8}, {"f16", "e5m2", "e5m2", 8},
        {"s32", "s8", "s8", 8},      {"s32", "s8", "u8", 8},     {"s32", "u8", "s8", 8},
        {"s32", "u8", "u8", 8}};
    for (const pair& types : pairs)
        for (const unsigned swizzle : {0u, 32u, 64u, 128u})
            for (const bool registers : {false, true})
                for (const bool sparse : {false, true}) {
                    // Rows of B have 64 bytes then, more than this swizzle describes.
                    if (sparse && swizzle == 32) continue;
                    SCOPED_TRACE(std::string(types.d) + " " + types.a + " " + types.b + " " +
                                 std::to_string(swizzle) + (registers ? " registers" : "") +
                                 (sparse ? " sparse" : ""));
                    product p;
                    p.n = 16;
                    p.d = types.d;
                    p.a = types.a;
                    p.b = types.b;
                    p.bits = types.bits;
                    p.swizzle = swizzle;
                    p.a_in_registers = registers;
                    p.sparse = sparse;
                    if (p.scaled() && swizzle == 64) p.scale_a = p.scale_b = -1;
                    expect_right(p);
                }
}

TEST(Warpgroup, MultipliesSparseMatrices) {
    const auto of = [](const char* d, const char* a, unsigned bits, unsigned selector) {
        product p;
        p.d = d;
        p.a = p.b = a;
        p.bits = bits;
        p.swizzle = 128;
        p.sparse = true;
        p.selector = selector;
        return p;
    };
    expect_right(of("f32", "f16", 16, 0));
    expect_right(of("f32", "bf16", 16, 1));
    expect_right(of("f32", "tf32", 32, 1));
    expect_right(of("f32", "e4m3", 8, 0));
    expect_right(of("s32", "s8", 8, 0));
    product p = of("f16", "f16", 16, 1);
    p.a_in_registers = true;
    p.b_layout = layout::mn_major;
    expect_right(p);
}

TEST(Warpgroup, ScalesByMinusOne) {
    product p;
    p.scale_a = -1;
    expect_right(p);
    p.scale_b = -1;
    expect_right(p);
    p.a_in_registers = true;
    p.scale_a = 1;
    expect_right(p);
}

TEST(Warpgroup, ReportsADescriptorOutsideOfSharedMemory) {
    const std::string code =
        ".visible .entry k()\n{ .shared .align 128 .b8 tile[1024]; .reg .f32 %f<4>; .reg .b64 "
        "%rd<2>; "
        ".reg .pred %p; setp.eq.u32 %p, 0, 0; mov.u64 %rd0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, 0x40, %p, "
        "1, "
        "1, 0, 0; ret; }\n";
    machine m(code, ".version 8.0\n.target sm_90a\n.address_size 64\n");
    EXPECT_THAT(fault_of([&] {
                    m.run("k", {1, 1, 1}, {128, 1, 1});
                }),
                HasSubstr("outside of shared memory"));
}

TEST(Warpgroup, WaitsForAllItsWarpsBeforeOperandsAreReused) {
    // Each warp overwrites both matrices as soon as its own product is complete.
    machine m(R"(
.visible .entry k(.param .u64 out)
{
  .shared .align 128 .b8 tile[8192]; .reg .f32 %f<4>; .reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .pred %p<3>;
  mov.u32 %r0, %tid.x; mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; add.u32 %r2, %r1, %r2;
  mov.u32 %r3, 0x3c003c00; mov.u32 %r4, 0; mov.u32 %r6, 0;
FILL: st.shared.u32 [%r2], %r3; add.u32 %r2, %r2, 512; add.u32 %r4, %r4, 512;
  setp.lt.u32 %p1, %r4, 8192; @%p1 bra FILL;
  bar.sync 0; setp.ne.u32 %p2, %r0, %r0;
  mov.u64 %rd1, 0x0000001000080000; mov.u64 %rd2, 0x0000001000080100;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p2, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  mov.u32 %r4, 0; sub.u32 %r2, %r2, 8192;
CLEAR: st.shared.u32 [%r2], %r6; add.u32 %r2, %r2, 512; add.u32 %r4, %r4, 512;
  setp.lt.u32 %p1, %r4, 8192; @%p1 bra CLEAR;
  ld.param.u64 %rd3, [out]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd3, %rd3, %rd4;
  st.global.f32 [%rd3], %f0;
  ret;
}
)",
              ".version 8.0\n.target sm_90a\n.address_size 64\n");
    const auto out = m.buffer(std::vector<float>(128));
    const execution_summary s = m.run("k", {1, 1, 1}, {128, 1, 1}, out);
    const auto sums = m.read<float>(out, 128);
    for (unsigned t = 0; t < 128; ++t) EXPECT_EQ(sums[t], 16) << t;
    // A warp that waits for the others, and executes its instruction again, counts once.
    unsigned waits = 0;
    for (const auto& count : s.by_opcode) {
        if (count.opcode.rfind("wgmma", 0) != 0) continue;
        EXPECT_EQ(count.warps % 4, 0u) << count.opcode;
        EXPECT_EQ(count.threads, 32 * count.warps) << count.opcode;
        if (count.opcode.find("wait_group") != std::string::npos) waits += count.warps;
    }
    EXPECT_EQ(waits, 4u);
}

TEST(Warpgroup, MultipliesWhatAllItsWarpsHaveStoredBeforeTheirFence) {
    // Each warp writes a quarter of both matrices; only wgmma.fence orders the warps.
    machine m(R"(
.visible .entry k(.param .u64 out)
{
  .shared .align 128 .b8 tile[8192]; .reg .f32 %f<4>; .reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .pred %p<3>;
  mov.u32 %r0, %tid.x; mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; add.u32 %r2, %r1, %r2;
  mov.u32 %r3, 0x3c003c00; mov.u32 %r4, 0;
FILL: st.shared.u32 [%r2], %r3; add.u32 %r2, %r2, 512; add.u32 %r4, %r4, 512;
  setp.lt.u32 %p1, %r4, 8192; @%p1 bra FILL;
  fence.proxy.async; setp.ne.u32 %p2, %r0, %r0;
  mov.u64 %rd1, 0x0000001000080000; mov.u64 %rd2, 0x0000001000080100;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p2, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  ld.param.u64 %rd3, [out]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd3, %rd3, %rd4;
  st.global.f32 [%rd3], %f0;
  ret;
}
)",
              ".version 8.0\n.target sm_90a\n.address_size 64\n");
    const auto out = m.buffer(std::vector<float>(128));
    m.run("k", {1, 1, 1}, {128, 1, 1}, out);
    const auto sums = m.read<float>(out, 128);
    for (unsigned t = 0; t < 128; ++t) EXPECT_EQ(sums[t], 16) << t;
}

TEST(Warpgroup, RejectsRegistersOfOtherWidthsAsElementsOfA) {
    for (const char* const a : {"{%p, %p, %p, %p}", "{%d0, %d0, %d0, %d0}", "%p"}) {
        const std::string code =
            std::string(
                ".visible .entry k()\n{ .shared .align 128 .b8 tile[1024]; .reg .f32 %f<4>; "
                ".reg .b64 %d<2>; .reg .pred %p; setp.eq.u32 %p, 0, 0;\n"
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, ") +
            a + ", %d1, %p, 1, 1, 0; ret; }\n";
        machine m(code, ".version 8.0\n.target sm_90a\n.address_size 64\n");
        EXPECT_THAT(fault_of([&] {
                        m.run("k", {1, 1, 1}, {128, 1, 1});
                    }),
                    HasSubstr("not executed"))
            << a;
    }
}

// Warp-level products of 8-bit floats, introduced by sm_89.
TEST(Matrix, MultipliesEightBitFloats) {
    constexpr unsigned rows = 16, columns = 8, inner = 32;
    for (const char* const a_type : {"e4m3", "e5m2"}) {
        for (const char* const b_type : {"e4m3", "e5m2"}) {
            machine m(std::string(R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<8>;
  mov.u32 %r0, %tid.x; ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mul.wide.u32 %rd3, %r0, 24; add.u64 %rd1, %rd1, %rd3;
  mul.wide.u32 %rd3, %r0, 16; add.u64 %rd2, %rd2, %rd3;
  ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, [%rd1+8];
  ld.global.u32 %r4, [%rd1+12]; ld.global.u32 %r5, [%rd1+16]; ld.global.u32 %r6, [%rd1+20];
  mov.f32 %f5, 0f3F800000;
  mma.sync.aligned.m16n8k32.row.col.f32.)") +
                          a_type + "." + b_type + R"(.f32 {%f1, %f2, %f3, %f4},
    {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f5, %f5, %f5};
  st.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};
  ret;
}
)",
                      ".version 8.4\n.target sm_90\n.address_size 64\n");
            std::mt19937 random(5);
            int a[rows][inner], b[inner][columns];
            for (auto& row : a)
                for (int& x : row) x = static_cast<int>(random() % 9) - 4;
            for (auto& row : b)
                for (int& x : row) x = static_cast<int>(random() % 9) - 4;
            // Four elements of a row of A, or of a column of B, per register (PTX manual).
            std::vector<std::uint32_t> in(32 * 6);
            for (unsigned lane = 0; lane < 32; ++lane)
                for (unsigned i = 0; i < 4; ++i) {
                    const unsigned k = lane % 4 * 4 + i;
                    for (unsigned r = 0; r < 4; ++r)
                        in[6 * lane + r] |= encode(a_type, a[lane / 4 + r % 2 * 8][k + r / 2 * 16])
                                            << 8 * i;
                    for (unsigned r = 0; r < 2; ++r)
                        in[6 * lane + 4 + r] |= encode(b_type, b[k + r * 16][lane / 4]) << 8 * i;
                }
            const auto out = m.buffer(std::vector<float>(32 * 4));
            m.run("k", {1, 1, 1}, {32, 1, 1}, m.buffer(in), out);
            const auto d = m.read<float>(out, 32 * 4);
            for (unsigned i = 0; i < 128; ++i) {
                const unsigned row = i / 16 + i % 4 / 2 * 8, column = i / 4 % 4 * 2 + i % 2;
                int sum = 1;
                for (unsigned k = 0; k < inner; ++k) sum += a[row][k] * b[k][column];
                ASSERT_EQ(d[i], static_cast<float>(sum)) << a_type << b_type << " " << i;
            }
        }
    }
}

TEST(StoreMatrix, IsTheInverseOfLoadMatrix) {
    for (const std::string trans : {"", ".trans"}) {
        machine m(
            ".visible .entry k(.param .u64 out)\n{ .shared .align 128 .b8 tile[1024];\n"
            ".reg .b32 %r<20>; .reg .b64 %rd<4>;\n"
            "mov.u32 %r0, %tid.x; mov.u32 %r1, tile; shl.b32 %r2, %r0, 4;"
            "add.u32 %r3, %r1, %r2;"
            "mad.lo.u32 %r4, %r0, 7, 1; add.u32 %r5, %r4, 1000; add.u32 %r6, %r4, 2000;"
            "add.u32 %r7, %r4, 70000;\n"
            "stmatrix.sync.aligned.m8n8.x4" +
                trans +
                ".shared.b16 [%r3], {%r4, %r5, %r6, %r7};"
                "bar.sync 0;\n"
                "ldmatrix.sync.aligned.m8n8.x4" +
                trans +
                ".shared.b16 {%r8, %r9, %r10, %r11}, [%r3];"
                "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r0, 16; add.u64 %rd1, %rd1, %rd2;"
                "st.global.v4.u32 [%rd1], {%r8, %r9, %r10, %r11}; ret; }\n",
            ".version 8.0\n.target sm_90\n.address_size 64\n");
        const auto out = m.buffer(std::vector<std::uint32_t>(128));
        m.run("k", {1, 1, 1}, {32, 1, 1}, out);
        const auto r = m.read<std::uint32_t>(out, 128);
        for (unsigned t = 0; t < 32; ++t) {
            EXPECT_EQ(r[t * 4], 7 * t + 1) << trans;
            EXPECT_EQ(r[t * 4 + 3], 7 * t + 70001) << trans;
        }
    }
}

}  // namespace
}  // namespace simtlm::execution
