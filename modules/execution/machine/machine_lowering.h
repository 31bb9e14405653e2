// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/access_flags.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/execution/operations/operation_tables.h"
#include "modules/execution/state/memory_access.h"
#include "modules/ptx/operation.h"
#include "modules/sass/decoder.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// A PTX operation on values of one type, for the handlers that machine code shares with PTX.
inline ptx::operation value_operation(ptx::opcode code, ptx::type t) {
    ptx::operation o;
    o.op = code;
    o.types[0] = t;
    o.type_count = 1;
    return o;
}
/// Sets a flag of a PTX operation.
inline void set(ptx::operation& o, ptx::flag f) {
    o.flags |= std::uint64_t{1} << static_cast<unsigned>(f);
}

/// Lowers a function of machine code to the internal form: an instruction becomes one operation, or
/// a few if operands have modifiers or are register pairs. The instruction that is being lowered,
/// its operands as rows, and the emission of operations are the interface of the functions
/// lower_*() (lowering_table.h), which translate one opcode each.
///
/// What these functions ask for is recorded. An instruction with a modifier of a field of which the
/// function has asked for no value, with an operand that it has not asked for, or with a sign or a
/// selected part of one, is not supported: nothing is ignored unless the function says so.
class machine_lowering {
public:
    using operand = sass::operand;
    using row_map = std::map<std::tuple<unsigned, std::uint32_t, std::uint32_t>, operand_ref>;

    /// @param rows  of the bank `constants`, shared by all functions
    machine_lowering(sass_image& image, std::uint32_t function, row_map& rows);
    /// Lowers the instructions of the function.
    void lower();

    // ---- the instruction that is being lowered ----

    const sass::instruction& now() const { return now_; }
    /// Its n-th operand.
    const operand& at(unsigned n) const {
        read_operands_[n] |= operand_value;
        return now_.operands[n];
    }
    unsigned operand_count() const { return now_.operand_count; }
    bool has(sass::modifier m) const;
    /// The n-th modifier of its mnemonic.
    const sass::named_modifier& modifier_at(unsigned n) const {
        if (now_.field_of[n] != sass::instruction::no_field) read_fields_ |= 1u << now_.field_of[n];
        return now_.modifiers[n];
    }
    unsigned modifier_count() const { return now_.modifier_count; }
    /// The part of an operand that is selected: ".H1", ".B2", or empty.
    std::string_view suffix_of(const operand& o) const {
        note_read(o, operand_suffix);
        return o.suffix;
    }
    /// States that the sign of an operand has been considered.
    void reads_sign(const operand& o) const { note_read(o, operand_sign); }
    /// States that its modifiers, and those of its operands, do not determine what it does here.
    void ignore_modifiers() const;
    /// States that an operand does not determine what it does here.
    void ignore_operand(unsigned n) const { static_cast<void>(at(n)); }
    /// States that a modifier does not determine what it does here.
    void ignore(sass::modifier m) const { static_cast<void>(has(m)); }
    /// States that the order of a memory access, and what is cached, do not determine its result.
    void ignore_memory_order() const;
    bool is(isa::opcode o) const { return now_.opcode == o; }
    unsigned architecture() const { return image_.architecture(); }
    const sass_image& image() const { return image_; }
    /// Decodes an instruction after the current one.
    /// @param distance  in instructions; 1: the next one
    /// @return false if there is none
    bool next_instruction(sass::instruction& next, unsigned distance = 1) const;
    /// States why it is not supported. @return false, for the function that lowers it
    bool refuse(std::string why);
    /// Whether operations execute once, regardless of active lanes; initially for instructions of
    /// the uniform datapath.
    bool is_uniform() const { return uniform_; }
    void set_uniform(bool uniform) { uniform_ = uniform; }
    /// How the result of a comparison is combined with a predicate: .AND, .OR, .XOR.
    combination combination_of_results() const;
    /// Bytes of a memory access, by its modifiers.
    unsigned access_bytes() const;

    // ---- operands as rows of 32 words ----

    operand_ref row(machine_row r);
    operand_ref number(std::uint32_t value) { return row({machine_row::kind::number, 0, value}); }
    operand_ref register_row(unsigned n, bool uniform) const;
    /// The row of a register after that of an operand; that of RZ if it is RZ.
    operand_ref following_register(const operand& o, unsigned n) const {
        return o.index == sass::register_rz ? operand_ref{machine_frame::zero}
                                            : register_row(o.index + n, false);
    }
    operand_ref low_word(const operand& o);
    operand_ref high_word(const operand& o);
    operand_ref result_row(const operand& o, unsigned more = 0) const;
    static operand_ref predicate_ref(const operand& o);
    /// Allocates a double row for values within an instruction.
    operand_ref scratch();
    /// The double row that holds the result of BAR.RED for B2R.
    static operand_ref barrier_result_row();
    source_predicate predicate_of(const operand& o) const;
    /// The guard of the instruction.
    source_predicate guard() const;
    source_modifiers integer_modifiers(const operand& o) const;
    source_modifiers float_modifiers(const operand& o) const;
    operand_ref float_source(const operand& o);
    /// Four registers as a value of 128 bits: two double rows, one after the other.
    operand_ref quad_source(const operand& o);
    operand_ref double_source(const operand& o);
    /// A packed operand with selected halves and modifiers applied.
    operand_ref half_source(const operand& o);

    // ---- addresses ----

    /// The address of a memory access: a row, an offset, and access_detail.
    struct address_place {
        operand_ref source = no_operand;
        std::int64_t offset = 0;
        std::uint16_t detail = 0;
    };
    address_place place_of(const operand& o, space s);
    /// Converts a shared::cluster address of machine code, with the rank of a CTA in bits 24 and
    /// above, to the 32-bit shared address used by operations.
    operand_ref cluster_address(const operand& o);

    // ---- emission of operations ----

    const machine_lane_operations& lanes() const { return lanes_; }
    const operation_table& handlers() const { return handlers_; }
    /// @param guarded  whether it has the guard of the instruction
    operation& emit(handler h, bool guarded = true);
    /// Emits an operation with arguments, of which the image keeps a copy.
    template <class Arguments>
    operation& emit(machine_handler<Arguments> h, Arguments a, bool guarded = true) {
        if constexpr (std::is_base_of_v<datapath_arguments, Arguments>) a.uniform = uniform_;
        operation& op = emit(h.execute, guarded);
        op.immediate = keep(std::make_shared<const Arguments>(a));
        return op;
    }
    /// Emits an operation from rows to a row.
    operation& emit_words(handler h, operand_ref to, std::initializer_list<operand_ref> sources,
                          bool guarded = true);
    template <class Arguments>
    operation& emit_words(machine_handler<Arguments> h, const Arguments& a, operand_ref to,
                          std::initializer_list<operand_ref> sources, bool guarded = true) {
        return with_rows(emit(h, a, guarded), to, sources);
    }
    /// Emits an operation that PTX has, too. @return false if there is none
    bool emit_values(ptx::operation o, operand_ref to, std::initializer_list<operand_ref> sources,
                     bool guarded = true);
    void emit_copy(operand_ref to, operand_ref from, bool guarded = true);
    /// Copies a row with modifiers.
    void emit_modified(const source_modifiers& m, operand_ref to, operand_ref from,
                       bool guarded = true);
    /// Selects a where a predicate is true, otherwise b.
    void emit_selection(const source_predicate& p, operand_ref to, operand_ref a, operand_ref b,
                        bool guarded = true);
    /// Copies the result of the active lanes, in the row of the first operand, to all lanes: for
    /// instructions of the uniform datapath whose operations are those of PTX. @return true
    bool make_uniform();
    /// Copies a row of double words to a pair of registers.
    void to_pair(const operand& o, operand_ref from);
    /// Emits a function of up to three predicates. @param table  of predicate_logic_arguments
    void emit_predicate(std::uint32_t table, operand_ref to,
                        std::initializer_list<source_predicate> sources = {}, bool guarded = true);
    /// The last emitted operation.
    operation& last_operation();
    operand_ref* list_of(const std::vector<operand_ref>& refs);
    /// Keeps the description of an operation for the lifetime of the image. @return its address
    template <class Description>
    std::int64_t keep(std::shared_ptr<const Description> d) {
        image_.attachments_.push_back(d);
        return reinterpret_cast<std::int64_t>(d.get());
    }

    // ---- control flow ----

    /// The next operation emitted has a target in source[0]: an offset in the function.
    /// @return false if there is no instruction
    bool set_target(std::uint64_t offset);
    /// A list of the first operation of each instruction of the function.
    operand_ref* instruction_table();
    std::size_t instructions() const { return f_.instructions(); }
    /// The texture functions that the image calls.
    const std::vector<texture_function>& texture_functions() const {
        return image_.texture_functions_;
    }
    /// The address of code, as seen by programs.
    device_address code_address(std::uint64_t offset) const {
        return image_.code_address(index_, offset);
    }
    /// The row of a convergence barrier.
    operand_ref convergence_barrier(const operand& o);
    /// The last operation emitted begins a convergence barrier (BSSY).
    void note_convergence_start();
    /// The function may call itself, or its stack may exceed what the cubin states.
    void note_recursion(bool stack_unknown);
    /// The function calls another one. @param by_pointer  whose address is in a register
    void note_call(bool by_pointer);

    // ---- checks and log entries, for images loaded with checks ----

    void emit_access_check(const address_place& p, unsigned element_bytes,
                           const std::vector<operand_ref>& stored, std::uint32_t flags,
                           operand_ref guard = no_operand);
    void emit_segment_check(segment_access kind);
    void emit_mbarrier_note(const address_place& p, std::uint32_t flags);
    void emit_log();

    /// Emits the operation of a texture_function, for a call.
    void emit_gradient_fetch(const texture_function& f);

private:
    /// Parts of an operand that a function may ask for.
    enum operand_part : std::uint8_t { operand_value = 1, operand_sign = 2, operand_suffix = 4 };

    void begin_instruction(std::size_t n);
    bool lower_with_notes();
    bool lower_instruction();
    void refuse_instruction(std::size_t n, bool known);
    void resolve_targets();
    /// Records that a function has considered a part of an operand of the current instruction.
    void note_read(const operand& o, operand_part part) const;
    /// What the instruction has that its function has not asked for; empty: nothing.
    std::string unread() const;
    static operand_ref scratch_row(unsigned n);
    static operation& with_rows(operation& op, operand_ref to,
                                std::initializer_list<operand_ref> sources);
    bool needs_check(const address_place& p) const;
    void note_shared_access(unsigned element_bytes);
    void emit_order_notes();
    bool is_copied() const;
    bool is_logged_before() const;
    void emit_refusal(const std::string& why);

    sass_image& image_;
    const std::uint32_t index_;
    const sass::cubin_function& f_;
    row_map& rows_;
    const operation_table& handlers_;
    const machine_lane_operations& lanes_;
    sass::instruction now_;
    mutable std::uint32_t read_fields_ = 0;  ///< of the form of now_, one bit each
    mutable std::array<std::uint8_t, sass::instruction::max_operands> read_operands_{};
    bool uniform_ = false;
    std::string problem_;
    unsigned scratch_used_ = 0;
    std::vector<std::uint32_t> first_;  ///< by instruction: its first operation
    struct target_use {
        std::uint32_t operation;
        std::uint64_t target;
    };
    std::vector<target_use> targets_;
    std::vector<operand_ref*> tables_;
    std::vector<std::uint32_t> barrier_starts_;  ///< BSSY: indices of operations
    bool may_recurse_ = false;  ///< by a call of code before it, of other sections, or of a pointer
};

}  // namespace simtlm::execution
