// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/cubin.h"
#include "modules/sass/link_symbols.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace simtlm::sass {

/// A function of the result: a kernel, or a device function that kernels call.
struct linked_function {
    in_file section;  ///< of its code
    const cubin_function* code = nullptr;
    std::string name;  ///< unique in the result
    std::uint8_t binding = 0;
    bool is_kernel = false;
    std::vector<std::uint32_t> callees;  ///< functions, also those called through pointers
    /// Per thread and per CTA; of a kernel: the maximum over the functions that it may call.
    std::uint32_t registers = 0, barriers = 0;
    /// Bytes of local memory of the deepest chain of calls; 0xffffffff: unknown, with recursion.
    std::uint32_t stack = 0;
};

/// The functions in the live sections, their call graph, and the registers, barriers and stack that
/// result from it.
class link_functions {
public:
    /// @param symbols  must outlive the functions
    explicit link_functions(const link_symbols& symbols);

    /// In the order of the files.
    const std::vector<linked_function>& all() const { return functions_; }
    /// The kernels among them, by index of function.
    const std::vector<std::uint32_t>& kernels() const { return kernels_; }
    /// The function in a section of code.
    std::optional<std::uint32_t> function_in(in_file section) const;
    /// For each function, whether a function is that one or may call it, directly or not.
    std::vector<bool> reachable_from(std::uint32_t function) const;

private:
    void add_function(in_file section, const cubin_function& code, std::set<std::string>& names);
    void read_call_graph();
    void find_stacks();
    void find_registers();

    const link_symbols& symbols_;
    std::vector<linked_function> functions_;
    std::vector<std::uint32_t> kernels_;
    std::map<in_file, std::uint32_t> function_of_;  ///< by section
};

}  // namespace simtlm::sass
