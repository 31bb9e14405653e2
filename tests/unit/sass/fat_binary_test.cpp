// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/fat_binary.h"

#include "modules/kernel/error.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace simtlm::sass {
namespace {

template <class T>
void put_at(std::string& s, std::size_t at, T value) {
    std::memcpy(&s[at], &value, sizeof value);
}

/// Offsets of fields: of the file's header, and of an entry, whose header follows at 16.
constexpr std::size_t header_bytes = 6, bytes = 8;
constexpr std::size_t entry = 16, entry_bytes = entry + 8, packed_bytes = entry + 16,
                      flags = entry + 40, unpacked_bytes = entry + 56;

std::string fat_binary(const std::string& ptx) {
    std::string b(16 + 64, '\0');
    put_at(b, 0, fat_binary_magic);
    put_at<std::uint16_t>(b, 4, 1);
    put_at<std::uint16_t>(b, header_bytes, 16);
    put_at<std::uint64_t>(b, bytes, 64 + ptx.size());
    put_at<std::uint16_t>(b, entry, 1);
    put_at<std::uint32_t>(b, entry + 4, 64);
    put_at<std::uint64_t>(b, entry_bytes, ptx.size());
    put_at<std::uint32_t>(b, entry + 28, 70);
    return b + ptx;
}

std::vector<fat_binary_entry> read(const std::string& b) {
    return read_fat_binary(b, "test");
}

TEST(FatBinary, HoldsPtxOfAnArchitecture) {
    const auto entries = read(fat_binary("text"));
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].what, fat_binary_entry::kind::ptx);
    EXPECT_EQ(entries[0].architecture, 70u);
    EXPECT_EQ(entries[0].contents, "text");
}

TEST(FatBinary, IsReadNoFurtherThanThereIsOfIt) {
    const std::string good = fat_binary("text");
    for (const std::size_t n : {0, 8, 15})
        EXPECT_THROW(read(good.substr(0, n)), kernel::user_error);
    for (const std::size_t n : {16, 79, 83}) EXPECT_TRUE(read(good.substr(0, n)).empty()) << n;
    std::string b = good;
    put_at<std::uint64_t>(b, bytes, ~std::uint64_t{0} - 100);
    EXPECT_EQ(read(b).size(), 1u);
    b = good;
    put_at<std::uint16_t>(b, header_bytes, 0xffff);
    EXPECT_THROW(read(b), kernel::user_error);
}

TEST(FatBinary, EndsAtAnEntryWhoseLengthsDoNotFit) {
    std::string b = fat_binary("text");
    put_at<std::uint64_t>(b, entry_bytes, ~std::uint64_t{0} - 60);
    EXPECT_TRUE(read(b).empty());
    b = fat_binary("text");
    put_at<std::uint32_t>(b, entry + 4, ~0u);
    EXPECT_TRUE(read(b).empty());
}

TEST(FatBinary, UnpacksNothingBeyondAnEntryAndNoBombs) {
    constexpr std::uint64_t lz4 = 0x2000, zstd = 0x8000;
    for (const std::uint64_t packer : {lz4, zstd}) {
        std::string b = fat_binary("text");
        put_at(b, flags, packer);
        put_at<std::uint64_t>(b, unpacked_bytes, 100);
        put_at<std::uint32_t>(b, packed_bytes, 5);
        EXPECT_THROW(read(b), kernel::user_error) << "packed bytes beyond the entry";
        put_at<std::uint32_t>(b, packed_bytes, 4);
        put_at<std::uint64_t>(b, unpacked_bytes, std::uint64_t{1} << 50);
        EXPECT_THROW(read(b), kernel::user_error) << "a petabyte";
    }
}

}  // namespace
}  // namespace simtlm::sass
