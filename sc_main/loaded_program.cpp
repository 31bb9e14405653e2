// SPDX-License-Identifier: Apache-2.0
#include "sc_main/loaded_program.h"

#include "modules/execution/machine/sass_image.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/ptx/instruction_scheduler.h"
#include "modules/ptx/parser.h"
#include "modules/sass/cubin.h"
#include "modules/sass/link_members.h"
#include "modules/sass/linker.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"
#include "modules/support/text_file.h"
#include "platform/config/config.h"
#include "sc_main/exit_code.h"
#include "sc_main/functional_mode.h"
#include "sc_main/standard_streams.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtlm {

namespace {

/// @param gpu  nullptr: functional mode
std::shared_ptr<const ptx::module> read_program(const platform::option_values& values,
                                                const platform::gpu_config* gpu,
                                                device::debug_output& debug) {
    const std::string& path = values.text("--ptx");
    const std::string text =
        support::read_text_file(path, "name a PTX program", support::largest_program);
    auto m = std::make_shared<ptx::module>(ptx::parse(text, path));
    // Functional mode has no GPU whose compiler would schedule instructions.
    if (gpu != nullptr && gpu->ptx.controls_of != 0) ptx::schedule_instructions(*m);
    debug.program_loaded(*m, text);
    return m;
}

/// Architecture of the configured GPU; 0 in functional mode without a configuration.
unsigned gpu_architecture(const platform::option_values& values, const platform::gpu_config* gpu) {
    if (gpu != nullptr) return gpu->binary_version();
    if (values.presets().empty() && values.files().empty()) return 0;
    return platform::make_gpu_config(values).binary_version();
}

/// The cubin of --cubin, or what several files are linked to.
std::shared_ptr<const sass::cubin> read_cubins(const platform::option_values& values,
                                               const platform::gpu_config* gpu) {
    const auto& files = values.all("--cubin");
    const auto contents = [](const platform::option_value& v) {
        return support::read_text_file(v.text, "name a cubin: nvcc -cubin",
                                       support::largest_program);
    };
    if (files.size() == 1)
        return std::make_shared<const sass::cubin>(contents(files[0]), files[0].text);
    std::vector<sass::link_member> members;
    for (const platform::option_value& v : files)
        for (sass::link_member& m : sass::link_members_of(contents(v), v.text))
            members.push_back(std::move(m));
    std::vector<std::string> without;
    const auto objects = sass::objects_for(members, gpu_architecture(values, gpu), &without);
    if (!without.empty())
        throw support::user_error(without.front(), "it has no machine code for this GPU",
                                  "compile it with nvcc -rdc=true -cubin -arch=sm_80, for example");
    for (const sass::link_object& o : objects)
        if (!o.file->is_relocatable())
            throw support::user_error(o.file->origin(), "it is complete and cannot be linked",
                                      "compile all files with nvcc -rdc=true");
    return std::make_shared<const sass::cubin>(sass::link(objects, files[0].text), files[0].text);
}

/// Loads the program of --ptx or --cubin.
std::unique_ptr<execution::program_image> load(const platform::option_values& values,
                                               const platform::gpu_config* gpu,
                                               execution::device_memory& memory,
                                               device::inspection& inspector) {
    if (values.text("--cubin").empty())
        return std::make_unique<execution::ptx_image>(read_program(values, gpu, inspector.debug()),
                                                      memory, inspector.checks(),
                                                      gpu_architecture(values, gpu));
    if (!values.text("--ptx").empty())
        values.fail("--cubin", "--ptx names a program too", "name one of them");
    return std::make_unique<execution::sass_image>(read_cubins(values, gpu), memory,
                                                   inspector.checks());
}

/// Enables the bookkeeping in device memory that the checks need.
execution::device_memory& prepared(execution::device_memory& memory,
                                   const device::inspection& inspector) {
    inspector.prepare(memory);
    return memory;
}

execution::launch_script read_script(const platform::option_values& values) {
    if (values.text("--launch").empty())
        throw support::user_error("command line", "no launches are given",
                                  "name a launch file: --launch FILE");
    return execution::launch_script::read(values.text("--launch"));
}

}  // namespace

loaded_program::loaded_program(const platform::option_values& values,
                               const platform::gpu_config* gpu)
    : inspection_(values, [](std::string_view text) { put_out(text); }),
      heap_(prepared(memory_, inspection_), values.number("-gpgpu_heap_size_limit")),
      image_(load(values, gpu, memory_, inspection_)),
      script_(read_script(values)),
      run_(script_, *image_, memory_) {
    if (values.text("--cubin").empty()) inputs_.push_back({"program", values.text("--ptx")});
    for (const platform::option_value& v : values.all("--cubin"))
        if (!v.text.empty()) inputs_.push_back({"program", v.text});
    inputs_.push_back({"launches", values.text("--launch")});
    for (const auto& f : script_.inputs()) inputs_.push_back({"data", f.path});
    for (const auto& f : script_.outputs()) outputs_.push_back({f.path, f.where});
    heap_.reserve();
    world_.print = put_out_of_program;
    world_.heap = &heap_;
    world_.stack_limit = values.number("-gpgpu_stack_size_limit");
    inspection_.debug().buffers_placed(buffers());
    inspection_.attach(world_);
}

loaded_program::~loaded_program() {
    print_findings();
}

bool loaded_program::print_findings() {
    const auto found = inspection_.take_findings();
    for (const std::string& f : found) print_error("simtlm: check: " + f + "\n");
    return !found.empty();
}

void loaded_program::checkpoint(support::archive& a) {
    if (image_->allocates())
        throw support::user_error(image_->name(),
                                  "calls malloc: the heap is not saved in checkpoints",
                                  "run it without checkpoints");
    const auto same = [&a](auto here) {
        auto saved = here;
        a(saved);
        if (saved != here)
            throw support::user_error("checkpoint", "was written for another program",
                                      "resume with the program that it was written for");
    };
    a.block("program");
    for (const platform::provenance::file& f : inputs_) same(platform::checksum_of(f.path).xxh128);
    same(std::uint64_t{memory_.ranges().size()});
    for (const execution::device_memory::range& r : memory_.ranges()) {
        same(r.begin);
        same(r.end);
        a.memory(memory_.host(r.begin), r.end - r.begin);
    }
}

platform::program_access loaded_program::access() const {
    platform::program_access a;
    a.read = [this](std::uint64_t address, std::size_t bytes, std::byte* to) {
        const execution::device_memory::range* const in = memory_.find(address);
        if (in == nullptr || bytes > in->end - address) return false;
        std::memcpy(to, memory_.host(address), bytes);
        return true;
    };
    a.symbol = [this](const std::string& name) -> std::optional<platform::memory_range> {
        for (const auto& b : buffers())
            if (b.what->name == name) return platform::memory_range{b.address, b.bytes};
        const auto [address, bytes] = image_->find_variable(name);
        if (address == 0) return std::nullopt;
        return platform::memory_range{address, bytes};
    };
    return a;
}

int loaded_program::finish(support::output_attempts& attempt) {
    attempt([&] { inspection_.debug().finish(); });
    const std::vector<std::string> wrong = run_.finish(attempt);
    for (const std::string& w : wrong) print_error("simtlm: " + w + "\n");
    const bool found = print_findings();
    if (!wrong.empty()) return results_differ;
    const auto compares = [](const execution::launch_script::result& r) { return r.compares; };
    if (std::any_of(script_.results.begin(), script_.results.end(), compares))
        put_out("results are as expected\n");
    if (found) return checks_failed;
    if (inspection_.finds()) put_out("checks have no findings\n");
    return success;
}

}  // namespace simtlm
