// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/command_list.h"

#include "modules/support/error.h"
#include "tests/unit/trace/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using simtlm::support::user_error;
using simtlm::test::temporary_folder;
using simtlm::trace::command;
using simtlm::trace::read_command_list;
using ::testing::HasSubstr;

std::string message_of(const std::string& file) {
    try {
        read_command_list(file);
    } catch (const user_error& e) {
        return e.what();
    }
    return "no error";
}

TEST(CommandList, ReadsCopiesSynchronisationsAndKernelsInOrder) {
    const temporary_folder folder;
    folder.write("kernel-1.traceg", "");
    const auto list = read_command_list(folder.write("kernelslist.g",
                                                     "# a comment\n\n"
                                                     "MemcpyHtoD,0x00007fb02d700000,4096\r\n"
                                                     "  kernel-1.traceg  \n"
                                                     "cudaDeviceSynchronize\n"
                                                     "MemcpyDtoH,7fb0,16"));
    ASSERT_EQ(list.size(), 4U);
    EXPECT_EQ(list[0].what, command::kind::copy_host_to_device);
    EXPECT_EQ(list[0].address, 0x7fb02d700000U);
    EXPECT_EQ(list[0].bytes, 4096U);
    EXPECT_THAT(list[0].where, HasSubstr("kernelslist.g:3"));
    EXPECT_EQ(list[1].what, command::kind::kernel);
    EXPECT_EQ(list[1].file, folder.path("kernel-1.traceg"));
    EXPECT_EQ(list[2].what, command::kind::synchronize);
    EXPECT_EQ(list[3].what, command::kind::copy_device_to_host);
    EXPECT_EQ(list[3].address, 0x7fb0U);
}

TEST(CommandList, FindsAKernelWithAnotherCompression) {
    const temporary_folder folder;
    folder.write("kernel-1.traceg.xz", "");
    folder.write("kernel-2.traceg", "");
    folder.write("kernel-3.traceg.zst", "");
    const auto list = read_command_list(folder.write(
        "list", "kernel-1.traceg\nkernel-2.traceg.xz\nkernel-3.traceg.gz\nkernel-3.traceg\n"));
    ASSERT_EQ(list.size(), 4U);
    EXPECT_EQ(list[0].file, folder.path("kernel-1.traceg.xz"));
    EXPECT_EQ(list[1].file, folder.path("kernel-2.traceg"));
    EXPECT_EQ(list[2].file, folder.path("kernel-3.traceg.zst"));
    EXPECT_EQ(list[3].file, folder.path("kernel-3.traceg.zst"));
}

TEST(CommandList, RejectsAMissingKernelWithFileAndLine) {
    const temporary_folder folder;
    EXPECT_THAT(message_of(folder.write("list", "\nkernel-9.traceg\n")),
                HasSubstr("list:2: kernel trace kernel-9.traceg is missing"));
}

TEST(CommandList, RecommendsTheProcessedListForRawTraces) {
    const temporary_folder folder;
    folder.write("kernel-1.traceg", "");
    EXPECT_THAT(message_of(folder.write("kernelslist", "kernel-1.trace\n")),
                HasSubstr("kernelslist.g"));
}

TEST(CommandList, RejectsUnknownCommands) {
    const temporary_folder folder;
    EXPECT_THAT(message_of(folder.write("list", "launch everything\n")), HasSubstr("no command"));
    EXPECT_THAT(message_of(folder.write("list", "MemcpyHtoD,0xzz,1\n")), HasSubstr("list:1:"));
    EXPECT_THAT(message_of(folder.write("list", "MemcpyHtoD,0x10\n")), HasSubstr("copy"));
    EXPECT_THAT(message_of(folder.write("list", "MemcpyHtoD,0x10,-1\n")), HasSubstr("copy"));
    EXPECT_THAT(message_of(folder.write("list", "MemcpyHtoD,0x10,1,2\n")), HasSubstr("copy"));
    EXPECT_THAT(message_of(folder.path("absent")), HasSubstr("cannot open"));
}

}  // namespace
