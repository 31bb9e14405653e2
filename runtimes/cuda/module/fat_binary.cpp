// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/module/fat_binary.h"

#include "modules/ptx/linker.h"
#include "modules/sass/cubin.h"
#include "modules/sass/fat_binary.h"
#include "modules/support/error.h"
#include "platform/options/presets.h"
#include "runtimes/cuda/abi/abi.h"
#include "runtimes/cuda/abi/status.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace simtlm::cuda {

namespace {

using device::code_candidate;
using device::code_preference;
using device::gpu_architecture;
using execution::instruction_set;

template <class T>
T at(const void* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

/// The architectures of the candidates of one form: "sm_80, sm_90a".
std::string architectures_of(const std::vector<code_candidate>& candidates, instruction_set isa) {
    std::vector<std::string> names;
    for (const code_candidate& c : candidates) {
        if (c.isa != isa) continue;
        std::string name = isa == instruction_set::ptx ? "compute_" : "sm_";
        name += std::to_string(c.architecture);
        if (c.suffix != 0) name += c.suffix;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Lists the candidates, for messages.
std::string contents_of(const std::vector<code_candidate>& candidates) {
    const std::string ptx = architectures_of(candidates, instruction_set::ptx);
    const std::string code = architectures_of(candidates, instruction_set::sass);
    std::string text;
    if (!code.empty()) text = "machine code for " + code;
    if (!ptx.empty()) text += (text.empty() ? "PTX for " : " and PTX for ") + ptx;
    return text;
}

/// The newest GPU for which there is a preset.
const platform::preset_info& newest_preset() {
    const auto& all = platform::preset_table();
    return *std::max_element(all.begin(), all.end(),
                             [](const auto& a, const auto& b) { return a.binary < b.binary; });
}

/// Reports that a GPU can run none of the candidates, and what to do.
[[noreturn]] void refuse_candidates(const std::vector<code_candidate>& candidates,
                                    gpu_architecture gpu, code_preference preference,
                                    const std::string& name) {
    const char* const form = preference == code_preference::ptx    ? "PTX"
                             : preference == code_preference::sass ? "machine code"
                                                                   : "code";
    const std::string contents = contents_of(candidates);
    std::string text = fmt::format("{} contains no {} for a GPU of compute capability {}.{}", name,
                                   form, gpu.machine_code / 10, gpu.machine_code % 10);
    if (!contents.empty()) text += ", but " + contents;
    const code_preference other =
        preference == code_preference::ptx ? code_preference::sass : code_preference::ptx;
    if (device::choose_code(candidates, gpu, other) != nullptr) {
        text += ": use --code auto";
        throw failure(status::no_binary_for_gpu, text);
    }
    text += fmt::format(
        ": compile it with nvcc -gencode arch=compute_{0},code={1}_{0}", gpu.machine_code,
        preference == code_preference::ptx || gpu.machine_code > sass::newest_machine_code
            ? "compute"
            : "sm");
    unsigned oldest = ~0U, oldest_ptx = ~0U;
    for (const code_candidate& c : candidates) {
        oldest = std::min(oldest, c.architecture);
        if (c.isa == instruction_set::ptx && c.architecture > gpu.ptx)
            oldest_ptx = std::min(oldest_ptx, c.architecture);
    }
    if (!candidates.empty())
        text += oldest > newest_preset().binary
                    ? fmt::format(" (no preset is newer than {})", newest_preset().name)
                : oldest > gpu.machine_code ? ", or choose a newer GPU"
                : oldest > sass::newest_machine_code
                    ? fmt::format(" (machine code after sm_{} is not supported)",
                                  sass::newest_machine_code)
                    : ", or choose a GPU that runs this code";
    if (oldest_ptx != ~0U && preference != code_preference::sass)
        text += fmt::format(", or try its PTX with -gpgpu_ptx_force_max_capability {}", oldest_ptx);
    throw failure(status::no_binary_for_gpu, text);
}

/// Number of contiguous bytes that the process can read from an address.
std::size_t readable_from(const void* address) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/maps");
    std::uintptr_t end = 0;
    for (std::string line; std::getline(maps, line);) {
        char* place = nullptr;
        const std::uintptr_t first = std::strtoull(line.c_str(), &place, 16);
        if (*place != '-') continue;
        const std::uintptr_t range_end = std::strtoull(place + 1, &place, 16);
        const bool readable = place[0] == ' ' && place[1] == 'r';
        if (end == 0 && (wanted < first || wanted >= range_end)) continue;
        if (!readable || (end != 0 && first != end)) break;
        end = range_end;
    }
    return end == 0 ? 0 : end - wanted;
}

}  // namespace

std::vector<code_candidate> read_fat_binary(const void* header, gpu_architecture gpu) {
    using kind = sass::fat_binary_entry::kind;
    std::vector<code_candidate> candidates;
    // The length in a damaged header may exceed the mapped memory.
    const std::uint64_t bytes = sass::fat_binary_bytes(header);
    if (bytes > readable_from(header))
        throw failure(status::invalid_image, "a fat binary exceeds the mapped memory");
    const auto candidate = [](const sass::fat_binary_entry& e) {
        return code_candidate{e.what == kind::ptx ? instruction_set::ptx : instruction_set::sass,
                              e.architecture,
                              {},
                              e.suffix};
    };
    const auto runs = [&](const sass::fat_binary_entry& e) {
        return device::runs_on(candidate(e), gpu);
    };
    try {
        for (sass::fat_binary_entry& e :
             sass::read_fat_binary({static_cast<const char*>(header), bytes}, "", runs))
            if (e.what != kind::other) {
                candidates.push_back(candidate(e));
                candidates.back().code = std::move(e.contents);
            }
    } catch (const simtlm::support::user_error& e) {
        throw failure(status::invalid_image, e.what());
    }
    return candidates;
}

code_form form_of(const void* code) {
    const auto magic = at<std::uint32_t>(code);
    if (magic == fat_binary_wrapper::magic_number) return code_form::fat_wrapper;
    if (magic == sass::fat_binary_magic) return code_form::fat_binary;
    if (std::memcmp(code, ELFMAG, SELFMAG) == 0) return code_form::cubin;
    return code_form::ptx;
}

device::module_source choose(const std::vector<code_candidate>& candidates, gpu_architecture gpu,
                             code_preference preference, const std::string& name) {
    const code_candidate* const best = device::choose_code(candidates, gpu, preference);
    if (best == nullptr) refuse_candidates(candidates, gpu, preference, name);
    device::module_source s;
    s.name = name;
    s.isa = best->isa;
    s.code = best->code;
    if (s.isa != instruction_set::ptx) {
        if (preference == code_preference::automatic &&
            device::choose_code(candidates, gpu, code_preference::ptx) != nullptr)
            s.otherwise = std::make_shared<const device::module_source>(
                choose(candidates, gpu, code_preference::ptx, name));
        return s;
    }
    while (!s.code.empty() && s.code.back() == '\0') s.code.pop_back();
    for (const code_candidate& c : candidates)
        if (c.isa == instruction_set::sass && c.architecture == gpu.machine_code)
            s.compiled = read_cubin(c.code);
    return s;
}

device::module_source link(const std::vector<device::module_source>& inputs,
                           const std::string& name) {
    if (inputs.size() == 1 && inputs.front().isa != instruction_set::ptx) return inputs.front();
    device::module_source all;
    all.name = name;
    std::vector<ptx::link_input> texts;
    for (const device::module_source& s : inputs) {
        if (s.isa != instruction_set::ptx)
            throw failure(status::not_supported,
                          s.name + " is machine code, which cannot be linked with other code",
                          "link PTX (nvcc --ptx), or link machine code with nvlink beforehand");
        texts.push_back({s.name, s.code});
        all.compiled.insert(s.compiled.begin(), s.compiled.end());
    }
    try {
        all.code = ptx::link(texts);
    } catch (const simtlm::support::user_error& e) {
        throw failure(status::invalid_ptx, e.what());
    }
    return all;
}

namespace {

/// Size of an ELF file in memory: the end of its last section, segment or table.
std::size_t cubin_bytes(const void* elf) {
    const auto* const base = static_cast<const std::byte*>(elf);
    const auto h = at<Elf64_Ehdr>(base);
    std::uint64_t end = sizeof h;
    end = std::max(end, h.e_shoff + std::uint64_t{h.e_shnum} * sizeof(Elf64_Shdr));
    end = std::max(end, h.e_phoff + std::uint64_t{h.e_phnum} * sizeof(Elf64_Phdr));
    for (unsigned i = 0; i < h.e_shnum; ++i) {
        const auto s = at<Elf64_Shdr>(base + h.e_shoff + i * sizeof(Elf64_Shdr));
        if (s.sh_type != SHT_NOBITS) end = std::max(end, s.sh_offset + s.sh_size);
    }
    return end;
}

/// Links a program compiled separately (nvcc -rdc=true): the code of each file is in a list, and
/// the linker's machine code is separate. Files without PTX for this GPU belong to NVIDIA's
/// libraries.
device::module_source link_binaries(const fat_binary_wrapper& w, gpu_architecture gpu,
                                    code_preference preference, const std::string& name) {
    std::vector<device::module_source> inputs;
    std::vector<code_candidate> all = read_fat_binary(w.data, gpu);
    // The linker's output is complete; the code of a single file is not.
    const code_candidate* const linked = device::choose_code(all, gpu, preference);
    const bool has_code = linked != nullptr && linked->isa == instruction_set::sass;
    device::module_source code;
    if (has_code) code = choose(all, gpu, preference, name);
    if (has_code && preference != code_preference::automatic) return code;
    const auto* binary = static_cast<const void* const*>(w.file_or_binaries);
    for (; binary != nullptr && *binary != nullptr; ++binary) {
        const std::vector<code_candidate> candidates = read_fat_binary(*binary, gpu);
        all.insert(all.end(), candidates.begin(), candidates.end());
        if (device::choose_code(candidates, gpu, code_preference::ptx) != nullptr)
            inputs.push_back(choose(candidates, gpu, code_preference::ptx,
                                    fmt::format("{}.{}", name, inputs.size() + 1)));
    }
    if (has_code) {
        try {
            if (!inputs.empty())
                code.otherwise = std::make_shared<const device::module_source>(link(inputs, name));
        } catch (const failure&) {
            // Only some of the files contain PTX.
        }
        return code;
    }
    if (inputs.empty()) {
        // The code of single files is listed, but cannot be executed.
        const bool only_parts = device::choose_code(all, gpu, preference) != nullptr;
        if (!only_parts || preference == code_preference::ptx)
            refuse_candidates(all, gpu, preference, name);
        throw failure(status::no_binary_for_gpu,
                      name + " is not linked for this GPU: its files contain code for it",
                      "pass the same -gencode options to nvcc when linking");
    }
    return link(inputs, name);
}

}  // namespace

device::module_source module_in(const void* code, gpu_architecture gpu, code_preference preference,
                                const std::string& name) {
    device::module_source s;
    s.name = name;
    switch (form_of(code)) {
        case code_form::fat_wrapper: {
            fat_binary_wrapper w;
            std::memcpy(&w, code, sizeof w);
            if (w.version == fat_binary_wrapper::of_several)
                return link_binaries(w, gpu, preference, name);
            return choose(read_fat_binary(w.data, gpu), gpu, preference, name);
        }
        case code_form::fat_binary:
            return choose(read_fat_binary(code, gpu), gpu, preference, name);
        case code_form::cubin:
            if (preference == code_preference::ptx)
                throw failure(status::no_binary_for_gpu,
                              name + " is machine code, which is not enabled",
                              "use --code auto, or load PTX: compile with --ptx, or with NVRTC for "
                              "compute_XX");
            s.isa = instruction_set::sass;
            s.code.assign(static_cast<const char*>(code), cubin_bytes(code));
            return s;
        case code_form::ptx:
            break;
    }
    s.code = static_cast<const char*>(code);
    return s;
}

std::map<std::string, device::compiled_descriptor> read_cubin(const std::string& elf) {
    std::map<std::string, device::compiled_descriptor> descriptors;
    if (!sass::cubin::has_cubin_header(elf)) return descriptors;
    try {
        const sass::cubin file(elf, "a cubin");
        for (const sass::cubin_function& f : file.functions())
            descriptors[std::string(f.name)].registers = f.registers;
    } catch (const simtlm::support::user_error&) {
        // Fall back to estimating register demand from the PTX.
        descriptors.clear();
    }
    return descriptors;
}

}  // namespace simtlm::cuda
