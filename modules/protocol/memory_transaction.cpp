// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/memory_transaction.h"

namespace simtlm::protocol {

namespace {
constexpr std::size_t slab_of_block = 32;
}  // namespace

transaction_pool::~transaction_pool() {
    // The extension is part of the slab; the payload must not delete it.
    for (auto& slab : slabs_)
        for (std::size_t i = 0; i < slab_size_; ++i) slab[i].clear_extension(&slab[i].ext);
}

void transaction_pool::make_slab() {
    slabs_.push_back(std::make_unique<pooled_transaction[]>(slab_size_));
    for (std::size_t i = slab_size_; i-- > 0;) {
        pooled_transaction& p = slabs_.back()[i];
        p.set_mm(this);
        p.set_extension(&p.ext);
        p.set_data_ptr(no_data_.data());
        p.next_free = free_list_;
        free_list_ = &p;
    }
}

/// Takes a transaction from the free list.
pooled_transaction& transaction_pool::take() {
    if (free_list_ == nullptr && shared_)
        free_list_ = returned_.exchange(nullptr, std::memory_order_acquire);
    if (free_list_ == nullptr) make_slab();
    pooled_transaction& p = *free_list_;
    free_list_ = p.next_free;
    if (shared_ && free_list_ != nullptr) prefetch(*free_list_);
    ++acquired_;
    return p;
}

tlm::tlm_generic_payload& transaction_pool::acquire(tlm::tlm_command command, std::uint64_t address,
                                                    unsigned bytes, access_type type) {
    pooled_transaction& p = take();
    p.ext.reset();
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
    if (!shared_) {
        p.next_free = free_list_;
        free_list_ = &p;
        freed_.store(freed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return;
    }
    pooled_transaction* last = returned_.load(std::memory_order_relaxed);
    do p.next_free = last;
    while (!returned_.compare_exchange_weak(last, &p, std::memory_order_release,
                                            std::memory_order_relaxed));
    freed_.fetch_add(1, std::memory_order_relaxed);
}

transaction_pool& transaction_pool::of_block() {
    if (!shared_) return *this;
    parts_.push_back(std::make_unique<transaction_pool>());
    transaction_pool& part = *parts_.back();
    part.shared_ = true;
    part.slab_size_ = slab_of_block;
    return part;
}

std::uint64_t transaction_pool::acquired() const {
    std::uint64_t n = acquired_;
    for (const auto& part : parts_) n += part->acquired();
    return n;
}

std::uint64_t transaction_pool::outstanding() const {
    std::uint64_t n = acquired_ - freed_.load(std::memory_order_relaxed);
    for (const auto& part : parts_) n += part->outstanding();
    return n;
}

}  // namespace simtlm::protocol
