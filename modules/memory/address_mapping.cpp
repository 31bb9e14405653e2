// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/address_mapping.h"

#include "modules/cache/set_index.h"
#include "modules/support/error.h"

#include <cctype>
#include <cstdlib>

namespace simtlm::memory {

namespace {

constexpr const char* mapping_option = "-gpgpu_mem_addr_mapping";

unsigned floor_log2(unsigned v) {
    unsigned r = 0;
    while (v >>= 1) ++r;
    return r;
}
unsigned ceil_power_of_two(unsigned v) {
    unsigned p = 1;
    while (p < v) p *= 2;
    return p;
}
bool is_power_of_two(unsigned v) {
    return v != 0 && (v & (v - 1)) == 0;
}

/// @return the lowest `count` ones of a mask
std::uint64_t lowest_ones(std::uint64_t mask, unsigned count) {
    std::uint64_t result = 0;
    for (; count > 0 && mask != 0; --count, mask &= mask - 1) result |= mask & (~mask + 1);
    return result;
}

/// Page address entropy (Liu et al., ISCA 2018): each bit of the sub-partition's number is XORed
/// with a wide selection of page bits. The selection is that of GPGPU-Sim, for up to 32
/// sub-partitions; GPGPU-Sim's additional mixing of the number's own bits, which maps several
/// numbers to one, is omitted.
std::uint32_t page_entropy(std::uint64_t page_bits, unsigned count) {
    static constexpr std::uint64_t selected[] = {0x2621, 0x1842, 0x4384, 0x0d08, 0x1330};
    std::uint32_t result = 0;
    for (unsigned bit = 0; (1u << bit) < count; ++bit)
        result |= static_cast<std::uint32_t>(__builtin_parityll(page_bits & selected[bit])) << bit;
    return result;
}

/// A hash of all bits of a number (multiplicative hashing).
std::uint64_t scrambled(std::uint64_t bits) {
    return (bits * 0x9e3779b97f4a7c15u) >> 32;
}

}  // namespace

bit_gather::bit_gather(std::uint64_t mask) : mask_(mask) {
    unsigned gathered = 0;
    for (unsigned bit = 0; bit < 64;) {
        if ((mask >> bit & 1u) == 0) {
            ++bit;
            continue;
        }
        run r{0, bit - gathered};
        for (; bit < 64 && (mask >> bit & 1u) != 0; ++bit, ++gathered)
            r.mask |= std::uint64_t{1} << bit;
        run_[runs_++] = r;
    }
}

address_mapping::address_mapping(const address_mapping_config& config)
    : channels_(config.channels),
      sub_partitions_per_channel_(config.sub_partitions_per_channel),
      indexing_(config.indexing),
      chunks_(sub_partitions()) {
    if (channels_ == 0) throw support::user_error("-gpgpu_n_mem", "there must be a memory channel");
    if (!is_power_of_two(sub_partitions_per_channel_))
        throw support::user_error(
            "-gpgpu_n_sub_partition_per_mchannel",
            "the number of sub-partitions of a channel must be a power of two");
    // GPGPU-Sim's defaults if neither a preset nor a mapping string is given.
    masks_.bank = 0x300;
    masks_.row = 0x0fff0000;
    masks_.column = 0xe0ff;
    masks_.burst = 0xf;
    masks_.channel = 0x1c00;
    preset(config.mask_mode);
    if (!config.mapping.empty()) parse(config.mapping);

    const unsigned channel_bits = floor_log2(channels_);
    divides_ = !is_power_of_two(channels_);
    if (channel_position_ < 0) {
        if (divides_)
            throw support::user_error(mapping_option,
                                      "channel bits (D) can only be named when the number of "
                                      "channels is a power of two",
                                      "use dramid@<bit> instead");
    } else if (!divides_) {
        insert_channel_bits(channel_bits);
    }
    masks_.sub_partition = lowest_ones(masks_.bank, floor_log2(sub_partitions_per_channel_));

    channel_ = bit_gather(masks_.channel);
    bank_ = bit_gather(masks_.bank);
    row_ = bit_gather(masks_.row);
    column_ = bit_gather(masks_.column);
    partition_ = bit_gather(~(masks_.channel | masks_.sub_partition));
    sub_partition_free_ = bit_gather(~masks_.sub_partition);
    channel_free_ = bit_gather(~masks_.channel);
    const unsigned sub_bits = floor_log2(sub_partitions_per_channel_);
    const unsigned position =
        channel_position_ >= 0 ? static_cast<unsigned>(channel_position_) : 0u;
    position_ = position;
    if (channel_position_ < 0 && masks_.channel != 0)
        position_ = static_cast<unsigned>(__builtin_ctzll(masks_.channel));
    low_mask_ = (std::uint64_t{1} << position_) - 1;
    high_shift_ = position + channel_bits + sub_bits;
    random_shift_ = position >= sub_bits ? position - sub_bits : 0u;

    hashed_ = ceil_power_of_two(channels_) * sub_partitions_per_channel_;
    const char* option = "-gpgpu_memory_partition_indexing";
    if (indexing_ == partition_indexing::bitwise_xor && divides_)
        throw support::user_error(option, "bitwise XOR needs a power of two of channels");
    if (indexing_ == partition_indexing::ipoly && hashed_ != 16 && hashed_ != 32 && hashed_ != 64)
        throw support::user_error(
            option, "IPOLY knows 16, 32 and 64 sub-partitions, not " + std::to_string(hashed_));
    if (indexing_ == partition_indexing::pae && (divides_ || hashed_ > 32))
        throw support::user_error(option, "PAE needs a power of two of sub-partitions up to 32");
    if (indexing_ == partition_indexing::rotation && channel_position_ < 0)
        throw support::user_error(option, "a rotation needs channel bits in one place",
                                  "-gpgpu_mem_addr_mapping dramid@<bit>;...");
    if (!placed_at_first_use()) alike_ = max_sub_partitions_alike();
}

void address_mapping::preset(unsigned mode) {
    struct entry {
        unsigned mode;
        int position;
        std::uint64_t bank, row, column;
    };
    static constexpr entry table[] = {
        {0, 10, 0x300, 0x07ffe000, 0x1cff},  {1, 13, 0x1800, 0x07ffe000, 0x7ff},
        {2, 11, 0x1800, 0x07ffe000, 0x7ff},  {3, 11, 0x1800, 0x0fffe000, 0x7ff},
        {5, 5, 0x1800, 0x07ffe000, 0x7ff},   {6, 6, 0x1800, 0x07ffe000, 0x7ff},
        {14, 14, 0x1800, 0x07ffe000, 0x7ff}, {15, 15, 0x1800, 0x07ffe000, 0x7ff},
        {16, 16, 0x1800, 0x07ffe000, 0x7ff}, {100, 1, 0x3, 0x07ffe000, 0x1ffc},
        {103, 3, 0x3, 0x07ffe000, 0x1ffc},   {106, 6, 0x1800, 0x07ffe000, 0x7ff},
        {160, 6, 0x300, 0x07ffe000, 0x1cff}};
    for (const entry& e : table) {
        if (e.mode != mode) continue;
        channel_position_ = e.position;
        masks_.channel = 0;
        masks_.bank = e.bank;
        masks_.row = e.row;
        masks_.column = e.column;
        return;
    }
}

void address_mapping::parse(const std::string& mapping) {
    std::string bits = mapping;
    channel_position_ = -1;
    if (mapping.compare(0, 7, "dramid@") == 0) {
        char* end = nullptr;
        const long position = std::strtol(mapping.c_str() + 7, &end, 10);
        if (end == mapping.c_str() + 7 || position < 0 || position > 55)
            throw support::user_error(mapping_option, "bad bit number in '" + mapping + "'");
        channel_position_ = static_cast<int>(position);
    }
    if (const auto semicolon = mapping.find(';'); semicolon != std::string::npos)
        bits = mapping.substr(semicolon + 1);

    masks_ = masks();
    int position = 63;
    for (const char c : bits) {
        if (c == '|' || c == ' ' || c == '.') continue;
        if (position < 0) {
            position = -2;
            break;
        }
        const std::uint64_t bit = std::uint64_t{1} << position--;
        switch (std::tolower(static_cast<unsigned char>(c))) {
            case 'd':
                if (channel_position_ >= 0)
                    throw support::user_error(
                        mapping_option, "both dramid@ and channel bits (D) in '" + mapping + "'");
                masks_.channel |= bit;
                break;
            case 'b':
                masks_.bank |= bit;
                break;
            case 'r':
                masks_.row |= bit;
                break;
            case 'c':
                masks_.column |= bit;
                break;
            case 's':
                masks_.burst |= bit;
                masks_.column |= bit;
                break;
            case '0':
                break;
            default:
                throw support::user_error(
                    mapping_option, std::string("unknown letter '") + c + "' in '" + mapping + "'",
                    "use D, B, R, C, S or 0");
        }
    }
    if (position != -1)
        throw support::user_error(mapping_option, "not 64 bits in '" + mapping + "'");
}

void address_mapping::insert_channel_bits(unsigned count) {
    const std::uint64_t below = (std::uint64_t{1} << channel_position_) - 1;
    const auto shifted = [&](std::uint64_t mask) {
        return ((mask & ~below) << count) | (mask & below);
    };
    masks_.bank = shifted(masks_.bank);
    masks_.row = shifted(masks_.row);
    masks_.column = shifted(masks_.column);
    masks_.channel = ((std::uint64_t{1} << count) - 1) << channel_position_;
}

inline address_mapping::selection address_mapping::select(std::uint64_t address) const {
    selection s;
    if (divides_) {
        const std::uint64_t upper = address >> channel_position_;
        s.high_bits = upper / channels_;
        s.channel = static_cast<std::uint32_t>(upper - s.high_bits * channels_);
        s.rest = (s.high_bits << channel_position_) | (address & low_mask_);
    } else {
        s.channel = static_cast<std::uint32_t>(channel_(address));
        s.high_bits = address >> high_shift_;
        s.rest = address;
    }
    s.bank = static_cast<std::uint32_t>(bank_(s.rest));
    return s;
}

inline unsigned address_mapping::permuted(const selection& s, std::uint64_t address) const {
    const std::uint32_t per_channel = sub_partitions_per_channel_;
    const std::uint32_t local = s.bank & (per_channel - 1);
    const std::uint32_t sub = s.channel * per_channel + local;
    switch (indexing_) {
        case partition_indexing::consecutive:
        case partition_indexing::custom:
            return sub;
        case partition_indexing::bitwise_xor:
            return cache::bitwise_hash(s.high_bits, s.channel, channels_) * per_channel + local;
        case partition_indexing::ipoly: {
            const unsigned hashed = cache::ipoly_hash(s.high_bits, sub, hashed_);
            return divides_ ? hashed % (channels_ * per_channel) : hashed;
        }
        case partition_indexing::pae:
            return sub ^ page_entropy(s.high_bits, hashed_);
        case partition_indexing::rotation: {
            const auto row = static_cast<std::uint32_t>(row_(s.rest));
            return static_cast<std::uint32_t>((s.channel + scrambled(s.high_bits)) % channels_) *
                       per_channel +
                   static_cast<std::uint32_t>((local ^ scrambled(row)) & (per_channel - 1));
        }
        case partition_indexing::random:
            return chunks_[address >> random_shift_];
    }
    return sub;
}

unsigned address_mapping::sub_partition_of(std::uint64_t address) const {
    return permuted(select(address), address);
}

protocol::dram_location address_mapping::decode(std::uint64_t address) const {
    const selection s = select(address);
    protocol::dram_location where;
    where.bank = static_cast<std::uint16_t>(s.bank);
    where.row = static_cast<std::uint32_t>(row_(s.rest));
    where.column = static_cast<std::uint32_t>(column_(s.rest));
    where.partition_address = divides_ ? sub_partition_free_(s.rest) : partition_(address);
    const unsigned sub = permuted(s, address);
    where.sub_partition = static_cast<std::uint16_t>(sub);
    where.channel = static_cast<std::uint16_t>(sub / sub_partitions_per_channel_);
    return where;
}

// Addresses within a channel.

std::uint64_t address_mapping::without_channel(std::uint64_t address) const {
    return divides_ ? divided(address) | (address & low_mask_) : channel_free_(address);
}

std::uint64_t address_mapping::with_channel(std::uint64_t rest, unsigned raw_channel) const {
    if (!divides_) return channel_free_.spread(rest) | channel_.spread(raw_channel);
    const std::uint64_t upper = (rest >> position_) * channels_ + raw_channel;
    return (upper << position_) | (rest & low_mask_);
}

unsigned address_mapping::max_sub_partitions_alike() const {
    // Hashes by XOR and rotations distribute the channels evenly everywhere. IPOLY, reduced modulo
    // a count that is not a power of two, maps the values beyond the count to others once.
    if (divides_) return indexing_ == partition_indexing::ipoly ? 2 : 1;
    unsigned alike = 0;
    for (unsigned c = 0; c < channels_; ++c)
        alike += decode(with_channel(0, c)).channel == decode(0).channel ? 1u : 0u;
    return alike;
}

std::uint64_t address_mapping::channel_address(std::uint64_t address) const {
    const std::uint64_t rest = without_channel(address);
    if (alike_ == 1) return rest;
    const unsigned channel = decode(address).channel;
    unsigned before = 0;  // lower addresses of the group in the same channel
    for (unsigned c = 0; with_channel(rest, c) != address; ++c)
        before += decode(with_channel(rest, c)).channel == channel ? 1u : 0u;
    return (((rest >> position_) * alike_ + before) << position_) | (rest & low_mask_);
}

std::optional<std::uint64_t> address_mapping::device_address(unsigned channel,
                                                             std::uint64_t channel_address) const {
    std::uint64_t rest = channel_address;
    std::uint64_t before = 0;
    if (alike_ != 1) {
        const std::uint64_t upper = channel_address >> position_;
        before = upper % alike_;
        rest = (upper / alike_ << position_) | (channel_address & low_mask_);
    }
    for (unsigned c = 0; c < channels_; ++c) {
        const std::uint64_t address = with_channel(rest, c);
        if (decode(address).channel == channel && before-- == 0) return address;
    }
    return std::nullopt;
}

}  // namespace simtlm::memory
