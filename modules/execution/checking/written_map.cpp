// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/checking/written_map.h"

#include "modules/support/error.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <vector>

namespace simtlm::execution {

written_map::written_map(std::uint64_t bytes) : size_(bytes) {
    constexpr std::uint64_t page = 4096;
    mapped_ = (bytes / 8 + page) / page * page;
    void* const p = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        throw support::user_error(
            "", fmt::format("cannot reserve {} bytes of address space for --check init", mapped_),
            "lift the limit of address space (ulimit -v)");
    words_ = static_cast<std::uint64_t*>(p);
}

written_map::~written_map() {
    ::munmap(words_, mapped_);
}

void written_map::clear(std::uint64_t first, std::uint64_t count) {
    for_words(first, count, [](std::uint64_t* word, std::uint64_t mask) {
        if ((__atomic_load_n(word, __ATOMIC_RELAXED) & mask) != 0)
            __atomic_fetch_and(word, ~mask, __ATOMIC_RELAXED);
        return true;
    });
}

void written_map::clear_all() {
    clear(0, size_);
}

void written_map::copy(std::uint64_t to, std::uint64_t from, std::uint64_t count) {
    std::vector<bool> written(count);
    for (std::uint64_t i = 0; i < count; ++i) written[i] = all(from + i, 1);
    for (std::uint64_t i = 0; i < count; ++i)
        if (written[i])
            mark(to + i, 1);
        else
            clear(to + i, 1);
}

}  // namespace simtlm::execution
