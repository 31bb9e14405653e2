// SPDX-License-Identifier: Apache-2.0
// Tensor memory and tcgen05 (sm_100a): layouts as in CUTLASS's traits, sums of small integers,
// which are exact in every format.
#include "tests/unit/execution/machine.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <random>

namespace simtlm::execution {
namespace {

using testing::HasSubstr;
using u32 = std::uint32_t;

std::string head_of(const std::string& target) {
    return ".version 9.0\n.target " + target + "\n.address_size 64\n";
}

/// Executes a body with 128 threads per CTA, all 512 columns of tensor memory (%ta), `in` at the
/// beginning of shared memory (sm), an mbarrier (bar) and one lane as %leader. The body writes to
/// %out, 4096 bytes per thread.
std::vector<u32> run_body(const std::string& body, const std::vector<std::uint8_t>& in,
                          unsigned words, unsigned ctas = 1,
                          const std::string& target = "sm_100a") {
    const std::string pair = "cta_group::" + std::to_string(ctas);
    machine m(R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 bytes)
.reqnctapercluster )" +
                  std::to_string(ctas) + R"(, 1, 1
{
  .shared .align 1024 .b8 sm[40960];
  .shared .align 8 .b64 bar;
  .shared .align 4 .b32 slot;
  .reg .b32 %r<300>; .reg .b64 %d<16>; .reg .pred %p<8>; .reg .pred %leader; .reg .b16 %h<4>;
  .reg .b32 %t; .reg .b32 %ta; .reg .b32 %n; .reg .b64 %in; .reg .b64 %out; .reg .b32 %warp;
  .reg .b32 %row; .reg .b32 %cta;
  mov.u32 %t, %tid.x; mov.u32 %cta, %ctaid.x; shr.u32 %warp, %t, 5;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [bytes];
  mul.wide.u32 %d0, %cta, %n; add.u64 %in, %in, %d0;
  mad.lo.u32 %r0, %cta, 128, %t; mul.wide.u32 %d0, %r0, 4096; add.u64 %out, %out, %d0;
  mov.u32 %r0, sm; mul.lo.u32 %r1, %t, 4; add.u32 %r0, %r0, %r1;
  cvt.u64.u32 %d0, %r1; add.u64 %in, %in, %d0;
FILL:
  setp.ge.u32 %p0, %r1, %n;
  @%p0 bra FILLED;
  ld.global.u32 %r2, [%in]; st.shared.u32 [%r0], %r2;
  add.u32 %r1, %r1, 512; add.u32 %r0, %r0, 512; add.u64 %in, %in, 512;
  bra FILL;
FILLED:
  or.b32 %r3, %t, %cta; setp.eq.u32 %leader, %r3, 0;
  setp.eq.u32 %p0, %t, 0;
  @%p0 mbarrier.init.shared.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  setp.eq.u32 %p1, %warp, 0;
  @!%p1 bra READY;
  tcgen05.alloc.)" +
                  pair +
                  R"(.sync.aligned.shared::cta.b32 [slot], 512;
  tcgen05.relinquish_alloc_permit.)" +
                  pair + R"(.sync.aligned;
READY:
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  ld.shared.u32 %ta, [slot];
  shl.b32 %row, %warp, 21; add.u32 %row, %row, %ta;
)" + body + R"(
  tcgen05.fence::before_thread_sync;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  @!%p1 bra END;
  tcgen05.dealloc.)" +
                  pair + R"(.sync.aligned.b32 %ta, 512;
END:
  ret;
}
)",
              head_of(target));
    const auto di = m.buffer(in);
    const auto out = m.buffer(std::vector<u32>(std::size_t{ctas} * 128 * 1024, 0));
    m.run("k", {ctas, 1, 1}, {128, 1, 1}, di, out, static_cast<u32>(in.size() / ctas));
    const std::vector<u32> all = m.read<u32>(out, std::size_t{ctas} * 128 * 1024);
    std::vector<u32> rows;
    for (unsigned t = 0; t < ctas * 128; ++t)
        rows.insert(rows.end(), all.begin() + t * 1024, all.begin() + t * 1024 + words);
    return rows;
}

std::string number(std::uint64_t n) {
    return std::to_string(n);
}

/// tcgen05.ld of columns, one register per column, which are stored to %out.
std::string load_columns(unsigned first, unsigned count) {
    std::string text;
    for (unsigned c = 0; c < count; c += 8) {
        text += "add.u32 %r10, %row, " + number(first + c) + ";\n";
        text +=
            "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}, "
            "[%r10];\ntcgen05.wait::ld.sync.aligned;\n";
        for (unsigned i = 0; i < 8; ++i)
            text += "st.global.u32 [%out+" + number(4 * (c + i)) + "], %r" + number(20 + i) + ";\n";
    }
    return text;
}

/// Waits for the first phase of the mbarrier.
const char* const wait = R"(
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
  @!%p2 bra WAIT;
  tcgen05.fence::after_thread_sync;
)";

/// A format of elements: bits in memory, and the encoding of small integers.
struct format {
    const char* kind;
    unsigned number;  ///< in the instruction descriptor
    unsigned exponent_bits, mantissa_bits;
    unsigned container;  ///< bits of an element in memory; 0: 16 elements padded to 16 bytes

    unsigned bits() const { return 1 + exponent_bits + mantissa_bits; }
    bool integer() const { return exponent_bits == 0; }
    u32 encode(int value) const {
        if (integer()) return static_cast<std::uint8_t>(value);
        if (value == 0) return 0;
        int exponent = 0;
        const double fraction = std::frexp(std::abs(value), &exponent) * 2;
        const int bias = exponent_bits == 2 ? 1 : (1 << (exponent_bits - 1)) - 1;
        return (value < 0 ? 1u : 0u) << (exponent_bits + mantissa_bits) |
               static_cast<u32>(exponent - 1 + bias) << mantissa_bits |
               static_cast<u32>((fraction - 1) * (1 << mantissa_bits));
    }
};
const format f16{"f16", 0, 5, 10, 16}, bf16{"f16", 1, 8, 7, 16}, tf32{"tf32", 2, 8, 23, 32},
    e4m3{"f8f6f4", 0, 4, 3, 8}, e5m2{"f8f6f4", 1, 5, 2, 8}, e2m3{"f8f6f4", 3, 2, 3, 0},
    e3m2{"f8f6f4", 4, 3, 2, 0}, e2m1{"f8f6f4", 5, 2, 1, 0}, s8{"i8", 1, 0, 7, 8},
    packed_e2m1{"mxf4", 1, 2, 1, 4};

/// A matrix product of one or two CTAs, with A and B in shared memory.
struct product {
    format a = f16, b = f16;
    unsigned m = 128, n = 64;
    unsigned swizzle = 0;  ///< bytes: 0, 32, 64, 128; 1: 128 bytes by 32
    bool a_is_mn = false, b_is_mn = false;
    unsigned ctas = 1;
    bool f16_sums = false;
    bool weight_stationary = false;
    bool a_in_tensor_memory = false;
    bool shifts_a = false;
    std::uint64_t zero_columns = 0;                       ///< .ws: descriptor of the mask
    std::vector<bool> (*zeros)(unsigned part) = nullptr;  ///< its columns of a part of D

    unsigned column_shift() const { return static_cast<unsigned>(zero_columns >> 56); }
    bool is_zero(unsigned column) const {
        if (zeros == nullptr) return false;
        const unsigned each = n / (128 / m);
        const std::vector<bool> columns = zeros(column / each);
        return columns[column % each % columns.size()];
    }
    unsigned k() const {
        const std::string kind = a.kind;
        return kind == "f16" ? 16 : kind == "tf32" ? 8 : kind == "mxf4" ? 64 : 32;
    }
    u32 descriptor() const {
        const unsigned d = a.integer() ? 2 : f16_sums ? 0 : 1;
        return d << 4 | a.number << 7 | b.number << 10 | (a_is_mn ? 1u : 0u) << 15 |
               (b_is_mn ? 1u : 0u) << 16 | n / 8 << 17 | m / 16 << 24 |
               (column_shift() != 0 ? 3u << 30 : 0);
    }
    /// The row of A that the second of two products multiplies.
    unsigned second_row(unsigned row) const { return shifts_a && row % 32 != 31 ? row + 1 : row; }
};

/// Places a matrix in shared memory, and makes its descriptor.
class placed_matrix {
public:
    placed_matrix(const format& f, bool mn, unsigned swizzle, unsigned first)
        : f_(f), mn_(mn), wide_(swizzle == 1), swizzle_(wide_ ? 128 : swizzle), first_(first) {}

    std::uint64_t descriptor(unsigned rows, unsigned k) {
        const unsigned bytes = f_.container / 8;
        if (!mn_) {
            stride_ = 8 * (swizzle_ == 0 ? 16 : swizzle_);
            leading_ = swizzle_ == 0 ? rows * 16 : 16;
        } else if (swizzle_ == 0) {
            stride_ = 128;                       // between groups of 16 bytes of rows
            leading_ = rows * bytes / 16 * 128;  // between groups of eight k
        } else {
            stride_ = (wide_ ? 4 : 8) * swizzle_;        // between groups of k
            leading_ = stride_ * (k / (wide_ ? 4 : 8));  // between spans of rows
        }
        const u32 mode = wide_             ? 1
                         : swizzle_ == 128 ? 2
                         : swizzle_ == 64  ? 4
                         : swizzle_ == 32  ? 6
                                           : 0;
        return first_ / 16 | std::uint64_t{leading_ / 16} << 16 |
               std::uint64_t{stride_ / 16} << 32 | std::uint64_t{1} << 46 |
               std::uint64_t{mode} << 61;
    }
    void put(std::vector<std::uint8_t>& memory, unsigned row, unsigned k, u32 bits) const {
        const unsigned group_bits = f_.container == 0 ? f_.bits() : f_.container;
        const unsigned bit =
            f_.container == 0 ? k / 16 * 128 + k % 16 * group_bits : k * group_bits;
        unsigned at = first_;
        if (!mn_)
            at += swizzle_ == 0
                      ? row / 8 * stride_ + row % 8 * 16 + bit / 128 * leading_ + bit % 128 / 8
                      : row / 8 * stride_ + row % 8 * swizzle_ + bit / 8;
        else {
            const unsigned bytes = f_.container / 8, span = (swizzle_ == 0 ? 16 : swizzle_) / bytes;
            const unsigned group = wide_ ? 4 : 8;
            at += row % span * bytes + k % group * (swizzle_ == 0 ? 16 : swizzle_);
            at += swizzle_ == 0 ? row / span * stride_ + k / 8 * leading_
                                : row / span * leading_ + k / group * stride_;
        }
        if (wide_)
            at ^= (at >> 7 & 3) << 5;
        else if (swizzle_ != 0)
            at ^= (at >> 7 & (swizzle_ / 16 - 1)) << 4;
        std::uint64_t word = 0;
        const unsigned length = (bit % 8 + group_bits + 7) / 8;
        std::memcpy(&word, &memory[at], length);
        word |= std::uint64_t{bits} << bit % 8;
        std::memcpy(&memory[at], &word, length);
    }

private:
    format f_;
    bool mn_, wide_;
    unsigned swizzle_, first_, stride_ = 0, leading_ = 0;
};

/// A[row][k] and B[column][k] as small integers, and their product.
struct numbers {
    std::vector<std::vector<int>> a, b;

    numbers(unsigned m, unsigned n, unsigned k, unsigned seed) : a(m), b(n) {
        std::mt19937 random(seed);
        const auto fill = [&](std::vector<std::vector<int>>& rows) {
            for (auto& row : rows)
                for (unsigned i = 0; i < k; ++i) row.push_back(static_cast<int>(random() % 5) - 2);
        };
        fill(a);
        fill(b);
    }
    int sum(unsigned row, unsigned column) const {
        int s = 0;
        for (std::size_t i = 0; i < a[row].size(); ++i) s += a[row][i] * b[column][i];
        return s;
    }
};

/// Lane and column of an element of D (PTX ISA, "Data path layout organization").
std::pair<unsigned, unsigned> place_of_d(const product& p, unsigned row, unsigned column) {
    const unsigned rows = p.m / p.ctas;
    if (rows == 128) return {row, column};
    if (p.ctas == 1 && !p.weight_stationary) return {row / 16 * 32 + row % 16, column};
    const unsigned part = 128 / rows, each = p.n / part;
    return {row + column / each * rows, column % each};
}

double value_of(const product& p, u32 word) {
    if (p.a.integer()) return static_cast<std::int32_t>(word);
    if (!p.f16_sums) {
        float f;
        std::memcpy(&f, &word, 4);
        return f;
    }
    const int exponent = static_cast<int>(word >> 10 & 31);
    const double fraction = exponent == 0 ? (word & 1023) / 1024.0 : 1 + (word & 1023) / 1024.0;
    return std::ldexp(fraction, std::max(exponent, 1) - 15) * ((word & 0x8000) != 0 ? -1 : 1);
}

/// Multiplies twice, the second time adding to D, and compares all elements with 2 A B.
void expect_product(const product& p) {
    const numbers values(p.m, p.n + p.column_shift(), p.k(), p.m + p.n);
    const unsigned rows = p.m / p.ctas, bytes = 40960, b_at = 16384;
    const unsigned columns = (p.n + p.column_shift()) / p.ctas;
    std::vector<std::uint8_t> memory(std::size_t{bytes} * p.ctas);
    std::uint64_t a_descriptor = 0, b_descriptor = 0;
    for (unsigned cta = 0; cta < p.ctas; ++cta) {
        std::vector<std::uint8_t> one(bytes);
        placed_matrix a(p.a, p.a_is_mn, p.swizzle, 0), b(p.b, p.b_is_mn, p.swizzle, b_at);
        a_descriptor = a.descriptor(rows, p.k());
        b_descriptor = b.descriptor(columns, p.k());
        for (unsigned k = 0; k < p.k(); ++k) {
            for (unsigned i = 0; i < rows; ++i)
                a.put(one, i, k, p.a.encode(values.a[cta * rows + i][k]));
            for (unsigned j = 0; j < columns; ++j)
                b.put(one, j, k, p.b.encode(values.b[cta * columns + j][k]));
        }
        std::copy(one.begin(), one.end(), memory.begin() + cta * bytes);
    }
    std::string body, left = "%d1";
    if (p.a_in_tensor_memory) {  // rows of 32 bytes, without swizzle
        body += "mov.b64 %d3, " + number(a_descriptor) +
                ";\nadd.u32 %r40, %ta, 256;\n@%leader tcgen05.cp.cta_group::" + number(p.ctas) +
                ".128x256b" +
                (p.a.container != 0 ? ""
                 : p.a.bits() == 4  ? ".b8x16.b4x16_p64"
                                    : ".b8x16.b6x16_p32") +
                " [%r40], %d3;\n";
        left = "[%r40]";
    }
    std::string mask;
    if (p.zero_columns != 0) {
        body += "mov.b64 %d4, " + number(p.zero_columns) + ";\n";
        mask = ", %d4";
    }
    const std::string ws = p.weight_stationary ? ".ws" : "", group = number(p.ctas);
    body += "mov.b64 %d1, " + number(a_descriptor) + ";\nmov.b64 %d2, " + number(b_descriptor) +
            ";\nmov.b32 %r41, " + number(p.descriptor()) +
            ";\nsetp.ne.u32 %p3, 0, 0;\nsetp.eq.u32 %p4, 0, 0;\nmov.u16 %h0, " +
            (p.ctas == 2 ? "3" : "1") + ";\n";
    for (const char* adds : {"%p3", "%p4"})
        body += "@%leader tcgen05.mma" + ws + ".cta_group::" + group + ".kind::" + p.a.kind +
                (p.shifts_a ? ".ashift [%ta], " : " [%ta], ") + left + ", %d2, %r41, " + adds +
                mask + ";\n";
    body += "@%leader tcgen05.commit.cta_group::" + group +
            ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], %h0;\n";
    const unsigned width = place_of_d(p, 0, p.n - 1).second + 1;
    body += wait + load_columns(0, width);
    const std::vector<u32> d = run_body(body, memory, width, p.ctas);
    for (unsigned row = 0; row < p.m; ++row)
        for (unsigned column = 0; column < p.n; ++column) {
            const auto [lane, at] = place_of_d(p, row % rows, column);
            const u32 word = d[(std::size_t{row / rows} * 128 + lane) * width + at];
            const unsigned from = column + p.column_shift();
            const int sum =
                p.is_zero(column) ? 0 : values.sum(row, from) + values.sum(p.second_row(row), from);
            ASSERT_EQ(value_of(p, word), sum) << "row " << row << ", column " << column;
        }
}

TEST(TensorCore, MultipliesEveryKindWithoutSwizzle) {
    for (const auto& [a, b] : {std::pair{f16, f16},
                               {bf16, bf16},
                               {tf32, tf32},
                               {e4m3, e5m2},
                               {e2m3, e3m2},
                               {e2m1, e4m3},
                               {s8, s8}}) {
        product p;
        p.a = a;
        p.b = b;
        SCOPED_TRACE(std::string(a.kind) + " " + number(a.number));
        expect_product(p);
    }
}

TEST(TensorCore, ReadsMatricesOfEverySwizzle) {
    for (const unsigned swizzle : {32u, 64u, 128u}) {
        product p;
        p.swizzle = swizzle;
        SCOPED_TRACE(swizzle);
        expect_product(p);
        p.a_is_mn = p.b_is_mn = true;
        expect_product(p);
        p.a = p.b = e4m3;
        p.n = 128;
        expect_product(p);
    }
    product p;
    p.a_is_mn = p.b_is_mn = true;
    expect_product(p);
    p.a = p.b = tf32;
    p.swizzle = 1;
    expect_product(p);
}

TEST(TensorCore, PlacesSumsByTheNumberOfRows) {
    product p;
    p.m = 64;
    p.n = 40;
    expect_product(p);
    p.n = 128;
    p.weight_stationary = true;
    expect_product(p);
    p.m = 32;
    expect_product(p);
    p.m = 128;
    p.n = 256;
    p.f16_sums = true;
    p.weight_stationary = false;
    expect_product(p);
}

TEST(TensorCore, MultipliesMatricesOfTwoCtas) {
    product p;
    p.ctas = 2;
    p.m = 256;
    p.n = 96;
    expect_product(p);
    p.m = 128;
    p.n = 64;
    expect_product(p);
    p.m = 256;
    p.a_in_tensor_memory = true;
    expect_product(p);
}

TEST(TensorCore, TakesAFromTensorMemory) {
    product p;
    p.a_in_tensor_memory = true;
    for (const auto& e : {f16, tf32, e4m3, s8, e2m1, e2m3, e3m2}) {
        p.a = p.b = e;
        SCOPED_TRACE(std::string(e.kind) + " " + number(e.number));
        expect_product(p);
    }
}

TEST(TensorCore, ShiftsTheRowsOfAAfterAProduct) {
    product p;
    p.a_in_tensor_memory = p.shifts_a = true;
    expect_product(p);
    p.ctas = 2;
    p.m = 256;
    expect_product(p);
}

TEST(TensorCore, ShiftsRowsWithinQuartersOfTensorMemory) {
    const std::string body =
        "mul.lo.u32 %r1, %t, 100;\n"
        "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 6; add.u32 %r4, %r1, 7; add.u32 %r5, %r1, 8;\n"
        "tcgen05.st.sync.aligned.32x32b.x16.b32 [%row], "
        "{%r1,%r2,%r1,%r1,%r1,%r1,%r3,%r4,%r5,%r1,%r1,%r1,%r1,%r1,%r1,%r1};\n"
        "tcgen05.wait::st.sync.aligned;\nbar.sync 0;\n"
        "@%leader tcgen05.shift.cta_group::1.down [%ta];\n"
        "@%leader tcgen05.shift.cta_group::1.down [%ta];\n"
        "@%leader tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n" +
        std::string(wait) + load_columns(0, 16);
    const std::vector<u32> words = run_body(body, std::vector<std::uint8_t>(4), 16);
    for (unsigned t = 0; t < 128; ++t) {
        const u32 from = std::min(t + 2, t / 32 * 32 + 31) * 100;
        EXPECT_EQ(words[t * 16], from);
        EXPECT_EQ(words[t * 16 + 1], from + 1);
        EXPECT_EQ(words[t * 16 + 7], from + 7);
        EXPECT_EQ(words[t * 16 + 8], t * 100 + 8) << "not one of the eight columns";
    }
}

// The masks are the examples of the PTX manual, "Zero-Column Mask Descriptor".
TEST(TensorCore, MultipliesColumnsOfAMaskAsZeros) {
    constexpr std::uint64_t enable = std::uint64_t{1} << 39;
    constexpr std::uint64_t spans = std::uint64_t{2} << 40 | std::uint64_t{3} << 48;
    product p;
    p.weight_stationary = true;
    p.zero_columns = spans;  // not enabled
    expect_product(p);
    p.zero_columns |= enable;
    p.zeros = [](unsigned) { return std::vector<bool>{0, 0, 0, 0, 1, 1, 1}; };
    expect_product(p);
    p.b_is_mn = true;
    expect_product(p);
    p.m = 64;
    p.n = 128;
    p.b_is_mn = false;
    p.zero_columns |= std::uint64_t{1} << 32;
    p.zeros = [](unsigned part) {
        return part == 0 ? std::vector<bool>{1, 1, 1, 0, 0, 0, 0}
                         : std::vector<bool>{0, 0, 0, 0, 1, 1, 1};
    };
    expect_product(p);
    p.m = 32;
    p.zero_columns = spans | enable | std::uint64_t{3} << 32 | 0x01020100 | std::uint64_t{2} << 56;
    p.zeros = [](unsigned part) {
        const std::vector<bool> parts[] = {{1, 1, 1, 0, 0, 0, 0},
                                           {1, 1, 0, 0, 0, 0, 1},
                                           {0, 0, 1, 1, 1, 0, 0},
                                           {0, 0, 0, 1, 1, 1, 0}};
        return parts[part];
    };
    expect_product(p);
}

TEST(TensorCore, BeginsWithALaterColumnIfColumnsAreShifted) {
    product p;
    p.weight_stationary = true;
    for (const std::uint64_t shift : {8u, 24u, 32u}) {
        p.zero_columns = shift << 56;
        expect_product(p);
    }
    p.b_is_mn = true;
    expect_product(p);
}

/// Scale factors are powers of two, 2^(i % 3 + block) for row or column i.
TEST(TensorCore, ScalesBlocksOfRowsAndColumns) {
    struct scaled {
        const char* kind;
        format element;
        unsigned blocks;
        bool ue4m3;
    };
    for (const scaled& s : {scaled{"mxf8f6f4.block_scale", e4m3, 1, false},
                            scaled{"mxf8f6f4.block_scale.scale_vec::1X", e2m1, 1, false},
                            scaled{"mxf4.block_scale.scale_vec::2X", packed_e2m1, 2, false},
                            scaled{"mxf4nvf4.block_scale.scale_vec::4X", packed_e2m1, 4, true},
                            scaled{"mxf4nvf4.block_scale.block32", packed_e2m1, 2, false}}) {
        SCOPED_TRACE(s.kind);
        product p;
        p.a = p.b = s.element;
        p.n = 64;
        const unsigned k = p.k(), a_scales = 32768, b_scales = a_scales + 2048;
        const numbers values(p.m, p.n, k, 7);
        std::vector<std::uint8_t> memory(40960);
        placed_matrix a(p.a, false, 0, 0), b(p.b, false, 0, 16384);
        const std::uint64_t a_at = a.descriptor(p.m, k), b_at = b.descriptor(p.n, k);
        for (unsigned q = 0; q < k; ++q) {
            for (unsigned i = 0; i < p.m; ++i) a.put(memory, i, q, p.a.encode(values.a[i][q]));
            for (unsigned j = 0; j < p.n; ++j) b.put(memory, j, q, p.b.encode(values.b[j][q]));
        }
        // 32 rows of 16 bytes: word w of row r has the factors of matrix row 32 w + r.
        const auto exponent = [](unsigned i, unsigned block) { return i % 3 + block; };
        for (unsigned i = 0; i < p.m; ++i)
            for (unsigned q = 0; q < s.blocks; ++q) {
                const unsigned at = i % 32 * 16 + i / 32 * 4 + q;
                const auto factor = static_cast<std::uint8_t>(s.ue4m3 ? (exponent(i, q) + 7) << 3
                                                                      : exponent(i, q) + 127);
                memory[a_scales + at] = factor;
                if (i < p.n) memory[b_scales + at] = factor;
            }
        const auto plain = [](unsigned at) {
            return at / 16 | std::uint64_t{1} << 16 | std::uint64_t{8} << 32 |
                   std::uint64_t{1} << 46;
        };
        const u32 descriptor = p.a.number << 7 | p.b.number << 10 | p.n / 8 << 17 |
                               (s.ue4m3 ? 0u : 1u) << 23 | p.m / 16 << 24;
        std::string body =
            "mov.b64 %d1, " + number(a_at) + ";\nmov.b64 %d2, " + number(b_at) +
            ";\nmov.b64 %d3, " + number(plain(a_scales)) + ";\nmov.b64 %d4, " +
            number(plain(b_scales)) + ";\nmov.b32 %r41, " + number(descriptor) +
            ";\nsetp.ne.u32 %p3, 0, 0;\nadd.u32 %r42, %ta, 256;\nadd.u32 %r43, %ta, 260;\n";
        body +=
            "@%leader tcgen05.cp.cta_group::1.32x128b.warpx4 [%r42], %d3;\n"
            "@%leader tcgen05.cp.cta_group::1.32x128b.warpx4 [%r43], %d4;\n";
        body += std::string("@%leader tcgen05.mma.cta_group::1.kind::") + s.kind +
                " [%ta], %d1, %d2, %r41, [%r42], [%r43], %p3;\n"
                "@%leader tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                "[bar];\n";
        body += wait + load_columns(0, p.n);
        const std::vector<u32> d = run_body(body, memory, p.n);
        for (unsigned row = 0; row < p.m; ++row)
            for (unsigned column = 0; column < p.n; ++column) {
                double sum = 0;
                for (unsigned q = 0; q < k; ++q) {
                    const unsigned block = q * s.blocks / k;
                    sum += std::ldexp(
                        values.a[row][q] * values.b[column][q],
                        static_cast<int>(exponent(row, block) + exponent(column, block)));
                }
                ASSERT_EQ(value_of(p, d[row * p.n + column]), sum) << row << " " << column;
            }
    }
}

// sm_103: rows of 48 bytes begin at any 16 bytes of a line of 128, and continue in another one.
TEST(TensorCore, MultipliesRowsOf96FourBitFloats) {
    struct scaled {
        const char* kind;
        unsigned block;
        bool ue4m3;
        unsigned byte;   ///< first scale factor
        unsigned start;  ///< of the row, bytes
    };
    constexpr unsigned k = 96, a_at[] = {0, 16384}, b_at[] = {32768, 34816};
    constexpr unsigned a_scales = 36864, b_scales = 37888, line = 128;
    for (const scaled& s : {scaled{"mxf4nvf4.block_scale.block16", 16, true, 0, 0},
                            scaled{"mxf4nvf4.block_scale.block16", 16, true, 2, 96},
                            scaled{"mxf4.block_scale.block32", 32, false, 3, 48},
                            scaled{"mxf4.block_scale.block32", 32, false, 2, 112}}) {
        SCOPED_TRACE(std::string(s.kind) + ", byte " + number(s.byte));
        product p;
        p.a = p.b = packed_e2m1;
        p.n = 16;
        const numbers values(p.m, p.n, k, 9);
        std::vector<std::uint8_t> memory(40960);
        const auto put = [&](const unsigned(&buffers)[2], unsigned row, unsigned q, u32 bits) {
            const unsigned byte = s.start + q / 2;
            unsigned at = buffers[byte / line] + row * line + byte % line;
            at ^= (at >> 7 & 7) << 4;
            memory[at] = static_cast<std::uint8_t>(memory[at] | bits << q % 2 * 4);
        };
        const auto descriptor = [&](const unsigned(&buffers)[2]) {
            return (buffers[0] + s.start) / 16 | std::uint64_t{buffers[1] / 16} << 16 |
                   std::uint64_t{8 * line / 16} << 32 | std::uint64_t{1} << 46 |
                   std::uint64_t{1} << 52 | std::uint64_t{2} << 61;
        };
        for (unsigned q = 0; q < k; ++q) {
            for (unsigned i = 0; i < p.m; ++i) put(a_at, i, q, p.a.encode(values.a[i][q]));
            for (unsigned j = 0; j < p.n; ++j) put(b_at, j, q, p.b.encode(values.b[j][q]));
        }
        // Tables of 32 rows of 16 bytes have four factors of each row, the next one the next four.
        const auto exponent = [](unsigned i, unsigned block) { return i % 3 + block; };
        for (unsigned i = 0; i < p.m; ++i)
            for (unsigned q = 0; q < k / s.block; ++q) {
                const unsigned at =
                    (s.byte + q) / 4 * 512 + i % 32 * 16 + i / 32 * 4 + (s.byte + q) % 4;
                const auto factor = static_cast<std::uint8_t>(s.ue4m3 ? (exponent(i, q) + 7) << 3
                                                                      : exponent(i, q) + 127);
                memory[a_scales + at] = factor;
                if (i < p.n) memory[b_scales + at] = factor;
            }
        const u32 instruction = s.byte << 4 | p.a.number << 7 | p.b.number << 10 | p.n / 8 << 17 |
                                (s.ue4m3 ? 0u : 1u) << 23 | p.m / 16 << 24 | s.byte << 29 |
                                1u << 31;
        std::string body = "mov.b64 %d1, " + number(descriptor(a_at)) + ";\nmov.b64 %d2, " +
                           number(descriptor(b_at)) + ";\nmov.b32 %r41, " + number(instruction) +
                           ";\nsetp.ne.u32 %p3, 0, 0;\nadd.u32 %r42, %ta, 256;\n"
                           "add.u32 %r43, %ta, 272;\n";
        for (unsigned table = 0; table < 4; ++table)
            body += "mov.b64 %d3, " +
                    number((a_scales + table * 512) / 16 | std::uint64_t{1} << 16 |
                           std::uint64_t{8} << 32 | std::uint64_t{1} << 46) +
                    ";\nadd.u32 %r44, %ta, " + number(256 + table / 2 * 16 + table % 2 * 4) +
                    ";\n@%leader tcgen05.cp.cta_group::1.32x128b.warpx4 [%r44], %d3;\n";
        body += std::string("@%leader tcgen05.mma.cta_group::1.kind::") + s.kind +
                " [%ta], %d1, %d2, %r41, [%r42], [%r43], %p3;\n"
                "@%leader tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                "[bar];\n";
        body += wait + load_columns(0, p.n);
        const std::vector<u32> d = run_body(body, memory, p.n, 1, "sm_103a");
        for (unsigned row = 0; row < p.m; ++row)
            for (unsigned column = 0; column < p.n; ++column) {
                double sum = 0;
                for (unsigned q = 0; q < k; ++q)
                    sum += std::ldexp(values.a[row][q] * values.b[column][q],
                                      static_cast<int>(exponent(row, q / s.block) +
                                                       exponent(column, q / s.block)));
                ASSERT_EQ(value_of(p, d[row * p.n + column]), sum) << row << " " << column;
            }
        EXPECT_THROW(run_body(body, memory, p.n), std::exception);  // sm_100
    }
}

/// @param selector  column of the metadata, for elements of 16 and 32 bits
void expect_sparse_rows(const format& e, unsigned selector = 0) {
    SCOPED_TRACE(e.kind);
    product p;
    p.a = p.b = e;
    const unsigned k = p.k(), each = p.k() == 8 ? 1 : 2;  // stored; per group
    numbers stored(p.m, p.n, k, 3), full(p.m, p.n, 2 * k, 4);
    std::vector<std::uint8_t> memory(40960);
    placed_matrix a(p.a, false, 0, 0), b(p.b, false, 0, 16384);
    const std::uint64_t a_at = a.descriptor(p.m, k), b_at = b.descriptor(p.n, 2 * k);
    std::mt19937 random(5);
    std::vector<u32> metadata(128 * 2);  // by lane, column
    for (unsigned row = 0; row < p.m; ++row) {
        std::fill(full.a[row].begin(), full.a[row].end(), 0);
        for (unsigned group = 0; group < k / each; ++group) {
            const unsigned first = random() % 3, second = first + 1 + random() % (3 - first);
            const u32 code = each == 1 ? (first % 2 != 0 ? 14 : 4) : first | second << 2;
            if (each == 1) {
                full.a[row][group * 2 + first % 2] = stored.a[row][group];
            } else {
                full.a[row][group * 4 + first] = stored.a[row][group * 2];
                full.a[row][group * 4 + second] = stored.a[row][group * 2 + 1];
            }
            const bool narrow = e.container == 8;
            const unsigned lane = narrow ? row : row % 8 + row / 16 * 16 + group / 4 * 8;
            const unsigned bit = narrow ? group % 8 * 4 : row / 8 % 2 * 16 + group % 4 * 4;
            metadata[lane * 2 + (narrow ? group / 8 : selector)] |= code << bit;
        }
    }
    for (unsigned i = 0; i < p.m; ++i)
        for (unsigned q = 0; q < k; ++q) a.put(memory, i, q, e.encode(stored.a[i][q]));
    for (unsigned j = 0; j < p.n; ++j)
        for (unsigned q = 0; q < 2 * k; ++q) b.put(memory, j, q, e.encode(full.b[j][q]));
    std::memcpy(&memory[32768], metadata.data(), metadata.size() * 4);
    std::string body =
        "mov.u32 %r50, sm; mad.lo.u32 %r50, %t, 8, %r50;\n"
        "ld.shared.v2.u32 {%r51, %r52}, [%r50+32768];\nadd.u32 %r53, %row, 256;\n"
        "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r53], {%r51, %r52};\n"
        "tcgen05.wait::st.sync.aligned;\nbar.sync 0;\n";
    body += "mov.b64 %d1, " + number(a_at) + ";\nmov.b64 %d2, " + number(b_at) +
            ";\nmov.b32 %r41, " + number(p.descriptor() | 4 | selector) +
            ";\nsetp.ne.u32 %p3, 0, 0;\nadd.u32 %r53, %ta, 256;\n@%leader "
            "tcgen05.mma.sp.cta_group::1.kind::" +
            std::string(e.kind) +
            " [%ta], %d1, %d2, [%r53], %r41, %p3;\n@%leader "
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n";
    body += wait + load_columns(0, p.n);
    const std::vector<u32> d = run_body(body, memory, p.n);
    for (unsigned row = 0; row < p.m; ++row)
        for (unsigned column = 0; column < p.n; ++column)
            ASSERT_EQ(value_of(p, d[row * p.n + column]), full.sum(row, column))
                << row << " " << column;
}

TEST(TensorCore, MultipliesSparseRows) {
    for (const format& e : {f16, e4m3, tf32, s8}) expect_sparse_rows(e);
}

TEST(TensorCore, SelectsAColumnOfMetadata) {
    for (const format& e : {f16, tf32}) expect_sparse_rows(e, 1);
}

TEST(TensorCore, LeavesDisabledLanesAndScalesD) {
    product p;
    const numbers values(p.m, p.n, p.k(), 1);
    std::vector<std::uint8_t> memory(40960);
    placed_matrix a(p.a, false, 0, 0), b(p.b, false, 0, 16384);
    const std::uint64_t a_at = a.descriptor(p.m, p.k()), b_at = b.descriptor(p.n, p.k());
    for (unsigned q = 0; q < p.k(); ++q) {
        for (unsigned i = 0; i < p.m; ++i) a.put(memory, i, q, p.a.encode(values.a[i][q]));
        for (unsigned j = 0; j < p.n; ++j) b.put(memory, j, q, p.b.encode(values.b[j][q]));
    }
    std::string body = "mov.b64 %d1, " + number(a_at) + ";\nmov.b64 %d2, " + number(b_at) +
                       ";\nmov.b32 %r41, " + number(p.descriptor()) +
                       ";\nsetp.ne.u32 %p3, 0, 0;\nsetp.eq.u32 %p4, 0, 0;\nmov.b32 %r42, 0;\n"
                       "mov.b32 %r43, 0x80000001;\n";
    body +=
        "@%leader tcgen05.mma.cta_group::1.kind::f16 [%ta], %d1, %d2, %r41, %p3;\n"
        "@%leader tcgen05.mma.cta_group::1.kind::f16 [%ta], %d1, %d2, %r41, {%r42, %r43, %r42, "
        "%r42}, %p4, 1;\n"
        "@%leader tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n";
    body += wait + load_columns(0, p.n);
    const std::vector<u32> d = run_body(body, memory, p.n);
    for (unsigned row = 0; row < p.m; ++row) {
        const double factor = row == 32 || row == 63 ? 1 : 1.5;
        ASSERT_EQ(value_of(p, d[row * p.n]), factor * values.sum(row, 0)) << row;
    }
}

/// Every shape of tcgen05.ld: tensor memory holds 512 lane + column.
TEST(TensorCore, LoadsAndStoresEveryShapeOfTensorMemory) {
    std::string fill;
    for (unsigned c = 0; c < 16; ++c)
        fill += "mad.lo.u32 %r" + number(60 + c) + ", %t, 512, " + number(c) + ";\n";
    fill +=
        "tcgen05.st.sync.aligned.32x32b.x16.b32 [%row], {%r60,%r61,%r62,%r63,%r64,%r65,%r66,%r67,"
        "%r68,%r69,%r70,%r71,%r72,%r73,%r74,%r75};\ntcgen05.wait::st.sync.aligned;\n";
    struct shape {
        const char* text;
        unsigned registers;
        std::pair<unsigned, unsigned> (*place)(unsigned lane, unsigned r);
        const char* split = "";
    };
    const shape shapes[] = {
        {"16x64b.x2", 2,
         [](unsigned t, unsigned r) {
             return std::pair{t / 4 + t % 2 * 8, t / 2 % 2 + 2 * r};
         }},
        {"16x128b.x1", 2,
         [](unsigned t, unsigned r) {
             return std::pair{t / 4 + 8 * r, t % 4};
         }},
        {"16x256b.x1", 4,
         [](unsigned t, unsigned r) {
             return std::pair{t / 4 + r / 2 * 8, t % 4 * 2 + r % 2};
         }},
        {"16x32bx2.x2", 2,
         [](unsigned t, unsigned r) {
             return std::pair{t % 16, t / 16 * 5 + r};
         },
         ", 5"},
        {"32x32b.x4", 4,
         [](unsigned t, unsigned r) {
             return std::pair{t, r};
         }},
    };
    for (const shape& s : shapes) {
        SCOPED_TRACE(s.text);
        std::string list;
        for (unsigned r = 0; r < s.registers; ++r)
            list += (r == 0 ? "%r" : ", %r") + number(80 + r);
        std::string body = fill + "tcgen05.ld.sync.aligned." + s.text + ".b32 {" + list +
                           "}, [%row]" + s.split + ";\ntcgen05.wait::ld.sync.aligned;\n";
        for (unsigned r = 0; r < s.registers; ++r)
            body += "st.global.u32 [%out+" + number(4 * r) + "], %r" + number(80 + r) + ";\n";
        const std::vector<u32> loaded = run_body(body, std::vector<std::uint8_t>(4), 4);
        for (unsigned t = 0; t < 128; ++t)
            for (unsigned r = 0; r < s.registers; ++r) {
                const auto [row, column] = s.place(t % 32, r);
                ASSERT_EQ(loaded[t * 4 + r], (t / 32 * 32 + row) * 512 + column) << t << " " << r;
            }
    }
}

// sm_103. The results are those of a B300.
TEST(TensorCore, ReducesTheColumnsThatALaneLoads) {
    struct reduced {
        const char* operation;
        std::array<u32, 4> columns;
        u32 result;
    };
    constexpr u32 one = 0x3f800000, two = 0x40000000, four = 0x40800000, half = 0x3f000000;
    constexpr u32 eight = 0x41000000, negative = 0x80000000, nan = 0x7fc12345;
    const auto minus = [](u32 n) { return 0u - n; };
    for (const reduced& r :
         {reduced{"max.u32", {9, 2, 15, 4}, 15}, reduced{"u32.min", {9, 2, 15, 4}, 2},
          reduced{"min.s32", {minus(5), 7, minus(20), 3}, minus(20)},
          reduced{"max.abs.NaN.f32", {one, negative | four, nan, two}, 0x7fffffff},
          reduced{"max.f32", {one, negative | four, nan, two}, two},
          reduced{"f32.min.abs", {four, negative | two, half, negative | eight}, half}}) {
        SCOPED_TRACE(r.operation);
        std::string body;
        for (unsigned c = 0; c < 4; ++c)
            body += "mov.b32 %r" + number(20 + c) + ", " + number(r.columns[c]) + ";\n";
        body +=
            "tcgen05.st.sync.aligned.32x32b.x4.b32 [%row], {%r20, %r21, %r22, %r23};\n"
            "tcgen05.wait::st.sync.aligned;\ntcgen05.ld.red.sync.aligned.32x32b.x4." +
            std::string(r.operation) +
            " {%r30, %r31, %r32, %r33}, %r34, [%row];\ntcgen05.wait::ld.sync.aligned;\n"
            "st.global.v4.b32 [%out], {%r30, %r31, %r32, %r33};\nst.global.b32 [%out+16], %r34;\n";
        const std::vector<u32> d = run_body(body, std::vector<std::uint8_t>(4), 5, 1, "sm_103a");
        for (unsigned t = 0; t < 128; ++t) {
            for (unsigned c = 0; c < 4; ++c) ASSERT_EQ(d[t * 5 + c], r.columns[c]) << t;
            ASSERT_EQ(d[t * 5 + 4], r.result) << t;
        }
    }
}

TEST(TensorCore, PacksTheLowHalvesOfTwoColumns) {
    const std::string body =
        "mov.b32 %r60, 0x00020001; mov.b32 %r61, 0x00040003;\n"
        "tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%row], {%r60, %r61};\n"
        "tcgen05.wait::st.sync.aligned;\n" +
        load_columns(0, 8) +
        "tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%r62, %r63}, [%row];\n"
        "tcgen05.wait::ld.sync.aligned;\nst.global.u32 [%out+32], %r62; st.global.u32 [%out+36], "
        "%r63;\n";
    const std::vector<u32> words = run_body(body, std::vector<std::uint8_t>(4), 10);
    EXPECT_EQ(std::vector<u32>(words.begin(), words.begin() + 4), (std::vector<u32>{1, 2, 3, 4}));
    EXPECT_EQ(words[8], 0x00020001u);
    EXPECT_EQ(words[9], 0x00040003u);
}

TEST(TensorCore, NamesWhatIsWrong) {
    const auto fault = [](const std::string& body) {
        return fault_of([&] { run_body(body, std::vector<std::uint8_t>(4), 1); });
    };
    EXPECT_THAT(fault("add.u32 %r1, %ta, 0x200000;\n"
                      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];\n"),
                HasSubstr("warp 3 accesses lanes 96 to 127 of tensor memory"));
    EXPECT_THAT(fault("add.u32 %r1, %row, 511;\n"
                      "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r2, %r3}, [%r1];\n"),
                HasSubstr("columns 511 to 512 of tensor memory are not allocated"));
    EXPECT_THAT(fault("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %ta, 64;\n"),
                HasSubstr("64 columns of tensor memory have not been allocated at 0x0"));
    EXPECT_THAT(fault("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\n"),
                HasSubstr("allocates tensor memory after relinquishing the permit"));
    EXPECT_THAT(fault("mov.b32 %r1, 0x490; setp.eq.u32 %p3, 0, 0;\n@%leader "
                      "tcgen05.mma.cta_group::1.kind::f16 [%ta], "
                      "%d1, %d1, %r1, %p3;\n"),
                HasSubstr("a product of m0n0 does not exist"));
    const std::string stationary =
        "mov.b32 %r1, 0x48100010; mov.b64 %d2, {}; setp.eq.u32 %p3, 0, 0;\n@%leader "
        "tcgen05.mma.ws.cta_group::1.kind::f16 [%ta], %d1, %d1, %r1, %p3, %d2;\n";
    const auto with_mask = [&](const char* mask) {
        std::string body = stationary;
        return fault(body.replace(body.find("{}"), 2, mask));
    };
    EXPECT_THAT(with_mask("0x0a00000000000000"),
                HasSubstr("columns are shifted by 10, the instruction descriptor allows 8"));
    EXPECT_THAT(with_mask("0x1000000000"),
                HasSubstr("reserved bits of the mask of zero columns are set"));
    EXPECT_THAT(fault("add.u32 %r1, %ta, 0x200000;\n"
                      "@%leader tcgen05.shift.cta_group::1.down [%r1];\n"),
                HasSubstr("shifts rows from lane 32 on"));
}

}  // namespace
}  // namespace simtlm::execution
