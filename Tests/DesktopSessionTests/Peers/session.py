#!/usr/bin/python3
"""Stands in for logind and a screen saver on one bus, which is both the system's and the session's for the test.

Usage: session.py [WORD…]: `locked`, `no-session`, `no-login`, `no-inhibit`. The first line is the bus's address. Then it does what the methods
of org.example.Test on its own name tell it, and writes a line for every lock of sleep, and when one is let go.
"""
import os
import sys

import dbus
import dbus.service
from gi.repository import GLib

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import SESSION, run, say, start_bus  # noqa: E402

LOGIN, MANAGER, SESSION_INTERFACE = "org.freedesktop.login1", "org.freedesktop.login1.Manager", "org.freedesktop.login1.Session"
SAVER, PROPERTIES, TEST = "org.gnome.ScreenSaver", "org.freedesktop.DBus.Properties", "org.example.Test"
PATH = "/org/freedesktop/login1/session/_32"
WORDS = sys.argv[1:]


class Error(dbus.DBusException):
    def __init__(self, name):
        super().__init__("as told")
        self._dbus_error_name = name


class Manager(dbus.service.Object):
    @dbus.service.method(MANAGER, in_signature="s", out_signature="o")
    def GetSession(self, name):
        if "no-session" in WORDS:
            raise Error("org.freedesktop.login1.NoSessionForPID")
        assert name == "auto"
        return dbus.ObjectPath(PATH)

    @dbus.service.method(MANAGER, in_signature="ssss", out_signature="h")
    def Inhibit(self, what, who, why, mode):
        if "no-inhibit" in WORDS:
            raise Error("org.freedesktop.DBus.Error.AccessDenied")
        reading, writing = os.pipe()
        say("inhibit", what, mode)
        GLib.io_add_watch(reading, GLib.PRIORITY_DEFAULT, GLib.IO_HUP, lambda *_: (say("released"), os.close(reading), False)[2])
        file = dbus.types.UnixFd(writing)
        os.close(writing)
        return file

    @dbus.service.signal(MANAGER, signature="b")
    def PrepareForSleep(self, starts):
        pass

    @dbus.service.signal(MANAGER, signature="so")
    def SessionRemoved(self, name, path):
        pass


class Session(dbus.service.Object):
    @dbus.service.signal(SESSION_INTERFACE)
    def Lock(self):
        pass

    @dbus.service.signal(SESSION_INTERFACE)
    def Unlock(self):
        pass

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return "locked" in WORDS

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Saver(dbus.service.Object):
    @dbus.service.method(SAVER, out_signature="b")
    def GetActive(self):
        return False

    @dbus.service.signal(SAVER, signature="b")
    def ActiveChanged(self, active):
        pass


class Test(dbus.service.Object):
    @dbus.service.method(TEST, in_signature="s")
    def Do(self, what):
        hint = dbus.Dictionary({"LockedHint": what == "hint-locked"}, signature="sv")
        {
            "sleep": lambda: manager.PrepareForSleep(True), "wake": lambda: manager.PrepareForSleep(False),
            "lock": session.Lock, "unlock": session.Unlock, "other-lock": other_session.Lock,
            "hint-locked": lambda: session.PropertiesChanged(SESSION_INTERFACE, hint, []),
            "hint-unlocked": lambda: session.PropertiesChanged(SESSION_INTERFACE, hint, []),
            "other-end": lambda: manager.SessionRemoved("3", dbus.ObjectPath(PATH + "3")),
            "end": lambda: manager.SessionRemoved("2", dbus.ObjectPath(PATH)),
            "saver": lambda: saver.ActiveChanged(True), "saver-off": lambda: saver.ActiveChanged(False),
            "forge": forge, "restart": restart, "login-ends": lambda: bus.release_name(LOGIN),
            "kill-bus": lambda: GLib.idle_add(os._exit, 0),
        }[what]()


def forge():
    """Another program on the bus says that the screen is unlocked, to each alone."""
    other = dbus.bus.BusConnection(address)
    for destination in [name for name in other.list_names() if name.startswith(":")]:
        for path, interface, member in [(PATH, SESSION_INTERFACE, "Unlock"), ("/org/gnome/ScreenSaver", SAVER, "ActiveChanged")]:
            message = dbus.lowlevel.SignalMessage(path, interface, member)
            if member == "ActiveChanged":
                message.append(False, signature="b")
            message.set_destination(destination)
            other.send_message(message)
    other.flush()
    other.list_names()


def restart():
    bus.release_name(LOGIN)
    bus.request_name(LOGIN)


(address, *_), bus = start_bus(SESSION)
manager, session = Manager(bus, "/org/freedesktop/login1"), Session(bus, PATH)
other_session, saver, test = Session(bus, PATH + "3"), Saver(bus, "/org/gnome/ScreenSaver"), Test(bus, "/test")
if "no-login" not in WORDS:
    bus.request_name(LOGIN)
bus.request_name(SAVER)
bus.request_name(TEST)
say(address)
run()
