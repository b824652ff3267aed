"""What the ceremonies of a soak share: a folder with passkeys and links, and the processes that live as long as it."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

from soak import programs

SITE = "example.com"
OTHER_SITE = "example.org"
USER_ID = "c29haw"
START_SECONDS = 300
LOG_BYTES = 1 << 20
# A listener takes 30 wakes in ten minutes; a fresh one takes over before that.
WAKES, WAKE_SECONDS = 28, 600
REQUEST = {"requests": [{"protocol": "openid4vp-v1-unsigned", "data": {"nonce": "soak"}}]}
OFFER = {"requests": [{"protocol": "openid4vci", "data": {"credential_issuer": "https://shop.example"}}]}
HANDLER = """#!/bin/sh
read -r request
case $request in
*credential.create*) protocol=openid4vci ;;
*) protocol=openid4vp-v1-unsigned ;;
esac
echo "{\\"response\\":{\\"digital\\":{\\"data\\":{\\"protocol\\":\\"$protocol\\",\\"data\\":{\\"soak\\":true}}}}}"
"""


class SiteError(Exception):
    """The soak cannot be set up."""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Service:
    """A tunnel service, with links, on a port of its own."""

    def __init__(self, site, name):
        self.name = name
        self.port = free_port()
        self._site = site
        self.program = None
        self.start()

    @property
    def url(self):
        return f"wss://localhost:{self.port}"

    def start(self):
        """Starts it, or starts it again on the same port."""
        if self.program:
            self.program.close()
        # The soak's own rates are beyond what one user does; all else is as it comes.
        self.program = self._site.start(
            self.name, "tunnel-service", "--listen", f"127.0.0.1:{self.port}", "--certificate", "cert.pem", "--key",
            "key.pem", "--contact-secret", "secret", "--host-name", "localhost", "--wakes-per-contact", "1000/1",
            "--wakes-per-authenticator", "1000/1", "--contacts-per-address", "1000/1", "--json")
        if not self.program.wait_for(lambda event: event["event"] == "listening", START_SECONDS):
            raise SiteError(f"the tunnel service did not start: {self.program.last_errors()}")

    def kill(self):
        self.program.kill()

    def close(self):
        self.program.close()


class Listener:
    """An authenticator that waits for linked clients, with its own copy of the passkeys."""

    def __init__(self, site, name, radio, service):
        self.name = name
        self.radio = radio
        self.service = service
        self._site = site
        self._home = site.folder / name
        shutil.copytree(site.home(radio), self._home)
        self.wakes = []
        self.program = None
        try:
            self.start()
        except SiteError:
            # The next one may have this name.
            self.close()
            raise

    def start(self):
        if self.program:
            self.program.close()
        self.wakes = []
        self.program = self._site.start(
            self.name, "authenticator", "listen", "--yes", "--store", f"{self.name}/passkeys", "--links",
            f"{self.name}/linked-clients", *self._site.radio(self.radio, "authenticator"),
            *self._site.tunnel(self.service), "--timeout", str(self._site.timeout), "--json")
        self.await_registration()

    def await_registration(self):
        """Waits until the tunnel service knows it."""
        if not self.program.wait_for(lambda event: event.get("state") == "registered", START_SECONDS):
            raise SiteError(f"the listener is not registered: {self.program.last_errors()}")

    def prepare(self):
        """Makes sure that it takes one more wake."""
        now = time.monotonic()
        self.wakes = [wake for wake in self.wakes if now - wake < WAKE_SECONDS]
        if len(self.wakes) >= WAKES:
            self.program.end()
            self.start()
        self.wakes.append(time.monotonic())
        while not self.program.heard.empty():
            self.program.heard.get_nowait()

    def close(self):
        self.program.close()
        shutil.rmtree(self._home, ignore_errors=True)


class Site:
    """The folder, the radios' options, the long-lived processes."""

    def __init__(self, hybrid, folder, radios, adapters, timeout):
        self.hybrid = hybrid
        self.folder = pathlib.Path(folder)
        self.adapters = adapters
        self.timeout = timeout
        self.radio_port = free_port()
        self._simulated_port = free_port()
        self._environment = {name: value for name, value in os.environ.items()
                             if not name.startswith(("XDG_", "HYBRID_"))} | {"HOME": str(self.folder)}
        self._write_files()
        self.service = Service(self, "tunnel-service")
        self._make_homes(radios)
        self.listeners = {radio: Listener(self, f"listener-{radio}", radio, self.service) for radio in radios}

    def _write_files(self):
        subprocess.run(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem "
            "-days 3650 -subj /CN=localhost -addext subjectAltName=DNS:localhost".split(),
            cwd=self.folder, check=True, stderr=subprocess.DEVNULL)
        (self.folder / "presentation.json").write_text(json.dumps(REQUEST), encoding="utf-8")
        (self.folder / "issuance.json").write_text(json.dumps(OFFER), encoding="utf-8")
        handler = self.folder / "handler"
        handler.write_text(HANDLER, encoding="utf-8")
        handler.chmod(0o755)

    def start(self, role, *words, heard=None, text=None, folder=None):
        """Starts a program of the project in the site's folder."""
        return programs.Program(role, [self.hybrid, *words], folder or self.folder, heard, self._environment, text)

    def home(self, radio):
        """The folder with the passkey and the link of the devices that meet over this radio."""
        return self.folder / f"home-{radio}"

    def radio(self, radio, role):
        if radio == "simulated":
            return ["--radio", f"udp:127.0.0.1:{self.radio_port}"]
        return ["--radio", radio, "--adapter", self.adapters[role == "authenticator"]]

    def tunnel(self, service):
        return ["--tunnel", service.url, "--ca", str(self.folder / "cert.pem")]

    def _make_homes(self, radios):
        """One passkey and one link for each radio, made over the simulated one: nothing that is measured."""
        for radio in radios:
            home = self.home(radio)
            home.mkdir()
            air = ["--radio", f"udp:127.0.0.1:{self._simulated_port}", *self.tunnel(self.service), "--json"]
            client = self.start(
                "set-up", "client", "register", "--rp-id", SITE, "--user", "soak", "--link", "--links", "links",
                "--state", "state.json", "--qr", "url", *air, folder=home)
            code = client.wait_for(lambda event: event["event"] == "code", START_SECONDS)
            if code is None:
                raise SiteError(f"no QR code: {client.last_errors()}")
            answer = self.start(
                "set-up-answer", "authenticator", "answer", "-", "--yes", "--store", "passkeys", "--link", "yes",
                "--links", "linked-clients", "--link-name", "soak", "--device-name", "soak", *air, folder=home,
                text=code["url"] + "\n")
            for program in (client, answer):
                ended = program.wait_for(lambda event: event["event"] == "ended", START_SECONDS)
                if ended is None or ended["code"] != 0:
                    raise SiteError(f"no passkey could be made: {program.lines[-1:]} {program.last_errors()}")
                program.close()

    def long_lived(self):
        """Name and process id of each process that lives as long as the soak."""
        return {"tunnel-service": self.service.program.pid,
                **{listener.name: listener.program.pid for listener in self.listeners.values()}}

    def trim(self):
        """Keeps the logs of the long-lived processes small."""
        for program in [self.service.program, *(listener.program for listener in self.listeners.values())]:
            program.trim(LOG_BYTES)

    def close(self):
        for listener in self.listeners.values():
            listener.close()
        self.service.close()
