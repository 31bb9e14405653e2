// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/call.h"

#include "runtimes/common/call_span.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

namespace simtlm::cuda {

namespace {

/// Prints an explanation for failures that their number does not explain.
void explain(const char* name, status code, const std::exception& e) {
    const bool needs_words =
        code == status::not_supported || code == status::invalid_ptx ||
        code == status::no_binary_for_gpu || code == status::launch_out_of_resources ||
        code == status::cooperative_launch_too_large || code == status::unknown;
    static const bool always = std::getenv("SIMTLM_VERBOSE") != nullptr;
    if (needs_words || always) std::fprintf(stderr, "simtlm: %s: %s\n", name, e.what());
}

}  // namespace

result carry_out(library_kind kind, const char* name, after_fault faults, call_body body) noexcept {
    result r = 0;
    try {
        session& s = session::get();
        if (kind == library_kind::runtime && !session::thread().through_driver)
            session::thread().uses_runtime = true;
        const runtime::call_span span(s, name);
        if (faults == after_fault::refused) {
            const status fault = status_of(s.work().fault(s.current_device()));
            if (fault != status::success) r = static_cast<result>(fault);
        }
        if (r == 0) r = body(s);
    } catch (const simtlm::kernel::user_error& e) {
        r = static_cast<result>(status_of(e));
        explain(name, status_of(e), e);
    } catch (const std::bad_alloc&) {
        r = static_cast<result>(status::out_of_memory);
    } catch (const std::exception& e) {
        r = static_cast<result>(status::unknown);
        std::fprintf(stderr, "simtlm: %s: %s\n", name, e.what());
    }
    thread_state& t = session::thread();
    // not_ready is not recorded as an error.
    const bool failed = r != 0 && r != static_cast<result>(status::not_ready);
    if (kind == library_kind::runtime && !t.through_driver && failed) t.last_error = r;
    t.through_driver = false;
    t.per_thread_default = false;
    return r;
}

void refuse(status otherwise, const char* why) {
    throw failure(otherwise, why);
}

}  // namespace simtlm::cuda
