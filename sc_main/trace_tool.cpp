// SPDX-License-Identifier: Apache-2.0
// simtlm-trace: converts kernel traces to the binary form, and inspects them.
#include "modules/host_threads/parallel_for.h"
#include "modules/isa/opcode_tables.h"
#include "modules/support/error.h"
#include "modules/support/file_table.h"
#include "modules/support/output_file.h"
#include "modules/trace/binary_file.h"
#include "modules/trace/command_list.h"
#include "modules/trace/line_source.h"
#include "modules/trace/trace_writer.h"
#include "modules/trace_import/import.h"
#include "sc_main/exit_code.h"
#include "sc_main/standard_streams.h"
#include "sc_main/tool_main.h"
#include "sc_main/tools.h"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace simtlm::tools {
namespace trace_tool {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr const char* usage = R"(usage: simtlm-trace convert LIST FOLDER [--jobs N]
       simtlm-trace info KERNEL [--top N]
       simtlm-trace check LIST [--opcode-table FILE ...]
       simtlm-trace text KERNEL
       simtlm-trace import TRACE FOLDER [--device N] [--jobs N] [--opcode-table FILE ...]

  convert  converts the kernel traces of a command list (kernelslist.g) to binary format, and writes
           them to FOLDER with a new list; FOLDER is created if necessary. With the new list, the
           simulator gives the same results without parsing text. Files are renamed to their final
           names when they are complete, the list last.
  info     prints the header of a text or binary kernel trace, the numbers of its thread blocks, warps
           and instructions, and its most frequent opcodes
  check    reads all files of a command list as the simulator does, and reports the first error with
           file and line, or file and byte offset
  text     prints a kernel trace as text, omitting parts that the simulator does not read
  import   converts a trace of the tracer of Huerta et al. (MICRO 2025), given by its folder or its
           dynamic_trace.pb, to kernel traces in text and a list in FOLDER, which must be empty.
           Kernels whose machine code is in the trace keep their control bits, which the sub-core pipeline
           obeys. The list is written last.

Exit code: 0 on success; 1 if an output cannot be written; 2 if a file or the command line is invalid.
)";

struct arguments {
    std::vector<std::string> operands;
    unsigned jobs = 1;
    unsigned top = 10;
    std::int64_t device = 0;
    std::vector<std::string> opcode_tables;
};

[[noreturn]] void refuse(const std::string& what) {
    throw support::user_error("command line", what, "see simtlm-trace --help");
}

/// A folder stands for the kernelslist.g in it, as in the simulator.
std::string list_file(const std::string& name) {
    std::error_code ignored;
    return fs::is_directory(name, ignored) ? (fs::path(name) / "kernelslist.g").string() : name;
}

/// A kernel of the list and the file of its binary form.
struct conversion {
    std::string from;
    std::string name;  ///< in the new folder
    trace::written_trace written;
};

bool strip(std::string& name, const char* suffix) {
    const std::size_t n = std::char_traits<char>::length(suffix);
    if (name.size() <= n || name.compare(name.size() - n, n, suffix) != 0) return false;
    name.resize(name.size() - n);
    return true;
}

/// The kernels of a list in order, each file once, with unique names.
std::vector<conversion> conversions_of(const std::vector<trace::command>& commands) {
    std::vector<conversion> list;
    std::set<std::string> files, names;
    for (const trace::command& c : commands) {
        if (c.what != trace::command::kind::kernel || !files.insert(c.file).second) continue;
        std::string stem = fs::path(c.file).filename().string();
        for (const char* suffix : {".xz", ".gz", ".zst", ".bz2"})
            if (strip(stem, suffix)) break;
        for (const char* suffix : {".traceg", ".tracez", ".trace", trace::binary_suffix})
            if (strip(stem, suffix)) break;
        std::string name = stem;
        for (unsigned n = 2; !names.insert(name).second; ++n) name = fmt::format("{}-{}", stem, n);
        list.push_back({c.file, name + trace::binary_suffix, {}});
    }
    return list;
}

void convert_all(std::vector<conversion>& list, const fs::path& folder, unsigned jobs) {
    host_threads::parallel_for(jobs, list.size(), [&](std::size_t i) {
        const auto source = trace::open_recorded_trace(list[i].from);
        list[i].written = trace::write_binary_trace(*source, (folder / list[i].name).string());
    });
}

/// Copies the list with new names of kernels; all other lines are unchanged.
void write_list(const std::string& from, const std::vector<trace::command>& commands,
                const std::map<std::string, std::string>& names, const std::string& to) {
    support::output_file out(to);
    trace::line_source lines(from);
    trace::line_source::line line;
    auto command = commands.begin();
    while (lines.next(line)) {
        std::string text(line.begin, line.end);
        if (command != commands.end() && command->where == lines.where()) {
            if (command->what == trace::command::kind::kernel) text = names.at(command->file);
            ++command;
        }
        out.write(text);
        out.put('\n');
    }
    out.commit();
}

int convert(const arguments& a) {
    if (a.operands.size() != 2) refuse("convert takes a command list and a folder");
    const std::string list = list_file(a.operands[0]);
    const fs::path folder = a.operands[1];
    const std::vector<trace::command> commands = trace::read_whole_command_list(list).commands;
    std::error_code error;
    fs::create_directories(folder, error);
    if (!fs::is_directory(folder))
        throw support::user_error(folder.string(), "cannot be created as a folder",
                                  "name one that is writable");
    const fs::path new_list = folder / "kernelslist.g";
    std::vector<conversion> kernels = conversions_of(commands);
    support::file_table table;
    table.add_input(list, "the command list");
    for (const conversion& c : kernels) table.add_input(c.from, "a kernel trace");
    table.add_output(new_list.string(), "the new list");
    for (const conversion& c : kernels)
        table.add_output((folder / c.name).string(), "the conversion of " + c.from);
    convert_all(kernels, folder, a.jobs);
    std::map<std::string, std::string> names;
    trace::written_trace all;
    for (const conversion& c : kernels) {
        names[c.from] = c.name;
        all.blocks += c.written.blocks;
        all.instructions += c.written.instructions;
        all.bytes += c.written.bytes;
    }
    write_list(list, commands, names, new_list.string());
    put_out(fmt::format("{}: {} kernel files, {} thread blocks, {} warp instructions, {} bytes\n",
                        new_list.string(), kernels.size(), all.blocks, all.instructions,
                        all.bytes));
    return success;
}

int info(const arguments& a) {
    if (a.operands.size() != 1) refuse("info takes a kernel trace");
    const std::string& file = a.operands[0];
    const auto source = trace::open_recorded_trace(file);
    std::uint64_t blocks = 0, warps = 0, warp_instructions = 0, thread_instructions = 0,
                  addresses = 0;
    std::vector<std::uint64_t> executions;  // by instruction
    trace::recorded_block block;
    while (source->next(block)) {
        ++blocks;
        for (const auto& w : block.warps) warps += w.count != 0;
        executions.resize(source->instructions().size());
        for (const auto& e : block.executions) {
            ++executions[e.instruction];
            ++warp_instructions;
            const auto lanes = static_cast<unsigned>(__builtin_popcount(e.mask));
            thread_instructions += lanes;
            if (e.mode != trace::recorded_mode::none) addresses += lanes;
        }
    }
    std::map<std::string, std::uint64_t> by_opcode;
    for (std::size_t i = 0; i < executions.size(); ++i)
        by_opcode[std::string(source->instructions()[i].opcode())] += executions[i];
    std::vector<std::pair<std::string, std::uint64_t>> mix(by_opcode.begin(), by_opcode.end());
    std::stable_sort(mix.begin(), mix.end(),
                     [](const auto& x, const auto& y) { return x.second > y.second; });

    const trace::kernel_header& h = source->header();
    const bool binary = trace::is_binary_trace(file);
    for (const std::string& w : source->warnings())
        print_error(fmt::format("simtlm-trace: warning: {}\n", w));
    put_out(fmt::format("file                 {} ({}, {} bytes)\n", file,
                        binary ? "binary" : "text", fs::file_size(file)));
    put_out(fmt::format("kernel               {} (id {}, stream {})\n", h.name, h.id, h.stream));
    put_out(fmt::format("grid, block          ({},{},{}), ({},{},{})\n", h.grid.x, h.grid.y,
                        h.grid.z, h.block.x, h.block.y, h.block.z));
    const auto number_or_unspecified = [](std::uint32_t n, const char* unit) {
        return n == trace::kernel_header::unspecified ? std::string("not told")
                                                      : fmt::format("{} {}", n, unit);
    };
    put_out(
        fmt::format("shared memory        {}\n", number_or_unspecified(h.shared_memory, "bytes")));
    put_out(
        fmt::format("registers            {}\n", number_or_unspecified(h.registers, "per thread")));
    put_out(fmt::format("binary version       {}\n", h.binary_version));
    put_out(fmt::format("tracer, NVBit        {}, {}\n", h.tracer_version,
                        h.nvbit_version.empty() ? "-" : h.nvbit_version));
    put_out(fmt::format("thread blocks        {}\n", blocks));
    put_out(fmt::format("warps                {}\n", warps));
    put_out(fmt::format("static instructions  {}\n", source->instructions().size()));
    put_out(fmt::format("warp instructions    {}\n", warp_instructions));
    put_out(fmt::format("thread instructions  {}\n", thread_instructions));
    put_out(fmt::format("lanes with addresses {}\n", addresses));
    put_out(fmt::format("opcodes              {}\n", mix.size()));
    for (std::size_t i = 0; i < std::min<std::size_t>(a.top, mix.size()); ++i)
        put_out(
            fmt::format("  {:<24} {:>12} {:>6.2f} %\n", mix[i].first, mix[i].second,
                        100.0 * static_cast<double>(mix[i].second) /
                            static_cast<double>(std::max<std::uint64_t>(warp_instructions, 1))));
    return success;
}

/// The built-in tables of opcodes with those of the command line.
std::shared_ptr<const isa::opcode_tables> opcodes_of(const arguments& a) {
    auto opcodes = std::make_shared<isa::opcode_tables>(isa::opcode_tables::builtin());
    for (const std::string& file : a.opcode_tables) opcodes->load(file);
    return opcodes;
}

int check(const arguments& a) {
    if (a.operands.size() != 1) refuse("check takes a command list");
    const std::string list = list_file(a.operands[0]);
    const auto opcodes = opcodes_of(a);
    trace::reader_options options;
    options.opcodes = opcodes.get();
    options.validate = true;
    std::set<std::string> files;
    std::uint64_t blocks = 0, instructions = 0;
    for (const trace::command& c : trace::read_whole_command_list(list).commands) {
        if (c.what != trace::command::kind::kernel || !files.insert(c.file).second) continue;
        trace::kernel_trace kernel(c.file, options);
        while (auto block = kernel.next_block()) {
            ++blocks;
            instructions += block->instructions.size();
            kernel.recycle(std::move(block));
        }
        for (const std::string& w : kernel.take_warnings())
            print_error(fmt::format("simtlm-trace: warning: {}\n", w));
    }
    put_out(fmt::format("{}: {} kernel files, {} thread blocks, {} warp instructions, no fault\n",
                        list, files.size(), blocks, instructions));
    return success;
}

int text(const arguments& a) {
    if (a.operands.size() != 1) refuse("text takes a kernel trace");
    const auto source = trace::open_recorded_trace(a.operands[0]);
    trace::write_text_trace(*source, [](const std::string& t) { put_out(t); });
    return success;
}

/// @param device_given  whether a.device is one that the user has chosen
int import_trace(const arguments& a, bool device_given) {
    if (a.operands.size() != 2) refuse("import takes a trace and a folder");
    trace_import::import_options options;
    options.opcodes = opcodes_of(a);
    options.jobs = a.jobs;
    if (device_given) options.device = a.device;
    const trace_import::import_result r =
        trace_import::import_protobuf_trace(a.operands[0], a.operands[1], options);
    for (const std::string& w : r.warnings)
        print_error(fmt::format("simtlm-trace: warning: {}\n", w));
    put_out(fmt::format("{}: {} kernels, {} thread blocks, {} warp instructions\n", r.list,
                        r.kernels, r.blocks, r.instructions));
    return success;
}

int run(int argc, char** argv) {
    arguments a;
    tool_options options("simtlm-trace", usage, a.operands,
                         fmt::format(", binary form {}", trace::binary_version));
    // clang-format off
    options.add()
        ("jobs,j", po::value(&a.jobs)->value_name("N"), "convert, import: number of kernels to convert in parallel (1)")
        ("device", po::value(&a.device)->value_name("N"),
         "import: device whose kernels are converted, if the trace is of several")
        ("top", po::value(&a.top)->value_name("N"), "info: number of opcodes to print (10)")
        ("opcode-table", po::value(&a.opcode_tables)->value_name("FILE"),
         "check, import: table of additional opcodes; may be repeated");
    // clang-format on
    if (options.parse(argc, argv)) return success;
    const std::string command = options.take_command();
    if (a.jobs == 0 || a.jobs > 256) refuse("--jobs is not between 1 and 256");
    if (command == "convert") return convert(a);
    if (command == "import") return import_trace(a, options.given("device"));
    if (command == "info") {
        end_quietly_on_closed_pipe();
        return info(a);
    }
    if (command == "check") return check(a);
    if (command == "text") {
        end_quietly_on_closed_pipe();
        return text(a);
    }
    options.refuse_command(command);
}

}  // namespace
}  // namespace trace_tool

int trace(int argc, char** argv) {
    return run_tool("simtlm-trace", argc, argv, trace_tool::run, output_failed);
}

}  // namespace simtlm::tools
