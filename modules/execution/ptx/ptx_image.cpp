// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/ptx_image.h"

#include "modules/execution/operations/bulk_copy.h"
#include "modules/execution/ptx/instruction_class.h"
#include "modules/execution/ptx/instruction_descriptors.h"
#include "modules/execution/ptx/module_builder.h"
#include "modules/execution/ptx/simt_control.h"
#include "modules/execution/state/device_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace simtlm::execution {

ptx_image::ptx_image(std::shared_ptr<const ptx::module> source, device_memory& memory,
                     const check_options& checks, unsigned gpu_architecture,
                     std::uint32_t reserved_shared)
    : program_image(instruction_set::ptx, source->file, source->architecture, checks),
      source_(std::move(source)),
      gpu_architecture_(std::max(gpu_architecture, source_->architecture)),
      reserved_shared_(reserved_shared),
      memory_(memory) {
    ptx_version_ = source_->version_major * 10 + source_->version_minor;
    for (const char* const name : {"malloc", "__cudaCDP2Malloc", "cudaMalloc"})
        allocates_ = allocates_ || source_->find_function(name) != nullptr;
    for (const ptx::function& f : source_->functions)
        launches_kernels_ = launches_kernels_ || device_launches::is_needed_for(f.name);
    try {
        module_builder(*this, memory).build();
        cancels_launches_ = std::any_of(code_.begin(), code_.end(), [](const operation& op) {
            return op.execute == cancel_launch;
        });
    } catch (...) {
        for (const device_address a : owned_) memory_.release(a);
        throw;
    }
}

ptx_image::~ptx_image() {
    for (const device_address a : owned_) memory_.release(a);
}

const kernel_image* ptx_image::kernel_at(device_address a) const {
    const function_image* const f = function_at(a);
    for (const kernel_image& k : kernels_)
        if (f == &functions_[k.function]) return &k;
    return nullptr;
}

std::vector<program_variable> ptx_image::shared_variables_of(const kernel_image& k) const {
    std::vector<std::uint32_t> functions{k.function};
    std::vector<program_variable> variables;
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const function_image& f = functions_[functions[i]];
        for (const std::uint32_t v : f.shared_variables)
            variables.push_back({source_->variables[v].name, program_variable::space_kind::shared,
                                 addresses_[v], source_->variables[v].size});
        for (const std::uint32_t callee : f.callees)
            if (std::find(functions.begin(), functions.end(), callee) == functions.end())
                functions.push_back(callee);
    }
    return variables;
}

std::unique_ptr<warp_control> ptx_image::make_control() const {
    constexpr unsigned independent_threads = 70;  // architecture
    return std::make_unique<simt_control>(architecture() >= independent_threads);
}

std::shared_ptr<const instruction_descriptors> ptx_image::describe(
    const instruction_timing& timing) const {
    return describe_ptx(*this, timing.ptx);
}

std::string ptx_image::where(const operation& op) const {
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

std::string ptx_image::text_of(const operation& op) const {
    const instruction_origin& from = origin_of(op);
    const ptx::function& f = source_->functions[from.function];
    return from.instruction < f.code.size() ? source_->text_of(f, f.code[from.instruction])
                                            : "end of " + f.name;
}

instruction_name ptx_image::name_of(const operation& op) const {
    const instruction_origin& from = origin_of(op);
    const ptx::function& f = source_->functions[from.function];
    if (from.instruction >= f.code.size()) return {"ret", "control"};
    const ptx::operation& o = source_->operation_of(f.code[from.instruction]);
    return {o.text, class_of(o)};
}

// ---- registers as text ----

namespace {

/// The bits of a lane's register, and its value if it is floating point.
std::string value_text(const std::byte* frame, std::uint32_t place, ptx::type t, unsigned lane) {
    if (t == ptx::type::pred) {
        lane_mask m;
        std::memcpy(&m, frame + place, sizeof m);
        return (m >> lane & 1) != 0 ? "true" : "false";
    }
    const unsigned width = ptx::width_of(t);
    if (width <= 32) {
        std::uint32_t bits;
        std::memcpy(&bits, frame + place + 4 * lane, sizeof bits);
        if (width < 32) bits &= (1u << width) - 1;
        if (t != ptx::type::f32) return fmt::format("{:#0{}x}", bits, 2 + width / 4);
        float number;
        std::memcpy(&number, &bits, sizeof number);
        return fmt::format("{:#010x} ({})", bits, number);
    }
    std::uint64_t bits, high = 0;
    std::memcpy(&bits, frame + place + 8 * lane, sizeof bits);
    if (width > 64) std::memcpy(&high, frame + place + 256 + 8 * lane, sizeof high);
    if (width > 64) return fmt::format("{:#018x}{:016x}", high, bits);
    if (t != ptx::type::f64) return fmt::format("{:#018x}", bits);
    double number;
    std::memcpy(&number, &bits, sizeof number);
    return fmt::format("{:#018x} ({})", bits, number);
}

}  // namespace

std::string ptx_image::register_text(const function_image& f, std::uint32_t index,
                                     const std::byte* frame, unsigned lane) const {
    return fmt::format(
        "    {} = {}\n", f.source->register_name(index),
        value_text(frame, offset_of(f.registers[index]), f.source->registers[index], lane));
}

void ptx_image::add_results(std::string& text, const function_image& f, const ptx::operand& o,
                            const std::byte* frame, unsigned lane) const {
    if (o.kind == ptx::operand_kind::reg) text += register_text(f, o.index, frame, lane);
    if (o.kind == ptx::operand_kind::vector)
        for (unsigned e = 0; e < o.count; ++e)
            add_results(text, f, f.source->element_of(o, e), frame, lane);
}

std::string ptx_image::results_text(const operation& op, const std::byte* frame,
                                    unsigned lane) const {
    const instruction_origin& from = origin_of(op);
    const function_image& f = functions_[from.function];
    const ptx::instruction& i = f.source->code[from.instruction];
    std::string text;
    for (unsigned n = 0; n < i.result_count; ++n)
        add_results(text, f, f.source->operand_of(i, n), frame, lane);
    return text;
}

std::string ptx_image::registers_text(const operation& op, const std::byte* frame,
                                      unsigned lane) const {
    const function_image& f = functions_[origin_of(op).function];
    std::string text;
    for (std::uint32_t r = 0; r < f.source->registers.size(); ++r)
        text += register_text(f, r, frame, lane);
    return text;
}

}  // namespace simtlm::execution
