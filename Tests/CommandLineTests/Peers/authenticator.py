"""An authenticator of another make: answers the QR code that is named, and serves one command.

authenticator.py URL RADIO SERVICE [CA] [--credentials FILE] [--status NUMBER] [--adverts N] [--uuid fde2] [--leave STAGE]
    [--json FILE] [--link FILE] [--prf] [--present]

With --prf its passkeys have a function, by the extension prf. With --present it cannot verify its user.
With --json it offers digital credentials besides: it answers a request for the protocol of the one that the file holds
with that, another request with an error, and what is no request by leaving. With --link it offers a link and keeps it;
with the URL `listen` it then serves linked clients until it is killed.
"""

import argparse
import asyncio
import hashlib
import hmac
import json
import os

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from hybrid_peer import *
from linking import *

AAGUID = bytes.fromhex("00112233445566778899aabbccddeeff")
MAKE_CREDENTIAL, GET_ASSERTION = 1, 2
UP, UV, AT = 0x01, 0x04, 0x40


def signature(private, data):
    return private.sign(data, ec.ECDSA(hashes.SHA256()))


def values(prf, credential):
    """The function's values for what the extension prf asks of a passkey."""
    salts = prf.get("evalByCredential", {}).get(bytes.fromhex(credential["id"]), prf.get("eval"))
    key = credential["scalar"].to_bytes(32, "big")
    return {"results": {name: hmac.digest(key, salt, "sha256") for name, salt in salts.items()}} if salts else {}


def make_credential(request, credentials):
    private = ec.generate_private_key(ec.SECP256R1())
    credential = {"id": os.urandom(20).hex(), "user": request[3]["id"].hex(), "site": request[2]["id"]}
    credential["scalar"] = private.private_numbers().private_value
    credentials.append(credential)
    numbers = private.public_key().public_numbers()
    key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
    identifier = bytes.fromhex(credential["id"])
    data = hashlib.sha256(request[2]["id"].encode()).digest() + bytes([UP | UV | AT]) + bytes(4)
    data += AAGUID + len(identifier).to_bytes(2, "big") + identifier + canonical(key)
    answer = {1: "packed", 2: data, 3: {"alg": -7, "sig": signature(private, data + request[1])}}
    if "prf" in request.get(6, {}):
        answer[6] = {"prf": {"enabled": True} | values(request[6]["prf"], credential)}
    return answer


def get_assertion(request, credentials):
    allowed = [descriptor["id"].hex() for descriptor in request.get(3, [])]
    for credential in credentials:
        if credential["site"] == request[1] and (not allowed or credential["id"] in allowed):
            private = ec.derive_private_key(credential["scalar"], ec.SECP256R1())
            data = hashlib.sha256(request[1].encode()).digest() + bytes([UP | UV]) + bytes(4)
            answer = {1: {"id": bytes.fromhex(credential["id"]), "type": "public-key"}, 2: data}
            answer[3] = signature(private, data + request[2])
            if not allowed:
                answer[4] = {"id": bytes.fromhex(credential["user"]), "name": "", "displayName": ""}
            if "prf" in request.get(4, {}):
                answer[8] = {"prf": values(request[4]["prf"], credential)}
            return answer
    return None


def answer(message, options, credentials):
    command, request = message[0], cbor2.loads(message[1:])
    if options.status:
        return bytes([options.status])
    response = (make_credential if command == MAKE_CREDENTIAL else get_assertion)(request, credentials)
    return b"\0" + canonical(response) if response else b"\x2e"


def credential(message, file):
    """The answer to a request for a digital credential; what is none ends the program."""
    request = json.loads(message.decode())
    entries = request["request"]["digital"]["requests"]
    assert isinstance(request["origin"], str) and request["requestType"] in ("credential.get", "credential.create")
    assert isinstance(entries, list) and entries
    assert all(isinstance(entry["protocol"], str) and isinstance(entry["data"], dict) for entry in entries)
    held = json.load(open(file))
    if held["response"]["digital"]["data"]["protocol"] not in [entry["protocol"] for entry in entries]:
        held = {"response": {"digital": {"error": "no-credential"}}}
    return json.dumps(held).encode()


async def serve(channel, options, credentials, linking=None):
    """The messages of a session: what the client asked for."""
    info = {1: ["FIDO_2_0"], 3: AAGUID, 4: {"rk": True, "uv": not options.present}, 9: ["cable", "hybrid", "internal"]}
    info = canonical(info | ({2: ["prf"]} if options.prf else {}))
    await channel.send(canonical({1: info, 3: ["dc"] * bool(options.json) + ["ctap", "unheard-of"]}))
    if linking is not None:
        await channel.send(update(linking) if linking else b"\2" + canonical({0: bytes(UPDATE_BYTES - 6)}))
    message = await channel.receive()
    is_json = message[0] == 3
    assert message[0] == 1 or is_json and options.json, message[:1]
    if options.leave == "command":
        return "nothing"
    await asyncio.sleep(0.5 if options.adverts > 1 else 0)
    if is_json:
        await channel.send(b"\3" + credential(message[1:], options.json))
    else:
        await channel.send(b"\1" + answer(message[1:], options, credentials))
    if options.credentials:
        json.dump(credentials, open(options.credentials, "w"))
    assert await channel.receive() == b"\0", "the client sent no shutdown"
    return "credential" if is_json else "registration" if message[1] == MAKE_CREDENTIAL else "sign-in"


async def listen(options, credentials):
    """Serves linked clients, one after the other."""
    links = Links(options.link)
    async for tunnel_id, routing_id, secret, nonce in links.wakes(options.service, options.ca):
        async with tunnel(options.service, f"connect/{routing_id.hex()}/{tunnel_id.hex()}", options.ca) as socket:
            # Not the number of an assigned domain.
            clear = b"\0" + os.urandom(14) + b"\xff"
            sending = asyncio.create_task(advertise(options.radio, seal_advert(secret, clear, nonce)))
            channel = await respond_linked(socket, links.key, derive(secret, clear, PSK, 32))
            print("served", await serve(channel, options, credentials), flush=True)
            sending.cancel()


def load(path):
    return json.load(open(path)) if path and os.path.exists(path) else []


async def run(options):
    if options.url == "listen":
        return await listen(options, load(options.credentials))
    reached("qrScanned")
    client_static, secret = read_code(options.url)
    tunnel_id = derive(secret, b"", TUNNEL_ID, 16).hex().upper()
    credentials = load(options.credentials)
    async with tunnel(options.service, f"new/{tunnel_id}", options.ca) as socket:
        routing_id = bytes.fromhex(socket.response.headers["X-caBLE-Routing-ID"])
        if options.leave == "advert":
            return
        clear = plaintext(routing_id, 0)
        adverts = [seal_advert(secret, clear)]
        adverts += [seal_advert(secret, plaintext(routing_id, 0)) for _ in range(options.adverts - 1)]
        sending = [asyncio.create_task(advertise(options.radio, adverts[0], int(options.uuid, 16)))]
        await asyncio.sleep(0.3 if options.adverts > 1 else 0)
        sending += [asyncio.create_task(advertise(options.radio, advert)) for advert in adverts[1:]]
        psk = derive(secret, clear, PSK, 32)
        channel = await respond(socket, ec.generate_private_key(ec.SECP256R1()), client_static, psk)
        if options.leave == "handshake":
            return
        linking = {}
        if options.link:
            linking = await Links(options.link).offer(options.service, options.ca, client_static, channel.handshake_hash)
        served = await serve(channel, options, credentials, linking)
        for task in sending:
            task.cancel()
    reached("closed")
    print("served", served)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("radio")
    parser.add_argument("service")
    parser.add_argument("ca", nargs="?")
    parser.add_argument("--credentials")
    parser.add_argument("--json")
    parser.add_argument("--link")
    parser.add_argument("--prf", action="store_true")
    parser.add_argument("--present", action="store_true")
    parser.add_argument("--status", type=lambda text: int(text, 0), default=0)
    parser.add_argument("--adverts", type=int, default=1)
    parser.add_argument("--uuid", default="fff9")
    parser.add_argument("--leave", choices=["advert", "handshake", "command"])
    asyncio.run(run(parser.parse_args()))
