"""The Bluetooth of a soak: adapters, bluetoothd, captures; or none of that, with a simulated radio."""
import os
import pathlib
import signal
import subprocess
import time

from soak import adapters, captures

BLUETOOTHD_SECONDS = 120


class SimulatedAir:
    """A radio on loopback: nothing to switch off, and nothing to capture."""
    management = None
    monitor = None

    def __init__(self, port):
        self._port = port

    def flood(self):
        return adapters.SimulatedFlood(self._port())

    def wait_until_normal(self, _seconds, _was_disturbed):
        """Nothing of it outlives the programs."""

    def processes(self):
        return {}

    def forget(self, _before):
        """Nothing is kept."""

    def cut(self, _path, _since):
        return False

    def close(self):
        """Nothing is open."""


class BluetoothAir:
    """Two adapters, those of a guest or real ones, and bluetoothd."""

    def __init__(self, names, has_bluetoothd, is_guest, folder):
        self.names = names
        self.has_bluetoothd = has_bluetoothd
        self._is_guest = is_guest
        self._children = []
        self._log = pathlib.Path(folder) / "bluetoothd.log"
        self.management = adapters.Management()
        self.monitor = captures.Monitor()
        for name in names:
            self.management.set_power(name, True)

    def flood(self):
        return adapters.AirFlood(self.management, self.names[1])

    def wait_until_normal(self, seconds, was_disturbed):
        """Waits until both adapters are on and nothing of the ceremony is on the air; says what is not, in the end."""
        until = time.monotonic() + seconds
        wrong = self._wrong(was_disturbed)
        if wrong and was_disturbed:
            # A killed program cannot take an advert off the air: it ends by itself, and later than the next begins.
            for name in self.names:
                self.management.remove_advert(name)
        while wrong and time.monotonic() < until:
            time.sleep(0.2)
            wrong = self._wrong(was_disturbed)
        return wrong

    def _wrong(self, was_disturbed):
        try:
            for name in self.names:
                if not self.management.is_powered(name):
                    return f"{name} is off"
                if left := self.management.adverts(name):
                    return f"left on {name}: {len(left)} {'advert' if len(left) == 1 else 'adverts'}"
        except (adapters.AdapterError, OSError) as error:
            return str(error)
        if was_disturbed and self.has_bluetoothd and not self._answers():
            return "bluetoothd does not answer"
        return None

    def _answers(self):
        return all(subprocess.run(
            ["busctl", "--system", "--timeout=5", "get-property", "org.bluez", f"/org/bluez/{name}",
             "org.bluez.Adapter1", "Powered"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            check=False).stdout.strip() == "b true" for name in self.names)

    def bluetoothd(self):
        """Its process id; None if it does not run."""
        if self._is_guest:
            file = pathlib.Path("/run/lab/bluetoothd.pid")
            return int(file.read_text(encoding="ascii")) if file.is_file() else None
        shown = subprocess.run(["systemctl", "show", "--value", "-p", "MainPID", "bluetooth"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=False).stdout.strip()
        return int(shown) if shown.isdigit() and shown != "0" else None

    def kill_bluetoothd(self):
        pid = self.bluetoothd()
        if pid:
            os.kill(pid, signal.SIGKILL)

    def start_bluetoothd(self):
        if not self._is_guest:
            subprocess.run(["systemctl", "start", "bluetooth"], check=False)
            return
        with open(self._log, "ab") as log:
            # It belongs to the guest, not to us: it stays when we end.
            process = subprocess.Popen(["/usr/libexec/bluetooth/bluetoothd", "-n"], stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, start_new_session=True)
        pathlib.Path("/run/lab/bluetoothd.pid").write_text(f"{process.pid}\n", encoding="ascii")
        self._children = [child for child in self._children if child.poll() is None] + [process]

    def processes(self):
        """Name and process id of what lives long here beside the soak's own programs."""
        found = {}
        if self.has_bluetoothd and (pid := self.bluetoothd()):
            found["bluetoothd"] = pid
        emulator = pathlib.Path("/run/lab/emulator.pid")
        if self._is_guest and emulator.is_file():
            found["emulator"] = int(emulator.read_text(encoding="ascii"))
        return found

    def forget(self, before):
        """Lets go of what was on the air before a time: an earlier ceremony's."""
        self.monitor.forget(before)

    def cut(self, path, since):
        """Writes what was on the air since a time; whether there is such a thing."""
        self.monitor.cut(path, since)
        return True

    def close(self):
        self.monitor.close()
        self.management.close()
