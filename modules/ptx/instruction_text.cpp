// SPDX-License-Identifier: Apache-2.0
// Conversion of instructions to text, for debug output and messages.
#include "modules/ptx/module.h"

#include <cstdio>
#include <string>

namespace simtlm::ptx {

namespace {

constexpr char component_names[] = "xyzw";

std::string hexadecimal(const char* prefix, int digits, std::int64_t bits) {
    char text[32];
    std::snprintf(text, sizeof text, "%s%0*llX", prefix, digits,
                  static_cast<unsigned long long>(bits));
    return text;
}

std::string immediate_text(const operand& o) {
    if (o.type == type::f32) return hexadecimal("0f", 8, o.value);
    if (o.type == type::f64) return hexadecimal("0d", 16, o.value);
    return std::to_string(o.value);
}

std::string special_text(const operand& o) {
    const auto s = static_cast<special_register>(o.index);
    std::string text(name_of(s));
    if (has_components(s)) {
        return o.count > 3 ? text : text + "." + component_names[o.count];
    }
    if (s == special_register::pm || s == special_register::envreg) text += std::to_string(o.count);
    if (s == special_register::pm64) text = "%pm" + std::to_string(o.count) + "_64";
    return text;
}

std::string offset_text(std::int64_t offset) {
    return offset == 0 ? "" : "+" + std::to_string(offset);
}

std::string selector_text(const selector& s) {
    if (s.unit == 0) return "";
    std::string text = s.unit == 8 ? ".b" : ".h";
    for (unsigned i = s.count; i > 0; --i) text += std::to_string(s.lanes[i - 1]);
    return text;
}

std::string label_text(const function& f, std::uint32_t index) {
    for (const named_label& l : f.labels) {
        if (l.instruction == index) return l.name;
    }
    return "#" + std::to_string(index);
}

class writer {
public:
    writer(const module& m, const function& f) : m_(m), f_(f) {}

    std::string text(const operand& o) const {
        switch (o.kind) {
            case operand_kind::none:
                return "";
            case operand_kind::sink:
                return "_";
            case operand_kind::reg:
                return std::string(o.negated ? o.type == type::pred ? "!" : "-" : "") +
                       f_.register_name(o.index) + selector_text(o.select);
            case operand_kind::immediate:
                return immediate_text(o);
            case operand_kind::special:
                return special_text(o);
            case operand_kind::variable:
                return m_.variables[o.index].name + offset_text(o.value);
            case operand_kind::function:
                return m_.functions[o.index].name;
            case operand_kind::label:
                return label_text(f_, o.index);
            case operand_kind::vector:
                return vector_text(o);
            case operand_kind::address_register:
                return "[" + f_.register_name(o.index) + offset_text(o.value) + "]";
            case operand_kind::address_variable:
                return "[" + m_.variables[o.index].name + offset_text(o.value) + "]";
            case operand_kind::address_absolute:
                return "[" + std::to_string(o.value) + "]";
            case operand_kind::branch_targets:
                return f_.branch_targets[o.index].name;
            case operand_kind::call_targets:
                return f_.call_targets[o.index].name;
            case operand_kind::prototype:
                return f_.prototypes[o.index].name;
        }
        return "";
    }

private:
    std::string vector_text(const operand& o) const {
        std::string list;
        for (unsigned i = 0; i < o.count; ++i) {
            list += (i == 0 ? "" : ", ") + text(f_.element_of(o, i));
        }
        return "{" + list + "}";
    }

    const module& m_;
    const function& f_;
};

}  // namespace

std::string module::text_of(const function& f, const instruction& i) const {
    std::string text;
    if (i.guard != no_index) {
        text = std::string("@") + (i.guard_negated ? "!" : "") + f.register_name(i.guard) + " ";
    }
    text += operation_of(i).text;
    const writer w(*this, f);
    bool first = true;
    for (unsigned n = 0; n < i.operand_count; ++n) {
        const std::string operand_text = w.text(f.operand_of(i, n));
        if (operand_text.empty()) continue;
        text += (first ? " " : ", ") + operand_text;
        first = false;
    }
    return text + ";";
}

}  // namespace simtlm::ptx
