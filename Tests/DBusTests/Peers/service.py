#!/usr/bin/python3
"""A service with python-dbus on a bus of its own, dbus-daemon: it takes values of given types and gives them back.

The first line is the bus's address; then comes a line for every call, with what python-dbus made of the values.
"""
import os
import signal
import sys

import dbus
import dbus.service
from gi.repository import GLib

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import SESSION, run, say, start_bus  # noqa: E402

NAME = "org.example.Values"

class Values(dbus.service.Object):
    @dbus.service.method(NAME, in_signature="iut", out_signature="iut")
    def Numbers(self, signed, unsigned, wide):
        say("numbers", int(signed), int(unsigned), int(wide))
        return signed, unsigned, wide

    @dbus.service.method(NAME, in_signature="(oayays)", out_signature="(oayays)")
    def Secret(self, secret):
        say("secret", secret[0], bytes(secret[1]).hex() or "-", bytes(secret[2]).hex(), secret[3])
        return secret

    @dbus.service.method(NAME, in_signature="ao", out_signature="a{o(oayays)}")
    def Secrets(self, paths):
        say("paths", len(paths), *paths)
        return dbus.Dictionary({path: (path, b"\x01", b"\x02\x03", "text/plain") for path in paths},
                               signature="o(oayays)")

    @dbus.service.method(NAME, in_signature="a{ss}", out_signature="a{ss}")
    def Attributes(self, attributes):
        say("attributes", *(f"{key}={attributes[key]}" for key in sorted(attributes)))
        return attributes

    # The types of polkit's CheckAuthorization.
    @dbus.service.method(NAME, in_signature="(sa{sv})sa{ss}us", out_signature="(bba{ss})")
    def Check(self, subject, action, details, flags, cancellation):
        say("check", subject[0], int(subject[1]["pid"]), int(subject[1]["start-time"]), int(subject[1]["uid"]), action,
            int(flags), cancellation)
        return True, False, details

    @dbus.service.method(NAME, in_signature="", out_signature="")
    def Refuse(self):
        raise dbus.DBusException("no\x1b[2J\u009b\u202e\u2028way" + 1000 * "!", name="org.example.Refused")

    @dbus.service.method(NAME, in_signature="", out_signature="(iv)")
    def Deep(self):
        value = dbus.Int32(1, variant_level=1)
        for _ in range(20):
            value = dbus.Struct((1, value), signature="iv", variant_level=1)
        return 1, value

    @dbus.service.method(NAME, in_signature="u", out_signature="u", async_callbacks=("answer", "fail"))
    def Late(self, milliseconds, answer, fail):
        say("late", int(milliseconds))
        GLib.timeout_add(int(milliseconds), lambda: answer(milliseconds))

    @dbus.service.method(NAME, in_signature="", out_signature="h")
    def File(self):
        reading, writing = os.pipe()
        GLib.io_add_watch(reading, GLib.PRIORITY_DEFAULT, GLib.IO_HUP, self.end_file)
        file = dbus.types.UnixFd(writing)
        os.close(writing)
        return file

    def end_file(self, file, condition):
        say("closed after", os.read(file, 100).decode())
        os.close(file)
        return False

    # The service itself must not end first: the bus would answer the calls to it.
    @dbus.service.method(NAME, in_signature="", out_signature="")
    def KillBus(self):
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as children:
            os.kill(int(children.read()), signal.SIGKILL)


(address, *_), bus = start_bus(SESSION)
bus.request_name(NAME)
kept = Values(bus, "/values")
say(address)
run()
