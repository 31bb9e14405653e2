// SPDX-License-Identifier: Apache-2.0
#include "platform/sampling/kernel_traits.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_set>

namespace simtlm::platform {

namespace {

constexpr unsigned inspected_blocks = 2;
constexpr std::uint64_t sector_bytes = 32;
// Address where cores place instructions in memory.
constexpr std::uint64_t program_start = 0xF0000000;

using program::dynamic_instruction;
using sectors = std::unordered_set<std::uint64_t>;

bool in_device_memory(program::memory_space s) {
    return s == program::memory_space::global;
}

/// Adds the sectors that a warp instruction accesses.
void add_sectors(const dynamic_instruction& i, const std::uint64_t* pool, sectors& to) {
    if (!i.info->is_memory() || !in_device_memory(i.space)) return;
    std::array<std::uint64_t, 32> address{};
    std::uint32_t lanes = program::expand_addresses(i, pool, address.data());
    for (; lanes != 0; lanes &= lanes - 1) {
        const std::uint64_t a = address[static_cast<unsigned>(__builtin_ctz(lanes))];
        const std::uint64_t last = a + std::max<std::uint64_t>(i.info->data_size, 1) - 1;
        for (std::uint64_t s = a / sector_bytes; s <= last / sector_bytes; ++s) to.insert(s);
    }
}

template <class Act>
void for_each_instruction(const trace::block_trace& block, Act act) {
    for (const auto& warp : block.warps) {
        const dynamic_instruction* const first = block.begin_of(warp);
        for (std::uint32_t i = 0; i < warp.count; ++i) act(first[i], block.addresses_of(warp));
    }
}

}  // namespace

double kernel_traits::work() const {
    constexpr double bytes_per_instruction = 40;  // size of the trace text; similar for all tracers
    if (recorded != 0) return recorded / bytes_per_instruction;
    const auto ctas = static_cast<double>(grid.volume());
    return instructions != 0 ? ctas * instructions : ctas * static_cast<double>(block.volume());
}

kernel_traits traits_of_header(const trace::kernel_header& h) {
    kernel_traits t;
    t.name = h.name;
    t.grid = h.grid;
    t.block = h.block;
    t.shared_memory = h.shared_memory;
    t.registers = h.registers;
    t.stream = h.stream;
    return t;
}

kernel_traits traits_of_trace(const std::string& file, const trace::reader_options& options) {
    trace::kernel_trace reader(file, options, 0);
    kernel_traits t = traits_of_header(reader.header());
    sectors touched;
    double blocks = 0, all = 0;
    for (unsigned n = 0; n < inspected_blocks; ++n) {
        std::unique_ptr<trace::block_trace> block = reader.next_block();
        if (!block) break;
        ++blocks;
        for (const auto& warp : block->warps)
            t.longest_warp = std::max(t.longest_warp, static_cast<double>(warp.count));
        for_each_instruction(*block, [&](const dynamic_instruction& i, const std::uint64_t* pool) {
            ++all;
            ++t.mix[static_cast<unsigned>(i.info->cls)];
            add_sectors(i, pool, touched);
        });
        reader.recycle(std::move(block));
    }
    if (all != 0)
        for (double& share : t.mix) share /= all;
    if (blocks != 0) {
        t.instructions = all / blocks;
        t.footprint = static_cast<double>(touched.size() * sector_bytes) / blocks;
    }
    return t;
}

std::optional<std::vector<memory_area>> areas_of_trace(const std::string& file,
                                                       const trace::reader_options& options,
                                                       std::uint64_t max_bytes) {
    trace::kernel_trace reader(file, options, 0);
    sectors touched;
    while (std::unique_ptr<trace::block_trace> block = reader.next_block()) {
        for_each_instruction(*block, [&](const dynamic_instruction& i, const std::uint64_t* pool) {
            add_sectors(i, pool, touched);
            touched.insert((program_start + i.info->pc) / sector_bytes);
        });
        reader.recycle(std::move(block));
        if (touched.size() * sector_bytes > max_bytes) return std::nullopt;
    }
    std::vector<std::uint64_t> sorted(touched.begin(), touched.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<memory_area> areas;
    for (const std::uint64_t s : sorted) {
        if (!areas.empty() && areas.back().first + areas.back().second == s * sector_bytes)
            areas.back().second += sector_bytes;
        else
            areas.emplace_back(s * sector_bytes, sector_bytes);
    }
    return areas;
}

}  // namespace simtlm::platform
