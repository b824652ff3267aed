#!/usr/bin/python3
"""A desktop portal on the session bus that answers for pictures of the screen, and refuses a caller that is not dumpable.

portal.py taken FROM TO | declined | failed | silent     with `taken`, the picture FROM is copied to TO, as the caller's own
"""
import os
import shutil
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.portal.Desktop"
behaviour, *files = sys.argv[1:]
RESPONSES = {"taken": 0, "declined": 1, "failed": 2}


def say(*words):
    print(*words, flush=True)


class Request(dbus.service.Object):
    @dbus.service.signal("org.freedesktop.portal.Request", signature="ua{sv}")
    def Response(self, response, results):
        pass


class Portal(dbus.service.Object):
    count = 0

    @dbus.service.method("org.freedesktop.portal.Screenshot", in_signature="sa{sv}", out_signature="o",
                         sender_keyword="sender")
    def Screenshot(self, window, options, sender):
        process, user = [
            int(bus.call_blocking("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, "s",
                                  (sender,))) for member in ("GetConnectionUnixProcessID", "GetConnectionUnixUser")]
        # The kernel gives the directory of a process that is not dumpable to root.
        if os.stat(f"/proc/{process}").st_uid != user:
            say("not dumpable")
            raise dbus.DBusException("no", name="org.freedesktop.DBus.Error.AccessDenied")
        self.count += 1
        request = Request(bus, f"/org/freedesktop/portal/desktop/request/test/n{self.count}")
        results = {}
        if behaviour == "taken":
            shutil.copy(files[0], files[1])
            os.chown(files[1], user, -1)
            results["uri"] = f"file://{files[1].replace(' ', '%20')}"
        say("asked", dict(options).get("interactive"))
        if behaviour in RESPONSES:
            GLib.idle_add(lambda: request.Response(dbus.UInt32(RESPONSES[behaviour]), dbus.Dictionary(results, "sv")))
        return request


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName(NAME, bus, do_not_queue=True)
portal = Portal(bus, "/org/freedesktop/portal/desktop")
say("ready")
GLib.MainLoop().run()
