// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtlm::cuda {

/// An input of the toolkit's linker.
struct toolkit_input {
    enum class kind : int { cubin = 1, ptx = 2, fat_binary = 4, object = 5, library = 6 };
    kind what = kind::ptx;
    std::string name;
    std::string_view bytes;
};

/// Links PTX together with machine code by the CUDA toolkit's libnvJitLink, which contains the
/// compiler of PTX that this requires. The library is loaded on demand; it needs no GPU.
/// @param architecture  80 for sm_80
/// @return a cubin
/// @throws failure  the library is not found, or reports errors
std::string link_with_toolkit(const std::vector<toolkit_input>& inputs, unsigned architecture);

}  // namespace simtlm::cuda
