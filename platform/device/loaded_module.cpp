// SPDX-License-Identifier: Apache-2.0
#include "platform/device/loaded_module.h"

#include "modules/execution/ptx_image.h"
#include "modules/ptx/instruction_scheduler.h"
#include "modules/ptx/parser.h"
#include "platform/device/status.h"

namespace simtlm::device {

loaded_module::loaded_module(const module_source& source, memory_space& memory,
                             const execution::instruction_timing& timing)
    : memory_(memory) {
    if (source.isa != execution::instruction_set::ptx)
        throw failure(status::no_binary_for_gpu, source.name + " is machine code, which is not run",
                      "load PTX");
    try {
        auto parsed = std::make_shared<ptx::module>(ptx::parse(source.code, source.name));
        if (timing.ptx.controls_of != 0) ptx::schedule_instructions(*parsed);
        const memory_space::turn t(memory, false);
        image_ = std::make_unique<execution::ptx_image>(parsed, memory.table());
    } catch (const failure&) {
        throw;
    } catch (const kernel::user_error& e) {
        throw failure(status::invalid_ptx, e.what());
    }
    descriptor_ = image_->describe(timing);
    for (const execution::kernel_image& k : image_->kernels()) {
        execution::kernel_image& mine = kernels_.emplace(k.name, k).first->second;
        const auto told = source.compiled.find(k.name);
        if (told != source.compiled.end() && told->second.registers != 0)
            mine.registers = told->second.registers;
    }
}

loaded_module::~loaded_module() {
    const memory_space::turn t(memory_, false);
    image_.reset();
}

const execution::kernel_image* loaded_module::find_kernel(const std::string& name) const {
    const auto at = kernels_.find(name);
    return at == kernels_.end() ? nullptr : &at->second;
}

}  // namespace simtlm::device
