// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/execution_recorder.h"

#include "modules/kernel/error.h"
#include "modules/kernel/output_file.h"
#include "modules/program/cluster_source.h"
#include "modules/program/wait_describer.h"
#include "modules/trace/append_text.h"
#include "modules/trace/asynchronous_details.h"
#include "modules/trace/executed_code.h"
#include "modules/trace/executed_text.h"
#include "modules/trace/recorded_trace.h"
#include "modules/trace/trace_writer.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <deque>
#include <utility>

namespace simtlm::trace {

/// Forwards between an SM and the executor of a warp, and records.
class execution_recorder::warp : public program::warp_executor, public program::wait_describer {
public:
    /// @param form  of machine code; nullptr: not machine code
    explicit warp(const traced_form* form) : form_(form) {}

    void start(program::warp_executor* executor) {
        executor_ = executor;
        text_.clear();
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
        append_asynchronous(*instruction.info, effects);
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

    void append_to(std::string& text, unsigned number) const {
        text += "\nwarp = " + std::to_string(number) + "\ninsts = " + std::to_string(lines_) + "\n";
        text += text_;
    }

private:
    /// Appends what the instruction does to mbarriers and copies to its line, which has been
    /// written.
    void append_asynchronous(const program::static_instruction& info,
                             const program::issue_effects& effects) {
        using program::special_op;
        asynchronous_details details;
        details.barriers = executor_->mbarrier_operations();
        for (program::mbarrier_operation& o : details.barriers)
            o.is_limited = effects.has_time_limit;
        transfers_.clear();
        if (info.special == special_op::bulk_copy || info.special == special_op::remote_store)
            details.transfers = transfers_ = executor_->take_transfers();
        if (details.empty()) return;
        words_.clear();
        append_details(details, words_);
        text_.pop_back();
        text_ += text_.back() == ' ' ? "" : " ";
        text_ += asynchronous_word;
        for (const std::uint64_t w : words_) append_text(text_, " %" PRIx64, w);
        text_ += '\n';
        has_details_ = true;
    }

    const traced_form* form_;
    program::warp_executor* executor_ = nullptr;
    std::vector<program::bulk_transfer> transfers_;  // of the last instruction
    std::vector<std::uint64_t> words_;
    bool has_details_ = false;
    std::string text_;
    std::uint64_t lines_ = 0;
};

class execution_recorder::block : public program::cta {
public:
    block(std::unique_ptr<program::cta> inner, std::uint64_t number, unsigned warps,
          const traced_form* form)
        : inner_(std::move(inner)), number_(number) {
        index = inner_->index;
        for (unsigned w = 0; w < warps; ++w) warps_.emplace_back(form);
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
    std::string text() const {
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
                                       unsigned version, std::string file, trace_form form)
    : kernel_(std::move(kernel)),
      code_(std::move(code)),
      binary_version_(version),
      file_(std::move(file)),
      form_(form) {
    const auto* const cluster = dynamic_cast<const program::cluster_kernel*>(kernel_.get());
    if (cluster != nullptr && cluster->cluster_size() > 1)
        throw kernel::user_error(file_,
                                 "kernel " + kernel_->descriptor().name +
                                     " runs in clusters of thread blocks, which traces do not tell",
                                 "record other kernels: --kernel-names");
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
                                   is_machine_code() ? &traced_ : nullptr);
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
    const program::kernel_descriptor& f = kernel_->descriptor();
    const auto triple = [](const program::dim3& d) {
        return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) +
               ")";
    };
    constexpr std::uint32_t most_registers = 255;
    return "-kernel name = " + f.name + "\n-kernel id = " + std::to_string(f.id) +
           "\n-grid dim = " + triple(f.grid) + "\n-block dim = " + triple(f.block) +
           "\n-shmem = " + std::to_string(f.shared_memory) +
           "\n-nregs = " + std::to_string(std::min(f.registers, most_registers)) +
           "\n-binary version = " + std::to_string(binary_version_) +
           "\n-cuda stream id = " + std::to_string(f.stream) +
           (is_machine_code() ? tracer_lines() : "\n-accelsim tracer version = 3\n") +
           executed_code::text_of(code_) +
           (is_machine_code()
                ? "\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
                  "[reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n"
                : "\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
                  "mem_width [adrrescompress?] [mem_addresses]\n");
}

/// The additional header lines of Accel-Sim's tracer.
std::string execution_recorder::tracer_lines() const {
    std::string text;
    append_text(text, "\n-shmem base_addr = 0x%016" PRIx64 "\n", traced_.shared_window);
    append_text(text, "-local mem base_addr = 0x%016" PRIx64 "\n", traced_.local_window);
    append_text(text, "-nvbit version = 1.7.4\n-accelsim tracer version = %u\n", traced_.version);
    return text + "-enable lineinfo = 0\n";
}

void execution_recorder::write(const std::string& text) {
    if (!out_) {
        out_ = std::make_unique<kernel::output_file>(
            form_ != trace_form::binary ? file_ : file_ + ".draft");
        out_->write(header());
    }
    out_->write(text);
}

void execution_recorder::finish() {
    out_->commit();
    const std::string draft = out_->name();
    out_.reset();
    if (form_ != trace_form::binary) return;
    if (has_details_) {
        std::rename(draft.c_str(), file_.c_str());  // the binary form cannot contain them
        return;
    }
    write_binary_trace(*open_recorded_trace(draft), file_);
    std::remove(draft.c_str());
}

}  // namespace simtlm::trace
