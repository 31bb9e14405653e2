// SPDX-License-Identifier: Apache-2.0
#include "platform/device/remote_device.h"

#include "platform/device/remote_task.h"
#include "platform/device/run_log.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace simtlm::device {

namespace {

/// Time in which a server answers a new client.
constexpr int answer_ms = 60'000;
/// Interval in which a waiting client looks for other threads that want the memory.
constexpr int poll_ms = 2;

bool is_shared(memory_kind k) {
    return k == memory_kind::managed || k == memory_kind::host || k == memory_kind::registered;
}

}  // namespace

remote_device::remote_device(std::string address, const std::vector<std::string>& command)
    : address_(std::move(address)), link_(remote_link::connect(address_)) {
    payload_writer hello;
    hello.text("simtlm").number(remote_version);
    hello.number(std::uint64_t{command.size()});
    for (const std::string& word : command) hello.text(word);
    std::string why = "the server does not answer";
    try {
        link_->send(message_kind::hello, hello.bytes());
        if (const auto m = link_->receive(answer_ms)) {
            if (m->kind == message_kind::welcome) {
                read_welcome(*m);
                return;
            }
            why = m->kind == message_kind::refuse ? payload_reader(*m).text()
                                                  : "the server does not speak this protocol";
        }
    } catch (const link_error& e) {
        why = e.what();
    }
    throw support::user_error(address_, "the simulated GPU cannot be used: " + why,
                              "see what simtlm serve has printed");
}

void remote_device::read_welcome(const message& m) {
    payload_reader in(m);
    name_ = in.text();
    survives_faults_ = in.flag();
    records_calls_ = in.flag();
    for (std::size_t n = in.count(16); n != 0; --n) {
        std::string name = in.text();
        options_.emplace_back(std::move(name), in.text());
    }
    in.finish();
}

void remote_device::open(shared_state& state, run_log& log) {
    state_ = &state;
    log_ = &log;
    memory_ = std::make_unique<remote_memory>(state.memory, *link_);
    payload_writer out;
    out.number(state.memory.table().static_begin()).number(state.memory.table().end());
    send(message_kind::open, out.bytes());
}

/// The connection has ended.
void remote_device::lose(const std::string& why) {
    if (lost_.exchange(true)) return;
    link_->shut_down();
    log_->kernel_failed();
    log_->log_error(
        fmt::format("{}: the connection to the simulated GPU is lost: {}", address_, why));
}

bool remote_device::send(message_kind kind, std::string_view payload) {
    if (lost_) return false;
    try {
        link_->send(kind, payload);
        return true;
    } catch (const link_error& e) {
        // The server may have said why.
        try {
            while (const auto m = link_->receive(0))
                if (m->kind == message_kind::refuse) {
                    lose(payload_reader(*m).text());
                    return false;
                }
        } catch (const link_error&) {
        }
        lose(e.what());
        return false;
    }
}

std::shared_ptr<loaded_module> remote_device::load(
    const module_source& source,
    const std::function<loaded_module*(execution::device_memory::static_placement*)>& make) {
    const std::lock_guard<std::mutex> lock(modules_mutex_);
    execution::device_memory::static_placement placement;
    std::shared_ptr<loaded_module> m(make(&placement),
                                     [this](loaded_module* gone) { unload(gone); });
    const std::uint32_t number = ++last_module_;
    modules_[m.get()] = number;
    payload_writer out;
    out.number(number);
    write_module(out, source);
    out.number(std::uint64_t{placement.addresses.size()});
    for (const std::uint64_t a : placement.addresses) out.number(a);
    send(message_kind::load, out.bytes());
    return m;
}

void remote_device::unload(loaded_module* m) {
    const std::lock_guard<std::mutex> lock(modules_mutex_);
    const auto at = modules_.find(m);
    const std::uint32_t number = at == modules_.end() ? 0 : at->second;
    modules_.erase(m);
    delete m;
    if (number != 0) send(message_kind::unload, payload_writer().number(number).bytes());
}

void remote_device::called(const char* name, std::uint64_t row, std::uint64_t from,
                           std::uint64_t to) {
    const std::lock_guard<std::mutex> lock(calls_mutex_);
    calls_.text(name).number(row).number(from).number(to);
}

void remote_device::note(const std::string& kind, const std::string& text) {
    send(message_kind::text, payload_writer().text(kind).text(text).bytes());
}

void remote_device::send_calls() {
    const std::lock_guard<std::mutex> lock(calls_mutex_);
    if (calls_.size() == 0) return;
    send(message_kind::calls, calls_.bytes());
    calls_.clear();
}

/// Sends the allocations made and freed since the last time. Variables of modules are sent with
/// their modules.
void remote_device::send_ranges() {
    const execution::device_memory& table = state_->memory.table();
    const auto exposed = state_->memory.take_exposed();
    if (std::exchange(seen_changes_, table.changes()) == table.changes() && exposed.empty()) return;
    range_changes changes = find_changes(
        table, sent_, [this](std::uint64_t begin) { return servers_.count(begin) != 0; });
    if (changes.removed.empty() && changes.added.empty() && exposed.empty()) return;
    payload_writer out;
    out.number(std::uint64_t{changes.removed.size()});
    for (const std::uint64_t begin : changes.removed) {
        memory_->unshare(begin);
        out.number(begin);
    }
    out.number(std::uint64_t{changes.added.size()});
    std::vector<const execution::device_memory::range*> shared;
    for (const execution::device_memory::range* const r : changes.added) {
        const auto a = state_->memory.find(r->begin);
        const bool shares = a && is_shared(a->kind);
        if (shares) shared.push_back(r);
        out.number(r->begin).number(r->end - r->begin).flag(shares).text(r->label);
    }
    out.number(std::uint64_t{exposed.size()});
    for (const auto& [begin, bytes] : exposed) {
        out.number(begin).number(bytes);
        memory_->share(begin, bytes);
    }
    send(message_kind::ranges, out.bytes());
    sent_ = std::move(changes.all);
    for (const execution::device_memory::range* const r : shared)
        memory_->share_zeroed(r->begin, r->end - r->begin);
}

void remote_device::send_textures() {
    const execution::texture_table& textures = state_->textures;
    if (std::exchange(seen_textures_, textures.changes()) == textures.changes()) return;
    payload_writer out;
    write_textures(out, textures);
    send(message_kind::textures, out.bytes());
}

/// Passes on what the host has done to memory. The caller holds the gate.
void remote_device::share_memory() {
    try {
        send_ranges();
        memory_->send_changes(message_kind::memory);
    } catch (const link_error& e) {
        lose(e.what());
    }
}

void remote_device::start(const task_ptr& t) {
    open_[t->number] = t;
    if (lost_) return;
    std::uint32_t module = 0;
    if (t->what == task::kind::kernel) {
        // Before the gate is held: a thread that loads a module holds the mutex, then the gate.
        const std::lock_guard<std::mutex> lock(modules_mutex_);
        module = modules_[t->launch.module.get()];
    }
    access gate = hold();
    share_memory();
    payload_writer out;
    bool places = false;
    if (t->what == task::kind::kernel) {
        send_textures();
        const loaded_module& m = *t->launch.module;
        places = t->launch.cooperative || m.allocates() || m.image().launches_kernels();
    }
    out.number(state_->stack_limit).number(state_->heap_limit);
    write_task(out, *t, module);
    if (!send(message_kind::start, out.bytes()) || !places) return;
    // The server allocates memory for such kernels.
    if (!send(message_kind::place)) return;
    try {
        wait_for(message_kind::placed, gate);
    } catch (const link_error& e) {
        lose(e.what());
    }
}

/// Asks the server to return from its simulation if another thread needs the memory or has work.
void remote_device::ask_to_return(bool& asked) {
    if (state_->give_up) {
        if (!std::exchange(asked, true)) link_->send(message_kind::abandon);
    } else if (state_->attention || state_->memory.wanted()) {
        if (!std::exchange(asked, true)) link_->send(message_kind::attention);
    }
}

/// Handles messages until one of a kind comes. @throws link_error
message remote_device::wait_for(message_kind kind, access& gate) {
    bool asked = false;
    while (true) {
        auto m = link_->receive(poll_ms);
        if (!m)
            ask_to_return(asked);
        else if (m->kind == kind)
            return std::move(*m);
        else
            handle(*m, gate);
    }
}

void remote_device::handle(const message& m, access& gate) {
    payload_reader in(m);
    switch (m.kind) {
        case message_kind::ranges:
            return take_ranges(in);
        case message_kind::memory:
            return memory_->receive(m, nullptr);
        case message_kind::effect:
            return perform_effect(in, gate);
        case message_kind::text: {
            const bool is_error = in.flag();
            const std::string text = in.text();
            if (is_error) return log_->log_error(text);
            std::fwrite(text.data(), 1, text.size(), stdout);
            return;
        }
        case message_kind::refuse:
            throw link_error(in.text());
        default:
            in.fail("it is not expected");
    }
}

/// Allocations that the server has made or freed: those of kernels.
void remote_device::take_ranges(payload_reader in) {
    execution::device_memory& table = state_->memory.table();
    for (std::size_t n = in.count(8); n != 0; --n) {
        const auto begin = in.number<std::uint64_t>();
        if (servers_.erase(begin) == 0) in.fail("it frees what the server has not allocated");
        table.release(begin);
    }
    for (std::size_t n = in.count(25); n != 0; --n) {
        const auto begin = in.number<std::uint64_t>();
        const auto bytes = in.number<std::uint64_t>();
        in.flag();
        if (!table.allocate_at(begin, bytes, in.text()))
            in.fail("the server allocates memory in use");
        servers_.insert(begin);
    }
    if (in.count(16) != 0) in.fail("the server exposes memory");
    in.finish();
}

void remote_device::perform_effect(payload_reader in, access& gate) {
    const auto number = in.number<std::uint64_t>();
    const auto at = open_.find(number);
    if (at == open_.end() || !at->second->effect) in.fail("it names a task without effect");
    task& t = *at->second;
    gate.reset();
    payload_writer out;
    out.number(number);
    try {
        t.effect();
        out.number(status::success).text("");
    } catch (const failure& e) {
        out.number(e.code()).text(e.what());
    } catch (const std::exception& e) {
        out.number(status_of_fault(e)).text(e.what());
    }
    gate = hold();
    const auto send_rows = [&](const memory_rows& rows) {
        for_each_row(rows, [&](std::uint64_t address, std::uint64_t bytes) {
            memory_->send(message_kind::effect_data, address, bytes);
        });
    };
    send_rows(t.writes);
    for (const memory_rows& r : t.accesses) send_rows(r);
    memory_->flush(message_kind::effect_data);
    link_->send(message_kind::effect_done, out.bytes());
}

std::vector<task_ptr> remote_device::fail_all() {
    std::vector<task_ptr> all;
    for (auto& [number, t] : open_) {
        t->outcome = t->even_after_fault ? status::success : status::launch_failure;
        t->finished_at = now_;
        all.push_back(t);
    }
    open_.clear();
    return all;
}

std::vector<task_ptr> remote_device::read_ran(const message& m) {
    payload_reader in(m);
    now_ = in.number<std::uint64_t>();
    std::vector<task_ptr> done;
    for (std::size_t n = in.count(25); n != 0; --n) {
        const auto at = open_.find(in.number<std::uint64_t>());
        if (at == open_.end()) in.fail("it ends a task that is not in progress");
        task& t = *at->second;
        t.outcome = in.choice(status::host_memory_not_registered);
        t.started_at = in.number<std::uint64_t>();
        t.finished_at = in.number<std::uint64_t>();
        done.push_back(at->second);
        open_.erase(at);
    }
    for (std::size_t n = in.count(8); n != 0; --n) {
        const auto at = open_.find(in.number<std::uint64_t>());
        if (at != open_.end()) ready_.push_back(at->second);
    }
    in.finish();
    return done;
}

std::vector<task_ptr> remote_device::run() {
    if (lost_) return fail_all();
    try {
        access gate = hold();
        share_memory();
        send_calls();
        send(message_kind::run, payload_writer().flag(state_->attention).bytes());
        if (!lost_) return read_ran(wait_for(message_kind::ran, gate));
    } catch (const link_error& e) {
        lose(e.what());
    }
    return fail_all();
}

void remote_device::finish() {
    if (std::exchange(finished_, true) || lost_ || state_ == nullptr) return;
    try {
        send_calls();
        payload_writer out;
        send(message_kind::finish, out.flag(state_->give_up).text(interrupted_).bytes());
        if (lost_) return;
        access none;
        const message m = wait_for(message_kind::finished, none);
        payload_reader in(m);
        run_log::outcome found;
        found.lost = in.flag();
        found.aborted = in.flag();
        found.findings = in.flag();
        found.kernels = in.number<std::uint64_t>();
        in.finish();
        log_->set_outcome(found);
    } catch (const link_error& e) {
        lose(e.what());
    }
}

}  // namespace simtlm::device
