// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/device_print.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace simtlm::execution {

namespace {

/// A conversion specification for the host's printf.
struct conversion {
    std::string flags;   ///< "%", flags, width, precision
    std::string length;  ///< "ll", "h", "hh" or empty
    char letter = 0;
    unsigned elements = 0;  ///< of a vector in OpenCL C (%v4hlf); 0: no vector
};

class formatter {
public:
    formatter(const std::string& format,
              const std::function<void(std::uint64_t, void*, std::uint32_t)>& read,
              const std::function<std::string(device_address)>& string)
        : format_(format), read_(read), string_(string) {}

    formatted_text run() {
        while (at_ < format_.size()) {
            if (format_[at_] != '%') {
                result_.text += format_[at_++];
            } else if (at_ + 1 < format_.size() && format_[at_ + 1] == '%') {
                result_.text += '%';
                at_ += 2;
            } else {
                const conversion c = parse();
                print(c);
                for (unsigned i = 1; i < c.elements; ++i) {
                    result_.text += ',';
                    print(c);
                    --result_.arguments;
                }
            }
        }
        return result_;
    }

private:
    template <class T>
    T next() {
        offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        T value;
        read_(offset_, &value, sizeof value);
        offset_ += sizeof(T);
        return value;
    }

    conversion parse() {
        conversion c;
        c.flags = format_[at_++];
        const std::string part_of_flags = "-+ #0123456789.";
        for (; at_ < format_.size(); ++at_) {
            if (format_[at_] == '*')
                c.flags += std::to_string(next<std::int32_t>());
            else if (part_of_flags.find(format_[at_]) != std::string::npos)
                c.flags += format_[at_];
            else
                break;
        }
        if (at_ < format_.size() && format_[at_] == 'v') parse_vector(c);
        const std::size_t length = at_;
        while (at_ < format_.size() && std::strchr("hlLqjzt", format_[at_]) != nullptr) ++at_;
        const std::string_view written = std::string_view(format_).substr(length, at_ - length);
        // For a vector, hl means 32-bit elements.
        if (c.elements != 0 && written == "hl")
            c.length.clear();
        else if (written.find_first_of("lLqjzt") != std::string_view::npos)
            c.length = "ll";
        else
            c.length = written.substr(0, 2);
        if (at_ < format_.size()) c.letter = format_[at_++];
        return c;
    }

    /// Parses v2, v3, v4, v8 or v16; anything else is not a vector.
    void parse_vector(conversion& c) {
        const std::size_t begin = ++at_;
        unsigned n = 0;
        for (; at_ < format_.size() && format_[at_] >= '0' && format_[at_] <= '9' && n < 100; ++at_)
            n = 10 * n + static_cast<unsigned>(format_[at_] - '0');
        if (n == 2 || n == 3 || n == 4 || n == 8 || n == 16)
            c.elements = n;
        else
            at_ = begin - 1;
    }

    template <class T>
    void add(const conversion& c, const std::string& length, T value) {
        const std::string one = c.flags + length + c.letter;
        std::array<char, 64> text;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        const int n = std::snprintf(text.data(), text.size(), one.c_str(), value);
        if (n < 0) return;
        const auto characters = static_cast<std::size_t>(n);
        if (characters < text.size()) {
            result_.text.append(text.data(), characters);
            return;
        }
        std::string more(characters + 1, 0);
        std::snprintf(more.data(), more.size(), one.c_str(), value);
#pragma GCC diagnostic pop
        result_.text.append(more, 0, characters);
    }

    void print(const conversion& c) {
        if (c.letter == 0) {
            result_.text += c.flags;
            return;
        }
        ++result_.arguments;
        switch (c.letter) {
            case 'd':
            case 'i':
                c.length == "ll" ? add(c, c.length, next<long long>())
                                 : add(c, c.length, next<int>());
                break;
            case 'u':
            case 'o':
            case 'x':
            case 'X':
                c.length == "ll" ? add(c, c.length, next<unsigned long long>())
                                 : add(c, c.length, next<unsigned>());
                break;
            case 'c':
                add(c, "", next<int>());
                break;
            case 'p':
                add(c, "", reinterpret_cast<void*>(next<std::uint64_t>()));
                break;
            case 's':
                add_string(c, next<std::uint64_t>());
                break;
            case 'a':
            case 'A':
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G':
                add(c, "", next<double>());
                break;
            default:
                result_.text += c.flags + c.letter;
                --result_.arguments;
        }
    }

    void add_string(const conversion& c, device_address a) {
        const std::string text = a == 0 ? "(null)" : string_(a);
        if (c.flags == "%")
            result_.text += text;
        else
            add(c, "", text.c_str());
    }

    const std::string& format_;
    const std::function<void(std::uint64_t, void*, std::uint32_t)>& read_;
    const std::function<std::string(device_address)>& string_;
    std::size_t at_ = 0;
    std::uint64_t offset_ = 0;
    formatted_text result_;
};

}  // namespace

formatted_text format_device_text(
    const std::string& format,
    const std::function<void(std::uint64_t offset, void* to, std::uint32_t bytes)>& read,
    const std::function<std::string(device_address)>& string) {
    return formatter(format, read, string).run();
}

}  // namespace simtlm::execution
