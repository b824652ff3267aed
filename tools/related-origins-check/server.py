"""The web server of every name: a page at each, and the file of the case that is on."""
import base64
import http.server
import pathlib
import re
import ssl
import subprocess
import threading
import time

FILE = "/.well-known/webauthn"


def body(response):
    """The body's bytes: text, or base64; with spaces at its end up to a length."""
    text = base64.b64decode(response["base64"]) if "base64" in response else response.get("body", "").encode()
    return text.ljust(response.get("length", 0), b" ")


class _Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Clients that break off are nothing to be told of."""


class Server:
    """With TLS and without, each at a free port of 127.0.0.1."""

    def __init__(self, folder, names):
        self.folder = pathlib.Path(folder)
        self.authority = self.folder / "authority.pem"
        self.case = None
        # True if the client cannot be told where names are: redirects then go to localhost, at our ports.
        self.is_local = False
        self._certify(names)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "server.pem", self.folder / "server.key")
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                owner.answer(self)

            def log_message(self, *_):
                pass

        self._servers = []
        for tls in (context, None):
            server = _Quiet(("127.0.0.1", 0), Handler)
            if tls:
                # The handshake belongs to the connection's thread: a client that breaks it off ends that alone.
                server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self._servers.append(server)
        self.tls_port, self.plain_port = (server.server_address[1] for server in self._servers)

    def answer(self, request):
        """Answers a request: with the case's file or a redirect to it, else with an empty page."""
        path = request.path.partition("?")[0]
        if path not in (FILE, "/moved"):
            return self._send(request, 200, [("Content-Type", "text/html")], b"<!doctype html><title>page</title>")
        response = self.case["response"]
        hop = int(request.path.partition("?")[2] or 0)
        redirects = response.get("redirects", [])
        if hop < len(redirects):
            location = self._location(redirects[hop].replace("{hop}", str(hop + 1)))
            return self._send(request, response.get("redirect_status", 302), [("Location", location)], b"")
        if "delay" in response:
            time.sleep(response["delay"])
        types = response.get("content_type", "application/json")
        headers = [("Content-Type", one) for one in ([types] if isinstance(types, str) else types)]
        self._send(request, response.get("status", 200), headers, body(response), response.get("framing"))

    def _location(self, url):
        if not self.is_local:
            return url
        port = self.plain_port if url.startswith("http:") else self.tls_port
        return re.sub(r"^(https?:)?//[^/]+", rf"\1//localhost:{port}", url)

    @staticmethod
    def _send(request, status, headers, content, framing=None):
        try:
            request.send_response_only(status)
            for name, value in headers:
                request.send_header(name, value)
            request.send_header("Cache-Control", "no-store")
            request.send_header("Connection", "close")
            request.close_connection = True
            if framing == "chunked":
                request.send_header("Transfer-Encoding", "chunked")
                content = b"%x\r\n%s\r\n0\r\n\r\n" % (len(content), content)
            elif framing != "to-end":
                # "cut" tells of more than there is.
                request.send_header("Content-Length", str(len(content) + (10 if framing == "cut" else 0)))
            request.end_headers()
            request.wfile.write(content)
        except (OSError, ssl.SSLError):
            pass  # The client has seen enough.

    def _certify(self, names):
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        self._openssl("req", "-x509", *key, "-days", "2", "-subj", "/CN=test authority", "-keyout", "authority.key",
                      "-out", "authority.pem")
        self._openssl("req", "-new", *key, "-subj", "/CN=server", "-keyout", "server.key", "-out", "server.csr")
        (self.folder / "names").write_text("subjectAltName=" + ",".join(f"DNS:{name}" for name in sorted(names)) + "\n")
        self._openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
                      "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "server.pem")

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)
