// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/binary_block_decoder.h"

namespace simtlm::trace {

namespace tag = execution_tag;

binary_block_decoder::binary_block_decoder(
    const std::vector<binary_file::instruction>& instructions)
    : instructions_(instructions) {}

dim3 binary_block_decoder::begin_block(const binary_cursor& block) {
    in_ = block;
    predictor_.begin_block();
    executions_ = 0;
    std::uint32_t v[3] = {};
    for (std::uint32_t& one : v) {
        one = static_cast<std::uint32_t>(in_.number_up_to(UINT32_MAX, "a block's place"));
    }
    return {v[0], v[1], v[2]};
}

std::uint32_t binary_block_decoder::begin_warp() {
    if (run_ != 0) in_.fail("a run beyond the end of a warp");
    const std::uint64_t count = in_.number_up_to(UINT32_MAX, "the number of a warp's instructions");
    if (count / (tag::longest_run + 1) > in_.left()) {
        in_.fail("a warp has more instructions than bytes for them");
    }
    executions_ += count;
    if (executions_ > UINT32_MAX) {
        in_.fail("more instructions in one thread block than can be counted");
    }
    next_instruction_ = 0;
    mask_ = ~std::uint32_t{0};
    return static_cast<std::uint32_t>(count);
}

void binary_block_decoder::end_block() const {
    if (run_ != 0) in_.fail("a run beyond the end of a warp");
    if (!in_.at_end()) in_.fail("bytes after the end of a thread block");
}

recorded_execution binary_block_decoder::next(std::vector<std::uint64_t>& values) {
    recorded_execution e;
    unsigned bits =
        tag::next | tag::same_mask | static_cast<unsigned>(recorded_mode::none) << tag::mode_shift;
    if (run_ != 0) {
        --run_;
    } else {
        bits = in_.byte();
        if ((bits & tag::next) == 0) {
            next_instruction_ += static_cast<std::uint32_t>(in_.signed_number());
        }
        if ((bits & tag::same_mask) == 0) mask_ = in_.word();
    }
    e.instruction = next_instruction_++;
    e.mask = mask_;
    e.mode = static_cast<recorded_mode>(bits >> tag::mode_shift & 3);
    if (e.instruction >= instructions_.size()) in_.fail("an instruction that is not in its table");
    const bool has_addresses = e.mode != recorded_mode::none;
    if (has_addresses != (instructions_[e.instruction].width != 0)) {
        in_.fail("an instruction with addresses where it has none, or without");
    }
    bits >>= tag::run_shift;
    if (has_addresses) {
        if (bits > 1) in_.fail("an instruction that is none");
        take_addresses(e, bits != 0, values);
    } else if (bits != 0) {
        run_ = bits;
        if (bits == tag::long_run) {
            run_ += static_cast<std::uint32_t>(
                in_.number_up_to(tag::longest_run - tag::long_run, "the length of a run"));
        }
    }
    return e;
}

void binary_block_decoder::take_addresses(const recorded_execution& e, bool same_shape,
                                          std::vector<std::uint64_t>& values) {
    address_predictor::history& last = predictor_.of(e.instruction);
    const unsigned lanes = static_cast<unsigned>(__builtin_popcount(e.mask));
    if (e.mode == recorded_mode::base_stride) {
        last.base += in_.signed_number();
        if (!same_shape) {
            last.stride = in_.signed_number();
            last.has_stride = true;
        } else if (!last.has_stride) {
            in_.fail("a stride like the last one, where there was none");
        }
        values.push_back(last.base);
        values.push_back(last.stride);
        return;
    }
    if (lanes == 0) {
        if (same_shape) in_.fail("addresses like the last ones, where there were none");
        return;
    }
    last.base += in_.signed_number();
    std::vector<std::uint64_t>& distances = predictor_.distances();
    if (!same_shape) {
        last.first = distances.size();
        last.lanes = lanes;
        std::uint64_t distance = 0;
        for (unsigned i = 1; i < lanes; ++i) {
            distance += in_.signed_number();
            distances.push_back(distance);
        }
    } else if (last.lanes != lanes) {
        in_.fail("addresses like the last ones, where there were none");
    }
    values.push_back(last.base);
    for (unsigned i = 1; i < lanes; ++i) {
        values.push_back(last.base + distances[last.first + i - 1]);
    }
}

}  // namespace simtlm::trace
