"""The kernel's management socket, with a stand-in for the kernel."""
import socket
import struct
import threading
import unittest

from soak import adapters

DEVICE_FOUND, COMPLETE = 0x0012, 0x0001


class ManagementTests(unittest.TestCase):
    def setUp(self):
        ours, self.kernel = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.management = adapters.Management(ours)
        self.addCleanup(self.management.close)
        self.addCleanup(self.kernel.close)

    def answer(self, status=0, data=b""):
        """Answers the next command as the kernel does, beside an event and another adapter's answer."""
        def run():
            opcode, index, length = struct.unpack("<HHH", self.kernel.recv(4096)[:6])
            self.kernel.send(struct.pack("<HHH", DEVICE_FOUND, index, 0))
            for adapter in (index + 1, index):
                self.kernel.send(struct.pack("<HHHHB", COMPLETE, adapter, 3 + len(data), opcode, status) + data)
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)

    def test_events_that_nobody_read_are_in_nobodys_way(self):
        self.kernel.setblocking(False)
        with self.assertRaises(BlockingIOError):
            while True:
                self.kernel.send(struct.pack("<HHH", DEVICE_FOUND, 0, 0))
        self.kernel.setblocking(True)
        self.answer(data=bytes(7) + b"\x02" + b"\x01\x03")
        self.assertEqual(self.management.adverts("hci0"), [1, 3])

    def test_a_refusal_is_named(self):
        self.answer(status=0x0A)
        with self.assertRaisesRegex(adapters.AdapterError, "command 0x003d on hci1: status 0x0a"):
            self.management.adverts("hci1")
