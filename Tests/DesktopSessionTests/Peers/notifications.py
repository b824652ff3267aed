#!/usr/bin/python3
"""Stands in for a notification daemon on a session bus of its own, and behaves as it is told.

Usage: notifications.py BEHAVIOUR. The first line is the bus's address; then comes a line for every call.
"""
import json
import os
import sys

import dbus
import dbus.service
from gi.repository import GLib

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import SESSION, run, say, start_bus  # noqa: E402

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
BEHAVIOUR = sys.argv[1]
ID = 7


class Daemon(dbus.service.Object):
    @dbus.service.method(NAME, out_signature="as")
    def GetCapabilities(self):
        if BEHAVIOUR == "wrong-capabilities":
            return dbus.Array(["body-markup"], signature="s")
        return dbus.Array(["body"] if BEHAVIOUR == "no-actions" else ["body", "actions", "body-markup"], signature="s")

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u", async_callbacks=("done", "failed"))
    def Notify(self, name, replaced, icon, summary, body, actions, hints, timeout, done, failed):
        say("notify", json.dumps({"summary": summary, "body": body, "actions": list(actions), "timeout": int(timeout),
                                  "urgency": int(hints["urgency"])}))
        if BEHAVIOUR == "early":
            # Before it has said which notification it is.
            self.ActionInvoked(ID, "refuse")
        if BEHAVIOUR == "zero":
            done(dbus.UInt32(0))
            return
        done(dbus.UInt32(ID))
        GLib.idle_add(self.happen)

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        say("close", int(number))

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, action):
        pass

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, number, reason):
        pass

    def happen(self):
        if BEHAVIOUR.startswith("press "):
            # Of another notification, and a key that was not offered.
            self.ActionInvoked(ID + 1, "answer")
            self.ActionInvoked(ID, "delete")
            self.ActionInvoked(ID, BEHAVIOUR.removeprefix("press "))
        elif BEHAVIOUR.startswith("closed "):
            self.NotificationClosed(ID, int(BEHAVIOUR.removeprefix("closed ")))
        elif BEHAVIOUR == "dies":
            os._exit(0)
        elif BEHAVIOUR == "restarts":
            bus.release_name(NAME)
            bus.request_name(NAME)
        elif BEHAVIOUR == "forged":
            forge()
            self.ActionInvoked(ID, "refuse")
        return False


def forge():
    """Another program on the bus says that the user has pressed the button, to all and to each alone."""
    other = dbus.bus.BusConnection(address)
    for destination in [None] + [name for name in other.list_names() if name.startswith(":")]:
        message = dbus.lowlevel.SignalMessage(PATH, NAME, "ActionInvoked")
        message.append(dbus.UInt32(ID), "answer", signature="us")
        if destination:
            message.set_destination(destination)
        other.send_message(message)
    other.flush()
    # An answer from the bus: all of it has passed there.
    other.list_names()


(address, *_), bus = start_bus(SESSION)
daemon = Daemon(bus, PATH)
if BEHAVIOUR != "absent":
    bus.request_name(NAME)
say(address)
run()
