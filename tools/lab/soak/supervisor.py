"""Runs a soak from its start to its page: starts the worker, watches what it finds, goes on after a dead guest."""
import hashlib
import os
import pathlib
import secrets
import time

import prepare
from soak import figures, journal, page, places, plan as plans, watch, worker
from terminal import LabError, say

EXIT_HELD, EXIT_BREACHED = 0, 1
POLL_SECONDS = 0.5
CHECK_SECONDS = 10
# Beyond what the longest ceremony takes, a worker that writes nothing hangs.
SILENCE_SECONDS = 900
RESTARTS_IN_A_ROW = 3
ENDS = {worker.EXIT_FINISHED: "finished", worker.EXIT_DISK: "no room", worker.EXIT_INTERRUPTED: "interrupted"}
PAGE = "soak.html"


def write_page(folder, state):
    """Writes the page anew from what is in the folder; says how it stands. Returns 0 or 1 as the soak itself would."""
    folder = pathlib.Path(folder)
    found = figures.Figures()
    for line in watch.Tail(folder, journal.CEREMONIES).new():
        found.add(line)
    for line in watch.Tail(folder, journal.MEMORY).new():
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
        self._locks = []
        for adapter in state["adapters"]:
            self._lock(places.owner_of(adapter), f"on {adapter}")
        self.folder = _folder(options, state)
        self._lock(self.folder / "lock", f"in {self.folder}")
        self.ceremonies = watch.Tail(self.folder, journal.CEREMONIES)
        self.memory = watch.Tail(self.folder, journal.MEMORY)
        self.figures = figures.Figures()
        self.status = watch.Status()
        self.alerts = watch.Alerts(state["alert"], self.folder, state)
        self.place = places.place(state, self.folder)
        self.restarts = 0
        self._heard = self._begun = self._checked = time.monotonic()

    def _lock(self, path, what):
        try:
            self._locks.append(journal.Lock(path, what))
        except journal.Locked as error:
            raise LabError(str(error), "wait for its end, or take other adapters and another folder") from error
        except PermissionError as error:
            raise LabError(f"{path} cannot be written: {error.strerror}") from error

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
            reason = ENDS[code]
        except LabError:
            reason = "failed"
            raise
        finally:
            self.status.clear()
            if reason == "interrupted":
                say("ending, which takes some seconds")
            self.place.ask_to_end()
            self.place.end()
            self._close_session(reason)
            result = self._finish(reason)
            for lock in self._locks:
                lock.release()
        return result if code == worker.EXIT_FINISHED else code

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
                self._count_restart(str(error))

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
                self.restarts = 0
            if now - self._checked > CHECK_SECONDS:
                self._checked = now
                self.alerts.check(self.figures.breaches(self.state["thresholds"], False), self.figures)
            if now - self._heard > SILENCE_SECONDS:
                self.place.end()
                raise places.Died(f"nothing came for {SILENCE_SECONDS} s")
            self.status.show(self._status(), now)
        if code not in ENDS:
            raise places.Died(f"the worker failed ({code})")
        return code

    def _status(self):
        left = max(0.0, self.state["seconds"] - self.state["elapsed_s"] - (time.monotonic() - self._begun))
        restarts = f", {self.state['restarts']} restarts" if self.state["restarts"] else ""
        return f"soak: {self.figures.summary()}{restarts}; {left / 60:.0f} min to go"

    def _take_news(self):
        lines = self.ceremonies.new()
        for line in lines:
            self.figures.add(line)
        for line in self.memory.new():
            self.figures.add_sample(line)
        return lines

    def _count_restart(self, reason):
        """The ceremony in which a guest died, or the worker failed, has failed, and is not tried again."""
        self.restarts += 1
        self.state["restarts"] += 1
        self.status.clear()
        say(f"warning: {reason}; starting again")
        if self.restarts >= RESTARTS_IN_A_ROW:
            raise LabError(f"{self.restarts} starts in a row were in vain: {reason}",
                           f"what was said stands above, and in {self.folder}; {_resume(self.folder)}")
        self._settle()
        current = self.folder / "current"
        text = current.read_text(encoding="ascii").strip() if current.is_file() else ""
        if not text.isdigit():
            return
        if self.state["only"]:
            self.state["only"] = self.state["only"][self.state["only"].index(int(text)) + 1:]
        elif int(text) < self.state["next"]:
            return
        choice = plans.Choice(**{name: tuple(value) if isinstance(value, list) else value
                                 for name, value in self.state["choice"].items()})
        plan = plans.draw(self.state["seed"], int(text), choice)
        line = worker.broken(plan, f"lost: {reason}", 0)
        journal.Journal(self.folder, journal.CEREMONIES).append(
            {"number": plan.number, "seed": self.state["seed"], "time": journal.stamp(),
             "elapsed_s": self.figures.elapsed, **line})

    def _finish(self, reason):
        """The page, the thresholds, and what to do next; the exit code."""
        self._take_news()
        breaches = self.figures.breaches(self.state["thresholds"], reason == "finished")
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
    return f"go on with: tools/lab/run soak --resume {folder}"


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
