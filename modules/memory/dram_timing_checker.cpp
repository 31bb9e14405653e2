// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_timing_checker.h"

#include <algorithm>
#include <systemc>

namespace simtlm::memory {

dram_timing_checker::dram_timing_checker(std::string name, const dram_config& config, bool report)
    : name_(std::move(name)),
      config_(config),
      report_(report),
      burst_(config.burst_length / std::max(1u, config.data_command_freq_ratio)),
      banks_(config.timing.nbk),
      groups_(config.timing.nbkgrp) {}

unsigned dram_timing_checker::group(unsigned bank) const {
    const unsigned n = config_.timing.nbkgrp;
    return config_.bank_group_index == bank_group_indexing::low_bits
               ? bank % n
               : bank / (config_.timing.nbk / n) % n;
}

void dram_timing_checker::violation(std::uint64_t cycle, const std::string& what, unsigned bank) {
    const std::string line =
        name_ + ": cycle " + std::to_string(cycle) + ", bank " + std::to_string(bank) + ": " + what;
    if (violations_.size() < 100) violations_.push_back(line);
    if (report_) SC_REPORT_ERROR("simtlm/dram-timing", line.c_str());
}

void dram_timing_checker::at_least(std::uint64_t cycle, const moment& since, unsigned interval,
                                   const char* what, unsigned bank) {
    if (since.happened && cycle < since.cycle + interval)
        violation(cycle,
                  std::string(what) + " " + std::to_string(interval) + ", only " +
                      std::to_string(cycle - since.cycle),
                  bank);
}

void dram_timing_checker::check_data_bus(std::uint64_t first, unsigned bank, std::uint64_t cycle) {
    // The options may permit more column commands than the bus can carry; the check then does not
    // apply.
    if (config_.timing.tCCD < burst_ || config_.eliminate_rw_turnaround) return;
    at_least(first, data_, burst_, "data bus: burst of", bank);
    (void)cycle;
    data_.set(first);
}

void dram_timing_checker::command(std::uint64_t cycle, dram_command kind, unsigned bank,
                                  std::uint32_t row, std::uint32_t column) {
    (void)column;
    ++commands_;
    if (bank >= banks_.size()) return violation(cycle, "no such bank", bank);
    const dram_timing& t = config_.timing;
    const bool turnaround = !config_.eliminate_rw_turnaround;
    bank_history& b = banks_[bank];
    group_history& g = groups_[group(bank)];
    const bool is_column = kind == dram_command::read || kind == dram_command::write;

    if (is_column) {
        at_least(cycle, column_, std::max(1u, t.tCCD), "tCCD", bank);
        at_least(cycle, g.column, t.tCCDL, "tCCDL", bank);
        if (!b.open)
            violation(cycle, "column command to an idle bank", bank);
        else if (b.row != row)
            violation(cycle, "column command to another row than the open one", bank);
    } else {
        at_least(cycle, row_bus_, 1, "row commands per cycle", bank);
        row_bus_.set(cycle);
    }

    switch (kind) {
        case dram_command::activate:
            if (b.open) violation(cycle, "activate of an open bank", bank);
            at_least(cycle, activate_, t.tRRD, "tRRD", bank);
            at_least(cycle, b.activate, t.tRC, "tRC", bank);
            at_least(cycle, b.precharge, t.tRP, "tRP", bank);
            at_least(cycle, refresh_, t.tRFC, "tRFC", bank);
            at_least(cycle, b.refresh, t.tRFCSB, "tRFCSB", bank);
            activate_.set(cycle);
            b.activate.set(cycle);
            b.open = true;
            b.row = row;
            break;
        case dram_command::precharge:
            if (!b.open) violation(cycle, "precharge of an idle bank", bank);
            at_least(cycle, b.activate, t.tRAS, "tRAS", bank);
            at_least(cycle, b.write, t.WL + burst_ + t.tWR, "WL + burst + tWR", bank);
            at_least(cycle, b.read, burst_, "read to precharge", bank);
            at_least(cycle, g.read, t.tRTPL, "tRTPL", bank);
            b.precharge.set(cycle);
            b.open = false;
            break;
        case dram_command::read:
            at_least(cycle, b.activate, t.tRCD, "tRCD", bank);
            if (turnaround) at_least(cycle, write_, t.WL + burst_ + t.tCDLR, "tWTR", bank);
            check_data_bus(cycle + t.CL, bank, cycle);
            read_.set(cycle);
            b.read.set(cycle);
            g.read.set(cycle);
            break;
        case dram_command::write:
            if (t.tRCD > t.WL + 1)
                at_least(cycle, b.activate, t.tRCD - t.WL - 1, "tRCD - WL - 1", bank);
            if (turnaround && t.CL + burst_ + 2 > t.WL)
                at_least(cycle, read_, t.CL + burst_ + 2 - t.WL, "tRTW", bank);
            check_data_bus(cycle + t.WL, bank, cycle);
            write_.set(cycle);
            b.write.set(cycle);
            break;
        case dram_command::refresh:
            for (unsigned i = 0; i < banks_.size(); ++i) {
                if (banks_[i].open) violation(cycle, "refresh with an open bank", i);
                at_least(cycle, banks_[i].precharge, t.tRP, "tRP before refresh", i);
            }
            at_least(cycle, refresh_, t.tRFC, "tRFC", bank);
            refresh_.set(cycle);
            break;
        case dram_command::refresh_bank:
            if (b.open) violation(cycle, "refresh of an open bank", bank);
            at_least(cycle, b.precharge, t.tRP, "tRP before refresh", bank);
            at_least(cycle, b.refresh, t.tRFCSB, "tRFCSB", bank);
            b.refresh.set(cycle);
            break;
    }
    if (is_column) {
        column_.set(cycle);
        g.column.set(cycle);
    }
}

}  // namespace simtlm::memory
