// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/asynchronous_details.h"
#include "modules/trace/instruction_line.h"

#include <cstdint>
#include <string_view>

// The parts of instruction lines that Accel-Sim 2.0's tracer writes for Hopper's asynchronous
// instructions.
namespace simtlm::trace {

/// Format of the line of an opcode.
enum class line_form : std::uint8_t {
    plain,
    copy,      ///< UBLKCP, UTMALDG, ...: after the width what is copied
    product,   ///< HGMMA, ...: before the width whether it closes a group
    cluster,   ///< UCGABAR_ARV, UCGABAR_WAIT: like plain; the block belongs to a cluster
    mbarrier,  ///< SYNCS, ARRIVES: at the end the values of the registers
    executed,  ///< recorded during execution: at the end the details
};

/// The form of the lines of an opcode in the trace of a tracer.
line_form form_of(std::string_view opcode);

/// Number of operands of an instruction in a line, including those without dependences.
struct operand_counts {
    unsigned destinations = 0;
    unsigned sources = 0;
};
operand_counts count_operands(std::string_view text);

/// Whether a line contains what a copy copies, after the width; tracers before Accel-Sim 2.0 wrote
/// at most two immediates there.
bool is_copy(const scanner& in);

/// Parses what a copy copies, after the width: mbarrier, multicast, bytes, addresses.
/// @param in_cluster  set if the copy concerns other CTAs
/// @pre is_copy()  @throws support::user_error
void scan_copy(scanner& in, std::string_view opcode, asynchronous_details& details,
               bool& in_cluster, const place& where);

/// Parses the values of the registers of an mbarrier instruction, after the immediates.
/// @param addresses   of the mbarriers, by lane
/// @param in_cluster  set if an mbarrier belongs to another CTA
/// @return false if the line does not contain the values that the instruction needs
/// @throws support::user_error
bool scan_mbarrier(scanner& in, std::string_view opcode, const operand_counts& operands,
                   std::uint32_t mask, const std::uint64_t* addresses,
                   asynchronous_details& details, bool& in_cluster, const place& where);

/// Parses the details at the end of the line of an executed instruction, and appends them to a
/// pool.
/// @param ranks  number of CTAs per cluster
/// @return false if there are none  @throws support::user_error
bool scan_executed(scanner& in, std::vector<std::uint64_t>& pool, unsigned ranks,
                   const place& where);

}  // namespace simtlm::trace
