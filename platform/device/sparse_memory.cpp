// SPDX-License-Identifier: Apache-2.0
#include "platform/device/sparse_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>
#include <string>
#include <vector>

namespace simtlm::device {

namespace {

constexpr std::size_t page = 4096;
/// Smaller areas are written without looking at them.
constexpr std::size_t fewest_bytes = std::size_t{1} << 20;

class descriptor {
public:
    explicit descriptor(const std::string& path)
        : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~descriptor() {
        if (file_ >= 0) ::close(file_);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    int get() const { return file_; }

private:
    int file_;
};

/// What the operating system knows of an area of memory: its parts that are zero without having
/// been read.
class memory_area {
public:
    memory_area(const void* begin, std::size_t bytes);

    /// Whether discarded pages are zero.
    bool is_private() const { return private_; }
    /// A part of an area, from `begin` to the byte before `end`.
    struct part {
        std::size_t begin, end;
    };
    /// The parts that need not be zero, in order.
    const std::vector<part>& data() const { return data_; }

private:
    void find_pages(std::uint64_t begin, std::size_t bytes);
    void find_data(const std::string& path, std::uint64_t inode, std::uint64_t offset,
                   std::size_t bytes);

    bool private_ = false;
    std::vector<part> data_;
};

memory_area::memory_area(const void* area, std::size_t bytes) {
    data_ = {{0, bytes}};
    const auto begin = reinterpret_cast<std::uint64_t>(area);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t first = 0, end = 0, offset = 0, inode = 0;
        char dash = 0;
        std::string access, device, path;
        std::istringstream fields(line);
        fields >> std::hex >> first >> dash >> end >> access >> offset >> device >> std::dec >>
            inode;
        if (begin < first || begin >= end) continue;
        if (bytes > end - begin) return;
        std::getline(fields >> std::ws, path);
        private_ = inode == 0 && access == "rw-p";
        if (private_) find_pages(begin, bytes);
        if (access.substr(0, 2) == "r-" && access.back() == 's')
            find_data(path, inode, offset + (begin - first), bytes);
        return;
    }
}

/// Finds the pages that have been accessed.
void memory_area::find_pages(std::uint64_t begin, std::size_t bytes) {
    constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62;
    const descriptor file("/proc/self/pagemap");
    const std::uint64_t first = begin / page, end = (begin + bytes + page - 1) / page;
    std::vector<std::uint64_t> entries(end - first);
    const std::size_t size = entries.size() * sizeof entries[0];
    if (::pread(file.get(), entries.data(), size, static_cast<off_t>(first * sizeof entries[0])) !=
        static_cast<ssize_t>(size))
        return;
    data_.clear();
    for (std::uint64_t p = first; p != end; ++p) {
        if ((entries[p - first] & present_or_swapped) == 0) continue;
        const std::size_t from = std::max(p * page, begin) - begin;
        const std::size_t to = std::min((p + 1) * page - begin, bytes);
        if (data_.empty() || data_.back().end != from)
            data_.push_back({from, to});
        else
            data_.back().end = to;
    }
}

/// Finds the parts of a mapped file that are no holes.
void memory_area::find_data(const std::string& path, std::uint64_t inode, std::uint64_t offset,
                            std::size_t bytes) {
    const descriptor file(path);
    struct stat found {};
    // Another file may have taken the name.
    if (::fstat(file.get(), &found) != 0 || found.st_ino != inode) return;
    std::vector<part> data;
    const auto next = [&](std::size_t at, int what) {
        return ::lseek(file.get(), static_cast<off_t>(offset + at), what);
    };
    for (std::size_t at = 0; at < bytes;) {
        const off_t begin = next(at, SEEK_DATA);
        if (begin < 0 && errno == ENXIO) break;  // nothing follows
        const off_t end =
            begin < 0 ? -1 : next(static_cast<std::size_t>(begin) - offset, SEEK_HOLE);
        if (end <= begin) return;
        at = std::min(static_cast<std::size_t>(end) - offset, bytes);
        if (static_cast<std::size_t>(begin) - offset < at)
            data.push_back({static_cast<std::size_t>(begin) - offset, at});
    }
    data_ = std::move(data);
}

/// Sets to zero. @param discards  whole pages may be discarded
void clear(std::byte* to, std::size_t bytes, bool discards) {
    const auto begin = reinterpret_cast<std::uintptr_t>(to);
    const std::uintptr_t first = (begin + page - 1) & ~(page - 1);
    const std::uintptr_t last = (begin + bytes) & ~(page - 1);
    if (!discards || first >= last) {
        std::memset(to, 0, bytes);
        return;
    }
    std::memset(to, 0, first - begin);
    if (::madvise(to + (first - begin), last - first, MADV_DONTNEED) != 0)  // locked memory
        std::memset(to + (first - begin), 0, last - first);
    std::memset(to + (last - begin), 0, begin + bytes - last);
}

}  // namespace

void copy_sparsely(void* to, const void* from, std::size_t bytes) {
    auto* const t = static_cast<std::byte*>(to);
    const auto* const f = static_cast<const std::byte*>(from);
    if (bytes < fewest_bytes || (f < t + bytes && t < f + bytes)) {
        std::memmove(to, from, bytes);
        return;
    }
    const bool discards = memory_area(to, bytes).is_private();
    std::size_t done = 0;
    const memory_area source(from, bytes);
    for (const auto& part : source.data()) {
        clear(t + done, part.begin - done, discards);
        std::memcpy(t + part.begin, f + part.begin, part.end - part.begin);
        done = part.end;
    }
    clear(t + done, bytes - done, discards);
}

void clear_sparsely(void* to, std::size_t bytes) {
    clear(static_cast<std::byte*>(to), bytes,
          bytes >= fewest_bytes && memory_area(to, bytes).is_private());
}

std::shared_ptr<void> zeroed_memory(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return {memory, [bytes](void* m) { ::munmap(m, bytes); }};
}

}  // namespace simtlm::device
