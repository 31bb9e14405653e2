// SPDX-License-Identifier: Apache-2.0
// A processor loads a program and data into the GPU and reads the result: a dot product whose
// inputs are copied from the processor's RAM, and whose result is read through the aperture by bus
// accesses, DMI and debug accesses.
#include "bus.h"
#include "expect.h"
#include "gpu_driver.h"
#include "ram.h"

#include <simtlm/modules/dispatch/command_processor.h>
#include <simtlm/simtlm.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace platform_example;
using simtlm::host::command_code;
namespace host = simtlm::host;

constexpr std::uint64_t ram_base = 0x0, ram_bytes = 0x40000;
constexpr std::uint64_t gpu_base = std::uint64_t{1} << 44;
constexpr std::uint32_t elements = 3000, block = 128, blocks = 8;

/// Each block sums its part in shared memory; atomics combine the partial sums.
const std::string text = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry dot(.param .u64 p_x, .param .u64 p_y, .param .u64 p_sum, .param .u32 p_n)
{
  .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<12>;
  .shared .align 4 .b8 part[512];
  ld.param.u64 %rd1, [p_x]; ld.param.u64 %rd2, [p_y]; ld.param.u64 %rd3, [p_sum];
  ld.param.u32 %r1, [p_n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %nctaid.x;
  mad.lo.u32 %r6, %r4, %r3, %r2;
  mul.lo.u32 %r7, %r3, %r5;
  mov.u32 %r8, 0;
ADD:
  setp.ge.u32 %p1, %r6, %r1;
  @%p1 bra SUM;
  mul.wide.u32 %rd4, %r6, 4;
  add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4;
  ld.global.u32 %r9, [%rd5]; ld.global.u32 %r10, [%rd6];
  mad.lo.u32 %r8, %r9, %r10, %r8;
  add.u32 %r6, %r6, %r7;
  bra ADD;
SUM:
  mov.u32 %r11, part; shl.b32 %r12, %r2, 2; add.u32 %r13, %r11, %r12;
  st.shared.u32 [%r13], %r8;
  bar.sync 0;
  shr.u32 %r14, %r3, 1;
HALVE:
  setp.ge.u32 %p1, %r2, %r14;
  @%p1 bra NEXT;
  shl.b32 %r15, %r14, 2; add.u32 %r15, %r13, %r15;
  ld.shared.u32 %r16, [%r15]; ld.shared.u32 %r17, [%r13];
  add.u32 %r17, %r17, %r16; st.shared.u32 [%r13], %r17;
NEXT:
  bar.sync 0;
  shr.u32 %r14, %r14, 1;
  setp.ne.u32 %p2, %r14, 0;
  @%p2 bra HALVE;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra DONE;
  ld.shared.u32 %r17, [part];
  red.global.add.u32 [%rd3], %r17;
DONE:
  ret;
}
)";

expectations expect;

/// Example of firmware for the GPU.
class driver {
public:
    explicit driver(host_processor& cpu) : cpu_(cpu) {}

    std::uint64_t order(command_code what, std::uint64_t address = 0, std::uint64_t bytes = 0,
                        std::uint32_t kernel = 0, std::uint64_t host_address = 0) {
        host_processor::command c;
        c.what = what;
        c.address = address;
        c.bytes = bytes;
        c.kernel = kernel;
        c.stream = 0;
        c.host_address = host_address;
        return cpu_.order(gpu_base, c);
    }
    std::uint64_t allocate(std::uint64_t bytes) { return order(command_code::allocate, 0, bytes); }
    void put(std::uint64_t at, const void* from, std::size_t bytes) {
        if (cpu_.access(tlm::TLM_WRITE_COMMAND, gpu_base + host::aperture + at,
                        const_cast<void*>(from),
                        static_cast<unsigned>(bytes)) != tlm::TLM_OK_RESPONSE)
            SC_REPORT_ERROR("driver", "device memory was not written");
    }
    template <class Value>
    Value get(std::uint64_t at) {
        Value v{};
        cpu_.access(tlm::TLM_READ_COMMAND, gpu_base + host::aperture + at, &v, sizeof v);
        return v;
    }
    /// Copies text or a structure to newly allocated device memory.
    std::uint64_t place(const void* from, std::size_t bytes) {
        const std::uint64_t at = allocate(bytes);
        put(at, from, bytes);
        return at;
    }
    std::uint32_t load(const std::string& program) {
        return static_cast<std::uint32_t>(order(
            command_code::load_program, place(program.data(), program.size()), program.size()));
    }
    std::string message() {
        std::vector<char> words(host::message_bytes);
        cpu_.access(tlm::TLM_READ_COMMAND, gpu_base + host::message, words.data(),
                    host::message_bytes);
        return words.data();
    }
    std::uint32_t error() { return cpu_.read(gpu_base + host::error); }

private:
    host_processor& cpu_;
};

std::uint32_t x_of(std::uint32_t i) {
    return i * 7 + 1;
}
std::uint32_t y_of(std::uint32_t i) {
    return (i * 2654435761u) >> 20;
}

void fill_ram(host_processor& cpu) {
    for (std::uint32_t i = 0; i < elements; ++i) {
        cpu.write(ram_base + 0x1000 + 4 * i, x_of(i));
        cpu.write(ram_base + 0x10000 + 4 * i, y_of(i));
    }
}

struct dot_arguments {
    host::launch_descriptor shape;
    std::uint64_t x, y, sum;
    std::uint32_t n;
};

void use_directly(host_processor& cpu, std::uint64_t sum, std::uint32_t right) {
    tlm::tlm_generic_payload p;
    p.set_read();
    const std::uint64_t at = gpu_base + host::aperture + sum;
    p.set_address(at);
    tlm::tlm_dmi dmi;
    const bool granted = cpu.socket->get_direct_mem_ptr(p, dmi);
    expect(granted, "device memory is granted for direct access");
    if (!granted) return;
    expect(dmi.get_start_address() == at && dmi.get_end_address() == at + 3,
           "for the allocation, by its addresses on the bus");
    std::uint32_t there = 0;
    std::memcpy(&there, dmi.get_dmi_ptr(), 4);
    expect(there == right, "the result is there, too");
    p.set_address(gpu_base);
    expect(!cpu.socket->get_direct_mem_ptr(p, dmi), "registers are not");
}

void software(host_processor& cpu) {
    driver gpu(cpu);
    fill_ram(cpu);
    const std::uint32_t kernel = gpu.load(text);
    expect(gpu.error() == 0, "a program is loaded " + gpu.message());

    dot_arguments a{{{blocks, 1, 1}, {block, 1, 1}, 0, 0}, 0, 0, 0, elements};
    a.x = gpu.allocate(4 * elements);
    a.y = gpu.allocate(4 * elements);
    a.sum = gpu.allocate(4);
    gpu.order(command_code::copy_to_device, a.x, 4 * elements, 0, ram_base + 0x1000);
    gpu.order(command_code::copy_to_device, a.y, 4 * elements, 0, ram_base + 0x10000);
    expect(gpu.get<std::uint32_t>(a.x + 4 * 1234) == x_of(1234), "copies carry bytes");
    const std::uint64_t arguments = gpu.place(&a, sizeof a);
    gpu.order(command_code::launch_program, arguments, sizeof a, kernel);

    std::uint32_t right = 0;
    for (std::uint32_t i = 0; i < elements; ++i) right += x_of(i) * y_of(i);
    expect(gpu.error() == 0, "it runs " + gpu.message());
    expect(gpu.get<std::uint32_t>(a.sum) == right, "the result is what the host computes");
    use_directly(cpu, a.sum, right);
    expect(cpu.peek(gpu_base + host::aperture + a.sum) == right, "a debugger sees it");
    gpu.order(command_code::copy_from_device, a.sum, 4, 0, ram_base + 0x20000);
    expect(cpu.read(ram_base + 0x20000) == right, "a copy brings it to the processor's RAM");

    gpu.order(command_code::release, a.sum);
    std::uint32_t word = 0;
    expect(cpu.access(tlm::TLM_READ_COMMAND, gpu_base + host::aperture + a.sum, &word, 4) ==
               tlm::TLM_ADDRESS_ERROR_RESPONSE,
           "what has been released is no memory any more");
    const std::uint64_t refused = gpu.order(command_code::load_program, a.x, 64);
    expect(refused >> 32 == host::failed_result, "numbers are no program");
    expect(gpu.error() == static_cast<std::uint32_t>(host::error_code::bad_program),
           "and the GPU says so: " + gpu.message());
}

int run() {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    tlm::tlm_global_quantum::instance().set(sc_core::sc_time(1, sc_core::SC_US));

    simtlm::gpu device("gpu", simtlm::configure({"--preset", "TINY"}, CONFIGS));
    simtlm::base_protocol_checker<> at_host("at_host"), at_memory("at_memory");
    ram memory("ram", ram_bytes);
    bus interconnect("bus", sc_core::sc_time(5, sc_core::SC_NS));
    host_processor cpu("cpu", software);
    sc_core::sc_signal<bool> irq("irq");

    cpu.socket.bind(interconnect.initiators);
    device.host_memory.bind(at_memory.target);
    at_memory.initiator.bind(interconnect.initiators);
    interconnect.map(memory.socket, ram_base, ram_bytes);
    interconnect.map(at_host.target, gpu_base, 2 * host::aperture);
    at_host.initiator.bind(device.host);
    device.irq.bind(irq);
    cpu.interrupt.bind(irq);

    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
    expect(cpu.finished(), "the software ran to its end");
    expect(device.commands().kernels_done() == 1, "the kernel ran");
    for (const auto* c : {&at_host, &at_memory})
        expect(c->rules.violations().empty() && c->rules.in_flight() == 0,
               std::string("the base protocol was kept ") + c->basename());
    return expect.failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int, char**) {
    return run();
}
