"""CTAPHID (the article USBHID): reports of 64 bytes, the host's side of a message, and the device's side of a conversation."""

import struct

from . import Refused

REPORT = 64
LONGEST = 57 + 128 * 59
BROADCAST = 0xFFFFFFFF
PING, MSG, LOCK, INIT, WINK, CBOR, CANCEL, KEEPALIVE, ERROR = 0x01, 0x03, 0x04, 0x06, 0x08, 0x10, 0x11, 0x3B, 0x3F
INVALID_CMD, INVALID_PAR, INVALID_LEN, INVALID_SEQ, MSG_TIMEOUT, CHANNEL_BUSY = range(1, 7)
INVALID_CHANNEL, OTHER = 0x0B, 0x7F
PATIENCE, INTERVAL = 500, 100
KEEPALIVE_CANCEL = 0x2D


def fragment(channel, command, payload):
    if len(payload) > LONGEST:
        raise Refused("too-long")
    packets = [struct.pack(">IBH", channel, 0x80 | command, len(payload)) + payload[:57]]
    for number, at in enumerate(range(57, len(payload), 59)):
        packets.append(struct.pack(">IB", channel, number) + payload[at : at + 59])
    return [packet.ljust(REPORT, b"\0") for packet in packets]


class Incoming:
    """A message that is not whole yet, by its first packet."""

    def __init__(self, report):
        self.channel, command, self.length = struct.unpack_from(">IBH", report)
        self.command, self.number = command & 0x7F, 0
        if self.length > LONGEST:
            raise Refused("too-long")
        self.payload = report[7:][: self.length]

    def add(self, report):
        if report[4] != self.number:
            raise Refused("wrong-sequence")
        self.number += 1
        self.payload += report[5:][: self.length - len(self.payload)]

    @property
    def is_whole(self):
        return len(self.payload) == self.length


def exchange(channel, command, payload, reports):
    sent, answer = bytes.fromhex(payload), None
    if command == INIT and len(sent) != 8:
        raise Refused("wrong-length")
    found = {"keep_alives": [], "response": None, "error": None}
    for report in map(bytes.fromhex, reports):
        if len(report) != REPORT or int.from_bytes(report[:4], "big") != channel:
            continue
        if report[4] < 0x80:
            if answer is None:
                continue
            answer.add(report)
        elif report[4] & 0x7F in (KEEPALIVE, ERROR):
            if report[5:7] != b"\0\1":
                raise Refused("wrong-length")
            if report[4] & 0x7F == ERROR:
                return found | {"error": report[7]}
            found["keep_alives"].append(report[7])
            continue
        elif report[4] & 0x7F != command:
            raise Refused("unexpected-message")
        elif answer is not None:
            raise Refused("wrong-sequence")
        else:
            answer = Incoming(report)
        if answer.is_whole:
            whole, answer = answer.payload, None
            if command != INIT or whole[:8] == sent:
                return found | {"response": whole}
    return found


def initialization(payload):
    if len(payload) < 17:
        raise Refused("too-short")
    nonce, channel, version, device, capabilities = struct.unpack_from(">8sIB3sB", payload)
    return {
        "nonce": nonce,
        "channel": channel,
        "protocol_version": version,
        "device_version": device,
        "capabilities": capabilities,
    }


NOT_FOUND = {"is_security_key": False, "input_bytes": None, "output_bytes": None}


def descriptor(data):
    """Walks the items: page, size and count hold on, a usage is for the next main item."""
    state, stack, usage, collections, bits, found = (0, 0, 0), [], None, [], {0x80: 0, 0x90: 0}, False
    at = 0
    while at < len(data):
        prefix, at = data[at], at + 1
        if prefix == 0xFE:
            if at + 2 > len(data) or at + 2 + data[at] > len(data):
                return NOT_FOUND
            at += 2 + data[at]
            continue
        width = (0, 1, 2, 4)[prefix & 3]
        if at + width > len(data):
            return NOT_FOUND
        value, at, kind = int.from_bytes(data[at : at + width], "little"), at + width, prefix & 0xFC
        if kind == 0x84:
            return NOT_FOUND
        if kind in (0x04, 0x74, 0x94):
            place = (0x04, 0x74, 0x94).index(kind)
            state = (*state[:place], value, *state[place + 1 :])
        elif kind == 0xA4:
            stack.append(state)
            if len(stack) > 16:
                return NOT_FOUND
        elif kind == 0xB4:
            if not stack:
                return NOT_FOUND
            state = stack.pop()
        elif kind == 0x08 and usage is None:
            usage = value if width == 4 else (state[0] & 0xFFFF) << 16 | value
        elif kind == 0xA0:
            is_key = not collections and value == 1 and usage == 0xF1D00001
            collections.append(is_key)
            found = found or is_key
        elif kind == 0xC0:
            if not collections:
                return NOT_FOUND
            collections.pop()
        elif kind in bits and collections and collections[0]:
            bits[kind] += state[1] * state[2]
            if bits[kind] > 1 << 17:
                return NOT_FOUND
        if not kind & 0x0C:
            usage = None
    if not found or collections or not all(bits.values()):
        return NOT_FOUND
    return {"is_security_key": True, "input_bytes": -(-bits[0x80] // 8), "output_bytes": -(-bits[0x90] // 8)}


class Device:
    """`incoming` is a message of which a part has come. `requests` have no answer yet: the first is processed, the others wait, at
    most `limit`. `owing` is the number that the authenticator has still to answer, also where the request was dropped."""

    def __init__(self, can_wink, version, limit):
        self.can_wink, self.version, self.limit = can_wink, version, limit
        self.now = self.channels = self.count = 0
        self.incoming = self.end = self.holder = self.owing = None
        self.requests = []

    def step(self, step):
        self.now = max(self.now, step["time"])
        if "status" in step:
            actions = self.set_status(step["request"], step["status"])
        elif "request" in step:
            actions = self.hear(step["request"], bytes.fromhex(step["response"]))
        else:
            actions = self.tick()
        if "report" in step:
            actions += self.report(bytes.fromhex(step["report"]))
        if "closed" in step:
            actions += [action for request in list(self.requests) for action in self.drop(request)]
            self.incoming = self.holder = None
        times = [request["due"] for request in self.requests] + ([self.end] if self.incoming else [])
        return {"actions": actions, "deadline": min(times, default=None)}

    def tick(self):
        actions = []
        if self.incoming and self.end <= self.now:
            actions = self.refuse(self.incoming.channel, MSG_TIMEOUT)
            self.incoming = None
        return actions + [action for request in self.requests if request["due"] <= self.now for action in self.keep_alive(request)]

    def keep_alive(self, request):
        request["due"] = self.now + INTERVAL
        return self.send(request["channel"], KEEPALIVE, bytes([request["status"]]))

    def set_status(self, number, status):
        for request in self.requests:
            if request["id"] == number and request["status"] != status:
                request["status"] = status
                return self.keep_alive(request)
        return []

    def hear(self, number, response):
        """The authenticator's answer."""
        if self.owing != number:
            return []
        self.owing, actions = None, []
        if self.requests and self.requests[0]["id"] == number:
            channel = self.requests.pop(0)["channel"]
            fits = 0 < len(response) <= LONGEST
            actions = self.send(channel, CBOR, response) if fits else self.refuse(channel, OTHER)
        return actions + self.next()

    def next(self):
        if self.owing is not None or not self.requests:
            return []
        self.count += 1
        self.owing = self.requests[0]["id"] = self.count
        return [{"request": self.count, "channel": self.requests[0]["channel"], "payload": self.requests[0]["payload"]}]

    def drop(self, request):
        self.requests.remove(request)
        if request["id"] is None:
            return []
        if not self.limit:
            self.owing = None
        return [{"abandon": request["id"]}]

    def of(self, channel):
        return next((request for request in self.requests if request["channel"] == channel), None)

    @staticmethod
    def send(channel, command, payload=b""):
        return [{"report": report} for report in fragment(channel, command, payload)]

    def refuse(self, channel, code):
        return self.send(channel, ERROR, bytes([code]))

    def report(self, report):
        if len(report) != REPORT:
            return []
        channel = int.from_bytes(report[:4], "big")
        if report[4] < 0x80:
            return self.more(channel, report)
        command, length = report[4] & 0x7F, int.from_bytes(report[5:7], "big")
        if command == CANCEL:
            return self.cancel(channel)
        if not 0 < channel <= self.channels and (channel, command) != (BROADCAST, INIT):
            return self.refuse(channel, INVALID_CHANNEL)
        if command == INIT:
            return self.initialize(channel, report[7:15]) if length == 8 else self.refuse(channel, INVALID_LEN)
        if self.incoming and self.incoming.channel == channel:
            self.incoming = None
            return self.refuse(channel, INVALID_SEQ)
        if self.incoming or self.of(channel) or self.holder and self.holder[0] != channel and self.now < self.holder[1]:
            return self.refuse(channel, CHANNEL_BUSY)
        waiting = sum(request["id"] is None for request in self.requests)
        if self.requests and (command != CBOR or waiting >= self.limit):
            return self.refuse(channel, CHANNEL_BUSY)
        if command not in (PING, CBOR, LOCK) and not (command == WINK and self.can_wink):
            return self.refuse(channel, INVALID_CMD)
        shortest, longest = {PING: (0, LONGEST), CBOR: (1, LONGEST), LOCK: (1, 1), WINK: (0, 0)}[command]
        if not shortest <= length <= longest:
            return self.refuse(channel, INVALID_LEN)
        self.incoming = Incoming(report)
        return self.go_on()

    def more(self, channel, report):
        if not self.incoming or self.incoming.channel != channel:
            return []
        try:
            self.incoming.add(report)
        except Refused:
            self.incoming = None
            return self.refuse(channel, INVALID_SEQ)
        return self.go_on()

    def cancel(self, channel):
        request = self.of(channel)
        if request is None or request["cancelled"]:
            return []
        if request["id"] is None:
            self.requests.remove(request)
            return self.send(channel, CBOR, bytes([KEEPALIVE_CANCEL]))
        request["cancelled"] = True
        return [{"cancel": request["id"]}]

    def initialize(self, channel, nonce):
        actions, named = [], channel
        if channel == BROADCAST:
            self.channels += 1
            named = self.channels
        else:
            if self.incoming and self.incoming.channel == channel:
                self.incoming = None
            request = self.of(channel)
            actions = self.drop(request) if request else []
        capabilities = 0x0C | (0x01 if self.can_wink else 0)
        return actions + self.send(channel, INIT, nonce + struct.pack(">IB3sB", named, 2, self.version, capabilities))

    def go_on(self):
        message = self.incoming
        if not message.is_whole:
            self.end = self.now + PATIENCE
            return []
        self.incoming = None
        channel, payload = message.channel, message.payload
        if message.command == PING:
            return self.send(channel, PING, payload)
        if message.command == WINK:
            return [{"wink": True}, *self.send(channel, WINK)]
        if message.command == LOCK:
            if payload[0] > 10:
                return self.refuse(channel, INVALID_PAR)
            self.holder = (channel, self.now + 1000 * payload[0]) if payload[0] else None
            return self.send(channel, LOCK)
        due = self.now + INTERVAL
        self.requests.append({"id": None, "channel": channel, "payload": payload, "status": 1, "cancelled": False, "due": due})
        return self.next()


def converse(can_wink, version, limit, steps):
    device = Device(can_wink, version, limit)
    return [device.step(step) for step in steps]
