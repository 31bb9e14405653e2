// SPDX-License-Identifier: Apache-2.0
// Driver API: streams and events.
#include "runtimes/cuda/driver_api.h"

using namespace simtlm::cuda;

FUNCTION(result, cuProfilerStart, void) {
    return 0;
}
FUNCTION(result, cuProfilerStop, void) {
    return 0;
}
