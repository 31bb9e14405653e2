// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/payload_data.h"

namespace simtlm::platform {

namespace {

/// Enables the bytes that the GPU writes, or all bytes if they are not specified.
void enable_written(tlm::tlm_generic_payload& payload, unsigned char* enables) {
    const unsigned bytes = payload.get_data_length();
    const protocol::byte_mask& written = protocol::extension(payload).bytes;
    const auto offset = static_cast<unsigned>(payload.get_address() % 128);
    for (unsigned i = 0; i < bytes; ++i) {
        const bool on = written.none() || (offset + i < 128 && written.test(offset + i));
        enables[i] = on ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(bytes);
}

}  // namespace

void payload_data::prepare(tlm::tlm_generic_payload& payload, std::uint64_t device_address) {
    const unsigned bytes = payload.get_data_length();
    const bool writes = payload.is_write();
    payload.set_data_ptr(ignored_.data());
    if (what_ == memory_data::values) {
        buffer& own = buffers_[&payload];
        if (contents_ && contents_(device_address, bytes, own.data.data())) {
            payload.set_data_ptr(own.data.data());
            if (writes) enable_written(payload, own.enables.data());
            return;
        }
    }
    if (!writes) return;
    if (what_ == memory_data::zeros) return payload.set_data_ptr(zeros_.data());
    if (what_ == memory_data::pattern) {
        buffer& own = buffers_[&payload];
        for (unsigned i = 0; i < bytes; ++i)
            own.data[i] = static_cast<unsigned char>(payload.get_address() + i);
        payload.set_data_ptr(own.data.data());
        return enable_written(payload, own.enables.data());
    }
    payload.set_byte_enable_ptr(disabled_.data());
    payload.set_byte_enable_length(bytes);
}

}  // namespace simtlm::platform
