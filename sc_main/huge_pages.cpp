// SPDX-License-Identifier: Apache-2.0
#include "sc_main/huge_pages.h"

#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace simtlm {

void prefer_huge_pages() {
#ifdef __GLIBC__
    // Growth step of the heap in bytes of address space; unused addresses take no memory.
    constexpr int growth = 256 << 20;
    constexpr int on_heap = 4 << 20;  // largest block allocated on the heap
    // Larger than the space left in a new heap, so that it grows.
    constexpr int beyond_top = 1 << 20;
    if (mallopt(M_TOP_PAD, growth) == 0) return;
    mallopt(M_TRIM_THRESHOLD, growth);
    mallopt(M_MMAP_THRESHOLD, on_heap);
    const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
    auto* const block = static_cast<volatile char*>(std::malloc(beyond_top));
    if (block == nullptr) return;
    *block = 0;  // keeps the compiler from removing the allocation
    std::free(const_cast<char*>(block));
    const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
    if (after <= before) return;
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = (before + page - 1) / page * page;
    madvise(reinterpret_cast<void*>(begin), after - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace simtlm
