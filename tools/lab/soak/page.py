"""The page of a soak: one file with everything in it but the captures, which it links to."""
import collections
import html
import pathlib

from soak import chart, figures as numbers, plan as plans

STYLE = pathlib.Path(__file__).resolve().parent / "page.css"
SPANS = 30
MOST_FAILURES = 200
PERCENTILES = [f"#p{quantile:g}" for quantile in numbers.QUANTILES]
OUTCOMES = (("success", "succeeded"), ("expected", "ended as the fault explains"), ("failure", "failed"))


def write(path, state, figures, breaches):
    """Writes the page, whole or not at all."""
    new = path.with_suffix(".new")
    try:
        new.write_text(render(state, figures, breaches), encoding="utf-8")
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def render(state, figures, breaches):
    broken = [breach for breach in breaches if not breach.is_held]
    verdict = (f'<span class="bad">{len(broken)} of {len(breaches)} thresholds breached</span>' if broken
               else '<span class="good">every threshold held</span>')
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>Soak {_text(state['seed'])}</title><style>{STYLE.read_text(encoding='utf-8')}</style></head><body>",
        f"<main><h1>Soak with seed <code>{_text(state['seed'])}</code>: {verdict}</h1>", _origin(state),
        _cards(state, figures),
        _thresholds(breaches), _times(state, figures), _steps(figures), _failures(state, figures), _faults(figures),
        _processes(figures), _ways(figures), "</main></body></html>"]
    return "\n".join(parts) + "\n"


def _text(value):
    return html.escape(str(value))


def _table(caption, heads, rows):
    """A table; a head that begins with # is of numbers. Cells are HTML already."""
    head = "".join(f'<th scope="col"{_class(name)}>{_text(name.lstrip("#"))}</th>' for name in heads)
    body = "".join("<tr>" + "".join(
        f'<th scope="row">{cell}</th>' if index == 0 else f"<td{_class(heads[index])}>{cell}</td>"
        for index, cell in enumerate(row)) + "</tr>" for row in rows)
    return (f'<div class="wide" tabindex="0" role="region" aria-label="{_text(caption)}"><table>'
            f"<caption>{_text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>")


def _class(head):
    return ' class="number"' if head.startswith("#") else ""


def _origin(state):
    where = {"guest": "in the lab's guest, with two emulated adapters", "simulated": "over the simulated radio",
             "real": f"on {' and '.join(state['adapters'])}"}[state["place"]]
    sessions = state["sessions"]
    first, last = (sessions[0]["started"], sessions[-1].get("ended", "now")) if sessions else ("", "")
    resumed = f", in {len(sessions)} parts" if len(sessions) > 1 else ""
    digest = _text(state.get("program_sha256", ""))[:16]
    return (f'<p class="quiet">Ceremonies between <code>hybrid client</code> and <code>hybrid authenticator</code> '
            f"{where}, from {_text(first)} to {_text(last)}{resumed}. Program: SHA-256 <code>{digest}…</code>. "
            "Times are by a clock that does not jump, and without the pauses between parts.</p>")


def _cards(state, figures):
    took = figures.took.sorted()
    faulty = sum(count for (group, _), count in figures.outcomes.items() if group == "faulty")
    cards = [(figures.count, "ceremonies"), (len(figures.failures), "failed"), (faulty, "with a fault"),
             (chart.span(figures.elapsed), "running time"), (state["restarts"], "restarts")]
    cards += [(_seconds(numbers.percentile(took, quantile)), f"p{quantile:g}") for quantile in numbers.QUANTILES]
    return '<div class="cards">' + "".join(
        f'<div class="card"><b>{_text(value)}</b><span>{_text(name)}</span></div>' for value, name in cards) + "</div>"


def _seconds(milliseconds):
    if milliseconds is None:
        return "–"
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.2f} s"


def _thresholds(breaches):
    rows = []
    for breach in breaches:
        value = "–" if breach.value is None else f"{breach.value:z.2f} {breach.unit}"
        verdict = ("too little to say" if breach.value is None else
                   '<span class="good">held</span>' if breach.is_held else '<span class="bad">breached</span>')
        rows.append((_text(breach.text), value, f"{breach.limit:g} {breach.unit}", verdict))
    return "<h2>Thresholds</h2>" + _table("What this soak had to keep to",
                                          ("threshold", "#value", "#limit", "verdict"), rows)


def _times(state, figures):
    if not len(figures.took):
        return ""
    until = max(figures.elapsed, 1)
    spans = chart.buckets(figures.took, SPANS, until)
    series = [(f"p{quantile:g}", css,
               [(seconds, numbers.percentile(values, quantile) / 1000) for seconds, values in spans])
              for quantile, css in zip(numbers.QUANTILES, ("p50", "p99", "p999"))]
    marks = [(session["elapsed_s"], f"part {session['session']}") for session in state["sessions"][1:]][:20]
    return ("<h2>Whole ceremonies</h2><p>Those without a fault that succeeded, from the client's start to the end of "
            "both sides. Where a span of time has fewer than 100 of them, p99 is the slowest, and p99.9 where it has "
            "fewer than 1000.</p>"
            + chart.lines("Time of a ceremony", series, until, "seconds", marks)
            + _table("By radio and channel", ("radio", "channel", "#number", *PERCENTILES), [
                (_text(radio), _text(channel), len(took), *_percentiles(took.sorted()))
                for (radio, channel), took in sorted(figures.took_by_way.items())]))


def _steps(figures):
    until = max(figures.elapsed, 1)
    rows = []
    for (role, stage), points in sorted(figures.steps.items(), key=lambda item: (item[0][0], _order(item[0][1]))):
        values = points.sorted()
        spans = chart.buckets(points, SPANS // 2, until)
        drawn = [(css, [(seconds, numbers.percentile(span, quantile)) for seconds, span in spans])
                 for quantile, css in ((50, "p50"), (99, "p99"))]
        rows.append((f"{_text(role)} <code>{_text(stage)}</code>", len(values),
                     *_percentiles(values),
                     chart.spark(f"{role} {stage}: p50 and p99 over time", drawn, until)))
    return "<h2>Stages</h2>" + _table(
        "Time from the stage before, in ceremonies without a fault; over time: p50 and, dashed, p99",
        ("stage reached", "#number", *PERCENTILES, "over time"), rows)


def _percentiles(values):
    return [_seconds(numbers.percentile(values, quantile)) for quantile in numbers.QUANTILES]


def _order(stage):
    return numbers.ORDER.index(stage) if stage in numbers.ORDER else len(numbers.ORDER)


def _failures(state, figures):
    title = "<h2>Failures</h2>"
    if not figures.failures:
        return title + ("<p>None: every ceremony without a fault succeeded, and every other ended as its fault "
                        "explains.</p>")
    groups = collections.defaultdict(list)
    for line in figures.failures:
        groups[(_last_stage(line), line["cause"])].append(line)
    rows = [(_text(cause), f"<code>{_text(stage)}</code>", len(lines),
             " ".join(f'<a href="#n{line["number"]}">{line["number"]}</a>' for line in lines[:12]))
            for (stage, cause), lines in sorted(groups.items(), key=lambda item: -len(item[1]))]
    each = [(f'<span id="n{line["number"]}">{line["number"]}</span>', _text(_way(line)), _text(_fault(line)),
             _text(line["cause"]), _captures(line), f"<code>{_text(repeat(state, line['number']))}</code>")
            for line in figures.failures[:MOST_FAILURES]]
    more = len(figures.failures) - MOST_FAILURES
    rest = f"<p>{more} more are in ceremonies.ndjson.</p>" if more > 0 else ""
    return (title + _table("By cause and by the last stage that the client reached",
                           ("cause", "last stage", "#number", "ceremonies"), rows)
            + _table("Each", ("number", "ceremony", "fault", "cause", "captured", "once more"), each) + rest)


def _last_stage(line):
    stages = line["stages"].get("client") or {}
    return max(stages, key=stages.get) if stages else "start"


def _way(line):
    return f"{line['kind']}, {line['radio']}, {line['channel']}"


def _fault(line):
    fault = line["fault"]
    if not fault:
        return "none"
    return f"{fault['kind']} after {fault['role']} {fault['stage']}" if "role" in fault else fault["kind"]


def _captures(line):
    return " ".join(f'<a href="captures/{_text(name)}">{_text(name.rpartition(".")[2])}</a>'
                    for name in line.get("capture", []))


def repeat(state, number):
    """The command that does a ceremony once more."""
    words = ["tools/lab/run soak", f"--seed {state['seed']} --only {number}"]
    if state["place"] == "simulated":
        words.append("--simulated")
    elif state["place"] == "real":
        words.append(f"--real {' '.join(state['adapters'])}")
    choice, place = state["choice"], state["place"]
    radios = ("simulated",) if place == "simulated" else ("bluez", "kernel")
    faults = plans.SIMULATED_FAULTS if place == "simulated" else tuple(plans.FAULTS)
    for name, usual in (("radios", radios), ("channels", tuple(plans.CHANNELS)), ("kinds", tuple(plans.KINDS)),
                        ("faults", faults)):
        if sorted(choice[name]) != sorted(usual):
            words.append(f"--{name} {','.join(choice[name]) or 'none'}")
    if choice["fault_share"] != plans.Choice.fault_share:
        words.append(f"--fault-share {choice['fault_share']:g}")
    return " ".join(words)


def _faults(figures):
    rows = [(_text(kind), *(figures.faults[kind][outcome] for outcome, _ in OUTCOMES),
             "–" if kind == "none" else figures.missed[kind], "–" if kind == "none" else _example(figures, kind))
            for kind in ("none", *plans.FAULTS) if kind in figures.faults]
    return "<h2>Faults</h2>" + _table(
        "How ceremonies ended, by fault; of those with a fault, some were over before it came",
        ("fault", *(f"#{text}" for _, text in OUTCOMES), "#over before", "#for example"), rows)


def _example(figures, kind):
    """The number of a ceremony that the fault ended."""
    return figures.examples.get(kind, "–")


def _processes(figures):
    until = max(figures.elapsed, 1)
    rows = []
    for process, samples in sorted(figures.samples.items()):
        memory, descriptors, watched = figures.slopes(process)
        rows.append((f"<code>{_text(process)}</code>", len({life for life, *_ in samples}), chart.span(watched),
                     f"{samples[0][2] / 1024:.1f} → {samples[-1][2] / 1024:.1f} MiB", _slope(memory, "MiB/h"),
                     f"{samples[0][4]} → {samples[-1][4]}", _slope(descriptors, "/h"),
                     chart.spark(f"private memory of {process}",
                                 [("p50", [(seconds, kib) for _, seconds, kib, _, _ in samples])], until)))
    return "<h2>Memory and descriptors</h2>" + _table(
        "Private memory (RssAnon) and open descriptors. The slope is by least squares, with a level of its own for "
        "each life of a process, without the first two minutes of each, and without lives that were watched for less "
        "than ten more",
        ("process", "#lives", "#watched", "#memory", "#slope", "#descriptors", "#slope", "memory over time"), rows)


def _slope(value, unit):
    return "–" if value is None else f"{value:+z.2f} {unit}"


def _ways(figures):
    rows = [(_text(kind), _text(radio), _text(channel), *(count[outcome] for outcome, _ in OUTCOMES))
            for (kind, radio, channel), count in sorted(figures.ways.items())]
    return "<h2>Ceremonies</h2>" + _table("By kind, radio and channel, with and without faults",
                                          ("kind", "radio", "channel", *(f"#{text}" for _, text in OUTCOMES)), rows)
