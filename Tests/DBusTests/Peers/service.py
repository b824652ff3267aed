#!/usr/bin/python3
"""A service with python-dbus on a bus of its own, dbus-daemon: it takes values of given types and gives them back.

The first line is the bus's address; then comes a line for every call, with what python-dbus made of the values.
"""
import ctypes
import signal
import subprocess
import tempfile

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.example.Values"
PR_SET_PDEATHSIG = 1

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:abstract={folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/><allow receive_sender="*" eavesdrop="true"/>
  </policy>
</busconfig>
"""

def say(*words):
    print(*words, flush=True)


def start_bus():
    # Nothing is left behind, however this process ends: the socket has no file, and the bus ends with us.
    with tempfile.TemporaryDirectory(prefix="hybrid-bus-") as folder:
        with open(f"{folder}/configuration", "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(folder=folder))
        running = subprocess.Popen(
            ["dbus-daemon", f"--config-file={folder}/configuration", "--nofork", "--nopidfile", "--print-address"],
            stdout=subprocess.PIPE, text=True, preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        return running.stdout.readline().strip()


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

    @dbus.service.method(NAME, in_signature="", out_signature="(iv)")
    def Deep(self):
        value = dbus.Int32(1, variant_level=1)
        for _ in range(20):
            value = dbus.Struct((1, value), signature="iv", variant_level=1)
        return 1, value


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
address = start_bus()
bus = dbus.bus.BusConnection(address)
bus.request_name(NAME)
kept = Values(bus, "/values")
say(address)
loop = GLib.MainLoop()
# Ends with the test, which holds the other end of standard input.
GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_HUP, lambda *_: loop.quit())
loop.run()
