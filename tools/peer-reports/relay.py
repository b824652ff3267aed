"""A tunnel service as short as one can be with the library `websockets`: relay.py [--drop N], which loses every Nth message.

It prints its port, and ends with its standard input.
"""
import argparse
import asyncio
import os
import sys
import threading

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

ROUTING_ID = "0A0B0C"
MOST_MESSAGE_BYTES = 1 << 20


class Relay:
    """Tunnels by their IDs: the authenticator that waits, or nobody any more."""

    def __init__(self, drop):
        self._drop, self._count, self._waiting = drop, 0, {}

    def check(self, connection, request):
        """Refuses what is not a tunnel."""
        parts = request.path.split("/")[1:]
        is_new = parts[:2] == ["cable", "new"] and len(parts) == 3
        is_met = parts[:2] == ["cable", "connect"] and len(parts) == 4 and parts[3].lower() in self._waiting
        return None if is_new or is_met else connection.respond(404, "no tunnel\n")

    def answer(self, connection, request, response):
        """Tells an authenticator its routing ID."""
        if request.path.startswith("/cable/new/"):
            response.headers["X-caBLE-Routing-ID"] = ROUTING_ID

    async def serve(self, connection):
        """Carries the messages of one end to the other."""
        tunnel = connection.request.path.split("/")[-1].lower()
        if connection.request.path.startswith("/cable/new/"):
            self._waiting[tunnel] = connection
            connection.met = asyncio.get_running_loop().create_future()
            ended = asyncio.ensure_future(connection.wait_closed())
            await asyncio.wait([connection.met, ended], return_when=asyncio.FIRST_COMPLETED)
            self._waiting.pop(tunnel, None)
            other = connection.met.result() if connection.met.done() else None
        else:
            other = self._waiting.pop(tunnel, None)
            if other:
                other.met.set_result(connection)
        try:
            async for message in connection:
                self._count += 1
                if other and not (self._drop and self._count % self._drop == 0):
                    await other.send(message)
        except ConnectionClosed:
            pass
        if other:
            await other.close()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--drop", type=int, default=0)
    relay = Relay(parser.parse_args().drop)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    async with serve(relay.serve, "127.0.0.1", 0, subprotocols=["fido.cable"], process_request=relay.check,
                     process_response=relay.answer, max_size=MOST_MESSAGE_BYTES, ping_interval=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


asyncio.run(main())
