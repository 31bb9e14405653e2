// SPDX-License-Identifier: Apache-2.0
// Which CUDA libraries a program gets under `simtlm run`, whatever it opens or contains.
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

using ::testing::HasSubstr;

class Redirection : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("LD_PRELOAD") == nullptr && std::string(SIMTLM_SANITIZER).empty()) return;
        GTEST_SKIP() << "a sanitizer's runtime has to come first in programs";
    }

    /// Output of the program that opens the files and counts their GPUs. Reports are requested if
    /// it has GPUs to count.
    std::string opened(const std::vector<std::string>& files, bool has_gpus = true) const {
        std::vector<std::string> words = {
            "run", "--preset", "TINY", "--gpus", "2", "-gpgpu_ptx_sim_mode", "1"};
        if (has_gpus) words.insert(words.end(), {"--stats-file", folder.path("reports")});
        words.insert(words.end(), {"--", SIMTLM_OPENER});
        words.insert(words.end(), files.begin(), files.end());
        const outcome o = simulate(words);
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_EQ("", o.err);
        return o.out;
    }

    scratch_folder folder;
};

TEST_F(Redirection, OpensTheDriverUnderAllItsNamesAndPaths) {
    for (const std::string file :
         {"libcuda.so", "libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so",
          "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/no/such/folder/libcuda.so.580.65.06",
          "libnvidia-ml.so", "libnvidia-ml.so.1", "/no/such/folder/libnvidia-ml.so.1"})
        EXPECT_EQ(file + ": error 0, 2 GPUs\n", opened({file}));
}

TEST_F(Redirection, OpensARuntimeByAPathThatDoesNotExist) {
    for (const std::string name : {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"}) {
        const std::string file = "/no/such/folder/" + name;
        EXPECT_EQ(file + ": error 0, 2 GPUs\n", opened({file}));
    }
    const std::string other = "/no/such/folder/libcudart_extra.so";
    EXPECT_EQ(other + ": error -1, 0 GPUs\n", opened({other}, false));
}

TEST_F(Redirection, OpensItsOwnBlasWithAndWithoutAVersion) {
    for (const std::string file :
         {"libcublas.so", "libcublas.so.11", "libcublas.so.12", "libcublas.so.13"})
        EXPECT_THAT(opened({file}, false), HasSubstr(file + ": cuBLAS 1"));
}

TEST_F(Redirection, ReplacesTheRuntimeThatALibraryContainsBeforeItsConstructors) {
    const std::string plugin = SIMTLM_PLUGIN;
    EXPECT_EQ(plugin + ": error 0, 2 GPUs\n", opened({plugin}));
}

TEST_F(Redirection, ReplacesTheRuntimeOfAStrippedLibrary) {
    const std::string plugin = SIMTLM_STRIPPED_PLUGIN;
    EXPECT_EQ(plugin + ": error 0, 2 GPUs\n", opened({plugin}));
}

TEST_F(Redirection, ReplacesTheRuntimesOfSeveralLibrariesOfAProcess) {
    const std::string a = SIMTLM_PLUGIN, b = SIMTLM_STRIPPED_PLUGIN;
    EXPECT_EQ(
        a + ": error 0, 2 GPUs\n" + b + ": error 0, 2 GPUs\n" + "libcuda.so.1: error 0, 2 GPUs\n",
        opened({a, b, "libcuda.so.1"}));
}

TEST_F(Redirection, DoesNotAffectCodeOutsideOfARun) {
    const std::string command = std::string(SIMTLM_OPENER) + " " + SIMTLM_PLUGIN;
    FILE* const pipe = ::popen(command.c_str(), "r");
    ASSERT_NE(nullptr, pipe);
    char line[4096] = {};
    EXPECT_NE(nullptr, std::fgets(line, sizeof line, pipe));
    ::pclose(pipe);
    EXPECT_THAT(line, HasSubstr("error 99"));
}

}  // namespace
}  // namespace simtlm::test
