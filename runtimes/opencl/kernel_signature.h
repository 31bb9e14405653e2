// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/headers.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::opencl {

/// An argument of a kernel, as the compiler has seen it.
struct argument_signature {
    enum class kind { value, global, constant, local, image, sampler };

    kind what = kind::value;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
    std::string type, name;
    bool told = false;  ///< to the program: it was compiled with -cl-kernel-arg-info
    /// A value of PTX that does not tell pointers from numbers, such as nvcc's: a handle of a
    /// buffer stands for its address.
    bool may_be_pointer = false;

    cl_kernel_arg_address_qualifier address_space() const;
};

/// A kernel, as the compiler has seen it.
struct kernel_signature {
    std::string name;
    std::vector<argument_signature> arguments;
    std::array<std::size_t, 3> required_group{};  ///< reqd_work_group_size; 0: none
    std::array<std::size_t, 3> group_hint{};
    std::string vector_hint;  ///< type of vec_type_hint

    /// What CL_KERNEL_ATTRIBUTES says.
    std::string attributes() const;
};

/// Kernels of a module of LLVM in text form. @throws std::runtime_error  a form that is not known
std::vector<kernel_signature> signatures_of_llvm(std::string_view text);

/// Signatures as comments in front of PTX, and back.
std::string to_comments(const std::vector<kernel_signature>& kernels);
/// Of PTX without such comments: what its entries say themselves.
std::vector<kernel_signature> signatures_of_ptx(std::string_view ptx);

}  // namespace simtlm::opencl
