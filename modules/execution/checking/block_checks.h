// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/async_proxy.h"
#include "modules/execution/checking/program_checker.h"
#include "modules/execution/checking/race_detector.h"
#include "modules/execution/checking/written_map.h"
#include "modules/execution/device_memory.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

class launch_context;
struct warp;

/// State of the checks for one CTA.
class block_checks {
public:
    explicit block_checks(launch_context& l);

    /// Called when the CTA begins.
    void start();

    /// A warp arrives at a barrier; complete(): a barrier is complete.
    void arrive(unsigned warp, unsigned barrier) {
        if (races_) races_->arrive(warp, barrier);
        if (proxy_) proxy_->arrive(warp, barrier);
    }
    void complete(unsigned barrier, const std::vector<unsigned>& waiting, bool whole_cta);

    /// nullptr: the check is disabled.
    race_detector* races() { return races_.get(); }
    /// Asynchronous operations on shared memory, since sm_90.
    async_proxy* proxy() { return proxy_.get(); }
    written_bytes* shared() { return shared_.get(); }
    /// Whether all of it has been written, as determined at a barrier.
    bool shared_is_written() const { return shared_is_written_; }
    written_map* local() { return local_.get(); }
    written_map* global() { return global_; }

    /// Bytes accessed by a thread, for accesses other than plain loads and stores of a warp.
    struct segment {
        unsigned lane;
        device_address address;
        std::uint32_t bytes;
        bool shared_space;  ///< the address is in shared memory, not a generic one
        bool reads, writes;
    };
    void check(warp& w, const operation* op, const segment& p);
    /// Checks loads and stores of lanes against asynchronous operations. @param check  of the
    /// access, which is the next operation
    void check_proxy(warp& w, const operation* check, std::uint32_t lanes);

    // Operations started by a lane, on shared memory of the CTA; ranges elsewhere are ignored.
    /// A bulk copy to shared memory. @param place  of the mbarrier that it signals
    void copy_starts(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                     std::uint32_t bytes, std::uint64_t place);
    /// A bulk store, or a product of a warpgroup, that reads shared memory.
    void read_starts(warp& w, const operation* op, unsigned lane, async_proxy::engine by,
                     std::uint64_t offset, std::uint32_t bytes);
    /// The phase of an mbarrier.
    bool phase_at(const warp& w, std::uint64_t place) const;

    /// A function of the device runtime has written memory.
    void written(warp& w, unsigned lane, device_address generic, std::uint32_t bytes);

    // Reports of findings, for one lane.
    void unwritten_global(warp& w, const operation* op, unsigned lane, device_address a,
                          std::uint32_t bytes);
    void unwritten_shared(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                          std::uint32_t bytes);
    void unwritten_local(warp& w, const operation* op, unsigned lane, std::uint64_t offset,
                         std::uint32_t bytes);
    void unwritten_register(warp& w, const operation* op, unsigned lane, const std::string& name);
    /// @param offset  of the granule
    void race(warp& w, const operation* op, unsigned lane, std::uint32_t offset, bool writes,
              const race_detector::conflict& with);
    /// Lanes of a warp write different values to the same location with one instruction.
    void race_of_lanes(warp& w, const operation* op, unsigned lane, unsigned other,
                       std::uint32_t offset);

private:
    void check_race(warp& w, const operation* op, const segment& p, std::uint64_t offset);
    void report(warp& w, const operation* op, unsigned lane, std::uint64_t offset, bool writes,
                const async_proxy::conflict& c);
    template <class Describe>
    void add(finding::kind what, warp& w, const operation* op, unsigned lane, std::uint64_t other,
             Describe&& describe);
    std::string shared_variable(std::uint64_t offset) const;

    launch_context& launch_;
    program_checker& checker_;
    std::unique_ptr<race_detector> races_;
    std::unique_ptr<async_proxy> proxy_;
    std::unique_ptr<written_bytes> shared_;
    std::unique_ptr<written_map> local_;
    written_map* global_ = nullptr;
    bool shared_is_written_ = false;
};

/// Calls f for the ranges of a lane's local memory, in which words of lanes are interleaved, to
/// mark or test them. @param warp_base  start of the warp's local memory, in bytes, in that of all
/// warps
template <class Function>
bool for_local_words(std::uint64_t warp_base, unsigned lane, std::uint64_t offset,
                     std::uint32_t bytes, Function f) {
    while (bytes != 0) {
        const std::uint32_t n = std::min(bytes, static_cast<std::uint32_t>(4 - offset % 4));
        const std::uint64_t at = warp_base + (offset / 4 * warp_size + lane) * 4 + offset % 4;
        if (!f(at, n)) return false;
        offset += n;
        bytes -= n;
    }
    return true;
}

}  // namespace simtlm::execution
