// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_source.h"
#include "modules/trace/executed_text.h"

#include <string>

namespace simtlm::trace {

/// The header of a text trace that is written by simtlm, up to the line before its thread blocks.
/// @param cluster  CTAs per cluster
/// @param version  binary version of the code
/// @param traced   of machine code, whose lines are those of Accel-Sim's tracer; nullptr: of PTX
/// @param code     the lines of the code (executed_code::text_of), or others of the header
std::string recorded_header(const program::kernel_descriptor& kernel, const program::dim3& cluster,
                            unsigned version, const traced_form* traced, const std::string& code);

}  // namespace simtlm::trace
