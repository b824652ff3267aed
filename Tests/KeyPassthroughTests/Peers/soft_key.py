"""A security key that nobody here wrote, soft_fido2, with a PIN. Its reports are the messages of a socket, or the kernel's.

    soft_key.py SOCKET PIN
    soft_key.py /dev/uhid PIN

Says `listening`, and keeps its files beside the socket, in SOCKET.home, or in a folder of its own.
"""

import os
import socket
import sys
import tempfile
import threading

# It asks a desktop for the touch, which is taken for given here.
os.environ["SOFT_FIDO2_SKIP_UP"] = "yes"
path, pin = sys.argv[1:]
folder = tempfile.mkdtemp() if path == "/dev/uhid" else os.path.abspath(path) + ".home"
os.makedirs(folder, exist_ok=True)
os.environ["FIDO_HOME"] = folder

from soft_fido2.key_pair import KeyPair, KeyUtils  # noqa: E402
from soft_fido2.platform.passkey_device import CTAPHIDevice  # noqa: E402

REPORT = 64


class Output:
    """A report on its way to the key, as the kernel hands it over: its number before it."""

    def __init__(self, report):
        self.data = b"\0" + report
        self.ev_len = len(self.data)
        self.type = 1


def make_passkeys():
    # What its desktop application holds, and is asked for within a tenth of a second.
    platform = KeyPair.generate_ecdsa()
    KeyUtils._KeyUtils__request_platform_kp = lambda *_, **__: platform
    made = KeyUtils.generate_passkey()
    file = os.path.join(folder, "key.passkey")
    KeyUtils._save_passkey(made["key"], made["x5c"], [], KeyUtils.get_pin_hash(pin), file)


def serve(connection, device):
    """One program: its reports in, the key's out."""

    def send():
        while (report := device.pending.get()) is not None:
            try:
                connection.send(bytes(report[:REPORT]).ljust(REPORT, b"\0"))
            except OSError:
                return

    sender = threading.Thread(target=send)
    sender.start()
    try:
        while len(report := connection.recv(REPORT + 1)) == REPORT:
            device.process_output(Output(report))
    except OSError:
        pass
    device.pending.put(None)
    sender.join()
    connection.close()


make_passkeys()
device = CTAPHIDevice(path)
if path == "/dev/uhid":
    print("listening", flush=True)
    device.run()
    sys.exit(1)
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(path)
listener.listen()
print("listening", flush=True)
while True:
    connection, _ = listener.accept()
    serve(connection, device)
