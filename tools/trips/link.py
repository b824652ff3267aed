"""Two network namespaces, and a line between them on which every packet takes its time: a relay of packets between two TUN devices,
for machines whose kernel has no netem."""
import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time

NEAR, FAR = "10.98.0.1", "10.98.0.2"
CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
PACKET_BYTES = 1 << 16
NANOSECONDS = 1_000_000_000


def tun(namespace, address):
    """A TUN device of that address in a namespace, as a descriptor of its packets."""
    libc = ctypes.CDLL(None, use_errno=True)
    opened = []

    def make():
        # A namespace is a thread's, so that the tool itself stays where it is.
        with open(f"/run/netns/{namespace}") as place:
            if libc.setns(place.fileno(), CLONE_NEWNET):
                return
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"line", IFF_TUN | IFF_NO_PI))
        opened.append(device)
    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if not opened:
        raise OSError(ctypes.get_errno(), "no TUN device could be made: this takes root and /dev/net/tun")
    for words in (("address", "add", f"{address}/24", "dev", "line"), ("link", "set", "line", "up"), ("link", "set", "lo", "up")):
        subprocess.run(["ip", "-n", namespace, *words], check=True)
    return opened[0]


class Link:
    """The two namespaces for the time of a `with`: `near`, where the people are, and `far`, where the service is."""

    def __init__(self):
        self.near, self.far = (f"hybrid-trips-{os.getpid()}-{name}" for name in ("near", "far"))
        self.delay = self.loss = 0
        self.random = random.Random(0)

    def __enter__(self):
        for namespace in (self.near, self.far):
            subprocess.run(["ip", "netns", "add", namespace], check=True)
        self.devices = [tun(self.near, NEAR), tun(self.far, FAR)]
        self.ending, self.end = os.pipe()
        self.relay = threading.Thread(target=self.carry)
        self.relay.start()
        return self

    def __exit__(self, *_):
        os.close(self.end)
        self.relay.join()
        for descriptor in (*self.devices, self.ending):
            os.close(descriptor)
        for namespace in (self.near, self.far):
            subprocess.run(["ip", "netns", "delete", namespace], check=True)

    def set(self, round_trip, loss=0.0, seed=0):
        """How long a packet and its answer take, in seconds, and which part of the packets is lost, by a seed."""
        self.delay, self.loss, self.random = int(round_trip / 2 * NANOSECONDS), loss, random.Random(seed)

    def carry(self):
        underway, number = [], 0
        while True:
            wait = max(0, underway[0][0] - time.monotonic_ns()) / NANOSECONDS if underway else None
            # Python's wait ends a little late, never early; the last fifth of a millisecond is waited for awake.
            ready, _, _ = select.select([*self.devices, self.ending], [], [], wait and max(0, wait - 0.0002))
            if self.ending in ready:
                return
            for device in ready:
                packet = os.read(device, PACKET_BYTES)
                if self.loss and self.random.random() < self.loss:
                    continue
                other = self.devices[device == self.devices[0]]
                heapq.heappush(underway, (time.monotonic_ns() + self.delay, number, other, packet))
                number += 1
            while underway and underway[0][0] <= time.monotonic_ns():
                _, _, other, packet = heapq.heappop(underway)
                try:
                    os.write(other, packet)
                except OSError:
                    pass

    def run(self, namespace, command, **more):
        return subprocess.Popen(["ip", "netns", "exec", namespace, *map(str, command)], **more)
