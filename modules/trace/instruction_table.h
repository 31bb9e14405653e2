// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/decode.h"
#include "modules/trace/asynchronous_line.h"
#include "modules/trace/instruction_line.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/place.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

namespace simtlm::trace {

using warning_sink = std::function<void(std::string)>;

/// The instructions of a kernel, each decoded once, indexed by program counter and text, so that an
/// execution costs one comparison instead of a parse.
class instruction_table {
public:
    /// A decoded instruction and its text. Different instructions may have the same program counter
    /// (each device function counts from 0); they form a chain.
    struct entry {
        program::static_instruction info;
        isa::instruction_text recorded;  ///< the source of `info`
        std::string opcode;
        std::string text;  ///< see line_operands
        std::int64_t immediates[2] = {};
        unsigned n_immediates = 0;
        bool needs_addresses = false;  ///< must have addresses in every execution
        bool by_immediate = false;     ///< the immediates are part of the instruction
        line_form form = line_form::plain;
        operand_counts operands;  ///< in the line; of mbarrier instructions
        entry* next = nullptr;
    };

    /// @param options  copied, except the opcode tables, which must outlive this object
    instruction_table(const kernel_header& header, const reader_options& options,
                      warning_sink warn);

    /// Returns the instruction whose text is at the scanner, after decoding it if it is new, and
    /// advances the scanner past it. @throws support::user_error
    entry* take(std::uint64_t pc, std::uint32_t source_line, scanner& in, const place& where) {
        for (entry* e = bucket_of(pc).chain; e != nullptr; e = e->next) {
            const std::size_t n = e->text.size();
            if (in.left() >= n && std::memcmp(in.position(), e->text.data(), n) == 0 &&
                (in.left() == n || scanner::is_blank(in.position()[n])) &&
                e->info.source_line == source_line) {
                in.advance(n);
                return e;
            }
        }
        return decode_new(pc, source_line, in, where);
    }

    /// Warns that a trace does not record the data of a bulk copy, or the values of an mbarrier
    /// instruction.
    void note_untold(const entry& of, const place& where);

    /// Returns the variant of an instruction with the given immediates, if they are part of it.
    entry* with_immediates(entry* of, unsigned n, const std::int64_t* immediates,
                           const place& where) {
        return of->by_immediate ? variant_for(of, n, immediates, where) : of;
    }

private:
    struct bucket {
        std::uint64_t pc = 0;
        entry* chain = nullptr;
    };

    entry* decode_new(std::uint64_t pc, std::uint32_t source_line, scanner& in, const place& where);
    entry* variant_for(entry* of, unsigned n, const std::int64_t* immediates, const place& where);
    void set_control(program::static_instruction& info) const;
    void insert(entry* fresh, const place& where);
    bucket& bucket_of(std::uint64_t pc) {
        const std::size_t last = buckets_.size() - 1;
        const std::uint64_t h = (pc >> 3) * 0x9e3779b97f4a7c15ULL;
        std::size_t i = static_cast<std::size_t>(h >> 32) & last;
        while (buckets_[i].chain != nullptr && buckets_[i].pc != pc) i = (i + 1) & last;
        return buckets_[i];
    }
    void grow();
    void make_asynchronous(entry& e) const;
    const isa::opcode_entry& look_up(const std::string& opcode, std::uint64_t pc,
                                     const place& where);

    const kernel_header& header_;
    const isa::opcode_tables* opcodes_;
    bool unknown_opcode_is_error_;
    bool validate_;
    bool calls_seen_ = false;
    bool bulk_groups_seen_ = false;  ///< DEPBAR then waits for groups of bulk copies
    isa::decode_options decode_options_;
    warning_sink warn_;
    std::deque<entry> entries_;
    std::vector<bucket> buckets_;
    std::size_t buckets_used_ = 0;
    std::unordered_set<std::string> noted_;  ///< opcodes that have been reported
    isa::opcode_entry unknown_entry_;
    isa::opcode_entry executed_access_;  // for executed code, which has the properties of its
                                         // accesses
};

}  // namespace simtlm::trace
