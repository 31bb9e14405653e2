// SPDX-License-Identifier: Apache-2.0
#include "platform/device/system.h"

#include "modules/sass/fat_binary.h"
#include "platform/device/debug_session.h"
#include "platform/device/functional_engine.h"
#include "platform/device/remote_device.h"
#include "platform/device/sparse_memory.h"
#include "platform/device/timed_engine.h"
#include "platform/gpu/opcode_timing.h"
#include "platform/sampling/launch_sampler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace simtlm::device {

namespace {

std::unique_ptr<platform::launch_sampler> sampler_of(const platform::option_values& v,
                                                     const system_config& config) {
    platform::launch_sampler::check(v);
    const auto how = platform::sampling_options::of(v);
    if (!how.any()) return nullptr;
    return std::make_unique<platform::launch_sampler>(how,
                                                      config.gpu.dispatch.kernel_launch_latency);
}

template <class T>
void fill_rows(std::uint64_t to, std::uint64_t pitch, T value, std::uint64_t width,
               std::uint64_t height) {
    for (std::uint64_t y = 0; y < height; ++y) {
        auto* const row = reinterpret_cast<T*>(to + y * pitch);
        std::fill(row, row + width, value);
    }
}

/// The outputs of a log in a process that does not simulate the GPUs.
run_log::outputs passed_on(const run_log::outputs& to, remote_device* remote) {
    if (remote == nullptr) return to;
    run_log::outputs o;
    o.reports = false;
    o.note = [remote](const std::string& kind, const std::string& text) {
        remote->note(kind, text);
    };
    if (remote->records_calls())
        o.call = [remote](const char* name, std::uint64_t row, std::uint64_t from,
                          std::uint64_t to_time) { remote->called(name, row, from, to_time); };
    return o;
}

}  // namespace

system::system(const platform::option_values& options, const run_log::outputs& log,
               platform::provenance from, std::function<void()> quit,
               std::unique_ptr<remote_device> remote)
    : options_(options),
      config_(system_config::from(options)),
      remote_(std::move(remote)),
      inspection_(options,
                  [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }),
      state_(config_.gpus, config_.memory_bytes,
             config_.gpu.ptx.quirks.allocations_of_256_bytes ? 256 : 512),
      log_(options, passed_on(log, remote_.get()), std::move(from), config_.gpu.clocks.core),
      debug_(debug_of(options, std::move(quit))),
      checkpoint_(options, state_.memory, state_.textures, log_),
      sampler_(sampler_of(options, config_)),
      work_(state_, config_.gpus, {config_.functional, config_.grace_ms},
            [this] { return make_engine(); }) {
    inspection_.prepare(state_.memory.table());
    state_.inspector = &inspection_;
    state_.stack_limit = config_.stack_limit;
    state_.heap_limit = config_.heap_limit;
    state_.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
    state_.report_error = [this](const std::string& text) { log_.log_error(text); };
    if (!remote_) return;
    config_.name = remote_->name();
    remote_->open(state_, log_);
}

void system::place_memory(std::uint64_t static_begin) {
    state_.memory.move_to(static_begin);
    inspection_.prepare(state_.memory.table());
}

std::unique_ptr<engine> system::make_engine() {
    engine_made_ = true;
    if (remote_) return std::make_unique<remote_engine>(*remote_);
    if (config_.functional)
        return std::make_unique<functional_engine>(state_, config_.gpu.sms(),
                                                   config_.functional_threads, &log_, debug_.get());
    try {
        return std::make_unique<timed_engine>(state_, config_, checkpoint_, log_, debug_.get(),
                                              sampler_.get());
    } catch (const support::user_error& e) {
        throw options_.located(e);
    }
}

std::unique_ptr<engine> system::make_engine(std::function<void(bool)> stop) {
    stop_ = std::move(stop);
    return make_engine();
}

system::~system() = default;

std::unique_ptr<debug_session> system::debug_of(const platform::option_values& options,
                                                std::function<void()> quit) {
    if (!platform::debugger_config::of(options).on && !options.flag("-trace_enabled"))
        return nullptr;
    const auto symbol = [this](const std::string& name) -> std::optional<platform::memory_range> {
        const auto found = find_variable(name);
        if (!found) return std::nullopt;
        return platform::memory_range{found->first, found->second};
    };
    return std::make_unique<debug_session>(
        options, config_.gpu, config_.functional,
        debug_session::services{state_.memory, symbol, std::move(quit),
                                [this] { return state_.give_up.load(); }});
}

/// Address and size of a variable, from the most recently loaded module that defines it.
std::optional<std::pair<std::uint64_t, std::uint64_t>> system::find_variable(
    const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto m = modules_.rbegin(); m != modules_.rend(); ++m)
        if (const auto loaded = m->lock())
            if (const auto variable = loaded->find_variable(name); variable.first != 0)
                return variable;
    return std::nullopt;
}

std::shared_ptr<loaded_module> system::load(const module_source& source,
                                            execution::device_memory::static_placement* placement) {
    const auto timing = [&]() -> const execution::instruction_timing& {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!timing_) timing_ = platform::instruction_timing_of(config_.gpu);
        return *timing_;
    };
    const auto make = [&](execution::device_memory::static_placement* by) {
        return new loaded_module(source, state_.memory, timing(), config_.gpu.binary_version(),
                                 &inspection_, by);
    };
    const std::shared_ptr<loaded_module> m =
        remote_ ? remote_->load(source, make) : std::shared_ptr<loaded_module>(make(placement));
    if (m->ptx_version() != 0 && m->architecture() > config_.capability())
        throw failure(status::invalid_ptx,
                      fmt::format("{} is compiled for sm_{}, but the GPU is sm_{}", source.name,
                                  m->architecture(), config_.capability()),
                      "choose a newer GPU, or -gpgpu_ptx_force_max_capability");
    if (m->image().isa() == execution::instruction_set::sass &&
        !sass::machine_code_runs_on(m->architecture(), 0, config_.gpu.binary_version()))
        throw failure(status::no_binary_for_gpu,
                      fmt::format("{} is machine code for sm_{}, which a GPU of compute capability "
                                  "{}.{} cannot run",
                                  source.name, m->architecture(), config_.gpu.binary_version() / 10,
                                  config_.gpu.binary_version() % 10),
                      "choose a GPU of that generation, or load PTX");
    if (debug_) {
        const std::lock_guard<std::mutex> lock(mutex_);
        modules_.push_back(m);
    }
    return m;
}

void system::check_range(std::uint64_t address, std::uint64_t bytes) const {
    const auto a = state_.memory.find(address);
    if (bytes == 0 || !a || bytes <= a->bytes - (address - a->address)) return;
    throw failure(status::invalid_value,
                  fmt::format("{} bytes at {:#x} exceed an allocation of {} bytes at {:#x}", bytes,
                              address, a->bytes, a->address));
}

copy_direction system::direction_of(std::uint64_t to, std::uint64_t from) const {
    const auto owner = [&](std::uint64_t address) -> int {
        const auto a = state_.memory.find(address);
        if (a) return is_of_gpu(a->kind) ? static_cast<int>(a->device) : -1;
        return state_.memory.is_device_memory(address) ? 0 : -1;
    };
    const int t = owner(to), f = owner(from);
    if (t < 0 && f < 0) return copy_direction::inside;
    if (t < 0) return copy_direction::to_host;
    if (f < 0) return copy_direction::to_device;
    return t == f ? copy_direction::inside : copy_direction::between_devices;
}

unsigned system::dram_accesses_of(std::uint64_t to, std::uint64_t from,
                                  copy_direction direction) const {
    const auto in_dram = [&](std::uint64_t address) {
        const auto a = state_.memory.find(address);
        return a ? is_of_gpu(a->kind) || a->kind == memory_kind::managed
                 : state_.memory.is_device_memory(address);
    };
    return direction == copy_direction::inside && in_dram(to) && in_dram(from) ? 2 : 0;
}

task_ptr system::make_copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes,
                           copy_direction direction) {
    check_range(to, bytes);
    check_range(from, bytes);
    auto t = std::make_shared<task>();
    t->what = task::kind::copy;
    t->direction = direction;
    t->bytes = bytes;
    t->dram_accesses = dram_accesses_of(to, from, direction);
    if (direction == copy_direction::to_device) t->l2_rows = {to, bytes};
    if (direction == copy_direction::to_host) t->to_host = {to, bytes};
    t->note_places({to, bytes}, {from, bytes});
    if (direction == copy_direction::to_host && config_.gpu.ptx.quirks.host_reads_warm_l2)
        t->l2_rows = {from, bytes};
    t->effect = [this, to, from, bytes] {
        if (bytes == 0) return;
        copy_sparsely(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
        state_.memory.note_copied(to, from, bytes);
        inspection_.debug().copied(to, bytes);
    };
    return t;
}

task_ptr system::make_fill(std::uint64_t to, std::uint64_t pitch, std::uint32_t value,
                           unsigned element, std::uint64_t width, std::uint64_t height) {
    if (height != 0 && width != 0) {
        std::uint64_t row = 0, rows_before = 0, bytes = 0;
        if (__builtin_mul_overflow(width, element, &row) ||
            __builtin_mul_overflow(pitch, height - 1, &rows_before) ||
            __builtin_add_overflow(rows_before, row, &bytes))
            throw failure(status::invalid_value, "a size beyond 64 bits");
        if (height > 1 && pitch < row)
            throw failure(status::invalid_value, "rows overlap: the pitch is less than the width");
        check_range(to, bytes);
    }
    if (!state_.memory.find(to) && !state_.memory.is_device_memory(to))
        throw failure(status::invalid_value,
                      fmt::format("{:#x} is not an address of device memory", to));
    auto t = std::make_shared<task>();
    t->what = task::kind::copy;
    t->label = "memset";
    t->bytes = width * element * height;
    t->dram_accesses = 1;
    t->writes = {to, width * element, pitch, height};
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    t->pattern.assign(bytes, bytes + element);
    t->effect = [=] {
        for (std::uint64_t y = 0; y < height; ++y)
            state_.memory.note_written(to + y * pitch, width * element);
        if (value == 0)
            for (std::uint64_t y = 0; y < height; ++y)
                clear_sparsely(reinterpret_cast<void*>(to + y * pitch), width * element);
        else if (element == 1)
            for (std::uint64_t y = 0; y < height; ++y)
                std::memset(reinterpret_cast<void*>(to + y * pitch), static_cast<int>(value & 0xff),
                            width);
        else if (element == 2)
            fill_rows(to, pitch, static_cast<std::uint16_t>(value), width, height);
        else
            fill_rows(to, pitch, value, width, height);
    };
    return t;
}

std::uint64_t system::bind_texture(const execution::texture_binding& binding) {
    const memory_space::access_scope access_scope(state_.memory, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    // Handles of objects and addresses of references use different ranges.
    const std::uint64_t handle = ++handles_;
    state_.textures.bind(handle, binding);
    return handle;
}

void system::bind_texture(std::uint64_t handle, const execution::texture_binding& binding) {
    const memory_space::access_scope access_scope(state_.memory, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    state_.textures.bind(handle, binding);
}

void system::release_texture(std::uint64_t handle) {
    const memory_space::access_scope access_scope(state_.memory, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    state_.textures.release(handle);
}

void system::free(std::uint64_t address) {
    const auto a = state_.memory.find(address);
    if (!a || a->address != address)
        throw failure(status::invalid_value, fmt::format("nothing is allocated at {:#x}", address));
    if (!work_.in_engine_thread()) work_.wait_all(a->device);
    if (!state_.memory.release(address))
        throw failure(status::invalid_value,
                      fmt::format("the memory at {:#x} cannot be freed", address));
}

void system::shut_down(const std::string& why) {
    if (work_.is_shut_down()) return;
    const bool abandon = !why.empty();
    if (abandon) log_.interrupted(why);
    if (remote_) remote_->interrupted(why);
    work_.shut_down(abandon);
    if (stop_) stop_(abandon);
    if (remote_) {
        if (!engine_made_) remote_->finish();  // otherwise the engine has finished
        return;
    }
    const std::vector<std::string> found = inspection_.take_findings();
    for (const std::string& f : found) log_.log_error("check: " + f);
    if (!found.empty())
        log_.checks_have_found();
    else if (inspection_.finds())
        log_.log_error("checks have no findings");
    try {
        inspection_.debug().finish();
    } catch (const support::user_error& e) {
        log_.result_lost(e.what());
    }
    log_.ended();
    std::fflush(stdout);
}

}  // namespace simtlm::device
