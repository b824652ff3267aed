"""A system bus of a test's own, with dbus-daemon; what the peers here have in common."""
import ctypes
import os
import signal
import subprocess
import tempfile

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

PR_SET_PDEATHSIG = 1
TRIES = 200
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:abstract={folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/><allow receive_sender="*" eavesdrop="true"/>
  </policy>
</busconfig>
"""


def say(*words):
    print(*words, flush=True)


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start_bus():
    """Starts a bus, which ends with this process; its address, and a connection to it."""
    # Sockets of the tests beside ours, inherited, would keep their addresses in use.
    os.closerange(3, 4_096)
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    # The socket has no file, so that nothing is left behind.
    with tempfile.TemporaryDirectory(prefix="hybrid-bus-") as folder:
        with open(f"{folder}/configuration", "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(folder=folder))
        running = subprocess.Popen(
            ["dbus-daemon", f"--config-file={folder}/configuration", "--nofork", "--nopidfile", "--print-address"],
            stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        address = running.stdout.readline().strip()
    return address, dbus.bus.BusConnection(address)


def start_polkitd(address, actions):
    """Starts the real polkitd with the actions of a directory; needs root, for the mount that shows them to it."""
    # --kill-child: polkitd changes its user, which would undo its wish to die with its parent.
    subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
         'mount --bind "$1" "$2" && exec /usr/lib/polkit-1/polkitd --no-debug', "sh", actions,
         "/usr/share/polkit-1/actions"],
        env=dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=address), stdout=subprocess.DEVNULL, preexec_fn=die_with_parent)


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
