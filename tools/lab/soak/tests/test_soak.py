"""Whole soaks over the simulated radio, by the command line."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from soak import page, plan

LAB = pathlib.Path(__file__).resolve().parents[2] / "run"
# A seed whose first ceremonies have every fault of the simulated radio, and the number of them.
SEED, CEREMONIES = "check-133", 6
CHOICE = plan.Choice(radios=("simulated",), faults=plan.SIMULATED_FAULTS)
SECONDS = 300


class SoakTests(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="soak-check-")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        self.results = self.folder / "results"

    def start(self, *words):
        return subprocess.Popen([sys.executable, str(LAB), "soak", *words], stderr=subprocess.PIPE, text=True)

    def soak(self, *words):
        """Runs it to its end: its exit code, and what it said."""
        process = self.start(*words)
        _, said = process.communicate(timeout=SECONDS)
        return process.returncode, said

    def new(self, *words):
        return ("--simulated", "--timeout", "3", "--results", str(self.results), *words)

    def lines(self, folder=None):
        with open((folder or self.results) / "ceremonies.ndjson", encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_every_fault_once_with_alerts_interrupted_and_gone_on_with(self):
        alerts = self.folder / "alerts"
        begun = time.monotonic()
        first = self.start(*self.new("--seed", SEED, "--ceremonies", str(CEREMONIES), "--max-p99", "0.001", "--alert",
                                     f"cat >> '{alerts}'"))
        self.wait_for_lines(3)
        code, said = self.soak("--resume", str(self.results))
        self.assertEqual(code, 125)
        self.assertRegex(said, rf"another soak \(process {first.pid}\) runs in .*results")
        first.send_signal(signal.SIGINT)
        _, said = first.communicate(timeout=SECONDS)
        self.assertEqual(first.returncode, 130, said)
        self.assertIn(f"go on with: tools/lab/run soak --resume {self.results}", said)
        self.assertTrue((self.results / "soak.html").is_file())
        code, said = self.soak(*self.new())
        self.assertEqual(code, 125)
        self.assertIn("holds a soak already", said)

        code, said = self.soak("--resume", str(self.results))
        self.assertEqual(code, 1, said)
        lines = self.lines()
        self.assertEqual([line["number"] for line in lines], list(range(1, CEREMONIES + 1)))
        self.assertEqual([line["cause"] for line in lines if line["outcome"] == "failure"], [], said)
        self.assertEqual({line["fault"]["kind"] for line in lines if line["fault"]}, set(plan.SIMULATED_FAULTS))
        # By a clock that does not jump: never backwards, also over the pause, and not longer than it took.
        times = [line["elapsed_s"] for line in lines]
        self.assertEqual(times, sorted(times))
        self.assertLess(times[-1], time.monotonic() - begun)

        breaches = [json.loads(line) for line in alerts.read_text(encoding="utf-8").splitlines()]
        self.assertEqual({breach["threshold"] for breach in breaches}, {"p99"})
        self.assertGreater(breaches[-1]["value"], 0.001)
        text = (self.results / "soak.html").read_text(encoding="utf-8")
        self.assertIn("thresholds breached", text)
        self.assertIn("service-restarted", text)

        self.repeat(next(line for line in lines if line["fault"] and line["fault"]["kind"] == "client-killed"))

    def repeat(self, line):
        """By its number it is the same ceremony with the same fault."""
        again = self.folder / "again"
        command = page.repeat({"seed": SEED, "place": "simulated", "choice": vars(CHOICE)}, line["number"])
        code, said = self.soak(*command.split()[2:], "--timeout", "3", "--results", str(again))
        self.assertEqual(code, 0, said)
        other, = self.lines(again)
        what = ("number", "seed", "kind", "radio", "channel")
        self.assertEqual([other[name] for name in what], [line[name] for name in what])
        moment = ("kind", "role", "stage", "delay_ms")
        self.assertEqual([other["fault"][name] for name in moment], [line["fault"][name] for name in moment])

    def test_too_little_room_stops_it_in_good_order(self):
        code, said = self.soak(*self.new("--keep-free", str(1 << 30)))
        self.assertEqual(code, 74, said)
        self.assertRegex(said, r"stopped: \d+ MiB are free where the results are.*hint: make room, then go on")
        self.assertIn(f"--resume {self.results}", said)
        code, said = self.soak("--resume", str(self.results), "--keep-free", "1", "--ceremonies", "1")
        self.assertEqual((code, [line["number"] for line in self.lines()]), (0, [1]), said)

    def test_wrong_use(self):
        for words in (["--hours", "-1"], ["--kinds", "none"], ["--only", "0"], ["--resume", str(self.folder)],
                      ["--seed", "a b"], ["--simulated", "--faults", "adapter-off"], ["--program", "/nowhere"],
                      ["--fault-share", "nan"], ["--resume", ".", "--seed", "x"]):
            code, said = self.soak(*words)
            self.assertEqual(code, 64, said)
            self.assertRegex(said, "^lab: error: .*hint: ")
        (self.folder / "thing").touch()
        code, said = self.soak("--simulated", "--results", str(self.folder))
        self.assertEqual(code, 125)
        self.assertIn("is not empty", said)

    def wait_for_lines(self, count):
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            file = self.results / "ceremonies.ndjson"
            if file.is_file() and file.read_bytes().count(b"\n") >= count:
                return
            time.sleep(0.1)
        self.fail("it does not begin")
