"""Sign-ins of other implementations beside ours, through the same service: the client and the authenticator in Python of
Tests/CommandLineTests/Peers, and Chromium with our authenticator."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON, PEERS = ROOT / ".build-peers/bin/python3", ROOT / "Tests/CommandLineTests/Peers"
ROUND_TRIP, COUNT = 40, 50
ANSWER, ENDED, ADVERT = "the answer is at the client", "both have closed", "the advert"
OURS, AHEAD, IN_PYTHON = "ours", "ours, connecting ahead", "both in Python"
OURS_IN_LAB, CHROMIUM = "ours, in the lab", "Chromium and our authenticator, in the lab"
# The trips to the answer, and from it to the end.
BOUNDS, END = {OURS: 10, AHEAD: 8, IN_PYTHON: 10, OURS_IN_LAB: 10, CHROMIUM: 10}, 2
# The lab's guest has started in half a minute; a sign-in in it takes seconds.
START_SECONDS, SIGN_IN_SECONDS = 300, 30


class PythonPair:
    """The client and the authenticator in Python, on the radio and at the service of a session."""

    def __init__(self, session, line, radio, service, reading):
        self.session, self.line, self.reading = session, line, reading
        self.place = [radio.removeprefix("udp:"), service, session.folder / "certificate.pem"]

    def start(self, name, *words):
        environment = self.session.environment | {"PEER_STAGES": "yes"}
        return self.line(f"{name} in Python", self.session.link.run(
            self.session.link.near, [PYTHON, "-B", PEERS / f"{name}.py", *words], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE))

    def sign_in(self):
        """A registration the first time, then a sign-in; returns each event by its time since the code was read."""
        client = self.start("client", *self.place, "--passkey", self.session.folder / "python-passkey.json")
        client.shown.wait()
        time.sleep(self.reading)
        authenticator = self.start("authenticator", client.code, *self.place, "--credentials", self.session.folder / "python-passkeys.json")
        client.end()
        authenticator.end()
        begin = next(event["time"] for event in authenticator.events if event["stage"] == "qrScanned")
        return self.session.times(client.events, authenticator.events, begin)


def by_turns(session, python, count):
    """The times of so many sign-ins of each pair with the simulated radio, in seconds by stage. The pairs take turns, so that other work
    on the machine meets each of them."""
    websocket = ("--channel", "websocket")
    ways = {OURS: lambda: session.with_code("sign-in", channel=websocket),
            AHEAD: lambda: session.with_code("sign-in", "--connect-ahead", channel=websocket), IN_PYTHON: python.sign_in}
    python.sign_in()
    runs = {pair: {ANSWER: [], ENDED: []} for pair in ways}
    for number in range(count):
        if sys.stderr.isatty():
            print(f"\r{number + 1} of {count} ", end="", file=sys.stderr, flush=True)
        for pair, sign_in in ways.items():
            times = sign_in()
            runs[pair][ANSWER].append(times["C commandAnswered"])
            runs[pair][ENDED].append(max(times["C closed"], times["A closed"]))
    return runs


def prepare():
    """Installs and makes, with the network of this machine, all that runs without it in the namespace."""
    subprocess.run([ROOT / "tools/setup", "browser"], check=True)
    subprocess.run([sys.executable, "-B", "-c", "import prepare; prepare.prepare()"], cwd=ROOT / "tools/lab", check=True)


def in_lab(session, service, count):
    """Chromium's version, and the times of so many sign-ins of each pair over the lab's Bluetooth, less the time that the advert took. The
    lab is in the namespace as a whole, and with it Chromium and the guest of its Bluetooth."""
    results = session.folder / "lab"
    results.mkdir()
    limit = START_SECONDS + SIGN_IN_SECONDS * count
    lab = session.link.run(
        session.link.near, [ROOT / "tools/lab/run", "--results", results, "--time-limit", limit, "--bus", "--", PYTHON, "-B",
                            ROOT / "tools/trips/chromium.py", session.programs / "hybrid", results, service,
                            session.folder / "certificate.pem", count],
        env={**os.environ, "HYBRID_CONFIG": "none"}, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    version, runs = None, {pair: {ADVERT: [], ANSWER: [], ENDED: []} for pair in (OURS_IN_LAB, CHROMIUM)}
    for line in lab.stdout:
        said = json.loads(line)
        version = said.get("version", version)
        if times := said.get("times"):
            advert, run = times["C advertSeen"] - times["A tunnelOpened"], runs[said["pair"]]
            run[ADVERT].append(advert)
            run[ANSWER].append(times["C commandAnswered"] - times["A qrScanned"] - advert)
            run[ENDED].append(max(times["A closed"], times.get("C closed", 0)) - times["A qrScanned"] - advert)
    if lab.wait():
        raise RuntimeError(f"the lab ended with {lab.returncode}")
    return version, runs


def rows(runs, percentile):
    """The rows of the table, as they are kept."""
    return [{"pair": pair, "words": words, "bound": {ANSWER: BOUNDS[pair], ENDED: BOUNDS[pair] + END, ADVERT: 0}[words],
             "p50": round(statistics.median(values) * 1000, 1), "p99": round(percentile(values, 0.99) * 1000, 1), "count": len(values)}
            for pair, stages in runs.items() for words, values in stages.items()]


def of_bound(row, figures):
    """The part of its bound that a median is; nothing where there is none."""
    return row["p50"] / (row["bound"] * figures["exchange"]) if row["bound"] else None


def show(figures):
    print(f"\n{figures['round_trip']} ms from the service (a bare exchange: {figures['exchange']} ms); Chromium {figures['chromium']}")
    for pair in dict.fromkeys(row["pair"] for row in figures["rows"]):
        print(f"{pair}\n  {'':30}{'bound':>7}{'p50 ms':>9}{'p99 ms':>9}{'p50/bound':>11}")
        for row in (each for each in figures["rows"] if each["pair"] == pair):
            part = of_bound(row, figures)
            print(f"  {row['words']:30}{row['bound']:>7}{row['p50']:>9}{row['p99']:>9}{f'{part:.2f}' if part else '-':>11}")


def faults(figures, largest):
    """The pairs of ours on the simulated radio whose answer takes longer than so much of its bound: the lab's guest makes a machine busy."""
    return [f"{row['pair']}: {of_bound(row, figures):.2f} of the bound, {largest:.2f} at most" for row in figures["rows"]
            if row["pair"] in (OURS, AHEAD) and row["words"] == ANSWER and of_bound(row, figures) > largest]
