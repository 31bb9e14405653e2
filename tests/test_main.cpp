// SPDX-License-Identifier: Apache-2.0
// Entry point of every test executable: SystemC owns main(), so GoogleTest runs in sc_main.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

namespace {

constexpr std::string_view fork_option = "--fork-each-test=";  // seconds per test

std::vector<std::string> names_of_tests() {
    std::vector<std::string> names;
    const auto& unit = *testing::UnitTest::GetInstance();
    for (int s = 0; s < unit.total_test_suite_count(); ++s) {
        const auto& suite = *unit.GetTestSuite(s);
        for (int t = 0; t < suite.total_test_count(); ++t)
            names.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(t)->name());
    }
    return names;
}

/// Runs each test in a child process: a SystemC simulation cannot be started twice in a process.
/// Forking costs a tenth of the start of an executable. @returns the exit code: of a child in the
/// child, and 0 in the parent if all children ended with 0.
int run_in_children(long seconds_per_test) {
    std::vector<std::string> failed;
    const std::vector<std::string> names = names_of_tests();
    for (const std::string& name : names) {
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child == -1) {
            std::perror("fork");
            return 1;
        }
        if (child == 0) {
            const itimerval limit{{0, 0}, {seconds_per_test, 0}};
            setitimer(ITIMER_REAL, &limit, nullptr);
            GTEST_FLAG_SET(filter, name);
            GTEST_FLAG_SET(brief, true);
            return RUN_ALL_TESTS();
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        failed.push_back(name);
        if (!WIFSIGNALED(status)) continue;
        const bool late = WTERMSIG(status) == SIGALRM;
        std::printf("%s: %s\n", name.c_str(),
                    late ? "ended by the time limit" : strsignal(WTERMSIG(status)));
    }
    std::printf("%zu tests passed, %zu failed\n", names.size() - failed.size(), failed.size());
    for (const std::string& name : failed) std::printf("[  FAILED  ] %s\n", name.c_str());
    return failed.empty() ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    ::testing::InitGoogleMock(&argc, argv);
    if (argc > 1 && std::string_view(argv[1]).substr(0, fork_option.size()) == fork_option)
        return run_in_children(std::atol(argv[1] + fork_option.size()));
    return RUN_ALL_TESTS();
}
