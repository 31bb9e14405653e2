// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/memory_transaction.h"

namespace simtlm::protocol {

struct transaction_pool::pooled {
    tlm::tlm_generic_payload payload;
    memory_extension ext;
    // While it is free: the next free one.
    pooled* next() const { return static_cast<pooled*>(ext.instruction); }
    void set_next(pooled* p) { ext.instruction = p; }
};

namespace {
constexpr std::size_t slab_size = 256;
}

transaction_pool::transaction_pool() = default;

transaction_pool::~transaction_pool() {
    // The extension lives in the slab: a payload must not delete it.
    for (auto& slab : slabs_)
        for (std::size_t i = 0; i < slab_size; ++i) slab[i].payload.clear_extension(&slab[i].ext);
}

tlm::tlm_generic_payload& transaction_pool::acquire(tlm::tlm_command command, std::uint64_t address,
                                                    unsigned bytes, access_type type) {
    if (free_list_ == nullptr) {
        slabs_.push_back(std::make_unique<pooled[]>(slab_size));
        for (std::size_t i = slab_size; i-- > 0;) {
            pooled& p = slabs_.back()[i];
            p.payload.set_mm(this);
            p.payload.set_extension(&p.ext);
            p.payload.set_data_ptr(no_data_.data());
            p.set_next(free_list_);
            free_list_ = &p;
        }
    }
    pooled& p = *free_list_;
    free_list_ = p.next();
    ++outstanding_;
    p.ext.reset();
    p.ext.id = static_cast<std::uint32_t>(++acquired_);
    p.ext.type = type;
    p.ext.data_bytes = static_cast<std::uint16_t>(bytes);
    tlm::tlm_generic_payload& payload = p.payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_byte_enable_length(0);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.acquire();
    return payload;
}

void transaction_pool::free(tlm::tlm_generic_payload* payload) {
    // The payload is the first member of its slab entry.
    auto* p = reinterpret_cast<pooled*>(payload);
    p->set_next(free_list_);
    free_list_ = p;
    --outstanding_;
}

}  // namespace simtlm::protocol
