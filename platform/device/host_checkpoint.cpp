// SPDX-License-Identifier: Apache-2.0
#include "platform/device/host_checkpoint.h"

#include "modules/support/archive.h"
#include "modules/support/error.h"
#include "modules/support/process_exit.h"
#include "platform/config/config.h"
#include "platform/debugger/debugger_options.h"
#include "platform/device/run_log.h"
#include "platform/device/system_config.h"
#include "platform/outputs/provenance.h"

#include <fmt/format.h>
// Header-only, so that users of an installed library need not link libxxhash.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace simtlm::device {

namespace {

constexpr int fault_of_the_input = 2;  // exit code for faulty input, see docs/exit-codes.md

constexpr const char* how_to_resume =
    "resume with the program, the arguments and the input of the saved run; a nondeterministic "
    "program cannot be resumed";

[[noreturn]] void other_run(const char* what) {
    throw support::user_error("checkpoint", what, how_to_resume);
}

/// Digest of a sequence of values.
class digest {
public:
    void add(const void* data, std::size_t bytes) {
        value_ = XXH3_64bits_withSeed(data, bytes, value_ + 1);
    }
    template <class... Numbers>
    void add_numbers(Numbers... numbers) {
        for (const std::uint64_t n : {static_cast<std::uint64_t>(numbers)...}) add(&n, sizeof n);
    }
    void add_floats(std::initializer_list<float> numbers) {
        for (const float n : numbers) add(&n, sizeof n);
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0;
};

std::uint64_t digest_of(std::uint64_t handle, const execution::texture_binding& b) {
    digest d;
    d.add_numbers(handle, b.base, b.image.geometry, b.image.format.kind, b.image.format.bits,
                  b.image.format.channels, b.image.layers, b.image.levels.size());
    for (const execution::arithmetic::mip_level& l : b.image.levels)
        d.add_numbers(l.width, l.height, l.depth, l.offset, l.row_pitch, l.slice_pitch);
    const execution::arithmetic::sampler_state& s = b.sampler;
    d.add_numbers(s.address[0], s.address[1], s.address[2], s.filter, s.mip_filter,
                  s.normalised_coordinates, s.normalised_read, s.srgb);
    d.add_floats(
        {s.border[0], s.border[1], s.border[2], s.border[3], s.lod_bias, s.min_lod, s.max_lod});
    return d.value();
}

/// Digest of what decides the effect of a launch, except the contents of device memory.
std::uint64_t digest_of(const launch_request& l, const execution::texture_table& textures) {
    digest d;
    d.add(l.kernel->name.data(), l.kernel->name.size());
    d.add_numbers(l.module->digest(), l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z,
                  l.cluster.x, l.cluster.y, l.cluster.z, l.dynamic_shared, l.cooperative,
                  l.programmatic);
    d.add(l.parameters.data(), l.parameters.size());
    d.add(l.environment.data(), l.environment.size() * sizeof(std::uint32_t));
    std::uint64_t of_textures = 0;  // independent of the order of the table
    for (const auto& [handle, binding] : textures.bindings())
        of_textures += digest_of(handle, binding);
    d.add_numbers(of_textures);
    return d.value();
}

/// Digest of what decides the effect of a copy or fill, except the contents of device memory.
std::uint64_t digest_of(const task& t) {
    digest d;
    d.add_numbers(t.direction, t.bytes);
    for (const memory_rows& r : {t.reads, t.writes})
        d.add_numbers(r.address, r.width, r.pitch, r.height, r.slice, r.depth);
    d.add(t.pattern.data(), t.pattern.size());
    const memory_rows& to = t.writes;
    if (t.direction == copy_direction::to_device && t.bytes != 0)
        for (std::uint64_t z = 0; z < to.depth; ++z)
            for (std::uint64_t y = 0; y < to.height; ++y)
                d.add(reinterpret_cast<const void*>(to.address + z * to.slice + y * to.pitch),
                      to.width);
    return d.value();
}

}  // namespace

void host_checkpoint::step::checkpoint(support::archive& a) {
    a(now, kernels);
}

void host_checkpoint::host_view::checkpoint(support::archive& a) {
    a.block("host");
    a(program, executes, steps, to_host, launches, actions, open);
}

void host_checkpoint::check(const platform::option_values& values) {
    const auto how = platform::checkpoint_options::of(values);
    if (!how.any()) return;
    how.check(values, platform::make_gpu_config(values),
              platform::debugger_config::of(values).on || values.flag("-trace_enabled"));
    if (how.blocks != 0)
        values.fail("--checkpoint-blocks", "has no effect on host programs",
                    "save the run between two kernels: --checkpoint-at");
    const char* const asked = how.write.empty() ? "--resume" : "--checkpoint";
    if (system_config::is_functional(values))
        values.fail(asked, "has no effect in functional mode", "omit it");
    if (values.number("--gpus", 1, 64) > 1)
        values.fail("--gpus", "cannot be combined with checkpoints, which support one GPU",
                    "omit one of them");
    for (const char* const choice :
         {"--kernels", "--kernel-ids", "--kernel-names", "--skip-kernels", "--max-kernels"})
        if (values.given(choice))
            values.fail(
                choice,
                "executes launches in functional mode, which cannot be combined with checkpoints",
                "omit one of them");
}

host_checkpoint::host_checkpoint(const platform::option_values& values, memory_space& memory,
                                 const execution::texture_table& textures, run_log& log)
    : values_(values),
      how_(platform::checkpoint_options::of(values)),
      memory_(memory),
      textures_(textures),
      report_(log) {
    check(values);
    if (!is_used()) return;
    const std::string program = platform::checksum_of("/proc/self/exe").xxh128;
    if (how_.resume.empty()) {
        log_.program = program;
        return;
    }
    resumed_ = platform::checkpoint::read(how_.resume);
    resumed_->check(values, platform::make_gpu_config(values));
    if (resumed_->host_log().empty())
        throw support::user_error(how_.resume,
                                  "was not written by a run of a CUDA or OpenCL program",
                                  "resume without run");
    support::archive a(resumed_->host_log());
    log_.checkpoint(a);
    a.finish();
    if (log_.program != program)
        throw support::user_error(how_.resume, "was written for another program",
                                  "resume with the program that it was written for");
    for (const step& s : log_.steps) ended_.insert(s.kernels.begin(), s.kernels.end());
}

void host_checkpoint::refuse(const std::string& why) {
    report_.log_error(why);
    std::fflush(nullptr);
    support::exit_process(fault_of_the_input);
}

void host_checkpoint::refuse_difference(const std::string& what) {
    refuse(support::user_error(how_.resume, what, how_to_resume).what());
}

/// Compares a launch, copy or fill with the one at the same position in the saved run.
void host_checkpoint::performed(std::uint64_t digest, const std::string& what) {
    const std::size_t at = actions_.size();
    actions_.push_back(digest);
    if (replays() && at < log_.actions.size() && log_.actions[at] != digest)
        refuse_difference(
            fmt::format("action {} on the GPU, a {}, differs from the saved run in code, "
                        "arguments, sizes or contents",
                        at + 1, what));
}

void host_checkpoint::launched(const task& t) {
    if (!saves() && !replays()) return;
    const launch_request& l = t.launch;
    if (l.module->allocates())
        refuse(support::user_error(
                   l.kernel->name,
                   "belongs to a program that calls malloc: its heap is not saved in checkpoints",
                   "run it without checkpoints")
                   .what());
    const bool is_known = has_ended(t.number) || std::find(log_.open.begin(), log_.open.end(),
                                                           t.number) != log_.open.end();
    if (replays() && !is_known)
        refuse_difference(
            fmt::format("the program launches {}, unlike the saved run", l.kernel->name));
    performed(digest_of(l, textures_), "launch of " + l.kernel->name);
}

void host_checkpoint::copied(task& t) {
    if (!saves() && !replays()) return;
    performed(digest_of(t),
              fmt::format("{} of {} bytes", t.label != nullptr ? t.label : "copy", t.bytes));
    if (t.direction != copy_direction::to_host || t.bytes == 0) return;
    const memory_rows& to = t.to_host;
    // Data copied to an unknown destination is host-visible in a way that the log cannot replay.
    seen_otherwise_ = seen_otherwise_ || to.width == 0;
    if (replays() ? executes() : seen_otherwise_ || memory_.is_shared_with_host()) return;
    if (replays() && t.bytes > log_.to_host.size() - taken_)
        refuse_difference("the program copies more to the host than in the saved run");
    for (std::uint64_t z = 0; z < to.depth; ++z)
        for (std::uint64_t y = 0; y < to.height; ++y) {
            auto* const row = reinterpret_cast<char*>(to.address + z * to.slice + y * to.pitch);
            if (!replays()) {
                log_.to_host.append(row, to.width);
                continue;
            }
            std::memcpy(row, log_.to_host.data() + taken_, to.width);
            taken_ += to.width;
        }
}

bool host_checkpoint::is_due(platform::gpu& device) const {
    return saves() && device.commands().kernels_done() >= how_.kernels;
}

void host_checkpoint::ended(std::uint64_t now, const std::vector<task_ptr>& tasks) {
    if (!saves() || tasks.empty()) return;
    step s;
    s.now = now;
    for (const task_ptr& t : tasks)
        if (t->what == task::kind::kernel) s.kernels.push_back(t->number);
    log_.steps.push_back(std::move(s));
}

void host_checkpoint::save(platform::gpu& device, std::uint64_t launches,
                           std::vector<std::uint64_t> open) {
    saved_ = true;
    log_.executes = seen_otherwise_ || memory_.is_shared_with_host();
    if (log_.executes) log_.to_host.clear();
    log_.launches = launches;
    log_.actions = actions_;
    log_.open = std::move(open);
    support::archive a;
    log_.checkpoint(a);
    try {
        report_.save(
            how_.write, values_, [this](support::archive& state) { checkpoint_memory(state); },
            a.take());
        report_.note("note", fmt::format("the run is saved in {} after kernel {}", how_.write,
                                         device.commands().kernels_done()));
    } catch (const std::exception& e) {  // the run continues
        report_.result_lost(e.what());
    }
    log_ = {};
}

std::string host_checkpoint::unsaved() const {
    if (!saves()) return {};
    return fmt::format(
        "{} is not written: the GPU was never idle between two kernels after {} had finished (the "
        "run is saved before the next kernel; kernels of several streams overlap)",
        how_.write, how_.kernels);
}

void host_checkpoint::restore(std::uint64_t launches) {
    platform::checkpoint saved = std::move(*resumed_);
    try {
        if (log_.launches != launches || log_.actions != actions_ || taken_ != log_.to_host.size())
            other_run("the launches and copies of the program differ from those of the saved run");
        report_.resume(saved, [this](support::archive& state) { checkpoint_memory(state); });
    } catch (const support::user_error& e) {
        const bool is_ours = e.where() == "checkpoint";
        refuse(is_ours ? how_.resume + std::string(e.what()).substr(e.where().size()) : e.what());
    }
    resumed_.reset();
    // A checkpoint that is written later also contains what the host has observed up to this one.
    seen_otherwise_ = seen_otherwise_ || log_.executes;
    if (!saves()) log_ = {};
}

/// Saves the contents of all allocations or, if kernels are re-executed, checksums of them.
void host_checkpoint::checkpoint_memory(support::archive& a) {
    const auto same = [&a](auto here, const char* otherwise) {
        auto saved = here;
        a(saved);
        if (saved != here) other_run(otherwise);
    };
    execution::device_memory& memory = memory_.table();
    a.block("memory of the device");
    same(std::uint64_t{memory.ranges().size()}, "the program has allocated other memory");
    for (const execution::device_memory::range& r : memory.ranges()) {
        same(r.begin, "the program has allocated memory at other addresses");
        same(r.end, "the program has allocated other memory");
        if (!log_.executes)
            a.memory(memory.host(r.begin), r.end - r.begin);
        else
            same(std::uint64_t{XXH3_64bits(memory.host(r.begin), r.end - r.begin)},
                 "the program's kernels have not reproduced the memory contents");
    }
}

}  // namespace simtlm::device
