// SPDX-License-Identifier: Apache-2.0
#include "platform/device/remote_memory.h"

#include "platform/device/sparse_memory.h"

#include <algorithm>
#include <cstring>

namespace simtlm::device {

namespace {

constexpr std::uint64_t compared_bytes = 4096;  // at a time
/// Payload from which a message is sent.
constexpr std::size_t enough = std::size_t{1} << 20;

const char* bytes_at(std::uint64_t address) {
    return reinterpret_cast<const char*>(address);
}

}  // namespace

range_changes find_changes(const execution::device_memory& table,
                           const std::map<std::uint64_t, std::uint64_t>& known,
                           const std::function<bool(std::uint64_t)>& of_peer) {
    range_changes found;
    for (const execution::device_memory::range& r : table.ranges()) {
        const bool is_variable = r.begin >= table.static_begin() && r.begin < table.static_end();
        if (is_variable || of_peer(r.begin)) continue;
        found.all[r.begin] = r.serial;
        const auto at = known.find(r.begin);
        if (at == known.end() || at->second != r.serial) found.added.push_back(&r);
    }
    for (const auto& [begin, serial] : known) {
        const auto at = found.all.find(begin);
        if (at == found.all.end() || at->second != serial) found.removed.push_back(begin);
    }
    return found;
}

void remote_memory::share(std::uint64_t begin, std::uint64_t bytes) {
    const std::shared_ptr<void> agreed = zeroed_memory(bytes);
    copy_sparsely(agreed.get(), bytes_at(begin), bytes);
    shared_[begin] = {bytes, agreed};
}

void remote_memory::share_zeroed(std::uint64_t begin, std::uint64_t bytes) {
    shared_[begin] = {bytes, zeroed_memory(bytes)};
}

void remote_memory::send_bytes(message_kind kind, std::uint64_t address, std::string_view bytes) {
    while (!bytes.empty()) {
        const std::string_view part = bytes.substr(0, enough);
        waiting_.number(address).text(part);
        address += part.size();
        bytes.remove_prefix(part.size());
        if (waiting_.size() >= enough) flush(kind);
    }
}

void remote_memory::flush(message_kind kind) {
    if (waiting_.size() == 0) return;
    link_.send(kind, waiting_.bytes());
    waiting_.clear();
}

/// Both sides have the present contents. @pre they are on their way to the other side, or from it
void remote_memory::agree(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t end = address + bytes;
    auto at = shared_.upper_bound(address);
    if (at != shared_.begin()) --at;
    for (; at != shared_.end() && at->first < end; ++at) {
        const std::uint64_t from = std::max(address, at->first);
        const std::uint64_t to = std::min(end, at->first + at->second.bytes);
        if (from < to)
            std::memcpy(static_cast<char*>(at->second.agreed.get()) + (from - at->first),
                        bytes_at(from), to - from);
    }
}

void remote_memory::send(message_kind kind, std::uint64_t address, std::uint64_t bytes) {
    send_bytes(kind, address, {bytes_at(address), bytes});
    if (shares_any()) agree(address, bytes);
}

/// Sends the words of a page that differ from what both sides have had, and notes them there.
void remote_memory::send_page(message_kind kind, std::uint64_t at, char* agreed,
                              std::uint64_t bytes) {
    constexpr std::uint64_t word = 4;
    const auto differs = [&](std::uint64_t i) {
        return std::memcmp(bytes_at(at) + i, agreed + i, std::min(word, bytes - i)) != 0;
    };
    for (std::uint64_t i = 0; i < bytes;) {
        if (!differs(i)) {
            i += word;
            continue;
        }
        const std::uint64_t begin = i;
        while (i < bytes && differs(i)) i += word;
        const std::uint64_t n = std::min(i, bytes) - begin;
        // What is sent is what is noted, also if the host writes it now.
        std::memcpy(agreed + begin, bytes_at(at) + begin, n);
        send_bytes(kind, at + begin, {agreed + begin, n});
    }
}

void remote_memory::send_changes(message_kind kind) {
    for (auto next = shared_.begin(); next != shared_.end();) {
        const std::uint64_t begin = next->first;
        const shared_range& range = next->second;
        if (memory_.table().find(begin) == nullptr) {  // a variable of a module that is gone
            next = shared_.erase(next);
            continue;
        }
        ++next;
        auto* const agreed = static_cast<char*>(range.agreed.get());
        for (std::uint64_t at = 0; at < range.bytes;) {
            const std::uint64_t n =
                std::min(compared_bytes - (begin + at) % compared_bytes, range.bytes - at);
            if (std::memcmp(bytes_at(begin + at), agreed + at, n) != 0)
                send_page(kind, begin + at, agreed + at, n);
            at += n;
        }
    }
    flush(kind);
}

void remote_memory::receive(const message& m,
                            const std::function<void(std::uint64_t, std::uint64_t)>& noted) {
    payload_reader in(m);
    while (!in.at_end()) {
        const auto address = in.number<std::uint64_t>();
        const std::string_view bytes = in.view(in.number<std::uint64_t>());
        const execution::device_memory::range* const r = memory_.table().find(address);
        if (r == nullptr || bytes.size() > r->end - address)
            in.fail("it has contents of memory that is not allocated");
        std::memcpy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
        if (shares_any()) agree(address, bytes.size());
        if (noted) noted(address, bytes.size());
    }
}

}  // namespace simtlm::device
