"""One ceremony under a fault, and the verdict on it."""
import random
import time

from soak import ceremony, plan as plans

# The stages of a side at which its adapter is hit. A linked client shows nothing before it scans.
MOMENTS = {"client": "qrShown", "authenticator": "advertising"}
LINKED_MOMENTS = {"client": "start", "authenticator": "advertising"}
LONGEST_DELAY = 0.2
LONGEST_DELAY_FROM_START = 1.0
UNKNOWN = "no error"
# Seconds for another program to ask for a connection to a phone that is on the air.
CONNECTION_SECONDS = 15


def plan(fault, seed, radios):
    """The ceremony of a seed: by QR code or linked, over the one radio or the other, and the moment."""
    dice = random.Random(f"{fault.name}/{seed}/plan")
    radios = [radio for radio in radios if radio in fault.radios or radio == "simulated"]
    # In turn, so that few seeds have all; a linked phone is off the air before another program can be connected to it.
    is_linked = seed % 4 >= 2 and fault.channel == "websocket" and not fault.second and fault.beside != "connects"
    kind = "linked-sign-in" if is_linked else "sign-in"
    role = dice.choice(list(MOMENTS))
    stage = (MOMENTS if kind == "sign-in" else LINKED_MOMENTS)[role]
    longest = LONGEST_DELAY_FROM_START if stage == "start" else LONGEST_DELAY
    moment = plans.Fault(fault.name, role, stage, round(dice.random() * longest, 3))
    return plans.Plan(seed, kind, radios[seed % len(radios)], fault.channel, moment)


class Trial(ceremony.Ceremony):
    """A ceremony whose fault comes from the table."""

    def __init__(self, site, fault, seed, radios, air):
        self.fault = fault
        self.ended = {}
        self.times = {}
        super().__init__(site, plan(fault, seed, radios), air)

    @property
    def is_harmful(self):
        return self.fault.act is not None

    def _make_fault(self):
        return Applied(self)

    def _channel(self):
        return self.fault.channel

    def _take(self, role, event, fault):
        super()._take(role, event, fault)
        if event["event"] == "stage":
            self.times.setdefault((role, event["stage"]), event["time"])
        if event["event"] in ("ended", "error", "notice"):
            self.ended.setdefault(role, time.monotonic())

    def _line(self, fault, took, recovered):
        sides = {role: {"exit": side.exit, "error": side.error, "done": side.done} for role, side in self.sides.items()}
        verdict, cause, seconds = judge(self.fault, self.plan, sides, fault.applied_at, self.ended,
                                        self.listener is not None, self.site.timeout if self.fault.at_limit else 0)
        if verdict != "wrong" and not recovered[0]:
            verdict, cause = "wrong", f"afterwards: {recovered[1]}"
        others = self.fault.beside == "connects"
        if verdict != "wrong" and self.fault.channel == "websocket" and self.air.connected(fault.begun) != others:
            verdict, cause = "wrong", f"{'no' if others else 'a'} connection was asked for"
        stages = self.sides["client"].stages
        if verdict == "success" and self.fault.channel == "any" and "channelOpened" not in stages:
            verdict = "fall-back"
        return {"fault": self.fault.name, "seed": self.plan.number, "words": self.fault.words(self.plan.number),
                "kind": self.plan.kind, "radio": self.plan.radio, "hit": fault.side, "verdict": verdict,
                "cause": cause, "seconds": round(seconds if seconds is not None else took, 3),
                "took": round(took, 3), "sides": sides, "stages": {role: side.stages for role, side in self.sides.items()}}


def judge(fault, plan, sides, applied_at, ended, has_listener, limit):
    """The verdict, the cause if it is not success, and the seconds from when the cause could be known.

    `limit` is the time limit of a side, in seconds, where nothing else shows the fault.
    """
    client, authenticator = sides["client"], sides["authenticator"]
    if client["exit"] == 0 and client["done"] and (authenticator["exit"] == 0 or has_listener):
        return "success", None, None
    hit = plan.fault.role if fault.act else "client"
    if fault.act and applied_at is None:
        return "wrong", "it failed before the fault", None
    if hit == "authenticator" and has_listener and not authenticator["error"]:
        return "wrong", "the listener named no cause", None
    error = sides[hit]["error"] or {}
    cause = error.get("cause", UNKNOWN).split(":")[0]
    seconds = ended[hit] - applied_at if applied_at and hit in ended else None
    # A listener, which goes on, tells a person.
    told = error.get("cause", "") if hit == "authenticator" and has_listener else ""
    if fault.must == "succeed" or not any(name in (cause, error.get("code")) or name in told for name in fault.causes):
        return "wrong", f"{hit}: {error.get('code')}: {error.get('cause', UNKNOWN)}", seconds
    if seconds is None or seconds > fault.within + limit:
        return "wrong", f"{hit}: {cause}, but only after {seconds and round(seconds, 1)} s", seconds
    return "cause named", cause, seconds


class Applied:
    """The fault of a trial, as a ceremony knows faults."""

    def __init__(self, trial):
        self.trial = trial
        self.applied = False
        self.applied_at = None
        self.due = None
        self.begun = None
        self.side = trial.plan.fault.role if trial.fault.act else None

    def begin(self):
        self.begun = time.monotonic()
        self.trial.air.apply(self.trial.fault, self.trial.plan)
        if not self.trial.fault.act:
            self.applied = True
            self.applied_at = time.monotonic()

    def reached(self, role, stage):
        moment = self.trial.plan.fault
        if stage in ("channelOpened", "handshaken") and not self.trial.fault.act:
            # What befalls a channel can be known once there is one.
            self.applied_at = time.monotonic()
        if self.trial.fault.beside == "connects" and (role, stage) == ("authenticator", "advertising"):
            self._let_another_connect()
        if self.trial.fault.act and not self.applied and self.due is None and (role, stage) == (moment.role, moment.stage):
            self.due = time.monotonic() + moment.delay

    def _let_another_connect(self):
        """Another program asks for a connection before our client acts on the advert: else the faster of the two decides."""
        with self.trial.sides["client"].program.stopped():
            until = time.monotonic() + CONNECTION_SECONDS
            while not self.trial.air.connected(self.begun) and time.monotonic() < until:
                time.sleep(0.05)

    def at(self, now):
        if self.due is not None and now >= self.due:
            self.due, self.applied = None, True
            # It can be known once it is so: not while the emulator and the kernel still do it.
            self.trial.air.act(self.trial.fault, self.side)
            self.applied_at = time.monotonic()

    def recover(self):
        begun = time.monotonic()
        self.trial.air.restore(self.trial.fault)
        wrong = self.trial.air.wait_until_normal(60, self.trial.fault.act is not None)
        return wrong is None, wrong, time.monotonic() - begun

    def end(self):
        self.trial.air.restore(self.trial.fault)
