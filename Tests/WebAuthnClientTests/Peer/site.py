#!/usr/bin/env python3
"""A site on python-fido2: its options, and what it makes of the responses.

    site.py create EXTENSIONS               prints creation options and a state, JSON
    site.py get STATE EXTENSIONS CREDENTIAL prints request options and a state
    site.py created STATE RESPONSE          verifies; prints the credential data in hexadecimal
    site.py got STATE RESPONSE CREDENTIAL   verifies; prints the credential ID in hexadecimal

EXTENSIONS, STATE and RESPONSE are JSON, CREDENTIAL what `created` printed. Needs: pip install fido2
"""

import json
import sys

from fido2.server import Fido2Server
from fido2.webauthn import AttestedCredentialData, PublicKeyCredentialRpEntity, PublicKeyCredentialUserEntity

server = Fido2Server(PublicKeyCredentialRpEntity(id="example.com", name="Example"), attestation="direct")
user = PublicKeyCredentialUserEntity(id=b"\x01\x02\x03", name="alice", display_name="Alice")


def begin(begun, extensions):
    options, state = begun
    asked = dict(options)["publicKey"]
    print(json.dumps(asked | {"extensions": json.loads(extensions)}))
    print(json.dumps(state))


match sys.argv[1:]:
    case ["create", extensions]:
        begin(
            server.register_begin(user, resident_key_requirement="required", user_verification="required"), extensions
        )
    case ["get", extensions, credential]:
        known = [AttestedCredentialData(bytes.fromhex(credential))]
        begin(server.authenticate_begin(known, user_verification="required"), extensions)
    case ["created", state, response]:
        print(bytes(server.register_complete(json.loads(state), json.loads(response)).credential_data).hex())
    case ["got", state, response, credential]:
        known = [AttestedCredentialData(bytes.fromhex(credential))]
        print(server.authenticate_complete(json.loads(state), known, json.loads(response)).credential_id.hex())
    case _:
        sys.exit(__doc__)
