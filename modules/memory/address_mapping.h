// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/archive_fwd.h"
#include "modules/memory/memory_config.h"
#include "modules/memory/random_chunks.h"
#include "modules/protocol/memory_transaction.h"

#include <array>
#include <cstdint>
#include <optional>

namespace simtlm::memory {

/// Gathers the bits of an address that a mask selects into a dense number (what the x86 instruction
/// PEXT does), from a table of the mask's runs of ones.
class bit_gather {
public:
    explicit bit_gather(std::uint64_t mask = 0);

    std::uint64_t operator()(std::uint64_t value) const {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < runs_; ++i) result |= (value & run_[i].mask) >> run_[i].shift;
        return result;
    }
    /// The inverse: spreads a dense number over the bits of the mask.
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

/// Where an address lives: channel, sub-partition, bank, row and column, and the address within
/// the partition.
///
/// The manual's address decoding: the mapping string names, from bit 63 down, what each address bit
/// selects (D channel, B bank, R row, C column, S byte within a burst, 0 nothing), with
/// `dramid@<bit>;` in front where the channel bits are inserted at a position instead. A channel
/// count that is no power of two divides the address above that position by the count. Partition
/// indexing then permutes the channels so that strides spread.
class address_mapping {
public:
    /// A mapping that is malformed, or does not fit the number of channels, is reported as an error
    /// with the option's text.
    explicit address_mapping(const address_mapping_config& config);

    protocol::dram_location decode(std::uint64_t address) const;
    /// decode().sub_partition, for whoever needs no more.
    unsigned sub_partition_of(std::uint64_t address) const;

    /// The address without the bits that select channel and sub-partition.
    std::uint64_t partition_address(std::uint64_t address) const {
        if (!divides_) return partition_(address);
        return sub_partition_free_(divided(address) | (address & low_mask_));
    }

    /// An address within its channel, dense: the channel's bits are taken out, and what is left is
    /// different for every byte of the channel. With a number of channels that is no power of two
    /// and IPOLY, a channel's addresses take up to twice the room of its bytes.
    /// @pre !placed_at_first_use()
    std::uint64_t channel_address(std::uint64_t address) const;
    /// The inverse. Nothing for the holes that IPOLY leaves, see above.
    std::optional<std::uint64_t> device_address(unsigned channel,
                                                std::uint64_t channel_address) const;

    /// Random partition indexing draws a place for the piece of memory of an address, at its first
    /// use; whether it needs to, and whether it has, is told by the other two.
    void place(std::uint64_t address) { chunks_.place(address >> random_shift_); }
    bool placed(std::uint64_t address) const { return chunks_.placed(address >> random_shift_); }
    bool placed_at_first_use() const { return indexing_ == partition_indexing::random; }

    /// State that outlives kernels, of a block at rest.
    void checkpoint(kernel::archive& a);
    unsigned channels() const { return channels_; }
    /// The number of channels is no power of two: the address is divided by it.
    bool divides() const { return divides_; }
    unsigned sub_partitions() const { return channels_ * sub_partitions_per_channel_; }

    /// The masks as decoded, for printing.
    struct masks {
        std::uint64_t channel = 0, bank = 0, row = 0, column = 0, burst = 0, sub_partition = 0;
    };
    const masks& decoded_masks() const { return masks_; }

private:
    /// What selects a sub-partition, before partition indexing.
    struct selection {
        std::uint32_t channel, bank;
        std::uint64_t high_bits;  ///< that partition indexing mixes in
        std::uint64_t rest;       ///< the address, divided where divides_
    };
    selection select(std::uint64_t address) const;
    unsigned permuted(const selection& s, std::uint64_t address) const;
    void parse(const std::string& mapping);
    void preset(unsigned mode);
    void insert_channel_bits(unsigned count);
    std::uint64_t without_channel(std::uint64_t address) const;
    std::uint64_t with_channel(std::uint64_t rest, unsigned raw_channel) const;
    unsigned most_of_one_channel() const;
    std::uint64_t divided(std::uint64_t address) const {
        return ((address >> channel_position_) / channels_) << channel_position_;
    }

    masks masks_;
    int channel_position_ = 10;  // -1: explicit channel mask
    unsigned position_ = 0;      // of the lowest channel bit
    std::uint64_t low_mask_ = 0;
    bool divides_ = false;
    unsigned channels_;
    unsigned sub_partitions_per_channel_;
    unsigned high_shift_ = 0;  // of the bits that partition indexing mixes in
    unsigned random_shift_ = 0;
    unsigned hashed_ = 0;  // sub-partitions, with a power of two of channels
    partition_indexing indexing_;
    random_chunks chunks_;
    /// Of the addresses that differ in the channel's bits only, how many may share a channel.
    unsigned alike_ = 1;
    bit_gather channel_, bank_, row_, column_, partition_, sub_partition_free_, channel_free_;
};

}  // namespace simtlm::memory
