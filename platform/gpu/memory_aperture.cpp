// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/memory_aperture.h"

#include <algorithm>
#include <cstring>

namespace simtlm::platform {

namespace {

std::uint64_t device_address(const tlm::tlm_generic_payload& p) {
    return p.get_address() - host::aperture;
}

void move(const tlm::tlm_generic_payload& p, unsigned char* device, unsigned first,
          unsigned count) {
    unsigned char* const data = p.get_data_ptr() + first;
    if (p.is_write())
        std::memcpy(device, data, count);
    else
        std::memcpy(data, device, count);
}

/// Copies byte by byte, honouring byte enables and the streaming width.
void move_selected(const tlm::tlm_generic_payload& p, unsigned char* device) {
    const unsigned char* const enable = p.get_byte_enable_ptr();
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
        const bool on =
            enable == nullptr || enable[i % p.get_byte_enable_length()] == TLM_BYTE_ENABLED;
        if (on) move(p, device + i % p.get_streaming_width(), i, 1);
    }
}

}  // namespace

void memory_aperture::access(tlm::tlm_generic_payload& p) const {
    p.set_response_status(execute(p));
}

tlm::tlm_response_status memory_aperture::execute(tlm::tlm_generic_payload& p) const {
    if (p.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
    if (!p.is_read() && !p.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (p.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    if (p.get_byte_enable_ptr() != nullptr && p.get_byte_enable_length() == 0)
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    const auto there = context_.find(device_address(p));
    if (!there) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    const unsigned length = p.get_data_length();
    const unsigned reach = std::min(length, p.get_streaming_width());
    const std::uint64_t offset = device_address(p) - there->begin;
    if (reach == 0 || reach > there->end - there->begin - offset)
        return tlm::TLM_BURST_ERROR_RESPONSE;
    auto* const device = reinterpret_cast<unsigned char*>(there->bytes + offset);
    if (p.get_byte_enable_ptr() == nullptr && reach == length)
        move(p, device, 0, length);
    else
        move_selected(p, device);
    return tlm::TLM_OK_RESPONSE;
}

unsigned memory_aperture::debug_access(tlm::tlm_generic_payload& p) const {
    if (!p.is_read() && !p.is_write()) return 0;
    const auto there = context_.find(device_address(p));
    if (!there) return 0;
    const std::uint64_t offset = device_address(p) - there->begin;
    const auto count = static_cast<unsigned>(
        std::min<std::uint64_t>(p.get_data_length(), there->end - there->begin - offset));
    move(p, reinterpret_cast<unsigned char*>(there->bytes + offset), 0, count);
    return count;
}

bool memory_aperture::grant(const tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi,
                            const sc_core::sc_time& latency) const {
    const auto there = context_.find(device_address(p));
    if (!there) {
        dmi.set_start_address(p.get_address());
        dmi.set_end_address(p.get_address());
        return false;
    }
    dmi.set_start_address(host::aperture + there->begin);
    dmi.set_end_address(host::aperture + there->end - 1);
    dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(there->bytes));
    dmi.set_read_latency(latency);
    dmi.set_write_latency(latency);
    dmi.allow_read_write();
    return true;
}

}  // namespace simtlm::platform
