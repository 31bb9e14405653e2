// SPDX-License-Identifier: Apache-2.0
// Attributes of addresses.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/memory/memory.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

namespace simtlm::cuda {

pointer_attributes attributes_of(session& s, const void* p) {
    pointer_attributes a{};
    a.device = -2;  // cudaInvalidDeviceId
    a.host_pointer = const_cast<void*>(p);
    const auto found = s.gpus().memory().find(address_of(p));
    if (!found) {
        if (!s.gpus().memory().is_device_memory(address_of(p))) return a;
        a.type = 2;
        a.device = static_cast<int>(s.current_device());
        a.device_pointer = const_cast<void*>(p);
        a.host_pointer = nullptr;
        return a;
    }
    a.device = static_cast<int>(found->device);
    a.device_pointer = const_cast<void*>(p);
    switch (found->kind) {
        case device::memory_kind::device:
        case device::memory_kind::mapped:
            a.type = 2;
            a.host_pointer = nullptr;
            break;
        case device::memory_kind::managed:
            a.type = 3;
            break;
        default:
            a.type = 1;
            break;
    }
    return a;
}

CALL(cudaPointerGetAttributes, session& s, pointer_attributes* to, const void* p) {
    require_pointer(to);
    *to = attributes_of(s, p);
}

namespace {

/// Returns a CUpointer_attribute of memory that CUDA knows.
/// @throws failure  if the memory has no such attribute
void write_attribute(session& s, void* to, int attribute, std::uint64_t p) {
    require_pointer(to);
    const pointer_attributes a = attributes_of(s, pointer_to(p));
    const auto place = s.gpus().memory().find(p);
    const auto write = [to](auto value) { std::memcpy(to, &value, sizeof value); };
    switch (attribute) {
        case 1:
            return write(place ? context_of(s, *place) : s.contexts.primary(s.current_device()));
        case 2:
            return write(a.type == 1 ? 1u : 2u);
        case 3:
            return write(p);
        case 4:
            require(a.type != 2, status::invalid_value, "GPU memory has no host address");
            return write(pointer_to(p));
        case 6:  // synchronous copies
            return write(place && s.synchronous_allocations.find(place->id) ? 1u : 0u);
        case 7:
        case 20:
            return write(place ? place->id : std::uint64_t{0});
        case 8:
            return write(a.type == 3 ? 1u : 0u);
        case 9:
            return write(a.device);
        case 10:  // sharing by legacy IPC handles is possible
        case 15:  // so is direct access by other PCI devices
        case 21:  // decompression by hardware
            return write(0);
        case 11:
        case 19:
            return write(place ? place->address : std::uint64_t{0});
        case 12:
        case 18:
            return write(place ? place->bytes : std::uint64_t{0});
        case 13:
            return write(1);
        case 14:  // kinds of handles that memory can be exported to
            return write(std::uint64_t{0});
        case 16:  // reads and writes
            return write(3ull);
        case 17:
            return write(place ? s.pools.origin(place->address) : nullptr);
        default:
            throw failure(status::invalid_value,
                          fmt::format("unknown address attribute {}", attribute));
    }
}

/// Attributes of memory that CUDA does not know, for cuPointerGetAttributes.
void write_unknown(void* to, int attribute) {
    require_pointer(to);
    if (attribute == 9) {
        constexpr int no_device = -2;
        std::memcpy(to, &no_device, sizeof no_device);
        return;
    }
    const bool is_int = attribute == 2 || attribute == 6 || attribute == 8 || attribute == 10 ||
                        attribute == 13 || attribute == 15 || attribute == 21;
    std::memset(to, 0, is_int ? 4 : 8);
}

}  // namespace

CALL(cuPointerGetAttribute, session& s, void* to, int attribute, std::uint64_t p) {
    require(attributes_of(s, pointer_to(p)).type != 0, status::invalid_value, "unknown memory");
    write_attribute(s, to, attribute, p);
}
CALL(cuPointerGetAttributes, session& s, unsigned count, const int* attributes, void** to,
     std::uint64_t p) {
    const int type = attributes_of(s, pointer_to(p)).type;
    for (unsigned i = 0; i < count; ++i) {
        if (type == 0 || (attributes[i] == 4 && type == 2))
            write_unknown(to[i], attributes[i]);
        else
            write_attribute(s, to[i], attributes[i], p);
    }
}
CALL(cuPointerSetAttribute, session& s, const void* value, int attribute, std::uint64_t p) {
    require_pointer(value);
    require(attribute == 6, status::invalid_value, "an attribute that is read-only");
    const auto place = s.gpus().memory().find(p);
    require(static_cast<bool>(place), status::invalid_value, "unknown memory");
    if (*static_cast<const unsigned*>(value) != 0)
        s.synchronous_allocations.set(place->id, true);
    else
        s.synchronous_allocations.erase(place->id);
}

}  // namespace simtlm::cuda
