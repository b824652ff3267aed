"""Counts the checks, and waits for events."""
import time

LIMIT = 60
PAUSE = 0.03


class Checks:
    """The checks that were made, and those that failed."""

    def __init__(self):
        self.count, self.failed, self.states, self.screenshots, self.group = 0, [], set(), 0, ""

    def __call__(self, name, holds, detail=""):
        """Makes a check."""
        self.count += 1
        if not holds:
            self.failed.append(f"{self.group}: {name}")
            print(f"window: error: {self.group}: {name} {detail}".rstrip(), flush=True)


def until(what, limit=LIMIT):
    """The first value of a function that is true; its last one after the limit."""
    end = time.monotonic() + limit
    while not (value := what()) and time.monotonic() < end:
        time.sleep(PAUSE)
    return value
