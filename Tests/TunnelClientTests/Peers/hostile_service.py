"""A tunnel service on loopback that does to its clients what a few lines of Python say.

Usage: hostile_service.py LINES [CERTIFICATE KEY]

It prints its port, then what it meets: `accepted`, `request LINE`, `header NAME: VALUE`, `frame OPCODE LENGTH`, `pong PAYLOAD`,
`close CODE`, `end` or `reset`. LINES run once for each connection, after its request was read, and see `peer`; what stands above a line
`---` runs before.
"""

import base64
import hashlib
import os
import socket
import ssl
import struct
import sys
import threading
import time

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
ACCEPT_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def say(*words):
    # One write for a line: several connections speak at once.
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Peer:
    connections = 0

    def __init__(self, connection):
        Peer.connections += 1
        self.number = Peer.connections
        self.connection = connection
        self.headers = {}

    def read_request(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = self.connection.recv(1)
            if not byte:
                return False
            head += byte
        lines = head.decode().split("\r\n")[:-2]
        say("request", lines[0])
        self.path = lines[0].split(" ")[1]
        for line in lines[1:]:
            name, value = line.split(": ", 1)
            say("header", line)
            self.headers[name.lower()] = value
        return True

    def accept_key(self):
        key = self.headers["sec-websocket-key"].encode()
        return base64.b64encode(hashlib.sha1(key + ACCEPT_SUFFIX).digest()).decode()

    def accept(self, *headers, without=(), status="101 Switching Protocols", version="HTTP/1.1", after=b""):
        lines = {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Accept": self.accept_key(),
            "Sec-WebSocket-Protocol": "fido.cable",
        }
        head = [f"{version} {status}"]
        head += [f"{name}: {value}" for name, value in lines.items() if name not in without]
        head += headers
        self.send("\r\n".join(head).encode() + b"\r\n\r\n" + after)

    def answer(self, status, *headers, body=b""):
        head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers])
        self.send(head.encode() + b"\r\n\r\n" + body)

    def redirect(self, location, status="302 Found"):
        self.answer(status, f"Location: {location}")

    def send(self, data):
        self.connection.sendall(data)

    @staticmethod
    def bytes_of_frame(opcode, payload=b"", fin=True, reserved=0, masked=False, length=None):
        length = len(payload) if length is None else length
        head = bytes([fin << 7 | reserved << 4 | opcode])
        mask = masked << 7
        if length < 126:
            head += bytes([mask | length])
        elif length < 65536:
            head += bytes([mask | 126]) + struct.pack(">H", length)
        else:
            head += bytes([mask | 127]) + struct.pack(">Q", length)
        return head + (bytes(4) if masked else b"") + payload

    def frame(self, *args, **kwargs):
        self.send(self.bytes_of_frame(*args, **kwargs))

    def close(self, code=1000, reason=b""):
        self.frame(CLOSE, struct.pack(">H", code) + reason)

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.connection.recv(min(count - len(data), 65536))
            if not more:
                raise EOFError
            data += more
        return data

    def read_frame(self):
        first, second = self.read(2)
        assert second & 0x80, "a client must mask"
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", self.read(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self.read(8))
        mask = self.read(4)
        payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(self.read(length)))
        return first & 0x0F, payload

    def relay(self, port):
        """Is a proxy that has connected to a port of this machine."""
        other = socket.create_connection(("127.0.0.1", port))
        self.send(b"HTTP/1.1 200 Connection established\r\n\r\n")

        def forward():
            try:
                while data := other.recv(65536):
                    self.send(data)
                self.connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # The other end has gone.

        threading.Thread(target=forward, daemon=True).start()
        while data := self.connection.recv(65536):
            other.sendall(data)
        raise EOFError

    def listen(self):
        while True:
            opcode, payload = self.read_frame()
            if opcode == CLOSE:
                say("close", struct.unpack(">H", payload[:2])[0] if payload else "none")
                self.close()
                self.wait_for_end()
            elif opcode == PONG:
                say("pong", payload.decode())
            else:
                say("frame", opcode, len(payload))

    def wait_for_end(self):
        while self.connection.recv(65536):
            pass
        raise EOFError


def serve(connection, lines, context):
    say("accepted")
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        peer = Peer(connection)
        before, _, lines = lines.rpartition("\n---\n")
        exec(before, {**globals(), "peer": peer})
        if not peer.read_request():
            raise EOFError
        exec(lines, {**globals(), "peer": peer})
        peer.listen()
    except EOFError:
        say("end")
    except ssl.SSLError as error:
        say("tls", error.reason)
    except OSError:
        say("reset")
    finally:
        connection.close()


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


def main():
    threading.Thread(target=end_with_parent, daemon=True).start()
    lines, context = sys.argv[1], None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
    listener = socket.create_server(("127.0.0.1", 0))
    # So that a peer that does not read is felt soon, instead of being hidden by megabytes of buffer.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
    say(listener.getsockname()[1])
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, lines, context), daemon=True).start()


main()
