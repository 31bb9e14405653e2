// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::support {

/// Forward declaration for headers of blocks that declare checkpoint(archive&); see archive.h.
class archive;

}  // namespace simtlm::support
