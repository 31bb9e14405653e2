// SPDX-License-Identifier: Apache-2.0
#include "platform/options/parameters.h"

#include "modules/support/error.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace simtlm::platform {

namespace {

/// Kinds of modules whose names end in a number: cluster0, sm1.
constexpr std::array<const char*, 6> numbered_modules{"cluster", "sm",   "partition",
                                                      "bank",    "dram", "gpc_cache"};

/// A structured option: the module and names of the fields of its value, which `:` and `,`
/// separate. Without names the fields are called KEY=VALUE in the value.
struct structured_option {
    const char* option;
    const char* module;
    std::vector<const char*> fields;
};

const std::vector<structured_option>& structured_options() {
    static const std::vector<const char*> cache = {
        "kind",         "sets",       "line_bytes",     "ways",      "replacement",
        "write_policy", "allocation", "write_allocate", "set_index", "mshr_kind",
        "mshr_entries", "mshr_merge", "miss_queue"};
    static const std::vector<structured_option> table = {
        {"-gpgpu_cache:dl1", "cluster.sm.l1d", cache},
        {"-gpgpu_cache:il1", "cluster.sm.l1i", cache},
        {"-gpgpu_const_cache:l1", "cluster.sm.l1c", cache},
        {"-gpgpu_tex_cache:l1", "cluster.sm.l1t", cache},
        {"-gpgpu_cache:gpc", "gpc_cache", cache},
        {"-gpgpu_cache:dl2", "partition.bank.l2", cache},
        {"-gpgpu_clock_domains", "", {"core_clock", "icnt_clock", "l2_clock", "dram_clock"}},
        {"-gpgpu_dram_partition_queues",
         "partition.bank",
         {"icnt_to_l2", "l2_to_dram", "dram_to_l2", "l2_to_icnt"}},
        {"-gpgpu_dram_timing_opt", "dram", {}},
    };
    return table;
}

const char* module_of(option_group group) {
    switch (group) {
        case option_group::launch:
            return "command_processor";
        case option_group::core:
        case option_group::operands:
        case option_group::units:
        case option_group::sub_cores:
        case option_group::l1:
            return "cluster.sm";
        case option_group::l2:
            return "partition.bank";
        case option_group::dram:
            return "dram";
        case option_group::interconnect:
            return "network";
        default:
            return "";
    }
}

std::string joined(const std::string& module, const std::string& name) {
    return module.empty() ? name : module + "." + name;
}

/// The name of a whole option: -gpgpu_l1_latency is cluster.sm.l1d.latency.
std::string name_of(const option_info& option) {
    std::string name = option.name.substr(option.name.find_first_not_of('-'));
    if (name.compare(0, 6, "gpgpu_") == 0) name.erase(0, 6);
    std::replace(name.begin(), name.end(), ':', '_');
    std::replace(name.begin(), name.end(), '-', '_');
    std::string module = module_of(option.group);
    if (option.group == option_group::l1 && name.compare(0, 3, "l1_") == 0) {
        module += ".l1d";
        name.erase(0, 3);
    }
    return joined(module, name);
}

/// A field of a structured value: [begin, end) of its text.
struct place {
    std::string key;  ///< of KEY=VALUE
    std::size_t begin, end;
};

std::vector<place> places_in(const std::string& text) {
    std::vector<place> places;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(":,", at), text.size());
        std::size_t begin = text.find_first_not_of(" \t\n", at);
        if (begin == std::string::npos || begin > end) begin = end;
        const std::size_t equals = text.find('=', begin);
        std::string key;
        if (equals < end) {
            key = text.substr(begin, equals - begin);
            begin = equals + 1;
        }
        places.push_back({std::move(key), begin, end});
        at = end + 1;
    }
    return places;
}

std::optional<place> find_field(const std::string& text, const structured_option& of,
                                const std::string& field) {
    const std::vector<place> places = places_in(text);
    for (std::size_t i = 0; i < places.size(); ++i)
        if (of.fields.empty() ? places[i].key == field
                              : i < of.fields.size() && of.fields[i] == field)
            return places[i];
    return std::nullopt;
}

const structured_option* structure_of(const option_info& option) {
    for (const structured_option& s : structured_options())
        if (option.name == s.option) return &s;
    return nullptr;
}

/// The kind of a module whose name is a kind and a number or `*`: "sm" for sm3; "l2" stays.
std::string kind_of(const std::string& module) {
    const std::string stem = module.substr(0, module.find_first_of("0123456789*"));
    for (const char* kind : numbered_modules)
        if (stem == kind) return stem;
    return module;
}

}  // namespace

std::string numbered_name(const std::string& gpu, const std::string& name) {
    std::string numbered = gpu;
    for (std::size_t at = 0; at != std::string::npos;) {
        const std::size_t end = name.find('.', at);
        const std::string part = name.substr(at, end - at);
        numbered += "." + part;
        for (const char* kind : numbered_modules)
            if (end != std::string::npos && part == kind) numbered += "0";
        at = end == std::string::npos ? end : end + 1;
    }
    return numbered;
}

std::string parameter_values::module_kind(const std::string& name) {
    std::string plain;
    for (std::size_t at = name.find('.'); at != std::string::npos;) {
        const std::size_t end = name.find('.', at + 1);
        plain = joined(plain, kind_of(name.substr(at + 1, end - at - 1)));
        at = end;
    }
    return plain;
}

parameter_values::parameter_values(option_values& values) : values_(values) {
    const auto add = [&](std::string name, const option_info& option, std::string field) {
        if (by_name_.emplace(name, all_.size()).second)
            all_.push_back({std::move(name), &option, std::move(field)});
    };
    for (const option_info& option : option_table()) {
        if (!option.effective() || option.action) continue;
        if (const structured_option* s = structure_of(option)) {
            for (const char* field : s->fields) add(joined(s->module, field), option, field);
            if (s->fields.empty())
                for (const place& p : places_in(values_.text(option.name)))
                    if (!p.key.empty()) add(joined(s->module, p.key), option, p.key);
        }
        add(name_of(option), option, {});
    }
}

std::string parameter_values::value(const parameter& p) const {
    const std::string& text = values_.text(p.option->name);
    if (p.field.empty()) return text;
    const auto at = find_field(text, *structure_of(*p.option), p.field);
    return at ? text.substr(at->begin, at->end - at->begin) : "";
}

const parameter& parameter_values::known(const std::string& name) const {
    const auto found = by_name_.find(module_kind(name));
    if (found != by_name_.end()) return all_[found->second];
    std::vector<std::string> names;
    for (const parameter& p : all_) names.push_back(p.name);
    throw support::user_error(name, "no such parameter",
                              "did you mean " + name.substr(0, name.find('.')) + "." +
                                  nearest_name(module_kind(name), names) + "?");
}

std::string parameter_values::value(const std::string& name) const {
    return value(known(name));
}

void parameter_values::set(const std::string& name, const std::string& value) {
    const parameter& p = known(name);
    const auto [before, first] = given_.emplace(p.name, std::pair(name, value));
    if (!first && before->second.first != name && before->second.second != value)
        throw support::user_error(
            name,
            "is to be " + value + ", but " + before->second.first + " is " + before->second.second,
            "modules of a kind have the same parameters");
    before->second = {name, value};
    option_origin origin;
    origin.kind = option_origin::source::command_line;
    origin.file = name;
    std::string text = value;
    if (!p.field.empty()) {
        text = values_.text(p.option->name);
        const auto at = find_field(text, *structure_of(*p.option), p.field);
        if (!at || value.find_first_of(":,= ") != std::string::npos)
            throw support::user_error(name,
                                      at ? value + " is no value of a field"
                                         : p.option->name + " is " + text + ", without this field",
                                      "see " + p.option->name + " in docs/options.md");
        text.replace(at->begin, at->end - at->begin, value);
    }
    values_.set(p.option->name, text, origin);
}

}  // namespace simtlm::platform
