// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/executed_text.h"

#include "modules/isa/decode.h"
#include "modules/trace/append_text.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

namespace simtlm::trace {

namespace {

using program::memory_space;

constexpr std::pair<memory_space, const char*> spaces[] = {
    {memory_space::global, "global"},   {memory_space::local, "local"},
    {memory_space::shared, "shared"},   {memory_space::constant, "const"},
    {memory_space::texture, "texture"},
};
/// Text lines name registers of machine code, of which there are 255: larger numbers are reduced
/// modulo that for other readers; the header has the full numbers.
constexpr unsigned registers_of_texts = 255;
constexpr unsigned max_shown = 8;
constexpr unsigned machine_code_bytes = 16;
constexpr std::uint64_t window_bytes = 1 << 24;  ///< of shared and of local memory

template <class List>
void append_registers(std::string& text, unsigned count, const List& list) {
    count = std::min(count, max_shown);
    append_text(text, " %u", count);
    for (unsigned n = 0; n < count; ++n) append_text(text, " R%u", list[n] % registers_of_texts);
}

/// Writes a stride if there is one and the lanes are contiguous, otherwise a list.
void append_addresses(std::string& text, std::uint32_t lanes, const std::uint64_t* address) {
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint32_t run = lanes >> first;
    const std::uint64_t stride = (run & 2) != 0 ? address[first + 1] - address[first] : 0;
    bool regular = (run & (run + 1)) == 0;
    for (std::uint32_t m = lanes & (lanes - 1); regular && m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(m));
        regular = address[lane] - address[lane - 1] == stride;
    }
    if (regular) {
        append_text(text, " 1 0x%" PRIx64 " %" PRId64, address[first],
                    static_cast<std::int64_t>(stride));
        return;
    }
    text += " 0";
    for (std::uint32_t m = lanes; m != 0; m &= m - 1)
        append_text(text, " 0x%" PRIx64, address[static_cast<unsigned>(__builtin_ctz(m))]);
}

template <class List>
void append_traced_registers(std::string& text, unsigned count, const List& list) {
    append_text(text, "%u ", count);
    for (unsigned n = 0; n < count; ++n)
        append_text(text, "R%u ",
                    list[n] == program::register_zero ? 255u : static_cast<unsigned>(list[n]));
}

/// Writes base and stride if the lanes are contiguous, otherwise a base and distances.
void append_traced_addresses(std::string& text, std::uint32_t lanes, const std::uint64_t* address) {
    const auto first = lanes == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint32_t run = lanes >> first;
    const bool neighbours = (run & (run + 1)) == 0 && (run & 2) != 0;
    const std::uint64_t stride = neighbours ? address[first + 1] - address[first] : 0;
    bool regular = neighbours || lanes == 0;
    for (std::uint32_t m = lanes & (lanes - 1); regular && m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(m));
        regular = address[lane] - address[lane - 1] == stride;
    }
    if (regular) {
        append_text(text, "1 0x%" PRIx64 " %" PRId64 " ", lanes == 0 ? 0 : address[first],
                    static_cast<std::int64_t>(stride));
        return;
    }
    append_text(text, "2 0x%" PRIx64 " ", address[first]);
    std::uint64_t before = address[first];
    for (std::uint32_t m = lanes & (lanes - 1); m != 0; m &= m - 1) {
        const std::uint64_t now = address[static_cast<unsigned>(__builtin_ctz(m))];
        append_text(text, "%" PRId64 " ", static_cast<std::int64_t>(now - before));
        before = now;
    }
}

/// @param word  which of the addresses of every lane
void append_traced_line(std::string& text, const program::static_instruction& info,
                        const program::issue_effects& effects,
                        const program::lane_addresses& addresses, unsigned word,
                        const traced_form& form) {
    append_text(text, "%04" PRIx64 " %08" PRIx32 " ", info.pc, effects.active_mask);
    append_traced_registers(text, info.n_dst, info.dst);
    text += info.opcode;
    if (info.barrier != program::barrier_kind::none) text += suffix_of(info, effects);
    text += ' ';
    append_traced_registers(text, info.n_src, info.src);
    if (info.is_memory() && (info.space != memory_space::constant || addresses.lanes != 0)) {
        std::uint64_t window = 0;
        if (info.space == memory_space::generic && effects.space == memory_space::shared)
            window = form.shared_window;
        if (info.space == memory_space::generic && effects.space == memory_space::local)
            window = form.local_window;
        // Active lanes without an address have address 0, as in all traces.
        std::array<std::uint64_t, 32> of_lane{};
        for (std::uint32_t m = addresses.lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctz(m));
            const std::uint64_t a = addresses.address[word][lane];
            of_lane[lane] = a < window_bytes ? a + window : a;
        }
        append_text(text, "%u ", isa::access_width(info.opcode, false));
        append_traced_addresses(text, effects.active_mask, of_lane.data());
    } else {
        text += "0 ";
    }
    append_text(text, "%" PRId32 " ", info.immediate);
    if (form.version >= 6) text += "NoVal ";
    text += '\n';
}

}  // namespace

unsigned append_traced_lines(std::string& text, const program::static_instruction& info,
                             const program::issue_effects& effects,
                             const program::lane_addresses& addresses, const traced_form& form) {
    const bool fetches = info.space == memory_space::texture && addresses.lanes != 0;
    const unsigned lines = fetches ? addresses.words : 1;
    for (unsigned word = 0; word < lines; ++word)
        append_traced_line(text, info, effects, addresses, word, form);
    return lines;
}

std::string suffix_of(const program::static_instruction& info,
                      const program::issue_effects& effects) {
    if (info.space == memory_space::generic)
        for (const auto& [space, name] : spaces)
            if (space == effects.space) return std::string("@") + name;
    const bool is_encoded = info.code_bytes == machine_code_bytes &&
                            effects.barrier_id == info.barrier_id &&
                            effects.barrier_threads == info.barrier_threads;
    if (info.barrier != program::barrier_kind::none && !is_encoded)
        return "@" + std::to_string(effects.barrier_id) + "," +
               std::to_string(effects.barrier_threads);
    return {};
}

void read_suffix(const char* opcode, const program::static_instruction& info,
                 program::issue_effects& effects) {
    const bool is_barrier = info.barrier != program::barrier_kind::none;
    if (info.space != memory_space::generic && !is_barrier) return;
    const char* const at = std::strchr(opcode, '@');
    if (at == nullptr) {
        if (!is_barrier) effects.space = memory_space::global;
        return;
    }
    if (is_barrier) {
        std::sscanf(at, "@%" SCNd32 ",%" SCNd32, &effects.barrier_id, &effects.barrier_threads);
        return;
    }
    for (const auto& [space, name] : spaces)
        if (std::strcmp(at + 1, name) == 0) effects.space = space;
}

unsigned append_lines(std::string& text, const program::static_instruction& info,
                      const program::issue_effects& effects,
                      const program::lane_addresses& addresses) {
    const bool accesses = info.is_memory() && effects.active_mask != 0 && addresses.lanes != 0;
    const unsigned lines = accesses ? addresses.words : 1;
    const std::string suffix = suffix_of(info, effects);
    for (unsigned word = 0; word < lines; ++word) {
        append_text(text, "%04" PRIx64 " %08" PRIx32, info.pc, effects.active_mask);
        append_registers(text, info.n_dst, info.dst);
        text += ' ';
        text += info.opcode;
        text += suffix;
        append_registers(text, info.n_src, info.src);
        append_text(text, " %u", accesses ? std::max<unsigned>(info.data_size, 1) : 0u);
        if (accesses) {
            // Active lanes without an address have address 0, as in all traces.
            std::array<std::uint64_t, 32> of_word{};
            for (std::uint32_t m = addresses.lanes; m != 0; m &= m - 1) {
                const auto lane = static_cast<unsigned>(__builtin_ctz(m));
                of_word[lane] = addresses.address[word][lane];
            }
            append_addresses(text, effects.active_mask, of_word.data());
        }
        text += '\n';
    }
    return lines;
}

}  // namespace simtlm::trace
