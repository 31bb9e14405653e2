// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/execution_recorder.h"

#include "modules/program/wait_describer.h"
#include "modules/support/output_file.h"
#include "modules/trace/append_text.h"
#include "modules/trace/asynchronous_details.h"
#include "modules/trace/executed_code.h"
#include "modules/trace/executed_text.h"
#include "modules/trace/recorded_header.h"
#include "modules/trace/recorded_trace.h"
#include "modules/trace/trace_writer.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <utility>

namespace simtlm::trace {

void recording_log::ended(const std::string& file, bool written,
                          const support::output_attempts& errors) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (written) complete_.insert(file);
    for (const std::string& m : errors.messages()) errors_.push_back(m);
}

bool recording_log::is_complete(const std::string& file) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return complete_.count(file) != 0;
}

std::vector<std::string> recording_log::errors() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return errors_;
}

/// Forwards between an SM and the executor of a warp, and records.
class execution_recorder::warp : public program::clustered_executor,
                                 public program::wait_describer {
public:
    /// @param form  of machine code; nullptr: not machine code
    /// @param in_cluster  the CTAs run in clusters
    warp(const traced_form* form, bool in_cluster) : form_(form), in_cluster_(in_cluster) {}

    void start(program::warp_executor* executor) {
        executor_ = executor;
        text_.clear();
        accesses_.clear();
        lines_ = 0;
        has_details_ = false;
    }
    bool has_details() const { return has_details_; }
    void issue(const program::dynamic_instruction& instruction, std::uint64_t now,
               program::issue_effects& effects, program::lane_addresses& addresses) override {
        executor_->issue(instruction, now, effects, addresses);
        if (form_ == nullptr) {
            lines_ += append_lines(text_, *instruction.info, effects, addresses);
        } else {
            lines_ += append_traced_lines(text_, *instruction.info, effects, addresses, *form_);
        }
        append_asynchronous(*instruction.info, effects, addresses);
    }
    void apply_memory() override { executor_->apply_memory(); }
    void perform_atomic(std::uint32_t lanes) override { executor_->perform_atomic(lanes); }
    std::vector<program::bulk_transfer> take_transfers() override { return std::move(transfers_); }
    const std::vector<program::mbarrier_operation>& mbarrier_operations() const override {
        return executor_->mbarrier_operations();
    }
    bool retry_wait() override { return executor_->retry_wait(); }
    std::string awaited() const override {
        const auto* const inner = dynamic_cast<const program::wait_describer*>(executor_);
        return inner != nullptr ? inner->awaited() : "";
    }

    const program::cta_cluster_effects& effects_on_cta_cluster() const override {
        return static_cast<program::clustered_executor*>(executor_)->effects_on_cta_cluster();
    }
    void perform_remote(std::uint32_t request, std::uint32_t lanes) override {
        const std::vector<program::mbarrier_operation>& all = executor_->mbarrier_operations();
        std::size_t next = all.size();
        static_cast<program::clustered_executor*>(executor_)->perform_remote(request, lanes);
        const auto access = std::find_if(
            accesses_.rbegin(), accesses_.rend(),
            [&](const remote_access& a) { return a.request == request && a.lanes != 0; });
        access->lanes &= ~lanes;
        for (; lanes != 0 && next != all.size(); lanes &= lanes - 1)
            access->details.cluster.barriers.push_back(
                {static_cast<unsigned>(__builtin_ctz(lanes)), all[next++]});
    }

    void append_to(std::string& text, unsigned number) {
        text += "\nwarp = " + std::to_string(number) + "\ninsts = " + std::to_string(lines_) + "\n";
        std::size_t done = 0;
        for (const remote_access& a : accesses_) {
            text.append(text_, done, a.line_end - done);
            done = a.line_end + 1;
            append_words(text, a.details);
        }
        text.append(text_, done, std::string::npos);
    }

private:
    /// An access to other CTAs. Its details are complete when all lanes have arrived there.
    struct remote_access {
        std::uint32_t request;
        std::uint32_t lanes;   // on the way
        std::size_t line_end;  // in text_
        asynchronous_details details;
    };

    /// Appends what the instruction does to mbarriers, copies and other CTAs to its line, which has
    /// been written.
    void append_asynchronous(const program::static_instruction& info,
                             const program::issue_effects& effects,
                             const program::lane_addresses& addresses) {
        using program::special_op;
        if (info.special == special_op::tensor_work)
            throw support::user_error("recording a trace",
                                      "traces do not have " + std::string(info.opcode),
                                      "run the program without recording");
        asynchronous_details details;
        details.barriers = executor_->mbarrier_operations();
        // That of a memory instruction has addresses instead.
        if (!info.is_memory()) details.sleep = effects.sleep;
        for (program::mbarrier_operation& o : details.barriers)
            o.is_limited = effects.has_time_limit;
        transfers_.clear();
        if (info.special == special_op::bulk_copy || info.special == special_op::remote_store)
            details.transfers = transfers_ = executor_->take_transfers();
        if (in_cluster_) note_cluster(details.cluster, effects, addresses);
        if (details.empty()) return;
        has_details_ = true;
        if (details.cluster.remote != 0) {
            const std::uint32_t request = effects_on_cta_cluster().request;
            const std::uint32_t lanes = details.cluster.remote;
            accesses_.push_back({request, lanes, text_.size() - 1, std::move(details)});
            return;
        }
        text_.pop_back();
        append_words(text_, details);
    }

    void note_cluster(cluster_details& c, const program::issue_effects& effects,
                      const program::lane_addresses& addresses) const {
        const program::cta_cluster_effects& on = effects_on_cta_cluster();
        c.arrives = on.arrived;
        c.waits = on.waits;
        c.remote = on.remote_lanes;
        if (c.remote == 0) return;
        c.space = effects.space;
        c.addressed = addresses.lanes;
        for (std::uint32_t m = addresses.lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctz(m));
            c.address[lane] = addresses.address[0][lane];
        }
        c.rank = on.rank;
    }

    /// Appends details and the end of the line.
    void append_words(std::string& text, const asynchronous_details& details) {
        words_.clear();
        append_details(details, words_);
        text += text.back() == ' ' ? "" : " ";
        text += asynchronous_word;
        for (const std::uint64_t w : words_) append_text(text, " %" PRIx64, w);
        text += '\n';
    }

    const traced_form* form_;
    bool in_cluster_;
    std::vector<remote_access> accesses_;  // by line
    program::warp_executor* executor_ = nullptr;
    std::vector<program::bulk_transfer> transfers_;  // of the last instruction
    std::vector<std::uint64_t> words_;
    bool has_details_ = false;
    std::string text_;
    std::uint64_t lines_ = 0;
};

class execution_recorder::block : public program::clustered_cta {
public:
    block(std::unique_ptr<program::cta> inner, std::uint64_t number, unsigned warps,
          const traced_form* form, bool in_cluster)
        : inner_(std::move(inner)), number_(number) {
        index = inner_->index;
        for (unsigned w = 0; w < warps; ++w) warps_.emplace_back(form, in_cluster);
    }
    void cta_cluster_barrier_completed() override {
        static_cast<program::clustered_cta&>(*inner_).cta_cluster_barrier_completed();
    }
    void placed(const program::cta_place& where) override { inner_->placed(where); }
    program::warp_code warp(unsigned w) override {
        program::warp_code code = inner_->warp(w);
        warps_[w].start(code.executor);
        code.executor = &warps_[w];
        return code;
    }

    std::uint64_t number() const { return number_; }
    std::unique_ptr<program::cta> release() { return std::move(inner_); }
    bool has_details() const {
        return std::any_of(warps_.begin(), warps_.end(),
                           [](const auto& w) { return w.has_details(); });
    }
    std::string text() {
        std::string text = "\n#BEGIN_TB\n\nthread block = " + std::to_string(index.x) + "," +
                           std::to_string(index.y) + "," + std::to_string(index.z) + "\n";
        for (unsigned w = 0; w < warps_.size(); ++w) warps_[w].append_to(text, w);
        return text + "\n#END_TB\n";
    }

private:
    std::unique_ptr<program::cta> inner_;
    std::uint64_t number_;
    std::deque<execution_recorder::warp> warps_;
};

execution_recorder::execution_recorder(std::shared_ptr<program::kernel_source> kernel,
                                       std::vector<program::instruction_window> code,
                                       unsigned version, std::string file, trace_form form,
                                       std::shared_ptr<recording_log> log)
    : kernel_(std::move(kernel)),
      code_(std::move(code)),
      binary_version_(version),
      file_(std::move(file)),
      form_(form),
      log_(std::move(log)) {
    if (const auto* const c = dynamic_cast<const program::clustered_kernel*>(kernel_.get()))
        cluster_ = c->cta_cluster_shape();
    kernel_->permit_cancellation(false);  // a trace has all CTAs of the grid
    traced_.version = form == trace_form::version_6 ? 6 : 5;
    if (is_machine_code()) binary_version_ = kernel_->descriptor().binary_version;
}

bool execution_recorder::is_machine_code() const {
    constexpr unsigned machine_code_bytes = 16;
    return !code_.empty() && code_.front().next->info->code_bytes == machine_code_bytes;
}

execution_recorder::~execution_recorder() {
    if (out_) out_->discard();
}

std::unique_ptr<program::cta> execution_recorder::next_cta() {
    std::unique_ptr<program::cta> inner = kernel_->next_cta();
    if (!inner) return nullptr;
    return std::make_unique<block>(std::move(inner), handed_out_++,
                                   kernel_->descriptor().warps_per_block(),
                                   is_machine_code() ? &traced_ : nullptr, cta_cluster_size() > 1);
}

void execution_recorder::recycle(std::unique_ptr<program::cta> finished) {
    auto& mine = static_cast<block&>(*finished);
    waiting_[mine.number()] = mine.text();
    has_details_ = has_details_ || mine.has_details();
    kernel_->recycle(mine.release());
    while (!waiting_.empty() && waiting_.begin()->first == written_) {
        write(waiting_.begin()->second);
        waiting_.erase(waiting_.begin());
        ++written_;
    }
    if (written_ == kernel_->descriptor().grid.volume()) finish();
}

std::string execution_recorder::header() const {
    return recorded_header(kernel_->descriptor(), cluster_, binary_version_,
                           is_machine_code() ? &traced_ : nullptr, executed_code::text_of(code_));
}

void execution_recorder::write(const std::string& text) {
    if (!out_) {
        out_ = std::make_unique<support::output_file>(
            form_ != trace_form::binary ? file_ : file_ + ".draft");
        out_->write(header());
    }
    out_->write(text);
}

/// An error is kept for the end of the run, which it does not affect.
void execution_recorder::finish() {
    const std::string draft = out_->name();
    support::output_attempts attempt;
    const bool written = attempt([&] {
        out_->commit();
        if (form_ != trace_form::binary) return;
        // The binary form cannot contain details.
        if (has_details_)
            std::filesystem::rename(draft, file_);
        else
            write_binary_trace(*open_recorded_trace(draft), file_);
    });
    out_.reset();
    if (form_ == trace_form::binary) std::remove(draft.c_str());
    log_->ended(file_, written, attempt);
}

}  // namespace simtlm::trace
