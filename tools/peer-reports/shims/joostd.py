#!/usr/bin/env python3
"""Shim of joostd/fido-hybrid-transport: runs its authenticator or its client as it is, with Bluetooth, WebSocket and
files replaced: `joostd.py FOLDER`, that of their sources. Needs cbor2, cryptography, fido2 and websockets."""
import io, json, logging, os, sys, threading
from types import SimpleNamespace
from unittest.mock import MagicMock

out, sys.stdout, leave = sys.stdout, sys.stderr, os._exit
say = lambda **line: print(json.dumps(line), file=out, flush=True)
errors, sent = [], []
def wait(kind):
    while (line := json.loads(sys.stdin.readline() or leave(0)))["type"] != kind:
        if line["type"] in ("closed", "refused"):
            raise ConnectionError(line["type"])
    return line
def end(*_):
    say(type="end", ok=not errors and len(sent) > (2 if role == "authenticator" else 1), reason="; ".join(errors))
    leave(0)
class Socket:
    def __init__(self, url, **_):
        say(type="open", url=url)
        self.response = SimpleNamespace(headers={"X-caBLE-Routing-ID": wait("opened")["routing_id"]})
        self.request = SimpleNamespace(path="")
    __enter__, __exit__ = lambda self: self, lambda *_: None
    recv = lambda self, timeout=None: bytes.fromhex(wait("message")["data"])
    send = lambda self, data: (sent.append(data), say(type="message", data=data.hex()))
class AwaitedSocket(Socket):
    async def __aenter__(self): return self
    async def __aexit__(self, *_): pass
    async def recv(self): return Socket.recv(self)
    async def send(self, data): Socket.send(self, data)
class Scanner(AwaitedSocket):
    __init__ = lambda self: None
    async def advertisement_data(self):
        while data := bytes.fromhex(wait("advert")["data"]):
            yield None, SimpleNamespace(service_data={"0000fff9-0000-1000-8000-00805f9b34fb": data})

say(type="hello", shim=1, name="joostd", roles=["authenticator", "client"], features=["ctap"])
start, dbus, glib, qr, bleak = wait("start"), MagicMock(), MagicMock(), MagicMock(), SimpleNamespace(BleakScanner=Scanner)
role, os._exit = start["role"], end
dbus.service.Object, dbus.exceptions.DBusException = type("Object", (), {"__init__": lambda *_: None}), Exception
dbus.service.method = lambda *_, **__: lambda body: body
dbus.Array = lambda data, **_: say(type="advert", data=bytes(data).hex())
glib.repository.GLib.MainLoop.return_value.configure_mock(run=threading.Event().wait, quit=end)
qr.create = lambda text, **_: (say(type="qr", text=text), MagicMock())[1]
sys.modules |= {name: dbus for name in ("dbus", "dbus.mainloop", "dbus.mainloop.glib")} | {"pyqrcode": qr, "bleak": bleak}
sys.modules |= {"dbus.service": dbus.service, "dbus.exceptions": dbus.exceptions, "gi": glib, "gi.repository": glib.repository}
import websockets, websockets.sync.client
websockets.connect, websockets.sync.client.connect = AwaitedSocket, Socket
logging.getLogger().addHandler(handler := logging.Handler(logging.ERROR))
handler.emit = lambda record: errors.append(record.getMessage())
path, files = f"{sys.argv[1]}/{role}/main.py", lambda *_: io.StringIO("{}")
sys.path.insert(0, f"{sys.argv[1]}/common")
sys.argv = [path, start["qr"]] if role == "authenticator" else [path, "make-credential", "--user-name", "shim"]
try:
    exec(compile(open(path).read(), path, "exec"), {"__name__": "__main__", "__file__": path, "open": files})
except BaseException as error:
    errors.append(repr(error))
end()
