"""A peer that works, except that it quits for its own reason in one of its runs, just before it reads what comes next.

quitter.py ROLE PHASE RUN COUNT RADIO SERVICE [URL]

It quits in run number RUN, from 0; COUNT is the file in which its runs are counted. Phases of an authenticator are input
(the URL comes on standard input), upgrade, handshake and request, those of a client advert, upgrade, handshake and answer.
Whatever the other side has sent by then lies unread in this process when it ends.
"""

import asyncio
import os
import sys
import time

from cryptography.hazmat.primitives.asymmetric import ec

import authenticator
import client
from hybrid_peer import *

ROLE, PHASE, RUN, COUNT, RADIO, SERVICE, *URL = sys.argv[1:]
RADIO = RADIO.removeprefix("udp:")


def next_run():
    # A byte a run: with several jobs, one may read while another writes.
    with open(COUNT, "ab") as file:
        file.write(b".")
        file.flush()
        return os.fstat(file.fileno()).st_size - 1


QUITS = next_run() == int(RUN)


async def quit_unless_read(phase):
    if QUITS and PHASE == phase:
        # Time enough for the other side to send what is not read.
        await asyncio.sleep(0.3)
        os._exit(1)


def stop_reading(phase, socket):
    if QUITS and PHASE == phase:
        socket.transport.pause_reading()


async def at_upgrade(path):
    if QUITS and PHASE == "upgrade":
        host, port = SERVICE.removeprefix("ws://").split(":")
        _, writer = await asyncio.open_connection(host, int(port), limit=1)
        writer.transport.pause_reading()
        request = f"GET /cable/{path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        request += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        writer.write((request + "Sec-WebSocket-Protocol: fido.cable\r\n\r\n").encode())
        await writer.drain()
        await quit_unless_read("upgrade")


async def run_authenticator():
    if QUITS and PHASE == "input":
        time.sleep(0.3)
        os._exit(1)
    static, secret = read_code(URL[0] if URL else sys.stdin.readline().strip())
    path = "new/" + derive(secret, b"", TUNNEL_ID, 16).hex()
    await at_upgrade(path)
    async with tunnel(SERVICE, path, None) as socket:
        clear = plaintext(bytes.fromhex(socket.response.headers["X-caBLE-Routing-ID"]), 0)
        stop_reading("handshake", socket)
        sending = asyncio.create_task(advertise(RADIO, seal_advert(secret, clear)))
        await quit_unless_read("handshake")
        channel = await respond(socket, ec.generate_private_key(ec.SECP256R1()), static, derive(secret, clear, PSK, 32))
        info = canonical({1: ["FIDO_2_0"], 3: authenticator.AAGUID, 4: {"rk": True, "uv": True}})
        stop_reading("request", socket)
        await channel.send(canonical({1: info}))
        await quit_unless_read("request")
        message = await channel.receive()
        assert message[0] == 1, message[:1]
        await channel.send(b"\1\0" + canonical(authenticator.make_credential(cbor2.loads(message[2:]), [])))
        assert await channel.receive() == b"\0"
        sending.cancel()


async def run_client():
    static = ec.generate_private_key(ec.SECP256R1())
    secret, url = client.code(static, "mc")
    if QUITS and PHASE == "advert":
        print(url, flush=True)
        time.sleep(0.3)
        os._exit(1)
    hearing = asyncio.create_task(hear(RADIO, secret))
    await asyncio.sleep(0)
    print(url, flush=True)
    clear = await asyncio.wait_for(hearing, 20)
    path = f"connect/{clear[11:14].hex()}/{derive(secret, b'', TUNNEL_ID, 16).hex()}"
    await at_upgrade(path)
    async with tunnel(SERVICE, path, None) as socket:
        stop_reading("handshake", socket)
        initiating = asyncio.create_task(initiate(socket, static, derive(secret, clear, PSK, 32)))
        await asyncio.sleep(0)
        await quit_unless_read("handshake")
        channel = await initiating
        cbor2.loads(await channel.receive())
        stop_reading("answer", socket)
        await channel.send(b"\1" + client.request())
        await quit_unless_read("answer")
        answer = await channel.receive()
        assert answer[:2] == b"\1\0", answer[:2]
        client.verify(cbor2.loads(answer[2:]))
        await channel.send(b"\0")


asyncio.run(run_authenticator() if ROLE == "authenticator" else run_client())
