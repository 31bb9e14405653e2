// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/memory_config.h"
#include "modules/memory/random_chunks.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/support/archive_fwd.h"

#include <array>
#include <cstdint>
#include <optional>

namespace simtlm::memory {

/// Extracts the address bits selected by a mask into a dense number, like the x86 instruction PEXT;
/// uses a table of the mask's runs of ones.
class bit_gather {
public:
    explicit bit_gather(std::uint64_t mask = 0);

    std::uint64_t operator()(std::uint64_t value) const {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < runs_; ++i) result |= (value & run_[i].mask) >> run_[i].shift;
        return result;
    }
    /// The inverse: distributes a dense number over the bits of the mask.
    std::uint64_t spread(std::uint64_t dense) const {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < runs_; ++i) result |= (dense << run_[i].shift) & run_[i].mask;
        return result;
    }
    std::uint64_t mask() const { return mask_; }

private:
    struct run {
        std::uint64_t mask;
        unsigned shift;
    };
    std::array<run, 32> run_{};
    unsigned runs_ = 0;
    std::uint64_t mask_ = 0;
};

/// Maps an address to its channel, sub-partition, bank, row and column, and to the address within
/// the partition.
///
/// Address decoding of the GPGPU-Sim manual: the mapping string specifies, from bit 63 down, what
/// each address bit selects (D channel, B bank, R row, C column, S byte within a burst, 0 nothing),
/// with an optional prefix `dramid@<bit>;` if the channel bits are inserted at a position instead.
/// If the number of channels is not a power of two, the address above that position is divided by
/// it. Partition indexing then permutes the channels in order to distribute strides.
class address_mapping {
public:
    /// @throws user_error  with the text of the option, if the mapping is malformed or does not fit
    ///         the number of channels
    explicit address_mapping(const address_mapping_config& config);

    /// The DRAM location of an address.
    protocol::dram_location decode(std::uint64_t address) const;
    /// Same as decode().sub_partition, but faster.
    unsigned sub_partition_of(std::uint64_t address) const;

    /// The address without the bits that select the channel and the sub-partition.
    std::uint64_t partition_address(std::uint64_t address) const {
        if (!divides_) return partition_(address);
        return sub_partition_free_(divided(address) | (address & low_mask_));
    }

    /// A dense address within the channel: the channel bits are removed, and the result is unique
    /// for every byte of the channel. If the number of channels is not a power of two and IPOLY is
    /// used, the addresses of a channel span up to twice its bytes.
    /// @pre !placed_at_first_use()
    std::uint64_t channel_address(std::uint64_t address) const;
    /// The inverse of channel_address(); nullopt for unused addresses, which exist with IPOLY, see
    /// above.
    std::optional<std::uint64_t> device_address(unsigned channel,
                                                std::uint64_t channel_address) const;

    /// Random partition indexing: assigns a sub-partition to the memory chunk of an address, at its
    /// first use. placed() returns whether this has been done, placed_at_first_use() whether this
    /// mapping requires it.
    void place(std::uint64_t address) { chunks_.place(address >> random_shift_); }
    bool placed(std::uint64_t address) const { return chunks_.placed(address >> random_shift_); }
    bool placed_at_first_use() const { return indexing_ == partition_indexing::random; }

    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);
    /// Name of its block in a checkpoint.
    static constexpr const char* block_name = "address_mapping";
    unsigned channels() const { return channels_; }
    /// Whether the number of channels is not a power of two, so that the address is divided by it.
    bool divides() const { return divides_; }
    unsigned sub_partitions() const { return channels_ * sub_partitions_per_channel_; }

    /// The decoded masks, for printing.
    struct masks {
        std::uint64_t channel = 0, bank = 0, row = 0, column = 0, burst = 0, sub_partition = 0;
    };
    const masks& decoded_masks() const { return masks_; }

private:
    /// The fields that select a sub-partition, before partition indexing.
    struct selection {
        std::uint32_t channel, bank;
        std::uint64_t high_bits;  ///< used by partition indexing
        std::uint64_t rest;       ///< the address, divided if divides_
    };
    selection select(std::uint64_t address) const;
    unsigned permuted(const selection& s, std::uint64_t address) const;
    void parse(const std::string& mapping);
    void preset(unsigned mode);
    void insert_channel_bits(unsigned count);
    std::uint64_t without_channel(std::uint64_t address) const;
    std::uint64_t with_channel(std::uint64_t rest, unsigned raw_channel) const;
    unsigned max_sub_partitions_alike() const;
    std::uint64_t divided(std::uint64_t address) const {
        return ((address >> channel_position_) / channels_) << channel_position_;
    }

    masks masks_;
    int channel_position_ = 10;  // -1: the mapping has an explicit channel mask
    unsigned position_ = 0;      // of the lowest channel bit
    std::uint64_t low_mask_ = 0;
    bool divides_ = false;
    unsigned channels_;
    unsigned sub_partitions_per_channel_;
    unsigned high_shift_ = 0;  // of the bits used by partition indexing
    unsigned random_shift_ = 0;
    unsigned hashed_ = 0;  // number of sub-partitions, if channels are a power of two
    partition_indexing indexing_;
    random_chunks chunks_;
    /// Maximum number of addresses that differ only in the channel bits and map to the same
    /// channel.
    unsigned alike_ = 1;
    bit_gather channel_, bank_, row_, column_, partition_, sub_partition_free_, channel_free_;
};

}  // namespace simtlm::memory
