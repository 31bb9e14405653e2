// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/device_memory.h"

#include "modules/execution/checking/written_map.h"
#include "modules/support/error.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace simtlm::execution {

namespace {
constexpr std::uint64_t page = 4096;

constexpr std::uint64_t gpu_page = std::uint64_t{2} << 20;  ///< mapping granularity of the driver
constexpr std::uint64_t gap = 512;                          ///< with keep_apart()

device_address round_up(device_address a, std::uint64_t alignment) {
    return (a + alignment - 1) & ~(alignment - 1);
}
std::string name_of(const device_memory::range& r) {
    return fmt::format("{}[{:#x}, {:#x})", r.label.empty() ? "" : r.label + " ", r.begin, r.end);
}
}  // namespace

device_memory::device_memory() : device_memory(config{}) {}

device_memory::device_memory(const config& c) : config_(c), never_used_(heap()) {
    size_ = round_up(c.heap_base + c.capacity, page);
    const std::uint64_t first = c.at_host_addresses ? c.static_base & ~(page - 1) : 0;
    const int place = c.at_host_addresses ? MAP_FIXED_NOREPLACE : 0;
    void* const wanted = c.at_host_addresses ? reinterpret_cast<void*>(first) : nullptr;
    void* const p = ::mmap(wanted, size_ - first, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | place, -1, 0);
    if (p == MAP_FAILED || (c.at_host_addresses && p != wanted)) {
        if (p != MAP_FAILED) ::munmap(p, size_ - first);
        throw support::user_error(
            "", fmt::format("cannot reserve {} bytes of address space for device memory", size_),
            "ask for a smaller device memory, or lift the limit of address space (ulimit -v)");
    }
    base_ = reinterpret_cast<std::uintptr_t>(p) - first;
}

device_memory::~device_memory() {
    const std::uint64_t first = config_.at_host_addresses ? config_.static_base & ~(page - 1) : 0;
    ::munmap(host(first), size_ - first);
}

bool device_memory::admit(device_address begin, std::uint64_t bytes, std::string label) {
    if (!config_.at_host_addresses || bytes == 0 || begin < address_windows::end) return false;
    if (overlaps_windows(begin, bytes)) return false;
    if (overlaps(begin, bytes)) return false;
    insert(begin, bytes, std::move(label));
    return true;
}

bool device_memory::dismiss(device_address begin) {
    const auto at = std::lower_bound(ranges_.begin(), ranges_.end(), begin,
                                     [](const range& r, device_address a) { return r.begin < a; });
    if (at == ranges_.end() || at->begin != begin) return false;
    ranges_.erase(at);
    ++generation_;
    ++changes_;
    return true;
}

bool device_memory::overlaps_windows(device_address begin, std::uint64_t bytes) {
    return begin < address_windows::cluster + address_windows::cluster_size &&
           bytes > address_windows::cluster - std::min(begin, address_windows::cluster);
}

bool device_memory::overlaps(device_address begin, std::uint64_t bytes) const {
    const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                                       [](device_address a, const range& r) { return a < r.end; });
    return next != ranges_.end() && next->begin < begin + bytes;
}

bool device_memory::allocate_at(device_address begin, std::uint64_t bytes, std::string label) {
    if (begin < config_.static_base || begin >= size_ || bytes == 0 || bytes > size_ - begin ||
        overlaps(begin, bytes) || overlaps_windows(begin, bytes))
        return false;
    if (begin >= config_.heap_base) used_ += bytes;
    if (stray_writes_) std::memset(host(begin), 0, bytes);
    insert(begin, bytes, std::move(label));
    return true;
}

device_address device_memory::place(const region& in, std::uint64_t bytes,
                                    std::uint64_t alignment) const {
    auto next = std::lower_bound(ranges_.begin(), ranges_.end(), in.begin,
                                 [](const range& r, device_address a) { return r.begin < a; });
    device_address at = round_up(in.begin, alignment);
    const std::uint64_t room = apart_ ? bytes + gap : bytes;
    for (; next != ranges_.end() && next->begin < in.end; ++next) {
        if (next->begin >= at && next->begin - at >= room) return at;
        at = std::max(at, round_up(next->end + (room - bytes), alignment));
    }
    return at <= in.end && in.end - at >= room ? at : 0;
}

device_address device_memory::place_last(const region& in, std::uint64_t bytes,
                                         std::uint64_t alignment) const {
    const std::uint64_t room = apart_ ? bytes + gap : bytes;
    device_address end = in.end;
    const auto below_end = [&](device_address begin) {
        return end >= begin && end - begin >= room && round_up(begin, alignment) <= end - room
                   ? (end - room) & ~(alignment - 1)
                   : 0;
    };
    auto next = std::lower_bound(ranges_.begin(), ranges_.end(), in.end,
                                 [](const range& r, device_address a) { return r.begin < a; });
    while (next != ranges_.begin() && std::prev(next)->end > in.begin) {
        --next;
        if (const device_address at = below_end(next->end + (room - bytes))) return at;
        end = std::min(end, next->begin);
    }
    return below_end(in.begin);
}

device_address device_memory::insert(device_address begin, std::uint64_t bytes, std::string label) {
    const auto at = std::lower_bound(ranges_.begin(), ranges_.end(), begin,
                                     [](const range& r, device_address a) { return r.begin < a; });
    ranges_.insert(at, {begin, begin + bytes, std::move(label), ++last_serial_});
    ++changes_;
    return begin;
}

device_address device_memory::take(device_address at, std::uint64_t bytes, std::string label) {
    if (at == 0)
        throw support::user_error("",
                                  fmt::format("device memory is full: {} bytes asked for, {} of {} "
                                              "in use",
                                              bytes, used_, config_.capacity));
    used_ += bytes;
    if (stray_writes_) std::memset(host(at), 0, bytes);
    return insert(at, bytes, std::move(label));
}

device_address device_memory::allocate(std::uint64_t bytes, std::uint64_t alignment,
                                       std::string label) {
    bytes = std::max<std::uint64_t>(bytes, 1);
    alignment = std::max<std::uint64_t>(alignment, 1);
    device_address at = 0;
    if (apart_) {
        at = place(never_used_, bytes, alignment);
        if (at != 0) never_used_.begin = at + bytes + gap;
    }
    if (at == 0) at = place(heap(), bytes, alignment);
    return take(at, bytes, std::move(label));
}

device_address device_memory::allocate_for_host(std::uint64_t bytes, std::uint64_t alignment) {
    bytes = std::max<std::uint64_t>(bytes, 1);
    alignment = std::max<std::uint64_t>(alignment, 1);
    device_address at = 0;
    if (apart_) {
        at = place_last(never_used_, bytes, alignment);
        if (at != 0) never_used_.end = at;
    }
    if (at == 0) at = place_last(heap(), bytes, alignment);
    return take(at, bytes, {});
}

/// Before or after the addresses of shared::cluster.
device_address device_memory::place_static(std::uint64_t bytes, std::uint64_t alignment) const {
    const region statics{config_.static_base, config_.heap_base};
    constexpr device_address window = address_windows::cluster;
    constexpr device_address window_end = window + address_windows::cluster_size;
    if (statics.begin >= window_end || statics.end <= window)
        return place(statics, bytes, alignment);
    const device_address before = place({statics.begin, window}, bytes, alignment);
    return before != 0 ? before : place({window_end, statics.end}, bytes, alignment);
}

device_address device_memory::allocate_static(std::uint64_t bytes, std::uint64_t alignment,
                                              std::string label) {
    bytes = std::max<std::uint64_t>(bytes, 1);
    const region statics{config_.static_base, config_.heap_base};
    device_address at = 0;
    if (statics_ != nullptr && statics_->replays) {
        if (statics_->next < statics_->addresses.size()) at = statics_->addresses[statics_->next++];
        if (at < statics.begin || at >= statics.end || bytes > statics.end - at ||
            overlaps(at, bytes) || overlaps_windows(at, bytes))
            at = 0;
    } else {
        at = place_static(bytes, std::max<std::uint64_t>(alignment, 1));
    }
    if (statics_ != nullptr && !statics_->replays) statics_->addresses.push_back(at);
    if (at == 0)
        throw support::user_error(
            "", fmt::format("no room for the {} bytes of module variable {}", bytes, label));
    note_written(at, bytes);  // initialised to zero, as the language specifies
    return insert(at, bytes, std::move(label));
}

bool device_memory::release(device_address begin) {
    const auto at = std::lower_bound(ranges_.begin(), ranges_.end(), begin,
                                     [](const range& r, device_address a) { return r.begin < a; });
    if (at == ranges_.end() || at->begin != begin) return false;
    const range gone = *at;
    ranges_.erase(at);
    ++generation_;
    ++changes_;
    if (apart_) freed_.push_back(gone);
    if (writes_) writes_->clear(gone.begin, gone.end - gone.begin);
    if (begin >= config_.heap_base) used_ -= gone.end - gone.begin;
    // Later allocations must find zeros; whole pages are returned to the system.
    const device_address first = round_up(gone.begin, page);
    const device_address last = gone.end & ~(page - 1);
    if (first < last) {
        std::memset(host(gone.begin), 0, first - gone.begin);
        ::madvise(host(first), last - first, MADV_DONTNEED);
        std::memset(host(last), 0, gone.end - last);
    } else {
        std::memset(host(gone.begin), 0, gone.end - gone.begin);
    }
    return true;
}

const device_memory::range* device_memory::find(device_address a) const {
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), a,
                                  [](device_address x, const range& r) { return x < r.begin; });
    if (after == ranges_.begin()) return nullptr;
    const range& before = *std::prev(after);
    return before.contains(a) ? &before : nullptr;
}

bool device_memory::is_mapped(device_address a, std::uint64_t bytes) const {
    if (apart_ || bytes == 0 || a > ~std::uint64_t{0} - bytes) return false;
    const auto page_is_mapped = [this](device_address p) {
        const device_address begin = p & ~(gpu_page - 1);
        // The driver's own data precede the first allocation.
        if (begin + gpu_page == config_.heap_base) return true;
        const auto next =
            std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                             [](device_address x, const range& r) { return x < r.end; });
        return next != ranges_.end() && next->begin < begin + gpu_page;
    };
    if (a < config_.static_base || a + bytes > size_) return false;
    return page_is_mapped(a) && page_is_mapped(a + bytes - 1);
}

void device_memory::track_writes() {
    if (writes_) return;
    writes_ = std::make_unique<written_map>(size_);
    for (const range& r : ranges_) note_written(r.begin, r.end - r.begin);
}

void device_memory::note_written(device_address a, std::uint64_t bytes) {
    progress_.note_change();
    if (writes_) writes_->mark(a, bytes);
}

std::string device_memory::nearest(device_address a) const {
    for (const range& r : freed_)
        if (r.contains(a)) return "inside allocation " + name_of(r) + ", which has been freed";
    if (ranges_.empty()) return "nothing is allocated";
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), a,
                                  [](device_address x, const range& r) { return x < r.begin; });
    const range* const above = after == ranges_.end() ? nullptr : &*after;
    const range* const below = after == ranges_.begin() ? nullptr : &*std::prev(after);
    if (below != nullptr && below->contains(a)) return "inside allocation " + name_of(*below);
    if (above == nullptr || (below != nullptr && a - below->end <= above->begin - a))
        return fmt::format("{} bytes behind allocation {}", a - below->end, name_of(*below));
    return fmt::format("{} bytes before allocation {}", above->begin - a, name_of(*above));
}

void device_memory::check(device_address a, std::uint64_t bytes, const char* doing) const {
    const range* const r = find(a);
    if (bytes == 0 || (r != nullptr && bytes <= r->end - a)) return;
    throw support::user_error(
        "", fmt::format("{} {} bytes of device memory at {:#x}: {}", doing, bytes, a,
                        r == nullptr ? nearest(a) : "reaches beyond allocation " + name_of(*r)));
}

void device_memory::write(device_address to, const void* from, std::uint64_t bytes) {
    check(to, bytes, "writing");
    if (bytes == 0) return;  // `from` may be null
    std::memcpy(host(to), from, bytes);
    note_written(to, bytes);
}
void device_memory::read(void* to, device_address from, std::uint64_t bytes) const {
    check(from, bytes, "reading");
    if (bytes == 0) return;
    std::memcpy(to, host(from), bytes);
}
void device_memory::copy(device_address to, device_address from, std::uint64_t bytes) {
    check(to, bytes, "writing");
    check(from, bytes, "reading");
    std::memmove(host(to), host(from), bytes);
    progress_.note_change();
    if (writes_) writes_->copy(to, from, bytes);
}
void device_memory::fill(device_address to, int byte, std::uint64_t bytes) {
    check(to, bytes, "filling");
    std::memset(host(to), byte, bytes);
    note_written(to, bytes);
}

}  // namespace simtlm::execution
