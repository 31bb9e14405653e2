// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/fat_binary.h"

#include "modules/ptx/linker.h"
#include "platform/device/status.h"
#include "runtimes/cuda/abi.h"

#include <elf.h>
#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace simtlm::cuda {

namespace {

using device::failure;
using device::status;

constexpr std::uint32_t header_magic = 0xba55ed50;
constexpr std::uint64_t packed_with_lz4 = 0x2000, packed_with_zstd = 0x8000;
constexpr std::uint16_t kind_ptx = 1, kind_elf = 2;

/// The header of a fat binary, and that of each entry.
struct file_header {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t bytes;  ///< behind it
};
struct entry_header {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t bytes;  ///< behind it
    std::uint32_t packed_bytes;
    std::uint32_t unknown[2];
    std::uint32_t architecture;
    std::uint32_t unknown2[2];
    std::uint64_t flags;
    std::uint64_t unknown3;
    std::uint64_t unpacked_bytes;
};
static_assert(sizeof(entry_header) == 64);

template <class T>
T at(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

std::string unpack(const entry_header& h, const std::byte* data) {
    const auto* const from = reinterpret_cast<const char*>(data);
    if ((h.flags & (packed_with_lz4 | packed_with_zstd)) == 0) return {from, h.bytes};
    std::string to(h.unpacked_bytes, '\0');
    bool good;
    if ((h.flags & packed_with_lz4) != 0) {
        const int n = LZ4_decompress_safe(from, to.data(), static_cast<int>(h.packed_bytes),
                                          static_cast<int>(to.size()));
        good = n >= 0;
        if (good) to.resize(static_cast<std::size_t>(n));
    } else {
        const std::size_t n = ZSTD_decompress(to.data(), to.size(), from, h.packed_bytes);
        good = ZSTD_isError(n) == 0;
        if (good) to.resize(n);
    }
    if (!good) throw failure(status::invalid_image, "an entry of a fat binary cannot be unpacked");
    return to;
}

std::string architectures_of(const std::vector<fat_entry>& entries, fat_entry::kind k) {
    std::string text;
    for (const fat_entry& e : entries)
        if (e.what == k)
            text += fmt::format("{}{}_{}", text.empty() ? "" : ", ",
                                k == fat_entry::kind::ptx ? "compute" : "sm", e.architecture);
    return text;
}

}  // namespace

std::vector<fat_entry> read_fat_binary(const void* header) {
    const auto* p = static_cast<const std::byte*>(header);
    const auto top = at<file_header>(p);
    if (top.magic != header_magic || top.version != 1)
        throw failure(status::invalid_image, "this is no fat binary");
    p += top.header_bytes;
    const std::byte* const end = p + top.bytes;
    std::vector<fat_entry> entries;
    while (p + sizeof(entry_header) <= end) {
        const auto h = at<entry_header>(p);
        if (h.header_bytes < sizeof(entry_header) || p + h.header_bytes + h.bytes > end) break;
        fat_entry e;
        e.architecture = h.architecture;
        e.what = h.kind == kind_ptx   ? fat_entry::kind::ptx
                 : h.kind == kind_elf ? fat_entry::kind::cubin
                                      : fat_entry::kind::other;
        if (e.what != fat_entry::kind::other) e.contents = unpack(h, p + h.header_bytes);
        entries.push_back(std::move(e));
        p += h.header_bytes + h.bytes;
    }
    return entries;
}

code_form form_of(const void* code) {
    const auto magic = at<std::uint32_t>(static_cast<const std::byte*>(code));
    if (magic == fat_binary_wrapper::magic_number) return code_form::fat_wrapper;
    if (magic == header_magic) return code_form::fat_binary;
    if (std::memcmp(code, ELFMAG, SELFMAG) == 0) return code_form::cubin;
    return code_form::ptx;
}

device::module_source choose_ptx(const std::vector<fat_entry>& entries, unsigned capability,
                                 const std::string& name) {
    const fat_entry* best = nullptr;
    for (const fat_entry& e : entries)
        if (e.what == fat_entry::kind::ptx && e.architecture <= capability &&
            (best == nullptr || e.architecture > best->architecture))
            best = &e;
    if (best == nullptr) {
        const std::string ptx = architectures_of(entries, fat_entry::kind::ptx);
        const std::string code = architectures_of(entries, fat_entry::kind::cubin);
        throw failure(
            status::no_binary_for_gpu,
            fmt::format("{} has no PTX that a GPU of compute capability {}.{} runs: it holds {}",
                        name, capability / 10, capability % 10,
                        !ptx.empty()    ? "PTX for " + ptx
                        : !code.empty() ? "machine code alone, for " + code
                                        : "no code"),
            fmt::format("compile it with nvcc -gencode arch=compute_{0},code=compute_{0}, or "
                        "choose a newer GPU",
                        capability));
    }
    device::module_source s;
    s.name = name;
    s.text = best->contents;
    while (!s.text.empty() && s.text.back() == '\0') s.text.pop_back();
    for (const fat_entry& e : entries)
        if (e.what == fat_entry::kind::cubin && e.architecture == capability)
            s.compiled = read_cubin(e.contents);
    return s;
}

device::module_source link(const std::vector<device::module_source>& inputs,
                           const std::string& name) {
    device::module_source all;
    all.name = name;
    std::vector<ptx::link_input> texts;
    for (const device::module_source& s : inputs) {
        texts.push_back({s.name, s.text});
        all.compiled.insert(s.compiled.begin(), s.compiled.end());
    }
    try {
        all.text = ptx::link(texts);
    } catch (const kernel::user_error& e) {
        throw failure(status::invalid_ptx, e.what());
    }
    return all;
}

namespace {

/// A program whose files were compiled apart (nvcc -rdc=true): the code of each lies in a list, and
/// what a linker has made of them, which is machine code, beside. Files without PTX for this GPU
/// are those of NVIDIA's libraries.
device::module_source link_binaries(const fat_binary_wrapper& w, unsigned capability,
                                    const std::string& name) {
    std::vector<device::module_source> inputs;
    std::vector<fat_entry> all = read_fat_binary(w.data);
    const auto* binary = static_cast<const void* const*>(w.file_or_binaries);
    for (; binary != nullptr && *binary != nullptr; ++binary) {
        const std::vector<fat_entry> entries = read_fat_binary(*binary);
        all.insert(all.end(), entries.begin(), entries.end());
        const bool fits = std::any_of(entries.begin(), entries.end(), [&](const fat_entry& e) {
            return e.what == fat_entry::kind::ptx && e.architecture <= capability;
        });
        if (fits)
            inputs.push_back(
                choose_ptx(entries, capability, fmt::format("{}.{}", name, inputs.size() + 1)));
    }
    if (inputs.empty()) return choose_ptx(all, capability, name);
    return link(inputs, name);
}

}  // namespace

device::module_source module_in(const void* code, unsigned capability, const std::string& name) {
    switch (form_of(code)) {
        case code_form::fat_wrapper: {
            fat_binary_wrapper w;
            std::memcpy(&w, code, sizeof w);
            if (w.version == fat_binary_wrapper::of_several)
                return link_binaries(w, capability, name);
            return choose_ptx(read_fat_binary(w.data), capability, name);
        }
        case code_form::fat_binary:
            return choose_ptx(read_fat_binary(code), capability, name);
        case code_form::cubin:
            throw failure(status::no_binary_for_gpu, name + " is machine code, which is not run",
                          "load PTX: compile with --ptx, or with NVRTC for compute_XX");
        case code_form::ptx:
            break;
    }
    device::module_source s;
    s.name = name;
    s.text = static_cast<const char*>(code);
    return s;
}

std::map<std::string, device::compiled_descriptor> read_cubin(const std::string& elf) {
    std::map<std::string, device::compiled_descriptor> descriptor;
    const auto* const base = reinterpret_cast<const std::byte*>(elf.data());
    if (elf.size() < sizeof(Elf64_Ehdr) || std::memcmp(elf.data(), ELFMAG, SELFMAG) != 0)
        return descriptor;
    const auto header = at<Elf64_Ehdr>(base);
    const auto section = [&](unsigned n) {
        const std::uint64_t where = header.e_shoff + std::uint64_t{n} * sizeof(Elf64_Shdr);
        return where + sizeof(Elf64_Shdr) <= elf.size() ? at<Elf64_Shdr>(base + where)
                                                        : Elf64_Shdr{};
    };
    const Elf64_Shdr names = section(header.e_shstrndx);
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr s = section(i);
        const std::uint64_t where = names.sh_offset + s.sh_name;
        if (s.sh_type != SHT_PROGBITS || where >= elf.size()) continue;
        const std::string name(elf.c_str() + where);
        // Registers per thread lie in the top byte of the information field of a kernel's section.
        if (name.rfind(".text.", 0) == 0) descriptor[name.substr(6)].registers = s.sh_info >> 24;
    }
    return descriptor;
}

}  // namespace simtlm::cuda
