#!/usr/bin/python3
"""The real fprintd on a bus of its own, with libfprint's virtual reader and fingers as they are told.

Usage: real_fprintd.py FOLDER WORD…: what libfprint's virtual reader will see, one after another: `SCAN right` is the enrolled finger,
`SCAN wrong` another one, `RETRY 1` a bad look, `UNPLUG`. Other words: `unenrolled`, `no-device`, `claimed` (by another program). FOLDER
is empty. Needs root, whom polkitd, which fprintd asks, lets pass. The first line is the bus's address.
"""
import os
import socket
import subprocess
import sys
import time

import dbus
from gi.repository import GLib

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import die_with_parent, run, say, start_bus, wait_for  # noqa: E402
from polkitd import start_polkitd  # noqa: E402

NAME, DEVICE, MANAGER = "net.reactivated.Fprint", "net.reactivated.Fprint.Device", "net.reactivated.Fprint.Manager"
ACTIONS = "/usr/share/polkit-1/actions"
FOLDER, WORDS = sys.argv[1], sys.argv[2:]
COMMANDS = [word for word in WORDS if word.startswith(("SCAN", "RETRY", "ERROR", "UNPLUG"))]
# The virtual reader takes one command a connection, and drops the one before if the next comes too soon.
PAUSE = 0.1
ENROLMENT_LIMIT = 60


def tell_reader(command):
    with socket.socket(socket.AF_UNIX) as reader:
        reader.connect(f"{FOLDER}/reader")
        reader.sendall(command.encode())
        time.sleep(PAUSE)


def enrol(device):
    loop = GLib.MainLoop()

    def hear(status, done):
        if done:
            loop.quit()
        else:
            tell_reader("SCAN right")

    match = device.connect_to_signal("EnrollStatus", hear, dbus_interface=DEVICE)
    device.Claim("", dbus_interface=DEVICE)
    device.EnrollStart("right-index-finger", dbus_interface=DEVICE)
    tell_reader("SCAN right")
    GLib.timeout_add_seconds(ENROLMENT_LIMIT, loop.quit)
    loop.run()
    match.remove()
    device.EnrollStop(dbus_interface=DEVICE)
    device.Release(dbus_interface=DEVICE)


def hear_change(interface, changed, invalidated):
    """Lets the reader see the next finger, and whatever else goes before it, when fprintd waits for one."""
    while changed.get("finger-needed") and COMMANDS:
        command = COMMANDS.pop(0)
        tell_reader(command)
        if not command.startswith("RETRY"):
            break


(address, *_), bus = start_bus()
start_polkitd(address, ACTIONS)
wait_for(lambda: bus.name_has_owner("org.freedesktop.PolicyKit1"))
environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=address, STATE_DIRECTORY=f"{FOLDER}/state")
if "no-device" not in WORDS:
    environment["FP_VIRTUAL_DEVICE"] = f"{FOLDER}/reader"
subprocess.Popen(["/usr/libexec/fprintd", "-t"], env=environment, preexec_fn=die_with_parent)
wait_for(lambda: bus.name_has_owner(NAME))
if "no-device" not in WORDS:
    manager = bus.get_object(NAME, "/net/reactivated/Fprint/Manager", introspect=False)
    device = bus.get_object(NAME, manager.GetDefaultDevice(dbus_interface=MANAGER), introspect=False)
    if "unenrolled" not in WORDS:
        enrol(device)
    if "claimed" in WORDS:
        device.Claim("", dbus_interface=DEVICE)
    device.connect_to_signal("PropertiesChanged", hear_change, dbus_interface="org.freedesktop.DBus.Properties")
say(address)
run()
