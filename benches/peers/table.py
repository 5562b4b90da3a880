"""The results, for a person."""


def seconds(value):
    if value < 0.001:
        return f"{value * 1e6:.0f} µs"
    if value < 1:
        return f"{value * 1e3:.{1 if value < 0.1 else 0}f} ms"
    return f"{value:.{1 if value < 100 else 0}f} s"


def size(value):
    return f"{value / 1e6:.{2 if value < 1e7 else 1}f} MB"


def table(steps, results):
    """A Markdown table: a line for each step, a column for each tool.

    Behind a value stands how many times the value of windlass it is, where windlass does the same.
    """
    measured = [result for result in results if result["steps"]]
    lines = ["| step | " + " | ".join(result["tool"] for result in measured) + " |"]
    lines.append("|---|" + "---:|" * len(measured))
    for name, title, unit in steps:
        cells = [_cell(name, unit, result, results) for result in measured]
        if any(cell != "–" for cell in cells):
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def ratio(name, result, results):
    """The quotient of a value and the one of windlass, if there are both."""
    own = next((it for it in results if it["tool"] == result["against"]), None)
    if own is None or own is result or name not in own["steps"] or name not in result["steps"]:
        return None
    return result["steps"][name] / own["steps"][name] if own["steps"][name] else None


def _cell(name, unit, result, results):
    if name not in result["steps"]:
        return "–"
    value = result["steps"][name]
    shown = size(value) if unit == "bytes" else seconds(value)
    times = ratio(name, result, results)
    return shown if times is None else f"{shown} ({times:.{1 if times < 100 else 0}f}×)"
