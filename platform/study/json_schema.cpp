// SPDX-License-Identifier: Apache-2.0
#include "platform/study/json_schema.h"

#include "modules/support/display_text.h"
#include "modules/support/error.h"
#include "modules/support/text_file.h"
#include "platform/study/page/page_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simtlm::platform::study {

namespace {

/// Deeper documents are rejected, because writing them would exhaust the stack.
constexpr int deepest = 64;

/// Size limit of JSON files, bytes.
constexpr std::size_t largest_json = std::size_t{4} << 30;

bool is_of(const json& value, const std::string& type) {
    if (type == "number") return value.is_number();
    // 2.0 is an integer in JSON Schema.
    if (type == "integer") return value.is_number_integer();
    return type == value.type_name();
}

/// "a number", "an object"
std::string with_article(const std::string& type) {
    if (type == "null") return type;
    const bool vowel = type.find_first_of("aeiou") == 0;
    return (vowel ? "an " : "a ") + type;
}

/// The types of a schema as text: "a number or a string".
std::string types_of(const json& schema) {
    const auto at = schema.find("type");
    if (at == schema.end()) return "something else";
    if (at->is_string()) return with_article(at->get<std::string>());
    std::string all;
    for (const json& t : *at) all += (all.empty() ? "" : " or ") + with_article(t);
    return all;
}

int nesting_of(const std::string& text) {
    int depth = 0, most = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            most = std::max(most, ++depth);
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return most;
}

}  // namespace

/// A member of a document, linked to the one that contains it.
struct json_schema::place {
    const place* in;
    const std::string* file;
    const std::string* remedy;
    const std::string* name = nullptr;  ///< of a member of an object
    std::size_t index = 0;              ///< of an element of an array

    std::string path() const {
        if (in == nullptr) return {};
        const std::string outer = in->path();
        if (name == nullptr) return fmt::format("{}[{}]", outer, index);
        return outer.empty() ? *name : outer + "." + *name;
    }
    [[noreturn]] void refuse(const std::string& what) const {
        const std::string at = support::printable(path());
        throw support::user_error(*file, (at.empty() ? "the document" : at) + " " + what, *remedy);
    }
};

const json_schema& json_schema::statistics() {
    static const json_schema schema(json::parse(page::schema));
    return schema;
}

const json& json_schema::resolved(const json& schema) const {
    const auto at = schema.find("$ref");
    if (at == schema.end()) return schema;
    const auto& name = at->get_ref<const std::string&>();
    return schema_.at("$defs").at(name.substr(name.rfind('/') + 1));
}

/// Whether the type of the value itself is one of those of the schema.
bool json_schema::accepts(const json& value, const json& schema) const {
    const json& s = resolved(schema);
    const auto type = s.find("type");
    if (type == s.end()) return true;
    if (type->is_string()) return is_of(value, type->get_ref<const std::string&>());
    return std::any_of(type->begin(), type->end(), [&](const json& t) {
        return is_of(value, t.get_ref<const std::string&>());
    });
}

void json_schema::check(const json& value, const json& schema, const place& where) const {
    const json& s = resolved(schema);
    if (const auto any = s.find("anyOf"); any != s.end()) {
        const auto fitting = std::find_if(any->begin(), any->end(),
                                          [&](const json& a) { return accepts(value, a); });
        if (fitting == any->end()) {
            std::string kinds;
            for (const json& a : *any)
                kinds += (kinds.empty() ? "" : " or ") + types_of(resolved(a));
            where.refuse(
                fmt::format("is {} instead of {}", with_article(value.type_name()), kinds));
        }
        return check(value, *fitting, where);
    }
    if (!accepts(value, s)) {
        const bool fraction = value.is_number_float() && types_of(s) == "an integer";
        where.refuse(fmt::format("is {} instead of {}",
                                 fraction ? "a fraction" : with_article(value.type_name()),
                                 types_of(s)));
    }
    if (const auto least = s.find("minimum");
        least != s.end() && value.is_number() && value.get<double>() < least->get<double>())
        where.refuse(fmt::format("is less than {}", least->dump()));
    if (value.is_array()) {
        if (value.size() < s.value("minItems", std::size_t{0}) ||
            value.size() > s.value("maxItems", value.size()))
            where.refuse(fmt::format("has {} elements", value.size()));
        if (const auto items = s.find("items"); items != s.end())
            for (std::size_t i = 0; i < value.size(); ++i)
                check(value[i], *items, {&where, where.file, where.remedy, nullptr, i});
    }
    if (!value.is_object()) return;
    const auto properties = s.find("properties");
    const auto others = s.find("additionalProperties");
    for (const auto& [name, member] : value.items()) {
        const json* of_member = nullptr;
        if (properties != s.end())
            if (const auto at = properties->find(name); at != properties->end()) of_member = &*at;
        if (of_member == nullptr && others != s.end() && others->is_object()) of_member = &*others;
        if (of_member != nullptr)
            check(member, *of_member, {&where, where.file, where.remedy, &name, 0});
    }
}

void json_schema::check(const json& document, const std::string& file,
                        const std::string& remedy) const {
    check(document, schema_, {nullptr, &file, &remedy, nullptr, 0});
}

json parse_json(const std::string& text, const std::string& file, const std::string& remedy) {
    if (nesting_of(text) > deepest)
        throw support::user_error(file, fmt::format("is nested more than {} levels deep", deepest),
                                  remedy);
    json document = json::parse(text, nullptr, false);
    if (document.is_discarded()) throw support::user_error(file, "is not JSON", remedy);
    return document;
}

json read_json(const std::string& file, const std::string& remedy) {
    return parse_json(support::read_text_file(file, remedy, largest_json), file, remedy);
}

}  // namespace simtlm::platform::study
