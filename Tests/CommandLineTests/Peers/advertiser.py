"""Adverts for the QR code that is named, as an authenticator at another tunnel service would, until it is killed.

advertiser.py URL RADIO [ROUTING-ID] [--domain NUMBER] [--reserved] [--foreign] [--suffix HEX]
"""

import argparse
import asyncio
import os

from hybrid_peer import advertise, plaintext, read_code, seal_advert

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("radio")
parser.add_argument("routing_id", nargs="?", default="0a0b0c", type=bytes.fromhex)
parser.add_argument("--domain", type=int, default=0)
parser.add_argument("--reserved", action="store_true", help="the first byte is not zero")
parser.add_argument("--foreign", action="store_true", help="another session's")
parser.add_argument("--suffix", default=b"", type=bytes.fromhex)
options = parser.parse_args()
_, secret = read_code(options.url)
clear = plaintext(options.routing_id, options.domain)
if options.reserved:
    clear = b"\1" + clear[1:]
sealed = seal_advert(os.urandom(16) if options.foreign else secret, clear)
asyncio.run(advertise(options.radio, sealed + options.suffix))
