// SPDX-License-Identifier: Apache-2.0
// Texture and surface references, for driver_references.cpp. references.ptx and
// references.sm_70.cubin were compiled from this file by nvcc 11.8 -arch=sm_70.
texture<int, 1, cudaReadModeElementType> numbers;
surface<void, 2> image;

extern "C" __global__ void move(int* out) {
    const int i = threadIdx.x;
    int old = 0;
    surf2Dread(&old, image, i * 4, 0);
    surf2Dwrite(old + 1, image, i * 4, 1);
    out[i] = tex1Dfetch(numbers, i) + old;
}
