"""What the lab says: to standard error, prefixed, with a hint where something can be done."""
import sys

class LabError(Exception):
    """The lab itself could not do its work; the script's own failures are exit codes instead."""

    def __init__(self, reason, hint=None):
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


def say(text):
    print(f"lab: {text}", file=sys.stderr, flush=True)


def say_error(error):
    hint = f". hint: {error.hint}" if error.hint else ""
    say(f"error: {error.reason}{hint}")
