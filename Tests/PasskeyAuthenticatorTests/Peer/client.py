#!/usr/bin/env python3
"""Registers and signs in with python-fido2 as client and relying party.

The authenticator is at the other end of standard input and output: each CTAP request goes out as a line of hexadecimal
digits, and each response comes back as one. The last line is "ok". Needs: pip install fido2

Most requests are made below Fido2Client, with Ctap2, which checks that every response is canonical CBOR: Fido2Client has
no prf of hybrid's shape and no largeBlob inside the ceremony. The last ones are made with Fido2Client as it is.
"""

import hashlib
import itertools
import sys
import zlib

from fido2.attestation import NoneAttestation, PackedAttestation
from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client
from fido2.cose import ES256, RS256, EdDSA
from fido2.ctap import CtapDevice, CtapError
from fido2.ctap2 import AssertionResponse, AttestationResponse, Ctap2
from fido2.ctap2.base import args
from fido2.hid import CAPABILITY, CTAPHID
from fido2.server import Fido2Server
from fido2.utils import websafe_decode
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


UNSIGNED_OUTPUTS = 8
"""The key in authenticatorGetAssertion's answer, which AssertionResponse does not know."""


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


def register(resident_key=True, exclude=(), algorithms=None, formats=None, extensions=None, user=USER):
    """Makes a credential and has the server and the attestation verifier check it: the credential, and the answer."""
    options, state = server.register_begin(user, user_verification="required")
    client_data = CollectedClientData.create(CollectedClientData.TYPE.CREATE, options.public_key.challenge, ORIGIN)
    request = args(
        client_data.hash,
        {"id": RP.id, "name": RP.name},
        {"id": user.id, "name": user.name, "displayName": user.display_name},
        [
            {"type": "public-key", "alg": algorithm}
            for algorithm in algorithms or [p.alg for p in options.public_key.pub_key_cred_params]
        ],
        [descriptor(c) for c in exclude] or None,
        extensions,
        {"rk": resident_key, "uv": True},
        *(None, None, None, formats),
    )
    made = AttestationResponse.from_dict(ctap.send_cbor(Ctap2.CMD.MAKE_CREDENTIAL, request))
    if formats and formats[0] == "none":
        assert made.fmt == "none" and not made.att_stmt, made
        NoneAttestation().verify(made.att_stmt, made.auth_data, client_data.hash)
    else:
        assert made.fmt == "packed" and set(made.att_stmt) == {"alg", "sig"}, made
        result = PackedAttestation().verify(made.att_stmt, made.auth_data, client_data.hash)
        assert result.attestation_type.name == "SELF", result
    response = AuthenticatorAttestationResponse(
        client_data=client_data, attestation_object=AttestationObject.create(made.fmt, made.auth_data, made.att_stmt)
    )
    raw_id = made.auth_data.credential_data.credential_id
    data = server.register_complete(state, RegistrationResponse(raw_id=raw_id, response=response))
    assert data.flags & data.FLAG.BE and not data.flags & data.FLAG.BS, data
    assert data.flags & data.FLAG.UV and data.counter == 0, data
    assert data.credential_data.aaguid == ctap.info.aaguid, data
    return data.credential_data, made


def sign_in(known, allow, extensions=None, user=USER):
    """Signs in and has the server check it: the ID of the credential that was used, and the unsigned outputs."""
    options, state = server.authenticate_begin(known, user_verification="required")
    client_data = CollectedClientData.create(CollectedClientData.TYPE.GET, options.public_key.challenge, ORIGIN)
    request = args(
        RP.id, client_data.hash, [descriptor(c) for c in known] if allow else None, extensions, {"uv": True}
    )
    answer = ctap.send_cbor(Ctap2.CMD.GET_ASSERTION, request)
    got = AssertionResponse.from_dict(answer)
    assert (got.user_selected is True) != allow, got
    assert got.number_of_credentials in (None, 1), got
    assert got.auth_data.counter == 0 and got.auth_data.extensions is None, got
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
        assert got.user["id"] == user.id, got
    return used.credential_id, answer.get(UNSIGNED_OUTPUTS, {})


def salt(text):
    """What a client makes of a page's input to prf."""
    return hashlib.sha256(b"WebAuthn PRF\0" + text).digest()


def every_format():
    """Each algorithm, in each attestation format, with each extension and with all of them."""
    contents = b"to be kept " * 20
    deflater = zlib.compressobj(wbits=-15)
    deflated = deflater.compress(contents) + deflater.flush()
    inputs = {"credProtect": 2, "prf": {"eval": {"first": salt(b"1")}}, "largeBlob": {"support": "required"}}
    chosen = [{}] + [{name: inputs[name]} for name in inputs] + [inputs]
    kinds = itertools.product((ES256, EdDSA, RS256), ("packed", "none"), chosen)
    for number, (kind, form, extensions) in enumerate(kinds):
        user = PublicKeyCredentialUserEntity(id=b"user %d" % number, name="alice", display_name="Alice")
        credential, made = register(
            algorithms=[kind.ALGORITHM], formats=[form], extensions=extensions or None, user=user
        )
        assert isinstance(credential.public_key, kind), credential
        signed = {"credProtect": 2} if "credProtect" in extensions else None
        assert made.auth_data.extensions == signed, made
        outputs = made.unsigned_extension_outputs or {}
        assert set(outputs) == set(extensions) - {"credProtect"}, outputs
        access = {"largeBlob": {"write": deflated, "originalSize": len(contents)}}
        by_credential = {credential.credential_id: {"first": salt(b"1"), "second": salt(b"2")}}
        asked = {name: {"prf": {"evalByCredential": by_credential}, **access}[name] for name in outputs}
        used, results = sign_in([credential], allow=True, extensions=asked or None, user=user)
        assert used == credential.credential_id
        assert set(results) == set(asked), results
        if "prf" in asked:
            assert outputs["prf"]["enabled"] is True
            values = results["prf"]["results"]
            assert values["first"] == outputs["prf"]["results"]["first"] != values["second"], results
        if "largeBlob" in asked:
            assert outputs["largeBlob"] == {"supported": True} and results["largeBlob"] == {"written": True}
            _, results = sign_in([credential], allow=True, extensions={"largeBlob": {"read": True}}, user=user)
            blob = results["largeBlob"]
            assert blob["originalSize"] == len(contents)
            assert zlib.decompress(blob["blob"], wbits=-15) == contents


def refused(error, call, *arguments, **named):
    """Whether a call is answered with a certain status."""
    try:
        call(*arguments, **named)
    except CtapError as caught:
        assert caught.code == error, caught
    else:
        raise AssertionError(f"not refused with {error!r}")


def unmodified_client():
    """Fido2Client as it is, whatever a site wants of verification: with a list and without, and with prf."""
    client = Fido2Client(ctap.device, DefaultClientDataCollector(ORIGIN))
    for number, verification in enumerate(("required", "preferred", "discouraged")):
        user = PublicKeyCredentialUserEntity(id=b"whole %d" % number, name="bob", display_name="Bob")

        def begin(exclude=(), user=user, verification=verification):
            return server.register_begin(
                user,
                list(exclude),
                resident_key_requirement="required",
                user_verification=verification,
                extensions={"prf": {}, "credentialProtectionPolicy": "userVerificationOptionalWithCredentialIDList"},
            )

        options, state = begin()
        made = client.make_credential(options.public_key)
        assert made.client_extension_results["prf"]["enabled"] is True, made.client_extension_results
        data = server.register_complete(state, made)
        assert data.flags & data.FLAG.UV and data.extensions == {"credProtect": 2, "hmac-secret": True}, data
        known = data.credential_data
        try:
            client.make_credential(begin([known])[0].public_key)
            raise AssertionError("made another where there was one")
        except ClientError as error:
            assert error.code == ClientError.ERR.DEVICE_INELIGIBLE, error
        for named in (True, False):
            salts = {"eval": {"first": "AQ", "second": "Ag"}} if named else {"eval": {"first": "AQ"}}
            options, state = server.authenticate_begin(
                [known] if named else None, user_verification=verification, extensions={"prf": salts}
            )
            got = client.get_assertion(options.public_key).get_response(0)
            assert got.response.authenticator_data.flags & data.FLAG.UV, got
            server.authenticate_complete(state, [known], got)
            results = got.client_extension_results["prf"]["results"]
            if named:
                first = results["first"]
                assert first != results["second"], results
        _, raw = sign_in([known], allow=True, extensions={"prf": {"eval": {"first": salt(b"\1")}}}, user=user)
        assert raw["prf"]["results"]["first"] == websafe_decode(first), "hmac-secret and prf are the same function"


def main():
    options = {"rk": True, "up": True, "uv": True, "alwaysUv": True, "makeCredUvNotRqd": False}
    assert ctap.info.options == options, ctap.info
    assert ctap.info.versions == ["FIDO_2_0"] and ctap.info.pin_uv_protocols == [2], ctap.info
    assert ctap.info.transports == ["hybrid", "internal"], ctap.info
    assert {"hmac-secret", "prf"} < set(ctap.info.extensions), ctap.info
    first, _ = register()
    assert sign_in([first], allow=False)[0] == first.credential_id
    assert sign_in([first], allow=True)[0] == first.credential_id
    second, _ = register(resident_key=False)
    assert sign_in([second], allow=True)[0] == second.credential_id
    assert sign_in([first, second], allow=False)[0] == first.credential_id
    refused(CtapError.ERR.CREDENTIAL_EXCLUDED, register, exclude=[first])
    refused(CtapError.ERR.UNSUPPORTED_ALGORITHM, register, algorithms=[-35, -47])
    every_format()
    unmodified_client()
    ctap.selection()
    print("ok", flush=True)


if __name__ == "__main__":
    main()
