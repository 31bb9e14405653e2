# SPDX-License-Identifier: Apache-2.0
"""Checks statements of the pages about files, presets, figures and the build.

page_claims_test.py SIMTLM ROOT
"""
import pathlib
import re
import subprocess
import sys
import unittest

SIMTLM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
TOPS = ("modules", "platform", "runtimes", "sc_main", "tests", "scripts", "cmake", "configs", "traces",
        "programs", "packaging", "docs")
NAMED = re.compile(r"(?<![\w/.:-])((?:%s)/[\w./+-]*\w)" % "|".join(TOPS))
# Folders that the reader of a page creates.
OF_USERS = {("first-answer.md", "traces")}
# Pages that name functions and programs of others, and such names on other pages.
ABOUT_OTHERS = {"applications.md", "blackwell.md", "cuda.md", "hopper.md", "opencl.md"}
OF_OTHERS = {"find_key_kernel", "get_stats.py", "job_status.py", "own_streams", "own_wmma16",
             "run_simulations.py", "snake_case", "spirv_fail", "t_output_wavefronts", "debug_frame"}
FILE_NAME = re.compile(r"[A-Za-z][\w-]*\.(?:h|cpp|def|py|proto|S|cmake|config)")
IDENTIFIER = re.compile(r"[A-Za-z]\w*(?:(?:::|\.)[A-Za-z]\w*)*")
SOURCES = {".h", ".cpp", ".def", ".S", ".py", ".cmake", ".txt", ".in", ".proto", ".config", ".js", ".css", ".c",
           ".cl", ".cu", ".ptx", ".launch", ".json", ".yaml", ""}


def pages():
    yield ROOT / "README.md"
    yield ROOT / "CONTRIBUTING.md"
    yield from sorted((ROOT / "docs").glob("*.md"))
    for top in ("modules", "platform", "runtimes", "tests", "traces", "programs"):
        yield from sorted((ROOT / top).rglob("README.md"))


def anchors_of(page):
    """The fragments of a page's headings, as GitHub forms them."""
    headings = re.findall(r"^#+ +(.+)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S),
                          re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def sources():
    """The files of the tree, without build folders."""
    for top in TOPS[:-1]:
        yield from (file for file in (ROOT / top).rglob("*") if file.is_file() and file.suffix in SOURCES)


def code_of(page):
    """The words in backquotes on a page, outside blocks of code."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for quoted in re.findall(r"`([^`\n]+)`", prose):
        yield from (word.strip(".:") for word in re.split(r"[\s,;|(){}\[\]<>=&\"'*…]+", quoted))


def recipes():
    """The recipes of extending.md with a list of files: title, stated number, rows of the table."""
    by_file = text("docs/extending.md").split("## By interface")[0]
    for title, body in re.findall(r"^### ([^\n]+)\n(.*?)(?=^### |\Z)", by_file, re.M | re.S):
        rows = re.findall(r"^\| `([^`]+)`([^|]*) \| (.*) \|$", body, re.M)
        yield title, int(re.search(r"^(\d+) files:$", body, re.M)[1]), rows


def text(name):
    return (ROOT / name).read_text()


def options_of(preset):
    shown = subprocess.run([SIMTLM, "--preset", preset, "--dump-config"], capture_output=True,
                           text=True, check=True).stdout
    return dict(re.findall(r"^(-\S+) +(\S+)", shown, re.M))


class PageClaims(unittest.TestCase):
    def test_files_that_pages_name_exist(self):
        missing = []
        for page in pages():
            for name in NAMED.findall(page.read_text()):
                mine = (page.name, name.split("/")[0]) in OF_USERS or re.search("PRESET|NAME", name)
                if not mine and not any(ROOT.glob(name + "*")):
                    missing.append(f"{page.relative_to(ROOT)}: {name}")
        self.assertEqual([], missing)

    def test_identifiers_and_files_in_backquotes_exist(self):
        files = {file.name for file in sources()} | {"CMakeLists.txt"}
        words = set()
        for file in sources():
            words.update(re.findall(r"[A-Za-z_]\w*", file.read_text(errors="ignore")))

        def known(name):
            return (name in words or name.endswith("_") or any(re.sub(ending, "", name) in words for ending in (r"\d+$", r"_?\d+$")) or
                    re.search(r"[a-z_](?:[A-Z]|[A-Z]{4,})$", name))  # clusterC, lower_NAME

        missing = []
        for page in pages():
            if page.name in ABOUT_OTHERS:
                continue
            for word in set(code_of(page)) - OF_OTHERS:
                if FILE_NAME.fullmatch(word):
                    exists = word in files
                elif IDENTIFIER.fullmatch(word) and ("_" in word or "::" in word):
                    exists = all(known(part) for part in re.split(r"::|\.", word) if part not in OF_OTHERS)
                else:
                    continue
                if not exists:
                    missing.append(f"{page.relative_to(ROOT)}: {word}")
        self.assertEqual([], sorted(missing))

    def test_options_of_the_simulator_exist(self):
        known = set(re.findall(r"(?<![\w-])-\w[\w:-]*", text("docs/options.md")))
        missing = [f"{page.relative_to(ROOT)}: {option}" for page in pages()
                   for option in re.findall(r"(?<![\w-])-(?:gpgpu|modern|dram|trace|icnt|ptx|network)_[\w:*]+",
                                            page.read_text())
                   if not option.endswith(("_", "*")) and option.rstrip(":") not in known]
        self.assertEqual([], missing)

    def test_recipes_name_files_and_identifiers_that_exist(self):
        found = list(recipes())
        self.assertGreater(len(found), 6)
        for title, number, rows in found:
            self.assertEqual(number, len(rows), title)
            for file, note, change in rows:
                path = ROOT / file
                if "(new)" in note:
                    self.assertTrue(path.parent.parent.is_dir(), f"{title}: {file}")
                    continue
                self.assertTrue(path.exists(), f"{title}: {file}")
                if path.is_dir() or path.suffix == ".md":
                    continue
                contents = path.read_text()
                for word in re.findall(r"`([A-Za-z-][\w:-]*)", change):
                    if not re.search("NAME|[A-Z]{5}/|^simtlm", word):
                        self.assertIn(word.split("::")[-1], contents, f"{title}: {file}")

    def test_links_between_pages_lead_to_a_file_and_a_heading(self):
        broken = []
        for page in pages():
            for target, fragment in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", page.read_text()):
                file = (page.parent / target).resolve() if target else page
                if not file.exists() or (fragment and fragment not in anchors_of(file)):
                    broken.append(f"{page.relative_to(ROOT)}: {target}#{fragment}")
        self.assertEqual([], broken)

    def test_the_table_of_presets_has_their_sms_and_memory_channels(self):
        rows = re.findall(r"^\| `(\w+)` \|[^|]*\| +(\d+) \| +(\d+) \|", text("README.md"), re.M)
        self.assertGreater(len(rows), 10)
        for preset, sms, channels in rows:
            options = options_of(preset)
            modelled = (int(options["-gpgpu_n_clusters"]) *
                        int(options["-gpgpu_n_cores_per_cluster"]))
            self.assertEqual(int(sms), modelled, preset)
            self.assertEqual(int(channels), int(options["-gpgpu_n_mem"]), preset)

    def test_the_sample_takes_the_cycles_that_the_page_on_waveforms_states(self):
        stated = re.search(r"kernels in ([\d,]+) core cycles; the first takes ([\d,]+),",
                           " ".join(text("docs/waveforms.md").split()))
        run = subprocess.run([SIMTLM, "--preset", "QV100/accel-sim", "-trace",
                              ROOT / "traces/sample/kernelslist.g"],
                             capture_output=True, text=True, check=True).stdout
        totals = re.findall(r"^gpu_tot_sim_cycle = (\d+)", run, re.M)
        self.assertEqual([f"{int(totals[-1]):,}", f"{int(totals[0]):,}"], list(stated.groups()))

    def test_the_readme_stays_short(self):
        self.assertLess(text("README.md").count("\n"), 200)

    def test_unity_builds_have_the_sizes_that_contributing_states(self):
        module = text("cmake/simtlm_module.cmake")
        together = re.search(r"set\(SIMTLM_TOGETHER (\d+)", module).group(1)
        of_tests = re.search(r"UNITY_BUILD_BATCH_SIZE (\d+)", module).group(1)
        words = {"6": "six", "8": "eight"}
        page = " ".join(text("CONTRIBUTING.md").split())
        self.assertIn(f"up to {together} sources of a folder at a time", page)
        self.assertIn(f"up to {words.get(of_tests, of_tests)} of a test", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
