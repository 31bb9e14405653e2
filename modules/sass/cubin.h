// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/instruction.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtlm::sass {

/// A section of a cubin. The contents refer to the bytes of the file.
struct cubin_section {
    std::string_view name;
    std::uint32_t type = 0;   ///< SHT_*
    std::uint64_t flags = 0;  ///< SHF_*
    std::uint32_t link = 0, info = 0;
    std::uint64_t size = 0;  ///< bytes; size in memory if there are no contents (SHT_NOBITS)
    std::uint64_t alignment = 1;
    std::string_view contents;
};

struct cubin_symbol {
    std::string_view name;
    std::uint64_t value = 0;  ///< offset in its section
    std::uint64_t size = 0;
    std::uint32_t section = 0;  ///< 0: undefined in this file, or common
    std::uint8_t type = 0;      ///< STT_*
    std::uint8_t binding = 0;   ///< STB_*
    std::uint8_t other = 0;     ///< kernel: 0x10; space of a variable: symbol_space
    bool is_common = false;     ///< to be allocated by a linker; value is the alignment
};

/// In cubin_symbol::other: the memory space of a variable.
enum symbol_space : std::uint8_t { in_global = 0x20, in_shared = 0x40, in_constant = 0x80 };

/// A relocation: a location that a loader has to fill in with the address of a symbol.
struct cubin_relocation {
    std::uint32_t section = 0;  ///< the section to be patched
    std::uint64_t offset = 0;
    std::uint32_t type = 0;  ///< R_CUDA_*
    std::uint32_t symbol = 0;
    std::int64_t addend = 0;  ///< without one, data contain the addend
    bool has_addend = false;
};

/// A kernel parameter, in the order of the call.
struct cubin_parameter {
    std::uint32_t offset = 0;  ///< bytes, from the first parameter
    std::uint32_t size = 0;    ///< bytes
};

/// The line of CUDA source for the instructions from an offset on.
struct cubin_line {
    std::uint64_t offset = 0;  ///< in the section
    std::uint32_t file = 0;    ///< index into cubin::files
    std::uint32_t line = 0;
};

/// A section of code: a kernel, followed by the functions that it calls, or a device function.
struct cubin_function {
    std::string_view name;
    std::uint32_t section = 0;
    std::uint32_t symbol = 0;
    bool is_kernel = false;
    std::string_view code;            ///< multiple of 16 bytes
    std::uint32_t registers = 0;      ///< per thread
    std::uint32_t frame_bytes = 0;    ///< local memory of the function itself, per thread
    std::uint32_t stack_bytes = 0;    ///< of the deepest known call chain
    std::uint32_t barriers = 0;       ///< CTA barriers
    std::uint32_t static_shared = 0;  ///< bytes per CTA
    std::array<std::uint32_t, 3> max_block_threads{};  ///< __launch_bounds__; 0: none
    std::array<std::uint32_t, 3> block{};              ///< required threads per CTA; 0: any
    std::array<std::uint32_t, 3> cluster{};            ///< required CTAs per cluster; 0: any
    std::uint32_t max_cluster = 0;     ///< CTAs per cluster, at most; 0: unspecified
    bool blocks_are_clusters = false;  ///< a launch gives the number of clusters
    std::uint32_t parameter_bank = 0;  ///< constant bank of parameters
    std::uint32_t parameter_base = 0;  ///< offset of the parameters in the bank
    std::uint32_t parameter_bytes = 0;
    std::vector<cubin_parameter> parameters;
    std::vector<std::string_view> externals;  ///< system functions that it calls
    std::vector<cubin_line> lines;            ///< by offset; empty without -lineinfo

    std::size_t instructions() const { return code.size() / instruction_bytes; }
    /// @param n  < instructions()
    instruction_word word(std::size_t n) const;
};

/// A cubin: machine code for one architecture. Validated when it is read: all offsets, sizes and
/// indices in it are within the file.
class cubin {
public:
    /// @param bytes   the contents of the file
    /// @param origin  name of the file, for messages
    /// @throws support::user_error  not a cubin, corrupt, or for an architecture before sm_70
    cubin(std::string bytes, std::string origin);
    cubin(const cubin&) = delete;
    cubin& operator=(const cubin&) = delete;

    /// Whether bytes begin like an ELF file for NVIDIA GPUs.
    static bool has_cubin_header(std::string_view bytes);

    const std::string& origin() const { return origin_; }
    /// Whether it has to be linked before it can be executed: nvcc -rdc=true, ptxas -c.
    bool is_relocatable() const { return relocatable_; }
    std::string_view bytes() const { return bytes_; }
    unsigned architecture() const { return architecture_; }  ///< 80 for sm_80
    /// Architecture of the PTX from which it was compiled: 75 for compute_75.
    unsigned virtual_architecture() const { return virtual_architecture_; }
    const std::vector<cubin_section>& sections() const { return sections_; }
    const std::vector<cubin_symbol>& symbols() const { return symbols_; }
    const std::vector<cubin_relocation>& relocations() const { return relocations_; }
    const std::vector<cubin_function>& functions() const { return functions_; }
    const std::vector<std::string>& files() const { return files_; }  ///< CUDA source files
    /// Finds a section by name; nullptr if there is none.
    const cubin_section* find_section(std::string_view name) const;
    /// Finds a function by name; nullptr if there is none.
    const cubin_function* find_function(std::string_view name) const;
    /// The function whose code is in a section; nullptr if there is none.
    const cubin_function* function_in(std::uint32_t section) const;

private:
    [[noreturn]] void fail(const std::string& what) const;
    void read_sections();
    void check_names(std::string_view table) const;
    void read_symbols();
    void read_relocations();
    void read_functions();
    void read_attributes(std::string_view contents, cubin_function* function);
    void read_lines();
    void read_virtual_architecture();

    std::string bytes_;
    std::string origin_;
    bool relocatable_ = false;
    unsigned architecture_ = 0;
    unsigned virtual_architecture_ = 0;
    std::vector<cubin_section> sections_;
    std::vector<cubin_symbol> symbols_;
    std::vector<cubin_relocation> relocations_;
    std::vector<cubin_function> functions_;
    std::vector<std::string> files_;
    std::unordered_map<std::string_view, std::uint32_t> section_numbers_;  ///< the first of a name
    std::unordered_map<std::string_view, std::uint32_t> function_numbers_;
    std::unordered_map<std::uint32_t, std::uint32_t> functions_by_section_, functions_by_symbol_;
};

}  // namespace simtlm::sass
