// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/machine_lowering.h"

#include "modules/execution/collectives.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/operations/atomic.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/control.h"
#include "modules/execution/operations/runtime.h"
#include "modules/execution/operations/special.h"
#include "modules/execution/thread_block.h"
#include "modules/sass/special_registers.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::execution {

using sass::operand_kind;
using sass::special_register;

namespace {
constexpr std::uint32_t bank_0_sms = 0x10c;  ///< in constant bank 0: %nsmid

/// Whether an instruction sets the stack pointer, R1, to a value that is unknown before execution,
/// as alloca does. Otherwise the stack pointer starts at the top of the stack and is changed by
/// immediates only.
bool grows_stack(const sass::instruction& i) {
    constexpr unsigned stack_pointer = 1;
    constexpr std::uint64_t bank_0_stack_top = 0x28;
    const sass::operand& to = i.operands[0];
    if (i.operand_count == 0 || to.kind != operand_kind::reg || to.index != stack_pointer)
        return false;
    for (unsigned n = 1; n < i.operand_count; ++n) {
        const sass::operand& o = i.operands[n];
        if (o.kind == operand_kind::reg && o.index != stack_pointer && o.index != sass::register_rz)
            return true;
        if (o.kind == operand_kind::constant && o.value != bank_0_stack_top) return true;
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

slot machine_lowering::row(machine_row r) {
    const auto key = std::make_tuple(static_cast<unsigned>(r.what), r.bank, r.value);
    const auto known = rows_.find(key);
    if (known != rows_.end()) return known->second;
    const slot s = slot_in(bank::constants, static_cast<std::uint32_t>(image_.rows_.size()) * 128);
    image_.rows_.push_back(r);
    rows_.emplace(key, s);
    return s;
}

slot machine_lowering::register_row(unsigned n, bool uniform) const {
    if (uniform) {
        if (n >= sass::uniform_urz) return machine_frame::zero;
        image_.uniform_registers_ = std::max(image_.uniform_registers_, n + 1);
        return machine_frame::uniform + 128 * n;
    }
    if (n >= sass::register_rz) return machine_frame::zero;
    image_.registers_ = std::max(image_.registers_, n + 1);
    return machine_frame::registers + 128 * n;
}

slot machine_lowering::machine_frame_scratch(unsigned n) {
    return machine_frame::scratch + 256 * n;
}

/// Allocates a double row for values within an instruction. The last one holds the result of
/// BAR.RED for B2R.
slot machine_lowering::scratch() {
    constexpr unsigned last = machine_frame::scratch_rows - 1;
    if (scratch_used_ >= last) problem_ = "it needs more rows for its values than there are";
    return machine_frame_scratch(std::min(scratch_used_++, last - 1));
}

slot machine_lowering::low_word(const operand& o) {
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
            if (o.bank == 0 && o.value == bank_0_sms)
                return slot_in(bank::block, block_layout::nsmid);
            return row({machine_row::kind::bank_word, o.bank, static_cast<std::uint32_t>(o.value)});
        case operand_kind::float64:
            return machine_frame::zero;
        default:
            return number(static_cast<std::uint32_t>(o.value));
    }
}

slot machine_lowering::high_word(const operand& o) {
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
            return number((o.value >> 31 & 1) != 0 && o.is_signed ? ~0u : 0);
    }
}

slot machine_lowering::result_row(const operand& o, unsigned more) const {
    const bool uniform = o.kind == operand_kind::uniform_reg;
    if (o.index + more >= (uniform ? sass::uniform_urz : sass::register_rz))
        return machine_frame::discard + 128 * (more & 1);
    return register_row(o.index + more, uniform);
}

slot machine_lowering::predicate_slot(const operand& o) {
    if (o.index == sass::predicate_true) return 0;
    return (o.kind == operand_kind::uniform_predicate ? machine_frame::uniform_predicates
                                                      : machine_frame::predicates) +
           4u * o.index;
}

void machine_lowering::source_predicate(machine_details& d, unsigned n, const operand& o) const {
    d.predicate[n] = predicate_slot(o);  // PT is frame_layout::always
    d.predicate_flip[n] = o.negate_predicate ? all_lanes : 0;
}
void machine_lowering::result_predicate(machine_details& d, unsigned n, const operand& o) const {
    d.result[n] = predicate_slot(o);
}

void machine_lowering::modifiers(machine_details& d, unsigned n, const operand& o,
                                 bool is_float) const {
    if (is_float) {
        if (o.absolute) d.keep[n] = 0x7fffffffu;
        if (o.negate) d.flip[n] = 0x80000000u;
        return;
    }
    if (o.negate) d.flip[n] = ~0u, d.add[n] = 1;
    if (o.invert) d.flip[n] = ~0u;
}

slot machine_lowering::float_source(const operand& o) {
    if (!o.negate && !o.absolute) return low_word(o);
    machine_details& d = details();
    modifiers(d, 0, o, true);
    const slot to = scratch();
    operation& op = emit(lanes_.modify, &d, false);
    op.source[0] = low_word(o);
    op.destination = to;
    return to;
}

slot machine_lowering::double_source(const operand& o) {
    machine_details& d = details();
    modifiers(d, 0, o, true);
    const slot to = scratch();
    const slot low = low_word(o), high = high_word(o);
    emit_words(lanes_.pack, &d, to, {low, high}, false);
    return to;
}

/// Four registers as a value of 128 bits: two double rows, one after the other.
slot machine_lowering::quad_source(const operand& o) {
    const slot to = scratch();
    const slot upper = scratch();
    for (unsigned half = 0; half < 2; ++half) {
        slot words[2] = {machine_frame::zero, machine_frame::zero};
        for (unsigned n = 0; n < 2 && o.index != sass::register_rz; ++n)
            words[n] = register_row(o.index + 2 * half + n, false);
        emit_words(lanes_.pack, &details(), half == 0 ? to : upper, {words[0], words[1]}, false);
    }
    return to;
}

// ---- emission ----

machine_details& machine_lowering::details() {
    image_.details_.push_back(std::make_unique<machine_details>());
    image_.details_.back()->uniform = uniform_;
    return *image_.details_.back();
}

operation& machine_lowering::emit(handler h, const machine_details* d, bool guarded) {
    operation op;
    op.execute = h;
    if (d != nullptr) op.immediate = reinterpret_cast<std::int64_t>(d);
    if (guarded) {
        if (now_.guard != sass::predicate_true)
            op.guard = (now_.guard_uniform ? machine_frame::uniform_predicates
                                           : machine_frame::predicates) +
                       4u * now_.guard;
        op.guard_flip = now_.guard_negated ? all_lanes : 0;
    }
    op.instruction = static_cast<std::uint32_t>(image_.places_.size() - 1);
    op.counted = false;
    image_.code_.push_back(op);
    return image_.code_.back();
}

operation& machine_lowering::emit_words(handler h, const machine_details* d, slot to,
                                        std::initializer_list<slot> sources, bool guarded) {
    operation& op = emit(h, d, guarded);
    std::copy(sources.begin(), sources.end(), op.source);
    op.destination = to;
    return op;
}

void machine_lowering::emit_copy(slot to, slot from) {
    operation& op = uniform_ ? emit(lanes_.modify, &details()) : emit(lanes_.copy);
    op.source[0] = from;
    op.destination = to;
}

bool machine_lowering::emit_values(ptx::operation o, slot to, std::initializer_list<slot> sources,
                                   bool guarded) {
    const choice c = handlers_.elementwise(o);
    if (!c) {
        problem_ = "a form that is not known";
        return false;
    }
    operation& op = emit(c.execute, nullptr, guarded);
    op.detail = c.detail;
    op.destination = to;
    std::copy(sources.begin(), sources.end(), op.source);
    return true;
}

slot* machine_lowering::list_of(const std::vector<slot>& slots) {
    image_.lists_.push_back(std::make_unique<slot[]>(slots.size() + 1));
    std::copy(slots.begin(), slots.end(), image_.lists_.back().get());
    return image_.lists_.back().get();
}

void machine_lowering::to_pair(const operand& o, slot from) {
    operation& op = emit(lanes_.unpack, &details());
    op.source[0] = from;
    op.destination = result_row(o);
    op.destination2 = result_row(o, 1);
}

void machine_lowering::lower() {
    const std::size_t count = f_.instructions();
    for (std::size_t n = 0; n < count; ++n) {
        image_.places_.push_back({index_, n * sass::instruction_bytes});
        first_.push_back(static_cast<std::uint32_t>(image_.code_.size()));
        scratch_used_ = 0;
        problem_.clear();
        const bool known = sass::decode(image_.word_of(index_, n), image_.architecture(),
                                        n * sass::instruction_bytes, now_);
        image_.opcodes_.push_back(
            image_.opcode_names_.insert(known ? sass::full_opcode(now_) : "UNKNOWN")
                .first->c_str());
        uniform_ = known && now_.opcode.front() == 'U' && now_.opcode != "UNKNOWN";
        if (known && grows_stack(now_)) image_.stack_unknown_[index_] = true;
        const bool logs_before = known && is_logged_before();
        if (known) emit_order_notes();
        // For BAR the log entry follows the operation that gathers its lanes.
        if (logs_before && now_.opcode != "BAR") emit_log();
        if (known && lower_instruction() && problem_.empty()) {
            // The last operation of an instruction, which has its guard, represents it.
            const auto stands = [](const operation& op) { return op.counted; };
            if (std::none_of(image_.code_.begin() + first_.back(), image_.code_.end(), stands))
                image_.code_.back().counted = true;
            if (!logs_before) emit_log();
            continue;
        }
        if (image_.problems_[index_].empty())
            image_.problems_[index_] = fmt::format(
                "{} at {:#06x}{}",
                known ? sass::to_string(now_)
                      : fmt::format("an instruction that is not known ({:016x}{:016x})",
                                    image_.word_of(index_, n).high, image_.word_of(index_, n).low),
                n * sass::instruction_bytes, problem_.empty() ? "" : " (" + problem_ + ")");
        image_.code_.resize(first_.back());
        uniform_ = false;
        emit(refuse).counted = true;
    }
    // Handles control flow that runs off the end.
    image_.places_.push_back({index_, count * sass::instruction_bytes});
    image_.opcodes_.push_back("EXIT");
    first_.push_back(static_cast<std::uint32_t>(image_.code_.size()));
    now_ = {};
    emit(refuse);
    for (const target_use& t : targets_) {
        const std::uint64_t n = t.target / sass::instruction_bytes;
        image_.code_[t.operation].source[0] = first_[std::min<std::uint64_t>(n, count)];
    }
    image_.first_operation_.insert(image_.first_operation_.end(), first_.begin(), first_.end());
    for (slot* table : tables_) std::copy(first_.begin(), first_.end() - 1, table);
}

bool machine_lowering::lower_instruction() {
    // A modifier that this architecture does not define.
    for (unsigned m = 0; m < now_.modifier_count; ++m)
        if (now_.modifiers[m].substr(0, 7) == "INVALID") return false;
    return lower_integer() || lower_logic() || lower_float() || lower_double() ||
           lower_conversion() || lower_half() || lower_packed() || lower_tensor() ||
           lower_texture() || lower_mbarrier() || lower_bulk() || lower_cluster() ||
           lower_warpgroup() || lower_move() || lower_memory() || lower_atomic() || lower_warp() ||
           lower_control();
}

// ---- integer ----

bool machine_lowering::lower_integer() {
    const std::string_view name = uniform_ ? now_.opcode.substr(1) : now_.opcode;
    const bool x = now_.has("X");
    if (name == "IADD3" || name == "VIADD") {
        if (now_.has("16x2")) return false;
        if (now_.has("64")) return lower_wide_add();
        // Operands: Rd, carries, A, B, C, carries of .X
        machine_details& d = details();
        unsigned n = 1;
        const auto is_predicate = [&](unsigned i) {
            return at(i).kind == operand_kind::predicate ||
                   at(i).kind == operand_kind::uniform_predicate;
        };
        for (unsigned r = 0; is_predicate(n); ++n, ++r) result_predicate(d, r, at(n));
        slot sources[3];
        for (unsigned i = 0; i < 3; ++i) {
            if (name == "VIADD" && i == 2) {
                sources[i] = machine_frame::zero;
                break;
            }
            modifiers(d, i, at(n), false);
            sources[i] = low_word(at(n++));
        }
        d.extended = x;
        if (x) {
            source_predicate(d, 0, at(n));
            source_predicate(d, 1, at(n + 1));
        }
        operation& op = emit(lanes_.add3, &d);
        op.destination = result_row(at(0));
        std::copy(sources, sources + 3, op.source);
        return true;
    }
    if (name == "IMAD" && now_.has("MOV")) {
        const slot from = low_word(at(3));
        if (!uniform_ && !at(3).negate && !at(3).invert) {
            emit_copy(result_row(at(0)), from);
            return true;
        }
        machine_details& d = details();
        modifiers(d, 0, at(3), false);
        operation& op = emit(lanes_.modify, &d);
        op.source[0] = from;
        op.destination = result_row(at(0));
        return true;
    }
    if (name == "IMAD") {
        machine_details& d = details();
        unsigned n = 1;
        if (at(n).kind == operand_kind::predicate || at(n).kind == operand_kind::uniform_predicate)
            result_predicate(d, 0, at(n++));
        d.is_signed = !now_.has("U32");
        d.extended = x;
        modifiers(d, 2, at(n + 2), false);
        if (x) source_predicate(d, 0, at(n + 3));
        // With .HI, too, the third source is a pair; the low word of the sum is discarded.
        const bool wide = now_.has("WIDE"), high = now_.has("HI");
        const slot a = low_word(at(n)), b = low_word(at(n + 1)), c = low_word(at(n + 2));
        const slot c_high = wide || high ? high_word(at(n + 2)) : no_slot;
        operation& op =
            emit_words(wide || high ? lanes_.multiply_add_wide : lanes_.multiply_add, &d,
                       high ? machine_frame::discard : result_row(at(0)), {a, b, c, c_high});
        if (wide) op.destination2 = result_row(at(0), 1);
        if (high) op.destination2 = result_row(at(0));
        return true;
    }
    if (name == "LEA") {
        machine_details& d = details();
        unsigned n = 1;
        if (at(n).kind == operand_kind::predicate || at(n).kind == operand_kind::uniform_predicate)
            result_predicate(d, 0, at(n++));
        d.high = now_.has("HI");
        d.is_signed = now_.has("SX32");
        d.extended = x;
        modifiers(d, 0, at(n), false);
        modifiers(d, 1, at(n + 1), false);
        const slot a = low_word(at(n)), b = low_word(at(n + 1));
        n += 2;
        slot c = machine_frame::zero;
        if (d.high && !d.is_signed) c = low_word(at(n++));
        d.number = static_cast<std::uint32_t>(at(n++).value);
        if (x) source_predicate(d, 0, at(n));
        emit_words(lanes_.shift_add, &d, result_row(at(0)), {a, b, c});
        return true;
    }
    if (name == "IMNMX" || name == "VIMNMX") {
        if (now_.has("RELU") || now_.has("S16x2") || now_.has("U16x2")) return false;
        machine_details& d = details();
        d.is_signed = !now_.has("U32");
        source_predicate(d, 0, at(3));
        const slot a = low_word(at(1)), b = low_word(at(2));
        emit_words(lanes_.minmax, &d, result_row(at(0)), {a, b});
        return true;
    }
    if (name == "VIADDMNMX") {
        if (now_.has("RELU") || now_.has("S16x2") || now_.has("U16x2")) return false;
        machine_details& sum = details();
        modifiers(sum, 0, at(1), false);
        modifiers(sum, 1, at(2), false);
        const slot a = low_word(at(1)), b = low_word(at(2)), c = low_word(at(3)), to = scratch();
        emit_words(lanes_.add3, &sum, to, {a, b, machine_frame::zero}, false);
        machine_details& d = details();
        d.is_signed = !now_.has("U32");
        source_predicate(d, 0, at(4));
        emit_words(lanes_.minmax, &d, result_row(at(0)), {to, c});
        return true;
    }
    if (name == "ISETP") {
        machine_details& d = details();
        result_predicate(d, 0, at(0));
        result_predicate(d, 1, at(1));
        source_predicate(d, 0, at(4));
        d.extended = now_.has("EX");
        if (d.extended) source_predicate(d, 1, at(5));
        d.is_signed = !now_.has("U32");
        constexpr std::pair<std::string_view, unsigned> orders[] = {
            {"F", 0}, {"LT", 1}, {"EQ", 2}, {"LE", 3}, {"GT", 4}, {"NE", 5}, {"GE", 6}, {"T", 7}};
        for (const auto& o : orders)
            if (now_.modifiers[0] == o.first) d.comparison = o.second;
        d.combination = now_.has("OR") ? 1 : now_.has("XOR") ? 2 : 0;
        const slot a = low_word(at(2)), b = low_word(at(3));
        operation& op = emit(lanes_.compare, &d);
        op.source[0] = a;
        op.source[1] = b;
        return true;
    }
    if (name == "I2I") {
        // Saturated to the range of a byte or a half word.
        const bool byte = now_.has("U8") || now_.has("S8");
        const bool is_signed = now_.has("S8") || now_.has("S16");
        const std::uint32_t values = byte ? 256 : 65536;
        const std::uint32_t most = is_signed ? values / 2 - 1 : values - 1;
        const std::uint32_t least = is_signed ? 0 - values / 2 : 0;
        machine_details& below = details();
        below.is_signed = true;
        machine_details& above = details();
        above.is_signed = true;
        above.predicate_flip[0] = all_lanes;
        const slot a = low_word(at(1)), clamped = scratch();
        emit_words(lanes_.minmax, &below, clamped, {a, number(most)}, false);
        emit_words(lanes_.minmax, &above, result_row(at(0)), {clamped, number(least)});
        return true;
    }
    const auto one = [&](handler h) {
        machine_details& d = details();
        d.is_signed = !now_.has("U32");
        d.high = now_.has("SH");
        unsigned n = 1;
        if (at(n).kind == operand_kind::predicate || at(n).kind == operand_kind::uniform_predicate)
            result_predicate(d, 0, at(n++));
        modifiers(d, 0, at(n), false);
        const slot a = low_word(at(n));
        operation& op = emit(h, &d);
        op.source[0] = a;
        op.destination = result_row(at(0));
        return true;
    };
    if (name == "IABS") return one(lanes_.absolute);
    if (name == "POPC") return one(lanes_.count);
    if (name == "FLO") return one(lanes_.find);
    if (name == "BREV") return one(lanes_.reverse);
    if (name == "SGXT" || name == "BMSK") {
        machine_details& d = details();
        d.is_signed = !now_.has("U32");
        d.wraps = now_.has("W");
        const slot a = low_word(at(1)), b = low_word(at(2));
        emit_words(name == "SGXT" ? lanes_.extend : lanes_.field_mask, &d, result_row(at(0)),
                   {a, b});
        return true;
    }
    return false;
}

bool machine_lowering::lower_logic() {
    const std::string_view name = uniform_ ? now_.opcode.substr(1) : now_.opcode;
    if (name == "LOP3") {
        machine_details& d = details();
        unsigned n = 0;
        if (at(0).kind == operand_kind::predicate || at(0).kind == operand_kind::uniform_predicate)
            result_predicate(d, 0, at(n++));
        const operand& to = at(n++);
        const slot a = low_word(at(n)), b = low_word(at(n + 1)), c = low_word(at(n + 2));
        d.number = static_cast<std::uint32_t>(at(n + 3).value);
        source_predicate(d, 0, at(n + 4));
        d.combination = now_.has("PAND") ? 0 : 1;
        emit_words(lanes_.logic, &d, result_row(to), {a, b, c});
        return true;
    }
    if (name == "PLOP3" && at(2).kind == operand_kind::reg) {
        // Operates on the sign bits of registers: that of LOP3's result.
        const slot a = low_word(at(2)), b = low_word(at(3)), c = low_word(at(4));
        for (unsigned n = 0; n < 2; ++n) {
            if (n == 1 && at(n).index == sass::predicate_true) break;
            machine_details& table = details();
            table.number = static_cast<std::uint32_t>(at(5 + n).value);
            const slot bits = scratch();
            emit_words(lanes_.logic, &table, bits, {a, b, c}, false);
            machine_details& negative = details();
            result_predicate(negative, 0, at(n));
            negative.is_signed = true;
            negative.comparison = 1;  // less
            operation& sign = emit(lanes_.compare, &negative);
            sign.source[0] = bits;
            sign.source[1] = machine_frame::zero;
        }
        return true;
    }
    if (name == "PLOP3") {
        machine_details& d = details();
        result_predicate(d, 0, at(0));
        result_predicate(d, 1, at(1));
        for (unsigned i = 0; i < 3; ++i) source_predicate(d, i, at(2 + i));
        d.number = static_cast<std::uint32_t>(at(5).value);
        d.number2 = static_cast<std::uint32_t>(at(6).value);
        emit(machine_logic_predicates, &d);
        return true;
    }
    if (name == "SHF" || name == "PRMT") {
        machine_details& d = details();
        constexpr std::string_view modes[] = {"F4E", "B4E", "RC8", "ECL", "ECR", "RC16"};
        if (name == "PRMT")
            for (unsigned i = 0; i < std::size(modes); ++i)
                if (now_.has(modes[i])) d.combination = i + 1;
        d.left = now_.has("L");
        d.wraps = now_.has("W");
        d.high = now_.has("HI");
        d.is_signed = now_.has("S32") || now_.has("S64");
        d.width = now_.has("U64") || now_.has("S64") ? 64 : 32;
        const slot a = low_word(at(1)), b = low_word(at(2)), c = low_word(at(3));
        emit_words(name == "SHF" ? lanes_.shift : lanes_.permute, &d, result_row(at(0)), {a, b, c});
        return true;
    }
    if (name == "SEL" || name == "FSEL") {
        if (now_.has("FTZ")) return false;
        machine_details& d = details();
        modifiers(d, 0, at(1), name == "FSEL");
        modifiers(d, 1, at(2), name == "FSEL");
        source_predicate(d, 0, at(3));
        const slot a = low_word(at(1)), b = low_word(at(2));
        emit_words(lanes_.select, &d, result_row(at(0)), {a, b});
        return true;
    }
    return false;
}

// ---- floating point ----

namespace {

ptx::rounding rounding_of(const sass::instruction& i) {
    return i.has("RM")   ? ptx::rounding::rm
           : i.has("RP") ? ptx::rounding::rp
           : i.has("RZ") ? ptx::rounding::rz
                         : ptx::rounding::rn;
}
constexpr std::pair<std::string_view, ptx::comparison> float_comparisons[] = {
    {"LT", ptx::comparison::lt},   {"EQ", ptx::comparison::eq},   {"LE", ptx::comparison::le},
    {"GT", ptx::comparison::gt},   {"NE", ptx::comparison::ne},   {"GE", ptx::comparison::ge},
    {"NUM", ptx::comparison::num}, {"NAN", ptx::comparison::nan}, {"LTU", ptx::comparison::ltu},
    {"EQU", ptx::comparison::equ}, {"LEU", ptx::comparison::leu}, {"GTU", ptx::comparison::gtu},
    {"NEU", ptx::comparison::neu}, {"GEU", ptx::comparison::geu}};

}  // namespace

bool machine_lowering::lower_float() {
    using ptx::opcode;
    using ptx::type;
    const std::string_view name = now_.opcode;
    const auto with_flags = [&](opcode code) {
        ptx::operation o = value_operation(code, type::f32);
        if (now_.has("FTZ")) set(o, ptx::flag::ftz);
        if (now_.has("SAT")) set(o, ptx::flag::sat);
        if (now_.has("NAN")) set(o, ptx::flag::nan);
        return o;
    };
    if (name == "FADD" || name == "FMUL" || name == "FFMA") {
        if (now_.has("FMZ")) return false;
        // The product is scaled by a power of two. Here the first factor is scaled, which is
        // equivalent except for subnormals and infinity.
        constexpr std::pair<std::string_view, std::uint32_t> scales[] = {
            {"D2", 0x3f000000}, {"D4", 0x3e800000}, {"D8", 0x3e000000},
            {"M2", 0x40000000}, {"M4", 0x40800000}, {"M8", 0x41000000}};
        slot scaled = no_slot;
        for (const auto& scale : scales)
            if (now_.has(scale.first)) {
                ptx::operation by = value_operation(opcode::mul, type::f32);
                by.round = ptx::rounding::rn;
                const slot factor = float_source(at(1));
                scaled = scratch();
                if (!emit_values(by, scaled, {factor, number(scale.second)}, false)) return false;
            }
        ptx::operation o = with_flags(name == "FADD"   ? opcode::add
                                      : name == "FMUL" ? opcode::mul
                                                       : opcode::fma);
        o.round = rounding_of(now_);
        const slot a = scaled != no_slot ? scaled : float_source(at(1));
        const slot b = float_source(at(2));
        if (name != "FFMA") return emit_values(o, result_row(at(0)), {a, b});
        const slot c = float_source(at(3));
        return emit_values(o, result_row(at(0)), {a, b, c});
    }
    if (name == "FMNMX") {
        const operand& p = at(3);
        if (now_.has("XORSIGN")) {
            // The operand of lesser or greater magnitude, with the sign of the product.
            if (!at(1).absolute || !at(2).absolute || at(1).negate || at(2).negate ||
                p.index != sass::predicate_true)
                return false;
            ptx::operation o = with_flags(p.negate_predicate ? opcode::max : opcode::min);
            set(o, ptx::flag::xorsign_abs);
            const slot a = low_word(at(1)), b = low_word(at(2));
            return emit_values(o, result_row(at(0)), {a, b});
        }
        const slot a = float_source(at(1)), b = float_source(at(2));
        if (p.index == sass::predicate_true) {
            const ptx::operation o = with_flags(p.negate_predicate ? opcode::max : opcode::min);
            return emit_values(o, result_row(at(0)), {a, b});
        }
        const slot smaller = scratch(), larger = scratch();
        if (!emit_values(with_flags(opcode::min), smaller, {a, b}, false) ||
            !emit_values(with_flags(opcode::max), larger, {a, b}, false))
            return false;
        machine_details& d = details();
        source_predicate(d, 0, p);
        emit_words(lanes_.select, &d, result_row(at(0)), {smaller, larger});
        return true;
    }
    if (name == "FSETP" || name == "DSETP") {
        const bool wide = name == "DSETP";
        ptx::operation o = value_operation(opcode::setp, wide ? type::f64 : type::f32);
        if (now_.has("FTZ")) set(o, ptx::flag::ftz);
        for (const auto& c : float_comparisons)
            if (now_.modifiers[0] == c.first) o.compare = c.second;
        if (wide && (now_.has("MIN") || now_.has("MAX"))) {
            if (at(4).index != sass::predicate_true || at(4).negate_predicate || !now_.has("AND"))
                return false;
            const slot x = double_source(at(2)), y = double_source(at(3));
            machine_details& d = details();
            d.left = now_.has("MIN");
            result_predicate(d, 0, at(0));
            result_predicate(d, 1, at(1));
            operation& op = emit(machine_double_extremum, &d);
            op.source[0] = x;
            op.source[1] = y;
            return true;
        }
        if (o.compare == ptx::comparison::none) return false;
        const slot a = wide ? double_source(at(2)) : float_source(at(2));
        const slot b = wide ? double_source(at(3)) : float_source(at(3));
        const bool is_and = !now_.has("OR") && !now_.has("XOR");
        if (is_and && at(4).index == sass::predicate_true && !at(4).negate_predicate) {
            const slot first = predicate_slot(at(0)), second = predicate_slot(at(1));
            if (!emit_values(o, first == 0 ? machine_frame::no_predicate : first, {a, b}))
                return false;
            if (second != 0) image_.code_.back().destination2 = second;
            return true;
        }
        if (!emit_values(o, machine_frame::scratch_mask, {a, b}, false)) return false;
        machine_details& d = details();
        d.predicate[0] = machine_frame::scratch_mask;
        source_predicate(d, 1, at(4));
        d.combination = now_.has("OR") ? 1 : now_.has("XOR") ? 2 : 0;
        result_predicate(d, 0, at(0));
        result_predicate(d, 1, at(1));
        emit(machine_combine, &d);
        return true;
    }
    if (name == "FSWZADD") {
        if (rounding_of(now_) != ptx::rounding::rn) return false;
        machine_details& d = details();
        modifiers(d, 0, at(1), true);
        modifiers(d, 1, at(2), true);
        d.number = static_cast<std::uint32_t>(at(3).value);
        d.wraps = now_.has("FTZ");
        const slot a = low_word(at(1)), b = low_word(at(2));
        emit_words(machine_add_in_quads, &d, result_row(at(0)), {a, b});
        return true;
    }
    if (name == "FSET") {
        ptx::operation o = value_operation(opcode::setp, type::f32);
        if (now_.has("FTZ")) set(o, ptx::flag::ftz);
        for (const auto& c : float_comparisons)
            if (now_.has(c.first)) o.compare = c.second;
        if (o.compare == ptx::comparison::none) return false;
        const slot a = float_source(at(1)), b = float_source(at(2));
        if (!emit_values(o, machine_frame::scratch_mask, {a, b}, false)) return false;
        machine_details& combined = details();
        combined.predicate[0] = machine_frame::scratch_mask;
        source_predicate(combined, 1, at(3));
        combined.combination = now_.has("OR") ? 1 : now_.has("XOR") ? 2 : 0;
        combined.result[0] = machine_frame::scratch_mask2;
        emit(machine_combine, &combined, false);
        machine_details& d = details();
        d.predicate[0] = machine_frame::scratch_mask2;
        constexpr std::uint32_t one = 0x3f800000;
        emit_words(lanes_.select, &d, result_row(at(0)),
                   {number(now_.has("BF") ? one : ~0u), machine_frame::zero});
        return true;
    }
    if (name == "FCHK") {
        machine_details& d = details();
        result_predicate(d, 0, at(0));
        modifiers(d, 0, at(1), true);
        modifiers(d, 1, at(2), true);
        const slot a = low_word(at(1)), b = low_word(at(2));
        operation& op = emit(machine_reciprocal_check, &d);
        op.source[0] = a;
        op.source[1] = b;
        return true;
    }
    if (name == "MUFU") {
        const std::string_view f = now_.modifiers[0];
        if (now_.has("F16") || now_.has("BF16")) {
            if (f != "EX2" && f != "TANH") return false;
            const bool bfloat = now_.has("BF16");
            ptx::operation o = value_operation(f == "EX2" ? opcode::ex2 : opcode::tanh,
                                               bfloat ? type::bf16 : type::f16);
            set(o, ptx::flag::approx);
            if (bfloat && f == "EX2") set(o, ptx::flag::ftz);
            const slot a = half_source(at(1));
            return emit_values(o, result_row(at(0)), {a});
        }
        const auto own = [&](handler h) {
            machine_details& d = details();
            modifiers(d, 0, at(1), true);
            const slot a = at(1).kind == operand_kind::float64
                               ? number(static_cast<std::uint32_t>(at(1).value))
                               : low_word(at(1));
            operation& op = emit(h, &d);
            op.source[0] = a;
            op.destination = result_row(at(0));
            return true;
        };
        if (f == "SIN") return own(machine_sine);
        if (f == "COS") return own(machine_cosine);
        if (f == "RCP64H") return own(machine_reciprocal_high);
        if (f == "RSQ64H") return own(machine_root_high);
        ptx::operation o = value_operation(f == "EX2"    ? opcode::ex2
                                           : f == "LG2"  ? opcode::lg2
                                           : f == "RCP"  ? opcode::rcp
                                           : f == "RSQ"  ? opcode::rsqrt
                                           : f == "SQRT" ? opcode::sqrt
                                                         : opcode::tanh,
                                           type::f32);
        set(o, ptx::flag::approx);
        if (o.op != opcode::tanh) set(o, ptx::flag::ftz);
        const slot a = float_source(at(1));
        return emit_values(o, result_row(at(0)), {a});
    }
    return false;
}

bool machine_lowering::lower_double() {
    using ptx::opcode;
    const std::string_view name = now_.opcode;
    if (name != "DADD" && name != "DMUL" && name != "DFMA") return false;
    ptx::operation o = value_operation(name == "DADD"   ? opcode::add
                                       : name == "DMUL" ? opcode::mul
                                                        : opcode::fma,
                                       ptx::type::f64);
    o.round = rounding_of(now_);
    if (o.round == ptx::rounding::rn) {
        machine_details& d = details();
        std::vector<slot> sources;
        for (unsigned n = 0; n < (name == "DFMA" ? 3 : 2); ++n) {
            modifiers(d, n, at(n + 1), true);
            sources.push_back(low_word(at(n + 1)));
            sources.push_back(high_word(at(n + 1)));
        }
        operation& op = emit(name == "DADD"   ? lanes_.double_add
                             : name == "DMUL" ? lanes_.double_multiply
                                              : lanes_.double_multiply_add,
                             &d);
        op.list = list_of(sources);
        op.destination = result_row(at(0));
        op.destination2 = result_row(at(0), 1);
        return true;
    }
    const slot a = double_source(at(1)), b = double_source(at(2));
    const slot c = name == "DFMA" ? double_source(at(3)) : no_slot;
    const slot to = scratch();
    if (!emit_values(o, to, {a, b, c}, false)) return false;
    to_pair(at(0), to);
    return true;
}

bool machine_lowering::lower_conversion() {
    using ptx::opcode;
    using ptx::type;
    const std::string_view name = now_.opcode;
    if (name != "F2I" && name != "I2F" && name != "FRND" && name != "F2F" && name != "I2FP")
        return false;
    const operand& from = at(1);
    // The half or byte of an integer to be converted.
    // From Hopper on, the type that disassemblers print as F8 is bf16.
    const bool bfloat = now_.has("F8");
    if (bfloat && image_.architecture() < 90) return false;
    const type narrow = bfloat ? type::bf16 : type::f16;
    const bool has_narrow = bfloat || now_.has("F16");
    const bool of_half = has_narrow && (name == "F2I" || name == "FRND");
    const unsigned shift = of_half                                        ? 0
                           : from.suffix == ".H1" || from.suffix == ".B2" ? 16
                           : from.suffix == ".B1"                         ? 8
                           : from.suffix == ".B3"                         ? 24
                                                                          : 0;
    if (!of_half && !from.suffix.empty() && (shift == 0 || from.negate || from.absolute))
        return false;
    const auto has = [&](const char* m) { return now_.has(m); };
    const auto integer_type = [&](bool of_i2f) {
        static_cast<void>(of_i2f);
        return has("U8")    ? type::u8
               : has("S8")  ? type::s8
               : has("U16") ? type::u16
               : has("S16") ? type::s16
               : has("U64") ? type::u64
               : has("S64") ? type::s64
               : has("U32") ? type::u32
                            : type::s32;
    };
    ptx::operation o = value_operation(opcode::cvt, type::none);
    o.type_count = 2;
    if (has("FTZ")) set(o, ptx::flag::ftz);
    if (name == "F2F") {
        // Result type first, then source type.
        const auto type_of = [](std::string_view m) {
            return m == "F16"    ? type::f16
                   : m == "BF16" ? type::bf16
                   : m == "F32"  ? type::f32
                   : m == "F64"  ? type::f64
                                 : type::none;
        };
        unsigned n = now_.modifiers[0] == "FTZ" ? 1 : 0;
        o.types[0] = type_of(now_.modifiers[n]);
        o.types[1] = type_of(now_.modifiers[n + 1]);
        if (o.types[0] == type::none || o.types[1] == type::none) return false;
        const bool between_halves =
            ptx::width_of(o.types[0]) == 16 && ptx::width_of(o.types[1]) == 16;
        if (between_halves || ptx::width_of(o.types[0]) < ptx::width_of(o.types[1]))
            o.round = rounding_of(now_);
    } else if (name == "F2I") {
        o.types[0] = integer_type(false);
        o.types[1] = has("F64") ? type::f64 : has_narrow ? narrow : type::f32;
        o.round = has("FLOOR")   ? ptx::rounding::rmi
                  : has("CEIL")  ? ptx::rounding::rpi
                  : has("TRUNC") ? ptx::rounding::rzi
                                 : ptx::rounding::rni;
    } else if (name == "FRND") {
        o.types[0] = o.types[1] = has("F64") ? type::f64 : has_narrow ? narrow : type::f32;
        o.round = has("FLOOR")   ? ptx::rounding::rmi
                  : has("CEIL")  ? ptx::rounding::rpi
                  : has("TRUNC") ? ptx::rounding::rzi
                                 : ptx::rounding::rni;
    } else {
        o.types[0] = has("F64") ? type::f64 : has_narrow ? narrow : type::f32;
        o.types[1] = integer_type(true);
        o.round = rounding_of(now_);
        if (o.types[0] == type::f64 && ptx::width_of(o.types[1]) < 64) o.round = ptx::rounding::rn;
    }
    const choice c = handlers_.elementwise(o);
    if (!c) return false;
    slot a = no_slot;
    if (shift != 0) {
        machine_details& d = details();
        d.width = 32;
        a = scratch();
        const slot whole = low_word(from);
        emit_words(lanes_.shift, &d, a, {whole, number(shift), machine_frame::zero}, false);
    } else if (o.types[1] == type::f16 || (bfloat && o.types[1] == type::bf16)) {
        a = half_source(from);
    } else {
        a = c.sources[0] == 64 ? double_source(from) : float_source(from);
    }
    const bool wide = c.result == 64;
    const slot to = wide ? scratch() : result_row(at(0));
    if (!emit_values(o, to, {a}, !wide)) return false;
    if (wide) to_pair(at(0), to);
    return true;
}

// ---- moves ----

bool machine_lowering::lower_move() {
    const std::string_view name = uniform_ ? now_.opcode.substr(1) : now_.opcode;
    const auto copy = [&](slot to, slot from) { emit_copy(to, from); };
    // Constants may also be loaded by a product of zeros plus an immediate.
    if (now_.opcode == "HFMA2" && now_.operand_count == 4 && at(3).kind == operand_kind::half2 &&
        at(1).kind == operand_kind::reg && at(2).kind == operand_kind::reg &&
        at(1).index == sass::register_rz && at(2).index == sass::register_rz && at(1).negate &&
        !now_.has("RELU") && !now_.has("SAT") && !now_.has("FTZ") && !now_.has("FMZ") &&
        !now_.has("F32")) {
        copy(result_row(at(0)), number(static_cast<std::uint32_t>(at(3).value)));
        return true;
    }
    if (name == "MOV") {
        if (now_.operand_count == 2) {
            copy(result_row(at(0)), low_word(at(1)));
            return true;
        }
        // In the lanes of each quad that the mask selects.
        if (now_.operand_count > 3) return false;
        machine_details& d = details();
        d.number = static_cast<std::uint32_t>(at(2).value);
        operation& op = emit(machine_move_in_quads, &d);
        op.source[0] = low_word(at(1));
        op.destination = result_row(at(0));
        return true;
    }
    const bool loads_constant = now_.opcode == "ULDC" || now_.opcode == "LDC";
    const bool has_index =
        loads_constant && at(1).has_base &&
        at(1).base != (at(1).uniform_base ? sass::uniform_urz : sass::register_rz);
    if (loads_constant && !has_index) {
        operand c = at(1);
        c.has_base = false;
        constexpr std::pair<std::string_view, machine_row::kind> narrow[] = {
            {"U8", machine_row::kind::bank_byte},
            {"S8", machine_row::kind::bank_signed_byte},
            {"U16", machine_row::kind::bank_half},
            {"S16", machine_row::kind::bank_signed_half}};
        for (const auto& n : narrow)
            if (now_.has(n.first)) {
                if (c.has_uniform || c.bank >= sass_image::banks) return false;
                copy(result_row(at(0)),
                     row({n.second, c.bank, static_cast<std::uint32_t>(c.value)}));
                return true;
            }
        if (now_.modifier_count != 0 && !now_.has("64")) return false;
        const slot low = low_word(c), high = now_.has("64") ? high_word(c) : no_slot;
        copy(result_row(at(0)), low);
        if (now_.has("64")) copy(result_row(at(0), 1), high);
        return true;
    }
    if (has_index) {
        const operand& c = at(1);
        if (now_.has("IL") || now_.has("IS") || now_.has("ISL") || c.bank >= sass_image::banks)
            return false;
        machine_details& d = details();
        d.number = static_cast<std::uint32_t>(c.value);
        d.number2 = c.bank;  // replaced by the bank's size when all banks are known
        d.width = now_.has("64")                       ? 64
                  : now_.has("U8") || now_.has("S8")   ? 8
                  : now_.has("U16") || now_.has("S16") ? 16
                                                       : 32;
        d.is_signed = now_.has("S8") || now_.has("S16");
        operation& op = emit(lanes_.load_constant, &d);
        op.source[0] = register_row(c.base, c.uniform_base);
        op.source[1] = c.bank;  // replaced by its position
        op.detail = static_cast<std::uint16_t>(static_cast<unsigned>(space::param)
                                               << access_detail::space_shift);
        op.destination = result_row(at(0));
        op.destination2 = result_row(at(0), 1);
        return true;
    }
    if (name == "S2R" || now_.opcode == "S2UR" || name == "CS2R") {
        const auto which = static_cast<special_register>(at(1).index);
        const auto lane_row = [&](machine_row::kind k) { return row({k, 0, 0}); };
        const slot to = result_row(at(0));
        const bool uniform_result = now_.opcode == "S2UR";
        uniform_ = uniform_result;
        const bool pair = name == "CS2R" && !now_.has("32");
        if (which >= special_register::counter_first && which <= special_register::counter_last) {
            // Performance counters read as zero, like PTX's %pm0 to %pm7.
            copy(to, machine_frame::zero);
            if (pair) copy(result_row(at(0), 1), machine_frame::zero);
            return true;
        }
        switch (which) {
            case special_register::lane_id:
                copy(to, lane_row(machine_row::kind::lane_id));
                break;
            case special_register::lanemask_eq:
                copy(to, lane_row(machine_row::kind::mask_eq));
                break;
            case special_register::lanemask_lt:
                copy(to, lane_row(machine_row::kind::mask_lt));
                break;
            case special_register::lanemask_le:
                copy(to, lane_row(machine_row::kind::mask_le));
                break;
            case special_register::lanemask_gt:
                copy(to, lane_row(machine_row::kind::mask_gt));
                break;
            case special_register::lanemask_ge:
                copy(to, lane_row(machine_row::kind::mask_ge));
                break;
            case special_register::tid_x:
            case special_register::tid_y:
            case special_register::tid_z:
                if (uniform_result) return false;
                copy(to, slot_in(bank::thread, thread_layout::tid + 128 * (at(1).index - 0x21u)));
                break;
            case special_register::ctaid_x:
            case special_register::ctaid_y:
            case special_register::ctaid_z:
                copy(to, slot_in(bank::block, block_layout::ctaid + 128 * (at(1).index - 0x25u)));
                break;
            case special_register::virtual_smid:
                copy(to, slot_in(bank::block, block_layout::smid));
                break;
            case special_register::cta_in_cluster:
                copy(to, slot_in(bank::block, block_layout::cluster_ctarank));
                break;
            case special_register::shared_window_high:
                if (image_.architecture() < 90) return false;
                copy(to, number(sass_image::shared_window_high));
                break;
            case special_register::thread_id: {
                // x, y and z in bits 15:0, 25:16 and 31:26.
                if (uniform_result) return false;
                constexpr std::uint32_t y_shift = 16, z_shift = 26;
                slot sum = slot_in(bank::thread, thread_layout::tid);
                for (unsigned n = 1; n < 3; ++n) {
                    machine_details& d = details();
                    d.number = n == 1 ? y_shift : z_shift;
                    const slot more = scratch();
                    emit_words(lanes_.shift_add, &d, more,
                               {slot_in(bank::thread, thread_layout::tid + 128 * n), sum,
                                machine_frame::zero},
                               false);
                    sum = more;
                }
                copy(to, sum);
                break;
            }
            case special_register::virtual_configuration: {
                // %nwarpid of sm_90; older compilers treat it as a constant.
                if (image_.architecture() < 90) return false;
                constexpr std::uint32_t warps = 64, warps_shift = 8;
                copy(to, number(warps << warps_shift));
                break;
            }
            case special_register::virtual_id: {
                // The warp in bits 14:8; other fields are not modelled.
                if (uniform_result) return false;
                machine_details& d = details();
                constexpr std::uint32_t warp_shift = 8;
                d.number = warp_shift;
                const slot shifted = scratch();
                emit_words(lanes_.shift_add, &d, shifted,
                           {slot_in(bank::thread, thread_layout::warpid), machine_frame::zero,
                            machine_frame::zero},
                           false);
                copy(to, shifted);
                break;
            }
            case special_register::local_memory_start:
                // Debug code compares its stack pointer with this value. Local memory begins at 0.
                copy(to, machine_frame::zero);
                break;
            case special_register::shared_bytes:
                copy(to, slot_in(bank::block, block_layout::total_size));
                break;
            case special_register::clock_coarse: {
                const special_value v = special_register_value(ptx::special_register::clock, 0);
                const slot read_to = scratch();
                operation& op = emit(v.read, nullptr, false);
                op.detail = v.detail;
                op.destination = read_to;
                copy(to, read_to);
                break;
            }
            case special_register::zero:
                copy(to, machine_frame::zero);
                if (pair) copy(result_row(at(0), 1), machine_frame::zero);
                return true;
            case special_register::clock_low:
            case special_register::clock_high:
            case special_register::global_timer_low:
            case special_register::global_timer_high: {
                const bool clock = at(1).index < 0x52;
                const bool high = (at(1).index & 1) != 0;
                const auto r = pair    ? (clock ? ptx::special_register::clock64
                                                : ptx::special_register::globaltimer)
                               : clock ? (high ? ptx::special_register::clock_hi
                                               : ptx::special_register::clock)
                               : high  ? ptx::special_register::globaltimer_hi
                                       : ptx::special_register::globaltimer_lo;
                const special_value v = special_register_value(r, 0);
                const slot read_to = scratch();
                operation& op = emit(v.read, nullptr, false);
                op.detail = v.detail;
                op.destination = read_to;
                if (pair)
                    to_pair(at(0), read_to);
                else
                    copy(to, read_to);
                return true;
            }
            default:
                return false;
        }
        return !pair;
    }
    if (name == "P2R" || name == "P2UR" || name == "R2P" || name == "R2UP") {
        machine_details& d = details();
        const bool to_register = name.front() == 'P';
        const operand& part = to_register ? at(0) : at(1);
        d.number = part.suffix == ".B1"   ? 8
                   : part.suffix == ".B2" ? 16
                   : part.suffix == ".B3" ? 24
                                          : 0;
        const slot a = low_word(to_register ? at(2) : at(1));
        const slot mask = low_word(to_register ? at(3) : at(2));
        operation& op =
            emit(to_register ? machine_predicates_to_register : machine_register_to_predicates, &d);
        op.source[0] = a;
        op.source[1] = mask;
        if (to_register) op.destination = result_row(at(0));
        return true;
    }
    if (now_.opcode == "R2UR") {
        // The predicate of the longer form marks lanes whose value differs from the uniform one:
        // tiles of cooperative groups use it as the guard of BRA.DIV and BRA.CONV.
        machine_details& d = details();
        unsigned n = 0;
        if (at(0).kind == operand_kind::predicate) {
            result_predicate(d, 0, at(0));
            if (now_.has("OR")) {
                source_predicate(d, 0, at(0));
                d.number = all_lanes;
            }
            n = 1;
        }
        operation& op = emit(machine_to_uniform, &d);
        op.source[0] = low_word(at(n + 1));
        op.destination = result_row(at(n));
        return true;
    }
    return false;
}

// ---- memory ----

unsigned machine_lowering::access_bytes() const {
    return now_.has("U8") || now_.has("S8")     ? 1
           : now_.has("U16") || now_.has("S16") ? 2
           : now_.has("64")                     ? 8
           : now_.has("128")                    ? 16
                                                : 4;
}

machine_lowering::address_place machine_lowering::place_of(const operand& o, space s) {
    address_place p;
    p.offset = o.signed_value();
    p.detail = static_cast<std::uint16_t>(static_cast<unsigned>(s) << access_detail::space_shift);
    const bool uniform = o.has_uniform && o.uniform != sass::uniform_urz;
    if (s == space::shared) p.offset -= image_.own_shared();
    if (s == space::shared || s == space::local) {
        const unsigned scale = o.suffix == ".X4"    ? 2
                               : o.suffix == ".X8"  ? 3
                               : o.suffix == ".X16" ? 4
                                                    : 0;
        // Shared addresses of Hopper have the rank of the CTA in its cluster in bits 24 and above.
        const bool ranked = s == space::shared && image_.architecture() >= 90 &&
                            (o.base != sass::register_rz || uniform);
        if (scale == 0 && !uniform && !ranked) {
            p.source = register_row(o.base, false);
            return p;
        }
        machine_details& d = details();
        d.number = scale;
        if (ranked) {
            d.number2 = static_cast<std::uint32_t>(o.signed_value());
            d.keep[0] = 0xffffff;
            p.offset -= o.signed_value();
        }
        p.source = scratch();
        emit_words(lanes_.shared_address, &d, p.source,
                   {register_row(o.base, false),
                    uniform ? register_row(o.uniform, true) : machine_frame::zero},
                   false);
        return p;
    }
    // 64-bit addresses: a pair of registers, or with .U32 one register and a uniform pair.
    p.detail |= access_detail::wide_address;
    const bool has_high = o.base != sass::register_rz && o.suffix != ".U32";
    p.source = scratch();
    const bool window_high = s == space::generic && image_.architecture() >= 90;
    machine_details& d = details();
    d.number = sass_image::shared_window_high;
    d.number2 = image_.own_shared();
    emit_words(window_high ? lanes_.generic_address : lanes_.address, &d, p.source,
               {register_row(o.base, false),
                has_high ? register_row(o.base + 1u, false) : machine_frame::zero,
                uniform ? register_row(o.uniform, true) : machine_frame::zero,
                uniform ? register_row(o.uniform + 1u, true) : machine_frame::zero},
               false);
    return p;
}

bool machine_lowering::lower_memory() {
    const std::string_view name = now_.opcode;
    if (name == "QSPC") {
        if (at(1).index != sass::register_rz || !now_.has("E")) return false;
        const address_place p = place_of(at(2), space::generic);
        machine_details& d = details();
        d.number = static_cast<std::uint32_t>(p.offset);
        d.width = now_.has("S") ? 0 : now_.has("L") ? 1 : now_.has("D") ? 3 : 2;
        result_predicate(d, 0, at(0));
        emit(machine_query_space, &d).source[0] = p.source;
        return true;
    }
    const bool loads = name == "LDG" || name == "LD" || name == "LDS" || name == "LDL";
    const bool stores = name == "STG" || name == "ST" || name == "STS" || name == "STL";
    if (name == "FENCE" || name == "ACQBULK" || name == "PREEXIT" || name == "MEMBAR" ||
        name == "ERRBAR" || name == "CCTL" || name == "CGAERRBAR") {
        emit(nothing);
        return true;
    }
    if (!loads && !stores) return false;
    const space s = name == "LDG" || name == "STG"   ? space::global
                    : name == "LDS" || name == "STS" ? space::shared
                    : name == "LDL" || name == "STL" ? space::local
                                                     : space::generic;
    if (s != space::shared && s != space::local && !now_.has("E")) return false;
    // A load whose trailing predicate is false returns zeros.
    const bool or_zero = loads && now_.operand_count == 3 && at(0).kind == operand_kind::reg &&
                         at(2).kind == operand_kind::predicate;
    if (now_.has("ZD") || (now_.operand_count != 2 && !or_zero)) return false;
    const unsigned bytes = access_bytes();
    const operand& value = loads ? at(0) : at(1);
    const operand& address = loads ? at(1) : at(0);
    element_format format;
    format.memory_bytes = std::min(bytes, 4u);
    format.register_bytes = 4;
    format.sign_extends = now_.has("S8") || now_.has("S16");
    std::vector<slot> slots;
    for (unsigned i = 0; i < std::max(bytes / 4, 1u); ++i) {
        if (loads)
            slots.push_back(value.index == sass::register_rz ? machine_frame::discard
                                                             : result_row(value, i));
        else
            slots.push_back(value.index == sass::register_rz
                                ? machine_frame::zero
                                : register_row(value.index + i, false));
    }
    const address_place p = place_of(address, s);
    if (or_zero) {
        for (const slot to : slots) {
            machine_details& d = details();
            source_predicate(d, 0, at(2));
            emit_words(lanes_.select, &d, to, {to, machine_frame::zero});
        }
        machine_details& d = details();
        source_predicate(d, 0, at(2));
        if (now_.guard != sass::predicate_true)
            d.predicate[1] = machine_frame::predicates + 4u * now_.guard;
        d.predicate_flip[1] = now_.guard_negated ? all_lanes : 0;
        constexpr std::uint32_t both = 0xc0;
        d.number = both;
        d.result[0] = machine_frame::scratch_mask2;
        emit(machine_logic_predicates, &d, false);
    }
    emit_access_check(p, format.memory_bytes, slots,
                      loads ? access_flags::reads : access_flags::writes,
                      or_zero ? machine_frame::scratch_mask2 : no_slot);
    operation& op = emit(loads ? handlers_.load(format) : handlers_.store(format));
    if (or_zero) {
        op.guard = machine_frame::scratch_mask2;
        op.guard_flip = 0;
    }
    op.detail = static_cast<std::uint16_t>(slots.size() | p.detail);
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.list = list_of(slots);
    return true;
}

namespace {
/// Types of atomics of more than one word, since Hopper.
struct vector_type {
    std::string_view name;
    ptx::type element;
    unsigned elements;
};
constexpr vector_type vector_types[] = {
    {"F16x4", ptx::type::f16x2, 2},   {"F16x8", ptx::type::f16x2, 4},
    {"BF16x4", ptx::type::bf16x2, 2}, {"BF16x8", ptx::type::bf16x2, 4},
    {"F32x2", ptx::type::f32, 2},     {"F32x4", ptx::type::f32, 4}};
}  // namespace

/// ATOMG and REDG of vectors. A predicate result tells that the memory's unit can execute it.
bool machine_lowering::lower_vector_atomic(ptx::reduction r, ptx::type element, unsigned elements,
                                           bool reduces) {
    const handler h = vector_atomic_handler(r, element);
    if (h == nullptr || !now_.has("E")) return false;
    unsigned n = 0;
    const operand* result = nullptr;
    if (!reduces) {
        if (at(0).kind == operand_kind::predicate && predicate_slot(at(n++)) != 0) return false;
        result = &at(n++);
    }
    const operand& value = at(n + 1);
    std::vector<slot> slots;
    for (unsigned e = 0; e < elements; ++e)
        slots.push_back(value.index == sass::register_rz ? machine_frame::zero
                                                         : register_row(value.index + e, false));
    const address_place p = place_of(at(n), space::generic);
    emit_access_check(p, 4, slots,
                      access_flags::reads | access_flags::writes | access_flags::strong);
    for (unsigned e = 0; e < elements; ++e)
        slots.push_back(result == nullptr || result->index == sass::register_rz
                            ? no_slot
                            : result_row(*result, e));
    operation& op = emit(h);
    op.detail = static_cast<std::uint16_t>(elements | p.detail);
    if (now_.has("SYS")) op.detail |= access_detail::of_the_system;
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.list = list_of(slots);
    return true;
}

bool machine_lowering::lower_atomic() {
    using ptx::reduction;
    using ptx::type;
    const std::string_view name = now_.opcode;
    const bool reduces = name == "RED" || name == "REDG";
    const bool shared = name == "ATOMS";
    if (!reduces && !shared && name != "ATOM" && name != "ATOMG") return false;
    if (shared && now_.has("ARRIVE")) return lower_early_arrival(at(1), true);
    constexpr std::pair<std::string_view, reduction> names[] = {
        {"ADD", reduction::add}, {"MIN", reduction::min},  {"MAX", reduction::max},
        {"INC", reduction::inc}, {"DEC", reduction::dec},  {"AND", reduction::and_},
        {"OR", reduction::or_},  {"XOR", reduction::xor_}, {"EXCH", reduction::exch},
        {"CAS", reduction::cas}};
    reduction r = reduction::none;
    for (const auto& n : names)
        if (now_.has(n.first)) r = n.second;
    type t = now_.has("F32")      ? type::f32
             : now_.has("F64")    ? type::f64
             : now_.has("F16x2")  ? type::f16x2
             : now_.has("BF16x2") ? type::bf16x2
             : now_.has("128")    ? type::b128
             : now_.has("S64")    ? type::s64
             : now_.has("64")     ? type::u64
             : now_.has("S32")    ? type::s32
                                  : type::u32;
    for (const vector_type& v : vector_types)
        if (now_.has(v.name)) return lower_vector_atomic(r, v.element, v.elements, reduces);
    // CAST.SPIN attempts an exchange, and returns whether it succeeded.
    const bool spin = now_.has("CAST");
    if (spin) r = reduction::cas;
    // ATOMS.POPC.INC counts the lanes.
    const bool counts = now_.has("POPC");
    if (counts) {
        if (at(0).index != sass::register_rz) return false;
        r = reduction::add;
        t = type::u32;
    }
    const handler h = atomic_handler(r, t, shared);
    if (r == reduction::none || h == nullptr) return false;
    const bool widest = t == type::b128;
    const bool wide = ptx::width_of(t) == 64;
    unsigned n = 0;
    const operand* result = nullptr;
    slot done = 0;
    if (!reduces) {
        if (at(0).kind == operand_kind::predicate) done = predicate_slot(at(n++));
        result = &at(n++);
    }
    const operand& address = at(n++);
    if (!shared && !now_.has("E")) return false;
    const auto value_of = [&](const operand& o) {
        return widest ? quad_source(o) : wide ? double_source(o) : low_word(o);
    };
    const slot b = counts ? number(1) : value_of(at(n));
    const slot c = r == reduction::cas ? value_of(at(n + 1)) : no_slot;
    const address_place p = place_of(address, shared ? space::shared : space::generic);
    const bool keeps = result != nullptr && result->index != sass::register_rz;
    const bool moved = keeps && (wide || widest || spin);
    const slot to = !keeps ? no_slot : moved ? scratch() : result_row(*result);
    // 128 bits take two double rows, one after the other.
    if (moved && widest) scratch();
    slot guard = no_slot;
    if (done != 0) {
        // Whether the memory's unit can execute such an atomic at that address: always true here.
        machine_details& kept = details();
        if (now_.guard != sass::predicate_true &&
            done == machine_frame::predicates + 4u * now_.guard) {
            kept.predicate[0] = done;
            kept.predicate_flip[0] = now_.guard_negated ? all_lanes : 0;
            constexpr std::uint32_t first = 0xf0;
            kept.number = first;
            guard = kept.result[0] = machine_frame::scratch_mask2;
            emit(machine_logic_predicates, &kept, false);
        }
        machine_details& d = details();
        constexpr std::uint32_t always = 0xff;
        d.number = always;
        d.result[0] = done;
        emit(machine_logic_predicates, &d);
    }
    emit_access_check(p, ptx::width_of(t) / 8, {b},
                      access_flags::reads | access_flags::writes | access_flags::strong, guard);
    if (moved) {
        machine_details& d = details();
        d.width = widest ? 128 : wide ? 64 : 32;
        d.extended = spin;
        if (widest && result->index + 3u >= sass::register_rz) return false;
        operation& pair = emit(machine_atomic_result, &d);
        pair.destination = result_row(*result);
        pair.destination2 = wide ? result_row(*result, 1) : no_slot;
        // The rows of registers are contiguous.
        if (widest) result_row(*result, 3);
    }
    operation& op = emit(h);
    if (guard != no_slot) {
        op.guard = guard;
        op.guard_flip = 0;
    }
    op.detail = static_cast<std::uint16_t>(1 | p.detail);
    if (now_.has("SYS")) op.detail |= access_detail::of_the_system;
    op.source[0] = p.source;
    op.immediate = p.offset;
    op.source[1] = b;
    op.source[2] = c;
    op.destination = to;
    return true;
}

// ---- warps and control ----

bool machine_lowering::lower_warp() {
    const std::string_view name = now_.opcode;
    if (name == "SHFL") {
        const ptx::mode m = now_.has("UP")     ? ptx::mode::up
                            : now_.has("DOWN") ? ptx::mode::down
                            : now_.has("BFLY") ? ptx::mode::bfly
                                               : ptx::mode::idx;
        const slot value = low_word(at(2)), lane = low_word(at(3)), clamp = low_word(at(4));
        const slot p = predicate_slot(at(0));
        operation& op = emit(shuffle_handler(m));
        op.immediate = shuffle_among_active;
        op.destination = result_row(at(1));
        op.destination2 = p == 0 ? no_slot : p;
        op.source[0] = value;
        op.source[1] = lane;
        op.source[2] = clamp;
        return true;
    }
    if (name == "VOTE" || name == "VOTEU") {
        machine_details& d = details();
        d.uniform = name == "VOTEU";
        unsigned n = 0;
        slot to = no_slot;
        if (at(0).kind == operand_kind::reg || at(0).kind == operand_kind::uniform_reg)
            to = result_row(at(n++));
        result_predicate(d, 0, at(n++));
        source_predicate(d, 0, at(n));
        d.number = now_.has("ANY") ? 1 : now_.has("EQ") ? 2 : 0;
        emit(machine_vote, &d).destination = to;
        return true;
    }
    if (name == "ELECT") {
        machine_details& d = details();
        if (at(2).index != sass::predicate_true || at(2).negate_predicate) return false;
        result_predicate(d, 0, at(0));
        emit(machine_elect, &d).destination = result_row(at(1));
        return true;
    }
    if (name == "MATCH" && now_.has("ALL")) {
        const bool wide = now_.has("U64");
        const slot value = wide ? double_source(at(2)) : low_word(at(2));
        const slot p = predicate_slot(at(0));
        operation& op = emit(match_handler(ptx::mode::all, wide ? 64 : 32));
        op.destination = result_row(at(1));
        op.destination2 = p == 0 ? machine_frame::no_predicate : p;
        op.source[0] = value;
        op.source[1] = number(~0u);
        return true;
    }
    if (name == "MATCH" && now_.has("ANY")) {
        const bool wide = now_.has("U64");
        const slot value = wide ? double_source(at(1)) : low_word(at(1));
        operation& op = emit(match_handler(ptx::mode::any, wide ? 64 : 32));
        op.destination = result_row(at(0));
        op.source[0] = value;
        op.source[1] = number(~0u);
        return true;
    }
    if (name == "REDUX") {
        const bool is_signed = now_.has("S32");
        const ptx::reduction r = now_.has("SUM")   ? ptx::reduction::add
                                 : now_.has("MIN") ? ptx::reduction::min
                                 : now_.has("MAX") ? ptx::reduction::max
                                 : now_.has("OR")  ? ptx::reduction::or_
                                 : now_.has("XOR") ? ptx::reduction::xor_
                                                   : ptx::reduction::and_;
        const bool bits =
            r == ptx::reduction::or_ || r == ptx::reduction::xor_ || r == ptx::reduction::and_;
        const handler h = redux_handler(r, bits        ? ptx::type::b32
                                           : is_signed ? ptx::type::s32
                                                       : ptx::type::u32);
        if (h == nullptr) return false;
        const slot value = low_word(at(1)), to = scratch();
        operation& op = emit(h);
        op.destination = to;
        op.source[0] = value;
        op.source[1] = no_slot;
        operation& copy = emit(machine_to_uniform, &details());
        copy.source[0] = to;
        copy.destination = result_row(at(0));
        return true;
    }
    if (name == "BAR") {
        const bool reduces = now_.has("RED");
        if (!reduces && !now_.has("SYNC") && !now_.has("ARV")) return false;
        emit(machine_gather_at_barrier).moves_control = true;
        emit_log();
        const slot id = low_word(at(0));
        slot threads = no_slot;
        unsigned n = 1;
        if (n < now_.operand_count && at(n).kind != operand_kind::predicate)
            threads = low_word(at(n++));
        slot p = no_slot;
        if (reduces) {
            machine_details& d = details();
            source_predicate(d, 0, at(n));
            d.number = 0xf0;  // selects the first source
            d.result[0] = machine_frame::scratch_mask2;
            emit(machine_logic_predicates, &d, false);
            p = machine_frame::scratch_mask2;
        }
        operation& op = emit(reduces            ? barrier_reduce
                             : now_.has("SYNC") ? barrier_sync
                                                : barrier_arrive);
        op.source[0] = id;
        op.source[1] = threads;
        op.source[2] = p;
        if (reduces) {
            const bool counts = now_.has("POPC");
            op.destination = counts ? machine_frame_scratch(machine_frame::scratch_rows - 1)
                                    : machine_frame::scratch_mask;
            op.detail = static_cast<std::uint16_t>(counts            ? ptx::reduction::popc
                                                   : now_.has("AND") ? ptx::reduction::and_
                                                                     : ptx::reduction::or_);
        }
        return true;
    }
    if (name == "B2R" && now_.has("RESULT")) {
        if (now_.operand_count == 2) {
            machine_details& d = details();
            d.predicate[0] = machine_frame::scratch_mask;
            d.number = 0xf0;  // selects the first source
            result_predicate(d, 0, at(1));
            emit(machine_logic_predicates, &d);
            return true;
        }
        operation& op = emit(lanes_.modify, &details());
        op.source[0] = machine_frame_scratch(machine_frame::scratch_rows - 1);
        op.destination = result_row(at(0));
        return true;
    }
    return false;
}

bool machine_lowering::lower_control() {
    const std::string_view name = now_.opcode;
    unsigned n = 0;
    machine_details& d = details();
    if (now_.operand_count > 0 &&
        (at(0).kind == operand_kind::predicate || at(0).kind == operand_kind::uniform_predicate))
        source_predicate(d, 0, at(n++));
    const auto barrier = [this](const operand& o) {
        image_.barriers_ = std::max(image_.barriers_, o.index + 1u);
        return machine_frame::barriers + 128u * o.index;
    };
    if (name == "NOP" || name == "DEPBAR" || name == "LDGDEPBAR" || name == "PMTRIG") {
        emit(nothing);
        return true;
    }
    if (name == "NANOSLEEP") {
        emit(give_way);
        return true;
    }
    const bool calls_target =
        name == "CALL" && now_.has("REL") && at(n).kind == operand_kind::target;
    if ((name == "BRA" && !now_.has("DIV") && !now_.has("CONV")) || calls_target) {
        if (now_.has("INC") || now_.has("DEC")) return false;
        if (at(n).kind != operand_kind::target) return false;
        const std::uint64_t target = at(n).value;
        if (target % sass::instruction_bytes != 0 || target >= f_.code.size()) return false;
        // At least one call of a recursion is a backward branch.
        if (calls_target && target <= now_.address) image_.stack_unknown_[index_] = true;
        targets_.push_back({static_cast<std::uint32_t>(image_.code_.size()), target});
        emit(calls_target      ? machine_call_within
             : now_.has("ANY") ? machine_branch_any
                               : machine_branch,
             &d);
        return true;
    }
    if (name == "BRA") {
        // .DIV: taken by warps whose executing lanes differ from those named; .CONV: taken if they
        // are equal.
        if (!now_.has("DIV") && !now_.has("CONV")) return false;
        slot mask = no_slot;
        if (at(n).kind != operand_kind::target) {
            modifiers(d, 0, at(n), false);
            mask = low_word(at(n++));
        }
        const std::uint64_t target = at(n).value;
        if (target % sass::instruction_bytes != 0 || target >= f_.code.size()) return false;
        d.left = now_.has("CONV");
        targets_.push_back({static_cast<std::uint32_t>(image_.code_.size()), target});
        emit(machine_branch_divergent, &d).source[1] = mask;
        return true;
    }
    if (name == "LEPC") {
        const std::uint64_t offset = now_.operand_count > 1 ? at(1).value : now_.address;
        const device_address a = image_.code_address(index_, offset);
        for (unsigned half = 0; half < 2; ++half) {
            operation& op = emit(lanes_.modify, &details());
            op.source[0] = number(static_cast<std::uint32_t>(half == 0 ? a : a >> 32));
            op.destination = result_row(at(0), half);
        }
        return true;
    }
    if ((name == "CALL" || name == "RET") && now_.has("ABS")) return lower_absolute(d, n);
    if (name == "EXIT") {
        emit(machine_exit, &d);
        return true;
    }
    if (name == "BSSY") {
        emit(machine_set_barrier, &d).destination = barrier(at(n));
        return true;
    }
    if (name == "BSYNC") {
        d.number = at(n).index;
        emit(machine_wait_barrier, &d);
        return true;
    }
    if (name == "BREAK") {
        emit(machine_break_barrier, &d).destination = barrier(at(n));
        return true;
    }
    if (name == "BMOV" && now_.operand_count == 2 && at(0).suffix == "MACTIVE") {
        if (at(1).index >= 16) return false;
        d.high = now_.has("PQUAD");
        emit(machine_set_active, &d).source[0] = barrier(at(1));
        return true;
    }
    if (name == "BMOV" && now_.operand_count == 2 && at(1).suffix == "MACTIVE") {
        if (at(0).index >= 16) return false;
        emit(machine_keep_active, &d).destination = barrier(at(0));
        return true;
    }
    if (name == "BMOV" && now_.has("32")) {
        const bool reads = at(0).kind == operand_kind::reg;
        const operand& b = reads ? at(1) : at(0);
        if (b.index >= 16) return false;
        d.extended = now_.has("CLEAR");
        const slot value = reads ? no_slot : low_word(at(1));
        operation& op = emit(reads ? machine_read_barrier : machine_write_barrier, &d);
        op.source[0] = reads ? barrier(b) : value;
        const bool dropped = reads && at(0).index == sass::register_rz;
        op.destination = dropped ? no_slot : reads ? result_row(at(0)) : barrier(b);
        return true;
    }
    if (name == "WARPSYNC") {
        // Up to ENDCOLLECTIVE and BSYNC, lanes of .COLLECTIVE are separate, like those of
        // .EXCLUSIVE.
        d.high = now_.has("COLLECTIVE");
        d.left = d.high || now_.has("EXCLUSIVE");
        const slot mask = now_.has("ALL") ? number(~0u) : low_word(at(n++));
        if (d.high) {
            const std::uint64_t end = at(n).value;
            if (at(n).kind != operand_kind::target || end % sass::instruction_bytes != 0 ||
                end >= f_.code.size())
                return false;
            targets_.push_back({static_cast<std::uint32_t>(image_.code_.size()), end});
        }
        emit(machine_warp_sync, &d).source[1] = mask;
        return true;
    }
    if (name == "ENDCOLLECTIVE") {
        emit(machine_end_collective, &d);
        return true;
    }
    if (name == "YIELD") {
        emit(machine_yield, &d);
        return true;
    }
    if (name == "BPT") {
        emit(trap);
        return true;
    }
    if (name == "CALL") image_.calls_unknown_[index_] = image_.calls_pointers_[index_] = true;
    const bool indexed = name == "BRX" || name == "BRXU";
    if (((name == "RET" || name == "CALL") && now_.has("REL")) || indexed) {
        d.number = static_cast<std::uint32_t>(at(n).value);
        if (indexed) d.number += static_cast<std::uint32_t>(now_.address + sass::instruction_bytes);
        d.depth_change = indexed ? 0 : name == "CALL" ? 1 : -1;
        d.number2 = static_cast<std::uint32_t>(f_.instructions());
        slot* const table = list_of(std::vector<slot>(f_.instructions()));
        tables_.push_back(table);
        const slot offset = register_row(at(n).index, at(n).has_uniform);
        operation& op = emit(machine_branch_register, &d);
        op.source[0] = offset;
        op.list = table;
        return true;
    }
    return false;
}

/// A call or return through a 64-bit address. The operation is followed by one for each runtime
/// function.
bool machine_lowering::lower_absolute(machine_details& d, unsigned n) {
    const operand& o = at(n);
    slot low = machine_frame::zero, high = machine_frame::zero;
    if (o.kind == operand_kind::target) {
        low = number(static_cast<std::uint32_t>(o.value));
        high = number(static_cast<std::uint32_t>(o.value >> 32));
    } else {
        low = register_row(o.index, false);
        high = register_row(o.index + 1u, false);
        if (o.value != 0) {
            const slot more = number(static_cast<std::uint32_t>(o.value));
            const slot more_high = number(static_cast<std::uint32_t>(o.value >> 32));
            const slot sum = scratch();
            emit_words(lanes_.address, &details(), sum, {low, high, more, more_high}, false);
            operation& split = emit(lanes_.unpack, &details(), false);
            split.source[0] = sum;
            low = split.destination = scratch();
            high = split.destination2 = scratch();
        }
    }
    image_.calls_unknown_[index_] = true;
    const bool calls = now_.opcode == "CALL";
    if (calls && o.kind != operand_kind::target) image_.calls_pointers_[index_] = true;
    d.number = calls ? static_cast<std::uint32_t>(runtime_functions.size() +
                                                  image_.texture_functions_.size())
                     : 0;
    d.depth_change = calls ? 1 : -1;
    operation& op = emit(machine_call, &d);
    op.counted = true;
    op.source[0] = low;
    op.source[1] = high;
    if (!calls) return true;
    for (const runtime_signature& f : runtime_functions) {
        std::vector<slot> list;
        unsigned next = 4, arguments = 0;
        const auto add = [&](unsigned bytes, unsigned index) {
            for (unsigned word = 1; word < std::max(bytes / 4, 2u); ++word)
                register_row(index + word, false);
            list.insert(list.end(),
                        {runtime_argument::rows, register_row(index, false), slot{bytes}});
        };
        for (const unsigned bytes : f.arguments) {
            if (bytes == 0) break;
            if (bytes == 8) next += next & 1;
            add(bytes, next);
            next += bytes / 4;
            ++arguments;
        }
        if (f.result != 0) add(f.result, 4);
        operation& function = emit(runtime_function(std::string(f.name)), nullptr, false);
        function.list = list_of(list);
        function.detail = static_cast<std::uint16_t>(arguments);
        function.immediate = f.result != 0 ? 1 : 0;
    }
    for (const texture_function& f : image_.texture_functions_) emit_gradient_fetch(f);
    return true;
}

}  // namespace simtlm::execution
