// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/instruction_table.h"

#include "modules/isa/scheduling.h"
#include "modules/support/error.h"
#include "modules/trace/append_text.h"
#include "modules/trace/trace_validator.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace simtlm::trace {

namespace {

constexpr std::size_t first_buckets = 1024;  // a power of two
constexpr std::size_t max_variants = 4096;   // per program counter

/// Whether an executed instruction may change an mbarrier: PTX or machine code.
bool uses_mbarrier(std::string_view opcode) {
    return opcode.find("mbarrier") != std::string_view::npos || opcode.substr(0, 5) == "SYNCS";
}

}  // namespace

instruction_table::instruction_table(const kernel_header& header, const reader_options& options,
                                     warning_sink warn)
    : header_(header),
      opcodes_(options.opcodes),
      unknown_opcode_is_error_(options.unknown_opcode_is_error),
      validate_(options.validate && !header.code),
      warn_(std::move(warn)),
      buckets_(first_buckets) {
    decode_options_.latencies = options.latencies;
    decode_options_.quirks = options.quirks;
    unknown_entry_.cls = program::op_class::integer;
    executed_access_.cls = program::op_class::load;
    executed_access_.space = program::memory_space::global;
}

instruction_table::entry* instruction_table::decode_new(std::uint64_t pc, std::uint32_t source_line,
                                                        scanner& in, const place& where) {
    const line_operands operands = scan_operands(in, where);
    isa::instruction_text text;
    entry made;
    made.opcode = operands.opcode;
    const isa::opcode_entry& known = look_up(made.opcode, pc, where);
    made.by_immediate =
        known.cls == program::op_class::barrier || known.special == program::special_op::depbar;
    if (header_.code) {
        const program::dynamic_instruction* const executed = header_.code->find(pc);
        const bool sleeps =
            header_.code->may_sleep() && executed != nullptr && !executed->info->is_memory();
        if (executed != nullptr &&
            (program::is_asynchronous(executed->info->special) || uses_mbarrier(made.opcode) ||
             header_.cluster.volume() > 1 || sleeps))
            made.form = line_form::executed;
    } else {
        const std::string_view base = isa::base_opcode(made.opcode);
        made.form = form_of(made.opcode);
        if (made.form == line_form::mbarrier) made.operands = count_operands(operands.text);
        if (made.form == line_form::product || base == "WARPGROUP") made.by_immediate = true;
        if (base == "UTMACMDFLUSH") bulk_groups_seen_ = true;
        if (base == "LDGDEPBAR") bulk_groups_seen_ = false;
    }
    made.text = operands.text;
    if (validate_) {
        const opcode_rules rules = rules_of(made.opcode);
        made.needs_addresses = rules.needs_addresses;
        calls_seen_ = calls_seen_ || rules.may_leave_function;
        validate_instruction(header_, pc, operands, calls_seen_, where);
        for (const entry* e = bucket_of(pc).chain; e != nullptr && !calls_seen_; e = e->next)
            validate_same_opcode(e->opcode, made.opcode, pc, where);
    }
    text.pc = pc;
    text.source_line = source_line;
    text.n_dst = operands.dst.count;
    text.n_src = operands.src.count;
    std::copy_n(operands.dst.registers, operands.dst.count, text.dst);
    std::copy_n(operands.src.registers, operands.src.count, text.src);
    entries_.push_back(std::move(made));
    entry& fresh = entries_.back();
    text.opcode = fresh.opcode.c_str();
    fresh.recorded = text;
    fresh.info = isa::decode(known, text, decode_options_);
    make_asynchronous(fresh);
    set_control(fresh.info);
    insert(&fresh, where);
    return &fresh;
}

instruction_table::entry* instruction_table::variant_for(entry* of, unsigned n,
                                                         const std::int64_t* immediates,
                                                         const place& where) {
    const auto same = [&](const entry& e) {
        return e.n_immediates == n && std::equal(immediates, immediates + n, e.immediates);
    };
    for (entry* e = of; e != nullptr; e = e->next) {
        if (same(*e) && e->text == of->text && e->info.source_line == of->info.source_line) {
            return e;
        }
    }
    // The first entry of a text is decoded without immediates: decode again with them.
    entry fresh = *of;
    entries_.push_back(std::move(fresh));
    entry& e = entries_.back();
    e.recorded.opcode = e.opcode.c_str();
    e.recorded.n_immediates = e.n_immediates = n;
    std::copy_n(immediates, n, e.immediates);
    std::copy_n(immediates, n, e.recorded.immediates);
    e.info = isa::decode(look_up(e.opcode, e.recorded.pc, where), e.recorded, decode_options_);
    make_asynchronous(e);
    set_control(e.info);
    insert(&e, where);
    return &e;
}

void instruction_table::set_control(program::static_instruction& info) const {
    const auto at = header_.control.find(info.pc);
    if (at != header_.control.end()) info.control = at->second;
}

void instruction_table::insert(entry* fresh, const place& where) {
    if (buckets_used_ * 2 >= buckets_.size()) grow();
    bucket& s = bucket_of(fresh->info.pc);
    fresh->next = nullptr;
    if (s.chain == nullptr) {
        s.pc = fresh->info.pc;
        s.chain = fresh;
        ++buckets_used_;
        return;
    }
    std::size_t length = 1;
    entry* last = s.chain;
    for (; last->next != nullptr; last = last->next) ++length;
    if (length >= max_variants) {
        throw support::user_error(where.where(), "more than " + std::to_string(max_variants) +
                                                     " different instructions at program counter " +
                                                     hex(fresh->info.pc));
    }
    last->next = fresh;
}

void instruction_table::grow() {
    std::vector<bucket> old(buckets_.size() * 2);
    old.swap(buckets_);
    for (const bucket& s : old) {
        if (s.chain != nullptr) bucket_of(s.pc) = s;
    }
}

/// Sets the properties of Hopper's asynchronous instructions in a tracer's trace.
void instruction_table::make_asynchronous(entry& e) const {
    using program::special_op;
    if (header_.code || header_.binary_version < 90) return;
    const std::string_view base = isa::base_opcode(e.opcode);
    const auto has = [&](const char* m) { return isa::has_modifier(e.opcode, m); };
    program::static_instruction& i = e.info;
    // The first immediate: tracers that write two write 0 as the second.
    const auto groups = [&] {
        if (e.n_immediates > 0) i.immediate = static_cast<std::int32_t>(e.immediates[0]);
    };
    if (e.form == line_form::copy) {
        i.special = special_op::bulk_copy;
    } else if (e.form == line_form::product) {
        i.special = special_op::warpgroup_mma;
    } else if (base == "SYNCS" || base == "ARRIVES") {
        i.special = has("PHASECHK")                      ? special_op::mbarrier_wait
                    : has("ARRIVE") || base == "ARRIVES" ? special_op::mbarrier_update
                                                         : special_op::none;
    } else if (base == "UTMACMDFLUSH") {
        i.special = special_op::bulk_commit;
    } else if (base == "DEPBAR" && bulk_groups_seen_) {
        i.special = special_op::bulk_wait_read;
        groups();
    } else if (base == "WARPGROUP" && has("ARRIVE")) {
        i.special = special_op::warpgroup_arrive;
    } else if (base == "WARPGROUP" && (has("DEPBAR") || has("WAIT"))) {
        i.special = special_op::warpgroup_wait;
        groups();
    }
    if (program::is_asynchronous(i.special)) isa::set_opcode_properties(i);
}

void instruction_table::note_untold(const entry& of, const place& where) {
    const std::string base{isa::base_opcode(of.opcode)};
    if (!noted_.insert(base).second) return;
    const char* const what =
        of.form == line_form::copy
            ? "the trace does not tell what bulk copies move; they take their time to issue and "
              "cause no traffic"
            : "the trace does not tell the values of registers, as tracer version 6 does; waits "
              "for "
              "mbarriers take no time";
    warn_(where.where() + ": " + base + " of kernel " + header_.name + ": " + what);
}

const isa::opcode_entry& instruction_table::look_up(const std::string& opcode, std::uint64_t pc,
                                                    const place& where) {
    if (header_.code) return header_.code->is_memory(pc) ? executed_access_ : unknown_entry_;
    const std::string base{isa::base_opcode(opcode)};
    const isa::opcode_entry* known = opcodes_->find(header_.binary_version, base);
    if (known != nullptr) return *known;
    const std::string what = "unknown opcode " + opcode + " at program counter " + hex(pc) +
                             " of kernel " + header_.name + " (binary version " +
                             std::to_string(header_.binary_version) + ", " +
                             opcodes_->architecture_of(header_.binary_version) + ")";
    if (unknown_opcode_is_error_) {
        throw support::user_error(where.where(), what,
                                  "describe " + base +
                                      " with --opcode-table FILE, or let it run as an integer " +
                                      "instruction with --unknown-opcode warn");
    }
    if (noted_.insert(base).second) {
        warn_(where.where() + ": " + what + "; runs as an integer instruction");
    }
    return unknown_entry_;
}

}  // namespace simtlm::trace
