"""Sign-in times by stage in the guest, where the emulator keeps intervals and windows as the Core Specification says."""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile

from air import main, places, table, trial

# The emulator chooses the longest interval that the host allows. ManagementAdvertiser.interval and BlueZAdvertiser.interval.
ASKED = 100
KERNELS = "/sys/kernel/debug/bluetooth/{}/adv_max_interval"
UNIT = 0.625
# From one side's stage to another's; the first has the bound of one interval, and advDelay.
STEPS = [("on the air to heard", ("authenticator", "advertising"), ("client", "advertOpened")),
         ("heard to tunnel", ("client", "advertOpened"), ("client", "tunnelJoined")),
         ("tunnel to handshake", ("client", "tunnelJoined"), ("client", "handshaken")),
         ("handshake to command", ("client", "handshaken"), ("client", "commandSent")),
         ("command to answer", ("client", "commandSent"), ("client", "commandAnswered")),
         ("code to answer", ("client", "qrShown"), ("client", "commandAnswered"))]


def interval(radio, adapter):
    """The longest advertising interval that is allowed on this way, in milliseconds."""
    if radio == "kernel":
        return ASKED
    return UNIT * int(pathlib.Path(KERNELS.format(adapter)).read_text(encoding="ascii"))


class Figures:
    """The times of one way."""

    def __init__(self, name, interval_ms):
        self.name = name
        self.interval = interval_ms
        self.steps = {step[0]: [] for step in STEPS}

    def take(self, times):
        for step, begin, end in STEPS:
            if begin in times and end in times:
                self.steps[step].append(1000 * max(0.0, times[end] - times[begin]))

    def show(self):
        print(f"      {self.name}: interval {self.interval:g} ms, advDelay 0 to 10 ms")
        for step, values in self.steps.items():
            print(f"      {step:22} p50 {main.percentile(values, 0.5):7.0f} ms  p99 {main.percentile(values, 0.99):7.0f} ms"
                  f"  ({len(values)})")

    def is_bounded(self):
        """Whether half of the adverts are heard within one interval, and 99 of 100 within two."""
        values = self.steps[STEPS[0][0]]
        return (main.percentile(values, 0.5) <= self.interval + 10
                and main.percentile(values, 0.99) <= 2 * (self.interval + 10))


def run(arguments):
    parser = argparse.ArgumentParser(prog="stages", description=__doc__)
    parser.add_argument("--ceremonies", type=int, default=100)
    parser.add_argument("--words", default="core=1", help="of the air, beside the seed")
    parser.add_argument("--radios", default="bluez,kernel" if os.environ.get("LAB_BLUETOOTHD") == "yes" else "kernel")
    options = parser.parse_args(arguments)
    program = os.environ.get("HYBRID", ".build/debug/hybrid")
    names = (os.environ["LAB_ADAPTER_1"], os.environ["LAB_ADAPTER_2"])
    work = tempfile.mkdtemp(prefix="hybrid-stages-")
    radios = options.radios.split(",")
    fault = table.Fault("stages", "", None, "succeed", "nothing is wrong", air=options.words)
    wrong = 0
    air = places.GuestAir(names, os.environ.get("LAB_BLUETOOTHD") == "yes", os.environ["LAB_RESULTS"])
    shutil.copy(os.path.join(os.path.dirname(program), "hybrid-tunnel-service"), work)
    site = places.AirSite(shutil.copy(program, os.path.join(work, "hybrid")), work, radios, names, 30, air=air)
    try:
        for radio in radios:
            figures = Figures(f"{radio}, {options.words}", interval(radio, names[1]))
            for number in range(options.ceremonies):
                # By QR code: seeds of the first half of each four.
                one = trial.Trial(site, fault, number // 2 * 4 + number % 2, [radio], air)
                line = one.run()
                if line["verdict"] == "success":
                    figures.take(one.times)
                else:
                    wrong += 1
                    print(f"      {line['cause']}")
            figures.show()
            is_bounded = figures.is_bounded()
            wrong += not is_bounded
            print(f"{'ok' if is_bounded else 'FAIL':5} {radio}: p50 within one interval, p99 within two", flush=True)
    finally:
        site.close()
        air.close()
        shutil.rmtree(work, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
