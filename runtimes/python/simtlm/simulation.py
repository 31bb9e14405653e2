# SPDX-License-Identifier: Apache-2.0
"""One simulation in this process."""
from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _simtlm
from .launches import Launches
from .results import Interval, Kernel, Result

Path = Union[str, "os.PathLike[str]"]
Options = Mapping[str, Any]


def presets() -> Dict[str, str]:
    """The presets by name, with the GPUs that they model."""
    return dict(_simtlm.presets())


def option_table() -> List[Dict[str, str]]:
    """All options: name, default, unit, group, description."""
    return _simtlm.option_rows()


def _preset_folders() -> List[str]:
    """Where the presets of an installed package are; empty: where the library knows."""
    here = pathlib.Path(__file__).absolute().parent
    for folder in (here / "configs", here.parents[3] / "share/simtlm/configs"):
        if folder.is_dir():
            return [f for f in os.environ.get("SIMTLM_PRESET_PATH", "").split(":") if f] + [str(folder)]
    return []


def _words(options: Options) -> List[str]:
    words = []
    for name, value in options.items():
        option = name if name.startswith("-") else "-" + name
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [option, str(int(one)) if isinstance(one, bool) else str(one)]
    return words


class Simulation:
    """A GPU, and the traces or the program that it runs, in this process.

    preset    name of a GPU (`presets()`), or a list, such as ["QV100", "dram/HBM2E"]
    options   options of `simtlm` and their values: {"-gpgpu_n_mem": 4}; a list gives an option repeatedly
    trace     a folder of traces, or its kernelslist.g
    ptx, cubin  a program, with launch: `Launches`, or the name of a launch file

    Raises Error for what the program `simtlm` refuses, and if this process has had a simulation.
    """

    def __init__(self, preset: Union[str, List[str]], options: Optional[Options] = None, *,
                 trace: Optional[Path] = None, ptx: Optional[Path] = None, cubin: Optional[Path] = None,
                 launch: Union[Path, Launches, None] = None) -> None:
        self.preset = preset if isinstance(preset, str) else "+".join(preset)
        self.given = dict(options or {})
        self.kernels: List[Kernel] = []
        self._launches = launch if isinstance(launch, Launches) else None
        self._on_kernel: List[Callable[[Kernel], None]] = []
        self._on_interval: Optional[Tuple[int, Callable[[Interval], None]]] = None
        self._names: List[str] = []
        self._ends = 0  # of the current interval
        self._finished = False
        words = [w for p in ([preset] if isinstance(preset, str) else preset) for w in ("--preset", p)]
        words += _words(self.given)
        with tempfile.TemporaryDirectory() as folder:
            if trace is not None:
                path = pathlib.Path(trace)
                words += ["-trace", str(path / "kernelslist.g" if path.is_dir() else path)]
            for option, file in (("--ptx", ptx), ("--cubin", cubin)):
                if file is not None:
                    words += [option, os.fspath(file)]
            if self._launches is not None:
                words += ["--launch", str(self._launches.write(pathlib.Path(folder)))]
            elif launch is not None:
                words += ["--launch", os.fspath(launch)]  # type: ignore[arg-type]
            self._session = _simtlm.Session(words, _preset_folders())

    @property
    def cycles(self) -> int:
        """Core cycles so far."""
        return self._session.cycles

    @property
    def ended(self) -> str:
        """Why the run has ended; empty while it has not."""
        return self._session.ended

    @property
    def warnings(self) -> List[str]:
        """What the program `simtlm` would print as warnings."""
        return self._session.warnings

    def options(self) -> str:
        """All options with their values and where they come from, in option syntax."""
        return self._session.options()

    def on_kernel(self, call: Callable[[Kernel], None]) -> None:
        """Calls `call` with every kernel that ends."""
        self._on_kernel.append(call)

    def on_interval(self, cycles: int, call: Callable[[Interval], None]) -> None:
        """Calls `call` about every `cycles` core cycles, and at the end, with the counters of all blocks."""
        if cycles < 1:
            raise ValueError("an interval has at least one cycle")
        self._on_interval = (cycles, call)
        self._names = self._session.counter_names()
        self._ends = self.cycles + cycles

    def step(self, cycles: int) -> bool:
        """Simulates about `cycles` core cycles, less if the run ends. Returns whether it has not ended."""
        if cycles < 1:
            raise ValueError("a step has at least one cycle")
        end = self.cycles + cycles
        while not self.ended and self.cycles < end:
            self._advance(end)
        return not self.ended

    def run(self) -> Result:
        """Simulates to the end and writes the files that the options ask for."""
        while not self.ended:
            self._advance(None)
        return self.result()

    def statistics(self) -> Dict[str, float]:
        """All statistics of the report, now."""
        return self._session.statistics()[0]

    def buffer(self, name: str, dtype: Any = None) -> np.ndarray:
        """The contents of a buffer of the launches, or of a variable of the program, now."""
        if dtype is None:
            dtype = self._launches.dtype(name) if self._launches is not None else np.uint8
        return np.frombuffer(self._session.buffer(name), dtype)

    def result(self) -> Result:
        """What has been simulated so far. Completes the files of the run, once."""
        if not self._finished:
            self._finished = True
            messages, code = self._session.finish()
            if messages or code:
                raise _simtlm.Error("; ".join(messages) or "results differ from those that the launch file expects")
        values, rows = self._session.statistics()
        names = self._launches._buffers if self._launches is not None else ()
        return Result(self.preset, self.given, list(self.kernels), self.cycles,
                      self.cycles * self._session.period, self.ended or "stopped", values, rows,
                      {n: self.buffer(n) for n in names})

    def _advance(self, end: Optional[int]) -> None:
        limits = [e for e in (end, self._ends if self._on_interval else None) if e is not None]
        for fields in self._session.advance(max(1, min(limits) - self.cycles) if limits else 0):
            kernel = Kernel(**fields)
            self.kernels.append(kernel)
            for call in self._on_kernel:
                call(kernel)
        if self._on_interval and (self.cycles >= self._ends or self.ended):
            first, last, values = self._session.interval()
            self._ends = last + self._on_interval[0]
            self._on_interval[1](Interval(first, last, self._names, values))
