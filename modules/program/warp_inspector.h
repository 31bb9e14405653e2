// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::program {

/// One instruction of a listing.
struct code_line {
    std::uint64_t pc = 0;
    std::string where;  ///< "file.ptx:12 (source.cu:3)"
    std::string text;   ///< the instruction
};

/// What a debugger asks of a warp whose values are known. A warp_executor that can answer derives
/// from this class, too. Called between steps; changes nothing.
class warp_inspector {
public:
    virtual ~warp_inspector();

    /// "file.ptx:12 (source.cu:3)" of one of its instructions.
    virtual std::string where(const static_instruction& instruction) const = 0;
    /// The instruction as its program writes it.
    virtual std::string text(const static_instruction& instruction) const = 0;
    /// Instructions around one of them, within its function.
    virtual std::vector<code_line> listing(const static_instruction& instruction, unsigned before,
                                           unsigned after) const = 0;
    /// The registers of a lane, a line "    NAME = VALUE" each; empty: the warp has ended.
    virtual std::string registers(unsigned lane) const = 0;
    /// Copies bytes as a lane sees them. @param address  of shared and local memory an offset
    /// @return false: not all of them can be read
    virtual bool read(memory_space space, unsigned lane, std::uint64_t address, std::size_t bytes,
                      std::byte* to) const = 0;
};

}  // namespace simtlm::program
