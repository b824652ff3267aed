"""The kernel's Bluetooth management socket: power, adverts of other devices, what is left on the air.

Source: the Linux kernel's management interface, doc/mgmt-api.txt of BlueZ.
"""
import ctypes
import os
import socket
import struct
import threading
import time

AF_BLUETOOTH = 31
BTPROTO_HCI = 1
NO_DEVICE = 0xFFFF
CHANNEL_MONITOR = 2
CHANNEL_CONTROL = 3

_COMPLETE, _STATUS = 0x0001, 0x0002
_SET_POWERED, _SET_LE = 0x0005, 0x000D
_READ_INFO, _READ_ADVERTS, _ADD_ADVERT, _REMOVE_ADVERT = 0x0004, 0x003D, 0x003E, 0x003F
_POWERED = 0x1
_SECONDS = 20
_libc = ctypes.CDLL(None, use_errno=True)


class AdapterError(Exception):
    """The kernel refused, or did not answer."""


def open_channel(channel):
    """A raw HCI socket on one of the kernel's channels, which Python's own bind cannot name."""
    endpoint = socket.socket(AF_BLUETOOTH, socket.SOCK_RAW | socket.SOCK_CLOEXEC, BTPROTO_HCI)
    address = struct.pack("=HHH", AF_BLUETOOTH, NO_DEVICE, channel)
    if _libc.bind(endpoint.fileno(), address, len(address)) != 0:
        number = ctypes.get_errno()
        endpoint.close()
        raise OSError(number, os.strerror(number))
    return endpoint


class Management:
    """Commands to the kernel, one at a time."""

    def __init__(self, endpoint=None):
        self._socket = endpoint or open_channel(CHANNEL_CONTROL)
        self._lock = threading.Lock()

    def _command(self, opcode, adapter, parameters=b"", timeout=_SECONDS):
        index = int(adapter.removeprefix("hci"))
        with self._lock:
            self._drain()
            self._socket.send(struct.pack("<HHH", opcode, index, len(parameters)) + parameters)
            until = time.monotonic() + timeout
            while (left := until - time.monotonic()) > 0:
                self._socket.settimeout(left)
                try:
                    packet = self._socket.recv(4096)
                except TimeoutError:
                    break
                event, where, _ = struct.unpack_from("<HHH", packet)
                if where != index or event not in (_COMPLETE, _STATUS):
                    continue
                answered, status = struct.unpack_from("<HB", packet, 6)
                if answered != opcode:
                    continue
                if status != 0:
                    raise AdapterError(f"the kernel refused command {opcode:#06x} on {adapter}: status {status:#04x}")
                return packet[9:]
        raise AdapterError(f"the kernel did not answer command {opcode:#06x} on {adapter}")

    def _drain(self):
        """Reads the events that have come meanwhile: with a full queue the kernel answers no command (ENOMEM)."""
        self._socket.setblocking(False)
        try:
            while self._socket.recv(4096):
                pass
        except BlockingIOError:
            pass
        self._socket.setblocking(True)

    def is_powered(self, adapter):
        settings = struct.unpack_from("<I", self._command(_READ_INFO, adapter), 13)[0]
        return bool(settings & _POWERED)

    def set_power(self, adapter, on):
        """Switches an adapter; a controller that is busy gets some seconds."""
        if on:
            try:
                # A dual-mode controller refuses every LE command until LE is switched on; an LE-only one refuses this.
                self._command(_SET_LE, adapter, b"\1")
            except AdapterError:
                pass
        until = time.monotonic() + _SECONDS
        while self.is_powered(adapter) != on:
            try:
                self._command(_SET_POWERED, adapter, bytes([on]))
            except AdapterError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)

    def adverts(self, adapter):
        """The numbers of the instances that are on the air."""
        answer = self._command(_READ_ADVERTS, adapter)
        count = answer[7]
        return list(answer[8:8 + count])

    def instances(self, adapter):
        """How many adverts the adapter sends at once."""
        return self._command(_READ_ADVERTS, adapter)[6]

    def advertise(self, adapter, instance, data, seconds):
        """Sets one advert, which ends by itself."""
        parameters = struct.pack("<BIHHBB", instance, 0, 0, seconds, len(data), 0) + data
        self._command(_ADD_ADVERT, adapter, parameters)

    def remove_advert(self, adapter, instance=0):
        """Takes an advert off the air, or all of them."""
        try:
            self._command(_REMOVE_ADVERT, adapter, bytes([instance]))
        except AdapterError:
            # It is off the air already.
            pass

    def close(self):
        self._socket.close()


class Flood:
    """Ever new adverts of other devices, as hybrid ones look, until it is ended."""
    INTERVAL = 0.05
    SECONDS_EACH = 5

    def __init__(self):
        self.sent = 0
        self.refused = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()
        return self

    def end(self):
        self._over.set()
        self._thread.join(timeout=30)

    def _run(self):
        while not self._over.wait(self.INTERVAL):
            try:
                self.send(os.urandom(20))
                self.sent += 1
            except (AdapterError, OSError):
                self.refused += 1
        self.clean()

    def send(self, service_data):
        raise NotImplementedError

    def clean(self):
        """Takes the last advert off the air."""


class AirFlood(Flood):
    """Over an adapter, in the instances that an advertiser does not need."""
    SERVICE = 0xFFF9

    def __init__(self, management, adapter):
        super().__init__()
        self._management = management
        self._adapter = adapter
        last = max(2, management.instances(adapter))
        self._instances = list(range(2, last + 1))

    def send(self, service_data):
        data = struct.pack("<BBH", 3 + len(service_data), 0x16, self.SERVICE) + service_data
        instance = self._instances[self.sent % len(self._instances)]
        self._management.advertise(self._adapter, instance, data, self.SECONDS_EACH)

    def clean(self):
        for instance in self._instances:
            self._management.remove_advert(self._adapter, instance)


class SimulatedFlood(Flood):
    """In datagrams, to the client's simulated radio."""
    INTERVAL = 0.005

    def __init__(self, port):
        super().__init__()
        self._port = port
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, service_data):
        self._socket.sendto(b"\xff\xf9" + service_data, ("127.0.0.1", self._port))

    def clean(self):
        self._socket.close()
