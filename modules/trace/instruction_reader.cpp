// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/instruction_reader.h"

#include "modules/kernel/error.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace simtlm::trace {

namespace {

constexpr std::size_t first_slots = 1024;        // a power of two
constexpr std::size_t most_variants = 4096;      // of one program counter
constexpr std::size_t longest_opcode = 128;      // the longest known has about 40 characters
constexpr unsigned most_operands = 16;           // on a line, with what carries no dependences
constexpr std::uint64_t window_bytes = 1 << 24;  // of shared and of local memory, by hardware
constexpr std::uint64_t quirk_local_bytes = 1 << 14;

std::string hex(std::uint64_t value) {
    static const char digits[] = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), digits[value & 15]);
        value >>= 4;
    } while (value != 0);
    return "0x" + text;
}

/// Uniform registers, predicates and barriers: operands that carry no dependence here.
bool is_other_operand(std::string_view word) {
    if (!word.empty() && word.front() == '!') word.remove_prefix(1);
    if (word.substr(0, 2) == "UR" || word.substr(0, 2) == "UP") return true;
    if (word.substr(0, 2) == "SB" || word.substr(0, 2) == "SR") return true;
    return !word.empty() && (word.front() == 'P' || word.front() == 'B');
}

/// "R12" or "RZ".
bool parse_register(std::string_view word, unsigned& number) {
    if (word == "RZ") {
        number = isa::register_zero;
        return true;
    }
    if (word.size() < 2 || word.size() > 4 || word.front() != 'R') return false;
    number = 0;
    for (char c : word.substr(1)) {
        if (c < '0' || c > '9') return false;
        number = number * 10 + static_cast<unsigned>(c - '0');
    }
    return number <= 255;
}

}  // namespace

instruction_reader::instruction_reader(const kernel_header& header, const reader_options& options,
                                       warning_sink warn)
    : header_(header), options_(options), warn_(std::move(warn)), slots_(first_slots) {
    decode_options_.latencies = options.latencies;
    decode_options_.single_barrier = options.quirk_single_barrier;
    decode_options_.ldc_is_alu = options.quirk_ldc_is_alu;
    decode_options_.typed_width_is_word = options.quirk_typed_width_is_word;
    unknown_entry_.cls = isa::op_class::integer;
}

void instruction_reader::read(const line_source::line& line, const line_source& where,
                              block_trace& block) {
    where_ = &where;
    scanner in(line);
    std::uint64_t number = 0;
    if (header_.tracer_version < 3) {
        for (int i = 0; i < 4; ++i) {
            if (!in.take_decimal(number)) fail("block and warp in front of the instruction");
        }
    }
    std::uint32_t source_line = 0;
    if (header_.line_info) {
        if (!in.take_decimal(number)) fail("the source line is no number");
        source_line = static_cast<std::uint32_t>(number);
    }
    std::uint64_t pc = 0;
    std::uint64_t mask = 0;
    if (!in.take_hexadecimal(pc)) fail("the program counter is no hexadecimal number");
    if (!in.take_hexadecimal(mask) || mask > UINT32_MAX) {
        fail("the active mask is no hexadecimal number of 32 bits");
    }
    in.skip_blanks();
    static_entry* entry = find(pc, source_line, in);
    if (entry != nullptr) {
        in.advance(entry->text.size());
    } else {
        entry = decode_new(pc, source_line, in);
    }

    isa::dynamic_instruction inst;
    inst.active_mask = static_cast<std::uint32_t>(mask);
    tail rest;
    if (!in.take_decimal(rest.width)) fail("no memory width after the operands");
    const bool memory = entry->info.is_memory();
    if (rest.width != 0) read_addresses(in, inst, memory, block);
    while (rest.n_immediates < 2 && in.take_signed(rest.immediates[rest.n_immediates])) {
        ++rest.n_immediates;
    }
    if (entry->by_immediate) entry = variant_for(entry, rest);
    inst.info = &entry->info;
    inst.space = inst.info->space;
    if (inst.space == isa::memory_space::generic) inst.space = resolve_generic(inst, block);
    block.instructions.push_back(inst);
}

instruction_reader::static_entry* instruction_reader::find(std::uint64_t pc,
                                                           std::uint32_t source_line,
                                                           const scanner& in) {
    for (static_entry* e = slot_of(pc).chain; e != nullptr; e = e->next) {
        const std::size_t n = e->text.size();
        if (in.left() >= n && std::memcmp(in.position(), e->text.data(), n) == 0 &&
            (in.left() == n || scanner::is_blank(in.position()[n])) &&
            e->info.source_line == source_line) {
            return e;
        }
    }
    return nullptr;
}

instruction_reader::static_entry* instruction_reader::decode_new(std::uint64_t pc,
                                                                 std::uint32_t source_line,
                                                                 scanner& in) {
    const char* begin = in.position();
    operand_list dst;
    operand_list src;
    read_operands(in, isa::max_destinations, dst, "destination");
    const std::string_view opcode = in.take_word();
    if (opcode.empty()) fail("no opcode");
    if (opcode.size() > longest_opcode) fail("an opcode of more than 128 characters");
    read_operands(in, isa::max_sources, src, "source");

    isa::instruction_text text;
    static_entry fresh;
    fresh.opcode = opcode;
    const isa::opcode_entry& known = look_up(fresh.opcode, pc);
    fresh.by_immediate =
        known.cls == isa::op_class::barrier || known.special == isa::special_op::depbar;
    fresh.text.assign(begin, static_cast<std::size_t>(in.position() - begin));
    text.pc = pc;
    text.source_line = source_line;
    text.n_dst = dst.count;
    text.n_src = src.count;
    std::copy_n(dst.registers, dst.count, text.dst);
    std::copy_n(src.registers, src.count, text.src);
    statics_.push_back(std::move(fresh));
    static_entry& entry = statics_.back();
    text.opcode = entry.opcode.c_str();
    entry.info = isa::decode(known, text, decode_options_);
    insert(&entry);
    return &entry;
}

instruction_reader::static_entry* instruction_reader::variant_for(static_entry* entry,
                                                                  const tail& rest) {
    const auto same = [&](const static_entry& e) {
        return e.n_immediates == rest.n_immediates &&
               std::equal(rest.immediates, rest.immediates + rest.n_immediates, e.immediates);
    };
    for (static_entry* e = entry; e != nullptr; e = e->next) {
        if (same(*e) && e->text == entry->text && e->info.source_line == entry->info.source_line) {
            return e;
        }
    }
    // The first entry of a text is made without immediates: decode again with them.
    static_entry fresh = *entry;
    statics_.push_back(std::move(fresh));
    static_entry& e = statics_.back();
    isa::instruction_text text;
    text.pc = entry->info.pc;
    text.source_line = entry->info.source_line;
    text.opcode = e.opcode.c_str();
    text.n_dst = entry->info.n_dst;
    text.n_src = entry->info.n_src;
    std::copy_n(entry->info.dst.begin(), text.n_dst, text.dst);
    std::copy_n(entry->info.src.begin(), text.n_src, text.src);
    text.n_immediates = e.n_immediates = rest.n_immediates;
    std::copy_n(rest.immediates, rest.n_immediates, e.immediates);
    std::copy_n(rest.immediates, rest.n_immediates, text.immediates);
    e.info = isa::decode(look_up(e.opcode, text.pc), text, decode_options_);
    insert(&e);
    return &e;
}

void instruction_reader::insert(static_entry* entry) {
    if (slots_used_ * 2 >= slots_.size()) grow();
    slot& s = slot_of(entry->info.pc);
    entry->next = nullptr;
    if (s.chain == nullptr) {
        s.pc = entry->info.pc;
        s.chain = entry;
        ++slots_used_;
        return;
    }
    std::size_t length = 1;
    static_entry* last = s.chain;
    for (; last->next != nullptr; last = last->next) ++length;
    if (length >= most_variants) {
        fail("more than " + std::to_string(most_variants) +
             " different instructions at program counter " + hex(entry->info.pc));
    }
    last->next = entry;
}

instruction_reader::slot& instruction_reader::slot_of(std::uint64_t pc) {
    const std::size_t last = slots_.size() - 1;
    std::uint64_t h = (pc >> 3) * 0x9e3779b97f4a7c15ULL;
    std::size_t i = static_cast<std::size_t>(h >> 32) & last;
    while (slots_[i].chain != nullptr && slots_[i].pc != pc) i = (i + 1) & last;
    return slots_[i];
}

void instruction_reader::grow() {
    std::vector<slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const slot& s : old) {
        if (s.chain != nullptr) slot_of(s.pc) = s;
    }
}

void instruction_reader::read_operands(scanner& in, unsigned capacity, operand_list& list,
                                       const char* role) {
    std::uint64_t count = 0;
    if (!in.take_decimal(count)) fail(std::string{"the number of "} + role + " registers");
    if (count > most_operands) fail(std::string{"too many "} + role + " registers");
    for (; count > 0; --count) {
        const std::string_view word = in.take_word();
        unsigned number = 0;
        if (parse_register(word, number)) {
            if (list.count == capacity) fail(std::string{"too many "} + role + " registers");
            list.registers[list.count++] = static_cast<std::uint8_t>(number);
        } else if (!is_other_operand(word)) {
            fail("'" + std::string{word.substr(0, 20)} + "' is no register");
        }
    }
}

void instruction_reader::read_addresses(scanner& in, isa::dynamic_instruction& inst, bool keep,
                                        block_trace& block) {
    const unsigned lanes = static_cast<unsigned>(__builtin_popcount(inst.active_mask));
    const std::size_t offset = block.addresses.size();
    if (offset > UINT32_MAX - 64) fail("too many addresses in one thread block");
    inst.address_offset = static_cast<std::uint32_t>(offset);
    std::uint64_t mode = 0;
    if (!in.take_decimal(mode) || mode > 2) fail("the address mode is none of 0, 1 and 2");
    std::uint64_t base = 0;
    const auto read_base = [&] {
        if (!in.take_hexadecimal(base)) fail("the base address is no hexadecimal number");
    };
    switch (mode) {
        case 0: {
            block.addresses.resize(offset + lanes);
            for (unsigned i = 0; i < lanes; ++i) {
                if (!in.take_hexadecimal(block.addresses[offset + i])) {
                    fail("address " + std::to_string(i + 1) + " of " + std::to_string(lanes) +
                         " is missing or no hexadecimal number");
                }
            }
            inst.mode = isa::address_mode::list;
            break;
        }
        case 1: {
            std::int64_t stride = 0;
            read_base();
            if (!in.take_signed(stride)) fail("the stride is missing or no number");
            block.addresses.push_back(base);
            block.addresses.push_back(static_cast<std::uint64_t>(stride));
            inst.mode = isa::address_mode::base_stride;
            if (options_.quirk_base_stride_gap) spread_stride(inst, block);
            break;
        }
        default: {
            read_base();
            block.addresses.resize(offset + lanes);
            if (lanes > 0) block.addresses[offset] = base;
            for (unsigned i = 1; i < lanes; ++i) {
                std::int64_t delta = 0;
                if (!in.take_signed(delta)) {
                    fail("delta " + std::to_string(i) + " of " + std::to_string(lanes - 1) +
                         " is missing or no number");
                }
                base += static_cast<std::uint64_t>(delta);
                block.addresses[offset + i] = base;
            }
            std::int64_t swallowed = 0;
            if (options_.quirk_base_delta_swallow && lanes > 0) in.take_signed(swallowed);
            inst.mode = isa::address_mode::list;
            break;
        }
    }
    if (lanes == 0 || !keep) {
        block.addresses.resize(offset);
        inst.address_offset = 0;
        inst.mode = isa::address_mode::none;
    }
}

/// Quirk: the reference gives lanes after the first gap of the mask the address 0.
void instruction_reader::spread_stride(isa::dynamic_instruction& inst, block_trace& block) {
    const std::uint32_t mask = inst.active_mask;
    if (mask == 0) return;
    const std::uint32_t run = mask >> __builtin_ctz(mask);
    if ((run & (run + 1)) == 0) return;  // no gap
    const unsigned before_gap = static_cast<unsigned>(__builtin_ctz(~run));
    const unsigned lanes = static_cast<unsigned>(__builtin_popcount(mask));
    std::uint64_t address = block.addresses[inst.address_offset];
    const std::uint64_t stride = block.addresses[inst.address_offset + 1];
    block.addresses.resize(inst.address_offset);
    for (unsigned i = 0; i < lanes; ++i, address += stride) {
        block.addresses.push_back(i < before_gap ? address : 0);
    }
    inst.mode = isa::address_mode::list;
}

isa::memory_space instruction_reader::resolve_generic(const isa::dynamic_instruction& inst,
                                                      const block_trace& block) const {
    const std::uint64_t shared = header_.shared_base;
    const std::uint64_t local = header_.local_base;
    if (shared == 0 || local == 0) return isa::memory_space::shared;
    if (inst.mode == isa::address_mode::none) return isa::memory_space::global;
    const std::uint64_t a = block.addresses[inst.address_offset];
    const auto inside = [a](std::uint64_t base, std::uint64_t bytes) {
        return a >= base && a - base < bytes;
    };
    if (options_.quirk_generic_windows) {
        if (a >= shared && a < local) return isa::memory_space::shared;
        if (inside(local, quirk_local_bytes)) return isa::memory_space::local;
        return isa::memory_space::global;
    }
    if (inside(shared, window_bytes)) return isa::memory_space::shared;
    if (inside(local, window_bytes)) return isa::memory_space::local;
    return isa::memory_space::global;
}

const isa::opcode_entry& instruction_reader::look_up(const std::string& opcode, std::uint64_t pc) {
    const std::string base{isa::base_opcode(opcode)};
    const isa::opcode_entry* entry = options_.opcodes->find(header_.binary_version, base);
    if (entry != nullptr) return *entry;
    const std::string what = "unknown opcode " + opcode + " at program counter " + hex(pc) +
                             " of kernel " + header_.name + " (binary version " +
                             std::to_string(header_.binary_version) + ", " +
                             options_.opcodes->architecture_of(header_.binary_version) + ")";
    if (options_.unknown_opcode_is_error) {
        fail(what, "describe " + base + " in an opcode file, or let unknown opcodes pass");
    }
    if (unknown_.insert(base).second) {
        warn_(where_->where() + ": " + what + "; runs as an integer instruction");
    }
    return unknown_entry_;
}

void instruction_reader::fail(const std::string& what, const std::string& remedy) const {
    throw kernel::user_error(where_->where(), what, remedy);
}

}  // namespace simtlm::trace
