# SPDX-License-Identifier: Apache-2.0
"""What simtlm-calibrate writes: the preset, and the report as text and as a page."""
import html
import statistics

from calibration_parameters import HARDWARE


def number(value):
    return "-" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def percent(error):
    return "" if error is None else f"{100 * error:+.1f} %"


def source_of(outcome, calibration):
    """Why a parameter has its value, in a line."""
    names = []
    for name in outcome.benchmarks:
        if name.startswith("gpu."):
            names.append(f"{name[4:]} of the GPU")
        else:
            names.append(f"{name}: measured {number(calibration.fitted[name])}, simulated "
                         f"{number(calibration.after.get(name))}")
    return f"{outcome.parameter.option}, number {outcome.parameter.place + 1}: {'; '.join(names)}"


def write_preset(folder, calibration, base):
    """gpgpusim.config: the base, and below it every changed option with its source."""
    gpu = calibration.measured["gpu"]
    lines = ["# SPDX-License-Identifier: Apache-2.0",
             f"# {gpu['name']}, compute capability {gpu['compute_capability']}: made by simtlm-calibrate from "
             f"measurements of {calibration.measured['date']}. Options that are not here are those of the base."]
    files = [base / "gpgpusim.config", base / "trace.config"] if base.is_dir() else [base]
    lines += [f"-config {file}" for file in files if file.exists()]
    for option, text in calibration.chosen.items():
        for outcome in calibration.outcomes:
            if outcome.parameter.option == option and outcome.value is not None:
                lines.append(f"# {source_of(outcome, calibration)}")
        lines.append(f"{option} {text}")
    kept = [outcome for outcome in calibration.outcomes if outcome.why]
    if kept:
        lines.append("# As in the base, because no measurement identifies them:")
        lines += [f"#   {o.parameter.option}, number {o.parameter.place + 1} ({number(o.base)}): {o.why}" for o in kept]
    (folder / "gpgpusim.config").write_text("\n".join(lines) + "\n")


def rows_of(calibration):
    """(benchmark, unit, measured, spread, before, after, errors before and after, role, left-out error)."""
    roles = {}
    for outcome in calibration.outcomes:
        for name in outcome.benchmarks if not outcome.why else ():
            roles.setdefault(name, []).append(outcome.parameter.option)
    omitted = calibration.leave_one_out()
    rows = []
    for name, wanted in calibration.target.items():
        result = calibration.measured["benchmarks"][name]
        before, after = calibration.before[name], calibration.after[name]
        role = ("held out" if calibration.held_out_pattern.search(name) else
                ", ".join(roles[name]) if name in roles else "validation")
        rows.append({"name": name, "unit": result["unit"], "measured": wanted,
                     "spread": (result["max"] - result["min"]) / wanted, "before": before, "after": after,
                     "error_before": before / wanted - 1 if before else None,
                     "error_after": after / wanted - 1 if after else None, "role": role,
                     "omitted": omitted.get(name)})
    return rows


def means(rows):
    """Lines with the mean absolute errors by role."""
    lines = []
    for title, chosen in (("benchmarks that determine a parameter", lambda r: r["role"].startswith("-")),
                          ("benchmarks for validation", lambda r: r["role"] == "validation"),
                          ("held-out programs", lambda r: r["role"] == "held out")):
        group = [r for r in rows if chosen(r) and r["error_after"] is not None and r["error_before"] is not None]
        if group:
            worst = max(group, key=lambda r: abs(r["error_after"]))
            mean = {key: 100 * statistics.mean(abs(r[key]) for r in group) for key in ("error_after", "error_before")}
            lines.append(f"{title}: mean absolute error {mean['error_after']:.1f} % (base: {mean['error_before']:.1f} %), "
                         f"worst {percent(worst['error_after'])} ({worst['name']}), {len(group)} of them")
    return lines


def unidentified(calibration):
    """Options of the hardware that no parameter of the table covers."""
    known = {outcome.parameter.option for outcome in calibration.outcomes}
    return sorted(option for option in calibration.base_values if HARDWARE.match(option) and option not in known)


def write_reports(folder, calibration, base):
    """report.txt and report.html. Returns the text."""
    rows, gpu = rows_of(calibration), calibration.measured["gpu"]
    title = f"{gpu['name']}, calibrated from {base}"
    lines = [title, "", *means(rows), "", "Parameters (base -> calibrated):"]
    for o in calibration.outcomes:
        place = f"{o.parameter.option}[{o.parameter.place + 1}]"
        what = (f"{number(o.base)}, not identifiable: {o.why}" if o.why else
                f"{number(o.base)} -> {number(o.value)}   {', '.join(o.benchmarks)}")
        lines.append(f"  {place:36} {what}")
    lines += ["", f"  {'benchmark':34} {'measured':>12} {'spread':>8} {'base':>12} {'error':>9} {'calibrated':>12} "
              f"{'error':>9} {'omitted':>9}  role"]
    for r in rows:
        lines.append(f"  {r['name']:34} {number(r['measured']):>12} {percent(r['spread']).lstrip('+'):>8} "
                     f"{number(r['before']):>12} {percent(r['error_before']):>9} {number(r['after']):>12} "
                     f"{percent(r['error_after']):>9} {percent(r['omitted']):>9}  {r['role']}")
    missing = [f"{name}: {result['error']}" for name, result in calibration.measured["benchmarks"].items()
               if "error" in result]
    lines += ["", "Not measured:", *[f"  {why}" for why in missing or ["-"]], "",
              "Options without a benchmark, as in the base:", "  " + " ".join(unidentified(calibration))]
    text = "\n".join(lines) + "\n"
    (folder / "report.txt").write_text(text)
    (folder / "report.html").write_text(page(title, rows, calibration, missing))
    return text


STYLE = """body{font:14px sans-serif;margin:2em;max-width:75em}table{border-collapse:collapse}
td,th{padding:.2em .6em;border-bottom:1px solid #ddd;text-align:right}td:first-child,th:first-child,
td:last-child,th:last-child{text-align:left}.bar{display:inline-block;height:.7em;background:#1f5fa8}
.bad{background:#c9772b}"""


def page(title, rows, calibration, missing):
    """A page that loads nothing from elsewhere."""
    def cell(text):
        return f"<td>{html.escape(str(text))}</td>"

    def bar(error):
        if error is None:
            return "<td>not simulated</td>"
        kind = "bar bad" if abs(error) > 0.05 else "bar"
        return (f'<td style="text-align:left"><span class="{kind}" style="width:{min(20, 40 * abs(error)):.2f}em">'
                f"</span> {percent(error)}</td>")

    parts = [f"<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>{html.escape(title)}</title>",
             f"<style>{STYLE}</style><h1>{html.escape(title)}</h1>", *[f"<p>{html.escape(m)}</p>" for m in means(rows)],
             "<h2>Parameters</h2><table><tr><th>option<th>base<th>calibrated<th>from</tr>"]
    for o in calibration.outcomes:
        cells = (f"{o.parameter.option}, number {o.parameter.place + 1}", number(o.base),
                 "not identifiable" if o.why else number(o.value), o.why or ", ".join(o.benchmarks))
        parts.append("<tr>" + "".join(map(cell, cells)) + "</tr>")
    parts.append("</table><h2>Benchmarks</h2><table><tr><th>benchmark<th>unit<th>measured<th>spread<th>base<th>error"
                 "<th>calibrated<th>error<th>omitted<th>role</tr>")
    for r in rows:
        parts.append("<tr>" + cell(r["name"]) + cell(r["unit"]) + cell(number(r["measured"])) + cell(
            percent(r["spread"]).lstrip("+")) + cell(number(r["before"])) + bar(r["error_before"]) + cell(
                number(r["after"])) + bar(r["error_after"]) + cell(percent(r["omitted"])) + cell(r["role"]) + "</tr>")
    parts.append("</table><h2>Not measured</h2><ul>" + "".join(f"<li>{html.escape(m)}</li>" for m in missing) + "</ul>")
    parts.append("<h2>Options without a benchmark, as in the base</h2><p>"
                 + html.escape(" ".join(unidentified(calibration))) + "</p></html>")
    return "\n".join(parts) + "\n"
