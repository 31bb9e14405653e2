// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_outcome.h"
#include "modules/cache/cache_config.h"
#include "modules/cache/replacement_policy.h"
#include "modules/cache/set_index.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/zeroed_vector.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace simtlm::cache {

/// Version of a block of a checkpoint that begins with tags, see support::archive::block().
inline constexpr unsigned tag_block_version = 5;

enum class sector_state : std::uint8_t { invalid, reserved, valid, modified };

/// The data to be written back when a dirty line is replaced.
struct evicted_line {
    bool dirty = false;
    std::uint64_t address = 0;    ///< of the line
    unsigned bytes = 0;           ///< of its dirty sectors
    std::uint8_t sectors = 0;     ///< mask of its dirty sectors
    protocol::byte_mask written;  ///< dirty bytes
};

/// Tags of a set-associative cache with lines of four sectors, or with whole lines (sector 0 then
/// represents the line).
///
/// A sector is invalid, reserved (its data have been requested), valid or modified. A modified
/// sector is readable if all its bytes are known; otherwise (lazy fetch on read) a read misses.
/// Reserved lines are never replaced, and dirty ones only once the percentage of dirty lines
/// reaches a limit. Free lines are replaced first, then the line that the replacement_policy
/// chooses. Times are core cycles modulo 2^32. Outcomes equal those of GPGPU-Sim's tag array.
class tag_array {
public:
    static constexpr std::uint32_t no_line = replacement_state::no_line;
    /// Result of a look-up.
    struct lookup {
        access_outcome outcome = access_outcome::reservation_fail;
        std::uint32_t line = no_line;  ///< the line found, or the line to be replaced
    };

    explicit tag_array(const cache_config& config);

    /// Changes the split of the on-chip memory, between kernels: lines keep their positions in the
    /// array.
    void reconfigure(unsigned ways, allocation_policy allocation);

    /// Looks up an access without changing any state.
    /// @param address        any byte of the line
    /// @param index_address  the address that selects the set (L2: within the partition)
    lookup probe(std::uint64_t address, std::uint64_t index_address, unsigned sector,
                 bool is_write) const {
        const lookup found = find(address, index_address, sector, is_write);
        return found.line != no_line ? found : victim(index_address);
    }
    /// The first part of probe(): the line of the address. @return line no_line: there is none
    lookup find(std::uint64_t address, std::uint64_t index_address, unsigned sector,
                bool is_write) const;
    /// The second part: the line that an access to a line that is not there replaces.
    lookup victim(std::uint64_t index_address) const;
    /// Whether victim() certainly finds a line, in any set, and a call does not change the next
    /// choice.
    bool has_victims() const {
        return replacement_.reserved() < ways_ && !quirks_.dirty_set_stalls &&
               policy_->replaces_round_robin();
    }

    /// Performs an access that has been probed: updates time stamps, and reserves a missing line or
    /// sector.
    /// @return  the replaced line, if dirty
    evicted_line access(const lookup& found, std::uint64_t address, unsigned sector,
                        std::uint32_t now);

    /// Fills a reserved sector.
    void fill_line(std::uint32_t line, unsigned sector, const protocol::byte_mask& bytes);
    /// Fills the line of an address, for which a line is allocated now (caches that allocate on
    /// fill).
    void fill_address(std::uint64_t address, std::uint64_t index_address, std::uint32_t now,
                      unsigned sector, const protocol::byte_mask& bytes, bool is_write);
    /// The same for an address that has been probed. @pre found.line != no_line
    /// @return  the replaced line, if dirty
    evicted_line fill_found(const lookup& found, std::uint64_t address, unsigned sector,
                            std::uint32_t now, const protocol::byte_mask& bytes);
    /// A host copy writes a sector: fills it as fill_address() does and leaves it modified, unless
    /// cache_config::dirty_limit_percent does not permit it. Write-backs take no time.
    void fill_modified(std::uint64_t address, std::uint64_t index_address, std::uint32_t now,
                       unsigned sector);
    /// Records a use of a line other than its allocation and accesses.
    void use(std::uint32_t line, std::uint32_t now) {
        if (ages_by_use_) replacement_.set_age(line, now);
    }

    /// Marks a sector allocated by access() as waiting for a fill: its line is not replaced until
    /// then.
    void await_fill(std::uint32_t line, unsigned sector);

    /// Records a write or an atomic to a line that the cache keeps.
    /// @param through  memory receives the write as well, so that it need not be written back; the
    ///                 sector is modified all the same
    void write(std::uint32_t line, unsigned sector, const protocol::byte_mask& bytes,
               bool through = false);
    /// Cleans the least recently used modified line of the set of a line, if more are modified than
    /// cache_config::dirty_limit_percent permits. Sectors of which not all bytes are known are
    /// dropped.
    /// @return  the line, if it is to be written back
    evicted_line clean_beyond_limit(std::uint32_t line);
    /// Records the last use of bytes: if they are all that has been written to a sector, the sector
    /// need not be written back.
    void read_last(std::uint32_t line, unsigned sector, const protocol::byte_mask& bytes);
    /// The pending fill must leave the sector modified, and adds its byte mask to the dirty bytes.
    void keep_modified_on_fill(std::uint32_t line, unsigned sector);
    /// Sets whether all bytes of the sector are known, so that it can be read.
    void set_readable(std::uint32_t line, unsigned sector, bool readable);
    /// The pending fill must leave the sector readable.
    void set_readable_on_fill(std::uint32_t line, unsigned sector);
    void invalidate_sector(std::uint32_t line, unsigned sector);
    /// Makes sectors readable whose bytes have all been written. @param sectors  of the access
    void update_readable(std::uint32_t line, unsigned sector, unsigned sectors);

    /// Drops the modified lines without writing them back (functional memory is already up to
    /// date).
    void flush();
    void invalidate();

    /// The data of a line that memory does not have.
    evicted_line to_write_back(std::uint32_t line) const;
    sector_state state(std::uint32_t line, unsigned sector) const;
    /// A number that changes when a sector of the line of an address becomes readable, and
    /// sometimes when one of another line does.
    std::uint32_t readable_changes(std::uint64_t address) const {
        return readable_changes_[fingerprint(address & line_mask_) % change_counts];
    }
    bool readable(std::uint32_t line, unsigned sector) const {
        return (lines_[line].flags.unreadable >> sector & 1u) == 0;
    }
    std::uint64_t line_address(std::uint32_t line) const { return lines_[line].tag; }
    std::uint32_t dirty_lines() const { return dirty_; }
    unsigned sets() const { return sets_; }
    unsigned ways() const { return ways_; }
    /// The set of an address. @param index_address  see probe()
    unsigned set_of(std::uint64_t index_address) const { return index_(index_address); }
    /// Whether clean lines of a set are replaced in a fixed cyclic order.
    bool replaces_round_robin() const { return policy_->replaces_round_robin(); }
    /// Whether no line is free, modified or reserved, and the address of every line satisfies a
    /// predicate. @param or_modified  lines may be modified
    bool all_clean(const std::function<bool(std::uint64_t)>& property,
                   bool or_modified = false) const;
    allocation_policy allocation() const { return allocation_; }

    /// Access counters, as printed per cache by GPGPU-Sim.
    struct counters {
        std::uint64_t accesses = 0, misses = 0, sector_misses = 0, pending_hits = 0;
    };
    const counters& counted() const { return counters_; }
    /// Saves or restores the state that persists across kernels, of an idle cache. In a portable
    /// block of an archive for another configuration, the lines are inserted again, see insert().
    /// @param index_address  the address that selects the set of an address, for that
    /// @param now            time of the restored cache, see insert()
    /// @return whether lines have been inserted again
    bool checkpoint(support::archive& a,
                    const std::function<std::uint64_t(std::uint64_t)>& index_address,
                    std::uint32_t now);

    /// A line in a checkpoint of a cache.
    struct saved_line {
        std::uint64_t tag = 0;
        std::uint32_t age = 0;  ///< see replacement_state
        std::uint32_t line_bytes = 0;
        bool sectored = false;
        std::uint8_t present = 0, modified = 0, unreadable = 0, through = 0;  // bit s: sector s
        protocol::byte_mask written;
    };
    /// Reads the lines of a checkpoint, in the order of their positions.
    static std::vector<saved_line> saved_lines(support::archive& a);
    /// Inserts lines of a checkpoint in the order of their ages, oldest first, as if they were used
    /// in consecutive cycles up to now; the oldest line of a full set is dropped. Lines of another
    /// size, or with sectors where this cache has none, are dropped.
    /// @param index_address  the address that selects the set of an address
    void insert(std::vector<saved_line> lines,
                const std::function<std::uint64_t(std::uint64_t)>& index_address,
                std::uint32_t now);

private:
    static std::uint16_t fingerprint(std::uint64_t tag) {
        return static_cast<std::uint16_t>(tag >> 7 ^ tag >> 23 ^ tag >> 39);
    }
    struct line_flags {  // bit s: sector s
        std::uint8_t present = 0;
        std::uint8_t reserved = 0;  // subset of present, disjoint from modified
        std::uint8_t modified = 0;  // subset of present
        std::uint8_t modified_on_fill = 0;
        std::uint8_t readable_on_fill = 0;
        std::uint8_t unreadable = 0;
        std::uint8_t awaited = 0;  // a fill is pending: the line must not be replaced, whether
                                   // written or not
        std::uint8_t bytes_on_fill : 1;
        std::uint8_t through : 4;  // modified, but not to be written back
        line_flags() : bytes_on_fill(0), through(0) {}
    };
    /// Two fit in a cache line of the host.
    struct line_state {
        std::uint64_t tag = 0;
        line_flags flags;
        protocol::byte_mask written;  // bytes of its modified sectors
    };
    static_assert(sizeof(line_state) == 32);
    void allocate_line(std::uint32_t line, std::uint64_t tag, unsigned sector, std::uint32_t now);
    void allocate_sector(std::uint32_t line, unsigned sector, std::uint32_t now);
    void reclassify(std::uint32_t line);
    void drop(std::uint32_t line);
    void note_readable(std::uint32_t line) {
        ++readable_changes_[fingerprints_[line] % change_counts];
    }
    void resize();
    void discard();
    void insert(const saved_line& line, std::uint64_t index_address, std::uint32_t age);

    unsigned sets_;
    unsigned ways_ = 0;
    std::uint64_t line_mask_;
    bool sectored_;
    allocation_policy allocation_ = allocation_policy::on_miss;
    std::unique_ptr<replacement_policy> policy_;
    const bool ages_by_use_;
    unsigned write_ratio_percent_;
    unsigned dirty_limit_percent_;
    cache_quirks quirks_;
    set_index index_;

    // One entry per line, ordered by set. The first two are scanned, the rest of a line is only
    // accessed once it has been found.
    support::zeroed_vector<std::uint16_t> fingerprints_;
    replacement_state replacement_;
    support::zeroed_vector<line_state> lines_;

    static constexpr unsigned change_counts = 64;
    std::array<std::uint32_t, change_counts> readable_changes_{};  // by fingerprint
    std::uint32_t dirty_ = 0;                                      // wraps around, as in GPGPU-Sim
    bool used_ = false;
    counters counters_;
};

}  // namespace simtlm::cache
