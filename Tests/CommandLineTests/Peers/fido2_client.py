"""python-fido2's client, as it is, over a hybrid session: makes a passkey, or signs in with it.

fido2_client.py register|sign-in STATE RADIO SERVICE [CA] [--verification WISH] [--named]

Writes the text of its QR code, waits for an authenticator, and keeps the passkey in the file STATE. With --named the
passkey is in the list of those that are excluded or allowed, so that the client first asks without user presence.
"""

import argparse
import asyncio
import pathlib

from cryptography.hazmat.primitives.asymmetric import ec
from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client
from fido2.ctap import CtapDevice
from fido2.hid import CAPABILITY, CTAPHID
from fido2.server import Fido2Server
from fido2.webauthn import AttestedCredentialData, PublicKeyCredentialRpEntity, PublicKeyCredentialUserEntity

from client import code
from hybrid_peer import *

SITE = "example.org"
CTAP, UPDATE = 1, 2


class HybridDevice(CtapDevice):
    """An authenticator at the other end of a hybrid session."""

    capabilities = CAPABILITY.CBOR

    def __init__(self, channel, loop):
        self.channel, self.loop = channel, loop

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        assert cmd == CTAPHID.CBOR
        return asyncio.run_coroutine_threadsafe(self.exchange(data), self.loop).result()

    async def exchange(self, request):
        await self.channel.send(bytes([CTAP]) + request)
        while (answer := await self.channel.receive())[0] == UPDATE:
            pass
        assert answer[0] == CTAP, answer.hex()
        return answer[1:]

    def close(self):
        pass

    @classmethod
    def list_devices(cls):
        return iter(())


def register(client, server, options, known):
    """Makes a passkey and has the server verify it."""
    user = PublicKeyCredentialUserEntity(id=b"user", name="carol", display_name="Carol")
    request, state = server.register_begin(
        user,
        known if options.named else None,
        resident_key_requirement="required",
        user_verification=options.verification,
    )
    data = server.register_complete(state, client.make_credential(request.public_key))
    pathlib.Path(options.state).write_bytes(data.credential_data)
    return data


def sign_in(client, server, options, known):
    """Signs in and has the server verify that."""
    request, state = server.authenticate_begin(
        known if options.named else None, user_verification=options.verification
    )
    answer = client.get_assertion(request.public_key).get_response(0)
    server.authenticate_complete(state, known, answer)
    return answer.response.authenticator_data


def ceremony(device, options):
    """One operation."""
    state = pathlib.Path(options.state)
    known = [AttestedCredentialData(state.read_bytes())] if state.exists() else []
    client = Fido2Client(device, DefaultClientDataCollector(f"https://{SITE}"))
    server = Fido2Server(PublicKeyCredentialRpEntity(id=SITE, name="Lab"))
    try:
        data = (register if options.operation == "register" else sign_in)(client, server, options, known)
        print(options.operation, "UV" if data.flags & data.FLAG.UV else "UP", flush=True)
    except ClientError as error:
        print("refused", error.code.name, error.cause, flush=True)


async def run(options):
    static = ec.generate_private_key(ec.SECP256R1())
    secret, url = code(static, "mc" if options.operation == "register" else "ga")
    hearing = asyncio.create_task(hear(options.radio, secret))
    await asyncio.sleep(0)
    print(url, flush=True)
    clear = await hearing
    tunnel_id = derive(secret, b"", TUNNEL_ID, 16).hex()
    path = f"connect/{clear[11:14].hex().upper()}/{tunnel_id.upper()}"
    async with tunnel(options.service, path, options.ca) as socket:
        channel = await initiate(socket, static, derive(secret, clear, PSK, 32))
        await channel.receive()
        device = HybridDevice(channel, asyncio.get_running_loop())
        await asyncio.to_thread(ceremony, device, options)
        await channel.send(b"\0")


parser = argparse.ArgumentParser()
parser.add_argument("operation", choices=["register", "sign-in"])
parser.add_argument("state")
parser.add_argument("radio")
parser.add_argument("service")
parser.add_argument("ca", nargs="?")
parser.add_argument("--verification", default="preferred")
parser.add_argument("--named", action="store_true")
asyncio.run(run(parser.parse_args()))
