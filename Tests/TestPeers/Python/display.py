#!/usr/bin/python3
"""An X display without a screen, Xvfb, with a session bus of its own, and what is started on them.

Usage: display.py [PROGRAM…], which is run with that display and bus. The first line is the display's name, the second the bus's
address; then come the lines that the program writes. Both end with this process.
"""
import os
import subprocess
import sys

INNER = "--inner"
if sys.argv[1:2] != [INNER]:
    # The test knows by an inherited socket that this process runs, and start_bus closes what is inherited: it is another's then.
    # Until this one has ended, its end would keep the test from noticing that of any other program.
    inner = subprocess.Popen([sys.executable, __file__, INNER] + sys.argv[1:])
    sys.exit(inner.wait())

sys.path.insert(0, os.path.dirname(__file__))
from private_bus import SESSION, die_with_parent, run, say, start_bus  # noqa: E402

die_with_parent()

(address, *_), bus = start_bus(SESSION)
reading, writing = os.pipe()
subprocess.Popen(
    ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"],
    pass_fds=[writing], stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
os.close(writing)
with os.fdopen(reading) as numbers:
    display = f":{numbers.readline().strip()}"
say(display)
say(address)
if sys.argv[2:]:
    environment = dict(os.environ, DISPLAY=display, DBUS_SESSION_BUS_ADDRESS=address)
    subprocess.Popen(sys.argv[2:], env=environment, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
run()
