// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/link_functions.h"

#include "modules/sass/byte_reader.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace simtlm::sass {

namespace {

constexpr std::uint32_t unknown_stack = 0xffffffff;

// In .nv.callgraph, a first word 0 and one of these begin a list of pairs: caller and callee; a
// function whose address is taken, and its prototype; a function that calls through pointers, and
// the prototype of the callee.
constexpr std::int32_t list_calls = -1, list_pointed_to = -2, list_calls_pointers = -3;

/// A prototype of a call graph, which is an offset in the names of symbols.
std::string prototype(const cubin& file, std::int32_t offset) {
    for (const cubin_section& s : file.sections()) {
        if (s.type != SHT_SYMTAB || s.link >= file.sections().size()) continue;
        const std::string_view names = file.sections()[s.link].contents;
        if (offset < 0 || static_cast<std::uint32_t>(offset) >= names.size()) break;
        const std::string_view rest = names.substr(static_cast<std::uint32_t>(offset));
        return std::string(rest.substr(0, rest.find('\0')));
    }
    return {};
}

}  // namespace

link_functions::link_functions(const link_symbols& symbols) : symbols_(symbols) {
    std::set<std::string> names;
    for (const in_file& s : symbols_.live())
        for (const cubin_function& c : symbols_.file(s.first).functions())
            if (c.section == s.second) add_function(s, c, names);
    read_call_graph();
    find_stacks();
    find_registers();
}

void link_functions::add_function(in_file s, const cubin_function& c,
                                  std::set<std::string>& names) {
    linked_function f;
    f.section = s;
    f.code = &c;
    f.name = c.name;
    for (unsigned n = 1; !names.insert(f.name).second; ++n)
        f.name = fmt::format("{}${}", c.name, n);
    f.is_kernel = c.is_kernel;
    f.binding = c.symbol == 0 ? STB_LOCAL : symbols_.symbol({s.first, c.symbol}).binding;
    if (f.is_kernel) kernels_.push_back(static_cast<std::uint32_t>(functions_.size()));
    function_of_.emplace(s, static_cast<std::uint32_t>(functions_.size()));
    functions_.push_back(std::move(f));
}

std::optional<std::uint32_t> link_functions::function_in(in_file s) const {
    const auto at = function_of_.find(s);
    return at == function_of_.end() ? std::nullopt : std::optional(at->second);
}

void link_functions::read_call_graph() {
    std::map<std::string, std::set<std::uint32_t>> pointed_to;
    std::vector<std::vector<std::string>> pointers(functions_.size());  ///< prototypes, by caller
    for (const file_index f : symbols_.files()) {
        const cubin& file = symbols_.file(f);
        const cubin_section* const graph = file.find_section(".nv.callgraph");
        if (graph == nullptr) continue;
        const auto function = [&](std::int32_t symbol) -> std::optional<std::uint32_t> {
            if (symbol <= 0 || static_cast<std::uint32_t>(symbol) >= file.symbols().size())
                return std::nullopt;
            const in_file target = symbols_.resolved({f, static_cast<std::uint32_t>(symbol)});
            return function_in({target.first, symbols_.symbol(target).section});
        };
        std::int32_t list = 0;
        byte_reader r(graph->contents);
        while (r.left() >= 8) {
            const auto first = r.take<std::int32_t>();
            const auto second = r.take<std::int32_t>();
            if (first == 0 && second < 0) {
                list = second;
                continue;
            }
            const auto caller = function(first);
            // A weak function of this file that another file's replaces has that one's calls.
            if (!caller) continue;
            if (list == list_pointed_to) {
                pointed_to[prototype(file, second)].insert(*caller);
                continue;
            }
            if (functions_[*caller].section.first != f) continue;
            if (list == list_calls) {
                if (const auto callee = function(second))
                    functions_[*caller].callees.push_back(*callee);
            } else if (list == list_calls_pointers) {
                pointers[*caller].push_back(prototype(file, second));
            }
        }
    }
    for (std::size_t n = 0; n < functions_.size(); ++n)
        for (const std::string& p : pointers[n]) {
            std::vector<std::uint32_t>& callees = functions_[n].callees;
            callees.insert(callees.end(), pointed_to[p].begin(), pointed_to[p].end());
        }
}

std::vector<bool> link_functions::reachable_from(std::uint32_t function) const {
    std::vector<bool> found(functions_.size());
    std::vector<std::uint32_t> left{function};
    found[function] = true;
    while (!left.empty()) {
        const std::uint32_t n = left.back();
        left.pop_back();
        for (const std::uint32_t c : functions_[n].callees)
            if (!found[c]) {
                found[c] = true;
                left.push_back(c);
            }
    }
    return found;
}

/// Iterative, because chains of calls in a damaged file may be long.
void link_functions::find_stacks() {
    enum class state : std::uint8_t { fresh, open, done };
    std::vector<state> states(functions_.size(), state::fresh);
    struct level {
        std::uint32_t function;
        std::size_t next;
    };
    for (std::uint32_t first = 0; first < functions_.size(); ++first) {
        std::vector<level> stack;
        if (states[first] == state::fresh) stack.push_back({first, 0});
        while (!stack.empty()) {
            level& top = stack.back();
            linked_function& f = functions_[top.function];
            if (top.next == 0) {
                states[top.function] = state::open;
                f.stack = 0;
            }
            if (top.next < f.callees.size()) {
                const std::uint32_t c = f.callees[top.next++];
                if (states[c] == state::open) f.stack = unknown_stack;
                if (states[c] == state::done) f.stack = std::max(f.stack, functions_[c].stack);
                if (states[c] == state::fresh) {
                    --top.next;
                    stack.push_back({c, 0});
                }
                continue;
            }
            if (f.stack != unknown_stack)
                f.stack = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                    std::uint64_t{f.stack} + f.code->frame_bytes, unknown_stack));
            states[top.function] = state::done;
            stack.pop_back();
        }
    }
}

void link_functions::find_registers() {
    for (linked_function& f : functions_) {
        f.registers = f.code->registers;
        f.barriers = f.code->barriers;
    }
    for (const std::uint32_t k : kernels_) {
        const std::vector<bool> reached = reachable_from(k);
        for (std::uint32_t n = 0; n < functions_.size(); ++n) {
            if (!reached[n]) continue;
            functions_[k].registers =
                std::max(functions_[k].registers, functions_[n].code->registers);
            functions_[k].barriers = std::max(functions_[k].barriers, functions_[n].code->barriers);
        }
    }
}

}  // namespace simtlm::sass
