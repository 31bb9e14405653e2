// SPDX-License-Identifier: Apache-2.0
#include "modules/trace/asynchronous_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// Format, in words of 64 bits: number of words that follow; number of operations on mbarriers, and
// per operation four words (kind and flags, address, value, arrivals and bytes); number of
// transfers, and per transfer kind, tensor map, bytes, number of ranges, per range address and
// bytes, number of arrivals, per arrival mbarrier, and rank (upper half) and bytes. Then, if there
// are effects on other CTAs or the warp sleeps: flags and state space, if the warp sleeps the
// number of core cycles until it may issue again, and if lanes access other CTAs these (lower half)
// and those with an address (upper half), their addresses, the ranks of the lanes with 4 bits each
// in two words, number of operations on mbarriers, and per operation the lane and four words as
// above.
namespace simtlm::trace {

using program::bulk_transfer;
using program::mbarrier_operation;
using program::mbarrier_state;

namespace {

constexpr std::uint64_t drops = 1 << 8, may_finish = 1 << 9, is_limited = 1 << 10;
constexpr auto last_operation = static_cast<std::uint64_t>(mbarrier_operation::kind::wait);
constexpr auto last_transfer = static_cast<std::uint64_t>(bulk_transfer::kind::prefetch);
constexpr std::uint64_t arrives_at_cluster = 1 << 8, waits_for_cluster = 1 << 9,
                        accesses_cluster = 1 << 10, sleeps = 1 << 11;
constexpr auto last_space = static_cast<std::uint64_t>(program::memory_space::generic);
constexpr unsigned max_ranks = program::max_ctas_per_cluster, rank_bits = 4,
                   ranks_per_word = 64 / rank_bits;
static_assert(max_ranks == 1U << rank_bits);

/// Takes words one after the other.
class word_reader {
public:
    word_reader(const std::uint64_t* words, std::size_t count) : at_(words), left_(count) {}

    std::uint64_t take() {
        if (left_ == 0) {
            good_ = false;
            return 0;
        }
        --left_;
        return *at_++;
    }
    /// Takes the number of items that follow, each of at least `words` words.
    std::size_t take_count(std::size_t words) {
        const std::uint64_t n = take();
        if (n <= left_ / words) return static_cast<std::size_t>(n);
        good_ = false;
        return 0;
    }
    std::uint64_t take_up_to(std::uint64_t most) {
        const std::uint64_t n = take();
        good_ = good_ && n <= most;
        return n;
    }
    /// A value is not possible.
    void reject() { good_ = false; }
    bool good() const { return good_; }
    bool at_end() const { return left_ == 0; }

private:
    const std::uint64_t* at_;
    std::size_t left_;
    bool good_ = true;
};

mbarrier_operation take_operation(word_reader& in) {
    mbarrier_operation o;
    const std::uint64_t flags = in.take_up_to(last_operation | drops | may_finish | is_limited);
    o.what = static_cast<mbarrier_operation::kind>(std::min(flags & 0xff, last_operation));
    o.drops = (flags & drops) != 0;
    o.may_finish = (flags & may_finish) != 0;
    o.is_limited = (flags & is_limited) != 0;
    o.address = in.take();
    o.value = in.take();
    const std::uint64_t counts = in.take();
    o.arrivals = static_cast<std::uint32_t>(counts >> 32);
    o.bytes = static_cast<std::int32_t>(static_cast<std::uint32_t>(counts));
    return o;
}

bulk_transfer take_transfer(word_reader& in) {
    constexpr std::uint64_t max_bytes = UINT32_MAX;
    bulk_transfer t;
    t.what =
        static_cast<bulk_transfer::kind>(std::min(in.take_up_to(last_transfer), last_transfer));
    t.tensor_map = in.take();
    t.bytes = static_cast<std::uint32_t>(in.take_up_to(max_bytes));
    t.ranges.resize(in.take_count(2));
    for (program::memory_range& r : t.ranges) {
        r.address = in.take();
        r.bytes = static_cast<std::uint32_t>(in.take_up_to(max_bytes));
        if (r.bytes == 0) in.reject();
    }
    t.arrivals.resize(in.take_count(2));
    for (bulk_transfer::arrival& a : t.arrivals) {
        a.mbarrier = in.take();
        const std::uint64_t both = in.take_up_to(std::uint64_t{max_ranks - 1} << 32 | max_bytes);
        a.rank = static_cast<unsigned>(both >> 32) % max_ranks;
        a.bytes = static_cast<std::uint32_t>(both);
    }
    return t;
}

cluster_details take_cluster(word_reader& in, std::uint64_t& sleep) {
    cluster_details c;
    const std::uint64_t flags =
        in.take_up_to(0xff | arrives_at_cluster | waits_for_cluster | accesses_cluster | sleeps);
    if ((flags & sleeps) != 0) sleep = in.take_up_to(UINT32_MAX);
    c.arrives = (flags & arrives_at_cluster) != 0;
    c.waits = (flags & waits_for_cluster) != 0;
    c.space = static_cast<program::memory_space>(std::min(flags & 0xff, last_space));
    if ((flags & accesses_cluster) == 0) return c;
    const std::uint64_t lanes = in.take();
    c.remote = static_cast<std::uint32_t>(lanes);
    c.addressed = static_cast<std::uint32_t>(lanes >> 32);
    if (c.remote == 0 || (c.remote & ~c.addressed) != 0) in.reject();
    for (std::uint32_t m = c.addressed; m != 0; m &= m - 1)
        c.address[static_cast<unsigned>(__builtin_ctz(m))] = in.take();
    for (unsigned lane = 0; lane < c.rank.size(); lane += ranks_per_word) {
        const std::uint64_t word = in.take();
        for (unsigned i = 0; i < ranks_per_word; ++i)
            c.rank[lane + i] = static_cast<std::uint8_t>(word >> rank_bits * i & (max_ranks - 1));
    }
    for (std::size_t n = in.take_count(5); n > 0; --n) {
        cluster_details::lane_operation o;
        o.lane = static_cast<unsigned>(in.take_up_to(31));
        o.what = take_operation(in);
        c.barriers.push_back(o);
    }
    return c;
}

asynchronous_details take_details(word_reader& in) {
    asynchronous_details d;
    for (std::size_t n = in.take_count(4); n > 0; --n) d.barriers.push_back(take_operation(in));
    for (std::size_t n = in.take_count(5); n > 0; --n) d.transfers.push_back(take_transfer(in));
    if (!in.at_end()) d.cluster = take_cluster(in, d.sleep);
    return d;
}

void append_operation(const mbarrier_operation& o, std::vector<std::uint64_t>& pool) {
    pool.push_back(static_cast<std::uint64_t>(o.what) | (o.drops ? drops : 0) |
                   (o.may_finish ? may_finish : 0) | (o.is_limited ? is_limited : 0));
    pool.push_back(o.address);
    pool.push_back(o.value);
    pool.push_back(std::uint64_t{o.arrivals} << 32 | static_cast<std::uint32_t>(o.bytes));
}

void append_cluster(const cluster_details& c, std::uint64_t sleep,
                    std::vector<std::uint64_t>& pool) {
    if (c.empty() && sleep == 0) return;
    pool.push_back(static_cast<std::uint64_t>(c.space) | (c.arrives ? arrives_at_cluster : 0) |
                   (c.waits ? waits_for_cluster : 0) | (c.remote != 0 ? accesses_cluster : 0) |
                   (sleep != 0 ? sleeps : 0));
    if (sleep != 0) pool.push_back(sleep);
    if (c.remote == 0) return;
    pool.push_back(std::uint64_t{c.addressed} << 32 | c.remote);
    for (std::uint32_t m = c.addressed; m != 0; m &= m - 1)
        pool.push_back(c.address[static_cast<unsigned>(__builtin_ctz(m))]);
    for (unsigned lane = 0; lane < c.rank.size(); lane += ranks_per_word) {
        std::uint64_t word = 0;
        for (unsigned i = 0; i < ranks_per_word; ++i)
            word |= (c.remote >> (lane + i) & 1) != 0
                        ? std::uint64_t{c.rank[lane + i]} << rank_bits * i
                        : 0;
        pool.push_back(word);
    }
    pool.push_back(c.barriers.size());
    for (const cluster_details::lane_operation& o : c.barriers) {
        pool.push_back(o.lane);
        append_operation(o.what, pool);
    }
}

}  // namespace

void append_details(const asynchronous_details& details, std::vector<std::uint64_t>& pool) {
    const std::size_t first = pool.size();
    pool.push_back(0);
    pool.push_back(details.barriers.size());
    for (const mbarrier_operation& o : details.barriers) append_operation(o, pool);
    pool.push_back(details.transfers.size());
    for (const bulk_transfer& t : details.transfers) {
        pool.push_back(static_cast<std::uint64_t>(t.what));
        pool.push_back(t.tensor_map);
        pool.push_back(t.bytes);
        pool.push_back(t.ranges.size());
        for (const program::memory_range& r : t.ranges) {
            pool.push_back(r.address);
            pool.push_back(r.bytes);
        }
        pool.push_back(t.arrivals.size());
        for (const bulk_transfer::arrival& a : t.arrivals) {
            pool.push_back(a.mbarrier);
            pool.push_back(std::uint64_t{a.rank} << 32 | a.bytes);
        }
    }
    append_cluster(details.cluster, details.sleep, pool);
    pool[first] = pool.size() - first - 1;
}

asynchronous_details details_at(const std::uint64_t* pool) {
    word_reader in(pool + 1, static_cast<std::size_t>(*pool));
    return take_details(in);
}

bool are_details(const std::uint64_t* words, std::size_t count, unsigned ranks) {
    if (count == 0 || words[0] != count - 1) return false;
    word_reader in(words + 1, count - 1);
    const asynchronous_details d = take_details(in);
    for (const bulk_transfer& t : d.transfers)
        for (const bulk_transfer::arrival& a : t.arrivals)
            if (a.rank >= ranks) return false;
    for (std::uint32_t m = d.cluster.remote; m != 0; m &= m - 1)
        if (d.cluster.rank[static_cast<unsigned>(__builtin_ctz(m))] >= ranks) return false;
    return in.good() && in.at_end();
}

// ---- replay ------------------------------------------------------------------------------------

bool replayed_mbarriers::perform(const mbarrier_operation& what) {
    if (what.what == mbarrier_operation::kind::set) {
        what.apply_to(state_[what.address]);
        return true;
    }
    const auto at = state_.find(what.address);
    if (at == state_.end()) return true;
    if (what.what == mbarrier_operation::kind::wait) return what.succeeds_on(at->second);
    what.apply_to(at->second);
    return true;
}

std::string replayed_mbarriers::describe(const mbarrier_operation& wait) const {
    const auto at = state_.find(wait.address);
    if (at == state_.end()) return {};
    const mbarrier_state& b = at->second;
    return fmt::format(
        "phase {} of the mbarrier at shared address {:#x}: {} of {} arrivals and {} bytes are to "
        "come",
        wait.value != 0 ? 1 : 0, wait.address, b.pending, b.expected, b.transactions);
}

void asynchronous_replay::perform(const std::uint64_t* pool, bool waits, bool suspends,
                                  program::issue_effects& effects) {
    asynchronous_details details = details_at(pool);
    waits_.clear();
    for (const mbarrier_operation& o : details.barriers)
        if (!barriers_->perform(o) && waits && suspends) waits_.push_back(o);
    if (!waits_.empty()) effects.suspended = true;
    effects.has_time_limit = std::any_of(waits_.begin(), waits_.end(),
                                         [](const mbarrier_operation& o) { return o.is_limited; });
    transfers_ = std::move(details.transfers);
    for (bulk_transfer& t : transfers_)
        for (bulk_transfer::arrival& a : t.arrivals) {
            mbarrier_operation arrived;
            arrived.address = a.mbarrier;
            arrived.bytes = -static_cast<std::int32_t>(a.bytes);
            if (cluster_ != nullptr)
                a.effect = [cluster = cluster_, rank = a.rank, arrived] {
                    cluster->perform(rank, arrived);
                };
            else
                a.effect = [barriers = barriers_, arrived] { barriers->perform(arrived); };
        }
    effects.sleep = details.sleep;
    effects_.arrived = details.cluster.arrives;
    effects_.waits = details.cluster.waits;
    effects_.remote_lanes = details.cluster.remote;
    if (details.cluster.remote != 0) keep_remote(std::move(details.cluster));
}

void asynchronous_replay::keep_remote(cluster_details what) {
    const auto place = std::find_if(remote_.begin(), remote_.end(),
                                    [](const remote_access& r) { return r.lanes == 0; });
    effects_.request = static_cast<std::uint32_t>(place - remote_.begin());
    if (place == remote_.end()) remote_.emplace_back();
    effects_.rank = what.rank;
    remote_access& r = remote_[effects_.request];
    r.lanes = what.remote;
    r.what = std::move(what);
}

bool asynchronous_replay::take_remote_access(program::issue_effects& effects,
                                             program::lane_addresses& addresses) const {
    if (effects_.remote_lanes == 0) return false;
    const cluster_details& access = remote_[effects_.request].what;
    effects.space = access.space;
    addresses.lanes = access.addressed;
    addresses.words = 1;
    addresses.address[0] = access.address;
    return true;
}

void asynchronous_replay::perform_remote(std::uint32_t request, std::uint32_t lanes) {
    remote_access& r = remote_[request];
    r.lanes &= ~lanes;
    if (cluster_ == nullptr) return;
    for (const cluster_details::lane_operation& o : r.what.barriers)
        if ((lanes >> o.lane & 1) != 0) cluster_->perform(r.what.rank[o.lane], o.what);
}

bool asynchronous_replay::retry_wait() {
    return std::all_of(waits_.begin(), waits_.end(),
                       [&](const mbarrier_operation& o) { return barriers_->perform(o); });
}

std::string asynchronous_replay::awaited() const {
    for (const mbarrier_operation& o : waits_)
        if (!barriers_->perform(o)) return barriers_->describe(o);
    return {};
}

}  // namespace simtlm::trace
