// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace simtlm::device {

// Pages of device memory occupy host memory once they have been accessed. These functions do not
// touch pages that are zero before and after, so that a model whose weights are holes of a file
// costs no memory.

/// Copies memory like std::memmove. Pages of the source that have never been written, and holes of
/// a file that is mapped there shared and read-only, are not read.
void copy_sparsely(void* to, const void* from, std::size_t bytes);
/// Sets memory to zero.
void clear_sparsely(void* to, std::size_t bytes);
/// Memory that is zero, of which only pages written occupy memory. @throws std::bad_alloc
std::shared_ptr<void> zeroed_memory(std::size_t bytes);

}  // namespace simtlm::device
