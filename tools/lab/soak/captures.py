"""What was on the air around a failure: the kernel's monitor channel, kept in memory, and written as btsnoop on demand.

Sources: the Linux kernel's HCI monitor channel; btsnoop with the link type 2001 ("Linux Monitor"), as btmon writes it.
"""
import collections
import socket
import struct
import threading
import time

from soak import adapters

RING_BYTES = 4 << 20
_HEADER = b"btsnoop\0" + struct.pack(">II", 1, 2001)
# Microseconds from the year 0 to 1970, from where btsnoop counts.
_EPOCH = 0x00DCDDB30F2F8000
_SO_TIMESTAMP = 29
# New index, open index, index info, system note: without them a reader does not know the adapters.
_PREFACE = (0, 8, 10, 12)
_PREFACE_LIMIT = 64
_COMMAND = 2
_RECORD_BYTES = 24
_PACKET_HEADER = struct.Struct("<HHH")
_PACKET_BYTES = 65536
_ANCILLARY_BYTES = 64


class Ring:
    """The last packets of the monitor channel, within a fixed memory."""

    def __init__(self, limit=RING_BYTES):
        self._limit = limit
        self._packets = collections.deque()
        self._bytes = 0
        self._preface = []
        self._lock = threading.Lock()

    def keep(self, packet, stamp):
        """Keeps one packet as it came from the kernel, with its time in microseconds since 1970."""
        if len(packet) < _PACKET_HEADER.size:
            return
        opcode, index, _ = _PACKET_HEADER.unpack_from(packet)
        data = packet[_PACKET_HEADER.size:]
        record = struct.pack(">IIIIQ", len(data), len(data), index << 16 | opcode, 0, _EPOCH + stamp) + data
        with self._lock:
            if opcode in _PREFACE and len(self._preface) < _PREFACE_LIMIT:
                self._preface.append(record)
                return
            self._packets.append((time.monotonic(), record))
            self._bytes += len(record)
            while self._bytes > self._limit:
                self._bytes -= len(self._packets.popleft()[1])

    def forget(self, before):
        """Lets go of what is older than a time (monotonic)."""
        with self._lock:
            while self._packets and self._packets[0][0] < before:
                self._bytes -= len(self._packets.popleft()[1])

    def commands(self, since):
        """The HCI commands of hosts since a time (monotonic): each with the number of its adapter and its opcode."""
        with self._lock:
            records = [record for heard, record in self._packets if heard >= since]
        for record in records:
            place, = struct.unpack_from(">I", record, 8)
            if place & 0xFFFF == _COMMAND and len(record) >= _RECORD_BYTES + 2:
                yield place >> 16, struct.unpack_from("<H", record, _RECORD_BYTES)[0]

    def cut(self, path, since):
        """Writes what has been kept since a time (monotonic)."""
        with self._lock:
            records = self._preface + [record for heard, record in self._packets if heard >= since]
        with open(path, "wb") as file:
            file.write(_HEADER)
            file.writelines(records)


class Monitor(Ring):
    """Everything that adapters and kernel say to each other, of the last minutes."""

    def __init__(self):
        super().__init__()
        self._socket = adapters.open_channel(adapters.CHANNEL_MONITOR)
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMP, 1)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                packet, ancillary, _, _ = self._socket.recvmsg(_PACKET_BYTES, _ANCILLARY_BYTES)
            except OSError:
                return
            self.keep(packet, _stamp(ancillary))

    def close(self):
        self._socket.close()


def _stamp(ancillary):
    """The packet's time in microseconds since 1970: the kernel's, or that of its arrival."""
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMP and len(data) >= 16:
            seconds, microseconds = struct.unpack_from("@qq", data)
            return seconds * 1_000_000 + microseconds
    return time.time_ns() // 1000
