// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/asynchronous.h"

#include "modules/execution/operations/pending_request.h"
#include "modules/execution/operations/remote_lanes.h"
#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"
#include "modules/program/mbarrier_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace simtlm::execution {

using program::mbarrier_operation;
using program::mbarrier_state;

namespace {

/// values: destinations, then bytes to read of each lane.
void perform_copy(warp& w, const memory_request& r) {
    const auto* const to = reinterpret_cast<const std::uint64_t*>(r.values);
    const auto* const read = to + warp_size;
    const std::uint32_t bytes = r.op->list[4];
    const auto from_space = static_cast<space>(r.op->list[2] >> access_detail::space_shift & 7);
    for_lanes(r.lanes, [&](unsigned i) {
        if (to[i] % bytes != 0) misaligned(w, r.op, i, to[i], bytes);
        if (r.address[i] % bytes != 0) misaligned(w, r.op, i, r.address[i], bytes);
        std::byte segment[16] = {};
        const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(read[i], bytes));
        if (count != 0)
            std::memcpy(
                segment,
                range_of(w, r.op, i, from_space, r.address[i], count, false).at(r.address[i]),
                count);
        std::memcpy(
            range_of(w, r.op, i, access_detail::space_of(r.op), to[i], bytes, true).at(to[i]),
            segment, bytes);
    });
}

// ---- mbarrier ----

struct lane_access {
    warp& w;
    const operation* op;
    unsigned lane;
    std::byte* at;
    const std::uint32_t* counts = nullptr;  ///< of lanes; nullptr: the register's
    device_address address = 0;             ///< of the mbarrier, as the instruction has it

    mbarrier_state load() const { return mbarrier_state::load(at); }
    void store(const mbarrier_state& b) const { b.store(at); }
    std::uint32_t count(std::uint32_t otherwise) const {
        if (op->source[1] == no_operand) return otherwise;
        return counts != nullptr ? counts[lane] : lanes_at<std::uint32_t>(w, op->source[1])[lane];
    }
    /// Records an operation for a trace, with the offset in the CTA's shared memory.
    void log(mbarrier_operation what) const {
        if (w.mbarrier_operations == nullptr) return;
        what.address = address_windows::offset_in_block(address);
        w.mbarrier_operations->push_back(what);
    }
    /// Changes the mbarrier by arrivals and bytes.
    void change(const mbarrier_operation& what) const {
        mbarrier_state b = load();
        what.apply_to(b);
        store(b);
        log(what);
    }
    void set(const mbarrier_state& b) const {
        store(b);
        mbarrier_operation what;
        what.what = mbarrier_operation::kind::set;
        what.value = b.encode();
        log(what);
    }
    void put_state(const mbarrier_state& b) const {
        if (op->destination == no_operand) return;
        lanes_at<std::uint64_t>(w, op->destination)[lane] = b.encode();
    }
    void put_predicate(bool value) const {
        lane_mask& m = w.mask_at(op->destination);
        const lane_mask mine = lane_mask{1} << lane;
        m = value ? m | mine : m & ~mine;
    }
};

void initialise(const lane_access& a) {
    mbarrier_state b;
    b.expected = b.pending = a.count(1);
    a.set(b);
}
/// PTX leaves the contents undefined. They are kept, as no instruction of the machine code stores
/// to them, so that a thread that tests the last phase late still finds it complete.
void invalidate(const lane_access&) {}

template <bool Drops, bool Completes, bool ExpectsBytes>
void arrive(const lane_access& a) {
    const mbarrier_state b = a.load();
    mbarrier_operation what;
    what.arrivals = ExpectsBytes ? 1 : a.count(1);
    if (ExpectsBytes) what.bytes = static_cast<std::int32_t>(a.count(0));
    what.drops = Drops;
    what.may_finish = Completes;
    a.put_state(b);  // may overwrite the operand
    if (b.pending < what.arrivals)
        a.w.block->fail(a.w, a.op, a.lane, "more arrivals at an mbarrier than it expects");
    a.change(what);
}

/// Arrives on behalf of the lane's copies, which are complete.
void arrive_after_copies(const lane_access& a) {
    mbarrier_operation what;
    what.arrivals = 1;
    a.change(what);
}

template <int Sign>
void change_transactions(const lane_access& a) {
    mbarrier_operation what;
    what.bytes = Sign * static_cast<std::int32_t>(a.count(0));
    a.change(what);
}

// The phase for which a wait waits: that of a token, a parity, or the uppermost bit of a word, as
// in the upper half of a token.
bool phase_of_state(const lane_access& a) {
    return mbarrier_state::decode(lanes_at<std::uint64_t>(a.w, a.op->source[1])[a.lane]).phase;
}
bool phase_of_parity(const lane_access& a) {
    return (a.count(0) & 1) != 0;
}
bool phase_of_token(const lane_access& a) {
    return a.count(0) >> 31 != 0;
}
/// @param Tries  the warp may be suspended until the phase is complete, which a trace records
template <bool (*Awaited)(const lane_access&), bool Tries>
void wait_for_phase(const lane_access& a) {
    const bool phase = Awaited(a);
    a.put_predicate(a.load().phase != phase);
    if (!Tries) return;
    mbarrier_operation what;
    what.what = mbarrier_operation::kind::wait;
    what.value = phase ? 1 : 0;
    a.log(what);
}
constexpr auto test_state = wait_for_phase<phase_of_state, false>;
constexpr auto try_state = wait_for_phase<phase_of_state, true>;
constexpr auto test_parity = wait_for_phase<phase_of_parity, false>;
constexpr auto try_parity = wait_for_phase<phase_of_parity, true>;
constexpr auto test_token = wait_for_phase<phase_of_token, false>;
constexpr auto try_token = wait_for_phase<phase_of_token, true>;
/// Exchanges the object's bits with a row of double words.
void exchange_state(const lane_access& a) {
    a.put_state(a.load());
    a.set(mbarrier_state::decode(lanes_at<std::uint64_t>(a.w, a.op->source[1])[a.lane]));
}

/// The mbarrier format of sm_80 to sm_89. Lower word: 2^30 minus the arrival count of a phase;
/// upper word: bits 30:0 hold 2^31 minus the pending arrivals, bit 31 holds the phase.
void arrive_early(const lane_access& a) {
    std::uint32_t words[2];
    std::memcpy(words, a.at, sizeof words);
    if (a.op->destination != no_operand)
        lanes_at<std::uint64_t>(a.w, a.op->destination)[a.lane] = words[0] | std::uint64_t{words[1]}
                                                                                 << 32;
    constexpr std::uint32_t phase = 0x80000000u, expected_base = 0x40000000u;
    const std::uint32_t before = words[1]++;
    // The last arrival has carried into the phase bit: the next phase begins.
    if (((words[1] ^ before) & phase) != 0)
        words[1] = (words[1] & phase) | ((words[0] + expected_base) & ~phase);
    std::memcpy(a.at, words, sizeof words);
}

template <void (*Act)(const lane_access&)>
const operation* for_each_barrier(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    for_lanes(lanes, [&](unsigned i) {
        const device_address a = lane_address(w, op->source[0], op->detail, op->immediate, i);
        if (a % 8 != 0) misaligned(w, op, i, a, 8);
        lane_access access{w, op, i,
                           range_of(w, op, i, access_detail::space_of(op), a, 8, true).at(a)};
        access.address = a;
        Act(access);
    });
    return op + 1;
}

template <void (*Act)(const lane_access&)>
void perform_on_barriers(warp& w, const memory_request& r) {
    for_lanes(r.lanes, [&](unsigned i) {
        std::byte* const at =
            range_of(w, r.op, i, access_detail::space_of(r.op), r.address[i], 8, true)
                .at(r.address[i]);
        Act({w, r.op, i, at, reinterpret_cast<const std::uint32_t*>(r.values), r.address[i]});
    });
}

/// Operations without a result for which the warp waits: with timing, they take effect on mbarriers
/// of other CTAs when the SM's message arrives there.
template <void (*Act)(const lane_access&)>
const operation* update_barriers(warp& w, const operation* op) {
    if (w.pending == nullptr || w.block->cluster().size() == 1) return for_each_barrier<Act>(w, op);
    memory_request& r = *w.pending;
    r.lanes = w.lanes_of(op);
    for_lanes(r.lanes, [&](unsigned i) {
        r.address[i] = lane_address(w, op->source[0], op->detail, op->immediate, i);
        if (r.address[i] % 8 != 0) misaligned(w, op, i, r.address[i], 8);
    });
    if (find_remote_lanes(w, op, access_detail::space_of(op)) == 0)
        return for_each_barrier<Act>(w, op);
    r.op = op;
    r.perform = perform_on_barriers<Act>;
    if (op->source[1] != no_operand) std::memcpy(r.values, w.at(op->source[1]), warp_size * 4);
    perform_local_lanes(w, r.perform);
    return op + 1;
}

/// Failed waits let other warps run; with timing, the SM suspends the warp. Without timing, a warp
/// also lets others run when the phase is complete and they have waited: all of them see its end
/// before one can reuse the mbarrier, as on a GPU, where they wake at the same time.
template <void (*Act)(const lane_access&)>
const operation* wait_for_barrier(warp& w, const operation* op) {
    const operation* const next = for_each_barrier<Act>(w, op);
    const lane_mask lanes = w.lanes_of(op);
    const bool failed = (w.mask_at(op->destination) & lanes) != lanes;
    if (w.block->sm_holds_barriers) {
        w.wait_failed = failed;
        w.wait_nanoseconds = 0;
        if (failed && op->source[2] != no_operand) {
            const auto* const limits = lanes_at<std::uint32_t>(w, op->source[2]);
            for_lanes(lanes, [&](unsigned i) {
                w.wait_nanoseconds = std::max({w.wait_nanoseconds, limits[i], 1u});
            });
        }
        return next;
    }
    w.has_waited = failed;
    if (!failed && w.block->warps_at_mbarriers == 0) return next;
    w.leave(op);
    return w.stop(next, warp_status::sleeping);
}

/// The phase for which a lane waits. @return false: the operation is not a wait
bool phase_awaited(const lane_access& a, bool& phase) {
    const handler h = a.op->execute;
    if (h == wait_for_barrier<try_state> || h == for_each_barrier<test_state>)
        phase = phase_of_state(a);
    else if (h == wait_for_barrier<try_parity> || h == for_each_barrier<test_parity>)
        phase = phase_of_parity(a);
    else if (h == wait_for_barrier<try_token> || h == for_each_barrier<test_token>)
        phase = phase_of_token(a);
    else
        return false;
    return true;
}

/// Describes what is missing until the phase of an mbarrier is complete.
std::string what_is_to_come(const mbarrier_state& b) {
    const std::string arrivals =
        b.pending != 0 ? fmt::format("{} of {} arrivals are to come", b.pending, b.expected) : "";
    if (b.transactions == 0) return arrivals;
    const std::string bytes =
        b.transactions > 0
            ? fmt::format("{} bytes are to come", b.transactions)
            : fmt::format("{} bytes more have come than were expected", -b.transactions);
    return arrivals.empty() ? bytes : arrivals + ", " + bytes;
}

const operation* pending_count(warp& w, const operation* op) {
    const auto* const state = lanes_at<std::uint64_t>(w, op->source[1]);
    auto* const to = lanes_at<std::uint32_t>(w, op->destination);
    for_lanes(w.lanes_of(op),
              [&](unsigned i) { to[i] = mbarrier_state::decode(state[i]).pending; });
    return op + 1;
}

template <bool Drops>
handler arrive_handler(const ptx::operation& o) {
    if (o.has(ptx::flag::no_complete)) return update_barriers<arrive<Drops, false, false>>;
    return o.has(ptx::flag::expect_tx) ? update_barriers<arrive<Drops, true, true>>
                                       : update_barriers<arrive<Drops, true, false>>;
}

/// By lane: destination, source, and number of bytes that are read.
void note_copy(const warp& w, const operation* op, lane_mask lanes, std::uint64_t* to,
               std::uint64_t* from, std::uint64_t* read) {
    const auto from_immediate =
        static_cast<std::int64_t>(op->list[0] | std::uint64_t{op->list[1]} << 32);
    const lane_mask ignored = op->source[2] == no_operand ? 0 : w.mask_at(op->source[2]);
    for_lanes(lanes, [&](unsigned i) {
        to[i] = lane_address(w, op->source[0], op->detail, op->immediate, i);
        from[i] = lane_address(w, op->list[3], op->list[2], from_immediate, i);
        read[i] = op->source[1] == no_operand ? op->list[4]
                                              : lanes_at<std::uint32_t>(w, op->source[1])[i];
        if (op->list[5] != 0) {
            // LDGSTS.ZFILL: the low bits of the address are the bytes that are not read.
            const std::uint64_t filled = from[i] & (op->list[4] - 1);
            from[i] -= filled;
            read[i] -= filled;
        }
        if ((ignored >> i & 1) != 0) read[i] = 0;
    });
}

}  // namespace

void visit_copy(const warp& w, const operation* op, const range_visitor& reads,
                const range_visitor& writes) {
    std::uint64_t to[warp_size], from[warp_size], read[warp_size];
    const lane_mask lanes = w.lanes_of(op);
    note_copy(w, op, lanes, to, from, read);
    const std::uint32_t bytes = op->list[4];
    for_lanes(lanes, [&](unsigned i) {
        if (read[i] != 0)
            reads(i, from[i], static_cast<std::uint32_t>(std::min<std::uint64_t>(read[i], bytes)));
        writes(i, to[i], bytes);
    });
}

const operation* copy_asynchronously(warp& w, const operation* op) {
    memory_request own;
    memory_request* const begun = begin_request(w, op, own);
    if (begun == nullptr) return op + 1;
    memory_request& r = *begun;
    auto* const to = reinterpret_cast<std::uint64_t*>(r.values);
    note_copy(w, op, r.lanes, to, r.address, to + warp_size);
    if (w.pending == nullptr)
        perform_copy(w, r);
    else
        r.perform = perform_copy;
    return op + 1;
}

handler mbarrier_handler(const ptx::operation& o) {
    switch (o.op) {
        case ptx::opcode::mbarrier_init:
            return for_each_barrier<initialise>;
        case ptx::opcode::mbarrier_inval:
            return for_each_barrier<invalidate>;
        case ptx::opcode::mbarrier_arrive:
            return arrive_handler<false>(o);
        case ptx::opcode::mbarrier_arrive_drop:
            return arrive_handler<true>(o);
        case ptx::opcode::mbarrier_expect_tx:
            return update_barriers<change_transactions<1>>;
        case ptx::opcode::mbarrier_complete_tx:
            return update_barriers<change_transactions<-1>>;
        case ptx::opcode::mbarrier_test_wait:
            return o.has(ptx::flag::parity) ? for_each_barrier<test_parity>
                                            : for_each_barrier<test_state>;
        case ptx::opcode::mbarrier_try_wait:
            return o.has(ptx::flag::parity) ? wait_for_barrier<try_parity>
                                            : wait_for_barrier<try_state>;
        case ptx::opcode::mbarrier_pending_count:
            return pending_count;
        case ptx::opcode::cp_async_mbarrier_arrive:
            // Without .noinc one more arrival is expected, and occurs.
            return o.has(ptx::flag::noinc) ? for_each_barrier<arrive_after_copies> : nullptr;
        default:
            return nullptr;
    }
}

std::string describe_mbarrier_wait(warp& w, const operation* op, lane_mask lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
        lane_access access{w, op, lane, nullptr};
        bool phase = false;
        if (!phase_awaited(access, phase)) return {};
        const device_address a = lane_address(w, op->source[0], op->detail, op->immediate, lane);
        access.at = range_of(w, op, lane, access_detail::space_of(op), a, 8, false).at(a);
        const mbarrier_state state = access.load();
        if (state.phase != phase) continue;
        const device_address offset = address_windows::offset_in_block(a);
        return fmt::format("phase {} of the mbarrier at shared address {:#x}: {}", phase ? 1 : 0,
                           offset, what_is_to_come(state));
    }
    return {};
}

handler mbarrier_token_wait(bool tries) {
    return tries ? wait_for_barrier<try_token> : for_each_barrier<test_token>;
}

const operation* arrive_at_early_mbarrier(warp& w, const operation* op) {
    return for_each_barrier<arrive_early>(w, op);
}

const operation* exchange_mbarrier(warp& w, const operation* op) {
    return for_each_barrier<exchange_state>(w, op);
}

}  // namespace simtlm::execution
