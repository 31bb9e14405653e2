// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/headers.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::opencl {

/// An argument of a kernel, as reported by the compiler.
struct argument_signature {
    enum class kind { value, global, constant, local, image, sampler };

    kind what = kind::value;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
    std::string type, name;
    bool has_info = false;  ///< visible to the program: compiled with -cl-kernel-arg-info
    /// A 64-bit value in PTX that does not distinguish pointers from numbers, such as nvcc's: a
    /// buffer handle passed for it is replaced by the buffer's address.
    bool may_be_pointer = false;

    cl_kernel_arg_address_qualifier address_space() const;
};

/// A kernel, as reported by the compiler.
struct kernel_signature {
    std::string name;
    std::vector<argument_signature> arguments;
    std::array<std::size_t, 3> required_group{};  ///< reqd_work_group_size; 0: none
    std::array<std::size_t, 3> group_hint{};
    std::string vector_hint;  ///< type in vec_type_hint

    /// Value of CL_KERNEL_ATTRIBUTES.
    std::string attributes() const;
};

/// Kernels of an LLVM module in text form. @throws std::runtime_error  for an unknown form
std::vector<kernel_signature> signatures_of_llvm(std::string_view text);

/// Stores signatures as comments before the PTX, and reads them back.
std::string to_comments(const std::vector<kernel_signature>& kernels);
/// Signatures of PTX without such comments, from its entries.
std::vector<kernel_signature> signatures_of_ptx(std::string_view ptx);

}  // namespace simtlm::opencl
