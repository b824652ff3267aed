"""Verifies what the client printed with python-fido2, as any relying party's library would.

relying_party.py RP-ID REGISTRATION [SIGN-IN]     files of WebAuthn's JSON serialisation, or of --json's lines
"""

import base64
import json
import sys

from fido2.server import Fido2Server
from fido2.webauthn import PublicKeyCredentialRpEntity


def read(path):
    """The last line, or the response in it."""
    line = json.loads(open(path).read().splitlines()[-1])
    return line.get("response", line) if "event" in line else line


def state(answer):
    padded = answer["response"]["clientDataJSON"] + "==="
    challenge = json.loads(base64.urlsafe_b64decode(padded))["challenge"]
    return {"challenge": challenge, "user_verification": "required"}


site, registration, *sign_in = sys.argv[1:]
server = Fido2Server(PublicKeyCredentialRpEntity(id=site, name="Lab"))
registration = read(registration)
credential = server.register_complete(state(registration), registration).credential_data
print("registered", base64.urlsafe_b64encode(credential.credential_id).decode().rstrip("="))
for path in sign_in:
    answer = read(path)
    server.authenticate_complete(state(answer), [credential], answer)
    print("signed in")
