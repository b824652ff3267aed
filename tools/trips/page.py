"""The article RoundTrips and its picture, made of the figures: for each kind of session and delay, how long each stage took, and the bound."""
import json
import pathlib

import beside

DOCUMENTATION = pathlib.Path(__file__).resolve().parents[2] / "Sources/Transport/HybridTransport/HybridTransport.docc"
NAME = "round-trips"
LIGHT = {"back": "#ffffff", "text": "#1d1d1f", "faint": "#5a5a60", "bar": "#9fc3f0", "other": "#5b8fd6", "bound": "#b3261e"}
DARK = {"back": "#16181d", "text": "#f2f2f4", "faint": "#a0a0a8", "bar": "#3f6ea8", "other": "#7fb0ee", "bound": "#ff8a80"}
WIDTH, LEFT, RIGHT, ROW, BAR, HEAD = 880, 190, 70, 46, 20, 64
TITLE = "Time to each stage of a sign-in, and the bound"
WORDS = "Bars: the median of each stage, one after the other. Line: the bound of the answer; right of it the session is only closed."
ARTICLE = """# Round trips

The duration of a sign-in: the trips to the tunnel service that nothing can save, and the time that is added to them.

## Overview

On one machine a sign-in takes milliseconds. Between people and a tunnel service lies a network, and a person's wait is
the number of trips that must follow one another. The bound counts them:

- A connection takes three round trips: TCP, TLS 1.3, and the upgrade to a WebSocket. RFC 6455 section 4.1 has a
  client wait for the answer to the upgrade before it sends.
- A message from one end to the other takes one: half of it to the service, half from there.
- With a QR code the authenticator connects first, since its advert carries the routing ID that the service gives it;
  then the client does. With a link the client connects first: its request wakes the authenticator, which connects
  then.
- Four messages follow: message 1, message 2 with the first message behind it, the command, the answer. So the answer
  is there after ten round trips, with a code as with a link.
- The client need not wait for the advert to begin its connection. If it knows the tunnel service, and its user wants it
  to, it connects while the code is shown: TCP and TLS are over when somebody reads it, and the answer is there after
  eight.
- The end: the client's shutdown and close take one, the authenticator's close another. Nobody waits for them: the
  answer is shown, and printed, before.

![Time to each stage of a sign-in beside the bound, with a QR code and with a link, at two delays.](round-trips)

### Measured

{when}.
Client and authenticator are {trips} ms from the service, which is in a network namespace of its own; a relay of
packets takes half a round trip for each. The radio is simulated and its adverts arrive at once; the user approves at
once. `tools/trips/run` measures it; in CI, `--check` fails if the answer needs a trip more than the bound. A packet
that is lost costs as long as TCP takes to notice: 1.3 round trips where others follow it, 2.3 where it is alone and 3.4
where it is the last of two; two lost packets cost twice that. Linux would wait 200 ms and a round trip; since version
6.16 a program can ask for less, and ours ask for the least, two round trips and two ticks of the kernel. Message 2, the
first message and an update that offers nothing are one packet; so are the end of the TLS handshake and the upgrade
request. It would take a second to notice the loss of a connection's first packet; so another connection is begun after
100 ms. The bound takes each trip as long as a bare exchange of the same run. *ahead* is *qr* with `--connect-ahead`.

{tables}

### Beside others

On {beside_date}, in one run, {beside_trip} ms from one service: {beside_count} sign-ins of each pair with a QR code, measured by
`tools/trips/run --beside`. The time begins when the authenticator has read the code. The machine did other work
besides: its load average was {beside_load} at the start.

- *Both in Python* are the client and the authenticator of `Tests/CommandLineTests/Peers`, which share no code with
  ours. They and ours took turns on the simulated radio.
- *In the lab* Chromium {chromium} and our client took turns with our authenticator, over the emulated Bluetooth
  adapters of `tools/lab`. An advert takes longer there: the time from the open tunnel until the client has heard it is
  a row of its own, and is subtracted from the others. The browser's log has the time of its answer. It does not have
  that of its end, which is taken from our authenticator. Where the machine has no hardware virtualisation, the lab's
  guest takes a processor for itself at times.

{beside}

### Connecting while the code is shown

With `--connect-ahead` (`HYBRID_CONNECT_AHEAD=yes`) a client connects to a tunnel service that it knows. It knows one if
`--tunnel` names it, or if it has a link: then the phone that reads the code is probably the linked one. That service is
connected to as soon as the code is shown, by TCP and TLS, and nothing is asked for in the connection before an advert
has named the tunnel. Where the advert names another service, or the connection has ended by then, another one is made;
one that the service ends is made anew after five seconds. Nothing is read in it before the request: a service that
speaks first is left.

It tells that service that somebody at this address shows a code, and when, even if nobody answers it; without it the
service learns that when the code is answered. So no other service is connected to, the assigned domains' among them,
unless a link names one, and none where the user has not asked for it.

### Alternatives that are not used

- *Session tickets.* In TLS 1.3 a session that is resumed takes the same round trip as a new one. Only early data
  saves one, which anybody can repeat, and which a service would have to take before it knows who asks. A ticket is
  also a name by which a service recognises a client from one ceremony to the next: there are none.
- *Both families of addresses at once.* A name with addresses of both is connected to by both, the second a quarter of
  a second after the first, and the first that answers is used (RFC 8305).
"""


def write(figures):
    """The article, and its picture on light and on dark pages."""
    for path, content in made(figures):
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)


def stale(figures):
    """What is not as it is made."""
    return [path.name for path, content in made(figures) if not path.is_file() or path.read_text() != content]


def made(figures):
    kept = json.loads(figures.read_text())
    parts = kept["parts"]
    shown = [part for part in parts if part["round_trip"] and not part["loss"] and part["stages"][0]["bound"]]
    for name, colours in ((NAME, LIGHT), (f"{NAME}~dark", DARK)):
        yield DOCUMENTATION / f"Resources/{name}.svg", draw(shown, colours)
    trips = sorted({part["round_trip"] for part in parts})
    yield DOCUMENTATION / "RoundTrips.md", ARTICLE.format(
        when=f"On {kept['date']}, on a machine with two processors", trips=f"{', '.join(map(str, trips[:-1]))} and {trips[-1]}",
        tables="\n\n".join(map(table, parts)), **table_beside(kept["beside"]))


def table_beside(figures):
    """The parts of the article about other implementations."""
    lines = ["| pair | stage | bound, trips | p50, ms | p99, ms | p50 of the bound |", "|---|---|---|---|---|---|"]
    for row in figures["rows"]:
        part = beside.of_bound(row, figures)
        lines.append(f"| {row['pair']} | {row['words']} | {row['bound'] or '–'} | {row['p50']} | {row['p99']} | {f'{part:.2f}' if part else '–'} |")
    return {"beside": "\n".join(lines), "beside_date": figures["date"], "beside_trip": figures["round_trip"],
            "beside_load": figures["load"], "beside_count": figures["rows"][0]["count"], "chromium": figures["chromium"]}


def table(part):
    trip = part["round_trip"]
    lines = [f"**{part['session']}**, {trip} ms{', of 100 packets 1 lost' if part['loss'] else ''} ({part['stages'][0]['count']} sign-ins):", "",
             "| stage | bound, trips | p50, ms | p99, ms | p50 of the bound |", "|---|---|---|---|---|"]
    for row in part["stages"]:
        bound = row["bound"] * part["exchange"] if trip else 0
        lines.append(f"| {row['words']} | {row['bound']} | {row['p50']} | {row['p99']} | {format(row['p50'] / bound, '.2f') if bound else '–'} |")
    return "\n".join(lines)


def draw(parts, colours):
    height = HEAD + ROW * len(parts) + 30
    longest = max(part["stages"][-1]["p50"] for part in parts)
    scale = (WIDTH - LEFT - RIGHT) / longest
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        "font-family=\"-apple-system, system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\">",
        f"<title>{TITLE}</title>", f"<desc>{WORDS}</desc>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="{colours["back"]}"/>',
        text(24, 28, TITLE, colours["text"], 16, "600"), text(24, 48, WORDS, colours["faint"], 12),
    ]
    for number, part in enumerate(parts):
        top = HEAD + ROW * number
        stages = part["stages"]
        answer = next(row for row in stages if row["words"].startswith("the answer"))
        lines.append(text(24, top + 15, f'{part["session"]}, {part["round_trip"]} ms', colours["text"], 14, "600"))
        begin = 0
        place = 0
        for row in stages:
            colour = colours["bar" if place % 2 else "other"]
            place += row["p50"] > begin + 0.02 * part["round_trip"]
            opacity = "" if row["p50"] <= answer["p50"] else ' fill-opacity="0.35"'
            lines.append(f'<rect x="{LEFT + begin * scale:.1f}" y="{top}" width="{max(0, row["p50"] - begin) * scale:.1f}" '
                         f'height="{BAR}" fill="{colour}"{opacity}><title>{row["words"]}: {row["p50"]} ms</title></rect>')
            begin = max(begin, row["p50"])
        bound = answer["bound"] * part["exchange"]
        at = LEFT + bound * scale
        lines.append(f'<line x1="{at:.1f}" y1="{top - 4}" x2="{at:.1f}" y2="{top + BAR + 4}" stroke="{colours["bound"]}" stroke-width="2"/>')
        lines.append(text(LEFT, top + BAR + 14, f'answer {answer["p50"]:.0f} ms, bound {bound:.0f} ms: {answer["p50"] / bound:.2f}',
                          colours["faint"], 12))
    return "\n".join([*lines, "</svg>"]) + "\n"


def text(x, y, words, colour, size, weight="400"):
    return f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}" font-weight="{weight}">{words}</text>'
