"""The picture of a report's times: from the phone's first advert to its answer, as `hybrid doctor --with-device` measured them."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "trips"))
from page import DARK, LIGHT, text  # noqa: E402

NAME = "phone-times"
WIDTH, LEFT, RIGHT, ROW, BAR, HEAD = 880, 130, 100, 30, 18, 84
TITLE = "A ceremony with a phone, from its first advert to its answer"
# What comes before the first advert is the time that a person takes.
BEFORE = "its advert"


def draw(device, colours):
    """The picture of what a report has as `device`."""
    parts = [each for each in device["times"] if each["part"] != BEFORE]
    interval, whole = device["advert"]["interval_ms"], sum(each["milliseconds"] for each in parts)
    scale, height = (WIDTH - LEFT - RIGHT) / whole, HEAD + ROW * (len(parts) + 1) + 10
    words = f"Lines: its adverts, {interval:.0f} ms apart, until the handshake. Bars: the parts of the ceremony, one after the other."
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        "font-family=\"-apple-system, system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\">",
        f"<title>{TITLE}</title>", f"<desc>{words}</desc>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="{colours["back"]}"/>',
        text(24, 28, TITLE, colours["text"], 16, "600"), text(24, 48, words, colours["faint"], 12),
        text(24, HEAD + 13, "adverts", colours["text"], 13),
    ]
    until = sum(each["milliseconds"] for each in parts[:[each["part"] for each in parts].index("handshake") + 1])
    for number in range(int(until / interval) + 1):
        at = LEFT + number * interval * scale
        lines.append(f'<line x1="{at:.1f}" y1="{HEAD - 2}" x2="{at:.1f}" y2="{HEAD + BAR}" stroke="{colours["bound"]}" stroke-width="2"/>')
    begin = 0.0
    for number, part in enumerate(parts, 1):
        took, top = part["milliseconds"], HEAD + ROW * number
        lines.append(text(24, top + 13, part["part"], colours["text"], 13))
        lines.append(f'<rect x="{LEFT + begin * scale:.1f}" y="{top}" width="{max(1, took * scale):.1f}" height="{BAR}" '
                     f'fill="{colours["bar" if number % 2 else "other"]}"/>')
        begin += took
        lines.append(text(round(LEFT + begin * scale + 6, 1), top + 13, f"{took:.0f} ms", colours["faint"], 12))
    return "\n".join([*lines, "</svg>"]) + "\n"


def made(device):
    """The files in Resources, for light and for dark pages."""
    return {f"{NAME}.svg": draw(device, LIGHT), f"{NAME}~dark.svg": draw(device, DARK)}
