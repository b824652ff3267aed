"""An authenticator and a client of the contact side in Python, written from ContactService.md: python3 contact_ends.py URL [CA_FILE]

Prints `ok NAME` for every check; ends with a traceback and a status other than 0 at the first that fails.
"""

import asyncio
import base64
import hashlib
import os
import ssl
import sys
from urllib.parse import urlparse

import cbor2
import websockets
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from websockets.exceptions import ConnectionClosed, InvalidStatus

URL = sys.argv[1]
TLS = ssl.create_default_context(cafile=sys.argv[2]) if len(sys.argv) > 2 else None
PAYLOAD = cbor2.dumps({1: bytes(8), 2: bytes(16), 3: "ga"}, canonical=True)


def connect(path, headers=()):
    return websockets.connect(
        URL + path, ssl=TLS, subprotocols=["fido.cable"], additional_headers=list(headers), open_timeout=30
    )


def contact(contact_id, signal=True):
    headers = [("X-caBLE-Client-Payload", PAYLOAD.hex())]
    if signal:
        headers.append(("X-caBLE-Signal-Connection", "true"))
    return connect("/cable/contact/" + base64.urlsafe_b64encode(contact_id).decode().rstrip("="), headers)


class Authenticator:
    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())

    async def listen(self, labels, **changes):
        self.connection = await connect("/cable/listen")
        hello = await self.message()
        assert hello.keys() == {0, 1} and hello[0] == 1 and len(hello[1]) == 32, hello
        self.challenge = hello[1]
        return await self.register(labels, **changes)

    async def register(self, labels, listens=True, host=None, challenge=None, signed_labels=None):
        name = (host or urlparse(URL).hostname).encode()
        wanted = (b"\x01" if listens else b"\x00") + b"".join(signed_labels or labels)
        statement = b"hybrid contact registration 1" + bytes([len(name)]) + name
        statement += (challenge or self.challenge) + hashlib.sha256(wanted).digest()
        await self.send(
            {
                0: 2,
                1: self.key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint),
                2: self.key.sign(statement, ec.ECDSA(hashes.SHA256())),
                3: list(labels),
                4: listens,
            }
        )
        registered = await self.message()
        assert registered[0] == 3 and len(registered[1]) == len(labels), registered
        self.challenge = registered[2]
        return registered[1]

    async def send(self, message):
        await self.connection.send(cbor2.dumps(message, canonical=True))

    async def message(self):
        return cbor2.loads(await asyncio.wait_for(self.connection.recv(), 30))

    async def wake(self):
        wake = await self.message()
        assert wake[0] == 4 and wake[4] == PAYLOAD, wake
        return wake

    async def close_code(self):
        try:
            await asyncio.wait_for(self.connection.recv(), 30)
        except ConnectionClosed as closed:
            return closed.rcvd.code
        raise AssertionError("not closed")


async def status(attempt):
    try:
        await attempt
    except InvalidStatus as refused:
        return refused.response.status_code
    return 101


async def check_registration():
    authenticator = Authenticator()
    first, second = await authenticator.listen([b"label--1", b"label--2"])
    public = authenticator.key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
    for contact_id, label in ((first, b"label--1"), (second, b"label--2")):
        assert len(contact_id) == 41 and contact_id[:25] == b"\x01" + hashlib.sha256(public).digest()[:16] + label
    assert await authenticator.register([b"label--2"]) == [second]
    assert await status(contact(first)) == 410
    await authenticator.connection.close()


async def check_session():
    authenticator = Authenticator()
    (contact_id,) = await authenticator.listen([b"label--1"])
    client = asyncio.create_task(contact(contact_id).__aenter__())
    wake = await authenticator.wake()
    assert wake[1] == contact_id
    await authenticator.send({0: 5, 1: wake[2]})
    client = await client
    assert client.response.headers.get_all("X-caBLE-Signal-Connection") == ["true"]
    joined = await connect(f"/cable/connect/{wake[3].hex()}/{wake[2].hex()}")
    assert await client.recv() == b"\x00"
    for sender, receiver in ((client, joined), (joined, client)):
        message = os.urandom(1000)
        await sender.send(message)
        assert await receiver.recv() == message
    for connection in (client, joined, authenticator.connection):
        await connection.close()


async def check_declined():
    authenticator = Authenticator()
    (contact_id,) = await authenticator.listen([b"label--1"])
    client = asyncio.create_task(contact(contact_id, signal=False).__aenter__())
    wake = await authenticator.wake()
    await authenticator.send({0: 5, 1: wake[2]})
    client = await client
    assert "X-caBLE-Signal-Connection" not in client.response.headers
    await authenticator.send({0: 6, 1: wake[2]})
    try:
        await client.recv()
        raise AssertionError("not closed")
    except ConnectionClosed as closed:
        assert closed.rcvd.code == 1000
    await authenticator.connection.close()


async def check_proofs():
    for changes in (
        {"host": "cable.example.com"},
        {"challenge": bytes(32)},
        {"signed_labels": [b"label--2"]},
    ):
        authenticator = Authenticator()
        try:
            await authenticator.listen([b"label--1"], **changes)
            raise AssertionError("taken")
        except ConnectionClosed as closed:
            assert closed.rcvd.code == 4401, closed


async def check_one_shot():
    authenticator, other = Authenticator(), Authenticator()
    other.key = authenticator.key
    await authenticator.listen([b"label--1"])
    (contact_id,) = await other.listen([b"label--2"], listens=False)
    assert await other.close_code() == 1000
    client = asyncio.create_task(contact(contact_id).__aenter__())
    wake = await authenticator.wake()
    await authenticator.send({0: 5, 1: wake[2]})
    await (await client).close()
    again = Authenticator()
    again.key = authenticator.key
    await again.listen([])
    assert await authenticator.close_code() == 4409
    await again.connection.close()


async def check_unauthenticated():
    for contact_id in (b"\x01", bytes(41), bytes(4096)):
        assert await status(contact(contact_id)) == 410
    assert await status(connect("/cable/contact/AAAA")) == 400
    assert await status(connect(f"/cable/connect/000000/{os.urandom(16).hex()}")) == 404


async def main():
    for name in ("registration", "session", "declined", "proofs", "one_shot", "unauthenticated"):
        await globals()[f"check_{name}"]()
        print("ok", name, flush=True)


asyncio.run(main())
