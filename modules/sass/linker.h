// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/cubin.h"
#include "modules/support/error.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::sass {

/// Separately compiled machine code to be linked with others.
struct link_object {
    std::shared_ptr<const cubin> file;
    /// A member of a library: included if it defines a symbol that the objects included before it
    /// need.
    bool on_demand = false;
};

/// Why objects cannot be linked, a line for each reason, in the form of NVIDIA's linkers:
/// "Undefined reference to 'x' in 'a.cubin'".
class link_error : public support::user_error {
public:
    link_error(const std::string& name, std::string reasons);
    const std::string& reasons() const noexcept { return reasons_; }

private:
    std::string reasons_;
};

/// How undefined functions and variables are treated.
enum class undefined_symbols : std::uint8_t {
    are_errors,
    are_kept,  ///< kernels that need them are refused when they are launched
};

/// Links relocatable cubins into an executable one, like nvlink: a strong definition of a symbol
/// replaces weak and common ones; a kernel's registers, barriers and stack are the maximum over the
/// functions that it may call; shared variables of these functions and their constants have the
/// same address in all kernels that call them. Functions that no kernel and no variable refers to
/// are omitted. Executable cubins among the objects are ignored, as by nvlink.
/// @param name  of the result, for messages
/// @return the bytes of the cubin
/// @throws link_error  undefined or multiply defined symbols; more constants or shared memory than
/// can be addressed; cubins of different architectures
std::string link(const std::vector<link_object>& objects, const std::string& name,
                 undefined_symbols undefined = undefined_symbols::are_errors);

/// Returns a cubin that can be executed: the file itself, or if it is relocatable, the linked one.
/// @throws link_error
std::shared_ptr<const cubin> executable(std::shared_ptr<const cubin> file);

/// Names of the symbols that an object defines for others, of all strong definitions.
std::vector<std::string> strong_definitions(const cubin& file);

}  // namespace simtlm::sass
