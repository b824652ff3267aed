"""Hears the adverts of one session as a second scanner, and writes the plaintext of the first in hexadecimal.

sniffer.py URL RADIO
"""

import asyncio
import sys

from hybrid_peer import hear, read_code

print("listening", flush=True)
print(asyncio.run(hear(sys.argv[2], read_code(sys.argv[1])[1])).hex(), flush=True)
