// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/matrix.h"

#include "modules/execution/arithmetic/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>

namespace simtlm::execution::arithmetic {
namespace {

using el = matrix_element;
constexpr auto row = matrix_layout::row, column = matrix_layout::column;

/// Registers of one fragment: [register][lane].
template <class Word>
struct registers {
    std::vector<std::vector<Word>> words;
    std::vector<Word*> pointers;
    explicit registers(unsigned count) : words(count, std::vector<Word>(warp_lanes)) {
        for (auto& word : words) pointers.push_back(word.data());
    }
    Word* const* data() { return pointers.data(); }
};

using key = std::array<unsigned, 3>;  // batch, row, column
using matrix = std::map<key, std::uint32_t>;

/// Distributes a matrix of raw bits to registers as defined by the fragment.
registers<std::uint32_t> load(const matrix_fragment& fragment, const matrix& m) {
    registers<std::uint32_t> r(fragment.registers());
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        for (unsigned i = 0; i < fragment.per_lane(); ++i) {
            const auto at = fragment.place(lane, i);
            const unsigned shift = i % fragment.per_register() * fragment.bits();
            r.words[i / fragment.per_register()][lane] |= m.at({at.batch, at.row, at.column})
                                                          << shift;
        }
    }
    return r;
}

matrix store(const matrix_fragment& fragment, const registers<std::uint32_t>& r) {
    matrix m;
    const std::uint32_t mask = fragment.bits() == 32 ? ~0u : (1u << fragment.bits()) - 1;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        for (unsigned i = 0; i < fragment.per_lane(); ++i) {
            const auto at = fragment.place(lane, i);
            const unsigned shift = i % fragment.per_register() * fragment.bits();
            m[{at.batch, at.row, at.column}] =
                r.words[i / fragment.per_register()][lane] >> shift & mask;
        }
    }
    return m;
}

matrix fill(unsigned batches, unsigned rows, unsigned columns,
            const std::function<std::uint32_t()>& value) {
    matrix m;
    for (unsigned b = 0; b < batches; ++b) {
        for (unsigned i = 0; i < rows; ++i) {
            for (unsigned j = 0; j < columns; ++j) m[{b, i, j}] = value();
        }
    }
    return m;
}

std::uint32_t encode(el type, double x) {
    const auto bits = as_bits(x);
    switch (type) {
        case el::f16:
            return cvt<f16, f64>::apply(bits);
        case el::bf16:
            return cvt<bf16, f64>::apply(bits);
        case el::e5m2:
            return cvt<f16, f64>::apply(bits) >> 8;
        case el::e4m3: {  // of a number that it has exactly
            const std::uint32_t wide = cvt<f32, f64>::apply(bits);
            return x == 0 ? 0 : wide >> 31 << 7 | ((wide >> 20 & 0x7ff) - (120 << 3));
        }
        default:
            return cvt<f32, f64>::apply(bits);
    }
}
double decode(el type, std::uint32_t bits) {
    switch (type) {
        case el::f16:
            return as_float(cvt<f32, f16>::apply(static_cast<std::uint16_t>(bits)));
        case el::bf16:
            return as_float(bits << 16);
        case el::e5m2:
            return decode(el::f16, bits << 8);
        case el::e4m3:
            return (bits & 0x7f) == 0
                       ? 0
                       : as_float((bits & 0x80) << 24 | ((bits & 0x7f) + (120 << 3)) << 20);
        default:
            return as_float(bits);
    }
}

struct float_case {
    const char* name;
    matrix_shape shape;
    el in, c, d;
    matrix_layout a_layout, b_layout;
    bool wmma;
    unsigned a_registers, b_registers, c_registers, d_registers;  // as in PTX
};

/// Registers with another sign bit: of two halves, that of the upper one.
registers<std::uint32_t> negated_if(bool negate, const registers<std::uint32_t>& r) {
    registers<std::uint32_t> result(static_cast<unsigned>(r.words.size()));
    for (std::size_t i = 0; i < r.words.size(); ++i)
        for (unsigned lane = 0; lane < warp_lanes; ++lane)
            result.words[i][lane] = r.words[i][lane] ^ (negate ? 0x80000000 : 0);
    return result;
}

class FloatMatrices : public ::testing::TestWithParam<float_case> {};

TEST_P(FloatMatrices, MultiplySmallNumbersExactlyFromTheRegistersOfPtx) {
    const auto& p = GetParam();
    const auto& [m, n, k] = p.shape;
    matrix_description description;
    description.shape = p.shape;
    description.a = description.b = p.in;
    description.c = p.c;
    description.d = p.d;
    description.a_layout = p.a_layout;
    description.b_layout = p.b_layout;
    description.wmma = p.wmma;
    const matrix_multiply multiply(description);
    EXPECT_EQ(multiply.a().registers(), p.a_registers);
    EXPECT_EQ(multiply.b().registers(), p.b_registers);
    EXPECT_EQ(multiply.c().registers(), p.c_registers);
    EXPECT_EQ(multiply.d().registers(), p.d_registers);
    const unsigned batches = !p.wmma && m == 8 && n == 8 ? 4 : 1;
    std::mt19937 random(3);
    const auto small = [&](el type) {
        return [&random, type] { return encode(type, static_cast<int>(random() % 17) - 8); };
    };
    const matrix a = fill(batches, m, k, small(p.in)), b = fill(batches, k, n, small(p.in));
    const matrix c = fill(batches, m, n, small(p.c));
    auto ra = load(multiply.a(), a), rb = load(multiply.b(), b), rc = load(multiply.c(), c);
    registers<std::uint32_t> rd(multiply.d().registers());
    matrix_multiply{description}.apply(ra.data(), rb.data(), rc.data(), rd.data());
    const matrix d = store(multiply.d(), rd);
    ASSERT_EQ(d.size(), std::size_t{batches} * m * n) << "every element lies somewhere";
    for (const auto& [at, bits] : d) {
        double sum = decode(p.c, c.at(at));
        for (unsigned i = 0; i < k; ++i)
            sum += decode(p.in, a.at({at[0], at[1], i})) * decode(p.in, b.at({at[0], i, at[2]}));
        ASSERT_EQ(decode(p.d, bits), sum) << at[0] << " " << at[1] << " " << at[2];
    }
    // Machine code negates registers like numbers of single precision.
    const unsigned negations = p.in == el::e4m3 || p.in == el::e5m2 ? 0 : 8;
    for (unsigned negated = 0; negated < negations; ++negated) {
        description.negate_a = (negated & 1) != 0;
        description.negate_b = (negated & 2) != 0;
        description.negate_c = (negated & 4) != 0;
        matrix_multiply{description}.apply(ra.data(), rb.data(), rc.data(), rd.data());
        registers<std::uint32_t> expected(multiply.d().registers());
        auto na = negated_if(description.negate_a, ra), nb = negated_if(description.negate_b, rb);
        auto nc = negated_if(description.negate_c, rc);
        multiply.apply(na.data(), nb.data(), nc.data(), expected.data());
        ASSERT_EQ(rd.words, expected.words) << "negated " << negated;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FloatMatrices,
    ::testing::Values(
        float_case{
            "m8n8k4_rc", {8, 8, 4}, el::f16, el::f32, el::f32, row, column, false, 2, 2, 8, 8},
        float_case{
            "m8n8k4_cr", {8, 8, 4}, el::f16, el::f16, el::f16, column, row, false, 2, 2, 4, 4},
        float_case{"m8n8k4_rr", {8, 8, 4}, el::f16, el::f16, el::f32, row, row, false, 2, 2, 4, 8},
        float_case{
            "m8n8k4_cc", {8, 8, 4}, el::f16, el::f32, el::f16, column, column, false, 2, 2, 8, 4},
        float_case{
            "m16n8k8_f16", {16, 8, 8}, el::f16, el::f16, el::f16, row, column, false, 2, 1, 2, 2},
        float_case{
            "m16n8k16_f16", {16, 8, 16}, el::f16, el::f32, el::f32, row, column, false, 4, 2, 4, 4},
        float_case{
            "m16n8k8_bf16", {16, 8, 8}, el::bf16, el::f32, el::f32, row, column, false, 2, 1, 4, 4},
        float_case{"m16n8k16_bf16",
                   {16, 8, 16},
                   el::bf16,
                   el::f32,
                   el::f32,
                   row,
                   column,
                   false,
                   4,
                   2,
                   4,
                   4},
        float_case{
            "m16n8k4_tf32", {16, 8, 4}, el::tf32, el::f32, el::f32, row, column, false, 2, 1, 4, 4},
        float_case{
            "m16n8k8_tf32", {16, 8, 8}, el::tf32, el::f32, el::f32, row, column, false, 4, 2, 4, 4},
        float_case{"wmma_m16n16k16_f16",
                   {16, 16, 16},
                   el::f16,
                   el::f32,
                   el::f16,
                   row,
                   row,
                   true,
                   8,
                   8,
                   8,
                   4},
        float_case{"wmma_m8n32k16_f16",
                   {8, 32, 16},
                   el::f16,
                   el::f16,
                   el::f32,
                   column,
                   row,
                   true,
                   8,
                   8,
                   4,
                   8},
        float_case{"wmma_m32n8k16_f16",
                   {32, 8, 16},
                   el::f16,
                   el::f32,
                   el::f32,
                   row,
                   column,
                   true,
                   8,
                   8,
                   8,
                   8},
        float_case{"wmma_m16n16k16_bf16",
                   {16, 16, 16},
                   el::bf16,
                   el::f32,
                   el::f32,
                   column,
                   column,
                   true,
                   4,
                   4,
                   8,
                   8},
        float_case{"wmma_m8n32k16_bf16",
                   {8, 32, 16},
                   el::bf16,
                   el::f32,
                   el::f32,
                   row,
                   row,
                   true,
                   2,
                   8,
                   8,
                   8},
        float_case{"wmma_m32n8k16_bf16",
                   {32, 8, 16},
                   el::bf16,
                   el::f32,
                   el::f32,
                   row,
                   row,
                   true,
                   8,
                   2,
                   8,
                   8},
        float_case{"wmma_m16n16k8_tf32",
                   {16, 16, 8},
                   el::tf32,
                   el::f32,
                   el::f32,
                   row,
                   column,
                   true,
                   4,
                   4,
                   8,
                   8}),
    [](const auto& test) { return test.param.name; });

struct integer_case {
    const char* name;
    matrix_shape shape;
    el a, b;
    bool wmma;
    unsigned a_registers, b_registers, c_registers;
};

std::int64_t integer(el type, std::uint32_t bits) {
    switch (type) {
        case el::s8:
            return static_cast<std::int8_t>(bits);
        case el::s4:
            return static_cast<std::int8_t>(bits << 4) >> 4;
        default:
            return bits;
    }
}

class IntegerMatrices : public ::testing::TestWithParam<integer_case> {};

TEST_P(IntegerMatrices, MultiplyExactlyAndSaturateIfRequested) {
    const auto& p = GetParam();
    const auto& [m, n, k] = p.shape;
    const bool single_bits = p.a == el::b1;
    const unsigned stored_k = single_bits ? k / 32 : k;
    for (const bool option : {false, true}) {
        matrix_description description;
        description.shape = p.shape;
        description.a = p.a;
        description.b = p.b;
        description.c = description.d = el::s32;
        description.wmma = p.wmma;
        description.saturate = description.bit_and = option;
        const matrix_multiply multiply(description);
        EXPECT_EQ(multiply.a().registers(), p.a_registers);
        EXPECT_EQ(multiply.b().registers(), p.b_registers);
        EXPECT_EQ(multiply.c().registers(), p.c_registers);
        std::mt19937 random(5);
        const std::uint32_t mask = storage_bits(p.a) == 32 ? ~0u : (1u << storage_bits(p.a)) - 1;
        const auto any = [&] { return random() & mask; };
        const matrix a = fill(1, m, stored_k, any), b = fill(1, stored_k, n, any);
        const matrix c = fill(1, m, n, [&] {
            const std::uint32_t near_limit[] = {0x7ffffff0, 0x80000010, 0x12345678, 100};
            return near_limit[random() % 4];
        });
        auto ra = load(multiply.a(), a), rb = load(multiply.b(), b), rc = load(multiply.c(), c);
        multiply.apply(ra.data(), rb.data(), rc.data(), rc.data());
        for (const auto& [at, bits] : store(multiply.d(), rc)) {
            std::int64_t sum = static_cast<std::int32_t>(c.at(at));
            for (unsigned i = 0; i < stored_k; ++i) {
                const std::uint32_t x = a.at({0, at[1], i}), y = b.at({0, i, at[2]});
                sum += single_bits ? __builtin_popcount(option ? x & y : x ^ y)
                                   : integer(p.a, x) * integer(p.b, y);
            }
            if (option && !single_bits)
                sum = std::min<std::int64_t>(std::max<std::int64_t>(sum, INT32_MIN), INT32_MAX);
            ASSERT_EQ(bits, static_cast<std::uint32_t>(sum)) << at[1] << " " << at[2];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, IntegerMatrices,
    ::testing::Values(integer_case{"m8n8k16_s8", {8, 8, 16}, el::s8, el::u8, false, 1, 1, 2},
                      integer_case{"m16n8k16_u8", {16, 8, 16}, el::u8, el::s8, false, 2, 1, 4},
                      integer_case{"m16n8k32_s8", {16, 8, 32}, el::s8, el::s8, false, 4, 2, 4},
                      integer_case{"m8n8k32_s4", {8, 8, 32}, el::s4, el::u4, false, 1, 1, 2},
                      integer_case{"m16n8k32_u4", {16, 8, 32}, el::u4, el::s4, false, 2, 1, 4},
                      integer_case{"m16n8k64_s4", {16, 8, 64}, el::s4, el::s4, false, 4, 2, 4},
                      integer_case{"m8n8k128_b1", {8, 8, 128}, el::b1, el::b1, false, 1, 1, 2},
                      integer_case{"m16n8k128_b1", {16, 8, 128}, el::b1, el::b1, false, 2, 1, 4},
                      integer_case{"m16n8k256_b1", {16, 8, 256}, el::b1, el::b1, false, 4, 2, 4},
                      integer_case{
                          "wmma_m16n16k16_s8", {16, 16, 16}, el::s8, el::s8, true, 2, 2, 8},
                      integer_case{"wmma_m8n32k16_u8", {8, 32, 16}, el::u8, el::u8, true, 1, 4, 8},
                      integer_case{"wmma_m32n8k16_s8", {32, 8, 16}, el::s8, el::s8, true, 4, 1, 8},
                      integer_case{"wmma_m8n8k32_s4", {8, 8, 32}, el::s4, el::s4, true, 1, 1, 2},
                      integer_case{"wmma_m8n8k128_b1", {8, 8, 128}, el::b1, el::b1, true, 1, 1, 2}),
    [](const auto& test) { return test.param.name; });

/// Selected positions from the tables of the PTX manual.
TEST(MatrixFragments, HaveTheLayoutOfThePtxManual) {
    const auto at = [](const matrix_fragment& f, unsigned lane, unsigned i) {
        return std::array<unsigned, 2>{f.place(lane, i).row, f.place(lane, i).column};
    };
    using place = std::array<unsigned, 2>;
    const auto a16 = mma_fragment({16, 8, 16}, matrix_operand::a, el::f16, row);
    EXPECT_EQ(at(a16, 5, 0), (place{1, 2}));
    EXPECT_EQ(at(a16, 5, 3), (place{9, 3}));
    EXPECT_EQ(at(a16, 5, 4), (place{1, 10}));
    EXPECT_EQ(at(a16, 31, 7), (place{15, 15}));
    const auto b16 = mma_fragment({16, 8, 16}, matrix_operand::b, el::f16, column);
    EXPECT_EQ(at(b16, 5, 1), (place{3, 1}));
    EXPECT_EQ(at(b16, 5, 2), (place{10, 1}));
    const auto c32 = mma_fragment({16, 8, 16}, matrix_operand::c, el::f32, row);
    EXPECT_EQ(at(c32, 6, 1), (place{1, 5}));
    EXPECT_EQ(at(c32, 6, 2), (place{9, 4}));
    const auto a8 = mma_fragment({16, 8, 32}, matrix_operand::a, el::s8, row);
    EXPECT_EQ(at(a8, 5, 3), (place{1, 7}));
    EXPECT_EQ(at(a8, 5, 4), (place{9, 4}));
    EXPECT_EQ(at(a8, 5, 8), (place{1, 20}));
    const auto volta_a = mma_fragment({8, 8, 4}, matrix_operand::a, el::f16, column);
    EXPECT_EQ(at(volta_a, 17, 2), (place{6, 1}));
    const auto volta_b = mma_fragment({8, 8, 4}, matrix_operand::b, el::f16, row);
    EXPECT_EQ(at(volta_b, 17, 2), (place{1, 6}));
    const auto volta_c = mma_fragment({8, 8, 4}, matrix_operand::c, el::f32, row);
    EXPECT_EQ(at(volta_c, 19, 7), (place{7, 7}));
    EXPECT_EQ(at(volta_c, 3, 1), (place{1, 3}));
    EXPECT_EQ(volta_c.place(9, 0).batch, 2);
}

TEST(MatrixFragments, HoldEveryElementOfAVoltaWmmaTheSameNumberOfTimes) {
    for (const auto operand : {matrix_operand::a, matrix_operand::b, matrix_operand::c}) {
        for (const auto element : {el::f16, el::f32}) {
            for (const auto layout : {row, column}) {
                if (element == el::f32 && operand != matrix_operand::c) continue;
                const auto f = wmma_fragment({16, 16, 16}, operand, element, layout);
                std::map<std::array<unsigned, 2>, unsigned> holders;
                for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                    for (unsigned i = 0; i < f.per_lane(); ++i) {
                        ++holders[{f.place(lane, i).row, f.place(lane, i).column}];
                    }
                }
                ASSERT_EQ(holders.size(), 256u);
                for (const auto& [at, count] : holders) {
                    ASSERT_EQ(count, operand == matrix_operand::c ? 1u : 2u);
                }
            }
        }
    }
    const auto a = wmma_fragment({16, 16, 16}, matrix_operand::a, el::f16, row);
    EXPECT_EQ(a.place(21, 9).row, 13) << "lane 21 has row 13, as lane 29";
    EXPECT_EQ(a.place(21, 9).column, 9);
    const auto c = wmma_fragment({16, 16, 16}, matrix_operand::c, el::f32, row);
    EXPECT_EQ(c.place(11, 7).row, 3);
    EXPECT_EQ(c.place(11, 7).column, 15);
}

TEST(SparseMatrices, MultiplyWhatTheMetadataSelect) {
    struct sparse_case {
        matrix_shape shape;
        el type;
        unsigned selectors;
    };
    const sparse_case cases[] = {
        {{16, 8, 16}, el::f16, 4},  {{16, 8, 32}, el::f16, 2},  {{16, 8, 32}, el::bf16, 2},
        {{16, 8, 8}, el::tf32, 4},  {{16, 8, 16}, el::tf32, 2}, {{16, 8, 32}, el::s8, 2},
        {{16, 8, 64}, el::u8, 1},   {{16, 8, 64}, el::s4, 2},   {{16, 8, 128}, el::s4, 1},
        {{16, 8, 64}, el::e4m3, 1}, {{16, 8, 64}, el::e5m2, 1}};
    std::mt19937 random(11);
    for (const auto& [shape, type, selectors] : cases) {
        for (unsigned selector = 0; selector < selectors; ++selector) {
            const bool floats = type <= el::f32;
            matrix_description description;
            description.shape = shape;
            description.a = description.b = type;
            description.c = description.d = floats ? el::f32 : el::s32;
            description.sparse = true;
            description.selector = selector;
            const matrix_multiply multiply(description);
            const auto value = [&, t = type]() -> std::uint32_t {
                if (floats) return encode(t, static_cast<int>(random() % 15) - 7);
                return random() & ((1u << storage_bits(t)) - 1);
            };
            // A dense A, of which two of four elements (one of two, two pairs of eight) are kept.
            const unsigned group = storage_bits(type) == 32 ? 2 : storage_bits(type) == 4 ? 8 : 4;
            const unsigned pair = storage_bits(type) == 4 ? 2 : 1;
            matrix whole = fill(1, 16, shape.k, [] { return 0u; }), kept;
            std::vector<std::uint32_t> metadata(warp_lanes, 0xffffffff);
            for (unsigned i = 0; i < 16; ++i) {
                for (unsigned g = 0; g < shape.k / group; ++g) {
                    const unsigned first = random() % 3,
                                   second = first + 1 + random() % (3 - first);
                    unsigned code = first | second << 2;
                    if (group == 2) code = first % 2 != 0 ? 0b1110 : 0b0100;
                    for (unsigned s = 0; s < group / 2; ++s) {
                        const unsigned chosen = group == 2      ? first % 2
                                                : s / pair == 0 ? first * pair + s % pair
                                                                : second * pair + s % pair;
                        const std::uint32_t bits = value();
                        kept[{0, i, g * group / 2 + s}] = bits;
                        whole[{0, i, g * group + chosen}] = bits;
                    }
                    const unsigned lanes = 4 / selectors;
                    const bool narrow = storage_bits(type) <= 8;
                    std::uint32_t& word = metadata[i % 8 * 4 + selector * lanes +
                                                   (narrow ? g / 8 * 2 + i / 8 : g / 4)];
                    const unsigned shift = narrow ? g % 8 * 4 : i / 8 * 16 + g % 4 * 4;
                    word = (word & ~(15u << shift)) | code << shift;
                }
            }
            const matrix b = fill(1, shape.k, 8, value);
            const matrix c =
                fill(1, 16, 8, [&]() -> std::uint32_t { return floats ? f32::one : 7; });
            auto ra = load(multiply.a(), kept), rb = load(multiply.b(), b);
            auto rc = load(multiply.c(), c);
            multiply.apply(ra.data(), rb.data(), rc.data(), rc.data(), metadata.data());
            for (const auto& [at, bits] : store(multiply.d(), rc)) {
                double sum = floats ? 1 : 7;
                for (unsigned i = 0; i < shape.k; ++i) {
                    const std::uint32_t x = whole.at({0, at[1], i}), y = b.at({0, i, at[2]});
                    sum += floats ? decode(type, x) * decode(type, y)
                                  : static_cast<double>(integer(type, x) * integer(type, y));
                }
                const double got = floats ? as_float(bits) : static_cast<std::int32_t>(bits);
                ASSERT_EQ(got, sum) << "k " << shape.k << " selector " << selector;
            }
        }
    }
}

TEST(MatrixProducts, ExistForTheShapesOfInstructions) {
    matrix_description d;
    d.a = d.b = el::e4m3;
    d.shape = {16, 8, 64};
    d.sparse = true;
    EXPECT_NO_THROW(matrix_multiply{d});
    d.shape.k = 128;
    EXPECT_THROW(matrix_multiply{d}, std::invalid_argument);
}

/// One sum through lane 0: row 0 of A, column 0 of B.
double dot(std::vector<double> a, std::vector<double> b, double c, tensor_core_sum how, el in,
           el out) {
    matrix_description description;
    description.shape = {16, 8, 16};
    description.a = description.b = in;
    description.c = description.d = out;
    description.sum = how;
    const matrix_multiply multiply(description);
    a.resize(16);
    b.resize(16);
    matrix ma = fill(1, 16, 16, [] { return 0u; }), mb = fill(1, 16, 8, [] { return 0u; });
    matrix mc = fill(1, 16, 8, [] { return 0u; });
    for (unsigned i = 0; i < 16; ++i) {
        ma[{0, 0, i}] = encode(in, a[i]);
        mb[{0, i, 0}] = encode(in, b[i]);
    }
    mc[{0, 0, 0}] = encode(out, c);
    auto ra = load(multiply.a(), ma), rb = load(multiply.b(), mb), rc = load(multiply.c(), mc);
    multiply.apply(ra.data(), rb.data(), rc.data(), rc.data());
    return decode(out, store(multiply.d(), rc).at({0, 0, 0}));
}

TEST(TensorCoreSums, TruncateEveryTermToTheLastBitOfTheLargest) {
    const auto sum = [](std::vector<double> a, double c, tensor_core_sum how) {
        return dot(a, std::vector<double>(16, 1.0), c, how, el::bf16, el::f32);
    };
    // 2^-24 is half of the last bit of 1: lost without an extra bit; with one, two of them count.
    EXPECT_EQ(sum({0x1p-24, 0x1p-24}, 1, {8, 0}), 1);
    EXPECT_EQ(sum({0x1p-24, 0x1p-24}, 1, {8, 1}), 1 + 0x1p-23);
    EXPECT_EQ(sum({0x1p-24}, 1, {8, 1}), 1) << "the sum is cut, not rounded";
    EXPECT_EQ(sum({0x1.8p-23}, 1, {8, 1}), 1 + 0x1p-23);
    EXPECT_EQ(sum({-0x1p-24}, 1, {8, 1}), 1 - 0x1p-24);
    EXPECT_EQ(sum({-0x1p-24}, 1, {8, 0}), 1) << "towards zero before the subtraction";
    // The ninth product belongs to the next group.
    std::vector<double> nine(9, 0.0);
    nine[0] = nine[8] = 0x1p-24;
    EXPECT_EQ(sum(nine, 1, {8, 1}), 1);
    EXPECT_EQ(sum(nine, 1, {16, 1}), 1 + 0x1p-23);
    // Large terms that cancel also remove small ones.
    EXPECT_EQ(sum({0x1p30, 1, -0x1p30}, 0, {8, 1}), 0);
    EXPECT_EQ(sum({0x1p20, 1, -0x1p20}, 0, {8, 1}), 1);
}

TEST(TensorCoreSums, RoundToNearestF16OnceAtTheEnd) {
    const std::vector<double> ones(16, 1.0);
    EXPECT_EQ(dot({0x1p-11}, ones, 1, ampere_sum, el::f16, el::f16), 1) << "a tie to even";
    EXPECT_EQ(dot({0x1p-11, 0x1p-12}, ones, 1, ampere_sum, el::f16, el::f16), 1 + 0x1p-10);
    EXPECT_EQ(dot({60000, 60000}, ones, 0, ampere_sum, el::f16, el::f16), INFINITY);
    EXPECT_EQ(dot({60000, 60000}, ones, 0, ampere_sum, el::f16, el::f32), 120000);
}

TEST(TensorCoreSums, PropagateInfinitiesAndNan) {
    const std::vector<double> ones(16, 1.0);
    EXPECT_EQ(dot({INFINITY, 1}, ones, -5, ampere_sum, el::f16, el::f32), INFINITY);
    EXPECT_TRUE(std::isnan(dot({INFINITY, -INFINITY}, ones, 0, ampere_sum, el::f16, el::f32)));
    EXPECT_TRUE(std::isnan(dot({INFINITY}, {0}, 0, ampere_sum, el::f16, el::f32)));
    EXPECT_EQ(dot({1}, ones, -INFINITY, ampere_sum, el::f16, el::f32), -INFINITY);
    EXPECT_EQ(dot({0x1p127, 0x1p127}, {1, 1}, 0, ampere_sum, el::bf16, el::f32), INFINITY);
}

TEST(TensorCoreSums, StayCloseToTheExactSumOfRandomNumbers) {
    std::mt19937 random(17);
    std::normal_distribution<double> normal;
    for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<double> a(16), b(16);
        double exact = normal(random), magnitude = std::fabs(exact);
        exact = static_cast<float>(exact);
        const double c = exact;
        for (unsigned i = 0; i < 16; ++i) {
            a[i] = decode(el::f16, encode(el::f16, normal(random)));
            b[i] = decode(el::f16, encode(el::f16, normal(random)));
            exact += a[i] * b[i];
            magnitude += std::fabs(a[i] * b[i]);
        }
        ASSERT_NEAR(dot(a, b, c, volta_sum, el::f16, el::f32), exact, magnitude * 0x1p-20);
    }
}

TEST(DoubleMatrices, AreChainsOfFusedMultiplyAdds) {
    for (const matrix_shape shape : {matrix_shape{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}) {
        matrix_description description;
        description.shape = shape;
        description.a = description.b = description.c = description.d = el::f64;
        const matrix_multiply multiply(description);
        std::mt19937_64 random(23);
        std::normal_distribution<double> normal;
        const auto draw = [&](const matrix_fragment& fragment, std::map<key, double>& m) {
            registers<std::uint64_t> r(fragment.registers());
            for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                for (unsigned i = 0; i < fragment.registers(); ++i) {
                    const auto at = fragment.place(lane, i);
                    const double x = m[{0, at.row, at.column}] = normal(random);
                    r.words[i][lane] = as_bits(x);
                }
            }
            return r;
        };
        std::map<key, double> a, b, c;
        auto ra = draw(multiply.a(), a), rb = draw(multiply.b(), b), rc = draw(multiply.c(), c);
        ASSERT_EQ(a.size(), std::size_t{shape.m} * shape.k);
        ASSERT_EQ(b.size(), std::size_t{shape.k} * shape.n);
        multiply.apply(ra.data(), rb.data(), rc.data(), rc.data());
        for (unsigned lane = 0; lane < warp_lanes; ++lane) {
            for (unsigned i = 0; i < multiply.d().registers(); ++i) {
                const auto at = multiply.d().place(lane, i);
                double sum = c.at({0, at.row, at.column});
                for (unsigned p = 0; p < shape.k; ++p) {
                    sum = std::fma(a.at({0, at.row, p}), b.at({0, p, at.column}), sum);
                }
                ASSERT_EQ(rc.words[i][lane], as_bits(sum));
            }
        }
    }
}

TEST(MatrixMoves, TransposeEightByEight) {
    std::uint32_t from[warp_lanes], to[warp_lanes];
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {  // element (r, c) holds 10 r + c
        const unsigned r = lane / 4, c = lane % 4 * 2;
        from[lane] = (10 * r + c) | (10 * r + c + 1) << 16;
    }
    movmatrix(from, to);
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        const unsigned r = lane / 4, c = lane % 4 * 2;
        EXPECT_EQ(to[lane], (10 * c + r) | (10 * (c + 1) + r) << 16);
    }
}

TEST(MatrixMoves, LoadRowsOfEightOrTheirTransposes) {
    const auto plain_place = ldmatrix_place(13, 2, 1, false);
    EXPECT_EQ(plain_place.address_lane, 19u) << "matrix 2, row 3";
    EXPECT_EQ(plain_place.element, 3u);
    const auto transposed = ldmatrix_place(13, 2, 1, true);
    EXPECT_EQ(transposed.address_lane, 19u);
    EXPECT_EQ(transposed.element, 3u);
    EXPECT_EQ(ldmatrix_place(4, 0, 0, true).element, 1u);
    EXPECT_EQ(ldmatrix_place(4, 0, 0, true).address_lane, 0u);
    EXPECT_EQ(ldmatrix_place(4, 0, 0, false).address_lane, 1u);
}

}  // namespace
}  // namespace simtlm::execution::arithmetic
