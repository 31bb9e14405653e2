// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/expression.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace simtlm::platform {
namespace {

/// Names with values, and a memory in which each byte is the low byte of its address.
class known_names : public expression_scope {
public:
    std::optional<long double> value(const std::string& name) const override {
        const auto at = names.find(name);
        if (at == names.end()) return std::nullopt;
        return at->second;
    }
    std::optional<std::uint64_t> memory(std::uint64_t address, unsigned bytes) const override {
        if (address >= 0x1000) return std::nullopt;
        std::uint64_t v = 0;
        for (unsigned b = 0; b < bytes; ++b) v |= ((address + b) & 0xff) << (8 * b);
        return v;
    }
    std::map<std::string, long double> names = {
        {"cycle", 100}, {"%r1", 7}, {"gpu.sm0:issued", 12}, {"pc", 0x7fffffffffff}};
};

long double value(const std::string& text) {
    return expression(text).evaluate(known_names());
}

TEST(DebuggerExpression, BindsOperatorsAsCDoes) {
    EXPECT_EQ(7, value("1 + 2 * 3"));
    EXPECT_EQ(9, value("(1 + 2) * 3"));
    EXPECT_EQ(1, value("1 + 1 == 2 && 3 < 4"));
    EXPECT_EQ(1, value("0 || 5 & 4 == 4"));
    EXPECT_EQ(6, value("10 - 3 - 1"));
    EXPECT_EQ(0x18, value("3 << 2 + 1"));
    EXPECT_EQ(1, value("!0 != !1"));
    EXPECT_EQ(-3, value("-3"));
    EXPECT_EQ(1, value("7 % 2"));
    EXPECT_EQ(0.5, value("1 / 2"));
    EXPECT_EQ(3, value("1 | 2 ^ 1 & 0xffff ^ 1"));
}

TEST(DebuggerExpression, KeepsAllBitsOfAnAddress) {
    EXPECT_EQ(1, value("pc == 0x7fffffffffff"));
    EXPECT_EQ(0, value("pc == 0x7ffffffffffe"));
    EXPECT_EQ(18446744073709551615.0L, value("~0"));
}

TEST(DebuggerExpression, ReadsNamesRegistersStatisticsAndMemory) {
    EXPECT_EQ(1, value("cycle >= 100"));
    EXPECT_EQ(8, value("%r1 + 1"));
    EXPECT_EQ(12, value("gpu.sm0:issued"));
    EXPECT_EQ(0x03020100, value("[0x100]"));
    EXPECT_EQ(0x11, value("[0x10 + 1]:1"));
}

TEST(DebuggerExpression, ReportsSyntaxErrors) {
    for (const char* const text : {"", "1 +", "(1", "1 2", "$$ ?", "[4", "[4]:3", "1 / 0", "5 % 0",
                                   "nobody", "[0x2000]", "0x", "1e9999", "2 % 0.5"})
        EXPECT_THROW(value(text), command_error) << text;
    EXPECT_THROW(value(std::string(100000, '(')), command_error);
    EXPECT_THROW(value(std::string(100000, '!') + "1"), command_error);
    std::string sum = "1";
    for (unsigned i = 1; i < 100000; ++i) {
        sum += "+1";
        if (i == 99) {
            EXPECT_EQ(100, value(sum));
        }
    }
    EXPECT_THROW(value(sum), command_error);
    EXPECT_THROW(value(sum + "*1"), command_error);
}

TEST(DebuggerExpression, ShowsWholeNumbersWithoutAPoint) {
    EXPECT_EQ("12", value_text(12));
    EXPECT_EQ("65536 (0x10000)", value_text(65536));
    EXPECT_EQ("0.25", value_text(0.25));
    EXPECT_EQ("-4", value_text(-4));
}

}  // namespace
}  // namespace simtlm::platform
