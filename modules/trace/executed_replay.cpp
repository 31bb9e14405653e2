// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/executed_replay.h"

#include "modules/support/error.h"
#include "modules/trace/asynchronous_details.h"
#include "modules/trace/executed_text.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace simtlm::trace {

/// A recorded warp with the interface of an executed one.
class executed_replay::warp : public program::clustered_executor, public program::wait_describer {
public:
    warp(const executed_replay& kernel, replayed_mbarriers& barriers)
        : kernel_(kernel), asynchronous_(barriers) {}

    void start(const program::warp_code& recorded,
               std::shared_ptr<const replayed_cluster> cluster) {
        next_ = recorded.window.next;
        end_ = recorded.window.end;
        addresses_ = recorded.addresses;
        asynchronous_.start(std::move(cluster));
    }
    program::instruction_window window() const {
        if (next_ == end_) return {};
        const program::dynamic_instruction* const at = kernel_.code_->find(next_->info->pc);
        if (at == nullptr) fail();
        return kernel_.code_->window_from(at);
    }

    void issue(const program::dynamic_instruction& instruction, std::uint64_t,
               program::issue_effects& effects, program::lane_addresses& addresses) override {
        const program::dynamic_instruction& now = *next_;
        const program::static_instruction& info = *instruction.info;
        effects.active_mask = now.active_mask;
        addresses.lanes = 0;
        addresses.words = 0;
        if (now.mode == program::address_mode::details)
            asynchronous_.perform(addresses_ + now.address_offset, true, effects.can_suspend,
                                  effects);
        else
            asynchronous_.skip();
        do {
            take_addresses(info, addresses);
            ++next_;
        } while (is_continued(info, now.active_mask) &&
                 addresses.words < program::lane_addresses::max_words);
        addresses.words = std::max(addresses.words, 1u);
        if (kernel_.machine_code_ && info.space == program::memory_space::generic)
            resolve_space(effects, addresses);
        else
            read_suffix(now.info->opcode, info, effects);
        asynchronous_.take_remote_access(effects, addresses);
        effects.lanes_ended = info.cls == program::op_class::exit && now.active_mask != 0 &&
                              (!kernel_.machine_code_ || !all_come_again(now.active_mask));
        effects.warp_ended = next_ == end_;
        effects.next = window();
    }

    std::vector<program::bulk_transfer> take_transfers() override {
        return asynchronous_.take_transfers();
    }
    bool retry_wait() override { return asynchronous_.retry_wait(); }
    std::string awaited() const override { return asynchronous_.awaited(); }
    const program::cta_cluster_effects& effects_on_cta_cluster() const override {
        return asynchronous_.effects_on_cta_cluster();
    }
    void perform_remote(std::uint32_t request, std::uint32_t lanes) override {
        asynchronous_.perform_remote(request, lanes);
    }

private:
    /// Whether the next line has further addresses of the instruction. Of machine code, only
    /// texture fetches have several lines; a fetch of other lanes is another instruction.
    bool is_continued(const program::static_instruction& info, std::uint32_t lanes) const {
        if (!info.is_memory() || next_ == end_ || next_->info->pc != info.pc) return false;
        return !kernel_.machine_code_ ||
               (info.space == program::memory_space::texture && next_->active_mask == lanes);
    }
    /// Sets the addresses from one line of the trace per word of a lane.
    void take_addresses(const program::static_instruction& info,
                        program::lane_addresses& addresses) const {
        if (!info.is_memory() || next_->mode == program::address_mode::none) return;
        addresses.lanes = program::expand_addresses(*next_, addresses_,
                                                    addresses.address[addresses.words].data());
        ++addresses.words;
    }
    /// Resolves the space of generic addresses of machine code by the address windows.
    void resolve_space(program::issue_effects& effects, program::lane_addresses& addresses) const {
        constexpr std::uint64_t window_bytes = 1 << 24;
        const kernel_header& d = kernel_.trace_->header();
        effects.space = program::memory_space::global;
        if (addresses.lanes == 0) return;
        const std::uint64_t a = addresses.address[0][__builtin_ctz(addresses.lanes)];
        std::uint64_t window = 0;
        if (a - d.shared_base < window_bytes) {
            effects.space = program::memory_space::shared;
            window = d.shared_base;
        } else if (a - d.local_base < window_bytes) {
            effects.space = program::memory_space::local;
            window = d.local_base;
        } else {
            return;
        }
        for (std::uint32_t m = addresses.lanes; m != 0; m &= m - 1) {
            std::uint64_t& of_lane = addresses.address[0][__builtin_ctz(m)];
            if (of_lane - window < window_bytes) of_lane -= window;
        }
    }
    /// Whether all these lanes execute something later, i.e. are not ended by an EXIT.
    bool all_come_again(std::uint32_t lanes) const {
        for (const program::dynamic_instruction* i = next_; i != end_ && lanes != 0; ++i)
            lanes &= ~i->active_mask;
        return lanes == 0;
    }
    [[noreturn]] void fail() const {
        throw support::user_error(kernel_.descriptor_.origin,
                                  "an instruction is executed that the code in the header lacks",
                                  "record the trace again");
    }

    const executed_replay& kernel_;
    const program::dynamic_instruction* next_ = nullptr;
    const program::dynamic_instruction* end_ = nullptr;
    const std::uint64_t* addresses_ = nullptr;
    asynchronous_replay asynchronous_;
};

class executed_replay::block : public program::clustered_cta {
public:
    explicit block(const executed_replay& kernel) {
        for (unsigned w = 0; w < kernel.descriptor_.warps_per_block(); ++w)
            warps_.emplace_back(kernel, barriers_);
    }
    /// @param cluster  nullptr: none
    void start(std::unique_ptr<block_trace> recorded, std::shared_ptr<replayed_cluster> cluster,
               unsigned rank) {
        recorded_ = std::move(recorded);
        index = recorded_->index;
        barriers_.clear();
        cluster_ = std::move(cluster);
        rank_ = rank;
        if (cluster_ != nullptr) cluster_->of_rank[rank_] = &barriers_;
    }
    std::unique_ptr<block_trace> release() {
        if (cluster_ != nullptr) cluster_->of_rank[rank_] = nullptr;
        cluster_ = nullptr;
        return std::move(recorded_);
    }
    void cta_cluster_barrier_completed() override {}  // the SM holds the warps

    program::warp_code warp(unsigned w) override {
        warps_[w].start(recorded_->warp(w), cluster_);
        program::warp_code code;
        code.window = warps_[w].window();
        code.executor = &warps_[w];
        return code;
    }

private:
    std::unique_ptr<block_trace> recorded_;
    replayed_mbarriers barriers_;
    std::shared_ptr<replayed_cluster> cluster_;
    unsigned rank_ = 0;
    std::deque<executed_replay::warp> warps_;
};

executed_replay::executed_replay(std::unique_ptr<kernel_trace> trace)
    : trace_(std::move(trace)), code_(trace_->header().code), descriptor_(trace_->descriptor()) {
    descriptor_.register_numbers = code_->register_numbers();
    machine_code_ = code_->is_machine_code();
}

executed_replay::~executed_replay() = default;

std::unique_ptr<program::cta> executed_replay::next_cta() {
    std::unique_ptr<block_trace> recorded = trace_->next_block();
    if (!recorded) return nullptr;
    if (idle_.empty()) idle_.push_back(std::make_unique<block>(*this));
    std::unique_ptr<block> next = std::move(idle_.back());
    idle_.pop_back();
    const unsigned size = cta_cluster_size();
    const auto rank = static_cast<unsigned>(taken_++ % size);
    if (size > 1 && rank == 0) {
        cluster_ = std::make_shared<replayed_cluster>();
        cluster_->of_rank.resize(size);
    }
    next->start(std::move(recorded), cluster_, rank);
    return next;
}

void executed_replay::recycle(std::unique_ptr<program::cta> finished) {
    auto mine = std::unique_ptr<block>(static_cast<block*>(finished.release()));
    trace_->recycle(mine->release());
    idle_.push_back(std::move(mine));
}

}  // namespace simtlm::trace
