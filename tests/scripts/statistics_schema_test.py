# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/statistics.schema.json accepts what the simulator writes, and nothing else.

statistics_schema_test.py SIMTLM ROOT
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SIMTLM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEMA = json.loads((ROOT / "docs/statistics.schema.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KEYWORDS = {"$schema", "$defs", "$ref", "title", "description", "type", "required", "properties",
            "additionalProperties", "items", "minItems", "maxItems", "enum", "const", "pattern",
            "minimum", "anyOf"}


def is_of(value, name):
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(value, schema, where="$"):
    """Errors of a value, for the keywords that the schema uses."""
    unknown = set(schema) - KEYWORDS
    if unknown:
        return [f"schema: keywords {unknown}"]
    if "$ref" in schema:
        return faults(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], where)
    found = []
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of(value, t) for t in types):
        return [f"{where}: is no {' or '.join(types)}"]
    if "anyOf" in schema and all(faults(value, s, where) for s in schema["anyOf"]):
        found.append(f"{where}: is none of its kinds")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r} is none of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        found.append(f"{where}: {value!r} is not {schema['const']!r}")
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        found.append(f"{where}: {value!r} does not match {schema['pattern']}")
    if "minimum" in schema and is_of(value, "number") and value < schema["minimum"]:
        found.append(f"{where}: {value} is too small")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{where}: has {len(value)} items")
        for i, item in enumerate(value):
            found += faults(item, schema.get("items", {}), f"{where}[{i}]")
    if isinstance(value, dict):
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        found += [f"{where}: has no {name}" for name in schema.get("required", []) if name not in value]
        for name, item in value.items():
            if name in properties:
                found += faults(item, properties[name], f"{where}.{name}")
            elif others is False:
                found.append(f"{where}: {name} is not known")
            elif others is not True:
                found += faults(item, others, f"{where}.{name}")
    return found


def all_faults(document):
    found = faults(document, SCHEMA)
    try:
        import jsonschema
    except ImportError:
        return found
    theirs = list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document))
    assert bool(found) == bool(theirs), (found[:3], theirs[:3])
    return found


class StatisticsSchema(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def written(self, name, *arguments):
        file = self.path / name
        subprocess.run([SIMTLM, "--preset", "TINY", *arguments, "--stats-json", str(file)],
                       capture_output=True, check=False)
        return json.loads(file.read_text())

    def trace(self, name, *arguments):
        return ("--any-binary-version", "-trace", str(ROOT / "traces" / name), *arguments)

    def program(self, name, *arguments):
        return ("--ptx", str(ROOT / f"programs/{name}.ptx"), "--launch",
                str(ROOT / f"programs/{name}.launch"), *arguments)

    def test_holds_of_what_is_written(self):
        profile = ("-enable_ptx_file_line_stats", "1")
        documents = {
            "trace": self.written("a", *self.trace("streams")),
            "profile": self.written("b", *self.trace("vecadd", *profile)),
            "cut off": self.written("c", *self.trace("sample", "-gpgpu_max_cycle", "3000")),
            "modern": self.written("d", *self.trace("sgemm_tile", "--core", "modern")),
            "program": self.written("e", *self.program("histogram", *profile)),
        }
        for name, document in documents.items():
            with self.subTest(name):
                self.assertEqual([], all_faults(document)[:5])
        self.assertTrue(documents["profile"]["kernels"][0]["instructions"])
        self.assertNotEqual("finished", documents["cut off"]["ended"])

    def test_holds_of_merged_runs(self):
        for i, kernels in enumerate(("1-2", "2-4")):
            self.written(f"{i}.json", *self.trace("sample", "--kernels", kernels))
        merge = pathlib.Path(SIMTLM).parent / "simtlm-merge"
        subprocess.run([merge, "-o", self.path / "m.json", self.path / "0.json",
                        self.path / "1.json", "--overlap"], check=True, capture_output=True)
        document = json.loads((self.path / "m.json").read_text())
        self.assertEqual([], all_faults(document)[:5])
        self.assertEqual([2], [k["kernel"] for k in document["merged"]["warmed_by"]])

    def test_does_not_hold_of_others(self):
        document = self.written("a", *self.trace("vecadd"))

        def spoilt(change):
            other = copy.deepcopy(document)
            change(other)
            return all_faults(other)

        for change in (
                lambda d: d.pop("provenance"),
                lambda d: d["schema"].update(version=3),
                lambda d: d["kernels"][0].pop("gpu_sim_cycle"),
                lambda d: d["kernels"][0].update(grid=[1, 1]),
                lambda d: d["kernels"][0].update(new_name=1),
                lambda d: d["kernels"][0].update(gpu_sim_cycle="6512"),
                lambda d: d["provenance"].update(started="yesterday"),
                lambda d: d["counters"]["sm"]["cycles"].update(adds="product"),
                lambda d: next(iter(d["blocks"].values()))["counters"].update(x="many"),
                lambda d: d.update(ended="somehow")):
            self.assertTrue(spoilt(change))

    def test_names_what_the_page_names(self):
        page = (ROOT / "docs/statistics-files.md").read_text()

        def table_after(line):
            rows = page.split(line + "\n", 1)[1].lstrip("\n").split("\n\n", 1)[0].splitlines()[2:]
            return {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}

        self.assertEqual(
            table_after("The file contains one object. In version 2 of the schema, its members are:"),
            set(SCHEMA["properties"]))
        self.assertEqual(table_after("Each element of `kernels`:"),
                         set(SCHEMA["$defs"]["kernel"]["properties"]))
        self.assertEqual(table_after("`provenance`:"),
                         set(SCHEMA["$defs"]["provenance"]["properties"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
