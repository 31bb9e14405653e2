// SPDX-License-Identifier: Apache-2.0
#include "platform/device/remote_task.h"

#include "platform/device/loaded_module.h"
#include "platform/device/sparse_memory.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace simtlm::device {

namespace {

void write_launch(payload_writer& out, const launch_request& l) {
    out.text(l.kernel->name);
    for (const program::dim3& d : {l.grid, l.block, l.cluster})
        out.number(d.x).number(d.y).number(d.z);
    out.number(l.dynamic_shared).number(l.carve_out);
    out.text({reinterpret_cast<const char*>(l.parameters.data()), l.parameters.size()});
    out.number(std::uint64_t{l.environment.size()});
    for (const std::uint32_t e : l.environment) out.number(e);
    out.flag(l.cooperative).flag(l.programmatic).number(l.first_thread);
}

launch_request read_launch(payload_reader& in, std::shared_ptr<loaded_module> module) {
    launch_request l;
    const std::string kernel = in.text();
    l.kernel = module->find_kernel(kernel);
    if (l.kernel == nullptr) in.fail("it launches a kernel that its module does not have");
    l.module = std::move(module);
    for (program::dim3* const d : {&l.grid, &l.block, &l.cluster}) {
        d->x = in.number<std::uint32_t>();
        d->y = in.number<std::uint32_t>();
        d->z = in.number<std::uint32_t>();
    }
    l.dynamic_shared = in.number<std::uint32_t>();
    l.carve_out = in.number<std::int32_t>();
    const std::string parameters = in.text();
    if (parameters.size() != l.kernel->parameter_bytes)
        in.fail("it launches a kernel with parameters of another size");
    l.parameters.resize(parameters.size());
    std::memcpy(l.parameters.data(), parameters.data(), parameters.size());
    constexpr std::size_t most = 32;  // %envreg
    l.environment.resize(in.count(sizeof(std::uint32_t)));
    if (l.environment.size() > most) in.fail("it has too many environment registers");
    for (std::uint32_t& e : l.environment) e = in.number<std::uint32_t>();
    l.cooperative = in.flag();
    l.programmatic = in.flag();
    l.first_thread = in.number<std::uint64_t>();
    return l;
}

/// The bytes of rows, in order, in contiguous parts.
class row_cursor {
public:
    explicit row_cursor(const memory_rows& r) : rows_(r) {}
    std::uint64_t address() const {
        return rows_.address + z_ * rows_.slice + y_ * rows_.pitch + x_;
    }
    /// Bytes from there to the end of the row.
    std::uint64_t left() const { return z_ == rows_.depth ? 0 : rows_.width - x_; }
    void advance(std::uint64_t bytes) {
        x_ += bytes;
        if (x_ < rows_.width) return;
        x_ = 0;
        if (++y_ < rows_.height) return;
        y_ = 0;
        ++z_;
    }

private:
    memory_rows rows_;
    std::uint64_t x_ = 0, y_ = 0, z_ = 0;
};

void* at_host(std::uint64_t address) {
    return reinterpret_cast<void*>(address);
}

/// Repeats a pattern in a row.
void fill(std::uint64_t to, std::uint64_t bytes, const std::vector<std::byte>& pattern) {
    const bool is_zero =
        std::all_of(pattern.begin(), pattern.end(), [](std::byte b) { return b == std::byte{0}; });
    if (is_zero) return clear_sparsely(at_host(to), bytes);
    for (std::uint64_t x = 0; x < bytes; x += pattern.size())
        std::memcpy(at_host(to + x), pattern.data(),
                    std::min<std::uint64_t>(pattern.size(), bytes - x));
}

bool is_empty(const memory_rows& r) {
    return r.address == 0 || r.width == 0 || r.height == 0 || r.depth == 0;
}

std::uint64_t bytes_of(const memory_rows& r) {
    return is_empty(r) ? 0 : r.width * r.height * r.depth;
}

/// The address beyond the last texel of an image; nullopt if there is no such address.
std::optional<std::uint64_t> end_of_image(const execution::texture_binding& b) {
    using execution::arithmetic::texture_geometry;
    const auto& i = b.image;
    const bool cube =
        i.geometry == texture_geometry::cube || i.geometry == texture_geometry::layered_cube;
    std::uint64_t end = 0;
    for (const auto& l : i.levels) {
        const bool volume = i.geometry == texture_geometry::three;
        const std::uint64_t slices = volume ? l.depth : std::uint64_t{i.layers} * (cube ? 6 : 1);
        std::uint64_t rows = 0, planes = 0, at = std::uint64_t{l.width} * i.format.bytes();
        if (__builtin_mul_overflow(l.row_pitch, l.height - 1, &rows) ||
            __builtin_mul_overflow(l.slice_pitch, slices - 1, &planes) ||
            __builtin_add_overflow(at, rows, &at) || __builtin_add_overflow(at, planes, &at) ||
            __builtin_add_overflow(at, l.offset, &at) || __builtin_add_overflow(at, b.base, &at))
            return std::nullopt;
        end = std::max(end, at);
    }
    return end;
}

void write_binding(payload_writer& out, const execution::texture_binding& b) {
    const auto& i = b.image;
    out.number(b.base).number(i.geometry);
    out.number(i.format.kind).number(i.format.bits).number(i.format.channels).number(i.layers);
    out.number(std::uint64_t{i.levels.size()});
    for (const auto& l : i.levels)
        out.number(l.width)
            .number(l.height)
            .number(l.depth)
            .number(l.offset)
            .number(l.row_pitch)
            .number(l.slice_pitch);
    const auto& s = b.sampler;
    for (const auto mode : s.address) out.number(mode);
    out.number(s.filter).number(s.mip_filter);
    out.flag(s.normalised_coordinates).flag(s.normalised_read).flag(s.srgb);
    for (const float f : s.border) out.real(f);
    out.real(s.lod_bias).real(s.min_lod).real(s.max_lod);
}

execution::texture_binding read_binding(payload_reader& in) {
    using namespace execution::arithmetic;
    execution::texture_binding b;
    texture_image& i = b.image;
    b.base = in.number<std::uint64_t>();
    i.geometry = in.choice(texture_geometry::layered_cube);
    i.format.kind = in.choice(channel_kind::floating);
    i.format.bits = in.number<std::uint8_t>();
    i.format.channels = in.number<std::uint8_t>();
    const unsigned bits = i.format.bits, channels = i.format.channels;
    if ((bits != 8 && bits != 16 && bits != 32) || channels == 0 || channels > 4 ||
        (bits == 8 && i.format.kind == channel_kind::floating))
        in.fail("a format of texels that does not exist");
    i.layers = in.number<std::uint32_t>();
    i.levels.resize(in.count(36));
    if (i.levels.empty() || i.layers == 0) in.fail("an image without texels");
    for (mip_level& l : i.levels) {
        l.width = in.number<std::uint32_t>();
        l.height = in.number<std::uint32_t>();
        l.depth = in.number<std::uint32_t>();
        l.offset = in.number<std::uint64_t>();
        l.row_pitch = in.number<std::uint64_t>();
        l.slice_pitch = in.number<std::uint64_t>();
        if (l.width == 0 || l.height == 0 || l.depth == 0) in.fail("an image without texels");
    }
    if (!end_of_image(b)) in.fail("an image that is larger than any memory");
    sampler_state& s = b.sampler;
    for (address_mode& mode : s.address) mode = in.choice(address_mode::border);
    s.filter = in.choice(filter_mode::linear);
    s.mip_filter = in.choice(filter_mode::linear);
    s.normalised_coordinates = in.flag();
    s.normalised_read = in.flag();
    s.srgb = in.flag();
    for (float& f : s.border) f = in.real();
    s.lod_bias = in.real();
    s.min_lod = in.real();
    s.max_lod = in.real();
    return b;
}

}  // namespace

void write_task(payload_writer& out, const task& t, std::uint32_t module) {
    out.number(t.number).number(t.what).number(t.device).number(t.stream).number(module);
    if (t.what == task::kind::kernel) write_launch(out, t.launch);
    out.number(t.direction).number(t.bytes).number(t.dram_accesses);
    for (const memory_rows& r : {t.l2_rows, t.reads, t.writes}) out.rows(r);
    out.number(std::uint64_t{t.accesses.size()});
    for (const memory_rows& r : t.accesses) out.rows(r);
    out.text({reinterpret_cast<const char*>(t.pattern.data()), t.pattern.size()});
    out.text(t.label != nullptr ? t.label : "");
    out.flag(t.even_after_fault).flag(static_cast<bool>(t.effect));
    out.number(t.submitted_at).number(t.primary ? t.primary->number : 0);
}

task_ptr read_task(payload_reader& in, const task_context& context, bool& has_effect) {
    auto t = std::make_shared<task>();
    t->number = in.number<std::uint64_t>();
    t->what = in.choice(task::kind::host_call);
    t->device = in.number<unsigned>();
    t->stream = in.number<std::uint64_t>();
    const auto number = in.number<std::uint32_t>();
    if (t->what == task::kind::kernel) {
        auto module = context.module(number);
        if (!module) in.fail("it launches a kernel of a module that is not loaded");
        t->launch = read_launch(in, std::move(module));
    }
    t->direction = in.choice(copy_direction::between_devices);
    t->bytes = in.number<std::uint64_t>();
    t->dram_accesses = in.number<unsigned>();
    for (memory_rows* const r : {&t->l2_rows, &t->reads, &t->writes}) *r = in.rows();
    t->accesses.resize(in.count(sizeof(memory_rows)));
    for (memory_rows& r : t->accesses) r = in.rows();
    const std::string pattern = in.text();
    t->pattern.resize(pattern.size());
    std::memcpy(t->pattern.data(), pattern.data(), pattern.size());
    if (const std::string label = in.text(); !label.empty()) t->label = context.label(label);
    t->even_after_fault = in.flag();
    has_effect = in.flag();
    t->submitted_at = in.number<std::uint64_t>();
    if (const auto primary = in.number<std::uint64_t>(); primary != 0)
        t->primary = context.task(primary);
    return t;
}

bool is_inside_gpus(const task& t) {
    if (t.what != task::kind::copy || is_empty(t.writes)) return false;
    if (!t.pattern.empty()) return true;
    return bytes_of(t.reads) == bytes_of(t.writes);
}

void perform_inside_gpus(
    const task& t, const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& moved) {
    row_cursor to(t.writes), from(t.reads);
    while (to.left() != 0) {
        std::uint64_t n = to.left();
        if (!t.pattern.empty()) {
            fill(to.address(), n, t.pattern);
            moved(to.address(), 0, n);
        } else {
            n = std::min(n, from.left());
            copy_sparsely(at_host(to.address()), at_host(from.address()), n);
            moved(to.address(), from.address(), n);
            from.advance(n);
        }
        to.advance(n);
    }
}

void write_module(payload_writer& out, const module_source& source) {
    out.text(source.name).number(source.isa).text(source.code).number(source.reserved_shared);
    out.number(std::uint64_t{source.compiled.size()});
    for (const auto& [kernel, d] : source.compiled) out.text(kernel).number(d.registers);
    out.flag(source.otherwise != nullptr);
    if (source.otherwise != nullptr) write_module(out, *source.otherwise);
}

module_source read_module(payload_reader& in, bool is_fallback) {
    module_source s;
    s.name = in.text();
    s.isa = in.choice(execution::instruction_set::sass);
    s.code = in.text();
    s.reserved_shared = in.number<std::uint32_t>();
    for (std::size_t n = in.count(12); n != 0; --n) {
        std::string kernel = in.text();
        s.compiled[std::move(kernel)].registers = in.number<unsigned>();
    }
    if (in.flag()) {
        if (is_fallback) in.fail("a fallback of a fallback");
        s.otherwise = std::make_shared<const module_source>(read_module(in, true));
    }
    return s;
}

void write_textures(payload_writer& out, const execution::texture_table& textures) {
    out.number(std::uint64_t{textures.bindings().size()});
    for (const auto& [handle, binding] : textures.bindings()) {
        out.number(handle);
        write_binding(out, binding);
    }
}

void read_textures(payload_reader& in, execution::texture_table& textures) {
    while (!textures.bindings().empty()) textures.release(textures.bindings().begin()->first);
    for (std::size_t n = in.count(16); n != 0; --n) {
        const auto handle = in.number<std::uint64_t>();
        textures.bind(handle, read_binding(in));
    }
}

void unbind_missing_images(execution::texture_table& textures,
                           const execution::device_memory& memory) {
    std::vector<std::uint64_t> missing;
    for (const auto& [handle, b] : textures.bindings()) {
        const std::uint64_t end = end_of_image(b).value();
        const execution::device_memory::range* const r = memory.find(b.base);
        // Freed memory of the GPU can be accessed, as on the host; other memory cannot.
        const bool on_gpu = b.base >= memory.static_begin() && end <= memory.end();
        if (!on_gpu && (r == nullptr || end > r->end)) missing.push_back(handle);
    }
    for (const std::uint64_t handle : missing) textures.release(handle);
}

}  // namespace simtlm::device
