// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/fat_binary.h"

#include "modules/support/error.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <sys/resource.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <vector>

namespace simtlm::sass {
namespace {

template <class T>
void put_at(std::string& s, std::size_t at, T value) {
    std::memcpy(&s[at], &value, sizeof value);
}

/// Offsets of fields: in the file header, and in an entry, whose header follows at 16.
constexpr std::size_t header_bytes = 6, bytes = 8;
constexpr std::size_t entry = 16, entry_bytes = entry + 8, packed_bytes = entry + 16,
                      flags = entry + 40, unpacked_bytes = entry + 56;

constexpr std::uint64_t lz4 = 0x2000, zstd = 0x8000;

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

TEST(FatBinary, DecompressesRequestedEntriesOnly) {
    std::string b = fat_binary("\xff\xff\xff");
    put_at(b, flags, zstd);
    EXPECT_THROW(read(b), support::user_error);
    const auto entries =
        read_fat_binary(b, "test", [](const fat_binary_entry& e) { return e.architecture > 70; });
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].architecture, 70u);
    EXPECT_EQ(entries[0].contents, "");
}

TEST(FatBinary, IsReadWithinItsBounds) {
    const std::string good = fat_binary("text");
    for (const std::size_t n : {0, 8, 15})
        EXPECT_THROW(read(good.substr(0, n)), support::user_error);
    for (const std::size_t n : {16, 79, 83}) EXPECT_TRUE(read(good.substr(0, n)).empty()) << n;
    std::string b = good;
    put_at<std::uint64_t>(b, bytes, ~std::uint64_t{0} - 100);
    EXPECT_EQ(read(b).size(), 1u);
    b = good;
    put_at<std::uint16_t>(b, header_bytes, 0xffff);
    EXPECT_THROW(read(b), support::user_error);
}

TEST(FatBinary, EndsAtAnEntryWithInconsistentLengths) {
    std::string b = fat_binary("text");
    put_at<std::uint64_t>(b, entry_bytes, ~std::uint64_t{0} - 60);
    EXPECT_TRUE(read(b).empty());
    b = fat_binary("text");
    put_at<std::uint32_t>(b, entry + 4, ~0u);
    EXPECT_TRUE(read(b).empty());
}

TEST(FatBinary, LimitsTheDecompressedSize) {
    for (const std::uint64_t packer : {lz4, zstd}) {
        std::string b = fat_binary("text");
        put_at(b, flags, packer);
        put_at<std::uint64_t>(b, unpacked_bytes, 100);
        put_at<std::uint32_t>(b, packed_bytes, 5);
        EXPECT_THROW(read(b), support::user_error) << "packed bytes beyond the entry";
        put_at<std::uint32_t>(b, packed_bytes, 4);
        put_at<std::uint64_t>(b, unpacked_bytes, std::uint64_t{1} << 50);
        EXPECT_THROW(read(b), support::user_error) << "a petabyte";
    }
}

std::string packed(std::uint64_t packer, const std::string& text) {
    std::string to(text.size() + 1000, '\0');
    to.resize(packer == zstd ? ZSTD_compress(to.data(), to.size(), text.data(), text.size(), 3)
                             : static_cast<std::size_t>(LZ4_compress_default(
                                   text.data(), to.data(), static_cast<int>(text.size()),
                                   static_cast<int>(to.size()))));
    std::string b = fat_binary(to);
    put_at(b, flags, packer);
    put_at<std::uint32_t>(b, packed_bytes, static_cast<std::uint32_t>(to.size()));
    put_at<std::uint64_t>(b, unpacked_bytes, text.size());
    return b;
}

TEST(FatBinary, DecompressesLz4AndZstd) {
    std::string text(1'000'000, 'a');
    for (std::size_t i = 0; i < text.size(); i += 1 + i % 97) text[i] = static_cast<char>(i % 251);
    for (const std::uint64_t packer : {lz4, zstd})
        // The third one fills zstd's stream buffers to the last byte.
        for (const std::string& t :
             {text, std::string(1'000'000, 'z'), std::string(3 * ZSTD_DStreamOutSize(), 'y'),
              std::string("short")}) {
            const auto entries = read(packed(packer, t));
            ASSERT_EQ(entries.size(), 1u);
            EXPECT_EQ(entries[0].contents, t);
        }
}

TEST(FatBinary, RejectsTruncatedAndOversizedZstd) {
    const std::string text(100'000, 'a');
    std::string b = packed(zstd, text);
    put_at<std::uint32_t>(b, packed_bytes, 12);
    EXPECT_THROW(read(b), support::user_error);
    b = packed(zstd, text);
    put_at<std::uint64_t>(b, unpacked_bytes, text.size() - 1);
    EXPECT_THROW(read(b), support::user_error);
}

TEST(FatBinary, AllocatesNoMemoryForImpossibleCompressionRatios) {
    const auto peak_memory = [] {
        rusage r{};
        getrusage(RUSAGE_SELF, &r);
        return r.ru_maxrss;  // KiB
    };
    const auto before = peak_memory();
    for (const std::uint64_t packer : {lz4, zstd}) {
        std::string b = fat_binary("text");
        put_at(b, flags, packer);
        put_at<std::uint32_t>(b, packed_bytes, 4);
        put_at<std::uint64_t>(b, unpacked_bytes, std::uint64_t{1} << 30);
        EXPECT_THROW(read(b), support::user_error);
    }
    EXPECT_LT(peak_memory() - before, 100 << 10);
}

}  // namespace
}  // namespace simtlm::sass
