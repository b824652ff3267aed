"""Runs a soak from its start to its page: starts the worker, watches what it finds, warns, goes on after a dead guest."""
import gzip
import hashlib
import json
import os
import pathlib
import secrets
import subprocess
import sys
import time

import prepare
from soak import figures, journal, page, places, plan as plans, worker
from terminal import LabError, say

EXIT_HELD, EXIT_BREACHED = 0, 1
POLL_SECONDS = 0.5
PLAIN_STATUS_SECONDS = 60
# Beyond what the longest ceremony takes, a worker that writes nothing hangs.
SILENCE_SECONDS = 900
DEATHS_IN_A_ROW = 3
ALERT_SECONDS = 60
PAGE = "soak.html"


class Tail:
    """New lines of a growing file of JSON lines, which somebody else writes."""

    def __init__(self, folder, name):
        self._journal = journal.Journal(folder, name)
        self._path = self._journal.path
        self._offset = 0
        self._segments = 0

    def new(self):
        """The lines that have come since the last time: at first all of them."""
        data = b""
        for segment in self._journal.segments()[self._segments:]:
            # The file has been compressed meanwhile, and a new one begun.
            with gzip.open(segment, "rb") as file:
                data += file.read()[self._offset:]
            self._offset = 0
            self._segments += 1
        if self._path.is_file():
            with open(self._path, "rb") as file:
                file.seek(self._offset)
                rest = file.read()
            whole = rest.rfind(b"\n") + 1
            self._offset += whole
            data += rest[:whole]
        return [json.loads(line) for line in data.splitlines()]


class Status:
    """One line that changes on a terminal; else a line now and then."""

    def __init__(self):
        self._is_terminal = sys.stderr.isatty()
        self._shown = 0.0

    def show(self, text, now):
        if self._is_terminal:
            if now - self._shown >= POLL_SECONDS:
                width = os.get_terminal_size(sys.stderr.fileno()).columns
                print(f"\r\x1b[K{text[:width - 1]}", end="", file=sys.stderr, flush=True)
                self._shown = now
        elif now - self._shown >= PLAIN_STATUS_SECONDS:
            say(text)
            self._shown = now

    def clear(self):
        if self._is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Alerts:
    """Runs the alert command, once for each threshold that is breached, and again if it was held in between."""

    def __init__(self, command, folder, state):
        self._command = command
        self._folder = folder
        self._state = state
        self._breached = set()
        self._running = []

    def check(self, breaches, figures_so_far):
        for breach in breaches:
            if breach.is_held:
                self._breached.discard(breach.name)
            elif breach.name not in self._breached:
                self._breached.add(breach.name)
                self._raise(breach, figures_so_far)
        self._running = [(process, until) for process, until in self._running if not self._is_over(process, until)]

    def _raise(self, breach, figures_so_far):
        say(f"threshold breached: {breach.text}: {breach.value:.3g} {breach.unit}, and the limit is {breach.limit:g}")
        if not self._command:
            return
        text = json.dumps(breach.as_json() | {"seed": self._state["seed"], "ceremonies": figures_so_far.count,
                                              "results": str(self._folder)}) + "\n"
        try:
            process = subprocess.Popen(["/bin/sh", "-c", self._command], stdin=subprocess.PIPE, start_new_session=True)
            try:
                process.stdin.write(text.encode())
                process.stdin.close()
            except BrokenPipeError:
                pass
            self._running.append((process, time.monotonic() + ALERT_SECONDS))
        except OSError as error:
            say(f"warning: the alert command could not be run: {error.strerror}")

    @staticmethod
    def _is_over(process, until):
        if process.poll() is None:
            if time.monotonic() < until:
                return False
            process.kill()
            process.wait()
            say(f"warning: the alert command was ended after {ALERT_SECONDS} s")
        elif process.returncode != 0:
            say(f"warning: the alert command failed ({process.returncode})")
        return True

    def finish(self):
        """Waits for the last commands."""
        while self._running:
            self._running = [(process, until) for process, until in self._running if not self._is_over(process, until)]
            time.sleep(0.05)


def write_page(folder, state):
    """Writes the page anew from what is in the folder; says how it stands. Returns 0 or 1 as the soak itself would."""
    folder = pathlib.Path(folder)
    found = figures.Figures()
    for line in Tail(folder, journal.CEREMONIES).new():
        found.add(line)
    for line in Tail(folder, journal.MEMORY).new():
        found.add_sample(line)
    breaches = found.breaches(state["thresholds"], True)
    page.write(folder / PAGE, state, found, breaches)
    say(found.summary())
    return EXIT_BREACHED if any(not breach.is_held for breach in breaches) else EXIT_HELD


def run(options, state):
    """What the command line asks for; returns the exit code."""
    return write_page(options.page, state) if options.page else Supervisor(options, state).run()


class Supervisor:
    """A soak, from here on."""

    def __init__(self, options, state):
        self.state = state
        self.folder = _folder(options, state)
        self._locks = self._take_locks()
        self.ceremonies = Tail(self.folder, journal.CEREMONIES)
        self.memory = Tail(self.folder, journal.MEMORY)
        self.figures = figures.Figures()
        self.status = Status()
        self.alerts = Alerts(state["alert"], self.folder, state)
        self.place = places.place(state, self.folder)
        self.deaths = 0
        self._heard = time.monotonic()

    def _take_locks(self):
        try:
            locks = [journal.Lock(self.folder / "lock", f"in {self.folder}")]
            for adapter in self.state["adapters"]:
                locks.append(journal.Lock(places.owner_of(adapter), f"on {adapter}"))
            return locks
        except journal.Locked as error:
            raise LabError(str(error), "wait for its end, or take other adapters and another folder") from error
        except PermissionError as error:
            raise LabError(f"{error.filename} cannot be written: {error.strerror}") from error

    def run(self):
        """Runs it; returns the exit code."""
        for line in self.ceremonies.new():
            self.figures.add(line)
        for line in self.memory.new():
            self.figures.add_sample(line)
        self._examine_program()
        say(f"soak with seed {self.state['seed']}; results in {self.folder}")
        reason, code = "interrupted", worker.EXIT_INTERRUPTED
        try:
            code = self._sessions()
            reason = {worker.EXIT_FINISHED: "finished", worker.EXIT_DISK: "no room"}.get(code, "failed")
        finally:
            self.place.ask_to_end()
            self.place.end()
            self.status.clear()
            self._close_session(reason)
            result = self._finish(reason)
        return result if code == worker.EXIT_FINISHED else code if code == worker.EXIT_DISK else self._failed()

    def _failed(self):
        raise LabError("the soak's worker failed", f"what it said stands above; {_resume(self.folder)}")

    def _examine_program(self):
        """Notes which program is tested, and says so if it is another one than before."""
        with open(self.state["program"], "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if self.state.get("program_sha256") not in (None, digest):
            say(f"warning: {self.state['program']} is not the one with which this soak began")
        self.state["program_sha256"] = digest

    def _sessions(self):
        """One worker after another, until one ends by itself."""
        while True:
            self._open_session()
            try:
                self.place.start()
                return self._watch()
            except places.Died as error:
                self.place.end()
                self._count_death(str(error))

    def _open_session(self):
        state = self.state
        self._settle()
        state["session"] += 1
        state["sessions"].append({"session": state["session"], "started": journal.stamp(), "from": state["next"],
                                  "elapsed_s": state["elapsed_s"]})
        journal.write_state(self.folder, state)
        (self.folder / "current").unlink(missing_ok=True)
        self._heard = self._begun = time.monotonic()

    def _settle(self):
        """Where the next session begins: behind the last line."""
        self._take_news()
        if self.figures.last:
            if not self.state["only"]:
                self.state["next"] = max(self.state["next"], self.figures.last["number"] + 1)
            self.state["elapsed_s"] = self.figures.elapsed

    def _close_session(self, reason):
        self._settle()
        self.state["sessions"][-1:] = [{**self.state["sessions"][-1], "ended": journal.stamp(), "reason": reason,
                                        "next": self.state["next"]}] if self.state["sessions"] else []
        try:
            journal.write_state(self.folder, self.state)
        except OSError as error:
            # The old state file and the lines are enough to go on.
            say(f"warning: the state file could not be written: {error.strerror}")

    def _watch(self):
        while (code := self.place.poll(POLL_SECONDS)) is None:
            now = time.monotonic()
            if self._take_news():
                self._heard = now
                self.deaths = 0
                self.alerts.check(self.figures.breaches(self.state["thresholds"], False), self.figures)
            if now - self._heard > SILENCE_SECONDS:
                self.place.end()
                raise places.Died(f"nothing came for {SILENCE_SECONDS} s")
            self.status.show(self._status(), now)
        return code

    def _status(self):
        left = max(0.0, self.state["seconds"] - self.state["elapsed_s"] - (time.monotonic() - self._begun))
        deaths = f", {self.state['guest_deaths']} dead guests" if self.state["guest_deaths"] else ""
        return f"soak: {self.figures.summary()}{deaths}; {left / 60:.0f} min to go"

    def _take_news(self):
        lines = self.ceremonies.new()
        for line in lines:
            self.figures.add(line)
        for line in self.memory.new():
            self.figures.add_sample(line)
        return lines

    def _count_death(self, reason):
        """The ceremony in which a guest died has failed, and is not tried again."""
        self.deaths += 1
        self.state["guest_deaths"] += 1
        self.status.clear()
        say(f"warning: {reason}; starting another guest")
        if self.deaths >= DEATHS_IN_A_ROW:
            raise LabError(f"{self.deaths} guests died in a row: {reason}", f"its console is {self.folder / 'console.log'}")
        self._settle()
        current = self.folder / "current"
        text = current.read_text(encoding="ascii").strip() if current.is_file() else ""
        if not text.isdigit() or int(text) < self.state["next"]:
            return
        choice = plans.Choice(**{name: tuple(value) if isinstance(value, list) else value
                                 for name, value in self.state["choice"].items()})
        plan = plans.draw(self.state["seed"], int(text), choice)
        line = worker.broken(plan, f"the guest died: {reason}", 0)
        journal.Journal(self.folder, journal.CEREMONIES).append(
            {"number": plan.number, "seed": self.state["seed"], "time": journal.stamp(),
             "elapsed_s": self.figures.elapsed, **line})

    def _finish(self, reason):
        """The page, the thresholds, and what to do next; the exit code."""
        self._take_news()
        breaches = self.figures.breaches(self.state["thresholds"], True)
        try:
            page.write(self.folder / PAGE, self.state, self.figures, breaches)
            say(f"the page: {self.folder / PAGE}")
        except OSError as error:
            say(f"warning: the page could not be written: {error.strerror}")
        say(self.figures.summary())
        if reason != "finished":
            say(f"stopped ({reason}); {_resume(self.folder)}")
        self.alerts.check(breaches, self.figures)
        self.alerts.finish()
        return EXIT_BREACHED if any(not breach.is_held for breach in breaches) else EXIT_HELD


def _resume(folder):
    return f"go on with: tools/lab soak --resume {folder}"


def _folder(options, state):
    """The results folder: a new one, or that of the soak that goes on."""
    if options.resume:
        return pathlib.Path(options.resume).resolve()
    own = prepare.CACHE / "soaks"
    folder = pathlib.Path(options.results).resolve() if options.results else (
        own / f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{state['seed']}-{secrets.token_hex(2)}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            if (folder / journal.STATE).is_file():
                raise LabError(f"{folder} holds a soak already", f"{_resume(folder)}, or give another --results")
            raise LabError(f"{folder} is not empty", "give a new folder with --results")
        if not options.results:
            new = own / f".latest-{os.getpid()}"
            new.symlink_to(folder.name)
            new.replace(own / "latest")
        journal.write_state(folder, state)
    except OSError as error:
        raise LabError(f"the results folder cannot be made: {error}") from error
    return folder
