// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/instruction_text.h"

#include <fmt/format.h>

namespace simtlm::platform {

std::string instruction_text(const program::static_instruction& i) {
    const auto name = [](std::uint16_t r) {
        return r == program::register_zero ? std::string("RZ") : fmt::format("R{}", r);
    };
    std::string text = i.opcode, separator = " ";
    const auto add = [&](const std::string& operand) {
        text += separator + operand;
        separator = ", ";
    };
    for (unsigned d = 0; d < i.n_dst; ++d) add(name(i.dst[d]));
    for (unsigned s = 0; s < i.n_src; ++s)
        add(s == 0 && i.is_memory() ? "[" + name(i.src[s]) + "]" : name(i.src[s]));
    return text;
}

std::string without_end(std::string text) {
    if (!text.empty() && text.back() == ';') text.pop_back();
    return text;
}

}  // namespace simtlm::platform
