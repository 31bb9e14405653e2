// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/types.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace simtlm::ptx {

/// The object that a name denotes.
struct symbol {
    /// Kind of object.
    enum class kind : std::uint8_t {
        reg,  ///< register `index`; `vector` registers if it is declared .v2 or .v4
        variable,
        function,
        label,
        branch_targets,
        call_targets,
        prototype,
    };
    kind what = kind::reg;
    ptx::type type = type::none;  ///< of a register
    std::uint8_t vector = 1;
    std::uint32_t index = 0;
    std::uint32_t count = 0;  ///< of numbered registers (%r<count>)
};

/// Names in nested scopes. Names are views that must outlive the table. Numbered registers are
/// declared and looked up by their prefix.
class symbol_table {
public:
    symbol_table() : buckets_(64, none) {}

    void open_scope() { scopes_.push_back(static_cast<std::uint32_t>(entries_.size())); }

    void close_scope() {
        while (entries_.size() > scopes_.back()) {
            buckets_[entries_.back().hash & mask()] = entries_.back().next;
            entries_.pop_back();
        }
        scopes_.pop_back();
    }

    unsigned depth() const { return static_cast<unsigned>(scopes_.size()); }

    /// @returns false if the innermost scope already has the name
    bool declare(std::string_view name, const symbol& s) { return insert(name, hash_of(name), s); }
    /// Declares the registers of `.reg .u32 %r<N>`: a prefix followed by a number.
    bool declare_numbered(std::string_view prefix, const symbol& s) {
        return insert(prefix, hash_of(prefix) ^ numbered_mark, s);
    }

    /// Looks up a name, innermost scope first; nullptr if it is not declared. For a numbered name
    /// in a declared range, the result has the index of that register.
    const symbol* find(std::string_view name) {
        const entry* exact = find_entry(name, hash_of(name));
        const entry* range = find_range(name);
        if (range == nullptr || (exact != nullptr && exact > range)) {
            return exact == nullptr ? nullptr : &exact->what;
        }
        return &numbered_;
    }

    /// Calls f with all visible names, for messages.
    template <typename F>
    void for_each(F f) const {
        for (const entry& e : entries_) f(e.name);
    }

    /// Looks up a name in the innermost scope only.
    const symbol* find_here(std::string_view name) const {
        const entry* found = find_entry(name, hash_of(name));
        return found != nullptr && index_of(found) >= scopes_.back() ? &found->what : nullptr;
    }

private:
    struct entry {
        std::string_view name;
        std::uint32_t hash;
        std::uint32_t next;
        symbol what;
    };
    static constexpr std::uint32_t none = 0xffffffffU;
    static constexpr std::uint32_t numbered_mark = 0x5bd1e995U;

    static std::uint32_t hash_of(std::string_view name) {
        std::uint32_t hash = 2166136261U;
        for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
        return hash ^ (hash >> 15);
    }

    std::size_t mask() const { return buckets_.size() - 1; }
    std::uint32_t index_of(const entry* e) const {
        return static_cast<std::uint32_t>(e - entries_.data());
    }

    const entry* find_entry(std::string_view name, std::uint32_t hash) const {
        for (std::uint32_t i = buckets_[hash & mask()]; i != none; i = entries_[i].next) {
            if (entries_[i].hash == hash && entries_[i].name == name) return &entries_[i];
        }
        return nullptr;
    }

    /// The range that contains a register such as %r12; sets numbered_.
    const entry* find_range(std::string_view name) {
        std::size_t digits = name.size();
        while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
        if (digits == name.size() || digits == 0 || name.size() - digits > 9) return nullptr;
        if (name[digits] == '0' && name.size() - digits > 1) return nullptr;
        std::uint32_t number = 0;
        for (std::size_t i = digits; i < name.size(); ++i) {
            number = number * 10 + static_cast<std::uint32_t>(name[i] - '0');
        }
        const std::string_view prefix = name.substr(0, digits);
        // A range in an inner scope hides registers of an outer one only up to its own size.
        const std::uint32_t hash = hash_of(prefix) ^ numbered_mark;
        std::uint32_t i = buckets_[hash & mask()];
        const auto holds = [&](const entry& e) {
            return e.hash == hash && e.name == prefix && number < e.what.count;
        };
        while (i != none && !holds(entries_[i])) i = entries_[i].next;
        if (i == none) return nullptr;
        const entry* const range = &entries_[i];
        numbered_ = range->what;
        numbered_.index += number * numbered_.vector;
        return range;
    }

    bool insert(std::string_view name, std::uint32_t hash, const symbol& s) {
        const entry* present = find_entry(name, hash);
        if (present != nullptr && !scopes_.empty() && index_of(present) >= scopes_.back())
            return false;
        if (entries_.size() >= buckets_.size()) grow();
        entries_.push_back({name, hash, buckets_[hash & mask()], s});
        buckets_[hash & mask()] = static_cast<std::uint32_t>(entries_.size() - 1);
        return true;
    }

    void grow() {
        buckets_.assign(buckets_.size() * 4, none);
        for (std::uint32_t i = 0; i < entries_.size(); ++i) {
            entries_[i].next = buckets_[entries_[i].hash & mask()];
            buckets_[entries_[i].hash & mask()] = i;
        }
    }

    std::vector<std::uint32_t> buckets_;
    std::vector<entry> entries_;
    std::vector<std::uint32_t> scopes_;
    symbol numbered_;
};

}  // namespace simtlm::ptx
