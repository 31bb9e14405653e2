// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/memory_transaction.h"

namespace simtlm::protocol {

namespace {
constexpr std::size_t slab_size = 256;

// While a transaction is free: the next free one.
pooled_transaction* next_of(const pooled_transaction& p) {
    return static_cast<pooled_transaction*>(p.ext.instruction);
}
void set_next(pooled_transaction& p, pooled_transaction* next) {
    p.ext.instruction = next;
}
}  // namespace

transaction_pool::transaction_pool() = default;

transaction_pool::~transaction_pool() {
    // The extension lives in the slab: a payload must not delete it.
    for (auto& slab : slabs_)
        for (std::size_t i = 0; i < slab_size; ++i) slab[i].clear_extension(&slab[i].ext);
}

tlm::tlm_generic_payload& transaction_pool::acquire(tlm::tlm_command command, std::uint64_t address,
                                                    unsigned bytes, access_type type) {
    if (free_list_ == nullptr) {
        slabs_.push_back(std::make_unique<pooled_transaction[]>(slab_size));
        for (std::size_t i = slab_size; i-- > 0;) {
            pooled_transaction& p = slabs_.back()[i];
            p.set_mm(this);
            p.set_extension(&p.ext);
            p.set_data_ptr(no_data_.data());
            set_next(p, free_list_);
            free_list_ = &p;
        }
    }
    pooled_transaction& p = *free_list_;
    free_list_ = next_of(p);
    ++outstanding_;
    p.ext.reset();
    ++acquired_;
    p.ext.type = type;
    p.ext.data_bytes = static_cast<std::uint16_t>(bytes);
    p.set_command(command);
    p.set_address(address);
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    p.set_byte_enable_ptr(nullptr);
    p.set_byte_enable_length(0);
    p.set_dmi_allowed(false);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    p.acquire();
    return p;
}

void transaction_pool::free(tlm::tlm_generic_payload* payload) {
    auto& p = static_cast<pooled_transaction&>(*payload);
    set_next(p, free_list_);
    free_list_ = &p;
    --outstanding_;
}

}  // namespace simtlm::protocol
