// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace simtlm::platform::host {

/// Byte offsets of the registers of the host interface. All registers are 32 bits wide and aligned.
/// Unnamed words are reserved: they read as zero and ignore writes.
enum offset : std::uint32_t {
    id = 0x000,
    version = 0x004,
    status = 0x008,
    control = 0x00c,
    irq_status = 0x010,
    irq_enable = 0x014,
    irq_clear = 0x018,
    error = 0x01c,
    sms = 0x020,
    channels = 0x024,
    kernels_loaded = 0x028,
    windows = 0x02c,
    queue_depth = 0x030,
    queue_space = 0x034,
    submitted = 0x038,
    completed = 0x03c,
    counters = 0x080,      ///< counter c: low word at counters + 8c, followed by the high word
    first_window = 0x100,  ///< window w begins at first_window + w * window_bytes
    message = 0x300,       ///< text for the error in ERROR, up to map_bytes
};
/// Byte offsets within a window.
enum window_offset : std::uint32_t {
    command = 0x00,
    address_lo = 0x04,
    address_hi = 0x08,
    size_lo = 0x0c,
    size_hi = 0x10,
    kernel = 0x14,
    stream = 0x18,
    tag = 0x1c,
    doorbell = 0x20,
    window_submitted = 0x24,
    window_completed = 0x28,
    last_tag = 0x2c,
    host_address_lo = 0x30,
    host_address_hi = 0x34,
    result_lo = 0x38,
    result_hi = 0x3c,
};
inline constexpr std::uint32_t window_bytes = 0x40;
inline constexpr std::uint32_t window_count = 8;
/// Size of the register file. Addresses between it and the aperture get an address error response.
inline constexpr std::uint32_t map_bytes = 0x400;
/// Size of MESSAGE in bytes, including the terminating NUL.
inline constexpr std::uint32_t message_bytes = map_bytes - message;
/// Base of device memory: the byte at device address a is at aperture + a.
inline constexpr std::uint64_t aperture = std::uint64_t{1} << 40;
/// RESULT_HI of a failed command; RESULT_LO is then its error_code.
inline constexpr std::uint32_t failed_result = 0xffffffff;

inline constexpr std::uint32_t id_value = 0x4d4c5453;       ///< "STLM"
inline constexpr std::uint32_t version_value = 0x00000300;  ///< major.minor.patch, one byte each

/// Values of COMMAND.
enum class command_code : std::uint32_t {
    nothing,
    copy_to_device,
    copy_from_device,
    fill,
    launch,
    event,
    synchronise,
    allocate,
    release,
    load_program,
    find_kernel,
    launch_program,
};
inline constexpr std::uint32_t command_count = 12;

/// Value of STREAM: a kernel runs on the stream named in its trace; other commands wait for all
/// streams.
inline constexpr std::uint32_t any_stream = 0xffffffff;

/// Bits of STATUS.
enum status_bit : std::uint32_t {
    busy = 1u << 0,       ///< commands are queued or running
    failed = 1u << 1,     ///< ERROR is nonzero
    stopped = 1u << 2,    ///< deadlock, limit reached or faulty input: no further command will run
    resetting = 1u << 3,  ///< commands are rejected until running CTAs have ended
    memory_busy = 1u << 4,  ///< traffic in flight in the memory system, including posted writes
};
/// Bits of CONTROL.
enum control_bit : std::uint32_t { reset = 1u << 0 };
/// Bits of IRQ_STATUS, IRQ_ENABLE and IRQ_CLEAR.
enum irq_bit : std::uint32_t {
    command_done = 1u << 0,
    kernel_done = 1u << 1,
    idle = 1u << 2,
    fault = 1u << 3,
    window_done = 1u << 8,  ///< window 0; window w is this value shifted left by w
};
/// Values of ERROR. The first error is kept until it is cleared.
enum class error_code : std::uint32_t {
    none,
    bad_command,
    no_such_kernel,
    queue_full,
    refused_in_reset,
    gpu_stopped,
    memory_error,
    out_of_memory,
    bad_address,
    bad_program,
    bad_launch,
    program_fault,
    host_memory_error,
};

/// Descriptor of a launch_program command at ADDRESS in device memory: 32-bit words followed by the
/// kernel parameters in PTX layout.
struct launch_descriptor {
    std::uint32_t grid[3] = {1, 1, 1};   ///< thread blocks
    std::uint32_t block[3] = {1, 1, 1};  ///< threads per block
    std::uint32_t dynamic_shared = 0;    ///< bytes per thread block
    std::uint32_t flags = 0;             ///< bits of launch_flag
};
/// Bits of launch_descriptor::flags.
enum launch_flag : std::uint32_t { cooperative = 1u << 0 };

/// The 64-bit performance counters, in order.
enum class counter : std::uint32_t {
    core_cycles,
    thread_instructions,
    warp_instructions,
    kernels_done,
    ctas_done,
    l2_accesses,
    l2_hits,
    l2_misses,
    memory_reads,
    memory_writes,
    memory_errors,
};
inline constexpr std::uint32_t counter_count = 11;

/// One row of the register map.
struct register_info {
    std::uint32_t offset;
    std::string name;
    const char* access;  ///< RO, RW, WO, W1C
    const char* description;
};
/// The registers outside of windows, followed by those of window 0.
const std::vector<register_info>& register_table();
/// Writes the register table of docs/cosimulation.md.
void write_register_map(std::ostream& out);
/// Writes the register map as a C header for firmware: platform/simtlm_registers.h.
void write_register_header(std::ostream& out);

}  // namespace simtlm::platform::host
