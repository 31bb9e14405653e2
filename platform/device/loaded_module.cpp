// SPDX-License-Identifier: Apache-2.0
#include "platform/device/loaded_module.h"

#include "modules/core/occupancy.h"
#include "modules/execution/machine/sass_image.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/ptx/instruction_scheduler.h"
#include "modules/ptx/parser.h"
#include "modules/sass/cubin.h"
#include "platform/device/status.h"

// Header-only, so that users of an installed library need not link libxxhash.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

namespace simtlm::device {

namespace {

/// Holds the gate of the memory while variables of a module are placed.
class placing_scope {
public:
    placing_scope(memory_space& memory, execution::device_memory::static_placement* by)
        : access_(memory, false), memory_(memory) {
        memory_.table().place_statics_by(by);
    }
    ~placing_scope() { memory_.table().place_statics_by(nullptr); }
    placing_scope(const placing_scope&) = delete;
    placing_scope& operator=(const placing_scope&) = delete;

private:
    memory_space::access_scope access_;
    memory_space& memory_;
};

}  // namespace

loaded_module::loaded_module(const module_source& source, memory_space& memory,
                             const execution::instruction_timing& timing, unsigned architecture,
                             inspection* inspector,
                             execution::device_memory::static_placement* placement)
    : memory_(memory), placement_(placement) {
    const module_source* loaded = &source;
    if (source.isa == execution::instruction_set::sass) {
        load_machine_code(source, inspector);
        if (!image_) loaded = source.otherwise.get();
    }
    if (!image_) load_ptx(*loaded, timing, architecture, inspector);
    placement_ = nullptr;
    digest_ = XXH3_64bits(loaded->code.data(), loaded->code.size());
    descriptor_ = image_->describe(timing);
    for (const execution::kernel_image& k : image_->kernels()) {
        execution::kernel_image& mine = kernels_.emplace(k.name, k).first->second;
        const auto compiled = loaded->compiled.find(k.name);
        if (compiled != loaded->compiled.end() && compiled->second.registers != 0)
            mine.registers = compiled->second.registers;
        else if (image_->isa() == execution::instruction_set::ptx)
            estimated_.insert(k.name);
    }
}

const execution::kernel_image& loaded_module::fitted(const execution::kernel_image& kernel,
                                                     unsigned threads,
                                                     const core::sm_config& sm) const {
    const unsigned most = core::max_registers_per_thread(sm, threads);
    if (kernel.registers <= most || most == 0 || estimated_.count(kernel.name) == 0) return kernel;
    const std::lock_guard<std::mutex> lock(mutex_);
    execution::kernel_image& mine = fitted_.try_emplace({kernel.name, most}, kernel).first->second;
    mine.registers = most;
    return mine;
}

void loaded_module::load_ptx(const module_source& source,
                             const execution::instruction_timing& timing, unsigned architecture,
                             inspection* inspector) {
    try {
        auto parsed = std::make_shared<ptx::module>(ptx::parse(source.code, source.name));
        if (timing.ptx.controls_of != 0) ptx::schedule_instructions(*parsed);
        if (inspector != nullptr) inspector->debug().program_loaded(*parsed, source.code);
        const placing_scope t(memory_, placement_);
        image_ = std::make_unique<execution::ptx_image>(
            parsed, memory_.table(),
            inspector == nullptr ? execution::check_options{} : inspector->checks(), architecture,
            source.reserved_shared);
        ptx_architecture_ = image_->architecture();
    } catch (const failure&) {
        throw;
    } catch (const support::user_error& e) {
        throw failure(status::invalid_ptx, e.what());
    }
}

void loaded_module::load_machine_code(const module_source& source, const inspection* inspector) {
    try {
        auto read = std::make_shared<const sass::cubin>(source.code, source.name);
        const placing_scope t(memory_, placement_);
        auto image = std::make_unique<execution::sass_image>(
            std::move(read), memory_.table(),
            inspector == nullptr ? execution::check_options{} : inspector->checks());
        if (source.otherwise != nullptr && !image->is_executed_whole()) return;
        ptx_architecture_ = image->source().virtual_architecture();
        image_ = std::move(image);
    } catch (const failure&) {
        throw;
    } catch (const support::user_error& e) {
        if (source.otherwise == nullptr) throw failure(status::invalid_image, e.what());
    }
}

loaded_module::~loaded_module() {
    const memory_space::access_scope t(memory_, false);
    image_.reset();
}

const execution::kernel_image* loaded_module::find_kernel(const std::string& name) const {
    const auto at = kernels_.find(name);
    return at == kernels_.end() ? nullptr : &at->second;
}

}  // namespace simtlm::device
