#!/usr/bin/python3
"""A notification daemon on the session bus that presses a button of each notification that has one, or has none.

notifications.py answer|refuse|buttonless|wait     a line for every notification, and for each one that is taken away
"""
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"
behaviour = sys.argv[1]


def say(*words):
    print(*words, flush=True)


class Daemon(dbus.service.Object):
    count = 0

    @dbus.service.method(NAME, in_signature="", out_signature="as")
    def GetCapabilities(self):
        return ["body"] if behaviour == "buttonless" else ["body", "actions", "body-markup"]

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, name, replaced, icon, summary, body, actions, hints, time):
        self.count += 1
        number = self.count
        say("notification:", summary, "|", body.replace("\n", " "), "|", " ".join(actions))
        if actions and behaviour in ("answer", "refuse"):
            # Somebody reads it first: a yes within half a second of it counts as no answer.
            GLib.timeout_add(600, lambda: self.ActionInvoked(dbus.UInt32(number), behaviour))
        return number

    @dbus.service.method(NAME, in_signature="u", out_signature="")
    def CloseNotification(self, number):
        say("closed:", int(number))
        self.NotificationClosed(number, dbus.UInt32(3))

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, action):
        pass

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, number, reason):
        pass


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName(NAME, bus, do_not_queue=True)
daemon = Daemon(bus, "/org/freedesktop/Notifications")
say("ready")
GLib.MainLoop().run()
