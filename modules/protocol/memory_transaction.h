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
    void set_sector(unsigned s, std::uint32_t mask) {
        bits[s / 2] |= std::uint64_t{mask} << (32 * (s % 2));
    }
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

/// Where a transaction lives in DRAM.
struct dram_location {
    std::uint16_t channel = 0;
    std::uint16_t bank = 0;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    std::uint16_t sub_partition = 0;      ///< global number
    std::uint64_t partition_address = 0;  ///< within the partition, without the channel bits
};

/// When a transaction passed the stations of its way: core cycles modulo 2^32; 0 = not passed.
struct hop_times {
    std::uint32_t created = 0;
    std::uint32_t injected = 0;   ///< into the request network
    std::uint32_t at_l2 = 0;      ///< entered the sub-partition
    std::uint32_t at_dram = 0;    ///< entered the DRAM channel
    std::uint32_t from_dram = 0;  ///< left the DRAM channel
    std::uint32_t replied = 0;    ///< into the reply network
    std::uint32_t received = 0;   ///< arrived at the cluster

    /// A core cycle as it is noted here.
    static constexpr std::uint32_t stamp(std::uint64_t cycle) {
        return static_cast<std::uint32_t>(cycle);
    }
    /// Core cycles from a noted one to a later one, less than 2^32 of them.
    static constexpr std::uint64_t between(std::uint32_t from, std::uint64_t to) {
        return static_cast<std::uint32_t>(to - from);
    }
};

/// What a GPU memory transaction carries besides the generic payload. Ignorable: a target that
/// does not know it serves the payload; an initiator that does not set it is served with defaults.
///
/// There are as many of these as the networks' buffers hold packets, a hundred thousand on a large
/// GPU: members are in order of size, and a test watches the sum.
struct memory_extension : tlm::tlm_extension<memory_extension> {
    dram_location location;
    void* instruction = nullptr;  ///< the issuing block's own handle
    /// The transaction that this one is a sector of; nullptr: none.
    tlm::tlm_generic_payload* parent = nullptr;
    byte_mask bytes;  ///< written or wanted, of the 128-byte line
    hop_times when;
    std::uint32_t profiled = 0;  ///< the number that a profile has given the instruction
    std::uint16_t cluster = 0;
    std::uint16_t sm = 0;  ///< within the GPU
    std::uint16_t warp = 0;
    std::uint16_t pending_parts = 0;
    std::uint16_t data_bytes = 0;  ///< that move in the packet with data
    access_type type = access_type::global_read;
    std::uint8_t sectors = 0;  ///< of the 128-byte line, bit s = sector s
    std::uint8_t source = 0;   ///< within the SM: who sent it (core::memory_source)
    std::uint8_t lanes = 0;    ///< of the warp that take part
    std::uint8_t cookie = 0;   ///< scratch of whoever holds the transaction
    bool is_atomic : 1;
    bool bypass_l1 : 1;  ///< .STRONG.GPU, atomics, -gpgpu_gmem_skip_L1D
    bool located : 1;    ///< location has been decoded
    /// Not located, and goes to the sub-partition of the address in location.partition_address (the
    /// quirk evictions-follow-misses).
    bool misrouted : 1;

    void reset() { *this = memory_extension(); }
    tlm::tlm_extension_base* clone() const override { return new memory_extension(*this); }
    void copy_from(const tlm::tlm_extension_base& o) override {
        *this = static_cast<const memory_extension&>(o);
    }
    memory_extension() : is_atomic(false), bypass_l1(false), located(false), misrouted(false) {}
    memory_extension(const memory_extension&) = default;
    memory_extension& operator=(const memory_extension&) = default;
    ~memory_extension() override = default;
};

/// A payload of a transaction_pool with its extension, in one allocation and cache lines of its
/// own: it passes from one host thread to another.
struct alignas(64) pooled_transaction final : tlm::tlm_generic_payload {
    memory_extension ext;
};

/// Prefetches the cache lines of a payload, which another processor may have written.
inline void bring(const tlm::tlm_generic_payload& p) {
    constexpr unsigned line = 64;
    for (unsigned at = 0; at < sizeof(pooled_transaction); at += line)
        __builtin_prefetch(reinterpret_cast<const char*>(&p) + at, 1);
}

/// The GPU's extension of a payload, nullptr where it has none.
inline const memory_extension* find_extension(const tlm::tlm_generic_payload& p) {
    // Blocks ask for it all the time; the payload's list of extensions is another cache line.
    // Should a linker make the type's description twice, the list is asked after all.
    if (&typeid(p) == &typeid(pooled_transaction))
        return &static_cast<const pooled_transaction&>(p).ext;
    return p.get_extension<memory_extension>();
}
inline memory_extension* find_extension(tlm::tlm_generic_payload& p) {
    return const_cast<memory_extension*>(find_extension(std::as_const(p)));
}
/// The same, where there is one. @pre it has one (payloads of a transaction_pool do)
inline const memory_extension& extension(const tlm::tlm_generic_payload& p) {
    return *find_extension(p);
}
inline memory_extension& extension(tlm::tlm_generic_payload& p) {
    return const_cast<memory_extension&>(extension(std::as_const(p)));
}

/// memory_extension::pending_parts of a sector of a split request. Tells it from a request that has
/// a parent for another reason (a write-allocate read).
inline constexpr std::uint16_t part_mark = 0xffff;
/// Whether a response answers one sector of the request that is its parent. Its reference passes to
/// the SM that receives it.
inline bool is_part(const tlm::tlm_generic_payload& p) {
    return extension(p).pending_parts == part_mark;
}

/// Bytes of the request packet: header, and data when it writes or is an atomic operation.
inline unsigned request_bytes(const tlm::tlm_generic_payload& p) {
    const memory_extension& e = extension(p);
    return control_bytes + (p.is_write() || e.is_atomic ? e.data_bytes : 0u);
}
/// Bytes of the reply packet: header, and data when it read.
inline unsigned reply_bytes(const tlm::tlm_generic_payload& p) {
    const memory_extension& e = extension(p);
    return control_bytes + (p.is_write() ? 0u : e.data_bytes);
}

/// The memory manager of the GPU's transactions: payloads with their extension and data, reused.
/// Not shared between simulations of one process; not thread safe unless share() has been called.
class transaction_pool : public tlm::tlm_mm_interface {
public:
    transaction_pool() = default;
    ~transaction_pool() override;
    transaction_pool(const transaction_pool&) = delete;
    transaction_pool& operator=(const transaction_pool&) = delete;

    /// A transaction with reference count 1 and a reset extension. Its data pointer shows to 128
    /// bytes that all transactions of the pool share: a trace tells no values, so that what a
    /// target reads there or writes into them has no meaning.
    /// @param address  bytes
    /// @param bytes    1 .. 128
    tlm::tlm_generic_payload& acquire(tlm::tlm_command command, std::uint64_t address,
                                      unsigned bytes, access_type type);

    /// From now on the blocks that have a pool of_block() may use it at the same time, on several
    /// threads of the host, and transactions may be released on any thread.
    void share() { shared_ = true; }
    /// The pool that a block, which acts on one thread at a time, takes its transactions from: one
    /// of its own, a part of this one, if share() has been called.
    transaction_pool& of_block();

    /// Transactions acquired and not yet released to the end; 0 when nothing is under way.
    std::uint64_t outstanding() const;
    /// Transactions ever acquired.
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
    // If shared: those that have come back, until the free list is empty.
    alignas(64) std::atomic<pooled_transaction*> returned_{nullptr};
    std::atomic<std::uint64_t> freed_{0};
};

}  // namespace simtlm::protocol
