"""Hears the adverts of one session as a second scanner, and writes the plaintext of the first in hexadecimal.

sniffer.py URL RADIO
"""

import asyncio
import sys

from hybrid_peer import hear, read_code


async def main():
    hearing = asyncio.create_task(hear(sys.argv[2], read_code(sys.argv[1])[1]))
    await asyncio.sleep(0)
    print("listening", flush=True)
    print((await hearing).hex(), flush=True)


asyncio.run(main())
