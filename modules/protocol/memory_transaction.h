// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/access.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tlm>
#include <typeinfo>
#include <utility>
#include <vector>

namespace simtlm::protocol {

/// A set of bytes of one 128-byte line.
struct byte_mask {
    std::array<std::uint64_t, 2> bits{};

    /// Sets a range of bytes.
    void set(unsigned first, unsigned count) {
        const unsigned end = first + count;
        bits[0] |= ones_below(end) & ~ones_below(first);
        bits[1] |= ones_below(end < 64 ? 0 : end - 64) & ~ones_below(first < 64 ? 0 : first - 64);
    }
    bool test(unsigned i) const { return (bits[i / 64] >> (i % 64) & 1u) != 0; }
    bool none() const { return (bits[0] | bits[1]) == 0; }
    /// The bytes of one 32-byte sector (0..3).
    std::uint32_t sector(unsigned s) const {
        return static_cast<std::uint32_t>(bits[s / 2] >> (32 * (s % 2)));
    }
    /// Adds the bytes of a sector. @param mask  of its 32 bytes
    void set_sector(unsigned s, std::uint32_t mask) {
        bits[s / 2] |= std::uint64_t{mask} << (32 * (s % 2));
    }
    void clear_sector(unsigned s) { bits[s / 2] &= ~(std::uint64_t{0xffffffff} << (32 * (s % 2))); }
    byte_mask& operator|=(const byte_mask& o) {
        bits[0] |= o.bits[0];
        bits[1] |= o.bits[1];
        return *this;
    }

private:
    static constexpr std::uint64_t ones_below(unsigned bit) {
        return bit < 64 ? (std::uint64_t{1} << bit) - 1 : ~std::uint64_t{0};
    }
};

/// Location of a transaction in DRAM, as decoded from its address.
struct dram_location {
    std::uint16_t channel = 0;
    std::uint16_t bank = 0;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    std::uint16_t sub_partition = 0;      ///< global number
    std::uint64_t partition_address = 0;  ///< within the partition, without the channel bits
};

/// Times at which a transaction passed the stages of its path, in core cycles modulo 2^32; 0: not
/// passed.
struct hop_times {
    std::uint32_t created = 0;
    std::uint32_t injected = 0;   ///< into the request network
    std::uint32_t at_l2 = 0;      ///< entered the sub-partition
    std::uint32_t at_dram = 0;    ///< entered the DRAM channel
    std::uint32_t from_dram = 0;  ///< left the DRAM channel
    std::uint32_t replied = 0;    ///< into the reply network
    std::uint32_t received = 0;   ///< arrived at the cluster

    /// Converts a core cycle to a time stamp.
    static constexpr std::uint32_t stamp(std::uint64_t cycle) {
        return static_cast<std::uint32_t>(cycle);
    }
    /// Core cycles from a time stamp to a later cycle, less than 2^32.
    static constexpr std::uint64_t between(std::uint32_t from, std::uint64_t to) {
        return static_cast<std::uint32_t>(to - from);
    }
};

/// The attributes of a GPU memory transaction beyond the generic payload. Ignorable: targets that
/// do not know it can serve the payload, and initiators that do not set it are served with
/// defaults.
///
/// There is one object for each packet that the networks' buffers can hold, about a hundred
/// thousand on a large GPU: members are ordered by size, and a test checks the total size.
struct memory_extension : tlm::tlm_extension<memory_extension> {
    dram_location location;
    /// The transaction of which this one is a sector; nullptr: none.
    tlm::tlm_generic_payload* parent = nullptr;
    byte_mask bytes;  ///< bytes to be written or read, of the 128-byte line
    hop_times when;
    /// Number of the operation for which it was sent, in the block of the SM that sent it: of a
    /// warp_instruction in its pool, or of a bulk copy.
    std::uint32_t owner = 0;
    std::uint32_t profiled = 0;  ///< the profile's number of the instruction
    /// Number of the MSHR entry for which the transaction fetches data, in the cache that sent it
    /// last and still waits for it.
    std::uint32_t mshr = 0;
    std::uint16_t cluster = 0;
    std::uint16_t sm = 0;  ///< within the GPU
    std::uint16_t warp = 0;
    std::uint16_t pending_parts = 0;
    std::uint16_t data_bytes = 0;  ///< bytes of data in the packet that carries data
    access_type type = access_type::global_read;
    std::uint8_t sectors = 0;  ///< of the 128-byte line, bit s = sector s
    std::uint8_t source = 0;   ///< unit within the SM that sent it (core::memory_source)
    std::uint8_t lanes = 0;    ///< number of participating lanes of the warp
    bool is_atomic : 1;
    bool bypass_l1 : 1;  ///< .STRONG.GPU, atomics, -gpgpu_gmem_skip_L1D
    bool last_use : 1;   ///< a read of local memory after which the data are not needed any more
    /// The next request of the instruction is for the same line, or for the same data flit: one
    /// packet carries both over the link of a GPC (link_flits()).
    bool shares_header : 1;
    bool shares_flit : 1;
    bool located : 1;  ///< location has been decoded
    /// If not located, the transaction is routed to the sub-partition of the address in
    /// location.partition_address (quirk evictions-follow-misses).
    bool misrouted : 1;
    bool hit : 1;          ///< in a response of a cache of an SM: it did not wait for memory
    bool is_prefetch : 1;  ///< of an SM: fetches data into the L2, which answers without data; of
                           ///< an L2: nothing waits for the data
    /// Size of the aligned block that the L2 fetches if it misses: 32 << l2_block bytes.
    std::uint8_t l2_block : 2;

    void reset() { *this = memory_extension(); }
    tlm::tlm_extension_base* clone() const override { return new memory_extension(*this); }
    void copy_from(const tlm::tlm_extension_base& o) override {
        *this = static_cast<const memory_extension&>(o);
    }
    memory_extension()
        : is_atomic(false),
          bypass_l1(false),
          last_use(false),
          shares_header(false),
          shares_flit(false),
          located(false),
          misrouted(false),
          hit(false),
          is_prefetch(false),
          l2_block(0) {}
    memory_extension(const memory_extension&) = default;
    memory_extension& operator=(const memory_extension&) = default;
    ~memory_extension() override = default;
};

/// The code of a block size in memory_extension::l2_block. @param bytes  0, 64, 128 or 256
constexpr std::uint8_t l2_block_code(unsigned bytes) {
    return bytes >= 256 ? 3 : bytes >= 128 ? 2 : bytes >= 64 ? 1 : 0;
}

/// A payload of a transaction_pool with its extension in one allocation, in cache lines of its own,
/// because it passes between host threads.
struct alignas(64) pooled_transaction final : tlm::tlm_generic_payload {
    memory_extension ext;
    pooled_transaction* next_free = nullptr;  ///< in the pool
};

/// Prefetches the cache lines of a payload, which another processor may have written.
inline void prefetch(const tlm::tlm_generic_payload& p) {
    constexpr unsigned line = 64;
    for (unsigned at = 0; at < sizeof(pooled_transaction); at += line)
        __builtin_prefetch(reinterpret_cast<const char*>(&p) + at, 1);
}

/// @return the GPU extension of a payload, or nullptr if it has none
inline const memory_extension* find_extension(const tlm::tlm_generic_payload& p) {
    // This is called very often, and the payload's list of extensions is in another cache line. If
    // the linker has duplicated the type_info, the list is used instead.
    if (&typeid(p) == &typeid(pooled_transaction))
        return &static_cast<const pooled_transaction&>(p).ext;
    return p.get_extension<memory_extension>();
}
inline memory_extension* find_extension(tlm::tlm_generic_payload& p) {
    return const_cast<memory_extension*>(find_extension(std::as_const(p)));
}
/// The GPU extension of a payload. @pre the payload has one (payloads of a transaction_pool do)
inline const memory_extension& extension(const tlm::tlm_generic_payload& p) {
    return *find_extension(p);
}
inline memory_extension& extension(tlm::tlm_generic_payload& p) {
    return const_cast<memory_extension&>(extension(std::as_const(p)));
}

/// Value of memory_extension::pending_parts for a sector of a split request. Distinguishes it from
/// a request that has a parent for another reason (a write-allocate read).
inline constexpr std::uint16_t part_mark = 0xffff;
/// Whether a response answers one sector of the request that is its parent. The reference to the
/// response passes to the SM that receives it.
inline bool is_part(const tlm::tlm_generic_payload& p) {
    return extension(p).pending_parts == part_mark;
}

/// Counts the response to a request or to one of its parts. @return the request, or nullptr while
/// responses to other parts are missing
inline tlm::tlm_generic_payload* answered_request(tlm::tlm_generic_payload& response) {
    tlm::tlm_generic_payload* const parent = extension(response).parent;
    if (parent == nullptr) return &response;
    return --extension(*parent).pending_parts == 0 ? parent : nullptr;
}

/// Bytes of the request packet: header, and data of a write or atomic.
inline unsigned request_bytes(const tlm::tlm_generic_payload& p) {
    const memory_extension& e = extension(p);
    return control_bytes + (p.is_write() || e.is_atomic ? e.data_bytes : 0u);
}
/// Width of the link over which the SMs of a GPC send requests.
inline constexpr unsigned link_flit_bytes = 64;
/// Flits of that link that a request occupies: a header and the data of a write or atomic, except
/// for what a later request of the same packet accounts for.
inline unsigned link_flits(const tlm::tlm_generic_payload& p) {
    const memory_extension& e = extension(p);
    const unsigned header = e.shares_header ? 0 : 1;
    if (!p.is_write() && !e.is_atomic) return header;
    const unsigned data = (p.get_data_length() + link_flit_bytes - 1) / link_flit_bytes;
    return header + (e.shares_flit ? data - 1 : data);
}
/// Bytes of the reply packet: header, and data of a read that is not a prefetch.
inline unsigned reply_bytes(const tlm::tlm_generic_payload& p) {
    const memory_extension& e = extension(p);
    return control_bytes + (p.is_write() || e.is_prefetch ? 0u : e.data_bytes);
}

/// Memory manager of the GPU's transactions: reuses payloads together with their extension. Each
/// simulation of a process has its own. Not thread-safe unless share() has been called.
class transaction_pool : public tlm::tlm_mm_interface {
public:
    transaction_pool() = default;
    ~transaction_pool() override;
    transaction_pool(const transaction_pool&) = delete;
    transaction_pool& operator=(const transaction_pool&) = delete;

    /// Acquires a transaction with reference count 1 and a reset extension. Its data pointer refers
    /// to 128 bytes that are shared by all transactions of the pool: trace-driven simulation has no
    /// data values, so what targets read or write there is meaningless.
    /// @param address  bytes
    /// @param bytes    1 .. 128
    tlm::tlm_generic_payload& acquire(tlm::tlm_command command, std::uint64_t address,
                                      unsigned bytes, access_type type);

    /// From now on blocks that use a pool returned by of_block() may run concurrently on several
    /// host threads, and transactions may be released on any thread.
    void share() { shared_ = true; }
    /// @return the pool for a block, which runs on one thread at a time: this pool, or after
    ///         share() a separate sub-pool
    transaction_pool& of_block();

    /// Number of transactions that have been acquired and not yet freed; 0 when the design is idle.
    std::uint64_t outstanding() const;
    /// Total number of transactions acquired.
    std::uint64_t acquired() const;

private:
    void free(tlm::tlm_generic_payload* p) override;
    pooled_transaction& take();
    void make_slab();

    bool shared_ = false;
    std::size_t slab_size_ = 256;
    std::vector<std::unique_ptr<pooled_transaction[]>> slabs_;
    std::vector<std::unique_ptr<transaction_pool>> parts_;
    pooled_transaction* free_list_ = nullptr;
    std::uint64_t acquired_ = 0;
    std::array<unsigned char, 128> no_data_{};
    // After share(): transactions freed by any thread, collected when the free list is empty.
    alignas(64) std::atomic<pooled_transaction*> returned_{nullptr};
    std::atomic<std::uint64_t> freed_{0};
};

}  // namespace simtlm::protocol
