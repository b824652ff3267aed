"""See tools/link-times/run."""

import argparse
import json
import os
import statistics
import tempfile
import time

from stage import Stage, link

# The tunnel service lets a link wake its authenticator 20 times at once, and a listener bears 30 wakes in ten minutes.
LINKS = 2
MOST_RUNS = 30
STAGES = ["qrShown", "advertSeen", "advertOpened", "tunnelJoined", "handshaken", "ready"]


def times(lines, start):
    """When the client reached each stage, in milliseconds after its command was started."""
    events = [json.loads(line) for line in lines if line.startswith("{")]
    reached = {event["stage"]: event["time"] for event in events if event["event"] == "stage"}
    return {stage: 1e3 * (reached[stage] - start) for stage in STAGES if stage in reached}


def by_code(stage, command):
    start = time.time()
    client = stage.client(*command, "--no-links", "--qr", "url")
    url = stage.wait_for(client, "FIDO:/").strip()
    answer = stage.authenticator("answer", url, "--link", "no")
    lines = stage.end(client)
    stage.end(answer)
    return times(lines, start)


def by_link(stage, command, number):
    start = time.time()
    client = stage.client(*command, "--linked-only", "--links", f"links-{number % LINKS}")
    return times(stage.end(client), start)


def table(code, linked):
    print(f"{'milliseconds after the command, medians':<44}{'QR code':>10}{'link':>10}")
    for stage in STAGES:
        cells = []
        for runs in (code, linked):
            values = [run[stage] for run in runs if stage in run]
            cells.append(f"{statistics.median(values):.0f}" if values else "-")
        print(f"{stage:<44}{cells[0]:>10}{cells[1]:>10}")


parser = argparse.ArgumentParser(prog="tools/link-times/run")
parser.add_argument("program")
parser.add_argument("--runs", type=int, default=MOST_RUNS)
arguments = parser.parse_args()
if not 1 <= arguments.runs <= MOST_RUNS:
    parser.error(f"--runs takes 1 to {MOST_RUNS}")
sign_in = ["sign-in", "--rp-id", "example.com"]
with tempfile.TemporaryDirectory(prefix="hybrid-link-times-") as folder:
    stage = Stage(os.path.abspath(arguments.program), folder)
    try:
        for number in range(LINKS):
            link(stage, number)
        code = [by_code(stage, sign_in) for _ in range(arguments.runs)]
        listener = stage.authenticator("listen")
        stage.wait_for(listener, '"state":"registered"')
        linked = [by_link(stage, sign_in, number) for number in range(arguments.runs)]
    finally:
        stage.close()
print(f"{arguments.runs} sign-ins each, all processes on this machine, nobody asked; with the QR code, the authenticator is started")
print("when the code can be read")
table(code, linked)
