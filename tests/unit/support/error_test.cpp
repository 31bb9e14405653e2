// SPDX-License-Identifier: Apache-2.0
#include "modules/support/error.h"

#include "modules/support/display_text.h"

#include <gtest/gtest.h>

namespace simtlm::support {
namespace {

TEST(UserError, IsOneLineOfLocationCauseAndRemedy) {
    EXPECT_STREQ(user_error("a.traceg:3", "bad mask", "trace again").what(),
                 "a.traceg:3: bad mask (trace again)");
    EXPECT_STREQ(user_error("a.traceg", "empty").what(), "a.traceg: empty");
    EXPECT_STREQ(user_error("", "nothing to run", "name a trace").what(),
                 "nothing to run (name a trace)");
    const user_error e("x", "y", "z");
    EXPECT_EQ(e.where(), "x");
    EXPECT_EQ(e.remedy(), "z");
}

TEST(DisplayText, EscapesControlCharacters) {
    EXPECT_EQ("a\\x1b[31m\\x0a\tb", printable("a\x1b[31m\n\tb"));
    EXPECT_EQ("a\\x0d\n\\x7f\\x00", printable_lines(std::string_view("a\r\n\x7f\0", 5)));
    EXPECT_EQ("\\xc2\\x9b \xc3\xa9 \xff", printable("\xc2\x9b \xc3\xa9 \xff"))
        << "C1; UTF-8; not UTF-8";
    EXPECT_EQ("\xc2", printable("\xc2"));
    EXPECT_TRUE(is_printable("_Z1kPf \xc3\xa9\t"));
    const std::string accents(200, '\xe9');
    for (const std::string& around : {std::string(200, 'x'), accents}) {
        EXPECT_TRUE(are_printable_lines(around + "\n\t" + around));
        EXPECT_FALSE(is_printable(around + "\n" + around));
        EXPECT_FALSE(are_printable_lines(around + "\x1b" + around));
        EXPECT_FALSE(are_printable_lines(around + "\xc2\x9b" + around));
    }
    for (const char* const text : {"a\n", "\x1b", "\xc2\x80", "\x7f"})
        EXPECT_FALSE(is_printable(text)) << printable(text);
    EXPECT_STREQ("a\\x1b: b\\x0a", user_error("a\x1b", "b\n").what());
}

}  // namespace
}  // namespace simtlm::support
