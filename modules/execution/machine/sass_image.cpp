// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/sass_image.h"

#include "modules/execution/machine/machine_control.h"
#include "modules/execution/machine/machine_frame.h"
#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/bulk_copy.h"
#include "modules/execution/operations/special.h"
#include "modules/execution/operations/tensor_memory_operations.h"
#include "modules/execution/ptx/instruction_descriptors.h"
#include "modules/execution/state/device_launches.h"
#include "modules/execution/state/launch.h"
#include "modules/sass/cubin_format.h"
#include "modules/sass/decoder.h"
#include "modules/sass/fat_binary.h"
#include "modules/sass/linker.h"
#include "modules/sass/relocation.h"
#include "modules/support/error.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace simtlm::execution {

using sass::modifier;

namespace {

/// A value in a constant bank, extended to a word. Bytes outside of the bank are zero.
std::uint32_t bank_value(const machine_row& r, const std::byte* bank, std::uint32_t bank_bytes) {
    using kind = machine_row::kind;
    const bool is_byte = r.what == kind::bank_byte || r.what == kind::bank_signed_byte;
    const bool is_half = r.what == kind::bank_half || r.what == kind::bank_signed_half;
    const std::uint32_t bytes = is_byte ? 1 : is_half ? 2 : 4;
    if (r.value >= bank_bytes) return 0;
    std::uint32_t v = 0;
    std::memcpy(&v, bank + r.value, std::min(bytes, bank_bytes - r.value));
    if (r.what == kind::bank_signed_byte)
        return static_cast<std::uint32_t>(static_cast<std::int8_t>(v));
    if (r.what == kind::bank_signed_half)
        return static_cast<std::uint32_t>(static_cast<std::int16_t>(v));
    return v;
}

/// Types of symbols for texture and surface references, which are in no section.
constexpr std::uint8_t texture_symbol = 10, surface_symbol = 12;
constexpr std::uint64_t reference_bytes = 8;
/// Value used by a linker if the depth is unknown.
constexpr std::uint32_t stack_unspecified = 0xffffffff;
constexpr std::uint32_t constant_bank_bytes = 65536;
/// Larger than the shared memory of a CTA, and the local memory of a thread, of any GPU.
constexpr std::uint32_t max_shared_memory = 1u << 18, max_local = 1u << 19;

/// Offsets in constant bank 0 before the parameters; 0 if an architecture has no such word. Those
/// of sm_100 and later were found by compiling reads of special registers. Some of them are
/// relative to a version in a special register, which is 0 here (special_register::launch_version).
struct bank_0 {
    static constexpr std::uint32_t none = ~0u;
    std::uint32_t block = 0x0, grid = 0xc;
    std::uint32_t shared_window = 0x18, local_window = 0x20;
    std::uint32_t stack_top = 0x28;
    std::uint32_t dynamic_shared = 0x2c;
    std::uint32_t grid_id = 0x30;
    /// %envreg0 and %envreg16 and following; for a cooperative launch they hold the location of its
    /// workspace.
    std::uint32_t environment = 0x88, environment_16 = 0xc8;
    /// Generic address of constant bank 3, which holds the variables of the constant space.
    std::uint32_t constants = 0x50;
    // Reserved shared memory, since sm_80: %reserved_smem_offset_end and _1; before sm_90 its size.
    std::uint32_t reserved_end = 0x120, reserved_second = 0x124, reserved_size = 0x114;
    /// Before sm_90: generic address of the bank itself, to which offsets of parameters are added.
    std::uint32_t bank = 0x40;
    // Since sm_90: whether the launch uses clusters, their CTAs in each dimension, the reciprocals
    // of these as floats, clusters of the grid, address of the parameters in memory, total CTAs of
    // a cluster.
    std::uint32_t explicit_cluster = none, cluster = none, cluster_reciprocals = none;
    std::uint32_t clusters = none, cluster_size = none, parameters = none;

    static constexpr std::uint32_t environment_words = 32;

    static bank_0 of(unsigned architecture) {
        bank_0 b;
        if (architecture < 90) return b;
        b.reserved_size = b.bank = none;
        b.environment = 0x40, b.environment_16 = 0x80, b.constants = 0xd0;
        b.reserved_end = 0x68, b.reserved_second = 0x6c;
        b.explicit_cluster = 0x140, b.cluster = 0x144, b.cluster_reciprocals = 0x150;
        b.clusters = 0x15c, b.cluster_size = 0x188, b.parameters = 0x198;
        if (architecture < sass::blackwell) return b;
        b.block = 0x360, b.grid = 0x370, b.shared_window = none, b.local_window = 0x2f8;
        b.stack_top = launch_words::stack_top(architecture), b.dynamic_shared = 0x2ac;
        b.grid_id = 0x140, b.environment = 0x250, b.environment_16 = 0xd0, b.constants = 0x120;
        b.reserved_end = 0x278, b.reserved_second = 0x27c;
        b.explicit_cluster = 0x36c, b.cluster = 0x2a0, b.cluster_reciprocals = 0x2b0;
        b.clusters = 0x2c0, b.cluster_size = 0x2cc, b.parameters = 0x348;
        return b;
    }
};

/// Number of a function that the simulator executes, whether or not the cubin contains it.
/// @return runtime_functions.size()  if there is none of this name
std::size_t runtime_function_number(const sass::cubin_symbol& s) {
    if (s.section != 0 && !sass::begins_with(s.name, "__cudaCDP2")) return runtime_functions.size();
    return static_cast<std::size_t>(std::find_if(runtime_functions.begin(), runtime_functions.end(),
                                                 [&](const auto& f) { return f.name == s.name; }) -
                                    runtime_functions.begin());
}

/// Number of registers that an instruction writes, starting with its first operand.
unsigned result_words(const sass::instruction& i) {
    using isa::opcode;
    const auto has_type_of_64_bits = [&] {
        return i.has(modifier::_64) || i.has(modifier::S64) || i.has(modifier::U64) ||
               i.has(modifier::F64);
    };
    bool is_pair = i.has(modifier::WIDE);
    switch (i.opcode) {
        case opcode::LDG:
        case opcode::LD:
        case opcode::LDS:
        case opcode::LDL:
        case opcode::LDC:
        case opcode::ULDC:
        case opcode::LDCU:
        case opcode::ATOM:
        case opcode::ATOMG:
        case opcode::ATOMS:
            if (i.has(modifier::_128)) return 4;
            is_pair = has_type_of_64_bits();
            break;
        case opcode::DADD:
        case opcode::DMUL:
        case opcode::DFMA:
        case opcode::LEPC:
            is_pair = true;
            break;
        case opcode::I2F:
        case opcode::FRND:
            is_pair = i.has(modifier::F64);
            break;
        case opcode::F2I:
            is_pair = i.has(modifier::U64) || i.has(modifier::S64);
            break;
        case opcode::F2F:
            // The type of the result precedes that of the source.
            is_pair = i.modifiers[i.modifiers[0] == modifier::FTZ ? 1 : 0] == modifier::F64;
            break;
        case opcode::IMNMX:
            is_pair = has_type_of_64_bits();
            break;
        case opcode::FADD2:
        case opcode::FMUL2:
        case opcode::FFMA2:
            is_pair = true;
            break;
        case opcode::CS2R:
            is_pair = !i.has(modifier::_32);
            break;
        case opcode::UIADD3:
        case opcode::IADD:
        case opcode::MOV:
        case opcode::UMOV:
        case opcode::SEL:
        case opcode::USEL:
            is_pair = i.has(modifier::_64);
            break;
        default:
            break;
    }
    return is_pair ? 2 : 1;
}

/// Whether an instruction writes two predicates, its first operands.
bool sets_predicates(isa::opcode o) {
    using isa::opcode;
    return o == opcode::ISETP || o == opcode::UISETP || o == opcode::FSETP || o == opcode::DSETP ||
           o == opcode::HSETP2 || o == opcode::PLOP3 || o == opcode::UPLOP3;
}

void put(std::byte* to, std::uint32_t offset, std::uint64_t value, std::size_t bytes) {
    if (offset != bank_0::none) std::memcpy(to + offset, &value, bytes);
}

}  // namespace

bool texture_function::parse(std::string_view name, texture_function& to) {
    to.name = name;
    const auto skip = [&](std::string_view part) {
        const bool found = name.substr(0, part.size()) == part;
        if (found) name.remove_prefix(part.size());
        return found;
    };
    using arithmetic::texture_geometry;
    if (!skip("__cuda_syscall_tex_grad_")) return false;
    skip("pred_");
    to.geometry = skip("3d")     ? texture_geometry::three
                  : skip("cube") ? texture_geometry::cube
                                 : texture_geometry::layered_cube;
    to.layered = to.geometry == texture_geometry::layered_cube;
    if (to.layered && !skip("acube")) return false;
    if (!skip("_v4_")) return false;
    to.halves = skip("f16");
    if (!to.halves && !skip("f32") && !skip("s32") && !skip("u32")) return false;
    if (!skip("_f32")) return false;
    to.offsets = skip("_offset");
    return name.empty() && !(to.offsets && to.layered);
}

sass_image::sass_image(std::shared_ptr<const sass::cubin> source, device_memory& memory,
                       const check_options& checks)
    : program_image(instruction_set::sass, source->origin(), source->architecture(), checks),
      source_(sass::executable(std::move(source))),
      memory_(memory) {
    if (architecture() > sass::newest_machine_code)
        throw support::user_error(
            source_->origin(),
            fmt::format("it is machine code for sm_{}; the newest that is supported is sm_{}",
                        architecture(), sass::newest_machine_code),
            "run its PTX (docs/blackwell.md), or compile it for an older GPU");
    std::uint64_t places = 0;
    for (const sass::cubin_function& f : source_->functions()) {
        first_place_.push_back(places);
        places += f.instructions() + 1;
    }
    calls_unknown_.resize(source_->functions().size());
    stack_unknown_.resize(source_->functions().size());
    calls_pointers_.resize(source_->functions().size());
    find_callees();
    for (const sass::cubin_symbol& s : source_->symbols()) {
        allocates_ = allocates_ || s.name == "malloc" || s.name == "__cudaCDP2Malloc";
        texture_function t;
        if (s.section == 0 && architecture() >= 90 && texture_function::parse(s.name, t))
            texture_functions_.push_back(std::move(t));
        launches_kernels_ =
            launches_kernels_ || device_launches::is_needed_for(std::string(s.name));
    }
    find_system_functions();
    for (const sass::cubin_relocation& r : source_->relocations())
        if (source_->function_in(r.section) == nullptr) relocations_[r.section].push_back(&r);
    uses_reserved_ = uses_reserved_shared();
    for (const sass::cubin_function& f : source_->functions())
        counts_reserved_ = counts_reserved_ || f.static_shared >= reserved_bytes;
    find_tensor_allocations();
    place_variables();
    describe_kernels();
    patch_code();
    lower();
    cancels_launches_ = std::any_of(code_.begin(), code_.end(), [](const operation& op) {
        return op.execute == cancel_launch;
    });
}

/// Whether code reads the location of reserved shared memory from constant bank 0.
bool sass_image::uses_reserved_shared() const {
    if (architecture() < 80) return false;
    const bank_0 places = bank_0::of(architecture());
    const std::uint32_t end = places.reserved_end, second = places.reserved_second;
    for (const sass::cubin_function& f : source_->functions())
        for (std::size_t n = 0; n < f.instructions(); ++n) {
            // Offset and bank of an operand, if the instruction has one.
            constexpr unsigned offset_begins = 38, offset_bits = 16, bank_begins = 54,
                               bank_bits = 5;
            const sass::instruction_word w = f.word(n);
            const std::uint64_t offset = w.bits(offset_begins, offset_bits);
            if ((offset != end && offset != second) || w.bits(bank_begins, bank_bits) != 0)
                continue;
            sass::instruction i;
            if (!sass::decode(w, architecture(), n * sass::instruction_bytes, i)) continue;
            for (unsigned k = 0; k < i.operand_count; ++k)
                if (i.operands[k].kind == sass::operand_kind::constant && i.operands[k].bank == 0 &&
                    i.operands[k].value == offset)
                    return true;
        }
    return false;
}

/// Allocations of tensor memory, and their end, are recorded in reserved shared memory.
void sass_image::find_tensor_allocations() {
    if (architecture() < sass::blackwell) return;
    for (const sass::cubin_symbol& y : source_->symbols())
        if (y.name == "__nv_reservedSMEM_tcgen05_partition")
            allocation_record_ = static_cast<std::uint32_t>(y.value);
    for (const sass::cubin_function& f : source_->functions())
        for (std::size_t n = 0; n < f.instructions(); ++n) {
            constexpr std::uint32_t record_bytes = 32;
            constexpr std::uint64_t find = 0x5e3, release = 0x9e3, relinquish = 0x84c;
            const std::uint64_t key = f.word(n).bits(0, 12);
            if (key != find && key != release && key != relinquish) continue;
            sass::instruction i;
            if (!sass::decode(f.word(n), architecture(), 0, i)) continue;
            uses_reserved_ = true;
            allocates_in_pairs_ = (allocates_in_pairs_ || i.has(sass::modifier::_2CTA)) &&
                                  allocation_record_ <= reserved_bytes - record_bytes;
        }
}

void sass_image::initialise_shared(std::byte* shared, unsigned rank) const {
    if (allocates_in_pairs_) initialise_pair_allocation(shared + allocation_record_, rank);
}

sass_image::~sass_image() {
    for (const device_address a : owned_) memory_.release(a);
}

void sass_image::place_variables() {
    std::map<std::uint32_t, std::string> contents;  // by section
    for (std::uint32_t n = 0; n < source_->sections().size(); ++n) {
        const sass::cubin_section& s = source_->sections()[n];
        const bool global = s.name == ".nv.global" || s.name == ".nv.global.init";
        const bool constant = s.name == ".nv.constant3";
        if ((!global && !constant) || s.size == 0) continue;
        if (s.size > std::uint64_t{1} << 32)
            throw support::user_error(name_, fmt::format("{} takes {} bytes", s.name, s.size));
        const device_address a = memory_.allocate_static(
            s.size, std::clamp<std::uint64_t>(s.alignment, 256, 4096), std::string(s.name));
        owned_.push_back(a);
        sections_[n] = a;
        if (constant) constants_ = a;
        if (!s.contents.empty()) contents.emplace(n, s.contents);
    }
    for (const sass::cubin_symbol& y : source_->symbols()) {
        if (y.section == 0 && (y.type == texture_symbol || y.type == surface_symbol)) {
            place_reference(y);
            continue;
        }
        const auto at = sections_.find(y.section);
        if (at == sections_.end() || y.type != STT_OBJECT) continue;
        const sass::cubin_section& s = source_->sections()[y.section];
        if (y.value + y.size <= s.size)
            variables_.push_back({std::string(y.name),
                                  s.name == ".nv.constant3" ? program_variable::space_kind::constant
                                                            : program_variable::space_kind::global,
                                  at->second + y.value, y.size});
    }
    for (auto& [n, bytes] : contents) {
        relocate_data(n, bytes.data(), bytes.size());
        memory_.write(sections_[n], bytes.data(), bytes.size());
    }
}

/// The program binds memory to the address of a texture or surface reference, which is its handle.
void sass_image::place_reference(const sass::cubin_symbol& y) {
    const device_address a =
        memory_.allocate_static(reference_bytes, reference_bytes, std::string(y.name));
    owned_.push_back(a);
    if (a >> 32 != 0)
        throw support::user_error(
            name_, fmt::format("the handle of {} is not in the first 4 GiB of memory", y.name));
    references_[y.name] = a;
    variables_.push_back(
        {std::string(y.name), program_variable::space_kind::global, a, reference_bytes});
}

/// Applies the relocations of a section of data.
void sass_image::relocate_data(std::uint32_t section, char* data, std::size_t size) const {
    const auto at = relocations_.find(section);
    if (at == relocations_.end()) return;
    for (const sass::cubin_relocation* r : at->second) {
        const auto field = sass::data_field_of(r->type);
        const device_address address = address_of(source_->symbols()[r->symbol]);
        if (r->type == sass::relocation_texture || r->type == sass::relocation_surface) {
            if (r->offset + 4 <= size) std::memcpy(data + r->offset, &address, 4);
            continue;
        }
        if (!field)
            throw support::user_error(name_,
                                      fmt::format("a relocation of type {} in {} at {:#x}",
                                                  sass::relocation_name(r->type),
                                                  source_->sections()[section].name, r->offset));
        if (r->offset > size || size - r->offset < field->bytes) continue;
        const std::uint64_t addend = r->has_addend ? static_cast<std::uint64_t>(r->addend)
                                                   : field->addend_at(data + r->offset);
        field->store(address + addend, data + r->offset);
    }
}

device_address sass_image::address_of(const sass::cubin_symbol& s) const {
    const auto at = sections_.find(s.section);
    if (at != sections_.end()) return at->second + s.value;
    const std::size_t known = runtime_function_number(s);
    if (known < runtime_functions.size()) return runtime_window + 16 * known;
    if (s.section == 0) {
        const auto reference = references_.find(s.name);
        if (reference != references_.end()) return reference->second;
        std::size_t n = runtime_functions.size();
        for (const texture_function& f : texture_functions_) {
            if (f.name == s.name) return runtime_window + 16 * n;
            ++n;
        }
        for (const std::string_view f : unsupported_functions_) {
            if (f == s.name) return runtime_window + 16 * n;
            ++n;
        }
        return 0;
    }
    const sass::cubin_function* const f = source_->function_in(s.section);
    return f == nullptr ? 0 : code_address(number_of(*f), s.value);
}

void sass_image::patch_code() {
    missing_.resize(source_->functions().size());
    unsupported_.resize(source_->functions().size());
    for (const sass::cubin_relocation& r : source_->relocations()) {
        const sass::cubin_function* const f = source_->function_in(r.section);
        if (f == nullptr) continue;
        const std::uint32_t index = number_of(*f);
        const std::uint64_t offset = r.offset / sass::instruction_bytes * sass::instruction_bytes;
        const sass::cubin_symbol& symbol = source_->symbols()[r.symbol];
        const bool undefined =
            symbol.section == 0 && !symbol.name.empty() && symbol.name.substr(0, 4) != ".nv.";
        const auto where = std::make_pair(index, offset);
        if (r.type == sass::relocation_word && !undefined) {
            unrelocated_.emplace(where, "a query of what the driver knows of a texture or surface");
            continue;
        }
        const device_address target = address_of(symbol);
        const bool upper =
            r.type == sass::relocation_high || r.type == sass::relocation_function_high;
        const bool known = r.type == sass::relocation_low || upper ||
                           r.type == sass::relocation_function_low ||
                           r.type == sass::relocation_call || r.type == sass::relocation_call_90;
        if (!known && !undefined) {
            unrelocated_.emplace(
                where, fmt::format("a relocation of type {}", sass::relocation_name(r.type)));
            continue;
        }
        if (!known || target == 0 || offset >= f->code.size()) {
            if (missing_[index].empty())
                missing_[index] = fmt::format("it needs {}, which is not there", symbol.name);
            any_missing_ = true;
            continue;
        }
        const std::uint64_t value = target + static_cast<std::uint64_t>(r.addend);
        const auto found = patched_.emplace(where, f->word(offset / sass::instruction_bytes)).first;
        sass::instruction_word& w = found->second;
        constexpr std::uint64_t upper_bits = (1u << 18) - 1;
        if (r.type == sass::relocation_call_90) {
            // Bits 9:2 of the address are in bits 23:16, those from 10 on in bits 81:34.
            constexpr std::uint64_t lower_bits = std::uint64_t{255} << 16;
            constexpr std::uint64_t middle_bits = ~std::uint64_t{0} << 34;
            w.low = (w.low & ~(lower_bits | middle_bits)) | (value >> 2 & 255) << 16 |
                    value >> 10 << 34;
            w.high = (w.high & ~upper_bits) | (value >> 40 & upper_bits);
            continue;
        }
        const std::uint64_t half = upper ? value >> 32 : value;
        w.low = (w.low & 0xffffffffu) | half << 32;
        if (r.type == sass::relocation_call) {
            w.high = (w.high & ~upper_bits) | (value >> 32 & upper_bits);
        }
    }
}

sass::instruction_word sass_image::word_of(std::uint32_t function, std::size_t n) const {
    const auto at = patched_.find({function, n * sass::instruction_bytes});
    return at == patched_.end() ? source_->functions()[function].word(n) : at->second;
}

void sass_image::describe_kernels() {
    for (std::uint32_t n = 0; n < source_->functions().size(); ++n) {
        const sass::cubin_function& f = source_->functions()[n];
        if (!f.is_kernel) continue;
        const bool stack_known = f.stack_bytes != stack_unspecified;
        const std::uint32_t stack = stack_known ? f.stack_bytes : 0;
        if (f.static_shared > max_shared_memory || stack > max_local || f.frame_bytes > max_local)
            throw support::user_error(
                name_, fmt::format("{} asks for {} bytes of shared and {} of local memory", f.name,
                                   f.static_shared, std::max(stack, f.frame_bytes)));
        kernel_image k;
        k.name = f.name;
        k.function = n;
        k.registers = f.registers;
        k.static_shared = f.static_shared - std::min(f.static_shared, own_shared());
        if (uses_reserved_) {
            k.reserved_shared = reserved_bytes;
            k.static_shared = architecture() >= 90 ? std::max(k.static_shared, reserved_bytes)
                                                   : (k.static_shared + 7) / 8 * 8 + reserved_bytes;
        }
        k.own_local = f.frame_bytes;
        k.local_bytes = (std::max(stack, f.frame_bytes) + 15) & ~15u;
        k.stack_unknown = !stack_known;
        k.parameter_bytes = f.parameter_bytes;
        k.barriers = f.barriers;
        if (f.max_block_threads[0] != 0) {
            std::uint64_t most = 1;
            for (const std::uint32_t max_of_one : f.max_block_threads)
                most *= std::clamp(max_of_one, 1u, 1024u);
            k.max_block_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, 1024));
        }
        if (f.block[0] != 0)
            for (unsigned d = 0; d < 3; ++d) k.required_block[d] = std::max(f.block[d], 1u);
        k.max_cluster = f.max_cluster;
        k.blocks_are_clusters = f.blocks_are_clusters;
        if (f.cluster[0] != 0 && (f.cluster[1] == 0 || f.cluster[2] == 0))
            throw support::user_error(name_, fmt::format("{} demands empty clusters", f.name));
        k.required_cluster = f.cluster;
        for (std::size_t i = 0; i < f.parameters.size(); ++i) {
            kernel_parameter p;
            p.name = fmt::format("{}_param_{}", f.name, i);
            p.offset = f.parameters[i].offset;
            p.size = f.parameters[i].size;
            if (p.offset + p.size > k.parameter_bytes)
                throw support::user_error(name_,
                                          fmt::format("parameters of {} lie outside", f.name));
            k.parameters.push_back(std::move(p));
        }
        kernels_.push_back(std::move(k));
    }
}

void sass_image::lower() {
    machine_lowering::row_map rows;
    std::vector<std::uint32_t> first(source_->functions().size());
    for (std::uint32_t n = 0; n < source_->functions().size(); ++n) {
        const sass::cubin_function& f = source_->functions()[n];
        first[n] = static_cast<std::uint32_t>(code_.size());
        for (const std::string_view e : f.externals)
            if (unsupported_[n].empty() &&
                std::find(unsupported_functions_.begin(), unsupported_functions_.end(), e) !=
                    unsupported_functions_.end())
                unsupported_[n] = fmt::format("a call of the system's {}", e);
        machine_lowering(*this, n, rows).lower();
    }
    for (kernel_image& k : kernels_) {
        k.first = first[k.function];
        k.frame_bytes = machine_frame::bytes(registers_);
        k.uniform_registers = uniform_registers_;
        k.convergence_barriers = barriers_;
        k.stack_unknown |= calls_unknown_[k.function] || stack_unknown_[k.function];
    }

    // The rows are followed by the constant banks themselves, for indexed loads.
    constant_bytes_ = static_cast<std::uint32_t>(rows_.size()) * 128;
    for (unsigned b = 0; b < banks; ++b) {
        std::uint64_t bytes = 0;
        for (const kernel_image& k : kernels_)
            if (const sass::cubin_section* s = source_->find_section(bank_section(b, k)))
                bytes = std::max(bytes, s->size);
        for (const kernel_image& k : kernels_)
            if (b == 0)
                bytes = std::max<std::uint64_t>(
                    bytes, source_->functions()[k.function].parameter_base + k.parameter_bytes);
        if (b == 0) bytes = std::max<std::uint64_t>(bytes, 0x400);
        bytes = std::min<std::uint64_t>(bytes, constant_bank_bytes);
        bank_[b] = {constant_bytes_, static_cast<std::uint32_t>(bytes)};
        constant_bytes_ += static_cast<std::uint32_t>((bytes + 127) / 128 * 128);
    }
    for (operation& op : code_) {
        if (op.execute == machine_call.execute) op.list = first_operation_.data();
        if (op.execute != operations_of_host().machine->load_constant.execute) continue;
        constexpr unsigned bank_of_variables = 3;
        const bool is_variables = op.source[1] == bank_of_variables;
        const bank_contents& b = bank_[op.source[1]];
        op.source[1] = operand_ref_in(bank::constants, b.offset);
        auto a = std::make_shared<indexed_constant_arguments>(
            arguments_of<indexed_constant_arguments>(&op));
        a->bank_bytes = b.bytes;
        // Variables have the address to which the host copies them; other banks, which a launch
        // fills, are laid out contiguously.
        a->bank_address =
            is_variables && constants_ != 0 ? constants_ : address_windows::param + b.offset;
        op.immediate = reinterpret_cast<std::int64_t>(a.get());
        attachments_.push_back(std::move(a));
    }
}

bool sass_image::is_executed_whole() const {
    return !any_missing_ && std::all_of(unsupported_.begin(), unsupported_.end(),
                                        [](const std::string& p) { return p.empty(); });
}

/// Functions that the system provides on a GPU, except those that are executed here.
void sass_image::find_system_functions() {
    for (const sass::cubin_function& f : source_->functions())
        for (const std::string_view e : f.externals) {
            const bool of_system = sass::begins_with(e, "__cuda") || sass::begins_with(e, "cuda");
            const auto is_it = [e](const auto& known) { return known.name == e; };
            // Functions that only replaced ones of the cubin itself call are not needed.
            if (!of_system || source_->find_function(e) != nullptr ||
                sass::begins_with(e, "__cuda_syscall_cnpv2") ||
                std::any_of(runtime_functions.begin(), runtime_functions.end(), is_it) ||
                std::any_of(texture_functions_.begin(), texture_functions_.end(), is_it) ||
                std::find(unsupported_functions_.begin(), unsupported_functions_.end(), e) !=
                    unsupported_functions_.end())
                continue;
            unsupported_functions_.push_back(e);
        }
}

void sass_image::find_callees() {
    callees_.resize(source_->functions().size());
    const auto is_data = [](std::string_view section) {
        return sass::begins_with(section, ".nv.constant") ||
               sass::begins_with(section, ".nv.global");
    };
    for (const sass::cubin_relocation& r : source_->relocations()) {
        const sass::cubin_symbol& symbol = source_->symbols()[r.symbol];
        const sass::cubin_function* const target = source_->function_in(symbol.section);
        if (target == nullptr) continue;
        if (runtime_function_number(symbol) < runtime_functions.size()) continue;
        if (const sass::cubin_function* const from = source_->function_in(r.section))
            callees_[number_of(*from)].insert(number_of(*target));
        else if (is_data(source_->sections()[r.section].name))
            pointed_to_.insert(number_of(*target));
    }
}

std::set<std::uint32_t> sass_image::reachable_from(std::uint32_t function) const {
    std::set<std::uint32_t> found{function};
    std::vector<std::uint32_t> left{function};
    const auto reach = [&](const std::set<std::uint32_t>& callees) {
        for (const std::uint32_t n : callees)
            if (found.insert(n).second) left.push_back(n);
    };
    while (!left.empty()) {
        const std::uint32_t n = left.back();
        left.pop_back();
        reach(callees_[n]);
        if (calls_pointers_[n]) reach(pointed_to_);
    }
    return found;
}

const kernel_image* sass_image::kernel_at(device_address a) const {
    for (const kernel_image& k : kernels_)
        if (code_address(k.function, 0) == a) return &k;
    return nullptr;
}

/// The reason of a kernel or of a function that it may call.
const std::string& sass_image::first_of(const std::vector<std::string>& reasons,
                                        const kernel_image& k) const {
    if (!reasons[k.function].empty()) return reasons[k.function];
    for (const std::uint32_t n : reachable_from(k.function))
        if (!reasons[n].empty()) return reasons[n];
    return reasons[k.function];
}

const std::string& sass_image::problem_of(const kernel_image& k) const {
    const std::string& missing = first_of(missing_, k);
    return missing.empty() ? first_of(unsupported_, k) : missing;
}

std::string sass_image::bank_section(unsigned b, const kernel_image& k) const {
    const std::string own = fmt::format(".nv.constant{}.{}", b, k.name);
    return source_->find_section(own) != nullptr ? own : fmt::format(".nv.constant{}", b);
}

/// Copies the initial contents of the constant banks of a kernel.
void sass_image::fill_banks(const kernel_image& k, std::byte* buffer) const {
    for (unsigned b = 0; b < banks; ++b) {
        std::byte* const to = buffer + bank_[b].offset;
        const sass::cubin_section* const s = source_->find_section(bank_section(b, k));
        if (s == nullptr) continue;
        const auto n = static_cast<std::uint32_t>(s - source_->sections().data());
        const std::uint64_t bytes = std::min<std::uint64_t>(s->size, bank_[b].bytes);
        const auto variables = sections_.find(n);
        if (variables != sections_.end()) {
            memory_.read(to, variables->second, bytes);
            continue;
        }
        std::memcpy(to, s->contents.data(), std::min<std::uint64_t>(bytes, s->contents.size()));
        relocate_data(n, reinterpret_cast<char*>(to), bytes);
    }
}

namespace {

void put_cluster(std::byte* zero, const bank_0& at, const kernel_image& k, const launch& l) {
    const program::dim3 c = cluster_of(k, l.cluster);
    const std::uint32_t size[] = {c.x, c.y, c.z}, grid[] = {l.grid.x, l.grid.y, l.grid.z};
    const bool is_explicit = k.required_cluster[0] != 0 || c.volume() > 1;
    put(zero, at.explicit_cluster, is_explicit ? 1 : 0, 4);
    put(zero, at.cluster_size, c.volume(), 4);
    for (unsigned d = 0; d < 3; ++d) {
        put(zero, at.cluster + 4 * d, size[d], 4);
        put(zero, at.clusters + 4 * d, grid[d] / size[d], 4);
        // Products with it are truncated, so it must never be less than the quotient.
        float reciprocal = 1.0f / static_cast<float>(size[d]);
        if ((size[d] & (size[d] - 1)) != 0) reciprocal = std::nextafter(reciprocal, 1.0f);
        std::uint32_t bits;
        std::memcpy(&bits, &reciprocal, sizeof bits);
        put(zero, at.cluster_reciprocals + 4 * d, bits, 4);
    }
}

/// The value of a lane in a row other than those of the constant banks.
std::uint32_t lane_value(const machine_row& r, unsigned lane) {
    const std::uint32_t own = 1u << lane;
    switch (r.what) {
        case machine_row::kind::lane_id:
            return lane;
        case machine_row::kind::mask_eq:
            return own;
        case machine_row::kind::mask_lt:
            return own - 1;
        case machine_row::kind::mask_le:
            return own | (own - 1);
        case machine_row::kind::mask_gt:
            return ~(own | (own - 1));
        case machine_row::kind::mask_ge:
            return ~(own - 1);
        default:
            return r.value;
    }
}

bool is_in_bank(const machine_row& r) {
    using kind = machine_row::kind;
    return r.what == kind::bank_word || r.what == kind::bank_byte ||
           r.what == kind::bank_signed_byte || r.what == kind::bank_half ||
           r.what == kind::bank_signed_half;
}

}  // namespace

/// Writes what a launch provides in bank 0: dimensions, windows, parameters.
void sass_image::put_launch(const launch& l, std::uint32_t local_bytes, std::byte* zero) const {
    const kernel_image& k = *l.kernel;
    const program::dim3 dims[] = {l.block, l.grid};
    const bank_0 at = bank_0::of(architecture());
    const std::uint32_t first[] = {at.block, at.grid};
    for (unsigned i = 0; i < 2; ++i) {
        put(zero, first[i], dims[i].x, 4);
        put(zero, first[i] + 4, dims[i].y, 4);
        put(zero, first[i] + 8, dims[i].z, 4);
    }
    put(zero, at.shared_window, address_windows::shared - own_shared(), 8);
    put(zero, at.local_window, address_windows::local, 8);
    put(zero, at.stack_top, local_bytes, 4);
    put(zero, at.dynamic_shared, l.dynamic_shared, 4);
    put(zero, at.grid_id, l.grid_id, 8);
    put(zero, at.constants, constants_, 8);
    const std::uint32_t base = source_->functions()[k.function].parameter_base;
    if (architecture() >= 90) put_cluster(zero, at, k, l);
    put(zero, at.parameters, address_windows::param, 8);
    put(zero, at.bank, address_windows::param - base, 8);
    for (std::uint32_t i = 0; i < bank_0::environment_words && i < l.environment.size(); ++i)
        put(zero, i < 16 ? at.environment + 4 * i : at.environment_16 + 4 * (i - 16),
            l.environment[i], 4);
    if (uses_reserved_) {
        const std::uint32_t begin =
            architecture() >= 90 ? 0 : k.static_shared - reserved_bytes + l.dynamic_shared;
        put(zero, at.reserved_end, begin + reserved_bytes, 4);
        put(zero, at.reserved_second, (begin + 7) / 8 * 8 + reserved_shared::second, 4);
        put(zero, at.reserved_size, reserved_bytes, 4);
    }
    std::copy_n(l.parameters.data(),
                std::min<std::size_t>(l.parameters.size(), bank_[0].bytes - base), zero + base);
}

lane_buffer sass_image::launch_constants(const launch& l, std::uint32_t local_bytes) const {
    const kernel_image& k = *l.kernel;
    if (any_missing_ && !first_of(missing_, k).empty())
        throw support::user_error(
            name_, fmt::format("{} cannot be launched: {}", k.name, first_of(missing_, k)),
            "link it with the file that defines it");
    lane_buffer buffer = make_lane_buffer(constant_bytes_);
    fill_banks(k, buffer.get());
    put_launch(l, local_bytes, buffer.get() + bank_[0].offset);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        auto* const words = reinterpret_cast<std::uint32_t*>(buffer.get() + 128 * i);
        const machine_row& r = rows_[i];
        const bank_contents& b = bank_[is_in_bank(r) ? r.bank : 0];
        for (unsigned lane = 0; lane < warp_size; ++lane)
            words[lane] = is_in_bank(r) ? bank_value(r, buffer.get() + b.offset, b.bytes)
                                        : lane_value(r, lane);
    }
    return buffer;
}

std::unique_ptr<warp_control> sass_image::make_control() const {
    return std::make_unique<machine_control>();
}

std::shared_ptr<const instruction_descriptors> sass_image::describe(
    const instruction_timing& timing) const {
    return describe_machine_code(*this, timing);
}

const sass::cubin_line* sass_image::line_of(const place& p) const {
    const auto& lines = source_->functions()[p.function].lines;
    const auto after =
        std::upper_bound(lines.begin(), lines.end(), p.offset,
                         [](std::uint64_t offset, const auto& l) { return offset < l.offset; });
    return after == lines.begin() ? nullptr : &*std::prev(after);
}

std::uint32_t sass_image::source_line(const place& p) const {
    const sass::cubin_line* const line = line_of(p);
    return line == nullptr ? 0 : line->line;
}

std::string sass_image::where(const operation& op) const {
    const place& p = places_[op.instruction];
    const sass::cubin_function& f = source_->functions()[p.function];
    std::string text = fmt::format("{}:{}+{:#06x}", name_, f.name, p.offset);
    const sass::cubin_line* const line = line_of(p);
    if (line != nullptr) text += fmt::format(" ({}:{})", source_->files()[line->file], line->line);
    return text;
}

std::string sass_image::text_of(const operation& op) const {
    const place& p = places_[op.instruction];
    const sass::cubin_function& f = source_->functions()[p.function];
    if (p.offset / sass::instruction_bytes >= f.instructions()) return "end of the code";
    sass::instruction i;
    sass::decode(word_of(p.function, p.offset / sass::instruction_bytes), architecture_, p.offset,
                 i);
    return sass::to_string(i);
}

instruction_name sass_image::name_of(const operation& op) const {
    const place& p = places_[op.instruction];
    const sass::cubin_function& f = source_->functions()[p.function];
    if (p.offset / sass::instruction_bytes >= f.instructions()) return {"end", "control"};
    sass::instruction i;
    if (!sass::decode(f.word(p.offset / sass::instruction_bytes), architecture_, p.offset, i))
        return {"unknown", "unknown"};
    return {sass::full_opcode(i), "machine code"};
}

std::string sass_image::results_text(const operation& op, const std::byte* frame,
                                     unsigned lane) const {
    const place& p = places_[op.instruction];
    const sass::cubin_function& f = source_->functions()[p.function];
    sass::instruction i;
    if (p.offset / sass::instruction_bytes >= f.instructions() ||
        !sass::decode(f.word(p.offset / sass::instruction_bytes), architecture_, p.offset, i))
        return {};
    if (i.operand_count == 0 || i.opcode == isa::opcode::R2P || i.opcode == isa::opcode::UR2UP)
        return {};
    const auto row_text = [&](std::string_view name, std::uint32_t rows, unsigned index) {
        std::uint32_t v = 0;
        std::memcpy(&v, frame + rows + 128u * index + 4 * lane, sizeof v);
        return fmt::format("    {}{} = {:#010x}\n", name, index, v);
    };
    const auto mask_text = [&](std::string_view name, std::uint32_t masks, unsigned index) {
        lane_mask m = 0;
        std::memcpy(&m, frame + masks + 4u * index, sizeof m);
        return fmt::format("    {}{} = {}\n", name, index, (m >> lane & 1) != 0);
    };
    // Written predicates are first, or after the register; all others are read.
    const bool sets = sets_predicates(i.opcode);
    unsigned predicates = sets ? 2 : 1;
    std::string text;
    for (unsigned n = 0; n < i.operand_count; ++n) {
        const sass::operand& o = i.operands[n];
        if (o.kind == sass::operand_kind::predicate ||
            o.kind == sass::operand_kind::uniform_predicate) {
            if (predicates == 0 || o.negate_predicate) break;
            --predicates;
            if (o.index == sass::predicate_true) continue;
            const bool uniform = o.kind == sass::operand_kind::uniform_predicate;
            text += mask_text(
                uniform ? "UP" : "P",
                uniform ? machine_frame::uniform_predicates : machine_frame::predicates, o.index);
            continue;
        }
        const bool uniform = o.kind == sass::operand_kind::uniform_reg;
        if (sets || (!uniform && o.kind != sass::operand_kind::reg)) break;
        const unsigned zero = uniform ? sass::uniform_urz : sass::register_rz;
        const unsigned words = result_words(i);
        for (unsigned k = 0; k < words && o.index + k < zero; ++k)
            text +=
                row_text(uniform ? "UR" : "R",
                         uniform ? machine_frame::uniform : machine_frame::registers, o.index + k);
        break;
    }
    return text;
}

std::string sass_image::registers_text(const operation& op, const std::byte* frame,
                                       unsigned lane) const {
    const sass::cubin_function& f = source_->functions()[places_[op.instruction].function];
    std::string text;
    for (unsigned r = 0; r < std::min(f.registers, registers_); ++r) {
        std::uint32_t v = 0;
        std::memcpy(&v, frame + machine_frame::registers + 128 * r + 4 * lane, sizeof v);
        text += fmt::format("    R{} = {:#010x}\n", r, v);
    }
    for (unsigned n = 0; n < sass::predicate_true; ++n) {
        lane_mask m = 0;
        std::memcpy(&m, frame + machine_frame::predicates + 4 * n, sizeof m);
        text += fmt::format("    P{} = {}\n", n, (m >> lane & 1) != 0);
    }
    return text;
}

}  // namespace simtlm::execution
