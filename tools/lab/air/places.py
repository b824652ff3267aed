"""Where trials run: the guest, whose emulator and adapters have the faults, or the simulated radio behind a relay."""
import pathlib
import signal
import subprocess
import time

import processes
from air import relay
from soak import adapters, air as airs, site as sites

WORDS = pathlib.Path("/run/lab/air")
# The emulator looks at its file every 100 ms.
SETTLE = 0.25
SECONDS = 120
BESIDE = pathlib.Path(__file__).with_name("beside")
EXTRA = "hci2"
LE_CREATE_CONNECTION, LE_EXTENDED_CREATE_CONNECTION = 0x200D, 0x2043


class AirSite(sites.Site):
    """A site whose authenticators send to the relay of a simulated radio, and whose client may choose its adapter."""

    def __init__(self, *arguments, air):
        self._air = air
        super().__init__(*arguments)

    def radio(self, radio, role):
        if radio == "simulated":
            port = self.radio_port if role == "client" else self._air.port
            return ["--radio", f"udp:127.0.0.1:{port}"]
        if self._air.has_second:
            return ["--radio", radio, *(["--adapter", EXTRA] if role == "authenticator" else [])]
        return super().radio(radio, role)


class GuestAir(airs.BluetoothAir):
    """The guest's two adapters."""
    has_second = False

    def __init__(self, names, has_bluetoothd, folder):
        super().__init__(names, has_bluetoothd, True, folder)
        self._beside = None

    def apply(self, fault, plan):
        if self.has_second:
            return
        self._set(fault.words(plan.number))
        if fault.beside:
            self._beside = processes.start(["bash", str(BESIDE), fault.beside, self.names[0]],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                           stdin=subprocess.DEVNULL)
            time.sleep(1)

    def connected(self, since):
        """Whether a host has asked for a connection since a time (monotonic)."""
        return any(opcode in (LE_CREATE_CONNECTION, LE_EXTENDED_CREATE_CONNECTION)
                   for _, opcode in self.monitor.commands(since))

    def act(self, fault, role):
        name = self.names[role == "authenticator"]
        index = int(name.removeprefix("hci"))
        if fault.act == "power":
            self.management.set_power(name, False)
        elif fault.act == "block":
            self._block(name, True)
        else:
            self._set(f"unplug={1 << index}" + (" plug=1" if fault.act == "renumber" else ""))
            self._wait(lambda: not self._has(name), f"{name} is still there")

    def restore(self, fault):
        if self._beside:
            processes.kill(self._beside)
            self._beside = None
            subprocess.run(["bash", str(BESIDE), "end", self.names[0], fault.beside], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if fault.act in ("unplug", "renumber"):
            # What has taken another number goes first, so that the old one is free.
            missing = [name for name in self.names if not self._has(name)]
            self._set("unplug=" + str(sum(1 << int(name.removeprefix("hci")) for name in missing)))
            self._wait(lambda: not self._has(EXTRA), f"{EXTRA} is still there")
        if self.has_second:
            return
        self._set("")
        for name in self.names:
            self._wait(lambda name=name: self._has(name), f"{name} does not come back")
            if fault.act == "block":
                self._block(name, False)
            if fault.act:
                self._power_on(name)

    def wait_until_normal(self, seconds, was_disturbed):
        return None if self.has_second else super().wait_until_normal(seconds, was_disturbed)

    def second(self):
        """Plugs a third adapter in, and switches the first off: until ``restore``."""
        self._set("plug=1")
        self._wait(lambda: self._has(EXTRA), f"{EXTRA} does not come")
        self._power_on(EXTRA)
        self.management.set_power(self.names[0], False)
        self.has_second = True

    def without_second(self):
        self.has_second = False
        self._set("")
        self._wait(lambda: not self._has(EXTRA), f"{EXTRA} is still there")
        self._power_on(self.names[0])

    def _power_on(self, name):
        # bluetoothd powers a new adapter by itself, and is in the way of others meanwhile.
        self._wait(lambda: self._is_on(name), f"{name} is not on")

    def _is_on(self, name):
        try:
            if not self.management.is_powered(name):
                self.management.set_power(name, True)
            return True
        except adapters.AdapterError:
            return False

    @staticmethod
    def _block(name, is_blocked):
        for switch in pathlib.Path(f"/sys/class/bluetooth/{name}").glob("rfkill*/soft"):
            switch.write_text(f"{int(is_blocked)}\n", encoding="ascii")

    @staticmethod
    def _has(name):
        return pathlib.Path(f"/sys/class/bluetooth/{name}").exists()

    @staticmethod
    def _set(words):
        # A new file: of one that is written over, the emulator may read the empty one, and not see that it has changed since,
        # for both have the same time.
        whole = WORDS.with_suffix(".new")
        whole.write_text(words + "\n", encoding="ascii")
        whole.replace(WORDS)
        time.sleep(SETTLE)

    @staticmethod
    def _wait(is_so, otherwise):
        until = time.monotonic() + SECONDS
        while not is_so():
            if time.monotonic() > until:
                there = ", ".join(sorted(path.name for path in pathlib.Path("/sys/class/bluetooth").iterdir()))
                raise adapters.AdapterError(f"{otherwise}; there are {there}")
            time.sleep(0.02)


class RelayedAir(airs.SimulatedAir):
    """A simulated radio, and a relay before it that does what the words say."""
    has_second = False

    def __init__(self, port):
        super().__init__(port)
        self.port = sites.free_port()
        self._relay = None

    def apply(self, fault, plan):
        self._relay.apply(fault.words(plan.number))

    def connected(self, _since):
        return False

    def open(self):
        self._relay = relay.Relay(self.port, self._port())

    def restore(self, _fault):
        self._relay.apply("")

    def close(self):
        if self._relay:
            self._relay.close()
