// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/executed_code.h"

#include "modules/isa/scheduling.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <limits>
#include <locale>
#include <sstream>
#include <type_traits>

namespace simtlm::trace {

namespace {

using program::static_instruction;

constexpr unsigned is_load = 1, is_store = 2, is_atomic = 4;

std::string line_of(const static_instruction& i) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    const auto number = [](auto v) { return static_cast<std::int64_t>(v); };
    const unsigned use =
        (i.is_load ? is_load : 0) + (i.is_store ? is_store : 0) + (i.is_atomic ? is_atomic : 0);
    out << std::hex << i.pc << std::dec << ' ' << i.opcode << ' ' << number(i.cls) << ' '
        << i.latency << ' ' << i.initiation_interval << ' ' << number(i.code_bytes) << ' '
        << number(i.data_size) << ' ' << number(i.space) << ' ' << use << ' ' << number(i.special)
        << ' ' << number(i.cache_op) << ' ' << number(i.barrier) << ' ' << i.immediate << ' '
        << i.uncollected << ' ' << number(i.n_dst);
    for (unsigned n = 0; n < i.n_dst; ++n) out << ' ' << i.dst[n];
    out << ' ' << number(i.n_src);
    for (unsigned n = 0; n < i.n_src; ++n) out << ' ' << i.src[n];
    if (i.barrier != program::barrier_kind::none && (i.barrier_id != 0 || i.barrier_threads != 0))
        out << " barrier " << i.barrier_id << ' ' << i.barrier_threads;
    if (i.l2_block != 0) out << " l2_block " << i.l2_block;
    if (i.control.present) out << " control " << std::hex << i.control.encode();
    return out.str();
}

/// Reads numbers; records whether any was missing or out of range.
class number_reader {
public:
    explicit number_reader(std::istringstream& in) : in_(in) {}

    template <class T>
    void take(T& to, std::int64_t most = std::numeric_limits<std::int32_t>::max(),
              std::int64_t least = 0) {
        std::int64_t v = 0;
        if (!(in_ >> v) || v < least || v > most) good_ = false;
        to = static_cast<T>(good_ ? v : 0);
    }
    template <class List>
    void take_registers(std::uint8_t& count, List& list) {
        take(count, static_cast<std::int64_t>(list.size()));
        for (unsigned n = 0; n < count; ++n) take(list[n], program::register_zero);
    }
    bool good() const { return good_; }

private:
    std::istringstream& in_;
    bool good_ = true;
};

/// Parses the optional barrier, block of the L2 and control bits at the end of a line.
bool take_control(std::istringstream& in, static_instruction& i) {
    constexpr std::uint32_t most = (1u << 21) - 1;
    constexpr std::int16_t max_barriers = 16;
    std::string word;
    if (!(in >> word)) return true;
    if (word == "barrier") {
        if (!(in >> i.barrier_id >> i.barrier_threads) || i.barrier_id < 0 ||
            i.barrier_id >= max_barriers || i.barrier_threads < 0)
            return false;
        if (!(in >> word)) return true;
    }
    if (word == "l2_block") {
        if (!(in >> i.l2_block) || (i.l2_block != 64 && i.l2_block != 128 && i.l2_block != 256))
            return false;
        if (!(in >> word)) return true;
    }
    std::uint32_t bits = 0;
    if (word != "control" || !(in >> std::hex >> bits) || bits > most) return false;
    i.control = program::control_bits::decode(bits);
    return true;
}

}  // namespace

std::string executed_code::text_of(const std::vector<program::instruction_window>& functions) {
    std::string text = "-execution = 1\n";
    std::size_t f = 0, i = 0;
    for (const program::instruction_window& w : functions) {
        text += "-function " + std::to_string(f++) + " = " + std::to_string(w.end - w.next) + "\n";
        for (const program::dynamic_instruction* d = w.next; d != w.end; ++d)
            text += "-instruction " + std::to_string(i++) + " = " + line_of(*d->info) + "\n";
    }
    return text;
}

bool executed_code::take(std::string_view key, std::string_view value) {
    std::istringstream in{std::string(value)};
    in.imbue(std::locale::classic());
    number_reader numbers(in);
    if (key.substr(0, 9) == "function ") {
        std::uint32_t count = 0;
        numbers.take(count);
        functions_.push_back(count);
        return numbers.good();
    }
    static_instruction i;
    std::string opcode;
    if (!(in >> std::hex >> i.pc >> std::dec >> opcode)) return false;
    constexpr auto max_latency = std::numeric_limits<std::uint16_t>::max();
    unsigned use = 0;
    numbers.take(i.cls, program::op_class_count - 1);
    numbers.take(i.latency, max_latency);
    numbers.take(i.initiation_interval, max_latency, 1);
    numbers.take(i.code_bytes, 128, 1);
    numbers.take(i.data_size, 128);
    numbers.take(i.space, static_cast<int>(program::memory_space::generic));
    numbers.take(use, is_load + is_store + is_atomic);
    numbers.take(i.special, static_cast<int>(program::special_op::dependency_wait));
    numbers.take(i.cache_op, static_cast<int>(program::cache_operator::prefetch_l2));
    numbers.take(i.barrier, static_cast<int>(program::barrier_kind::reduction));
    numbers.take(i.immediate, std::numeric_limits<std::int32_t>::max(),
                 std::numeric_limits<std::int32_t>::min());
    numbers.take(i.uncollected, std::numeric_limits<std::uint32_t>::max());
    numbers.take_registers(i.n_dst, i.dst);
    numbers.take_registers(i.n_src, i.src);
    if (!numbers.good() || !take_control(in, i)) return false;
    i.is_load = (use & is_load) != 0;
    i.is_store = (use & is_store) != 0;
    i.is_atomic = (use & is_atomic) != 0;
    may_sleep_ = may_sleep_ || opcode.compare(0, 9, "NANOSLEEP") == 0 ||
                 opcode.compare(0, 9, "nanosleep") == 0;
    i.opcode = opcodes_.emplace_back(std::move(opcode)).c_str();
    if (!descriptor_.empty() && descriptor_.back().pc >= i.pc) return false;
    descriptor_.push_back(i);
    return true;
}

bool executed_code::seal() {
    std::uint64_t end = 0;
    for (const std::uint64_t count : functions_) {
        end += count;
        if (end > descriptor_.size()) return false;
        end_of_function_.resize(end, static_cast<std::uint32_t>(end));
    }
    if (end != descriptor_.size()) return false;
    sequence_.resize(descriptor_.size());
    std::uint32_t most = 0;
    for (static_instruction& i : descriptor_) isa::set_opcode_properties(i);
    for (std::size_t n = 0; n < descriptor_.size(); ++n) {
        const static_instruction& i = descriptor_[n];
        sequence_[n].info = &i;
        sequence_[n].space = i.space;
        for (unsigned r = 0; r < i.n_dst; ++r) most = std::max<std::uint32_t>(most, i.dst[r]);
        for (unsigned r = 0; r < i.n_src; ++r) most = std::max<std::uint32_t>(most, i.src[r]);
    }
    register_numbers_ = std::max(register_numbers_, most + 1);
    return true;
}

void executed_code::set_latencies(const program::latency_table& latencies) {
    for (static_instruction& i : descriptor_) {
        if (i.latency != 0) continue;
        const program::latency_table::entry& of_class = latencies[i.cls];
        const bool is_half = i.initiation_interval == 1;
        i.latency = of_class.latency;
        i.initiation_interval = static_cast<std::uint16_t>(
            is_half ? std::max(1, of_class.initiation_interval / 2) : of_class.initiation_interval);
    }
}

const program::dynamic_instruction* executed_code::find(std::uint64_t pc) const {
    const auto at = std::lower_bound(sequence_.begin(), sequence_.end(), pc,
                                     [](const auto& d, std::uint64_t p) { return d.info->pc < p; });
    return at == sequence_.end() || at->info->pc != pc ? nullptr : &*at;
}

program::instruction_window executed_code::window_from(
    const program::dynamic_instruction* first) const {
    const auto n = static_cast<std::size_t>(first - sequence_.data());
    return {first, sequence_.data() + end_of_function_[n]};
}

bool executed_code::is_machine_code() const {
    constexpr unsigned machine_code_bytes = 16;
    return !descriptor_.empty() && descriptor_.front().code_bytes == machine_code_bytes;
}

bool executed_code::is_memory(std::uint64_t pc) const {
    const program::dynamic_instruction* const d = find(pc);
    return d != nullptr && d->info->is_memory();
}

}  // namespace simtlm::trace
