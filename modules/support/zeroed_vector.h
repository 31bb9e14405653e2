// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <vector>

namespace simtlm::support {

/// Allocates large blocks as zeroed pages of the operating system, so that pages that are never
/// used are never touched and occupy no memory; for example, tags of cache sets that a workload
/// does not access.
template <class T>
struct zeroed_allocator {
    using value_type = T;

    zeroed_allocator() = default;
    template <class U>
    zeroed_allocator(const zeroed_allocator<U>&) {}

    T* allocate(std::size_t n) {
        void* const p = from_system(n) ? ::mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                       : std::calloc(n, sizeof(T));
        if (p == nullptr || p == MAP_FAILED) throw std::bad_alloc();
        return static_cast<T*>(p);
    }
    void deallocate(T* p, std::size_t n) {
        if (from_system(n))
            ::munmap(p, n * sizeof(T));
        else
            std::free(p);
    }

    /// An element without arguments is all zero bytes, which the memory already is.
    template <class U>
    void construct(U*) {
        static_assert(std::is_trivially_copyable_v<U>);
    }
    template <class U, class... Arguments>
    void construct(U* p, Arguments&&... arguments) {
        ::new (static_cast<void*>(p)) U(static_cast<Arguments&&>(arguments)...);
    }

    /// Small blocks come from the heap, whose memory would have to be cleared and thus touched.
    static constexpr bool from_system(std::size_t n) { return n * sizeof(T) >= 4096; }

    friend bool operator==(const zeroed_allocator&, const zeroed_allocator&) { return true; }
    friend bool operator!=(const zeroed_allocator&, const zeroed_allocator&) { return false; }
};

/// A vector for large tables of trivial types whose initial state is all zero bytes. Create it with
/// its final size: elements removed and added again by resize() are not zeroed.
template <class T>
using zeroed_vector = std::vector<T, zeroed_allocator<T>>;

}  // namespace simtlm::support
