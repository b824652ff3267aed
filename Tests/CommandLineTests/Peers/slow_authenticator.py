"""An authenticator that goes as far as it is told, says "waiting", and waits until it is killed.

slow_authenticator.py URL RADIO SERVICE handshake|command
"""

import asyncio
import sys

from hybrid_peer import *


async def run(url, radio, service, place):
    client_static, secret = read_code(url)
    async with tunnel(service, f"new/{derive(secret, b'', TUNNEL_ID, 16).hex()}", None) as socket:
        clear = plaintext(bytes.fromhex(socket.response.headers["X-caBLE-Routing-ID"]), 0)
        advert = asyncio.create_task(advertise(radio, seal_advert(secret, clear)))
        if place == "command":
            private = ec.generate_private_key(ec.SECP256R1())
            channel = await respond(socket, private, client_static, derive(secret, clear, PSK, 32))
            await channel.send(canonical({1: canonical({1: ["FIDO_2_0"], 3: bytes(16)})}))
        print("waiting", flush=True)
        await advert


asyncio.run(run(*sys.argv[1:]))
