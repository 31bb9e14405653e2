// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/display_text.h"

#include <cxxabi.h>

#include <cstdlib>

namespace simtlm::kernel {

std::string printable(std::string_view text) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(text.size());
    const auto escape = [&out](unsigned char c) {
        out += "\\x";
        out += digits[c >> 4];
        out += digits[c & 15];
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            escape(c);
        } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {  // C1 controls in UTF-8
            escape(c);
            escape(static_cast<unsigned char>(next));
            ++i;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string demangled(const std::string& name) {
    int status = 0;
    char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string result = status == 0 && text != nullptr ? text : name;
    std::free(text);
    return result;
}

}  // namespace simtlm::kernel
