# SPDX-License-Identifier: Apache-2.0
"""The prompt of the debugger on a terminal: history, completion, repetition, Control-C.

debugger_terminal_test.py SIMTLM ROOT
"""
import os
import pathlib
import pty
import re
import select
import signal
import sys
import tempfile
import termios
import time
import unittest

SIMTLM, ROOT = sys.argv[1:3]
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")
UP, SEARCH, TAB, CONTROL_C, CONTROL_D = "\x1b[A", "\x12", "\t", "\x03", "\x04"
EDITS = b"el_gets" in open(SIMTLM, "rb").read()


class Session:
    """A debugger with a terminal as its input."""

    def __init__(self, launches=f"{ROOT}/programs/saxpy.launch"):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(SIMTLM, [SIMTLM, "--preset", "TINY", "--ptx", f"{ROOT}/programs/saxpy.ptx",
                              "--launch", launches, "--debug"])
        self.status = None
        self.seen = ""
        self.until(r"\(simtlm\) $")

    def until(self, pattern, seconds=60):
        """Waits until the output since the last call matches a pattern, and returns it."""
        end = time.monotonic() + seconds
        text = b""
        while not re.search(pattern, ESCAPES.sub(b"", text).decode(errors="replace")):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                raise AssertionError(f"no {pattern!r} in {text!r}")
            try:
                more = os.read(self.terminal, 65536)
            except OSError:
                more = b""
            if not more:
                raise AssertionError(f"the run has ended without {pattern!r}: {text!r}")
            text += more
        self.seen = ESCAPES.sub(b"", text).decode(errors="replace")
        return self.seen

    def write(self, text, seconds=60):
        """Types at the prompt. libedit prints the prompt before it leaves the canonical mode of the
        terminal, in which the line discipline would interpret the control characters."""
        end = time.monotonic() + seconds
        while EDITS and termios.tcgetattr(self.terminal)[3] & termios.ICANON:
            if time.monotonic() > end:
                raise AssertionError("the line editor does not read")
            time.sleep(0.001)
        os.write(self.terminal, text.encode())

    def type(self, text, pattern=r"\(simtlm\) $"):
        self.write(text)
        return self.until(pattern)

    def end(self):
        """Closes the session; self.seen is what it printed. @return the exit code"""
        text = b""
        if self.status is None:
            try:
                while more := os.read(self.terminal, 65536):
                    text += more
            except OSError:
                pass
            self.seen = ESCAPES.sub(b"", text).decode(errors="replace")
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.terminal)
        return self.status

    def kill(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


class Prompt(unittest.TestCase):
    def setUp(self):
        self.session = Session()
        self.addCleanup(self.session.kill)

    def quit(self):
        self.session.write("q\r")
        return self.session.end()

    def test_repeats_the_last_command_for_an_empty_line(self):
        self.assertIn("core cycle 7\n", self.session.type("s 7\r"))
        self.assertIn("core cycle 14\n", self.session.type("\r"))
        self.assertEqual(0, self.quit(), self.session.seen)

    @unittest.skipUnless(EDITS, "built without libedit")
    def test_recalls_earlier_lines(self):
        self.session.type("s 7\r")
        self.session.type("p cycle\r")
        self.session.type(UP + UP, r"s 7$")
        self.assertIn("core cycle 14\n", self.session.type("\r"))
        self.session.type(SEARCH + "p cy", r"p cycle")
        self.assertIn("\n14\n", self.session.type("\r"))

    @unittest.skipUnless(EDITS, "built without libedit")
    def test_completes_commands_and_the_words_that_follow_them(self):
        self.session.type("unt" + TAB, r"until $")
        self.assertIn("core cycle 5\n", self.session.type("5\r"))
        self.session.type("b ker" + TAB, r"b kernel $")
        self.assertIn("breakpoint 1: kernel saxpy\n", self.session.type("saxpy\r"))
        shown = self.session.type("i " + TAB, r"wait .*\n.*\(simtlm\) i $")
        self.assertRegex(shown, r"\nk +b +w +r +wait")
        self.assertIn("1 kernel saxpy, hit 0 times\n", self.session.type("b\r"))

    def test_stops_a_run_for_control_c(self):
        with tempfile.TemporaryDirectory() as folder:
            launches = pathlib.Path(ROOT, "programs/saxpy.launch").read_text()
            launch = next(x for x in launches.splitlines() if x.startswith("launch "))
            buffers = [x for x in launches.splitlines() if x.startswith("buffer ")]
            long = pathlib.Path(folder, "long.launch")
            long.write_text("\n".join(buffers + 5000 * [launch]) + "\n")
            session = Session(str(long))
            self.addCleanup(session.kill)
            session.type("c\r", r"kernel_list_number = 2\n")
            os.write(session.terminal, CONTROL_C.encode())  # during the run, outside the editor
            shown = session.until(r"\(simtlm\) $")
            self.assertNotIn("the run has ended", shown)
            before = int(session.type("p cycle\r").split("\n")[-2])
            self.assertIn(f"core cycle {before + 3}\n", session.type("s 3\r"))

    def test_ends_the_run_at_the_end_of_the_input(self):
        self.session.type("s 3\r")
        self.session.write(CONTROL_D)
        self.session.until(r"\*\*\* incomplete run: quit \*\*\*")
        self.session.end()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
