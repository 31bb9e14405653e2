# SPDX-License-Identifier: Apache-2.0
"""Checks that the commands in pages that lead through a session do what the pages say.

documentation_test.py SIMTLM ROOT PAGE...
"""
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SIMTLM, ROOT, PAGES = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3:]
TOOLS = ("simtlm", "simtlm-trace", "simtlm-report", "simtlm-diff", "simtlm-merge", "simtlm-sweep")
# Permitted exit codes besides 0: simtlm-diff reports that runs differ.
MAY_DIFFER = re.compile(r"simtlm-diff ")


def blocks_of(page):
    """The fenced blocks of a page: language and lines."""
    for language, text in re.findall(r"^```(\w*)\n(.*?)^```$", page, re.M | re.S):
        yield language, text.replace("\\\n", " ").splitlines()


def steps_of(page):
    """Commands and their output: (command, lines). Lines of a block without prompts, or without any
    command, are ignored."""
    for language, lines in blocks_of(page):
        if language == "yaml":
            yield "write study.yaml", lines
            continue
        prompts = any(line.startswith("$ ") for line in lines)
        command, said = None, []
        for line in lines:
            text = line[2:] if prompts and line.startswith("$ ") else line
            begins = text.split(" ")[0] in TOOLS and (not prompts or line.startswith("$ "))
            if begins:
                if command:
                    yield command, said
                command, said = text, []
            elif command and prompts:
                said.append(line)
        if command:
            yield command, said


def without_comment(command):
    return re.sub(r"\s+# .*$", "", command)


class Pages(unittest.TestCase):
    def folder(self, page):
        """The folder in which the commands of a page can be executed: the top folder, or one with a trace."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        path = pathlib.Path(scratch.name)
        (path / "programs").symlink_to(ROOT / "programs")
        if page != "first-answer.md":
            (path / "traces").symlink_to(ROOT / "traces")
            return path
        (path / "traces").mkdir()
        for file in (ROOT / "traces/sample").iterdir():
            if file.suffix == ".xz":
                (path / "traces" / file.stem).write_bytes(lzma.open(file).read())
            else:
                (path / "traces" / file.name).write_text(file.read_text().replace(".xz", ""))
        return path

    def check(self, page):
        folder = self.folder(page)
        environment = dict(os.environ, PATH=f"{SIMTLM.parent}:{os.environ['PATH']}")
        text = (ROOT / "docs" / page).read_text()
        done = 0
        for command, said in steps_of(text):
            if command == "write study.yaml":
                if "workloads:" in said[0] and "presets:" in "".join(said):
                    shutil.rmtree(folder / "study.results", ignore_errors=True)
                    (folder / "study.yaml").write_text("\n".join(said) + "\n")
                continue
            command = without_comment(command)
            if re.search(r"FOLDER|NAME|\./my_program", command):
                continue
            result = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder,
                                    env=environment, capture_output=True, text=True, check=False)
            good = (0, 1) if MAY_DIFFER.search(command) else (0,)
            self.assertIn(result.returncode, good, f"{page}: {command}\n{result.stderr}")
            at, printed = 0, result.stdout.splitlines()
            for line in said:
                if line == "...":
                    continue
                self.assertIn(line, printed[at:], f"{page}: {command}")
                at += printed[at:].index(line) + 1
            done += 1
        self.assertGreater(done, 3, f"{page}: commands were found")


for name in PAGES:
    def test(self, page=name):
        self.check(page)
    setattr(Pages, "test_" + re.sub(r"\W", "_", name), test)

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
