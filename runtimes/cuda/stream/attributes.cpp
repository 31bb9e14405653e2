// SPDX-License-Identifier: Apache-2.0
// Attributes of streams.
#include "runtimes/cuda/abi/call.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace simtlm::cuda {

namespace {

/// cudaLaunchAttributeID
enum attribute_id {
    access_window = 1,
    synchronization = 3,
    priority = 8,
    domain_map = 9,
    domain = 10
};

/// Size of a value. The union that contains it has become larger since CUDA 11.
constexpr std::size_t bytes_of(int id) {
    return id == access_window ? 32 : id == domain_map ? 2 : 4;
}

stream_attribute read(session& s, const device::stream& stream, int id) {
    stream_attribute usual;
    if (id == synchronization) usual.bytes[0] = 1;  // automatic
    if (id == domain_map) usual.bytes[1] = 1;       // domain 0, and 1 for remote accesses
    return s.stream_attributes.find({stream.number, id}).value_or(usual);
}

void check_stream_attribute(int id) {
    require(id == access_window || id == synchronization || (id >= priority && id <= domain),
            status::invalid_value, "streams have no such attribute");
}

}  // namespace

CALL(cudaStreamCopyAttributes, session& s, void* to, void* from) {
    device::stream& target = s.stream(to);
    const device::stream& source = s.stream(from);
    target.priority = source.priority;
    for (const int id : {access_window, synchronization, domain_map, domain})
        s.stream_attributes.set({target.number, id}, read(s, source, id));
}
CALL(cudaStreamGetAttribute, session& s, void* stream, int attribute, void* value) {
    require_pointer(value);
    check_stream_attribute(attribute);
    const device::stream& one = s.stream(stream);
    const auto v = read(s, one, attribute);
    std::memcpy(value, v.bytes, bytes_of(attribute));
    if (attribute == priority) std::memcpy(value, &one.priority, sizeof one.priority);
}
CALL(cudaStreamSetAttribute, session& s, void* stream, int attribute, const void* value) {
    require_pointer(value);
    check_stream_attribute(attribute);
    device::stream& one = s.stream(stream);
    stream_attribute v;
    std::memcpy(v.bytes, value, bytes_of(attribute));
    if (attribute == synchronization)
        require(v.bytes[0] >= 1 && v.bytes[0] <= 4, status::invalid_value,
                "unknown synchronization policy");
    if (attribute == priority)
        std::memcpy(&one.priority, value, sizeof one.priority);
    else
        s.stream_attributes.set({one.number, attribute}, v);
}

}  // namespace simtlm::cuda
