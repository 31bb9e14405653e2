// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/archive_fwd.h"
#include "modules/support/zeroed_vector.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::cache {

/// Whether and how readily a line may be replaced: free lines first, reserved ones never.
enum class victim_class : std::uint8_t { free, clean, dirty, reserved };  // free must be zero

/// The class and age of every line of a cache, ordered by set: what a replacement policy chooses
/// by. An age is the core cycle, modulo 2^32, of the allocation or last use of a line.
class replacement_state {
public:
    static constexpr std::uint32_t no_line = ~std::uint32_t{0};

    void resize(std::size_t lines);
    victim_class class_of(std::uint32_t line) const { return classes_[line]; }
    std::uint32_t age_of(std::uint32_t line) const { return ages_[line]; }
    /// Number of reserved lines.
    std::uint32_t reserved() const { return reserved_; }
    void set_class(std::uint32_t line, victim_class c) {
        reserved_ += (c == victim_class::reserved ? 1u : 0u) -
                     (classes_[line] == victim_class::reserved ? 1u : 0u);
        classes_[line] = c;
        groups_[line / group_lines].valid_for = 0;
    }
    void set_age(std::uint32_t line, std::uint32_t now) {
        ages_[line] = now;
        groups_[line / group_lines].valid_for = 0;
    }

    /// The last free line of the set of `ways` lines that starts at `first`, or no_line.
    std::uint32_t free_line(std::uint32_t first, unsigned ways) const;
    /// A free line if there is one, otherwise the oldest line of a class up to a limit, or no_line.
    std::uint32_t oldest(std::uint32_t first, unsigned ways, victim_class limit) const;
    /// The oldest dirty line of a set with more than `limit` dirty lines, or no_line.
    std::uint32_t oldest_dirty(std::uint32_t first, unsigned ways, unsigned limit) const;
    /// Returns all lines to their initial state.
    void discard();
    /// Saves or restores the classes and ages.
    void checkpoint(support::archive& a);

private:
    static constexpr std::uint32_t group_lines = 16;

    /// Summary of a group of neighbouring lines of a set for the search for a victim; recomputed
    /// when one of them has changed.
    struct group_summary {
        std::uint32_t oldest;    // age of the oldest replaceable line; maximum value: none
        victim_class least;      // lowest class in the group
        std::uint8_t valid_for;  // limit for which the summary holds, plus one; 0: invalid
    };
    static group_summary summarize(const victim_class* classes, const std::uint32_t* ages,
                                   unsigned lines, victim_class limit);
    std::uint32_t oldest_by_groups(std::uint32_t first, unsigned ways, victim_class limit) const;

    std::uint32_t reserved_ = 0;
    support::zeroed_vector<victim_class> classes_;
    support::zeroed_vector<std::uint32_t> ages_;
    mutable support::zeroed_vector<group_summary> groups_;  // of group_lines lines each
};

}  // namespace simtlm::cache
