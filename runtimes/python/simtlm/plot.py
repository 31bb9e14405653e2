# SPDX-License-Identifier: Apache-2.0
"""Pictures of results with matplotlib. Each function draws into `axes`, or a new figure, and returns
the axes."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from .results import Interval, Result, Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _axes(axes: Optional["Axes"], **labels: str) -> "Axes":
    if axes is None:
        import matplotlib.pyplot as plt
        axes = plt.subplots(layout="constrained")[1]
    axes.set(**labels)
    return axes


def kernels(result: Result, statistic: str = "gpu_sim_cycle", axes: Optional["Axes"] = None) -> "Axes":
    """A bar for each kernel of a run."""
    axes = _axes(axes, xlabel="kernel", ylabel=statistic, title=result.preset)
    axes.bar([f"{k.launch} {k.name}" for k in result.kernels], result.array(statistic))
    axes.tick_params(axis="x", rotation=45)
    return axes


def intervals(samples: Sequence[Interval], counter: str, axes: Optional["Axes"] = None) -> "Axes":
    """The rate of a counter over time, summed over all blocks."""
    axes = _axes(axes, xlabel="core cycle", ylabel=counter + " per cycle")
    edges = [samples[0].first] + [s.last for s in samples]
    axes.stairs([s.total(counter) / (s.last - s.first) for s in samples], edges)
    return axes


def sweep(runs: Sweep, axis: str, statistic: str = "seconds", axes: Optional["Axes"] = None) -> "Axes":
    """A statistic against an axis of a sweep, with a line for each combination of the others."""
    axes = _axes(axes, xlabel=axis, ylabel=statistic)
    values = runs.array(statistic)
    lines: dict = {}
    for point, value in zip(runs.points, values):
        others = ", ".join(f"{k} {v}" for k, v in point.items() if k != axis)
        lines.setdefault(others, []).append((point[axis], value))
    for label, line in lines.items():
        axes.plot(*zip(*line), marker="o", label=label or None)
    if any(lines):
        axes.legend()
    return axes


def heatmap(runs: Sweep, x: str, y: str, statistic: str = "seconds", axes: Optional["Axes"] = None) -> "Axes":
    """A statistic by two axes of a sweep."""
    axes = _axes(axes, xlabel=x, ylabel=y, title=statistic)

    def distinct(name: str) -> list:
        return list(dict.fromkeys(str(p[name]) for p in runs.points))
    columns, lines = distinct(x), distinct(y)
    grid: Any = np.full((len(lines), len(columns)), np.nan)
    for point, value in zip(runs.points, runs.array(statistic)):
        grid[lines.index(str(point[y])), columns.index(str(point[x]))] = value
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(lines)), lines)
    axes.figure.colorbar(axes.imshow(grid, aspect="auto"), ax=axes)
    return axes
