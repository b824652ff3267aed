"""How long a program's request to `key phone` takes to its phone."""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import threading
import time

from stage import Stage, link

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/SecurityKeyTests/Peers"))
from fido2.ctap2 import Ctap2  # noqa: E402
from through_socket import through_socket  # noqa: E402

# A listener bears 30 wakes in ten minutes, and a service 20 at once: so many requests, then a new stage.
AT_ONCE = 18
AT_TERMINAL = ROOT / "Tests/CommandLineTests/Peers/at_terminal.py"


def events(listener, happened):
    """Keeps when the phone was asked, and when it had the request."""
    for line in listener.stdout:
        event = json.loads(line)
        if event["event"] == "wake":
            happened["asked"].append(event["time"])
        elif event.get("stage") == "commandSent":
            happened["request"].append(event["time"])


def measure(program, count):
    """Seconds from each request to the phone's question, and to its having the request."""
    with tempfile.TemporaryDirectory(prefix="hybrid-trips-") as folder:
        stage = Stage(program, folder)
        try:
            link(stage, 0)
            happened = {"asked": [], "request": []}
            listener = stage.authenticator("listen")
            stage.wait_for(listener, '"state":"registered"')
            threading.Thread(target=events, args=(listener, happened), daemon=True).start()
            path = f"{folder}/key.socket"
            return requests(stage, program, path, count, happened)
        finally:
            stage.close()


def requests(stage, program, path, count, happened):
    def start_key():
        while not os.path.exists(path):
            time.sleep(0.01)
        # The yes is typed as soon as the question is there.
        stage.run([sys.executable, "-B", str(AT_TERMINAL), *["approve? [y/n]=y"] * (count + 1), "--", program, "key", "phone",
                   "--linked-only", "--links", "links-0", "--broker", path, *stage.rendezvous()[:-1]])

    threading.Thread(target=start_key, daemon=True).start()
    key = Ctap2(through_socket(path))
    made = key.make_credential(bytes(32), {"id": "example.org", "name": "Example"}, {"id": b"1", "name": "alice"},
                               [{"type": "public-key", "alg": -7}], options={"rk": True})
    allowed = [{"type": "public-key", "id": made.auth_data.credential_data.credential_id}]
    starts = []
    for _ in range(count):
        starts.append(time.time())
        key.get_assertion("example.org", os.urandom(32), allowed)
    until = time.monotonic() + 30
    while len(happened["request"]) <= count and time.monotonic() < until:
        time.sleep(0.05)
    return [(asked - start, request - start)
            for start, asked, request in zip(starts, happened["asked"][1:], happened["request"][1:], strict=True)]


def percentile(values, share):
    return 1e3 * sorted(values)[min(len(values) - 1, int(share * len(values)))]


parser = argparse.ArgumentParser(prog="tools/trips/run --key")
parser.add_argument("program")
parser.add_argument("--count", type=int, default=100)
arguments = parser.parse_args()
measured = []
while len(measured) < arguments.count:
    measured += measure(os.path.abspath(arguments.program), min(AT_ONCE, arguments.count - len(measured)))
print(f"{len(measured)} sign-ins by `key phone`, linked, all processes on this machine, a yes typed at once")
print(f"{'milliseconds after the request':<44}{'p50':>10}{'p99':>10}")
for name, values in zip(["the phone asks its user", "the phone has the request"], zip(*measured)):
    print(f"{name:<44}{percentile(values, 0.5):>10.0f}{percentile(values, 0.99):>10.0f}")
