"""The faults: each comes at its moment, and the world is as before when the ceremony is over."""
import time

RECOVERY_SECONDS = 90
OFF_SECONDS = 5


def make(ceremony):
    """The fault of a ceremony; one that does nothing where there is none."""
    fault = ceremony.plan.fault
    return {None: NoFault, "client-killed": Killed, "authenticator-killed": Killed, "adapter-off": AdapterOff,
            "advert-flood": AdvertFlood, "service-restarted": ServiceRestarted,
            "bluetoothd-killed": BluetoothdKilled}[fault.kind if fault else None](ceremony)


class NoFault:
    """What all faults share: the moment, and whether it has come."""

    def __init__(self, ceremony):
        self.ceremony = ceremony
        self.air = ceremony.air
        self.fault = ceremony.plan.fault
        self.applied = False
        self.due = None
        self._applied_at = None
        self._begun = None

    def begin(self):
        """Just before the client starts."""
        self._begun = time.monotonic()

    def reached(self, role, stage):
        """A role has reached a stage."""
        if not self.fault or self.applied or self.due is not None:
            return
        if (role, stage) == (self.fault.role, self.fault.stage):
            self.due = time.monotonic() + self.fault.delay

    def at(self, now):
        """Does what is due."""
        if self.due is not None and now >= self.due:
            self.due = None
            self.applied = True
            self._applied_at = now
            self.apply()

    def apply(self):
        """Does it."""

    def recover(self):
        """Undoes it, and waits until a ceremony can succeed again: whether that is so, what is not, and the seconds."""
        begun = time.monotonic()
        self.undo()
        wrong = self.air.wait_until_normal(RECOVERY_SECONDS, self.applied)
        return wrong is None, wrong, time.monotonic() - begun

    def undo(self):
        """Undoes it."""

    def end(self):
        """Leaves nothing behind, also after an error."""

    def report(self):
        """For the ceremony's line."""
        if not self.fault:
            return None
        after = None if self._applied_at is None else round(1000 * (self._applied_at - self._begun), 1)
        return {"kind": self.fault.kind, "role": self.fault.role, "stage": self.fault.stage,
                "delay_ms": round(1000 * self.fault.delay, 1), "applied_ms": after}


class Killed(NoFault):
    """A side is killed."""

    def apply(self):
        role = "client" if self.fault.kind == "client-killed" else "authenticator"
        program = self.ceremony.sides[role].program
        if program:
            program.kill()


class AdvertFlood(NoFault):
    """Other devices advertise from before the start to the end."""

    def begin(self):
        super().begin()
        self.applied = True
        self._applied_at = self._begun
        self._flood = self.air.flood().start()

    def undo(self):
        self._flood.end()

    def end(self):
        if self.applied:
            self._flood.end()

    def report(self):
        return {**super().report(), "adverts": self._flood.sent, "refused": self._flood.refused}


class AdapterOff(NoFault):
    """The adapter of a role is switched off, and on again after some seconds."""
    _off = False

    def apply(self):
        self._adapter = self.ceremony.site.adapters[self.fault.role == "authenticator"]
        self._off = True
        self.air.management.set_power(self._adapter, False)

    def at(self, now):
        super().at(now)
        if self._off and now - self._applied_at > OFF_SECONDS:
            self.undo()

    def undo(self):
        if self._off:
            self.air.management.set_power(self._adapter, True)
            self._off = False

    def end(self):
        self.undo()


class ServiceRestarted(NoFault):
    """The tunnel service is killed, and started again at once."""

    def apply(self):
        self.ceremony.service.kill()
        self.ceremony.service.start()


class BluetoothdKilled(NoFault):
    """bluetoothd is killed, and started again when the ceremony is over, or after some seconds."""
    _gone = False

    def apply(self):
        self._gone = True
        self.air.kill_bluetoothd()

    def at(self, now):
        super().at(now)
        if self._gone and now - self._applied_at > OFF_SECONDS:
            self.undo()

    def undo(self):
        if self._gone:
            self.air.start_bluetoothd()
            self._gone = False

    def end(self):
        self.undo()
