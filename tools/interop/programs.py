"""The programs of a play: ours, and the peers in Python, in a folder with a simulated radio of their own."""

import json
import os
import pathlib
import random
import re
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HYBRID = str(pathlib.Path(os.environ.get("HYBRID", ROOT / ".build/debug/hybrid")).absolute())
RUNNER = str(pathlib.Path(os.environ.get("RUNNER", ROOT / ".build/debug/hybrid")).absolute())
PYTHON, PEERS = ROOT / ".build-peers/bin/python3", ROOT / "Tests/CommandLineTests/Peers"
RELAY = [PYTHON, ROOT / "tools/peer-reports/relay.py"]
SITE = "example.net"
REQUEST = {"requests": [{"protocol": "openid4vp-v1-unsigned", "data": {"nonce": "interop"}}]}
RESPONSE = {"response": {"digital": {"data": {"protocol": "openid4vp-v1-unsigned", "data": {"vp": "interop"}}}}}
# Time enough for a machine that is four times slower.
LIMIT = 60


class Failed(Exception):
    pass


class Program:
    """A command in a folder of its own, and what it has printed."""

    def __init__(self, folder, *command):
        self.command = " ".join(map(str, command))
        self.text, self.changed = "", threading.Condition()
        environment = os.environ | {"HYBRID_CONFIG": "none", "XDG_STATE_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*map(str, command)], cwd=folder, env=environment, text=True, errors="replace",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.text += line
                self.changed.notify_all()

    def find(self, pattern, count=1):
        """The last group of the count-th match in what it prints, once that is there."""
        with self.changed:
            ends = time.monotonic() + LIMIT
            while len(found := [*re.finditer(pattern, self.text, re.MULTILINE)]) < count:
                if not self.changed.wait(0.2) and (self.process.poll() is not None or time.monotonic() > ends):
                    raise Failed(f"{self.command}: no {pattern!r} in:\n{self.text}")
            return found[count - 1][found[count - 1].re.groups]

    def succeed(self, pattern):
        """Waits for its end, with status 0 and this in what it printed."""
        try:
            status = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.command}: does not end:\n{self.text}") from None
        self.find(pattern)
        if status:
            raise Failed(f"{self.command}: ended with {status}:\n{self.text}")

    def __enter__(self):
        return self

    def __exit__(self, _, failure, __):
        self.process.kill()
        self.process.wait()
        # What the other one was doing.
        if isinstance(failure, Failed) and self.command not in str(failure):
            failure.args = (f"{self.command}:\n{self.text}{failure}",)


def radio_port(taken=set()):
    """A free port for a simulated radio, of those that Linux gives to nobody who names none: nobody takes it before it is used."""
    lowest = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(lowest // 2, lowest)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in taken:
            taken.add(port)
            return port


class Place:
    """A folder, a simulated radio, and where the tunnels are."""

    def __init__(self, folder, service, ca=None):
        self.folder, self.service, self.ca = folder, service, ca
        self.radio = f"127.0.0.1:{radio_port()}"
        (folder / "request.json").write_text(json.dumps(REQUEST))
        (folder / "asked.json").write_text(
            json.dumps({"origin": f"https://{SITE}", "requestType": "credential.get", "request": {"digital": REQUEST}}))
        (folder / "answer.json").write_text(json.dumps(RESPONSE))
        (folder / "wallet").write_text("#!/bin/sh\nexec cat answer.json\n")
        (folder / "wallet").chmod(0o755)

    def ours(self, *words):
        trust = ["--ca", self.ca] if self.ca else []
        return Program(self.folder, HYBRID, *words, "--radio", f"udp:{self.radio}", "--tunnel", self.service,
                       "--timeout", LIMIT, *trust)  # fmt: skip

    def client(self, *options):
        """Ours; its QR code on standard output."""
        links = ["--links", "links"] if options[0] != "digital-credential" else []
        return self.ours("client", *options, *links)

    def authenticator(self, *options):
        return self.ours("authenticator", *options, "--yes", "--links", "given")

    def python(self, name, *options):
        first = [options[0]] if name == "authenticator" else []
        trust = [self.ca] if self.ca else []
        return Program(self.folder, PYTHON, PEERS / f"{name}.py", *first, self.radio, self.service, *trust,
                       *options[len(first) :])  # fmt: skip
