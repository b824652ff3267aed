"""One ceremony: its two sides, the fault at its moment, and the line that is left of it."""
import queue
import shutil
import time

from soak import expected, faults, site as sites

# Seconds beyond the programs' own limits after which a side counts as hung.
GRACE = 90
POLL, LISTENER_POLL = 0.5, 0.05
# What a listener says of itself in a lab, whatever happens.
USUAL_NOTICES = ("unencrypted-store", "nobody-verified", "asks-nobody")


class Side:
    """What has been heard of one role."""

    def __init__(self):
        self.program = None
        self.began = None
        self.stages = {}
        self.error = None
        self.done = False
        self.exit = None
        self.linked = False

    def take(self, event):
        name = event["event"]
        if name == "stage":
            self.stages.setdefault(event["stage"], event["elapsed_ms"])
            self.linked = self.linked or event["stage"] == "linked"
        elif name == "error":
            self.error = {key: event[key] for key in ("code", "stage", "cause") if key in event}
        elif name == "result":
            self.done = True
        elif name == "ended":
            self.exit = event["code"]


class Ceremony:
    """Runs one plan at a site."""

    def __init__(self, site, plan, air):
        self.site = site
        self.plan = plan
        self.air = air
        self.heard = queue.Queue()
        self.sides = {"client": Side(), "authenticator": Side()}
        self.service = site.service
        self.listener = None
        self.own = []
        self._left = None
        self.folder = site.folder / "ceremony"

    def run(self):
        """Runs it and returns its line: a dictionary for JSON."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.site.home(self.plan.radio), self.folder)
        fault = None
        try:
            self._prepare()
            fault = self._make_fault()
            begun = time.monotonic()
            fault.begin()
            self._start_client()
            self._follow(fault, begun)
            took = time.monotonic() - begun
            recovered = fault.recover()
            return self._line(fault, took, recovered)
        finally:
            if fault:
                fault.end()
            self.close()

    def _make_fault(self):
        return faults.make(self)

    @property
    def is_harmful(self):
        return self.plan.fault is not None and self.plan.fault.kind != "advert-flood"

    def _prepare(self):
        """Faults hit processes of their own: those that are watched for days are left alone."""
        fault = self.plan.fault
        harms = self.is_harmful
        # At one service, a second listener of the same links would take the place of the first.
        if harms and (self.plan.is_linked or fault.kind == "service-restarted"):
            self.service = sites.Service(self.site, "service-under-fault")
            self.own.append(self.service)
        if not self.plan.is_linked:
            return
        if harms:
            self.listener = sites.Listener(self.site, "listener-under-fault", self.plan.radio, self.service)
            self.own.append(self.listener)
        else:
            self.listener = self.site.listeners[self.plan.radio]
        self.listener.prepare()

    def _start_client(self):
        side = self.sides["client"]
        side.program = self.site.start("client", *self._client_words(), heard=self.heard, folder=self.folder)
        side.began = time.monotonic()

    def _client_words(self):
        plan = self.plan
        passkey = ["--state", "state.json", "--links", "links"]
        words = {
            "registration": ["register", "--rp-id", sites.OTHER_SITE, "--user", "soak", "--no-links", *passkey],
            "sign-in": ["sign-in", "--rp-id", sites.SITE, "--no-links", *passkey],
            "link": ["sign-in", "--rp-id", sites.SITE, "--link", "--state", "state.json", "--links", "new-links"],
            "linked-sign-in": ["sign-in", "--rp-id", sites.SITE, "--linked-only", *passkey],
            "linked-registration": ["register", "--rp-id", sites.OTHER_SITE, "--user", "soak", "--user-id",
                                    sites.USER_ID, "--linked-only", *passkey],
            "credential-presentation": ["digital-credential", "--origin", "https://shop.example", "--request",
                                        "../presentation.json"],
            "credential-issuance": ["digital-credential", "--origin", "https://shop.example", "--request",
                                    "../issuance.json", "--issuance"],
        }[plan.kind]
        return ["client", *words, "--qr", "url", "--channel", self._channel(), *self._common("client")]

    def _channel(self):
        return "l2cap" if self.plan.channel == "l2cap" else "websocket"

    def _common(self, role):
        return [*self.site.radio(self.plan.radio, role), *self.site.tunnel(self.service), "--timeout",
                str(self.site.timeout), "--json"]

    def _start_authenticator(self, url):
        side = self.sides["authenticator"]
        words = ["--yes", "--channel", self._channel(), *self._common("authenticator")]
        if self.plan.kind.startswith("credential"):
            words += ["--ephemeral", "--no-passkeys", "--credential-handler", "../handler"]
        else:
            words += ["--store", "passkeys", "--links", "linked-clients" if self.plan.kind != "link" else "new-linked",
                      "--link", "yes" if self.plan.kind == "link" else "no", "--link-name", "soak"]
        side.program = self.site.start("authenticator", "authenticator", "answer", "-", *words, heard=self.heard,
                                       text=url + "\n", folder=self.folder)
        side.began = time.monotonic()

    def _follow(self, fault, begun):
        """Takes what both sides say until both have ended."""
        if self.listener:
            side = self.sides["authenticator"]
            side.program, side.began = self.listener.program, begun
        until = begun + 2 * self.site.timeout + GRACE
        fault.reached("client", "start")
        while not self._is_over(fault):
            now = time.monotonic()
            if now > until:
                self._give_up()
                return
            fault.at(now)
            # The listener has a queue of its own, that goes on from ceremony to ceremony.
            self._take_listener(fault)
            wait = min(LISTENER_POLL if self.listener else POLL, until - now, fault.due - now if fault.due else POLL)
            try:
                program, _, event = self.heard.get(timeout=max(0.0, wait))
            except queue.Empty:
                continue
            self._take(program.role, event, fault)
        self._take_listener(fault)

    def _take(self, role, event, fault):
        side = self.sides[role]
        side.take(event)
        if event["event"] == "code" and not self.listener:
            self._start_authenticator(event["url"])
        elif event["event"] == "stage":
            fault.reached(role, event["stage"])

    def _take_listener(self, fault):
        side = self.sides["authenticator"]
        while self.listener and not self.listener.program.heard.empty():
            _, arrived, event = self.listener.program.heard.get_nowait()
            if event["event"] == "stage":
                # It counts from its own start, days ago.
                event = dict(event, elapsed_ms=round(1000 * (arrived - side.began), 3))
            if event["event"] == "notice" and event.get("notice") not in USUAL_NOTICES:
                side.error = side.error or {"code": event.get("notice"), "cause": event.get("text", "")}
            self._take("authenticator", event, fault)

    def _is_over(self, fault):
        client, authenticator = self.sides["client"], self.sides["authenticator"]
        if client.exit is None:
            return False
        if self.listener:
            return authenticator.done or not self.listener.program.is_running() or self._listener_gave_up(client)
        if authenticator.program is None:
            # The client ended before it showed its code.
            return True
        return authenticator.exit is not None

    def _listener_gave_up(self, client):
        """A listener says nothing of a client that has left early; it gets a moment to answer the last request."""
        self._left = self._left or time.monotonic()
        wait = 10 if client.exit == 0 else 2
        return time.monotonic() - self._left > wait

    def _give_up(self):
        for side in self.sides.values():
            if side.program and side.exit is None and not (self.listener and side.program is self.listener.program):
                side.program.kill()
        time.sleep(0.2)

    def _line(self, fault, took, recovered):
        sides = {}
        for role, side in self.sides.items():
            code = side.exit
            if role == "authenticator" and self.listener:
                # A listener ends no session by an exit code: what it says of the session stands for it.
                code = 0 if side.done else (-9 if not self.listener.program.is_running() else None)
                if code is None:
                    code = 0 if self.sides["client"].exit != 0 else 1
            elif side.program is None:
                code = 0 if fault.applied else None
            sides[role] = {"exit": code, "error": side.error,
                           "done": side.done or role == "authenticator" and side.program is None}
        outcome, cause = expected.judge(self.plan, fault.applied, sides)
        if outcome != "failure" and not recovered[0]:
            outcome, cause = "failure", f"afterwards: {recovered[1]}"
        disturbed = fault.applied and self.plan.fault.kind != "advert-flood"
        if outcome == "success" and self.plan.kind == "link" and not self.sides["client"].linked and not disturbed:
            outcome, cause = "failure", "client: no link"
        return {
            "number": self.plan.number, "kind": self.plan.kind, "radio": self.plan.radio,
            "channel": self.plan.channel, "fault": fault.report(), "outcome": outcome, "cause": cause,
            "took_ms": round(1000 * took, 1),
            "exit": {role: side["exit"] for role, side in sides.items()},
            "errors": {role: side["error"] for role, side in sides.items() if side["error"]},
            "stages": {role: side.stages for role, side in self.sides.items()},
            "recovery_ms": round(1000 * recovered[2], 1),
        }

    def transcript(self):
        """What both sides have written, for a failure."""
        parts = []
        for role, side in self.sides.items():
            if side.program:
                parts.append(f"== {role}: {' '.join(map(str, side.program.command))}")
                parts += [f"{arrived - side.program.began:10.3f} {line}" for arrived, line in side.program.lines]
                parts.append(f"== {role}, standard error\n{side.program.last_errors()}")
        return "\n".join(parts) + "\n"

    def close(self):
        for side in self.sides.values():
            if side.program and not (self.listener and side.program is self.listener.program):
                side.program.close()
        for owned in reversed(self.own):
            owned.close()
        self.own = []
