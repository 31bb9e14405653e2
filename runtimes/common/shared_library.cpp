// SPDX-License-Identifier: Apache-2.0
// Compiled into each library of a host program's process.

/// SystemC's library requires sc_main(), which is never called here: the program has its own
/// main(), and the simulation runs in a thread of the library.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char**) {
    return 1;
}

/// Static objects of the library are not destroyed at the end of the process: destructors of the
/// program may still make calls, and the statistics are written after them. Objects of the library
/// register their destructors here instead of with the C library.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
    return 0;
}
