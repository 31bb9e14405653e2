// SPDX-License-Identifier: Apache-2.0
// Names and descriptions of results.
#include "runtimes/cuda/abi/status.h"

#include <algorithm>
#include <iterator>

namespace simtlm::cuda {

namespace {

struct result_text {
    result number;
    const char* name;         ///< of the runtime: cudaError_t
    const char* driver_name;  ///< CUresult; nullptr: the driver has no such result
    const char* text;
};

constexpr result_text texts[] = {
    {0, "cudaSuccess", "CUDA_SUCCESS", "no error"},
    {1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "cudaErrorCudartUnloading", "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {5, "cudaErrorProfilerDisabled", "CUDA_ERROR_PROFILER_DISABLED", "profiler disabled"},
    {6, "cudaErrorProfilerNotInitialized", nullptr, "profiler not initialized"},
    {7, "cudaErrorProfilerAlreadyStarted", nullptr, "profiler already started"},
    {8, "cudaErrorProfilerAlreadyStopped", nullptr, "profiler already stopped"},
    {9, "cudaErrorInvalidConfiguration", nullptr, "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", nullptr, "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", nullptr, "invalid device symbol"},
    {16, "cudaErrorInvalidHostPointer", nullptr, "invalid host pointer"},
    {17, "cudaErrorInvalidDevicePointer", nullptr, "invalid device pointer"},
    {18, "cudaErrorInvalidTexture", nullptr, "invalid texture reference"},
    {19, "cudaErrorInvalidTextureBinding", nullptr, "invalid texture binding"},
    {20, "cudaErrorInvalidChannelDescriptor", nullptr, "invalid channel descriptor"},
    {21, "cudaErrorInvalidMemcpyDirection", nullptr, "invalid copy direction for memcpy"},
    {22, "cudaErrorAddressOfConstant", nullptr, "address of constant"},
    {23, "cudaErrorTextureFetchFailed", nullptr, "texture fetch failed"},
    {24, "cudaErrorTextureNotBound", nullptr, "texture not bound"},
    {25, "cudaErrorSynchronizationError", nullptr, "synchronization error"},
    {26, "cudaErrorInvalidFilterSetting", nullptr, "invalid filter setting"},
    {27, "cudaErrorInvalidNormSetting", nullptr, "invalid norm setting"},
    {28, "cudaErrorMixedDeviceExecution", nullptr, "mixed device execution"},
    {31, "cudaErrorNotYetImplemented", nullptr, "not yet implemented"},
    {32, "cudaErrorMemoryValueTooLarge", nullptr, "memory value too large"},
    {34, "cudaErrorStubLibrary", "CUDA_ERROR_STUB_LIBRARY", "stub library"},
    {35, "cudaErrorInsufficientDriver", nullptr,
     "CUDA driver version is insufficient for CUDA runtime version"},
    {36, "cudaErrorCallRequiresNewerDriver", nullptr, "call requires newer driver"},
    {37, "cudaErrorInvalidSurface", nullptr, "invalid surface"},
    {43, "cudaErrorDuplicateVariableName", nullptr, "duplicate variable name"},
    {44, "cudaErrorDuplicateTextureName", nullptr, "duplicate texture name"},
    {45, "cudaErrorDuplicateSurfaceName", nullptr, "duplicate surface name"},
    {46, "cudaErrorDevicesUnavailable", "CUDA_ERROR_DEVICE_UNAVAILABLE", "devices unavailable"},
    {49, "cudaErrorIncompatibleDriverContext", nullptr, "incompatible driver context"},
    {52, "cudaErrorMissingConfiguration", nullptr, "missing configuration"},
    {53, "cudaErrorPriorLaunchFailure", nullptr, "prior launch failure"},
    {65, "cudaErrorLaunchMaxDepthExceeded", nullptr, "launch max depth exceeded"},
    {66, "cudaErrorLaunchFileScopedTex", nullptr, "launch file scoped tex"},
    {67, "cudaErrorLaunchFileScopedSurf", nullptr, "launch file scoped surf"},
    {68, "cudaErrorSyncDepthExceeded", nullptr, "sync depth exceeded"},
    {69, "cudaErrorLaunchPendingCountExceeded", nullptr, "launch pending count exceeded"},
    {98, "cudaErrorInvalidDeviceFunction", nullptr, "invalid device function"},
    {100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {102, "cudaErrorDeviceNotLicensed", "CUDA_ERROR_DEVICE_NOT_LICENSED", "device not licensed"},
    {103, "cudaErrorSoftwareValidityNotEstablished", nullptr, "software validity not established"},
    {127, "cudaErrorStartupFailure", nullptr, "startup failure"},
    {200, "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE",
     "device kernel image is invalid"},
    {201, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {202, "unrecognized error code", "CUDA_ERROR_CONTEXT_ALREADY_CURRENT",
     "unrecognized error code"},
    {205, "cudaErrorMapBufferObjectFailed", "CUDA_ERROR_MAP_FAILED", "map buffer object failed"},
    {206, "cudaErrorUnmapBufferObjectFailed", "CUDA_ERROR_UNMAP_FAILED",
     "unmap buffer object failed"},
    {207, "cudaErrorArrayIsMapped", "CUDA_ERROR_ARRAY_IS_MAPPED", "array is mapped"},
    {208, "cudaErrorAlreadyMapped", "CUDA_ERROR_ALREADY_MAPPED", "already mapped"},
    {209, "cudaErrorNoKernelImageForDevice", "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {210, "cudaErrorAlreadyAcquired", "CUDA_ERROR_ALREADY_ACQUIRED", "already acquired"},
    {211, "cudaErrorNotMapped", "CUDA_ERROR_NOT_MAPPED", "not mapped"},
    {212, "cudaErrorNotMappedAsArray", "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "not mapped as array"},
    {213, "cudaErrorNotMappedAsPointer", "CUDA_ERROR_NOT_MAPPED_AS_POINTER",
     "not mapped as pointer"},
    {214, "cudaErrorECCUncorrectable", "CUDA_ERROR_ECC_UNCORRECTABLE", "eccuncorrectable"},
    {215, "cudaErrorUnsupportedLimit", "CUDA_ERROR_UNSUPPORTED_LIMIT", "unsupported limit"},
    {216, "cudaErrorDeviceAlreadyInUse", "CUDA_ERROR_CONTEXT_ALREADY_IN_USE",
     "device already in use"},
    {217, "cudaErrorPeerAccessUnsupported", "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
     "peer access is not supported between these two devices"},
    {218, "cudaErrorInvalidPtx", "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {219, "cudaErrorInvalidGraphicsContext", "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT",
     "invalid graphics context"},
    {220, "cudaErrorNvlinkUncorrectable", "CUDA_ERROR_NVLINK_UNCORRECTABLE",
     "nvlink uncorrectable"},
    {221, "cudaErrorJitCompilerNotFound", "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
     "jit compiler not found"},
    {222, "cudaErrorUnsupportedPtxVersion", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "unsupported ptx version"},
    {223, "cudaErrorJitCompilationDisabled", "CUDA_ERROR_JIT_COMPILATION_DISABLED",
     "jit compilation disabled"},
    {224, "cudaErrorUnsupportedExecAffinity", nullptr, "unsupported exec affinity"},
    {225, "cudaErrorUnsupportedDevSideSync", nullptr, "unsupported dev side sync"},
    {226, "cudaErrorContained", nullptr, "contained"},
    {300, "cudaErrorInvalidSource", "CUDA_ERROR_INVALID_SOURCE", "invalid source"},
    {301, "cudaErrorFileNotFound", "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {302, "cudaErrorSharedObjectSymbolNotFound", "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND",
     "shared object symbol not found"},
    {303, "cudaErrorSharedObjectInitFailed", "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
     "shared object init failed"},
    {304, "cudaErrorOperatingSystem", "CUDA_ERROR_OPERATING_SYSTEM",
     "OS call failed or operation not supported on this OS"},
    {400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "cudaErrorIllegalState", "CUDA_ERROR_ILLEGAL_STATE", "illegal state"},
    {402, "cudaErrorLossyQuery", "CUDA_ERROR_LOSSY_QUERY", "lossy query"},
    {500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {702, "cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT",
     "the launch timed out and was terminated"},
    {703, "cudaErrorLaunchIncompatibleTexturing", "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING",
     "launch incompatible texturing"},
    {704, "cudaErrorPeerAccessAlreadyEnabled", "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "peer access is already enabled"},
    {705, "cudaErrorPeerAccessNotEnabled", "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED",
     "peer access has not been enabled"},
    {708, "cudaErrorSetOnActiveProcess", "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE",
     "cannot set while device is active in this process"},
    {709, "cudaErrorContextIsDestroyed", "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {710, "cudaErrorAssert", "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {711, "cudaErrorTooManyPeers", "CUDA_ERROR_TOO_MANY_PEERS", "too many peers"},
    {712, "cudaErrorHostMemoryAlreadyRegistered", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {713, "cudaErrorHostMemoryNotRegistered", "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {714, "cudaErrorHardwareStackError", "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    {715, "cudaErrorIllegalInstruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION",
     "an illegal instruction was encountered"},
    {716, "cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {717, "cudaErrorInvalidAddressSpace", "CUDA_ERROR_INVALID_ADDRESS_SPACE",
     "operation not supported on global/shared address space"},
    {718, "cudaErrorInvalidPc", "CUDA_ERROR_INVALID_PC", "invalid pc"},
    {719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {720, "cudaErrorCooperativeLaunchTooLarge", "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
     "too many blocks in cooperative launch"},
    {721, "cudaErrorTensorMemoryLeak", nullptr, "tensor memory leak"},
    {800, "cudaErrorNotPermitted", "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {802, "cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY", "system not ready"},
    {803, "cudaErrorSystemDriverMismatch", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system driver mismatch"},
    {804, "cudaErrorCompatNotSupportedOnDevice", nullptr, "compat not supported on device"},
    {805, "cudaErrorMpsConnectionFailed", nullptr, "mps connection failed"},
    {806, "cudaErrorMpsRpcFailure", nullptr, "mps rpc failure"},
    {807, "cudaErrorMpsServerNotReady", nullptr, "mps server not ready"},
    {808, "cudaErrorMpsMaxClientsReached", nullptr, "mps max clients reached"},
    {809, "cudaErrorMpsMaxConnectionsReached", nullptr, "mps max connections reached"},
    {810, "cudaErrorMpsClientTerminated", nullptr, "mps client terminated"},
    {811, "cudaErrorCdpNotSupported", nullptr, "cdp not supported"},
    {812, "cudaErrorCdpVersionMismatch", nullptr, "cdp version mismatch"},
    {900, "cudaErrorStreamCaptureUnsupported", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {902, "cudaErrorStreamCaptureMerge", "CUDA_ERROR_STREAM_CAPTURE_MERGE",
     "operation would result in a merge of separate capture sequences"},
    {903, "cudaErrorStreamCaptureUnmatched", "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
     "capture was not ended in the same stream as it began"},
    {904, "cudaErrorStreamCaptureUnjoined", "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
    {905, "cudaErrorStreamCaptureIsolation", "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
     "dependency created on uncaptured work in another stream"},
    {906, "cudaErrorStreamCaptureImplicit", "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "cudaErrorCapturedEvent", "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, "cudaErrorStreamCaptureWrongThread", "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {909, "cudaErrorTimeout", "CUDA_ERROR_TIMEOUT", "timeout"},
    {910, "cudaErrorGraphExecUpdateFailure", "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
     "the graph update was not performed because it included changes which violated constraints "
     "specific to instantiated graph update"},
    {911, "cudaErrorExternalDevice", "CUDA_ERROR_EXTERNAL_DEVICE", "external device"},
    {912, "cudaErrorInvalidClusterSize", "CUDA_ERROR_INVALID_CLUSTER_SIZE", "invalid cluster size"},
    {913, "cudaErrorFunctionNotLoaded", "CUDA_ERROR_FUNCTION_NOT_LOADED", "function not loaded"},
    {914, "cudaErrorInvalidResourceType", "CUDA_ERROR_INVALID_RESOURCE_TYPE",
     "invalid resource type"},
    {915, "cudaErrorInvalidResourceConfiguration", "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION",
     "invalid resource configuration"},
    {999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", "unknown error"},
    {10000, "cudaErrorApiFailureBase", nullptr, "api failure base"},
};

const result_text& find(result r) {
    static constexpr const char* unknown = "unrecognized error code";
    static constexpr result_text none = {0, unknown, nullptr, unknown};
    const auto* const at =
        std::lower_bound(std::begin(texts), std::end(texts), r,
                         [](const result_text& e, result n) { return e.number < n; });
    return at != std::end(texts) && at->number == r ? *at : none;
}

}  // namespace

const char* name_of(result r) {
    return find(r).name;
}

const char* text_of(result r) {
    return find(r).text;
}

const char* driver_name_of(result r) {
    return find(r).driver_name;
}

}  // namespace simtlm::cuda
