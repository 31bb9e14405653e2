// SPDX-License-Identifier: Apache-2.0
// The class and latency of PTX instructions follow the GPGPU-Sim manual and GPGPU-Sim: by opcode
// and type, as named by the options -ptx_opcode_latency_*.
#include "modules/execution/ptx/instruction_descriptors.h"

#include "modules/execution/ptx/ptx_image.h"
#include "modules/execution/ptx/register_numbers.h"
#include "modules/isa/scheduling.h"
#include "modules/program/control_assigner.h"
#include "modules/ptx/control_flow.h"

#include <algorithm>
#include <utility>

namespace simtlm::execution {

namespace {

using program::op_class;
using program::static_instruction;
using ptx::opcode;
using ptx::state_space;

void set_timing(static_instruction& i, op_class c, const opcode_timing::entry& t) {
    i.cls = c;
    i.latency = t.latency;
    i.initiation_interval = t.initiation_interval;
}

/// Sets the timing of arithmetic according to its type.
void set_arithmetic(static_instruction& i, const ptx::operation& o, const opcode_timing& t,
                    opcode_timing::kind k) {
    if (o.first_type() == ptx::type::f32)
        set_timing(i, op_class::sp, t.single[k]);
    else if (o.first_type() == ptx::type::f64)
        set_timing(i, op_class::dp, t.double_precision[k]);
    else
        set_timing(i, op_class::integer, t.integer[k]);
    if (k == opcode_timing::divide) i.cls = op_class::sfu;
}

opcode_timing::entry one_longer(opcode_timing::entry e) {
    ++e.latency;
    ++e.initiation_interval;
    return e;
}

void set_class(static_instruction& i, const ptx::operation& o, const opcode_timing& t) {
    using kind = opcode_timing::kind;
    switch (o.op) {
        case opcode::add:
        case opcode::addc:
        case opcode::sub:
        case opcode::subc:
            return set_arithmetic(i, o, t, kind::add);
        case opcode::min:
        case opcode::max:
            return set_arithmetic(i, o, t, kind::extremum);
        case opcode::mul:
            return set_arithmetic(i, o, t, kind::multiply);
        case opcode::mad:
        case opcode::madc:
        case opcode::fma:
            return set_arithmetic(i, o, t, kind::multiply_add);
        case opcode::div:
        case opcode::rem:
            return set_arithmetic(i, o, t, kind::divide);
        case opcode::mul24:
            return set_timing(i, op_class::integer, one_longer(t.integer[kind::multiply]));
        case opcode::mad24:
            return set_timing(i, op_class::integer, one_longer(t.integer[kind::multiply_add]));
        case opcode::sqrt:
        case opcode::sin:
        case opcode::cos:
        case opcode::ex2:
        case opcode::lg2:
        case opcode::rsqrt:
        case opcode::rcp:
        case opcode::tanh:
            return set_timing(i, op_class::sfu, t.special_function);
        case opcode::mma:
        case opcode::mma_sp:
        case opcode::wmma_mma:
            return set_timing(i, op_class::tensor, t.tensor);
        case opcode::shfl:
            return set_timing(i, op_class::alu, t.integer[kind::shuffle]);
        case opcode::bra:
        case opcode::brx_idx:
            i.cls = op_class::branch;
            return;
        case opcode::call:
            i.cls = op_class::call;
            return;
        case opcode::ret:
            i.cls = op_class::ret;
            return;
        case opcode::exit:
            i.cls = op_class::exit;
            return;
        case opcode::bar_sync:
        case opcode::bar_arrive:
        case opcode::bar_red:
            i.cls = op_class::barrier;
            return;
        case opcode::membar:
        case opcode::fence:
            i.cls = op_class::memory_barrier;
            return;
        default:
            return;
    }
}

program::memory_space space_of(const ptx::operation& o, bool in_entry) {
    switch (o.space) {
        case state_space::global:
            return program::memory_space::global;
        case state_space::shared:
            return program::memory_space::shared;
        case state_space::local:
            return program::memory_space::local;
        case state_space::const_:
            return program::memory_space::constant;
        case state_space::param:
            return in_entry && o.window != ptx::space_window::func ? program::memory_space::constant
                                                                   : program::memory_space::local;
        case state_space::tex:
            return program::memory_space::texture;
        default:
            return program::memory_space::generic;
    }
}

/// Whether a kernel accesses an argument or result of a call, which is in its frame, unlike its own
/// parameters.
bool is_argument_of_call(const ptx::module& m, const ptx::function& f,
                         const ptx::instruction& source, const ptx::operation& o) {
    if ((o.op != opcode::ld && o.op != opcode::st) || o.space != state_space::param) return false;
    const ptx::operand& address = f.operand_of(source, o.op == opcode::ld ? 1 : 0);
    return address.kind == ptx::operand_kind::address_variable &&
           !m.variables[address.index].parameter;
}

void set_access(static_instruction& i, const ptx::operation& o, bool loads, bool in_entry) {
    i.is_load = loads;
    i.is_store = !loads;
    i.cls = loads ? op_class::load : op_class::store;
    i.space = space_of(o, in_entry);
    if (o.cache == ptx::cache_operator::cg) i.cache_op = program::cache_operator::cache_global;
    i.l2_block = o.has(ptx::flag::prefetch_64)    ? 64
                 : o.has(ptx::flag::prefetch_128) ? 128
                 : o.has(ptx::flag::prefetch_256) ? 256
                                                  : 0;
    if (o.cache == ptx::cache_operator::lu) i.cache_op = program::cache_operator::last_use;
}

void set_memory(static_instruction& i, const ptx::operation& o, const opcode_timing& t,
                bool in_entry) {
    const unsigned elements = t.quirk.vector_is_one_element ? 1 : o.vector;
    const auto bytes = static_cast<std::uint8_t>(ptx::bytes_of(o.first_type()) * elements);
    switch (o.op) {
        case opcode::ld:
        case opcode::ldu:
            set_access(i, o, true, in_entry);
            i.data_size = bytes;
            return;
        case opcode::st:
            set_access(i, o, false, in_entry);
            i.data_size = bytes;
            return;
        case opcode::prefetch:
        case opcode::prefetchu:
            set_access(i, o, true, in_entry);
            i.space = program::memory_space::global;
            set_prefetch(i, o.op == opcode::prefetch && o.variant != ptx::mode::l1);
            return;
        case opcode::atom:
        case opcode::red:
            set_access(i, o, true, in_entry);
            i.is_atomic = true;
            i.cache_op = program::cache_operator::cache_global;
            i.data_size = bytes;
            return;
        case opcode::wmma_load:
        case opcode::wmma_store:
            set_access(i, o, o.op == opcode::wmma_load, in_entry);
            i.data_size = 4;
            return;
        case opcode::ldmatrix:
            set_access(i, o, true, in_entry);
            i.space = program::memory_space::shared;
            i.special = program::special_op::ldsm;
            i.data_size = 4;
            return;
        case opcode::stmatrix:
            set_access(i, o, false, in_entry);
            i.space = program::memory_space::shared;
            i.data_size = 4;
            return;
        case opcode::cp_async:
            set_access(i, o, true, in_entry);
            i.space = program::memory_space::global;
            i.special = program::special_op::ldgsts;
            return;
        case opcode::cp_async_commit_group:
            i.special = program::special_op::ldgdepbar;
            return;
        case opcode::cp_async_wait_group:
        case opcode::cp_async_wait_all:
            i.special = program::special_op::depbar;
            return;
        case opcode::tex:
        case opcode::tld4:
            set_access(i, o, true, in_entry);
            i.space = program::memory_space::texture;
            i.data_size = 4;
            return;
        case opcode::suld:
        case opcode::sust:
        case opcode::sured:
            set_access(i, o, o.op != opcode::sust, in_entry);
            i.space = program::memory_space::global;
            i.is_atomic = o.op == opcode::sured;
            if (i.is_atomic) i.cache_op = program::cache_operator::cache_global;
            // The size of a texel is not known here; it is in one sector.
            i.data_size = o.has(ptx::flag::formatted) ? 4 : bytes;
            return;
        default:
            return;
    }
}

/// Quirk: GPGPU-Sim ignores the result of these.
bool has_missed_result(opcode op) {
    switch (op) {
        case opcode::vote:
        case opcode::vabsdiff:
        case opcode::vadd:
        case opcode::vmad:
        case opcode::vmax:
        case opcode::vmin:
        case opcode::vset:
        case opcode::vshl:
        case opcode::vshr:
        case opcode::vsub:
            return true;
        default:
            return false;
    }
}

/// Collects the registers that an instruction writes and reads, for scoreboard and operand
/// collector. Predicates are not part of the register file.
class register_collector {
public:
    register_collector(static_instruction& to, const ptx::module& m, std::uint32_t function,
                       const register_numbers& numbers, const opcode_timing::quirks& quirk)
        : to_(to),
          f_(m.functions[function]),
          function_(function),
          numbers_(numbers),
          quirk_(quirk) {}

    /// @param result_is_missed  quirk: results are treated as sources
    void collect(const ptx::instruction& i, bool result_is_missed) {
        // The registers of a warpgroup product are guarded by wgmma.wait_group, those of tcgen05.ld
        // by tcgen05.wait::ld, not by the scoreboard.
        const bool guarded = to_.special == program::special_op::warpgroup_mma ||
                             to_.special == program::special_op::tensor_work;
        const unsigned first = guarded ? i.result_count : 0;
        for (unsigned n = first; n < i.operand_count; ++n)
            add(f_.operand_of(i, n), n < i.result_count && !result_is_missed);
        if (i.guard != ptx::no_index) add_source(i.guard, false);
    }

private:
    void add(const ptx::operand& o, bool written) {
        if (o.kind == ptx::operand_kind::vector) {
            for (unsigned e = 0; e < o.count; ++e) add(f_.element_of(o, e), written);
        } else if (o.kind == ptx::operand_kind::address_register) {
            if (!to_.is_atomic || !quirk_.missed_hazards) add_source(o.index, true);
        } else if (o.kind == ptx::operand_kind::reg) {
            if (written)
                add_destination(o.index);
            else
                add_source(o.index,
                           quirk_.names_give_banks || f_.registers[o.index] != ptx::type::pred);
        }
    }
    void add_destination(std::uint32_t index) {
        if (to_.n_dst < program::max_destinations)
            to_.dst[to_.n_dst++] = numbers_.of(function_, index);
    }
    void add_source(std::uint32_t index, bool collected) {
        if (to_.n_src == program::max_sources) return;
        if (quirk_.names_give_banks) collected = collected && is_new_name(index);
        if (!collected) to_.uncollected |= 1u << to_.n_src;
        to_.src[to_.n_src++] = numbers_.of(function_, index);
    }
    /// Quirk: GPGPU-Sim identifies registers with the same number in their names.
    bool is_new_name(std::uint32_t index) {
        const std::int64_t number = number_in_name(f_.register_name(index));
        if (number < 0 || std::find(seen_.begin(), seen_.end(), number) != seen_.end())
            return false;
        seen_.push_back(number);
        return true;
    }

    static_instruction& to_;
    const ptx::function& f_;
    std::uint32_t function_;
    const register_numbers& numbers_;
    const opcode_timing::quirks& quirk_;
    std::vector<std::int64_t> seen_;
};

program::barrier_kind barrier_of(opcode op) {
    switch (op) {
        case opcode::bar_sync:
            return program::barrier_kind::sync;
        case opcode::bar_arrive:
            return program::barrier_kind::arrive;
        case opcode::bar_red:
            return program::barrier_kind::reduction;
        default:
            return program::barrier_kind::none;
    }
}

/// @param asynchronous_engines  SMs have units for bulk copies and products of warpgroups
/// @param tensor_memory         SMs have tensor memory
bool has_timing(opcode op, bool asynchronous_engines, bool tensor_memory) {
    switch (op) {
        case opcode::cp_async_bulk:
        case opcode::cp_async_bulk_tensor:
        case opcode::cp_reduce_async_bulk:
        case opcode::cp_reduce_async_bulk_tensor:
        case opcode::wgmma_mma_async:
        case opcode::wgmma_mma_async_sp:
        case opcode::cp_async_bulk_prefetch:
        case opcode::cp_async_bulk_prefetch_tensor:
        case opcode::st_async:
        case opcode::red_async:
        case opcode::clusterlaunchcontrol_try_cancel:
            return asynchronous_engines;
        case opcode::tcgen05_mma:
        case opcode::tcgen05_cp:
        case opcode::tcgen05_shift:
        case opcode::tcgen05_commit:
        case opcode::tcgen05_ld:
        case opcode::tcgen05_ld_red:
        case opcode::tcgen05_st:
        case opcode::tcgen05_alloc:
        case opcode::tcgen05_dealloc:
            return tensor_memory;
        default:
            return true;
    }
}

/// Sets the issue-time properties of instructions of asynchronous engines and of mbarriers.
void set_asynchronous(static_instruction& i, const ptx::function& f, const ptx::instruction& source,
                      const ptx::operation& o) {
    using program::special_op;
    const auto groups = [&] { return static_cast<std::int32_t>(f.operand_of(source, 0).value); };
    switch (o.op) {
        case opcode::griddepcontrol:
            i.special = o.has(ptx::flag::wait) ? special_op::dependency_wait
                                               : special_op::launch_dependents;
            return;
        case opcode::mbarrier_arrive:
        case opcode::mbarrier_arrive_drop:
        case opcode::mbarrier_complete_tx:
        case opcode::mbarrier_expect_tx:
        case opcode::cp_async_mbarrier_arrive:
            i.special = special_op::mbarrier_update;
            return;
        case opcode::mbarrier_try_wait:
        case opcode::mbarrier_test_wait:
            i.special = special_op::mbarrier_wait;
            return;
        case opcode::cp_async_bulk:
        case opcode::cp_async_bulk_tensor:
        case opcode::cp_reduce_async_bulk:
        case opcode::cp_reduce_async_bulk_tensor:
        case opcode::cp_async_bulk_prefetch:
        case opcode::cp_async_bulk_prefetch_tensor:
        case opcode::prefetch_tensormap:
        case opcode::clusterlaunchcontrol_try_cancel:
            i.special = special_op::bulk_copy;
            return;
        case opcode::st_async:
        case opcode::red_async:
            i.special = special_op::remote_store;
            return;
        case opcode::cp_async_bulk_commit_group:
            i.special = special_op::bulk_commit;
            return;
        case opcode::cp_async_bulk_wait_group:
            i.special = o.has(ptx::flag::read) ? special_op::bulk_wait_read : special_op::bulk_wait;
            i.immediate = groups();
            return;
        case opcode::wgmma_fence:
            i.special = special_op::warpgroup_arrive;
            return;
        case opcode::wgmma_mma_async:
        case opcode::wgmma_mma_async_sp:
            i.special = special_op::warpgroup_mma;
            i.cls = op_class::tensor;
            i.immediate = f.operand_of(source, 1).kind == ptx::operand_kind::vector ? 1 : 0;
            return;
        case opcode::wgmma_commit_group:
            i.special = special_op::warpgroup_commit;
            return;
        case opcode::tcgen05_mma:
        case opcode::tcgen05_cp:
        case opcode::tcgen05_shift:
        case opcode::tcgen05_commit:
        case opcode::tcgen05_ld:
        case opcode::tcgen05_ld_red:
        case opcode::tcgen05_st:
        case opcode::tcgen05_alloc:
        case opcode::tcgen05_dealloc:
            i.special = special_op::tensor_work;
            return;
        case opcode::tcgen05_wait_ld:
        case opcode::tcgen05_wait_st:
            i.special = special_op::tensor_wait;
            i.immediate = o.op == opcode::tcgen05_wait_st ? 1 : 0;
            return;
        case opcode::wgmma_wait_group:
            i.special = special_op::warpgroup_wait;
            i.immediate = groups();
            return;
        default:
            return;
    }
}

/// Names of what only affects how long an instruction takes, and is ignored (docs/execution.md).
std::vector<std::string> ignored_hints_of(const ptx::operation& o) {
    std::vector<std::string> names;
    switch (o.op) {
        case opcode::applypriority:
        case opcode::discard:
        case opcode::createpolicy:
            return {o.op == opcode::applypriority ? "applypriority"
                    : o.op == opcode::discard     ? "discard"
                                                  : "createpolicy"};
        default:
            break;
    }
    if (o.evict_l1 != ptx::eviction::none && o.evict_l1 != ptx::eviction::normal)
        names.emplace_back(o.evict_l1 == ptx::eviction::no_allocate ? "L1::no_allocate"
                                                                    : "L1::evict");
    if (o.evict_l2 != ptx::eviction::none && o.evict_l2 != ptx::eviction::normal)
        names.emplace_back("L2::evict");
    if (o.has(ptx::flag::cache_hint)) names.emplace_back("L2::cache_hint");
    if (o.cache == ptx::cache_operator::cs) names.emplace_back(".cs");
    if (o.cache == ptx::cache_operator::wt) names.emplace_back(".wt");
    return names;
}

/// Whether control flow can reach the end of a function's text, which returns.
bool is_left_by_its_end(const ptx::module& m, const ptx::function& f) {
    if (f.code.empty()) return true;
    const ptx::instruction& last = f.code.back();
    if (last.guard != ptx::no_index) return true;
    switch (m.operation_of(last).op) {
        case opcode::ret:
        case opcode::exit:
        case opcode::bra:
        case opcode::trap:
            return false;
        default:
            return true;
    }
}

/// Assigns control bits by function. @param architecture  70: Volta
void assign_controls(const ptx_image& image, std::vector<static_instruction>& instructions,
                     unsigned architecture) {
    const ptx::module& m = image.source();
    const auto& origins = image.origins();
    program::control_assigner assigner(program::dependence_latencies::of(architecture));
    for (std::uint32_t begin = 0; begin < instructions.size();) {
        const ptx::function& f = m.functions[origins[begin].function];
        const auto size = static_cast<std::uint32_t>(f.code.size());
        const ptx::control_flow flow = ptx::analyse_control_flow(m, f);
        const auto end_block = static_cast<std::uint32_t>(flow.blocks.size());
        std::vector<program::scheduled_block> blocks(end_block + 1);
        for (std::uint32_t b = 0; b < end_block; ++b) {
            for (std::uint32_t k = flow.blocks[b].first; k <= flow.blocks[b].last; ++k)
                blocks[b].code.push_back(&instructions[begin + k]);
            for (const std::uint32_t s : flow.blocks[b].successors)
                blocks[b].successors.push_back(std::min(s, end_block));
        }
        blocks.back().code.push_back(&instructions[begin + size]);  // end of the function
        const auto bits = assigner.assign(blocks);
        for (std::uint32_t b = 0; b <= end_block; ++b) {
            const std::uint32_t first = begin + (b < end_block ? flow.blocks[b].first : size);
            for (std::size_t n = 0; n < bits[b].size(); ++n)
                instructions[first + n].control = bits[b][n];
        }
        begin += size + 1;
    }
}

}  // namespace

instruction_descriptors::instruction_descriptors(std::vector<static_instruction> instructions,
                                                 std::vector<code_range> ranges,
                                                 std::uint32_t register_numbers)
    : descriptor_(std::move(instructions)),
      sequence_(descriptor_.size() + 1),
      end_of_function_(descriptor_.size()),
      ranges_(std::move(ranges)),
      register_numbers_(register_numbers) {
    for (std::size_t n = 0; n < descriptor_.size(); ++n) {
        sequence_[n].info = &descriptor_[n];
        sequence_[n].space = descriptor_[n].space;
    }
    for (const code_range& r : ranges_)
        std::fill(end_of_function_.begin() + r.first, end_of_function_.begin() + r.end, r.end);
}

std::vector<program::instruction_window> instruction_descriptors::code_of(
    std::uint32_t function) const {
    std::vector<program::instruction_window> code;
    for (const code_range& r : ranges_)
        if (r.exists && r.first != r.end && (r.function == function || !r.entry))
            code.push_back(window_from(r.first));
    // A kernel of machine code begins at 0, also if a cubin contains it after its functions.
    std::sort(code.begin(), code.end(),
              [](const auto& a, const auto& b) { return a.next->info->pc < b.next->info->pc; });
    return code;
}

std::string instruction_descriptors::untimed_in(std::uint32_t function) const {
    for (const code_range& r : ranges_) {
        if (!r.exists || (r.entry && r.function != function)) continue;
        for (const std::uint32_t n : untimed_)
            if (n >= r.first && n < r.end) return descriptor_[n].opcode;
    }
    return {};
}

void set_prefetch(static_instruction& load, bool l2_only) {
    constexpr std::uint8_t word_bytes = 4;
    constexpr std::uint16_t line_bytes = 128;
    load.data_size = word_bytes;
    load.l2_block = line_bytes;
    load.cache_op =
        l2_only ? program::cache_operator::prefetch_l2 : program::cache_operator::cache_all;
}

std::shared_ptr<const instruction_descriptors> describe_ptx(const ptx_image& image,
                                                            const opcode_timing& timing) {
    const ptx::module& m = image.source();
    const auto& origins = image.origins();
    constexpr std::uint8_t bytes = instruction_bytes(instruction_set::ptx);
    std::vector<static_instruction> instructions(origins.size());
    std::vector<code_range> ranges;
    const register_numbers numbers(m, timing.quirk.names_give_banks);
    std::vector<std::uint32_t> untimed;
    std::vector<instruction_descriptors::ignored_hint> hints;
    std::uint64_t pc = 0;
    for (std::uint32_t n = 0; n < origins.size(); ++n) {
        static_instruction& i = instructions[n];
        i.pc = pc;
        i.code_bytes = bytes;
        const ptx::function& f = m.functions[origins[n].function];
        const bool is_end = origins[n].instruction >= f.code.size();
        const bool exists = !is_end || is_left_by_its_end(m, f);
        if (exists) pc += bytes;
        if (is_end)
            ranges.push_back({origins[n].function, n, n + 1, f.entry, exists});
        else if (origins[n].instruction == 0)
            ranges.push_back({origins[n].function, n, n + static_cast<std::uint32_t>(f.code.size()),
                              f.entry, true});
        if (is_end) {
            i.opcode = "ret";
            i.cls = f.entry ? op_class::exit : op_class::ret;
            isa::set_opcode_properties(i);
            continue;
        }
        const ptx::instruction& source = f.code[origins[n].instruction];
        const ptx::operation& o = m.operation_of(source);
        i.opcode = o.text.c_str();
        i.source_line = source.where.line;
        set_class(i, o, timing);
        set_memory(i, o, timing, f.entry);
        if (is_argument_of_call(m, f, source, o)) i.space = program::memory_space::local;
        i.barrier = barrier_of(o.op);
        if (!has_timing(o.op, timing.asynchronous_engines, timing.tensor_memory))
            untimed.push_back(n);
        set_asynchronous(i, f, source, o);
        for (std::string& name : ignored_hints_of(o)) hints.push_back({n, std::move(name)});
        if (o.op == opcode::cp_async)
            i.data_size = static_cast<std::uint8_t>(f.operand_of(source, 2).value);
        if (o.op == opcode::cp_async_wait_group)
            i.immediate = static_cast<std::int32_t>(f.operand_of(source, 0).value);
        register_collector(i, m, origins[n].function, numbers, timing.quirk)
            .collect(source, timing.quirk.missed_hazards && has_missed_result(o.op));
        // A return from a kernel ends its threads.
        if (i.cls == op_class::ret && f.entry) i.cls = op_class::exit;
        isa::set_opcode_properties(i, o);
    }
    if (timing.controls_of != 0) assign_controls(image, instructions, timing.controls_of);
    auto all = std::make_shared<instruction_descriptors>(std::move(instructions), std::move(ranges),
                                                         numbers.end());
    for (const std::uint32_t n : untimed) all->note_untimed(n);
    for (auto& h : hints) all->note_ignored_hint(h.instruction, std::move(h.name));
    return all;
}

}  // namespace simtlm::execution
