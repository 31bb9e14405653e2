// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/fat_binary.h"

#include "modules/support/error.h"

#include <elf.h>
#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace simtlm::sass {

namespace {

constexpr std::uint64_t packed_with_lz4 = 0x2000, packed_with_zstd = 0x8000;
/// In the flags of an entry: code for exactly one architecture (sm_90a), and for a family
/// (sm_100f).
constexpr std::uint64_t architecture_specific = 0x100000, family_specific = 0x200000;
constexpr std::uint16_t kind_ptx = 1, kind_elf = 2;
/// Upper bound of the unpacked size of an entry: a corrupt header must not exhaust memory.
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;

/// The headers of a fat binary and of each entry.
struct file_header {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t bytes;  ///< after the header
};
static_assert(sizeof(file_header) == fat_binary_header_bytes);
struct entry_header {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t bytes;  ///< after the header
    std::uint32_t packed_bytes;
    std::uint32_t unknown[2];
    std::uint32_t architecture;
    std::uint32_t unknown2[2];
    std::uint64_t flags;
    std::uint64_t unknown3;
    std::uint64_t unpacked_bytes;
};
static_assert(sizeof(entry_header) == 64);

template <class T>
T at(const char* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

/// @return nullopt if it is corrupt; allocates at most the size to which the packed bytes can
/// expand
std::optional<std::string> unpack_lz4(std::string_view packed, std::uint64_t bytes) {
    // Each byte of a block adds at most 255 bytes to a literal or a match.
    if (bytes > std::uint64_t{packed.size()} * 255) return std::nullopt;
    std::string to(bytes, '\0');
    const int n = LZ4_decompress_safe(packed.data(), to.data(), static_cast<int>(packed.size()),
                                      static_cast<int>(to.size()));
    if (n < 0) return std::nullopt;
    to.resize(static_cast<std::size_t>(n));
    return to;
}

/// The same for zstd, where a few bytes can expand to any size; the output grows during
/// decompression.
std::optional<std::string> unpack_zstd(std::string_view packed, std::uint64_t bytes) {
    const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                       &ZSTD_freeDCtx);
    std::string to;
    std::vector<char> some(ZSTD_DStreamOutSize());
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    for (;;) {
        ZSTD_outBuffer out{some.data(), some.size(), 0};
        const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
        if (ZSTD_isError(left) != 0 || to.size() + out.pos > bytes) return std::nullopt;
        to.append(some.data(), out.pos);
        // If the buffer is full, output may be pending although all input is consumed.
        if (in.pos == in.size && (left == 0 || out.pos < out.size))
            return left == 0 ? std::optional(to) : std::nullopt;
    }
}

std::string unpack(const entry_header& h, std::string_view data, const std::string& origin) {
    if ((h.flags & (packed_with_lz4 | packed_with_zstd)) == 0) return std::string(data);
    const std::string_view packed = data.substr(0, h.packed_bytes);
    std::optional<std::string> text;
    if (h.unpacked_bytes <= max_bytes && packed.size() <= max_bytes)
        text = (h.flags & packed_with_lz4) != 0 ? unpack_lz4(packed, h.unpacked_bytes)
                                                : unpack_zstd(packed, h.unpacked_bytes);
    if (!text) throw support::user_error(origin, "an entry of a fat binary cannot be unpacked");
    return std::move(*text);
}

}  // namespace

bool ptx_runs_on(unsigned architecture, char suffix, unsigned gpu) {
    if (suffix == 'a') return architecture == gpu;
    return architecture <= gpu && (suffix != 'f' || architecture / 10 == gpu / 10);
}

bool machine_code_runs_on(unsigned architecture, char suffix, unsigned gpu) {
    if (!is_supported_machine_code(architecture)) return false;
    if (suffix == 'a') return architecture == gpu;
    return architecture <= gpu && architecture / 10 == gpu / 10;
}

std::uint64_t fat_binary_bytes(const void* header) {
    const auto top = at<file_header>(static_cast<const char*>(header));
    if (top.magic != fat_binary_magic || top.version != 1) return 0;
    return top.header_bytes + top.bytes;
}

std::vector<fat_binary_entry> read_fat_binary(
    std::string_view bytes, const std::string& origin,
    const std::function<bool(const fat_binary_entry&)>& wanted) {
    if (bytes.size() < sizeof(file_header) || fat_binary_bytes(bytes.data()) == 0)
        throw support::user_error(origin, "this is no fat binary");
    const auto top = at<file_header>(bytes.data());
    if (top.header_bytes > bytes.size()) throw support::user_error(origin, "this is no fat binary");
    std::string_view rest = bytes.substr(top.header_bytes);
    rest = rest.substr(0, top.bytes);
    std::vector<fat_binary_entry> entries;
    while (rest.size() >= sizeof(entry_header)) {
        const auto h = at<entry_header>(rest.data());
        if (h.header_bytes < sizeof(entry_header) || h.header_bytes > rest.size() ||
            h.bytes > rest.size() - h.header_bytes)
            break;
        fat_binary_entry e;
        e.architecture = h.architecture;
        e.suffix = (h.flags & architecture_specific) != 0 ? 'a'
                   : (h.flags & family_specific) != 0     ? 'f'
                                                          : '\0';
        e.what = h.kind == kind_ptx   ? fat_binary_entry::kind::ptx
                 : h.kind == kind_elf ? fat_binary_entry::kind::cubin
                                      : fat_binary_entry::kind::other;
        if (e.what != fat_binary_entry::kind::other && (!wanted || wanted(e)))
            e.contents = unpack(h, rest.substr(h.header_bytes, h.bytes), origin);
        entries.push_back(std::move(e));
        rest.remove_prefix(h.header_bytes + h.bytes);
    }
    return entries;
}

std::vector<fat_binary_entry> fat_binaries_of(
    std::string_view file, const std::string& origin,
    const std::function<bool(const fat_binary_entry&)>& wanted) {
    std::vector<fat_binary_entry> all;
    const auto holds = [&](std::uint64_t offset, std::uint64_t n) {
        return offset <= file.size() && n <= file.size() - offset;
    };
    if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0 ||
        file[EI_CLASS] != ELFCLASS64)
        return all;
    const auto header = at<Elf64_Ehdr>(file.data());
    if (header.e_shentsize != sizeof(Elf64_Shdr) ||
        !holds(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
        return all;
    // nvcc places them in .nv_fatbin and __nv_relfatbin; libraries that load their kernels
    // themselves (cuFFT) have them in their data.
    char magic[sizeof fat_binary_magic];
    std::memcpy(magic, &fat_binary_magic, sizeof magic);
    constexpr std::size_t alignment = 8;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const auto s = at<Elf64_Shdr>(file.data() + header.e_shoff + i * sizeof(Elf64_Shdr));
        if (s.sh_type != SHT_PROGBITS || (s.sh_flags & SHF_EXECINSTR) != 0 ||
            !holds(s.sh_offset, s.sh_size))
            continue;
        const std::string_view section = file.substr(s.sh_offset, s.sh_size);
        for (std::size_t from = 0;;) {
            from = section.find(std::string_view(magic, sizeof magic), from);
            if (from == std::string_view::npos || section.size() - from < sizeof(file_header))
                break;
            const std::string_view rest = section.substr(from);
            const auto top = at<file_header>(rest.data());
            if ((s.sh_offset + from) % alignment != 0 || top.version != 1 ||
                top.header_bytes != sizeof(file_header) || top.bytes > rest.size()) {
                from += sizeof magic;
                continue;
            }
            const std::uint64_t bytes = sizeof(file_header) + top.bytes;
            for (fat_binary_entry& e : read_fat_binary(rest.substr(0, bytes), origin, wanted))
                all.push_back(std::move(e));
            from += std::min<std::uint64_t>(bytes, rest.size());
        }
    }
    return all;
}

}  // namespace simtlm::sass
