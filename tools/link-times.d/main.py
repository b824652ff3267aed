"""See tools/link-times."""

import argparse
import json
import os
import socket
import statistics
import subprocess
import tempfile
import time

# The tunnel service lets a link wake its authenticator 20 times at once, and a listener bears 30 wakes in ten minutes.
LINKS = 2
MOST_RUNS = 30
STAGES = ["qrShown", "advertSeen", "advertOpened", "tunnelJoined", "handshaken", "ready"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Stage:
    """A tunnel service, a radio, and files of their own, in one folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.tunnel, self.radio = free_port(), free_port()
        subprocess.run(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 "
            "-subj /CN=localhost -addext subjectAltName=DNS:localhost".split(),
            cwd=folder, check=True, stderr=subprocess.DEVNULL)
        self.running = []
        service = self.start("tunnel-service", "--listen", f"127.0.0.1:{self.tunnel}", "--certificate", "cert.pem",
                             "--key", "key.pem", "--contact-secret", "secret", "--host-name", "localhost", "--json")
        self.wait_for(service, '"event":"listening"')

    def start(self, *words):
        environment = {**os.environ, "HOME": self.folder}
        environment.pop("XDG_STATE_HOME", None)
        environment.pop("XDG_DATA_HOME", None)
        process = subprocess.Popen([self.program, *words], cwd=self.folder, env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.running.append(process)
        return process

    def rendezvous(self):
        return ["--radio", f"udp:127.0.0.1:{self.radio}", "--tunnel", f"wss://localhost:{self.tunnel}", "--ca",
                "cert.pem", "--json"]

    def client(self, *words):
        return self.start("client", *words, "--state", "state.json", *self.rendezvous())

    def authenticator(self, command, *words):
        return self.start("authenticator", command, *words, "--yes", "--store", "passkeys", *self.rendezvous())

    def wait_for(self, process, text):
        for line in process.stdout:
            if text in line:
                return line
        raise SystemExit(f"{process.args[1:3]} ended before {text}")

    def end(self, process):
        lines = process.stdout.read().splitlines()
        if process.wait(timeout=60) != 0:
            raise SystemExit(f"{process.args[1:3]} failed: {lines[-1:]}")
        self.running.remove(process)
        return lines

    def close(self):
        for process in self.running:
            process.terminate()
        for process in self.running:
            process.wait(timeout=60)


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


def link(stage, number):
    command = ["register", "--rp-id", "example.com", "--user", f"user-{number}"]
    client = stage.client(*command, "--link", "--links", f"links-{number}", "--qr", "url")
    url = stage.wait_for(client, "FIDO:/").strip()
    stage.end(stage.authenticator("answer", url, "--link", "yes"))
    stage.end(client)


def table(code, linked):
    print(f"{'milliseconds after the command, medians':<44}{'QR code':>10}{'link':>10}")
    for stage in STAGES:
        cells = []
        for runs in (code, linked):
            values = [run[stage] for run in runs if stage in run]
            cells.append(f"{statistics.median(values):.0f}" if values else "-")
        print(f"{stage:<44}{cells[0]:>10}{cells[1]:>10}")


parser = argparse.ArgumentParser()
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
