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

namespace simtlm::kernel {

/// The state of a design on its way into a checkpoint, or back out of it.
///
/// A block that has state of its own declares `void checkpoint(kernel::archive& a)` next to it and
/// names its members there once, for both directions: `a(last_, counted_to_)`. What follows from
/// the configuration is left out, and so is what is empty while nothing is under way: checkpoints
/// are taken of designs at rest.
///
/// Members may be numbers, enumerations, strings, arrays, vectors, deques and pairs of such, and
/// objects with a checkpoint() of their own. Numbers are written as they lie in memory.
class archive {
public:
    /// Saves.
    archive() = default;
    /// Restores. @param saved  what take() of an archive that has saved gave
    explicit archive(std::string saved) : data_(std::move(saved)), restores_(true) {}

    bool restores() const { return restores_; }

    /// Begins the state of a block, which reaches up to the next one.
    /// @param name     hierarchical
    /// @param version  of the members listed: raised when they change
    /// @throws user_error when restoring, if another block's state, or another version, is next
    void block(std::string_view name, unsigned version = 1);

    /// Saves or restores members, in order. @throws user_error when what was saved has ended
    template <class... Members>
    void operator()(Members&... members) {
        (one(members), ...);
    }
    /// The same for elements without pointers and padding, as they lie in memory.
    template <class Vector>
    void plain(Vector& elements) {
        using element = typename Vector::value_type;
        static_assert(std::is_trivially_copyable_v<element>);
        elements.resize(size_of(elements.size(), sizeof(element)));
        bytes(elements.data(), elements.size() * sizeof(element));
    }
    /// The same for so many bytes.
    void memory(void* at, std::size_t n) { bytes(at, n); }
    /// Saves a number of elements, or restores one, not more than what was saved can hold.
    std::size_t size_of(std::size_t elements, std::size_t least_bytes);

    /// What has been saved.
    std::string take() { return std::move(data_); }
    /// @throws user_error when restoring, unless all that was saved has been restored
    void finish() const;

private:
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
    std::string block_;  // whose state it is in
    bool restores_ = false;
};

}  // namespace simtlm::kernel
