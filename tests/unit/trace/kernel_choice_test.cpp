// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/kernel_choice.h"

#include "modules/support/error.h"

#include <gtest/gtest.h>

namespace simtlm::trace {
namespace {

/// Numbers of the kernels chosen among ten whose ids are greater by 100 and whose names alternate.
std::string chosen(const kernel_choice& choice) {
    kernel_selector selector(choice);
    std::string numbers;
    for (unsigned n = 1; n <= 10; ++n) {
        kernel_header header;
        header.id = 100 + n;
        header.name = n % 2 == 0 ? "_Z6reducePf" : "_Z4gemmPKf";
        if (selector.take(header)) numbers += std::to_string(n) + ' ';
    }
    return numbers;
}

kernel_choice of(const std::string& option, const std::string& value) {
    kernel_choice choice;
    EXPECT_TRUE(set_choice(choice, option, value, "here"));
    return choice;
}

TEST(KernelChoice, SelectsAllByDefault) {
    EXPECT_EQ("1 2 3 4 5 6 7 8 9 10 ", chosen({}));
}
TEST(KernelChoice, AcceptsNumbersAndRanges) {
    EXPECT_EQ("3 ", chosen(of("--kernels", "3")));
    EXPECT_EQ("2 5 6 7 9 10 ", chosen(of("--kernels", "2,5-7 9-")));
    EXPECT_EQ("1 2 ", chosen(of("--kernels", "-2")));
}
TEST(KernelChoice, AcceptsTheTracersNumbers) {
    EXPECT_EQ("3 4 5 ", chosen(of("--kernel-ids", "103-105")));
}
TEST(KernelChoice, AcceptsMangledAndDemangledNames) {
    EXPECT_EQ("2 4 6 8 10 ", chosen(of("--kernel-names", "reduce\\(float")));
    EXPECT_EQ("1 3 5 7 9 ", chosen(of("--kernel-names", "^_Z4")));
}
TEST(KernelChoice, AcceptsRangesOfNamesAsTheTracerWritesThem) {
    EXPECT_EQ("3 5 10 ", chosen(of("--kernels", "3-6@gemm 9-@reduce")));
    EXPECT_EQ("2 4 6 8 10 ", chosen(of("--kernels", "@reduce")));
}
TEST(KernelChoice, SkipsAndStops) {
    kernel_choice choice = of("--skip-kernels", "4");
    EXPECT_EQ("5 6 7 8 9 10 ", chosen(choice));
    set_choice(choice, "--max-kernels", "2", "here");
    EXPECT_EQ("5 6 ", chosen(choice));
    set_choice(choice, "--kernel-names", "reduce", "here");
    EXPECT_EQ("6 8 ", chosen(choice));
}
TEST(KernelChoice, RejectsMalformedSelections) {
    for (const char* bad : {"", " ", "x", "3-2", "-", "1--2", "99999999999999999999", "3;4", "@("})
        EXPECT_THROW(kernel_selector(of("--kernels", bad)), support::user_error) << bad;
    kernel_choice choice;
    EXPECT_THROW(set_choice(choice, "--ctas", "b", "here"), support::user_error);
    EXPECT_THROW(set_choice(choice, "--max-kernels", "0", "here"), support::user_error);
    EXPECT_THROW(kernel_selector(of("--kernel-names", "[")), support::user_error);
    EXPECT_FALSE(set_choice(choice, "--kernel", "3", "here"));
}
TEST(KernelChoice, OfTheCallerOverridesThatOfTheList) {
    kernel_choice caller = of("--kernels", "1"), list = of("--kernels", "2");
    set_choice(list, "--ctas", "3-4", "here");
    caller.add(list);
    EXPECT_EQ("1", *caller.kernels);
    ASSERT_TRUE(caller.ctas);
    EXPECT_EQ(3u, caller.ctas->first);
}

}  // namespace
}  // namespace simtlm::trace
