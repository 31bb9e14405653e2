// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::kernel {

/// For headers of blocks that declare a checkpoint(archive&): see archive.h.
class archive;

}  // namespace simtlm::kernel
