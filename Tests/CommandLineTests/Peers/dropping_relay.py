"""A tunnel service that loses messages: of each tunnel, every COUNT-th message of either side.

dropping_relay.py COUNT

Listens on a free port of 127.0.0.1 without TLS, and writes the port. Needs: pip install websockets
"""

import asyncio
import re
import sys

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

COUNT = int(sys.argv[1])
ROUTING_ID = "0a0b0c"
NEW = re.compile(r"/cable/new/([0-9A-Fa-f]{32})")
CONNECT = re.compile(rf"/cable/connect/{ROUTING_ID}/([0-9A-Fa-f]{{32}})", re.IGNORECASE)
waiting = {}


class Tunnel:
    def __init__(self, authenticator):
        self.authenticator, self.client, self.count = authenticator, asyncio.get_running_loop().create_future(), 0


async def carry(tunnel, source, target):
    try:
        async for message in source:
            tunnel.count += 1
            if COUNT == 0 or tunnel.count % COUNT:
                await target.send(message)
    except ConnectionClosed:
        pass
    await target.close()


def refuse(connection, request):
    """Answers 400 to a wrong path, and 404 to a tunnel that does not wait."""
    connecting = CONNECT.fullmatch(request.path)
    if not connecting and not NEW.fullmatch(request.path):
        return connection.respond(400, "")
    if connecting and connecting[1].lower() not in waiting:
        return connection.respond(404, "")


def name(connection, request, response):
    if NEW.fullmatch(request.path):
        response.headers["X-caBLE-Routing-ID"] = ROUTING_ID


async def handle(socket):
    new = NEW.fullmatch(socket.request.path)
    if new:
        tunnel = waiting[new[1].lower()] = Tunnel(socket)
        ended = asyncio.create_task(socket.wait_closed())
        await asyncio.wait([ended, tunnel.client], return_when=asyncio.FIRST_COMPLETED)
        if tunnel.client.done():
            await carry(tunnel, socket, tunnel.client.result())
        waiting.pop(new[1].lower(), None)
    else:
        tunnel = waiting.pop(CONNECT.fullmatch(socket.request.path)[1].lower(), None)
        if tunnel:
            tunnel.client.set_result(socket)
            await carry(tunnel, socket, tunnel.authenticator)


async def main():
    options = {"subprotocols": ["fido.cable"], "process_request": refuse, "process_response": name, "compression": None}
    async with serve(handle, "127.0.0.1", 0, **options) as server:
        print("port", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
