// SPDX-License-Identifier: Apache-2.0
// Lowering of instructions among the lanes of a warp, and of CTA barriers.
#include "modules/execution/machine/lowering_table.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/state/collectives.h"

namespace simtlm::execution {

using sass::modifier;
using sass::operand_kind;

bool lower_shuffle(machine_lowering& l) {
    const ptx::mode m = l.has(modifier::UP)     ? ptx::mode::up
                        : l.has(modifier::DOWN) ? ptx::mode::down
                        : l.has(modifier::BFLY) ? ptx::mode::bfly
                                                : ptx::mode::idx;
    const operand_ref value = l.low_word(l.at(2)), lane = l.low_word(l.at(3)),
                      clamp = l.low_word(l.at(4));
    const operand_ref p = l.predicate_ref(l.at(0));
    operation& op = l.emit_words(shuffle_handler(m), l.result_row(l.at(1)), {value, lane, clamp});
    op.immediate = shuffle_among_active;
    op.destination2 = p == 0 ? no_operand : p;
    return true;
}

/// VOTE, VOTEU.
bool lower_vote(machine_lowering& l) {
    using mode = vote_arguments::mode;
    vote_arguments d;
    d.to_uniform = l.is(isa::opcode::VOTEU);
    unsigned n = 0;
    operand_ref to = no_operand;
    if (l.at(0).kind == operand_kind::reg || l.at(0).kind == operand_kind::uniform_reg)
        to = l.result_row(l.at(n++));
    d.result = l.predicate_ref(l.at(n++));
    d.source = l.predicate_of(l.at(n));
    d.holds_for = l.has(modifier::ANY) ? mode::any : l.has(modifier::EQ) ? mode::equal : mode::all;
    l.emit(machine_vote, d).destination = to;
    return true;
}

bool lower_elect(machine_lowering& l) {
    if (l.at(2).index != sass::predicate_true || l.at(2).negate_predicate) return false;
    l.emit(machine_elect, {l.predicate_ref(l.at(0))}).destination = l.result_row(l.at(1));
    return true;
}

bool lower_match(machine_lowering& l) {
    const bool all = l.has(modifier::ALL), wide = l.has(modifier::U64);
    if (!all && !l.has(modifier::ANY)) return false;
    // With .ALL a predicate precedes the mask.
    const unsigned n = all ? 1 : 0;
    const operand_ref value = wide ? l.double_source(l.at(n + 1)) : l.low_word(l.at(n + 1));
    const operand_ref p = all ? l.predicate_ref(l.at(0)) : no_operand;
    operation& op =
        l.emit_words(match_handler(all ? ptx::mode::all : ptx::mode::any, wide ? 64 : 32),
                     l.result_row(l.at(n)), {value, l.number(~0u)});
    if (all) op.destination2 = p == 0 ? machine_frame::no_predicate : p;
    return true;
}

namespace {
/// CREDUX of floats.
handler float_reduction(const machine_lowering& l) {
    ptx::operation o = value_operation(ptx::opcode::redux, ptx::type::f32);
    o.reduce = l.has(modifier::MIN) ? ptx::reduction::min : ptx::reduction::max;
    if (l.has(modifier::ABS)) set(o, ptx::flag::magnitude);
    if (l.has(modifier::NaN)) set(o, ptx::flag::nan);
    return redux_handler(o);
}
}  // namespace

/// REDUX, CREDUX.
bool lower_warp_reduction(machine_lowering& l) {
    const ptx::reduction r = l.has(modifier::SUM)   ? ptx::reduction::add
                             : l.has(modifier::MIN) ? ptx::reduction::min
                             : l.has(modifier::MAX) ? ptx::reduction::max
                             : l.has(modifier::OR)  ? ptx::reduction::or_
                             : l.has(modifier::XOR) ? ptx::reduction::xor_
                                                    : ptx::reduction::and_;
    const bool bits =
        r == ptx::reduction::or_ || r == ptx::reduction::xor_ || r == ptx::reduction::and_;
    const bool is_signed = l.has(modifier::S32);
    const handler h = l.has(modifier::F32) ? float_reduction(l)
                                           : redux_handler(r, bits        ? ptx::type::b32
                                                              : is_signed ? ptx::type::s32
                                                                          : ptx::type::u32);
    l.ignore(modifier::U32);
    if (h == nullptr) return false;
    const operand_ref value = l.low_word(l.at(1)), to = l.scratch();
    l.emit_words(h, to, {value, no_operand});
    l.emit_words(machine_to_uniform, {}, l.result_row(l.at(0)), {to});
    return true;
}

bool lower_barrier(machine_lowering& l) {
    const bool reduces = l.has(modifier::RED), waits = l.has(modifier::SYNC);
    if (!reduces && !waits && !l.has(modifier::ARV)) return false;
    l.emit(machine_gather_at_barrier).moves_control = true;
    l.emit_log();
    const operand_ref id = l.low_word(l.at(0));
    operand_ref threads = no_operand;
    unsigned n = 1;
    if (n < l.operand_count() && l.at(n).kind != operand_kind::predicate)
        threads = l.low_word(l.at(n++));
    // One register then holds both.
    const bool packed =
        n == 2 && l.at(0).kind == operand_kind::reg && l.at(1).kind == operand_kind::reg;
    operand_ref p = no_operand;
    if (reduces) {
        p = machine_frame::scratch_mask2;
        l.emit_predicate(predicate_logic_arguments::first, p, {l.predicate_of(l.at(n))}, false);
    }
    operation& op = l.emit(reduces ? barrier_reduce : waits ? barrier_sync : barrier_arrive);
    op.source[0] = id;
    op.source[1] = threads;
    op.source[2] = p;
    op.immediate = barrier_flags::separate | (packed ? barrier_flags::packed : 0);
    if (!reduces) return true;
    const bool counts = l.has(modifier::POPC);
    op.destination = counts ? l.barrier_result_row() : operand_ref{machine_frame::barrier_mask};
    op.detail = static_cast<std::uint16_t>(counts                 ? ptx::reduction::popc
                                           : l.has(modifier::AND) ? ptx::reduction::and_
                                                                  : ptx::reduction::or_);
    return true;
}

/// B2R.RESULT: the result of BAR.RED.
bool lower_barrier_result(machine_lowering& l) {
    if (!l.has(modifier::RESULT)) return false;
    if (l.operand_count() == 2) {
        l.emit_predicate(predicate_logic_arguments::first, l.predicate_ref(l.at(1)),
                         {{machine_frame::barrier_mask}});
        return true;
    }
    l.emit_copy(l.result_row(l.at(0)), l.barrier_result_row());
    return true;
}

}  // namespace simtlm::execution
