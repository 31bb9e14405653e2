// SPDX-License-Identifier: Apache-2.0
// Memory objects: buffers, images, samplers, pipes, shared virtual memory.
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/entry_points.h"
#include "runtimes/opencl/image_descriptor.h"
#include "runtimes/opencl/image_format.h"
#include "runtimes/opencl/limits.h"
#include "runtimes/opencl/transfer.h"

using namespace simtlm::opencl;
namespace device = simtlm::device;

namespace {

constexpr cl_mem_flags access_flags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
constexpr cl_mem_flags host_access_flags =
    CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags pointer_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;

bool is_at_most_one(cl_mem_flags flags) {
    return (flags & (flags - 1)) == 0;
}

void check_flags(cl_mem_flags flags) {
    require((flags & ~(access_flags | host_access_flags | pointer_flags |
                       CL_MEM_KERNEL_READ_AND_WRITE)) == 0 &&
                is_at_most_one(flags & access_flags) && is_at_most_one(flags & host_access_flags),
            CL_INVALID_VALUE, "incompatible memory flags");
    require((flags & CL_MEM_USE_HOST_PTR) == 0 ||
                (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) == 0,
            CL_INVALID_VALUE,
            "CL_MEM_USE_HOST_PTR cannot be combined with other host pointer flags");
}

void check_host_pointer(cl_mem_flags flags, const void* p) {
    const bool wants = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
    require(wants == (p != nullptr), CL_INVALID_HOST_PTR);
}

/// Flags that a sub-buffer or an image inherits from its buffer.
cl_mem_flags inherited(const _cl_mem& parent, cl_mem_flags flags) {
    const cl_mem_flags before = parent.flags;
    const cl_mem_flags access = flags & access_flags;
    require(!((before & CL_MEM_WRITE_ONLY) != 0 &&
              (access & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) != 0) &&
                !((before & CL_MEM_READ_ONLY) != 0 &&
                  (access & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) != 0) &&
                (flags & pointer_flags) == 0,
            CL_INVALID_VALUE, "access that the buffer does not permit");
    const cl_mem_flags host = flags & host_access_flags;
    require(!((before & CL_MEM_HOST_WRITE_ONLY) != 0 && (host & CL_MEM_HOST_READ_ONLY) != 0) &&
                !((before & CL_MEM_HOST_READ_ONLY) != 0 && (host & CL_MEM_HOST_WRITE_ONLY) != 0) &&
                !((before & CL_MEM_HOST_NO_ACCESS) != 0 &&
                  (host & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)) != 0),
            CL_INVALID_VALUE, "host access that the buffer does not permit");
    cl_mem_flags f = flags | (before & pointer_flags);
    if (access == 0) f |= before & access_flags;
    if (host == 0) f |= before & host_access_flags;
    return f;
}

void allocate(session& s, _cl_mem& m) {
    m.address =
        s.gpus().memory().allocate(device::memory_kind::device, m.context->first_device(), m.bytes);
    m.owns_memory = true;
}

cl_mem make_buffer(session& s, cl_context context, const cl_mem_properties* properties,
                   cl_mem_flags flags, std::size_t bytes, void* host) {
    const auto c = s.contexts.get(context);
    require(properties == nullptr || *properties == 0, CL_INVALID_PROPERTY);
    check_flags(flags);
    require(bytes != 0 && bytes <= limits::of(s.config()).allocation, CL_INVALID_BUFFER_SIZE);
    check_host_pointer(flags, host);
    auto m = std::make_shared<_cl_mem>();
    m->context = c;
    m->flags = (flags & access_flags) == 0 ? flags | CL_MEM_READ_WRITE : flags;
    m->properties = copy_list(properties);
    m->bytes = bytes;
    m->width = bytes;
    if ((flags & CL_MEM_USE_HOST_PTR) != 0) m->host_pointer = static_cast<std::byte*>(host);
    if (m->host_pointer != nullptr && c->is_shared_virtual(host, 1)) {
        require(c->is_shared_virtual(host, bytes), CL_INVALID_BUFFER_SIZE,
                "more than the allocation of clSVMAlloc has");
        m->address = address_of(host);
        return s.memory.add(std::move(m));
    }
    allocate(s, *m);
    if (host != nullptr)
        carry_out(s, copy_task(s, {m->address, 0, 0}, {address_of(host), 0, 0}, {bytes, 1, 1}));
    return s.memory.add(std::move(m));
}

}  // namespace

_cl_mem::~_cl_mem() {
    for (auto i = destructors.rbegin(); i != destructors.rend(); ++i) i->call(this, i->data);
    if (session::is_over()) return;
    auto& memory = session::get().gpus().memory();
    if (descriptor != 0) memory.release(descriptor);
    if (owns_memory) memory.release(address);
}

std::byte* _cl_mem::host_view() {
    if (parent && !is_image()) return parent->host_view() + offset;
    if (parent && type == CL_MEM_OBJECT_IMAGE1D_BUFFER) return parent->host_view() + offset;
    if (parent && is_image()) return parent->host_view() + offset;
    if (host_pointer != nullptr) return host_pointer;
    const std::lock_guard<std::mutex> lock(mutex);
    if (!shadow) {
        // Mapped memory must be aligned for every type.
        shadow_bytes = bytes + 128;
        shadow.reset(new std::byte[shadow_bytes]);
    }
    const std::uint64_t begin = (address_of(shadow.get()) + 127) / 128 * 128;
    return reinterpret_cast<std::byte*>(begin);
}

bool _cl_context::is_shared_virtual(const void* p, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    auto after = shared_virtual.upper_bound(const_cast<void*>(p));
    if (after == shared_virtual.begin()) return false;
    const auto& [begin, size] = *--after;
    const std::uint64_t offset = address_of(p) - address_of(begin);
    return offset <= size && bytes <= size - offset;
}

CL(cl_mem, clCreateBuffer)
(cl_context c, cl_mem_flags flags, size_t bytes, void* host, cl_int* result) {
    return make("clCreateBuffer", result,
                [&](session& s) { return make_buffer(s, c, nullptr, flags, bytes, host); });
}
CL(cl_mem, clCreateBufferWithProperties)
(cl_context c, const cl_mem_properties* properties, cl_mem_flags flags, size_t bytes, void* host,
 cl_int* result) {
    return make("clCreateBufferWithProperties", result,
                [&](session& s) { return make_buffer(s, c, properties, flags, bytes, host); });
}

CL(cl_mem, clCreateSubBuffer)
(cl_mem handle, cl_mem_flags flags, cl_buffer_create_type type, const void* information,
 cl_int* result) {
    return make("clCreateSubBuffer", result, [&](session& s) {
        const auto parent = s.memory.get(handle);
        require(!parent->is_image() && !parent->parent && parent->type == CL_MEM_OBJECT_BUFFER,
                CL_INVALID_MEM_OBJECT);
        require(type == CL_BUFFER_CREATE_TYPE_REGION && information != nullptr, CL_INVALID_VALUE);
        check_flags(flags);
        const auto& region = *static_cast<const cl_buffer_region*>(information);
        require(region.size != 0, CL_INVALID_BUFFER_SIZE);
        require(region.origin <= parent->bytes && region.size <= parent->bytes - region.origin,
                CL_INVALID_VALUE, "the region exceeds the buffer");
        require(region.origin % 128 == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET);
        auto m = std::make_shared<_cl_mem>();
        m->context = parent->context;
        m->flags = inherited(*parent, flags);
        m->parent = parent;
        m->offset = region.origin;
        m->bytes = m->width = region.size;
        m->address = parent->address + region.origin;
        if (parent->host_pointer != nullptr) m->host_pointer = parent->host_pointer + region.origin;
        return s.memory.add(std::move(m));
    });
}

CL(cl_int, clRetainMemObject)(cl_mem m) {
    return call("clRetainMemObject", [&](session& s) { s.memory.retain(m); });
}
CL(cl_int, clReleaseMemObject)(cl_mem m) {
    return call("clReleaseMemObject", [&](session& s) { s.memory.release(m); });
}

CL(cl_int, clSetMemObjectDestructorCallback)
(cl_mem handle, void(CL_CALLBACK* notify)(cl_mem, void*), void* data) {
    return call("clSetMemObjectDestructorCallback", [&](session& s) {
        const auto m = s.memory.get(handle);
        require(notify != nullptr, CL_INVALID_VALUE);
        const std::lock_guard<std::mutex> lock(m->mutex);
        m->destructors.push_back({notify, data});
    });
}

CL(cl_int, clGetMemObjectInfo)
(cl_mem handle, cl_mem_info what, size_t room, void* to, size_t* size) {
    return call("clGetMemObjectInfo", [&](session& s) {
        const auto m = s.memory.get(handle);
        const answer a(room, to, size);
        switch (what) {
            case CL_MEM_TYPE:
                return a.value(m->type);
            case CL_MEM_FLAGS:
                return a.value(m->flags);
            case CL_MEM_SIZE:
                return a.value(m->bytes);
            case CL_MEM_HOST_PTR:
                return a.value<void*>(m->host_pointer);
            case CL_MEM_MAP_COUNT: {
                const std::lock_guard<std::mutex> lock(m->mutex);
                return a.value(static_cast<cl_uint>(m->mappings.size()));
            }
            case CL_MEM_REFERENCE_COUNT:
                return a.value<cl_uint>(m->references);
            case CL_MEM_CONTEXT:
                return a.value<cl_context>(m->context.get());
            case CL_MEM_ASSOCIATED_MEMOBJECT:
                return a.value<cl_mem>(m->parent.get());
            case CL_MEM_OFFSET:
                return a.value(m->type == CL_MEM_OBJECT_BUFFER ? m->offset : std::size_t{0});
            case CL_MEM_USES_SVM_POINTER:
                return a.value<cl_bool>(m->host_pointer != nullptr &&
                                        m->context->is_shared_virtual(m->host_pointer, 1));
            case CL_MEM_PROPERTIES:
                return a.list(m->properties);
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

// ---- images ----

namespace {

void check_shape(const cl_image_desc& d, const limits& l) {
    const auto within = [](std::size_t v, std::size_t most) {
        require(v != 0 && v <= most, CL_INVALID_IMAGE_SIZE);
    };
    switch (d.image_type) {
        case CL_MEM_OBJECT_IMAGE1D:
            within(d.image_width, l.image_2d);
            break;
        case CL_MEM_OBJECT_IMAGE1D_BUFFER:
            within(d.image_width, l.image_buffer);
            break;
        case CL_MEM_OBJECT_IMAGE1D_ARRAY:
            within(d.image_width, l.image_2d);
            within(d.image_array_size, l.image_layers);
            break;
        case CL_MEM_OBJECT_IMAGE2D:
            within(d.image_width, l.image_2d);
            within(d.image_height, l.image_2d);
            break;
        case CL_MEM_OBJECT_IMAGE2D_ARRAY:
            within(d.image_width, l.image_2d);
            within(d.image_height, l.image_2d);
            within(d.image_array_size, l.image_layers);
            break;
        case CL_MEM_OBJECT_IMAGE3D:
            within(d.image_width, l.image_3d);
            within(d.image_height, l.image_3d);
            within(d.image_depth, l.image_3d);
            break;
        default:
            throw error(CL_INVALID_IMAGE_DESCRIPTOR, "not an image type");
    }
    require(d.num_mip_levels == 0 && d.num_samples == 0, CL_INVALID_IMAGE_DESCRIPTOR,
            "mipmaps and samples are not supported");
}

unsigned dimensions_of(cl_mem_object_type t) {
    switch (t) {
        case CL_MEM_OBJECT_IMAGE3D:
            return 3;
        case CL_MEM_OBJECT_IMAGE2D:
        case CL_MEM_OBJECT_IMAGE2D_ARRAY:
            return 2;
        default:
            return 1;
    }
}

/// Computes extents, and pitches in the GPU and in the host's view.
void lay_out(_cl_mem& m, const cl_image_desc& d, bool host) {
    m.element = element_bytes(m.format);
    m.width = d.image_width;
    const unsigned n = dimensions_of(d.image_type);
    m.height = n >= 2 ? d.image_height : 1;
    m.depth = n == 3 ? d.image_depth : 1;
    const bool is_array =
        d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || d.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    m.layers = is_array ? d.image_array_size : 0;
    m.row_pitch = m.width * m.element;
    m.slice_pitch = m.row_pitch * m.height;
    const bool sliced = is_array || n == 3;
    require(host || d.image_type == CL_MEM_OBJECT_IMAGE2D ||
                (d.image_row_pitch == 0 && d.image_slice_pitch == 0),
            CL_INVALID_IMAGE_DESCRIPTOR, "pitches without a host pointer");
    m.host_row_pitch = m.row_pitch;
    if (d.image_row_pitch != 0) {
        require(d.image_row_pitch >= m.row_pitch && d.image_row_pitch % m.element == 0,
                CL_INVALID_IMAGE_DESCRIPTOR, "an invalid row pitch");
        m.host_row_pitch = d.image_row_pitch;
    }
    // Each layer of a 1D array is a slice of one row.
    m.host_slice_pitch = m.host_row_pitch * m.height;
    if (d.image_slice_pitch != 0 && sliced) {
        require(d.image_slice_pitch >= m.host_slice_pitch &&
                    d.image_slice_pitch % m.host_row_pitch == 0,
                CL_INVALID_IMAGE_DESCRIPTOR, "an invalid slice pitch");
        m.host_slice_pitch = d.image_slice_pitch;
    }
    m.bytes = m.slice_pitch * m.slices();
}

/// Writes the image descriptor read by kernels.
void describe(session& s, _cl_mem& m) {
    image_descriptor d;
    d.base = m.address;
    d.row_pitch = m.row_pitch;
    d.slice_pitch = m.slice_pitch;
    d.width = static_cast<cl_uint>(m.width);
    d.height = static_cast<cl_uint>(m.height);
    d.depth = static_cast<cl_uint>(m.depth);
    d.layers = static_cast<cl_uint>(m.layers);
    d.order = m.format.image_channel_order;
    d.type = m.format.image_channel_data_type;
    d.element_bytes = static_cast<cl_uint>(m.element);
    d.dimensions = dimensions_of(m.type);
    m.descriptor = s.gpus().memory().allocate(device::memory_kind::device,
                                              m.context->first_device(), sizeof d);
    carry_out(s, copy_task(s, {m.descriptor, 0, 0}, {address_of(&d), 0, 0}, {sizeof d, 1, 1}));
}

cl_mem make_image(session& s, cl_context context, const cl_mem_properties* properties,
                  cl_mem_flags flags, const cl_image_format* format, const cl_image_desc* desc,
                  void* host) {
    const auto c = s.contexts.get(context);
    require(properties == nullptr || *properties == 0, CL_INVALID_PROPERTY);
    require(format != nullptr, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    require(desc != nullptr, CL_INVALID_IMAGE_DESCRIPTOR);
    check_flags(flags);
    check_shape(*desc, limits::of(s.config()));
    require(element_bytes(*format) != 0, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    auto m = std::make_shared<_cl_mem>();
    m->context = c;
    m->type = desc->image_type;
    m->format = *format;
    m->shape = *desc;
    m->properties = copy_list(properties);
    m->flags = (flags & access_flags) == 0 ? flags | CL_MEM_READ_WRITE : flags;
    if (desc->mem_object != nullptr) {
        m->parent = s.memory.get(desc->mem_object);
        require(m->type == CL_MEM_OBJECT_IMAGE1D_BUFFER || m->type == CL_MEM_OBJECT_IMAGE2D,
                CL_INVALID_IMAGE_DESCRIPTOR,
                "an image of this type cannot be created from another object");
        require(host == nullptr, CL_INVALID_HOST_PTR);
        m->flags = inherited(*m->parent, flags);
    } else {
        require(m->type != CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_IMAGE_DESCRIPTOR,
                "an image from a buffer without a buffer");
        check_host_pointer(flags, host);
    }
    require(is_supported(*format, m->type, m->flags), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    lay_out(*m, *desc, host != nullptr || m->parent != nullptr);
    if (m->parent) {
        // An image created from a buffer has the pitch that the program specifies.
        m->row_pitch = m->host_row_pitch;
        m->slice_pitch = m->host_slice_pitch = m->row_pitch * m->height;
        m->bytes = m->slice_pitch;
        require(m->parent->type == CL_MEM_OBJECT_BUFFER || m->parent->is_image(),
                CL_INVALID_IMAGE_DESCRIPTOR);
        const bool fits =
            m->row_pitch * (m->height - 1) + m->width * m->element <= m->parent->bytes;
        require(fits, CL_INVALID_IMAGE_SIZE, "the buffer is too small");
        m->address = m->parent->address;
    } else if ((flags & CL_MEM_USE_HOST_PTR) != 0 &&
               c->is_shared_virtual(host, m->host_slice_pitch * m->slices())) {
        m->host_pointer = static_cast<std::byte*>(host);
        m->address = address_of(host);
        m->row_pitch = m->host_row_pitch;
        m->slice_pitch = m->host_slice_pitch;
        m->bytes = m->slice_pitch * m->slices();
    } else {
        require(m->bytes <= limits::of(s.config()).allocation, CL_INVALID_IMAGE_SIZE);
        allocate(s, *m);
        if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
            m->host_pointer = static_cast<std::byte*>(host);
        } else {
            if (host != nullptr)
                carry_out(s, copy_task(s, {m->address, m->row_pitch, m->slice_pitch},
                                       {address_of(host), m->host_row_pitch, m->host_slice_pitch},
                                       {m->width * m->element, m->height, m->slices()}));
            m->host_row_pitch = m->row_pitch;
            m->host_slice_pitch = m->slice_pitch;
        }
        if (m->host_pointer != nullptr)
            carry_out(s, copy_task(s, {m->address, m->row_pitch, m->slice_pitch},
                                   {address_of(host), m->host_row_pitch, m->host_slice_pitch},
                                   {m->width * m->element, m->height, m->slices()}));
    }
    describe(s, *m);
    return s.memory.add(std::move(m));
}

}  // namespace

CL(cl_mem, clCreateImage)
(cl_context c, cl_mem_flags flags, const cl_image_format* format, const cl_image_desc* desc,
 void* host, cl_int* result) {
    return make("clCreateImage", result,
                [&](session& s) { return make_image(s, c, nullptr, flags, format, desc, host); });
}
CL(cl_mem, clCreateImageWithProperties)
(cl_context c, const cl_mem_properties* properties, cl_mem_flags flags,
 const cl_image_format* format, const cl_image_desc* desc, void* host, cl_int* result) {
    return make("clCreateImageWithProperties", result, [&](session& s) {
        return make_image(s, c, properties, flags, format, desc, host);
    });
}
CL(cl_mem, clCreateImage2D)
(cl_context c, cl_mem_flags flags, const cl_image_format* format, size_t width, size_t height,
 size_t row_pitch, void* host, cl_int* result) {
    return make("clCreateImage2D", result, [&](session& s) {
        cl_image_desc d{};
        d.image_type = CL_MEM_OBJECT_IMAGE2D;
        d.image_width = width;
        d.image_height = height;
        d.image_row_pitch = row_pitch;
        return make_image(s, c, nullptr, flags, format, &d, host);
    });
}
CL(cl_mem, clCreateImage3D)
(cl_context c, cl_mem_flags flags, const cl_image_format* format, size_t width, size_t height,
 size_t depth, size_t row_pitch, size_t slice_pitch, void* host, cl_int* result) {
    return make("clCreateImage3D", result, [&](session& s) {
        cl_image_desc d{};
        d.image_type = CL_MEM_OBJECT_IMAGE3D;
        d.image_width = width;
        d.image_height = height;
        d.image_depth = depth;
        d.image_row_pitch = row_pitch;
        d.image_slice_pitch = slice_pitch;
        return make_image(s, c, nullptr, flags, format, &d, host);
    });
}

CL(cl_int, clGetSupportedImageFormats)
(cl_context c, cl_mem_flags flags, cl_mem_object_type type, cl_uint room, cl_image_format* formats,
 cl_uint* count) {
    return call("clGetSupportedImageFormats", [&](session& s) {
        s.contexts.get(c);
        check_flags(flags);
        require(type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER,
                CL_INVALID_VALUE);
        require(room != 0 || formats == nullptr, CL_INVALID_VALUE);
        const auto all = supported_formats(type, flags);
        if (count != nullptr) *count = static_cast<cl_uint>(all.size());
        for (std::size_t i = 0; formats != nullptr && i < all.size() && i < room; ++i)
            formats[i] = all[i];
    });
}

CL(cl_int, clGetImageInfo)(cl_mem handle, cl_image_info what, size_t room, void* to, size_t* size) {
    return call("clGetImageInfo", [&](session& s) {
        const auto m = s.memory.get(handle);
        require(m->is_image(), CL_INVALID_MEM_OBJECT);
        const answer a(room, to, size);
        const unsigned n = dimensions_of(m->type);
        switch (what) {
            case CL_IMAGE_FORMAT:
                return a.value(m->format);
            case CL_IMAGE_ELEMENT_SIZE:
                return a.value(m->element);
            case CL_IMAGE_ROW_PITCH:
                return a.value(m->host_row_pitch);
            case CL_IMAGE_SLICE_PITCH:
                return a.value(n == 3 || m->layers != 0 ? m->host_slice_pitch : std::size_t{0});
            case CL_IMAGE_WIDTH:
                return a.value(m->width);
            case CL_IMAGE_HEIGHT:
                return a.value(n >= 2 ? m->height : std::size_t{0});
            case CL_IMAGE_DEPTH:
                return a.value(n == 3 ? m->depth : std::size_t{0});
            case CL_IMAGE_ARRAY_SIZE:
                return a.value(m->layers);
            case CL_IMAGE_BUFFER: {
                const bool buffer = m->parent && !m->parent->is_image();
                return a.value<cl_mem>(buffer ? m->parent.get() : nullptr);
            }
            case CL_IMAGE_NUM_MIP_LEVELS:
            case CL_IMAGE_NUM_SAMPLES:
                return a.value<cl_uint>(0);
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

// ---- samplers ----

std::uint64_t _cl_sampler::flags() const {
    std::uint64_t f = normalised ? 1 : 0;
    switch (addressing) {
        case CL_ADDRESS_CLAMP_TO_EDGE:
            f |= 2;
            break;
        case CL_ADDRESS_CLAMP:
            f |= 4;
            break;
        case CL_ADDRESS_REPEAT:
            f |= 6;
            break;
        case CL_ADDRESS_MIRRORED_REPEAT:
            f |= 8;
            break;
        default:
            break;
    }
    return f | (filter == CL_FILTER_LINEAR ? 0x20 : 0x10);
}

namespace {

cl_sampler make_sampler(session& s, cl_context context, cl_bool normalised,
                        cl_addressing_mode addressing, cl_filter_mode filter,
                        const cl_sampler_properties* list) {
    const auto c = s.contexts.get(context);
    require(normalised <= 1 && addressing >= CL_ADDRESS_NONE &&
                addressing <= CL_ADDRESS_MIRRORED_REPEAT &&
                (filter == CL_FILTER_NEAREST || filter == CL_FILTER_LINEAR),
            CL_INVALID_VALUE);
    auto m = std::make_shared<_cl_sampler>();
    m->context = c;
    m->normalised = normalised;
    m->addressing = addressing;
    m->filter = filter;
    m->properties = copy_list(list);
    return s.samplers.add(std::move(m));
}

}  // namespace

CL(cl_sampler, clCreateSampler)
(cl_context c, cl_bool normalised, cl_addressing_mode addressing, cl_filter_mode filter,
 cl_int* result) {
    return make("clCreateSampler", result, [&](session& s) {
        return make_sampler(s, c, normalised, addressing, filter, nullptr);
    });
}
CL(cl_sampler, clCreateSamplerWithProperties)
(cl_context c, const cl_sampler_properties* list, cl_int* result) {
    return make("clCreateSamplerWithProperties", result, [&](session& s) {
        s.contexts.get(c);
        cl_bool normalised = CL_TRUE;
        cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
        cl_filter_mode filter = CL_FILTER_NEAREST;
        unsigned seen = 0;
        for (const cl_sampler_properties* p = list; p != nullptr && *p != 0; p += 2) {
            const unsigned bit = p[0] == CL_SAMPLER_NORMALIZED_COORDS ? 1
                                 : p[0] == CL_SAMPLER_ADDRESSING_MODE ? 2
                                 : p[0] == CL_SAMPLER_FILTER_MODE     ? 4
                                                                      : 0;
            require(bit != 0 && (seen & bit) == 0, CL_INVALID_VALUE,
                    "an unknown or repeated property");
            seen |= bit;
            if (bit == 1) normalised = static_cast<cl_bool>(p[1]);
            if (bit == 2) addressing = static_cast<cl_addressing_mode>(p[1]);
            if (bit == 4) filter = static_cast<cl_filter_mode>(p[1]);
        }
        return make_sampler(s, c, normalised, addressing, filter, list);
    });
}
CL(cl_int, clRetainSampler)(cl_sampler m) {
    return call("clRetainSampler", [&](session& s) { s.samplers.retain(m); });
}
CL(cl_int, clReleaseSampler)(cl_sampler m) {
    return call("clReleaseSampler", [&](session& s) { s.samplers.release(m); });
}
CL(cl_int, clGetSamplerInfo)
(cl_sampler handle, cl_sampler_info what, size_t room, void* to, size_t* size) {
    return call("clGetSamplerInfo", [&](session& s) {
        const auto m = s.samplers.get(handle);
        const answer a(room, to, size);
        switch (what) {
            case CL_SAMPLER_REFERENCE_COUNT:
                return a.value<cl_uint>(m->references);
            case CL_SAMPLER_CONTEXT:
                return a.value<cl_context>(m->context.get());
            case CL_SAMPLER_NORMALIZED_COORDS:
                return a.value(m->normalised);
            case CL_SAMPLER_ADDRESSING_MODE:
                return a.value(m->addressing);
            case CL_SAMPLER_FILTER_MODE:
                return a.value(m->filter);
            case CL_SAMPLER_PROPERTIES:
                return a.list(m->properties);
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

// ---- pipes: not supported ----

CL(cl_mem, clCreatePipe)
(cl_context c, cl_mem_flags, cl_uint, cl_uint, const cl_pipe_properties*, cl_int* result) {
    return make("clCreatePipe", result, [&](session& s) -> cl_mem {
        s.contexts.get(c);
        throw error(CL_INVALID_OPERATION, "pipes are not supported");
    });
}
CL(cl_int, clGetPipeInfo)(cl_mem m, cl_pipe_info, size_t, void*, size_t*) {
    return call("clGetPipeInfo", [&](session& s) {
        s.memory.get(m);
        throw error(CL_INVALID_MEM_OBJECT, "no pipe");
    });
}
