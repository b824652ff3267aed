"""Writes the text of a QR code that was made some seconds from now: a number, negative for the past; `never`, or `latest`.

code.py SECONDS
"""

import os
import sys
import time

from cryptography.hazmat.primitives.asymmetric import ec

from hybrid_peer import *

LATEST = 2**64 - 1
when = sys.argv[1]
public = ec.generate_private_key(ec.SECP256R1()).public_key()
contents = {0: public.public_bytes(Encoding.X962, PublicFormat.CompressedPoint), 1: os.urandom(16), 2: 2, 4: False, 5: "ga"}
if when != "never":
    contents[3] = LATEST if when == "latest" else int(time.time()) + int(when)
print("FIDO:/" + digits_of_bytes(canonical(contents)))
