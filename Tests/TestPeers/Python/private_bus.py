"""A message bus of a test's own, with dbus-daemon; what the peers on one have in common."""
import ctypes
import os
import signal
import subprocess
import tempfile

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

# It belongs to a login.
SESSION = "<type>session</type>"
# It is on loopback too, and admits anybody there.
TCP = "<listen>tcp:host=127.0.0.1,port=0,family=ipv4</listen><auth>ANONYMOUS</auth><allow_anonymous/>"
PR_SET_PDEATHSIG = 1
TRIES = 1_200
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  {head}
  <listen>unix:abstract={folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/><allow receive_sender="*" eavesdrop="true"/>
    {denial}
  </policy>
</busconfig>
"""


def say(*words):
    print(*words, flush=True)


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start_bus(head="", denial=""):
    """Starts a bus, which ends with this process; its addresses, one of a Unix socket first, and a connection to it.

    `head` goes into its configuration, such as SESSION and TCP, and so does `denial`, an element of its policy.
    """
    # Sockets of the tests beside ours, inherited, would keep their addresses in use.
    os.closerange(3, 4_096)
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    # The socket has no file, so that nothing is left behind.
    with tempfile.TemporaryDirectory(prefix="hybrid-bus-") as folder:
        with open(f"{folder}/configuration", "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(folder=folder, head=head, denial=denial))
        running = subprocess.Popen(
            ["dbus-daemon", f"--config-file={folder}/configuration", "--nofork", "--nopidfile", "--print-address"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=die_with_parent)
        addresses = sorted(running.stdout.readline().strip().split(";"), reverse=True)
    return addresses, dbus.bus.BusConnection(addresses[0])


def wait_for(condition):
    for _ in range(TRIES):
        if condition():
            return
        GLib.usleep(50_000)
    raise SystemExit("what was started did not come")


def run():
    """Serves until the test ends, which holds the other end of standard input."""
    loop = GLib.MainLoop()
    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_HUP, lambda *_: loop.quit())
    loop.run()
