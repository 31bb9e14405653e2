// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/device_context.h"

#include "modules/core/occupancy.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/execution/timed/executed_kernel.h"
#include "modules/ptx/instruction_scheduler.h"
#include "modules/ptx/parser.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/gpu/gpu_services.h"
#include "platform/gpu/opcode_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <systemc>

namespace simtlm::platform {

using host::error_code;

struct device_context::loaded {
    std::string name;
    std::unique_ptr<execution::program_image> image;
    std::shared_ptr<const execution::instruction_descriptors> descriptor;
};

device_context::device_context(const gpu_config& config) : config_(config) {
    print_ = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
}

device_context::~device_context() = default;

// ---- device memory ----

execution::device_memory& device_context::memory() {
    if (!memory_) {
        try {
            execution::device_memory::config c;
            c.capacity = config_.programs.device_memory;
            memory_ = std::make_unique<execution::device_memory>(c);
        } catch (const support::user_error& e) {
            throw command_fault(error_code::out_of_memory, e.what());
        }
    }
    return *memory_;
}

std::optional<device_context::span> device_context::find(std::uint64_t address) const {
    const auto* const r = memory_ ? memory_->find(address) : nullptr;
    if (r == nullptr) return {};
    return span{r->begin, r->end, memory_->host(r->begin)};
}

std::uint64_t device_context::allocate(std::uint64_t bytes) {
    if (bytes == 0) throw command_fault(error_code::out_of_memory, "an allocation of 0 bytes");
    try {
        return memory().allocate(bytes);
    } catch (const command_fault&) {
        throw;
    } catch (const support::user_error& e) {
        throw command_fault(error_code::out_of_memory, e.what());
    }
}

device_context::span device_context::release(std::uint64_t address) {
    const auto there = find(address);
    const bool mine = there && there->begin == address && memory_->find(address)->label.empty();
    if (!mine)
        throw command_fault(error_code::bad_address,
                            fmt::format("no allocation begins at {:#x}", address));
    memory_->release(address);
    return *there;
}

std::byte* device_context::bytes_at(std::uint64_t address, std::uint64_t bytes) const {
    const auto there = find(address);
    if (there && bytes <= there->end - address) return there->bytes + (address - there->begin);
    throw command_fault(
        error_code::bad_address,
        fmt::format("{} bytes of device memory at {:#x}: {}", bytes, address,
                    memory_ ? memory_->nearest(address) : "no memory is allocated"));
}

bool device_context::peek(std::uint64_t address, unsigned bytes, unsigned char* to) const {
    const auto there = find(address);
    if (!there) return false;
    const std::uint64_t count = std::min<std::uint64_t>(bytes, there->end - address);
    std::memcpy(to, there->bytes + (address - there->begin), count);
    std::memset(to + count, 0, bytes - count);
    return true;
}

// ---- programs ----

unsigned device_context::load(std::uint64_t address, std::uint64_t bytes) {
    std::string text(reinterpret_cast<const char*>(bytes_at(address, bytes)), bytes);
    text.resize(std::strlen(text.c_str()));  // truncates at the first NUL
    auto program = std::make_unique<loaded>();
    program->name = fmt::format("program{}.ptx", programs_.size());
    try {
        auto parsed = std::make_shared<ptx::module>(ptx::parse(text, program->name));
        if (config_.ptx.controls_of != 0) ptx::schedule_instructions(*parsed);
        program->image = std::make_unique<execution::ptx_image>(
            std::move(parsed), memory(), execution::check_options{}, config_.binary_version());
    } catch (const support::user_error& e) {
        throw command_fault(error_code::bad_program, e.what());
    }
    program->descriptor = program->image->describe(instruction_timing_of(config_));
    for (const execution::kernel_image& k : program->image->kernels())
        kernels_.push_back({program.get(), &k});
    programs_.push_back(std::move(program));
    return static_cast<unsigned>(programs_.back()->image->kernels().size());
}

std::optional<unsigned> device_context::find_kernel(std::string_view name) const {
    for (std::size_t i = kernels_.size(); i-- > 0;)
        if (kernels_[i].image->name == name) return static_cast<unsigned>(i);
    return {};
}

// ---- launches ----

execution::services device_context::world(const loaded& program) {
    execution::services w;
    if (program.image->allocates()) {
        if (!heap_)
            heap_ = std::make_unique<execution::device_heap>(memory(), config_.programs.heap);
        heap_->reserve();
        w.heap = heap_.get();
    }
    w.print = [this](std::string_view text) {
        if (print_) print_(text);
    };
    w.fault = fault_;
    w.stack_limit = config_.programs.stack;
    set_gpu_services(config_, w);
    return w;
}

execution::launch device_context::read_descriptor(const kernel_entry& k, std::uint64_t address,
                                                  std::uint64_t bytes) const {
    host::launch_descriptor d;
    const std::byte* const at = bytes_at(address, bytes);
    if (bytes < sizeof d)
        throw command_fault(error_code::bad_launch,
                            fmt::format("launching {}: a descriptor of {} bytes; it has {}, and "
                                        "the parameters behind them",
                                        k.image->name, bytes, sizeof d));
    std::memcpy(&d, at, sizeof d);
    execution::launch l;
    l.image = k.program->image.get();
    l.kernel = k.image;
    l.grid = {d.grid[0], d.grid[1], d.grid[2]};
    l.block = {d.block[0], d.block[1], d.block[2]};
    execution::complete_shape(*l.kernel, l.grid, l.block);
    l.dynamic_shared = d.dynamic_shared;
    l.parameters.assign(at + sizeof d, at + bytes);
    l.cooperative = (d.flags & host::cooperative) != 0;
    const std::uint64_t shared = k.image->allocated_shared(d.dynamic_shared);
    const std::uint64_t max_shared_memory = core::max_shared_per_cta(config_.cores.sm);
    if (shared > max_shared_memory)
        throw command_fault(error_code::bad_launch,
                            fmt::format("launching {}: {} bytes of shared memory; a block may "
                                        "have {}",
                                        k.image->name, shared, max_shared_memory));
    constexpr std::uint32_t max_rows = 65535, max_blocks = 0x7fffffff, max_block_threads = 1024;
    if (l.grid.x > max_blocks || l.grid.y > max_rows || l.grid.z > max_rows ||
        l.block.x > max_block_threads || l.block.y > max_block_threads ||
        l.block.z > max_block_threads)
        throw command_fault(error_code::bad_launch,
                            fmt::format("launching {}: a grid of {}x{}x{} blocks of {}x{}x{} "
                                        "threads",
                                        k.image->name, l.grid.x, l.grid.y, l.grid.z, l.block.x,
                                        l.block.y, l.block.z));
    return l;
}

/// All blocks of a cooperative launch must be resident at the same time.
void device_context::check_fits(const program::kernel_descriptor& descriptor,
                                bool cooperative) const {
    check_trace_fits(config_, descriptor_of(descriptor));
    if (!cooperative) return;
    const std::uint64_t room =
        std::uint64_t{core::occupancy_of(config_.cores.sm, core::needs_of(descriptor)).ctas} *
        config_.sms();
    if (descriptor.grid.volume() > room)
        throw command_fault(
            error_code::bad_launch,
            fmt::format("launching {}: {} blocks cannot be resident at the same time; {} can",
                        descriptor.name, descriptor.grid.volume(), room));
}

std::shared_ptr<program::kernel_source> device_context::launch(unsigned kernel,
                                                               std::uint64_t descriptor,
                                                               std::uint64_t bytes,
                                                               std::uint64_t stream) {
    const kernel_entry& k = kernels_.at(kernel);
    execution::launch l = read_descriptor(k, descriptor, bytes);
    const bool cooperative = l.cooperative;
    l.grid_id = launches_ + 1;
    l.stream = stream;
    try {
        auto source = std::make_shared<execution::executed_kernel>(
            std::move(l), memory(), world(*k.program), k.program->descriptor, launches_ + 1);
        check_fits(source->descriptor(), cooperative);
        ++launches_;
        return source;
    } catch (const command_fault&) {
        throw;
    } catch (const support::user_error& e) {
        throw command_fault(error_code::bad_launch, e.what());
    }
}

}  // namespace simtlm::platform
