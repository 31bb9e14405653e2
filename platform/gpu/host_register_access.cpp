// SPDX-License-Identifier: Apache-2.0
// Registers of host_interface: access checks, reads and writes.
#include "platform/gpu/host_interface.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace simtlm::platform {

namespace {

constexpr std::uint32_t word_bytes = 4;

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

/// Returns whether the value changes over time without an access of the host.
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
/// Returns whether a write affects the GPU or its interrupt immediately.
bool write_acts(std::uint32_t offset) {
    return offset == host::control || offset == host::irq_enable || offset == host::irq_clear ||
           offset == host::error;
}

bool enabled(const tlm::tlm_generic_payload& p, unsigned byte) {
    const unsigned char* const e = p.get_byte_enable_ptr();
    return e == nullptr || e[byte % p.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}
/// Mask of the bits of a payload word that its byte enables select.
std::uint32_t enabled_bits(const tlm::tlm_generic_payload& p, unsigned first) {
    std::array<unsigned char, word_bytes> bytes{};
    for (unsigned i = 0; i < word_bytes; ++i)
        bytes[i] = enabled(p, first + i) ? static_cast<unsigned char>(0xff) : 0;
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes.data(), word_bytes);
    return bits;
}
/// Register offset of the word at byte i of the payload.
std::uint32_t offset_of(const tlm::tlm_generic_payload& p, unsigned i) {
    return static_cast<std::uint32_t>(p.get_address()) + i % p.get_streaming_width();
}

}  // namespace

/// Response required by IEEE 1666 for a transaction that the target cannot execute, otherwise
/// TLM_OK_RESPONSE.
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

/// @param at  effective time of the access
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
    if (registers_.outstanding != 0) bits |= host::busy;
    if (registers_.error != host::error_code::none) bits |= host::failed;
    if (resetting_)
        bits |= host::resetting;
    else if (device_.stopped())
        bits |= host::stopped;
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
        if (const std::size_t from = offset - host::message; from < registers_.message.size())
            registers_.message.copy(bytes.data(), word_bytes, from);
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
            return registers_.irq_status;
        case host::irq_enable:
            return registers_.irq_enable;
        case host::error:
            return static_cast<std::uint32_t>(registers_.error);
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
            return how_.queue_depth - registers_.outstanding;
        case host::submitted:
            return registers_.submitted;
        case host::completed:
            return registers_.completed;
        default:
            return 0;
    }
}

std::uint32_t host_interface::peek_window(std::uint32_t offset) const {
    const window& w = registers_.windows[window_of(offset)];
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
        window& w = registers_.windows[window_of(offset)];
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
            registers_.irq_enable = value;
            irq_event_.notify(sc_core::SC_ZERO_TIME);
            break;
        case host::irq_clear:
            registers_.irq_status &= ~value;
            irq_event_.notify(sc_core::SC_ZERO_TIME);
            break;
        case host::error:
            registers_.error = host::error_code::none;
            registers_.message.clear();
            break;
        default:
            break;
    }
    return tlm::TLM_OK_RESPONSE;
}

}  // namespace simtlm::platform
