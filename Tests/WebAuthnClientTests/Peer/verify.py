#!/usr/bin/env python3
"""Verifies answers as a relying party's library does: python-fido2 or py_webauthn, whichever is named.

Reads a list of cases from the file named; prints for each the verified credential's ID in hexadecimal, or "refused:" and
why. Needs: pip install fido2 webauthn
"""

import base64
import json
import sys


def with_fido2(case):
    from fido2.attestation import PackedAttestation
    from fido2.server import Fido2Server
    from fido2.webauthn import PublicKeyCredentialRpEntity

    def check_attestation(attestation_object, client_data_hash):
        """Verifies the statement; who issued the certificate is not looked at."""
        if attestation_object.fmt == "packed":
            PackedAttestation().verify(attestation_object.att_stmt, attestation_object.auth_data, client_data_hash)
        elif attestation_object.fmt != "none" or attestation_object.att_stmt:
            raise ValueError("unexpected attestation")

    server = Fido2Server(
        PublicKeyCredentialRpEntity(id=case["rpID"], name="Lab"),
        attestation="direct",
        verify_origin=lambda origin: origin == case["origin"],
        verify_attestation=check_attestation,
    )
    state = {"user_verification": "required"}
    registered = server.register_complete(state | {"challenge": case["registrationChallenge"]}, case["registration"])
    credential = registered.credential_data
    server.authenticate_complete(state | {"challenge": case["signInChallenge"]}, [credential], case["signIn"])
    return credential.credential_id


def with_webauthn(case):
    import webauthn

    def challenge(name):
        return base64.urlsafe_b64decode(case[name] + "==")

    expected = {
        "expected_rp_id": case["rpID"],
        "expected_origin": case["origin"],
        "require_user_verification": True,
    }
    registered = webauthn.verify_registration_response(
        credential=case["registration"], expected_challenge=challenge("registrationChallenge"), **expected
    )
    webauthn.verify_authentication_response(
        credential=case["signIn"],
        expected_challenge=challenge("signInChallenge"),
        credential_public_key=registered.credential_public_key,
        credential_current_sign_count=registered.sign_count,
        **expected,
    )
    return registered.credential_id


VERIFIERS = {"fido2": with_fido2, "webauthn": with_webauthn}

verify = VERIFIERS[sys.argv[1]]
for case in json.load(open(sys.argv[2])):
    try:
        print(verify(case).hex())
    except Exception as error:  # Whatever it is, the answer was refused.
        print("refused:", type(error).__name__, str(error).splitlines()[:1])
