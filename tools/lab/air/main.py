"""Ceremonies under every fault of the table, by seeds; in the guest, or on this machine over the simulated radio."""
import argparse
import collections
import json
import os
import pathlib
import shutil
import sys
import tempfile

from air import doctor, places, table, trial
from soak import adapters, site as sites


def _options(arguments):
    parser = argparse.ArgumentParser(prog="air", description=__doc__, allow_abbrev=False)
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="ceremonies of each fault (20)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first of the seeds (0)")
    parser.add_argument("--faults", metavar="LIST", help="of the table (all)")
    parser.add_argument("--timeout", type=int, default=30, metavar="S", help="how long a side waits for the other (30)")
    parser.add_argument("--program", default=os.environ.get("HYBRID", ".build/debug/hybrid"), metavar="FILE")
    parser.add_argument("--doctor", action="store_true", help="what hybrid doctor says under each, instead of ceremonies; in the guest")
    parser.add_argument("--results", metavar="DIR", help="where air.ndjson goes ($LAB_RESULTS)")
    return parser.parse_args(arguments)


def percentile(values, share):
    """The value that this share of them does not exceed; None of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


class Run:
    """All trials, one after another."""

    def __init__(self, options):
        self.options = options
        self.place = os.environ.get("LAB_KIND", "simulated")
        faults = table.read()
        chosen = options.faults.split(",") if options.faults else list(faults)
        if unknown := set(chosen) - set(faults):
            sys.exit(f"air: error: no such fault: {', '.join(sorted(unknown))}. hint: {', '.join(faults)}")
        self.faults = [faults[name] for name in chosen if self._fits(faults[name])]
        self.lines = []

    def _fits(self, fault):
        has_bluetoothd = os.environ.get("LAB_BLUETOOTHD") != "no"
        return (self.place in fault.where and fault.controllers in (None, os.environ.get("LAB_CONTROLLERS", "dual"))
                and (has_bluetoothd or "kernel" in fault.radios))

    def _radios(self):
        if self.place == "simulated":
            return ["simulated"]
        return ["bluez", "kernel"] if os.environ.get("LAB_BLUETOOTHD") == "yes" else ["kernel"]

    def run(self):
        work = tempfile.mkdtemp(prefix="hybrid-air-")
        air = site = None
        results = pathlib.Path(self.options.results or os.environ.get("LAB_RESULTS") or work)
        try:
            program = shutil.copy(self.options.program, os.path.join(work, "hybrid"))
            shutil.copy(os.path.join(os.path.dirname(self.options.program), "hybrid-tunnel-service"), work)
            if self.place == "simulated":
                air = places.RelayedAir(lambda: site.radio_port)
                site = places.AirSite(program, work, [], (), self.options.timeout, air=air)
                air.open()
                self._more(site)
            else:
                names = (os.environ["LAB_ADAPTER_1"], os.environ["LAB_ADAPTER_2"])
                air = places.GuestAir(names, os.environ.get("LAB_BLUETOOTHD") == "yes", results)
                site = places.AirSite(program, work, self._radios(), names, self.options.timeout, air=air)
            with open(results / "air.ndjson", "w", encoding="utf-8") as file:
                for fault in self.faults:
                    self._all_of(fault, site, air, file)
        finally:
            for each in (site, air):
                if each:
                    each.close()
            shutil.rmtree(work, ignore_errors=True)
        return self._verdict()

    def examine(self):
        """What `hybrid doctor` says, by bluetoothd."""
        results = pathlib.Path(os.environ["LAB_RESULTS"])
        air = places.GuestAir((os.environ["LAB_ADAPTER_1"], os.environ["LAB_ADAPTER_2"]), True, results)
        try:
            return 1 if doctor.examine(self.options.program, self.faults, air) else 0
        finally:
            air.close()

    def _more(self, site):
        """The home and the listener of the simulated radio, which need its relay."""
        site._make_homes(["simulated"])
        site.listeners = {"simulated": sites.Listener(site, "listener-simulated", "simulated", site.service)}

    def _all_of(self, fault, site, air, file):
        lines = []
        if fault.second:
            air.second()
        for seed in range(self.options.first, self.options.first + self.options.seeds):
            one = trial.Trial(site, fault, seed, self._radios(), air)
            try:
                line = one.run()
            except (sites.SiteError, adapters.AdapterError) as error:
                line = {"fault": fault.name, "seed": seed, "verdict": "wrong", "cause": f"set-up: {error}", "seconds": 0}
            lines.append(line)
            file.write(json.dumps(line) + "\n")
            file.flush()
            if line["verdict"] == "wrong":
                print(f"      seed {seed} {line.get('kind')} {line.get('radio')} {line.get('words')}: {line['cause']}",
                      flush=True)
                print("\n".join("        " + text for text in one.transcript().splitlines()[-60:]), file=sys.stderr)
        if fault.second:
            air.without_second()
        self.lines += lines
        counts = collections.Counter(line["verdict"] for line in lines)
        wins = [line["seconds"] for line in lines if line["verdict"] in ("success", "fall-back")]
        ends = [line["seconds"] for line in lines if line["verdict"] == "cause named"]
        words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        times = "".join(f"; {name} {percentile(values, 0.5):.2f} s, longest {max(values):.2f} s"
                        for name, values in (("ceremony", wins), ("cause", ends)) if values)
        print(f"{'FAIL' if counts['wrong'] else 'ok':5} {fault.name}: {words}{times}", flush=True)

    def _verdict(self):
        counts = collections.Counter(line["verdict"] for line in self.lines)
        print(f"air: {len(self.faults)} faults, {len(self.lines)} ceremonies: {counts['success']} success, "
              f"{counts['fall-back']} fall-back, {counts['cause named']} cause named, wrong causes: {counts['wrong']}")
        return 1 if counts["wrong"] or not self.lines else 0


def main(arguments):
    run = Run(_options(arguments))
    return run.examine() if run.options.doctor else run.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
