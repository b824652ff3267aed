"""The cases beyond the row of ceremonies; each returns what the page saw."""

CASES = {}


def case(name):
    """Registers a case under its name."""
    def register(function):
        CASES[name] = function
        return function
    return register
