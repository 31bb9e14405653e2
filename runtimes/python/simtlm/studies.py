# SPDX-License-Identifier: Apache-2.0
"""Runs in processes of their own: SystemC allows one simulation in a process."""
from __future__ import annotations

import concurrent.futures
import itertools
import os
import pathlib
import pickle
import subprocess
import sys
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from ._simtlm import Error
from .results import Result, Sweep
from .simulation import Simulation

_WORKER = "import simtlm.studies; simtlm.studies._work()"


def _work() -> None:
    """The process of a run: reads the arguments of a Simulation, writes its Result or the error."""
    arguments = pickle.load(sys.stdin.buffer)
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what programs print
    try:
        done: Any = Simulation(**arguments).run()
    except Exception as e:  # is raised by the caller
        done = str(e)
    pickle.dump(done, answer)
    answer.close()
    os._exit(0)  # without destroying the design, which takes time


def run(preset: Union[str, List[str]], options: Optional[Mapping[str, Any]] = None,
        **what: Any) -> Result:
    """Runs a simulation in a process of its own. The arguments are those of `Simulation`."""
    package = str(pathlib.Path(__file__).absolute().parents[1])
    path = os.pathsep.join([package] + [p for p in [os.environ.get("PYTHONPATH")] if p])
    worker = subprocess.run([sys.executable, "-c", _WORKER], stdout=subprocess.PIPE,
                            input=pickle.dumps({"preset": preset, "options": options, **what}),
                            env={**os.environ, "PYTHONPATH": path}, check=False)
    if worker.returncode != 0:
        raise Error(f"the process of a simulation has ended with code {worker.returncode}")
    done = pickle.loads(worker.stdout)
    if isinstance(done, str):
        raise Error(done)
    return done


def sweep(axes: Mapping[str, Iterable[Any]], *, jobs: Optional[int] = None, **fixed: Any) -> Sweep:
    """Runs every combination of the values of the axes, several at a time.

    axes    names of options, or "preset", "trace", "ptx", "launch", and their values:
            {"preset": ["A100", "H100_PCIE"], "-gpgpu_n_mem": [8, 16]}. A value that is a dictionary
            sets several options: {"L1": [{"-gpgpu_cache:dl1": ...}, ...]}
    jobs    simulations at a time; None: one for each processor
    fixed   arguments of `Simulation` that all runs share

    A run that fails does not end the sweep: its result is the Error.
    """
    names = list(axes)
    points = [dict(zip(names, values)) for values in itertools.product(*axes.values())]

    def one(point: Dict[str, Any]) -> Union[Result, Error]:
        arguments = dict(fixed)
        options = dict(arguments.pop("options", None) or {})
        for name, value in point.items():
            if name in ("preset", "trace", "ptx", "cubin", "launch"):
                arguments[name] = value
            else:
                options.update(value if isinstance(value, dict) else {name: value})
        try:
            return run(options=options, **arguments)
        except Error as e:
            return e

    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        return Sweep(points, list(pool.map(one, points)))
