#!/usr/bin/env python3
"""Registers and signs in with python-fido2's Fido2Client and Fido2Server as they are.

The security key is at the other end of standard input and output: each CTAP request goes out as a line of hexadecimal digits, and
each response comes back as one. The line "count" asks for the numbers of ceremonies and questions so far. The last line is "ok".
Needs: pip install fido2
"""

import os
import sys

from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client
from fido2.ctap import CtapDevice
from fido2.hid import CAPABILITY, CTAPHID
from fido2.server import Fido2Server
from fido2.webauthn import PublicKeyCredentialRpEntity, PublicKeyCredentialUserEntity

SITE = "example.com"


class Lines(CtapDevice):
    """A security key that is reached by lines."""

    capabilities = CAPABILITY.CBOR

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        assert cmd == CTAPHID.CBOR
        return bytes.fromhex(ask(data.hex()))

    def close(self):
        pass

    @classmethod
    def list_devices(cls):
        return iter(())


def ask(line):
    print(line, flush=True)
    return sys.stdin.readline()


def count():
    return tuple(map(int, ask("count").split()))


client = Fido2Client(Lines(), DefaultClientDataCollector(f"https://{SITE}"))
server = Fido2Server(PublicKeyCredentialRpEntity(id=SITE, name="Lab"))
user = PublicKeyCredentialUserEntity(id=b"user", name="carol", display_name="Carol")
unknown = {"type": "public-key", "id": os.urandom(20)}

client.selection()
assert count() == (0, 1)

for verification in ("discouraged", "preferred", "required"):
    before = count()[0]
    request, state = server.register_begin(
        PublicKeyCredentialUserEntity(id=os.urandom(8), name="carol", display_name="Carol"),
        user_verification=verification,
        resident_key_requirement="required",
    )
    server.register_complete(state, client.make_credential(request.public_key))
    assert count()[0] == before + 1

request, state = server.register_begin(user, user_verification="required", resident_key_requirement="required")
known = server.register_complete(state, client.make_credential(request.public_key)).credential_data

# What is excluded is known to the phone, whatever the probe before it said.
ids = [unknown, {"type": "public-key", "id": known.credential_id}]
before = count()[0]
request, state = server.register_begin(user, ids)
try:
    client.make_credential(request.public_key)
except ClientError as error:
    assert error.code == ClientError.ERR.DEVICE_INELIGIBLE, error
else:
    raise AssertionError("made twice")
assert count()[0] == before + 1

for allowed in (ids, ids[1:], None):
    before = count()[0]
    request, state = server.authenticate_begin(allowed, user_verification="required")
    answer = client.get_assertion(request.public_key).get_response(0)
    credentials = [known] if allowed else None
    if credentials:
        server.authenticate_complete(state, credentials, answer)
    assert count()[0] == before + 1, (allowed, count()[0] - before)
print("ok")
