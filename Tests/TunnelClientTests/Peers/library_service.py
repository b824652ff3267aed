"""A tunnel service made with the library `websockets`, whose handling of a tunnel is a few lines of Python.

Usage: library_service.py LINES

It prints its port, then `extensions HEADER` of each request and `closed CODE` of each tunnel. LINES see `tunnel`.
"""

import os
import sys
import threading

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve


def say(*words):
    print(*words, flush=True)


def handle(tunnel):
    say("extensions", tunnel.request.headers.get("Sec-WebSocket-Extensions", "none"))
    try:
        exec(sys.argv[1], {"tunnel": tunnel, "say": say})
        for message in tunnel:
            say("message", len(message))
    except ConnectionClosed:
        pass
    say("closed", tunnel.protocol.close_code)


def answer(tunnel, request, response):
    response.headers["x-cable-ROUTING-id"] = "0A0b0C"
    return response


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
with serve(
    handle, "127.0.0.1", 0, subprotocols=["fido.cable"], process_response=answer, max_size=1 << 20, ping_interval=None
) as server:
    say(server.socket.getsockname()[1])
    server.serve_forever()
