"""Sign-ins of a second implementation beside ours, in turn: the client and the authenticator in Python of Tests/CommandLineTests/Peers."""
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON, PEERS = ROOT / ".build-peers/bin/python3", ROOT / "Tests/CommandLineTests/Peers"
ROUND_TRIP, COUNT = 40, 50
ANSWER, ENDED = "the answer is at the client", "both have closed"
OURS = ("qr", "ahead")
PYTHON_PAIR = "qr, both in Python"
# The trips to the answer, and from it to the end.
BOUNDS, END = {"qr": 10, "ahead": 8, PYTHON_PAIR: 10}, 2


class PythonPair:
    """The client and the authenticator in Python, beside the programs of a session: on its radio and at its service."""

    def __init__(self, session, line, radio, service, reading):
        self.session, self.line, self.reading = session, line, reading
        self.place = [radio.removeprefix("udp:"), service, session.folder / "certificate.pem"]

    def start(self, name, *words):
        environment = self.session.environment | {"PEER_STAGES": "yes"}
        command = [PYTHON, "-B", PEERS / f"{name}.py", *words]
        return self.line(f"{name} in Python", self.session.link.run(
            self.session.link.near, command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE))

    def sign_in(self):
        """A registration the first time, then a sign-in; returns each event by its time since the code was read."""
        folder = self.session.folder
        client = self.start("client", *self.place, "--passkey", folder / "python-passkey.json")
        client.shown.wait()
        time.sleep(self.reading)
        authenticator = self.start("authenticator", client.code, *self.place, "--credentials", folder / "python-passkeys.json")
        client.end()
        authenticator.end()
        begin = next(event["time"] for event in authenticator.events if event["stage"] == "qrScanned")
        return self.session.times(client.events, authenticator.events, begin)


def measure(session, python, count):
    """The times of so many sign-ins of each pair, in seconds: to the answer, and to the end. The pairs take turns, so that other work on
    the machine meets each of them."""
    websocket = ("--channel", "websocket")
    ways = {"qr": lambda: session.with_code("sign-in", channel=websocket),
            "ahead": lambda: session.with_code("sign-in", "--connect-ahead", channel=websocket), PYTHON_PAIR: python.sign_in}
    python.sign_in()
    runs = {pair: [] for pair in ways}
    for number in range(count):
        if sys.stderr.isatty():
            print(f"\r{number + 1} of {count} ", end="", file=sys.stderr, flush=True)
        for pair, sign_in in ways.items():
            times = sign_in()
            runs[pair].append((times["C commandAnswered"], max(times["C closed"], times["A closed"])))
    return runs


def rows(runs, percentile):
    """The rows of the table, as they are kept."""
    made = []
    for pair, times in runs.items():
        for words, bound, values in zip((ANSWER, ENDED), (BOUNDS[pair], BOUNDS[pair] + END), zip(*times)):
            made.append({"pair": pair, "words": words, "bound": bound, "p50": round(statistics.median(values) * 1000, 1),
                         "p99": round(percentile(values, 0.99) * 1000, 1), "count": len(values)})
    return made


def show(kept):
    print(f"\n{kept['round_trip']} ms from the service (a bare exchange: {kept['exchange']} ms)")
    print(f"  {'pair':20}{'stage':30}{'bound':>7}{'p50 ms':>9}{'p99 ms':>9}{'p50/bound':>11}")
    for row in kept["rows"]:
        ratio = row["p50"] / (row["bound"] * kept["exchange"])
        print(f"  {row['pair']:20}{row['words']:30}{row['bound']:>7}{row['p50']:>9}{row['p99']:>9}{ratio:>11.2f}")
