// SPDX-License-Identifier: Apache-2.0
// Attributes of streams.
#include "runtimes/cuda/abi/call.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace simtlm::cuda {

namespace {

/// Attributes of streams other than their priority (cudaLaunchAttributeID). They have no effect on
/// the simulation; programs can read them.
class stream_attributes {
public:
    enum id { access_window = 1, synchronization = 3, priority = 8, domain_map = 9, domain = 10 };
    struct value {
        unsigned char bytes[32] = {};
    };
    /// Size of a value. The union that contains it has become larger since CUDA 11.
    static constexpr std::size_t bytes_of(int id) {
        return id == access_window ? 32 : id == domain_map ? 2 : 4;
    }
    static stream_attributes& get() {
        static auto* const all = new stream_attributes;
        return *all;
    }
    value read(const device::stream& stream, int id) const {
        value usual;
        if (id == synchronization) usual.bytes[0] = 1;  // automatic
        if (id == domain_map) usual.bytes[1] = 1;       // domain 0, and 1 for remote accesses
        return values_.find({stream.number, id}).value_or(usual);
    }
    void write(const device::stream& stream, int id, const value& v) {
        values_.set({stream.number, id}, v);
    }

private:
    /// By the number of the stream, which is never reused.
    value_table<std::pair<unsigned long long, int>, value> values_;
};

void check_stream_attribute(int id) {
    require(id == stream_attributes::access_window || id == stream_attributes::synchronization ||
                (id >= stream_attributes::priority && id <= stream_attributes::domain),
            status::invalid_value, "streams have no such attribute");
}

}  // namespace

CALL(cudaStreamCopyAttributes, session& s, void* to, void* from) {
    device::stream& target = s.stream(to);
    const device::stream& source = s.stream(from);
    target.priority = source.priority;
    stream_attributes& all = stream_attributes::get();
    for (const int id : {stream_attributes::access_window, stream_attributes::synchronization,
                         stream_attributes::domain_map, stream_attributes::domain})
        all.write(target, id, all.read(source, id));
}
CALL(cudaStreamGetAttribute, session& s, void* stream, int attribute, void* value) {
    require_pointer(value);
    check_stream_attribute(attribute);
    const device::stream& one = s.stream(stream);
    const auto v = stream_attributes::get().read(one, attribute);
    std::memcpy(value, v.bytes, stream_attributes::bytes_of(attribute));
    if (attribute == stream_attributes::priority)
        std::memcpy(value, &one.priority, sizeof one.priority);
}
CALL(cudaStreamSetAttribute, session& s, void* stream, int attribute, const void* value) {
    require_pointer(value);
    check_stream_attribute(attribute);
    device::stream& one = s.stream(stream);
    stream_attributes::value v;
    std::memcpy(v.bytes, value, stream_attributes::bytes_of(attribute));
    if (attribute == stream_attributes::synchronization)
        require(v.bytes[0] >= 1 && v.bytes[0] <= 4, status::invalid_value,
                "unknown synchronization policy");
    if (attribute == stream_attributes::priority)
        std::memcpy(&one.priority, value, sizeof one.priority);
    else
        stream_attributes::get().write(one, attribute, v);
}

}  // namespace simtlm::cuda
