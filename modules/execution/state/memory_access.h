// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/thread_block.h"
#include "modules/execution/state/warp.h"

#include <cstdint>
#include <functional>
#include <string>

namespace simtlm::execution {

/// The state space of a memory instruction.
enum class space : std::uint8_t { generic, global, shared, local, param };

/// Encoding of operation::detail for memory operations.
struct access_detail {
    static constexpr std::uint16_t vector_mask = 0xf;      ///< elements per lane
    static constexpr std::uint16_t frame_relative = 0x10;  ///< address in the function's frame
    static constexpr unsigned space_shift = 5;             ///< three bits
    static constexpr std::uint16_t wide_address = 0x100;   ///< of 64 bits
    static constexpr std::uint16_t read_only = 0x200;      ///< const
    static constexpr std::uint16_t of_the_system = 0x400;  ///< atomic with respect to the host, too

    static space space_in(std::uint32_t detail) {
        return static_cast<space>(detail >> space_shift & 7);
    }
    static space space_of(const operation* op) { return space_in(op->detail); }
    static unsigned elements_of(const operation* op) { return op->detail & vector_mask; }
};

/// Called with a lane, an address and a number of bytes.
using range_visitor = std::function<void(unsigned, device_address, std::uint32_t)>;

/// A part of an address space that is contiguous on the host.
struct mapped_range {
    device_address begin = 0;
    std::uint64_t size = 0;
    std::byte* host = nullptr;  ///< host address of `begin`

    /// Whether [a, a + bytes) is inside.
    bool holds(device_address a, std::uint64_t bytes) const {
        return a - begin < size && bytes <= size - (a - begin);
    }
    std::byte* at(device_address a) const { return host + (a - begin); }
};

/// The range that contains a lane's access of `bytes`. Not for local memory, which is not
/// contiguous. @throws execution_error  if there is none, or the address is misaligned
mapped_range range_of(warp& w, const operation* op, unsigned lane, space s, device_address a,
                      std::uint32_t bytes, bool writes);

/// Checks an access to local memory. @param offset  in the thread's local memory
void check_local(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                 std::uint32_t bytes);

/// Reports an address that is not a multiple of the access size.
[[noreturn]] void misaligned(warp& w, const operation* op, unsigned lane, device_address a,
                             std::uint32_t bytes);

/// Reports an address, or an operand, of a CTA that is not in the cluster.
[[noreturn]] void names_no_rank(warp& w, const operation* op, unsigned lane);

/// A 4-byte word of a lane's local memory. @param offset  multiple of 4
inline std::byte* local_word(const warp& w, unsigned lane, std::uint64_t offset) {
    return w.local + (offset / 4 * warp_size + lane) * 4;
}

/// Copies bytes from or to any memory that a lane can address; slow.
void read_lane_bytes(warp& w, const operation* op, unsigned lane, device_address generic, void* to,
                     std::uint32_t bytes);
void write_lane_bytes(warp& w, const operation* op, unsigned lane, device_address generic,
                      const void* from, std::uint32_t bytes);
void read_local(const warp& w, unsigned lane, std::uint64_t offset, void* to, std::uint32_t bytes);
void write_local(const warp& w, unsigned lane, std::uint64_t offset, const void* from,
                 std::uint32_t bytes);

/// A zero-terminated string of a lane's program; at most `most` characters.
std::string read_lane_string(warp& w, const operation* op, unsigned lane, device_address generic,
                             std::size_t most = 65536);

}  // namespace simtlm::execution
