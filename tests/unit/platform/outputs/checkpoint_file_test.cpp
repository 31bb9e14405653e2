// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/checkpoint_file.h"

#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::platform {
namespace {

using testing::HasSubstr;

checkpoint_contents sample_contents() {
    checkpoint_contents c;
    c.kernels = 3;
    c.core_cycles = 1000;
    c.time = 930000000;
    c.options = {{"-gpgpu_n_clusters", "2"}};
    c.host_log = "log";
    c.state = std::string(100000, 's');
    return c;
}

std::string refused_file(const std::string& text) {
    return refusal([&] { checkpoint_contents::unpacked(text, "x.checkpoint"); });
}

/// The text with a correct checksum in the first line.
std::string with_checksum(const std::string& text) {
    const std::string rest = text.substr(text.find('\n') + 1);
    return checkpoint_contents::first_line(rest) + rest;
}

TEST(CheckpointFile, ReadsBackWhatWasWritten) {
    const checkpoint_contents c = checkpoint_contents::unpacked(sample_contents().packed(), "x");
    EXPECT_EQ(3u, c.kernels);
    EXPECT_EQ(930000000u, c.time);
    EXPECT_EQ("2", c.options.at("-gpgpu_n_clusters"));
    EXPECT_EQ("log", c.host_log);
    EXPECT_EQ(sample_contents().state, c.state);
}

TEST(CheckpointFile, IsRejectedWithAnyByteChangedOrMissing) {
    const std::string text = sample_contents().packed();
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string other = text;
        other[i] = static_cast<char>(other[i] ^ 1);
        EXPECT_THAT(refused_file(other), HasSubstr("x.checkpoint")) << i;
        EXPECT_NE("", refused_file(text.substr(0, i))) << i;
    }
    EXPECT_NE("", refused_file(text + "x"));
}

TEST(CheckpointFile, ThatClaimsMoreThanItContainsIsRejectedWithoutAllocatingIt) {
    for (const char* size : {"99999", "100001", "4611686018427387904", "18446744073709551615", "-1",
                             "1e30", "\"a\"", "null"}) {
        std::string text = sample_contents().packed();
        const std::string before = "\"state_bytes\":100000";
        text.replace(text.find(before), before.size(), std::string("\"state_bytes\":") + size);
        EXPECT_THAT(refused_file(with_checksum(text)), HasSubstr("damaged")) << size;
    }
    for (const char* member : {"host_packed", "host_bytes", "time", "options", "kernels"}) {
        std::string text = sample_contents().packed();
        text.replace(text.find(member), 1, "x");
        EXPECT_THAT(refused_file(with_checksum(text)), HasSubstr("damaged")) << member;
    }
}

TEST(CheckpointFile, WithACountThatIsNoWholeNumberIsRejected) {
    for (const char* member :
         {"kernels", "core_cycles", "time", "state_bytes", "host_bytes", "host_packed"}) {
        for (const char* value : {"1e36", "1.5", "-1", "true"}) {
            std::string text = sample_contents().packed();
            const std::size_t at = text.find(':', text.find(member)) + 1;
            text.replace(at, text.find_first_of(",}", at) - at, value);
            EXPECT_THAT(refused_file(with_checksum(text)), HasSubstr("damaged")) << member << value;
        }
    }
}

}  // namespace
}  // namespace simtlm::platform
