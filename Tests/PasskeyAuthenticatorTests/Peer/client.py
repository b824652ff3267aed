#!/usr/bin/env python3
"""Registers and signs in with python-fido2 as client and relying party.

The authenticator is at the other end of standard input and output: each CTAP request goes out as a line of hexadecimal
digits, and each response comes back as one. The last line is "ok". Needs: pip install fido2

python-fido2's Fido2Client insists on a PIN/UV protocol, which hybrid authenticators do not have, so the requests are
made with Ctap2, its lower layer, which checks that every response is canonical CBOR.
"""

import sys

from fido2.attestation import PackedAttestation
from fido2.ctap import CtapDevice, CtapError
from fido2.ctap2 import Ctap2
from fido2.hid import CAPABILITY, CTAPHID
from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestationObject,
    AuthenticationResponse,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    CollectedClientData,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
)

ORIGIN = "https://example.org"
RP = PublicKeyCredentialRpEntity(id="example.org", name="Example")
USER = PublicKeyCredentialUserEntity(id=b"user", name="alice", display_name="Alice")


class PipeDevice(CtapDevice):
    """An authenticator that is reached by lines."""

    capabilities = CAPABILITY.CBOR

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        assert cmd == CTAPHID.CBOR
        print(data.hex(), flush=True)
        return bytes.fromhex(sys.stdin.readline())

    def close(self):
        pass

    @classmethod
    def list_devices(cls):
        return iter(())


ctap = Ctap2(PipeDevice(), strict_cbor=True)
server = Fido2Server(RP, attestation="direct")


def descriptor(credential):
    return {"id": credential.credential_id, "type": "public-key"}


def register(resident_key, exclude=()):
    """Makes a credential and has the server and the attestation verifier check it."""
    options, state = server.register_begin(USER, user_verification="required")
    client_data = CollectedClientData.create(CollectedClientData.TYPE.CREATE, options.public_key.challenge, ORIGIN)
    made = ctap.make_credential(
        client_data.hash,
        {"id": RP.id, "name": RP.name},
        {"id": USER.id, "name": USER.name, "displayName": USER.display_name},
        [{"type": "public-key", "alg": p.alg} for p in options.public_key.pub_key_cred_params],
        exclude_list=[descriptor(c) for c in exclude] or None,
        options={"rk": resident_key, "uv": True},
    )
    assert made.fmt == "packed" and set(made.att_stmt) == {"alg", "sig"}, made
    result = PackedAttestation().verify(made.att_stmt, made.auth_data, client_data.hash)
    assert result.attestation_type.name == "SELF", result
    response = AuthenticatorAttestationResponse(
        client_data=client_data, attestation_object=AttestationObject.create(made.fmt, made.auth_data, made.att_stmt)
    )
    raw_id = made.auth_data.credential_data.credential_id
    data = server.register_complete(state, RegistrationResponse(raw_id=raw_id, response=response))
    assert not data.flags & (data.FLAG.BE | data.FLAG.BS), data
    return data.credential_data


def sign_in(known, allow):
    """Signs in and has the server check it; the ID of the credential that was used."""
    options, state = server.authenticate_begin(known, user_verification="required")
    client_data = CollectedClientData.create(CollectedClientData.TYPE.GET, options.public_key.challenge, ORIGIN)
    got = ctap.get_assertion(
        RP.id, client_data.hash, [descriptor(c) for c in known] if allow else None, options={"uv": True}
    )
    assert (got.user_selected is True) != allow, got
    response = AuthenticatorAssertionResponse(
        client_data=client_data,
        authenticator_data=got.auth_data,
        signature=got.signature,
        user_handle=got.user["id"] if got.user else None,
    )
    used = server.authenticate_complete(
        state, known, AuthenticationResponse(raw_id=got.credential["id"], response=response)
    )
    if not allow:
        assert got.user["id"] == USER.id, got
    return used.credential_id


def main():
    assert ctap.info.options == {"rk": True, "uv": True}, ctap.info
    assert ctap.info.transports == ["hybrid", "internal"], ctap.info
    first = register(resident_key=True)
    assert sign_in([first], allow=False) == first.credential_id
    assert sign_in([first], allow=True) == first.credential_id
    second = register(resident_key=False)
    assert sign_in([second], allow=True) == second.credential_id
    assert sign_in([first, second], allow=False) == first.credential_id
    try:
        register(resident_key=True, exclude=[first])
    except CtapError as error:
        assert error.code == CtapError.ERR.CREDENTIAL_EXCLUDED, error
    else:
        raise AssertionError("an excluded credential was registered again")
    ctap.selection()
    print("ok", flush=True)


if __name__ == "__main__":
    main()
