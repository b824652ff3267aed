"""Opens a tunnel as an authenticator does, says `open`, and keeps it. one_tunnel.py PORT, of 127.0.0.1"""

import asyncio
import sys

import websockets.asyncio.client


async def main():
    url = f"ws://127.0.0.1:{sys.argv[1]}/cable/new/00112233445566778899aabbccddeeff"
    async with websockets.asyncio.client.connect(url, subprotocols=["fido.cable"], proxy=None) as tunnel:
        print("open", flush=True)
        await tunnel.wait_closed()


asyncio.run(main())
