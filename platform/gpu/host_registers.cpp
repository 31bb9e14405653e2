// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/host_registers.h"

#include <fmt/format.h>

#include <ostream>

namespace simtlm::platform::host {

namespace {

std::vector<register_info> make_table() {
    std::vector<register_info> t = {
        {id, "ID", "RO", "0x4d4c5453, \"STLM\" in memory"},
        {version, "VERSION", "RO", "of this map: major << 16, minor << 8, patch"},
        {status, "STATUS", "RO",
         "0 busy: commands queued or running; 1 failed: ERROR is not 0; 2 stopped: deadlock, limit "
         "or faulty input, no command will run; 3 resetting: commands are refused until running "
         "CTAs have ended; 4 memory_busy: something is under way in the memory system, posted "
         "writes included"},
        {control, "CONTROL", "RW", "0 reset: as the input; reads as zero"},
        {irq_status, "IRQ_STATUS", "RO",
         "0 a command is done; 1 a kernel is done; 2 idle: the last command is done; 3 an error; "
         "8+w a command of window w is done"},
        {irq_enable, "IRQ_ENABLE", "RW", "`irq` is high while IRQ_STATUS & IRQ_ENABLE is not 0"},
        {irq_clear, "IRQ_CLEAR", "W1C", "clears bits of IRQ_STATUS; reads as zero"},
        {error, "ERROR", "RW",
         "first error since it was cleared by any write: 1 no such command, 2 no such kernel, "
         "3 queue full, 4 refused in reset, 5 GPU stopped, 6 a foreign memory answered an error"},
        {sms, "SMS", "RO", "number of SMs"},
        {channels, "CHANNELS", "RO", "number of memory channels"},
        {kernels_loaded, "KERNELS", "RO", "kernels of the trace sets loaded so far"},
        {windows, "WINDOWS", "RO", "number of command windows"},
        {queue_depth, "QUEUE_DEPTH", "RO", "commands that may be outstanding at once"},
        {queue_space, "QUEUE_SPACE", "RO", "commands that may still be submitted"},
        {submitted, "SUBMITTED", "RO", "commands accepted since reset, all windows"},
        {completed, "COMPLETED", "RO", "commands done since reset, all windows"},
    };
    struct counter_row {
        const char* name;
        const char* description;
    };
    const counter_row rows[counter_count] = {
        {"CORE_CYCLES", "edges of the core clock"},
        {"THREAD_INSTRUCTIONS", "instructions of threads completed"},
        {"WARP_INSTRUCTIONS", "instructions of warps completed"},
        {"KERNELS_DONE", "kernels that have ended"},
        {"CTAS_DONE", "thread blocks that have ended"},
        {"L2_ACCESSES", "hits, misses and accesses merged with an outstanding miss"},
        {"L2_HITS", "lines that were there, or on their way"},
        {"L2_MISSES", "lines or sectors that were asked of memory"},
        {"MEMORY_READS", "read requests to DRAM channels and foreign memories"},
        {"MEMORY_WRITES", "write requests to DRAM channels and foreign memories"},
        {"MEMORY_ERRORS", "error responses of foreign memories"},
    };
    for (std::uint32_t c = 0; c < counter_count; ++c) {
        t.push_back(
            {counters + 8 * c, fmt::format("{}_LO", rows[c].name), "RO", rows[c].description});
        t.push_back({counters + 8 * c + 4, fmt::format("{}_HI", rows[c].name), "RO",
                     "as it was when _LO was read last"});
    }
    const std::uint32_t w = first_window;
    t.insert(t.end(),
             {{w + command, "COMMAND", "RW",
               "0 nothing, 1 copy to device, 2 copy from device, 3 fill, 4 launch, 5 event, "
               "6 synchronise, which drains the memory system"},
              {w + address_lo, "ADDRESS_LO", "RW", "device address of copies and fills"},
              {w + address_hi, "ADDRESS_HI", "RW", ""},
              {w + size_lo, "SIZE_LO", "RW", "bytes of copies and fills"},
              {w + size_hi, "SIZE_HI", "RW", ""},
              {w + kernel, "KERNEL", "RW", "number of the kernel to launch, in order of loading"},
              {w + stream, "STREAM", "RW",
               "commands of a stream run in order; 0xffffffff: a kernel takes its trace's stream, "
               "other commands wait for all streams"},
              {w + tag, "TAG", "RW", "of the host's choice, comes back in LAST_TAG"},
              {w + doorbell, "DOORBELL", "WO", "any write submits the command; reads as zero"},
              {w + window_submitted, "WINDOW_SUBMITTED", "RO", "commands accepted since reset"},
              {w + window_completed, "WINDOW_COMPLETED", "RO", "commands done since reset"},
              {w + last_tag, "LAST_TAG", "RO", "TAG of the command that was done last"}});
    return t;
}

}  // namespace

const std::vector<register_info>& register_table() {
    static const std::vector<register_info> table = make_table();
    return table;
}

void write_register_map(std::ostream& out) {
    out << "| offset | name | access | meaning |\n|---|---|---|---|\n";
    for (const register_info& r : register_table())
        out << fmt::format("| 0x{:03x}{} | {} | {} | {} |\n", r.offset,
                           r.offset >= first_window ? " + 0x40 w" : "", r.name, r.access,
                           r.description);
}

}  // namespace simtlm::platform::host
