# SPDX-License-Identifier: Apache-2.0
"""What simulations return: plain data, which can be pickled."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Tuple

import numpy as np

if TYPE_CHECKING:
    import pandas


@dataclasses.dataclass
class Kernel:
    """A kernel that has ended. Cycles are of the core clock; `statistics` are those of the report
    after it (docs/statistics.md), of which gpu_sim_* concern the kernel and others the whole run."""

    name: str
    launch: int
    stream: int
    grid: Tuple[int, int, int]
    block: Tuple[int, int, int]
    registers: int
    shared_memory: int
    launched_at: int
    start_cycle: int
    end_cycle: int
    statistics: Dict[str, float] = dataclasses.field(repr=False)

    @property
    def cycles(self) -> int:
        """Cycles from its first thread block to the end of its last."""
        return self.end_cycle - self.start_cycle


@dataclasses.dataclass
class Interval:
    """Increase of the counters of all blocks between two core cycles, [first, last)."""

    first: int
    last: int
    names: List[str] = dataclasses.field(repr=False)
    values: np.ndarray = dataclasses.field(repr=False)

    def total(self, counter: str) -> int:
        """Sum of a counter over all blocks: total("thread_instructions")."""
        which = [i for i, n in enumerate(self.names) if n.rpartition(" ")[2] == counter]
        if not which:
            raise KeyError(counter)
        return int(self.values[which].sum())


@dataclasses.dataclass
class Result:
    """A run: its kernels, and the statistics at its end."""

    preset: str
    options: Dict[str, Any]
    kernels: List[Kernel]
    cycles: int
    seconds: float  # simulated time
    ended: str      # "finished", or the option that has ended the run
    statistics: Dict[str, float] = dataclasses.field(repr=False)
    rows: Dict[str, np.ndarray] = dataclasses.field(repr=False)  # histograms
    buffers: Dict[str, np.ndarray] = dataclasses.field(default_factory=dict, repr=False)

    def __getitem__(self, statistic: str) -> float:
        return self.statistics[statistic]

    def array(self, statistic: str) -> np.ndarray:
        """A statistic after each kernel."""
        return np.array([k.statistics[statistic] for k in self.kernels])

    def frame(self) -> "pandas.DataFrame":
        """One row for each kernel, with its properties and statistics. Needs pandas."""
        import pandas
        rows = []
        for k in self.kernels:
            row: Dict[str, Any] = {f.name: getattr(k, f.name) for f in dataclasses.fields(k)}
            del row["statistics"]
            row["cycles"] = k.cycles
            row.update(k.statistics)
            rows.append(row)
        return pandas.DataFrame(rows)


@dataclasses.dataclass
class Sweep:
    """The runs of a sweep: `points` are the values of its axes, `results` the runs, in the same order.
    A run that failed has its error as result."""

    points: List[Dict[str, Any]]
    results: List[Any] = dataclasses.field(repr=False)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Tuple[Dict[str, Any], Any]]:
        return iter(zip(self.points, self.results))

    def array(self, statistic: str) -> np.ndarray:
        """A statistic of each run; NaN for one that failed. "cycles" and "seconds", too."""
        return np.array([self._value(r, statistic) for r in self.results])

    def frame(self, *statistics: str) -> "pandas.DataFrame":
        """One row for each run: the values of the axes, cycles, seconds and these statistics."""
        import pandas
        columns = ("cycles", "seconds") + statistics
        return pandas.DataFrame([{**p, **{c: self._value(r, c) for c in columns}} for p, r in self])

    @staticmethod
    def _value(result: Any, statistic: str) -> float:
        if not isinstance(result, Result):
            return float("nan")
        return getattr(result, statistic) if statistic in ("cycles", "seconds") else result[statistic]
