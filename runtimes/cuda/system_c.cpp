// SPDX-License-Identifier: Apache-2.0
// SystemC's library asks for sc_main(), which is never called here: the program has a main() of its
// own, and the simulation runs in a thread of the library.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char**) {
    return 1;
}
