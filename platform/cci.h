// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/simtlm.h"

#include <cci_configuration>
#include <memory>
#include <string>
#include <vector>

namespace simtlm {

/// The parameters of a GPU in SystemC CCI (Accellera's SystemC Configuration, 1.0): a cci_param of
/// the option's type for each parameter, named as its module with the number 0 where modules have
/// numbers, gpu.cluster0.sm0.l1d.sets, with the description, and unit, range, option and the
/// preset's value as metadata. Values that the broker has for them are taken, also those for
/// modules with other numbers; then the parameters are immutable.
///
///     simtlm::configuration values({"--preset", "QV100"}, CONFIGS);
///     simtlm::cci_parameters parameters("gpu", values);
///     simtlm::gpu gpu("gpu", values.make());
class cci_parameters {
public:
    /// Construct after the broker has been registered and has its presets, and before the GPU.
    /// @param gpu     hierarchical name of the GPU
    /// @param values  are changed to those of the broker
    /// @throws user_error  for a value that is invalid, or a name below that of the GPU that is
    /// none
    cci_parameters(const std::string& gpu, configuration& values) : gpu_(gpu), values_(values) {
        std::vector<std::string> presets;
        for (const platform::parameter& p : values_.parameters().all())
            presets.push_back(values_.parameters().value(p));
        take_values();
        std::size_t i = 0;
        for (const platform::parameter& p : values_.parameters().all()) add(p, presets[i++]);
    }
    cci_parameters(const cci_parameters&) = delete;
    cci_parameters& operator=(const cci_parameters&) = delete;

private:
    /// Whether this is constructed in a module of the platform, whose broker is then used.
    static bool in_module() { return sc_core::sc_get_current_object() != nullptr; }
    /// Takes the values of the broker, for modules of any number. @throws user_error
    void take_values() {
        cci::cci_broker_handle broker =
            in_module() ? cci::cci_get_broker() : cci::cci_get_global_broker(originator_);
        for (const auto& [name, value] : broker.get_unconsumed_preset_values())
            if (name.compare(0, gpu_.size() + 1, gpu_ + ".") == 0 && !is_of_logger(name))
                set(name, value);
    }
    /// Whether the parameter is one of the logger of SystemC Common Practices.
    static bool is_of_logger(const std::string& name) {
        return name.substr(name.rfind('.') + 1) == "log_level";
    }
    void set(const std::string& name, const cci::cci_value& value) {
        // Names are those below the GPU, whose own name may have several parts.
        const std::string text = value.is_string() ? std::string(value.get_string())
                                 : value.is_bool() ? std::to_string(int{value.get_bool()})
                                                   : value.to_json();
        values_.parameters().set("gpu" + name.substr(gpu_.size()), text);
    }

    template <class T>
    void add(const platform::parameter& p, const std::string& preset, const T& value,
             const std::string& range) {
        const std::string name = platform::numbered_name(gpu_, p.name);
        auto made = std::make_shared<cci::cci_param<T, cci::CCI_IMMUTABLE_PARAM>>(
            name, value, p.option->description, cci::CCI_ABSOLUTE_NAME, originator_);
        made->add_metadata("unit", cci::cci_value(p.option->unit), "unit of the value");
        made->add_metadata("range", cci::cci_value(range), "values that are accepted");
        made->add_metadata("option", cci::cci_value(p.option->name), "option of simtlm");
        made->add_metadata("preset", cci::cci_value(preset),
                           "value of the preset, before those of the broker");
        parameters_.push_back(std::move(made));
    }
    void add(const platform::parameter& p, const std::string& preset) {
        using platform::option_type;
        const std::string text = values_.parameters().value(p);
        const auto number = platform::parse_integer(text);
        const option_type type = p.field.empty() ? p.option->type : option_type::natural;
        if (number && type == option_type::boolean)
            add<bool>(p, preset, *number != 0, "false or true");
        else if (number && type == option_type::natural && *number >= 0)
            add<std::uint64_t>(p, preset, static_cast<std::uint64_t>(*number), "0 to 2^64-1");
        else if (number && type == option_type::integer)
            add<std::int64_t>(p, preset, *number, "-2^63 to 2^63-1");
        else
            add<std::string>(p, preset, text, p.option->syntax);
    }

    const std::string gpu_;
    configuration& values_;
    cci::cci_originator originator_{in_module() ? "" : "simtlm"};
    std::vector<std::shared_ptr<void>> parameters_;  // of several types
};

}  // namespace simtlm
