// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/special.h"
#include "modules/execution/thread_block.h"
#include "modules/sass/special_registers.h"

#include <string_view>
#include <utility>

namespace simtlm::execution {

using sass::operand_kind;
using sass::special_register;

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
                     row({n.second, c.bank, static_cast<std::uint32_t>(c.value & 0xffff)}));
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
        d.number = part.suffix == ".B1" || now_.has("B1")   ? 8
                   : part.suffix == ".B2" || now_.has("B2") ? 16
                   : part.suffix == ".B3" || now_.has("B3") ? 24
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

}  // namespace simtlm::execution
