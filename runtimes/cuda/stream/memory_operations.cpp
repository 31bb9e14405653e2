// SPDX-License-Identifier: Apache-2.0
// Writes of values in stream order, and waits for values in memory.
#include "runtimes/cuda/abi/call.h"
#include "runtimes/cuda/memory/memory.h"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace simtlm::cuda {

namespace {

/// Writes memory in stream order.
template <class T>
void write_value(session& s, void* stream, std::uint64_t to, T value) {
    require(to % sizeof(T) == 0, status::invalid_value, "the address is not aligned");
    fill(s, to, sizeof(T), static_cast<unsigned>(value), 4, 1, 1, stream);
    if (sizeof(T) == 8)
        fill(s, to + 4, sizeof(T), static_cast<unsigned>(std::uint64_t{value} >> 32), 4, 1, 1,
             stream);
}

/// CUstreamWaitValue_flags
enum wait_condition : unsigned { at_least, equal, any_bit, not_all_bits };

template <class T>
bool holds(T now, T value, unsigned condition) {
    switch (condition) {
        case at_least:  // cyclic comparison
            return static_cast<std::make_signed_t<T>>(static_cast<T>(now - value)) >= 0;
        case equal:
            return now == value;
        case any_bit:
            return (now & value) != 0;
        default:
            return static_cast<T>(~(now | value)) != 0;
    }
}

/// Blocks later work of the stream until memory has a value.
template <class T>
void wait_value(session& s, void* stream, std::uint64_t from, T value, unsigned flags) {
    constexpr unsigned conditions = 3, flushes = 1u << 30;
    require(from != 0 && from % sizeof(T) == 0, status::invalid_value,
            "the address is not aligned");
    require((flags & ~(conditions | flushes)) == 0, status::invalid_value, "unknown comparison");
    if (s.gpus().is_remote()) {
        const auto a = s.gpus().memory().find(from);
        require(
            a && !device::is_of_gpu(a->kind), status::not_supported,
            "on GPUs that another process simulates, streams wait for values in host memory only");
    }
    operation o;
    o.make = [from, value, condition = flags & conditions](session&) {
        auto t = std::make_shared<device::task>();
        t->until = [from, value, condition] {
            return holds(__atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_ACQUIRE), value,
                         condition);
        };
        return t;
    };
    enqueue(s, s.stream(stream), std::move(o));
}

/// CUstreamBatchMemOpParams: 48 bytes beginning with the operation.
struct memory_operation {
    unsigned what;
    std::uint64_t address;
    std::uint64_t value;
    unsigned flags;
    std::uint64_t reserved[2];
};

static_assert(sizeof(memory_operation) == 48);

void carry_out(session& s, void* stream, const memory_operation& m) {
    constexpr unsigned wait_32 = 1, write_32 = 2, flush = 3, wait_64 = 4, write_64 = 5, barrier = 6;
    const auto word = static_cast<unsigned>(m.value);
    switch (m.what) {
        case wait_32:
            return wait_value(s, stream, m.address, word, m.flags);
        case wait_64:
            return wait_value(s, stream, m.address, m.value, m.flags);
        case write_32:
            return write_value(s, stream, m.address, word);
        case write_64:
            return write_value(s, stream, m.address, m.value);
        case flush:
        case barrier:
            return;
        default:
            throw failure(status::invalid_value, "unknown memory operation");
    }
}

}  // namespace

CALL(cuStreamWaitValue32, session& s, void* stream, std::uint64_t from, unsigned value,
     unsigned flags) {
    wait_value(s, stream, from, value, flags);
}
CALL(cuStreamWaitValue64, session& s, void* stream, std::uint64_t from, std::uint64_t value,
     unsigned flags) {
    wait_value(s, stream, from, value, flags);
}
CALL(cuStreamBatchMemOp, session& s, void* stream, unsigned count, const memory_operation* all,
     unsigned) {
    for (unsigned i = 0; i < count; ++i) carry_out(s, stream, all[i]);
}
CALL(cuStreamWriteValue32, session& s, void* stream, std::uint64_t to, unsigned value, unsigned) {
    write_value(s, stream, to, value);
}
CALL(cuStreamWriteValue64, session& s, void* stream, std::uint64_t to, std::uint64_t value,
     unsigned) {
    write_value(s, stream, to, value);
}

}  // namespace simtlm::cuda
