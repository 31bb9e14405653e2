// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/machine/sass_image.h"
#include "modules/execution/memory_access.h"
#include "modules/execution/operations/bulk_copy.h"
#include "modules/execution/operations/operation_tables.h"
#include "modules/ptx/operation.h"
#include "modules/sass/decoder.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
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
/// a few if operands have modifiers or are register pairs.
class machine_lowering {
public:
    /// @param rows  of the bank `constants`, shared by all functions
    using row_map = std::map<std::tuple<unsigned, std::uint32_t, std::uint32_t>, slot>;
    machine_lowering(sass_image& image, std::uint32_t function, row_map& rows);
    /// Lowers the instructions of the function.
    void lower();

private:
    using operand = sass::operand;

    // Operands.
    const operand& at(unsigned n) const { return now_.operands[n]; }
    slot row(machine_row r);
    /// Decodes an instruction after the current one.
    /// @param distance  in instructions; 1: the next one
    /// @return false if there is none
    bool next_instruction(sass::instruction& next, unsigned distance = 1) const;
    bool has_barrier_before_end_of_collective() const;
    slot number(std::uint32_t value) { return row({machine_row::kind::number, 0, value}); }
    slot register_row(unsigned n, bool uniform) const;
    slot low_word(const operand& o);
    slot high_word(const operand& o);
    slot result_row(const operand& o, unsigned more = 0) const;
    static slot predicate_slot(const operand& o);
    slot scratch();
    static slot machine_frame_scratch(unsigned n);
    void modifiers(machine_details& d, unsigned n, const operand& o, bool is_float) const;
    void source_predicate(machine_details& d, unsigned n, const operand& o) const;
    void result_predicate(machine_details& d, unsigned n, const operand& o) const;
    slot float_source(const operand& o);
    slot quad_source(const operand& o);
    slot double_source(const operand& o);
    slot half_source(const operand& o);

    // Emission of operations.
    machine_details& details();
    operation& emit(handler h, const machine_details* d = nullptr, bool guarded = true);
    /// Emits an operation from rows to a row. @param d  its details @param guarded  whether it has
    /// the guard of the instruction
    operation& emit_words(handler h, const machine_details* d, slot to,
                          std::initializer_list<slot> sources, bool guarded = true);
    bool emit_values(ptx::operation o, slot to, std::initializer_list<slot> sources,
                     bool guarded = true);
    void emit_copy(slot to, slot from);
    slot* list_of(const std::vector<slot>& slots);
    void to_pair(const operand& o, slot from);

    // Instruction families; each function returns whether the instruction is supported.
    bool lower_instruction();
    bool lower_integer();
    bool lower_logic();
    bool lower_float();
    bool lower_double();
    bool lower_conversion();
    bool lower_half();
    bool lower_half_comparison();
    bool lower_mixed_half(unsigned what);
    bool lower_packed();
    bool lower_extremum3();
    bool lower_matrix_load();
    unsigned matrices() const;
    /// @param h  loads or stores one 8 x 8 matrix of 16-bit elements per slot
    void emit_matrix_access(handler h, const operand& address, const std::vector<slot>& slots);
    bool lower_tensor();
    bool lower_texture();
    void emit_gradient_fetch(const texture_function& f);
    bool lower_fetch();
    bool lower_surface();
    bool lower_texture_query();
    slot layer_row(const operand& o);
    slot handle_row(slot low);
    std::optional<slot> bound_handle(unsigned n);
    bool lower_copy();
    bool lower_wide_add();
    bool lower_narrow_float();
    bool lower_narrow_integers();
    bool lower_mbarrier();
    bool lower_early_arrival(const operand& address, bool result);
    bool lower_bulk();
    bool lower_cluster();
    bool lower_warpgroup();
    slot cluster_address(const operand& o);
    lane_place cluster_place(unsigned uniform);
    lane_place uniform_place(unsigned first, space s);
    slot matrix_descriptor_row(unsigned first);
    operation& emit_for_one_lane(handler h);
    void emit_bulk(handler h, bulk_copy what);
    bool lower_absolute(machine_details& d, unsigned n);
    bool lower_move();
    bool lower_memory();
    bool lower_atomic();
    bool lower_vector_atomic(ptx::reduction r, ptx::type element, unsigned elements, bool reduces);
    bool lower_warp();
    bool lower_control();
    struct address_place {
        slot source = no_slot;
        std::int64_t offset = 0;
        std::uint16_t detail = 0;
    };
    address_place place_of(const operand& o, space s);

    // Emission of checks and log entries.
    bool needs_check(const address_place& p) const;
    void emit_access_check(const address_place& p, unsigned element_bytes,
                           const std::vector<slot>& stored, std::uint32_t flags,
                           slot guard = no_slot);
    void note_shared_access(unsigned element_bytes);
    void emit_segment_check();
    void emit_mbarrier_note(const address_place& p, std::uint32_t flags);
    void emit_order_notes();
    bool is_copied() const;
    bool is_logged_before() const;
    void emit_refusal(const std::string& why);
    void emit_log();
    unsigned access_bytes() const;

    sass_image& image_;
    const std::uint32_t index_;
    const sass::cubin_function& f_;
    row_map& rows_;
    const operation_table& handlers_;
    const machine_lane_operations& lanes_;
    sass::instruction now_;
    bool uniform_ = false;
    std::string problem_;
    unsigned scratch_used_ = 0;
    std::vector<std::uint32_t> first_;  ///< by instruction: its first operation
    struct target_use {
        std::uint32_t operation;
        std::uint64_t target;
    };
    std::vector<target_use> targets_;
    std::vector<slot*> tables_;
    std::vector<std::uint32_t> barrier_starts_;  ///< BSSY: indices of operations
    bool may_recurse_ = false;  ///< by a call of code before it, of other sections, or of a pointer
};

}  // namespace simtlm::execution
