"""A web server over TLS that is not a tunnel service, and wrong in one thing, which its second argument names.

web_server.py FOLDER KIND     writes FOLDER/KIND.pem, the authority to trust, then `listening on PORT`

KIND: good, expired, early (not valid yet), other-name, soon (two days are left), an-hour-off (its Date), dateless, silent
"""

import datetime
import http.server
import pathlib
import ssl
import sys
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

FOLDER, KIND = pathlib.Path(sys.argv[1]), sys.argv[2]
NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)
# Half a day beside the whole ones, so that the days that are told are the same all the while.
VALID = {"expired": (-9.5, -2.5), "early": (3.5, 9.5), "soon": (-5.5, 2.5)}.get(KIND, (-5.5, 60.5))


def certificate(name, issuer, public_key, signing_key, extensions, days):
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW + days[0] * DAY)
        .not_valid_after(NOW + days[1] * DAY)
    )
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(signing_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


authority, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
names = x509.SubjectAlternativeName([x509.DNSName("example.org" if KIND == "other-name" else "localhost")])
own = FOLDER / f"{KIND}-server.pem"
own.write_bytes(
    certificate("server", "authority", key.public_key(), authority, [names], VALID)
    + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
)
(FOLDER / f"{KIND}.pem").write_bytes(
    certificate("authority", "authority", authority.public_key(), authority, [x509.BasicConstraints(True, None)], (-30, 90))
)


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if KIND == "silent":
            time.sleep(600)
        self.send_response_only(200)
        if KIND != "dateless":
            self.send_header("Date", self.date_time_string(time.time() - (3600 if KIND == "an-hour-off" else 0)))
        self.send_header("Content-Length", "3")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"hi\n")
        self.close_connection = True

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
server.daemon_threads = True
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(own)
# The handshake belongs to the connection's thread: a client that breaks it off ends that alone.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(f"listening on {server.server_address[1]}", flush=True)
server.serve_forever()
