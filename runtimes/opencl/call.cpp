// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencl/call.h"

#include "runtimes/common/call_span.h"

#include <cstdio>
#include <exception>
#include <new>

namespace simtlm::opencl {

cl_int carry_out(const char* name, call_body body) noexcept {
    try {
        session& s = session::get();
        const runtime::call_span span(s, name);
        body(s);
        return CL_SUCCESS;
    } catch (const error& e) {
        if (is_verbose()) std::fprintf(stderr, "simtlm: %s: %d: %s\n", name, e.code(), e.what());
        return e.code();
    } catch (const device::failure& e) {
        if (is_verbose()) std::fprintf(stderr, "simtlm: %s: %s\n", name, e.what());
        return code_of(e.code());
    } catch (const std::bad_alloc&) {
        return CL_OUT_OF_HOST_MEMORY;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "simtlm: %s: %s\n", name, e.what());
        return CL_OUT_OF_RESOURCES;
    }
}

}  // namespace simtlm::opencl
