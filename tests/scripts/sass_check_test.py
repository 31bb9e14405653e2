#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""simtlm-sass check and dump of a program with machine code that is not supported."""
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv[1]
CUBIN = pathlib.Path(sys.argv[2]).read_bytes()


def entry(architecture, contents):
    """An entry of a fat binary: a cubin of an architecture."""
    header = struct.pack("<HHIQIIIIIIQQQ", 2, 0x101, 64, len(contents), 0, 0, 0, architecture, 0, 0,
                         0, 0, 0)
    return header + contents


def program(*entries):
    """An ELF file with one section, a fat binary."""
    body = b"".join(entries)
    section = struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(body)) + body
    bits64, little_endian, current, x86_64, relocatable, progbits, allocated = 2, 1, 1, 62, 1, 1, 2
    elf_bytes = header_bytes = 64
    identity = b"\x7fELF" + bytes([bits64, little_endian, current]) + bytes(9)
    elf = identity + struct.pack("<HHIQQQIHHHHHH", relocatable, x86_64, current, 0, 0, elf_bytes, 0,
                                 elf_bytes, 0, 0, header_bytes, 1, 0)
    header = struct.pack("<IIQQQQIIQQ", 0, progbits, allocated, 0, elf_bytes + header_bytes,
                         len(section), 0, 0, 8, 0)
    return elf + header + section


class Check(unittest.TestCase):
    def run_tool(self, command, contents, *arguments):
        with tempfile.NamedTemporaryFile() as file:
            file.write(contents)
            file.flush()
            return subprocess.run([TOOL, command, file.name, *arguments], capture_output=True,
                                  text=True)

    def test_names_skipped_machine_code_and_counts_the_kernels_of_the_others(self):
        result = self.run_tool(
            "check", program(entry(35, b"older"), entry(75, CUBIN), entry(61, b"older")))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("skipped, because their machine code is not supported: sm_35 sm_61\n",
                      result.stdout)
        self.assertRegex(result.stdout, r"([0-9]+) of \1 kernels can be executed")

    def test_prints_what_it_can_decode(self):
        result = self.run_tool("dump", program(entry(35, b"older"), entry(75, CUBIN)))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("sm_75", result.stdout)
        self.assertIn("sm_35", result.stderr)

    def test_rejects_a_program_without_supported_machine_code(self):
        result = self.run_tool("check", program(entry(35, b"older")))
        self.assertEqual(result.returncode, 2)
        self.assertIn("its machine code is not supported", result.stderr)
        self.assertIn("sm_35", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
