// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
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
/// Members may be numbers, enumerations, strings, arrays, vectors, deques and pairs of such, and
/// objects with a checkpoint() of their own. Numbers are written in host byte order.
class archive {
public:
    /// Creates an archive that saves.
    archive() = default;
    /// Creates an archive that restores. @param saved  result of take() of an archive that has
    /// saved
    explicit archive(std::string saved) : data_(std::move(saved)), restores_(true) {}

    /// Creates an archive for a reset that saves, or restores what such an archive has saved.
    static archive for_reset() { return archive({}, false, true); }
    static archive for_reset(std::string saved) { return archive(std::move(saved), true, true); }

    /// Whether this archive restores state rather than saving it.
    bool restores() const { return restores_; }
    /// Whether this archive is for a reset.
    bool resets() const { return resets_; }

    /// Begins the state of a block, which extends to the next call.
    /// @param name     hierarchical name of the block
    /// @param version  of the list of members, incremented whenever the list changes
    /// @throws user_error when restoring, if the saved data has another block or version at this
    ///         place
    void block(std::string_view name, unsigned version = 1);

    /// Saves or restores members, in order. @throws user_error if the saved data ends too early
    template <class... Members>
    void operator()(Members&... members) {
        (one(members), ...);
    }
    /// The same for members that a reset keeps: statistics, the cycle up to which they have been
    /// counted, and what continues while the design is idle.
    template <class... Members>
    void history(Members&... members) {
        if (!resets_) (*this)(members...);
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
    std::string take() { return std::move(data_); }
    /// @throws user_error when restoring, if saved data is left over
    void finish() const;

private:
    archive(std::string saved, bool restores, bool resets)
        : data_(std::move(saved)), restores_(restores), resets_(resets) {}

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
        if (!restores_)
            data_.append(static_cast<const char*>(at), n);
        else
            read(at, n);
    }
    void read(void* to, std::size_t n);
    [[noreturn]] void fail(const std::string& why) const;

    std::string data_;
    std::size_t position_ = 0;
    std::string block_;  // block whose state is being saved or restored
    bool restores_ = false;
    bool resets_ = false;
};

}  // namespace simtlm::support
