"""What is on the air, by btmon's trace, and the adapters' power, by the lab's bus."""
import datetime
import json
import re
import subprocess

import browser

# Bluetooth Core Specification, volume 4 part E: LE Set Extended Advertising Enable, LE Remove Advertising Set.
ENABLE, REMOVE = "0x08|0x0039", "0x08|0x003c"
COMMAND = re.compile(r"^< HCI Command: .*\((0x08\|0x00[0-9a-f]{2})\).*\[(hci\d)\] (\S+ \S+)$")
# An advert may outlast the handshake by as much, in seconds: the way to bluetoothd and the emulated controller.
GRACE = 1.0


def power(adapter, on):
    """Powers an adapter on or off. BlueZ refuses for a moment after each change."""
    set_power = ["busctl", "--system", "set-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1", "Powered", "b",
                 "true" if on else "false"]
    browser.until(lambda: subprocess.run(set_power, check=False).returncode == 0, f"the power of {adapter}")


def is_scanning(adapter):
    """Whether somebody scans with an adapter."""
    told = subprocess.run(["busctl", "--system", "get-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1",
                           "Discovering"], check=True, capture_output=True, text=True)
    return told.stdout.strip() == "b true"


def wait_for_advert(process):
    """Reads what an authenticator says until its advert is on the air."""
    for line in process.stdout:
        if json.loads(line).get("stage") == "advertising":
            return
    raise AssertionError("the authenticator ended before it advertised")


def span_of_last_advert(folder, adapter, outcome):
    """How long the last advert was on the air, next to what the authenticator said; fails if it outlasted the handshake."""
    begun = ended = None
    command = None
    trace = subprocess.run(["btmon", "-T", "-r", str(folder / "btmon.btsnoop")], capture_output=True, text=True, check=True)
    for line in trace.stdout.splitlines():
        if found := COMMAND.match(line):
            command = found
            if found[1] == REMOVE and found[2] == adapter and begun and not ended:
                ended = found[3]
        elif command and command[1] == ENABLE and command[2] == adapter:
            if "Extended advertising: Enabled" in line:
                begun, ended = command[3], None
            elif "Extended advertising: Disabled" in line and not ended:
                ended = command[3]
    if not begun or not ended:
        raise AssertionError(f"the trace holds no whole advert: begun {begun}, ended {ended}")
    on_air = (datetime.datetime.fromisoformat(ended) - datetime.datetime.fromisoformat(begun)).total_seconds()
    times = {event["stage"]: event["time"] for event in outcome.events if event["event"] == "stage"}
    wanted = times["handshaken"] - times["advertising"]
    if on_air > wanted + GRACE:
        raise AssertionError(f"on the air for {on_air:.3f} s, although the handshake took {wanted:.3f} s to come")
    return f"on the air for {on_air * 1000:.0f} ms; from our advertising to the handshake {wanted * 1000:.0f} ms"
