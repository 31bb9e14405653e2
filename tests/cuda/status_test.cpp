// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/status.h"

#include <gtest/gtest.h>

namespace simtlm::cuda {
namespace {

TEST(CudaStatus, HasANumberForEveryOutcomeOfTheDeviceLayer) {
    const auto last = static_cast<unsigned>(device::status::host_memory_not_registered);
    for (unsigned s = 0; s <= last; ++s)
        EXPECT_NE(status::unknown, status_of(static_cast<device::status>(s))) << s;
    EXPECT_EQ(0, static_cast<int>(status_of(device::status::success)));
    EXPECT_EQ(2, static_cast<int>(status_of(device::status::out_of_memory)));
    EXPECT_EQ(700, static_cast<int>(status_of(device::status::illegal_address)));
    EXPECT_EQ(719, static_cast<int>(status_of(device::status::launch_failure)));
}

TEST(CudaStatus, OfAFailureIsThatOfTheLibraryOrOfTheDeviceLayer) {
    EXPECT_EQ(status::capture_invalidated, status_of(failure(status::capture_invalidated, "x")));
    EXPECT_EQ(status::invalid_ptx, status_of(device::failure(device::status::invalid_ptx, "x")));
    EXPECT_EQ(status::unknown, status_of(simtlm::kernel::user_error("a", "b")));
}

}  // namespace
}  // namespace simtlm::cuda
