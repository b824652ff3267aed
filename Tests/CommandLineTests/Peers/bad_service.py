"""A tunnel service that misbehaves in one way, which its first argument names; it writes the port that it listens on.

bad_service.py MISBEHAVIOUR [ROUTING-ID-HEADER]
"""

import asyncio
import base64
import hashlib
import struct
import sys

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
misbehaviour = sys.argv[1]
routing_id = sys.argv[2] if len(sys.argv) > 2 else "0a0b0c"
port = 0


def upgrade(request, subprotocol="fido.cable"):
    headers = dict(line.split(": ", 1) for line in request.decode().split("\r\n")[1:] if ": " in line)
    key = headers["Sec-WebSocket-Key"] + GUID
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    answer = f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n"
    if subprotocol:
        answer += f"Sec-WebSocket-Protocol: {subprotocol}\r\n"
    return (answer + f"X-caBLE-Routing-ID: {routing_id}\r\n\r\n").encode()


def frame(opcode, payload, length=None):
    return bytes([0x80 | opcode, 127]) + struct.pack(">Q", length or len(payload)) + payload


async def misbehave(reader, writer, request):
    if misbehaviour.isdigit():
        writer.write(f"HTTP/1.1 {misbehaviour} Whatever\r\nContent-Length: 0\r\n\r\n".encode())
        return
    if misbehaviour == "circle":
        location = f"ws://127.0.0.1:{port}{request.split()[1].decode()}"
        writer.write(f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode())
        return
    if misbehaviour == "weaker":
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: ws://cable.example.com/\r\nContent-Length: 0\r\n\r\n")
        return
    if misbehaviour == "garbage":
        writer.write(bytes(range(256)) * 8)
        return
    if misbehaviour == "silence":
        await asyncio.sleep(600)
    if misbehaviour == "close":
        return
    if misbehaviour == "drip":
        for byte in upgrade(request):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(60)
    if misbehaviour == "no-subprotocol":
        writer.write(upgrade(request, subprotocol=None))
        await asyncio.sleep(600)
    writer.write(upgrade(request))
    if misbehaviour == "text":
        writer.write(frame(1, b"words"))
    elif misbehaviour == "empty":
        writer.write(frame(2, b""))
    elif misbehaviour == "too-long":
        writer.write(frame(2, bytes((1 << 20) + 1)))
    elif misbehaviour == "endless":
        writer.write(frame(2, bytes(100), length=1 << 62))
    elif misbehaviour == "mid-frame":
        writer.write(frame(2, bytes(40), length=81))
        return
    elif misbehaviour == "noise":
        writer.write(frame(2, bytes(81)))
    elif misbehaviour == "good-bye":
        writer.write(bytes([0x88, 2]) + struct.pack(">H", 1001))
    await asyncio.sleep(600)


async def serve(reader, writer):
    try:
        await misbehave(reader, writer, await reader.readuntil(b"\r\n\r\n"))
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    writer.close()


async def main():
    global port
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print("port", port, flush=True)
    await server.serve_forever()


asyncio.run(main())
