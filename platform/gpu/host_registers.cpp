// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/host_registers.h"

#include <fmt/format.h>

#include <ostream>

namespace simtlm::platform::host {

namespace {

std::vector<register_info> make_table() {
    std::vector<register_info> t = {
        {id, "ID", "RO", "0x4d4c5453, \"STLM\" in memory"},
        {version, "VERSION", "RO", "version of this register map: major << 16, minor << 8, patch"},
        {status, "STATUS", "RO",
         "0 busy: commands are queued or running; 1 failed: ERROR is not 0; 2 stopped: by a "
         "deadlock, a limit or invalid input, no further command runs, and those that were queued "
         "or "
         "running have failed; 3 resetting: commands are rejected until running CTAs have ended; "
         "4 memory_busy: transactions are in flight in the memory system, including posted writes"},
        {control, "CONTROL", "RW", "0 reset: same effect as the reset pin; reads as zero"},
        {irq_status, "IRQ_STATUS", "RO",
         "0 a command is done; 1 a kernel is done; 2 idle: the last command is done; 3 an error "
         "occurred; 8+w a command of window w is done"},
        {irq_enable, "IRQ_ENABLE", "RW", "`irq` is high while IRQ_STATUS & IRQ_ENABLE is not 0"},
        {irq_clear, "IRQ_CLEAR", "W1C", "clears bits of IRQ_STATUS; reads as zero"},
        {error, "ERROR", "RW",
         "first error since the register was cleared by any write: 1 no such command, 2 no such "
         "kernel, 3 queue full, 4 rejected during reset, 5 GPU stopped, 6 error response of an "
         "external memory, 7 out of device memory, 8 address range not within one allocation, 9 "
         "invalid program, 10 invalid launch, 11 fault of an executed program, 12 host memory "
         "missing, or its error response to a copy"},
        {sms, "SMS", "RO", "number of SMs"},
        {channels, "CHANNELS", "RO", "number of memory channels"},
        {kernels_loaded, "KERNELS", "RO", "kernels of the trace sets and programs loaded so far"},
        {windows, "WINDOWS", "RO", "number of command windows"},
        {queue_depth, "QUEUE_DEPTH", "RO", "maximum number of outstanding commands"},
        {queue_space, "QUEUE_SPACE", "RO", "number of commands that can still be submitted"},
        {submitted, "SUBMITTED", "RO", "commands accepted since reset, all windows"},
        {completed, "COMPLETED", "RO", "commands done since reset, all windows"},
    };
    struct counter_row {
        const char* name;
        const char* description;
    };
    const counter_row rows[counter_count] = {
        {"CORE_CYCLES", "edges of the core clock"},
        {"THREAD_INSTRUCTIONS", "completed thread instructions"},
        {"WARP_INSTRUCTIONS", "completed warp instructions"},
        {"KERNELS_DONE", "completed kernels"},
        {"CTAS_DONE", "completed thread blocks"},
        {"L2_ACCESSES", "hits, misses and accesses merged with an outstanding miss"},
        {"L2_HITS", "hits, including those on lines being filled"},
        {"L2_MISSES", "misses: lines or sectors requested from memory"},
        {"MEMORY_READS", "read requests to DRAM channels and external memories"},
        {"MEMORY_WRITES", "write requests to DRAM channels and external memories"},
        {"MEMORY_ERRORS", "error responses of external memories"},
    };
    for (std::uint32_t c = 0; c < counter_count; ++c) {
        t.push_back(
            {counters + 8 * c, fmt::format("{}_LO", rows[c].name), "RO", rows[c].description});
        t.push_back({counters + 8 * c + 4, fmt::format("{}_HI", rows[c].name), "RO",
                     "value at the last read of _LO"});
    }
    const std::uint32_t w = first_window;
    t.insert(t.end(),
             {{w + command, "COMMAND", "RW",
               "0 nothing, 1 copy to device, 2 copy from device, 3 fill, 4 launch, 5 event, "
               "6 synchronise, which drains the memory system, 7 allocate, 8 release, 9 load a "
               "program, 10 find a kernel, 11 launch a kernel of a program"},
              {w + address_lo, "ADDRESS_LO", "RW",
               "device address of copies and fills, of the allocation to release, of a program's "
               "text, a kernel's name or a launch descriptor"},
              {w + address_hi, "ADDRESS_HI", "RW", ""},
              {w + size_lo, "SIZE_LO", "RW",
               "size in bytes of the object at ADDRESS, or of the allocation"},
              {w + size_hi, "SIZE_HI", "RW", ""},
              {w + kernel, "KERNEL", "RW", "number of the kernel to launch, in order of loading"},
              {w + stream, "STREAM", "RW",
               "stream of the command; commands of a stream run in order; 0xffffffff: a kernel "
               "uses the stream in its trace, other commands wait for all streams"},
              {w + tag, "TAG", "RW", "any value; copied to LAST_TAG when the command is done"},
              {w + doorbell, "DOORBELL", "WO", "any write submits the command; reads as zero"},
              {w + window_submitted, "WINDOW_SUBMITTED", "RO", "commands accepted since reset"},
              {w + window_completed, "WINDOW_COMPLETED", "RO", "commands done since reset"},
              {w + last_tag, "LAST_TAG", "RO", "TAG of the last completed command"},
              {w + host_address_lo, "HOST_ADDRESS_LO", "RW",
               "address of a copy in the host's memory; byte value of a fill"},
              {w + host_address_hi, "HOST_ADDRESS_HI", "RW", ""},
              {w + result_lo, "RESULT_LO", "RO",
               "result of the last completed command: address of the allocation; number of the "
               "kernel found, or of a program's first kernel; error code if it failed"},
              {w + result_hi, "RESULT_HI", "RO",
               "upper half of the result; 0xffffffff: the command failed"}});
    t.push_back({message, "MESSAGE", "RO",
                 "0x300 to 0x3ff: zero-terminated description of ERROR; empty while ERROR is 0"});
    return t;
}

bool in_window(const register_info& r) {
    return r.offset >= first_window && r.offset < message;
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
                           in_window(r) ? " + 0x40 w" : "", r.name, r.access, r.description);
}

namespace {

/// A constant of the C header that is not a register.
struct code {
    const char* name;
    std::uint32_t value;
};

constexpr std::uint32_t of(command_code c) {
    return static_cast<std::uint32_t>(c);
}
constexpr std::uint32_t of(error_code c) {
    return static_cast<std::uint32_t>(c);
}

constexpr code codes[] = {
    {"ID_VALUE", id_value},
    {"VERSION_VALUE", version_value},
    {"MAP_BYTES", map_bytes},
    {"MESSAGE_BYTES", message_bytes},
    {"WINDOW_COUNT", window_count},
    {"WINDOW_BYTES", window_bytes},
    {"STATUS_BUSY", busy},
    {"STATUS_FAILED", failed},
    {"STATUS_STOPPED", stopped},
    {"STATUS_RESETTING", resetting},
    {"STATUS_MEMORY_BUSY", memory_busy},
    {"CONTROL_RESET", reset},
    {"IRQ_COMMAND_DONE", command_done},
    {"IRQ_KERNEL_DONE", kernel_done},
    {"IRQ_IDLE", idle},
    {"IRQ_FAULT", fault},
    {"IRQ_WINDOW_DONE", window_done},
    {"COMMAND_NOTHING", of(command_code::nothing)},
    {"COMMAND_COPY_TO_DEVICE", of(command_code::copy_to_device)},
    {"COMMAND_COPY_FROM_DEVICE", of(command_code::copy_from_device)},
    {"COMMAND_FILL", of(command_code::fill)},
    {"COMMAND_LAUNCH", of(command_code::launch)},
    {"COMMAND_EVENT", of(command_code::event)},
    {"COMMAND_SYNCHRONISE", of(command_code::synchronise)},
    {"COMMAND_ALLOCATE", of(command_code::allocate)},
    {"COMMAND_RELEASE", of(command_code::release)},
    {"COMMAND_LOAD_PROGRAM", of(command_code::load_program)},
    {"COMMAND_FIND_KERNEL", of(command_code::find_kernel)},
    {"COMMAND_LAUNCH_PROGRAM", of(command_code::launch_program)},
    {"ANY_STREAM", any_stream},
    {"ERROR_NONE", of(error_code::none)},
    {"ERROR_BAD_COMMAND", of(error_code::bad_command)},
    {"ERROR_NO_SUCH_KERNEL", of(error_code::no_such_kernel)},
    {"ERROR_QUEUE_FULL", of(error_code::queue_full)},
    {"ERROR_REFUSED_IN_RESET", of(error_code::refused_in_reset)},
    {"ERROR_GPU_STOPPED", of(error_code::gpu_stopped)},
    {"ERROR_MEMORY_ERROR", of(error_code::memory_error)},
    {"ERROR_OUT_OF_MEMORY", of(error_code::out_of_memory)},
    {"ERROR_BAD_ADDRESS", of(error_code::bad_address)},
    {"ERROR_BAD_PROGRAM", of(error_code::bad_program)},
    {"ERROR_BAD_LAUNCH", of(error_code::bad_launch)},
    {"ERROR_PROGRAM_FAULT", of(error_code::program_fault)},
    {"ERROR_HOST_MEMORY_ERROR", of(error_code::host_memory_error)},
    {"FAILED_RESULT", failed_result},
    {"LAUNCH_COOPERATIVE", cooperative},
};

}  // namespace

void write_register_header(std::ostream& out) {
    out << "/* SPDX-License-Identifier: Apache-2.0\n"
           " * Register map of a simtlm GPU, for firmware in C: byte offsets, bits and codes. "
           "What\n"
           " * they mean: docs/cosimulation.md. Made by write_register_header(). */\n"
           "#ifndef SIMTLM_REGISTERS_H\n#define SIMTLM_REGISTERS_H\n\n"
           "/* Registers. */\n";
    for (const register_info& r : register_table())
        if (!in_window(r)) out << fmt::format("#define SIMTLM_{} 0x{:03x}u\n", r.name, r.offset);
    out << "\n/* Registers of window w, 0 .. SIMTLM_WINDOW_COUNT - 1. */\n";
    for (const register_info& r : register_table())
        if (in_window(r))
            out << fmt::format("#define SIMTLM_{}(w) (0x{:03x}u + 0x{:02x}u * (w))\n", r.name,
                               r.offset, window_bytes);
    out << "\n/* Bits and codes. SIMTLM_IRQ_WINDOW_DONE is that of window 0; shift it by w. */\n";
    for (const code& c : codes) out << fmt::format("#define SIMTLM_{} 0x{:x}u\n", c.name, c.value);
    out << fmt::format(
        "\n/* Device memory: the byte at device address a is at this + a. */\n"
        "#define SIMTLM_APERTURE 0x{:x}ull\n",
        aperture);
    out << "\n/* What COMMAND_LAUNCH_PROGRAM finds at ADDRESS; the parameters follow it. */\n"
           "#include <stdint.h>\n"
           "struct simtlm_launch_descriptor {\n"
           "    uint32_t grid[3], block[3];\n"
           "    uint32_t dynamic_shared; /* bytes per thread block */\n"
           "    uint32_t flags;          /* SIMTLM_LAUNCH_... */\n"
           "};\n"
           "\n#endif\n";
}

}  // namespace simtlm::platform::host
