// SPDX-License-Identifier: Apache-2.0
// Entry points of extensions that the device does not support (OpenGL and EGL interoperability,
// cl_ext_device_fission, cl_khr_subgroups). Every loader exports them, and programs that do not
// depend on them still link with them. Errors are those of the extensions' specifications for a
// context that shares nothing, an object of another API, and a device that cannot be partitioned.
#include "runtimes/opencl/call.h"
#include "runtimes/opencl/entry_points.h"

using namespace simtlm::opencl;

namespace {

/// Rejects creating an object from an object of another API.
template <class Handle>
Handle refuse_object(const char* name, cl_context c, cl_int* result, cl_int code) {
    return make(name, result, [&](session& s) -> Handle {
        s.contexts.get(c);
        throw error(code, "the context shares nothing with OpenGL or EGL");
    });
}

cl_int refuse_objects(const char* name, cl_command_queue q, cl_int code) {
    return call(name, [&](session& s) {
        s.queues.get(q);
        throw error(code, "the context shares nothing with OpenGL or EGL");
    });
}

cl_int refuse_question(const char* name, cl_mem m) {
    return call(name, [&](session& s) {
        s.memory.get(m);
        throw error(CL_INVALID_GL_OBJECT,
                    "the memory object was not created from an OpenGL object");
    });
}

}  // namespace

CL(cl_mem, clCreateFromGLBuffer)(cl_context c, cl_mem_flags, cl_GLuint, int* result) {
    return refuse_object<cl_mem>("clCreateFromGLBuffer", c, result, CL_INVALID_CONTEXT);
}
CL(cl_mem, clCreateFromGLRenderbuffer)(cl_context c, cl_mem_flags, cl_GLuint, cl_int* result) {
    return refuse_object<cl_mem>("clCreateFromGLRenderbuffer", c, result, CL_INVALID_CONTEXT);
}
CL(cl_mem, clCreateFromGLTexture)
(cl_context c, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, cl_int* result) {
    return refuse_object<cl_mem>("clCreateFromGLTexture", c, result, CL_INVALID_CONTEXT);
}
CL(cl_mem, clCreateFromGLTexture2D)
(cl_context c, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, cl_int* result) {
    return refuse_object<cl_mem>("clCreateFromGLTexture2D", c, result, CL_INVALID_CONTEXT);
}
CL(cl_mem, clCreateFromGLTexture3D)
(cl_context c, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, cl_int* result) {
    return refuse_object<cl_mem>("clCreateFromGLTexture3D", c, result, CL_INVALID_CONTEXT);
}
CL(cl_event, clCreateEventFromGLsyncKHR)(cl_context c, cl_GLsync, cl_int* result) {
    return refuse_object<cl_event>("clCreateEventFromGLsyncKHR", c, result, CL_INVALID_CONTEXT);
}
CL(cl_mem, clCreateFromEGLImageKHR)
(cl_context c, CLeglDisplayKHR, CLeglImageKHR, cl_mem_flags, const cl_egl_image_properties_khr*,
 cl_int* result) {
    return refuse_object<cl_mem>("clCreateFromEGLImageKHR", c, result, CL_INVALID_OPERATION);
}
CL(cl_event, clCreateEventFromEGLSyncKHR)
(cl_context c, CLeglSyncKHR, CLeglDisplayKHR, cl_int* result) {
    return refuse_object<cl_event>("clCreateEventFromEGLSyncKHR", c, result, CL_INVALID_OPERATION);
}

CL(cl_int, clEnqueueAcquireGLObjects)
(cl_command_queue q, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*) {
    return refuse_objects("clEnqueueAcquireGLObjects", q, CL_INVALID_CONTEXT);
}
CL(cl_int, clEnqueueReleaseGLObjects)
(cl_command_queue q, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*) {
    return refuse_objects("clEnqueueReleaseGLObjects", q, CL_INVALID_CONTEXT);
}
CL(cl_int, clEnqueueAcquireEGLObjectsKHR)
(cl_command_queue q, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*) {
    return refuse_objects("clEnqueueAcquireEGLObjectsKHR", q, CL_INVALID_OPERATION);
}
CL(cl_int, clEnqueueReleaseEGLObjectsKHR)
(cl_command_queue q, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*) {
    return refuse_objects("clEnqueueReleaseEGLObjectsKHR", q, CL_INVALID_OPERATION);
}

CL(cl_int, clGetGLObjectInfo)(cl_mem m, cl_gl_object_type*, cl_GLuint*) {
    return refuse_question("clGetGLObjectInfo", m);
}
CL(cl_int, clGetGLTextureInfo)(cl_mem m, cl_gl_texture_info, size_t, void*, size_t*) {
    return refuse_question("clGetGLTextureInfo", m);
}
CL(cl_int, clGetGLContextInfoKHR)
(const cl_context_properties*, cl_gl_context_info, size_t, void*, size_t*) {
    return call("clGetGLContextInfoKHR", [](session&) {
        throw error(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, "no device shares objects with OpenGL");
    });
}

CL(cl_int, clCreateSubDevicesEXT)
(cl_device_id d, const cl_device_partition_property_ext* properties, cl_uint, cl_device_id*,
 cl_uint*) {
    return call("clCreateSubDevicesEXT", [&](session& s) {
        s.device(d);
        require(properties != nullptr, CL_INVALID_VALUE);
        throw error(CL_INVALID_VALUE, "this GPU cannot be partitioned into sub-devices");
    });
}
CL(cl_int, clRetainDeviceEXT)(cl_device_id d) {
    return call("clRetainDeviceEXT", [&](session& s) { s.device(d); });
}
CL(cl_int, clReleaseDeviceEXT)(cl_device_id d) {
    return call("clReleaseDeviceEXT", [&](session& s) { s.device(d); });
}

CL(cl_int, clGetKernelSubGroupInfoKHR)
(cl_kernel handle, cl_device_id, cl_kernel_sub_group_info, size_t, const void*, size_t, void*,
 size_t*) {
    return call("clGetKernelSubGroupInfoKHR", [&](session& s) {
        s.all_kernels.get(handle);
        throw error(CL_INVALID_OPERATION, "sub-groups are not supported");
    });
}
