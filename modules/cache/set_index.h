// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_config.h"

#include <cstdint>

namespace simtlm::cache {

/// Pseudo-random interleaving by polynomial division over GF(2) (Rau, ISCA 1991; polynomials of
/// Khairy et al., TPDS 2017). Distributes all power-of-two strides without conflicts.
/// @param higher_bits  the address bits above the index field
/// @param index        the index field
/// @param buckets      16, 32 or 64 sets, banks or channels; for other values the index is returned
unsigned ipoly_hash(std::uint64_t higher_bits, unsigned index, unsigned buckets);

/// XOR of the index with the address bits directly above it. @param buckets  a power of two
unsigned bitwise_hash(std::uint64_t higher_bits, unsigned index, unsigned buckets);

/// Page-address-entropy mapping (Liu et al., ISCA 2018) for 32 buckets; for other values the index
/// is returned.
unsigned pae_hash(std::uint64_t higher_bits, unsigned index, unsigned buckets);

/// The hash measured on Fermi's L1 (Nugteren et al., HPCA 2014). @param sets  32 or 64
unsigned fermi_hash(std::uint64_t address, unsigned line_log2, unsigned sets);

/// XOR of all groups of `bits` bits of a number.
unsigned folded(std::uint64_t number, unsigned bits);

/// Maps an address to a set, bank or slice: a function of the bits above a line, sector or
/// interleaving unit. One object per cache or bank array, created at elaboration.
class set_index {
public:
    /// @param buckets     number of sets or banks
    /// @param unit_bytes  size of the line or interleaving unit; a power of two
    set_index(set_index_function function, unsigned buckets, unsigned unit_bytes);

    unsigned operator()(std::uint64_t address) const {
        if (function_ == set_index_function::linear)
            return static_cast<unsigned>(address >> unit_log2_) & (buckets_ - 1);
        return hashed(address);
    }

private:
    unsigned hashed(std::uint64_t address) const;

    set_index_function function_;
    unsigned buckets_;
    unsigned unit_log2_;
    unsigned buckets_log2_;
};

}  // namespace simtlm::cache
