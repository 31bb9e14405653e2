// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/module_builder.h"

#include "modules/execution/operations/special.h"
#include "modules/execution/ptx/function_lowering.h"
#include "modules/ptx/resources.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

namespace simtlm::execution {

namespace {

std::uint64_t round_up(std::uint64_t a, std::uint64_t to) {
    return (a + to - 1) / to * to;
}

std::uint64_t alignment_of(const ptx::variable& v) {
    return std::max<std::uint64_t>(v.alignment, 1);
}
bool is_reference(ptx::type t) {
    return ptx::class_of(t) == ptx::type_class::opaque;
}

}  // namespace

module_builder::module_builder(ptx_image& image, device_memory& memory)
    : image_(image), memory_(memory) {}

void module_builder::build() {
    const ptx::module& m = source();
    image_.addresses_.assign(m.variables.size(), 0);
    functions().resize(m.functions.size());
    for (std::size_t i = 0; i < m.functions.size(); ++i) {
        functions()[i].source = &m.functions[i];
        functions()[i].defined = m.functions[i].defined;
    }
    place_in_memory();
    place_in_frames();
    // The shared variables used by each function are known after lowering; their offsets are then
    // patched.
    for (std::uint32_t i = 0; i < m.functions.size(); ++i)
        if (m.functions[i].defined) {
            std::vector<std::uint32_t>& used = functions()[i].shared_variables;
            const auto note = [&](const ptx::operand& o) {
                const bool names = o.kind == ptx::operand_kind::variable ||
                                   o.kind == ptx::operand_kind::address_variable;
                if (names && m.variables[o.index].space == ptx::state_space::shared)
                    used.push_back(o.index);
                if (o.kind == ptx::operand_kind::function)
                    functions()[i].callees.push_back(resolved(o.index));
                if (o.kind == ptx::operand_kind::special &&
                    reserved_shared::contains(static_cast<ptx::special_register>(o.index)))
                    reserved_shared_ =
                        std::max(reserved_shared_, std::uint32_t{reserved_shared::bytes});
            };
            for (const ptx::operand& o : m.functions[i].operands) note(o);
            for (const ptx::operand& o : m.functions[i].elements) note(o);
            for (const ptx::call_target_list& l : m.functions[i].call_targets)
                for (const std::uint32_t f : l.functions)
                    functions()[i].callees.push_back(resolved(f));
        }
    place_shared();
    for (kernel_image& k : image_.kernels_) lay_out_parameters(k, m.functions[k.function]);
    initialise();
    std::vector<std::unique_ptr<function_lowering>> lowerings;
    for (std::uint32_t i = 0; i < m.functions.size(); ++i)
        if (m.functions[i].defined)
            lowerings.push_back(std::make_unique<function_lowering>(*this, i));
    for (const auto& l : lowerings) l->allot_registers();
    for (const auto& l : lowerings) l->lower();
    for (const unresolved_call& c : unresolved_)
        code()[c.operation].source[0] = functions()[c.function].first;
    for (std::uint32_t i = 0; i < m.functions.size(); ++i)
        if (m.functions[i].alias_of != ptx::no_index) {
            const std::uint32_t body = resolved(i);
            functions()[i] = functions()[body];
        }
    image_.constants_ = constants_.build();
    describe_kernels();
    list_variables();
}

bool module_builder::is_dynamic_shared(std::uint32_t variable) const {
    const ptx::variable& v = source().variables[variable];
    return v.space == ptx::state_space::shared && (v.unsized || v.size == 0);
}

operand_ref* module_builder::new_list(std::size_t refs) {
    image_.lists_.push_back(std::make_unique<operand_ref[]>(refs));
    return image_.lists_.back().get();
}

std::uint32_t module_builder::resolved(std::uint32_t function) const {
    const ptx::module& m = source();
    for (unsigned hops = 0; hops < 16 && m.functions[function].alias_of != ptx::no_index; ++hops)
        function = m.functions[function].alias_of;
    if (m.functions[function].defined) return function;
    for (std::uint32_t i = 0; i < m.functions.size(); ++i)
        if (m.functions[i].defined && m.functions[i].name == m.functions[function].name) return i;
    return function;
}

/// Places variables in the order of ptxas: constants, then initialised global variables, then the
/// others, each of the latter two by descending alignment. Programs that copy whole arrays with
/// more than their declared alignment, such as with tensor maps, depend on it.
void module_builder::place_in_memory() {
    const ptx::module& m = source();
    constexpr std::uint64_t section_alignment = 256;
    enum class section { constants, initialised, other };
    const auto section_of = [](const ptx::variable& v) {
        return v.space == ptx::state_space::const_ ? section::constants
               : v.initialised                     ? section::initialised
                                                   : section::other;
    };
    std::vector<std::size_t> order(m.variables.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const ptx::variable &v = m.variables[a], &w = m.variables[b];
        const section s = section_of(v);
        if (s != section_of(w)) return s < section_of(w);
        return s != section::constants && alignment_of(v) > alignment_of(w);
    });
    bool placed[3] = {};
    for (const std::size_t i : order) {
        const ptx::variable& v = m.variables[i];
        const bool in_memory = v.space == ptx::state_space::global ||
                               v.space == ptx::state_space::const_ ||
                               v.space == ptx::state_space::tex || is_reference(v.type);
        if (!in_memory || v.parameter) continue;
        if (v.link == ptx::linkage::external && !v.initialised) {
            // A declaration shares the address of a definition elsewhere in the module.
            const ptx::variable* const other = m.find_variable(v.name);
            if (other != nullptr && other != &v && other->link != ptx::linkage::external) continue;
        }
        const std::uint64_t bytes =
            is_reference(v.type) ? std::max<std::uint64_t>(v.size, 64) : v.size;
        bool& begun = placed[static_cast<unsigned>(section_of(v))];
        const std::uint64_t least = !begun ? section_alignment : is_reference(v.type) ? 64 : 1;
        begun = true;
        const device_address a =
            memory_.allocate_static(bytes, std::max<std::uint64_t>(alignment_of(v), least), v.name);
        image_.addresses_[i] = a;
        image_.owned_.push_back(a);
    }
    for (std::size_t i = 0; i < m.variables.size(); ++i) {
        const ptx::variable& v = m.variables[i];
        if (image_.addresses_[i] != 0 || v.link != ptx::linkage::external) continue;
        for (std::size_t k = 0; k < m.variables.size(); ++k)
            if (k != i && m.variables[k].name == v.name && image_.addresses_[k] != 0)
                image_.addresses_[i] = image_.addresses_[k];
    }
}

/// Checks that a variable of a thread or CTA is within the address window of its memory.
void module_builder::check_fits(const ptx::variable& v, std::uint64_t at) const {
    if (at <= address_windows::size && v.size <= address_windows::size - at) return;
    throw support::user_error(source().where(v.where),
                              fmt::format("{} has {} bytes; this memory has {} at most", v.name,
                                          v.size, std::uint64_t{address_windows::size}),
                              "make it smaller, or place it in global memory");
}

/// Determines how much memory variadic functions have for the arguments of any call.
void module_builder::find_variadic_bytes() {
    const ptx::module& m = source();
    for (const ptx::function& f : m.functions)
        for (const ptx::instruction& i : f.code) {
            if (m.operation_of(i).op != ptx::opcode::call) continue;
            const ptx::operand& given = f.operand_of(i, 2);
            const ptx::operand* const last =
                given.kind == ptx::operand_kind::vector && given.count != 0
                    ? &f.element_of(given, given.count - 1)
                    : nullptr;
            if (last == nullptr || last->kind != ptx::operand_kind::variable) continue;
            const ptx::variable& v = m.variables[last->index];
            check_fits(v, 0);
            variadic_bytes_ = std::max(variadic_bytes_, static_cast<std::uint32_t>(v.size));
        }
}

passed_layout module_builder::layout_of(const std::vector<ptx::prototype::item>& items) const {
    passed_layout layout;
    std::uint64_t at = 0;
    for (const ptx::prototype::item& i : items) {
        const std::uint64_t alignment = std::max<std::uint64_t>(i.alignment, 4);
        const std::uint64_t bytes = i.size != 0 ? i.size : variadic_bytes_;
        at = round_up(at, alignment);
        layout.offsets.push_back(static_cast<std::uint32_t>(at));
        layout.sizes.push_back(static_cast<std::uint32_t>(bytes));
        layout.alignment = std::max(layout.alignment, static_cast<std::uint32_t>(alignment));
        at += bytes;
        if (at > address_windows::size)
            throw support::user_error(source().file, "the parameters of a function are too large",
                                      "pass them through global memory");
    }
    layout.bytes = static_cast<std::uint32_t>(at);
    return layout;
}

/// Parameters of a function are first in its frame, followed by its results and its own variables,
/// so that a call through a pointer finds them without knowing the function.
void module_builder::place_in_frames() {
    const ptx::module& m = source();
    find_variadic_bytes();
    // Local variables of the module come first in the memory of every thread.
    std::uint64_t of_module = 0;
    for (std::size_t i = 0; i < m.variables.size(); ++i) {
        const ptx::variable& v = m.variables[i];
        if (v.space != ptx::state_space::local || v.owner != ptx::no_index) continue;
        of_module = round_up(of_module, std::max<std::uint64_t>(alignment_of(v), 4));
        image_.addresses_[i] = of_module;
        check_fits(v, of_module);
        of_module += v.size;
    }
    for (std::size_t i = 0; i < m.functions.size(); ++i) {
        const ptx::function& f = m.functions[i];
        function_image& image = functions()[i];
        std::uint64_t at = f.entry ? of_module : 0, alignment = 16;
        const auto pass = [&](const std::vector<ptx::parameter>& list,
                              std::vector<argument_copy>& in_registers) {
            const passed_layout layout = layout_of(m.items_of(f, list));
            at = round_up(at, layout.alignment);
            alignment = std::max<std::uint64_t>(alignment, layout.alignment);
            for (std::size_t n = 0; n < list.size(); ++n) {
                if (list[n].in_register)
                    in_registers.push_back(
                        {true, list[n].index, layout.offsets[n], layout.sizes[n], 0});
                else
                    image_.addresses_[list[n].index] = at + layout.offsets[n];
            }
            at += layout.bytes;
            return layout.bytes;
        };
        if (!f.entry) {
            image.passed_bytes = pass(f.parameters, image.register_parameters);
            image.result_bytes = pass(f.results, image.register_results);
            image.result_base = static_cast<std::uint32_t>(at - image.result_bytes);
        }
        for (const std::uint32_t index : f.variables) {
            const ptx::variable& v = m.variables[index];
            const bool in_frame =
                v.space == ptx::state_space::local || v.space == ptx::state_space::param;
            if (v.parameter || !in_frame) continue;
            alignment = std::max<std::uint64_t>(alignment, alignment_of(v));
            at = round_up(at, std::max<std::uint64_t>(alignment_of(v), 4));
            image_.addresses_[index] = at;
            check_fits(v, at);
            at += v.size;
        }
        image.local_bytes = static_cast<std::uint32_t>(round_up(at, 16));
        image.local_alignment = static_cast<std::uint32_t>(alignment);
    }
}

std::vector<std::uint32_t> module_builder::reachable_from(std::uint32_t function,
                                                          bool& unknown) const {
    std::vector<std::uint32_t> found{function};
    for (std::size_t i = 0; i < found.size(); ++i) {
        const function_image& f = image_.functions_[found[i]];
        unknown |= f.calls_unknown;
        for (const std::uint32_t callee : f.callees)
            if (std::find(found.begin(), found.end(), callee) == found.end())
                found.push_back(callee);
    }
    return found;
}

/// Assigns offsets to shared variables that are valid in every kernel that can reach them, as low
/// as possible.
void module_builder::place_shared() {
    const ptx::module& m = source();
    std::vector<std::vector<std::uint32_t>> users(m.variables.size());  // kernels, by variable
    for (std::uint32_t k = 0; k < m.functions.size(); ++k) {
        if (!m.functions[k].entry) continue;
        bool unknown = false;
        for (const std::uint32_t f : reachable_from(k, unknown))
            for (const std::uint32_t v : functions()[f].shared_variables)
                if (users[v].empty() || users[v].back() != k) users[v].push_back(k);
    }
    std::vector<std::uint64_t> used(m.functions.size(), reserved_shared_);
    for (std::uint32_t v = 0; v < m.variables.size(); ++v) {
        if (m.variables[v].space != ptx::state_space::shared || is_dynamic_shared(v)) continue;
        std::uint64_t at = 0;
        for (const std::uint32_t k : users[v]) at = std::max(at, used[k]);
        at = round_up(at, alignment_of(m.variables[v]));
        image_.addresses_[v] = at;
        check_fits(m.variables[v], at);
        for (const std::uint32_t k : users[v]) used[k] = at + m.variables[v].size;
    }
    for (std::uint32_t k = 0; k < m.functions.size(); ++k) {
        if (!m.functions[k].entry) continue;
        std::uint64_t alignment = 1;
        for (std::uint32_t v = 0; v < m.variables.size(); ++v)
            if (is_dynamic_shared(v) &&
                std::find(users[v].begin(), users[v].end(), k) != users[v].end())
                alignment = std::max({alignment, alignment_of(m.variables[v]), std::uint64_t{16}});
        kernel_image kernel;
        kernel.name = m.functions[k].name;
        kernel.function = k;
        kernel.static_shared = static_cast<std::uint32_t>(round_up(used[k], alignment));
        kernel.reserved_shared = reserved_shared_;
        image_.kernels_.push_back(std::move(kernel));
    }
}

std::uint64_t module_builder::value_of(const ptx::relocation& r) const {
    if (r.function) return ptx_image::address_of_function(resolved(r.symbol));
    std::uint64_t value = image_.addresses_[r.symbol];
    if (r.generic && source().variables[r.symbol].space == ptx::state_space::shared)
        value += address_windows::shared;
    return value;
}

void module_builder::initialise() {
    const ptx::module& m = source();
    for (std::size_t i = 0; i < m.variables.size(); ++i) {
        const ptx::variable& v = m.variables[i];
        if (image_.addresses_[i] == 0 || !v.initialised || v.owner != ptx::no_index) {
            const bool is_static =
                v.space == ptx::state_space::global || v.space == ptx::state_space::const_;
            if (!v.initialised || !is_static) continue;
        }
        std::byte* const to = memory_.host(image_.addresses_[i]);
        const std::size_t bytes = std::min<std::size_t>(v.data.bytes.size(), v.size);
        if (bytes != 0) std::memcpy(to, v.data.bytes.data(), bytes);
        for (const ptx::relocation& r : v.data.relocations) {
            const std::uint64_t value =
                (value_of(r) + static_cast<std::uint64_t>(r.addend)) >> r.shift;
            if (r.offset + r.size <= v.size) std::memcpy(to + r.offset, &value, r.size);
        }
    }
}

void module_builder::lay_out_parameters(kernel_image& k, const ptx::function& f) {
    std::uint64_t at = 0;
    for (const ptx::parameter& p : f.parameters) {
        if (p.in_register) continue;
        const ptx::variable& v = source().variables[p.index];
        at = round_up(at, alignment_of(v));
        image_.addresses_[p.index] = at;
        k.parameters.push_back({v.name, v.type, static_cast<std::uint32_t>(at),
                                static_cast<std::uint32_t>(v.size), v.array});
        at += v.size;
    }
    k.parameter_bytes = static_cast<std::uint32_t>(at);
}

const module_builder::call_depth& module_builder::deepest_frames(
    std::uint32_t function, std::vector<call_depth>& known) const {
    call_depth& d = known[function];
    if (d.progress == call_depth::state::ended) return d;
    if (d.progress == call_depth::state::begun) {
        d.recursive = true;
        return d;
    }
    d.progress = call_depth::state::begun;
    std::uint64_t deepest = 0;
    for (const std::uint32_t callee : image_.functions_[function].callees) {
        const call_depth& c = deepest_frames(callee, known);
        deepest = std::max(deepest, c.bytes);  // 0 if in progress: recursion
        d.recursive |= c.recursive;
    }
    // Frame sizes are multiples of 16; the alignment of a callee's frame may add to that.
    const function_image& f = image_.functions_[function];
    d.bytes = round_up(f.local_bytes, 16) + f.local_alignment - 16 + deepest;
    d.progress = call_depth::state::ended;
    return d;
}

void module_builder::describe_kernels() {
    const ptx::module& m = source();
    std::vector<call_depth> depths(m.functions.size());
    for (kernel_image& k : image_.kernels_) {
        const ptx::function& f = m.functions[k.function];
        const call_depth& depth = deepest_frames(k.function, depths);
        k.local_bytes = static_cast<std::uint32_t>(depth.bytes);
        k.stack_unknown |= depth.recursive;
        bool unknown = false;
        for (const std::uint32_t callee : reachable_from(k.function, unknown))
            k.stack_unknown |= functions()[callee].uses_alloca;
        k.stack_unknown |= unknown;
        const function_image& own = functions()[k.function];
        k.first = own.first;
        k.frame_bytes = own.frame_bytes;
        k.own_local = own.local_bytes;
        const auto& directives = f.directives;
        if (directives.reqntid[0] != 0)
            for (unsigned d = 0; d < 3; ++d)
                k.required_block[d] = std::max(directives.reqntid[d], 1u);
        if (directives.maxntid[0] != 0) {
            k.max_block_threads = 1;
            for (const std::uint32_t n : directives.maxntid) k.max_block_threads *= std::max(n, 1u);
        }
        k.max_cluster = directives.maxclusterrank;
        k.blocks_are_clusters = directives.blocksareclusters;
        if (directives.reqnctapercluster[0] != 0)
            for (unsigned d = 0; d < 3; ++d)
                k.required_cluster[d] = std::max(directives.reqnctapercluster[d], 1u);
        if (f.defined) k.registers = ptx::estimate_resources(m, f).registers;
    }
}

void module_builder::list_variables() {
    using kind = program_variable::space_kind;
    const ptx::module& m = source();
    for (std::size_t i = 0; i < m.variables.size(); ++i) {
        const ptx::variable& v = m.variables[i];
        const bool constant = v.space == ptx::state_space::const_;
        if (!constant && v.space != ptx::state_space::global) continue;
        // Variables of a function cannot be looked up.
        if (v.owner != ptx::no_index && !constant) continue;
        image_.variables_.push_back({v.owner == ptx::no_index ? v.name : std::string(),
                                     constant ? kind::constant : kind::global, image_.addresses_[i],
                                     v.size});
    }
}

}  // namespace simtlm::execution
