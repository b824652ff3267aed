"""Looks for the secrets of a session in everything that its programs wrote.

find_secrets.py URL PLAINTEXT-HEX DIRECTORY FILE…     FILEs are PEM keys and stores of passkeys; ends with 1 if one is found
"""

import base64
import io
import os
import sys

import cbor2
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from hybrid_peer import EID_KEY, PSK, bytes_of_digits, derive, digits_of_bytes, read_code


def forms(secret):
    """How somebody might write it."""
    yield "hexadecimal", secret.hex()
    yield "base64", base64.b64encode(secret).decode().rstrip("=")
    yield "base64url", base64.urlsafe_b64encode(secret).decode().rstrip("=")
    yield "list", ", ".join(map(str, secret))
    yield "list", ",".join(map(str, secret))
    yield "digits", digits_of_bytes(secret)


url, plaintext, directory, *files = sys.argv[1:]
_, secret = read_code(url)
secrets = {"QR secret": secret, "PSK": derive(secret, bytes.fromhex(plaintext), PSK, 32)}
eid_key = derive(secret, b"", EID_KEY, 64)
secrets |= {"EID cipher key": eid_key[:32], "EID tag key": eid_key[32:], "QR code": bytes_of_digits(url[6:])}
for path in files:
    data = open(path, "rb").read()
    if data.startswith(b"-----"):
        secrets[path] = load_pem_private_key(data, None).private_numbers().private_value.to_bytes(32, "big")
    else:
        # A store of ES256 passkeys: a CBOR header, for each a private key and a secret of prf, 32 bytes each, and a digest.
        rest = io.BytesIO(data)
        cbor2.load(rest)
        parts = rest.read()[:-32]
        assert parts and len(parts) % 32 == 0, path
        for start in range(0, len(parts), 32):
            secrets[f"{path} {start}"] = parts[start : start + 32]
searched = 0
found = []
for name in sorted(os.listdir(directory)):
    text = open(os.path.join(directory, name), errors="replace").read()
    searched += len(text)
    for label, value in secrets.items():
        for form, needle in forms(value):
            if needle.lower() in text.lower():
                found.append(f"{label} as {form} in {name}")
    if url in text:
        found.append(f"the URL in {name}")
print(f"searched {searched} characters for {len(secrets)} secrets")
sys.exit("\n".join(found) or None)
