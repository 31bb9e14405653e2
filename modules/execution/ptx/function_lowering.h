// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/access_flags.h"
#include "modules/execution/operations/bulk_copy.h"
#include "modules/execution/operations/operation_tables.h"
#include "modules/execution/ptx/module_builder.h"
#include "modules/execution/state/collectives.h"
#include "modules/execution/state/memory_access.h"
#include "modules/ptx/control_flow.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// Lowers a PTX function to the internal form.
class function_lowering {
public:
    function_lowering(module_builder& module, std::uint32_t function);
    /// Assigns registers to its registers; called before functions that call it are lowered.
    void allot_registers();
    /// Lowers the body of the function.
    void lower();

private:
    using operand_kind = ptx::operand_kind;

    /// Address of a memory access.
    struct memory_place {
        operand_ref source = no_operand;
        std::int64_t immediate = 0;
        std::uint16_t detail = 0;
        bool kernel_parameter = false;  ///< at a known offset
    };

    // Temporaries in the frame.
    operand_ref temporary(unsigned width);

    // Operands of the current instruction.
    const ptx::operand& operand(unsigned n) const { return f_.operand_of(*now_, n); }
    bool has_operand(unsigned n) const {
        return n < now_->operand_count && operand(n).kind != operand_kind::none;
    }
    unsigned register_width(std::uint32_t index) const;
    operand_ref source(const ptx::operand& o, unsigned width);
    operand_ref register_source(const ptx::operand& o, unsigned width);
    operand_ref special_source(const ptx::operand& o, unsigned width);
    operand_ref variable_source(const ptx::operand& o, unsigned width);
    operand_ref shared_variable_source(const ptx::operand& o, unsigned width);
    operand_ref constant(std::uint64_t value, unsigned width);
    operand_ref mask_source(const ptx::operand& o);
    /// Slot for a result of this width; finish_destinations() converts it to a register of another
    /// width.
    operand_ref destination(const ptx::operand& o, unsigned width, bool is_signed);
    void finish_destinations();
    operand_ref joined_high(operand_ref low) const { return low + 256; }

    void gather_named_lanes(unsigned members, operand_ref named, const collective_operands& kinds);
    void gather_warp();
    void gather_lanes(operand_ref named, std::int64_t kinds);

    // Emission of operations.
    operation& emit(handler h, bool counted = true);
    operation& emit_choice(const choice& c, operand_ref to,
                           std::initializer_list<operand_ref> sources);
    void convert(operand_ref to, unsigned to_width, operand_ref from, unsigned from_width,
                 bool is_signed);
    void refuse_instruction();
    operand_ref* list_of(const std::vector<operand_ref>& refs);
    /// Whether an operand that the signature does not check is a register of a width, or a
    /// constant.
    bool has_width(const ptx::operand& o, unsigned width) const {
        return o.kind == operand_kind::immediate ||
               (o.kind == operand_kind::reg && register_width(o.index) == width);
    }

    // Instruction families (ptx/opcodes.def). Each function returns false if the instruction, with
    // its modifiers and operands, is not supported.
    using lowering = bool (function_lowering::*)(const ptx::operation& o);
    static lowering lowering_of(ptx::opcode o);
    void lower_instruction();
    bool lower_refused(const ptx::operation&) { return false; }
    bool lower_elementwise(const ptx::operation& o);
    bool lower_conversion(const ptx::operation& o);
    bool lower_mov(const ptx::operation& o);
    bool lower_address_conversion(const ptx::operation& o);
    bool lower_memory(const ptx::operation& o);
    bool lower_control(const ptx::operation& o);
    bool lower_collective(const ptx::operation& o);
    bool lower_barrier(const ptx::operation& o);
    bool lower_asynchronous(const ptx::operation& o);
    bool lower_cluster(const ptx::operation& o);
    bool lower_launch_query(const ptx::operation& o);
    bool lower_bulk(const ptx::operation& o);
    bool lower_matrix(const ptx::operation& o);
    bool lower_tensor_memory(const ptx::operation& o);
    bool lower_texture(const ptx::operation& o);
    bool lower_video(const ptx::operation& o);

    void lower_pack(const ptx::operation& o);
    void lower_unpack(const ptx::operation& o);
    void lower_lop3_predicate(const ptx::operation& o);
    void lower_multiply(const ptx::operation& o);
    bool lower_warpgroup_multiply(const ptx::operation& o);
    void lower_fragment(const ptx::operation& o);
    lane_place lane_place_of(const ptx::operand& address, ptx::state_space s);
    bool set_tensor(bulk_copy& what, unsigned first);
    bool set_offsets(bulk_copy& what, unsigned position);
    void set_barrier(bulk_copy& what, unsigned position);
    void set_ranks(bulk_copy& what, const ptx::operation& o, unsigned position);
    void emit_bulk(handler h, bulk_copy what);
    bool lower_bulk_copy(const ptx::operation& o);
    bool lower_tensor_copy(const ptx::operation& o);
    lane_place tensor_place_of(unsigned n);
    void lower_tensor_access(const ptx::operation& o);
    bool lower_tensor_copy_in(const ptx::operation& o);
    bool lower_tensor_multiply(const ptx::operation& o);
    bool lower_asynchronous_store(const ptx::operation& o);
    void lower_tensor_map_replacement(const ptx::operation& o);
    std::vector<operand_ref> words_of(const ptx::operand& o);
    operand_ref handle_of(const ptx::operand& o);
    void lower_fetch(const ptx::operation& o);
    void lower_surface(const ptx::operation& o);
    void emit_video(handler h, std::shared_ptr<const void> what);
    void lower_mbarrier(const ptx::operation& o, unsigned result, unsigned address);
    /// Whether the result of the present instruction decides the next branch.
    bool branches_on_result() const;
    void lower_asynchronous_copy(const ptx::operation& o);
    /// Keeps an object alive that operations refer to, as long as the module exists.
    std::int64_t attach(std::shared_ptr<const void> what) {
        return module_.attach(std::move(what));
    }
    void lower_load(const ptx::operation& o);
    void lower_store(const ptx::operation& o);
    bool lower_atomic(const ptx::operation& o);
    bool lower_vector_atomic(const ptx::operation& o);
    void lower_stack(const ptx::operation& o);
    memory_place place_of(const ptx::operand& address, const ptx::operation& o);
    void check_parameter_place(const memory_place& p, std::size_t bytes) const;
    void set_place(operation& op, const memory_place& p) const;
    space space_of(const ptx::operation& o) const;
    std::vector<const ptx::operand*> elements_of(const ptx::operand& o) const;

    // Emission of checks.
    bool needs_check(const memory_place& p) const;
    void emit_access_check(const ptx::operation& o, const memory_place& p, unsigned element_bytes,
                           const std::vector<operand_ref>& stored = {});
    void emit_segment_check(const memory_place& p, segment_access kind);
    void emit_mbarrier_note(const ptx::operation& o, const memory_place& p);
    void find_unwritten_registers();
    void find_used_registers();
    bool is_copied() const;
    void emit_register_check(std::uint32_t r, bool guarded);
    void emit_register_checks(const ptx::operation& o);
    void emit_register_marks();
    static bool changes_control(const ptx::operation& o);
    bool writes_its_guard() const;

    void lower_branch();
    void lower_indexed_branch();
    void lower_call();
    bool lower_built_in(const std::string& name, std::uint32_t function);
    void pass_values(std::vector<argument_copy>& copies, const ptx::operand& given,
                     const std::vector<ptx::prototype::item>& formal, bool results);
    const ptx::function* any_target(const ptx::operand& table) const;
    void resolve_labels();

    struct pending_result {
        operand_ref to;
        unsigned to_width;
        operand_ref from;
        unsigned from_width;
        bool is_signed;
    };
    struct label_use {
        std::uint32_t operation;
        bool is_reconvergence;  ///< the target is stored in source[1], otherwise in source[0]
        std::uint32_t instruction;
    };
    struct list_use {
        operand_ref* list;
        std::vector<std::uint32_t> instructions;
    };

    module_builder& module_;
    const ptx::module& m_;
    const std::uint32_t index_;
    const ptx::function& f_;
    function_image& image_;
    const operation_table& handlers_;
    ptx::control_flow flow_;
    std::vector<bool> reconverges_here_;   ///< instructions at which lanes reconverge
    std::vector<std::uint32_t> label_at_;  ///< by instruction: its operation, for branches
    std::vector<label_use> labels_;
    std::vector<list_use> lists_;
    const ptx::instruction* now_ = nullptr;
    std::uint32_t now_index_ = 0;  ///< in the module
    std::vector<pending_result> results_;
    std::vector<operand_ref> word_temporaries_, double_temporaries_, mask_temporaries_;
    std::size_t words_used_ = 0, doubles_used_ = 0, masks_used_ = 0;
    std::uint32_t frame_bytes_ = 0;
    std::vector<bool> may_read_unwritten_;  ///< by instruction
    std::vector<bool> used_registers_;      ///< by register: used for more than being stored
    std::map<std::uint32_t, std::uint32_t> written_lanes_;  ///< by register: a mask in the frame
};

}  // namespace simtlm::execution
