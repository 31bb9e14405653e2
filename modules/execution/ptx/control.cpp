// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/control.h"

#include "modules/execution/operations/remote_lanes.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/execution/ptx/simt_control.h"
#include "modules/execution/state/thread_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace simtlm::execution {

namespace {

simt_control& control_of(const warp& w) {
    return static_cast<simt_control&>(*w.control);
}
const ptx_image& image_of(const warp& w) {
    return static_cast<const ptx_image&>(w.launch->image);
}

constexpr std::uint32_t longest_sleep = 1'000'000;  ///< ns

std::uint64_t reconvergence_pc_of(const operation* op) {
    return op->source[1] == no_operand ? simt_stack::no_pc : op->source[1];
}

/// Only some of the active lanes execute the operation: they return to it alone, while the others
/// wait after it, where all reconverge.
const operation* part(warp& w, const operation* op, lane_mask executing) {
    const std::uint64_t pc = w.pc_of(op);
    control_of(w).stack.branch(executing, pc, pc + 1, pc + 1);
    // It has not been executed yet; it is counted when lanes return.
    const auto i = static_cast<std::size_t>(op - w.code);
    w.worker->counts.warps[i] -= 1;
    w.worker->counts.lanes[i] -= __builtin_popcount(w.active);
    return control_of(w).resume(w);
}

const call_site& site_of(const warp& w, std::uint64_t call_pc) {
    const operation& op = w.code[call_pc];
    return image_of(w).call_sites()[static_cast<std::size_t>(op.immediate)];
}

/// Words of local memory at an offset, with contiguous lanes.
std::byte* local_words(const warp& w, std::uint32_t offset) {
    return w.local + std::size_t{offset} / 4 * 128;
}

void copy_local(warp& w, std::uint32_t to, std::uint32_t from, std::uint32_t bytes,
                lane_mask lanes) {
    for (std::uint32_t i = 0; i < bytes; i += 4)
        for (lane_mask m = lanes; m != 0; m &= m - 1) {
            const std::size_t lane = std::size_t{4} * static_cast<unsigned>(__builtin_ctz(m));
            std::memcpy(local_words(w, to + i) + lane, local_words(w, from + i) + lane, 4);
        }
}

/// A mask of a frame that may not be the current one.
std::byte* in_frame(const warp& w, operand_ref s, std::uint32_t frame) {
    return bank_of(s) == bank::frame ? control_of(w).frames[frame].get() + offset_of(s) : w.at(s);
}

/// A word of a register: of a predicate 0 or 1.
std::uint32_t word_of(const std::byte* reg, std::uint32_t lane_bytes, std::uint32_t at,
                      unsigned lane) {
    std::uint32_t word = 0;
    std::memcpy(&word, reg + lane * lane_bytes + at, sizeof word);
    return lane_bytes == 0 ? word >> lane & 1u : word;
}

void set_word(std::byte* reg, std::uint32_t lane_bytes, std::uint32_t at, unsigned lane,
              std::uint32_t word) {
    if (lane_bytes == 0) {
        std::uint32_t mask = 0;
        std::memcpy(&mask, reg, sizeof mask);
        word = (mask & ~(1u << lane)) | (word & 1u) << lane;
    }
    std::memcpy(reg + lane * lane_bytes + at, &word, sizeof word);
}

enum class direction : std::uint8_t {
    store,  ///< to the parameters or results
    load,   ///< from them
};

/// Copies values between a frame and the parameters or results of a called function.
/// @param base, bytes  of the parameters or results in local memory; what a wrong prototype claims
///                     to be beyond is not passed
void pass(warp& w, const std::vector<argument_copy>& copies, std::uint32_t frame,
          std::uint32_t base, std::uint32_t bytes, direction way, lane_mask lanes) {
    for (const argument_copy& c : copies) {
        if (c.passed >= bytes) continue;
        const std::uint32_t size = std::min(c.bytes, bytes - c.passed);
        const std::uint32_t passed = base + c.passed;
        if (!c.in_register) {
            const std::uint32_t local = control_of(w).local_bases[frame] + c.at;
            const bool store = way == direction::store;
            copy_local(w, store ? passed : local, store ? local : passed, size, lanes);
            continue;
        }
        std::byte* const reg = in_frame(w, c.at, frame);
        const std::uint32_t lane_bytes = c.register_bytes / warp_size;
        for (std::uint32_t i = 0; i < std::max(lane_bytes, 4u); i += 4) {
            if (way == direction::store && i >= size) break;
            const std::uint32_t kept = i < size ? std::min(size - i, 4u) * 8 : 0;
            const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << kept) - 1);
            for (lane_mask m = lanes; m != 0; m &= m - 1) {
                const auto lane = static_cast<unsigned>(__builtin_ctz(m));
                std::uint32_t word = 0;
                if (way == direction::store) {
                    word = word_of(reg, lane_bytes, i, lane) & mask;
                    std::memcpy(local_words(w, passed + i) + std::size_t{4} * lane, &word, 4);
                } else {
                    if (kept != 0)
                        std::memcpy(&word, local_words(w, passed + i) + std::size_t{4} * lane, 4);
                    set_word(reg, lane_bytes, i, lane, word & mask);
                }
            }
        }
    }
}

const operation* enter(warp& w, const operation* op,
                       const std::array<std::uint64_t, warp_size>& targets) {
    const std::size_t depth = control_of(w).stack.top().call_depth + 1;
    // A function without a frame still needs its return address.
    constexpr std::size_t return_bytes = 8;
    if (depth > image_of(w).functions().size() + w.local_bytes / return_bytes)
        w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(w.active)),
                      fmt::format("stack overflow: {} calls inside one another", depth),
                      "raise -gpgpu_stack_size_limit");
    w.leave(op);
    const std::uint64_t pc = w.pc_of(op);
    control_of(w).stack.call(targets, pc + 1, pc);
    return control_of(w).resume(w);
}

}  // namespace

const operation* branch(warp& w, const operation* op) {
    const lane_mask takers = w.lanes_of(op);
    const operation* const target = w.code + op->source[0];
    if (takers == w.active) return w.jump(op, target);
    if (takers == 0) return op + 1;
    w.leave(op);
    control_of(w).stack.branch(takers, op->source[0], w.pc_of(op) + 1, reconvergence_pc_of(op));
    return control_of(w).resume(w);
}

const operation* indexed_branch(warp& w, const operation* op) {
    const lane_mask takers = w.lanes_of(op);
    if (takers == 0) return op + 1;
    const auto* const index = reinterpret_cast<const std::uint32_t*>(w.at(op->source[0]));
    const std::uint64_t fall_through = w.pc_of(op) + 1;
    simt_stack::outcome how;
    how.next_pc.fill(fall_through);
    how.reconvergence_pc = reconvergence_pc_of(op);
    for (lane_mask m = takers; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(m));
        if (index[lane] >= static_cast<std::uint64_t>(op->immediate))
            w.block->fail(w, op, lane,
                          fmt::format("branch index {} is beyond the {} targets", index[lane],
                                      op->immediate));
        how.next_pc[lane] = op->list[index[lane]];
    }
    w.leave(op);
    control_of(w).stack.advance(how, fall_through);
    return control_of(w).resume(w);
}

const operation* reconvergence_point(warp& w, const operation* op) {
    const std::uint64_t pc = w.pc_of(op);
    if (control_of(w).stack.top().reconvergence_pc != pc) return op + 1;
    w.leave(op);
    control_of(w).stack.reconverge(pc);
    return control_of(w).resume(w);
}

const operation* gather_at_barrier(warp& w, const operation* op) {
    simt_control& control = control_of(w);
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0 || lanes == control.lanes_awaited_by_barriers(w)) return op + 1;
    w.leave(op);
    const std::uint64_t pc = w.pc_of(op);
    const bool separately = op->immediate != 0;
    if (lanes != w.active) {  // the others continue after the instruction, where all reconverge
        const auto after = pc + static_cast<std::uint64_t>(op->immediate);
        control.stack.branch(lanes, pc, after, after);
        return control.resume(w);
    }
    if (control.stack.suspend_group(pc, simt_stack::waiting::at_barrier)) return control.resume(w);
    w.active = control.stack.active();
    // Others may be in another branch of a caller, or in a function from which these have returned.
    if (w.active != control.lanes_awaited_by_barriers(w)) {
        control.stack.wait_at_barrier(pc);
        if (control.stack.run_elsewhere() || (separately && control.stack.yield_group(pc)))
            return control.resume(w);
    }
    control.stack.stop_waiting();
    return w.continue_at(op + 1);
}

const operation* gather_members(warp& w, const operation* op) {
    simt_control& control = control_of(w);
    if (control.stack.depth() == 1) return op + 1;
    const auto* const named = reinterpret_cast<const std::uint32_t*>(w.at(op->source[0]));
    lane_mask members = 0;
    for (lane_mask m = w.active; m != 0; m &= m - 1) members |= named[__builtin_ctz(m)];
    const bool complete = (members & control.lanes_awaited_by_barriers(w) & ~w.active) == 0;
    if (complete) {
        control.stack.stop_waiting();
        return op + 1;
    }
    const std::uint64_t pc = w.pc_of(op);
    w.leave(op);
    if (control.stack.suspend_group(pc, simt_stack::waiting::for_members, members))
        return control.resume(w);
    // Lanes that waited here have joined.
    members |= control.stack.top().members;
    const lane_mask together = control.stack.active();
    if ((members & control.lanes_awaited_by_barriers(w) & ~together) != 0) {
        control.stack.wait_for_members(pc, members);
        if (control.exchange(w) || control.stack.run_elsewhere() ||
            control.stack.active() != together)
            return control.resume(w);
        // The others will not come.
    }
    w.active = together;
    control.stack.stop_waiting();
    return w.continue_at(op + 1);
}

const operation* call(warp& w, const operation* op) {
    const lane_mask callers = w.lanes_of(op);
    if (callers == 0) return op + 1;
    if (callers != w.active) return part(w, op, callers);
    std::array<std::uint64_t, warp_size> targets;
    targets.fill(op->source[0]);
    return enter(w, op, targets);
}

const operation* call_pointer(warp& w, const operation* op) {
    const lane_mask callers = w.lanes_of(op);
    if (callers == 0) return op + 1;
    if (callers != w.active) return part(w, op, callers);
    std::array<std::uint64_t, warp_size> targets{};
    for (lane_mask m = callers; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(m));
        device_address a = 0;
        std::memcpy(&a, w.at(op->source[0]) + lane * op->detail, op->detail);
        const function_image* const f = image_of(w).function_at(a);
        if (f == nullptr || !f->defined)
            w.block->fail(w, op, lane, fmt::format("{:#x} is not the address of a function", a));
        targets[lane] = f->first;
    }
    return enter(w, op, targets);
}

const operation* call_undefined(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const auto& f = image_of(w).functions()[static_cast<std::size_t>(op->immediate)];
    const std::string& name = f.source->name;
    const bool launches = name.rfind("__cudaCDP2", 0) == 0 ||  // since CUDA 12
                          name.rfind("cudaLaunchDevice", 0) == 0 ||
                          name.rfind("cudaGetParameterBuffer", 0) == 0;
    if (name == "cudaDeviceSynchronize")
        w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(lanes)),
                      "a kernel waits for the kernels that it has launched, which CUDA has not "
                      "supported since version 12",
                      "use cudaStreamTailLaunch");
    w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(lanes)),
                  launches ? name + ": this function of the device runtime is not executed"
                           : "function " + name + " is declared, but not defined in this module");
}

const operation* enter_function(warp& w, const operation* op) {
    simt_control& control = control_of(w);
    const std::uint64_t call_pc = control.stack.top().call_site;
    const std::uint32_t caller = control.stack.top().caller;
    const std::uint32_t number = control.stack.begin_call();
    const ptx_image& image = image_of(w);
    const function_image& f = image.functions()[static_cast<std::size_t>(op->immediate)];
    control.deepen(number);
    if (control.sizes[number] < f.frame_bytes) {
        control.frames[number] = make_lane_buffer(f.frame_bytes);
        control.sizes[number] = f.frame_bytes;
    }
    std::byte* const registers = control.frames[number].get();
    std::memset(registers, 0, f.frame_bytes);
    std::memcpy(registers, &all_lanes, sizeof all_lanes);
    w.banks[0] = registers;
    const std::uint32_t low = f.local_alignment - 1;
    w.local_base = control.local_bases[number] = (control.local_tops[caller] + low) & ~low;
    control.local_tops[number] = w.local_base + f.local_bytes;
    if (control.local_tops[number] > w.local_bytes)
        w.block->fail(w, w.code + call_pc, static_cast<unsigned>(__builtin_ctz(w.active)),
                      fmt::format("stack overflow: {} bytes of {} in use, {} asked for",
                                  w.local_base, w.local_bytes, f.local_bytes),
                      "raise -gpgpu_stack_size_limit");
    pass(w, site_of(w, call_pc).arguments, caller, w.local_base, f.passed_bytes, direction::store,
         w.active);
    pass(w, f.register_parameters, number, w.local_base, f.passed_bytes, direction::load, w.active);
    return op + 1;
}

const operation* return_from_function(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    if (control_of(w).stack.top().call_depth == 0) return exit_thread(w, op);
    const simt_stack::entry& call = control_of(w).stack.innermost_call();
    const function_image& f = image_of(w).functions()[static_cast<std::size_t>(op->immediate)];
    const std::uint32_t results = control_of(w).local_bases[call.frame] + f.result_base;
    pass(w, f.register_results, call.frame, results, f.result_bytes, direction::store, lanes);
    pass(w, site_of(w, call.call_site).results, call.caller, results, f.result_bytes,
         direction::load, lanes);
    w.leave(op);
    control_of(w).stack.return_from_call(lanes, w.pc_of(op) + 1);
    return control_of(w).resume(w);
}

const operation* exit_thread(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    w.leave(op);
    control_of(w).stack.exit(lanes, w.pc_of(op) + 1);
    return control_of(w).resume(w);
}

const operation* trap(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(lanes)), "the program traps");
}

const operation* refuse(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(lanes)),
                  "this instruction is not executed: it belongs to a later architecture, or its "
                  "operands have a form that is not known",
                  "docs/hopper.md and docs/blackwell.md list what is executed of sm_90 and later",
                  fault_kind::illegal_instruction);
}

const operation* nothing(warp&, const operation* op) {
    return op + 1;
}

const operation* give_way(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    if (w.pending != nullptr) {
        auto& r = static_cast<timed_request&>(*w.pending);
        r.asleep = lanes;
        r.sleep = 0;
        if (op->source[0] != no_operand) {
            r.sleep = longest_sleep;
            const auto* const time = reinterpret_cast<const std::uint32_t*>(w.at(op->source[0]));
            for (lane_mask m = lanes; m != 0; m &= m - 1)
                r.sleep = std::min(r.sleep, time[__builtin_ctz(m)]);
        }
    }
    w.leave(op);
    return w.stop(op + 1, warp_status::sleeping);
}

bool has_slept(const warp& w) {
    return w.status == warp_status::sleeping && w.next != w.code &&
           (w.next - 1)->execute == give_way;
}

}  // namespace simtlm::execution
