#!/usr/bin/env python3
"""Carries connections from a TCP port to the guest's system bus, byte by byte.

The bus keeps its stock configuration and sees each connection as one of the given user, so clients outside
authenticate with EXTERNAL and BlueZ's own policy applies. When a client ends, so does its connection to the bus.

    bus-relay.py PORT USER_ID
"""
import asyncio
import os
import sys

BUS = "/run/dbus/system_bus_socket"
READY = "/run/lab/bus-relay.ready"
CHUNK_BYTES = 65536


async def copy(reader, writer):
    try:
        while chunk := await reader.read(CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
    except OSError:
        pass


async def serve(client_reader, client_writer):
    try:
        bus_reader, bus_writer = await asyncio.open_unix_connection(BUS)
    except OSError as error:
        print(f"bus-relay: no bus: {error}", flush=True)
        client_writer.close()
        return
    ways = [asyncio.create_task(copy(client_reader, bus_writer)), asyncio.create_task(copy(bus_reader, client_writer))]
    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    for way in ways:
        way.cancel()
    bus_writer.close()
    client_writer.close()


async def main():
    port, user = int(sys.argv[1]), int(sys.argv[2])
    server = await asyncio.start_server(serve, "0.0.0.0", port)
    with open(READY, "w", encoding="ascii"):
        pass
    os.setuid(user)
    await server.serve_forever()


asyncio.run(main())
