// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::program {

/// A line of a listing.
struct code_line {
    std::uint64_t pc = 0;
    std::string where;  ///< "file.ptx:12 (source.cu:3)"
    std::string text;   ///< the instruction
};

/// Debugger interface of a warp whose values are known; implemented by warp_executors that support
/// it. Called between steps; does not change any state.
class warp_inspector {
public:
    virtual ~warp_inspector();

    /// Location of an instruction: "file.ptx:12 (source.cu:3)".
    virtual std::string where(const static_instruction& instruction) const = 0;
    /// The text of an instruction in its program.
    virtual std::string text(const static_instruction& instruction) const = 0;
    /// The instructions around a given one, within its function.
    virtual std::vector<code_line> listing(const static_instruction& instruction, unsigned before,
                                           unsigned after) const = 0;
    /// The registers of a lane, one per line as "    NAME = VALUE"; empty: the warp has ended.
    virtual std::string registers(unsigned lane) const = 0;
    /// Copies bytes as seen by a lane. @param address  an offset, for shared and local memory
    /// @return false if some of them cannot be read
    virtual bool read(memory_space space, unsigned lane, std::uint64_t address, std::size_t bytes,
                      std::byte* to) const = 0;
};

}  // namespace simtlm::program
