// SPDX-License-Identifier: Apache-2.0
// simtlm-sass: inspects the machine code of cubins and of programs that contain them.
#include "modules/execution/machine/sass_image.h"
#include "modules/execution/state/device_memory.h"
#include "modules/sass/attributes.h"
#include "modules/sass/cubin.h"
#include "modules/sass/decoder.h"
#include "modules/sass/encoding_table.h"
#include "modules/sass/fat_binary.h"
#include "modules/sass/link_members.h"
#include "modules/sass/linker.h"
#include "modules/support/error.h"
#include "modules/support/file_table.h"
#include "modules/support/output_file.h"
#include "modules/support/text_file.h"
#include "sc_main/exit_code.h"
#include "sc_main/standard_streams.h"
#include "sc_main/tool_main.h"
#include "sc_main/tools.h"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace simtlm::tools {
namespace sass_tool {
namespace {

namespace po = boost::program_options;

constexpr const char* usage =
    R"(usage: simtlm-sass dump FILE [--arch sm_N] [--kernel NAME] [--resources|--hex]
       simtlm-sass check FILE [--arch sm_N] [--kernel NAME]
       simtlm-sass words FILE --arch sm_N
       simtlm-sass link FILE ... --output CUBIN [--arch sm_N]
       simtlm-sass opcodes

  dump     prints the kernels of a cubin, or of the cubins in a program or library: their resources
           (registers, shared and local memory, parameters), and their instructions with control bits:
           scoreboards to wait for (B), scoreboards set when operands are read (R) and when the result
           is written (W), yield (Y), stall cycles (S). With --hex only the instructions are printed,
           as hexadecimal numbers, high half first
  check    lists the kernels that simtlm cannot execute as machine code, each with the missing
           instruction or function, and counts the other kernels
  words    prints the instructions of a file that contains nothing but instructions of 16 bytes, the
           first at address 0, one a line; "unknown" in parentheses if an instruction is invalid
  link     links relocatable machine code (nvcc -rdc=true): cubins, fat binaries, object files, and
           libraries, whose members are included if they are needed
  opcodes  prints the known instructions by architecture as a table in Markdown

Exit code: 0 on success; 1 if the output cannot be written; 2 if a file or the command line is invalid.
)";

struct arguments {
    std::vector<std::string> operands;
    std::string architecture;
    std::string kernel;
    std::string output;
    bool resources_only = false;
    bool hexadecimal = false;
};

[[noreturn]] void refuse(const std::string& what) {
    throw support::user_error("command line", what, "see simtlm-sass --help");
}

/// Parses an architecture: 80 for "sm_80" or "80"; 0 for an empty text: all.
unsigned architecture_in(const std::string& text) {
    if (text.empty()) return 0;
    const std::string digits = text.rfind("sm_", 0) == 0 ? text.substr(3) : text;
    if (digits.empty() || digits.size() > 3 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
        refuse(fmt::format("--arch {} is not an architecture such as sm_80", text));
    return static_cast<unsigned>(std::atoi(digits.c_str()));
}

void print_resources(const sass::cubin_function& f) {
    put_out(fmt::format(
        "  registers {}  barriers {}  shared {}  frame {}  stack {}  code {} bytes\n", f.registers,
        f.barriers, f.static_shared, f.frame_bytes, f.stack_bytes, f.code.size()));
    if (f.max_block_threads[0] != 0)
        put_out(fmt::format("  threads per block at most {} x {} x {}\n", f.max_block_threads[0],
                            f.max_block_threads[1], f.max_block_threads[2]));
    if (f.block[0] != 0)
        put_out(fmt::format("  threads per block must be {} x {} x {}\n", f.block[0], f.block[1],
                            f.block[2]));
    if (f.max_cluster != 0)
        put_out(fmt::format("  blocks per cluster at most {}\n", f.max_cluster));
    if (f.is_kernel) {
        put_out(fmt::format("  parameters {} bytes at c[0x0][{:#x}]:", f.parameter_bytes,
                            f.parameter_base));
        for (const sass::cubin_parameter& p : f.parameters)
            put_out(fmt::format(" {:#x}+{}", f.parameter_base + p.offset, p.size));
        put_out("\n");
    }
    if (!f.externals.empty()) {
        std::string names;
        for (const std::string_view n : f.externals) names += fmt::format(" {}", n);
        put_out(fmt::format("  calls of the system:{}\n", names));
    }
}

/// Names of the labels in a cubin, by section and offset.
using label_table = std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::string>>;

label_table labels_of(const sass::cubin& file) {
    label_table labels;
    for (const sass::cubin_symbol& y : file.symbols())
        if (!y.name.empty() && y.name.front() != '.')
            labels[{y.section, y.value}].emplace_back(y.name);
    return labels;
}

void print_code(const sass::cubin& file, const sass::cubin_function& f, const label_table& labels) {
    auto line = f.lines.begin();
    std::string text;
    for (std::size_t n = 0; n < f.instructions(); ++n) {
        const std::uint64_t offset = n * sass::instruction_bytes;
        if (const auto at = labels.find({f.section, offset}); at != labels.end())
            for (const std::string& name : at->second)
                if (name != f.name) text += fmt::format("{}:\n", name);
        for (; line != f.lines.end() && line->offset <= offset; ++line)
            if (line->offset == offset)
                text += fmt::format("  // {}:{}\n", file.files()[line->file], line->line);
        sass::instruction i;
        const sass::instruction_word w = f.word(n);
        const bool known = sass::decode(w, file.architecture(), offset, i);
        text +=
            fmt::format("  {:06x}  {}  {}\n", offset, sass::to_string(sass::control_bits::of(w)),
                        known ? sass::to_string(i) + " ;"
                              : fmt::format("(unknown) {:016x} {:016x}", w.low, w.high));
    }
    put_out(text);
}

void print_words(const sass::cubin_function& f) {
    std::string text;
    for (std::size_t n = 0; n < f.instructions(); ++n)
        text += fmt::format("{:016x}{:016x}\n", f.word(n).high, f.word(n).low);
    put_out(text);
}

unsigned dump_cubin(const std::string& bytes, const std::string& origin, const arguments& a) {
    const sass::cubin file(bytes, origin);
    const label_table labels = labels_of(file);
    unsigned found = 0;
    for (const sass::cubin_function& f : file.functions()) {
        if (!a.kernel.empty() && f.name != a.kernel) continue;
        ++found;
        if (a.hexadecimal) {
            print_words(f);
            continue;
        }
        put_out(fmt::format("{} {}  sm_{}\n", f.is_kernel ? "kernel" : "function", f.name,
                            file.architecture()));
        print_resources(f);
        if (!a.resources_only) print_code(file, f, labels);
        put_out("\n");
    }
    return found;
}

/// Processes a cubin's bytes and origin. Returns the number of kernels processed.
using cubin_visitor = std::function<unsigned(const std::string&, const std::string&)>;

/// Visits a cubin, or the cubins in a program, of the requested architecture. Without one all are
/// visited whose machine code can be decoded. @return the others, as " sm_35 sm_50"
std::string visit_cubins(const arguments& a, const char* command, const cubin_visitor& visit) {
    if (a.operands.size() != 1) refuse(fmt::format("{} takes a cubin or a program", command));
    const std::string& name = a.operands[0];
    const unsigned wanted = architecture_in(a.architecture);
    const std::string bytes = support::read_text_file(
        name, "name a cubin (nvcc -cubin) or a CUDA program", support::largest_program);
    unsigned found = 0;
    std::string architectures, skipped;
    if (sass::cubin::has_cubin_header(bytes)) {
        found = visit(bytes, name);
    } else {
        const auto is_wanted = [&](const sass::fat_binary_entry& e) {
            return e.what == sass::fat_binary_entry::kind::cubin &&
                   (wanted == 0 ? sass::is_supported_machine_code(e.architecture)
                                : e.architecture == wanted);
        };
        const auto note = [](std::string& list, unsigned architecture) {
            const std::string one = fmt::format(" sm_{}", architecture);
            if ((list + ' ').find(one + ' ') == std::string::npos) list += one;
        };
        bool any = false;
        for (const sass::fat_binary_entry& e : sass::fat_binaries_of(bytes, name, is_wanted)) {
            if (e.what != sass::fat_binary_entry::kind::cubin) continue;
            any = true;
            note(architectures, e.architecture);
            if (!is_wanted(e)) {
                if (wanted == 0) note(skipped, e.architecture);
                continue;
            }
            found += visit(e.contents, fmt::format("{} (sm_{})", name, e.architecture));
        }
        if (!any)
            throw support::user_error(
                name, "this is neither a cubin nor a program that contains one",
                "compile with nvcc -cubin, or for an architecture: -arch=sm_80");
    }
    if (found == 0)
        throw support::user_error(
            name,
            !a.kernel.empty()          ? fmt::format("it has no kernel {}", a.kernel)
            : architectures == skipped ? "its machine code is not supported"
                                       : "it has no kernels for this architecture",
            architectures.empty() ? "" : "its architectures are" + architectures);
    return skipped;
}

/// A line about cubins that were not visited. @param skipped  as returned by visit_cubins
std::string note_of_skipped(const std::string& skipped) {
    return skipped.empty()
               ? ""
               : fmt::format("skipped, because their machine code is not supported:{}\n", skipped);
}

int dump(const arguments& a) {
    const std::string skipped =
        visit_cubins(a, "dump", [&](const std::string& bytes, const std::string& origin) {
            return dump_cubin(bytes, origin, a);
        });
    std::fputs(note_of_skipped(skipped).c_str(), stderr);
    return success;
}

/// Prints the instructions of a file that contains nothing else.
int words(const arguments& a) {
    if (a.operands.size() != 1) refuse("words takes a file of instructions");
    const unsigned architecture = architecture_in(a.architecture);
    if (architecture == 0) refuse("words needs an architecture: --arch sm_80");
    const std::string bytes = support::read_text_file(a.operands[0], "name a file of instructions",
                                                      support::largest_program);
    if (bytes.size() % sass::instruction_bytes != 0)
        throw support::user_error(a.operands[0], "its size is not a multiple of 16 bytes",
                                  "name a file that contains only instructions");
    std::string text;
    for (std::uint64_t offset = 0; offset < bytes.size(); offset += sass::instruction_bytes) {
        sass::instruction_word w;
        std::memcpy(&w.low, bytes.data() + offset, sizeof w.low);
        std::memcpy(&w.high, bytes.data() + offset + sizeof w.low, sizeof w.high);
        sass::instruction i;
        const bool known = sass::decode(w, architecture, offset, i);
        text += (known ? sass::to_string(i) : "(unknown)") + '\n';
        constexpr std::size_t enough = 1 << 16;
        if (text.size() < enough) continue;
        put_out(text);
        text.clear();
    }
    put_out(text);
    return success;
}

/// Lists the kernels that cannot be executed, with the reason.
int check(const arguments& a) {
    unsigned kernels = 0, executed = 0;
    execution::device_memory memory;
    const std::string skipped =
        visit_cubins(a, "check", [&](const std::string& bytes, const std::string& origin) {
            const auto file = std::make_shared<const sass::cubin>(bytes, origin);
            for (const sass::unknown_attribute& u : sass::unknown_attributes(*file))
                put_out(fmt::format("{}: attribute {:#04x} of {} is not known\n", origin, u.number,
                                    u.section));
            const execution::sass_image image(file, memory);
            unsigned here = 0;
            for (const execution::kernel_image& k : image.kernels()) {
                if (!a.kernel.empty() && k.name != a.kernel) continue;
                ++here;
                const std::string& problem = image.problem_of(k);
                if (problem.empty())
                    ++executed;
                else
                    put_out(fmt::format("{}  sm_{}: {}\n", k.name, image.architecture(), problem));
            }
            kernels += here;
            return here;
        });
    put_out(note_of_skipped(skipped));
    put_out(fmt::format("{} of {} kernels can be executed\n", executed, kernels));
    return success;
}

/// Links relocatable files into a cubin.
int link(const arguments& a) {
    if (a.operands.empty()) refuse("link takes files to be linked");
    if (a.output.empty()) refuse("link needs a name for the linked cubin: --output FILE");
    support::file_table table;
    for (const std::string& name : a.operands) table.add_input(name, "an input");
    table.add_output(a.output, "--output");
    std::vector<sass::link_member> members;
    for (const std::string& name : a.operands)
        for (sass::link_member& m : sass::link_members_of(
                 support::read_text_file(name, "name a cubin: nvcc -rdc=true -cubin",
                                         support::largest_program),
                 name))
            members.push_back(std::move(m));
    std::vector<std::string> without;
    const auto objects = sass::objects_for(members, architecture_in(a.architecture), &without);
    if (!without.empty())
        throw support::user_error(without.front(), "it has no machine code of this architecture",
                                  "compile it with nvcc -rdc=true -arch=sm_80, for example");
    const std::string bytes = sass::link(objects, a.output);
    support::output_file to(a.output);
    to.write(bytes);
    to.commit();
    return success;
}

/// Table of opcodes with one row per instruction and one column per architecture.
int opcodes(const arguments& a) {
    if (!a.operands.empty()) refuse("opcodes takes no operands");
    constexpr unsigned columns[] = {70, 75, 80, 86, 87, 89, 90, 100, 120};
    std::map<std::string, std::set<unsigned>> known;
    for (const auto& form : sass::encoding_table::builtin().forms())
        for (const unsigned n : columns)
            if (form->first_architecture <= n && n <= form->last_architecture)
                known[std::string(isa::name_of(form->opcode))].insert(n);
    std::string text = "| instruction |";
    for (const unsigned n : columns) text += fmt::format(" sm_{} |", n);
    text += "\n|---|";
    for (std::size_t i = 0; i < std::size(columns); ++i) text += ":-:|";
    text += '\n';
    for (const auto& row : known) {
        text += fmt::format("| {} |", row.first);
        for (const unsigned n : columns) text += row.second.count(n) != 0 ? " yes |" : " |";
        text += '\n';
    }
    put_out(text);
    return success;
}

int run(int argc, char** argv) {
    arguments a;
    tool_options options("simtlm-sass", usage, a.operands);
    // clang-format off
    options.add()
        ("arch", po::value(&a.architecture)->value_name("sm_N"), "only cubins for this architecture")
        ("kernel", po::value(&a.kernel)->value_name("NAME"), "only the kernel with this name")
        ("hex", po::bool_switch(&a.hexadecimal), "print only the instructions, as hexadecimal numbers")
        ("output", po::value(&a.output)->value_name("FILE"), "the linked cubin")
        ("resources", po::bool_switch(&a.resources_only), "print only resources, without instructions");
    // clang-format on
    if (options.parse(argc, argv)) return success;
    const std::string command = options.take_command();
    if (command == "dump") return dump(a);
    if (command == "words") return words(a);
    if (command == "check") return check(a);
    if (command == "link") return link(a);
    if (command == "opcodes") return opcodes(a);
    options.refuse_command(command);
}

}  // namespace
}  // namespace sass_tool

int sass(int argc, char** argv) {
    return run_tool("simtlm-sass", argc, argv, sass_tool::run, output_failed);
}

}  // namespace simtlm::tools
