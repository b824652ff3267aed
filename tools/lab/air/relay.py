"""A relay in the simulated radio's air: it does to datagrams and channels what the words say, as the emulator does."""
import heapq
import random
import re
import socket
import threading
import time

CROWD_PERIOD = 1.0
TURN = 0.1
PSMS = range(0x80, 0x90)
LONGEST = 16384
OTHERS = (b"\xfe\x9f" + bytes(20), b"\xfc\xf1" + bytes(22))
SERVICES = (b"\xff\xf9", b"\xfc\xf1", b"\xfe\x9f", b"\xfd\xe2")


class Relay:
    """From one port of loopback to another, with the channels behind them."""

    def __init__(self, port, to):
        self._to = to
        self._words = {}
        self._dice = random.Random(0)
        self._late = []
        self._frames = 0
        self._heard = 0
        self._lock = threading.Lock()
        self._is_open = True
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", port))
        self._socket.settimeout(0.02)
        self._out = self._fresh()
        self._listeners = [self._listen(psm, port) for psm in PSMS]
        threading.Thread(target=self._run, daemon=True).start()

    def apply(self, words):
        with self._lock:
            self._words = {name: int(value) for name, value in re.findall(r"([a-z]+)=(\d+)", words)}
            self._dice = random.Random(self._words.get("seed", 0))
            self._late = []
            self._frames = self._heard = 0

    def close(self):
        self._is_open = False
        for listener in self._listeners:
            listener.close()

    @staticmethod
    def _fresh():
        return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def _run(self):
        crowd, device = time.monotonic(), 0
        senders = [self._fresh() for _ in range(64)]
        while self._is_open:
            try:
                datagram = self._socket.recv(512)
            except TimeoutError:
                datagram = None
            except OSError:
                return
            with self._lock:
                if datagram:
                    self._take(datagram)
                now = time.monotonic()
                while self._late and self._late[0][0] <= now:
                    self._send(heapq.heappop(self._late)[2])
                while self._words.get("crowd") and crowd < now:
                    crowd += CROWD_PERIOD / self._words["crowd"]
                    device = (device + 1) % self._words["crowd"]
                    data = SERVICES[device % 4] + device.to_bytes(2, "big") * 10
                    senders[device % len(senders)].sendto(data, ("127.0.0.1", self._to))
                crowd = max(crowd, now - CROWD_PERIOD)

    def _send(self, data):
        self._out.sendto(data, ("127.0.0.1", self._to))

    def _take(self, data):
        words = self._words
        if self._dice.randrange(100) < words.get("loss", 0):
            return
        self._heard += 1
        if words.get("addresses") and self._heard % words["addresses"] == 0:
            # Another port is another device.
            self._out.close()
            self._out = self._fresh()
        turn = int(time.monotonic() / TURN) % 3 if words.get("alternate") else 0
        pieces = [OTHERS[turn - 1] if turn else data]
        if words.get("pieces"):
            pieces.insert(0, data[:2])
        for piece in pieces * words.get("copies", 1):
            late = self._dice.random() * words.get("delay", 0) / 1000
            heapq.heappush(self._late, (time.monotonic() + late, self._dice.random(), piece))

    def _listen(self, psm, port):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(f"\0hybrid-radio/127.0.0.1:{self._to}/{psm}")
        listener.listen()
        threading.Thread(target=self._accept, args=(listener, f"\0hybrid-radio/127.0.0.1:{port}/{psm}"),
                         daemon=True).start()
        return listener

    def _accept(self, listener, to):
        while self._is_open:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                far.connect(to)
            except OSError:
                near.close()
                continue
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one, other):
        try:
            while data := one.recv(LONGEST):
                with self._lock:
                    self._frames += 1
                    is_lost = 0 < self._words.get("frames", 0) < self._frames
                    is_silent = self._words.get("silent")
                if is_lost and not is_silent:
                    break
                if not is_lost:
                    other.send(data)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
