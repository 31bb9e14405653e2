// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/instruction.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::sass {

/// A section of a cubin. Contents point into the file's bytes.
struct cubin_section {
    std::string_view name;
    std::uint32_t type = 0;   ///< SHT_*
    std::uint64_t flags = 0;  ///< SHF_*
    std::uint32_t link = 0, info = 0;
    std::uint64_t size = 0;  ///< bytes; without contents (SHT_NOBITS), of memory
    std::uint64_t alignment = 1;
    std::string_view contents;
};

struct cubin_symbol {
    std::string_view name;
    std::uint64_t value = 0;  ///< offset in its section
    std::uint64_t size = 0;
    std::uint32_t section = 0;  ///< 0: undefined here
    std::uint8_t type = 0;      ///< STT_*
    std::uint8_t binding = 0;   ///< STB_*
    std::uint8_t other = 0;
};

/// A place that a loader has to fill in with a symbol's address.
struct cubin_relocation {
    std::uint32_t section = 0;  ///< that is patched
    std::uint64_t offset = 0;
    std::uint32_t type = 0;  ///< R_CUDA_*
    std::uint32_t symbol = 0;
    std::int64_t addend = 0;
};

/// One of a kernel's parameters, in the order of the call.
struct cubin_parameter {
    std::uint32_t offset = 0;  ///< bytes, from the first parameter
    std::uint32_t size = 0;    ///< bytes
};

/// A line of CUDA source that instructions from an offset on stand for.
struct cubin_line {
    std::uint64_t offset = 0;  ///< of the section
    std::uint32_t file = 0;    ///< of cubin::files
    std::uint32_t line = 0;
};

/// A section of code: a kernel, with the functions that it calls behind it, or a device function.
struct cubin_function {
    std::string_view name;
    std::uint32_t section = 0;
    std::uint32_t symbol = 0;
    bool is_kernel = false;
    std::string_view code;                        ///< multiple of 16 bytes
    std::uint32_t registers = 0;                  ///< per thread
    std::uint32_t frame_bytes = 0;                ///< local memory of its own, per thread
    std::uint32_t stack_bytes = 0;                ///< of the deepest chain of calls that is known
    std::uint32_t barriers = 0;                   ///< CTA barriers
    std::uint32_t static_shared = 0;              ///< bytes per CTA
    std::array<std::uint32_t, 3> most_threads{};  ///< __launch_bounds__; 0: none
    std::array<std::uint32_t, 3> cluster{};       ///< CTAs of a cluster that it demands; 0: any
    std::uint32_t parameter_bank = 0;             ///< constant bank of parameters
    std::uint32_t parameter_base = 0;             ///< where they begin in it
    std::uint32_t parameter_bytes = 0;
    std::vector<cubin_parameter> parameters;
    std::vector<std::string_view> externals;  ///< functions of the system that it calls
    std::vector<cubin_line> lines;            ///< by offset; empty without -lineinfo

    std::size_t instructions() const { return code.size() / instruction_bytes; }
    /// @param n  < instructions()
    instruction_word word(std::size_t n) const;
};

/// A cubin: machine code of one architecture. Checked when it is read: whatever offsets, sizes and
/// indices it holds lie in the file.
class cubin {
public:
    /// @param bytes   of the file
    /// @param origin  for messages
    /// @throws kernel::user_error  it is no cubin, is damaged, or is of an architecture before
    /// sm_70
    cubin(std::string bytes, std::string origin);
    cubin(const cubin&) = delete;
    cubin& operator=(const cubin&) = delete;

    /// It begins like an ELF file for NVIDIA's GPUs.
    static bool looks_like_one(std::string_view bytes);

    const std::string& origin() const { return origin_; }
    unsigned architecture() const { return architecture_; }  ///< 80 for sm_80
    /// Of the PTX that it was compiled from: 75 for compute_75.
    unsigned virtual_architecture() const { return virtual_architecture_; }
    const std::vector<cubin_section>& sections() const { return sections_; }
    const std::vector<cubin_symbol>& symbols() const { return symbols_; }
    const std::vector<cubin_relocation>& relocations() const { return relocations_; }
    const std::vector<cubin_function>& functions() const { return functions_; }
    const std::vector<std::string>& files() const { return files_; }  ///< of CUDA source
    /// A section by name, or nullptr.
    const cubin_section* find_section(std::string_view name) const;
    /// A function by name, or nullptr.
    const cubin_function* find_function(std::string_view name) const;

private:
    [[noreturn]] void fail(const std::string& what) const;
    void read_sections();
    void read_symbols();
    void read_relocations();
    void read_functions();
    void read_attributes(std::string_view contents, cubin_function* function);
    void read_lines();
    void read_virtual_architecture();

    std::string bytes_;
    std::string origin_;
    unsigned architecture_ = 0;
    unsigned virtual_architecture_ = 0;
    std::vector<cubin_section> sections_;
    std::vector<cubin_symbol> symbols_;
    std::vector<cubin_relocation> relocations_;
    std::vector<cubin_function> functions_;
    std::vector<std::string> files_;
};

}  // namespace simtlm::sass
