"""Registers and signs in with python-fido2 as it is, by a security key whose user is not to be asked.

    programs.py           by the key that the kernel shows
    programs.py SOCKET    by a key whose reports come through this socket: the script listens there, as the broker would, says
                          "listening", and waits for the key

The last line is "ok".
"""

import sys
import time

from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client, UserInteraction
from fido2.ctap import STATUS, CtapError
from fido2.ctap2 import Ctap2
from fido2.hid import CAPABILITY
from fido2.server import Fido2Server
from fido2.webauthn import PublicKeyCredentialRpEntity, PublicKeyCredentialUserEntity

from through_socket import found, through_socket

ORIGIN = "https://example.org"
RP = PublicKeyCredentialRpEntity(id="example.org", name="Example")


key = through_socket(sys.argv[1]) if len(sys.argv) > 1 else found()
ctap = Ctap2(key, strict_cbor=True)
info = ctap.info
assert (key.descriptor.vid, key.descriptor.pid) == (0x1209, 0x0001)
assert key.capabilities & CAPABILITY.NMSG and key.capabilities & CAPABILITY.CBOR
assert info.options["rk"] and info.options["up"] and info.options["uv"], info.options
assert "clientPin" not in info.options and "pinUvAuthToken" not in info.options, info.options
assert "usb" in info.transports and info.max_msg_size == 1886, info
assert {"credProtect", "hmac-secret"} <= set(info.extensions), info.extensions
print("found:", key.descriptor.path, info.versions, info.options)

client = Fido2Client(key, client_data_collector=DefaultClientDataCollector(ORIGIN), user_interaction=UserInteraction())
server = Fido2Server(RP, attestation="direct")
credentials = []


def register(name, exclude=()):
    user = PublicKeyCredentialUserEntity(id=name.encode(), name=name, display_name=name)
    options, state = server.register_begin(
        user, exclude, resident_key_requirement="required", user_verification="required"
    )
    began = time.monotonic()
    made = client.make_credential(options.public_key)
    credentials.append(server.register_complete(state, made).credential_data)
    print(f"registered {name} in {time.monotonic() - began:.1f} s")


register("one")
register("two")
try:
    register("three", exclude=credentials)
except ClientError as error:
    assert error.code == ClientError.ERR.DEVICE_INELIGIBLE, error
else:
    raise AssertionError("registered although it was excluded")

for known in (credentials[:1], credentials[1:], credentials, []):
    options, state = server.authenticate_begin(known or None, user_verification="required")
    began = time.monotonic()
    results = client.get_assertion(options.public_key)
    assertions = results.get_assertions()
    assert len(assertions) == 1, assertions
    used = server.authenticate_complete(state, known or credentials, results.get_response(0))
    print(f"signed in in {time.monotonic() - began:.1f} s")
    assert used.credential_id in [c.credential_id for c in (known or credentials)]

# A silent look: no touch, no question.
seen = []
look = ctap.get_assertion(
    RP.id, bytes(32), [{"type": "public-key", "id": credentials[0].credential_id}], options={"up": False},
    on_keepalive=seen.append,
)
assert STATUS.UPNEEDED not in seen and not look.auth_data.is_user_present(), look
try:
    ctap.get_assertion(RP.id, bytes(32), [{"type": "public-key", "id": bytes(32)}], options={"up": False})
except CtapError as error:
    assert error.code == CtapError.ERR.NO_CREDENTIALS, error
else:
    raise AssertionError("a foreign credential was found")

# A list as long as getInfo says.
many = [{"type": "public-key", "id": bytes([number]) * info.max_cred_id_length} for number in range(info.max_creds_in_list)]
try:
    ctap.get_assertion(RP.id, bytes(32), many, options={"up": False})
except CtapError as error:
    assert error.code == CtapError.ERR.NO_CREDENTIALS, error
else:
    raise AssertionError("a foreign credential was found")

# The user touches it.
ctap.selection()
print("ok", flush=True)
