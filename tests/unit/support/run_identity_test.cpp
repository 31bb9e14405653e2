// SPDX-License-Identifier: Apache-2.0
#include "modules/support/run_identity.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace simtlm::support {
namespace {

/// The status of a file that is written now.
struct stat written_now() {
    char name[] = "/tmp/simtlm-run-XXXXXX";
    const int file = ::mkstemp(name);
    struct stat status {};
    EXPECT_EQ(1, ::write(file, "x", 1));
    EXPECT_EQ(0, ::fstat(file, &status));
    ::close(file);
    ::unlink(name);
    return status;
}

TEST(RunIdentity, DistinguishesItsFilesFromEarlierOnes) {
    for (unsigned i = 0; i < 20; ++i) {
        const struct stat before = written_now();
        const run_identity run = run_identity::of_this_process();
        EXPECT_FALSE(run.has_written(before));
        EXPECT_TRUE(run.has_written(written_now()));
    }
}

TEST(RunIdentity, IsTheSameInAnotherProcess) {
    const run_identity run = run_identity::of_this_process();
    EXPECT_EQ(::getpid(), run.process);
    const run_identity other = run_identity::parse(run.text().c_str());
    EXPECT_EQ(run.process, other.process);
    EXPECT_EQ(run.start, other.start);
    EXPECT_EQ(0, run_identity::parse("").process);
}

}  // namespace
}  // namespace simtlm::support
