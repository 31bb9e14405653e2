// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/provenance.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace simtlm::platform {
namespace {

TEST(FileChecksum, EqualsThatOfXxh128sum) {
    const std::string file = testing::TempDir() + "simtlm_checksum";
    std::ofstream(file, std::ios::binary);
    EXPECT_EQ(checksum_of(file).bytes, 0u);
    EXPECT_EQ(checksum_of(file).xxh128, "99aa06d3014798d86001c324468d497f");
    std::ofstream(file, std::ios::binary) << "a";
    EXPECT_EQ(checksum_of(file).bytes, 1u);
    EXPECT_NE(checksum_of(file).xxh128, "99aa06d3014798d86001c324468d497f");
    std::remove(file.c_str());
}

TEST(FileChecksum, OfAMissingFileIsEmpty) {
    EXPECT_EQ(checksum_of("/nowhere/at/all").xxh128, "");
}

}  // namespace
}  // namespace simtlm::platform
