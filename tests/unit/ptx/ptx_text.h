// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/parser.h"
#include "modules/support/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace simtlm::ptx {

constexpr char header[] = ".version 7.8\n.target sm_80\n.address_size 64\n";

/// A module with one entry `k` with this body, and some registers and variables of each kind.
inline std::string kernel_text(const std::string& body) {
    return std::string(header) +
           ".global .texref tx;\n.global .surfref sf;\n.global .u32 g[4];\n.const .f32 c;\n"
           ".func (.param .b32 r) callee (.param .b32 a, .param .b64 b);\n"
           ".visible .entry k(.param .u64 p)\n{\n"
           ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<64>;\n.reg .f32 %f<40>;\n"
           ".reg .b64 %rd<16>;\n.reg .f64 %fd<16>;\n.reg .v4 .f32 v;\n.shared .b32 s[64];\n"
           ".local .align 8 .b8 l[16];\n.param .b32 q;\n" +
           body + "\nret;\n}\n";
}

inline module parse_kernel(const std::string& body) {
    return parse(kernel_text(body), "k.ptx");
}

/// The error message for a text; "" if it is accepted.
inline std::string refusal(const std::string& text) {
    try {
        parse(text, "k.ptx");
    } catch (const support::user_error& e) {
        return e.what();
    }
    return "";
}

inline std::string refusal_of(const std::string& body) {
    return refusal(kernel_text(body));
}

/// Instruction n of entry k.
inline const instruction& code(const module& m, std::size_t n) {
    return m.find_function("k")->code[n];
}
inline const operation& op(const module& m, std::size_t n) {
    return m.operation_of(code(m, n));
}
inline const operand& arg(const module& m, std::size_t n, unsigned i) {
    return m.find_function("k")->operand_of(code(m, n), i);
}
inline std::string text(const module& m, std::size_t n) {
    return m.text_of(*m.find_function("k"), code(m, n));
}

}  // namespace simtlm::ptx
