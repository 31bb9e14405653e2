// SPDX-License-Identifier: Apache-2.0
#include "modules/core/instruction_text.h"

#include "modules/program/kernel_source.h"
#include "modules/program/warp_inspector.h"

namespace simtlm::core {

namespace {

/// Extracts the source line from the result of warp_inspector::where(): "file.ptx:12
/// (source.cu:3)".
std::string source_in(const std::string& where) {
    const std::size_t open = where.find(" (");
    if (open == std::string::npos || where.back() != ')') return {};
    return where.substr(open + 2, where.size() - open - 3);
}

}  // namespace

instruction_text text_of(const multiprocessor& sm, unsigned warp,
                         const program::static_instruction& instruction) {
    const auto* const inspector =
        dynamic_cast<const program::warp_inspector*>(sm.warps().warp[warp].executor);
    if (inspector == nullptr) return {};
    instruction_text t{inspector->text(instruction), source_in(inspector->where(instruction))};
    if (!t.text.empty() && t.text.back() == ';') t.text.pop_back();  // of PTX
    return t;
}

}  // namespace simtlm::core
