"""The table of faults: each with its source, what it does, and what both sides must do under it."""
import dataclasses
import json
import pathlib
import random
import re

TABLE = pathlib.Path(__file__).with_name("faults.json")
DRAWN = re.compile(r"%(\d+)-(\d+)%")
EVERYWHERE = ("guest", "simulated")
RADIOS = ("bluez", "kernel")
ENDS = ("succeed", "succeed or end")


@dataclasses.dataclass(frozen=True)
class Fault:
    """One row."""
    name: str
    what: str
    # Where it was reported; None for what needs no report.
    source: str | None
    # `succeed`; or `succeed or end`, by one of the causes on the side that is hit.
    must: str
    # What `hybrid doctor` says while it stands, patterns by check; or why it cannot know.
    doctor: dict | str
    # The words of the air, with numbers that are drawn: %LEAST-MOST%.
    air: str = ""
    # Another program that runs meanwhile; what is done to an adapter in the middle.
    beside: str | None = None
    act: str | None = None
    # A third adapter is there, the first is off, and the client chooses none.
    second: bool = False
    # The client's choice of channels.
    channel: str = "websocket"
    causes: tuple = ()
    # Seconds from when it can be known to the end of the side that is hit; true if only its own time limit shows it.
    within: float = 5
    at_limit: bool = False
    # The only kind of controllers, radios and places that can have it.
    controllers: str | None = None
    radios: tuple = RADIOS
    where: tuple = EVERYWHERE

    def words(self, seed):
        """The words of the air for this seed."""
        dice = random.Random(f"{self.name}/{seed}")
        return f"seed={seed} " + DRAWN.sub(lambda match: str(dice.randint(*map(int, match.groups()))), self.air)


def read():
    """All rows, by name."""
    rows = [Fault(**{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()})
            for row in json.loads(TABLE.read_text(encoding="utf-8"))]
    for row in rows:
        if row.must not in ENDS or (row.must == "succeed") == bool(row.causes):
            raise ValueError(f"{row.name}: causes go with `succeed or end`")
    return {row.name: row for row in rows}
