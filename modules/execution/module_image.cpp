// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/module_image.h"

#include "modules/execution/lowering/module_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::execution {

module_image::module_image(std::shared_ptr<const ptx::module> source, device_memory& memory,
                           const check_options& checks)
    : source_(std::move(source)), memory_(memory), checks_(checks) {
    try {
        module_builder(*this, memory).build();
    } catch (...) {
        for (const device_address a : owned_) memory_.release(a);
        throw;
    }
}

module_image::~module_image() {
    for (const device_address a : owned_) memory_.release(a);
}

const kernel_image* module_image::find_kernel(std::string_view name) const {
    for (const kernel_image& k : kernels_)
        if (k.name == name) return &k;
    return nullptr;
}

std::pair<device_address, std::uint64_t> module_image::find_variable(std::string_view name) const {
    const ptx::variable* const v = source_->find_variable(name);
    if (v == nullptr) return {0, 0};
    const auto index = static_cast<std::size_t>(v - source_->variables.data());
    if (v->space != ptx::state_space::global && v->space != ptx::state_space::const_) return {0, 0};
    return {addresses_[index], v->size};
}

std::vector<std::uint32_t> module_image::shared_variables_of(const kernel_image& k) const {
    std::vector<std::uint32_t> functions{k.function}, variables;
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const function_image& f = functions_[functions[i]];
        variables.insert(variables.end(), f.shared_variables.begin(), f.shared_variables.end());
        for (const std::uint32_t callee : f.callees)
            if (std::find(functions.begin(), functions.end(), callee) == functions.end())
                functions.push_back(callee);
    }
    return variables;
}

std::string module_image::where(const operation& op) const {
    const instruction_origin& from = origin_of(op);
    const ptx::function& f = source_->functions[from.function];
    if (from.instruction >= f.code.size()) return source_->where(f.where);
    const ptx::instruction& i = f.code[from.instruction];
    std::string text = fmt::format("{}:{}", source_->file, i.where.line);
    if (i.location != ptx::no_index) {
        const ptx::source_location& l = source_->locations[i.location];
        text += fmt::format(" ({}:{})", source_->file_name(l.file), l.line);
    }
    return text;
}

std::string module_image::text_of(const operation& op) const {
    const instruction_origin& from = origin_of(op);
    const ptx::function& f = source_->functions[from.function];
    return from.instruction < f.code.size() ? source_->text_of(f, f.code[from.instruction])
                                            : "end of " + f.name;
}

}  // namespace simtlm::execution
