"""Percentiles, shares and slopes of a soak, and what its thresholds say of them."""
import array
import collections
import dataclasses
import math

from soak import measures

QUANTILES = (50, 99, 99.9)
# Before that a share, a percentile or a slope says nothing; only the end of a soak is judged by less.
ENOUGH_CEREMONIES = 20
ENOUGH_SECONDS = 900
WARM_UP_SECONDS = 120
# Over a shorter life, a change is more likely a step than a slope.
SHORTEST_LIFE_SECONDS = 600
SECONDS_AN_HOUR = 3600
# The order in which a ceremony goes; a step is the time from the stage before.
ORDER = ("qrShown", "qrScanned", "tunnelOpened", "advertising", "advertSeen", "advertOpened", "tunnelJoined",
         "channelOpened", "handshaken", "ready", "commandSent", "userVerified", "commandAnswered", "linked", "closed")


def percentile(values, quantile):
    """The smallest value that so many percent of all do not exceed (nearest rank); `values` are sorted."""
    return values[max(0, math.ceil(len(values) * quantile / 100) - 1)] if values else None


@dataclasses.dataclass
class Breach:
    """What a threshold says."""
    name: str
    text: str
    value: float | None
    limit: float
    unit: str

    @property
    def is_held(self):
        return self.value is None or self.value <= self.limit

    def as_json(self):
        return {"threshold": self.name, "what": self.text, "value": self.value, "limit": self.limit, "unit": self.unit}


class Series:
    """Values with their times, in 16 bytes each: there are millions after some days."""

    def __init__(self):
        self._seconds = array.array("d")
        self._values = array.array("d")

    def add(self, seconds, value):
        self._seconds.append(seconds)
        self._values.append(value)

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return zip(self._seconds, self._values)

    def sorted(self):
        return sorted(self._values)


class Figures:
    """What all lines of a soak amount to."""

    def __init__(self):
        self.outcomes = collections.Counter()
        self.faults = collections.defaultdict(collections.Counter)
        self.missed = collections.Counter()
        self.examples = {}
        self.ways = collections.defaultdict(collections.Counter)
        self.took = Series()
        self.took_by_way = collections.defaultdict(Series)
        self.steps = collections.defaultdict(Series)
        self.failures = []
        self.samples = collections.defaultdict(list)
        self.last = None
        self.elapsed = 0.0

    def add(self, line):
        """Counts one ceremony."""
        fault = line["fault"]["kind"] if line["fault"] else None
        self.last, self.elapsed = line, max(self.elapsed, line["elapsed_s"])
        self.outcomes[("faulty" if fault else "faultless", line["outcome"])] += 1
        self.faults[(fault or "none")][line["outcome"]] += 1
        self.ways[(line["kind"], line["radio"], line["channel"])][line["outcome"]] += 1
        if fault and line["fault"].get("applied_ms") is None:
            self.missed[fault] += 1
        elif line["outcome"] != "success" or fault == "advert-flood":
            self.examples.setdefault(fault, line["number"])
        if line["outcome"] == "failure":
            self.failures.append(line)
        if fault is None and line["outcome"] == "success":
            self.took.add(line["elapsed_s"], line["took_ms"])
            self.took_by_way[line["radio"], line["channel"]].add(line["elapsed_s"], line["took_ms"])
            for role, stages in line["stages"].items():
                for name, step in steps(stages):
                    self.steps[(role, name)].add(line["elapsed_s"], step)

    def add_sample(self, line):
        """Counts one sample of a process."""
        self.samples[line["process"]].append(
            (line["life"], line["elapsed_s"], line["anonymous_kib"], line["resident_kib"], line["descriptors"]))

    @property
    def count(self):
        return sum(self.outcomes.values())

    def slopes(self, process):
        """Growth of a process's private memory in MiB an hour, of its descriptors an hour, and the seconds watched."""
        samples = self.samples[process]
        memory = measures.settled([(life, seconds, kib) for life, seconds, kib, _, _ in samples], WARM_UP_SECONDS)
        descriptors = measures.settled([(life, seconds, count) for life, seconds, _, _, count in samples],
                                       WARM_UP_SECONDS)
        memory, descriptors = _long(memory), _long(descriptors)
        seconds = _watched(memory)
        grown, opened = measures.slope(memory), measures.slope(descriptors)
        return (None if grown is None else grown * SECONDS_AN_HOUR / 1024,
                None if opened is None else opened * SECONDS_AN_HOUR, seconds)

    def breaches(self, limits, is_over):
        """Each threshold with its value; None for one of which nothing can be said."""
        least = 1 if is_over else ENOUGH_CEREMONIES
        found = [Breach("failures", "ceremonies without a fault that failed", self._share("faultless", least),
                        limits["max_failures"], "%"),
                 Breach("unexpected", "ceremonies with a fault that ended in a way it does not explain",
                        self._share("faulty", least), limits["max_unexpected"], "%")]
        took = self.took.sorted()
        found.append(Breach("p99", "time of a ceremony without a fault, 99 of 100",
                            percentile(took, 99) / 1000 if len(took) >= least else None, limits["max_p99"], "s"))
        for process in sorted(self.samples):
            memory, descriptors, seconds = self.slopes(process)
            enough = seconds >= ENOUGH_SECONDS
            found.append(Breach(f"memory-slope {process}", f"growth of the private memory of {process}",
                                memory if enough else None, limits["max_memory_slope"], "MiB/h"))
            found.append(Breach(f"descriptor-slope {process}", f"growth of the descriptors of {process}",
                                descriptors if enough else None, limits["max_descriptor_slope"], "/h"))
        return found

    def _share(self, group, least):
        failed = self.outcomes[(group, "failure")]
        total = sum(count for (which, _), count in self.outcomes.items() if which == group)
        return 100 * failed / total if total >= least else None

    def summary(self):
        """One line for the terminal."""
        took = self.took.sorted()
        middle = f", p50 {percentile(took, 50) / 1000:.2f} s, p99 {percentile(took, 99) / 1000:.2f} s" if took else ""
        expected = self.outcomes[("faulty", "expected")]
        return (f"{self.count} ceremonies, {len(self.failures)} failed, "
                f"{expected} ended by their fault{middle}")


def _spans(points):
    """The seconds over which each life of a process was watched."""
    lives = {}
    for life, seconds, _ in points:
        first, _ = lives.get(life, (seconds, seconds))
        lives[life] = (first, seconds)
    return {life: last - first for life, (first, last) in lives.items()}


def _watched(points):
    return sum(_spans(points).values())


def _long(points):
    """Without the short lives of a process."""
    spans = _spans(points)
    return [point for point in points if spans[point[0]] >= SHORTEST_LIFE_SECONDS]


def steps(stages):
    """Each stage that was reached, in its order, with the milliseconds since the one before."""
    reached = sorted(stages.items(), key=lambda item: item[1])
    before = 0.0
    for name, time in reached:
        yield name, time - before
        before = time
