"""TLS for a program that has none, by somebody in a hurry: takes what one read of TLS gives for whole frames, or ends the connection.

one_read.py serve PORT CERTIFICATE KEY [--split]       TLS in front of the service at this port of 127.0.0.1
one_read.py connect URL CA [--split] -- COMMAND…       TLS between a command, in which TUNNEL is replaced, and a wss:// service

The first writes the port on which it listens. With --split it writes the head of each frame apart from the payload, in a TLS record of its own.
"""

import socket
import ssl
import subprocess
import sys
import threading
import urllib.parse

SPLIT = "--split" in sys.argv
arguments = [argument for argument in sys.argv[1:] if argument != "--split"]


def frame_lengths(data):
    """The lengths of head and payload of the frame that data begins with; None where it does not say."""
    if len(data) < 2:
        return None
    code = data[1] & 0x7F
    extra = {126: 2, 127: 8}.get(code, 0)
    if len(data) < 2 + extra:
        return None
    payload = int.from_bytes(data[2 : 2 + extra], "big") if extra else code
    return 2 + extra + (4 if data[1] & 0x80 else 0), payload


def is_whole(data):
    """Whether these are frames to their ends."""
    while data:
        lengths = frame_lengths(data)
        if lengths is None or len(data) < sum(lengths):
            return False
        data = data[sum(lengths) :]
    return True


def head(source, data=b""):
    """Reads an HTTP head; returns it, and what came behind it."""
    while b"\r\n\r\n" not in data:
        more = source.recv(65536)
        if not more:
            raise ConnectionError("no head")
        data += more
    end = data.index(b"\r\n\r\n") + 4
    return data[:end], data[end:]


def from_tls(tls, plain):
    """Each read has to give whole frames."""
    start, rest = head(tls)
    plain.sendall(start)
    while is_whole(rest):
        plain.sendall(rest)
        rest = tls.recv(65536)
        if not rest:
            return


def to_tls(plain, tls):
    """Frame by frame."""
    start, rest = head(plain)
    tls.sendall(start)
    while True:
        lengths = frame_lengths(rest)
        while lengths is None or len(rest) < sum(lengths):
            more = plain.recv(65536)
            if not more:
                return
            rest += more
            lengths = frame_lengths(rest)
        cut = lengths[0] if SPLIT and lengths[1] else sum(lengths)
        tls.sendall(rest[:cut])
        if cut < sum(lengths):
            tls.sendall(rest[cut : sum(lengths)])
        rest = rest[sum(lengths) :]


def carry(tls, plain):
    """Carries both ways until one ends."""

    def run(function, *sockets):
        try:
            function(*sockets)
        except OSError:
            pass
        for end in (tls, plain):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    for direction in ((from_tls, tls, plain), (to_tls, plain, tls)):
        threading.Thread(target=run, args=direction, daemon=True).start()


def listen(accept):
    """Listens; returns the port."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                carry(*accept(server.accept()[0]))
            except OSError:
                pass

    threading.Thread(target=serve, daemon=True).start()
    return server.getsockname()[1]


if arguments[0] == "serve":
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(arguments[2], arguments[3])
    target = ("127.0.0.1", int(arguments[1]))
    print("port", listen(lambda end: (context.wrap_socket(end, server_side=True), socket.create_connection(target))), flush=True)
    threading.Event().wait()
else:
    context = ssl.create_default_context(cafile=arguments[2])
    url = urllib.parse.urlsplit(arguments[1])
    near = listen(lambda end: (
        context.wrap_socket(socket.create_connection((url.hostname, url.port)), server_hostname=url.hostname), end))
    command = [word.replace("TUNNEL", f"ws://localhost:{near}") for word in arguments[arguments.index("--") + 1 :]]
    sys.exit(subprocess.run(command, check=False).returncode)
