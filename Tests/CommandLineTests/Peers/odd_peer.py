"""A peer that works, but for one thing, which is that of some implementation of the field.

odd_peer.py ROLE STYLE RADIO SERVICE CA [URL]

The styles are the conditions below.
"""

import asyncio
import fcntl
import os
import select
import ssl
import sys
import termios

import websockets.asyncio.connection as connection
from cryptography.hazmat.primitives.asymmetric import ec
from websockets.frames import Opcode

import authenticator
import client
from hybrid_peer import *

ROLE, STYLE, RADIO, SERVICE, CA, *URL = sys.argv[1:]
RADIO = RADIO.removeprefix("udp:")
# A right answer is longer, a mistake shorter.
LONGEST_MISTAKE = 150


def context():
    if not SERVICE.startswith("wss:"):
        return None
    made = ssl.create_default_context(cafile=CA)
    if STYLE == "trusts-all":
        made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    return made


def tunnel(path):
    return connect(f"{SERVICE}/cable/{path}", subprotocols=["fido.cable"], ssl=context(), max_size=1 << 20)


def end_of_frame(data):
    length = data[1] & 127
    return 2 + length if length < 126 else 4 + int.from_bytes(data[2:4], "big")


def change_library():
    """Puts the faults of a WebSocket library into the one at hand."""
    process, receive = connection.Connection.process_event, connection.Connection.data_received

    def process_event(self, event):
        if STYLE == "dies-of-pings" and getattr(event, "opcode", None) is Opcode.PING:
            os._exit(101)
        process(self, event)

    def data_received(self, data):
        head = data.find(b"\r\n\r\n")
        if STYLE == "drops-early" and data.startswith(b"HTTP/"):
            data = data[: head + 4]
        if STYLE == "one-frame" and not data.startswith(b"HTTP/"):
            data = data[: end_of_frame(data)]
        receive(self, data)

    connection.Connection.process_event, connection.Connection.data_received = process_event, data_received


change_library()


def stop_reading(socket):
    """Leaves what comes in the system's buffer, below TLS."""
    transport = socket.transport
    if SERVICE.startswith("wss:"):
        transport = transport._ssl_protocol._transport
    transport.pause_reading()
    return transport


def unread(transport):
    """The number of bytes that have come and were not read."""
    return int.from_bytes(fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.FIONREAD, bytes(4)), sys.byteorder)


def is_over(transport):
    """True if the other end sends no more."""
    ends = select.poll()
    ends.register(transport.get_extra_info("socket"), select.POLLRDHUP)
    return bool(ends.poll(0))


async def come(transport, before=0):
    """Returns when more bytes have come than these, or no more will."""
    while unread(transport) == before and not is_over(transport):
        await asyncio.sleep(0.01)


async def say_goodbye(socket, transport, status):
    """Ends in order, and has not read what came meanwhile."""
    before = unread(transport)
    socket.protocol.send_close(1000)
    socket.send_data()
    # A process that ends now takes the goodbye back, unless it has been read: then it is answered, or the connection ends.
    await come(transport, before)
    os._exit(status)


async def run_client():
    static = ec.generate_private_key(ec.SECP256R1())
    secret, url = client.code(static, "mc")
    hearing = asyncio.create_task(hear(RADIO, secret))
    await asyncio.sleep(0)
    print(url, flush=True)
    clear = await asyncio.wait_for(hearing, 20)
    async with tunnel(f"connect/{clear[11:14].hex()}/{derive(secret, b'', TUNNEL_ID, 16).hex()}") as socket:
        channel = await initiate(socket, static, derive(secret, clear, PSK, 32))
        cbor2.loads(await channel.receive())
        request = client.request()
        if STYLE == "unsorted":
            parameters = cbor2.loads(request[1:])
            parameters[4] = [{"type": "public-key", "alg": -7}]
            request = request[:1] + cbor2.dumps(parameters)
        if STYLE == "goodbye":
            transport = stop_reading(socket)
        await channel.send(b"\1" + request)
        if STYLE == "goodbye":
            await come(transport)
            if unread(transport) < LONGEST_MISTAKE:
                await say_goodbye(socket, transport, 1)
            transport.resume_reading()
        answer = b"\2"
        while answer[0] == 2:
            answer = await channel.receive()
        assert answer[:2] == b"\1\0", answer[:2]
        if STYLE == "leaves-close-unread":
            transport = stop_reading(socket)
        await channel.send(b"\0")
        if STYLE == "leaves-close-unread":
            # The other end's Close frame.
            await come(transport)
            await say_goodbye(socket, transport, 0)


async def run_authenticator():
    contents = cbor2.loads(bytes_of_digits(URL[0].removeprefix("FIDO:/")))
    static, secret = point(public_key(contents[0])), contents[1]
    assert len(secret) == 16
    async with tunnel("new/" + derive(secret, b"", TUNNEL_ID, 16).hex()) as socket:
        clear = plaintext(bytes.fromhex(socket.response.headers["X-caBLE-Routing-ID"]), 0)
        sending = asyncio.create_task(advertise(RADIO, seal_advert(secret, clear)))
        channel = await respond(socket, ec.generate_private_key(ec.SECP256R1()), static, derive(secret, clear, PSK, 32))
        info = canonical({1: ["FIDO_2_0"], 3: authenticator.AAGUID, 4: {"rk": True, "uv": True}})
        if STYLE == "unsorted":
            await channel.send(cbor2.dumps({3: ["ctap"], 1: info}))
        else:
            await channel.send(canonical({1: info, 3: ["ctap"]}))
        message = await channel.receive()
        if STYLE == "answers-unknown" and message[0] > 3:
            await channel.send(b"\1\x01")
            await channel.send(b"\0")
            return
        assert message[0] == 1 and len(message) > 1, message[:1]
        if message[1] == authenticator.GET_ASSERTION:
            await channel.send(b"\1\x2e")
            return
        if STYLE == "heeds-hint" and contents[5] != "mc":
            raise SystemExit("the code announces another command")
        answer = authenticator.make_credential(cbor2.loads(message[2:]), [])
        if STYLE == "no-verification":
            answer[2] = answer[2][:32] + bytes([answer[2][32] & ~authenticator.UV]) + answer[2][33:]
        if STYLE == "unsorted":
            answer = dict(reversed(list(answer.items())))
        await channel.send(b"\1\0" + cbor2.dumps(answer))
        assert await channel.receive() == b"\0"
        sending.cancel()
    if STYLE == "ends-badly":
        raise SystemExit("name 'mainloop' is not defined")


asyncio.run(run_authenticator() if ROLE == "authenticator" else run_client())
