// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_command_bus.h"

namespace simtlm::memory {

dram_command_bus::dram_command_bus(const dram_config& config, dram_bank_machines& machines,
                                   dram_request_table& requests, dram_data_pipeline& pipeline,
                                   dram_sampler& sampler, dram_statistics& statistics)
    : config_(config),
      machines_(machines),
      requests_(requests),
      pipeline_(pipeline),
      sampler_(sampler),
      statistics_(statistics) {
    pipeline_.set_stages(config.timing.CL);
}

std::uint64_t dram_command_bus::ready_columns(std::uint64_t now) {
    if (machines_.open() == 0 || pipeline_.full()) return 0;
    const std::uint64_t ready = machines_.ready_columns(now);
    if (ready != 0) {
        statistics_.banks_ready += static_cast<unsigned>(__builtin_popcountll(ready));
        ++statistics_.ready_cycles;
    }
    return ready;
}

void dram_command_bus::issue_column(unsigned b, std::uint64_t now) {
    const std::uint32_t number = machines_.request(b);
    dram_request& r = requests_[number];
    if (writing_ != r.write) {
        writing_ = r.write;
        pipeline_.set_stages(r.write ? config_.timing.WL : config_.timing.CL);
    }
    pipeline_.push(number);
    notify(now, r.write ? dram_command::write : dram_command::read, b, r.row,
           r.column + r.commanded);
    if (r.write)
        machines_.write(b, now);
    else
        machines_.read(b, now);
    count_column(r, b);
    r.commanded += config_.atom_bytes();
    if (r.commanded < r.bytes) return;
    machines_.release(b);
    sampler_.bank_released(b, now);
}

void dram_command_bus::count_column(const dram_request& r, unsigned b) {
    using protocol::access_type;
    statistics_.busy_data_cycles += machines_.timing().derived().burst;
    if (r.write) {
        ++(r.type == access_type::l2_writeback ? statistics_.write_backs : statistics_.writes);
        return;
    }
    ++(r.type == access_type::l2_write_allocate_read ? statistics_.allocate_reads
                                                     : statistics_.reads);
    ++statistics_.banks[b].reads;
}

void dram_command_bus::issue_row(unsigned b, std::uint64_t now) {
    if (machines_.timing().active(b)) return precharge(b, now);
    const std::uint32_t row = requests_[machines_.request(b)].row;
    notify(now, dram_command::activate, b, row, 0);
    machines_.activate(b, row, now);
    ++statistics_.activates;
}

void dram_command_bus::precharge(unsigned b, std::uint64_t now) {
    notify(now, dram_command::precharge, b, machines_.timing().row(b), 0);
    machines_.precharge(b, now);
    ++statistics_.precharges;
}

void dram_command_bus::refresh(std::uint64_t now) {
    notify(now, dram_command::refresh, 0, 0, 0);
    machines_.refresh(now);
    ++statistics_.refreshes;
}

void dram_command_bus::refresh_bank(unsigned b, std::uint64_t now) {
    notify(now, dram_command::refresh_bank, b, 0, 0);
    machines_.refresh_bank(b, now);
    ++statistics_.refreshes;
}

void dram_command_bus::notify(std::uint64_t now, dram_command kind, unsigned bank,
                              std::uint32_t row, std::uint32_t column) {
    for (command_observer* o : observers_) o->command(now, kind, bank, row, column);
}

}  // namespace simtlm::memory
