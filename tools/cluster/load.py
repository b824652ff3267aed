"""Ceremonies and linked wakes, as many a second as told, until standard input ends.

load.py ADDRESS PORT CA AUTHENTICATORS A_SECOND NODES: a line of JSON for each attempt: when it began, kind, result, seconds, why.
They go through HAProxy, unless NODES, the number of nodes to reach directly, is above 0.

A line "register N" on standard input has one more authenticator wait at node N, beside the nodes of lines before, until it is
replaced there; "wake" wakes it. "link N" has it make a link through node N, which "wake-link N" uses through node N and "unlink" ends; "wake-ended N" uses it all the same, and succeeds if it is told 410.

A result is `ok`; `temporary`, if it was told to come again before anything had begun; `lost`, if a tunnel was; and `wrong`, if a
client was told what makes it forget its link, or an authenticator that another one has taken over.
"""

import asyncio
import base64
import contextlib
import hashlib
import json
import os
import random
import resource
import socket
import ssl
import sys
import time

import cbor2
import websockets
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from websockets.exceptions import ConnectionClosed, InvalidStatus

import configuration
from configuration import CLIENTS, SERVICE, Node

ADDRESS, PORT, CA = sys.argv[1], int(sys.argv[2]), sys.argv[3]
AUTHENTICATORS, A_SECOND = int(sys.argv[4]), float(sys.argv[5])
NODES = [Node(number) for number in range(1, int(sys.argv[6]) + 1)]
NAME = configuration.NAME
TLS = ssl.create_default_context(cafile=CA)
TEMPORARY = {429, 502, 503, 504}
TIMEOUT = 20
REGISTRATIONS_A_SECOND = 100 if NODES else 150
MESSAGE = os.urandom(256)
LABEL = b"label--1"
REPLACED = 4409


@contextlib.asynccontextmanager
async def connect(path, headers=(), node=None):
    """Through HAProxy, or as HAProxy does: to the node of a tunnel, and with everything else to any that answers."""
    if node or NODES:
        to_node = [Node(int(path.split("/")[3], 16))] if path.startswith("/cable/connect/") else None
        nodes = [node] if node else to_node or random.sample(NODES, len(NODES))
        where = {"uri": f"ws://{NAME}:{SERVICE}{path}", "sock": await proxied(nodes)}
    else:
        where = {"uri": f"wss://{NAME}:{PORT}{path}", "host": ADDRESS, "port": PORT, "ssl": TLS, "server_hostname": NAME,
                 "local_addr": (random.choice(CLIENTS), 0)}  # fmt: skip
    async with websockets.connect(
        **where, subprotocols=["fido.cable"], additional_headers=list(headers), open_timeout=TIMEOUT, ping_interval=None, proxy=None
    ) as connection:
        yield connection


async def proxied(nodes):
    """A connection to the first node that answers, which begins with a header of the PROXY protocol, version 2."""
    for node in nodes:
        connection = socket.socket()
        connection.setblocking(False)
        try:
            await asyncio.wait_for(asyncio.get_running_loop().sock_connect(connection, (node.address, SERVICE)), TIMEOUT)
            addresses = socket.inet_aton(random.choice(CLIENTS)) + socket.inet_aton(node.address)
            connection.send(b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + addresses + b"\xff\xff" + SERVICE.to_bytes(2, "big"))
            return connection
        except OSError:
            connection.close()
    raise ConnectionError("no node answers")


def log(begin, kind, result, why=""):
    print(json.dumps({"begin": begin, "kind": kind, "result": result, "seconds": time.time() - begin, "why": why}), flush=True)


async def exchange(client, authenticator):
    """As many messages as a ceremony has, over as long as somebody needs to look at a dialogue."""
    for sender, receiver in ((client, authenticator), (authenticator, client)) * 3:
        await sender.send(MESSAGE)
        assert await asyncio.wait_for(receiver.recv(), TIMEOUT) == MESSAGE
        await asyncio.sleep(0.1)


async def attempt(kind, body):
    """Runs one and says what has become of it. `body` is told how to say that something has begun."""
    begin = time.time()
    place = ["nothing"]
    try:
        await body(place)
        log(begin, kind, "ok")
    except InvalidStatus as refused:
        status = refused.response.status_code
        result = "wrong" if status == 410 else "temporary" if place == ["nothing"] and status in TEMPORARY else "lost"
        log(begin, kind, result, f"{place[0]}: {status}")
    except ConnectionClosed as closed:
        log(begin, kind, "lost", f"{place[0]}: closed {closed.rcvd.code if closed.rcvd else ''}")
    except Exception as problem:
        log(begin, kind, "lost", f"{place[0]}: {type(problem).__name__} {problem}")


async def ceremony(place):
    tunnel = os.urandom(16).hex()
    async with connect(f"/cable/new/{tunnel}") as authenticator:
        place[0] = "opened"
        routing_id = authenticator.response.headers["X-caBLE-Routing-ID"]
        await asyncio.sleep(0.2)
        async with connect(f"/cable/connect/{routing_id}/{tunnel}") as client:
            place[0] = "joined"
            await exchange(client, authenticator)


class Authenticator:
    """One that waits to be woken, and comes again whenever its connection is lost."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.labels = [LABEL]
        # The label of the link that was made last.
        self.new_label = LABEL
        self.contact_ids, self.connection = {}, None
        self.joined = {}
        self.tasks = set()

    async def run(self):
        # Not all at once.
        await asyncio.sleep(random.uniform(0, AUTHENTICATORS / REGISTRATIONS_A_SECOND))
        while True:
            if await self.wait() == REPLACED:
                log(time.time(), "listen", "wrong", "replaced")
            await asyncio.sleep(random.uniform(0, 2))

    async def run_at(self, node):
        """Waits at this node only, and says what becomes of that, until another connection has taken over."""
        code = None
        while code != REPLACED:
            begin = time.time()
            code = await self.wait(node)
            log(begin, "register", f"closed {code}", node.name)
            await asyncio.sleep(random.uniform(0, 2))

    async def wait(self, node=None):
        """Waits to be woken; the code with which that ended."""
        try:
            async with connect("/cable/listen", node=node) as connection:
                await self.listen(connection)
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None
        except Exception:
            return None

    async def link(self, node):
        """Has one more label, with a contact ID that another node than the one where it waits has issued."""
        self.new_label = os.urandom(len(LABEL))
        async with connect("/cable/listen", node=node) as connection:
            await self.register(connection, [self.new_label], listens=False)
            self.contact_ids[self.new_label] = cbor2.loads(await asyncio.wait_for(connection.recv(), TIMEOUT))[1][0]
        self.labels = [LABEL, self.new_label]

    async def unlink(self):
        """Has that label no more, and registers without it."""
        self.labels = [LABEL]
        await self.connection.close()

    async def register(self, connection, labels, listens):
        challenge = cbor2.loads(await asyncio.wait_for(connection.recv(), TIMEOUT))[1]
        statement = b"hybrid contact registration 1" + bytes([len(NAME)]) + NAME.encode()
        statement += challenge + hashlib.sha256(bytes([listens]) + b"".join(labels)).digest()
        public = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
        signature = self.key.sign(statement, ec.ECDSA(hashes.SHA256()))
        await connection.send(cbor2.dumps({0: 2, 1: public, 2: signature, 3: labels, 4: listens}, canonical=True))

    async def listen(self, connection):
        self.connection, labels = connection, list(self.labels)
        await self.register(connection, labels, listens=True)
        while True:
            message = cbor2.loads(await connection.recv())
            if message[0] == 3:
                self.contact_ids |= zip(labels, message[1])
            elif message[0] == 4 and message[2] not in self.joined:
                self.joined[message[2]] = asyncio.get_running_loop().create_future()
                await connection.send(cbor2.dumps({0: 5, 1: message[2]}, canonical=True))
                task = asyncio.create_task(self.join(message[2], message[3]))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
            elif message[0] == 4:
                await connection.send(cbor2.dumps({0: 5, 1: message[2]}, canonical=True))

    async def join(self, tunnel_id, routing_id):
        try:
            async with connect(f"/cable/connect/{routing_id.hex()}/{tunnel_id.hex()}") as connection:
                while True:
                    await connection.send(await connection.recv())
        except Exception:
            pass
        finally:
            self.joined.pop(tunnel_id, None)


async def wake(place, authenticator, label=LABEL, node=None):
    path = "/cable/contact/" + base64.urlsafe_b64encode(authenticator.contact_ids[label]).decode().rstrip("=")
    headers = [("X-caBLE-Client-Payload", "a1036267a1"), ("X-caBLE-Signal-Connection", "true")]
    async with connect(path, headers, node) as client:
        place[0] = "woken"
        assert await asyncio.wait_for(client.recv(), TIMEOUT) == b"\x00"
        place[0] = "joined"
        # The authenticator sends everything back.
        for _ in range(3):
            await client.send(MESSAGE)
            assert await asyncio.wait_for(client.recv(), TIMEOUT) == MESSAGE
            await asyncio.sleep(0.1)


async def refused(authenticator, node):
    """Succeeds if a client is told that its link has ended."""
    try:
        await wake(["nothing"], authenticator, authenticator.new_label, node)
    except InvalidStatus as refused:
        if refused.response.status_code == 410:
            return
        raise
    raise AssertionError("woken")


async def main():
    authenticators = [Authenticator() for _ in range(AUTHENTICATORS)]
    running = [asyncio.create_task(each.run()) for each in authenticators]
    while not all(each.contact_ids for each in authenticators):
        await asyncio.sleep(0.1)
    print(json.dumps({"kind": "ready"}), flush=True)
    attempts = set()
    orders = asyncio.create_task(follow(attempts))
    while A_SECOND and not orders.done():
        woken = random.choice(authenticators)
        for kind, body in (("ceremony", ceremony), ("wake", lambda place, woken=woken: wake(place, woken))):
            begin_attempt(attempts, kind, body)
        await asyncio.sleep(random.expovariate(A_SECOND))
    await orders
    await asyncio.gather(*attempts)
    for task in running:
        task.cancel()


def begin_attempt(attempts, kind, body):
    attempts.add(task := asyncio.create_task(attempt(kind, body)))
    task.add_done_callback(attempts.discard)


async def follow(attempts):
    """Does what standard input says, until it ends."""
    one, places = Authenticator(), []
    while line := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        order, *numbers = line.split()
        node = Node(int(numbers[0])) if numbers else None
        match order:
            case "register": places.append(asyncio.create_task(one.run_at(node)))
            case "link": await one.link(node)
            case "unlink": await one.unlink()
            case "wake": begin_attempt(attempts, "wake of one", lambda place: wake(place, one))
            case "wake-link": begin_attempt(attempts, "wake by its new link", lambda place, node=node: wake(place, one, one.new_label, node))
            case "wake-ended": begin_attempt(attempts, "wake by its ended link", lambda place, node=node: refused(one, node))
    for place in places:
        place.cancel()


limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
asyncio.run(main())
