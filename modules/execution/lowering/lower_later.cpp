// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/lowering/function_lowering.h"

namespace simtlm::execution {

bool function_lowering::lower_asynchronous(const ptx::operation&) {
    return false;
}
bool function_lowering::lower_matrix(const ptx::operation&) {
    return false;
}
bool function_lowering::lower_texture(const ptx::operation&) {
    return false;
}
bool function_lowering::lower_video(const ptx::operation&) {
    return false;
}

}  // namespace simtlm::execution
