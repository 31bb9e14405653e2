// SPDX-License-Identifier: Apache-2.0
#include "modules/support/file_table.h"

#include "modules/support/error.h"
#include "modules/support/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace simtlm::support {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

class FileTable : public testing::Test {
protected:
    FileTable() { fs::create_directories(folder_); }
    ~FileTable() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << "x";
        return path(name);
    }
    /// The message of a refusal; empty if there is none.
    template <class Act>
    static std::string refusal(Act&& act) {
        try {
            act();
        } catch (const user_error& e) {
            return e.what();
        }
        return {};
    }
    std::string output(const std::string& name, const std::string& option) {
        return refusal([&] { table_.add_output(path(name), option); });
    }
    std::string folder(const std::string& name, const std::string& option) {
        return refusal([&] { table_.add_output_folder(path(name), option); });
    }

    fs::path folder_ =
        fs::temp_directory_path() / ("simtlm-file-table-" + std::to_string(::getpid()));
    file_table table_;
};

TEST_F(FileTable, RejectsAnOutputThatIsAnInputUnderAnyName) {
    table_.add_input(write("in"), "an input (trace)");
    fs::create_directory(path("other"));
    fs::create_symlink("../in", path("other/symbolic"));
    fs::create_hard_link(path("in"), path("hard"));
    for (const char* name : {"in", "other/../in", "./in", "other/symbolic", "hard"})
        EXPECT_THAT(output(name, "--vcd"), HasSubstr("is an input (trace) too")) << name;
    EXPECT_EQ("", output("out", "--vcd"));
}

TEST_F(FileTable, RejectsTwoOutputsInOneFileWhetherItExistsOrNot) {
    EXPECT_EQ("", output("new", "--vcd"));
    EXPECT_THAT(output("./new", "--timeline"), HasSubstr("the output of --vcd too"));
    fs::create_symlink("new", path("link"));
    EXPECT_THAT(output("link", "--timeline"), HasSubstr("the output of --vcd too"));
    write("old");
    EXPECT_EQ("", output("old", "--stats-csv"));
    fs::create_hard_link(path("old"), path("hard"));
    EXPECT_THAT(output("hard", "--timeline"), HasSubstr("the output of --stats-csv too"));
}

TEST_F(FileTable, RejectsAnOutputThatIsTheTemporaryFileOfAnother) {
    EXPECT_EQ("", output("a", "--vcd"));
    EXPECT_THAT(output("a.part", "--timeline"), HasSubstr("the draft of the output of --vcd"));
    EXPECT_EQ("", output("b.part", "--stats-csv"));
    EXPECT_THAT(output("b", "--stats-json"), HasSubstr("the output of --stats-csv"));
}

TEST_F(FileTable, RejectsFoldersThatContainOtherFilesOfTheRun) {
    table_.add_input(write("traces/k"), "an input");
    EXPECT_EQ("", output("out", "--vcd"));
    EXPECT_THAT(folder("traces", "--record-trace"), HasSubstr("the folder of an input"));
    EXPECT_THAT(folder(".", "--record-trace"), HasSubstr("the folder of"));
    EXPECT_THAT(folder("out", "--record-trace"), HasSubstr("the output of --vcd"));
    EXPECT_EQ("", folder("new/", "--record-trace"));
    fs::create_directory(path("new"));
    EXPECT_THAT(output("new/file", "--timeline"), HasSubstr("in the folder of --record-trace"));
    EXPECT_THAT(folder("new/inner", "--other"), HasSubstr("in the folder of --record-trace"));
    EXPECT_EQ("", output("newer", "--timeline")) << "a name that begins alike";
}

TEST_F(FileTable, LeavesNoTemporaryFile) {
    EXPECT_EQ("", output("a", "--vcd"));
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST(OutputAttempts, KeepEveryErrorOnceAndContinue) {
    output_attempts attempt;
    int done = 0;
    for (const char* file : {"/dev/full", "/dev/null", "/dev/full"})
        attempt([&] {
            output_file out(file);
            out.write("text");
            out.commit();
            ++done;
        });
    attempt([] { throw user_error("other", "is gone"); });
    EXPECT_EQ(1, done);
    EXPECT_THAT(attempt.messages(),
                ElementsAre(HasSubstr("/dev/full: cannot be written"), "other: is gone"));
    try {
        attempt.finish();
        FAIL();
    } catch (const output_error& e) {
        EXPECT_EQ(2u, e.messages().size());
        EXPECT_THAT(e.what(), HasSubstr("; other"));
    }
    EXPECT_NO_THROW(attempt.finish()) << "once";
}

}  // namespace
}  // namespace simtlm::support
