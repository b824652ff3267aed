#!/usr/bin/python3
"""A session bus of a test's own, dbus-daemon; the first line is its address."""
import os
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import SESSION, run, say, start_bus  # noqa: E402

addresses, _ = start_bus(SESSION)
say(addresses[0])
run()
