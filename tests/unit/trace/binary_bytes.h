// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/binary_format.h"
#include "modules/trace/trace_writer.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace simtlm::test {

inline std::string bytes_of_file(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Converts a kernel trace to the binary file `to`.
inline trace::written_trace convert(const std::string& from, const std::string& to) {
    const auto source = trace::open_recorded_trace(from);
    return trace::write_binary_trace(*source, to);
}

inline std::string text_of(const std::string& file) {
    std::string text;
    const auto source = trace::open_recorded_trace(file);
    trace::write_text_trace(*source, [&text](const std::string& t) { text += t; });
    return text;
}

inline trace::binary_tail tail_of(const std::string& bytes) {
    trace::binary_tail tail;
    std::memcpy(&tail, bytes.data() + bytes.size() - sizeof tail, sizeof tail);
    return tail;
}

/// Recomputes all checksums of a binary trace whose parts can be found, so that only the other
/// checks of the reader remain.
inline void reseal(std::string& bytes) {
    using namespace simtlm::trace;
    if (bytes.size() < sizeof(binary_head) + sizeof(binary_tail)) return;
    binary_tail tail = tail_of(bytes);
    const std::uint64_t end = bytes.size() - sizeof tail;
    const auto sum = [&](std::uint64_t from, std::uint64_t to, std::uint64_t& checksum) {
        if (from <= to && to <= end) checksum = checksum_of(bytes.data() + from, to - from);
    };
    std::uint64_t from = sizeof(binary_head);
    for (std::uint64_t at = tail.index_at; at <= end && end - at >= sizeof(binary_block_entry);
         at += sizeof(binary_block_entry)) {
        binary_block_entry entry;
        std::memcpy(&entry, bytes.data() + at, sizeof entry);
        sum(from, entry.end, entry.checksum);
        from = entry.end;
        std::memcpy(bytes.data() + at, &entry, sizeof entry);
    }
    sum(tail.header_at, tail.statics_at, tail.header_checksum);
    sum(tail.statics_at, tail.index_at, tail.statics_checksum);
    sum(tail.index_at, end, tail.index_checksum);
    tail.file_bytes = bytes.size();
    tail.checksum = checksum_of(&tail, tail_bytes_checked);
    std::memcpy(bytes.data() + end, &tail, sizeof tail);
}

}  // namespace simtlm::test
