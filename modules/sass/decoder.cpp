// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/decoder.h"

#include "modules/sass/encoding_table.h"
#include "modules/sass/special_registers.h"

namespace simtlm::sass {

namespace {

using what = encoding_operand::what;

constexpr std::string_view shared_scales[] = {"", ".X4", ".X8", ".X16"};
constexpr std::string_view halves[] = {"",        ".F32",      ".H0_H0",    ".H1_H1",
                                       ".H0_NH1", ".INVALID5", ".INVALID6", ".INVALID7"};
constexpr std::string_view pairs[] = {".F32x2.HI_LO", ".F32x2.LO_HI",    ".F32",
                                      ".INVALID3",    ".F32x2.HI_LO.NP", ".F32x2.LO_HI.NP",
                                      ".F32.NP",      ".INVALID3.NP"};
constexpr std::string_view words[] = {"", ".H1", ".INVALID2", ".INVALID3"};
constexpr std::uint64_t all_predicates = 0xff;
constexpr std::string_view bytes[] = {"", ".B1", ".B2", ".B3"};
constexpr std::string_view texture_queries[] = {"TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE",
                                                "TEX_HEADER_SAMPLER_POS", "INVALID3"};

/// An instruction word that records which of its bits have been read.
class word_reader {
public:
    explicit word_reader(const instruction_word& w) : w_(w) {
        mark(0, 16);    // opcode and guard
        mark(91, 1);    // opcode
        mark(102, 24);  // control bits
    }
    std::uint64_t bits(unsigned first, unsigned count) {
        mark(first, count);
        return w_.bits(first, count);
    }
    bool bit(unsigned n) { return bits(n, 1) != 0; }
    std::int64_t signed_bits(unsigned first, unsigned count) {
        mark(first, count);
        return w_.signed_bits(first, count);
    }
    void mark(unsigned first, unsigned count) {
        for (unsigned n = first; n < first + count; ++n)
            (n < 64 ? read_.low : read_.high) |= std::uint64_t{1} << n % 64;
    }
    /// Whether each other bit is 0, or belongs to an operand that is RZ, PT or !PT.
    bool others_are_neutral() const {
        instruction_word rest{w_.low & ~read_.low, w_.high & ~read_.high};
        const auto drop = [&rest](unsigned first, unsigned count, std::uint64_t value) {
            if (rest.bits(first, count) != value) return;
            std::uint64_t& half = first < 64 ? rest.low : rest.high;
            half &= ~(value << first % 64);
        };
        for (const unsigned r : {24u, 32u, 64u}) drop(r, 8, register_rz);
        constexpr std::uint64_t negation = 8;
        for (const unsigned p : {68u, 77u, 87u}) drop(p, 4, predicate_true | negation);
        for (const unsigned p : {68u, 77u, 81u, 84u, 87u}) drop(p, 3, predicate_true);
        return rest.low == 0 && rest.high == 0;
    }

private:
    const instruction_word& w_;
    instruction_word read_;
};

/// Decodes the operands of an instruction word.
class operand_decoder {
public:
    operand_decoder(word_reader& w, unsigned architecture, instruction& out)
        : w_(w), architecture_(architecture), out_(out) {
        form_ = static_cast<unsigned>(w.bits(9, 3));
        extended_ = architecture >= 75 && w.bit(91);
    }

    void add(const encoding_operand& spec) {
        if (spec.needs != modifier::other && !out_.has(spec.needs)) return;
        if (spec.needs_not != modifier::other && out_.has(spec.needs_not)) return;
        switch (spec.kind) {
            case what::bar_operands:
                return bar_operands();
            case what::b2r_operands:
                return b2r_operands();
            default:
                break;
        }
        const unsigned slots = slots_;
        operand o = decode(spec);
        if (slots != slots_) last_in_slot_ = out_.operand_count;
        if (spec.omitted_if_true && o.index == predicate_true && !o.negate_predicate &&
            (spec.shown_with == modifier::other || !out_.has(spec.shown_with)))
            return;
        if (o.kind == operand_kind::none) return;
        push(o);
    }

    /// Checks the operands and the control bits, after all operands have been added. Stall counts
    /// of 12 and more are not defined for an instruction that does not yield. Bits 124:122 name the
    /// slots of the reuse cache that keep their operand. In instructions that yield or whose
    /// latency is variable they are a number up to 5.
    bool are_valid() {
        constexpr unsigned max_stall = 11, max_number = 5;
        constexpr std::uint64_t none = 7;
        if (out_.form->no_write_barrier && w_.bits(110, 3) != none) return false;
        if (out_.form->no_read_barrier && w_.bits(113, 3) != none) return false;
        if (!valid_) return false;
        const bool stays = w_.bit(yield_bit);
        const auto stall = static_cast<unsigned>(w_.bits(stall_bit, 4));
        const auto reuse = static_cast<unsigned>(w_.bits(reuse_bit, 3));
        if (stays && (stall == 0 || stall > max_stall)) return false;
        if (stall == 0 || reuse == 0) return reuse == 0;
        if (out_.form->variable_latency) return reuse <= max_number;
        if (!stays) return reuse <= max_number && (reuse != 3 || slots_ != 0);
        if (architecture_ < 75 && (slots_ == 3 || slots_ == 5)) {
            // Volta: the second of two operands has two bits.
            out_.operands[last_in_slot_].reuse = (reuse & 6) != 0;
            return reuse <= max_number;
        }
        return (reuse & ~slots_) == 0;
    }

private:
    static constexpr unsigned stall_bit = 105, yield_bit = 109, reuse_bit = 122;

    void push(const operand& o) {
        if (out_.operand_count < instruction::max_operands) out_.operands[out_.operand_count++] = o;
    }

    /// An operand of a kind that has an index, in `width` bits at bit `bit`.
    operand indexed(operand_kind kind, unsigned bit, unsigned width) const {
        operand o;
        o.kind = kind;
        o.index = static_cast<std::uint8_t>(w_.bits(bit, width));
        return o;
    }
    operand reg(unsigned bit, bool uniform) {
        operand o = indexed(uniform ? operand_kind::uniform_reg : operand_kind::reg, bit, 8);
        if (uniform) o.index = uniform_at(bit);
        return o;
    }
    /// The number of a uniform register. Blackwell has UR0 to UR79.
    std::uint8_t uniform_at(unsigned bit) {
        constexpr unsigned narrow_urz = 63, registers = 80;
        const auto n = static_cast<unsigned>(w_.bits(bit, architecture_ < blackwell ? 6 : 8));
        if (architecture_ < blackwell)
            return n == narrow_urz ? uniform_urz : static_cast<std::uint8_t>(n);
        if (n >= registers && n != uniform_urz) valid_ = false;
        return static_cast<std::uint8_t>(n);
    }
    static operand text(std::string_view name) {
        operand o;
        o.kind = operand_kind::text;
        o.suffix = name;
        return o;
    }
    static operand number(std::uint64_t v, bool is_signed = false) {
        operand o;
        o.kind = operand_kind::integer;
        o.value = v;
        o.is_signed = is_signed;
        return o;
    }
    operand predicate(unsigned bit, bool uniform, bool negates) const {
        operand o =
            indexed(uniform ? operand_kind::uniform_predicate : operand_kind::predicate, bit, 3);
        o.negate_predicate = negates && w_.bit(bit + 3);
        return o;
    }

    /// Decodes the modifiers of a source operand at bit `bit` (24, 32 or 64).
    /// @param slot  slot of the operand reuse cache
    void decorate(operand& o, const encoding_operand& spec, unsigned bit, unsigned slot) {
        const bool packed = spec.selects_halves || spec.is_packed;
        unsigned negate = 0, absolute = 0, half = 0;
        switch (bit) {
            case 24:
                negate = 72, absolute = 73, half = 74;
                break;
            case 32:
                negate = 63, absolute = 62, half = 60;
                break;
            default:
                negate = packed ? 84 : 75, absolute = packed ? 83 : 74, half = 81;
                break;
        }
        if (spec.negates && w_.bit(negate)) {
            if (spec.inverts_with_x && out_.has(modifier::X))
                o.invert = true;
            else
                o.negate = true;
        }
        if (spec.absolutes) o.absolute = w_.bit(absolute);
        if (spec.inverts) o.invert = w_.bit(spec.invert_bit != 0 ? spec.invert_bit : negate);
        if (spec.selects_halves && o.kind != operand_kind::half2) {
            auto which =
                static_cast<unsigned>(w_.bits(spec.half_bit != 0 ? spec.half_bit : half, 2));
            if (spec.selects_more_halves && w_.bit(86)) which += 4;
            o.suffix = halves[which];
            if (which == 1 && architecture_ >= 90 && !spec.selects_more_halves)
                o.suffix = ".INVALID1";
        }
        if (spec.swizzle_bit != 0) o.suffix = pairs[w_.bits(spec.swizzle_bit, 3)];
        if (spec.selects_word && w_.bit(bit == 32 ? 88 : 72)) o.suffix = ".H1";
        if (spec.selects_any_byte) o.suffix = bytes[w_.bits(72, 1) | w_.bits(88, 1) << 1];
        if (spec.takes_sign) o.suffix = ".SIGN";
        if (spec.has_layout) o.suffix = w_.bit(bit == 24 ? 73 : 74) ? ".COL" : ".ROW";
        if (spec.has_fixed_layout)
            o.suffix = bit == 24 ? (w_.bit(73) ? ".???1" : ".ROW") : w_.bit(74) ? ".COL" : ".???0";
        if (spec.has_kept_bits) o.suffix = kept_bits();
        if (spec.selects_half && source_is_half()) {
            o.suffix = words[w_.bits(60, 2)];
            o.suffix_inside = true;
        }
        if (spec.selects_byte) o.suffix = bytes[w_.bits(76, 2)];
        if (spec.selects_part && o.kind != operand_kind::integer)
            o.suffix = source_is_word()   ? words[w_.bits(60, 2)]
                       : source_is_byte() ? bytes[w_.bits(60, 2)]
                                          : std::string_view{};
        if (o.kind == operand_kind::reg && !spec.is_not_reused && !spec.is_metadata)
            slot_of(o, spec.is_second ? 1 : slot);
    }

    /// The source of a conversion has 16 bits: the last of the types of floats.
    bool source_is_half() const {
        for (unsigned m = out_.modifier_count; m-- > 0;) {
            const modifier type = out_.modifiers[m].id;
            if (type == modifier::F16 || type == modifier::BF16) return true;
            if (type == modifier::F32 || type == modifier::F64) return false;
        }
        return false;
    }
    bool source_is_double() const {
        // FRND of 64 bits does not name a type if it is invalid.
        constexpr unsigned round_double = 0x913;
        return w_.bits(0, 12) == round_double || last_float_type() == modifier::F64;
    }
    modifier last_float_type() const {
        for (unsigned m = out_.modifier_count; m-- > 0;) {
            const modifier type = out_.modifiers[m].id;
            if (type == modifier::F16 || type == modifier::BF16 || type == modifier::F32 ||
                type == modifier::F64)
                return type;
        }
        return modifier::other;
    }
    /// Conversions of unsigned integers name the type.
    bool is_signed_conversion() const {
        return !out_.has(modifier::U8) && !out_.has(modifier::U16) && !out_.has(modifier::U32) &&
               !out_.has(modifier::U64);
    }
    bool source_is_word() const { return out_.has(modifier::U16) || out_.has(modifier::S16); }
    bool source_is_byte() const { return out_.has(modifier::U8) || out_.has(modifier::S8); }

    /// Number of bits of the third source of I2IP that are kept, or the half that is merged.
    std::string_view kept_bits() const {
        static constexpr std::string_view halves[] = {"", ".H1", ".???2", ".???3"};
        static constexpr std::string_view invalid_halves[] = {"", ".H1", ".INVALID2", ".INVALID3"};
        static constexpr std::string_view of_2[] = {".???0", ".???1", ".???2", ".28"};
        static constexpr std::string_view of_4[] = {".???0", ".???1", ".24", ".???3"};
        const auto n = static_cast<unsigned>(w_.bits(72, 2));
        if (!w_.bit(78)) return architecture_ < 80 ? invalid_halves[n] : halves[n];
        return w_.bit(77) ? of_4[n] : of_2[n];
    }

    /// Assigns a register to a slot of the reuse cache.
    void slot_of(operand& o, unsigned slot) {
        slots_ |= 1u << slot;
        o.reuse = reuses(slot);
    }
    /// If the instruction requests a switch to another warp, bits 124:122 have another meaning.
    bool reuses(unsigned slot) const {
        return !out_.form->variable_latency && w_.bit(yield_bit) && w_.bit(reuse_bit + slot);
    }

    operand immediate(const encoding_operand& spec) const {
        const std::uint64_t v = w_.bits(32, 32);
        operand o;
        switch (spec.immediate) {
            case 's':
                if (spec.selects_part && !is_signed_conversion()) return number(v);
                return number(static_cast<std::uint64_t>(w_.signed_bits(32, 32)), true);
            case 'f':
                o.kind = spec.selects_half && source_is_double() ? operand_kind::float64
                                                                 : operand_kind::float32;
                break;
            case 'd':
                o.kind = operand_kind::float64;
                break;
            case 'o':
                o.kind = out_.has(modifier::F16) || out_.has(modifier::BF16) ? operand_kind::half
                         : out_.has(modifier::RCP64H) || out_.has(modifier::RSQ64H)
                             ? operand_kind::float64
                             : operand_kind::float32;
                break;
            case 'h':
                o.kind = operand_kind::half2;
                break;
            default:
                return number(v);
        }
        o.value = v;
        return o;
    }

    operand constant(unsigned bank_bit, unsigned offset_bit, unsigned offset_bits, unsigned shift,
                     bool spaced) const {
        operand o;
        o.kind = operand_kind::constant;
        o.bank = static_cast<std::uint8_t>(w_.bits(bank_bit, 5));
        o.value = static_cast<std::uint64_t>(w_.signed_bits(offset_bit, offset_bits)) << shift;
        o.spaced = spaced;
        return o;
    }

    bool selects_part_of_source(const encoding_operand& spec) const {
        return spec.selects_halves || spec.takes_sign || (spec.selects_half && source_is_half()) ||
               (spec.selects_part && (source_is_word() || source_is_byte()));
    }

    /// The form has the second of two sources at bit 64 and the third at bit 32.
    bool exchanged() const { return form_ == 2 || form_ == 3 || form_ == 7; }

    operand at_32(const encoding_operand& spec, unsigned slot) {
        operand o;
        switch (form_) {
            case 2:
            case 4:
                o = immediate(spec);
                // Both words of a pair are the immediate.
                if (spec.swizzle_bit != 0 && w_.bits(spec.swizzle_bit, 3) != 2) valid_ = false;
                return o;
            case 3:
            case 5:
                o = constant(54, 40, 14, 2, selects_part_of_source(spec));
                if (extended_) {
                    o.has_uniform = true;
                    o.uniform = uniform_at(32);
                }
                break;
            default:
                o = reg(32, spec.uniform || (extended_ && form_ >= 6));
                break;
        }
        decorate(o, spec, 32, slot);
        return o;
    }
    /// A source of 64 bits at bit 32. Bit 64 is the sign of an immediate.
    operand wide_source() {
        if (form_ != 2) {
            operand o = reg(32, extended_);
            if (!extended_) slot_of(o, 1);
            return o;
        }
        const std::uint64_t v = w_.bits(32, 32);
        return w_.bit(64) ? number(v | ~std::uint64_t{0xffffffff}, true) : number(v);
    }
    operand at_64(const encoding_operand& spec, unsigned slot) {
        operand o = reg(64, spec.uniform);
        decorate(o, spec, 64, slot);
        return o;
    }

    operand address(unsigned base_bit) const {
        operand o;
        o.kind = operand_kind::address;
        o.has_base = true;
        o.base = static_cast<std::uint8_t>(w_.bits(base_bit, 8));
        return o;
    }
    operand address(unsigned base_bit, unsigned offset_bit, unsigned offset_bits) const {
        operand o = address(base_bit);
        o.value = static_cast<std::uint64_t>(w_.signed_bits(offset_bit, offset_bits));
        return o;
    }
    /// An address without registers is unsigned.
    static void make_absolute(operand& o, const encoding_operand& spec, unsigned bits) {
        if (o.base != register_rz || spec.immediate == 's') return;
        o.value &= (std::uint64_t{1} << bits) - 1;
        o.suffix = {};
    }
    void add_uniform(operand& o, unsigned bit) {
        o.has_uniform = true;
        o.uniform = uniform_at(bit);
    }

    /// [R.64+UR+offset]; or with a descriptor, desc[UR][R.64+offset].
    operand global_address(const encoding_operand& spec) {
        // The register is a pair if bit 63 is set where that is the flag.
        const unsigned offset_bits = spec.bit3 == 32 && spec.bit2 == 64 ? 12
                                     : spec.bit5 == 63                  ? 23
                                                                        : 24;
        operand o = address(spec.bit, spec.bit3, offset_bits);
        const bool local = spec.is_packed;
        o.wide_address = !local && w_.bit(spec.bit5 != 0 ? spec.bit5 : 90);
        o.shows_zero = architecture_ >= 90 && !local;
        if (spec.bit4 != 0 && w_.bit(spec.bit4)) {
            o.shows_zero = true;
            if (architecture_ >= 90 || w_.bit(101)) {
                o.has_descriptor = true;
                o.descriptor = uniform_at(spec.bit2);
            }
        } else {
            add_uniform(o, spec.bit2);
        }
        if (!local && !o.wide_address && o.has_uniform) o.suffix = ".U32";
        if (spec.zero_omitted && o.uniform == uniform_urz) o.has_uniform = false;
        return o;
    }

    /// Distance in bytes from the next instruction to the target of a branch. Hopper has eight more
    /// bits.
    std::int64_t branch_offset() const {
        const std::int64_t high = w_.signed_bits(34, 48);
        if (architecture_ < 90) return high * 4;
        return high * 1024 + static_cast<std::int64_t>(w_.bits(16, 8)) * 4;
    }
    operand target(std::int64_t offset) const {
        operand o;
        o.kind = operand_kind::target;
        o.value = out_.address + instruction_bytes + static_cast<std::uint64_t>(offset);
        return o;
    }

    /// Geometry of a texture, encoded in three bits; not every instruction supports all values.
    std::string_view texture_geometry(unsigned n) const {
        static constexpr std::string_view names[] = {
            "1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", "INVALID6", "ARRAY_CUBE"};
        static constexpr std::string_view invalid[] = {"INVALID0", "INVALID1", "INVALID2",
                                                       "INVALID3", "INVALID4", "INVALID5",
                                                       "INVALID6", "INVALID7"};
        const unsigned known = out_.opcode == isa::opcode::TEX    ? 0b10111111
                               : out_.opcode == isa::opcode::TLD  ? 0b00110111
                               : out_.opcode == isa::opcode::TLD4 ? 0b10101010
                                                                  : 0b00110011;
        return (known >> n & 1) != 0 ? names[n] : invalid[n];
    }

    operand decode(const encoding_operand& spec) {
        switch (spec.kind) {
            case what::reg:
                return register_operand(spec);
            case what::predicate:
                return predicate_operand(spec);
            case what::source_q:
                return source_q(spec);
            case what::source_d:
                return at_32(spec, 2);
            case what::source_b:
                return exchanged() ? at_64(spec, 1) : at_32(spec, 1);
            case what::source_c:
                return exchanged() ? at_32(spec, 2) : at_64(spec, 2);
            case what::number:
                return number_operand(spec);
            case what::signed_number:
                return number(static_cast<std::uint64_t>(w_.signed_bits(spec.bit, spec.width)),
                              true);
            case what::predicates:
                return all_predicates_of(spec.uniform);
            case what::lut_split:
                return number(w_.bits(64, 3) | w_.bits(72, 5) << 3);
            case what::mov_mask:
                return w_.bits(spec.bit, 4) == 15 ? operand{} : number(w_.bits(spec.bit, 4));
            case what::special_register:
                return special_register(spec.bit);
            case what::barrier:
                return barrier(spec);
            case what::barrier_register:
                return barrier_register(spec);
            case what::scoreboard:
                return indexed(operand_kind::scoreboard, spec.bit, 3);
            case what::scoreboard_mask:
                return scoreboard_mask(spec.bit);
            case what::target:
                // The address that LEPC computes has a resolution of bytes.
                return target(spec.bit == 24 ? w_.signed_bits(24, 58) : branch_offset());
            case what::target_short:
                return target(w_.signed_bits(34, 30) * 4);
            case what::absolute_target:
                return absolute_target();
            case what::register_target:
                return register_target(spec.uniform);
            case what::memory:
                // Generic addresses have 32-bit offsets.
                return memory(spec, spec.bit3 == 0 && spec.bit2 == 32 ? 32 : 24);
            case what::shared_memory:
                return memory(
                    spec, 24,
                    architecture_ >= 75 ? shared_scales[w_.bits(78, 2)] : std::string_view{});
            case what::descriptor_memory:
                return global_address(spec);
            case what::copy_destination:
                return copy_destination(spec);
            case what::copy_source:
                return copy_source(spec);
            case what::constant_indexed:
                return constant_indexed(spec.uniform);
            case what::constant_direct:
                return constant(54, 38, 16, 0, false);
            case what::shuffle_lane:
                return form_ == 1 || form_ == 2 ? reg(32, false) : number(w_.bits(53, 5));
            case what::shuffle_mask:
                return form_ == 1 || form_ == 4 ? reg(64, false) : number(w_.bits(40, 13));
            case what::geometry:
                return text(texture_geometry(static_cast<unsigned>(w_.bits(spec.bit, 3))));
            case what::texture_query:
                return text(texture_queries[w_.bits(spec.bit, 2)]);
            case what::base_address:
                return address(spec.bit);
            case what::pair_address:
                return pair_address(spec);
            case what::uniform_address:
                return uniform_address(spec);
            case what::cache_descriptor:
                return cache_descriptor(spec);
            case what::matrix_descriptors:
                return matrix_descriptors(spec.bit);
            case what::group_scoreboard:
                return group_scoreboard(spec);
            case what::saved_counter:
                return saved_counter(spec.bit);
            case what::exit_counter:
                return text("ATEXIT_PC");
            case what::signs:
                return signs();
            default:
                return blackwell_operand(spec);
        }
    }

    /// Kinds of operands that only instructions of Blackwell have.
    operand blackwell_operand(const encoding_operand& spec) {
        switch (spec.kind) {
            case what::source_wide:
                return wide_source();
            case what::long_number:
                return number(w_.bits(spec.bit, 64));
            case what::block_address:
                return block_address(spec);
            case what::split_uniform:
                return split_uniform(spec.bit);
            case what::tensor_matrix:
                // In tensor memory in the forms 4 and, with scale factors, 7.
                if (form_ != 4 && form_ != 7) return matrix_descriptors(spec.bit);
                return tensor_address(spec);
            case what::tensor_address:
                return tensor_address(spec);
            case what::instruction_descriptor: {
                operand o;
                o.kind = operand_kind::instruction_descriptor;
                o.index = static_cast<std::uint8_t>(uniform_at(spec.bit) + 1);
                return o;
            }
            default:
                w_.mark(0, 128);  // not described
                return {};
        }
    }

    operand cache_descriptor(const encoding_operand& spec) {
        operand o;
        if (!w_.bit(spec.bit2)) return o;
        o.kind = operand_kind::cache_descriptor;
        o.index = uniform_at(spec.bit);
        return o;
    }

    operand register_operand(const encoding_operand& spec) {
        operand o = reg(spec.bit, spec.uniform);
        if (spec.zero_omitted && o.index == (spec.uniform ? uniform_urz : register_rz)) {
            // A fetch whose handle is in a register needs it.
            constexpr unsigned bindless = 59;
            if (!spec.is_second || (form_ == 5 && !w_.bit(bindless))) return {};
            o.kind = operand_kind::text;
            o.suffix = undefined_name(o.index);
            return o;
        }
        if (spec.bit == 16)
            o.suffix = spec.selects_byte ? bytes[w_.bits(76, 2)] : std::string_view{};
        else
            decorate(o, spec, spec.bit, spec.bit == 24 ? 0 : spec.bit == 32 ? 1 : 2);
        if (spec.is_metadata) o.reuse = w_.bit(spec.bit == 52 ? 51 : 50);
        return o;
    }

    operand predicate_operand(const encoding_operand& spec) const {
        const bool uniform = spec.may_be_uniform ? w_.bit(spec.bit - 1) : spec.uniform;
        operand o = predicate(spec.bit, uniform, spec.may_negate_predicate);
        if (spec.counts_down) o.index = static_cast<std::uint8_t>(7 - o.index);
        if (spec.is_second && o.index == predicate_true) {
            o.kind = operand_kind::text;
            o.suffix = undefined_name(o.index);
        }
        // The second of two results is present if the first is.
        if (spec.is_second && w_.bits(spec.bit - 3, 3) == predicate_true) return {};
        return o;
    }
    static operand all_predicates_of(bool uniform) {
        operand o;
        o.kind = uniform ? operand_kind::uniform_predicates : operand_kind::predicates;
        return o;
    }

    operand source_q(const encoding_operand& spec) {
        const operand o = at_32(spec, 1);
        const bool is_all = o.kind == operand_kind::integer && o.value == all_predicates;
        return spec.zero_omitted && is_all ? operand{} : o;
    }
    operand number_operand(const encoding_operand& spec) const {
        const std::uint64_t v = w_.bits(spec.bit, spec.width);
        // A mask of all predicates is not printed, nor is a small number if it is zero.
        const std::uint64_t omitted = spec.width == 32 ? all_predicates : 0;
        return spec.zero_omitted && v == omitted ? operand{} : number(v);
    }
    operand signs() const {
        operand o = number(w_.bits(32, 8));
        o.kind = operand_kind::signs;
        return o;
    }

    operand special_register(unsigned bit) const {
        operand o = indexed(operand_kind::special_register, bit, 8);
        o.suffix = special_register_name(o.index, architecture_);
        return o;
    }
    operand barrier(const encoding_operand& spec) const {
        operand o =
            indexed(operand_kind::convergence_barrier, spec.bit, spec.width != 0 ? spec.width : 4);
        if (o.index >= 16) o.suffix = undefined_name(o.index);
        return o;
    }
    operand barrier_register(const encoding_operand& spec) const {
        operand o = indexed(operand_kind::convergence_barrier, spec.bit, 6);
        o.suffix = barrier_register_name(o.index);
        if (spec.is_second && o.index < 16) o.suffix = undefined_name(o.index);
        return o;
    }
    operand scoreboard_mask(unsigned bit) const {
        operand o;
        o.kind = operand_kind::scoreboards;
        o.value = w_.bits(bit, 6);
        return o.value != 0 ? o : operand{};
    }
    /// Scoreboard of warpgroup products (gsb0).
    operand group_scoreboard(const encoding_operand& spec) const {
        constexpr unsigned none = 7;
        operand o = indexed(operand_kind::text, spec.bit, 3);
        if (o.index == none && !spec.is_second) return {};
        o.suffix = o.index == 0     ? std::string_view{"gsb0"}
                   : spec.is_second ? undefined_name(o.index)
                                    : invalid_name(o.index);
        return o;
    }
    /// Half of the saved program counter.
    operand saved_counter(unsigned bit) const {
        operand o = indexed(operand_kind::text, bit, 1);
        o.suffix = o.index != 0 ? "Rpc.HI" : "Rpc.LO";
        return o;
    }

    operand absolute_target() const {
        operand o;
        o.kind = operand_kind::target;
        o.value =
            architecture_ < 90 ? w_.bits(34, 47) * 4 : w_.bits(34, 47) * 1024 + w_.bits(16, 8) * 4;
        return o;
    }
    operand register_target(bool uniform) {
        operand o = reg(24, uniform);
        o.kind = operand_kind::relative_register;
        o.has_uniform = uniform;
        const std::int64_t offset = branch_offset();
        const bool plain = out_.has(modifier::ABS) || out_.opcode == isa::opcode::BRX ||
                           out_.opcode == isa::opcode::BRXU || out_.opcode == isa::opcode::JMX ||
                           out_.opcode == isa::opcode::JMXU;
        o.value = plain ? static_cast<std::uint64_t>(offset) : target(offset).value;
        return o;
    }

    /// [R+UR+offset] or [R+offset]
    operand memory(const encoding_operand& spec, unsigned offset_bits,
                   std::string_view scale = {}) {
        operand o = address(spec.bit, spec.bit3 != 0 ? spec.bit3 : spec.bit2, offset_bits);
        o.suffix = scale;
        if (spec.bit3 != 0)
            add_uniform(o, spec.bit2);
        else
            make_absolute(o, spec, offset_bits);
        return o;
    }
    operand copy_destination(const encoding_operand& spec) {
        operand o = address(16, 44, 20);
        if (spec.bit2 != 0) add_uniform(o, spec.bit2);
        return o;
    }
    operand copy_source(const encoding_operand& spec) {
        operand o = address(spec.bit, spec.bit2, 12);
        o.wide_address = w_.bit(spec.bit3);
        if (w_.bit(76) && (architecture_ >= 90 || w_.bit(101))) {
            o.has_descriptor = true;
            o.descriptor = static_cast<std::uint8_t>(uniform_at(spec.bit4) + 1);
        }
        return o;
    }
    operand pair_address(const encoding_operand& spec) {
        operand o = address(spec.bit, spec.bit3, 24);
        o.shows_zero = true;
        o.wide_address = w_.bit(spec.bit4);
        if (!o.wide_address) o.suffix = ".U32";
        if (!o.wide_address || uniform_at(spec.bit2) != uniform_urz) add_uniform(o, spec.bit2);
        return o;
    }
    /// A uniform register whose number has three bits at bit `bit` and the others at bit 73.
    operand split_uniform(unsigned bit) {
        operand o;
        o.kind = operand_kind::uniform_reg;
        o.index = static_cast<std::uint8_t>(w_.bits(bit, 3) | w_.bits(73, 5) << 3);
        return o;
    }
    /// desc[UR][R.64+offset] of an access to 32 bytes; the offset counts these.
    operand block_address(const encoding_operand& spec) {
        operand o = address(spec.bit, spec.bit3, spec.bit4);
        o.value *= 32;
        o.wide_address = o.shows_zero = o.has_descriptor = true;
        o.descriptor = uniform_at(spec.bit2);
        if (!w_.bit(76)) valid_ = false;
        return o;
    }
    operand tensor_address(const encoding_operand& spec) {
        operand o;
        o.kind = operand_kind::tensor_address;
        add_uniform(o, spec.bit);
        if (spec.bit2 != 0)
            o.value = w_.bits(spec.bit2, 24) | static_cast<std::uint64_t>(w_.signed_bits(72, 8))
                                                   << 24;
        return o;
    }
    operand uniform_address(const encoding_operand& spec) {
        operand o;
        o.kind = operand_kind::address;
        add_uniform(o, spec.bit);
        if (spec.bit2 != 0) o.value = static_cast<std::uint64_t>(w_.signed_bits(spec.bit2, 24));
        return o;
    }
    operand constant_indexed(bool uniform) {
        operand o = uniform && architecture_ >= blackwell ? constant(54, 37, 17, 0, false)
                                                          : constant(54, 38, 16, 0, false);
        o.has_base = true;
        o.uniform_base = uniform;
        o.base = uniform ? uniform_at(24) : static_cast<std::uint8_t>(w_.bits(24, 8));
        return o;
    }

    /// Descriptors of both matrices or, if A is in registers, of B; in that case they are encoded
    /// at bit 32, after two unused register fields.
    operand matrix_descriptors(unsigned bit) {
        static constexpr std::string_view changes[] = {"",
                                                       ".negA",
                                                       ".negB",
                                                       ".negA.negB",
                                                       ".tnspA",
                                                       ".negA.tnspA",
                                                       ".negB.tnspA",
                                                       ".negA.negB.tnspA",
                                                       ".tnspB",
                                                       ".negA.tnspB",
                                                       ".negB.tnspB",
                                                       ".negA.negB.tnspB",
                                                       ".tnspA.tnspB",
                                                       ".negA.tnspA.tnspB",
                                                       ".negB.tnspA.tnspB",
                                                       ".negA.negB.tnspA.tnspB"};
        operand o = reg(bit, true);
        o.kind = operand_kind::matrix_descriptors;
        const bool both = bit == 24, of_floats = out_.opcode == isa::opcode::HGMMA ||
                                                 out_.opcode == isa::opcode::QGMMA;
        unsigned n = 0;
        if (both && of_floats && w_.bit(72)) n |= 1;
        if (of_floats && w_.bit(63)) n |= 2;
        if (both && out_.opcode == isa::opcode::HGMMA && w_.bit(61)) n |= 4;
        if (out_.opcode == isa::opcode::HGMMA && w_.bit(62)) n |= 8;
        o.suffix = changes[n];
        return o;
    }

    void bar_operands() {
        if (out_.has(modifier::SYNCALL)) return;
        // The barrier and the thread count are registers or numbers.
        const bool named = form_ == 4 || form_ == 5;
        push(named ? number(w_.bits(54, 4)) : reg(32, false));
        if (form_ == 1 || form_ == 4)
            push(reg(32, false));
        else if (w_.bits(42, 12) != 0 || out_.has(modifier::ARV) || out_.has(modifier::SCAN))
            push(number(w_.bits(42, 12)));
        if (out_.has(modifier::RED) || out_.has(modifier::SCAN)) push(predicate(87, false, true));
    }

    void b2r_operands() {
        if (out_.has(modifier::RESULT)) {
            const operand p = predicate(81, false, false);
            if (p.index != predicate_true) push(p);
        } else if (!out_.has(modifier::WARP)) {
            push(number(w_.bits(54, 4)));
        }
    }

    word_reader& w_;
    unsigned architecture_;
    instruction& out_;
    unsigned form_;
    bool extended_;
    unsigned last_in_slot_ = 0;  ///< the operand that was assigned a slot last
    bool valid_ = true;
    unsigned slots_ = 0;  ///< slots of the reuse cache that hold operands, one bit each
};

bool is_zero(const operand& o) {
    return o.kind == operand_kind::reg && o.index == register_rz;
}

bool is_uniform(const operand& o) {
    return o.kind == operand_kind::uniform_reg ||
           (o.kind == operand_kind::constant && o.has_uniform);
}

/// Multiply-adds with a factor of zero, one or a power of two have special names, which are the
/// first modifier: IMAD.MOV, IMAD.IADD, IMAD.SHL.
void name_multiply_add(instruction& i) {
    const control_bits control = i.control();
    if (!control.yield && (control.reuse & 7) == 3) return;
    if (i.opcode != isa::opcode::IMAD || i.operand_count < 4 || i.has(modifier::WIDE) ||
        i.has(modifier::HI) || i.has(modifier::X))
        return;
    const operand& b = i.operands[2];
    const operand& c = i.operands[3];
    constexpr unsigned sixteen_bits = 1u << 16, sign = 1u << 31;
    const bool has_factor = b.kind == operand_kind::integer;
    const auto factor = static_cast<std::uint32_t>(b.value);
    modifier name = modifier::other;
    if ((is_zero(i.operands[1]) || is_zero(b) ||
         (has_factor && (factor == 0 || (factor == 1 && is_zero(c))))) &&
        !is_uniform(b) && !is_uniform(c))
        name = modifier::MOV;
    else if (has_factor && factor == 1)
        name = modifier::IADD;
    else if (has_factor && is_zero(c) && factor != sixteen_bits && factor != sign &&
             __builtin_popcount(factor) == 1)
        name = modifier::SHL;
    if (name == modifier::other || i.modifier_count == instruction::max_modifiers) return;
    for (unsigned m = i.modifier_count++; m > 0; --m) {
        i.modifiers[m] = i.modifiers[m - 1];
        i.field_of[m] = i.field_of[m - 1];
    }
    i.modifiers[0] = {name_of(name), name};
    i.field_of[0] = instruction::no_field;
}

/// Resets an instruction with an invalid encoding.
bool invalid(instruction& i) {
    const instruction_word word = i.word;
    const std::uint64_t address = i.address;
    i = {};
    i.word = word;
    i.address = address;
    return false;
}

}  // namespace

control_bits control_bits::of(const instruction_word& w) {
    control_bits c;
    c.stall = static_cast<std::uint8_t>(w.bits(105, 4));
    c.yield = w.bit(109);
    c.write_barrier = static_cast<std::uint8_t>(w.bits(110, 3));
    c.read_barrier = static_cast<std::uint8_t>(w.bits(113, 3));
    c.wait_mask = static_cast<std::uint8_t>(w.bits(116, 6));
    c.reuse = static_cast<std::uint8_t>(w.bits(122, 4));
    return c;
}

bool decode(const instruction_word& word, unsigned architecture, std::uint64_t address,
            instruction& out) {
    out = {};
    out.word = word;
    out.address = address;
    const encoding_form* const form = encoding_table::builtin().find(word, architecture);
    if (form == nullptr) return false;
    out.form = form;
    out.opcode = form->opcode;
    out.guard = static_cast<std::uint8_t>(word.bits(12, 3));
    out.guard_negated = word.bit(15);
    out.guard_uniform = form->uniform;
    constexpr unsigned first_with_triggers = 86;
    if (architecture >= first_with_triggers)
        out.counter_trigger = static_cast<std::uint8_t>(word.bits(102, 2));
    word_reader reader(word);
    for (const encoding_form::condition& c : form->conditions) reader.mark(c.first, c.count);
    for (const encoding_field& f : form->fields) {
        for (const encoding_field::range& r : f.bits) reader.mark(r.first, r.count);
        for (const named_modifier& name : f.names[f.value(word)]) {
            if (name.text.empty()) return invalid(out);
            if (out.modifier_count == instruction::max_modifiers) continue;
            out.field_of[out.modifier_count] = static_cast<std::uint8_t>(&f - form->fields.data());
            out.modifiers[out.modifier_count++] = name;
        }
    }
    operand_decoder operands(reader, architecture, out);
    for (const encoding_operand& o : form->operands) operands.add(o);
    name_multiply_add(out);
    // Blackwell gave a meaning to bits that had none. Forms are those of older architectures unless
    // they were found to differ, so that a set bit that they do not describe is not ignored.
    if (architecture >= blackwell && !reader.others_are_neutral()) return invalid(out);
    return operands.are_valid() || invalid(out);
}

}  // namespace simtlm::sass
