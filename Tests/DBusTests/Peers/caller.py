#!/usr/bin/python3
"""Calls an object of ours with python-dbus, on a bus of its own, dbus-daemon, and writes a line for every answer.

The first line is the bus's address; the calls begin when somebody owns NAME.
"""
import os
import subprocess
import sys
import xml.etree.ElementTree

import dbus

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import SESSION, run, say, start_bus, wait_for  # noqa: E402

NAME = "org.example.Ours"
PATH = "/org/example/Ours"


def call(*arguments, member, interface=NAME, path=PATH, signature=None, timeout=20):
    try:
        answer = bus.call_blocking(NAME, path, interface, member, signature, arguments, timeout=timeout)
        say(member, repr(unwrap(answer)))
    except dbus.DBusException as error:
        say(member, error.get_dbus_name(), *(str(value) for value in error.args[:1]))


def unwrap(value):
    if isinstance(value, dict):
        return {str(key): unwrap(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [unwrap(part) for part in value]
    if isinstance(value, str):
        return str(value)
    if value is None:
        return None
    return bool(value) if isinstance(value, dbus.Boolean) else int(value)


addresses, bus = start_bus(SESSION)
say(addresses[0])
wait_for(lambda: bus.name_has_owner(NAME))
scenario = sys.argv[1]
if scenario == "methods":
    call("hallo", dbus.UInt32(3), member="Repeat", signature="su")
    call("hallo", dbus.Int32(3), member="Repeat", signature="si")
    call("hallo", member="Repeat", signature="s")
    call("x", dbus.UInt32(1), member="Repeat", signature="su", interface=None)
    call(member="Nothing", signature="")
    call(member="Fail", signature="")
    call(member="Repeat", signature="", interface="org.example.Other")
    call(member="Repeat", signature="", path="/")
    call(dbus.Array(["x"] * 600_000), member="Repeat", signature="as")
elif scenario == "properties":
    properties = "org.freedesktop.DBus.Properties"
    call(NAME, "Version", member="Get", signature="ss", interface=properties)
    call(NAME, "Nothing", member="Get", signature="ss", interface=properties)
    call("org.example.Other", "Version", member="Get", signature="ss", interface=properties)
    call(NAME, member="Get", signature="s", interface=properties)
    call(NAME, member="GetAll", signature="s", interface=properties)
    call(NAME, "Version", dbus.UInt32(3, variant_level=1), member="Set", signature="ssv", interface=properties)
    text = bus.call_blocking(NAME, PATH, "org.freedesktop.DBus.Introspectable", "Introspect", "", ())
    for element in xml.etree.ElementTree.fromstring(text).iter():
        say(element.tag, *(f"{key}={element.attrib[key]}" for key in sorted(element.attrib)))
elif scenario == "leave":
    # A caller whose connection ends while its call is carried out.
    other = dbus.bus.BusConnection(addresses[0])
    message = dbus.lowlevel.MethodCallMessage(NAME, PATH, NAME, "Wait")
    other.send_message(message)
    other.flush()
    wait_for(lambda: bus.call_blocking(NAME, PATH, NAME, "Waiting", "", ()) == 1)
    say("waits")
    other.close()
    wait_for(lambda: bus.call_blocking(NAME, PATH, NAME, "Waiting", "", ()) == 0)
    say("ended")
elif scenario == "many":
    # More calls than one caller may leave open.
    for _ in range(9):
        message = dbus.lowlevel.MethodCallMessage(NAME, PATH, NAME, "Wait")
        bus.send_message_with_reply(message, lambda reply: say(reply.get_error_name()))
elif scenario == "user":
    # Another user, whom this bus lets in.
    command = ["gdbus", "call", "--address", addresses[0], "--dest", NAME, "--object-path", PATH, "--method",
               f"{NAME}.Nothing"]
    user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    for prefix in [], user:
        done = subprocess.run(prefix + command, capture_output=True, text=True, timeout=60)
        say(done.returncode, done.stdout.strip() or done.stderr.strip().split(":")[2])
elif scenario == "signal":
    bus.add_signal_receiver(lambda *values, member: say(member, *(repr(unwrap(value)) for value in values)),
                            dbus_interface=NAME, member_keyword="member")
    bus.call_blocking(NAME, PATH, NAME, "Emit", "", ())
elif scenario == "taken":
    reply = bus.request_name(NAME, dbus.bus.NAME_FLAG_DO_NOT_QUEUE)
    say(int(reply))
say("done")
run()
