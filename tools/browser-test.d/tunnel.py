"""Our tunnel service, with a certificate for the names that Chromium expects, from an authority that it trusts."""
import json
import pathlib
import signal
import subprocess

import processes

# Domains 0 and 1, which are assigned, and 300, which is computed: PROTOCOL.md section 2 names them so.
DOMAINS = {0: "cable.ua5v.com", 1: "cable.auth.com", 300: "cable.mv2gnuwgd7fwb.net"}


class TunnelService:
    """A running `hybrid tunnel-service` on loopback."""

    def __init__(self, hybrid, folder):
        self.folder = pathlib.Path(folder)
        self.authority = self.folder / "authority.pem"
        self._make_certificates()
        self._command = [hybrid, "tunnel-service", "--json", "--certificate", str(self.folder / "service.pem"),
                         "--key", str(self.folder / "service.key"), "--listen"]
        self.port = 0
        self.start()

    def start(self):
        """Starts the service, again on the port that it had before."""
        self._log = open(self.folder / "tunnel-service.log", "ab")
        self._process = processes.start([*self._command, f"127.0.0.1:{self.port}"], stdout=subprocess.PIPE,
                                        stderr=self._log, text=True)
        listening = json.loads(self._process.stdout.readline())
        self.port = int(listening["url"].rsplit(":", 1)[1])

    def kill(self):
        """Ends the service at once, and with it every tunnel."""
        processes.kill(self._process)
        self._log.close()

    def end(self):
        """Ends the service in good order."""
        self._process.send_signal(signal.SIGTERM)
        processes.end(self._process)
        self._log.close()

    @property
    def url(self):
        """Where an authenticator finds it."""
        return f"wss://localhost:{self.port}"

    def _make_certificates(self):
        names = ",".join(f"DNS:{name}" for name in ["localhost", *DOMAINS.values()])
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                      "-subj", "/CN=browser test authority", "-keyout", "authority.key", "-out", "authority.pem")
        self._openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                      "-subj", "/CN=tunnel service", "-keyout", "service.key", "-out", "service.csr")
        (self.folder / "names").write_text(f"subjectAltName={names}\n")
        self._openssl("x509", "-req", "-in", "service.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
                      "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "service.pem")

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)
