"""Passes a long message each way through tunnels that stay open, and says what a tunnel service holds for them.

long_messages.py URL [CERTIFICATE]      the service listens on this machine, where its memory can be read
"""

import asyncio
import os
import pathlib
import random
import ssl
import struct
import subprocess
import sys
import urllib.parse

TUNNELS, LONG, SHORT, MOST = 20, 1 << 20, 200, 384 << 10
MASK = bytes(4)
url = urllib.parse.urlsplit(sys.argv[1])
trust = ssl.create_default_context(cafile=sys.argv[2]) if len(sys.argv) > 2 else None


def process():
    """The one that listens there."""
    line = subprocess.run(["ss", "-Hltnp", f"sport = :{url.port}"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(line.split("pid=")[1].split(",")[0])


def resident(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


async def end(path):
    reader, writer = await asyncio.open_connection(
        url.hostname, url.port, ssl=trust, server_hostname="localhost" if trust else None)
    writer.write((f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                  "Sec-WebSocket-Protocol: fido.cable\r\n\r\n").encode())
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def carry(ends, count):
    """Sends a message of so many bytes from each end to the other."""
    length = b"\xfe" + struct.pack("!H", count) if count < 1 << 16 else b"\xff" + struct.pack("!Q", count)
    for (_, sender), (receiver, _) in (ends, ends[::-1]):
        sender.write(b"\x82" + length + MASK + bytes(count))
        await receiver.readexactly(1 + len(length) + count)


async def main():
    service, tunnels = process(), []
    for _ in range(TUNNELS):
        tunnel = random.randbytes(16).hex()
        tunnels.append([await end(f"/cable/new/{tunnel}"), await end(f"/cable/connect/000000/{tunnel}")])
        await carry(tunnels[-1], SHORT)
    # What one message takes while it passes through is not given back to the system.
    await carry(tunnels[0], LONG)
    before = resident(service)
    for ends in tunnels[1:]:
        await carry(ends, LONG)
    held = max(0, resident(service) - before) // (TUNNELS - 1)
    less = "less than 384 KiB" if held < MOST else f"{held >> 10} KiB"
    print(f"{TUNNELS} tunnels carried 1 MiB each way, and hold {less} each")


asyncio.run(main())
