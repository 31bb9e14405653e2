// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/host_interface.h"

#include "modules/kernel/spawn.h"
#include "modules/protocol/phases.h"
#include "platform/gpu/device_context.h"
#include "platform/gpu/memory_aperture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace simtlm::platform {

namespace {

constexpr std::uint32_t word_bytes = 4;
/// Of device memory that pass the port in one core cycle.
constexpr unsigned beat_bytes = 32;

std::uint64_t join(std::uint32_t lo, std::uint32_t hi) {
    return std::uint64_t{hi} << 32 | lo;
}

bool in_window(std::uint32_t offset) {
    return offset >= host::first_window &&
           offset < host::first_window + host::window_count * host::window_bytes;
}
std::uint32_t window_of(std::uint32_t offset) {
    return (offset - host::first_window) / host::window_bytes;
}
std::uint32_t within_window(std::uint32_t offset) {
    return (offset - host::first_window) % host::window_bytes;
}
bool in_counters(std::uint32_t offset) {
    return offset >= host::counters && offset < host::counters + 8 * host::counter_count;
}

bool in_message(std::uint32_t offset) {
    return offset >= host::message && offset < host::map_bytes;
}
bool is_result(std::uint32_t within) {
    return within == host::result_lo || within == host::result_hi;
}
bool is_host_address(std::uint32_t within) {
    return within == host::host_address_lo || within == host::host_address_hi;
}

bool read_only(std::uint32_t offset) {
    if (in_counters(offset) || in_message(offset)) return true;
    if (in_window(offset)) {
        const std::uint32_t w = within_window(offset);
        return w == host::window_submitted || w == host::window_completed || w == host::last_tag ||
               is_result(w);
    }
    switch (offset) {
        case host::id:
        case host::version:
        case host::status:
        case host::irq_status:
        case host::sms:
        case host::channels:
        case host::kernels_loaded:
        case host::windows:
        case host::queue_depth:
        case host::queue_space:
        case host::submitted:
        case host::completed:
            return true;
        default:
            return false;
    }
}

/// What time changes without the host's doing.
bool read_changes(std::uint32_t offset) {
    if (in_counters(offset) || in_message(offset)) return true;
    if (in_window(offset)) {
        const std::uint32_t w = within_window(offset);
        return w == host::window_completed || w == host::last_tag || is_result(w);
    }
    switch (offset) {
        case host::status:
        case host::irq_status:
        case host::error:
        case host::queue_space:
        case host::completed:
            return true;
        default:
            return false;
    }
}
/// What acts on the GPU or its interrupt at once.
bool write_acts(std::uint32_t offset) {
    return offset == host::control || offset == host::irq_enable || offset == host::irq_clear ||
           offset == host::error;
}

bool enabled(const tlm::tlm_generic_payload& p, unsigned byte) {
    const unsigned char* const e = p.get_byte_enable_ptr();
    return e == nullptr || e[byte % p.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}
/// Bits of a word of the payload that its byte enables select.
std::uint32_t enabled_bits(const tlm::tlm_generic_payload& p, unsigned first) {
    std::array<unsigned char, word_bytes> bytes{};
    for (unsigned i = 0; i < word_bytes; ++i)
        bytes[i] = enabled(p, first + i) ? static_cast<unsigned char>(0xff) : 0;
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes.data(), word_bytes);
    return bits;
}
/// Register of the word at byte i of the payload.
std::uint32_t offset_of(const tlm::tlm_generic_payload& p, unsigned i) {
    return static_cast<std::uint32_t>(p.get_address()) + i % p.get_streaming_width();
}

bool is_launch(host::command_code c) {
    return c == host::command_code::launch || c == host::command_code::launch_program;
}

/// ERROR in words, where nobody has said more.
const char* words_of(host::error_code code) {
    using host::error_code;
    switch (code) {
        case error_code::none:
            return "";
        case error_code::bad_command:
            return "there is no such command";
        case error_code::no_such_kernel:
            return "there is no such kernel";
        case error_code::queue_full:
            return "the command queue is full";
        case error_code::refused_in_reset:
            return "a command was refused: the GPU is being reset";
        case error_code::gpu_stopped:
            return "the GPU has stopped";
        case error_code::memory_error:
            return "a foreign memory answered an error";
        case error_code::out_of_memory:
            return "device memory is full";
        case error_code::bad_address:
            return "an address that is not inside of one allocation";
        case error_code::bad_program:
            return "a program at fault";
        case error_code::bad_launch:
            return "a launch that cannot be";
        case error_code::program_fault:
            return "an executed program did what has no meaning";
        case error_code::host_memory_error:
            return "the host's memory answered an error, or there is none";
    }
    return "";
}

}  // namespace

host_interface::host_interface(const sc_core::sc_module_name& name,
                               kernel::phase_sequencer& sequencer, const settings& how,
                               host_device& device, device_context& context, const pins& outside)
    : sc_module(name),
      how_(how),
      device_(device),
      context_(context),
      aperture_(std::make_unique<memory_aperture>(context)),
      port_(outside.port),
      irq_(outside.irq),
      reset_(outside.reset),
      process_("commands", sequencer, protocol::phase::core_dispatch_ctas,
               kernel::on_edge<&host_interface::cycle>(this)),
      engine_("copy_engine", outside.host_memory,
              [this](copy_engine::job& j, tlm::tlm_response_status s) { copy_moved(j, s); }) {
    port_.register_b_transport(this, &host_interface::b_transport);
    port_.register_nb_transport_fw(this, &host_interface::nb_transport_fw);
    port_.register_transport_dbg(this, &host_interface::transport_dbg);
    port_.register_get_direct_mem_ptr(this, &host_interface::get_direct_mem_ptr);
    kernel::spawn_method("serve", [this] { serve(); }, {serve_event_});
    kernel::spawn_method("wake_process", [this] { wake_process(); }, {arrival_});
    kernel::spawn_method("drive_irq", [this] { drive_irq(); }, {irq_event_});
    kernel::spawn_method(
        "reset_changed", [this] { reset_changed(); }, {reset_}, kernel::first_run::at_start);
}

host_interface::~host_interface() = default;

unsigned host_interface::add_kernel(const std::string& file, const std::string& where,
                                    std::uint64_t stream) {
    kernels_.push_back({file, where, stream, false, 0});
    return static_cast<unsigned>(kernels_.size() - 1);
}

// Blocking, debug and direct access.

void host_interface::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    p.set_dmi_allowed(false);
    if (memory_aperture::holds(p)) return access_memory(p, delay);
    const tlm::tlm_response_status verdict = check(p);
    if (verdict != tlm::TLM_OK_RESPONSE) {
        p.set_response_status(verdict);
    } else {
        if (delay != sc_core::SC_ZERO_TIME && needs_present_time(p)) {
            sc_core::wait(delay);
            delay = sc_core::SC_ZERO_TIME;
        }
        access(p, sc_core::sc_time_stamp() + delay);
    }
    delay += how_.latency;
}

unsigned host_interface::transport_dbg(tlm::tlm_generic_payload& p) {
    if (memory_aperture::holds(p)) return aperture_->debug_access(p);
    if (!p.is_read() || p.get_address() >= host::map_bytes) return 0;
    const auto first = static_cast<std::uint32_t>(p.get_address());
    const unsigned count = std::min(p.get_data_length(), host::map_bytes - first);
    for (unsigned i = 0; i < count; ++i) {
        const std::uint32_t offset = first + i;
        const std::uint32_t value = peek(offset / word_bytes * word_bytes);
        std::array<unsigned char, word_bytes> bytes{};
        std::memcpy(bytes.data(), &value, word_bytes);
        p.get_data_ptr()[i] = bytes[offset % word_bytes];
    }
    return count;
}

bool host_interface::get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    dmi.init();
    if (memory_aperture::holds(p)) return aperture_->grant(p, dmi, how_.latency);
    // Registers have side effects: none of them, for reading or writing.
    dmi.set_start_address(0);
    dmi.set_end_address(host::aperture - 1);
    return false;
}

// Device memory.

/// Nothing that executes can touch it, and nothing did at this time.
bool host_interface::memory_rests() const {
    if (device_.stopped()) return true;
    return commands_.empty() && (resting_since_ < sc_core::sc_time_stamp() || tickets_ == 0);
}

void host_interface::access_memory(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    if (memory_rests()) {
        aperture_->access(p);
    } else {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        memory_access a{&p, sc_core::sc_time_stamp()};
        accesses_.push_back(&a);
        process_.wake();
        if (device_.stopped()) serve_accesses(sc_core::sc_max_time());
        while (!a.done) sc_core::wait(access_done_);
    }
    p.set_dmi_allowed(p.is_response_ok());
    delay += time_of(p);
}

/// Those that came before a time. In phase core_dispatch_ctas, or when the GPU has stopped.
void host_interface::serve_accesses(const sc_core::sc_time& before) {
    while (!accesses_.empty() && accesses_.front()->at < before) {
        memory_access& a = *accesses_.front();
        accesses_.pop_front();
        aperture_->access(*a.payload);
        a.done = true;
        access_done_.notify(sc_core::SC_ZERO_TIME);
        if (&a == &front_access_) serve_event_.notify(sc_core::SC_ZERO_TIME);
    }
}

/// From request to response.
sc_core::sc_time host_interface::time_of(const tlm::tlm_generic_payload& p) const {
    if (!memory_aperture::holds(p) || p.get_data_length() <= beat_bytes) return how_.latency;
    return how_.latency + (p.get_data_length() - 1) / beat_bytes * how_.cycle;
}

// Non-blocking access.

tlm::tlm_sync_enum host_interface::nb_transport_fw(tlm::tlm_generic_payload& p,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        p.set_dmi_allowed(false);
        if (!p.has_mm()) {
            SC_REPORT_ERROR("simtlm/host", "nb_transport_fw without a memory manager");
            p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
            return tlm::TLM_COMPLETED;
        }
        p.acquire();
        requests_.push_back({&p, sc_core::sc_time_stamp() + delay, false, {}});
        serve_event_.notify(delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_RESP && responding_ == &p) {
        responding_ = nullptr;
        response_free_ = sc_core::sc_time_stamp() + delay;
        p.release();
        serve_event_.notify(delay);
        return tlm::TLM_COMPLETED;
    }
    if (phase == tlm::END_RESP || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
        SC_REPORT_ERROR("simtlm/host", "phase out of order on the forward path");
    return tlm::TLM_ACCEPTED;
}

void host_interface::serve() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time next = accept_requests(now);
    while (responding_ == nullptr && !requests_.empty() && requests_.front().accepted) {
        const sc_core::sc_time at = std::max(requests_.front().ready, response_free_);
        if (at > now) {
            next = std::min(next, at);
            break;
        }
        if (!execute_front(now)) break;
        tlm::tlm_generic_payload& p = *requests_.front().payload;
        requests_.pop_front();
        respond(p, now);
    }
    if (next != sc_core::sc_max_time()) serve_event_.notify(next - now);
}

/// Requests in order, while there is room. The initiator may send the next one in our call.
/// @return when the next one comes
sc_core::sc_time host_interface::accept_requests(const sc_core::sc_time& now) {
    for (std::size_t i = 0; i < requests_.size() && i < how_.request_depth; ++i) {
        if (requests_[i].accepted) continue;
        if (requests_[i].at > now) return requests_[i].at;
        requests_[i].accepted = true;
        requests_[i].ready = now + time_of(*requests_[i].payload);
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        port_->nb_transport_bw(*requests_[i].payload, phase, delay);
    }
    return sc_core::sc_max_time();
}

/// @return false: the first request waits for an edge; serve_event_ follows
bool host_interface::execute_front(const sc_core::sc_time& now) {
    tlm::tlm_generic_payload& p = *requests_.front().payload;
    if (memory_aperture::holds(p)) {
        const bool waits = front_access_.payload == &p;
        if (waits && !front_access_.done) return false;
        if (!waits && !memory_rests()) {
            front_access_ = {&p, now};
            accesses_.push_back(&front_access_);
            process_.wake();
            return false;
        }
        if (!waits) aperture_->access(p);
        front_access_ = {};
        p.set_dmi_allowed(p.is_response_ok());
        return true;
    }
    const tlm::tlm_response_status verdict = check(p);
    if (verdict == tlm::TLM_OK_RESPONSE)
        access(p, now);
    else
        p.set_response_status(verdict);
    return true;
}

void host_interface::respond(tlm::tlm_generic_payload& p, const sc_core::sc_time& now) {
    responding_ = &p;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = port_->nb_transport_bw(p, phase, delay);
    if (responding_ == &p &&
        (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP))) {
        responding_ = nullptr;
        response_free_ = now + delay;
        p.release();
    }
    // There is room for one more.
    serve_event_.notify(sc_core::SC_ZERO_TIME);
}

// Registers.

/// What IEEE 1666 asks for when a target cannot execute a transaction, TLM_OK_RESPONSE if it can.
tlm::tlm_response_status host_interface::check(const tlm::tlm_generic_payload& p) {
    switch (p.get_command()) {
        case tlm::TLM_IGNORE_COMMAND:
            return tlm::TLM_OK_RESPONSE;
        case tlm::TLM_READ_COMMAND:
        case tlm::TLM_WRITE_COMMAND:
            break;
        default:
            return tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    if (p.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    if (p.get_byte_enable_ptr() != nullptr && p.get_byte_enable_length() == 0)
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (p.get_address() >= host::map_bytes || p.get_address() % word_bytes != 0)
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    const unsigned length = p.get_data_length();
    const unsigned reach = std::min(length, p.get_streaming_width());
    if (reach == 0 || length % word_bytes != 0 || reach % word_bytes != 0 ||
        reach > host::map_bytes - p.get_address())
        return tlm::TLM_BURST_ERROR_RESPONSE;
    if (p.is_write())
        for (unsigned i = 0; i < length; i += word_bytes)
            if (enabled_bits(p, i) != 0 && read_only(offset_of(p, i)))
                return tlm::TLM_COMMAND_ERROR_RESPONSE;
    return tlm::TLM_OK_RESPONSE;
}

bool host_interface::needs_present_time(const tlm::tlm_generic_payload& p) {
    if (p.get_command() == tlm::TLM_IGNORE_COMMAND) return false;
    const unsigned reach = std::min(p.get_data_length(), p.get_streaming_width());
    for (unsigned i = 0; i < reach; i += word_bytes) {
        const std::uint32_t offset = offset_of(p, i);
        if (p.is_write() ? write_acts(offset) : read_changes(offset)) return true;
    }
    return false;
}

/// @param at  effective time
void host_interface::access(tlm::tlm_generic_payload& p, const sc_core::sc_time& at) {
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    const unsigned length = p.get_command() == tlm::TLM_IGNORE_COMMAND ? 0 : p.get_data_length();
    for (unsigned i = 0; i < length && status == tlm::TLM_OK_RESPONSE; i += word_bytes) {
        const std::uint32_t offset = offset_of(p, i);
        const std::uint32_t bits = enabled_bits(p, i);
        if (bits == 0) continue;
        unsigned char* const data = p.get_data_ptr() + i;
        std::uint32_t there = 0;
        std::memcpy(&there, data, word_bytes);
        if (p.is_write()) {
            status = write(offset, (peek(offset) & ~bits) | (there & bits), at);
        } else {
            there = (there & ~bits) | (read(offset) & bits);
            std::memcpy(data, &there, word_bytes);
        }
    }
    p.set_response_status(status);
}

std::uint32_t host_interface::status() const {
    std::uint32_t bits = 0;
    if (outstanding_ != 0) bits |= host::busy;
    if (error_ != host::error_code::none) bits |= host::failed;
    if (device_.stopped()) bits |= host::stopped;
    if (resetting_) bits |= host::resetting;
    if (!device_.quiet()) bits |= host::memory_busy;
    return bits;
}

std::uint32_t host_interface::peek(std::uint32_t offset) const {
    if (in_counters(offset)) {
        const std::uint32_t word = (offset - host::counters) / word_bytes;
        const std::uint64_t value = device_.count(static_cast<host::counter>(word / 2));
        return static_cast<std::uint32_t>(word % 2 == 0 ? value : value >> 32);
    }
    if (in_window(offset)) return peek_window(offset);
    if (in_message(offset)) {
        std::array<char, word_bytes> bytes{};
        if (const std::size_t from = offset - host::message; from < message_.size())
            message_.copy(bytes.data(), word_bytes, from);
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data(), word_bytes);
        return value;
    }
    switch (offset) {
        case host::id:
            return host::id_value;
        case host::version:
            return host::version_value;
        case host::status:
            return status();
        case host::irq_status:
            return irq_status_;
        case host::irq_enable:
            return irq_enable_;
        case host::error:
            return static_cast<std::uint32_t>(error_);
        case host::sms:
            return how_.sms;
        case host::channels:
            return how_.channels;
        case host::kernels_loaded:
            return static_cast<std::uint32_t>(kernels_.size());
        case host::windows:
            return host::window_count;
        case host::queue_depth:
            return how_.queue_depth;
        case host::queue_space:
            return how_.queue_depth - outstanding_;
        case host::submitted:
            return submitted_;
        case host::completed:
            return completed_;
        default:
            return 0;
    }
}

std::uint32_t host_interface::peek_window(std::uint32_t offset) const {
    const window& w = windows_[window_of(offset)];
    const std::uint32_t word = within_window(offset);
    switch (word) {
        case host::window_submitted:
            return w.submitted;
        case host::window_completed:
            return w.completed;
        case host::last_tag:
            return w.last_tag;
        case host::host_address_lo:
        case host::host_address_hi:
            return w.host_address[(word - host::host_address_lo) / word_bytes];
        case host::result_lo:
            return static_cast<std::uint32_t>(w.result);
        case host::result_hi:
            return static_cast<std::uint32_t>(w.result >> 32);
        default:
            return word < host::doorbell ? w.words[word / word_bytes] : 0;
    }
}

std::uint32_t host_interface::read(std::uint32_t offset) {
    if (!in_counters(offset)) return peek(offset);
    const std::uint32_t word = (offset - host::counters) / word_bytes;
    if (word % 2 != 0) return latched_[word / 2];
    const std::uint64_t value = device_.count(static_cast<host::counter>(word / 2));
    latched_[word / 2] = static_cast<std::uint32_t>(value >> 32);
    return static_cast<std::uint32_t>(value);
}

tlm::tlm_response_status host_interface::write(std::uint32_t offset, std::uint32_t value,
                                               const sc_core::sc_time& at) {
    if (in_window(offset)) {
        const std::uint32_t word = within_window(offset);
        if (word == host::doorbell) return submit(window_of(offset), at);
        window& w = windows_[window_of(offset)];
        if (word < host::doorbell) w.words[word / word_bytes] = value;
        if (is_host_address(word))
            w.host_address[(word - host::host_address_lo) / word_bytes] = value;
        return tlm::TLM_OK_RESPONSE;
    }
    switch (offset) {
        case host::control:
            if ((value & host::reset) != 0) begin_reset();
            break;
        case host::irq_enable:
            irq_enable_ = value;
            irq_event_.notify(sc_core::SC_ZERO_TIME);
            break;
        case host::irq_clear:
            irq_status_ &= ~value;
            irq_event_.notify(sc_core::SC_ZERO_TIME);
            break;
        case host::error:
            error_ = host::error_code::none;
            message_.clear();
            break;
        default:
            break;
    }
    return tlm::TLM_OK_RESPONSE;
}

// Commands.

tlm::tlm_response_status host_interface::submit(unsigned number, const sc_core::sc_time& at) {
    using dispatch::host_command;
    using host::command_code;
    using host::error_code;
    window& w = windows_[number];
    const auto word = [&](std::uint32_t offset) { return w.words[offset / word_bytes]; };
    const auto refuse = [&](error_code why) {
        raise(why);
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    };
    if (device_.stopped()) return refuse(error_code::gpu_stopped);
    if (resetting_) return refuse(error_code::refused_in_reset);
    const std::uint32_t code = word(host::command);
    if (code >= host::command_count) return refuse(error_code::bad_command);
    if (outstanding_ >= how_.queue_depth) return refuse(error_code::queue_full);

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
        default:  // done here
            break;
    }
    queue(std::move(e), at);
    return tlm::TLM_OK_RESPONSE;
}

void host_interface::queue(entry e, const sc_core::sc_time& at) {
    window& w = windows_[e.window];
    e.ticket = e.command.tag = ++tickets_;
    e.at = std::max(at, w.last);
    w.last = e.at;
    ++w.submitted;
    ++submitted_;
    ++outstanding_;
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

/// Whether a command waits for one before it. What was done in this cycle is so from the next on:
/// the order of this process and the CTA scheduler does not matter.
bool host_interface::held_up(std::size_t index) const {
    using host::command_code;
    const entry& e = commands_[index];
    for (std::size_t i = 0; i < index; ++i) {
        const entry& before = commands_[i];
        if (e.what == command_code::synchronise || before.what == command_code::synchronise)
            return true;
        if (!e.any_stream && !before.any_stream && e.stream != before.stream) continue;
        // Kernels of a stream wait for one another in the command processor, which looks ahead.
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
            draining_ = true;  // posted writes are still under way
            continue;
        }
        e.issued = true;
        carry_out(e);
    }
}

/// Begins a command; what takes no time is done with it.
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
                            fmt::format("kernel {} is none of a program", e.kernel));
    e.command.kernel =
        context_.launch(kernels_[e.kernel].number, e.command.address, e.command.bytes, e.stream);
    e.command.where = e.command.kernel->descriptor().name;
    device_.execute(e.command);
}

/// Without contents of device memory a copy is that of a trace: it takes no time.
void host_interface::begin_copy(entry& e) {
    if (!context_.used()) return device_.execute(e.command);
    copy_engine::job j;
    j.to_host = e.what == host::command_code::copy_from_device;
    j.host_address = e.host_address;
    j.ticket = e.ticket;
    const std::byte* const place = context_.bytes_at(e.command.address, e.command.bytes);
    if (!engine_.bound())
        throw command_fault(host::error_code::host_memory_error,
                            "a copy, but no memory of the host is bound to host_memory");
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

/// Copies whose bytes have moved end at the first edge after that.
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
                            fmt::format("the host's memory refused a copy of {} bytes at {:#x}",
                                        e.command.bytes, e.host_address));
    if (e.what == host::command_code::copy_to_device && !e.bytes.empty())
        std::memcpy(context_.bytes_at(e.command.address, e.bytes.size()), e.bytes.data(),
                    e.bytes.size());
    device_.execute(e.command);
}

void host_interface::fail(entry& e, host::error_code code, const std::string& why) {
    e.result = std::uint64_t{host::failed_result} << 32 | static_cast<std::uint32_t>(code);
    if (!e.forgotten) raise(code, why);
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
    window& w = windows_[e.window];
    ++w.completed;
    ++completed_;
    w.last_tag = e.tag;
    w.result = e.result;
    --outstanding_;
    std::uint32_t bits = host::command_done | host::window_done << e.window;
    if (is_launch(e.what)) bits |= host::kernel_done;
    if (outstanding_ == 0) bits |= host::idle;
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
    if (abort_due_) {
        abort_due_ = false;
        device_.abort();
    }
    if (!resetting_) {
        issue(now);
    } else if (commands_.empty() && !reset_.read() && device_.quiet()) {
        device_.clear();
        resetting_ = false;
    }
    sleep_if_idle(now);
}

void host_interface::sleep_if_idle(const sc_core::sc_time& now) {
    if (resetting_ || draining_ || !accesses_.empty()) return;
    sc_core::sc_time next = sc_core::sc_max_time();
    for (const entry& e : commands_) {
        if (e.done || e.moved) return;
        if (e.at > now) next = std::min(next, e.at);
        if (e.at == now && !e.issued) return;  // in the next cycle
    }
    process_.sleep();
    arrival_.cancel();
    if (next != sc_core::sc_max_time()) arrival_.notify(next - now);
}

// Interrupt and reset.

void host_interface::raise(host::error_code code, const std::string& why) {
    if (error_ == host::error_code::none) {
        error_ = code;
        message_ = why.empty() ? words_of(code) : why;
        message_.resize(std::min<std::size_t>(message_.size(), host::message_bytes - 1));
    }
    if (!why.empty()) SC_REPORT_WARNING("simtlm/host", why.c_str());
    set_irq(host::fault);
}

void host_interface::device_stopped(host::error_code code, const std::string& why) {
    if (busy()) raise(code, why);
    serve_accesses(sc_core::sc_max_time());
}

void host_interface::set_irq(std::uint32_t bits) {
    irq_status_ |= bits;
    irq_event_.notify(sc_core::SC_ZERO_TIME);
}

void host_interface::drive_irq() {
    irq_->write((irq_status_ & irq_enable_) != 0);
}

void host_interface::reset_changed() {
    if (reset_.read()) begin_reset();
}

void host_interface::begin_reset() {
    commands_.erase(std::remove_if(commands_.begin(), commands_.end(),
                                   [](const entry& e) { return !e.issued; }),
                    commands_.end());
    for (entry& e : commands_) e.forgotten = true;
    for (window& w : windows_) w = window();
    irq_status_ = irq_enable_ = 0;
    submitted_ = completed_ = 0;
    outstanding_ = 0;
    error_ = host::error_code::none;
    message_.clear();
    resetting_ = true;
    abort_due_ = true;
    irq_event_.notify(sc_core::SC_ZERO_TIME);
    process_.wake();
}

}  // namespace simtlm::platform
