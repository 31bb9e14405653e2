// SPDX-License-Identifier: Apache-2.0
#include "platform/device/memory_space.h"

#include "modules/execution/checking/written_map.h"
#include "platform/device/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::device {

namespace {

using execution::device_memory;

/// Reserves device memory. The first base address tried is that of GPGPU-Sim. The others serve
/// processes that occupy it: sanitizers, non-PIE programs with a large heap, and language runtimes
/// that scatter their heap over the address space (V8). They are tried in a fixed order over the
/// whole address space of a process, so that pointers are the same in all runs if the process
/// allows it.
std::unique_ptr<device_memory> reserve(std::uint64_t bytes) {
    device_memory::config wanted;
    wanted.capacity = bytes;
    wanted.at_host_addresses = true;
    const std::uint64_t statics = wanted.heap_base - wanted.static_base;
    constexpr std::uint64_t first = 0x1000'0000'0000, end = 0x7000'0000'0000;
    constexpr std::uint64_t step = std::uint64_t{1} << 37;
    for (std::uint64_t next = first; next < end; next += step) {
        try {
            return std::make_unique<device_memory>(wanted);
        } catch (const support::user_error&) {
            wanted.static_base = next;
            wanted.heap_base = next + statics;
        }
    }
    throw failure(status::out_of_memory,
                  fmt::format("cannot reserve {} bytes of address space for device memory", bytes),
                  "reduce it (--device-memory), or raise the limit (ulimit -v)");
}

/// Host memory that outlives its use by a GPU.
bool is_admitted(memory_kind k) {
    return k == memory_kind::registered || k == memory_kind::mapped;
}

}  // namespace

memory_space::access_scope::access_scope(memory_space& m, bool runs) : memory_(m) {
    std::unique_lock<std::mutex> lock(m.gate_);
    if (runs) {
        m.free_.wait(lock, [&] { return !m.busy_ && m.waiting_ == 0; });
    } else {
        ++m.waiting_;
        m.free_.wait(lock, [&] { return !m.busy_; });
        --m.waiting_;
    }
    m.busy_ = true;
}

memory_space::access_scope::~access_scope() {
    {
        const std::lock_guard<std::mutex> lock(memory_.gate_);
        memory_.busy_ = false;
    }
    memory_.free_.notify_all();
}

memory_space::memory_space(unsigned devices, std::uint64_t bytes, std::uint64_t alignment)
    : memory_(reserve(bytes * devices)),
      bytes_per_device_(bytes),
      alignment_(alignment),
      used_(devices, 0),
      graph_use_(devices) {}

void memory_space::move_to(std::uint64_t static_begin) {
    const access_scope t(*this, false);
    device_memory::config wanted;
    wanted.capacity = memory_->capacity();
    wanted.at_host_addresses = true;
    const std::uint64_t statics = wanted.heap_base - wanted.static_base;
    wanted.static_base = static_begin;
    wanted.heap_base = static_begin + statics;
    try {
        memory_ = std::make_unique<device_memory>(wanted);
    } catch (const support::user_error&) {
        throw failure(
            status::out_of_memory,
            fmt::format("the addresses of device memory from {:#x} are in use", static_begin));
    }
}

namespace {

/// Device memory that an allocation consumes, bytes.
std::uint64_t taken_by(std::uint64_t bytes) {
    return (std::max<std::uint64_t>(bytes, 1) + 511) & ~511ull;
}

}  // namespace

std::uint64_t memory_space::allocate(memory_kind kind, unsigned device, std::uint64_t bytes,
                                     unsigned flags, std::uint64_t alignment) {
    const access_scope t(*this, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool counts = kind == memory_kind::device;
    const std::uint64_t taken = taken_by(bytes);
    if (counts || bytes > bytes_per_device_) check_space(device, taken);
    allocation a;
    try {
        alignment = alignment == 0 ? alignment_ : std::max<std::uint64_t>(alignment, 256);
        a.address = kind == memory_kind::host ? memory_->allocate_for_host(bytes, alignment)
                                              : memory_->allocate(bytes, alignment);
    } catch (const support::user_error& e) {
        throw failure(status::out_of_memory, e.what());
    }
    a.bytes = bytes;
    a.kind = kind;
    a.device = device;
    a.flags = flags;
    a.id = ++last_id_;
    if (counts)
        used_[device] += taken;
    else
        share_with_host();
    // The host can write there without notification.
    if (!counts && memory_->writes() != nullptr) memory_->writes()->mark(a.address, bytes);
    allocations_[a.address] = a;
    return a.address;
}

/// The caller must hold the mutex.
void memory_space::check_space(unsigned device, std::uint64_t bytes) const {
    if (bytes > bytes_per_device_ || used_[device] + bytes > bytes_per_device_)
        throw failure(status::out_of_memory,
                      fmt::format("device memory is full: {} bytes requested, {} of {} in use",
                                  bytes, used_[device], bytes_per_device_));
}

void memory_space::take(unsigned device, std::uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    check_space(device, bytes);
    used_[device] += bytes;
}

void memory_space::give_back(unsigned device, std::uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    used_[device] -= bytes;
}

std::optional<allocation> memory_space::release(std::uint64_t address) {
    const access_scope t(*this, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = allocations_.find(address);
    if (at == allocations_.end() || is_admitted(at->second.kind) || at->second.released) return {};
    const allocation a = at->second;
    if (a.kind == memory_kind::device) used_[a.device] -= taken_by(a.bytes);
    if (a.of_graph) {
        at->second.released = true;
        graph_use_[a.device].used -= a.bytes;
        return a;
    }
    allocations_.erase(at);
    memory_->release(address);
    return a;
}

std::uint64_t memory_space::allocate_for_graph(unsigned device, std::uint64_t bytes) {
    const std::uint64_t address = allocate(memory_kind::device, device, bytes);
    const std::lock_guard<std::mutex> lock(mutex_);
    allocation& a = allocations_.at(address);
    a.of_graph = a.released = true;
    used_[device] -= taken_by(bytes);
    graph_memory_use& use = graph_use_[device];
    use.reserved += bytes;
    use.reserved_high = std::max(use.reserved_high, use.reserved);
    return address;
}

void memory_space::revive(std::uint64_t address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = allocations_.find(address);
    if (at == allocations_.end() || !at->second.released) return;
    allocation& a = at->second;
    a.released = false;
    used_[a.device] += taken_by(a.bytes);
    graph_memory_use& use = graph_use_[a.device];
    use.used += a.bytes;
    use.used_high = std::max(use.used_high, use.used);
}

void memory_space::abandon(std::uint64_t address) {
    const access_scope t(*this, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = allocations_.find(address);
    if (at == allocations_.end() || !at->second.of_graph) return;
    allocation& a = at->second;
    graph_use_[a.device].reserved -= a.bytes;
    a.of_graph = false;
    if (!a.released) {
        graph_use_[a.device].used -= a.bytes;
        return;
    }
    allocations_.erase(at);
    memory_->release(address);
}

graph_memory_use memory_space::graph_use(unsigned device) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return graph_use_[device];
}

void memory_space::reset_graph_maximum(unsigned device, bool of_reserved) {
    const std::lock_guard<std::mutex> lock(mutex_);
    graph_memory_use& use = graph_use_[device];
    (of_reserved ? use.reserved_high : use.used_high) = of_reserved ? use.reserved : use.used;
}

void memory_space::release_all(unsigned device) {
    std::vector<allocation> all;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const auto& [address, a] : allocations_)
            if (a.device == device) all.push_back(a);
    }
    for (const allocation& a : all) {
        if (is_admitted(a.kind)) {
            dismiss(a.address);
        } else {
            abandon(a.address);
            release(a.address);
        }
    }
}

void memory_space::admit(std::uint64_t address, std::uint64_t bytes, unsigned device,
                         unsigned flags, memory_kind kind) {
    const access_scope t(*this, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (bytes == 0) throw failure(status::invalid_value, "no memory to register");
    if (kind == memory_kind::registered) share_with_host();
    if (!memory_->admit(address, bytes, "registered host memory"))
        throw failure(status::host_memory_already_registered,
                      fmt::format("{} bytes at {:#x} cannot be registered", bytes, address));
    allocation a;
    a.address = address;
    a.bytes = bytes;
    a.kind = kind;
    a.device = device;
    a.flags = flags;
    a.id = ++last_id_;
    allocations_[address] = a;
}

void memory_space::dismiss(std::uint64_t address) {
    const access_scope t(*this, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = allocations_.find(address);
    if (at == allocations_.end() || !is_admitted(at->second.kind))
        throw failure(status::host_memory_not_registered,
                      fmt::format("nothing is registered at {:#x}", address));
    allocations_.erase(at);
    memory_->dismiss(address);
}

std::optional<allocation> memory_space::find(std::uint64_t address) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto after = allocations_.upper_bound(address);
    if (after == allocations_.begin()) return {};
    const allocation& a = std::prev(after)->second;
    if (address - a.address >= std::max<std::uint64_t>(a.bytes, 1)) return {};
    return a;
}

bool memory_space::is_device_memory(std::uint64_t address) const {
    const auto a = find(address);
    if (a) return is_of_gpu(a->kind);
    const access_scope t(const_cast<memory_space&>(*this), false);
    return memory_->find(address) != nullptr;
}

void memory_space::expose(std::uint64_t address, std::uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    exposed_.emplace_back(address, bytes);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> memory_space::take_exposed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(exposed_, {});
}

void memory_space::note_written(std::uint64_t to, std::uint64_t bytes) {
    execution::written_map* const writes = memory_->writes();
    if (writes == nullptr || to >= writes->size() || bytes > writes->size() - to) return;
    const access_scope t(*this, false);
    if (memory_->find(to) != nullptr) writes->mark(to, bytes);
}

void memory_space::note_copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    execution::written_map* const writes = memory_->writes();
    if (writes == nullptr || to >= writes->size() || bytes > writes->size() - to) return;
    const access_scope t(*this, false);
    if (memory_->find(to) == nullptr) return;
    const bool known = from < writes->size() && bytes <= writes->size() - from;
    if (known && memory_->find(from) != nullptr)
        writes->copy(to, from, bytes);
    else
        writes->mark(to, bytes);
}

std::uint64_t memory_space::used(unsigned device) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return used_[device];
}

}  // namespace simtlm::device
