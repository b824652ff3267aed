"""The hybrid transport in plain Python, written from the protocol reference alone.

It shares no code with the Swift modules: vectors that only the code under test has judged prove nothing.
Slow, not constant-time, and only for checking test vectors.
"""


class Refused(Exception):
    """A refusal, with the failure kind that a vector names."""

    def __init__(self, kind, reason=""):
        super().__init__(f"{kind}: {reason}" if reason else kind)
        self.kind = kind
