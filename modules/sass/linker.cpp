// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/linker.h"

#include "modules/sass/byte_reader.h"
#include "modules/sass/cubin_format.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace simtlm::sass {

namespace {

// Relocations. The numbers of bits are those of an instruction of 128 bits.
constexpr std::uint32_t relocation_64 = 2;          ///< data: the address of a symbol
constexpr std::uint32_t relocation_generic_64 = 4;  ///< data: its generic address
constexpr std::uint32_t relocation_word = 55;       ///< bits 63:32: an offset
constexpr std::uint32_t relocation_low = 56, relocation_high = 57;  ///< halves of an address
constexpr std::uint32_t relocation_half = 59;                       ///< bits 47:32: an offset
constexpr std::uint32_t relocation_constant_word = 64;  ///< an operand in a constant bank
constexpr std::uint32_t relocation_constant_byte = 66;  ///< likewise, of LDC and ULDC
constexpr std::uint32_t relocation_yield = 68, relocation_yield_clear = 69;  ///< of YIELD
constexpr std::uint32_t relocation_shared = 74;        ///< bits 63:40: an offset
constexpr std::uint32_t relocation_function_64 = 102;  ///< data: a function, since Hopper
constexpr std::uint32_t relocation_table = 114;        ///< offset of the unified function table

constexpr std::uint8_t kernel_symbol = 0x10;  ///< cubin_symbol::other
constexpr std::uint32_t constant_bank_bytes = 65536;
constexpr std::uint32_t unknown_stack = 0xffffffff;
constexpr std::uint32_t most_shared = 1u << 24;  ///< bits of an offset in an instruction
constexpr std::uint64_t dynamic_alignment = 16;
/// Shared memory that system software of sm_90 reserves at the beginning. Code adds it itself.
constexpr std::uint64_t reserved_shared_90 = 0x400;

// In .nv.callgraph, a first word 0 and one of these begin a list of pairs: caller and callee; a
// function whose address is taken, and its prototype; a function that calls through pointers, and
// the prototype of the callee.
constexpr std::int32_t list_calls = -1, list_pointed_to = -2, list_calls_pointers = -3;

/// Functions that the system provides.
constexpr std::string_view system_functions[] = {
    "vprintf", "malloc", "free", "__assertfail", "__assert_fail", "cudaGraphSetConditional"};

bool is_shared_section(std::string_view name) {
    return begins_with(name, ".nv.shared.") || name == ".nv_debug.shared";
}

std::uint64_t aligned(std::uint64_t n, std::uint64_t alignment) {
    const std::uint64_t a = std::max<std::uint64_t>(alignment, 1);
    return (n + a - 1) / a * a;
}

/// The bank of a section of constants, and whether it belongs to one function.
struct bank_name {
    unsigned bank = 0;
    bool of_function = false;
};
std::optional<bank_name> bank_of(std::string_view section) {
    constexpr std::string_view prefix = ".nv.constant";
    if (!begins_with(section, prefix)) return std::nullopt;
    std::string_view rest = section.substr(prefix.size());
    bank_name b;
    std::size_t digits = 0;
    for (; digits < rest.size() && digits < 2 && rest[digits] >= '0' && rest[digits] <= '9';
         ++digits)
        b.bank = b.bank * 10 + static_cast<unsigned>(rest[digits] - '0');
    rest.remove_prefix(digits);
    if (digits == 0 || (!rest.empty() && rest.front() != '.')) return std::nullopt;
    b.of_function = !rest.empty();
    return b;
}

template <class T>
void append(std::string& to, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof bytes);
}

template <class T>
T read_at(std::string_view bytes, std::uint64_t offset) {
    T v{};
    if (offset <= bytes.size() && bytes.size() - offset >= sizeof v)
        std::memcpy(&v, bytes.data() + offset, sizeof v);
    return v;
}

/// Replaces bits first + width - 1 to first, within the lower double word of an instruction.
void set_bits(std::string& code, std::uint64_t offset, unsigned first, unsigned width,
              std::uint64_t value) {
    auto word = read_at<std::uint64_t>(code, offset);
    const std::uint64_t mask = (width == 64 ? 0 : std::uint64_t{1} << width) - 1;
    word = (word & ~(mask << first)) | (value & mask) << first;
    std::memcpy(code.data() + offset, &word, sizeof word);
}

/// A symbol or section of one of the files.
using file_index = std::uint32_t;
using in_file = std::pair<file_index, std::uint32_t>;

/// A section of a file in a section of the result.
struct segment {
    in_file section;
    std::uint64_t offset = 0;
};

struct output_section {
    std::string name;
    std::uint32_t type = SHT_PROGBITS;
    std::uint64_t flags = 0;
    std::uint64_t alignment = 1;
    std::uint32_t link = 0, info = 0;
    std::uint64_t entry = 0;
    std::string bytes;
    std::uint64_t size = 0;  ///< if it has no bytes
    std::vector<segment> segments;
    std::uint32_t symbol = 0;  ///< that of the section
};

struct linked_function {
    in_file section;
    const cubin_function* code = nullptr;
    std::string name;
    std::uint8_t binding = STB_LOCAL;
    bool is_kernel = false;
    std::vector<std::uint32_t> callees;
    std::vector<std::string> pointers;  ///< prototypes that it calls through pointers
    std::vector<std::size_t> items;     ///< memory that it uses
    std::uint32_t registers = 0, barriers = 0;
    std::uint32_t stack = 0;
    std::uint32_t output = 0;  ///< section of the code
    std::uint32_t symbol = 0;
};

/// A shared variable, or the constants of a function: it has one address in all kernels that use
/// it.
struct memory_item {
    unsigned bank = 0;  ///< constant bank; 0: shared memory
    in_file of;         ///< the symbol of a shared variable, or the section
    std::uint64_t bytes = 0, alignment = 1;
    std::vector<bool> kernels;  ///< that use it
    std::uint64_t offset = 0;
};

class linker {
public:
    linker(const std::vector<link_object>& objects, std::string name, undefined_symbols undefined)
        : name_(std::move(name)), keeps_undefined_(undefined == undefined_symbols::are_kept) {
        for (const link_object& o : objects)
            if (o.file->is_relocatable()) objects_.push_back(o);
    }

    std::string link() {
        include_objects();
        check_architectures();
        find_live();
        check_undefined();
        fail_with_reasons();
        read_call_graph();
        find_items();
        find_resources();
        place_items();
        place_data();
        fail_with_reasons();
        emit_functions();
        relocate();
        emit_info();
        fail_with_reasons();
        return write();
    }

private:
    const cubin& file(file_index f) const { return *objects_[f].file; }
    const cubin_symbol& symbol(in_file s) const { return file(s.first).symbols()[s.second]; }
    const cubin_section& section(in_file s) const { return file(s.first).sections()[s.second]; }
    static bool defines(const cubin_symbol& s) { return s.section != 0 || s.is_common; }
    static bool is_global(const cubin_symbol& s) {
        return s.binding != STB_LOCAL && !s.name.empty() && s.type != STT_SECTION;
    }

    void fault(std::string reason) {
        if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end())
            reasons_.push_back(std::move(reason));
    }
    void fail_with_reasons() const {
        if (reasons_.empty()) return;
        std::string all;
        for (const std::string& r : reasons_) all += (all.empty() ? "" : "\n") + r;
        throw link_error(name_, all);
    }

    // ---- symbols ----

    void include_objects() {
        if (objects_.empty()) {
            fault("there is no relocatable machine code to be linked");
            fail_with_reasons();
        }
        included_.resize(objects_.size());
        for (file_index f = 0; f < objects_.size(); ++f)
            if (!objects_[f].on_demand) include(f);
        for (bool changed = true; changed;) {
            changed = false;
            for (file_index f = 0; f < objects_.size(); ++f) {
                if (included_[f] || !is_needed(f)) continue;
                include(f);
                changed = true;
            }
        }
    }

    bool is_needed(file_index f) const {
        for (const cubin_symbol& s : file(f).symbols())
            if (is_global(s) && defines(s) && needed_.count(s.name) != 0 &&
                definitions_.count(s.name) == 0)
                return true;
        return false;
    }

    void include(file_index f) {
        included_[f] = true;
        const auto& symbols = file(f).symbols();
        for (std::uint32_t n = 0; n < symbols.size(); ++n) {
            const cubin_symbol& s = symbols[n];
            if (!is_global(s)) continue;
            if (!defines(s)) {
                if (s.binding != STB_WEAK) needed_.insert(s.name);
                continue;
            }
            const auto [at, fresh] = definitions_.emplace(s.name, in_file{f, n});
            if (fresh) continue;
            const cubin_symbol& before = symbol(at->second);
            // Strong definitions precede common ones, and these weak ones.
            const auto strength = [](const cubin_symbol& y) {
                return y.is_common ? 1 : y.binding == STB_WEAK ? 0 : 2;
            };
            if (strength(s) == 2 && strength(before) == 2)
                fault(fmt::format("Multiple definition of '{}' in '{}', first defined in '{}'",
                                  s.name, file(f).origin(), file(at->second.first).origin()));
            const bool larger = s.is_common && before.is_common && s.size > before.size;
            if (strength(s) > strength(before) || larger) at->second = {f, n};
        }
    }

    void check_architectures() {
        for (file_index f = 0; f < objects_.size(); ++f)
            if (included_[f] && file(f).architecture() >= architecture_) {
                architecture_ = file(f).architecture();
                newest_ = f;
            }
        for (file_index f = 0; f < objects_.size(); ++f)
            if (included_[f] && file(f).architecture() / 10 != architecture_ / 10)
                fault(fmt::format("Input file '{}' arch does not match target 'sm_{}'",
                                  file(f).origin(), architecture_));
    }

    /// The definition of a symbol that a file refers to; its own if there is no other.
    in_file resolved(in_file s) const {
        const cubin_symbol& y = symbol(s);
        if (!is_global(y)) return s;
        const auto at = definitions_.find(y.name);
        return at == definitions_.end() ? s : at->second;
    }

    static bool is_dynamic_shared(const cubin_symbol& s) {
        return !defines(s) && (s.other & in_shared) != 0 && s.size == 0;
    }

    // ---- sections ----

    static bool is_data(std::string_view name) {
        const auto bank = bank_of(name);
        return name == ".nv.global" || name == ".nv.global.init" || (bank && !bank->of_function);
    }

    void find_live() {
        std::vector<in_file> left;
        const auto reach = [&](in_file s) {
            if (s.second != 0 && live_.insert(s).second) left.push_back(s);
        };
        for (file_index f = 0; f < objects_.size(); ++f) {
            if (!included_[f]) continue;
            std::vector<std::vector<const cubin_relocation*>> by_section(file(f).sections().size());
            for (const cubin_relocation& r : file(f).relocations())
                by_section[r.section].push_back(&r);
            relocations_.emplace(f, std::move(by_section));
            for (std::uint32_t n = 1; n < file(f).sections().size(); ++n)
                if (is_data(file(f).sections()[n].name) && file(f).sections()[n].size != 0)
                    reach({f, n});
            for (const cubin_function& c : file(f).functions()) {
                const in_file own = resolved({f, c.symbol});
                if (c.is_kernel && own == in_file{f, c.symbol}) reach({f, c.section});
            }
        }
        while (!left.empty()) {
            const in_file s = left.back();
            left.pop_back();
            for (const cubin_relocation* r : relocations_.at(s.first)[s.second]) {
                const in_file target = resolved({s.first, r->symbol});
                reach({target.first, symbol(target).section});
            }
        }
        // Functions, in the order of the files.
        for (const in_file& s : live_)
            for (const cubin_function& c : file(s.first).functions())
                if (c.section == s.second) add_function(s, c);
    }

    void add_function(in_file s, const cubin_function& c) {
        linked_function f;
        f.section = s;
        f.code = &c;
        f.name = c.name;
        for (unsigned n = 1; !names_.insert(f.name).second; ++n)
            f.name = fmt::format("{}${}", c.name, n);
        f.is_kernel = c.is_kernel;
        if (c.symbol != 0) f.binding = file(s.first).symbols()[c.symbol].binding;
        if (f.is_kernel) kernels_.push_back(static_cast<std::uint32_t>(functions_.size()));
        function_of_.emplace(s, static_cast<std::uint32_t>(functions_.size()));
        functions_.push_back(std::move(f));
    }

    std::optional<std::uint32_t> function_in(in_file s) const {
        const auto at = function_of_.find(s);
        return at == function_of_.end() ? std::nullopt : std::optional(at->second);
    }
    std::optional<std::uint32_t> function_named(in_file s) const {
        const in_file target = resolved(s);
        return function_in({target.first, symbol(target).section});
    }

    static bool is_system_function(std::string_view name) {
        return std::find(std::begin(system_functions), std::end(system_functions), name) !=
               std::end(system_functions);
    }

    void check_undefined() {
        if (keeps_undefined_) return;
        for (const in_file& s : live_)
            for (const cubin_relocation* r : relocations_.at(s.first)[s.second]) {
                const in_file target = resolved({s.first, r->symbol});
                const cubin_symbol& y = symbol(target);
                if (r->symbol == 0 || defines(y) || !is_global(y) || y.binding == STB_WEAK ||
                    is_dynamic_shared(y) || is_system_function(y.name))
                    continue;
                fault(fmt::format("Undefined reference to '{}' in '{}'", y.name,
                                  file(s.first).origin()));
            }
    }

    // ---- calls ----

    std::string prototype(file_index f, std::int32_t offset) const {
        for (const cubin_section& s : file(f).sections()) {
            if (s.type != SHT_SYMTAB || s.link >= file(f).sections().size()) continue;
            const std::string_view names = file(f).sections()[s.link].contents;
            if (offset < 0 || static_cast<std::uint32_t>(offset) >= names.size()) break;
            const std::string_view rest = names.substr(static_cast<std::uint32_t>(offset));
            return std::string(rest.substr(0, rest.find('\0')));
        }
        return {};
    }

    void read_call_graph() {
        std::map<std::string, std::set<std::uint32_t>> pointed_to;
        for (const auto& of_file : relocations_) {
            const file_index f = of_file.first;
            const cubin_section* const graph = file(f).find_section(".nv.callgraph");
            if (graph == nullptr) continue;
            const auto function = [&](std::int32_t symbol) -> std::optional<std::uint32_t> {
                if (symbol <= 0 || static_cast<std::uint32_t>(symbol) >= file(f).symbols().size())
                    return std::nullopt;
                return function_named({f, static_cast<std::uint32_t>(symbol)});
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
                    pointed_to[prototype(f, second)].insert(*caller);
                    continue;
                }
                if (functions_[*caller].section.first != f) continue;
                if (list == list_calls) {
                    if (const auto callee = function(second))
                        functions_[*caller].callees.push_back(*callee);
                } else if (list == list_calls_pointers) {
                    functions_[*caller].pointers.push_back(prototype(f, second));
                }
            }
        }
        for (linked_function& f : functions_)
            for (const std::string& p : f.pointers)
                f.callees.insert(f.callees.end(), pointed_to[p].begin(), pointed_to[p].end());
    }

    std::vector<bool> reachable_from(std::uint32_t function) const {
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

    /// Local memory of a function and the deepest chain of calls; unknown_stack with recursion.
    /// Iterative, because chains of calls in a damaged file may be long.
    void find_stacks() {
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

    // ---- resources ----

    /// Shared variables that the code refers to, and the constants of its functions.
    void find_items() {
        const auto use = [&](linked_function& f, unsigned bank, in_file of, std::uint64_t bytes,
                             std::uint64_t alignment) {
            const auto [at, fresh] = item_of_.emplace(std::make_pair(bank, of), items_.size());
            if (fresh) {
                memory_item i;
                i.bank = bank;
                i.of = of;
                i.bytes = bytes;
                i.alignment = std::clamp<std::uint64_t>(alignment, 1, 4096);
                i.kernels.resize(kernels_.size());
                items_.push_back(std::move(i));
            }
            if (std::find(f.items.begin(), f.items.end(), at->second) == f.items.end())
                f.items.push_back(at->second);
        };
        for (linked_function& f : functions_) {
            for (const cubin_relocation* r : relocations_.at(f.section.first)[f.section.second]) {
                const in_file target = resolved({f.section.first, r->symbol});
                const cubin_symbol& y = symbol(target);
                if (is_dynamic_shared(y)) {
                    dynamic_users_.insert(&f);
                } else if (is_shared(target)) {
                    if (y.type == STT_SECTION)
                        fault(fmt::format("'{}' refers to a section of shared memory in '{}'",
                                          f.name, file(target.first).origin()));
                    use(f, 0, target, y.size, y.value);
                } else if (y.section != 0) {
                    const in_file home{target.first, y.section};
                    const auto bank = bank_of(section(home).name);
                    if (bank && bank->of_function && bank->bank != 0)
                        use(f, bank->bank, home, section(home).size, section(home).alignment);
                }
            }
            // Those of the kernel itself, referred to or not.
            const cubin& own = file(f.section.first);
            for (std::uint32_t n = 1; n < own.sections().size(); ++n) {
                const cubin_section& s = own.sections()[n];
                const auto bank = bank_of(s.name);
                if (bank && bank->of_function && bank->bank != 0 && s.info == f.section.second)
                    use(f, bank->bank, {f.section.first, n}, s.size, s.alignment);
            }
        }
    }

    bool is_shared(in_file s) const {
        const cubin_symbol& y = symbol(s);
        return y.section != 0 && is_shared_section(section({s.first, y.section}).name);
    }

    void find_resources() {
        find_stacks();
        for (std::uint32_t k = 0; k < kernels_.size(); ++k) {
            linked_function& kernel = functions_[kernels_[k]];
            const std::vector<bool> reached = reachable_from(kernels_[k]);
            for (std::uint32_t n = 0; n < functions_.size(); ++n) {
                if (!reached[n]) continue;
                kernel.registers = std::max(kernel.registers, functions_[n].code->registers);
                kernel.barriers = std::max(kernel.barriers, functions_[n].code->barriers);
                for (const std::size_t i : functions_[n].items) items_[i].kernels[k] = true;
                if (dynamic_users_.count(&functions_[n]) != 0) dynamic_[n].insert(k);
            }
        }
        for (linked_function& f : functions_) {
            f.registers = std::max(f.registers, f.code->registers);
            f.barriers = std::max(f.barriers, f.code->barriers);
        }
    }

    static bool share_a_kernel(const memory_item& a, const memory_item& b) {
        for (std::size_t k = 0; k < a.kernels.size(); ++k)
            if (a.kernels[k] && b.kernels[k]) return true;
        return false;
    }

    /// Gives items that a kernel uses together different addresses, those of most kernels first.
    void place_items() {
        std::vector<std::size_t> order(items_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        const auto users = [&](std::size_t i) {
            return std::count(items_[i].kernels.begin(), items_[i].kernels.end(), true);
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return users(a) > users(b); });
        std::vector<std::size_t> placed;
        for (const std::size_t i : order) {
            memory_item& item = items_[i];
            std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
            for (const std::size_t n : placed)
                if (items_[n].bank == item.bank && share_a_kernel(items_[n], item))
                    taken.push_back({items_[n].offset, items_[n].offset + items_[n].bytes});
            std::sort(taken.begin(), taken.end());
            for (const auto& t : taken) {
                if (item.offset + item.bytes <= t.first) break;
                item.offset = std::max(item.offset, aligned(t.second, item.alignment));
            }
            const std::uint64_t end = item.offset + item.bytes;
            if (end < item.bytes || end > (item.bank == 0 ? most_shared : constant_bank_bytes))
                fault(item.bank == 0 ? std::string("shared variables exceed the shared memory")
                                     : fmt::format("constants exceed constant bank {}", item.bank));
            placed.push_back(i);
        }
        fail_with_reasons();
        shared_bytes_.resize(kernels_.size());
        for (const memory_item& i : items_)
            for (std::size_t k = 0; i.bank == 0 && k < kernels_.size(); ++k)
                if (i.kernels[k]) shared_bytes_[k] = std::max(shared_bytes_[k], i.offset + i.bytes);
        place_dynamic_memory();
    }

    /// Dynamic shared memory begins after the static one, at the same address in all kernels that
    /// call the same functions with it.
    void place_dynamic_memory() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& d : dynamic_) {
                std::uint64_t start = 0;
                for (const std::uint32_t k : d.second)
                    start = std::max(start, aligned(shared_bytes_[k], dynamic_alignment));
                for (const std::uint32_t k : d.second) {
                    changed = changed || shared_bytes_[k] != start;
                    shared_bytes_[k] = start;
                }
                dynamic_start_[d.first] = start;
            }
        }
    }

    // ---- data ----

    std::uint32_t section_called(const std::string& name, std::uint32_t type, std::uint64_t flags) {
        const auto [at, fresh] =
            output_called_.emplace(name, static_cast<std::uint32_t>(outputs_.size()));
        if (!fresh) return at->second;
        output_section s;
        s.name = name;
        s.type = type;
        s.flags = flags;
        outputs_.push_back(std::move(s));
        return at->second;
    }

    /// Appends a section of a file. @return its offset
    std::uint64_t add_segment(std::uint32_t output, in_file s) {
        output_section& o = outputs_[output];
        const cubin_section& from = section(s);
        const std::uint64_t alignment = std::clamp<std::uint64_t>(from.alignment, 1, 4096);
        o.alignment = std::max(o.alignment, alignment);
        const bool has_bytes = o.type != SHT_NOBITS;
        const std::uint64_t offset = aligned(has_bytes ? o.bytes.size() : o.size, alignment);
        const std::uint64_t most =
            bank_of(from.name) ? constant_bank_bytes : std::uint64_t{1} << 32;
        if (from.size > most || offset > most) {
            fault(fmt::format("{} takes {} bytes", from.name, from.size));
            return 0;
        }
        if (has_bytes) {
            o.bytes.resize(offset);
            o.bytes += from.contents;
            if (bank_of(from.name)) o.bytes.resize(offset + from.size);
        } else {
            o.size = offset + from.size;
        }
        o.segments.push_back({s, offset});
        return offset;
    }

    void place_data() {
        outputs_.emplace_back();  // section 0
        outputs_.front().type = SHT_NULL;
        const auto place = [&](in_file s, const std::string& name, std::uint32_t type,
                               std::uint64_t flags) {
            const std::uint32_t to = section_called(name, type, flags);
            placed_[s] = {to, add_segment(to, s)};
        };
        for (const in_file& s : live_) {
            const cubin_section& from = section(s);
            if (!is_data(from.name)) continue;
            const bool constant = bank_of(from.name).has_value();
            const bool empty = from.contents.empty() && !constant;
            place(s, empty ? ".nv.global" : std::string(from.name),
                  empty ? SHT_NOBITS : SHT_PROGBITS, constant ? SHF_ALLOC : SHF_ALLOC | SHF_WRITE);
        }
        // Common variables.
        for (const auto& d : definitions_) {
            const cubin_symbol& y = symbol(d.second);
            if (!y.is_common) continue;
            if ((y.other & in_global) == 0 || y.size > std::uint64_t{1} << 32) {
                fault(fmt::format("'{}' is common, but no variable of global memory", d.first));
                continue;
            }
            const std::uint32_t to =
                section_called(".nv.global", SHT_NOBITS, SHF_ALLOC | SHF_WRITE);
            output_section& o = outputs_[to];
            const std::uint64_t alignment = std::clamp<std::uint64_t>(y.value, 1, 4096);
            o.alignment = std::max(o.alignment, alignment);
            const std::uint64_t offset = aligned(o.size, alignment);
            o.size = offset + y.size;
            common_[d.second] = {to, offset};
        }
        for (const output_section& o : outputs_)
            if (bank_of(o.name) && o.bytes.size() > constant_bank_bytes)
                fault(fmt::format("constants exceed constant bank {}", bank_of(o.name)->bank));
    }

    // ---- functions ----

    void emit_functions() {
        for (std::uint32_t k = 0; k < kernels_.size(); ++k) {
            const linked_function& f = functions_[kernels_[k]];
            const cubin& own = file(f.section.first);
            // Parameters.
            const std::string bank_0 = fmt::format(".nv.constant0.{}", f.name);
            for (std::uint32_t n = 1; n < own.sections().size(); ++n)
                if (own.sections()[n].name == fmt::format(".nv.constant0.{}", f.code->name)) {
                    const std::uint32_t to = section_called(bank_0, SHT_PROGBITS, SHF_ALLOC);
                    add_segment(to, {f.section.first, n});
                    break;
                }
            for (const memory_item& i : items_) {
                if (i.bank == 0 || !i.kernels[k]) continue;
                const std::uint32_t to = section_called(
                    fmt::format(".nv.constant{}.{}", i.bank, f.name), SHT_PROGBITS, SHF_ALLOC);
                output_section& o = outputs_[to];
                o.alignment = std::max(o.alignment, i.alignment);
                if (o.bytes.size() < i.offset + i.bytes) o.bytes.resize(i.offset + i.bytes);
                const std::string_view from = section(i.of).contents;
                std::copy(from.begin(), from.end(),
                          o.bytes.begin() + static_cast<std::ptrdiff_t>(i.offset));
                o.segments.push_back({i.of, i.offset});
            }
            const bool uses_shared =
                shared_bytes_[k] != 0 ||
                std::any_of(dynamic_.begin(), dynamic_.end(),
                            [&](const auto& d) { return d.second.count(k) != 0; });
            if (!uses_shared) continue;
            const std::uint32_t to = section_called(fmt::format(".nv.shared.{}", f.name),
                                                    SHT_NOBITS, SHF_ALLOC | SHF_WRITE);
            outputs_[to].alignment = dynamic_alignment;
            outputs_[to].size = shared_bytes_[k] + (architecture_ >= 90 ? reserved_shared_90 : 0);
        }
        for (linked_function& f : functions_) {
            f.output = section_called(fmt::format(".text.{}", f.name), SHT_PROGBITS,
                                      SHF_ALLOC | SHF_EXECINSTR);
            placed_[f.section] = {f.output, add_segment(f.output, f.section)};
        }
        for (file_index f = 0; f < objects_.size(); ++f)
            for (std::uint32_t n = 1; included_[f] && n < file(f).sections().size(); ++n)
                if (file(f).sections()[n].name == ".debug_line")
                    add_segment(section_called(".debug_line", SHT_PROGBITS, 0), {f, n});
        add_symbols();
    }

    std::uint32_t add_symbol(std::string_view name, std::uint8_t binding, std::uint8_t type,
                             std::uint8_t other, std::uint32_t output, std::uint64_t value,
                             std::uint64_t size) {
        append<std::uint32_t>(symbols_, static_cast<std::uint32_t>(strings_.size()));
        strings_ += name;
        strings_ += '\0';
        append<std::uint8_t>(symbols_, ELF64_ST_INFO(binding, type));
        append<std::uint8_t>(symbols_, other);
        append<std::uint16_t>(symbols_, static_cast<std::uint16_t>(output));
        append<std::uint64_t>(symbols_, value);
        append<std::uint64_t>(symbols_, size);
        return symbol_count_++;
    }

    void add_symbols() {
        strings_.assign(1, '\0');
        add_symbol({}, STB_LOCAL, STT_NOTYPE, 0, 0, 0, 0);
        for (std::uint32_t n = 1; n < outputs_.size(); ++n)
            outputs_[n].symbol = add_symbol(outputs_[n].name, STB_LOCAL, STT_SECTION, 0, n, 0, 0);
        // Variables: local ones first, unless a global one has the same name.
        for (const bool global : {false, true}) {
            for (linked_function& f : functions_)
                if (global == (f.binding != STB_LOCAL))
                    f.symbol =
                        add_symbol(f.name, f.binding, STT_FUNC, f.is_kernel ? kernel_symbol : 0,
                                   f.output, 0, f.code->code.size());
            for (file_index f = 0; f < objects_.size(); ++f)
                for (std::uint32_t n = 0; included_[f] && n < file(f).symbols().size(); ++n)
                    add_variable({f, n}, global);
            if (!global) locals_ = symbol_count_;
        }
    }

    void add_variable(in_file s, bool global) {
        const cubin_symbol& y = symbol(s);
        if (y.name.empty() || y.type == STT_SECTION || y.type == STT_FUNC || !defines(y) ||
            is_global(y) != global || resolved(s) != s)
            return;
        if (!global && definitions_.count(y.name) != 0) return;
        std::pair<std::uint32_t, std::uint64_t> at{0, 0};
        if (y.is_common) {
            const auto found = common_.find(s);
            if (found == common_.end()) return;
            at = found->second;
        } else {
            const auto found = placed_.find({s.first, y.section});
            if (found == placed_.end() || !is_data(section({s.first, y.section}).name)) return;
            at = {found->second.first, found->second.second + y.value};
        }
        constexpr std::uint8_t managed = 0x04;
        add_symbol(y.name, global ? y.binding : STB_LOCAL, STT_OBJECT, y.other & managed, at.first,
                   at.second, y.size);
    }

    std::uint32_t undefined_symbol(const cubin_symbol& y) {
        const auto known = undefined_.find(y.name);
        if (known != undefined_.end()) return known->second;
        const std::uint32_t n =
            add_symbol(y.name, STB_GLOBAL, y.type == STT_FUNC ? STT_FUNC : STT_NOTYPE, 0, 0, 0, 0);
        undefined_.emplace(y.name, n);
        return n;
    }

    // ---- relocations ----

    std::optional<std::uint64_t> item_offset(unsigned bank, in_file of) const {
        const auto at = item_of_.find({bank, of});
        return at == item_of_.end() ? std::nullopt : std::optional(items_[at->second].offset);
    }

    /// What a relocation refers to, in the result.
    struct target {
        enum class kind : std::uint8_t { none, address, shared, constant };
        kind what = kind::none;
        std::uint32_t symbol = 0;
        std::uint64_t value =
            0;  ///< to be added to the symbol; an offset in shared memory or a bank
        unsigned bank = 0;
    };

    /// @param function  that refers to it; none: data
    target target_of(in_file s, std::optional<std::uint32_t> function) {
        const in_file to = resolved(s);
        const cubin_symbol& y = symbol(to);
        target t;
        if (s.second == 0) return t;
        if (is_dynamic_shared(y)) {
            if (!function) return t;
            const auto start = dynamic_start_.find(*function);
            t.what = target::kind::shared;
            t.value = start == dynamic_start_.end() ? 0 : start->second;
            return t;
        }
        if (is_shared(to)) {
            const auto offset = item_offset(0, to);
            if (!offset) return t;
            t.what = target::kind::shared;
            t.value = *offset;
            return t;
        }
        t.what = target::kind::address;
        if (y.is_common) {
            const auto at = common_.find(to);
            if (at == common_.end()) return {};
            t.symbol = outputs_[at->second.first].symbol;
            t.value = at->second.second;
            return t;
        }
        if (y.section == 0) {
            t.symbol = undefined_symbol(y);
            return t;
        }
        const in_file home{to.first, y.section};
        if (const auto f = function_in(home)) {
            t.symbol = functions_[*f].symbol;
            t.value = y.value;
            return t;
        }
        const auto bank = bank_of(section(home).name);
        if (bank && bank->of_function) {
            const auto offset = item_offset(bank->bank, home);
            if (!offset) return {};
            t.what = target::kind::constant;
            t.bank = bank->bank;
            t.value = *offset + y.value;
            return t;
        }
        const auto at = placed_.find(home);
        if (at == placed_.end()) return {};
        t.symbol = outputs_[at->second.first].symbol;
        t.value = at->second.second + y.value;
        if (bank) t.bank = bank->bank;
        return t;
    }

    void keep(std::uint32_t output, std::uint64_t offset, std::uint32_t type, std::uint32_t symbol,
              std::uint64_t addend) {
        std::string& to = kept_[output];
        append<std::uint64_t>(to, offset);
        append<std::uint64_t>(to, std::uint64_t{symbol} << 32 | type);
        append<std::uint64_t>(to, addend);
    }

    void relocate() {
        const std::uint32_t count = static_cast<std::uint32_t>(outputs_.size());
        for (std::uint32_t n = 1; n < count; ++n)
            for (const segment& p : std::vector<segment>(outputs_[n].segments)) {
                const auto function = function_in(p.section);
                const auto& of_file = relocations_.find(p.section.first);
                if (of_file == relocations_.end()) continue;
                for (const cubin_relocation* r : of_file->second[p.section.second]) {
                    const target t = target_of({p.section.first, r->symbol}, function);
                    if (function)
                        relocate_code(n, p.offset + r->offset, *r, t);
                    else
                        relocate_data(n, p.offset + r->offset, *r, t);
                }
            }
    }

    void relocate_code(std::uint32_t output, std::uint64_t offset, const cubin_relocation& r,
                       const target& t) {
        std::string& code = outputs_[output].bytes;
        const std::uint64_t value = t.value + static_cast<std::uint64_t>(r.addend);
        if (r.type == relocation_yield || r.type == relocation_yield_clear ||
            r.type == relocation_table)
            return;
        if (offset > code.size() || code.size() - offset < instruction_bytes) return;
        const bool in_bank = t.what == target::kind::constant || t.bank != 0;
        const bool is_offset = t.what == target::kind::shared || in_bank;
        const bool whole = offset % instruction_bytes == 0;
        if (is_offset && whole) {
            switch (r.type) {
                case relocation_word:
                    return set_bits(code, offset, 32, 32, value);
                case relocation_half:
                    return set_bits(code, offset, 32, 16, value);
                case relocation_shared:
                    return set_bits(code, offset, 40, 24, value);
                case relocation_low:
                case relocation_high:
                    if (t.what == target::kind::address) break;
                    return set_bits(code, offset, 32, 32,
                                    r.type == relocation_low ? value : value >> 32);
                case relocation_constant_word:
                case relocation_constant_byte:
                    if (!in_bank) break;
                    // Bits 53:38: the offset in bytes; 58:54: the bank. Operands that are whole
                    // words have other fields in the lowest two bits.
                    if (r.type == relocation_constant_word)
                        set_bits(code, offset, 40, 14, value >> 2);
                    else
                        set_bits(code, offset, 38, 16, value);
                    return set_bits(code, offset, 54, 5, t.bank);
                default:
                    break;
            }
        }
        keep(output, offset, r.type, t.symbol, value);
    }

    void relocate_data(std::uint32_t output, std::uint64_t offset, const cubin_relocation& r,
                       const target& t) {
        output_section& o = outputs_[output];
        const bool of_debugger = o.name == ".debug_line";
        if (r.type != relocation_64 && r.type != relocation_generic_64 &&
            r.type != relocation_function_64) {
            if (!of_debugger) fault(fmt::format("a relocation of type {} in {}", r.type, o.name));
            return;
        }
        if (offset > o.bytes.size() || o.bytes.size() - offset < 8 ||
            t.what != target::kind::address)
            return;
        std::uint64_t value = t.value + static_cast<std::uint64_t>(r.addend);
        if (!r.has_addend) value += read_at<std::uint64_t>(o.bytes, offset);
        std::memset(o.bytes.data() + offset, 0, 8);
        keep(output, offset,
             r.type == relocation_generic_64 ? relocation_generic_64 : relocation_64, t.symbol,
             value);
    }

    // ---- attributes ----

    void emit_info() {
        std::string common;
        const auto number = [&](std::uint8_t what, std::uint32_t symbol, std::uint32_t value) {
            append<std::uint8_t>(common, sized_value);
            append<std::uint8_t>(common, what);
            append<std::uint16_t>(common, 8);
            append<std::uint32_t>(common, symbol);
            append<std::uint32_t>(common, value);
        };
        for (const linked_function& f : functions_) {
            number(attribute::register_count, f.symbol, f.registers);
            number(attribute::frame_size, f.symbol, f.code->frame_bytes);
            if (f.is_kernel) number(attribute::min_stack_size, f.symbol, f.stack);
        }
        const std::uint32_t all = section_called(".nv.info", section_info, 0);
        outputs_[all].bytes = std::move(common);
        outputs_[all].alignment = 4;
        for (linked_function& f : functions_) {
            const cubin_section* const own =
                file(f.section.first).find_section(fmt::format(".nv.info.{}", f.code->name));
            std::string info = own == nullptr ? std::string() : rewritten(own->contents, f);
            if (f.barriers != 0) {
                append<std::uint8_t>(info, byte_value);
                append<std::uint8_t>(info, attribute::num_barriers);
                append<std::uint16_t>(info, static_cast<std::uint16_t>(f.barriers));
            }
            const std::uint32_t to =
                section_called(fmt::format(".nv.info.{}", f.name), section_info, 0);
            outputs_[to].bytes = std::move(info);
            outputs_[to].alignment = 4;
            outputs_[to].info = f.output;
        }
    }

    /// The attributes of a function with the symbols of the result, without its barriers.
    std::string rewritten(std::string_view contents, const linked_function& f) {
        std::string to;
        byte_reader r(contents);
        while (!r.done()) {
            const auto form = r.take<std::uint8_t>();
            const auto what = r.take<std::uint8_t>();
            const auto half = r.take<std::uint16_t>();
            std::string value;
            if (form == sized_value) value = std::string(r.take_bytes(half));
            if (r.failed() || form == 0 || form > sized_value) break;
            if (what == attribute::num_barriers) continue;
            if (what == attribute::externs) continue;
            if (what == attribute::param_cbank && value.size() >= 4) {
                const auto bank =
                    std::find_if(outputs_.begin(), outputs_.end(), [&](const output_section& o) {
                        return o.name == fmt::format(".nv.constant0.{}", f.name);
                    });
                const std::uint32_t symbol = bank == outputs_.end() ? 0 : bank->symbol;
                std::memcpy(value.data(), &symbol, sizeof symbol);
            }
            append<std::uint8_t>(to, form);
            append<std::uint8_t>(to, what);
            append<std::uint16_t>(
                to, form == sized_value ? static_cast<std::uint16_t>(value.size()) : half);
            to += value;
        }
        std::string systems;
        for (const std::string_view name : systems_called(f)) {
            const auto at = undefined_.find(name);
            if (at != undefined_.end()) append<std::uint32_t>(systems, at->second);
        }
        if (systems.empty()) return to;
        append<std::uint8_t>(to, sized_value);
        append<std::uint8_t>(to, attribute::externs);
        append<std::uint16_t>(
            to, static_cast<std::uint16_t>(std::min<std::size_t>(systems.size(), 0xfffc)));
        to += systems.substr(0, 0xfffc);
        return to;
    }

    /// Undefined functions that a function calls; for a kernel also those that its callees call.
    std::set<std::string_view> systems_called(const linked_function& f) const {
        std::set<std::string_view> names;
        const auto own = static_cast<std::uint32_t>(&f - functions_.data());
        const std::vector<bool> reached =
            f.is_kernel ? reachable_from(own) : std::vector<bool>(functions_.size());
        for (std::uint32_t n = 0; n < functions_.size(); ++n) {
            if (n != own && !reached[n]) continue;
            const in_file home = functions_[n].section;
            for (const cubin_relocation* r : relocations_.at(home.first)[home.second]) {
                const cubin_symbol& y = symbol(resolved({home.first, r->symbol}));
                if (!defines(y) && y.type == STT_FUNC) names.insert(y.name);
            }
        }
        return names;
    }

    // ---- the file ----

    std::string write() {
        for (const auto& k : kept_) {
            const std::string name = ".rela" + outputs_[k.first].name;
            output_section s;
            s.name = name;
            s.type = SHT_RELA;
            s.flags = SHF_INFO_LINK;
            s.alignment = 8;
            s.info = k.first;
            s.entry = sizeof(Elf64_Rela);
            s.bytes = k.second;
            outputs_.push_back(std::move(s));
        }
        for (const cubin_section& s : file(newest_).sections())
            if (s.name == ".note.nv.cuinfo") {
                output_section note;
                note.name = s.name;
                note.type = SHT_NOTE;
                note.alignment = 4;
                note.bytes = s.contents;
                outputs_.push_back(std::move(note));
            }
        const auto symbols = static_cast<std::uint32_t>(outputs_.size());
        output_section table;
        table.name = ".symtab";
        table.type = SHT_SYMTAB;
        table.alignment = 8;
        table.link = symbols + 1;
        table.info = locals_;
        table.entry = sizeof(Elf64_Sym);
        table.bytes = symbols_;
        outputs_.push_back(std::move(table));
        output_section strings;
        strings.name = ".strtab";
        strings.type = SHT_STRTAB;
        strings.bytes = strings_;
        outputs_.push_back(std::move(strings));
        for (output_section& s : outputs_)
            if (s.type == SHT_RELA || s.type == section_info) s.link = symbols;
        for (const linked_function& f : functions_)
            outputs_[f.output].info = (f.registers & 0xff) << 24 | (f.symbol & 0xffffff);

        output_section names;
        names.name = ".shstrtab";
        names.type = SHT_STRTAB;
        outputs_.push_back(std::move(names));
        std::vector<std::uint32_t> name_at;
        std::string all(1, '\0');
        for (const output_section& s : outputs_) {
            name_at.push_back(s.name.empty() ? 0 : static_cast<std::uint32_t>(all.size()));
            if (!s.name.empty()) all += s.name + '\0';
        }
        outputs_.back().bytes = std::move(all);
        if (outputs_.size() >= SHN_LORESERVE) {
            fault("there are too many functions");
            fail_with_reasons();
        }

        auto header = read_at<Elf64_Ehdr>(file(newest_).bytes(), 0);
        header.e_type = ET_EXEC;
        header.e_entry = header.e_phoff = 0;
        header.e_phnum = 0;
        header.e_shnum = static_cast<std::uint16_t>(outputs_.size());
        header.e_shstrndx = static_cast<std::uint16_t>(outputs_.size() - 1);
        std::string bytes(sizeof header, '\0');
        std::vector<Elf64_Shdr> headers;
        for (std::size_t n = 0; n < outputs_.size(); ++n) {
            const output_section& s = outputs_[n];
            Elf64_Shdr h{};
            if (s.type != SHT_NULL) {
                const bool has_bytes = s.type != SHT_NOBITS;
                bytes.resize(aligned(bytes.size(), has_bytes ? s.alignment : 1));
                h.sh_name = name_at[n];
                h.sh_type = s.type;
                h.sh_flags = s.flags;
                h.sh_offset = bytes.size();
                h.sh_size = has_bytes ? s.bytes.size() : s.size;
                h.sh_link = s.link;
                h.sh_info = s.info;
                h.sh_addralign = s.alignment;
                h.sh_entsize = s.entry;
                bytes += s.bytes;
            }
            headers.push_back(h);
        }
        bytes.resize(aligned(bytes.size(), 8));
        header.e_shoff = bytes.size();
        for (const Elf64_Shdr& h : headers) append(bytes, h);
        std::memcpy(bytes.data(), &header, sizeof header);
        return bytes;
    }

    std::string name_;
    bool keeps_undefined_ = false;
    std::vector<link_object> objects_;
    std::vector<bool> included_;
    std::vector<std::string> reasons_;
    std::map<std::string_view, in_file> definitions_;
    std::set<std::string_view> needed_;
    unsigned architecture_ = 0;
    file_index newest_ = 0;

    std::map<file_index, std::vector<std::vector<const cubin_relocation*>>> relocations_;
    std::set<in_file> live_;
    std::set<std::string> names_;
    std::vector<linked_function> functions_;
    std::map<in_file, std::uint32_t> function_of_;
    std::vector<std::uint32_t> kernels_;
    std::vector<memory_item> items_;
    std::map<std::pair<unsigned, in_file>, std::size_t> item_of_;  ///< by bank
    std::set<const linked_function*> dynamic_users_;
    std::map<std::uint32_t, std::set<std::uint32_t>> dynamic_;  ///< by function: kernels
    std::map<std::uint32_t, std::uint64_t> dynamic_start_;      ///< by function
    std::vector<std::uint64_t> shared_bytes_;                   ///< by kernel

    std::vector<output_section> outputs_;
    std::map<std::string, std::uint32_t> output_called_;
    std::map<in_file, std::pair<std::uint32_t, std::uint64_t>> placed_;  ///< output and offset
    std::map<in_file, std::pair<std::uint32_t, std::uint64_t>> common_;
    std::map<std::uint32_t, std::string> kept_;  ///< relocations, by output
    std::map<std::string_view, std::uint32_t> undefined_;
    std::string symbols_, strings_;
    std::uint32_t symbol_count_ = 0, locals_ = 0;
};

std::string one_line(std::string text) {
    std::string line;
    for (const char c : text) line += c == '\n' ? std::string("; ") : std::string(1, c);
    return line;
}

}  // namespace

link_error::link_error(const std::string& name, std::string reasons)
    : user_error(name, one_line(reasons)), reasons_(std::move(reasons)) {}

std::string link(const std::vector<link_object>& objects, const std::string& name,
                 undefined_symbols undefined) {
    return linker(objects, name, undefined).link();
}

std::shared_ptr<const cubin> executable(std::shared_ptr<const cubin> file) {
    if (!file->is_relocatable()) return file;
    std::string bytes = link({{file, false}}, file->origin(), undefined_symbols::are_kept);
    return std::make_shared<const cubin>(std::move(bytes), file->origin());
}

std::vector<std::string> strong_definitions(const cubin& file) {
    std::vector<std::string> names;
    for (const cubin_symbol& s : file.symbols())
        if (file.is_relocatable() && s.binding == STB_GLOBAL && s.section != 0 &&
            s.type != STT_SECTION && !s.name.empty())
            names.emplace_back(s.name);
    return names;
}

}  // namespace simtlm::sass
