// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/device/memory_space.h"
#include "platform/device/remote_link.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::device {

/// Differences between the allocations of one side of a connection and those that the other side
/// knows.
struct range_changes {
    std::map<std::uint64_t, std::uint64_t> all;  ///< allocations of this side: serial, by address
    std::vector<const execution::device_memory::range*> added;
    std::vector<std::uint64_t> removed;  ///< addresses
};
/// Finds the changes since an earlier call. Variables of modules are not included.
/// @param known    range_changes::all of that call
/// @param of_peer  whether the other side has made the allocation at an address
range_changes find_changes(const execution::device_memory& table,
                           const std::map<std::uint64_t, std::uint64_t>& known,
                           const std::function<bool(std::uint64_t)>& of_peer);

/// One side of a memory that exists in two processes, at the same addresses.
///
/// Contents of device memory are those of the server; the client gets what a copy reads, and sends
/// what a copy has written. Memory that the host may access without a call (managed, pinned and
/// registered memory) is shared: each side keeps what both have agreed on, and sends the words that
/// differ from it.
///
/// The caller holds the gate of the memory.
class remote_memory {
public:
    remote_memory(memory_space& memory, remote_link& link) : memory_(memory), link_(link) {}

    /// Shares a range whose contents are the same on both sides.
    void share(std::uint64_t begin, std::uint64_t bytes);
    /// Shares a range of which both sides know that the server's contents are zero.
    void share_zeroed(std::uint64_t begin, std::uint64_t bytes);
    void unshare(std::uint64_t begin) { shared_.erase(begin); }
    bool shares_any() const { return !shared_.empty(); }

    /// Sends the words of shared memory that have changed on this side.
    void send_changes(message_kind kind);
    /// Sends contents of memory.
    void send(message_kind kind, std::uint64_t address, std::uint64_t bytes);
    /// Ends what send() has begun: all of it is on its way.
    void flush(message_kind kind);
    /// Takes the contents in a message of kind `memory` or `effect_data`. @throws link_error  if
    /// they are not within allocations
    void receive(const message& m, const std::function<void(std::uint64_t, std::uint64_t)>& noted);

private:
    struct shared_range {
        std::uint64_t bytes;
        std::shared_ptr<void> agreed;  ///< contents that both sides have had
    };
    void send_bytes(message_kind kind, std::uint64_t address, std::string_view bytes);
    void send_page(message_kind kind, std::uint64_t at, char* agreed, std::uint64_t bytes);
    void agree(std::uint64_t address, std::uint64_t bytes);

    memory_space& memory_;
    remote_link& link_;
    std::map<std::uint64_t, shared_range> shared_;  ///< by address; disjoint
    payload_writer waiting_;
};

}  // namespace simtlm::device
