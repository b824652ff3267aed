"""A client of another make: writes the text of its QR code, waits for an authenticator, makes a passkey and uses it.

client.py RADIO SERVICE [CA] [--style chromium|libwebauthn] [--silent] [--command HEX | --json FILE] [--passkey FILE] [--link FILE]

With --json it asks for a digital credential, with what the file holds, and writes the answer. With --passkey it keeps the
passkey that it makes, and signs in with one that is kept. With --link it keeps the link that it is offered, and uses one
that is kept instead of a QR code.
"""

import argparse
import asyncio
import hashlib
import json
import os
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from hybrid_peer import *
from linking import *

SITE = "example.net"
HASH = hashlib.sha256(b"client data").digest()


def code(static, hint):
    secret = os.urandom(16)
    compressed = static.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
    contents = {0: compressed, 1: secret, 2: 2, 3: int(time.time()), 4: True, 5: hint, 0xFFFF: 0}
    return secret, "FIDO:/" + digits_of_bytes(canonical(contents))


def request(passkey=None):
    if passkey:
        allowed = [{"id": bytes.fromhex(passkey["id"]), "type": "public-key"}]
        return b"\2" + canonical({1: SITE, 2: HASH, 3: allowed, 5: {"uv": True}})
    parameters = {1: HASH, 2: {"id": SITE, "name": "Net"}, 3: {"id": b"user", "name": "bob", "displayName": "Bob"}}
    parameters[4] = [{"alg": -35, "type": "public-key"}, {"alg": -7, "type": "public-key"}]
    parameters[7] = {"rk": True, "uv": True}
    return b"\1" + canonical(parameters)


def kept(path):
    """What a file of ours holds, or nothing."""
    return json.load(open(path)) if path and os.path.exists(path) else None


def verify(answer, passkey=None, path=None):
    """Verifies an assertion of the passkey, or a registration with packed self-attestation, or with none."""
    data = answer[2]
    if passkey:
        assert data[:33] == hashlib.sha256(SITE.encode()).digest() + bytes([data[32]]) and data[32] & 5 == 5, data.hex()
        key = public_key(bytes.fromhex(passkey["public"]))
        key.verify(answer[3], data + HASH, ec.ECDSA(hashes.SHA256()))
        return "assertion"
    assert data[:32] == hashlib.sha256(SITE.encode()).digest()
    assert data[32] & 0x45 == 0x45, hex(data[32])
    length = int.from_bytes(data[53:55], "big")
    key = cbor2.loads(data[55 + length :])
    assert (key[1], key[3], key[-1]) == (2, -7, 1), key
    public = public_key(b"\4" + key[-2] + key[-3])
    if path:
        with open(path, "w") as file:
            json.dump({"id": data[55 : 55 + length].hex(), "public": point(public).hex()}, file)
    if answer[1] == "packed":
        public.verify(answer[3]["sig"], data + HASH, ec.ECDSA(hashes.SHA256()))
    return answer[1]


async def linked(options, link, passkey):
    """A session with an authenticator that is known."""
    secret = bytes.fromhex(link["secret"])
    nonce, opening = contact(link, "ga" if passkey else "mc", options.service, options.ca)
    hearing = asyncio.create_task(hear(options.radio, secret, nonce))
    async with opening as socket:
        if socket.response.headers.get("X-caBLE-Signal-Connection"):
            assert await socket.recv() == b"\0"
        clear = await hearing
        channel = await initiate_linked(socket, bytes.fromhex(link["public"]), derive(secret, clear, PSK, 32))
        updates = []
        await ask(channel, options, passkey, cbor2.loads(await channel.receive()), updates)
        assert not updates, updates
        print("without a code", flush=True)


async def run(options):
    passkey, link = kept(options.passkey), kept(options.link)
    if link:
        return await linked(options, link, passkey)
    static = ec.generate_private_key(ec.SECP256R1())
    secret, url = code(static, "dcp" if options.json else "ga" if passkey else "mc")
    hearing = asyncio.create_task(hear(options.radio, secret))
    await asyncio.sleep(0)
    print(url, flush=True)
    clear = await hearing
    assert clear[0] == 0 and clear[14:] in (b"\0\0", b"\1\0"), clear.hex()
    tunnel_id = derive(secret, b"", TUNNEL_ID, 16).hex()
    async with tunnel(options.service, f"connect/{clear[11:14].hex().upper()}/{tunnel_id.upper()}", options.ca) as socket:
        if options.silent:
            await asyncio.sleep(600)
        channel = await initiate(socket, static, derive(secret, clear, PSK, 32))
        first = cbor2.loads(await channel.receive())
        updates = []
        await ask(channel, options, passkey, first, updates)
        if options.link:
            while not any(1 in update for update in updates):
                take(await channel.receive(), updates)
            link = accept(updates[-1][1], static, channel.handshake_hash)
            with open(options.link, "w") as file:
                json.dump(link, file)
        print("updates", [sorted(update) for update in updates], flush=True)
    reached("closed")


def take(message, updates):
    """Takes an update, if that is what it is."""
    if message[0] == 2:
        assert len(message) == 512, message.hex()
        updates.append(cbor2.loads(message[1:]))
    return message[0] == 2


async def ask(channel, options, passkey, first, updates):
    """One request, after the first message. Updates may come at any time."""

    async def reply():
        while take(message := await channel.receive(), updates):
            pass
        return message

    if options.json:
        assert "dc" in first[3] and ("ctap" in first[3]) == (1 in first), first
        with open(options.json, "rb") as file:
            await channel.send(b"\3" + file.read())
        answer = await reply()
        assert answer[0] == 3
        print(answer[1:].decode(), flush=True)
        return await channel.send(b"\0")
    info = cbor2.loads(first[1])
    assert "FIDO_2_0" in info[1] and "hybrid" in info.get(9, ["hybrid"]), info
    command = bytes.fromhex(options.command) if options.command else request(passkey)
    if options.style == "libwebauthn":
        await channel.send(command, prefix=b"\1")
    else:
        await channel.send(b"\1" + command)
    answer = await reply()
    reached("commandAnswered")
    assert answer[0] == 1
    print("status", hex(answer[1]), flush=True)
    if answer[1] == 0 and not options.command:
        print("verified", verify(cbor2.loads(answer[2:]), passkey, options.passkey), flush=True)
    if options.style == "chromium":
        await channel.send(b"\0")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("radio")
    parser.add_argument("service")
    parser.add_argument("ca", nargs="?")
    parser.add_argument("--style", choices=["chromium", "libwebauthn"], default="chromium")
    parser.add_argument("--silent", action="store_true")
    parser.add_argument("--command")
    parser.add_argument("--json")
    parser.add_argument("--passkey")
    parser.add_argument("--link")
    asyncio.run(run(parser.parse_args()))
