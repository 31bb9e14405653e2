// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/abi/status.h"

#include <gtest/gtest.h>

#include <string>

namespace simtlm::cuda {
namespace {

TEST(CudaStatus, HasACodeForEveryResultOfTheDeviceLayer) {
    const auto last = static_cast<unsigned>(device::status::host_memory_not_registered);
    for (unsigned s = 0; s <= last; ++s)
        EXPECT_NE(status::unknown, status_of(static_cast<device::status>(s))) << s;
    EXPECT_EQ(0, static_cast<int>(status_of(device::status::success)));
    EXPECT_EQ(2, static_cast<int>(status_of(device::status::out_of_memory)));
    EXPECT_EQ(700, static_cast<int>(status_of(device::status::illegal_address)));
    EXPECT_EQ(719, static_cast<int>(status_of(device::status::launch_failure)));
}

TEST(CudaStatus, HasACodeThatEachApiNames) {
    for (const status s : {status::success,
                           status::invalid_value,
                           status::out_of_memory,
                           status::not_initialised,
                           status::unloading,
                           status::invalid_configuration,
                           status::invalid_pitch,
                           status::invalid_symbol,
                           status::invalid_texture,
                           status::invalid_channel_descriptor,
                           status::invalid_copy_direction,
                           status::invalid_device_function,
                           status::no_device,
                           status::invalid_device,
                           status::invalid_image,
                           status::invalid_context,
                           status::no_binary_for_gpu,
                           status::invalid_ptx,
                           status::invalid_source,
                           status::file_not_found,
                           status::invalid_handle,
                           status::illegal_state,
                           status::lossy_query,
                           status::not_found,
                           status::not_ready,
                           status::illegal_address,
                           status::launch_out_of_resources,
                           status::launch_timeout,
                           status::peer_access_already_enabled,
                           status::peer_access_not_enabled,
                           status::assertion,
                           status::host_memory_already_registered,
                           status::host_memory_not_registered,
                           status::illegal_instruction,
                           status::misaligned_address,
                           status::invalid_address_space,
                           status::launch_failure,
                           status::cooperative_launch_too_large,
                           status::not_permitted,
                           status::not_supported,
                           status::capture_unsupported,
                           status::capture_invalidated,
                           status::capture_merge,
                           status::capture_unmatched,
                           status::capture_unjoined,
                           status::capture_isolation,
                           status::capture_implicit,
                           status::captured_event,
                           status::capture_wrong_thread,
                           status::graph_update_failure,
                           status::invalid_cluster_size,
                           status::unknown}) {
        const std::string name = name_of(runtime_number(s));
        EXPECT_EQ(0u, name.find("cuda")) << static_cast<int>(s);
        EXPECT_NE(nullptr, driver_name_of(driver_number(s))) << static_cast<int>(s);
    }
    EXPECT_EQ(1, driver_number(status::invalid_configuration));
    EXPECT_EQ(400, driver_number(status::invalid_device_function));
    EXPECT_EQ(98, runtime_number(status::invalid_device_function));
    EXPECT_EQ(700, driver_number(status::illegal_address));
}

TEST(CudaStatus, OfAFailureIsThatOfTheLibraryOrOfTheDeviceLayer) {
    EXPECT_EQ(status::capture_invalidated, status_of(failure(status::capture_invalidated, "x")));
    EXPECT_EQ(status::invalid_ptx, status_of(device::failure(device::status::invalid_ptx, "x")));
    EXPECT_EQ(status::unknown, status_of(simtlm::support::user_error("a", "b")));
}

}  // namespace
}  // namespace simtlm::cuda
