// SPDX-License-Identifier: Apache-2.0
// What work-group functions exchange values in. C, because OpenCL C has no variables of a program in
// local memory.
typedef __attribute__((address_space(3))) unsigned long shared_word;

static __attribute__((address_space(3), loader_uninitialized)) unsigned long words[1024];

shared_word* __simtlm_scratch(void) {
    return words;
}
