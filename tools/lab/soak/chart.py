"""Lines over time as SVG within a page, whose style sheet gives the colours."""
import html

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 12, 28
SPARK_WIDTH, SPARK_HEIGHT = 180, 34
NICE = (1, 2, 2.5, 5, 10)
TICKS = 5
MARK_ROWS = 3


def buckets(points, count, until):
    """Points (seconds, value) in so many equal spans of time: [(middle, sorted values)], without empty ones."""
    spans = [[] for _ in range(count)]
    for seconds, value in points:
        spans[min(count - 1, int(count * seconds / until))].append(value)
    return [((index + 0.5) * until / count, sorted(values)) for index, values in enumerate(spans) if values]


def nice_ceiling(value):
    """The next round number, for an axis: 1, 2, 2.5 or 5 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 1.0
    while power > value:
        power /= 10
    while power * 10 <= value:
        power *= 10
    return next(power * step for step in NICE if power * step >= value * 0.999999)


def lines(title, series, until, unit, marks=()):
    """A chart of several lines: series is [(name, CSS class, [(seconds, value)])], marks are times with a word."""
    top = nice_ceiling(max((value for _, _, points in series for _, value in points), default=1))

    def x(seconds):
        return LEFT + (WIDTH - LEFT - RIGHT) * seconds / until

    def y(value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top

    parts = [f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(title)}">']
    for index in range(TICKS):
        value = top * index / (TICKS - 1)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" '
                     f'y2="{y(value):.1f}"/>'
                     f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for index in range(TICKS):
        seconds = until * index / (TICKS - 1)
        anchor = "start" if index == 0 else "end" if index == TICKS - 1 else "middle"
        parts.append(f'<text x="{x(seconds):.1f}" y="{HEIGHT - 8}" text-anchor="{anchor}">{span(seconds)}</text>')
    for index, (seconds, word) in enumerate(marks):
        # Neighbours stand on different lines.
        row = TOP + 10 + 12 * (index % MARK_ROWS)
        anchor, shift = ("end", -4) if seconds > until * 0.85 else ("start", 4)
        parts.append(f'<line class="mark" x1="{x(seconds):.1f}" x2="{x(seconds):.1f}" y1="{TOP}" '
                     f'y2="{HEIGHT - BOTTOM}"/>'
                     f'<text x="{x(seconds) + shift:.1f}" y="{row}" text-anchor="{anchor}">'
                     f'{html.escape(word)}</text>')
    for _, name, points in series:
        parts.append(_line(points, name, x, y))
    parts.append("</svg>")
    legend = "".join(f'<span class="key {css}"><svg width="24" height="8" aria-hidden="true"><line class="line {css}" '
                     f'x1="0" x2="24" y1="4" y2="4"/></svg>{html.escape(name)}</span>' for name, css, _ in series)
    return (f'<figure><figcaption>{html.escape(title)}, {html.escape(unit)} {legend}</figcaption>'
            f'{"".join(parts)}</figure>')


def spark(label, series, until):
    """A small chart without axes, for a cell of a table: series is [(CSS class, [(seconds, value)])]."""
    values = [value for _, points in series for _, value in points]
    if not values:
        return ""
    top = max(values) * 1.05 or 1

    def x(seconds):
        return 2 + (SPARK_WIDTH - 4) * seconds / until

    def y(value):
        return SPARK_HEIGHT - 3 - (SPARK_HEIGHT - 6) * value / top

    drawn = "".join(_line(points, css, x, y) for css, points in series)
    return (f'<svg class="spark" viewBox="0 0 {SPARK_WIDTH} {SPARK_HEIGHT}" width="{SPARK_WIDTH}" '
            f'height="{SPARK_HEIGHT}" role="img" aria-label="{html.escape(label)}">'
            f'<line class="grid" x1="0" x2="{SPARK_WIDTH}" y1="{SPARK_HEIGHT - 3}" y2="{SPARK_HEIGHT - 3}"/>'
            f'{drawn}</svg>')


def _line(points, css, x, y):
    if len(points) == 1:
        return f'<circle class="dot {css}" cx="{x(points[0][0]):.1f}" cy="{y(points[0][1]):.1f}" r="2.5"/>'
    path = " ".join(f"{x(seconds):.1f},{y(value):.1f}" for seconds, value in points)
    return f'<polyline class="line {css}" points="{path}"/>'


def span(seconds):
    """A length of time in words."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
