// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/kernel_signature.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>

namespace simtlm::opencl {

namespace {

using kind = argument_signature::kind;

constexpr std::string_view kind_names[] = {"value", "global", "constant",
                                           "local", "image",  "sampler"};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

bool begins_with(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

/// Decodes a string in LLVM's text form: \xx are bytes.
std::string unescaped(std::string_view s) {
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] == '\\' && i + 2 < s.size() &&
            std::isxdigit(static_cast<unsigned char>(s[i + 1]))) {
            out += static_cast<char>(std::stoi(std::string(s.substr(i + 1, 2)), nullptr, 16));
            i += 2;
        } else {
            out += s[i];
        }
    }
    return out;
}

/// Splits `!{!"a", i32 1, <4 x float> undef}`: strings without quotes, others verbatim.
std::vector<std::string> elements_of(std::string_view list) {
    std::vector<std::string> all;
    const std::size_t open = list.find('{'), close = list.rfind('}');
    if (open == std::string_view::npos || close == std::string_view::npos)
        throw std::runtime_error("metadata of an unknown form");
    std::string_view rest = list.substr(open + 1, close - open - 1);
    while (!rest.empty()) {
        while (!rest.empty() && (rest.front() == ' ' || rest.front() == ',')) rest.remove_prefix(1);
        if (rest.empty()) break;
        if (begins_with(rest, "!\"")) {
            const std::size_t end = rest.find('"', 2);
            if (end == std::string_view::npos)
                throw std::runtime_error("a string that is not terminated");
            all.push_back(unescaped(rest.substr(2, end - 2)));
            rest.remove_prefix(end + 1);
        } else {
            int depth = 0;
            std::size_t end = 0;
            for (; end < rest.size(); ++end) {
                if (rest[end] == '<' || rest[end] == '{') ++depth;
                if (rest[end] == '>' || rest[end] == '}') --depth;
                if (rest[end] == ',' && depth == 0) break;
            }
            all.emplace_back(rest.substr(0, end));
            rest.remove_prefix(end);
        }
    }
    return all;
}

long number_in(const std::string& element) {
    const std::size_t space = element.rfind(' ');
    return std::strtol(element.c_str() + (space == std::string::npos ? 0 : space + 1), nullptr, 10);
}

/// Converts `<4 x float> undef, i32 0` to the type name in OpenCL C.
std::string vector_type(const std::vector<std::string>& hint) {
    if (hint.empty()) return {};
    std::string_view t = hint[0];
    t = t.substr(0, t.rfind(' '));
    std::string count;
    if (begins_with(t, "<")) {
        const std::size_t x = t.find(" x ");
        count = std::string(t.substr(1, x - 1));
        t = t.substr(x + 3);
        t.remove_suffix(1);
    }
    const bool is_signed = hint.size() > 1 && number_in(hint[1]) != 0;
    static const std::map<std::string_view, std::string> names{
        {"i8", "char"},     {"i16", "short"},     {"i32", "int"},  {"i64", "long"},
        {"float", "float"}, {"double", "double"}, {"half", "half"}};
    const auto at = names.find(t);
    if (at == names.end()) return std::string(t) + count;
    const bool integer = t.front() == 'i';
    return (integer && !is_signed ? "u" : "") + at->second + count;
}

kind kind_of(long space, const std::string& base_type) {
    if (begins_with(base_type, "image") && base_type.find('*') == std::string::npos &&
        base_type.find("_t") != std::string::npos)
        return kind::image;
    if (base_type == "sampler_t") return kind::sampler;
    switch (space) {
        case 1:
            return kind::global;
        case 2:
            return kind::constant;
        case 3:
            return kind::local;
        default:
            return kind::value;
    }
}

cl_kernel_arg_access_qualifier access_of(const std::string& s) {
    if (s == "read_only") return CL_KERNEL_ARG_ACCESS_READ_ONLY;
    if (s == "write_only") return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    if (s == "read_write") return CL_KERNEL_ARG_ACCESS_READ_WRITE;
    return CL_KERNEL_ARG_ACCESS_NONE;
}

cl_kernel_arg_type_qualifier qualifiers_of(const std::string& s) {
    cl_kernel_arg_type_qualifier q = CL_KERNEL_ARG_TYPE_NONE;
    std::istringstream in(s);
    for (std::string word; in >> word;) {
        if (word == "const") q |= CL_KERNEL_ARG_TYPE_CONST;
        if (word == "volatile") q |= CL_KERNEL_ARG_TYPE_VOLATILE;
        if (word == "restrict") q |= CL_KERNEL_ARG_TYPE_RESTRICT;
        if (word == "pipe") q |= CL_KERNEL_ARG_TYPE_PIPE;
    }
    return q;
}

using metadata = std::map<std::string, std::string_view>;

std::vector<std::string> attached(std::string_view line, const std::string& name,
                                  const metadata& all) {
    const std::size_t at = line.find(" !" + name + " !");
    if (at == std::string_view::npos) return {};
    std::size_t begin = at + name.size() + 4, end = begin;
    while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end]))) ++end;
    const auto found = all.find(std::string(line.substr(begin, end - begin)));
    return found == all.end() ? std::vector<std::string>{} : elements_of(found->second);
}

std::array<std::size_t, 3> sizes_of(const std::vector<std::string>& elements) {
    std::array<std::size_t, 3> s{};
    for (std::size_t i = 0; i < elements.size() && i < 3; ++i)
        s[i] = static_cast<std::size_t>(number_in(elements[i]));
    return s;
}

kernel_signature signature_of(std::string_view line, const metadata& all) {
    kernel_signature k;
    const std::size_t at = line.find('@');
    std::string_view name = line.substr(at + 1, line.find('(', at) - at - 1);
    if (begins_with(name, "\"")) name = name.substr(1, name.size() - 2);
    k.name = unescaped(name);
    const auto spaces = attached(line, "kernel_arg_addr_space", all);
    const auto access = attached(line, "kernel_arg_access_qual", all);
    const auto types = attached(line, "kernel_arg_type", all);
    const auto bases = attached(line, "kernel_arg_base_type", all);
    const auto qualifiers = attached(line, "kernel_arg_type_qual", all);
    const auto names = attached(line, "kernel_arg_name", all);
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        argument_signature a;
        a.what = kind_of(number_in(spaces[i]), i < bases.size() ? bases[i] : "");
        if (i < access.size()) a.access = access_of(access[i]);
        if (i < qualifiers.size()) a.qualifiers = qualifiers_of(qualifiers[i]);
        // A pointee in constant memory is const.
        if (a.what == kind::constant) a.qualifiers |= CL_KERNEL_ARG_TYPE_CONST;
        if (i < types.size()) a.type = types[i];
        if (i < names.size()) a.name = names[i];
        k.arguments.push_back(std::move(a));
    }
    k.required_group = sizes_of(attached(line, "reqd_work_group_size", all));
    k.group_hint = sizes_of(attached(line, "work_group_size_hint", all));
    k.vector_hint = vector_type(attached(line, "vec_type_hint", all));
    return k;
}

constexpr std::string_view kernel_mark = "//!kernel\t", argument_mark = "//!argument\t";

std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> all;
    while (true) {
        const std::size_t tab = line.find('\t');
        all.emplace_back(line.substr(0, tab));
        if (tab == std::string_view::npos) return all;
        line.remove_prefix(tab + 1);
    }
}

std::string joined(const std::array<std::size_t, 3>& s) {
    return fmt::format("{},{},{}", s[0], s[1], s[2]);
}
std::array<std::size_t, 3> split(const std::string& s) {
    std::array<std::size_t, 3> out{};
    std::istringstream in(s);
    std::string one;
    for (std::size_t i = 0; i < 3 && std::getline(in, one, ','); ++i)
        out[i] = std::strtoull(one.c_str(), nullptr, 10);
    return out;
}

/// Parses a parameter of a PTX entry: `.param .u64 .ptr .global .align 4 name`.
argument_signature argument_of(std::string_view text) {
    argument_signature a;
    a.may_be_pointer = text.find(".ptr") == std::string_view::npos;
    if (a.may_be_pointer) return a;
    if (text.find(".shared") != std::string_view::npos)
        a.what = kind::local;
    else if (text.find(".const") != std::string_view::npos)
        a.what = kind::constant;
    else
        a.what = kind::global;
    return a;
}

std::vector<kernel_signature> entries_of(std::string_view ptx) {
    std::vector<kernel_signature> all;
    for (std::size_t at = ptx.find(".entry"); at != std::string_view::npos;
         at = ptx.find(".entry", at + 6)) {
        std::size_t begin = ptx.find_first_not_of(" \t\r\n", at + 6);
        if (begin == std::string_view::npos) break;
        const std::size_t end = ptx.find_first_of(" \t\r\n({.", begin);
        if (end == std::string_view::npos) break;
        kernel_signature k;
        k.name = std::string(ptx.substr(begin, end - begin));
        const std::size_t next = ptx.find_first_not_of(" \t\r\n", end);
        if (next != std::string_view::npos && ptx[next] == '(') {
            const std::size_t close = ptx.find(')', next);
            std::string_view list = ptx.substr(next + 1, close - next - 1);
            while (list.find(".param") != std::string_view::npos) {
                const std::size_t comma = list.find(',');
                k.arguments.push_back(argument_of(list.substr(0, comma)));
                if (comma == std::string_view::npos) break;
                list.remove_prefix(comma + 1);
            }
        }
        all.push_back(std::move(k));
    }
    return all;
}

}  // namespace

cl_kernel_arg_address_qualifier argument_signature::address_space() const {
    switch (what) {
        case kind::global:
        case kind::image:
            return CL_KERNEL_ARG_ADDRESS_GLOBAL;
        case kind::constant:
            return CL_KERNEL_ARG_ADDRESS_CONSTANT;
        case kind::local:
            return CL_KERNEL_ARG_ADDRESS_LOCAL;
        default:
            return CL_KERNEL_ARG_ADDRESS_PRIVATE;
    }
}

std::string kernel_signature::attributes() const {
    std::string text;
    const auto add = [&](const std::string& one) { text += (text.empty() ? "" : " ") + one; };
    if (!vector_hint.empty()) add("vec_type_hint(" + vector_hint + ")");
    if (required_group[0] != 0) add("reqd_work_group_size(" + joined(required_group) + ")");
    if (group_hint[0] != 0) add("work_group_size_hint(" + joined(group_hint) + ")");
    return text;
}

std::vector<kernel_signature> signatures_of_llvm(std::string_view text) {
    metadata all;
    std::vector<std::string_view> definitions;
    for (const std::string_view line : lines_of(text)) {
        if (begins_with(line, "!") && line.size() > 1 &&
            std::isdigit(static_cast<unsigned char>(line[1]))) {
            const std::size_t space = line.find(' ');
            if (space != std::string_view::npos)
                all[std::string(line.substr(1, space - 1))] = line.substr(space);
        } else if (begins_with(line, "define ") &&
                   line.find("spir_kernel") != std::string_view::npos) {
            definitions.push_back(line);
        }
    }
    std::vector<kernel_signature> kernels;
    kernels.reserve(definitions.size());
    for (const std::string_view d : definitions) kernels.push_back(signature_of(d, all));
    return kernels;
}

std::string to_comments(const std::vector<kernel_signature>& kernels) {
    std::string text;
    for (const kernel_signature& k : kernels) {
        text += fmt::format("{}{}\t{}\t{}\t{}\n", kernel_mark, k.name, joined(k.required_group),
                            joined(k.group_hint), k.vector_hint);
        for (const argument_signature& a : k.arguments)
            text += fmt::format("{}{}\t{}\t{}\t{}\t{}\n", argument_mark,
                                kind_names[static_cast<unsigned>(a.what)], a.access, a.qualifiers,
                                a.type, a.name);
    }
    return text;
}

std::vector<kernel_signature> signatures_of_ptx(std::string_view ptx) {
    std::vector<kernel_signature> all;
    for (const std::string_view line : lines_of(ptx.substr(0, ptx.find(".version")))) {
        if (begins_with(line, kernel_mark)) {
            const auto f = fields_of(line.substr(kernel_mark.size()));
            if (f.size() != 4) break;
            all.push_back({f[0], {}, split(f[1]), split(f[2]), f[3]});
        } else if (begins_with(line, argument_mark) && !all.empty()) {
            const auto f = fields_of(line.substr(argument_mark.size()));
            if (f.size() != 5) break;
            argument_signature a;
            for (unsigned i = 0; i < std::size(kind_names); ++i)
                if (f[0] == kind_names[i]) a.what = static_cast<kind>(i);
            a.access = static_cast<cl_kernel_arg_access_qualifier>(
                std::strtoul(f[1].c_str(), nullptr, 10));
            a.qualifiers = std::strtoul(f[2].c_str(), nullptr, 10);
            a.type = f[3];
            a.name = f[4];
            all.back().arguments.push_back(std::move(a));
        }
    }
    return all.empty() ? entries_of(ptx) : all;
}

}  // namespace simtlm::opencl
