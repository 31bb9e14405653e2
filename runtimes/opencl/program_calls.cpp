// SPDX-License-Identifier: Apache-2.0
// Programs: creation from source, bitcode or PTX; build, compile, link.
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/entry_points.h"
#include "runtimes/opencl/limits.h"

#include <fmt/format.h>

using namespace simtlm::opencl;
namespace device = simtlm::device;

namespace {

using build = _cl_program::build;
using notification = void(CL_CALLBACK*)(cl_program, void*);

/// Marks before the bitcode in a binary, followed by comments that describe its kernels.
constexpr std::string_view object_mark = "simtlm OpenCL object\n";
constexpr std::string_view library_mark = "simtlm OpenCL library\n";

std::string binary_of(const build& b) {
    if (b.type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) return b.ptx;
    if (b.type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT)
        return std::string(object_mark) + to_comments(b.kernels) + b.object;
    if (b.type == CL_PROGRAM_BINARY_TYPE_LIBRARY)
        return std::string(library_mark) + to_comments(b.kernels) + b.object;
    return {};
}

bool begins(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

/// Reads bitcode preceded by the description of its kernels.
void take_object(build& b, cl_program_binary_type type, std::string_view text) {
    std::size_t bitcode = 0;
    while (begins(text.substr(bitcode), "//")) {
        const std::size_t end = text.find('\n', bitcode);
        require(end != std::string_view::npos, CL_INVALID_BINARY, "cut off");
        bitcode = end + 1;
    }
    b.type = type;
    b.kernels = signatures_of_ptx(text.substr(0, bitcode));
    b.object = text.substr(bitcode);
}

/// Reads a binary. @throws error  for an unknown format
build build_of_binary(std::string_view text) {
    build b;
    if (begins(text, object_mark)) {
        take_object(b, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, text.substr(object_mark.size()));
    } else if (begins(text, library_mark)) {
        take_object(b, CL_PROGRAM_BINARY_TYPE_LIBRARY, text.substr(library_mark.size()));
    } else {
        // A binary may end with zeros, like C strings.
        text = text.substr(0, text.find('\0'));
        require(text.find(".version") != std::string_view::npos &&
                    text.find(".target") != std::string_view::npos,
                CL_INVALID_BINARY, "neither PTX nor a binary of this library");
        b.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        b.ptx = text;
    }
    return b;
}

std::vector<cl_device_id> devices_of(session& s, const _cl_program& p, cl_uint count,
                                     const cl_device_id* list) {
    require((count == 0) == (list == nullptr), CL_INVALID_VALUE);
    if (count == 0) return p.devices;
    std::vector<cl_device_id> all;
    for (cl_uint i = 0; i < count; ++i) {
        const cl_device_id d = s.device(list[i]);
        require(std::find(p.devices.begin(), p.devices.end(), d) != p.devices.end(),
                CL_INVALID_DEVICE, "a device that does not belong to the program");
        all.push_back(d);
    }
    return all;
}

void check_notification(notification n, const void* data) {
    require(n != nullptr || data == nullptr, CL_INVALID_VALUE);
}

/// Returns whether a compiler is available; otherwise prints why not on stderr.
bool has_compiler(session& s) {
    const std::string& missing = s.kernels().missing();
    if (missing.empty()) return true;
    static std::once_flag once;
    std::call_once(once, [&] { std::fprintf(stderr, "simtlm: %s\n", missing.c_str()); });
    return false;
}

compile_result compile_source(session& s, const std::string& source, const build_options& o,
                              const compiler::headers& headers) {
    if (!has_compiler(s)) return {false, {}, {}, s.kernels().missing() + "\n"};
    return s.kernels().compile(source, o, headers);
}

/// Functions that PTX declares without defining, except those that the device provides.
std::vector<std::string> undefined_functions(const std::string& ptx) {
    std::vector<std::string> declared, defined{"vprintf", "malloc", "free", "__assertfail"};
    for (std::size_t at = ptx.find(".func"); at != std::string::npos;
         at = ptx.find(".func", at + 5)) {
        const std::size_t end = ptx.find_first_of("{;", at);
        if (end == std::string::npos) break;
        std::size_t begin = ptx.find_first_not_of(" \t\n", at + 5);
        if (begin != std::string::npos && ptx[begin] == '(')
            begin = ptx.find_first_not_of(" \t\n", ptx.find(')', begin) + 1);
        if (begin == std::string::npos) break;
        const std::string name = ptx.substr(begin, ptx.find_first_of(" \t\n({;", begin) - begin);
        (ptx[end] == '{' ? defined : declared).push_back(name);
    }
    std::vector<std::string> missing;
    for (const std::string& name : declared)
        if (std::find(defined.begin(), defined.end(), name) == defined.end())
            missing.push_back(name);
    return missing;
}

/// Stores PTX with the description of its kernels, and validates it.
void take_ptx(session& s, build& b, const std::vector<kernel_signature>& kernels,
              const std::string& ptx) {
    const std::vector<std::string> missing = undefined_functions(ptx);
    for (const std::string& name : missing) b.log += "undefined function " + name + "\n";
    require(missing.empty(), CL_LINK_PROGRAM_FAILURE, "undefined functions");
    b.kernels = kernels;
    b.ptx = kernels.empty() ? ptx : to_comments(kernels) + ptx;
    b.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    device::module_source source;
    source.name = "program.ptx";
    source.code = b.ptx;
    // The first local variable must not have a null address.
    source.reserved_shared = local_alignment;
    b.code = s.gpus().load(source);
}

void build_one(session& s, _cl_program& p, build& b, const build_options& o) {
    if (p.from == _cl_program::origin::binary) {
        if (b.type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
            take_ptx(s, b, {}, b.ptx);
            b.kernels = signatures_of_ptx(b.ptx);
        } else {
            const compile_result linked = s.kernels().link({b.object}, o);
            b.log = linked.log;
            require(linked.good, CL_BUILD_PROGRAM_FAILURE);
            take_ptx(s, b, b.kernels, linked.output);
        }
        return;
    }
    const compile_result compiled = compile_source(s, p.source, o, {});
    b.log = compiled.log;
    require(compiled.good, CL_BUILD_PROGRAM_FAILURE, "the program does not compile");
    const compile_result linked = s.kernels().link({compiled.output}, o);
    b.log += linked.log;
    require(linked.good, CL_BUILD_PROGRAM_FAILURE, "the program does not link");
    take_ptx(s, b, compiled.kernels, linked.output);
}

/// Runs a build for a device and sets its status and log.
template <class Act>
bool attempt(build& b, const Act& act) {
    try {
        act();
        b.status = CL_BUILD_SUCCESS;
    } catch (const std::exception& e) {
        b.status = CL_BUILD_ERROR;
        b.type = CL_PROGRAM_BINARY_TYPE_NONE;
        if (b.log.empty()) b.log = std::string(e.what()) + "\n";
        if (is_verbose()) std::fprintf(stderr, "simtlm: build: %s\n", b.log.c_str());
    }
    return b.status == CL_BUILD_SUCCESS;
}

cl_program make_program(session& s, std::shared_ptr<_cl_program> p,
                        const std::shared_ptr<_cl_context>& c) {
    p->context = c;
    if (p->devices.empty()) p->devices = c->devices;
    return s.programs.add(std::move(p));
}

}  // namespace

build& _cl_program::of(cl_device_id d) {
    return builds[d];
}

build& _cl_program::built() {
    for (const cl_device_id d : devices)
        if (builds[d].code) return builds[d];
    throw error(CL_INVALID_PROGRAM_EXECUTABLE, "the program has not been built");
}

const kernel_signature* _cl_program::signature(const std::string& name) {
    for (const kernel_signature& k : built().kernels)
        if (k.name == name) return &k;
    return nullptr;
}

std::shared_ptr<device::loaded_module> _cl_program::load(cl_device_id d) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto at = builds.find(d);
    require(at != builds.end() && at->second.code, CL_INVALID_PROGRAM_EXECUTABLE,
            "the program has not been built for this device");
    return at->second.code;
}

CL(cl_program, clCreateProgramWithSource)
(cl_context c, cl_uint count, const char** strings, const size_t* lengths, cl_int* result) {
    return make("clCreateProgramWithSource", result, [&](session& s) {
        const auto context = s.contexts.get(c);
        require(count != 0 && strings != nullptr, CL_INVALID_VALUE);
        auto p = std::make_shared<_cl_program>();
        for (cl_uint i = 0; i < count; ++i) {
            require(strings[i] != nullptr, CL_INVALID_VALUE);
            const std::size_t n = lengths != nullptr ? lengths[i] : 0;
            p->source += n != 0 ? std::string(strings[i], n) : std::string(strings[i]);
        }
        // Some programs include the terminating zero in the length.
        while (!p->source.empty() && p->source.back() == '\0') p->source.pop_back();
        return make_program(s, std::move(p), context);
    });
}

CL(cl_program, clCreateProgramWithBinary)
(cl_context c, cl_uint count, const cl_device_id* list, const size_t* lengths,
 const unsigned char** binaries, cl_int* status, cl_int* result) {
    return make("clCreateProgramWithBinary", result, [&](session& s) {
        const auto context = s.contexts.get(c);
        require(count != 0 && list != nullptr && lengths != nullptr && binaries != nullptr,
                CL_INVALID_VALUE);
        auto p = std::make_shared<_cl_program>();
        p->from = _cl_program::origin::binary;
        cl_int worst = CL_SUCCESS;
        for (cl_uint i = 0; i < count; ++i) {
            const cl_device_id d = s.device(list[i]);
            require(context->has(d), CL_INVALID_DEVICE);
            p->devices.push_back(d);
            cl_int one = CL_SUCCESS;
            if (lengths[i] == 0 || binaries[i] == nullptr) {
                one = CL_INVALID_VALUE;
            } else {
                try {
                    p->builds[d] =
                        build_of_binary({reinterpret_cast<const char*>(binaries[i]), lengths[i]});
                } catch (const error& e) {
                    one = e.code();
                }
            }
            if (status != nullptr) status[i] = one;
            if (one != CL_SUCCESS) worst = one;
        }
        require(worst == CL_SUCCESS, worst, "not a binary");
        return make_program(s, std::move(p), context);
    });
}

CL(cl_program, clCreateProgramWithBuiltInKernels)
(cl_context c, cl_uint count, const cl_device_id* list, const char* names, cl_int* result) {
    return make("clCreateProgramWithBuiltInKernels", result, [&](session& s) -> cl_program {
        const auto context = s.contexts.get(c);
        require(count != 0 && list != nullptr && names != nullptr, CL_INVALID_VALUE);
        for (cl_uint i = 0; i < count; ++i)
            require(context->has(s.device(list[i])), CL_INVALID_DEVICE);
        throw error(CL_INVALID_VALUE, "built-in kernels are not supported");
    });
}

CL(cl_program, clCreateProgramWithIL)(cl_context c, const void*, size_t, cl_int* result) {
    return make("clCreateProgramWithIL", result, [&](session& s) -> cl_program {
        s.contexts.get(c);
        throw error(CL_INVALID_OPERATION,
                    "intermediate languages are not supported; use source or PTX");
    });
}
CL(cl_int, clSetProgramSpecializationConstant)(cl_program p, cl_uint, size_t, const void*) {
    return call("clSetProgramSpecializationConstant", [&](session& s) {
        s.programs.get(p);
        throw error(CL_INVALID_OPERATION,
                    "the program was not created from an intermediate language");
    });
}
CL(cl_int, clSetProgramReleaseCallback)
(cl_program p, void(CL_CALLBACK*)(cl_program, void*), void*) {
    return call("clSetProgramReleaseCallback", [&](session& s) {
        s.programs.get(p);
        throw error(CL_INVALID_OPERATION, "program-scope destructors are not supported");
    });
}

CL(cl_int, clRetainProgram)(cl_program p) {
    return call("clRetainProgram", [&](session& s) { s.programs.retain(p); });
}
CL(cl_int, clReleaseProgram)(cl_program p) {
    return call("clReleaseProgram", [&](session& s) { s.programs.release(p); });
}

CL(cl_int, clBuildProgram)
(cl_program handle, cl_uint count, const cl_device_id* list, const char* options,
 notification notify, void* data) {
    return call("clBuildProgram", [&](session& s) {
        const auto p = s.programs.get(handle);
        check_notification(notify, data);
        const auto devices = devices_of(s, *p, count, list);
        const build_options o = build_options::parse(options, build_options::stage::build);
        require(p->kernels == 0, CL_INVALID_OPERATION, "kernels are attached to the program");
        require(p->from == _cl_program::origin::source || p->from == _cl_program::origin::binary,
                CL_INVALID_OPERATION);
        require(p->from == _cl_program::origin::binary || has_compiler(s),
                CL_COMPILER_NOT_AVAILABLE, s.kernels().missing().c_str());
        bool good = true;
        for (const cl_device_id d : devices) {
            const std::lock_guard<std::mutex> lock(p->mutex);
            build& b = p->of(d);
            require(p->from != _cl_program::origin::binary || b.type != CL_PROGRAM_BINARY_TYPE_NONE,
                    CL_INVALID_BINARY);
            b.options = options != nullptr ? options : "";
            b.log.clear();
            b.code.reset();
            good &= attempt(b, [&] { build_one(s, *p, b, o); });
        }
        if (notify != nullptr) notify(handle, data);
        require(good || notify != nullptr, CL_BUILD_PROGRAM_FAILURE, "see the build log");
    });
}

CL(cl_int, clCompileProgram)
(cl_program handle, cl_uint count, const cl_device_id* list, const char* options, cl_uint headers,
 const cl_program* input, const char** names, notification notify, void* data) {
    return call("clCompileProgram", [&](session& s) {
        const auto p = s.programs.get(handle);
        check_notification(notify, data);
        require((headers == 0) == (input == nullptr) && (headers == 0) == (names == nullptr),
                CL_INVALID_VALUE);
        const auto devices = devices_of(s, *p, count, list);
        const build_options o = build_options::parse(options, build_options::stage::compile);
        require(p->kernels == 0 && p->from == _cl_program::origin::source, CL_INVALID_OPERATION);
        require(has_compiler(s), CL_COMPILER_NOT_AVAILABLE, s.kernels().missing().c_str());
        compiler::headers included;
        for (cl_uint i = 0; i < headers; ++i) {
            require(names[i] != nullptr && compiler::is_header_name(names[i]), CL_INVALID_VALUE,
                    "not the name of a header");
            included.emplace_back(names[i], s.programs.get(input[i])->source);
        }
        bool good = true;
        for (const cl_device_id d : devices) {
            const std::lock_guard<std::mutex> lock(p->mutex);
            build& b = p->of(d);
            b.options = options != nullptr ? options : "";
            b.log.clear();
            b.code.reset();
            good &= attempt(b, [&] {
                compile_result r = compile_source(s, p->source, o, included);
                b.log = r.log;
                require(r.good, CL_COMPILE_PROGRAM_FAILURE);
                b.object = std::move(r.output);
                b.kernels = std::move(r.kernels);
                b.type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
            });
        }
        if (notify != nullptr) notify(handle, data);
        require(good || notify != nullptr, CL_COMPILE_PROGRAM_FAILURE, "see the build log");
    });
}

CL(cl_program, clLinkProgram)
(cl_context context, cl_uint count, const cl_device_id* list, const char* options, cl_uint inputs,
 const cl_program* input, notification notify, void* data, cl_int* result) {
    // If linking fails, the program is still returned with its log.
    cl_program made = nullptr;
    const cl_int r = call("clLinkProgram", [&](session& s) {
        const auto c = s.contexts.get(context);
        check_notification(notify, data);
        require((count == 0) == (list == nullptr), CL_INVALID_VALUE);
        require(inputs != 0 && input != nullptr, CL_INVALID_VALUE);
        std::vector<std::shared_ptr<_cl_program>> all;
        for (cl_uint i = 0; i < inputs; ++i) all.push_back(s.programs.get(input[i]));
        for (cl_uint i = 0; i < count; ++i) require(c->has(s.device(list[i])), CL_INVALID_DEVICE);
        const build_options o = build_options::parse(options, build_options::stage::link);
        require(has_compiler(s), CL_LINKER_NOT_AVAILABLE, s.kernels().missing().c_str());
        auto p = std::make_shared<_cl_program>();
        p->from = _cl_program::origin::intermediate;
        if (count != 0) p->devices.assign(list, list + count);
        if (p->devices.empty()) p->devices = c->devices;
        bool good = true;
        for (const cl_device_id d : p->devices) {
            build& b = p->of(d);
            b.options = options != nullptr ? options : "";
            std::vector<std::string> objects;
            for (const auto& one : all) {
                const std::lock_guard<std::mutex> lock(one->mutex);
                const build& of = one->of(d);
                require(!of.object.empty() && (of.type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                                               of.type == CL_PROGRAM_BINARY_TYPE_LIBRARY),
                        CL_INVALID_OPERATION, "a program that has not been compiled");
                objects.push_back(of.object);
                b.kernels.insert(b.kernels.end(), of.kernels.begin(), of.kernels.end());
            }
            good &= attempt(b, [&] {
                compile_result linked = s.kernels().link(objects, o);
                b.log = linked.log;
                require(linked.good, CL_LINK_PROGRAM_FAILURE);
                if (o.make_library) {
                    b.object = std::move(linked.output);
                    b.type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
                } else {
                    take_ptx(s, b, std::vector<kernel_signature>(b.kernels), linked.output);
                }
            });
        }
        made = make_program(s, std::move(p), c);
        if (notify != nullptr) notify(made, data);
        require(good, CL_LINK_PROGRAM_FAILURE, "see the build log");
    });
    if (result != nullptr) *result = r;
    return made;
}

CL(cl_int, clGetProgramInfo)
(cl_program handle, cl_program_info what, size_t room, void* to, size_t* size) {
    return call("clGetProgramInfo", [&](session& s) {
        const auto p = s.programs.get(handle);
        const answer a(room, to, size);
        const std::lock_guard<std::mutex> lock(p->mutex);
        switch (what) {
            case CL_PROGRAM_REFERENCE_COUNT:
                return a.value<cl_uint>(p->references);
            case CL_PROGRAM_CONTEXT:
                return a.value<cl_context>(p->context.get());
            case CL_PROGRAM_NUM_DEVICES:
                return a.value(static_cast<cl_uint>(p->devices.size()));
            case CL_PROGRAM_DEVICES:
                return a.list(p->devices);
            case CL_PROGRAM_SOURCE:
                return a.text(p->source);
            case CL_PROGRAM_IL:
                return a.bytes(nullptr, 0);
            case CL_PROGRAM_BINARY_SIZES: {
                std::vector<std::size_t> sizes;
                for (const cl_device_id d : p->devices) sizes.push_back(binary_of(p->of(d)).size());
                return a.list(sizes);
            }
            case CL_PROGRAM_BINARIES: {
                require(to == nullptr || room >= p->devices.size() * sizeof(char*),
                        CL_INVALID_VALUE);
                if (size != nullptr) *size = p->devices.size() * sizeof(char*);
                if (to == nullptr) return;
                auto** const places = static_cast<unsigned char**>(to);
                for (std::size_t i = 0; i < p->devices.size(); ++i) {
                    const std::string b = binary_of(p->of(p->devices[i]));
                    if (places[i] != nullptr && !b.empty())
                        std::memcpy(places[i], b.data(), b.size());
                }
                return;
            }
            case CL_PROGRAM_NUM_KERNELS:
                return a.value(p->built().kernels.size());
            case CL_PROGRAM_KERNEL_NAMES: {
                std::string names;
                for (const kernel_signature& k : p->built().kernels)
                    names += (names.empty() ? "" : ";") + k.name;
                return a.text(names);
            }
            case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
            case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
                return a.value<cl_bool>(CL_FALSE);
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}

CL(cl_int, clGetProgramBuildInfo)
(cl_program handle, cl_device_id d, cl_program_build_info what, size_t room, void* to,
 size_t* size) {
    return call("clGetProgramBuildInfo", [&](session& s) {
        const auto p = s.programs.get(handle);
        s.device(d);
        require(std::find(p->devices.begin(), p->devices.end(), d) != p->devices.end(),
                CL_INVALID_DEVICE);
        const answer a(room, to, size);
        const std::lock_guard<std::mutex> lock(p->mutex);
        const build& b = p->of(d);
        switch (what) {
            case CL_PROGRAM_BUILD_STATUS:
                return a.value(b.status);
            case CL_PROGRAM_BUILD_OPTIONS:
                return a.text(b.options);
            case CL_PROGRAM_BUILD_LOG:
                return a.text(b.log);
            case CL_PROGRAM_BINARY_TYPE:
                return a.value(b.type);
            case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: {
                std::size_t sum = 0;
                if (b.code)
                    for (const auto& v : b.code->image().variables())
                        if (v.space == simtlm::execution::program_variable::space_kind::global)
                            sum += v.bytes;
                return a.value(sum);
            }
            default:
                throw error(CL_INVALID_VALUE);
        }
    });
}
