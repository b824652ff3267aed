"""What Chromium takes for a tunnel service: a certificate for the names that it expects, and a port on loopback."""
import json
import pathlib
import signal
import socket
import subprocess

import processes

# Domains 0 and 1, which are assigned, and 300, which is computed: rules HT-DOM-1 and HT-DOM-10.
DOMAINS = {0: "cable.ua5v.com", 1: "cable.auth.com", 300: "cable.mv2gnuwgd7fwb.net"}
# The domains 256 and 65535, which conformance cases name too.
OUTERMOST = ["cable.qz2ekwmnd332c.info", "cable.lw6vahpb5pldb.net"]


class Place:
    """Where Chromium looks for its tunnel services, for the program that plays them: a free port, and certificates from an authority that
    Chromium is told to trust."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.authority = self.folder / "authority.pem"
        self.certificate = self.folder / "service.pem"
        self.key = self.folder / "service.key"
        self._make_certificates()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"

    def end(self):
        """Nothing runs here."""

    def _make_certificates(self):
        names = ",".join(f"DNS:{name}" for name in ["localhost", *DOMAINS.values(), *OUTERMOST])
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                      "-subj", "/CN=browser test authority", "-keyout", "authority.key", "-out", "authority.pem")
        self._openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                      "-subj", "/CN=tunnel service", "-keyout", "service.key", "-out", "service.csr")
        (self.folder / "names").write_text(f"subjectAltName={names}\n")
        self._openssl("x509", "-req", "-in", "service.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
                      "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "service.pem")

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)


class TunnelService(Place):
    """A running `hybrid tunnel-service` there."""

    def __init__(self, hybrid, folder):
        super().__init__(folder)
        self._command = [hybrid, "tunnel-service", "--json", "--certificate", str(self.certificate),
                         "--key", str(self.key), "--listen"]
        self.start()

    def start(self):
        """Starts the service, again on the port that it had before."""
        self._log = open(self.folder / "tunnel-service.log", "ab")
        self._process = processes.start([*self._command, f"127.0.0.1:{self.port}"], stdout=subprocess.PIPE,
                                        stderr=self._log, text=True)
        json.loads(self._process.stdout.readline())

    def kill(self):
        """Ends the service at once, and with it every tunnel."""
        processes.kill(self._process)
        self._log.close()

    def end(self):
        """Ends the service normally."""
        self._process.send_signal(signal.SIGTERM)
        processes.end(self._process)
        self._log.close()

    @property
    def url(self):
        """Where an authenticator finds it."""
        return f"wss://localhost:{self.port}"
