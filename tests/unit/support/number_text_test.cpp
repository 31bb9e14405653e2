// SPDX-License-Identifier: Apache-2.0
#include "modules/support/number_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <string>

namespace simtlm::support {
namespace {

/// Selects a locale with a decimal comma for the lifetime of this object.
class decimal_comma {
public:
    decimal_comma() {
        for (const char* const name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                       "es_ES.UTF-8", "nl_NL.UTF-8"})
            if (std::setlocale(LC_NUMERIC, name) != nullptr &&
                std::string(std::localeconv()->decimal_point) == ",") {
                found_ = true;
                return;
            }
    }
    ~decimal_comma() { std::setlocale(LC_NUMERIC, "C"); }
    decimal_comma(const decimal_comma&) = delete;
    decimal_comma& operator=(const decimal_comma&) = delete;
    bool found() const { return found_; }

private:
    bool found_ = false;
};

TEST(NumberText, ReadsNumbersLikeTheCLibrary) {
    for (const char* const text : {"1.5", "-2e3", "0x1p4", "  7", "1.5x", "", "inf", "1e999"}) {
        char *end = nullptr, *expected = nullptr;
        const double value = std::strtod(text, &expected);
        EXPECT_EQ(value, read_double(text, &end)) << text;
        EXPECT_EQ(expected, end) << text;
        EXPECT_EQ(std::strtold(text, nullptr), read_long_double(text)) << text;
    }
}

TEST(NumberText, ReadsADecimalPointWhereTheProgramHasSelectedADecimalComma) {
    const decimal_comma locale;
    if (!locale.found()) GTEST_SKIP() << "no locale with a decimal comma is installed";
    char* end = nullptr;
    EXPECT_EQ(1.5, read_double("1.5", &end));
    EXPECT_EQ('\0', *end);
    EXPECT_EQ(1.25L, read_long_double("1.25"));
}

}  // namespace
}  // namespace simtlm::support
