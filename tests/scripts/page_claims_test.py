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
                mine = (page.name, name.split("/")[0]) in OF_USERS or "PRESET" in name
                if not mine and not any(ROOT.glob(name + "*")):
                    missing.append(f"{page.relative_to(ROOT)}: {name}")
        self.assertEqual([], missing)

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
        run = subprocess.run([SIMTLM, "--preset", "QV100", "-trace",
                              ROOT / "traces/sample/kernelslist.g"],
                             capture_output=True, text=True, check=True).stdout
        totals = re.findall(r"^gpu_tot_sim_cycle = (\d+)", run, re.M)
        self.assertEqual([f"{int(totals[-1]):,}", f"{int(totals[0]):,}"], list(stated.groups()))

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
