"""Both ends of a tunnel with the Python package `websockets`: python3 websocket_ends.py URL ROUTING_ID [CA_FILE]

Prints `ok NAME` for every check; ends with a traceback and a status other than 0 at the first that fails.
"""

import asyncio
import os
import ssl
import sys

import websockets
from websockets.exceptions import ConnectionClosed, InvalidStatus

URL, ROUTING_ID = sys.argv[1], sys.argv[2]
TLS = ssl.create_default_context(cafile=sys.argv[3]) if len(sys.argv) > 3 else None


def connect(path, **options):
    options.setdefault("subprotocols", ["fido.cable"])
    return websockets.connect(URL + path, ssl=TLS, max_size=None, open_timeout=30, **options)


async def pair():
    tunnel_id = os.urandom(16).hex()
    authenticator = await connect(f"/cable/new/{tunnel_id.upper()}")
    client = await connect(f"/cable/connect/{ROUTING_ID.upper()}/{tunnel_id}")
    return authenticator, client


async def check_upgrade():
    authenticator, client = await pair()
    for end in (authenticator, client):
        assert end.subprotocol == "fido.cable"
        # The package offers permessage-deflate unless told otherwise.
        assert end.protocol.extensions == [], end.protocol.extensions
    assert authenticator.response.headers.get_all("X-caBLE-Routing-ID") == [ROUTING_ID.lower()]
    assert "X-caBLE-Routing-ID" not in client.response.headers
    await client.close()
    await authenticator.close()


async def check_messages():
    authenticator, client = await pair()
    for size in (1, 81, 125, 126, 65535, 65536, 1 << 20):
        for sender, receiver in ((client, authenticator), (authenticator, client)):
            message = os.urandom(size)
            await sender.send(message)
            assert await receiver.recv() == message
    await client.close()
    await authenticator.close()


async def check_fragments():
    authenticator, client = await pair()
    parts = [os.urandom(size) for size in (1, 0, 1000, 70000)]
    await client.send(parts)
    assert await authenticator.recv() == b"".join(parts)
    await client.close()
    await authenticator.close()


async def check_ping():
    authenticator, client = await pair()
    await asyncio.wait_for(await client.ping(b"are you there"), 30)
    await client.close()
    await authenticator.close()


async def check_close_codes():
    for code in (1000, 1001, 1011, 3000, 4999):
        authenticator, client = await pair()
        await client.close(code, "a reason")
        assert client.close_code == code
        try:
            await authenticator.recv()
            raise AssertionError("a message came")
        except ConnectionClosed as closed:
            assert closed.rcvd.code == code and closed.rcvd.reason == ""


async def check_text():
    authenticator, client = await pair()
    await client.send("text")
    await client.wait_closed()
    assert client.close_code == 1003
    await authenticator.wait_closed()
    assert authenticator.close_code == 1001


async def check_statuses():
    unknown = os.urandom(16).hex()
    taken = os.urandom(16).hex()
    authenticator = await connect(f"/cable/new/{taken}")
    cases = [
        (404, f"/cable/connect/{ROUTING_ID}/{unknown}", {}),
        (400, "/cable/new/1234", {}),
        (400, f"/cable/new/{unknown}", {"subprotocols": None}),
        (403, f"/cable/new/{unknown}", {"origin": "https://example.com"}),
        (404, "/", {}),
        (409, f"/cable/new/{taken}", {}),
    ]
    for status, path, options in cases:
        try:
            await connect(path, **options)
            raise AssertionError("accepted " + path)
        except InvalidStatus as refused:
            assert refused.response.status_code == status, (path, refused.response.status_code)
            assert refused.response.body.endswith(b"\n"), refused.response.body
    await authenticator.close()


async def check_many():
    async def one():
        authenticator, client = await pair()
        for _ in range(5):
            message = os.urandom(100)
            await client.send(message)
            assert await authenticator.recv() == message
            await authenticator.send(message)
            assert await client.recv() == message
        await client.close()
        await authenticator.wait_closed()

    await asyncio.gather(*(one() for _ in range(25)))


async def main():
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            await asyncio.wait_for(check(), 60)
            print("ok", name.removeprefix("check_"), flush=True)


asyncio.run(main())
