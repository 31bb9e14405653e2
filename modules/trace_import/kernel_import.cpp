// SPDX-License-Identifier: Apache-2.0
#include "modules/trace_import/kernel_import.h"

#include "modules/isa/decode.h"
#include "modules/support/display_text.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "modules/trace/executed_code.h"
#include "modules/trace/executed_text.h"
#include "modules/trace/recorded_header.h"
#include "modules/trace_import/message_file.h"
#include "modules/trace_import/protobuf_trace.pb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace simtlm::trace_import {

namespace {

constexpr std::uint32_t warp_size = 32;

/// Removes the number of the variant that the tracer appends to names: "scale___0".
std::string without_variant(const std::string& name) {
    const std::size_t at = name.rfind("___");
    if (at == std::string::npos || at == 0 || at + 3 == name.size()) return name;
    const bool is_number = std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at) + 3,
                                       name.end(), [](unsigned char c) { return std::isdigit(c); });
    return is_number ? name.substr(0, at) : name;
}

/// Thrown when a kernel that is written with its code executes a function without machine code.
struct lacks_words {};

/// Converts the thread blocks of one kernel.
class kernel_writer {
public:
    kernel_writer(const described_code& code, const messages::kernel_launch& launch,
                  std::uint64_t stream, const std::string& file)
        : code_(code), launch_(launch), file_(file) {
        kernel_.name = support::printable(without_variant(launch.name()));
        kernel_.id = static_cast<std::uint32_t>(launch.id());
        kernel_.stream = stream;
        kernel_.grid = dimensions(launch.grid(), "grid");
        kernel_.block = dimensions(launch.block(), "block");
        if (launch.shared_bytes() < 0 || launch.registers() < 0)
            fail("negative shared memory or registers");
        kernel_.shared_memory = static_cast<std::uint32_t>(launch.shared_bytes());
        kernel_.registers = static_cast<std::uint32_t>(launch.registers());
        form_.shared_window = static_cast<std::uint64_t>(launch.shared_base());
        form_.local_window = static_cast<std::uint64_t>(launch.local_base());
        const static_function* const f = code.source().find(launch.function(), launch.name());
        if (f == nullptr)
            throw support::user_error(code.source().file(),
                                      fmt::format("lacks function {}, which is kernel {}",
                                                  launch.function(), kernel_.name),
                                      record_again);
        function_ = &code.of(f->id);
    }

    bool has_words() const { return function_->source->has_words; }

    /// Writes the kernel. @param with_code  with the code of its functions @throws lacks_words
    imported_kernel write(const block_file& block_of, const std::string& to, bool with_code) {
        result_ = {};
        with_code_ = with_code;
        support::output_file out(to);
        try {
            out.write(trace::recorded_header(
                kernel_, {1, 1, 1}, function_->source->architecture, &form_,
                with_code ? trace::executed_code::text_of(code_.code_of(*function_))
                          : code_.control_lines(*function_)));
            const program::dim3& g = kernel_.grid;
            for (std::uint32_t z = 0; z < g.z; ++z)
                for (std::uint32_t y = 0; y < g.y; ++y)
                    for (std::uint32_t x = 0; x < g.x; ++x) {
                        read_block(block_of(x, y, z), {x, y, z});
                        out.write(text_);
                        ++result_.blocks;
                    }
        } catch (...) {
            out.discard();
            throw;
        }
        out.commit();
        if (!with_code)
            result_.warnings.insert(
                fmt::format("kernel {} executes functions whose machine code is not in the trace; "
                            "they have no control bits, and the sub-core pipeline assigns some",
                            kernel_.name));
        return std::move(result_);
    }

private:
    program::dim3 dimensions(const messages::extent& e, const char* what) const {
        if (e.x() <= 0 || e.y() <= 0 || e.z() <= 0)
            fail(fmt::format("a {} of ({},{},{})", what, e.x(), e.y(), e.z()));
        return {static_cast<std::uint32_t>(e.x()), static_cast<std::uint32_t>(e.y()),
                static_cast<std::uint32_t>(e.z())};
    }

    /// Converts a thread block to text_.
    void read_block(const std::string& file, const program::dim3& at) {
        block_file_ = &file;
        block_.Clear();
        read_message(file, "a thread block", block_);
        const messages::extent& index = block_.index();
        if (index.x() != static_cast<std::int64_t>(at.x) ||
            index.y() != static_cast<std::int64_t>(at.y) ||
            index.z() != static_cast<std::int64_t>(at.z))
            fail_block(
                fmt::format("contains thread block {},{},{}", index.x(), index.y(), index.z()));
        text_ = fmt::format("\n#BEGIN_TB\n\nthread block = {},{},{}\n", at.x, at.y, at.z);
        const auto warps =
            static_cast<std::uint32_t>((kernel_.block.volume() + warp_size - 1) / warp_size);
        if (block_.warps_size() > static_cast<int>(warps))
            fail_block(fmt::format("contains {} warps instead of {}", block_.warps_size(), warps));
        for (std::uint32_t w = 0; w < warps; ++w) {
            const auto warp = block_.warps().find(static_cast<std::int32_t>(w));
            if (warp == block_.warps().end() || warp->second.instructions().empty())
                fail_block(fmt::format("has no instructions of warp {}", w));
            text_ += fmt::format("\nwarp = {}\ninsts = {}\n", w, warp->second.instructions_size());
            for (const messages::instruction& i : warp->second.instructions()) append_line(i);
            result_.instructions += static_cast<unsigned>(warp->second.instructions_size());
        }
        text_ += "\n#END_TB\n";
    }

    const described_function& function_of(const messages::instruction& i) const {
        if (i.function() == launch_.function()) return *function_;
        const static_function* const f = code_.source().find(i.function());
        if (f == nullptr)
            fail_block(fmt::format("executes function {}, which {} lacks", i.function(),
                                   code_.source().file()));
        const described_function& d = code_.of(f->id);
        if (f->architecture != function_->source->architecture)
            fail_block(fmt::format("executes function {} of sm_{} in a kernel of sm_{}", f->name,
                                   f->architecture, function_->source->architecture));
        if (&d != function_ && d.is_kernel)
            fail_block(fmt::format("executes {}, which is another kernel", f->name));
        if (with_code_ && !f->has_words) throw lacks_words{};
        return d;
    }

    void append_line(const messages::instruction& i) {
        const described_function& f = function_of(i);
        const std::uint32_t n = i.pc() / sass::instruction_bytes;
        if (i.pc() % sass::instruction_bytes != 0 || n >= f.instructions.size())
            fail_block(fmt::format("executes an instruction at {:#x} of {}, which has {}", i.pc(),
                                   f.source->name, f.instructions.size()));
        const program::static_instruction& info = f.instructions[n];
        if (!f.is_known[n]) refuse(f, n);
        program::issue_effects effects;
        effects.active_mask = i.active_mask() & i.guard_mask();
        effects.space = program::memory_space::global;  // generic addresses are written as they are
        effects.barrier_id = info.barrier_id;
        effects.barrier_threads = info.barrier_threads;
        lanes_.lanes = 0;
        if (effects.active_mask != 0) note_limits(f, n);
        // Of a load of constants, the trace has the value of the index register instead.
        const bool is_constant = info.space == program::memory_space::constant;
        if (!info.is_memory() || is_constant || effects.active_mask == 0 || !i.operands().empty()) {
            if (is_constant && info.n_src != 0 && effects.active_mask != 0)
                result_.warnings.insert(
                    "the trace has no addresses of loads of constants with an index, which are "
                    "replayed as one access");
            if (info.is_memory() && !is_constant && !i.operands().empty())
                expand(i.operands(0), effects.active_mask);
            trace::append_traced_lines(text_, info, effects, lanes_, form_);
            return;
        }
        // The tracer records no addresses, e.g. of texture fetches: written without any.
        result_.warnings.insert(fmt::format(
            "the trace has no addresses of {}, which cause no memory traffic", info.opcode));
        program::static_instruction plain = info;
        plain.is_load = plain.is_store = plain.is_atomic = false;
        trace::append_traced_lines(text_, plain, effects, lanes_, form_);
    }

    /// Sets the addresses of an access. @param lanes  that have one
    void expand(const messages::addresses& from, std::uint32_t lanes) {
        enum form : std::int32_t { list, base_and_stride, base_and_distances };
        const auto wanted = static_cast<int>(__builtin_popcount(lanes));
        const int values = from.form() == base_and_distances ? std::max(wanted - 1, 0) : wanted;
        if (lanes == 0) return;
        if (from.form() < list || from.form() > base_and_distances)
            fail_block(fmt::format("has addresses in the unknown form {}", from.form()));
        if (from.form() != base_and_stride && from.values_size() != values)
            fail_block(fmt::format("has {} addresses of {} lanes", from.values_size(), wanted));
        lanes_.lanes = lanes;
        lanes_.words = 1;
        std::uint64_t address = from.base();
        int n = 0;
        for (std::uint32_t m = lanes; m != 0; m &= m - 1, ++n) {
            if (from.form() == list)
                address = static_cast<std::uint64_t>(from.values(n));
            else if (n > 0)
                address += from.form() == base_and_stride
                               ? static_cast<std::uint64_t>(std::int64_t{from.stride()})
                               : static_cast<std::uint64_t>(from.values(n - 1));
            lanes_.address[0][static_cast<unsigned>(__builtin_ctz(m))] = address;
        }
    }

    /// Warns of executed instructions whose effects are not in the trace.
    void note_limits(const described_function& f, std::uint32_t n) {
        const program::static_instruction& info = f.instructions[n];
        if (info.barrier != program::barrier_kind::none && f.has_registers[n])
            result_.warnings.insert(
                fmt::format("the trace has no values of the registers of {}: it is replayed as a "
                            "barrier of the whole thread block",
                            info.opcode));
        if (program::is_asynchronous(info.special))
            result_.warnings.insert(
                "the trace has no details of bulk copies and mbarriers: copies cause no traffic, "
                "and waits for them take no time");
    }

    /// Refuses an executed instruction that cannot be decoded.
    [[noreturn]] void refuse(const described_function& f, std::uint32_t n) const {
        const static_line& line = f.source->lines[n];
        const std::string place = fmt::format("function {}: the {} at {:#x}", f.source->name,
                                              line.opcode, n * sass::instruction_bytes);
        if (!f.source->has_words)
            throw support::user_error(
                code_.source().file(), place + " is not in the tables of opcodes",
                fmt::format("add it for version {} with --opcode-table", f.source->architecture));
        throw support::user_error(
            code_.source().file(),
            fmt::format(
                "{} is encoded as {:#018x} {:#018x}, which is no known instruction of sm_{}", place,
                line.word->low, line.word->high, f.source->architecture),
            "check that the trace is of this architecture; otherwise report the encoding");
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw support::user_error(file_, fmt::format("kernel {}: {}", launch_.id(), what),
                                  record_again);
    }
    [[noreturn]] void fail_block(const std::string& what) const {
        throw support::user_error(*block_file_, what, record_again);
    }

    const described_code& code_;
    const messages::kernel_launch& launch_;
    const std::string& file_;  // of the launch
    const described_function* function_ = nullptr;
    program::kernel_descriptor kernel_;
    trace::traced_form form_;
    bool with_code_ = false;
    const std::string* block_file_ = nullptr;
    messages::thread_block block_;
    program::lane_addresses lanes_;
    std::string text_;
    imported_kernel result_;
};

}  // namespace

imported_kernel import_kernel(const described_code& code, const messages::kernel_launch& launch,
                              std::uint64_t stream, const block_file& block_of,
                              const std::string& trace_file, const std::string& to) {
    kernel_writer writer(code, launch, stream, trace_file);
    if (writer.has_words()) {
        try {
            return writer.write(block_of, to, true);
        } catch (const lacks_words&) {
        }
    }
    return writer.write(block_of, to, false);
}

}  // namespace simtlm::trace_import
