#!/usr/bin/python3
"""Stands in for logind and for a screen saver, on the session bus: what a file says that appears in this directory, it does.

login.py     the file `sleep` begins a sleep, for which it waits until nobody holds it up; `screen` locks the screen,
             `unlocked` unlocks it
"""
import os

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

LOGIN, MANAGER = "org.freedesktop.login1", "org.freedesktop.login1.Manager"
SAVER, PROPERTIES = "org.freedesktop.ScreenSaver", "org.freedesktop.DBus.Properties"
PATH = "/org/freedesktop/login1/session/_32"


def say(*words):
    print(*words, flush=True)


class Manager(dbus.service.Object):
    @dbus.service.method(MANAGER, in_signature="s", out_signature="o")
    def GetSession(self, name):
        return dbus.ObjectPath(PATH)

    @dbus.service.method(MANAGER, in_signature="ssss", out_signature="h")
    def Inhibit(self, what, who, why, mode):
        reading, writing = os.pipe()

        def release(*_):
            say("released")
            os.close(reading)
            return False

        GLib.io_add_watch(reading, GLib.PRIORITY_DEFAULT, GLib.IO_HUP, release)
        file = dbus.types.UnixFd(writing)
        os.close(writing)
        say("held up", what)
        return file

    @dbus.service.signal(MANAGER, signature="b")
    def PrepareForSleep(self, starts):
        pass


class Session(dbus.service.Object):
    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return False


class Saver(dbus.service.Object):
    @dbus.service.method(SAVER, out_signature="b")
    def GetActive(self):
        return False

    @dbus.service.signal(SAVER, signature="b")
    def ActiveChanged(self, active):
        pass


def look():
    for name, action in (("sleep", lambda: manager.PrepareForSleep(True)), ("screen", lambda: saver.ActiveChanged(True)),
                         ("unlocked", lambda: saver.ActiveChanged(False))):
        if os.path.exists(name):
            os.remove(name)
            action()
    return True


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
names = [dbus.service.BusName(name, bus, do_not_queue=True) for name in (LOGIN, SAVER)]
manager, session, saver = Manager(bus, "/org/freedesktop/login1"), Session(bus, PATH), Saver(bus, "/org/freedesktop/ScreenSaver")
GLib.timeout_add(50, look)
say("ready")
GLib.MainLoop().run()
