// SPDX-License-Identifier: Apache-2.0
#include "platform/device/sparse_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace simtlm::device {
namespace {

constexpr std::size_t mebibyte = 1 << 20, page_bytes = 4096;

/// Memory of the process, mapped until the end of the test.
class mapping {
public:
    explicit mapping(std::size_t bytes, int file = -1)
        : bytes_(bytes),
          begin_(::mmap(nullptr, bytes, file < 0 ? PROT_READ | PROT_WRITE : PROT_READ,
                        file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0)) {
        EXPECT_NE(begin_, MAP_FAILED);
        // Pages are counted one by one.
        ::madvise(begin_, bytes_, MADV_NOHUGEPAGE);
    }
    ~mapping() { ::munmap(begin_, bytes_); }
    mapping(const mapping&) = delete;
    mapping& operator=(const mapping&) = delete;
    char* get() const { return static_cast<char*>(begin_); }

    /// Pages that occupy memory.
    std::size_t pages() const {
        std::vector<unsigned char> present(bytes_ / page_bytes);
        EXPECT_EQ(0, ::mincore(begin_, bytes_, present.data()));
        return static_cast<std::size_t>(
            std::count_if(present.begin(), present.end(), [](auto p) { return (p & 1) != 0; }));
    }

private:
    std::size_t bytes_;
    void* begin_;
};

/// A file with data at some places and holes elsewhere.
class sparse_file {
public:
    explicit sparse_file(std::size_t bytes) : file_(::mkstemp(name_.data())) {
        EXPECT_GE(file_, 0);
        EXPECT_EQ(0, ::ftruncate(file_, static_cast<off_t>(bytes)));
    }
    ~sparse_file() {
        ::close(file_);
        ::unlink(name_.c_str());
    }
    sparse_file(const sparse_file&) = delete;
    sparse_file& operator=(const sparse_file&) = delete;
    void write(std::size_t at, const std::string& text) const {
        EXPECT_EQ(static_cast<ssize_t>(text.size()),
                  ::pwrite(file_, text.data(), text.size(), static_cast<off_t>(at)));
    }
    int get() const { return file_; }

private:
    std::string name_ = ::testing::TempDir() + "sparse_XXXXXX";
    int file_;
};

TEST(SparseMemory, CopiesAFileWithHolesAndTouchesFewPages) {
    const sparse_file file(32 * mebibyte);
    file.write(0, "first");
    file.write(5 * mebibyte + 17, "middle");
    file.write(32 * mebibyte - 4, "last");
    if (::lseek(file.get(), 0, SEEK_HOLE) == static_cast<off_t>(32 * mebibyte))
        GTEST_SKIP() << "files have no holes here";
    const mapping from(32 * mebibyte, file.get()), to(33 * mebibyte);
    to.get()[7 * mebibyte] = 'x';  // must be cleared
    copy_sparsely(to.get() + 100, from.get(), 32 * mebibyte);
    EXPECT_LE(to.pages(), 64u) << "a few pages around the data";
    EXPECT_EQ(0, std::memcmp(to.get() + 100, from.get(), 32 * mebibyte));
}

TEST(SparseMemory, CopiesStagedDataThroughMemoryThatHasNotBeenWritten) {
    const std::shared_ptr<void> staged = zeroed_memory(32 * mebibyte);
    static_cast<char*>(staged.get())[9 * mebibyte] = 'y';
    const mapping to(33 * mebibyte);
    std::memset(to.get(), 1, 33 * mebibyte);
    copy_sparsely(to.get() + 3, staged.get(), 32 * mebibyte);
    EXPECT_LE(to.pages(), 1024u) << "zeros are not kept; the last mebibyte is, and a huge page";
    EXPECT_EQ(to.get()[2], 1);
    EXPECT_EQ(to.get()[3], 0);
    EXPECT_EQ(to.get()[3 + 9 * mebibyte], 'y');
    EXPECT_EQ(std::accumulate(to.get() + 3, to.get() + 3 + 32 * mebibyte, 0), 'y');
    EXPECT_EQ(to.get()[3 + 32 * mebibyte], 1);
}

TEST(SparseMemory, CopiesOverlappingAndSharedMemory) {
    std::vector<char> bytes(4 * mebibyte);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
    const std::vector<char> before = bytes;
    copy_sparsely(bytes.data() + 1, bytes.data(), 3 * mebibyte);
    EXPECT_EQ(0, std::memcmp(bytes.data() + 1, before.data(), 3 * mebibyte));
    // Discarding pages of a shared mapping would not clear them.
    void* const shared =
        ::mmap(nullptr, 4 * mebibyte, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    std::memset(shared, 1, 4 * mebibyte);
    clear_sparsely(shared, 4 * mebibyte);
    const auto* const p = static_cast<const char*>(shared);
    EXPECT_EQ(0, std::accumulate(p, p + 4 * mebibyte, 0));
    ::munmap(shared, 4 * mebibyte);
}

TEST(SparseMemory, ClearsLockedMemory) {
    const mapping area(2 * mebibyte);
    if (::mlock(area.get(), 2 * mebibyte) != 0) GTEST_SKIP() << "memory cannot be locked";
    std::memset(area.get(), 1, 2 * mebibyte);
    clear_sparsely(area.get(), 2 * mebibyte);
    EXPECT_EQ(0, std::accumulate(area.get(), area.get() + 2 * mebibyte, 0));
}

TEST(SparseMemory, ClearsOnlyTheArea) {
    const mapping area(4 * mebibyte);
    std::memset(area.get(), 1, 4 * mebibyte);
    clear_sparsely(area.get() + 10, 3 * mebibyte);
    EXPECT_LE(area.pages(), mebibyte / page_bytes + 2);
    EXPECT_EQ(std::accumulate(area.get(), area.get() + 4 * mebibyte, std::size_t{0}), mebibyte);
}

}  // namespace
}  // namespace simtlm::device
