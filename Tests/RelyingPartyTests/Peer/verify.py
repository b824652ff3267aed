#!/usr/bin/env python3
"""Verifies answers as python-fido2's server does.

Reads a list of cases from the file named; prints for each the verified credential's ID in hexadecimal, or "refused:" and
why. Needs: pip install fido2
"""

import json
import sys

from fido2.attestation import PackedAttestation
from fido2.server import Fido2Server
from fido2.webauthn import PublicKeyCredentialRpEntity


def check_attestation(attestation_object, client_data_hash):
    """Verifies the statement; who issued the certificate is not looked at."""
    if attestation_object.fmt == "packed":
        PackedAttestation().verify(attestation_object.att_stmt, attestation_object.auth_data, client_data_hash)
    elif attestation_object.fmt != "none" or attestation_object.att_stmt:
        raise ValueError("unexpected attestation")


def verify(case):
    server = Fido2Server(
        PublicKeyCredentialRpEntity(id=case["rpID"], name="Lab"),
        attestation="direct",
        verify_origin=lambda origin: origin == case["origin"],
        verify_attestation=check_attestation,
    )
    state = {"user_verification": "required"}
    registered = server.register_complete(state | {"challenge": case["registrationChallenge"]}, case["registration"])
    credential = registered.credential_data
    if "signIn" in case:
        server.authenticate_complete(state | {"challenge": case["signInChallenge"]}, [credential], case["signIn"])
    return credential.credential_id.hex()


for case in json.load(open(sys.argv[1])):
    try:
        print(verify(case))
    except Exception as error:  # Whatever it is, the answer was refused.
        print("refused:", type(error).__name__, str(error).splitlines()[:1])
