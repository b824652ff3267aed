#!/usr/bin/python3
"""A desktop portal on the session bus that answers for pictures of the screen and for keyboard shortcuts, and refuses a caller that is
not dumpable; and those who tell it something, or speak in its name.

portal.py taken FROM TO     all is allowed; the picture FROM is copied to TO, as the caller's own
portal.py declined | failed | silent
portal.py old               one without shortcuts
portal.py strict            one that knows no program, and wants to
portal.py held              asks about a shortcut until it is told the answer; it has no register of programs
portal.py answer RESPONSE   tells `held` the answer
portal.py press CALLER SESSION SHORTCUT | close CALLER SESSION     has the portal send a signal
portal.py forge-press CALLER SESSION SHORTCUT | forge-close CALLER SESSION | forge-response CALLER HANDLE     sends it without being the portal
"""
import os
import shutil
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
CONTROL = "test.Portal"
ERROR = "org.freedesktop.portal.Error"
behaviour, *words = sys.argv[1:]
RESPONSES = {"taken": 0, "declined": 1, "failed": 2}


def say(*words):
    print(*words, flush=True)


def send(caller, path, interface, member, signature, *values):
    signal = dbus.lowlevel.SignalMessage(path, interface, member)
    signal.set_destination(caller)
    signal.append(*values, signature=signature)
    bus.send_message(signal)


def send_response(caller, handle, response, results):
    send(caller, handle, "org.freedesktop.portal.Request", "Response", "ua{sv}", response, results)


def send_press(caller, session, shortcut):
    send(caller, PATH, SHORTCUTS, "Activated", "osta{sv}", session, shortcut, 0, {})


def send_close(caller, session):
    send(caller, session, "org.freedesktop.portal.Session", "Closed", "a{sv}", {})


def bound(shortcut):
    # The end is foreign text: it turns the direction of writing.
    keys = dbus.Dictionary({"trigger_description": "Super+Shift+K\u202e"}, "sv")
    return {"shortcuts": dbus.Array([dbus.Struct((shortcut, keys), signature="sa{sv}")], "(sa{sv})")}


def ask_bus(member, *values):
    return bus.call_blocking("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, "s", values)


class Portal(dbus.service.Object):
    count = 0
    waiting = None

    def request(self, sender, results=None, response=0):
        """The handle of a request, which gets its response after the answer to the call; none if there are no results."""
        process, user = [int(ask_bus(member, sender)) for member in ("GetConnectionUnixProcessID", "GetConnectionUnixUser")]
        # The kernel gives the files of a process that is not dumpable to root, though not their directory.
        if os.stat(f"/proc/{process}/environ").st_uid != user:
            say("not dumpable")
            raise dbus.DBusException("no", name=f"{ERROR}.NotAllowed")
        self.count += 1
        handle = f"{PATH}/request/test/n{self.count}"
        if results is not None:
            GLib.idle_add(lambda: send_response(sender, handle, response, results))
        return handle

    @dbus.service.method("org.freedesktop.portal.Screenshot", in_signature="sa{sv}", out_signature="o", sender_keyword="sender")
    def Screenshot(self, window, options, sender):
        results = {}
        if behaviour == "taken":
            shutil.copy(words[0], words[1])
            os.chown(words[1], int(ask_bus("GetConnectionUnixUser", sender)), -1)
            results["uri"] = f"file://{words[1].replace(' ', '%20')}"
        say("asked", dict(options).get("interactive"))
        return self.request(sender, results if behaviour in RESPONSES else None, RESPONSES.get(behaviour, 0))


class ShortcutsPortal(Portal):
    @dbus.service.method(SHORTCUTS, in_signature="a{sv}", out_signature="o", sender_keyword="sender")
    def CreateSession(self, options, sender):
        if behaviour == "strict":
            raise dbus.DBusException("An app id is required", name=f"{ERROR}.NotAllowed")
        session = f"{PATH}/session/{sender[1:].replace('.', '_')}/{options['session_handle_token']}"
        say("session", session, "of", sender)
        return self.request(sender, {"session_handle": session})

    @dbus.service.method(SHORTCUTS, in_signature="oa(sa{sv})sa{sv}", out_signature="o", sender_keyword="sender")
    def BindShortcuts(self, session, shortcuts, window, options, sender):
        (shortcut, wanted), = shortcuts
        say("wanted:", shortcut, "|", wanted["description"], "|", wanted["preferred_trigger"])
        if behaviour in RESPONSES:
            return self.request(sender, bound(shortcut), RESPONSES[behaviour])
        handle = self.request(sender)
        self.waiting = lambda response: send_response(sender, handle, response, bound(shortcut))
        say("asked for", handle)
        return handle

    @dbus.service.method(CONTROL, in_signature="u")
    def Answer(self, response):
        self.waiting(response)

    @dbus.service.method(CONTROL, in_signature="sos")
    def Press(self, caller, session, shortcut):
        send_press(caller, session, shortcut)

    @dbus.service.method(CONTROL, in_signature="so")
    def Close(self, caller, session):
        send_close(caller, session)


class RegisteringPortal(ShortcutsPortal):
    @dbus.service.method("org.freedesktop.host.portal.Registry", in_signature="sa{sv}")
    def Register(self, application, options):
        if behaviour == "strict":
            raise dbus.DBusException("App info not found", name=f"{ERROR}.Failed")
        say("registered", application)


def tell(member, signature, *values):
    bus.call_blocking(NAME, PATH, CONTROL, member, signature, values)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
messages = {
    "answer": lambda response: tell("Answer", "u", int(response)),
    "press": lambda *words: tell("Press", "sos", *words),
    "close": lambda *words: tell("Close", "so", *words),
    "forge-press": send_press,
    "forge-close": send_close,
    "forge-response": lambda caller, handle: send_response(caller, handle, 0, bound("answer-screen")),
}
if behaviour in messages:
    messages[behaviour](*words)
    if behaviour not in ("answer", "close"):
        # It has got the signal when it answers this.
        bus.call_blocking(words[0], "/", "org.freedesktop.DBus.Peer", "Ping", "", ())
else:
    name = dbus.service.BusName(NAME, bus, do_not_queue=True)
    portal = {"old": Portal, "held": ShortcutsPortal}.get(behaviour, RegisteringPortal)(bus, PATH)
    say("ready")
    GLib.MainLoop().run()
