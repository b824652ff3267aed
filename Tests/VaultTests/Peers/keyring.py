#!/usr/bin/python3
"""A session bus of its own with a keyring on it.

keyring.py gnome      gnome-keyring-daemon, unlocked
keyring.py none       nothing
keyring.py … portal    the desktop's portal besides
keyring.py … tcp       on a bus that may be another machine's
keyring.py BEHAVIOUR  a stand-in that is locked and asks: "unlocks", "dismisses" or "waits"; or that is "misbehaves"

The first line is the bus's address; then comes a line for everything that is done to the stand-in.
"""
import hashlib
import hmac
import os
import secrets
import subprocess
import sys
import tempfile
import time

import dbus
import dbus.service
from gi.repository import GLib

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import SESSION, TCP, die_with_parent, run, say, start_bus  # noqa: E402

NAME, PATH = "org.freedesktop.secrets", "/org/freedesktop/secrets"
SERVICE, ITEM = "org.freedesktop.Secret.Service", "org.freedesktop.Secret.Item"
COLLECTION, PROMPT = "org.freedesktop.Secret.Collection", "org.freedesktop.Secret.Prompt"
PROPERTIES, PORTAL = "org.freedesktop.DBus.Properties", "org.freedesktop.portal.Desktop"
BEHAVIOUR = sys.argv[1]
PRIME = int(
    "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd"
    "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed"
    "ee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff", 16)


def start_gnome(folder, address):
    environment = os.environ | {
        "DBUS_SESSION_BUS_ADDRESS": address, "XDG_DATA_HOME": folder, "XDG_RUNTIME_DIR": folder, "HOME": folder}
    daemon = subprocess.Popen(
        ["gnome-keyring-daemon", "--unlock", "--components=secrets", "--foreground"], stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, preexec_fn=die_with_parent)
    daemon.stdin.write(b"login")
    daemon.stdin.close()


def openssl(key, vector, data, *arguments):
    return subprocess.run(["openssl", "enc", "-aes-128-cbc", "-K", key.hex(), "-iv", vector.hex(), *arguments],
                          input=data, stdout=subprocess.PIPE, check=True).stdout


class Keyring(dbus.service.Object):
    """Locked until a question is answered, with one item at most."""
    locked, item, key = True, None, b""

    @dbus.service.method(SERVICE, in_signature="sv", out_signature="vo")
    def OpenSession(self, algorithm, value):
        say("session", algorithm)
        if BEHAVIOUR == "misbehaves":
            return dbus.ByteArray(b"\x01", variant_level=1), "/session"
        exponent = secrets.randbelow(PRIME)
        shared = pow(int.from_bytes(bytes(value), "big"), exponent, PRIME).to_bytes(128, "big")
        pseudorandom = hmac.digest(bytes(32), shared, "sha256")
        Keyring.key = hmac.digest(pseudorandom, b"\x01", "sha256")[:16]
        return dbus.ByteArray(pow(2, exponent, PRIME).to_bytes(128, "big"), variant_level=1), "/session"

    @dbus.service.method(SERVICE, in_signature="a{ss}", out_signature="aoao")
    def SearchItems(self, attributes):
        say("search", *(f"{name}={attributes[name]}" for name in sorted(attributes)))
        items = dbus.Array(["/item"] if Keyring.item else [], signature="o")
        none = dbus.Array([], signature="o")
        return (none, items) if Keyring.locked else (items, none)

    @dbus.service.method(SERVICE, in_signature="s", out_signature="o")
    def ReadAlias(self, alias):
        return "/collection" if alias == "default" else "/"

    @dbus.service.method(SERVICE, in_signature="ao", out_signature="aoo")
    def Unlock(self, objects):
        say("unlock", *objects)
        none = dbus.Array([], signature="o")
        return (none, "/prompt") if Keyring.locked else (objects, "/")


class Collection(dbus.service.Object):
    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return Keyring.locked

    @dbus.service.method(COLLECTION, in_signature="a{sv}(oayays)b", out_signature="oo")
    def CreateItem(self, properties, secret, replace):
        attributes = properties["org.freedesktop.Secret.Item.Attributes"]
        Keyring.item = openssl(Keyring.key, bytes(secret[1]), bytes(secret[2]), "-d")
        say("create", attributes.signature, len(Keyring.item), "replace" if replace else "keep")
        return "/item", "/"


class Item(dbus.service.Object):
    @dbus.service.method(ITEM, in_signature="o", out_signature="(oayays)")
    def GetSecret(self, session):
        vector = secrets.token_bytes(16)
        return session, dbus.ByteArray(vector), dbus.ByteArray(openssl(Keyring.key, vector, Keyring.item)), "text/plain"

    @dbus.service.method(ITEM, out_signature="o")
    def Delete(self):
        Keyring.item = None
        say("delete")
        return "/"


class Portal(dbus.service.Object):
    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return dbus.UInt32(2)


class Prompt(dbus.service.Object):
    @dbus.service.method(PROMPT, in_signature="s")
    def Prompt(self, window):
        say("prompt")
        if BEHAVIOUR == "unlocks":
            Keyring.locked = False
        if BEHAVIOUR != "waits":
            GLib.timeout_add(100, lambda: self.Completed(BEHAVIOUR == "dismisses", dbus.String("", variant_level=1)))

    @dbus.service.method(PROMPT)
    def Dismiss(self):
        say("dismiss")

    @dbus.service.signal(PROMPT, signature="bv")
    def Completed(self, dismissed, result):
        pass


is_remote = "tcp" in sys.argv[2:]
addresses, bus = start_bus(SESSION + (TCP if is_remote else ""))
address = addresses[-1 if is_remote else 0]
folder = tempfile.mkdtemp(prefix="hybrid-keyring-")
# However this process ends, its end of the pipe closes, and the directory is removed.
subprocess.Popen(["sh", "-c", 'cat; rm -rf "$0"', folder], stdin=subprocess.PIPE, start_new_session=True)
if BEHAVIOUR == "gnome":
    start_gnome(folder, address)
    while not bus.name_has_owner(NAME):
        time.sleep(0.05)
elif BEHAVIOUR != "none":
    bus.request_name(NAME)
    kept = [Keyring(bus, PATH), Collection(bus, "/collection"), Item(bus, "/item"), Prompt(bus, "/prompt")]
if "portal" in sys.argv[2:]:
    bus.request_name(PORTAL)
    portal = Portal(bus, "/org/freedesktop/portal/desktop")
say(address)
run()
