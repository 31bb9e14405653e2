// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/function_lowering.h"

#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/log_instruction.h"
#include "modules/execution/operations/moves.h"
#include "modules/execution/operations/special.h"
#include "modules/execution/ptx/control.h"
#include "modules/execution/state/thread_block.h"
#include "modules/ptx/register_allocation.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::execution {

function_lowering::function_lowering(module_builder& module, std::uint32_t function)
    : module_(module),
      m_(module.source()),
      index_(function),
      f_(m_.functions[function]),
      image_(module.functions()[function]),
      handlers_(operations_of_host()),
      flow_(ptx::analyse_control_flow(m_, f_)) {}

void function_lowering::lower() {
    const std::size_t count = f_.code.size();
    reconverges_here_.assign(count + 1, false);
    for (const std::uint32_t at : flow_.reconvergence)
        if (at != ptx::no_index && at < count) reconverges_here_[at] = true;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        const ptx::opcode o = m_.operation_of(f_.code[i]).op;
        const bool splits = o == ptx::opcode::call || o == ptx::opcode::bar_sync ||
                            o == ptx::opcode::bar_arrive || o == ptx::opcode::bar_red;
        if (splits && f_.code[i].guard != ptx::no_index) reconverges_here_[i + 1] = true;
    }
    label_at_.assign(count + 1, 0);
    find_unwritten_registers();
    find_used_registers();

    const auto base = static_cast<std::uint32_t>(module_.origins().size());
    image_.first = static_cast<std::uint32_t>(module_.code().size());
    // An additional instruction represents the end of the function.
    for (std::uint32_t i = 0; i <= count; ++i) {
        module_.origins().push_back({index_, i});
        now_index_ = base + i;
        now_ = nullptr;
        if (i == 0 && !f_.entry) {
            operation& entry = emit(enter_function, false);
            entry.immediate = index_;
            entry.moves_control = true;
            if (module_.checks().init) emit(note_frame, false).immediate = index_;
        }
        label_at_[i] = static_cast<std::uint32_t>(module_.code().size());
        if (reconverges_here_[i]) emit(reconvergence_point, false).moves_control = true;
        if (i == count) {
            operation& end = emit(return_from_function, false);
            end.immediate = index_;
            end.moves_control = true;
            break;
        }
        now_ = &f_.code[i];
        lower_instruction();
    }
    image_.end = static_cast<std::uint32_t>(module_.code().size());
    image_.frame_bytes = frame_bytes_;
    resolve_labels();
}

void function_lowering::allot_registers() {
    // Checks and logs read registers by name, so that registers must not be shared.
    const bool share = !module_.checks().init && !module_.checks().log;
    const ptx::register_allocation allocation = ptx::allocate_registers(f_, flow_, share);
    using kind = ptx::register_allocation;
    constexpr std::uint32_t bytes[kind::kinds] = {4, 128, 256, 512};
    std::uint32_t first[kind::kinds];
    std::uint32_t at = frame_layout::first_predicate;
    for (unsigned k = 0; k < kind::kinds; ++k) {
        first[k] = at;
        at = (at + bytes[k] * allocation.registers[k] + 255) / 256 * 256;
    }
    frame_bytes_ = at;
    image_.registers.resize(f_.registers.size());
    for (std::size_t i = 0; i < f_.registers.size(); ++i) {
        const kind::kind k = kind::kind_of(f_.registers[i]);
        image_.registers[i] = first[k] + bytes[k] * allocation.index_of[i];
    }
    const auto place = [&](std::vector<argument_copy>& copies) {
        for (argument_copy& c : copies) {
            c.register_bytes = bytes[kind::kind_of(f_.registers[c.at])];
            c.at = image_.registers[c.at];
        }
    };
    place(image_.register_parameters);
    place(image_.register_results);
}

/// Allocates a temporary in the frame for the current instruction.
operand_ref function_lowering::temporary(unsigned width) {
    std::vector<operand_ref>& pool = width == 1    ? mask_temporaries_
                                     : width <= 32 ? word_temporaries_
                                                   : double_temporaries_;
    std::size_t& used = width == 1 ? masks_used_ : width <= 32 ? words_used_ : doubles_used_;
    if (used == pool.size()) {
        pool.push_back(frame_bytes_);
        frame_bytes_ += width <= 32 ? 128 : 256;
    }
    return pool[used++];
}

unsigned function_lowering::register_width(std::uint32_t index) const {
    return f_.registers[index] == ptx::type::pred ? 1 : ptx::width_of(f_.registers[index]);
}

operand_ref function_lowering::constant(std::uint64_t value, unsigned width) {
    constant_pool& pool = module_.constants();
    if (width == 1) return pool.mask(value != 0 ? all_lanes : 0);
    if (width > 32) return pool.double_word(value);
    if (width < 32) value &= (std::uint64_t{1} << width) - 1;
    return pool.word(static_cast<std::uint32_t>(value));
}

operand_ref function_lowering::register_source(const ptx::operand& o, unsigned width) {
    const operand_ref s = image_.registers[o.index];
    const unsigned has = register_width(o.index);
    if (width == 1 || has == 1) return s;
    if ((width > 32) == (has > 32)) return s;
    const operand_ref to = temporary(width);
    convert(to, width, s, std::min(has, 64u), false);
    return to;
}

/// A mask operand, negated if required.
operand_ref function_lowering::mask_source(const ptx::operand& o) {
    operand_ref s = no_operand;
    if (o.kind == operand_kind::reg)
        s = image_.registers[o.index];
    else if (o.kind == operand_kind::immediate)
        s = constant(static_cast<std::uint64_t>(o.value) & 1, 1);
    else if (o.kind == operand_kind::special)
        s = special_source(o, 1);  // %is_explicit_cluster
    else
        s = constant(1, 1);
    if (!o.negated) return s;
    const operand_ref to = temporary(1);
    operation& op = emit(negate_mask, false);
    op.destination = to;
    op.source[0] = s;
    return to;
}

/// The operand as lanes of a width: 1 a mask, up to 32 words, otherwise double words.
operand_ref function_lowering::source(const ptx::operand& o, unsigned width) {
    if (width == 1) return mask_source(o);
    switch (o.kind) {
        case operand_kind::reg:
            return register_source(o, width);
        case operand_kind::immediate:
            return constant(static_cast<std::uint64_t>(o.value), width);
        case operand_kind::special:
            return special_source(o, width);
        case operand_kind::variable:
            return variable_source(o, width);
        case operand_kind::function:
            return constant(ptx_image::address_of_function(module_.resolved(o.index)), width);
        default:
            throw support::user_error(
                m_.where(now_->where),
                "this operand cannot be read as a value: " + m_.text_of(f_, *now_));
    }
}

operand_ref function_lowering::variable_source(const ptx::operand& o, unsigned width) {
    const ptx::variable& v = m_.variables[o.index];
    const auto value = static_cast<std::uint64_t>(o.value);
    const bool in_frame = (v.space == ptx::state_space::local && v.owner != ptx::no_index) ||
                          (v.space == ptx::state_space::param && !(f_.entry && v.parameter));
    if (in_frame) {
        const operand_ref to = temporary(width);
        operation& op = emit(width > 32 ? frame_address64 : frame_address32, false);
        op.destination = to;
        op.immediate = static_cast<std::int64_t>(module_.address_of(o.index) + value);
        return to;
    }
    if (v.space == ptx::state_space::shared) return shared_variable_source(o, width);
    return constant(module_.address_of(o.index) + value, width);
}

/// The address of a variable in shared memory. In a cluster it contains the rank of the CTA: this
/// is so on GPUs since sm_90, which is the first architecture that has clusters.
operand_ref function_lowering::shared_variable_source(const ptx::operand& o, unsigned width) {
    constexpr unsigned first_with_clusters = 90;
    const auto in_block = [&](std::uint32_t word, std::uint32_t double_word) {
        return operand_ref_in(bank::block, width > 32 ? double_word : word);
    };
    const auto sum = [&](operand_ref a, operand_ref b) {
        const operand_ref to = temporary(width);
        operation& op = emit(width > 32 ? add64 : add32, false);
        op.destination = to;
        op.source[0] = a;
        op.source[1] = b;
        return to;
    };
    auto offset = static_cast<std::uint64_t>(o.value);
    const bool is_dynamic = module_.is_dynamic_shared(o.index);
    if (!is_dynamic) offset += module_.address_of(o.index);
    operand_ref address =
        is_dynamic ? in_block(block_layout::dynamic_shared, block_layout::dynamic_shared64)
                   : no_operand;
    if (m_.architecture >= first_with_clusters) {
        const operand_ref own = in_block(block_layout::own_shared, block_layout::own_shared64);
        address = address == no_operand ? own : sum(address, own);
    }
    if (address == no_operand) return constant(offset, width);
    return offset == 0 ? address : sum(address, constant(offset, width));
}

operand_ref function_lowering::special_source(const ptx::operand& o, unsigned width) {
    const special_value v =
        special_register_value(static_cast<ptx::special_register>(o.index), o.count);
    operand_ref s = v.where;
    unsigned has = v.width;
    if (v.lane_value >= 0)
        s = module_.constants().lanes(static_cast<constant_pool::lane_value>(v.lane_value));
    if (v.is_constant) s = constant(v.constant, has);
    if (v.read != nullptr) {
        s = temporary(has);
        operation& op = emit(v.read, false);
        op.destination = s;
        op.detail = v.detail;
    }
    if ((width > 32) == (has > 32)) return s;
    const operand_ref to = temporary(width);
    convert(to, width, s, has, false);
    return to;
}

operand_ref function_lowering::destination(const ptx::operand& o, unsigned width, bool is_signed) {
    if (o.kind != operand_kind::reg) return temporary(width);  // a sink
    const operand_ref s = image_.registers[o.index];
    const unsigned has = register_width(o.index);
    if (has == 1 || width == 1) return s;
    const bool same_lanes = (has > 32) == (width > 32);
    if (same_lanes && (has <= width || !is_signed || width >= 32)) return s;
    const operand_ref from = temporary(width);
    results_.push_back({s, has, from, width, is_signed});
    return from;
}

void function_lowering::finish_destinations() {
    for (const pending_result& r : results_)
        convert(r.to, r.to_width, r.from, r.from_width, r.is_signed);
    results_.clear();
}

operation& function_lowering::emit(handler h, bool counted) {
    operation op;
    op.execute = h;
    op.instruction = now_index_;
    op.counted = counted;
    if (now_ != nullptr && now_->guard != ptx::no_index) {
        op.guard = image_.registers[now_->guard];
        op.guard_flip = now_->guard_negated ? all_lanes : 0;
    }
    module_.code().push_back(op);
    return module_.code().back();
}

operation& function_lowering::emit_choice(const choice& c, operand_ref to,
                                          std::initializer_list<operand_ref> sources) {
    operation& op = emit(c.execute);
    op.destination = to;
    op.detail = c.detail;
    std::copy(sources.begin(), sources.end(), op.source);
    return op;
}

void function_lowering::convert(operand_ref to, unsigned to_width, operand_ref from,
                                unsigned from_width, bool is_signed) {
    operation& op = emit(extension_handler(from_width, to_width, is_signed), false);
    op.destination = to;
    op.source[0] = from;
}

operand_ref* function_lowering::list_of(const std::vector<operand_ref>& refs) {
    operand_ref* const list = module_.new_list(refs.size());
    std::copy(refs.begin(), refs.end(), list);
    return list;
}

void function_lowering::refuse_instruction() {
    emit(refuse);
}

function_lowering::lowering function_lowering::lowering_of(ptx::opcode o) {
    static constexpr lowering functions[] = {
#define SIMTLM_PTX_OPCODE(name, text, scheduling, order, lowering) \
    &function_lowering::lower_##lowering,
#include "modules/ptx/opcodes.def"
        &function_lowering::lower_refused};  // ptx::opcode::later
    return functions[static_cast<std::size_t>(o)];
}

void function_lowering::lower_instruction() {
    words_used_ = doubles_used_ = masks_used_ = 0;
    const ptx::operation& o = m_.operation_of(*now_);
    // A call transfers control, so that its effects are recorded before it.
    const bool calls = o.op == ptx::opcode::call;
    emit_register_checks(o);
    const bool logs_before = changes_control(o) || writes_its_guard();
    if (module_.checks().log && logs_before) emit(log_instruction, false);
    if (calls) emit_register_marks();
    const bool done = (this->*lowering_of(o.op))(o);
    if (!done) refuse_instruction();
    finish_destinations();
    if (!calls) emit_register_marks();
    if (module_.checks().log && !logs_before) emit(log_instruction, false);
}

bool function_lowering::lower_elementwise(const ptx::operation& o) {
    const choice c = handlers_.elementwise(o);
    if (!c) return false;
    // Sources follow the results; comparisons and lop3 have a second result.
    const bool second_result = o.op == ptx::opcode::setp || o.op == ptx::opcode::lop3;
    operand_ref sources[choice::max_sources] = {no_operand, no_operand, no_operand, no_operand};
    const unsigned first = second_result ? 2 : 1;
    for (unsigned i = 0; i < c.source_count; ++i)
        sources[i] = source(operand(first + i), c.sources[i]);
    const bool three_operands =
        (o.op == ptx::opcode::min || o.op == ptx::opcode::max) && has_operand(3);
    if (three_operands) {
        const operand_ref of_two = temporary(c.result);
        emit_choice(c, of_two, {sources[0], sources[1]}).counted = false;
        sources[0] = of_two;
        sources[1] = source(operand(3), c.sources[1]);
    }
    const operand_ref to = destination(operand(0), c.result, c.result_is_signed);
    operation& op = emit_choice(c, to, {sources[0], sources[1], sources[2], sources[3]});
    if (o.op == ptx::opcode::setp && has_operand(1)) {
        if (operand(1).kind == operand_kind::reg)
            op.destination2 = image_.registers[operand(1).index];
        if (operand(0).kind != operand_kind::reg) op.destination = no_operand;
    }
    if (o.op == ptx::opcode::set) op.immediate = value_of_true(o.types[0]);
    if (o.op == ptx::opcode::lop3) {
        op.detail = static_cast<std::uint16_t>(operand(5).value & 0xff);
        if (o.reduce != ptx::reduction::none) lower_lop3_predicate(o);
    }
    return true;
}

/// cvt. Four numbers are converted two by two: the operation takes the random bits of the first
/// two, and its result has those of the others.
bool function_lowering::lower_conversion(const ptx::operation& o) {
    if (o.round != ptx::rounding::rs || operand(1).kind != operand_kind::vector)
        return lower_elementwise(o);
    const choice c = handlers_.elementwise(o);
    if (!c) return false;
    constexpr unsigned word = 32;
    std::vector<operand_ref> from;
    for (const ptx::operand* e : elements_of(operand(1))) from.push_back(source(*e, word));
    const operand_ref random = source(operand(2), word), first = temporary(word);
    emit_choice(c, first, {from[0], from[1], random}).counted = false;
    const operand_ref to = destination(operand(0), word, false);
    emit_choice(c, to, {from[2], from[3], first});
    return true;
}

/// lop3 with a predicate: whether the result is not 0, combined with another predicate.
void function_lowering::lower_lop3_predicate(const ptx::operation& o) {
    const operand_ref result = module_.code().back().destination;
    ptx::operation test;
    test.op = ptx::opcode::setp;
    test.types[0] = ptx::type::b32;
    test.type_count = 1;
    test.compare = ptx::comparison::ne;
    test.reduce = o.reduce;
    const choice c = handlers_.elementwise(test);
    if (operand(1).kind != operand_kind::reg) return;
    const operand_ref with = mask_source(operand(6));
    operation& op =
        emit_choice(c, image_.registers[operand(1).index], {result, constant(0, 32), with});
    op.counted = false;
}

void function_lowering::resolve_labels() {
    std::vector<operation>& code = module_.code();
    for (const label_use& l : labels_)
        code[l.operation].source[l.is_reconvergence ? 1 : 0] = label_at_[l.instruction];
    for (const list_use& l : lists_)
        for (std::size_t i = 0; i < l.instructions.size(); ++i)
            l.list[i] = label_at_[l.instructions[i]];
}

}  // namespace simtlm::execution
