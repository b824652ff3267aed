"""A tunnel service and programs around it, for measurements."""

import os
import socket
import subprocess


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
        return self.run([self.program, *words])

    def run(self, command):
        environment = {**os.environ, "HOME": self.folder}
        environment.pop("XDG_STATE_HOME", None)
        environment.pop("XDG_DATA_HOME", None)
        process = subprocess.Popen(command, cwd=self.folder, env=environment, text=True,
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


def link(stage, number):
    command = ["register", "--rp-id", "example.com", "--user", f"user-{number}"]
    client = stage.client(*command, "--link", "--links", f"links-{number}", "--qr", "url")
    url = stage.wait_for(client, "FIDO:/").strip()
    stage.end(stage.authenticator("answer", url, "--link", "yes"))
    stage.end(client)
