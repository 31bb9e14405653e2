# SPDX-License-Identifier: Apache-2.0
"""GPUs simulated in Python: the model, the options and the statistics of the program `simtlm`.

    import simtlm
    result = simtlm.run("TINY", trace="traces/vecadd")
    print(result.cycles, result["L2_total_cache_accesses"])

`run` and `sweep` simulate in processes of their own. `Simulation` simulates in this process, step by
step and with callbacks; SystemC allows one in a process. See docs/python.md.
"""
from ._simtlm import Error, version as __version__
from .launches import Launches
from .results import Interval, Kernel, Result, Sweep
from .simulation import Simulation, option_table, presets
from .studies import run, sweep

__all__ = ["Error", "Interval", "Kernel", "Launches", "Result", "Simulation", "Sweep", "__version__",
           "option_table", "presets", "run", "sweep"]
