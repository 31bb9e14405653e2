// SPDX-License-Identifier: Apache-2.0
// Programs that use the GPUs of another process (simtlm serve, simtlm run --connect).
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace simtlm::test {
namespace {

using ::testing::HasSubstr;

const std::string spin = SIMTLM_SPIN;

std::string text_of(const std::string& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Waits up to a minute. @return whether it has become true
bool becomes(const std::function<bool()>& condition) {
    for (int i = 0; i < 6000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

/// Starts a process. @param err  file for stderr
pid_t start(const std::vector<std::string>& words, const std::string& err) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    std::vector<char*> argv;
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    if (std::freopen(err.c_str(), "w", stderr) == nullptr) ::_exit(126);
    ::execv(argv[0], argv.data());
    ::_exit(127);
}

/// @return the exit code, or -SIGNAL
int end_of(pid_t process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class ServedProgram : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("LD_PRELOAD") == nullptr && std::string(SIMTLM_SANITIZER).empty()) return;
        GTEST_SKIP() << "a sanitizer's runtime has to come first in programs";
    }
    void TearDown() override {
        if (server_ != 0) stop();
    }

    void serve(std::vector<std::string> options = {}) {
        std::vector<std::string> words = {
            SIMTLM_EXECUTABLE, "serve", "--listen",     address,
            "--preset",        "TINY",  "--stats-file", folder.path("served")};
        words.insert(words.end(), options.begin(), options.end());
        server_ = start(words, folder.path("err"));
        ASSERT_TRUE(becomes([&] { return ::access(address.c_str(), F_OK) == 0; }))
            << text_of(folder.path("err"));
    }
    /// @return the exit code of the server
    int stop(int signal = SIGTERM) {
        ::kill(server_, signal);
        return end_of(std::exchange(server_, 0));
    }
    outcome connected(const std::vector<std::string>& program) {
        std::vector<std::string> words = {"run", "--connect", address, "--"};
        words.insert(words.end(), program.begin(), program.end());
        return simulate(words);
    }
    /// Sends bytes to the server. @return its answer, until it closes the connection
    std::string answer_to(const std::string& bytes) const {
        const int s = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un a{};
        a.sun_family = AF_UNIX;
        std::strncpy(a.sun_path, address.c_str(), sizeof a.sun_path - 1);
        EXPECT_EQ(0, ::connect(s, reinterpret_cast<const sockaddr*>(&a), sizeof a));
        EXPECT_EQ(static_cast<ssize_t>(bytes.size()),
                  ::send(s, bytes.data(), bytes.size(), MSG_NOSIGNAL));
        ::shutdown(s, SHUT_WR);
        std::string answer;
        char part[4096];
        for (ssize_t n = 0; (n = ::recv(s, part, sizeof part, 0)) > 0;)
            answer.append(part, static_cast<std::size_t>(n));
        ::close(s);
        return answer;
    }

    scratch_folder folder;
    const std::string address = folder.path("gpu.socket");
    pid_t server_ = 0;
};

/// A message: its length, kind and payload.
std::string message(std::uint16_t kind, const std::string& payload) {
    const auto bytes = static_cast<std::uint32_t>(payload.size());
    const std::uint16_t zero = 0;
    std::string m(reinterpret_cast<const char*>(&bytes), 4);
    m.append(reinterpret_cast<const char*>(&kind), 2);
    m.append(reinterpret_cast<const char*>(&zero), 2);
    return m + payload;
}

std::string hello(std::uint32_t version) {
    std::string payload("\6\0\0\0\0\0\0\0simtlm", 14);
    payload.append(reinterpret_cast<const char*>(&version), 4);
    payload.append(8, '\0');  // no command line
    return message(1, payload);
}

outcome report_in(const std::string& file) {
    outcome o;
    o.out = text_of(file);
    return o;
}

TEST_F(ServedProgram, TakesTheCyclesOfARunInItsOwnProcess) {
    const outcome own =
        simulate({"run", "--preset", "TINY", "--stats-file", folder.path("own"), "--", spin, "20"});
    ASSERT_EQ(0, own.code) << own.err;
    serve();
    const outcome o = connected({spin, "20"});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ(own.out, o.out);
    EXPECT_THAT(text_of(folder.path("own")), HasSubstr("gpu_tot_sim_cycle"));
    EXPECT_EQ(report_in(folder.path("own")).report(), report_in(folder.path("served")).report());
    // The next program has a GPU of its own, with files of its own.
    EXPECT_EQ(own.out, connected({spin, "20"}).out);
    EXPECT_EQ(report_in(folder.path("own")).report(),
              report_in(folder.path("served.process2")).report());
}

TEST_F(ServedProgram, TakesTheCyclesOfARunIfItHasManyLaunches) {
    const std::vector<std::string> program = {spin, "30", "0", "repeat"};
    const outcome own = simulate({"run", "--preset", "TINY", "--stats-file", folder.path("own"),
                                  "--", spin, "30", "0", "repeat"});
    serve();
    EXPECT_EQ(own.out, connected(program).out);
    EXPECT_EQ(report_in(folder.path("own")).report(), report_in(folder.path("served")).report());
}

TEST_F(ServedProgram, WritesStatisticsWithTheCommandLineOfTheProgram) {
    const std::string json = folder.path("s.json");
    serve({"--stats-json", json});
    ASSERT_EQ(0, connected({spin, "20"}).code);
    const nlohmann::json s = read_json(json);
    EXPECT_EQ("finished", s["ended"]);
    EXPECT_THAT(s["provenance"]["command_line"].dump(), HasSubstr(spin));
}

TEST_F(ServedProgram, CompilesOpenClInTheServer) {
    const std::string program = SIMTLM_OPENCL_PROGRAM;
    if (::access(program.c_str(), X_OK) != 0) GTEST_SKIP() << program << " is not built";
    const outcome own = simulate(
        {"run", "--preset", "TINY", "--stats-file", folder.path("own"), "--", program, "timed"});
    ASSERT_EQ(0, own.code) << own.err;
    serve();
    ::setenv("SIMTLM_CLANG", "/none", 1);
    ::setenv("SIMTLM_OPENCL_CACHE", folder.path("cache").c_str(), 1);
    const outcome o = connected({program, "timed"});
    ::unsetenv("SIMTLM_CLANG");
    ::unsetenv("SIMTLM_OPENCL_CACHE");
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ(own.out, o.out);
    EXPECT_EQ(report_in(folder.path("own")).report(), report_in(folder.path("served")).report());
}

TEST_F(ServedProgram, TakesTheSameCyclesInAVirtualMachine) {
    const char* const given = std::getenv("SIMTLM_GUEST");
    const std::string image = given != nullptr ? given : SIMTLM_SOURCE "/build/guest";
    if (text_of(image + "/version").empty())
        GTEST_SKIP() << "no image of a virtual machine in " << image
                     << "; scripts/run-guest makes one";
    if (std::system("command -v qemu-system-x86_64 >/dev/null") != 0)
        GTEST_SKIP() << "QEMU is not installed";
    ASSERT_EQ(0, simulate({"run", "--preset", "TINY", "--stats-file", folder.path("own"), "--",
                           spin, "20"})
                     .code);
    const std::string command =
        "cd $(dirname " + spin + ") && " SIMTLM_SOURCE "/scripts/run-guest --guest " + image +
        " --simtlm " SIMTLM_EXECUTABLE " --preset TINY --stats-file " + folder.path("served") +
        " -- ./$(basename " + spin + ") 20 >" + folder.path("out") + " 2>" + folder.path("err");
    EXPECT_EQ(0, std::system(command.c_str())) << text_of(folder.path("err"));
    EXPECT_EQ("spin: passed\n", text_of(folder.path("out")));
    EXPECT_EQ(report_in(folder.path("own")).report(), report_in(folder.path("served")).report());
}

TEST_F(ServedProgram, KeepsStatisticsOfAProgramThatDisappears) {
    serve();
    const pid_t client =
        start({SIMTLM_EXECUTABLE, "run", "--connect", address, "--", spin, "100000000"},
              folder.path("client"));
    ASSERT_TRUE(becomes(
        [&] { return text_of(folder.path("err")).find("program 1:") != std::string::npos; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ::kill(client, SIGKILL);
    EXPECT_EQ(-SIGKILL, end_of(client));
    EXPECT_TRUE(becomes([&] {
        return text_of(folder.path("err")).find("the other side has closed it") !=
               std::string::npos;
    })) << text_of(folder.path("err"));
    EXPECT_EQ(0, connected({spin, "20"}).code);  // the server goes on
}

TEST_F(ServedProgram, FailsInOneLineIfTheServerEnds) {
    serve();
    const std::string err = folder.path("client");
    const pid_t client = start(
        {SIMTLM_EXECUTABLE, "run", "--connect", address, "--", spin, "100000000", "0", "careless"},
        err);
    ASSERT_TRUE(becomes(
        [&] { return text_of(folder.path("err")).find("program 1:") != std::string::npos; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    stop();
    EXPECT_NE(0, end_of(client));
    EXPECT_THAT(text_of(err), HasSubstr("the connection to the simulated GPU is lost"));
}

TEST_F(ServedProgram, IsRefusedWithoutServer) {
    const outcome o = connected({spin, "20"});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("no simulated GPU can be reached"));
    EXPECT_THAT(o.err, HasSubstr("simtlm serve --listen"));
}

TEST_F(ServedProgram, RefusesOptionsThatBelongToTheServer) {
    const outcome o = simulate({"run", "--connect", address, "--preset", "TINY", "--", spin, "20"});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("give the options of the simulated GPU to simtlm serve"));
    EXPECT_EQ(2, simulate({"serve", "--preset", "TINY"}).code);
    EXPECT_EQ(
        2, simulate({"serve", "--listen", address, "--checkpoint", "c", "--preset", "TINY"}).code);
    EXPECT_EQ(2, simulate({"serve", "--listen", "no address:", "--preset", "TINY"}).code);
}

TEST_F(ServedProgram, IsRefusedIfItsLibrariesHaveAnotherProtocol) {
    serve();
    EXPECT_THAT(answer_to(hello(99)), HasSubstr("use the same build of simtlm on both sides"));
    EXPECT_EQ(0, connected({spin, "20"}).code);
}

TEST_F(ServedProgram, EndsTheConnectionOfAClientWithMalformedMessages) {
    serve();
    const std::vector<std::string> bad = {
        "GET / HTTP/1.1\r\n\r\n",
        message(1, "x"),
        message(200, ""),
        std::string(3, 'x'),
        hello(1) + message(14, ""),                       // nothing is open
        hello(1) + message(4, "short"),                   // too short
        hello(1) + message(4, std::string(16, '\0')),     // no address of memory
        hello(1) + message(4, std::string(400, '\xff')),  // too long
        hello(1) + message(10, std::string(40, '\xff')),
        hello(1) + std::string("\xff\xff\xff\xff\1\0\0\0", 8),  // longer than any message
        message(24, "x"),
    };
    for (const std::string& b : bad) answer_to(b);
    EXPECT_EQ(0, connected({spin, "20"}).code);
    EXPECT_THAT(text_of(folder.path("err")), ::testing::Not(HasSubstr("ended by signal")));
    EXPECT_THAT(text_of(folder.path("err")), HasSubstr("does not speak the protocol"));
}

}  // namespace
}  // namespace simtlm::test
