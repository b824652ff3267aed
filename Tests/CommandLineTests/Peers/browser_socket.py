"""A hostile browser's machine at the socket of `hybrid client serve-browser`: one attack, and what is answered, a line each.

browser_socket.py SOCKET ATTACK [ORIGIN]       see ATTACKS
"""

import json
import signal
import socket
import struct
import sys

TIMEOUT = 60
path, attack, *rest = sys.argv[1:]


def connected():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(TIMEOUT)
    connection.connect(path)
    return connection


def framed(message):
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack("<I", len(data)) + data


def answer(connection):
    data = b""
    try:
        while more := connection.recv(65536):
            data += more
    except ConnectionResetError:
        pass
    return data[4:].decode() or "nothing"


def said(data):
    connection = connected()
    try:
        connection.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return answer(connection)


def request(origin="https://example.com", kind="get", same=True, **options):
    given = {"challenge": "AAAA", "rpId": "example.com", **options}
    return {"type": kind, "origin": origin, "sameOriginWithAncestors": same, "options": given}


def flood():
    """A thousand requests while another one is asked about: each is refused at once."""
    answers = {}
    for _ in range(1000):
        text = said(framed(request()))
        answers[text] = answers.get(text, 0) + 1
    for text, count in answers.items():
        print(count, text)


def leave():
    """Goes away in the middle of a request."""
    with connected() as connection:
        connection.sendall(framed(request())[:20])


def more():
    """Asks in the name of an origin, and sends more than the request when SIGHUP comes."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    with connected() as connection:
        connection.sendall(framed(request(origin=rest[0])))
        signal.sigwait({signal.SIGHUP})
        connection.sendall(b"more")
        print(answer(connection))


def often():
    """Asks and goes away, again and again: after ten questions in a minute nobody is asked."""
    for _ in range(12):
        with connected() as connection:
            connection.sendall(framed(request()))
            connection.settimeout(1)
            try:
                print(answer(connection))
            except TimeoutError:
                print("asked")


ATTACKS = {
    "oversized": lambda: print(said(struct.pack("<I", (1 << 20) + 1) + b"{")),
    "huge": lambda: print(said(struct.pack("<I", 0xFFFFFFFF) + b"{")),
    "empty": lambda: print(said(struct.pack("<I", 0))),
    "two": lambda: print(said(framed(request()) + b"{}")),
    "garbage": lambda: print(said(framed(b"\xff\x00{"))),
    "array": lambda: print(said(framed(b"[" * 100000))),
    "other-member": lambda: print(said(framed(request() | {"remote": "this machine"}))),
    "control": lambda: print(said(framed(request(origin="https://example.com\u001b[2J\u202e")))),
    "plain": lambda: print(said(framed(request(origin="http://example.com")))),
    "other-site": lambda: print(said(framed(request(origin="https://example.net")))),
    "framed": lambda: print(said(framed(request(same=False)))),
    "slow": lambda: print(said(framed(request())[:-1])),
    "ask": lambda: print(said(framed(request(origin=rest[0])))),
    "flood": flood,
    "leave": leave,
    "more": more,
    "often": often,
}
ATTACKS[attack]()
