// SPDX-License-Identifier: Apache-2.0
#include "modules/trace_import/static_code.h"

#include "modules/support/error.h"
#include "modules/trace_import/message_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <fstream>
#include <limits>
#include <utility>

namespace simtlm::trace_import {

namespace {

using nlohmann::json;

/// NOP without dependences: the tracer describes lines without an instruction as NOP without words.
constexpr sass::instruction_word nop{0x0000000000007918, 0x000fc00000000000};

/// Parses a hexadecimal number, with or without 0x. @returns false if it is none
bool read_hexadecimal(std::string_view text, std::uint64_t& to) {
    if (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X") text.remove_prefix(2);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to, 16);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Converts the functions of the file; knows its name for messages.
class function_reader {
public:
    explicit function_reader(const std::string& file) : file_(file) {}

    static_function read(const json& from) {
        static_function f;
        f.name = from.at("kernel_name").get<std::string>();
        name_ = f.name;
        f.id = number(from, "unique_function_id");
        f.architecture = static_cast<unsigned>(number(from, "architecture_version"));
        f.has_words = from.at("is_captured_from_binary").get<bool>();
        for (const json& line : from.at("instructions")) {
            std::uint64_t pc = 0;
            const auto text = line.at("pc_string_hex").get<std::string>();
            if (!read_hexadecimal(text, pc)) fail("'" + text + "' is no program counter");
            if (pc != f.lines.size() * sass::instruction_bytes)
                fail(fmt::format("its instruction {} has the program counter {:#x}", f.lines.size(),
                                 pc));
            f.lines.push_back(read_line(line, f.has_words));
        }
        return f;
    }

private:
    /// A whole number that fits in an int.
    int number(const json& from, const char* name) const {
        using limits = std::numeric_limits<int>;
        const json& v = from.at(name);
        const bool fits = v.is_number_unsigned()
                              ? v.get<std::uint64_t>() <= std::uint64_t{limits::max()}
                              : v.is_number_integer() && v.get<std::int64_t>() >= limits::min();
        if (!fits) fail(fmt::format("{} is {}", name, v.dump()));
        return v.get<int>();
    }
    static_line read_line(const json& from, bool& has_words) const {
        static_line line;
        line.opcode = from.at("op_code").get<std::string>();
        if (line.opcode.empty() || line.opcode.find_first_of(" \t\r\n") != std::string::npos)
            fail("'" + line.opcode + "' is no opcode");
        line.has_result = number(from, "num_destination_registers") > 0;
        for (const json& o : from.at("operands"))
            line.operands.push_back(o.at("operand_string").get<std::string>());
        const json& words = from.at("encoded_instruction");
        if (words.size() == 2) {
            sass::instruction_word w;
            if (!read_hexadecimal(words[0].get<std::string>(), w.low) ||
                !read_hexadecimal(words[1].get<std::string>(), w.high))
                fail("the words of a " + line.opcode + " are no hexadecimal numbers");
            line.word = w;
        } else if (!words.empty()) {
            fail(fmt::format("a {} has {} words instead of 2", line.opcode, words.size()));
        } else if (has_words && line.opcode == "NOP") {
            line.word = nop;
        }
        has_words = has_words && line.word.has_value();
        return line;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw support::user_error(file_, "function " + name_ + ": " + what, record_again);
    }

    const std::string& file_;
    std::string name_;
};

}  // namespace

static_code::static_code(const std::string& file) : file_(file) {
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw support::user_error(file, "is missing; it contains the instructions of the trace",
                                  "put the whole folder of the tracer there, with extra_info");
    try {
        const json all = json::parse(in);
        for (const json& one : all.at("kernels")) {
            static_function f = function_reader(file_).read(one);
            const int id = f.id;
            if (!functions_.emplace(id, std::move(f)).second)
                throw support::user_error(file, fmt::format("function {} occurs twice", id),
                                          record_again);
        }
    } catch (const json::exception& e) {
        throw support::user_error(file, std::string("is damaged: ") + e.what(), record_again);
    }
}

const static_function* static_code::find(int id, const std::string& name) const {
    const auto at = functions_.find(id);
    if (at != functions_.end()) return &at->second;
    if (name.empty()) return nullptr;
    for (const auto& [other, f] : functions_)
        if (f.name == name) return &f;
    return nullptr;
}

}  // namespace simtlm::trace_import
