// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/texture.h"
#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/state/program_image.h"
#include "modules/sass/cubin.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::execution {

/// A row of the bank `constants`: a word replicated in all lanes, or a value that depends on the
/// lane.
struct machine_row {
    /// Source of the row's value.
    enum class kind : std::uint8_t {
        number,
        bank_word,
        bank_byte,  ///< of a constant bank, like those below
        bank_signed_byte,
        bank_half,
        bank_signed_half,
        lane_id,
        mask_eq,
        mask_lt,
        mask_le,
        mask_gt,
        mask_ge
    };
    kind what = kind::number;
    std::uint32_t bank = 0;
    std::uint32_t value = 0;  ///< a number, or an offset in the bank in bytes
};

/// Signature of a runtime function that machine code may call: arguments and result are in
/// registers starting at R4, 8-byte values in pairs.
struct runtime_signature {
    std::string_view name;
    std::array<std::uint8_t, 5> arguments{};  ///< bytes; 0: end
    std::uint8_t result = 0;                  ///< bytes
};
constexpr std::array<runtime_signature, 21> runtime_functions = {{
    {"vprintf", {8, 8}, 4},
    {"malloc", {8}, 8},
    {"free", {8}, 0},
    {"__assertfail", {8, 8, 4, 8, 8}, 0},
    {"__assert_fail", {8, 8, 4, 8}, 0},
    {"cudaGraphSetConditional", {8, 4}, 0},
    // Launches by kernels; cubins contain definitions of these functions, which call the driver.
    {"__cudaCDP2GetParameterBufferV2", {8, 12, 12, 4}, 8},
    {"__cudaCDP2LaunchDeviceV2", {8, 8}, 4},
    {"__cudaCDP2StreamCreateWithFlags", {8, 4}, 4},
    {"__cudaCDP2StreamDestroy", {8}, 4},
    {"__cudaCDP2StreamWaitEvent", {8, 8, 4}, 4},
    {"__cudaCDP2EventCreateWithFlags", {8, 4}, 4},
    {"__cudaCDP2EventRecord", {8, 8}, 4},
    {"__cudaCDP2EventDestroy", {8}, 4},
    {"__cudaCDP2GetLastError", {}, 4},
    {"__cudaCDP2PeekAtLastError", {}, 4},
    {"__cudaCDP2GetDevice", {8}, 4},
    {"__cudaCDP2MemcpyAsync", {8, 8, 8, 4, 8}, 4},
    {"__cudaCDP2MemsetAsync", {8, 4, 8, 8}, 4},
    {"__cudaCDP2Malloc", {8, 8}, 4},
    {"__cudaCDP2Free", {8}, 4},
}};

/// A function of sm_90's system software that machine code calls for textures with gradients in
/// three dimensions: __cuda_syscall_tex_grad_[pred_]3d|cube|acube_v4_f32|s32|u32|f16_f32[_offset].
/// Registers: R4 and R5, handle; R8 to R11, coordinates; R12 to R14, derivatives in x. Stack, from
/// R1 on: derivatives in y, then offsets. Results: R4, whether the texels are resident; R5 and
/// following, the components, those of f16 in pairs.
struct texture_function {
    std::string name;
    arithmetic::texture_geometry geometry = arithmetic::texture_geometry::three;
    bool layered = false, halves = false, offsets = false;

    /// @return false if it is none of these
    static bool parse(std::string_view name, texture_function& to);
};

/// A cubin loaded into a device's memory: its variables have addresses, its instructions are
/// lowered to the internal form. Executing an unsupported instruction is an error that names it and
/// its program counter; launching a kernel that needs a missing function or variable is an error.
class sass_image final : public program_image {
public:
    static constexpr unsigned banks = 5;  ///< constant banks 0 to 4
    /// Addresses of code as seen by programs: 16 bytes per instruction, by the index of its place.
    static constexpr device_address code_window = std::uint64_t{1} << 46;
    /// Since Hopper, generic addresses of shared memory are those of the shared space with this
    /// upper word (SR_SWINHI).
    static constexpr std::uint32_t shared_window_high = 0x0010'0000;
    /// Offset of a CTA's own shared memory, after the part reserved by Hopper's system software.
    /// Reported sizes of shared memory and addresses exclude it.
    /// In images that use that part, it belongs to the CTA's memory, and the offset is 0. It is
    /// also 0 in images whose kernels do not count that part as theirs: these were compiled without
    /// it, as kernels of cuFFT for sm_90 are, and place their variables from address 0 on.
    std::uint32_t own_shared() const {
        return architecture() >= 90 && !uses_reserved_ && counts_reserved_ ? reserved_bytes : 0;
    }
    /// Bytes of shared memory for system software: at the beginning, before sm_90 at the end.
    /// Cooperative groups use it to synchronise groups of several warps.
    static constexpr std::uint32_t reserved_bytes = 0x400;
    /// Runtime functions are located below code_window, 16 bytes each.
    static constexpr device_address runtime_window = code_window - 0x10000;

    /// @throws support::user_error  if it refers to something that does not exist
    sass_image(std::shared_ptr<const sass::cubin> source, device_memory& memory,
               const check_options& checks = {});
    ~sass_image() override;

    const sass::cubin& source() const { return *source_; }
    /// Whether all instructions of its kernels are supported.
    bool is_executed_whole() const;
    /// Why a kernel cannot be launched, or not be executed completely because of an unsupported
    /// instruction, its own or that of a possible callee; empty if it can.
    const std::string& problem_of(const kernel_image& k) const;
    /// Names of the system functions that it calls and that are not supported. They have addresses
    /// after those of the supported ones.
    const std::vector<std::string_view>& unsupported_functions() const {
        return unsupported_functions_;
    }
    const kernel_image* kernel_at(device_address a) const override;
    std::vector<program_variable> shared_variables_of(const kernel_image&) const override {
        return {};
    }
    lane_buffer launch_constants(const launch& what, std::uint32_t local_bytes) const override;
    void initialise_shared(std::byte* shared, unsigned rank) const override;
    std::unique_ptr<warp_control> make_control() const override;
    std::shared_ptr<const instruction_descriptors> describe(
        const instruction_timing& timing) const override;
    std::string where(const operation& op) const override;
    std::string text_of(const operation& op) const override;
    instruction_name name_of(const operation& op) const override;
    std::string results_text(const operation& op, const std::byte* frame,
                             unsigned lane) const override;
    std::string registers_text(const operation& op, const std::byte* frame,
                               unsigned lane) const override;

    /// Location of an instruction.
    struct place {
        std::uint32_t function = 0;  ///< of source()
        std::uint64_t offset = 0;    ///< in its section; the section's size means its end
    };
    /// By operation::instruction: the instructions of one function after the other, each function
    /// followed by a place for its end.
    const std::vector<place>& places() const { return places_; }
    /// The mnemonic of an instruction with its modifiers. Valid as long as the image.
    const char* opcode_of(std::uint32_t instruction) const { return opcodes_[instruction]; }
    /// Line of CUDA source; 0: unknown.
    std::uint32_t source_line(const place& p) const;

private:
    friend class machine_lowering;

    const sass::cubin_line* line_of(const place& p) const;

    struct bank_contents {
        std::uint32_t offset = 0;  ///< in the bank `constants`
        std::uint32_t bytes = 0;
    };
    bool uses_reserved_shared() const;
    void find_tensor_allocations();
    void place_variables();
    void place_reference(const sass::cubin_symbol& s);
    void relocate_data(std::uint32_t section, char* data, std::size_t size) const;
    /// @param f  of source_
    std::uint32_t number_of(const sass::cubin_function& f) const {
        return static_cast<std::uint32_t>(&f - source_->functions().data());
    }
    void describe_kernels();
    void lower();
    std::string bank_section(unsigned bank, const kernel_image& k) const;
    void fill_banks(const kernel_image& k, std::byte* buffer) const;
    void put_launch(const launch& l, std::uint32_t local_bytes, std::byte* zero) const;
    device_address address_of(const sass::cubin_symbol& s) const;
    device_address code_address(std::uint32_t function, std::uint64_t offset) const {
        return code_window + 16 * first_place_[function] + offset;
    }
    void patch_code();
    void find_callees();
    std::set<std::uint32_t> reachable_from(std::uint32_t function) const;
    const std::string& first_of(const std::vector<std::string>& reasons,
                                const kernel_image& k) const;
    void find_system_functions();
    /// An instruction after relocation by a loader.
    sass::instruction_word word_of(std::uint32_t function, std::size_t n) const;

    std::shared_ptr<const sass::cubin> source_;
    device_memory& memory_;
    bool uses_reserved_ = false;       ///< reserved shared memory
    bool counts_reserved_ = false;     ///< shared memory of kernels includes the reserved part
    bool allocates_in_pairs_ = false;  ///< columns of tensor memory of two CTAs
    std::uint32_t allocation_record_ = 0x40;            ///< of tensor memory, in reserved memory
    std::map<std::uint32_t, device_address> sections_;  ///< of variables, by section
    std::map<std::uint32_t, std::vector<const sass::cubin_relocation*>>
        relocations_;               ///< of data, by section
    device_address constants_ = 0;  ///< of constant bank 3, if there is one
    /// Handles of the texture and surface references of the program, by name.
    std::map<std::string_view, device_address> references_;
    std::vector<device_address> owned_;
    std::vector<std::uint64_t> first_place_;  ///< by function: index of its first instruction
    std::map<std::pair<std::uint32_t, std::uint64_t>, sass::instruction_word>
        patched_;                               ///< by function and offset
    std::vector<operand_ref> first_operation_;  ///< by operation::instruction
    std::vector<bool> calls_unknown_;   ///< by function: calls through pointers or into other
                                        ///< sections
    std::vector<bool> calls_pointers_;  ///< by function: makes indirect calls
    /// By function: functions whose addresses occur in its code, which it may call; and functions
    /// whose addresses occur in data, which indirect calls may reach.
    std::vector<std::set<std::uint32_t>> callees_;
    std::set<std::uint32_t> pointed_to_;
    /// By function: whether its stack may exceed the size stated in the cubin, due to recursion
    /// within its section or alloca.
    std::vector<bool> stack_unknown_;
    std::vector<place> places_;         ///< by operation::instruction
    std::vector<const char*> opcodes_;  ///< by operation::instruction
    std::set<std::string> opcode_names_;
    std::vector<texture_function> texture_functions_;  ///< that it calls
    std::vector<std::string_view> unsupported_functions_;
    // By function; empty if there is none.
    std::vector<std::string> missing_;      ///< what it needs and is not there
    std::vector<std::string> unsupported_;  ///< the first unsupported instruction
    bool any_missing_ = false;
    /// By function and offset: why an instruction cannot be relocated.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> unrelocated_;
    std::deque<std::string> reasons_;      ///< of unsupported instructions
    std::uint32_t registers_ = 0;          ///< number of rows in a frame for R0, R1, ...
    std::uint32_t uniform_registers_ = 0;  ///< rows in use for UR0, UR1, ...
    std::uint32_t barriers_ = 0;           ///< rows in use for B0, B1, ...
    std::vector<machine_row> rows_;
    std::array<bank_contents, banks> bank_{};
    std::uint32_t constant_bytes_ = 0;
    std::vector<std::unique_ptr<operand_ref[]>> lists_;
    std::vector<std::shared_ptr<const void>>
        attachments_;  ///< arguments and descriptions of operations
};

}  // namespace simtlm::execution
