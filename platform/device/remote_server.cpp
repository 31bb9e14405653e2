// SPDX-License-Identifier: Apache-2.0
#include "platform/device/remote_server.h"

#include "platform/device/remote_task.h"
#include "platform/device/system.h"
#include "platform/device/validated_launch.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <utility>

namespace simtlm::device {

namespace {

using option_list = std::vector<std::pair<std::string, std::string>>;

constexpr std::uint64_t host_page = 4096;
/// Time in which a client must identify itself.
constexpr int greeting_ms = 30'000;
/// Messages that wait for the simulation: bytes from which no more are received.
constexpr std::size_t max_waiting_bytes = std::size_t{1} << 30;

/// Options of a run that concern its driver, besides those of the GPU.
constexpr const char* driver_options[] = {
    "--compat",
    "--code",
    "--ptxas",
    "--check",
    "--gpus",
    "--host-grace",
    "--functional-threads",
    "--pcie-bandwidth",
    "--pcie-latency",
    "--nvlink-bandwidth",
    "--nvlink-latency",
    "-gpgpu_stack_size_limit",
    "-gpgpu_heap_size_limit",
    "-gpgpu_ptx_force_max_capability",
};

/// Whether a driver must know an option of a group.
bool concerns_driver(const platform::option_info& o) {
    using platform::option_group;
    if (std::any_of(std::begin(driver_options), std::end(driver_options),
                    [&](const char* name) { return o.name == name; }))
        return true;
    switch (o.group) {
        case option_group::run:
        case option_group::output:
        case option_group::trace:
        case option_group::interconnect:
        case option_group::power:
        case option_group::elsewhere:
            return false;
        case option_group::launch:
        case option_group::fidelity:
        case option_group::chip:
        case option_group::core:
        case option_group::operands:
        case option_group::units:
        case option_group::sub_cores:
        case option_group::l1:
        case option_group::l2:
        case option_group::dram:
            return o.files == platform::file_use::none && !o.action;
    }
    return false;
}

option_list options_for_driver(const platform::option_values& values, bool functional) {
    option_list list;
    const auto add = [&](const platform::option_info& o) {
        for (const platform::option_value& v : values.all(o.name))
            list.emplace_back(o.name, v.text);
    };
    for (const platform::option_info& o : platform::option_table())
        if (o.name == "--compat") add(o);  // the first, because it changes others
    for (const platform::option_info& o : platform::option_table())
        if (o.name != "--compat" && values.given(o.name) && concerns_driver(o)) add(o);
    if (functional) list.emplace_back("-gpgpu_ptx_sim_mode", "1");
    // A driver does not depend on the network, whose description is a file of the server.
    list.emplace_back("-network_mode", "2");
    return list;
}

}  // namespace

message receive_first(remote_link& link) {
    auto m = link.receive(greeting_ms);
    if (!m) throw link_error("the client does not identify itself");
    return std::move(*m);
}

remote_client greet(remote_link& link, const message& first) {
    payload_reader in(first);
    if (first.kind != message_kind::hello || in.text() != "simtlm")
        throw link_error("the client does not speak the protocol of simtlm");
    if (const auto version = in.number<std::uint32_t>(); version != remote_version) {
        const std::string why = fmt::format(
            "the libraries of the program have version {} of the protocol, and simtlm "
            "serve has version {}: use the same build of simtlm on both sides",
            version, remote_version);
        refuse(link, why);
        throw link_error(why);
    }
    remote_client c;
    for (std::size_t n = in.count(8); n != 0; --n) c.command.push_back(in.text());
    in.finish();
    return c;
}

void refuse(remote_link& link, const std::string& why) {
    try {
        link.send(message_kind::refuse, payload_writer().text(why).bytes());
    } catch (const link_error&) {  // it is gone
    }
}

remote_server::remote_server(std::unique_ptr<remote_link> link, system& gpus,
                             const platform::option_values& options)
    : link_(std::move(link)), gpus_(gpus), state_(gpus.state()), memory_(state_.memory, *link_) {
    const auto send_text = [this](bool is_error, std::string_view text) {
        try {
            link_->send(message_kind::text, payload_writer().flag(is_error).text(text).bytes());
        } catch (const link_error&) {  // the receiver finds out
        }
    };
    state_.print = [send_text](std::string_view text) { send_text(false, text); };
    state_.report_error = [this, send_text](const std::string& text) {
        gpus_.log().log_error(text);
        send_text(true, text);
    };
    welcome(options);
}

remote_server::~remote_server() {
    link_->shut_down();
    if (receiver_.joinable()) receiver_.join();
}

void remote_server::welcome(const platform::option_values& options) {
    const system_config& config = gpus_.config();
    payload_writer out;
    out.text(config.name).flag(config.functional).flag(gpus_.log().records_calls());
    const option_list list = options_for_driver(options, config.functional);
    out.number(std::uint64_t{list.size()});
    for (const auto& [name, value] : list) out.text(name).text(value);
    link_->send(message_kind::welcome, out.bytes());
}

/// Receives messages until the connection ends, in a thread of its own, also while the GPUs are
/// simulated.
void remote_server::receive() {
    std::string why;
    try {
        while (true) {
            auto m = link_->receive(-1);
            if (!m) continue;
            if (m->kind == message_kind::abandon) state_.give_up = true;
            if (m->kind == message_kind::abandon || m->kind == message_kind::attention) {
                state_.attention = true;
                continue;
            }
            std::unique_lock<std::mutex> lock(mutex_);
            changed_.wait(lock, [&] { return waiting_bytes_ < max_waiting_bytes || ended_; });
            waiting_bytes_ += m->payload.size();
            received_.push_back(std::move(*m));
            changed_.notify_all();
        }
    } catch (const std::exception& e) {
        why = e.what();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    lost_ = why;
    if (!finished_) state_.give_up = state_.attention = true;
    changed_.notify_all();
}

/// The next message. @throws link_error  if there will be none
message remote_server::next() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !received_.empty() || !lost_.empty() || stops_; });
    if (stops_) throw link_error("the run is ended");
    if (received_.empty()) throw link_error(lost_);
    message m = std::move(received_.front());
    received_.pop_front();
    waiting_bytes_ -= m.payload.size();
    changed_.notify_all();
    return m;
}

/// The end of an effect; takes the contents of memory before it. Other messages, which the client
/// has sent before it has performed the effect, remain to be handled.
message remote_server::wait_for_effect() {
    std::deque<message> others;
    while (true) {
        message m = next();
        if (m.kind == message_kind::effect_data) {
            take_memory(m);
            continue;
        }
        if (m.kind != message_kind::effect_done) {
            others.push_back(std::move(m));
            continue;
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const message& o : others) waiting_bytes_ += o.payload.size();
        received_.insert(received_.begin(), std::make_move_iterator(others.begin()),
                         std::make_move_iterator(others.end()));
        return m;
    }
}

/// Ends the execution of tasks, in the thread of serve().
void remote_server::stop(bool abandon) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (finished_) return;
    stops_ = true;
    if (abandon) state_.give_up = state_.attention = true;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return stopped_; });
}

engine& remote_server::gpu() {
    if (!engine_) engine_ = gpus_.make_engine([this](bool abandon) { stop(abandon); });
    return *engine_;
}

std::string remote_server::serve(const std::function<void(const std::string& why)>& end) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    receiver_ = std::thread([this] { receive(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    std::string why;
    try {
        while (true) {
            const message m = next();
            if (m.kind == message_kind::finish) {
                finish(payload_reader(m), end);
                break;
            }
            handle(m);
        }
    } catch (const std::exception& e) {
        why = e.what();
        refuse(*link_, why);
    }
    bool stops = false;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ended_ = true;
        stops = stops_;
    }
    changed_.notify_all();
    if (why.empty()) return {};
    state_.give_up = true;
    if (engine_) engine_->finish();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopped_ = finished_ = true;
    }
    changed_.notify_all();
    if (!stops) end("ended, because the connection to the program was lost: " + why);
    return why;
}

void remote_server::finish(payload_reader in, const std::function<void(const std::string&)>& end) {
    const bool abandon = in.flag();
    const std::string why = in.text();
    in.finish();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        finished_ = true;
    }
    if (abandon) state_.give_up = true;
    if (engine_) engine_->finish();
    end(abandon && why.empty() ? "ended by its program" : why);
    const run_log::outcome o = gpus_.log().how_it_went();
    payload_writer out;
    out.flag(o.lost).flag(o.aborted).flag(o.findings).number(o.kernels);
    link_->send(message_kind::finished, out.bytes());
}

void remote_server::handle(const message& m) {
    payload_reader in(m);
    if (!opened_ && m.kind != message_kind::open) in.fail("the client has not opened the GPU");
    switch (m.kind) {
        case message_kind::open:
            return take_open(in);
        case message_kind::load:
            return take_load(in);
        case message_kind::unload:
            modules_.erase(in.number<std::uint32_t>());
            return in.finish();
        case message_kind::ranges:
            return take_ranges(in);
        case message_kind::memory:
            return take_memory(m);
        case message_kind::textures: {
            const memory_space::access_scope gate(state_.memory, false);
            read_textures(in, state_.textures);
            unbind_missing_images(state_.textures, state_.memory.table());
            return in.finish();
        }
        case message_kind::start:
            return take_start(in);
        case message_kind::place:
            send_ranges();
            return link_->send(message_kind::placed);
        case message_kind::run:
            state_.attention = in.flag() || state_.give_up;
            in.finish();
            return run();
        case message_kind::text: {
            const std::string kind = in.text();
            gpus_.log().note(kind, in.text());
            return in.finish();
        }
        case message_kind::calls:
            return take_calls(in);
        default:
            in.fail("it is not expected");
    }
}

void remote_server::take_open(payload_reader in) {
    const auto begin = in.number<std::uint64_t>(), end = in.number<std::uint64_t>();
    in.finish();
    if (opened_) in.fail("the GPU has been opened");
    // A program may use the usual addresses of device memory itself.
    if (begin != state_.memory.table().static_begin()) gpus_.place_memory(begin);
    if (end != state_.memory.table().end()) in.fail("device memory has another size");
    opened_ = true;
}

void remote_server::take_load(payload_reader in) {
    const auto number = in.number<std::uint32_t>();
    if (modules_.count(number) != 0) in.fail("the module is loaded");
    const module_source source = read_module(in);
    execution::device_memory::static_placement placement;
    placement.replays = true;
    placement.addresses.resize(in.count(sizeof(std::uint64_t)));
    for (std::uint64_t& a : placement.addresses) a = in.number<std::uint64_t>();
    in.finish();
    modules_[number] = gpus_.load(source, &placement);
}

void remote_server::take_ranges(payload_reader in) {
    const memory_space::access_scope gate(state_.memory, false);
    for (std::size_t n = in.count(8); n != 0; --n) remove_range(in.number<std::uint64_t>(), in);
    for (std::size_t n = in.count(25); n != 0; --n) {
        const auto begin = in.number<std::uint64_t>(), bytes = in.number<std::uint64_t>();
        const bool shared = in.flag();
        add_range(begin, bytes, in.text(), shared, in);
    }
    for (std::size_t n = in.count(16); n != 0; --n) {
        const auto begin = in.number<std::uint64_t>(), bytes = in.number<std::uint64_t>();
        const execution::device_memory::range* const r = state_.memory.table().find(begin);
        if (r == nullptr || bytes > r->end - begin)
            in.fail("it exposes memory that does not exist");
        memory_.share(begin, bytes);
    }
    in.finish();
    unbind_missing_images(state_.textures, state_.memory.table());
}

void remote_server::add_range(std::uint64_t begin, std::uint64_t bytes, std::string label,
                              bool shared, payload_reader& in) {
    execution::device_memory& table = state_.memory.table();
    const bool outside = begin >= table.end() || begin < table.static_begin();
    if (bytes == 0 || begin + bytes < begin) in.fail("an allocation without bytes");
    if (outside) map_host_pages(begin, bytes);
    const bool done =
        outside ? table.admit(begin, bytes, std::move(label))
                : begin >= table.static_end() && table.allocate_at(begin, bytes, std::move(label));
    if (!done) in.fail("an allocation overlaps with another");
    ranges_[begin] = {bytes, outside};
    if (shared) memory_.share_zeroed(begin, bytes);
    // The host can write there without notification.
    if (shared && !outside && table.writes() != nullptr) table.note_written(begin, bytes);
}

void remote_server::remove_range(std::uint64_t begin, payload_reader& in) {
    const auto at = ranges_.find(begin);
    if (at == ranges_.end()) in.fail("it frees what is not allocated");
    memory_.unshare(begin);
    execution::device_memory& table = state_.memory.table();
    if (at->second.outside) {
        table.dismiss(begin);
        unmap_host_pages(begin, at->second.bytes);
    } else {
        table.release(begin);
    }
    ranges_.erase(at);
}

/// Provides memory at the addresses of memory of the client's program.
void remote_server::map_host_pages(std::uint64_t begin, std::uint64_t bytes) {
    for (std::uint64_t p = begin & ~(host_page - 1); p < begin + bytes; p += host_page) {
        if (++host_pages_[p] != 1) continue;
        void* const wanted = reinterpret_cast<void*>(p);
        void* const got =
            ::mmap(wanted, host_page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == wanted) continue;
        if (got != MAP_FAILED) ::munmap(got, host_page);
        host_pages_.erase(p);
        throw link_error(fmt::format(
            "host memory at {:#x}, which the program makes accessible to the GPU, is at an address "
            "that simtlm serve itself uses: run the program again, or allocate the memory by CUDA",
            begin));
    }
}

void remote_server::unmap_host_pages(std::uint64_t begin, std::uint64_t bytes) {
    for (std::uint64_t p = begin & ~(host_page - 1); p < begin + bytes; p += host_page) {
        const auto at = host_pages_.find(p);
        if (at == host_pages_.end() || --at->second != 0) continue;
        host_pages_.erase(at);
        ::munmap(reinterpret_cast<void*>(p), host_page);
    }
}

void remote_server::take_memory(const message& m) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> written;
    {
        const memory_space::access_scope gate(state_.memory, false);
        const bool notes = state_.memory.table().writes() != nullptr;
        memory_.receive(m, [&](std::uint64_t address, std::uint64_t bytes) {
            if (notes) written.emplace_back(address, bytes);
        });
        state_.memory.table().progress().note_change();
    }
    for (const auto& [address, bytes] : written) state_.memory.note_written(address, bytes);
}

void remote_server::take_calls(payload_reader in) {
    while (!in.at_end()) {
        const char* const name = labels_.insert(in.text()).first->c_str();
        const auto row = in.number<std::uint64_t>();
        const auto from = in.number<std::uint64_t>();
        gpus_.log().called(name, row, from, in.number<std::uint64_t>());
    }
}

/// Checks that rows are within allocations.
void remote_server::check_rows(const memory_rows& rows, payload_reader& in) const {
    std::uint64_t bytes_of_rows = 0;
    if (__builtin_mul_overflow(rows.width, rows.height, &bytes_of_rows) ||
        __builtin_mul_overflow(bytes_of_rows, rows.depth, &bytes_of_rows) ||
        bytes_of_rows > state_.memory.table().end())
        in.fail("rows that exceed device memory");
    for_each_row(rows, [&](std::uint64_t address, std::uint64_t bytes) {
        const execution::device_memory::range* const r = state_.memory.table().find(address);
        if (r == nullptr || bytes > r->end - address) in.fail("rows that are not allocated");
    });
}

void remote_server::take_start(payload_reader in) {
    state_.stack_limit = in.number<std::uint64_t>();
    state_.heap_limit = in.number<std::uint64_t>();
    task_context context;
    context.module = [&](std::uint32_t n) {
        const auto at = modules_.find(n);
        return at == modules_.end() ? nullptr : at->second;
    };
    context.task = [&](std::uint64_t n) {
        const auto at = open_.find(n);
        return at == open_.end() ? nullptr : at->second;
    };
    context.label = [&](const std::string& text) { return labels_.insert(text).first->c_str(); };
    bool has_effect = false;
    task_ptr t = read_task(in, context, has_effect);
    in.finish();
    if (t->device >= gpus_.devices() || open_.count(t->number) != 0)
        in.fail("a task of another GPU, or that is in progress");
    {
        const memory_space::access_scope gate(state_.memory, false);
        for (const memory_rows& r : {t->l2_rows, t->reads, t->writes}) check_rows(r, in);
        for (const memory_rows& r : t->accesses) check_rows(r, in);
    }
    open_[t->number] = t;
    engine& e = gpu();
    t->started_at = t->finished_at = e.now();
    if (t->what == task::kind::kernel) {
        try {
            // Grids of such kernels are in CTAs already.
            if (!t->launch.kernel->blocks_are_clusters)
                t->launch = validated_launch(gpus_.config(), std::move(t->launch)).request();
        } catch (const failure& f) {
            in.fail(f.what());
        }
    } else {
        perform(t, has_effect);
    }
    has_run_ = has_run_ || t->what != task::kind::marker;
    e.start(t);
}

/// Makes the effect of a copy or host call.
void remote_server::perform(const task_ptr& t, bool by_client) {
    task* const raw = t.get();  // the effect is a member of the task
    if (is_inside_gpus(*t)) {
        if (!t->pattern.empty() || t->writes.width != 0)
            t->effect = [this, raw] {
                perform_inside_gpus(
                    *raw, [this](std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
                        if (from != 0)
                            state_.memory.note_copied(to, from, bytes);
                        else
                            state_.memory.note_written(to, bytes);
                    });
            };
    } else if (by_client) {
        t->effect = [this, raw] { perform_on_client(*raw); };
    }
}

void remote_server::perform_on_client(task& t) {
    {
        const memory_space::access_scope gate(state_.memory, false);
        const auto send_rows = [&](const memory_rows& rows) {
            for_each_row(rows, [&](std::uint64_t address, std::uint64_t bytes) {
                memory_.send(message_kind::memory, address, bytes);
            });
        };
        send_rows(t.reads);
        for (const memory_rows& r : t.accesses) send_rows(r);
        memory_.flush(message_kind::memory);
    }
    link_->send(message_kind::effect, payload_writer().number(t.number).bytes());
    const message m = wait_for_effect();
    payload_reader in(m);
    if (in.number<std::uint64_t>() != t.number) in.fail("the effect of another task");
    const status outcome = in.choice(status::host_memory_not_registered);
    const std::string why = in.text();
    in.finish();
    if (outcome != status::success) throw failure(outcome, why);
}

void remote_server::run() {
    const std::vector<task_ptr> done = gpu().run();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (stops_) throw link_error("the run is ended");
        if (!lost_.empty()) throw link_error(lost_);
    }
    send_ranges();
    if (has_run_ && memory_.shares_any()) {
        const memory_space::access_scope gate(state_.memory, false);
        memory_.send_changes(message_kind::memory);
    }
    payload_writer out;
    out.number(engine_->now()).number(std::uint64_t{done.size()});
    for (const task_ptr& t : done) {
        out.number(t->number).number(t->outcome).number(t->started_at).number(t->finished_at);
        open_.erase(t->number);
    }
    const std::vector<task_ptr> ready = engine_->take_ready_for_dependents();
    out.number(std::uint64_t{ready.size()});
    for (const task_ptr& t : ready) out.number(t->number);
    has_run_ = engine_->busy();
    link_->send(message_kind::ran, out.bytes());
}

/// Sends the allocations that kernels need, if they have changed.
void remote_server::send_ranges() {
    const memory_space::access_scope gate(state_.memory, false);
    const execution::device_memory& table = state_.memory.table();
    if (std::exchange(seen_changes_, table.changes()) == table.changes()) return;
    range_changes changes = find_changes(
        table, own_, [this](std::uint64_t begin) { return ranges_.count(begin) != 0; });
    own_ = std::move(changes.all);
    if (changes.removed.empty() && changes.added.empty()) return;
    payload_writer out;
    out.number(std::uint64_t{changes.removed.size()});
    for (const std::uint64_t begin : changes.removed) out.number(begin);
    out.number(std::uint64_t{changes.added.size()});
    for (const execution::device_memory::range* const r : changes.added)
        out.number(r->begin).number(r->end - r->begin).flag(false).text(r->label);
    out.number(std::uint64_t{0});
    link_->send(message_kind::ranges, out.bytes());
}

}  // namespace simtlm::device
