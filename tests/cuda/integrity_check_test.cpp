// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/abi/integrity_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace simtlm::cuda {
namespace {

std::string hexadecimal(const digest& d) {
    std::string text;
    for (const unsigned char c : d) text += fmt::format("{:02x}", c);
    return text;
}

TEST(Md2, IsThatOfRfc1319) {
    EXPECT_EQ(hexadecimal(md2("")), "8350e5a3e24c153df2275c9f80692773");
    EXPECT_EQ(hexadecimal(md2("a")), "32ec01ec4a6dac72c0ab96fb34c0b5d1");
    EXPECT_EQ(hexadecimal(md2("abc")), "da853b0d3f88d99b30283a69e6ded6bb");
    EXPECT_EQ(hexadecimal(md2("message digest")), "ab4f496bfb2a530b219ff33031fe06b0");
    std::string digits;
    for (int i = 0; i < 8; ++i) digits += "1234567890";
    EXPECT_EQ(hexadecimal(md2(digits)), "d5976f79d83d3a0dc9806c3c66f3efd8");
}

TEST(IntegrityAnswer, DependsOnEveryFieldOfTheRequest) {
    const std::vector<std::function<void(integrity_question&)>> changes = {
        [](auto& q) { q.driver_version = 1; },  [](auto& q) { q.runtime_version = 1; },
        [](auto& q) { q.process = 1; },         [](auto& q) { q.thread = 1; },
        [](auto& q) { q.runtime_table = &q; },  [](auto& q) { q.check_table = &q; },
        [](auto& q) { q.check_function = &q; }, [](auto& q) { q.seconds = 1; },
        [](auto& q) { q.gpus.push_back({}); },  [](auto& q) { q.gpus.push_back({{}, 0, 1, 0}); },
    };
    std::vector<digest> answers = {integrity_answer({}, {})};
    for (const auto& change : changes) {
        integrity_question q;
        change(q);
        const digest answer = integrity_answer(q, {});
        for (const digest& other : answers) EXPECT_NE(hexadecimal(answer), hexadecimal(other));
        answers.push_back(answer);
    }
}

TEST(IntegrityAnswer, DependsOnTheKey) {
    digest key{};
    key[15] = 1;
    EXPECT_NE(hexadecimal(integrity_answer({}, {})), hexadecimal(integrity_answer({}, key)));
}

TEST(IntegrityKey, IsReadFrom32HexadecimalDigits) {
    const std::string digits = "000102030405060708090a0b0c0d0eff";
    const std::optional<digest> key = read_integrity_key(digits);
    ASSERT_TRUE(key.has_value());
    EXPECT_EQ(hexadecimal(*key), digits);
    EXPECT_FALSE(read_integrity_key("").has_value());
    EXPECT_FALSE(read_integrity_key(digits + "00").has_value());
    EXPECT_FALSE(read_integrity_key("0001020304050607 8090a0b0c0d0eff").has_value());
    EXPECT_FALSE(read_integrity_key("0x0102030405060708090a0b0c0d0eff").has_value());
}

}  // namespace
}  // namespace simtlm::cuda
