// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/resources.h"

#include <algorithm>

namespace simtlm::ptx {

namespace {

constexpr std::uint32_t call_registers = 24;  ///< minimum required by the calling convention

std::uint64_t aligned(std::uint64_t offset, std::uint32_t alignment) {
    const std::uint64_t a = alignment == 0 ? 1 : alignment;
    return (offset + a - 1) / a * a;
}

/// The function that contains the body of an alias.
std::uint32_t body_of(const module& m, std::uint32_t index) {
    const std::uint32_t alias = m.functions[index].alias_of;
    return alias == no_index ? index : alias;
}

/// Functions whose address the module takes, in initial values or by mov.
std::vector<std::uint32_t> addressed_functions(const module& m) {
    std::vector<std::uint32_t> list;
    for (const variable& v : m.variables) {
        for (const relocation& r : v.data.relocations) {
            if (r.function) list.push_back(r.symbol);
        }
    }
    for (const function& f : m.functions) {
        for (const instruction& i : f.code) {
            if (m.operation_of(i).op != opcode::mov) continue;
            const operand& o = f.operand_of(i, 1);
            if (o.kind == operand_kind::function) list.push_back(o.index);
        }
    }
    return list;
}

std::uint64_t frame_bytes(const module& m, const function& f) {
    std::uint64_t bytes = 0;
    for (const std::uint32_t index : f.variables) {
        const variable& v = m.variables[index];
        if (v.space == state_space::local) bytes = aligned(bytes, v.alignment) + v.size;
    }
    return bytes;
}

/// The call graph, built on demand.
class call_graph {
public:
    explicit call_graph(const module& m) : m_(m), known_(m.functions.size()) {}

    const std::vector<std::uint32_t>& callees(std::uint32_t index) {
        entry& e = known_[index];
        if (!e.filled) {
            e.filled = true;
            fill(m_.functions[index], e.callees);
        }
        return e.callees;
    }

    /// The functions reachable from one, starting with itself, each once.
    std::vector<std::uint32_t> reachable(std::uint32_t from) {
        std::vector<bool> seen(known_.size(), false);
        std::vector<std::uint32_t> list{from};
        seen[from] = true;
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (const std::uint32_t callee : callees(list[i])) {
                if (seen[callee]) continue;
                seen[callee] = true;
                list.push_back(callee);
            }
        }
        return list;
    }

    /// The largest sum of frames along a call chain; a recursive function counts once.
    std::uint64_t deepest_frames(std::uint32_t from) {
        std::vector<std::uint64_t> depth(known_.size(), 0);
        std::vector<state> states(known_.size(), state::unseen);
        std::vector<std::uint32_t> stack{from};
        while (!stack.empty()) {
            const std::uint32_t f = stack.back();
            if (states[f] == state::unseen) {
                states[f] = state::open;
                for (const std::uint32_t c : callees(f)) {
                    if (states[c] == state::unseen) stack.push_back(c);
                }
                continue;
            }
            stack.pop_back();
            if (states[f] == state::done) continue;
            states[f] = state::done;
            std::uint64_t below = 0;
            for (const std::uint32_t c : callees(f)) below = std::max(below, depth[c]);
            depth[f] = aligned(frame_bytes(m_, m_.functions[f]), 8) + below;
        }
        return depth[from];
    }

private:
    enum class state : std::uint8_t { unseen, open, done };
    struct entry {
        bool filled = false;
        std::vector<std::uint32_t> callees;
    };

    void fill(const function& f, std::vector<std::uint32_t>& list) {
        for (const instruction& i : f.code) {
            if (m_.operation_of(i).op != opcode::call) continue;
            const operand& target = f.operand_of(i, 1);
            const operand& table = f.operand_of(i, 3);
            if (target.kind == operand_kind::function) {
                list.push_back(target.index);
            } else if (table.kind == operand_kind::call_targets) {
                const auto& functions = f.call_targets[table.index].functions;
                list.insert(list.end(), functions.begin(), functions.end());
            } else {
                const std::vector<std::uint32_t>& all = addressed();
                list.insert(list.end(), all.begin(), all.end());
            }
        }
        for (std::uint32_t& each : list) each = body_of(m_, each);
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }

    const std::vector<std::uint32_t>& addressed() {
        if (!addressed_known_) addressed_ = addressed_functions(m_);
        addressed_known_ = true;
        return addressed_;
    }

    const module& m_;
    std::vector<entry> known_;
    std::vector<std::uint32_t> addressed_;
    bool addressed_known_ = false;
};

std::uint32_t index_of(const module& m, const function& f) {
    return static_cast<std::uint32_t>(&f - m.functions.data());
}

void mark_shared(const module& m, const operand& o, std::vector<bool>& used) {
    const bool named = o.kind == operand_kind::variable || o.kind == operand_kind::address_variable;
    if (named && m.variables[o.index].space == state_space::shared) used[o.index] = true;
}

void place_shared(const module& m, const std::vector<std::uint32_t>& functions,
                  resource_demand& d) {
    std::vector<bool> used(m.variables.size(), false);
    for (const std::uint32_t index : functions) {
        const function& f = m.functions[index];
        for (const operand& o : f.operands) mark_shared(m, o, used);
        for (const operand& o : f.elements) mark_shared(m, o, used);
    }
    std::uint32_t dynamic_alignment = 1;
    for (std::uint32_t i = 0; i < m.variables.size(); ++i) {
        const variable& v = m.variables[i];
        if (!used[i]) continue;
        if (v.unsized) {
            dynamic_alignment = std::max(dynamic_alignment, v.alignment);
            d.shared.push_back({i, 0});
            continue;
        }
        d.shared_bytes = aligned(d.shared_bytes, v.alignment);
        d.shared.push_back({i, d.shared_bytes});
        d.shared_bytes += v.size;
    }
    const std::uint64_t dynamic = aligned(d.shared_bytes, dynamic_alignment);
    for (placed_variable& p : d.shared) {
        if (m.variables[p.variable].unsized) p.offset = dynamic;
    }
}

void place_parameters(const module& m, const function& entry, resource_demand& d) {
    for (const parameter& p : entry.parameters) {
        if (p.in_register) continue;
        const variable& v = m.variables[p.index];
        d.parameter_bytes = aligned(d.parameter_bytes, v.alignment);
        d.parameters.push_back({p.index, d.parameter_bytes});
        d.parameter_bytes += v.size;
    }
}

/// Whether functions that are not defined here are called; these use the calling convention, others
/// are inlined.
bool calls_other_module(const module& m, const std::vector<std::uint32_t>& functions) {
    return std::any_of(functions.begin(), functions.end(),
                       [&](std::uint32_t f) { return !m.functions[f].defined; });
}

}  // namespace

std::vector<std::uint32_t> reachable_functions(const module& m, const function& from) {
    return call_graph(m).reachable(body_of(m, index_of(m, from)));
}

namespace {

/// The maximum number of registers per thread with which the CTAs promised by the kernel's
/// directives fit in an SM; NVIDIA's assembler spills the rest.
std::uint32_t registers_within_bounds(const performance_directives& d) {
    constexpr std::uint32_t registers_of_sm = 65536, unit = 8;
    const auto& block = d.reqntid[0] != 0 ? d.reqntid : d.maxntid;
    if (block[0] == 0) return registers_of_sm;
    std::uint64_t threads = std::max(d.minnctapersm, 1U);
    for (const std::uint32_t n : block) threads *= std::max(n, 1U);
    const std::uint64_t each = registers_of_sm / std::max<std::uint64_t>(threads, 1) / unit * unit;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(each, unit));
}

}  // namespace

resource_demand estimate_resources(const module& m, const function& entry) {
    resource_demand d;
    call_graph calls(m);
    const std::vector<std::uint32_t> functions = calls.reachable(body_of(m, index_of(m, entry)));
    for (const std::uint32_t index : functions) {
        const function& f = m.functions[index];
        const std::uint32_t own = estimate_registers(m, f, analyse_control_flow(m, f));
        d.registers = std::max(d.registers, own);
    }
    if (calls_other_module(m, functions)) d.registers = std::max(d.registers, call_registers);
    if (entry.directives.maxnreg != 0)
        d.registers = std::min(d.registers, entry.directives.maxnreg);
    d.registers = std::min(d.registers, registers_within_bounds(entry.directives));
    d.local_bytes = calls.deepest_frames(functions[0]);
    for (const variable& v : m.variables) {
        if (v.space == state_space::const_) {
            d.constant_bytes = aligned(d.constant_bytes, v.alignment) + v.size;
        }
    }
    place_shared(m, functions, d);
    place_parameters(m, entry, d);
    return d;
}

}  // namespace simtlm::ptx
