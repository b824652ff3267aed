#!/usr/bin/python3
"""The real polkitd on a bus of its own, with an authentication agent that behaves as it is told.

Usage: real_polkit.py ACTIONS BEHAVIOUR. ACTIONS is the directory of the policies that polkitd knows. Needs root: polkitd takes an
agent's word from root only. The subject is a process of the user nobody, since root is never asked. The first lines are the bus's
address, and the subject as `PID START-TIME UID`; then comes what the agent is asked.
"""
import os
import subprocess
import sys

import dbus
import dbus.service

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import run, say, start_bus, wait_for  # noqa: E402
from polkitd import start_polkitd  # noqa: E402

AGENT = "org.freedesktop.PolicyKit1.AuthenticationAgent"
NAME, PATH = "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority"
AUTHORITY = "org.freedesktop.PolicyKit1.Authority"
NOBODY = 65534
START_TIME_INDEX = 19
ACTIONS, BEHAVIOUR = sys.argv[1], sys.argv[2]


def start_subject():
    running = subprocess.Popen(
        ["setpriv", f"--reuid={NOBODY}", "--clear-groups", "--pdeathsig", "KILL", "sleep", "infinity"])
    wait_for(lambda: os.stat(f"/proc/{running.pid}").st_uid == NOBODY)
    with open(f"/proc/{running.pid}/stat", encoding="ascii") as file:
        return running.pid, int(file.read().rpartition(")")[2].split()[START_TIME_INDEX])


class Error(dbus.DBusException):
    def __init__(self, name):
        super().__init__("as told")
        self._dbus_error_name = f"{NAME}.Error.{name}"


class Agent(dbus.service.Object):
    @dbus.service.method(AGENT, in_signature="sssa{ss}sa(sa{sv})", async_callbacks=("done", "failed"))
    def BeginAuthentication(self, action, message, icon, details, cookie, identities, done, failed):
        say("asked", message)
        if BEHAVIOUR == "hang":
            self.failed = failed
        elif BEHAVIOUR == "dismiss":
            failed(Error("Cancelled"))
        elif BEHAVIOUR == "wrong":
            done()
        else:
            authority.AuthenticationAgentResponse2(
                dbus.UInt32(0), cookie, identities[0], dbus_interface=AUTHORITY, reply_handler=done, error_handler=failed)

    @dbus.service.method(AGENT, in_signature="s")
    def CancelAuthentication(self, cookie):
        say("cancelled")
        self.failed(Error("Cancelled"))


(address, *_), bus = start_bus()
start_polkitd(address, ACTIONS)
pid, start_time = start_subject()
wait_for(lambda: bus.name_has_owner(NAME))
authority = bus.get_object(NAME, PATH, introspect=False)
if BEHAVIOUR != "none":
    agent = Agent(bus, "/agent")
    subject = ("unix-process", dbus.Dictionary(
        {"pid": dbus.UInt32(pid), "start-time": dbus.UInt64(start_time), "uid": dbus.Int32(NOBODY)}, signature="sv"))
    authority.RegisterAuthenticationAgent(subject, "C", "/agent", dbus_interface=AUTHORITY)
say(address)
say(pid, start_time, NOBODY)
run()
