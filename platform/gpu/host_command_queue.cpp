// SPDX-License-Identifier: Apache-2.0
// Command queue of host_interface: from doorbell to completion.
#include "platform/gpu/device_context.h"
#include "platform/gpu/host_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace simtlm::platform {

namespace {

std::uint64_t join(std::uint32_t lo, std::uint32_t hi) {
    return std::uint64_t{hi} << 32 | lo;
}

bool is_launch(host::command_code c) {
    return c == host::command_code::launch || c == host::command_code::launch_program;
}

}  // namespace

tlm::tlm_response_status host_interface::submit(unsigned number, const sc_core::sc_time& at) {
    using dispatch::host_command;
    using host::command_code;
    using host::error_code;
    window& w = registers_.windows[number];
    const auto word = [&](std::uint32_t offset) { return w.words[offset / sizeof w.words[0]]; };
    const auto refuse = [&](error_code why) {
        raise(why);
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    };
    if (resetting_) return refuse(error_code::refused_in_reset);
    if (device_.stopped()) return refuse(error_code::gpu_stopped);
    const std::uint32_t code = word(host::command);
    if (code >= host::command_count) return refuse(error_code::bad_command);
    if (registers_.outstanding >= how_.queue_depth) return refuse(error_code::queue_full);

    entry e{};
    e.what = static_cast<command_code>(code);
    e.window = number;
    e.tag = word(host::tag);
    e.any_stream = word(host::stream) == host::any_stream;
    e.stream = word(host::stream);
    e.kernel = word(host::kernel);
    e.host_address = join(w.host_address[0], w.host_address[1]);
    e.command.address = join(word(host::address_lo), word(host::address_hi));
    e.command.bytes = join(word(host::size_lo), word(host::size_hi));
    switch (e.what) {
        case command_code::copy_to_device:
            e.command.what = host_command::kind::copy_in;
            break;
        case command_code::copy_from_device:
            e.command.what = host_command::kind::copy_out;
            break;
        case command_code::fill:
            e.command.what = host_command::kind::fill;
            break;
        case command_code::launch: {
            if (e.kernel >= kernels_.size() || kernels_[e.kernel].of_program)
                return refuse(error_code::no_such_kernel);
            const kernel_file& k = kernels_[e.kernel];
            if (e.any_stream) e.stream = k.stream;
            e.any_stream = false;
            e.command.what = host_command::kind::launch;
            e.command.file = k.file;
            e.command.where = k.where;
            e.command.stream = e.stream;
            break;
        }
        case command_code::launch_program:
            if (e.any_stream) e.stream = 0;
            e.any_stream = false;
            e.command.what = host_command::kind::launch;
            e.command.stream = e.stream;
            break;
        default:  // executed by host_interface
            break;
    }
    queue(std::move(e), at);
    return tlm::TLM_OK_RESPONSE;
}

void host_interface::queue(entry e, const sc_core::sc_time& at) {
    window& w = registers_.windows[e.window];
    e.ticket = e.command.tag = ++tickets_;
    e.at = std::max(at, w.last);
    w.last = e.at;
    ++w.submitted;
    ++registers_.submitted;
    ++registers_.outstanding;
    const auto place =
        std::upper_bound(commands_.begin(), commands_.end(), e.at,
                         [](const sc_core::sc_time& t, const entry& x) { return t < x.at; });
    const sc_core::sc_time wait_for = e.at - sc_core::sc_time_stamp();
    commands_.insert(place, std::move(e));
    if (wait_for == sc_core::SC_ZERO_TIME)
        process_.wake();
    else
        arrival_.notify(wait_for);
}

/// Returns whether a command must wait for an earlier one. A command completed in this cycle counts
/// as complete from the next cycle on, so that the result does not depend on the order of this
/// process and the CTA scheduler.
bool host_interface::held_up(std::size_t index) const {
    using host::command_code;
    const entry& e = commands_[index];
    for (std::size_t i = 0; i < index; ++i) {
        const entry& before = commands_[i];
        if (e.what == command_code::synchronise || before.what == command_code::synchronise)
            return true;
        if (!e.any_stream && !before.any_stream && e.stream != before.stream) continue;
        // The command processor serialises the kernels of a stream itself, so that it can look
        // ahead.
        const bool kernels = is_launch(e.what) && is_launch(before.what);
        if (!kernels || !before.issued) return true;
    }
    return false;
}

void host_interface::issue(const sc_core::sc_time& now) {
    using host::command_code;
    draining_ = false;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        entry& e = commands_[i];
        if (e.at >= now) return;
        if (e.issued || held_up(i)) continue;
        if (e.what == command_code::synchronise && !device_.quiet()) {
            draining_ = true;  // posted writes are still in flight
            continue;
        }
        e.issued = true;
        carry_out(e);
    }
}

/// Starts a command. Commands without simulated duration complete immediately.
void host_interface::carry_out(entry& e) {
    using host::command_code;
    try {
        switch (e.what) {
            case command_code::launch:
                return device_.execute(e.command);
            case command_code::fill:
                if (context_.used())
                    std::memset(context_.bytes_at(e.command.address, e.command.bytes),
                                static_cast<int>(e.host_address & 0xff), e.command.bytes);
                return device_.execute(e.command);
            case command_code::copy_to_device:
            case command_code::copy_from_device:
                return begin_copy(e);
            case command_code::allocate:
            case command_code::release:
                change_memory(e);
                break;
            case command_code::load_program:
                load_program(e);
                break;
            case command_code::find_kernel:
                find_kernel(e);
                break;
            case command_code::launch_program:
                return launch_program(e);
            default:
                break;
        }
        finish(e);
    } catch (const command_fault& f) {
        fail(e, f.code(), f.what());
    }
}

void host_interface::change_memory(entry& e) {
    if (e.what == host::command_code::allocate) {
        e.result = context_.allocate(e.command.bytes);
        return;
    }
    const device_context::span gone = context_.release(e.command.address);
    port_->invalidate_direct_mem_ptr(host::aperture + gone.begin, host::aperture + gone.end - 1);
}

void host_interface::load_program(entry& e) {
    const unsigned first = context_.kernels();
    const unsigned count = context_.load(e.command.address, e.command.bytes);
    e.result = kernels_.size();
    for (unsigned k = 0; k < count; ++k) kernels_.push_back({{}, {}, 0, true, first + k});
}

void host_interface::find_kernel(entry& e) {
    const std::byte* const text = context_.bytes_at(e.command.address, e.command.bytes);
    std::string_view name(reinterpret_cast<const char*>(text), e.command.bytes);
    name = name.substr(0, name.find('\0'));
    const std::optional<unsigned> number = context_.find_kernel(name);
    if (!number)
        throw command_fault(host::error_code::no_such_kernel,
                            fmt::format("no kernel \"{}\" in the programs loaded", name));
    const auto at = std::find_if(kernels_.begin(), kernels_.end(), [&](const kernel_file& k) {
        return k.of_program && k.number == *number;
    });
    e.result = static_cast<std::uint64_t>(at - kernels_.begin());
}

void host_interface::launch_program(entry& e) {
    if (e.kernel >= kernels_.size() || !kernels_[e.kernel].of_program)
        throw command_fault(host::error_code::no_such_kernel,
                            fmt::format("kernel {} does not belong to a program", e.kernel));
    e.command.kernel =
        context_.launch(kernels_[e.kernel].number, e.command.address, e.command.bytes, e.stream);
    e.command.where = e.command.kernel->descriptor().name;
    device_.execute(e.command);
}

/// If device memory has no contents, the copy is handled as in a trace: it takes no time.
void host_interface::begin_copy(entry& e) {
    if (!context_.used()) return device_.execute(e.command);
    copy_engine::job j;
    j.to_host = e.what == host::command_code::copy_from_device;
    j.host_address = e.host_address;
    j.ticket = e.ticket;
    const std::byte* const place = context_.bytes_at(e.command.address, e.command.bytes);
    if (!engine_.bound())
        throw command_fault(host::error_code::host_memory_error,
                            "a copy requires that host memory is bound to host_memory");
    j.bytes.resize(e.command.bytes);
    if (j.to_host && !j.bytes.empty()) std::memcpy(j.bytes.data(), place, j.bytes.size());
    engine_.start(std::move(j));
}

void host_interface::copy_moved(copy_engine::job& j, tlm::tlm_response_status status) {
    for (entry& e : commands_) {
        if (e.ticket != j.ticket || e.done) continue;
        e.moved = true;
        e.moved_at = sc_core::sc_time_stamp();
        e.bytes = std::move(j.bytes);
        e.host_refused = status != tlm::TLM_OK_RESPONSE;
    }
    process_.wake();
}

/// Completes copies at the first clock edge after the time when their last byte was moved.
void host_interface::commit_copies(const sc_core::sc_time& now) {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        entry& e = commands_[i];
        if (!e.moved || e.done || e.moved_at >= now) continue;
        try {
            commit(e);
        } catch (const command_fault& f) {
            fail(e, f.code(), f.what());
        }
    }
}

void host_interface::commit(entry& e) {
    if (e.forgotten) return finish(e);
    if (e.host_refused)
        throw command_fault(host::error_code::host_memory_error,
                            fmt::format("the host memory rejected a copy of {} bytes at {:#x}",
                                        e.command.bytes, e.host_address));
    if (e.what == host::command_code::copy_to_device && !e.bytes.empty())
        std::memcpy(context_.bytes_at(e.command.address, e.bytes.size()), e.bytes.data(),
                    e.bytes.size());
    device_.execute(e.command);
}

void host_interface::fail(entry& e, host::error_code code, const std::string& why) {
    if (!e.forgotten) raise(code, why);
    end_failed(e, code);
}

/// Completes a command with the result of one that has failed.
void host_interface::end_failed(entry& e, host::error_code code) {
    e.result = std::uint64_t{host::failed_result} << 32 | static_cast<std::uint32_t>(code);
    finish(e);
}

void host_interface::completed(std::uint64_t ticket) {
    for (entry& e : commands_)
        if (e.ticket == ticket && !e.done) return finish(e);
}

void host_interface::finish(entry& e) {
    e.done = true;
    e.done_cycle = process_.now();
    process_.wake();
    if (e.forgotten) return;
    window& w = registers_.windows[e.window];
    ++w.completed;
    ++registers_.completed;
    w.last_tag = e.tag;
    w.result = e.result;
    --registers_.outstanding;
    std::uint32_t bits = host::command_done | host::window_done << e.window;
    if (is_launch(e.what)) bits |= host::kernel_done;
    if (registers_.outstanding == 0) bits |= host::idle;
    set_irq(bits);
}

void host_interface::cycle() {
    const std::uint64_t cycle = process_.now();
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    const bool rested = commands_.empty();
    commands_.erase(std::remove_if(commands_.begin(), commands_.end(),
                                   [&](const entry& e) { return e.done && e.done_cycle < cycle; }),
                    commands_.end());
    if (commands_.empty() && !rested) resting_since_ = now;
    serve_accesses(now);
    commit_copies(now);
    if (!resetting_ || now <= reset_at_) {
        issue(now);
    } else {
        if (abort_due_) discard_commands();
        continue_reset();
    }
    sleep_if_idle(now);
}

void host_interface::sleep_if_idle(const sc_core::sc_time& now) {
    if (resetting_ || draining_ || !accesses_.empty()) return;
    sc_core::sc_time next = sc_core::sc_max_time();
    for (const entry& e : commands_) {
        if (e.done || e.moved) return;
        if (e.at > now) next = std::min(next, e.at);
        if (e.at == now && !e.issued) return;  // is issued in the next cycle
    }
    process_.sleep();
    arrival_.cancel();
    if (next != sc_core::sc_max_time()) arrival_.notify(next - now);
}

}  // namespace simtlm::platform
