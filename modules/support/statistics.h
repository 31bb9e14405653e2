// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/counter_table.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::support {

/// The statistics of a design by block: every block registers, once at elaboration, the structs in
/// which it counts, whose tables (counter_table.h) describe them. Counting itself has no overhead.
class statistics {
public:
    /// A registered value.
    struct cell {
        const counter_info* of;
        std::string label;  ///< label of an array element; empty: a single value
        const std::uint64_t* value;
    };
    /// The counters of a block.
    struct block {
        std::string name;  ///< hierarchical name, e.g. gpu.dram3
        std::string kind;  ///< blocks of the same kind have the same counters, e.g. dram
        std::vector<cell> cells;
    };

    /// Registers a struct of counters. A block may register several.
    /// @param counted  must outlive this object
    template <typename Struct>
    void add(const std::string& name, const std::string& kind, const Struct& counted) {
        std::vector<cell>& cells = of(name, kind).cells;
        for (const auto& row : counters_of(static_cast<const Struct*>(nullptr)))
            for (std::size_t i = 0; i < row.cells(counted); ++i) {
                std::string label = row.label != nullptr ? row.label(static_cast<unsigned>(i)) : "";
                if (row.label == nullptr || !label.empty())
                    cells.push_back({&row, std::move(label), row.address(counted, i)});
            }
    }
    /// Registers a number that is not part of a struct. @param info  must outlive this object, as
    /// @p value
    void add(const std::string& name, const std::string& kind, const counter_info& info,
             const std::uint64_t& value) {
        of(name, kind).cells.push_back({&info, {}, &value});
    }
    const std::vector<block>& blocks() const { return blocks_; }

private:
    /// Finds or creates an entry. Calls for one block are close together, so only recent entries
    /// are searched.
    block& of(const std::string& name, const std::string& kind) {
        for (std::size_t i = blocks_.size(); i > 0 && i + 4 > blocks_.size(); --i)
            if (blocks_[i - 1].name == name) return blocks_[i - 1];
        blocks_.push_back({name, kind, {}});
        return blocks_.back();
    }

    std::vector<block> blocks_;
};

/// The counters of the blocks of a kind (statistics::block::kind), for descriptions of them.
struct counter_kind {
    const char* kinds;  ///< names; {word} is a placeholder for one of several words
    const char* title;
    std::vector<const counter_info*> counters;
};
/// @param besides  counters that the blocks register apart from the struct
template <typename Struct>
counter_kind kind_of(const char* kinds, const char* title,
                     std::vector<const counter_info*> besides = {}) {
    for (const auto& row : counters_of(static_cast<const Struct*>(nullptr)))
        besides.push_back(&row);
    return {kinds, title, std::move(besides)};
}

}  // namespace simtlm::support
