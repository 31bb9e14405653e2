// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/memory/virtual_memory.h"

#include "runtimes/cuda/abi/call.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace simtlm::cuda {

namespace {

void* place(std::uint64_t address) {
    return reinterpret_cast<void*>(address);
}

bool is_whole(std::uint64_t n) {
    return n != 0 && n % virtual_memory::granularity == 0;
}

}  // namespace

physical_memory::~physical_memory() {
    if (file >= 0) ::close(file);
}

std::uint64_t virtual_memory::reserve(std::uint64_t bytes, std::uint64_t alignment) {
    require(is_whole(bytes), status::invalid_value, "the size is not a multiple of 2 MiB");
    require((alignment & (alignment - 1)) == 0, status::invalid_value,
            "the alignment is not a power of two");
    const std::uint64_t aligned = std::max(alignment, granularity);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const std::uint64_t at = reserve_in_order(bytes, aligned); at != 0) return at;
    const std::uint64_t room = bytes + aligned;
    void* const p =
        ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(p != MAP_FAILED, status::out_of_memory, "no room in the address space");
    const auto begin = reinterpret_cast<std::uint64_t>(p);
    const std::uint64_t at = (begin + aligned - 1) & ~(aligned - 1);
    if (at != begin) ::munmap(p, at - begin);
    if (const std::uint64_t rest = begin + room - (at + bytes); rest != 0)
        ::munmap(place(at + bytes), rest);
    reserved_[at] = bytes;
    return at;
}

std::uint64_t virtual_memory::reserve_in_order(std::uint64_t bytes, std::uint64_t alignment) {
    const auto up = [&](std::uint64_t a) { return (a + alignment - 1) & ~(alignment - 1); };
    std::uint64_t at = up(first_address);
    for (const auto& [begin, size] : reserved_) {
        if (begin + size <= at) continue;
        if (begin >= at + bytes) break;
        at = up(begin + size);
    }
    void* const p =
        ::mmap(place(at), bytes, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED) return 0;
    if (p != place(at)) {  // the kernel does not know the flag
        ::munmap(p, bytes);
        return 0;
    }
    reserved_[at] = bytes;
    return at;
}

void virtual_memory::free(std::uint64_t address, std::uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = reserved_.find(address);
    require(at != reserved_.end() && at->second == bytes, status::invalid_value,
            "the addresses are not reserved");
    const auto inside = mapped_.lower_bound(address);
    require(inside == mapped_.end() || inside->first >= address + bytes, status::invalid_value,
            "memory is still mapped there");
    reserved_.erase(at);
    ::munmap(place(address), bytes);
}

physical_memory* virtual_memory::create(std::uint64_t bytes, unsigned device) {
    require(is_whole(bytes), status::invalid_value, "the size is not a multiple of 2 MiB");
    auto p = std::make_unique<physical_memory>();
    p->bytes = bytes;
    p->device = device;
    p->references = 1;
    memory_.take(device, bytes);
    p->file = ::memfd_create("simtlm", MFD_CLOEXEC);
    if (p->file < 0 || ::ftruncate(p->file, static_cast<off_t>(bytes)) != 0) {
        memory_.give_back(device, bytes);
        throw failure(status::out_of_memory, "the host has no memory");
    }
    physical_memory* const raw = p.get();
    const std::lock_guard<std::mutex> lock(mutex_);
    all_[raw] = std::move(p);
    return raw;
}

physical_memory* virtual_memory::import(int file, unsigned device) {
    struct stat about {};
    require(::fstat(file, &about) == 0 && is_whole(static_cast<std::uint64_t>(about.st_size)),
            status::invalid_value, "the file is not GPU memory");
    auto p = std::make_unique<physical_memory>();
    p->file = ::dup(file);
    p->bytes = static_cast<std::uint64_t>(about.st_size);
    p->device = device;
    p->references = 1;
    memory_.take(device, p->bytes);
    physical_memory* const raw = p.get();
    const std::lock_guard<std::mutex> lock(mutex_);
    all_[raw] = std::move(p);
    return raw;
}

physical_memory& virtual_memory::get(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = all_.find(handle);
    require(at != all_.end(), status::invalid_value, "not a memory handle");
    return *at->second;
}

void virtual_memory::drop(physical_memory* p) {
    if (--p->references != 0) return;
    memory_.give_back(p->device, p->bytes);
    all_.erase(p);
}

void virtual_memory::release(const void* handle) {
    physical_memory& p = get(handle);
    const std::lock_guard<std::mutex> lock(mutex_);
    drop(&p);
}

std::map<std::uint64_t, virtual_memory::mapping>::const_iterator virtual_memory::mapping_at(
    std::uint64_t address) const {
    auto at = mapped_.upper_bound(address);
    if (at == mapped_.begin()) return mapped_.end();
    --at;
    return address - at->first < at->second.bytes ? at : mapped_.end();
}

physical_memory* virtual_memory::retain(std::uint64_t address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = mapping_at(address);
    require(at != mapped_.end(), status::invalid_value, "no mapping at this address");
    ++at->second.what->references;
    return at->second.what;
}

bool virtual_memory::is_reserved(std::uint64_t address, std::uint64_t bytes) const {
    auto at = reserved_.upper_bound(address);
    if (at == reserved_.begin()) return false;
    --at;
    return address - at->first <= at->second && bytes <= at->second - (address - at->first);
}

void virtual_memory::map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset,
                         const void* handle) {
    physical_memory& p = get(handle);
    const std::lock_guard<std::mutex> lock(mutex_);
    require(is_whole(bytes) && offset == 0 && bytes == p.bytes, status::invalid_value,
            "memory must be mapped as a whole");
    require(is_reserved(address, bytes), status::invalid_value, "the addresses are not reserved");
    const auto next = mapped_.lower_bound(address);
    require(mapping_at(address) == mapped_.end() &&
                (next == mapped_.end() || next->first >= address + bytes),
            status::invalid_value, "the addresses are already mapped");
    void* const at = ::mmap(place(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, p.file, 0);
    require(at != MAP_FAILED, status::out_of_memory, "the host cannot map the memory");
    mapped_[address] = {bytes, &p};
    ++p.references;
}

/// Revokes access to a range; adjacent ranges stay accessible.
void virtual_memory::forbid(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t end = address + bytes;
    auto at = accessible_.upper_bound(address);
    if (at != accessible_.begin()) --at;
    while (at != accessible_.end() && at->first < end) {
        const std::uint64_t from = at->first, until = at->first + at->second;
        if (until <= address) {
            ++at;
            continue;
        }
        const unsigned device = memory_.find(from)->device;
        memory_.dismiss(from);
        at = accessible_.erase(at);
        const auto keep = [&](std::uint64_t b, std::uint64_t e) {
            if (b >= e) return;
            memory_.admit(b, e - b, device, 0, device::memory_kind::mapped);
            accessible_[b] = e - b;
        };
        keep(from, address);
        keep(end, until);
    }
    ::mprotect(place(address), bytes, PROT_NONE);
}

void virtual_memory::unmap(std::uint64_t address, std::uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::uint64_t covered = 0;
    const auto first = mapped_.lower_bound(address);
    auto last = first;
    for (; last != mapped_.end() && last->first < address + bytes; ++last)
        covered += last->second.bytes;
    require(bytes != 0 && covered == bytes, status::invalid_value,
            "an unmapped range must equal a mapped one");
    forbid(address, bytes);
    for (auto at = first; at != last; ++at) drop(at->second.what);
    mapped_.erase(first, last);
    ::mmap(place(address), bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void virtual_memory::set_access(std::uint64_t address, std::uint64_t bytes, unsigned device,
                                bool allowed) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::uint64_t covered = address;
    for (auto at = mapped_.find(address);
         at != mapped_.end() && at->first == covered && covered < address + bytes; ++at)
        covered += at->second.bytes;
    require(bytes != 0 && covered == address + bytes, status::invalid_value,
            "access must be set for whole mappings");
    forbid(address, bytes);
    if (!allowed) return;
    ::mprotect(place(address), bytes, PROT_READ | PROT_WRITE);
    // Merge with adjacent ranges, because a copy may span several mappings.
    std::uint64_t begin = address, end = address + bytes;
    const auto join = [&](std::map<std::uint64_t, std::uint64_t>::iterator at) {
        begin = std::min(begin, at->first);
        end = std::max(end, at->first + at->second);
        memory_.dismiss(at->first);
        accessible_.erase(at);
    };
    if (const auto after = accessible_.find(end);
        after != accessible_.end() && is_reserved(begin, end - begin + after->second))
        join(after);
    auto before = accessible_.lower_bound(begin);
    if (before != accessible_.begin()) {
        --before;
        if (before->first + before->second == begin &&
            is_reserved(before->first, end - before->first))
            join(before);
    }
    memory_.admit(begin, end - begin, device, 0, device::memory_kind::mapped);
    accessible_[begin] = end - begin;
}

bool virtual_memory::may_access(std::uint64_t address) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto at = accessible_.upper_bound(address);
    if (at == accessible_.begin()) return false;
    --at;
    return address - at->first < at->second;
}

}  // namespace simtlm::cuda
