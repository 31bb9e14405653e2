// SPDX-License-Identifier: Apache-2.0
// Loads and stores of all spaces. Addresses of a warp usually have a constant stride: then only the
// first and the last one are checked, and data are moved in one loop.
#include "modules/execution/operations/remote_lanes.h"
#include "modules/execution/operations/target_tables.h"
#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"

#include <cstring>
#include <tuple>

namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace {

/// The range of the first lane; for global memory usually the one that this operation accessed
/// last.
mapped_range first_range(warp& w, const operation* op, unsigned lane, space s, device_address a,
                         std::uint32_t bytes, bool writes) {
    if (s == space::global || (s == space::generic && address_windows::in_global(a))) {
        const allocation_hit& hit = w.worker->hits[static_cast<std::size_t>(op - w.code)];
        const std::uint64_t size = hit.end - hit.begin;
        if (a - hit.begin < size && bytes <= hit.end - a)
            return {hit.begin, size, w.launch->memory.host(hit.begin)};
    }
    return range_of(w, op, lane, s, a, bytes, writes);
}

/// Moves one element of a lane. Loaded values are extended, stored values are truncated.
template <class Memory, class Lane, bool Store>
inline void move_element(std::byte* memory, typename overlaid<Lane>::type* lane) {
    if constexpr (Store) {
        const auto value = static_cast<Memory>(*lane);
        std::memcpy(memory, &value, sizeof value);
    } else {
        Memory value;
        std::memcpy(&value, memory, sizeof value);
        *lane = static_cast<Lane>(static_cast<std::make_signed_t<Lane>>(value));
        if constexpr (std::is_unsigned_v<Memory>) *lane = static_cast<Lane>(value);
    }
}

/// Moves all 32 lanes, at a constant stride, inside one range.
template <class Memory, class Lane, bool Store>
void move_strided(std::byte* first, std::uint64_t stride, const memory_request& r,
                  unsigned elements) {
    for (unsigned e = 0; e < elements; ++e) {
        auto* const lanes = reinterpret_cast<typename overlaid<Lane>::type*>(r.elements[e]);
        std::byte* memory = first + e * sizeof(Memory);
        if (stride == sizeof(Memory) && sizeof(Memory) == sizeof(Lane)) {
            if constexpr (Store)
                std::memcpy(memory, lanes, warp_size * sizeof(Lane));
            else
                std::memcpy(lanes, memory, warp_size * sizeof(Lane));
        } else if (stride == 0 && !Store) {
            typename overlaid<Lane>::type value;
            move_element<Memory, Lane, false>(memory, &value);
            for (unsigned i = 0; i < warp_size; ++i) lanes[i] = value;
        } else {
            for (unsigned i = 0; i < warp_size; ++i, memory += stride)
                move_element<Memory, Lane, Store>(memory, lanes + i);
        }
    }
}

template <class Memory, class Lane, bool Store>
void move_local(warp& w, const memory_request& r, unsigned lane, std::uint64_t offset,
                unsigned elements) {
    const auto bytes = static_cast<std::uint32_t>(elements * sizeof(Memory));
    if (offset % bytes != 0) misaligned(w, r.op, lane, offset, bytes);
    check_local(w, r.op, lane, offset, bytes);
    for (unsigned e = 0; e < elements; ++e, offset += sizeof(Memory)) {
        auto* const to = reinterpret_cast<typename overlaid<Lane>::type*>(r.elements[e]) + lane;
        if constexpr (sizeof(Memory) <= 4) {
            move_element<Memory, Lane, Store>(local_word(w, lane, offset & ~3ull) + offset % 4, to);
        } else {
            std::byte both[8];
            if constexpr (Store) {
                move_element<Memory, Lane, true>(both, to);
                write_local(w, lane, offset, both, 8);
            } else {
                read_local(w, lane, offset, both, 8);
                move_element<Memory, Lane, false>(both, to);
            }
        }
    }
}

/// Moves lane by lane.
template <class Memory, class Lane, bool Store>
void move_each(warp& w, const memory_request& r, space s, unsigned elements) {
    const auto bytes = static_cast<std::uint32_t>(elements * sizeof(Memory));
    mapped_range range;
    for_lanes(r.lanes, [&](unsigned i) {
        const device_address a = r.address[i];
        if (s == space::local)
            return move_local<Memory, Lane, Store>(
                w, r, i, address_windows::in_local(a) ? a - address_windows::local : a, elements);
        if (s == space::generic && address_windows::in_local(a))
            return move_local<Memory, Lane, Store>(w, r, i, a - address_windows::local, elements);
        if ((a & (bytes - 1)) != 0) misaligned(w, r.op, i, a, bytes);
        if (!range.holds(a, bytes)) range = first_range(w, r.op, i, s, a, bytes, Store);
        std::byte* const memory = range.at(a);
        for (unsigned e = 0; e < elements; ++e)
            move_element<Memory, Lane, Store>(
                memory + e * sizeof(Memory),
                reinterpret_cast<typename overlaid<Lane>::type*>(r.elements[e]) + i);
    });
}

/// Moves lanes at arbitrary places of one range. @return false: some are elsewhere or misaligned;
/// nothing has been moved
template <class Memory, class Lane, bool Store>
bool move_scattered(warp& w, const memory_request& r, space s, unsigned elements) {
    const auto bytes = static_cast<std::uint32_t>(elements * sizeof(Memory));
    const device_address* const address = r.address;
    std::uint64_t misaligned = 0;
    for (unsigned i = 0; i < warp_size; ++i) misaligned |= address[i];
    if ((misaligned & (bytes - 1)) != 0) return false;
    const auto first = static_cast<unsigned>(__builtin_ctz(r.lanes));
    const mapped_range range = first_range(w, r.op, first, s, address[first], bytes, Store);
    const std::uint64_t last = range.size - bytes;
    alignas(64) std::uint64_t offset[warp_size];
    std::uint64_t outside = 0;
    for (unsigned i = 0; i < warp_size; ++i) {
        offset[i] = address[i] - range.begin;
        outside |= offset[i] | (last - offset[i]);
    }
    if (outside >> 63 != 0) return false;
    for (unsigned e = 0; e < elements; ++e) {
        auto* const lanes = reinterpret_cast<typename overlaid<Lane>::type*>(r.elements[e]);
        std::byte* const memory = range.host + e * sizeof(Memory);
        const auto move = [&](unsigned i) {
            move_element<Memory, Lane, Store>(memory + offset[i], lanes + i);
        };
        if (r.lanes == all_lanes)
            for (unsigned i = 0; i < warp_size; ++i) move(i);
        else
            for_lanes(r.lanes, move);
    }
    return true;
}

/// Moves an element of local memory: words of lanes are interleaved, so that an element of eight
/// bytes consists of two words, warp_size words apart.
template <class Memory, class Lane, bool Store>
inline void move_local_element(std::byte* memory, typename overlaid<Lane>::type* lane) {
    if constexpr (sizeof(Memory) <= 4) {
        move_element<Memory, Lane, Store>(memory, lane);
    } else if constexpr (Store) {
        const std::uint64_t value = *lane;
        const auto low = static_cast<std::uint32_t>(value);
        const auto high = static_cast<std::uint32_t>(value >> 32);
        std::memcpy(memory, &low, sizeof low);
        std::memcpy(memory + warp_size * sizeof low, &high, sizeof high);
    } else {
        std::uint32_t low, high;
        std::memcpy(&low, memory, sizeof low);
        std::memcpy(&high, memory + warp_size * sizeof low, sizeof high);
        *lane = static_cast<Lane>(std::uint64_t{high} << 32 | low);
    }
}

/// Local memory, all lanes at once. @return false: some address is outside of it or misaligned;
/// nothing has been moved
template <class Memory, class Lane, bool Store>
bool move_local_lanes(warp& w, const memory_request& r, device_address window, unsigned elements) {
    const auto bytes = static_cast<std::uint32_t>(elements * sizeof(Memory));
    if (bytes > w.local_bytes) return false;
    const std::uint64_t last = w.local_bytes - bytes;
    alignas(64) std::uint64_t place[warp_size];  // in bytes from w.local
    std::uint64_t outside = 0, misaligned = 0, differs = 0;
    const std::uint64_t first = r.address[0] - window;
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint64_t offset = r.address[i] - window;
        outside |= offset | (last - offset);
        misaligned |= offset;
        differs |= offset ^ first;
        place[i] = ((offset & ~3ull) * warp_size + i * 4) | (offset & 3);
    }
    if (outside >> 63 != 0 || (misaligned & (bytes - 1)) != 0) return false;
    for (unsigned e = 0; e < elements; ++e) {
        auto* const lanes = reinterpret_cast<typename overlaid<Lane>::type*>(r.elements[e]);
        // Elements of less than four bytes may start within a word.
        const std::uint64_t step = e * sizeof(Memory);
        const auto memory_of = [&](unsigned i) {
            if constexpr (sizeof(Memory) >= 4) return w.local + place[i] + step * warp_size;
            const std::uint64_t within = (place[i] & 3) + step;
            return w.local + (place[i] & ~3ull) + (within & ~3ull) * warp_size + (within & 3);
        };
        const auto move = [&](unsigned i) {
            move_local_element<Memory, Lane, Store>(memory_of(i), lanes + i);
        };
        if (r.lanes != all_lanes) {
            for_lanes(r.lanes, move);
        } else if (differs == 0 && sizeof(Memory) >= 4) {
            std::byte* const row = memory_of(0);
#pragma GCC ivdep
            for (unsigned i = 0; i < warp_size; ++i)
                move_local_element<Memory, Lane, Store>(row + std::size_t{4} * i, lanes + i);
        } else {
            for (unsigned i = 0; i < warp_size; ++i) move(i);
        }
    }
    return true;
}

template <class Memory, class Lane, bool Store>
void perform(warp& w, const memory_request& r) {
    const space s = access_detail::space_of(r.op);
    const unsigned elements = access_detail::elements_of(r.op);
    const auto bytes = static_cast<std::uint32_t>(elements * sizeof(Memory));
    const bool windowed = address_windows::in_local(r.address[0]);
    if (s == space::local || (s == space::generic && windowed)) {
        if (!move_local_lanes<Memory, Lane, Store>(w, r, windowed ? address_windows::local : 0,
                                                   elements))
            move_each<Memory, Lane, Store>(w, r, s, elements);
        return;
    }
    std::uint64_t stride;
    if (has_stride(r.address, stride) && r.lanes == all_lanes &&
        ((r.address[0] | stride) & (bytes - 1)) == 0) {
        const mapped_range range = first_range(w, r.op, 0, s, r.address[0], bytes, Store);
        if (range.holds(r.address[warp_size - 1], bytes))
            return move_strided<Memory, Lane, Store>(range.at(r.address[0]), stride, r, elements);
    }
    if (!move_scattered<Memory, Lane, Store>(w, r, s, elements))
        move_each<Memory, Lane, Store>(w, r, s, elements);
}

/// Whether other SMs can observe the access, so that it is deferred to the memory phase with
/// timing.
bool is_visible_outside(const memory_request& r, space s) {
    if (s == space::shared || s == space::local || s == space::param) return false;
    if (s == space::global) return true;
    for (unsigned i = 0; i < warp_size; ++i)
        if (address_windows::in_global(r.address[i])) return true;
    return false;
}

template <class Memory, class Lane, bool Store>
const operation* access(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    memory_request here;
    memory_request& r = w.pending != nullptr ? *w.pending : here;
    r.lanes = lanes;
    if (lanes == 0) return op + 1;
    r.op = op;
    compute_addresses(w, op, lanes, r.address);
    const unsigned elements = access_detail::elements_of(op);
    for (unsigned e = 0; e < elements; ++e) r.elements[e] = w.at(op->list[e]);
    const space s = access_detail::space_of(op);
    if (w.pending == nullptr || !is_visible_outside(r, s)) {
        if (find_remote_lanes(w, op, s) == 0) {
            perform<Memory, Lane, Store>(w, r);
            return op + 1;
        }
        perform_local_lanes(w, perform<Memory, Lane, Store>);
    }
    r.perform = perform<Memory, Lane, Store>;
    if constexpr (Store)
        for (unsigned e = 0; e < elements; ++e) {
            std::byte* const copy = r.values + std::size_t{e} * 256;
            std::memcpy(copy, r.elements[e], warp_size * sizeof(Lane));
            r.elements[e] = copy;
        }
    return op + 1;
}

/// Loads a kernel parameter, which is the same for all lanes.
template <class Memory, class Lane>
const operation* load_parameter(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    const std::byte* from = w.launch->parameters() + op->immediate;
    for (unsigned e = 0; e < access_detail::elements_of(op); ++e, from += sizeof(Memory)) {
        typename overlaid<Lane>::type value;
        move_element<Memory, Lane, false>(const_cast<std::byte*>(from), &value);
        auto* const to = lanes_at<Lane>(w, op->list[e]);
        if (lanes == all_lanes)
            for (unsigned i = 0; i < warp_size; ++i) to[i] = value;
        else
            for_lanes(lanes, [&](unsigned i) { to[i] = value; });
    }
    return op + 1;
}

/// The handler for an element's format: Make<Memory, Lane>::handle.
template <template <class, class> class Make>
handler choose(const element_format& f) {
    using s8 = std::int8_t;
    using s16 = std::int16_t;
    using s32 = std::int32_t;
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    const bool wide = f.register_bytes == 8;
    switch (f.memory_bytes) {
        case 1:
            if (f.sign_extends) return wide ? Make<s8, u64>::handle : Make<s8, u32>::handle;
            return wide ? Make<u8, u64>::handle : Make<u8, u32>::handle;
        case 2:
            if (f.sign_extends) return wide ? Make<s16, u64>::handle : Make<s16, u32>::handle;
            return wide ? Make<u16, u64>::handle : Make<u16, u32>::handle;
        case 4:
            if (wide) return f.sign_extends ? Make<s32, u64>::handle : Make<u32, u64>::handle;
            return Make<u32, u32>::handle;
        case 8:
            return Make<u64, u64>::handle;
        default:
            return nullptr;
    }
}
template <class Memory, class Lane>
struct make_load {
    static constexpr handler handle = access<Memory, Lane, false>;
};
template <class Memory, class Lane>
struct make_store {
    static constexpr handler handle = access<std::make_unsigned_t<Memory>, Lane, true>;
};
template <class Memory, class Lane>
struct make_parameter_load {
    static constexpr handler handle = load_parameter<Memory, Lane>;
};

}  // namespace

handler choose_load(const element_format& f) {
    return choose<make_load>(f);
}
handler choose_store(const element_format& f) {
    return choose<make_store>(f);
}
handler choose_parameter_load(const element_format& f) {
    return choose<make_parameter_load>(f);
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution
