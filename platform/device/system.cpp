// SPDX-License-Identifier: Apache-2.0
#include "platform/device/system.h"

#include "modules/core/gpc_directory.h"
#include "modules/core/occupancy.h"
#include "modules/execution/block_cluster.h"
#include "modules/execution/executed_kernel.h"
#include "modules/sass/fat_binary.h"
#include "modules/support/process_exit.h"
#include "platform/config/gpc_reader.h"
#include "platform/device/debug_session.h"
#include "platform/device/functional_engine.h"
#include "platform/device/host_checkpoint.h"
#include "platform/gpu/opcode_timing.h"
#include "platform/sampling/launch_sampler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simtlm::device {

namespace {

constexpr int fault_of_the_input = 2;  // exit code for faulty input, see docs/exit-codes.md

link_timing link_of(const platform::option_values& v, const std::string& name) {
    link_timing t;
    t.bandwidth = v.real("--" + name + "-bandwidth") * 1e9;
    t.latency = v.real("--" + name + "-latency") * 1e-6;
    if (t.bandwidth < 0) v.fail("--" + name + "-bandwidth", "is negative");
    if (t.latency < 0) v.fail("--" + name + "-latency", "is negative");
    return t;
}

/// Peak bandwidth of all channels together in bytes per second.
double dram_bandwidth_of(const platform::gpu_config& g) {
    const memory::dram_config& d = g.memory.partition.dram;
    return g.clocks.dram * d.data_command_freq_ratio * d.bus_width_bytes * d.chips_per_channel *
           g.memory.channels;
}

code_preference preference_of(const platform::option_values& v) {
    const std::string& word = v.text("--code");
    if (word == "ptx") return code_preference::ptx;
    if (word == "sass") return code_preference::sass;
    if (word != "auto") v.fail("--code", "not a form of code", "ptx, sass or auto");
    return code_preference::automatic;
}

bool wants_function_only(const platform::option_values& v) {
    const char* const wanted = std::getenv("PTX_SIM_MODE_FUNC");
    return v.number("-gpgpu_ptx_sim_mode", 0, 1) == 1 ||
           (wanted != nullptr && std::strcmp(wanted, "1") == 0);
}

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

}  // namespace

system_config system_config::from(const platform::option_values& v) {
    system_config c;
    c.gpu = platform::make_gpu_config(v);
    if (!v.presets().empty()) c.name = v.presets().front();
    c.gpus = v.number("--gpus", 1, 64);
    c.gpc_sms = platform::read_gpcs(v, c.gpu.sms());
    c.functional = wants_function_only(v);
    c.functional_threads = v.number("--functional-threads", 1, 1024);
    c.memory_bytes = v.natural("--device-memory");
    if (c.memory_bytes < (1 << 20) || c.memory_bytes > (std::uint64_t{1} << 40))
        v.fail("--device-memory", "is out of range", "1 MiB to 1 TiB");
    c.stack_limit = v.number("-gpgpu_stack_size_limit");
    c.heap_limit = v.number("-gpgpu_heap_size_limit");
    c.grace_ms = v.number("--host-grace");
    c.pcie = link_of(v, "pcie");
    c.nvlink = link_of(v, "nvlink");
    c.code = preference_of(v);
    c.max_ptx_capability = v.number("-gpgpu_ptx_force_max_capability", 0, 999);
    return c;
}

unsigned resident_blocks(const system_config& c, const execution::kernel_image& k, unsigned threads,
                         std::uint64_t dynamic_shared, int carve_out) {
    core::cta_needs needs;
    needs.threads = threads;
    needs.registers = k.registers;
    const std::uint64_t shared = k.allocated_shared(dynamic_shared);
    const core::sm_config& sm = c.gpu.cores.sm;
    if (shared > core::most_shared_per_cta(sm) || threads == 0 || threads > 1024 ||
        (k.most_threads != 0 && threads > k.most_threads))
        return 0;
    needs.shared_memory = static_cast<std::uint32_t>(shared);
    needs.barriers = k.barriers;
    needs.carve_out = carve_out;
    return core::occupancy_of(sm, needs).ctas;
}

unsigned active_clusters(const system_config& c, const execution::kernel_image& k, unsigned threads,
                         std::uint64_t dynamic_shared, unsigned size, int carve_out) {
    core::cluster_timing gpcs;
    gpcs.gpcs = c.gpc_sms;
    return core::active_clusters(gpcs, c.gpu.sms(),
                                 resident_blocks(c, k, threads, dynamic_shared, carve_out), size);
}

system::system(const platform::option_values& options, const run_log::outputs& log,
               platform::provenance from, std::function<void()> quit)
    : config_(system_config::from(options)),
      look_(options,
            [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }),
      state_(config_.gpus, config_.memory_bytes,
             config_.gpu.ptx.quirks.allocations_of_256_bytes ? 256 : 512),
      log_(options, log, std::move(from), config_.gpu.clocks.core),
      debug_(debug_of(options, std::move(quit))),
      checkpoint_(host_checkpoint::of(options, state_.memory, state_.textures, log_)),
      sampler_(sampler_of(options, config_)),
      work_(state_, config_.gpus, {config_.functional, config_.grace_ms},
            [this]() -> std::unique_ptr<engine> {
                if (config_.functional)
                    return std::make_unique<functional_engine>(
                        state_, config_.gpu.sms(), config_.functional_threads,
                        [this](const task& t, const execution::execution_summary& s) {
                            log_.kernel_executed(t, s);
                        },
                        [this] { log_.kernel_failed(); }, debug_.get());
                timed_engine::settings s;
                s.gpu = config_.gpu;
                s.gpus = config_.gpus;
                s.pcie = config_.pcie;
                s.nvlink = config_.nvlink;
                // Copies inside a GPU are timed only if host copies are.
                if (config_.pcie.bandwidth != 0) s.dram.bandwidth = dram_bandwidth_of(config_.gpu);
                s.debug = debug_.get();
                s.sampler = sampler_.get();
                s.checkpoint = checkpoint_.get();
                s.refuse = [this](const std::string& why) {
                    state_.complain(why);
                    std::fflush(nullptr);
                    support::exit_process(fault_of_the_input);
                };
                return std::make_unique<timed_engine>(state_, s, log_);
            }) {
    look_.prepare(state_.memory.table());
    state_.look = &look_;
    state_.stack_limit = config_.stack_limit;
    state_.heap_limit = config_.heap_limit;
    state_.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
    state_.complain = [this](const std::string& text) { log_.complain(text); };
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

std::shared_ptr<loaded_module> system::load(const module_source& source) {
    const auto timing = [&]() -> const execution::instruction_timing& {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!timing_) timing_ = platform::instruction_timing_of(config_.gpu);
        return *timing_;
    };
    auto m = std::make_shared<loaded_module>(source, state_.memory, timing(),
                                             config_.gpu.binary_version(), &look_);
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
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
        state_.memory.note_copied(to, from, bytes);
        look_.debug().copied(to, bytes);
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
        if (element == 1)
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

task_ptr system::make_launch(unsigned device, launch_request r) {
    const core::sm_config& sm = config_.gpu.cores.sm;
    execution::complete_shape(*r.kernel, r.grid, r.block);
    const std::uint64_t threads = r.block.volume();
    if (r.grid.volume() == 0 || threads == 0 || threads > 1024 || r.block.z > 64 ||
        r.grid.y > 65535 || r.grid.z > 65535 || r.grid.x > 0x7fffffffu)
        throw failure(status::invalid_configuration,
                      fmt::format("launching {}: a grid of {}x{}x{} blocks of {}x{}x{} threads",
                                  r.kernel->name, r.grid.x, r.grid.y, r.grid.z, r.block.x,
                                  r.block.y, r.block.z));
    if (const std::string fault = execution::block_fault(*r.kernel, r.block); !fault.empty())
        throw failure(status::invalid_value,
                      fmt::format("launching {}: {}", r.kernel->name, fault));
    const std::uint64_t shared = r.kernel->allocated_shared(r.dynamic_shared);
    if (shared > core::most_shared_per_cta(sm))
        throw failure(status::invalid_value,
                      fmt::format("launching {}: {} bytes of shared memory; a block may have {}",
                                  r.kernel->name, shared, core::most_shared_per_cta(sm)));
    r.kernel = &r.module->fitted(*r.kernel, static_cast<unsigned>(threads), sm);
    const unsigned resident = resident_blocks(config_, *r.kernel, static_cast<unsigned>(threads),
                                              r.dynamic_shared, r.carve_out);
    if (resident == 0)
        throw failure(status::launch_out_of_resources,
                      fmt::format("launching {}: a block of {} threads with {} registers each does "
                                  "not fit an SM",
                                  r.kernel->name, threads, r.kernel->registers));
    if (r.cooperative && r.grid.volume() > std::uint64_t{resident} * config_.gpu.sms())
        throw failure(
            status::cooperative_launch_too_large,
            fmt::format("launching {}: {} blocks cannot be resident at the same time; {} can",
                        r.kernel->name, r.grid.volume(),
                        std::uint64_t{resident} * config_.gpu.sms()));
    const program::dim3 cluster = execution::cluster_of(*r.kernel, r.cluster);
    const std::string fault = execution::cluster_fault(*r.kernel, r.grid, cluster);
    if (!fault.empty())
        throw failure(status::invalid_cluster_size,
                      fmt::format("launching {}: {}", r.kernel->name, fault));
    const auto size = static_cast<unsigned>(cluster.volume());
    if (size > 1 && active_clusters(config_, *r.kernel, static_cast<unsigned>(threads),
                                    r.dynamic_shared, size, r.carve_out) == 0)
        throw failure(status::invalid_cluster_size,
                      fmt::format("launching {}: no GPC has room for a cluster of {} blocks, {} of "
                                  "which fit an SM",
                                  r.kernel->name, size, resident));
    if (!config_.functional) {
        const std::string untimed = execution::untimed_part(*r.kernel, *r.module->descriptor());
        if (!untimed.empty())
            throw failure(status::not_supported, untimed, execution::untimed_remedy);
        if (cluster.volume() > 1 && !config_.gpu.times_clusters)
            throw failure(status::not_supported,
                          fmt::format("launching {}: clusters of thread blocks cannot be timed on "
                                      "this core",
                                      r.kernel->name),
                          execution::untimed_remedy);
    }
    auto t = std::make_shared<task>();
    t->what = task::kind::kernel;
    t->device = device;
    t->launch = std::move(r);
    return t;
}

std::uint64_t system::bind_texture(const execution::texture_binding& binding) {
    const memory_space::turn turn(state_.memory, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    // Handles of objects and addresses of references use different ranges.
    const std::uint64_t handle = ++handles_;
    state_.textures.bind(handle, binding);
    return handle;
}

void system::bind_texture(std::uint64_t handle, const execution::texture_binding& binding) {
    const memory_space::turn turn(state_.memory, false);
    const std::lock_guard<std::mutex> lock(mutex_);
    state_.textures.bind(handle, binding);
}

void system::release_texture(std::uint64_t handle) {
    const memory_space::turn turn(state_.memory, false);
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

void system::shut_down(bool abandon) {
    if (work_.is_shut_down()) return;
    work_.shut_down(abandon);
    const std::vector<std::string> found = look_.take_findings();
    for (const std::string& f : found) log_.complain("check: " + f);
    if (!found.empty())
        log_.checks_have_found();
    else if (look_.finds())
        log_.complain("checks have no findings");
    try {
        look_.debug().finish();
    } catch (const support::user_error& e) {
        log_.result_lost(e.what());
    }
    log_.ended();
    std::fflush(stdout);
}

}  // namespace simtlm::device
