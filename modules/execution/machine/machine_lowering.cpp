// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/machine_lowering.h"

#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/ptx/control.h"
#include "modules/sass/encoding_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::execution {

using sass::operand_kind;

namespace {
/// Whether an instruction sets the stack pointer, R1, to a value that is unknown before execution,
/// as alloca does. Otherwise the stack pointer starts at the top of the stack and is changed by
/// immediates only.
bool grows_stack(const sass::instruction& i, unsigned architecture) {
    constexpr unsigned stack_pointer = 1;
    const sass::operand& to = i.operands[0];
    if (i.operand_count == 0 || to.kind != operand_kind::reg || to.index != stack_pointer)
        return false;
    for (unsigned n = 1; n < i.operand_count; ++n) {
        const sass::operand& o = i.operands[n];
        if (o.kind == operand_kind::reg && o.index != stack_pointer && o.index != sass::register_rz)
            return true;
        if (o.kind == operand_kind::constant && o.value != launch_words::stack_top(architecture))
            return true;
        if (o.kind == operand_kind::uniform_reg) return true;
    }
    return false;
}
}  // namespace

machine_lowering::machine_lowering(sass_image& image, std::uint32_t function, row_map& rows)
    : image_(image),
      index_(function),
      f_(image.source().functions()[function]),
      rows_(rows),
      handlers_(operations_of_host()),
      lanes_(*handlers_.machine) {}

// ---- operands ----

operand_ref machine_lowering::row(machine_row r) {
    const auto key = std::make_tuple(static_cast<unsigned>(r.what), r.bank, r.value);
    const auto known = rows_.find(key);
    if (known != rows_.end()) return known->second;
    const operand_ref s =
        operand_ref_in(bank::constants, static_cast<std::uint32_t>(image_.rows_.size()) * 128);
    image_.rows_.push_back(r);
    rows_.emplace(key, s);
    return s;
}

operand_ref machine_lowering::register_row(unsigned n, bool uniform) const {
    if (uniform) {
        if (n >= machine_frame::uniform_rows) return machine_frame::zero;
        image_.uniform_registers_ = std::max(image_.uniform_registers_, n + 1);
        return machine_frame::uniform + 128 * n;
    }
    if (n >= sass::register_rz) return machine_frame::zero;
    image_.registers_ = std::max(image_.registers_, n + 1);
    return machine_frame::registers + 128 * n;
}

operand_ref machine_lowering::scratch_row(unsigned n) {
    return machine_frame::scratch + 256 * n;
}

operand_ref machine_lowering::scratch() {
    constexpr unsigned last = machine_frame::scratch_rows - 1;  // barrier_result_row()
    if (scratch_used_ >= last) problem_ = "it needs more rows for its values than there are";
    return scratch_row(std::min(scratch_used_++, last - 1));
}

operand_ref machine_lowering::barrier_result_row() {
    return scratch_row(machine_frame::scratch_rows - 1);
}

bool machine_lowering::refuse(std::string why) {
    problem_ = std::move(why);
    return false;
}

combination machine_lowering::combination_of_results() const {
    return has(sass::modifier::OR)    ? combination::any_of
           : has(sass::modifier::XOR) ? combination::one_of
                                      : combination::all_of;
}

operand_ref machine_lowering::low_word(const operand& o) {
    switch (o.kind) {
        case operand_kind::reg:
            return register_row(o.index, false);
        case operand_kind::uniform_reg:
            return register_row(o.index, true);
        case operand_kind::constant:
            if (o.has_uniform || o.has_base || o.bank >= sass_image::banks) {
                problem_ = "an indexed constant";
                return machine_frame::zero;
            }
            // The number of SMs is known after a CTA has been placed.
            if (o.bank == 0 && o.value == launch_words::processors(architecture()))
                return operand_ref_in(bank::block, block_layout::nsmid);
            // The offset has 16 bits, and is decoded with a sign.
            return row({machine_row::kind::bank_word, o.bank,
                        static_cast<std::uint32_t>(o.value & 0xffff)});
        case operand_kind::float64:
            return machine_frame::zero;
        case operand_kind::integer:
        case operand_kind::float32:
        case operand_kind::half:
        case operand_kind::half2:
            return number(static_cast<std::uint32_t>(o.value));
        default:
            problem_ = "an operand that is not a value";
            return machine_frame::zero;
    }
}

operand_ref machine_lowering::high_word(const operand& o) {
    switch (o.kind) {
        case operand_kind::reg:
            return o.index == sass::register_rz ? machine_frame::zero
                                                : register_row(o.index + 1u, false);
        case operand_kind::uniform_reg:
            return o.index == sass::uniform_urz ? machine_frame::zero
                                                : register_row(o.index + 1u, true);
        case operand_kind::constant: {
            operand next = o;
            next.value += 4;
            return low_word(next);
        }
        case operand_kind::float64:
            return number(static_cast<std::uint32_t>(o.value));
        default:  // an integer, sign-extended
            return number(static_cast<std::uint32_t>(o.value >> 32));
    }
}

operand_ref machine_lowering::result_row(const operand& o, unsigned more) const {
    const bool uniform = o.kind == operand_kind::uniform_reg;
    if (o.index + more >= (uniform ? machine_frame::uniform_rows : sass::register_rz))
        return machine_frame::discard + 128 * (more & 1);
    return register_row(o.index + more, uniform);
}

operand_ref machine_lowering::predicate_ref(const operand& o) {
    if (o.index == sass::predicate_true) return 0;
    return (o.kind == operand_kind::uniform_predicate ? machine_frame::uniform_predicates
                                                      : machine_frame::predicates) +
           4u * o.index;
}

source_predicate machine_lowering::predicate_of(const operand& o) const {
    note_read(o, operand_sign);
    return {predicate_ref(o),  // PT is frame_layout::always
            o.negate_predicate ? all_lanes : 0};
}
source_predicate machine_lowering::guard() const {
    const lane_mask flip = now_.guard_negated ? all_lanes : 0;
    if (now_.guard == sass::predicate_true) return {frame_layout::always, flip};
    return {(now_.guard_uniform ? machine_frame::uniform_predicates : machine_frame::predicates) +
                4u * now_.guard,
            flip};
}

source_modifiers machine_lowering::integer_modifiers(const operand& o) const {
    note_read(o, operand_sign);
    source_modifiers m;
    if (o.negate || o.invert) m.flip = ~0u;
    if (o.negate) m.add = 1;
    return m;
}
source_modifiers machine_lowering::float_modifiers(const operand& o) const {
    note_read(o, operand_sign);
    source_modifiers m;
    if (o.absolute) m.keep = 0x7fffffffu;
    if (o.negate) m.flip = 0x80000000u;
    return m;
}

operand_ref machine_lowering::float_source(const operand& o) {
    note_read(o, operand_sign);
    if (!o.negate && !o.absolute) return low_word(o);
    const operand_ref to = scratch();
    emit_modified(float_modifiers(o), to, low_word(o), false);
    return to;
}

operand_ref machine_lowering::double_source(const operand& o) {
    const operand_ref to = scratch();
    const operand_ref low = low_word(o), high = high_word(o);
    emit_words(lanes_.pack, {{float_modifiers(o)}}, to, {low, high}, false);
    return to;
}

operand_ref machine_lowering::half_source(const operand& o) {
    note_read(o, operand_sign);
    note_read(o, operand_suffix);
    const operand_ref from = low_word(o);
    if (o.suffix.empty() && !o.negate && !o.absolute) return from;
    if (o.suffix == ".F32") {
        problem_ = "an operand of single precision";
        return from;
    }
    half_source_arguments a;
    using half = half_source_arguments::half;
    if (o.suffix == ".H0_H0")
        a.selected = half::low;
    else if (o.suffix == ".H1_H1" || o.suffix == ".H1")
        a.selected = half::high;
    else if (o.suffix == ".H0_NH1" && !o.absolute)
        a.selected = half::crossed;
    else if (!o.suffix.empty())
        problem_ = fmt::format("the operand modifier {}", o.suffix);
    if (o.absolute) a.modifiers.keep = 0x7fff7fffu;
    if (o.negate) a.modifiers.flip = 0x80008000u;
    const operand_ref to = scratch();
    emit_words(machine_half_source, a, to, {from}, false);
    return to;
}

operand_ref machine_lowering::quad_source(const operand& o) {
    const operand_ref to = scratch();
    const operand_ref upper = scratch();
    for (unsigned half = 0; half < 2; ++half) {
        operand_ref words[2] = {machine_frame::zero, machine_frame::zero};
        for (unsigned n = 0; n < 2 && o.index != sass::register_rz; ++n)
            words[n] = register_row(o.index + 2 * half + n, false);
        emit_words(lanes_.pack, {}, half == 0 ? to : upper, {words[0], words[1]}, false);
    }
    return to;
}

// ---- emission ----

operation& machine_lowering::emit(handler h, bool guarded) {
    operation op;
    op.execute = h;
    if (guarded) {
        op.guard = guard().mask;
        op.guard_flip = guard().flip;
    }
    op.instruction = static_cast<std::uint32_t>(image_.places_.size() - 1);
    op.counted = false;
    image_.code_.push_back(op);
    return image_.code_.back();
}

operation& machine_lowering::with_rows(operation& op, operand_ref to,
                                       std::initializer_list<operand_ref> sources) {
    std::copy(sources.begin(), sources.end(), op.source);
    op.destination = to;
    return op;
}

operation& machine_lowering::emit_words(handler h, operand_ref to,
                                        std::initializer_list<operand_ref> sources, bool guarded) {
    return with_rows(emit(h, guarded), to, sources);
}

void machine_lowering::emit_copy(operand_ref to, operand_ref from, bool guarded) {
    if (uniform_)
        emit_modified({}, to, from, guarded);
    else
        emit_words(lanes_.copy, to, {from}, guarded);
}

void machine_lowering::emit_modified(const source_modifiers& m, operand_ref to, operand_ref from,
                                     bool guarded) {
    unary_arguments a;
    a.source = m;
    emit_words(lanes_.modify, a, to, {from}, guarded);
}

void machine_lowering::emit_selection(const source_predicate& p, operand_ref to, operand_ref a,
                                      operand_ref b, bool guarded) {
    selection_arguments s;
    s.first = p;
    emit_words(lanes_.select, s, to, {a, b}, guarded);
}

bool machine_lowering::emit_values(ptx::operation o, operand_ref to,
                                   std::initializer_list<operand_ref> sources, bool guarded) {
    const choice c = handlers_.elementwise(o);
    if (!c) {
        problem_ = "a form that is not known";
        return false;
    }
    emit_words(c.execute, to, sources, guarded).detail = c.detail;
    return true;
}

operand_ref* machine_lowering::list_of(const std::vector<operand_ref>& refs) {
    image_.lists_.push_back(std::make_unique<operand_ref[]>(refs.size() + 1));
    std::copy(refs.begin(), refs.end(), image_.lists_.back().get());
    return image_.lists_.back().get();
}

void machine_lowering::emit_predicate(std::uint32_t table, operand_ref to,
                                      std::initializer_list<source_predicate> sources,
                                      bool guarded) {
    predicate_logic_arguments a;
    std::copy(sources.begin(), sources.end(), a.source);
    a.table[0] = table;
    a.result[0] = to;
    emit(machine_logic_predicates, a, guarded);
}

operation& machine_lowering::last_operation() {
    return image_.code_.back();
}

// ---- control flow ----

bool machine_lowering::set_target(std::uint64_t offset) {
    if (offset % sass::instruction_bytes != 0 || offset >= f_.code.size()) return false;
    targets_.push_back({static_cast<std::uint32_t>(image_.code_.size()), offset});
    return true;
}

operand_ref* machine_lowering::instruction_table() {
    operand_ref* const table = list_of(std::vector<operand_ref>(f_.instructions()));
    tables_.push_back(table);
    return table;
}

operand_ref machine_lowering::convergence_barrier(const operand& o) {
    image_.barriers_ = std::max(image_.barriers_, o.index + 1u);
    return machine_frame::barriers + 128u * o.index;
}

void machine_lowering::note_convergence_start() {
    barrier_starts_.push_back(static_cast<std::uint32_t>(image_.code_.size() - 1));
}

void machine_lowering::note_recursion(bool stack_unknown) {
    may_recurse_ = true;
    if (stack_unknown) image_.stack_unknown_[index_] = true;
}

void machine_lowering::note_call(bool by_pointer) {
    image_.calls_unknown_[index_] = true;
    if (by_pointer) image_.calls_pointers_[index_] = true;
}

// ---- the function ----

bool machine_lowering::make_uniform() {
    const operand_ref row = result_row(at(0));
    emit_words(machine_to_uniform, {}, row, {row});
    return true;
}

void machine_lowering::to_pair(const operand& o, operand_ref from) {
    emit_words(lanes_.unpack, {}, result_row(o), {from}).destination2 = result_row(o, 1);
}

/// Emits an operation that is a fault. @param why  the message
void machine_lowering::emit_refusal(const std::string& why) {
    image_.reasons_.push_back(why);
    operation& op = emit(machine_refuse);
    op.immediate = reinterpret_cast<std::int64_t>(&image_.reasons_.back());
    op.counted = true;
}

bool machine_lowering::next_instruction(sass::instruction& next, unsigned distance) const {
    const std::size_t n = first_.size() + distance - 1;  // the current one has an entry already
    return n < f_.instructions() && sass::decode(image_.word_of(index_, n), image_.architecture(),
                                                 n * sass::instruction_bytes, next);
}

void machine_lowering::lower() {
    const std::size_t count = f_.instructions();
    for (std::size_t n = 0; n < count; ++n) {
        begin_instruction(n);
        const bool known = sass::decode(image_.word_of(index_, n), image_.architecture(),
                                        n * sass::instruction_bytes, now_);
        image_.opcodes_.push_back(
            image_.opcode_names_.insert(known ? sass::full_opcode(now_) : "UNKNOWN")
                .first->c_str());
        if (!known || !lower_with_notes()) refuse_instruction(n, known);
    }
    // Handles control flow that runs off the end.
    begin_instruction(count);
    image_.opcodes_.push_back("EXIT");
    now_ = {};
    emit_refusal("the code ends without EXIT");
    resolve_targets();
    image_.first_operation_.insert(image_.first_operation_.end(), first_.begin(), first_.end());
}

void machine_lowering::begin_instruction(std::size_t n) {
    image_.places_.push_back({index_, n * sass::instruction_bytes});
    first_.push_back(static_cast<std::uint32_t>(image_.code_.size()));
    scratch_used_ = 0;
    problem_.clear();
}

/// Lowers the instruction, with checks and log entries. @return false if it is not supported
bool machine_lowering::lower_with_notes() {
    uniform_ =
        isa::name_of(now_.opcode).front() == 'U' || is(isa::opcode::LDCU) || is(isa::opcode::CS2UR);
    if (grows_stack(now_, architecture())) image_.stack_unknown_[index_] = true;
    const bool logs_before = is_logged_before();
    emit_order_notes();
    // For BAR the log entry follows the operation that gathers its lanes.
    if (logs_before && !is(isa::opcode::BAR)) emit_log();
    if (!lower_instruction() || !problem_.empty()) return false;
    // The last operation of an instruction, which has its guard, represents it.
    const auto stands = [](const operation& op) { return op.counted; };
    if (std::none_of(image_.code_.begin() + first_.back(), image_.code_.end(), stands))
        image_.code_.back().counted = true;
    if (!logs_before) emit_log();
    return true;
}

/// Replaces the operations of the n-th instruction by a fault. @param known  it has been decoded
void machine_lowering::refuse_instruction(std::size_t n, bool known) {
    if (image_.unsupported_[index_].empty())
        image_.unsupported_[index_] = fmt::format(
            "{} at {:#06x}{}",
            known ? sass::to_string(now_)
                  : fmt::format("an instruction that is not known ({:016x}{:016x})",
                                image_.word_of(index_, n).high, image_.word_of(index_, n).low),
            n * sass::instruction_bytes, problem_.empty() ? "" : " (" + problem_ + ")");
    image_.code_.resize(first_.back());
    uniform_ = false;
    emit_refusal("this instruction is not supported" + (problem_.empty() ? "" : ": " + problem_));
}

/// Writes the operations of targets, which are known when all instructions have been lowered.
void machine_lowering::resolve_targets() {
    for (const target_use& t : targets_) {
        const std::uint64_t n = t.target / sass::instruction_bytes;
        image_.code_[t.operation].source[0] = first_[std::min<std::uint64_t>(n, f_.instructions())];
    }
    // Lanes at different depths of a recursion may execute BSSY together.
    constexpr unsigned stack_pointer = 1;
    if (may_recurse_)
        for (const std::uint32_t n : barrier_starts_)
            image_.code_[n].source[1] = register_row(stack_pointer, false);
    for (operand_ref* table : tables_) std::copy(first_.begin(), first_.end() - 1, table);
}

bool machine_lowering::lower_instruction() {
    const auto unrelocated = image_.unrelocated_.find({index_, now_.address});
    if (unrelocated != image_.unrelocated_.end()) {
        problem_ = unrelocated->second;
        return false;
    }
    // A modifier that this architecture does not define.
    if (now_.has(sass::modifier::undefined)) return false;
    read_fields_ = 0;
    read_operands_ = {};
    if (!lowering_of(now_.opcode)(*this)) return false;
    const std::string ignored = unread();
    return ignored.empty() || refuse(ignored);
}

// ---- what functions ask for ----

namespace {

/// Modifiers that no result depends on: for the convergence of quads, counters of calls and of
/// registers, caches, and the way in which warps wait.
bool has_no_effect(const sass::named_modifier& m) {
    constexpr std::string_view names[] = {
        "NDV", "NODEP", "NOINC", "NODEC", "INC", "BYPASS", "LDGSTSBAR", "DEFER_BLOCKING",
        "KEEPREFCOUNT", "NO_ATEXIT", "RAND", "CTAPOOL", "SEQUENCED", "RELIABLE", "RECONVERGENT",
        // What the collectors of the tensor core keep.
        "A_KEEP", "A_REUSE", "B_KEEP", "B_REUSE", "BUFFER0", "BUFFER1", "BUFFER2", "BUFFER3"};
    return std::find(std::begin(names), std::end(names), m.text) != std::end(names);
}

/// Whether an operand has no effect: PT, RZ, a cache policy, or the name of all predicates.
bool is_dispensable(const sass::operand& o) {
    switch (o.kind) {
        case operand_kind::predicate:
        case operand_kind::uniform_predicate:
            return o.index == sass::predicate_true && !o.negate_predicate;
        case operand_kind::reg:
            return o.index == sass::register_rz;
        case operand_kind::predicates:
        case operand_kind::uniform_predicates:
        case operand_kind::cache_descriptor:
            return true;
        default:
            return false;
    }
}

}  // namespace

bool machine_lowering::has(sass::modifier m) const {
    const auto& fields = now_.form->fields;
    for (std::size_t n = 0; n < fields.size(); ++n)
        if (fields[n].modifiers[static_cast<std::size_t>(m)]) read_fields_ |= 1u << n;
    return now_.has(m);
}

void machine_lowering::note_read(const operand& o, operand_part part) const {
    const std::ptrdiff_t n = &o - now_.operands.data();
    if (n >= 0 && n < static_cast<std::ptrdiff_t>(now_.operand_count)) read_operands_[n] |= part;
}

void machine_lowering::ignore_memory_order() const {
    using sass::modifier;
    for (const modifier m : {modifier::STRONG, modifier::SYS, modifier::PRIVATE, modifier::EF,
                             modifier::LTC128B, modifier::U})
        ignore(m);
}

void machine_lowering::ignore_modifiers() const {
    read_fields_ = ~0u;
    read_operands_.fill(operand_value | operand_sign | operand_suffix);
}

std::string machine_lowering::unread() const {
    for (unsigned n = 0; n < now_.modifier_count; ++n) {
        const unsigned field = now_.field_of[n];
        if (field != sass::instruction::no_field && (read_fields_ >> field & 1) == 0 &&
            !now_.form->fields[field].is_constant() && !has_no_effect(now_.modifiers[n]))
            return fmt::format("the modifier .{}", now_.modifiers[n].text);
    }
    for (unsigned n = 0; n < now_.operand_count; ++n) {
        const operand& o = now_.operands[n];
        if ((read_operands_[n] & operand_value) == 0 && !is_dispensable(o))
            return fmt::format("operand {}", n + 1);
        if ((o.negate || o.absolute || o.invert || o.negate_predicate) &&
            (read_operands_[n] & operand_sign) == 0)
            return fmt::format("the sign of operand {}", n + 1);
        const bool is_value = o.kind == operand_kind::reg || o.kind == operand_kind::uniform_reg ||
                              o.kind == operand_kind::constant;
        if (is_value && !o.suffix.empty() && (read_operands_[n] & operand_suffix) == 0)
            return fmt::format("{} of operand {}", o.suffix, n + 1);
    }
    return {};
}

}  // namespace simtlm::execution
