#!/usr/bin/env python3
"""Checks a registration as OpenSSH's sk-usbhid.c and pamu2fcfg do: with libfido2's fido_cred_verify.

attestation.py REQUEST RESPONSE, both in hexadecimal digits: the request with its command byte, the response without its status. The
last line is "ok". Needs: libfido2, which OpenSSH's client brings; pip install cbor2
"""

import ctypes
import sys

import cbor2

fido = ctypes.CDLL("libfido2.so.1")
fido.fido_cred_new.restype = ctypes.c_void_p
fido.fido_strerr.restype = ctypes.c_char_p
OMIT, TRUE = 0, 2
ES256 = -7
CRED_PROTECT = 2


def do(name, *arguments):
    result = getattr(fido, name)(ctypes.c_void_p(credential), *arguments)
    assert result == 0, f"{name}: {fido.fido_strerr(result).decode()}"


def sized(data):
    return data, ctypes.c_size_t(len(data))


request = cbor2.loads(bytes.fromhex(sys.argv[1])[1:])
response = cbor2.loads(bytes.fromhex(sys.argv[2]))
extensions, options = request.get(6, {}), request.get(7, {})

fido.fido_init(0)
credential = fido.fido_cred_new()
do("fido_cred_set_type", ES256)
do("fido_cred_set_clientdata_hash", *sized(request[1]))
do("fido_cred_set_rp", request[2]["id"].encode(), None)
do("fido_cred_set_rk", TRUE if options.get("rk") else OMIT)
do("fido_cred_set_uv", TRUE if options.get("uv") else OMIT)
if "credProtect" in extensions:
    do("fido_cred_set_prot", extensions["credProtect"])
do("fido_cred_set_fmt", response[1].encode())
do("fido_cred_set_authdata", *sized(cbor2.dumps(response[2])))
do("fido_cred_set_attstmt", *sized(cbor2.dumps(response[3], canonical=True)))
do("fido_cred_verify")

# It is a check: another challenge fails.
do("fido_cred_set_clientdata_hash", *sized(bytes(32)))
assert fido.fido_cred_verify(ctypes.c_void_p(credential)) != 0
print("ok")
