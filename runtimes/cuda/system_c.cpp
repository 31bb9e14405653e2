// SPDX-License-Identifier: Apache-2.0
// SystemC's library refers to sc_main(), which is never called here: the program has its own
// main(), and the simulation runs in a thread of this library.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char**) {
    return 1;
}
