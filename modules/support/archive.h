// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtlm::support {

/// Serializes the state of a design into a checkpoint, or restores it from one.
///
/// A block with state of its own declares `void checkpoint(support::archive& a)` and lists its
/// members there once, for both directions: `a(last_, counted_to_)`. State that follows from the
/// configuration is not listed, and neither is state that is empty while no request is in flight:
/// checkpoints are only taken of idle designs.
///
/// An archive for a reset saves the initial state of a design, and restores it later in the same
/// simulation: members that record the past are not part of it; see history().
///
/// An archive for another configuration restores only the blocks whose configuration is unchanged,
/// found by name and in any order; the other blocks keep their initial state, and the past is not
/// part of it, either. See transfer.
///
/// Members may be numbers, enumerations, strings, arrays, vectors, deques and pairs of such, and
/// objects with a checkpoint() of their own. Numbers are written in host byte order.
class archive {
public:
    /// Creates an archive that saves.
    archive() = default;
    /// Creates an archive that restores. @param saved  result of take() of an archive that has
    /// saved
    explicit archive(std::string saved) : data_(std::move(saved)), use_(use::restores) {}

    /// Creates an archive for a reset that saves, or restores what such an archive has saved.
    static archive for_reset() { return archive({}, use::saves, true); }
    static archive for_reset(std::string saved) {
        return archive(std::move(saved), use::restores, true);
    }

    /// What an archive for another configuration has restored, by hierarchical name of a block.
    struct transfer {
        enum class outcome : std::uint8_t {
            restored,    ///< unchanged
            reinserted,  ///< of a cache: its lines
            initial,     ///< the block begins in its initial state
            dropped,     ///< the design has no such block
        };
        outcome what = outcome::initial;
        std::string why;  ///< why the block has not been restored unchanged
    };
    /// @param name  hierarchical name of a block
    /// @return why its configuration differs from the saved one; empty: it is the same
    using difference = std::function<std::string(std::string_view name)>;
    /// Creates an archive that restores a design of another configuration.
    /// @throws user_error  if the saved data is damaged
    static archive for_another_configuration(std::string saved, difference differs);

    /// Whether this archive restores state rather than saving it.
    bool restores() const { return use_ != use::saves; }
    /// Whether this archive is for a reset.
    bool resets() const { return resets_; }
    /// Whether this archive restores a design of another configuration.
    bool transfers() const { return use_ == use::transfers; }

    /// Begins the state of a block, which extends to the next call.
    /// @param name     hierarchical name of the block
    /// @param version  of the list of members, incremented whenever the list changes
    /// @return whether the members are to be listed: false if the block keeps its initial state
    ///         because its configuration differs, or there was no such block
    /// @throws user_error when restoring, if the saved data has another block or version at this
    ///         place
    bool block(std::string_view name, unsigned version = 1);
    /// The same for state that any configuration can use: the position of a run, or the lines of a
    /// cache, which are inserted again if it differs; see unchanged().
    bool portable_block(std::string_view name, unsigned version = 1);
    /// Whether the configuration of the present block is the saved one. Always, except in an
    /// archive for another configuration.
    bool unchanged() const { return !transfers() || reason_.empty(); }
    /// Notes that the contents of a portable block have been inserted again, after which no members
    /// follow.
    void note_reinserted(std::string_view name);
    /// What has been done with each block, in an archive for another configuration.
    std::map<std::string, transfer> transfers_done() const;

    /// Saves or restores members, in order. @throws user_error if the saved data ends too early
    template <class... Members>
    void operator()(Members&... members) {
        (one(members), ...);
    }
    /// The same for members that a reset keeps: statistics, the cycle up to which they have been
    /// counted, and what continues while the design is idle.
    template <class... Members>
    void history(Members&... members) {
        if (resets_ || !lists_) return;
        const std::size_t end = begin_part();
        if (!transfers()) (*this)(members...);
        end_part(end);
    }
    /// Saves or restores a vector of trivially copyable elements without pointers or padding, as
    /// raw bytes.
    template <class Vector>
    void plain(Vector& elements) {
        using element = typename Vector::value_type;
        static_assert(std::is_trivially_copyable_v<element>);
        elements.resize(size_of(elements.size(), sizeof(element)));
        bytes(elements.data(), elements.size() * sizeof(element));
    }
    /// Saves or restores n raw bytes.
    void memory(void* at, std::size_t n) { bytes(at, n); }
    /// Saves a number of elements, or restores one.
    /// @param min_bytes  smallest size of an element in the archive, in bytes; bounds the
    ///                     restored number by the saved data that is left
    std::size_t size_of(std::size_t elements, std::size_t min_bytes);

    /// @return the saved data; call once, at the end
    std::string take();
    /// @throws user_error when restoring, if saved data is left over
    void finish();

private:
    enum class use : std::uint8_t { saves, restores, transfers };
    /// The saved state of a block.
    struct section {
        unsigned version = 0;
        std::size_t begin = 0, end = 0;
        bool visited = false;
    };

    archive(std::string saved, use how, bool resets)
        : data_(std::move(saved)), use_(how), resets_(resets) {}

    std::size_t begin_part();
    void end_part(std::size_t end);
    void end_block();
    bool begin_block(std::string_view name, unsigned version, bool portable);
    bool find_block(std::string_view name, unsigned version, bool portable);
    void list_sections();

    template <class T, class = void>
    struct has_state : std::false_type {};
    template <class T>
    struct has_state<T,
                     std::void_t<decltype(std::declval<T&>().checkpoint(std::declval<archive&>()))>>
        : std::true_type {};

    template <class T>
    void one(T& member) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
            bytes(&member, sizeof member);
        else
            compound(member);
    }
    template <class T>
    void compound(T& member) {
        static_assert(has_state<T>::value, "has no checkpoint()");
        member.checkpoint(*this);
    }
    template <class T, std::size_t N>
    void compound(std::array<T, N>& member) {
        for (T& element : member) one(element);
    }
    template <class First, class Second>
    void compound(std::pair<First, Second>& member) {
        (*this)(member.first, member.second);
    }
    template <class T, class Allocator>
    void compound(std::vector<T, Allocator>& member) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
            plain(member);
        } else {
            member.resize(size_of(member.size(), 1));
            for (T& element : member) one(element);
        }
    }
    template <class T>
    void compound(std::deque<T>& member) {
        member.resize(size_of(member.size(), 1));
        for (T& element : member) one(element);
    }
    void compound(std::string& member) {
        member.resize(size_of(member.size(), 1));
        bytes(member.data(), member.size());
    }
    void bytes(void* at, std::size_t n) {
        if (n == 0) return;
        if (use_ == use::saves)
            data_.append(static_cast<const char*>(at), n);
        else
            read(at, n);
    }
    void read(void* to, std::size_t n);
    [[noreturn]] void fail(const std::string& why) const;

    std::string data_;
    std::size_t position_ = 0;
    std::string block_;          // block whose state is being saved or restored
    std::size_t block_end_ = 0;  // restoring: end of its state; saving: position of its size
    bool in_block_ = false;
    bool lists_ = true;  // whether members of the block may follow
    use use_ = use::saves;
    bool resets_ = false;

    // of an archive for another configuration
    difference differs_;
    std::string reason_;  // why the configuration of the block differs; empty: it is the same
    std::map<std::string, section, std::less<>> sections_;
    std::map<std::string, transfer> done_;
};

}  // namespace simtlm::support
