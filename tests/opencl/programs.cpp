// SPDX-License-Identifier: Apache-2.0
// Programs: builds, options, logs, binaries, separate compilation.
#include "tests/opencl/host.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace {

const char* scale_source = "kernel void scale(global int* p) { p[get_global_id(0)] *= FACTOR; }";

int result_of(const host& h, cl_program g, const char* name) {
    const cl_kernel k = h.kernel(g, name);
    const cl_mem m = h.buffer(std::vector<int>{1, 2, 3, 4});
    set(k, 0, m);
    h.run(k, 4);
    const int r = h.read<int>(m, 4)[3];
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
    return r;
}

void takes_options(const host& h) {
    const cl_program a = h.build(scale_source, "-DFACTOR=3 -cl-fast-relaxed-math -cl-std=CL1.1");
    CHECK(result_of(h, a, "scale") == 12);
    const cl_program b = h.build(scale_source, "-D FACTOR=5 -w -cl-opt-disable");
    CHECK(result_of(h, b, "scale") == 20);
    char options[64];
    GOOD(clGetProgramBuildInfo(a, h.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options,
                               nullptr));
    CHECK(std::string(options).find("FACTOR=3") != std::string::npos);
    cl_int r = 0;
    const cl_program c = clCreateProgramWithSource(h.context, 1, &scale_source, nullptr, &r);
    GIVES(CL_INVALID_BUILD_OPTIONS, clBuildProgram(c, 0, nullptr, "-no-such", nullptr, nullptr));
    for (const cl_program p : {a, b, c}) GOOD(clReleaseProgram(p));
}

/// Only options of OpenCL C reach the compiler; it would replace an argument that begins with @ by
/// those in a file.
void refuses_other_options(const host& h) {
    cl_int r = 0;
    const cl_program p = clCreateProgramWithSource(h.context, 1, &scale_source, nullptr, &r);
    for (const char* const options :
         {"-D @options", "-D@options", "-U @options", "@options", "-D", "-D 1=2", "-U A=1", "-D ''",
          "-Wno-@options", "-Xclang", "-include x.h", "-fplugin=x.so", "-cl-std=CL9", "-x c++",
          "-cl-nv-maxrregcount32", "-create-library", "-DFACTOR=1 -o x", "x.cl"})
        if (clBuildProgram(p, 0, nullptr, options, nullptr, nullptr) != CL_INVALID_BUILD_OPTIONS) {
            std::printf("%s is not refused\n", options);
            ++failures;
        }
    GIVES(CL_INVALID_COMPILER_OPTIONS,
          clCompileProgram(p, 0, nullptr, "-D @options", 0, nullptr, nullptr, nullptr, nullptr));
    GIVES(CL_INVALID_LINKER_OPTIONS,
          (clLinkProgram(h.context, 0, nullptr, "@options", 1, &p, nullptr, nullptr, &r), r));
    GOOD(clReleaseProgram(p));
    const cl_program accepted =
        h.build(scale_source,
                "-D 'FACTOR=2 * (1 + F(1))' -D F(x)=x -UFACTOR2 -cl-nv-maxrregcount=32 "
                "-cl-nv-opt-level 3 -Wno-unused -I . -cl-mad-enable -x clc");
    CHECK(result_of(h, accepted, "scale") == 16);
    GOOD(clReleaseProgram(accepted));
}

/// A compiled program is not taken for that of other files, however the source refers to them.
void distinguishes_what_sources_include(const host& h) {
    char pattern[] = "/tmp/simtlm-test-XXXXXX";
    const std::filesystem::path folder = ::mkdtemp(pattern);
    const std::string options = "-I" + folder.string() + " -D QUOTED=<value.h>";
    const char* const ways[] = {
        "#include <value.h>\n",
        "#import <value.h>\n",
        "#inc\\\nlude <value.h>\n",
        "#in\\ \nclu\\\nde <value.h>\n",
        "#imp\\\r\nort <value.h>\n",
        "?\?=include <value.h>\n",
        "%:import <value.h>\n",
        "# /* */ include QUOTED\n",
        "#if __has_inc\\\nlude(<value2.h>)\n#define VALUE 2\n#else\n#define VALUE 1\n#endif\n",
        "#define JOINED(a, b) a##b\n#if JOINED(__has_inc, lude)(<value2.h>)\n#define VALUE 2\n"
        "#else\n#define VALUE 1\n#endif\n"};
    for (const char* const way : ways)
        for (const int value : {1, 2}) {
            std::ofstream(folder / "value.h") << "#define VALUE " << value << '\n';
            if (value == 2) std::ofstream(folder / "value2.h") << '\n';
            const std::string source =
                way + std::string("kernel void k(global int* p) { p[get_global_id(0)] = VALUE; }");
            const cl_program p = h.build(source.c_str(), options.c_str());
            const int got = result_of(h, p, "k");
            if (got != value) {
                std::printf("%d instead of %d with\n%s", got, value, way);
                ++failures;
            }
            GOOD(clReleaseProgram(p));
            std::filesystem::remove(folder / "value2.h");
        }
    std::filesystem::remove_all(folder);
}

/// Any name of a header is valid; nothing is written to a file of that name.
void passes_headers_by_name(const host& h) {
    char pattern[] = "/tmp/simtlm-test-XXXXXX";
    const std::filesystem::path folder = ::mkdtemp(pattern);
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::create_directory(folder / "here");
    std::filesystem::current_path(folder / "here");
    const std::string absolute = (folder / "absolute.h").string();
    for (const std::string& name : {absolute, (folder / "above.h").string(), std::string("own.h")})
        std::ofstream(name) << "precious\n";
    cl_int r = 0;
    const auto source = [&](const std::string& text) {
        const char* t = text.c_str();
        const cl_program p = clCreateProgramWithSource(h.context, 1, &t, nullptr, &r);
        GOOD(r);
        return p;
    };
    const cl_program main = source(
        "#include \"own.h\"\n#include <own.h>\n#include \"../above.h\"\n"
        "#include \"" +
        absolute +
        "\"\n#include \"sub/outer.h\"\n#include \"a \\ 'b.h\"\n"
        "kernel void k(global int* p) { p[get_global_id(0)] = OWN + ABOVE + ABSOLUTE + INNER + "
        "ODD; "
        "}\n");
    const std::vector<std::pair<std::string, std::string>> headers{
        {"own.h", "#define OWN 1\n"},
        {"own.h", "#define OWN 2\n"},  // of two equal names the first counts
        {"../above.h", "#define ABOVE 20\n"},
        {absolute, "#define ABSOLUTE 300\n"},
        {"sub/outer.h", "#include \"inner.h\"\n"},
        {"sub/inner.h", "#define INNER 4000\n"},
        {"a \\ 'b.h", "#define ODD 50000\n"}};
    std::vector<cl_program> texts;
    std::vector<const char*> names;
    for (const auto& [name, text] : headers) {
        names.push_back(name.c_str());
        texts.push_back(source(text));
    }
    r = clCompileProgram(main, 1, &h.device, "", static_cast<cl_uint>(names.size()), texts.data(),
                         names.data(), nullptr, nullptr);
    GOOD(r);
    if (r != CL_SUCCESS) std::printf("%s\n", h.log(main).c_str());
    const cl_program linked =
        clLinkProgram(h.context, 1, &h.device, "", 1, &main, nullptr, nullptr, &r);
    GOOD(r);
    if (linked != nullptr) CHECK(result_of(h, linked, "k") == 54321);
    for (const char* name : {"", "folder/", "..", "a/.", "\xff.h"})
        GIVES(CL_INVALID_VALUE,
              clCompileProgram(main, 1, &h.device, "", 1, texts.data(), &name, nullptr, nullptr));
    for (const std::string& name :
         {absolute, (folder / "above.h").string(), std::string("own.h")}) {
        std::string text;
        std::getline(std::ifstream(name), text);
        CHECK(text == "precious");
    }
    std::filesystem::current_path(before);
    std::filesystem::remove_all(folder);
    for (const cl_program p : texts) GOOD(clReleaseProgram(p));
    for (const cl_program p : {main, linked}) GOOD(clReleaseProgram(p));
}

void gives_vectors_of_three_elements_the_memory_of_four(const host& h) {
    const cl_program g = h.build(
        "uchar3 a; float3 b; double3 c;\n"
        "kernel void writes(global int* p) { a = (uchar3)(p[0]); b = (float3)(p[1]); c = "
        "(double3)(p[2]); p[3] = a.z + (int)b.z + (int)c.z; }",
        "-cl-std=CL3.0");
    std::size_t bytes = 0;
    GOOD(clGetProgramBuildInfo(g, h.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                               sizeof bytes, &bytes, nullptr));
    CHECK(bytes == 4 + 16 + 32);
    CHECK(result_of(h, g, "writes") == 6);
    GOOD(clReleaseProgram(g));
}

void names_the_line_of_a_mistake(const host& h) {
    const char* wrong = "kernel void k(global int* p) {\n  int x = 1;\n  p[0] = y;\n}\n";
    cl_int r = 0;
    const cl_program g = clCreateProgramWithSource(h.context, 1, &wrong, nullptr, &r);
    GIVES(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(g, 0, nullptr, nullptr, nullptr, nullptr));
    CHECK(h.log(g).find("program.cl:3:10: error:") != std::string::npos);
    cl_build_status status = 0;
    GOOD(clGetProgramBuildInfo(g, h.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                               nullptr));
    CHECK(status == CL_BUILD_ERROR);
    CHECK(clCreateKernel(g, "k", &r) == nullptr);
    GIVES(CL_INVALID_PROGRAM_EXECUTABLE, r);
    GOOD(clReleaseProgram(g));
}

void returns_and_accepts_ptx(const host& h) {
    const cl_program a = h.build(scale_source, "-DFACTOR=7");
    std::size_t size = 0;
    GOOD(clGetProgramInfo(a, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
    std::string ptx(size, ' ');
    unsigned char* to = reinterpret_cast<unsigned char*>(ptx.data());
    GOOD(clGetProgramInfo(a, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr));
    CHECK(ptx.find(".entry scale") != std::string::npos);
    const unsigned char* from = to;
    cl_int r = 0, status = -1;
    const cl_program b =
        clCreateProgramWithBinary(h.context, 1, &h.device, &size, &from, &status, &r);
    GOOD(r);
    GOOD(status);
    GOOD(clBuildProgram(b, 1, &h.device, nullptr, nullptr, nullptr));
    CHECK(result_of(h, b, "scale") == 28);
    const cl_kernel k = h.kernel(b, "scale");
    // Only available for programs from source.
    GIVES(CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
          clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, 0, nullptr, nullptr));
    GOOD(clReleaseKernel(k));
    const auto* nonsense = reinterpret_cast<const unsigned char*>("nonsense");
    size = 8;
    CHECK(clCreateProgramWithBinary(h.context, 1, &h.device, &size, &nonsense, &status, &r) ==
          nullptr);
    GIVES(CL_INVALID_BINARY, r);
    GOOD(clReleaseProgram(a));
    GOOD(clReleaseProgram(b));
}

/// PTX of CUDA's compiler does not mark pointer parameters: a buffer handle is replaced by its
/// address.
void accepts_ptx_without_pointer_types(const host& h) {
    const std::string text = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry add(.param .u64 add_param_0, .param .u64 add_param_1)
{
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [add_param_0];
    ld.param.u64 %rd2, [add_param_1];
    cvta.to.global.u64 %rd3, %rd1;
    ld.global.u64 %rd4, [%rd3];
    add.s64 %rd4, %rd4, %rd2;
    st.global.u64 [%rd3], %rd4;
    ret;
}
)";
    const std::size_t size = text.size();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    cl_int r = 0;
    const cl_program p = clCreateProgramWithBinary(
        h.context, 1, &h.device, &size, const_cast<const unsigned char**>(&bytes), nullptr, &r);
    GOOD(r);
    GOOD(clBuildProgram(p, 1, &h.device, "", nullptr, nullptr));
    const cl_kernel k = h.kernel(p, "add");
    const cl_mem m = h.buffer(std::vector<cl_ulong>{40});
    set(k, 0, m);
    set(k, 1, cl_ulong{2});
    h.run(k, 1);
    CHECK(h.read<cl_ulong>(m, 1)[0] == 42);
    GOOD(clReleaseMemObject(m));
    GOOD(clReleaseKernel(k));
    GOOD(clReleaseProgram(p));
}

/// A program created from the binary of another one, compiled or a library.
cl_program reloaded(const host& h, cl_program of) {
    std::size_t size = 0;
    GOOD(clGetProgramInfo(of, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
    std::string binary(size, ' ');
    unsigned char* to = reinterpret_cast<unsigned char*>(binary.data());
    GOOD(clGetProgramInfo(of, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr));
    const unsigned char* from = to;
    cl_int r = 0, status = -1;
    const cl_program p =
        clCreateProgramWithBinary(h.context, 1, &h.device, &size, &from, &status, &r);
    GOOD(r);
    GOOD(status);
    return p;
}

void compiles_and_links(const host& h) {
    cl_int r = 0;
    const auto source = [&](const char* text) {
        return clCreateProgramWithSource(h.context, 1, &text, nullptr, &r);
    };
    const cl_program header = source("int square(int);\n");
    const cl_program a = source("int square(int x) { return x * x; }\n");
    const cl_program b = source(
        "#include \"inc/square.h\"\nkernel void use(global int* p) { "
        "p[get_global_id(0)] = square(p[get_global_id(0)]); }\n"
        "kernel void calls_a_kernel(global int* p) { use(p); }\n");
    const char* name = "inc/square.h";
    GOOD(clCompileProgram(a, 1, &h.device, nullptr, 0, nullptr, nullptr, nullptr, nullptr));
    GOOD(clCompileProgram(b, 1, &h.device, nullptr, 1, &header, &name, nullptr, nullptr));
    const cl_program library =
        clLinkProgram(h.context, 1, &h.device, "-create-library", 1, &a, nullptr, nullptr, &r);
    GOOD(r);
    const cl_program both[] = {b, library};
    const cl_program g =
        clLinkProgram(h.context, 1, &h.device, nullptr, 2, both, nullptr, nullptr, &r);
    GOOD(r);
    CHECK(result_of(h, g, "use") == 16);
    CHECK(result_of(h, g, "calls_a_kernel") == 16);
    // The same from their binaries.
    const cl_program stored[] = {reloaded(h, b), reloaded(h, library)};
    const cl_program again =
        clLinkProgram(h.context, 1, &h.device, nullptr, 2, stored, nullptr, nullptr, &r);
    GOOD(r);
    CHECK(result_of(h, again, "use") == 16);
    for (const cl_program p : {stored[0], stored[1], again}) GOOD(clReleaseProgram(p));
    // Linking fails if a called function is missing.
    const cl_program lacking =
        clLinkProgram(h.context, 1, &h.device, nullptr, 1, &b, nullptr, nullptr, &r);
    GIVES(CL_LINK_PROGRAM_FAILURE, r);
    for (const cl_program p : {header, a, b, library, g, lacking})
        if (p != nullptr) GOOD(clReleaseProgram(p));
}

/// `inline` without `static` provides a definition for calls that are not inlined: in one program,
/// without optimisation, and in two linked objects.
void calls_inline_functions(const host& h) {
    const std::string header =
        "inline int f(int x);\n"
        "inline int h(int x) { return x == 0 ? 1 : x * f(x - 1); }\n"
        "inline int f(int x) { for (int i = 0; i < 3; ++i) if (x == i * 100) return i + 1;"
        " return x * h(x - 1); }\n";
    const std::string first = header +
                              "int other(int);\n"
                              "kernel void use(global int* p) {"
                              " p[get_global_id(0)] = f(p[get_global_id(0)]) + other(3); }\n";
    const std::string second = header + "int other(int x) { return f(x); }\n";
    const std::string whole = first + "int other(int x) { return h(x); }\n";
    for (const char* const options : {"", "-cl-opt-disable"}) {
        const cl_program g = h.build(whole.c_str(), options);
        CHECK(result_of(h, g, "use") == 24 + 6);
        GOOD(clReleaseProgram(g));
        cl_int r = 0;
        cl_program objects[2] = {};
        for (int i = 0; i < 2; ++i) {
            const char* text = i == 0 ? first.c_str() : second.c_str();
            objects[i] = clCreateProgramWithSource(h.context, 1, &text, nullptr, &r);
            GOOD(clCompileProgram(objects[i], 1, &h.device, options, 0, nullptr, nullptr, nullptr,
                                  nullptr));
        }
        const cl_program linked =
            clLinkProgram(h.context, 1, &h.device, "", 2, objects, nullptr, nullptr, &r);
        GOOD(r);
        if (linked == nullptr) continue;
        CHECK(result_of(h, linked, "use") == 24 + 6);
        for (const cl_program p : {objects[0], objects[1], linked}) GOOD(clReleaseProgram(p));
    }
}

void CL_CALLBACK built(cl_program, void* p) {
    ++*static_cast<int*>(p);
}

void reports_its_build(const host& h) {
    cl_int r = 0;
    int called = 0;
    const char* text = "kernel void one(void) {} kernel void two(int x) {}";
    const cl_program g = clCreateProgramWithSource(h.context, 1, &text, nullptr, &r);
    GOOD(clBuildProgram(g, 1, &h.device, "", built, &called));
    CHECK(called == 1);
    cl_uint n = 0;
    GOOD(clCreateKernelsInProgram(g, 0, nullptr, &n));
    CHECK(n == 2);
    char names[32];
    GOOD(clGetProgramInfo(g, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, nullptr));
    CHECK(std::string(names) == "one;two");
    GOOD(clReleaseProgram(g));
}

/// Several threads write to the cache of compiled kernels concurrently.
void builds_from_several_threads(const host& h) {
    std::vector<std::thread> threads;
    std::vector<int> results(4);
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            const cl_program g = h.build(scale_source, i < 2 ? "-DFACTOR=11" : "-DFACTOR=13");
            results[static_cast<unsigned>(i)] = g != nullptr;
            GOOD(clReleaseProgram(g));
        });
    for (std::thread& t : threads) t.join();
    CHECK(results[0] && results[3]);
}

}  // namespace

int main() {
    {
        const host h;
        takes_options(h);
        refuses_other_options(h);
        distinguishes_what_sources_include(h);
        passes_headers_by_name(h);
        gives_vectors_of_three_elements_the_memory_of_four(h);
        names_the_line_of_a_mistake(h);
        returns_and_accepts_ptx(h);
        accepts_ptx_without_pointer_types(h);
        compiles_and_links(h);
        calls_inline_functions(h);
        reports_its_build(h);
        builds_from_several_threads(h);
    }
    return passed("programs");
}
