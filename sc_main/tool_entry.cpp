// SPDX-License-Identifier: Apache-2.0
// A program of one of the tools: SIMTLM_TOOL is its name in tools.h.
#include "sc_main/tools.h"

/// Nothing is simulated, but SystemC's library, which comes with modules/kernel, wants this name.
extern "C" int sc_main(int argc, char** argv) {
    return simtlm::tools::SIMTLM_TOOL(argc, argv);
}

/// Takes the place of SystemC's own main(), which would print a banner.
int main(int argc, char** argv) {
    return sc_main(argc, argv);
}
