// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/link_memory.h"

#include "modules/sass/byte_writer.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace simtlm::sass {

namespace {

constexpr std::uint32_t max_shared_memory = 1u << 24;  ///< bits of an offset in an instruction

bool share_a_kernel(const memory_item& a, const memory_item& b) {
    for (std::size_t k = 0; k < a.kernels.size(); ++k)
        if (a.kernels[k] && b.kernels[k]) return true;
    return false;
}

}  // namespace

link_memory::link_memory(const link_symbols& symbols, const link_functions& functions,
                         link_diagnostics& diagnostics)
    : symbols_(symbols),
      functions_(functions),
      used_(functions.all().size()),
      uses_dynamic_(functions.all().size()),
      shared_bytes_(functions.kernels().size()) {
    find_items(diagnostics);
    find_users();
    place_items(diagnostics);
    diagnostics.throw_if_any();
    for (const memory_item& i : items_)
        for (std::size_t k = 0; i.bank == 0 && k < shared_bytes_.size(); ++k)
            if (i.kernels[k]) shared_bytes_[k] = std::max(shared_bytes_[k], i.offset + i.bytes);
    place_dynamic_memory();
}

/// Shared variables that the code refers to, and the constants of its functions.
void link_memory::find_items(link_diagnostics& diagnostics) {
    for (std::uint32_t n = 0; n < functions_.all().size(); ++n) {
        const linked_function& f = functions_.all()[n];
        for (const cubin_relocation* r : symbols_.relocations(f.section)) {
            const in_file target = symbols_.resolved({f.section.first, r->symbol});
            const cubin_symbol& y = symbols_.symbol(target);
            if (link_symbols::is_dynamic_shared(y)) {
                uses_dynamic_[n] = true;
            } else if (symbols_.is_shared(target)) {
                if (y.type == STT_SECTION)
                    diagnostics.error(
                        fmt::format("'{}' refers to a section of shared memory in '{}'", f.name,
                                    symbols_.file(target.first).origin()));
                use(n, {0, target, y.size, y.value, {}, 0});
            } else if (y.section != 0) {
                const in_file home{target.first, y.section};
                const cubin_section& s = symbols_.section(home);
                const auto bank = bank_of(s.name);
                if (bank && bank->of_function && bank->bank != 0)
                    use(n, {bank->bank, home, s.size, s.alignment, {}, 0});
            }
        }
        // Those of the function itself, referred to or not.
        const auto& sections = symbols_.file(f.section.first).sections();
        for (std::uint32_t m = 1; m < sections.size(); ++m) {
            const cubin_section& s = sections[m];
            const auto bank = bank_of(s.name);
            if (bank && bank->of_function && bank->bank != 0 && s.info == f.section.second)
                use(n, {bank->bank, {f.section.first, m}, s.size, s.alignment, {}, 0});
        }
    }
}

void link_memory::use(std::uint32_t function, const memory_item& item) {
    const auto [at, fresh] = item_of_.emplace(std::make_pair(item.bank, item.of), items_.size());
    if (fresh) {
        items_.push_back(item);
        items_.back().alignment = std::clamp<std::uint64_t>(item.alignment, 1, 4096);
        items_.back().kernels.resize(functions_.kernels().size());
    }
    std::vector<std::size_t>& used = used_[function];
    if (std::find(used.begin(), used.end(), at->second) == used.end()) used.push_back(at->second);
}

/// Kernels use the items of all functions that they may call.
void link_memory::find_users() {
    for (std::uint32_t k = 0; k < functions_.kernels().size(); ++k) {
        const std::vector<bool> reached = functions_.reachable_from(functions_.kernels()[k]);
        for (std::uint32_t n = 0; n < reached.size(); ++n) {
            if (!reached[n]) continue;
            for (const std::size_t i : used_[n]) items_[i].kernels[k] = true;
            if (uses_dynamic_[n]) dynamic_[n].insert(k);
        }
    }
}

/// Gives items that a kernel uses together different addresses, those of most kernels first.
void link_memory::place_items(link_diagnostics& diagnostics) {
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
        if (end < item.bytes || end > (item.bank == 0 ? max_shared_memory : constant_bank_bytes))
            diagnostics.error(item.bank == 0
                                  ? std::string("shared variables exceed the shared memory")
                                  : fmt::format("constants exceed constant bank {}", item.bank));
        placed.push_back(i);
    }
}

/// Dynamic shared memory begins after the static one, at the same address in all kernels that call
/// the same functions with it.
void link_memory::place_dynamic_memory() {
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

std::optional<std::uint64_t> link_memory::offset_of(unsigned bank, in_file item) const {
    const auto at = item_of_.find({bank, item});
    return at == item_of_.end() ? std::nullopt : std::optional(items_[at->second].offset);
}

std::uint64_t link_memory::dynamic_start(std::uint32_t function) const {
    const auto start = dynamic_start_.find(function);
    return start == dynamic_start_.end() ? 0 : start->second;
}

std::optional<std::uint64_t> link_memory::shared_bytes(std::uint32_t kernel) const {
    const bool is_used = shared_bytes_[kernel] != 0 ||
                         std::any_of(dynamic_.begin(), dynamic_.end(),
                                     [&](const auto& d) { return d.second.count(kernel) != 0; });
    return is_used ? std::optional(shared_bytes_[kernel]) : std::nullopt;
}

}  // namespace simtlm::sass
