// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/abi/call.h"

#include "runtimes/common/call_span.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>

namespace simtlm::cuda {

namespace {

/// Prints an explanation for failures that their number does not explain.
void explain(const char* name, status code, const std::exception& e) {
    const bool needs_words =
        code == status::not_supported || code == status::invalid_ptx ||
        code == status::no_binary_for_gpu || code == status::launch_out_of_resources ||
        code == status::cooperative_launch_too_large || code == status::unknown;
    static const bool always = std::getenv("SIMTLM_VERBOSE") != nullptr;
    if (!needs_words && !always) return;
    // Programs repeat calls that fail; each explanation is printed once.
    static std::mutex mutex;
    static auto* const printed = new std::unordered_set<std::string>;
    const std::lock_guard<std::mutex> lock(mutex);
    if (always || printed->insert(e.what()).second)
        std::fprintf(stderr, "simtlm: %s: %s\n", name, e.what());
}

}  // namespace

result carry_out(library_kind kind, const char* name, after_fault faults, call_body body) noexcept {
    status outcome = status::success;
    thread_state& t = session::thread();
    const bool through_driver = kind == library_kind::driver || t.called_as != nullptr;
    if (t.called_as != nullptr) name = t.called_as;
    try {
        session& s = session::get();
        if (!through_driver) t.uses_runtime = true;
        const runtime::call_span span(s, name);
        if (faults == after_fault::refused) outcome = status_of(s.work().fault(s.current_device()));
        if (outcome == status::success) outcome = body(s);
    } catch (const simtlm::support::user_error& e) {
        outcome = status_of(e);
        explain(name, outcome, e);
    } catch (const std::bad_alloc&) {
        outcome = status::out_of_memory;
    } catch (const std::exception& e) {
        outcome = status::unknown;
        std::fprintf(stderr, "simtlm: %s: %s\n", name, e.what());
    }
    const result r = through_driver ? driver_number(outcome) : runtime_number(outcome);
    // not_ready is not recorded as an error.
    const bool failed = outcome != status::success && outcome != status::not_ready;
    if (!through_driver && failed) t.last_error = r;
    t.called_as = nullptr;
    t.per_thread_default = false;
    return r;
}

void refuse(status otherwise, const char* why) {
    throw failure(otherwise, why);
}

}  // namespace simtlm::cuda
