// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/collectives.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/control.h"
#include "modules/execution/operations/runtime.h"

#include <algorithm>
#include <string_view>

namespace simtlm::execution {

using sass::operand_kind;

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
        // One register then holds both.
        const bool packed =
            n == 2 && at(0).kind == operand_kind::reg && at(1).kind == operand_kind::reg;
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
        op.immediate = barrier_flags::separate | (packed ? barrier_flags::packed : 0);
        if (reduces) {
            const bool counts = now_.has("POPC");
            op.destination = counts ? machine_frame_scratch(machine_frame::scratch_rows - 1)
                                    : machine_frame::barrier_mask;
            op.detail = static_cast<std::uint16_t>(counts            ? ptx::reduction::popc
                                                   : now_.has("AND") ? ptx::reduction::and_
                                                                     : ptx::reduction::or_);
        }
        return true;
    }
    if (name == "B2R" && now_.has("RESULT")) {
        if (now_.operand_count == 2) {
            machine_details& d = details();
            d.predicate[0] = machine_frame::barrier_mask;
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

/// Whether the instructions between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE contain BAR.RED. Its
/// result is in different registers in different collective sections of a function, unlike that of
/// all others, so that every lane has to execute its own section; the barrier lets lanes arrive
/// separately.
bool machine_lowering::has_barrier_before_end_of_collective() const {
    sass::instruction i;
    for (unsigned n = 1; next_instruction(i, n) && i.opcode != "ENDCOLLECTIVE"; ++n)
        if (i.opcode == "BAR") return true;
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
        // .SYNCS ends when the mbarrier of the wait before it completes its phase; that wait has
        // already suspended the warp.
        const bool sleeps = n < now_.operand_count && !now_.has("SYNCS");
        const slot time = sleeps ? low_word(at(n)) : no_slot;
        emit(give_way).source[0] = time;
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
        if (calls_target && target <= now_.address)
            image_.stack_unknown_[index_] = may_recurse_ = true;
        targets_.push_back({static_cast<std::uint32_t>(image_.code_.size()), target});
        // A call differs from a branch only by the return address, which the code itself sets:
        // ptxas also leaves loops by CALL.REL.NOINC.
        emit(now_.has("ANY") ? machine_branch_any : machine_branch, &d);
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
        operation& op = emit(machine_set_barrier, &d);
        op.destination = barrier(at(n));
        barrier_starts_.push_back(static_cast<std::uint32_t>(image_.code_.size() - 1));
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
        const bool collective = now_.has("COLLECTIVE");
        d.high = collective && !has_barrier_before_end_of_collective();
        d.left = collective || now_.has("EXCLUSIVE");
        const slot mask = now_.has("ALL") ? number(~0u) : low_word(at(n++));
        if (collective) {
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
    if (name == "CALL")
        image_.calls_unknown_[index_] = image_.calls_pointers_[index_] = may_recurse_ = true;
    const bool indexed = name == "BRX" || name == "BRXU";
    if (((name == "RET" || name == "CALL") && now_.has("REL")) || indexed) {
        d.number = static_cast<std::uint32_t>(at(n).value);
        if (indexed) d.number += static_cast<std::uint32_t>(now_.address + sass::instruction_bytes);
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
    const bool pointer = o.kind != operand_kind::target;
    if (calls && pointer) image_.calls_pointers_[index_] = true;
    if (calls && (pointer || o.value >= sass_image::code_window)) may_recurse_ = true;
    d.number = calls ? static_cast<std::uint32_t>(runtime_functions.size() +
                                                  image_.texture_functions_.size())
                     : 0;
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
