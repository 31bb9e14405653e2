# SPDX-License-Identifier: Apache-2.0
"""The search of simtlm-calibrate: parameters of a preset for which the simulated GPU gives measured values."""
import concurrent.futures
import dataclasses
import hashlib
import json
import math
import sys

import gpu_benchmarks
from calibration_parameters import PARAMETERS
from gpu_benchmarks import Refusal, Target

CLOSE = 0.002  # relative difference at which a parameter is not changed any more
BETTER = 0.005  # by which another value must be closer to the measurements to replace the present one


class Journal:
    """Simulated values by key in a file of lines, so that an interrupted run continues."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if path.exists():
            for line in path.read_text().splitlines():
                try:
                    entry = json.loads(line)
                    self.known[entry["key"]] = entry
                except (ValueError, KeyError, TypeError):
                    continue  # the last line of an interrupted run

    def add(self, entry):
        self.known[entry["key"]] = entry
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


class Simulator:
    """Runs benchmarks on the base preset with changed options."""

    def __init__(self, simtlm, words, program, journal, jobs, launcher, limit):
        self.simtlm, self.words, self.program, self.journal = simtlm, words, program, journal
        self.launcher, self.limit = launcher, limit
        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=jobs)
        base = "\n".join(f"{k} {v}" for k, v in sorted(gpu_benchmarks.option_values(simtlm, words).items()))
        with open(simtlm, "rb") as file:
            executable = hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else (
                hashlib.sha256(file.read()).hexdigest())
        self.identity = base + executable + gpu_benchmarks.sources_digest()
        self.simulated = 0

    def target(self, options):
        words = [*self.words, *[word for pair in options.items() for word in pair]]
        return Target(self.program, [*self.launcher, *gpu_benchmarks.simulator_prefix(self.simtlm, words)], True)

    def key(self, options, name):
        return hashlib.sha256(json.dumps([self.identity, sorted(options.items()), name]).encode()).hexdigest()[:24]

    def one(self, options, name):
        """An entry of the journal, without adding it."""
        result = next(self.target(options).run([name], self.limit, 1))[1]
        entry = {"key": self.key(options, name), "name": name, "options": options}
        entry.update({"value": result["values"][0]} if "values" in result else {"error": result["error"]})
        return entry

    def values(self, points):
        """Values of pairs of options and benchmark, in order; None for those that failed."""
        keys = [self.key(options, name) for options, name in points]
        missing = {key: point for key, point in zip(keys, points) if key not in self.journal.known}
        for done in concurrent.futures.as_completed([self.pool.submit(self.one, *p) for p in missing.values()]):
            self.journal.add(done.result())
            self.simulated += 1
        return [self.journal.known[key].get("value") for key in keys]

    def error(self, options, name):
        return self.journal.known.get(self.key(options, name), {}).get("error")


@dataclasses.dataclass
class Outcome:
    """What became of a parameter."""
    parameter: object
    base: float
    value: float = None
    benchmarks: tuple = ()  # that determined it
    why: str = ""  # it keeps the value of the base
    visited: dict = dataclasses.field(default_factory=dict)  # simulated values by value of the parameter


class Calibration:
    """The parameters of a preset from the measurements of a GPU.

    @param values  options of the base preset
    @param chosen  options that are given
    @param only, held_out  patterns of options to calibrate, and of benchmarks that are only compared
    @param rows  names of all benchmarks
    """

    def __init__(self, simulator, measured, values, chosen, only, held_out, rows):
        self.simulator, self.measured = simulator, measured
        self.base_values, self.chosen = dict(values), dict(chosen)
        self.held_out_pattern = held_out
        self.target = {name: result["median"] for name, result in measured["benchmarks"].items()
                       if result.get("median", 0) > 0 and name in rows}
        self.fitted = {name: value for name, value in self.target.items() if not held_out.search(name)}
        self.outcomes = []
        for parameter in PARAMETERS:
            if only.search(parameter.option) and parameter.applies(values):
                self.outcomes.append(Outcome(parameter, parameter.read(values)))
        if not self.outcomes:
            raise Refusal("no parameter of the base preset has this name: simtlm-calibrate --table prints them")
        for outcome in self.outcomes:
            self.find_evidence(outcome)

    def find_evidence(self, outcome):
        """The measured benchmarks that determine a parameter: all for a search, else the first."""
        parameter = outcome.parameter
        if parameter.method == "device":
            return
        present = tuple(name for name in parameter.evidence if name in self.fitted)
        if not present:
            reasons = [self.measured["benchmarks"].get(n, {}).get("error", "not measured") for n in parameter.evidence]
            outcome.why = f"no measurement: {parameter.evidence[0]}: {reasons[0]}"
        outcome.benchmarks = present if parameter.method in ("choice", "search") else present[:1]

    # ---- the current options ------------------------------------------------------------------------

    def current(self):
        return {**self.base_values, **self.chosen}

    def number(self, outcome):
        return outcome.parameter.read(self.current())

    def options_with(self, outcome, number):
        """Changed options, with another value of a parameter."""
        parameter = outcome.parameter
        changed = dict(self.chosen)
        changed[parameter.option] = parameter.write(self.current(), number)
        if changed[parameter.option] == self.base_values[parameter.option]:
            del changed[parameter.option]
        return changed

    def choose(self, outcome, number):
        """Sets a parameter. Returns whether its value changed."""
        before = self.number(outcome)
        self.chosen = self.options_with(outcome, number)
        outcome.value = number
        return number != before

    def log(self, text):
        print(f"simtlm-calibrate: {text}", file=sys.stderr, flush=True)

    # ---- methods ------------------------------------------------------------------------------------

    def from_device(self):
        """Properties of the GPU: the same ratio as in the base preset."""
        gpu = dict(self.measured["gpu"])
        base = self.simulator.target(self.chosen).device()
        clocks = [outcome for outcome in self.outcomes if outcome.parameter.method == "value"]
        for outcome in clocks:
            if not outcome.why:
                self.choose(outcome, outcome.parameter.rounded(self.fitted[outcome.benchmarks[0]]))
        for properties in (gpu, base):
            if "l2_bytes" in properties:
                properties["l2_bytes_per_channel"] = properties["l2_bytes"] / max(1, properties["bus_bits"])
        first = float(self.base_values["-gpgpu_clock_domains"].split(":")[0])
        gpu["clock_sm"], base["clock_sm"] = self.fitted.get("clock_sm", first), first
        for outcome in self.outcomes:
            if outcome.parameter.method != "device":
                continue
            name = outcome.parameter.evidence[0]
            if name not in gpu:
                outcome.why = f"no measurement: {name} of the GPU"
                continue
            number = outcome.base * gpu[name] / base[name] if base.get(name) else 0
            whole = outcome.parameter.rounded(number)
            if number <= 0 or abs(whole / number - 1) > 0.02:
                outcome.why = f"{name}: {gpu[name]:g} is no multiple of what the preset can express"
                continue
            outcome.benchmarks = (f"gpu.{name}",)
            self.choose(outcome, whole)

    def proposed(self, outcome, simulated):
        """The next value of a parameter with a known effect on its benchmark."""
        parameter, now = outcome.parameter, self.number(outcome)
        wanted = self.fitted[outcome.benchmarks[0]]
        if parameter.method == "inverse":
            return now * simulated / wanted if simulated > 0 else now
        if parameter.method == "proportional":
            return now * wanted / simulated if simulated > 0 else now
        slope = parameter.slope
        others = [(x, v[0]) for x, v in outcome.visited.items() if x != now]
        if others:
            x, value = others[-1]
            secant = (simulated - value) / (now - x)
            slope = secant if secant > 0 else slope
        return now + (wanted - simulated) / slope

    def follow(self):
        """Steps of all parameters with a known effect at the same time, until none changes."""
        active = [o for o in self.outcomes if o.parameter.method in ("add", "proportional", "inverse") and not o.why]
        for outcome in active:
            outcome.visited.clear()
        start = {id(o): self.number(o) for o in active}
        for _ in range(8):
            options = dict(self.chosen)
            simulated = self.simulator.values([(options, o.benchmarks[0]) for o in active])
            going = []
            for outcome, value in zip(active, simulated):
                now = self.number(outcome)
                if value is None:
                    self.give_up(outcome, f"{outcome.benchmarks[0]}: " + self.simulator.error(
                        options, outcome.benchmarks[0]))
                    continue
                insensitive = [x for x, v in outcome.visited.items()
                               if self.has_no_effect(outcome, x - now, v[0] - value)]
                outcome.visited[now] = (value,)
                if insensitive and abs(value / self.fitted[outcome.benchmarks[0]] - 1) > CLOSE:
                    self.give_up(outcome, f"{outcome.benchmarks[0]} does not depend on it here")
                    continue
                number = outcome.parameter.rounded(self.proposed(outcome, value))
                if abs(value / self.fitted[outcome.benchmarks[0]] - 1) <= CLOSE or number in outcome.visited:
                    self.choose(outcome, self.best(outcome))
                    continue
                going.append((outcome, number))
            for outcome, number in going:
                self.choose(outcome, number)
            active = [outcome for outcome, _ in going]
            if not active:
                break
        for outcome in active:  # not found in eight steps
            self.choose(outcome, self.best(outcome))
        for outcome in [o for o in self.outcomes if o.parameter.power and o.visited and not o.why]:
            power = 2.0 ** round(math.log2(self.number(outcome)))
            self.visit(outcome, [power])
            if self.misfit(outcome.benchmarks, outcome.visited[power]) < CLOSE ** 2:
                self.choose(outcome, power)
        return any(self.number(o) != start[id(o)] for o in self.outcomes if id(o) in start)

    def has_no_effect(self, outcome, change, effect):
        """Whether a benchmark hardly changed when its parameter was changed."""
        if abs(change) <= max(0.1 * abs(self.number(outcome)), 0.5 if outcome.parameter.step >= 1 else 0):
            return False
        if outcome.parameter.method == "add":
            return abs(effect) < 0.1 * outcome.parameter.slope * abs(change)
        return abs(effect) < 1e-4 * self.fitted[outcome.benchmarks[0]]

    def give_up(self, outcome, why):
        self.choose(outcome, outcome.base)
        outcome.value, outcome.why = None, why

    def misfit(self, names, values):
        """Mean squared logarithm of the ratios of simulated to measured values."""
        logs = [math.log(v / self.fitted[n]) ** 2 if v and v > 0 else 1.0 for n, v in zip(names, values)]
        return sum(logs) / len(logs)

    def best(self, outcome, names=None, margin=1e-6):
        """The visited value of the least misfit; the present one if none is better by the margin."""
        names = names or outcome.benchmarks
        places = [outcome.benchmarks.index(name) for name in names]
        misfits = {x: round(self.misfit(names, [v[i] for i in places]), 9) for x, v in outcome.visited.items()}
        least, now = min(misfits.values()), self.number(outcome)
        if now in misfits and math.sqrt(misfits[now]) - math.sqrt(least) < margin:
            return now
        return min(x for x in misfits if misfits[x] == least)

    def visit(self, outcome, numbers):
        """Simulates the benchmarks of a parameter for several of its values."""
        new = [x for x in numbers if x not in outcome.visited]
        names = outcome.benchmarks
        values = self.simulator.values([(self.options_with(outcome, x), n) for x in new for n in names])
        for i, x in enumerate(new):
            outcome.visited[x] = tuple(values[i * len(names):(i + 1) * len(names)])

    def explore(self, outcome, first):
        """One parameter by trying values of it, with the others fixed; after the first time only if its
        benchmarks are not close. Returns whether it changed."""
        parameter, before = outcome.parameter, self.number(outcome)
        earlier = dict(outcome.visited)
        outcome.visited.clear()
        self.visit(outcome, [before])
        if not first and math.sqrt(self.misfit(outcome.benchmarks, outcome.visited[before])) < BETTER:
            outcome.visited = {**earlier, **outcome.visited}
            return False
        if parameter.method == "choice":
            self.visit(outcome, map(float, parameter.choices))
        else:
            self.descend(outcome)
        if all(v is None for values in outcome.visited.values() for v in values):
            self.give_up(outcome, "its benchmarks do not run in the simulator")
        elif self.flat(outcome):
            self.give_up(outcome, "its benchmarks do not depend on it here")
        else:
            self.choose(outcome, self.best(outcome, margin=BETTER))
        return self.number(outcome) != before

    def descend(self, outcome):
        """Visits values with halved steps, beginning at the present one."""
        parameter, start = outcome.parameter, dict(self.chosen)
        halvings = max(0, math.floor(math.log2((parameter.high - parameter.low) / 8 / parameter.step)))
        step, centre = parameter.step * 2 ** halvings, self.number(outcome)
        while step > 0.99 * parameter.step:
            self.visit(outcome, {parameter.rounded(centre - step), parameter.rounded(centre + step)})
            best = self.best(outcome)
            if best == centre:
                step /= 2
            centre = best
            self.chosen = self.options_with(outcome, centre)
        self.chosen = start

    def flat(self, outcome):
        """Whether the visited values of a parameter make no difference that is worth a change."""
        return all(max(v) / min(v) - 1 < BETTER for v in zip(*outcome.visited.values()) if all(v))

    def run(self, rounds):
        """Calibrates, then simulates all benchmarks with the base and with the result."""
        self.from_device()
        for i in range(rounds):
            moved = self.follow()
            for outcome in self.outcomes:
                if outcome.parameter.method in ("choice", "search") and not outcome.why:
                    moved |= self.explore(outcome, i == 0)
            self.log(f"round {i + 1}: {self.simulator.simulated} simulations, {len(self.chosen)} options changed")
            if not moved:
                break
        names = list(self.target)
        given = {k: v for k, v in self.chosen.items() if k.startswith("-gpgpu_compute_capability")}
        self.before = dict(zip(names, self.simulator.values([(given, n) for n in names])))
        self.after = dict(zip(names, self.simulator.values([(dict(self.chosen), n) for n in names])))

    # ---- for the report -----------------------------------------------------------------------------

    def leave_one_out(self):
        """By benchmark: the relative error with the value that a searched parameter has without it."""
        errors = {}
        for outcome in self.outcomes:
            if outcome.parameter.method not in ("choice", "search") or outcome.why or len(outcome.benchmarks) < 2:
                continue
            for i, name in enumerate(outcome.benchmarks):
                others = [n for n in outcome.benchmarks if n != name]
                value = outcome.visited[self.best(outcome, others)][i]
                if value:
                    errors[name] = value / self.fitted[name] - 1
        return errors
