// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/link_members.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace simtlm::sass {

namespace {

constexpr std::string_view archive_magic = "!<arch>\n";
/// A member's header in an archive: name, times, owner and mode, size, end.
constexpr std::size_t archive_header_bytes = 60, archive_name_bytes = 16, archive_size_at = 48,
                      archive_size_bytes = 10;

using wanted_entries = std::function<bool(const fat_binary_entry&)>;

std::string_view without_padding(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '/')) text.remove_suffix(1);
    return text;
}

/// @return the number; npos if it is none
std::size_t number_in(std::string_view text) {
    std::size_t n = 0, digits = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') break;
        n = n * 10 + static_cast<std::size_t>(c - '0');
        ++digits;
    }
    return digits == 0 || digits > archive_size_bytes ? std::string_view::npos : n;
}

link_member member_of(std::string_view bytes, const std::string& origin,
                      const wanted_entries& wanted) {
    link_member m;
    m.name = origin;
    fat_binary_entry e;
    if (cubin::has_cubin_header(bytes)) {
        e.what = fat_binary_entry::kind::cubin;
        e.contents = std::string(bytes);
        e.architecture = cubin(e.contents, origin).architecture();
        m.forms.push_back(std::move(e));
    } else if (bytes.size() >= fat_binary_header_bytes && fat_binary_bytes(bytes.data()) != 0) {
        m.forms = read_fat_binary(bytes, origin, wanted);
    } else if (bytes.substr(0, SELFMAG) == ELFMAG) {
        m.forms = fat_binaries_of(bytes, origin, wanted);
    } else {
        e.what = fat_binary_entry::kind::ptx;
        e.contents = std::string(bytes.substr(0, bytes.find('\0')));
        m.forms.push_back(std::move(e));
    }
    return m;
}

}  // namespace

std::vector<link_member> link_members_of(std::string bytes, const std::string& origin,
                                         const wanted_entries& wanted) {
    const std::string_view all = bytes;
    std::vector<link_member> members;
    if (all.substr(0, archive_magic.size()) != archive_magic) {
        link_member m = member_of(all, origin, wanted);
        if (!m.forms.empty()) members.push_back(std::move(m));
        return members;
    }
    std::string_view long_names;
    for (std::size_t at = archive_magic.size(); at + archive_header_bytes <= all.size();) {
        const std::string_view header = all.substr(at, archive_header_bytes);
        const std::size_t size = number_in(header.substr(archive_size_at, archive_size_bytes));
        at += archive_header_bytes;
        if (size == std::string_view::npos || size > all.size() - at)
            throw support::user_error(origin, "damaged: a member exceeds the library");
        const std::string_view contents = all.substr(at, size);
        at += size + (size & 1);
        std::string_view name = header.substr(0, archive_name_bytes);
        if (name.substr(0, 2) == "//") {
            long_names = contents;
            continue;
        }
        if (name.front() == '/') {
            // The table of symbols, or a number: the position of a long name.
            const std::size_t n = number_in(name.substr(1));
            if (n == std::string_view::npos || n >= long_names.size()) continue;
            name = long_names.substr(n, long_names.find('\n', n) - n);
        }
        if (contents.substr(0, SELFMAG) != ELFMAG) continue;
        link_member m =
            member_of(contents, fmt::format("{}:{}", origin, without_padding(name)), wanted);
        m.on_demand = true;
        if (!m.forms.empty()) members.push_back(std::move(m));
    }
    return members;
}

std::vector<link_object> objects_for(const std::vector<link_member>& members, unsigned architecture,
                                     std::vector<std::string>* without) {
    using kind = fat_binary_entry::kind;
    if (architecture == 0)
        for (const link_member& m : members)
            for (const fat_binary_entry& e : m.forms)
                if (e.what == kind::cubin) architecture = std::max(architecture, e.architecture);
    std::vector<link_object> objects;
    for (const link_member& m : members) {
        const fat_binary_entry* best = nullptr;
        for (const fat_binary_entry& e : m.forms)
            if (e.what == kind::cubin && !e.contents.empty() && e.architecture <= architecture &&
                e.architecture / 10 == architecture / 10 &&
                (best == nullptr || e.architecture > best->architecture))
                best = &e;
        if (best != nullptr)
            objects.push_back({std::make_shared<const cubin>(best->contents, m.name), m.on_demand});
        else if (without != nullptr)
            without->push_back(m.name);
    }
    return objects;
}

}  // namespace simtlm::sass
