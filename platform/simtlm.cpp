// SPDX-License-Identifier: Apache-2.0
#include "platform/simtlm.h"

#include <iomanip>
#include <sstream>

namespace simtlm {

namespace {

platform::option_values values_of(const std::vector<std::string>& options,
                                  const std::string& config_folder) {
    const platform::preset_folders folders =
        config_folder.empty() ? platform::preset_folders()
                              : platform::preset_folders(std::vector<std::string>{config_folder});
    platform::option_values values(folders.finder());
    values.parse_command_line(options, "configure()");
    return values;
}

}  // namespace

gpu_config configure(const std::vector<std::string>& options, const std::string& config_folder) {
    return platform::make_gpu_config(values_of(options, config_folder));
}

std::vector<std::string> split_options(const std::string& options) {
    std::vector<std::string> all;
    std::istringstream text(options);
    for (std::string option; text >> std::quoted(option);) all.push_back(option);
    return all;
}

configuration::configuration(const std::vector<std::string>& options,
                             const std::string& config_folder)
    : values_(values_of(options, config_folder)), parameters_(values_) {}

parameter_attributes::parameter_attributes(gpu& device, configuration& values) {
    const platform::parameter_values& parameters = values.parameters();
    for (const platform::parameter& p : parameters.all()) {
        const std::size_t dot = p.name.rfind('.');
        const bool of_gpu = dot == std::string::npos;
        by_module_.emplace(of_gpu ? "" : p.name.substr(0, dot),
                           std::make_unique<attribute>(of_gpu ? p.name : p.name.substr(dot + 1),
                                                       parameters.value(p)));
    }
    attach(device, "gpu");
}

parameter_attributes::~parameter_attributes() {
    for (const auto& [object, attribute] : attached_) object->remove_attribute(attribute->name());
}

void parameter_attributes::attach(sc_core::sc_object& object, const std::string& name) {
    const auto [begin, end] = by_module_.equal_range(platform::parameter_values::module_kind(name));
    for (auto a = begin; a != end; ++a)
        if (object.add_attribute(*a->second)) attached_.emplace_back(&object, a->second.get());
    for (sc_core::sc_object* child : object.get_child_objects())
        if (dynamic_cast<sc_core::sc_module*>(child) != nullptr)
            attach(*child, name + "." + child->basename());
}

}  // namespace simtlm
