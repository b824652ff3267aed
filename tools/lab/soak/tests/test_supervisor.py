"""A soak whose guest dies."""
import contextlib
import io
import json
import pathlib
import shutil
import tempfile
import unittest

from soak import journal, options, places, plan, supervisor
from terminal import LabError


class DyingPlace:
    """A place whose first guests die in the middle of a ceremony; each does one before that."""

    def __init__(self, folder, deaths, does_one=True, code=None):
        self.folder = folder
        self.deaths = deaths
        self.does_one = does_one
        self.code = code
        self.started = []

    def start(self):
        self.started.append(journal.read_state(self.folder)["next"])

    def poll(self, _seconds):
        number = self.started[-1]
        lines = journal.Journal(self.folder, journal.CEREMONIES)
        if self.does_one:
            lines.append({"number": number, "kind": "sign-in", "radio": "bluez", "channel": "tunnel", "fault": None,
                          "outcome": "success", "cause": None, "took_ms": 1.0, "stages": {},
                          "elapsed_s": 10.0 * number})
        (self.folder / "current").write_text(f"{number + self.does_one}\n", encoding="ascii")
        if self.deaths:
            self.deaths -= 1
            if self.code is not None:
                return self.code
            raise places.Died("Kernel panic")
        return 0

    def ask_to_end(self):
        """It has ended."""

    def end(self):
        """It has ended."""


class SupervisorTests(unittest.TestCase):
    def soak(self, deaths, does_one=True, code=None):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "results"
        # Never started: the place that would do so is another one.
        programs = [shutil.copy2("/bin/true", pathlib.Path(folder.name) / name) for name in ("hybrid", "hybrid-tunnel-service")]
        with contextlib.redirect_stderr(io.StringIO()):
            read = options.read(["--seed", "x", "--program", str(programs[0]), "--results", str(self.folder)])
            soak = supervisor.Supervisor(*read)
            self.place = soak.place = DyingPlace(self.folder, deaths, does_one, code)
            return soak.run()

    def test_another_guest_goes_on_behind_the_ceremony_that_failed(self):
        self.assertEqual(self.soak(deaths=2), 1)
        self.assertEqual(self.place.started, [1, 3, 5])
        lines = [json.loads(line) for line in (self.folder / "ceremonies.ndjson").read_text().splitlines()]
        self.assertEqual([line["number"] for line in lines], [1, 2, 3, 4, 5])
        died = lines[1]
        self.assertEqual((died["outcome"], died["cause"]), ("failure", "lost: Kernel panic"))
        drawn = plan.draw("x", 2, plan.Choice(radios=("bluez", "kernel")))
        self.assertEqual((died["kind"], died["radio"], died["channel"]), (drawn.kind, drawn.radio, drawn.channel))
        self.assertEqual(journal.read_state(self.folder)["restarts"], 2)

    def test_a_worker_that_fails_is_started_again_too(self):
        self.assertEqual(self.soak(deaths=1, code=1), 1)
        self.assertEqual(self.place.started, [1, 3])
        self.assertIn('"cause":"lost: the worker failed (1)"', (self.folder / "ceremonies.ndjson").read_text())

    def test_one_without_room_is_not(self):
        self.assertEqual(self.soak(deaths=1, code=74), 74)
        self.assertEqual(self.place.started, [1])

    def test_guests_that_do_nothing_but_die_end_it(self):
        with self.assertRaisesRegex(LabError, "3 starts in a row were in vain: Kernel panic"):
            self.soak(deaths=9, does_one=False)
        self.assertTrue((self.folder / "soak.html").is_file())
