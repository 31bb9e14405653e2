// SPDX-License-Identifier: Apache-2.0
#include "runtimes/cuda/session.h"

#include "runtimes/common/process_session.h"
#include "runtimes/cuda/abi/call.h"

#include <string>

namespace simtlm::cuda {

namespace {

runtime::process_session<session> the_session([](session&) {});

}  // namespace

bool session::is_running() {
    return the_session.is_running();
}

session& session::get() {
    return the_session.get(
        [] { return new session; },
        [](runtime::absence a, const std::string& why) {
            throw failure(
                a == runtime::absence::ended ? status::unloading : status::not_initialised, why);
        });
}

thread_state& session::thread() {
    static thread_local thread_state state;
    return state;
}

session::session()
    : host_session(reinterpret_cast<const void*>(&session::get)),
      contexts(gpus().devices()),
      modules(*this),
      pools(gpus().devices()),
      addresses(gpus().memory()) {}

device::stream& session::stream(void* handle) {
    thread_state& t = thread();
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    if (number == 2 || (number == 0 && t.per_thread_default)) {
        device::stream*& own = t.own_stream[t.device];
        if (own == nullptr) own = work().create_stream(t.device, true, 0, 0);
        return *own;
    }
    if (number <= 1) return work().legacy(t.device);
    auto* const s = static_cast<device::stream*>(handle);
    if (!work().knows(s)) throw failure(status::invalid_handle, "not a stream");
    return *s;
}

void session::reset_device(unsigned d) {
    work().wait_all(d);
    contexts.primary(d)->end();
    code_registry::get().reset(d);
    gpus().memory().release_all(d);
    work().clear_fault(d);
}

namespace {

/// Called at the end of the process, after the program's own code.
__attribute__((destructor)) void end_session() {
    the_session.end_of_process();
}

}  // namespace

}  // namespace simtlm::cuda
