// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/register_numbers.h"

#include "modules/ptx/parser.h"

#include <gtest/gtest.h>

#include <set>

namespace simtlm::execution {
namespace {

ptx::module two_kernels_and_a_function() {
    return ptx::parse(R"(.version 7.8
.target sm_70
.address_size 64
.func callee(.reg .u32 %in) { .reg .u32 %r<70>; mov.u32 %r3, %in; ret; }
.visible .entry first() { .reg .pred %p<3>; .reg .u32 %r<5>; .reg .u64 %rd<5>; mov.u32 %r1, 1; ret; }
.visible .entry second() { .reg .f32 %f<90>; mov.f32 %f1, 0f00000000; ret; }
)",
                      "m.ptx");
}

TEST(RegisterNumbers, AreUniqueWithinAFunctionAndRestartForEveryKernel) {
    const ptx::module m = two_kernels_and_a_function();
    const register_numbers numbers(m, false);
    std::set<unsigned> seen;
    for (std::uint32_t r = 0; r < m.functions[1].registers.size(); ++r)
        EXPECT_TRUE(seen.insert(numbers.of(1, r)).second) << r;
    EXPECT_EQ(0u, numbers.of(1, 0));
    EXPECT_EQ(0u, numbers.of(2, 0));
}

TEST(RegisterNumbers, OfAFunctionAreAboveThoseOfItsCallers) {
    const ptx::module m = two_kernels_and_a_function();
    const register_numbers numbers(m, false);
    for (std::uint32_t r = 0; r < m.functions[0].registers.size(); ++r) {
        EXPECT_GE(numbers.of(0, r), m.functions[2].registers.size());
        EXPECT_LT(numbers.of(0, r), numbers.end());
    }
}

TEST(RegisterNumbers, FollowTheBankOfTheNumberInTheName) {
    const ptx::module m = two_kernels_and_a_function();
    const register_numbers numbers(m, true);
    std::set<unsigned> seen;
    for (std::uint32_t r = 0; r < m.functions[1].registers.size(); ++r) {
        const std::int64_t named_number = number_in_name(m.functions[1].register_name(r));
        EXPECT_EQ(static_cast<unsigned>(named_number) % 16, (numbers.of(1, r) + 1u) % 16) << r;
        EXPECT_TRUE(seen.insert(numbers.of(1, r)).second) << r;
    }
}

TEST(RegisterNumbers, InNamesAreTheFirstDigitsOrNone) {
    EXPECT_EQ(12, number_in_name("%rd12"));
    EXPECT_EQ(3, number_in_name("%f3_45"));
    EXPECT_EQ(-1, number_in_name("%counter"));
}

}  // namespace
}  // namespace simtlm::execution
